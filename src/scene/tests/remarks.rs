//! What breaks a rule of glTF, or is left open by it, and is read all the same: told, and drawn as the remark says.

use glam::Mat4;
use serde_json::json;

use super::file_builder::FileBuilder;
use refrast_scene::{LightKind, RemarkKind, Scene};

/// The kinds of a scene's remarks with their places, and whether everybody is told.
fn remarks(scene: &Scene) -> Vec<(RemarkKind, &str, bool)> {
    scene.source.remarks.iter().map(|remark| (remark.kind, remark.place.as_str(), remark.warns)).collect()
}

/// The only remark of a file.
#[track_caller]
fn only(file: &FileBuilder) -> (RemarkKind, String, bool, String) {
    let scene = file.load().unwrap();
    let [remark] = scene.source.remarks.as_slice() else { panic!("{:?}", scene.source.remarks) };
    (remark.kind, remark.place.clone(), remark.warns, remark.detail.clone())
}

#[test]
fn a_plain_file_has_no_remarks() {
    assert_eq!(remarks(&FileBuilder::triangle().load().unwrap()), []);
}

#[test]
fn rotations_are_told_from_a_thousandth_on() {
    for (rotation, expected) in [
        ([0.0, 0.0, 0.6, 0.8], None),
        // f32 of 1/√2: 3e-8 off.
        ([0.0, 0.0, 0.707_106_77, 0.707_106_77], None),
        // SimpleSkin's: 0.999849.
        ([0.0, 0.0, 0.707, 0.707], Some(false)),
        // 1.0010.
        ([0.0, 0.0, 0.6006, 0.8008], Some(true)),
        ([0.0, 0.0, 0.604, 0.805], Some(true)),
    ] {
        let mut file = FileBuilder::triangle();
        file.json["nodes"][0]["rotation"] = json!(rotation);
        let scene = file.load().unwrap();
        let expected: Vec<_> =
            expected.into_iter().map(|warns| (RemarkKind::RotationNotUnit, "nodes[0].rotation", warns)).collect();
        assert_eq!(remarks(&scene), expected, "{rotation:?}");
    }
    let mut file = FileBuilder::triangle();
    file.json["nodes"][0]["rotation"] = json!([0.0, 0.0, 0.61, 0.81]);
    assert!(file.error().contains("nodes[0].rotation: is no unit quaternion: its length is 1.01"), "{}", file.error());
}

#[test]
fn keys_that_are_no_rotations_are_told_by_the_worst() {
    let mut file = FileBuilder::triangle();
    let times = file.floats("SCALAR", &[0.0, 1.0, 2.0]);
    let values = file.floats("VEC4", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.9]);
    file.json["animations"] = json!([{
        "samplers": [{"input": times, "output": values}],
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}],
    }]);
    let (kind, place, warns, detail) = only(&file);
    assert_eq!((kind, place.as_str(), warns), (RemarkKind::RotationNotUnit, "animations[0].samplers[0].output", true));
    assert_eq!(detail, "the rotation of key 1 has the length 0.000000 instead of 1");
    // Of a cubic spline the tangents, which come before and after each value, are no rotations.
    let (zero, one) = ([0.0; 4], [0.0, 0.0, 0.0, 1.0]);
    let values = file.floats("VEC4", &[zero, one, zero].concat().repeat(3));
    file.json["animations"][0]["samplers"][0] =
        json!({"input": times, "output": values, "interpolation": "CUBICSPLINE"});
    assert_eq!(remarks(&file.load().unwrap()), []);
}

