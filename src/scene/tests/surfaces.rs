//! Normals, tangents, colours, morph targets, topologies.

use serde_json::json;

use super::file_builder::FileBuilder;
use refrast_scene::{Primitive, Scene, Topology};

fn primitive(scene: &Scene) -> &Primitive {
    &scene.meshes[0].primitives[0]
}

/// A square of two triangles over four shared vertices (0,0) (1,0) (1,1) (0,1), without normals.
fn square() -> FileBuilder {
    let mut file = FileBuilder::new();
    let positions = file.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    let indices = file.accessor(5121, "SCALAR", 6, &[0, 1, 2, 0, 2, 3]);
    let primitive = json!({"attributes": {"POSITION": positions}, "indices": indices});
    file.json["meshes"] = json!([{"primitives": [primitive]}]);
    file.json["nodes"] = json!([{"mesh": 0}]);
    file
}

#[test]
fn missing_normals_smooth() {
    let mut file = square();
    let tangents = file.floats("VEC4", &[1.0, 0.0, 0.0, 1.0].repeat(4));
    file.attribute("TANGENT", tangents);
    let displacements = file.floats("VEC3", &[0.0, 0.0, 2.0].repeat(4));
    file.primitive()["targets"] =
        json!([{"POSITION": displacements, "NORMAL": displacements, "TANGENT": displacements}]);
    let scene = file.load().unwrap();
    let primitive = primitive(&scene);
    assert!(primitive.flat);
    assert_eq!((&primitive.normals, &primitive.tangents), (&None, &None));
    // Six vertices of their own, in the order of the corners.
    assert_eq!(primitive.indices, [0, 1, 2, 3, 4, 5]);
    assert_eq!(primitive.source_vertices, [0, 1, 2, 0, 2, 3]);
    assert_eq!(primitive.source_vertex_count, 4);
    assert_eq!(primitive.positions[4], [1.0, 1.0, 0.0]);
    let target = &primitive.targets[0];
    assert_eq!(target.positions.as_deref(), Some(&[[0.0, 0.0, 2.0]; 6][..]));
    assert_eq!((&target.normals, &target.tangents), (&None, &None));
}

#[test]
fn points_and_lines_without_normals_are_not_flat() {
    for (mode, topology) in [(0, Topology::Points), (1, Topology::Lines)] {
        let mut file = square();
        file.primitive()["mode"] = json!(mode);
        let scene = file.load().unwrap();
        let primitive = primitive(&scene);
        assert_eq!((primitive.topology, primitive.flat, primitive.positions.len()), (topology, false, 4));
        assert_eq!(primitive.indices, [0, 1, 2, 0, 2, 3]);
    }
}

/// Gives the only primitive normals +z, a normal map and the texture coordinates `uv`.
fn with_normal_map(mut file: FileBuilder, uv: &[f32]) -> FileBuilder {
    let normals = file.floats("VEC3", &[0.0, 0.0, 1.0].repeat(uv.len() / 2));
    let texcoords = file.floats("VEC2", uv);
    file.attribute("NORMAL", normals);
    file.attribute("TEXCOORD_0", texcoords);
    add_normal_map(&mut file);
    file
}

/// Gives the only primitive a material with a normal map of one texel.
fn add_normal_map(file: &mut FileBuilder) {
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, 1, 1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&[128, 128, 255]).unwrap();
    let view = file.view(&png);
    file.json["images"] = json!([{"bufferView": view, "mimeType": "image/png"}]);
    file.json["textures"] = json!([{"source": 0}]);
    file.json["materials"] = json!([{"normalTexture": {"index": 0}}]);
    file.primitive()["material"] = json!(0);
}

fn assert_near(found: [f32; 4], expected: [f64; 4]) {
    let near = found.iter().zip(&expected).all(|(found, expected)| (f64::from(*found) - expected).abs() < 1e-6);
    assert!(near, "{found:?} is not {expected:?}");
}

