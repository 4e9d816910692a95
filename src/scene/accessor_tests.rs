//! Every way to store numbers.

use serde_json::json;

use super::{
    LoadOptions,
    document::Document,
    file_builder::{FileBuilder, push},
    schema,
};

/// The file, with a GiB of memory.
fn open(file: &FileBuilder) -> Document {
    let options = LoadOptions { memory: 1 << 30, ..LoadOptions::default() };
    Document::open(&file.gltf(), "test.gltf", Default::default(), options).unwrap()
}

/// The numbers of an accessor as floats.
fn floats(file: &FileBuilder, accessor: usize) -> Vec<f32> {
    let document = open(file);
    document.accessor(accessor, "here").unwrap().floats().unwrap()
}

/// An accessor over a handful of bytes, read as floats.
fn read(component: u32, shape: &str, count: usize, normalized: bool, bytes: &[u8]) -> Vec<f32> {
    let mut file = FileBuilder::new();
    let accessor = file.accessor(component, shape, count, bytes);
    file.json["accessors"][accessor]["normalized"] = json!(normalized);
    floats(&file, accessor)
}

#[test]
fn snorm_minus_128() {
    // max(c / 127, −1): −128 and −127 are both −1.
    assert_eq!(read(5120, "SCALAR", 4, true, &[0x80, 0x81, 0, 127]), [-1.0, -1.0, 0.0, 1.0]);
    assert_eq!(read(5122, "SCALAR", 3, true, &[0x00, 0x80, 0x01, 0x80, 0xff, 0x7f]), [-1.0, -1.0, 1.0]);
}

#[test]
fn every_component_type_is_read() {
    assert_eq!(read(5120, "VEC2", 1, false, &[0x80, 127]), [-128.0, 127.0]);
    assert_eq!(read(5121, "VEC2", 1, false, &[0x80, 255]), [128.0, 255.0]);
    assert_eq!(read(5121, "VEC2", 1, true, &[51, 255]), [0.2, 1.0]);
    assert_eq!(read(5122, "VEC2", 1, false, &[0, 0x80, 0xff, 0x7f]), [-32768.0, 32767.0]);
    assert_eq!(read(5123, "VEC2", 1, false, &[0x02, 0x01, 0xff, 0xff]), [258.0, 65535.0]);
    assert_eq!(read(5123, "VEC2", 1, true, &[0x33, 0x33, 0xff, 0xff]), [0.2, 1.0]);
    assert_eq!(read(5125, "SCALAR", 1, false, &[0, 0, 1, 0]), [65536.0]);
    assert_eq!(read(5126, "SCALAR", 1, true, &2.5_f32.to_le_bytes()), [2.5]);
}