#[test]
fn strides_are_multiples_of_four() {
    for (stride, told) in [(12, false), (0, true), (13, true), (252, false), (256, true)] {
        let mut file = FileBuilder::triangle();
        let bytes: Vec<u8> = (0..3)
            .flat_map(|vertex| {
                let mut bytes = [vertex as f32, 1.0, 2.0].map(f32::to_le_bytes).concat();
                bytes.resize(bytes.len().max(stride), 0);
                bytes
            })
            .collect();
        let positions = file.accessor(5126, "VEC3", 3, &bytes);
        let view = file.json["accessors"][positions]["bufferView"].as_u64().unwrap() as usize;
        file.json["bufferViews"][view]["byteStride"] = json!(stride);
        file.attribute("POSITION", positions);
        let scene = file.load().unwrap();
        let place = format!("bufferViews[{view}].byteStride");
        let expected = [(RemarkKind::StrideNotAllowed, place.as_str(), true)];
        assert_eq!(remarks(&scene), &expected[..usize::from(told)], "{stride}");
        assert_eq!(scene.meshes[0].primitives[0].positions[2], [2.0, 1.0, 2.0], "{stride}");
    }
}

#[test]
fn floats_have_no_normalised_form() {
    let mut file = FileBuilder::triangle();
    file.json["accessors"][0]["normalized"] = json!(true);
    let (kind, place, warns, _) = only(&file);
    assert_eq!((kind, place.as_str(), warns), (RemarkKind::NormalizedFloat, "accessors[0].normalized", true));
}

/// A triangle under a skin with these joints of four nodes, 1 → 2 and 3, and these weights for each vertex.
fn skinned(weights: [f32; 4], joints: serde_json::Value) -> FileBuilder {
    let mut file = FileBuilder::triangle();
    let indices = file.accessor(5121, "VEC4", 3, &[0, 1, 0, 0].repeat(3));
    let weights = file.floats("VEC4", &weights.repeat(3));
    file.attribute("JOINTS_0", indices);
    file.attribute("WEIGHTS_0", weights);
    file.json["nodes"] = json!([{"mesh": 0, "skin": 0}, {"children": [2]}, {}, {}]);
    file.json["skins"] = json!([{"joints": joints}]);
    file
}

#[test]
fn weights_that_are_no_shares_are_told() {
    let place = "meshes[0].primitives[0].attributes.WEIGHTS_0";
    for (weights, expected) in [
        ([0.5, 0.5, 0.0, 0.0], None),
        // 51 and 204 of 255 in f32: within the tolerance.
        ([0.2, 0.8, 0.0, 0.0], None),
        ([0.5, 0.4999, 0.0, 0.0], Some((RemarkKind::WeightsOffOne, false))),
        ([0.25, 0.25, 0.0, 0.0], Some((RemarkKind::WeightsOffOne, true))),
        ([0.0; 4], Some((RemarkKind::WeightsAllZero, true))),
    ] {
        let scene = skinned(weights, json!([1, 2])).load().unwrap();
        let expected: Vec<_> = expected.into_iter().map(|(kind, warns)| (kind, place, warns)).collect();
        assert_eq!(remarks(&scene), expected, "{weights:?}");
    }
    let detail = only(&skinned([0.25, 0.25, 0.0, 0.0], json!([1, 2]))).3;
    assert!(detail.starts_with("3 vertices have weights that do not sum to 1, vertex 0 most (0.500000)"), "{detail}");
}

#[test]
fn joints_hang_together_and_are_in_the_scene() {
    let mut file = skinned([0.5, 0.5, 0.0, 0.0], json!([1, 3]));
    let (kind, place, warns, detail) = only(&file);
    assert_eq!((kind, place.as_str(), warns), (RemarkKind::JointsWithoutCommonRoot, "skins[0].joints", true));
    assert!(detail.contains("both node 1 and node 3"), "{detail}");
    file.json["skins"][0]["joints"] = json!([1, 2]);
    file.json["scenes"] = json!([{"nodes": [0]}]);
    let (kind, place, warns, detail) = only(&file);
    assert_eq!((kind, place.as_str(), warns), (RemarkKind::JointsOutsideScene, "skins[0].joints", true));
    assert!(detail.starts_with("2 of 2 joints are not in the scene, node 1 for one"), "{detail}");
    // A skin that nothing drawn wears is nobody's concern.
    file.json["scenes"] = json!([{"nodes": [3]}]);
    assert_eq!(remarks(&file.load().unwrap()), []);
}