/// MikkTSpace weighs each triangle's tangent by its angle at the vertex. With v up: the first triangle has the tangent
/// (1, 0) and a right angle at the origin, the second (1, −1)/√2 and half a right angle. So the tangent at the origin
/// points to 2·(1, 0) + (1, −1)/√2 and, the angles being exchanged, that at (0, 1) to (1, 0) + 2·(1, −1)/√2.
#[test]
fn tangent_not_mikktspace() {
    let mut file = FileBuilder::new();
    let positions = file.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 1.0, 0.0]);
    let indices = file.accessor(5121, "SCALAR", 6, &[0, 1, 2, 0, 2, 3]);
    let primitive_json = json!({"attributes": {"POSITION": positions}, "indices": indices});
    file.json["meshes"] = json!([{"primitives": [primitive_json]}]);
    // glTF's v points down: 1 − v of (0,0), (1,0), (0,1), (−1,0).
    let file = with_normal_map(file, &[0.0, 1.0, 1.0, 1.0, 0.0, 0.0, -1.0, 1.0]);
    let scene = file.load().unwrap();
    let primitive = primitive(&scene);
    let tangents = primitive.tangents.as_ref().unwrap();
    assert_eq!((tangents.len(), primitive.indices.as_slice()), (4, &[0, 1, 2, 0, 2, 3][..]));
    let unit = |x: f64, y: f64| [x / (x * x + y * y).sqrt(), y / (x * x + y * y).sqrt(), 0.0, 1.0];
    let half = 0.5_f64.sqrt();
    assert_near(tangents[0], unit(2.0 + half, -half));
    assert_near(tangents[1], [1.0, 0.0, 0.0, 1.0]);
    assert_near(tangents[2], unit(1.0 + 2.0 * half, -2.0 * half));
    assert_near(tangents[3], unit(half, -half));
}

/// The bitangent is cross(N, T)·w, and must point up the picture: against v. Mirrored u turns T and w.
#[test]
fn mirrored_texture_coordinates_split_shared_vertices() {
    // Upright: u to the right, v down. The second triangle mirrors u and shares two vertices with the first.
    let upright = with_normal_map(FileBuilder::triangle(), &[0.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
    let scene = upright.load().unwrap();
    assert_eq!(primitive(&scene).tangents.as_deref(), Some(&[[1.0, 0.0, 0.0, 1.0]; 3][..]));

    // (0,0) (1,0) (0,1) and, mirrored at x = 0, (−1,0): u is |x|.
    let mut file = FileBuilder::new();
    let positions = file.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0]);
    let indices = file.accessor(5121, "SCALAR", 6, &[0, 1, 2, 0, 2, 3]);
    let json = json!({"attributes": {"POSITION": positions}, "indices": indices});
    file.json["meshes"] = json!([{"primitives": [json]}]);
    let file = with_normal_map(file, &[0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0]);
    let scene = file.load().unwrap();
    let primitive = primitive(&scene);
    let (right, left) = ([1.0, 0.0, 0.0, 1.0], [-1.0, 0.0, 0.0, -1.0]);
    // Vertices 0 and 2 keep the right-handed corner and are copied for the mirrored one.
    assert_eq!(primitive.tangents.as_deref(), Some(&[right, right, right, left, left, left][..]));
    assert_eq!(primitive.indices, [0, 1, 2, 4, 5, 3]);
    assert_eq!(primitive.source_vertices, [0, 1, 2, 3, 0, 2]);
    assert_eq!(primitive.positions[5], [0.0, 1.0, 0.0]);
}