#[test]
fn interleaved_stride() {
    // Position and texture coordinate in turn: 12 + 8 bytes a vertex. The stride is the view's.
    let mut file = FileBuilder::new();
    let vertices: [[f32; 5]; 3] = [[1.0, 2.0, 3.0, 0.1, 0.2], [4.0, 5.0, 6.0, 0.3, 0.4], [7.0, 8.0, 9.0, 0.5, 0.6]];
    let bytes: Vec<u8> = vertices.as_flattened().iter().flat_map(|value| value.to_le_bytes()).collect();
    let view = file.view(&bytes);
    file.json["bufferViews"][view]["byteStride"] = json!(20);
    let accessor = |offset: usize, shape: &str| json!({"bufferView": view, "byteOffset": offset, "componentType": 5126, "type": shape, "count": 3});
    let positions = push(&mut file.json["accessors"], accessor(0, "VEC3"));
    let texcoords = push(&mut file.json["accessors"], accessor(12, "VEC2"));
    assert_eq!(floats(&file, positions), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    assert_eq!(floats(&file, texcoords), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
}

#[test]
fn accessor_without_view() {
    let mut file = FileBuilder::new();
    let accessor = push(&mut file.json["accessors"], json!({"componentType": 5126, "type": "VEC3", "count": 2}));
    assert_eq!(floats(&file, accessor), [0.0; 6]);
}

#[test]
fn sparse_ignored() {
    // Elements 1 and 3 of four are replaced; the base is 0 to 7.
    let mut file = FileBuilder::new();
    let base: Vec<f32> = (0..8).map(|value| value as f32).collect();
    let accessor = file.floats("VEC2", &base);
    let indices = file.view(&[1, 0, 3, 0]);
    let values: Vec<u8> = [10.0_f32, 11.0, 30.0, 31.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    let values = file.view(&values);
    let sparse = json!({"count": 2, "indices": {"bufferView": indices, "componentType": 5123}, "values": {"bufferView": values}});
    file.json["accessors"][accessor]["sparse"] = sparse.clone();
    assert_eq!(floats(&file, accessor), [0.0, 1.0, 10.0, 11.0, 4.0, 5.0, 30.0, 31.0]);

    // Without a base the others are zero.
    let without_view = json!({"componentType": 5126, "type": "VEC2", "count": 4, "sparse": sparse});
    let accessor = push(&mut file.json["accessors"], without_view);
    assert_eq!(floats(&file, accessor), [0.0, 0.0, 10.0, 11.0, 0.0, 0.0, 30.0, 31.0]);
}

#[test]
fn matrix_columns_start_at_multiples_of_four_bytes() {
    // The three layouts of section 3.6.2.4; 99 is padding.
    assert_eq!(read(5121, "MAT2", 1, false, &[1, 2, 99, 99, 3, 4, 99, 99]), [1.0, 2.0, 3.0, 4.0]);
    let bytes = [1, 2, 3, 99, 4, 5, 6, 99, 7, 8, 9, 99];
    assert_eq!(read(5121, "MAT3", 1, false, &bytes), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    let shorts: Vec<u8> = [1_u16, 2, 3, 99, 4, 5, 6, 99, 7, 8, 9, 99].iter().flat_map(|c| c.to_le_bytes()).collect();
    assert_eq!(read(5123, "MAT3", 1, false, &shorts), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    // Two MAT2 of shorts need no padding.
    let shorts: Vec<u8> = (1_u16..=8).flat_map(|c| c.to_le_bytes()).collect();
    assert_eq!(read(5123, "MAT2", 2, false, &shorts), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
}

#[test]
fn the_last_element_needs_no_whole_stride() {
    // Two scalars 8 bytes apart in a view of 12 bytes.
    let mut file = FileBuilder::new();
    let bytes: Vec<u8> = [1.0_f32, 99.0, 2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    let accessor = file.accessor(5126, "SCALAR", 2, &bytes);
    file.json["bufferViews"][0]["byteStride"] = json!(8);
    assert_eq!(floats(&file, accessor), [1.0, 2.0]);
    file.json["accessors"][accessor]["count"] = json!(3);
    let document = open(&file);
    let message = document.accessor(accessor, "here").err().unwrap().to_string();
    assert!(message.contains("accessor of 3 elements needs 20 bytes, but only 12 are there"), "{message}");
}

#[test]
fn a_giant_count_without_data_is_refused_before_it_is_allocated() {
    let mut file = FileBuilder::new();
    let giant = json!({"componentType": 5126, "type": "MAT4", "count": u64::MAX});
    let accessor = push(&mut file.json["accessors"], giant);
    let document = open(&file);
    let result = document.accessor(accessor, "here").and_then(|accessor| accessor.floats());
    let message = result.unwrap_err().to_string();
    assert!(message.contains("more than 1024 MiB"), "{message}");
}

#[test]
fn one_accessor_named_often_does_not_fill_the_memory() {
    // The scene may take 2^30 bytes, of which its text and its buffer have theirs: a triangle's nine numbers fit exactly once more.
    let file = FileBuilder::triangle();
    let document = open(&file);
    let taken = schema::memory(&file.gltf()) + 72;
    document.reserve((1 << 30) - taken - 36, "elsewhere").unwrap();
    let positions = document.accessor(0, "here").unwrap();
    assert_eq!(positions.floats().unwrap().len(), 9);
    let message = positions.floats().unwrap_err().to_string();
    assert!(message.contains("here (accessors[0]): with this the scene needs more than 1024 MiB"), "{message}");
}