#[test]
fn the_last_row_of_a_matrix_is_rounding_or_a_mistake() {
    let mut matrix = Mat4::from_translation(glam::vec3(1.0, 2.0, 3.0)).to_cols_array();
    let mut file = skinned([0.5, 0.5, 0.0, 0.0], json!([1, 2]));
    let write = |file: &mut FileBuilder, matrix: [f32; 16]| {
        let accessor = file.floats("MAT4", &[Mat4::IDENTITY.to_cols_array(), matrix].concat());
        file.json["skins"][0]["inverseBindMatrices"] = json!(accessor);
        file.json["nodes"][3]["matrix"] = json!(matrix);
    };
    // What is left of an inverse in f32.
    (matrix[3], matrix[15]) = (1e-9, 0.999_999_94);
    write(&mut file, matrix);
    let scene = file.load().unwrap();
    let kinds: Vec<_> = remarks(&scene).into_iter().map(|(kind, _, warns)| (kind, warns)).collect();
    assert_eq!(kinds, [(RemarkKind::MatrixLastRow, true); 2]);
    assert!(
        scene.source.remarks.iter().any(|remark| remark.detail.starts_with("the matrix of joint 1 has the last row"))
    );
    assert_eq!(scene.skins[0].inverse_bind_matrices[1], Mat4::from_translation(glam::vec3(1.0, 2.0, 3.0)));
    // Written by rows.
    let transposed = Mat4::from_translation(glam::vec3(1.0, 2.0, 3.0)).transpose().to_cols_array();
    write(&mut file, transposed);
    let message = file.error();
    assert!(message.contains("the matrix of joint 1 has the last row 1, 2, 3, 1 instead of 0, 0, 0, 1"), "{message}");
    file.json["skins"][0].as_object_mut().unwrap().remove("inverseBindMatrices");
    assert!(file.error().contains("nodes[3].matrix: it has the last row 1, 2, 3, 1"), "{}", file.error());
}

#[test]
fn displacements_without_a_base_are_ignored() {
    let mut file = FileBuilder::triangle();
    file.primitive()["attributes"].as_object_mut().unwrap().remove("NORMAL");
    file.primitive()["targets"] = json!([{"POSITION": 0, "NORMAL": 1, "TANGENT": 1}]);
    let scene = file.load().unwrap();
    let place = |name: &str| format!("meshes[0].primitives[0].targets[0].{name}");
    let kind = RemarkKind::MorphWithoutBase;
    assert_eq!(remarks(&scene), [(kind, place("NORMAL").as_str(), true), (kind, place("TANGENT").as_str(), true)]);
    let target = &scene.meshes[0].primitives[0].targets[0];
    assert!(target.positions.is_some() && target.normals.is_none() && target.tangents.is_none());
}

#[test]
fn lights_of_unknown_types_are_left_out() {
    let mut file = FileBuilder::triangle();
    let lights = json!([{"type": "area"}, {"type": "point"}]);
    file.json["extensions"] = json!({"KHR_lights_punctual": {"lights": lights}});
    let light = |index: usize| json!({"extensions": {"KHR_lights_punctual": {"light": index}}});
    file.json["nodes"] = json!([light(0), light(1)]);
    let scene = file.load().unwrap();
    assert_eq!((scene.nodes[0].light, scene.nodes[1].light), (None, Some(0)));
    assert!(matches!(scene.lights.as_slice(), [light] if light.kind == LightKind::Point));
    let (kind, place, warns, detail) = only(&file);
    let expected = "extensions.KHR_lights_punctual.lights[0].type";
    assert_eq!((kind, place.as_str(), warns), (RemarkKind::LightTypeUnknown, expected, true));
    assert!(detail.starts_with("is \"area\""), "{detail}");
    file.json["nodes"][1] = light(2);
    assert!(file.error().contains("names light 2, but there are only 2"), "{}", file.error());
}