#[test]
fn tangents_follow_the_texture_coordinates_of_the_normal_map() {
    // Set 0 is upright, set 1 is turned by a quarter: u along +y.
    let mut file = with_normal_map(FileBuilder::triangle(), &[0.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
    let turned = file.floats("VEC2", &[0.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
    file.attribute("TEXCOORD_1", turned);
    file.json["materials"][0]["normalTexture"]["texCoord"] = json!(1);
    let scene = file.load().unwrap();
    assert_eq!(primitive(&scene).tangents.as_ref().unwrap()[0], [0.0, 1.0, 0.0, 1.0]);
    // KHR_texture_transform overrides the set again.
    file.json["materials"][0]["normalTexture"]["extensions"] = json!({"KHR_texture_transform": {"texCoord": 0}});
    let scene = file.load().unwrap();
    assert_eq!(primitive(&scene).tangents.as_ref().unwrap()[0], [1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn flat_primitives_with_a_normal_map_get_tangents_too() {
    let mut file = square();
    let texcoords = file.floats("VEC2", &[0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    file.attribute("TEXCOORD_0", texcoords);
    add_normal_map(&mut file);
    let scene = file.load().unwrap();
    let primitive = primitive(&scene);
    assert!(primitive.flat && primitive.normals.is_none());
    assert_eq!(primitive.tangents.as_deref(), Some(&[[1.0, 0.0, 0.0, 1.0]; 6][..]));
}

#[test]
fn given_tangents_are_kept_and_their_displacements_too() {
    let mut file = with_normal_map(FileBuilder::triangle(), &[0.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
    let tangents = file.floats("VEC4", &[0.0, 1.0, 0.0, -1.0].repeat(3));
    let displacements = file.floats("VEC3", &[0.5; 9]);
    file.primitive()["targets"] = json!([{"TANGENT": displacements, "NORMAL": displacements}]);
    // Generated tangents have no displacements.
    assert_eq!(primitive(&file.load().unwrap()).targets[0].tangents, None);
    file.attribute("TANGENT", tangents);
    let scene = file.load().unwrap();
    let primitive = primitive(&scene);
    assert_eq!(primitive.tangents.as_deref(), Some(&[[0.0, 1.0, 0.0, -1.0]; 3][..]));
    assert_eq!(primitive.targets[0].tangents.as_deref(), Some(&[[0.5; 3]; 3][..]));
}

/// A fan of `triangles` around the origin with a normal map.
fn fan(triangles: usize) -> FileBuilder {
    let mut file = FileBuilder::new();
    let rim = |index: usize| (index as f32 * 0.001, if index == 0 { 0.0 } else { 1.0 });
    let positions: Vec<f32> = (0..triangles + 2).flat_map(|index| [rim(index).0, rim(index).1, 0.0]).collect();
    let uv: Vec<f32> = (0..triangles + 2).flat_map(|index| [rim(index).0, -rim(index).1]).collect();
    let positions = file.floats("VEC3", &positions);
    file.json["meshes"] = json!([{"primitives": [{"attributes": {"POSITION": positions}, "mode": 6}]}]);
    with_normal_map(file, &uv)
}

/// The generator recurses around a vertex: the limit must keep it within this thread's stack of 2 MiB.
#[test]
fn a_fan_beyond_the_recursion_limit_is_refused() {
    let scene = fan(2048).load().unwrap();
    assert_eq!(primitive(&scene).tangents.as_ref().unwrap().len(), 2050);
    let message = fan(2049).error();
    assert!(message.contains("more than 2048 triangles meet at vertex 0"), "{message}");
}

#[test]
fn colours_get_alpha_one() {
    let mut file = FileBuilder::triangle();
    let colors = file.accessor(5121, "VEC3", 3, &[255, 51, 0, 0, 255, 51, 51, 0, 255]);
    file.json["accessors"][colors]["normalized"] = json!(true);
    file.attribute("COLOR_0", colors);
    let scene = file.load().unwrap();
    assert_eq!(primitive(&scene).colors.as_ref().unwrap()[0], [1.0, 0.2, 0.0, 1.0]);
}

#[test]
fn morph_targets_move_texture_coordinates_and_colours() {
    let mut file = FileBuilder::triangle();
    let uv = file.floats("VEC2", &[0.0; 6]);
    let rgb = file.floats("VEC3", &[0.25; 9]);
    for (name, accessor) in [("TEXCOORD_0", uv), ("TEXCOORD_1", uv), ("COLOR_0", rgb)] {
        file.attribute(name, accessor);
    }
    file.primitive()["targets"] = json!([{"TEXCOORD_1": uv, "COLOR_0": rgb, "_CUSTOM": 0}, {"POSITION": 0}]);
    let scene = file.load().unwrap();
    let targets = &primitive(&scene).targets;
    assert_eq!(targets[0].texcoords, [None, Some(vec![[0.0; 2]; 3])]);
    // A displacement of a colour without alpha leaves alpha alone.
    assert_eq!(targets[0].colors.as_deref(), Some(&[[0.25, 0.25, 0.25, 0.0]; 3][..]));
    assert_eq!(targets[1].positions.as_ref().unwrap()[1], [1.0, 0.0, 0.0]);
    file.primitive()["targets"] = json!([{"TEXCOORD_2": uv}]);
    let message = file.error();
    assert!(message.contains("meshes[0].primitives[0].targets[0].TEXCOORD_2"), "{message}");
    file.primitive()["attributes"].as_object_mut().unwrap().remove("COLOR_0");
    file.primitive()["targets"] = json!([{"COLOR_0": rgb}]);
    assert!(file.error().contains("displaces COLOR_0, which the primitive does not have"), "{}", file.error());
}

#[test]
fn quantised_attributes_need_their_extension() {
    let mut file = FileBuilder::triangle();
    let positions = file.accessor(5122, "VEC3", 3, &[0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0]);
    file.attribute("POSITION", positions);
    assert!(file.error().contains("has the type VEC3 of SHORT, but must be VEC3 of FLOAT"), "{}", file.error());
    file.json["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
    file.json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    let scene = file.load().unwrap();
    assert_eq!(primitive(&scene).positions, [[0.0; 3], [256.0, 0.0, 0.0], [0.0, 512.0, 0.0]]);
}

#[test]
fn indices_of_every_width() {
    for (component, bytes) in
        [(5121, vec![2, 1, 0]), (5123, vec![2, 0, 1, 0, 0, 0]), (5125, vec![2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])]
    {
        let mut file = FileBuilder::triangle();
        let indices = file.accessor(component, "SCALAR", 3, &bytes);
        file.primitive()["indices"] = json!(indices);
        assert_eq!(primitive(&file.load().unwrap()).indices, [2, 1, 0]);
    }
    let mut file = FileBuilder::triangle();
    let indices = file.accessor(5123, "SCALAR", 3, &[0, 0, 0xff, 0xff, 1, 0]);
    file.primitive()["indices"] = json!(indices);
    assert!(file.error().contains("element 1 is 65535, the primitive restart value"), "{}", file.error());
}

#[test]
fn a_primitive_without_positions_draws_nothing() {
    let mut file = FileBuilder::triangle();
    file.primitive()["attributes"] = json!({"NORMAL": 1});
    let scene = file.load().unwrap();
    assert!(primitive(&scene).positions.is_empty() && primitive(&scene).indices.is_empty());
}

#[test]
fn occlusion_is_read_of_primitives_and_targets() {
    let mut file = FileBuilder::triangle();
    let [base, moved] = [[1.0, 0.5, 0.25], [0.0, -0.5, 0.5]].map(|values| file.floats("SCALAR", &values));
    file.primitive()["targets"] = json!([{"_OCCLUSION": moved}]);
    // What nothing is there to be moved by is left out.
    let scene = file.load().unwrap();
    assert_eq!(scene.meshes[0].primitives[0].targets[0].occlusion, None);
    file.attribute("_OCCLUSION", base);
    let scene = file.load().unwrap();
    let primitive = &scene.meshes[0].primitives[0];
    // Without normals every corner is a vertex of its own.
    assert_eq!(primitive.occlusion, Some(vec![1.0, 0.5, 0.25]));
    assert_eq!(primitive.targets[0].occlusion, Some(vec![0.0, -0.5, 0.5]));
    // Somebody else's attribute of that name is none of ours, but must have an element a vertex like any other.
    let other = file.floats("VEC3", &[0.5; 9]);
    file.attribute("_OCCLUSION", other);
    assert_eq!(file.load().unwrap().meshes[0].primitives[0].occlusion, None);
    let short = file.floats("SCALAR", &[0.5; 2]);
    file.attribute("_OCCLUSION", short);
    assert!(file.error().contains("meshes[0].primitives[0].attributes._OCCLUSION"), "{}", file.error());
}