/// A 1 × 1 PNG of this grey.
fn png(grey: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 1, 1);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(&[grey]).unwrap();
    bytes
}

/// A textured triangle with these images and this texture.
fn textured(images: &[&[u8]], texture: serde_json::Value) -> FileBuilder {
    let mut file = FileBuilder::triangle();
    file.draw_images(1);
    let images = images.iter().map(|bytes| json!({"bufferView": file.view(bytes)})).collect();
    file.json["images"] = images;
    file.json["textures"] = json!([texture]);
    file
}

#[test]
fn nothing_is_asked_of_images_that_nothing_draws() {
    let ktx = b"\xabKTX 20\xbb\r\n\x1a\nand so on";
    let mut file = textured(&[&png(7), ktx, b"nothing"], json!({"source": 0, "sampler": 0}));
    file.json["images"].as_array_mut().unwrap().push(json!({"uri": "absent.png"}));
    let scene = file.load().unwrap();
    assert_eq!(scene.images[0].rgba, [7, 7, 7, 255]);
    assert!(scene.images[1..].iter().all(|image| image.rgba.is_empty()));
    assert_eq!(scene.source.image_formats, ["PNG Grayscale 8 bit", "", "", ""]);
    assert_eq!(remarks(&scene), []);
    file.json["textures"][0]["source"] = json!(1);
    let reason = if cfg!(feature = "basisu") { "its header is cut off" } else { "it is a KTX2 texture" };
    let expected = format!("images[1] (bufferViews[4]): the image can not be decoded: {reason}");
    assert!(file.error().contains(&expected), "{}", file.error());
}

#[test]
fn a_png_beside_an_image_that_is_not_read_is_drawn() {
    let extension = |name: &str| json!({"sampler": 0, "source": 1, "extensions": {(name): {"source": 0}}});
    let not_read: &[&str] =
        if cfg!(feature = "basisu") { &["MSFT_texture_dds"] } else { &["KHR_texture_basisu", "MSFT_texture_dds"] };
    for name in not_read {
        let mut file = textured(&[b"whatever", &png(9)], extension(name));
        let scene = file.load().unwrap();
        assert_eq!(scene.images[scene.textures[0].image].rgba, [9, 9, 9, 255]);
        let kinds: Vec<_> = remarks(&scene).into_iter().map(|(kind, _, warns)| (kind, warns)).collect();
        assert_eq!(kinds, [(RemarkKind::TextureWithTwoImages, false), (RemarkKind::ExtensionIgnored, false)]);
        file.json["textures"][0].as_object_mut().unwrap().remove("source");
        let message = file.error();
        assert!(message.contains(&format!("textures[0]: its data is only there in the form of the extension {name}")));
    }
    // WebP is read, so the extension's own image is drawn.
    let file = textured(&[&png(1), &png(9)], extension("EXT_texture_webp"));
    let scene = file.load().unwrap();
    assert_eq!((scene.textures[0].image, scene.images[0].rgba.as_slice()), (0, &[1, 1, 1, 255][..]));
    assert_eq!(remarks(&scene), [(RemarkKind::TextureWithTwoImages, "textures[0]", false)]);
}

#[test]
fn a_texture_without_an_image_is_none() {
    let mut file = textured(&[&png(7)], json!({"sampler": 0}));
    file.json["materials"][0]["normalTexture"] = json!({"index": 0});
    let scene = file.load().unwrap();
    assert_eq!(remarks(&scene), [(RemarkKind::TextureWithoutImage, "textures[0]", true)]);
    assert_eq!((scene.materials[0].base_color_texture, scene.materials[0].normal_texture), (None, None));
    assert_eq!(scene.validate(), Ok(()));
    // Nor does one that nothing uses make the scene contradict itself.
    file.json["materials"] = json!([]);
    file.primitive().as_object_mut().unwrap().remove("material");
    let scene = file.load().unwrap();
    assert_eq!((remarks(&scene), scene.validate()), (Vec::new(), Ok(())));
}

#[test]
fn colours_outside_of_their_range_are_told() {
    for (red, told) in [(1.0, false), (0.0, false), (1.5, true), (-0.1, true)] {
        let mut file = FileBuilder::triangle();
        let colors = file.floats("VEC3", &[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, red, 0.5, 0.5]);
        file.attribute("COLOR_0", colors);
        let place = "meshes[0].primitives[0].attributes.COLOR_0";
        let expected = [(RemarkKind::ColorsOutside, place, true)];
        assert_eq!(remarks(&file.load().unwrap()), &expected[..usize::from(told)], "{red}");
    }
}

#[test]
fn what_renderers_choose_is_noted() {
    let mut file = textured(&[&png(7)], json!({"source": 0}));
    file.json["materials"][0]["extensions"] = json!({"KHR_xmp_json_ld": {}});
    let scene = file.load().unwrap();
    let expected = [
        (RemarkKind::SamplerUnspecified, "textures[0].sampler", false),
        (RemarkKind::ExtensionIgnored, "materials[0].extensions.KHR_xmp_json_ld", false),
    ];
    assert_eq!(remarks(&scene), expected);
    file.json["materials"][0] = json!({"normalTexture": {"index": 0}});
    file.json["textures"][0]["sampler"] = json!(0);
    let tangents = "meshes[0].primitives[0].attributes.TANGENT";
    assert_eq!(remarks(&file.load().unwrap()), [(RemarkKind::TangentsMissing, tangents, false)]);
}

#[test]
fn an_extension_that_would_be_seen_is_a_warning_or_where_the_file_is_read_strictly_an_error() {
    let mut file = FileBuilder::triangle();
    let off = json!({"extensions": {"KHR_materials_iridescence": {}, "KHR_materials_transmission": {"transmissionFactor": 0.0}}});
    let on = json!({"extensions": {"KHR_materials_iridescence": {"iridescenceFactor": 0.5}, "KHR_xmp_json_ld": {}}});
    file.json["materials"] = json!([off]);
    let kinds = |file: &FileBuilder| {
        let scene = file.load().unwrap();
        remarks(&scene).into_iter().map(|(kind, place, warns)| (kind, place.to_owned(), warns)).collect::<Vec<_>>()
    };
    // What is turned off changes nothing.
    assert!(kinds(&file).iter().all(|(kind, _, warns)| *kind == RemarkKind::ExtensionIgnored && !warns));
    assert!(file.load_strictly().is_ok());
    file.json["materials"] = json!([off, on]);
    file.json["nodes"][0]["extensions"] = json!({"EXT_mesh_gpu_instancing": {}});
    let warned: Vec<String> =
        kinds(&file).into_iter().filter(|(.., warns)| *warns).map(|(_, place, _)| place).collect();
    assert_eq!(
        warned,
        ["nodes[0].extensions.EXT_mesh_gpu_instancing", "materials[1].extensions.KHR_materials_iridescence"]
    );
    let message = file.load_strictly().unwrap_err().to_string();
    assert!(
        message.contains("nodes[0].extensions.EXT_mesh_gpu_instancing") && message.contains("--strict"),
        "{message}"
    );
}

#[test]
fn one_kind_of_remark_is_made_once_of_a_place() {
    let mut file = FileBuilder::triangle();
    file.json["accessors"][0]["normalized"] = json!(true);
    let primitive = file.primitive().clone();
    file.json["meshes"][0]["primitives"] = json!(vec![primitive; 20]);
    assert_eq!(remarks(&file.load().unwrap()).len(), 1);
}
