//! Files with compressed data, beside the same data uncompressed.
//!
//! `compressed/meshopt.gltf` is a tube that bends, packed by gltfpack 0.18, with what meshoptimizer's JavaScript decoder makes of
//! it as a fallback. `compressed/draco.gltf` is the tube by Draco's own transcoder, with what Draco's JavaScript decoder makes
//! of it as a fallback. So the expected values are those of the extensions' authors.

use serde_json::{Value, json};

use refrast_scene::{Scene, SceneError};

const MESHOPT: &str = include_str!("compressed/meshopt.gltf");
const DRACO: &str = include_str!("compressed/draco.gltf");

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn read(json: &Value) -> Result<Scene, SceneError> {
    Scene::from_bytes(json.to_string().as_bytes(), "tube.gltf")
}

/// The file of meshopt without its fallback.
fn only_meshopt() -> Value {
    let mut json = parsed(MESHOPT);
    json["buffers"][1].as_object_mut().unwrap().remove("uri");
    json["extensionsRequired"] = json!(["KHR_mesh_quantization", "EXT_meshopt_compression"]);
    json
}

/// The file of Draco without its fallback.
fn only_draco() -> Value {
    let mut json = parsed(DRACO);
    let primitive = json["meshes"][0]["primitives"][0].clone();
    let attributes = primitive["attributes"].as_object().unwrap().values();
    for accessor in attributes.chain([&primitive["indices"]]) {
        json["accessors"][accessor.as_u64().unwrap() as usize].as_object_mut().unwrap().remove("bufferView");
    }
    json["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
    json
}

#[test]
fn a_fallback_is_drawn_by_every_build() {
    for text in [MESHOPT, DRACO] {
        let scene = read(&parsed(text)).unwrap();
        assert_eq!(scene.meshes[0].primitives[0].indices.len(), 288);
    }
}

#[test]
fn builds_that_read_an_extension_differ_from_those_that_name_it() {
    for (json, extension, feature, read_here) in [
        (only_meshopt(), "EXT_meshopt_compression", "meshopt", cfg!(feature = "meshopt")),
        (only_draco(), "KHR_draco_mesh_compression", "draco", cfg!(feature = "draco")),
    ] {
        // Required, and only used.
        let mut used = json.clone();
        used.as_object_mut().unwrap().remove("extensionsRequired");
        for json in [json, used] {
            let result = read(&json);
            assert_eq!(result.is_ok(), read_here, "{extension}");
            if let Err(error) = result {
                let message = error.to_string();
                let reason = format!(
                    "{extension}, which this build of refrast does not read; build refrast with --features {feature},"
                );
                assert!(message.contains(&reason), "{message}");
            }
        }
    }
}

#[test]
fn an_accessor_beside_an_extension_with_a_fallback_is_read() {
    let mut file = super::file_builder::FileBuilder::triangle();
    file.primitive()["extensions"] =
        json!({"KHR_draco_mesh_compression": {"bufferView": 1, "attributes": {"POSITION": 0}}});
    assert_eq!(file.load().unwrap().meshes[0].primitives[0].positions[1], [1.0, 0.0, 0.0]);
    // Without any extension no data means zeros.
    let mut file = super::file_builder::FileBuilder::triangle();
    file.json["accessors"][0].as_object_mut().unwrap().remove("bufferView");
    assert_eq!(file.load().unwrap().meshes[0].primitives[0].positions, [[0.0; 3]; 3]);
}

#[cfg(any(feature = "meshopt", feature = "draco"))]
mod decoded {
    use super::*;
    use base64::Engine as _;
    use refrast_scene::LoadOptions;

    /// The largest difference of two lists of the same length.
    #[track_caller]
    pub(super) fn apart(one: &[f32], other: &[f32]) -> f32 {
        assert_eq!(one.len(), other.len());
        one.iter().zip(other).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max)
    }

    /// Everything about a scene's only primitive but its normals, which a filter may round by a step.
    pub(super) fn assert_same(plain: &Scene, decoded: &Scene) {
        let (plain, decoded) = (&plain.meshes[0].primitives[0], &decoded.meshes[0].primitives[0]);
        assert_eq!(plain.indices, decoded.indices);
        assert_eq!(plain.positions, decoded.positions);
        assert_eq!(plain.texcoords, decoded.texcoords);
        let (plain, decoded) = (plain.influences.as_ref().unwrap(), decoded.influences.as_ref().unwrap());
        assert_eq!((&plain.joints, &plain.weights), (&decoded.joints, &decoded.weights));
    }

    pub(super) fn normals(scene: &Scene) -> &[f32] {
        scene.meshes[0].primitives[0].normals.as_ref().unwrap().as_flattened()
    }

    /// Calls `check` with the file, its first buffer damaged in many ways.
    pub(super) fn damage(json: &Value, mut check: impl FnMut(&Value)) {
        let engine = base64::engine::general_purpose::STANDARD;
        let head = "data:application/octet-stream;base64,";
        let bytes = engine.decode(json["buffers"][0]["uri"].as_str().unwrap().strip_prefix(head).unwrap()).unwrap();
        let mut json = json.clone();
        for place in 0..bytes.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[place] ^= change;
                json["buffers"][0]["uri"] = json!(format!("{head}{}", engine.encode(&damaged)));
                check(&json);
            }
        }
    }

    /// As [`read`], with this many bytes of memory.
    fn read_within(json: &Value, memory: u64) -> Result<Scene, SceneError> {
        let options = LoadOptions { memory, ..LoadOptions::default() };
        let bytes = json.to_string();
        Scene::from_bytes_with(bytes.as_bytes(), "tube.gltf", options)
    }

    /// The least memory with which a file is read, to within 1 KiB.
    pub(super) fn least_memory(json: &Value) -> u64 {
        let (mut least, mut most) = (0, 1 << 20);
        while most - least > 1024 {
            let middle = (least + most) / 2;
            *(if read_within(json, middle).is_ok() { &mut most } else { &mut least }) = middle;
        }
        most
    }
}

#[cfg(feature = "meshopt")]
mod meshopt {
    use super::{decoded::*, *};

    #[test]
    fn views_are_what_meshoptimizer_decodes() {
        let (plain, decoded) = (read(&parsed(MESHOPT)).unwrap(), read(&only_meshopt()).unwrap());
        assert_same(&plain, &decoded);
        // One step of eight bits, and of sixteen, by appendix B of the extension.
        assert!(apart(normals(&plain), normals(&decoded)) <= 1.0 / 127.0 + f32::EPSILON);
        let keys = |scene: &Scene| scene.animations[0].channels[0].clone();
        assert_eq!(keys(&plain).times, keys(&decoded).times);
        assert!(apart(&keys(&plain).values, &keys(&decoded).values) <= 1.0 / 32767.0 + f32::EPSILON);
    }

    #[test]
    fn what_the_extension_forbids_is_refused_where_it_stands() {
        for (property, value, expected) in [
            ("mode", json!("ROTATIONS"), "mode: is \"ROTATIONS\""),
            ("filter", json!("SOFT"), "filter: is \"SOFT\""),
            ("filter", json!("QUATERNION"), "byteStride: is 4, which mode and filter do not allow"),
            ("byteStride", json!(6), "byteStride: is 6"),
            ("byteStride", json!(260), "byteStride: is 260"),
            ("byteStride", json!(null), "byteStride: it, as a whole number, is missing"),
            ("count", json!(64), "count: 64 times byteStride 4 is not the view's byteLength 252"),
            ("byteLength", json!(9999), "needs 10315 bytes, but only 1128 are there"),
            ("byteLength", json!(80), "the compressed data is damaged"),
            ("byteOffset", json!(317), "the compressed data does not begin with 0xa0"),
            ("buffer", json!(7), "names buffer 7"),
            ("buffer", json!(1), "buffers[1]: its uri is missing"),
        ] {
            let mut json = only_meshopt();
            json["bufferViews"][1]["extensions"]["EXT_meshopt_compression"][property] = value;
            let message = read(&json).expect_err(expected).to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn sizes_are_counted_before_anything_is_decoded() {
        let mut json = only_meshopt();
        // What 3·10⁹ elements take would not be there.
        let count = 3_000_000_000_u64;
        json["bufferViews"][0]["byteLength"] = json!(8 * count);
        json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"]["count"] = json!(count);
        let message = read(&json).unwrap_err().to_string();
        assert!(
            message.contains("bufferViews[0].extensions.EXT_meshopt_compression: with this the scene needs more"),
            "{message}"
        );
    }

    #[test]
    fn no_damage_is_more_than_an_error() {
        let mut refused = 0;
        damage(&only_meshopt(), |json| refused += usize::from(read(json).is_err()));
        assert!(refused > 100, "{refused}");
    }
}

#[cfg(feature = "draco")]
mod draco {
    use super::{decoded::*, *};

    #[test]
    fn primitives_are_what_draco_decodes() {
        let (plain, decoded) = (read(&parsed(DRACO)).unwrap(), read(&only_draco()).unwrap());
        assert_same(&plain, &decoded);
        assert_eq!(apart(normals(&plain), normals(&decoded)), 0.0);
    }

    #[test]
    fn accessors_must_match_what_is_decoded() {
        let accessor = |json: &Value, name: &str| {
            let primitive = &json["meshes"][0]["primitives"][0];
            let index = if name == "indices" { &primitive["indices"] } else { &primitive["attributes"][name] };
            index.as_u64().unwrap() as usize
        };
        for (name, property, value, expected) in [
            ("POSITION", "count", json!(62), "has 63 compressed vertices, but must have 62"),
            ("POSITION", "count", json!(64), "has 63 compressed vertices, but must have 64"),
            ("indices", "count", json!(285), "the compressed data can not be decoded"),
            ("indices", "count", json!(291), "has 288 compressed indices, but must have 291"),
            ("NORMAL", "type", json!("VEC2"), "has the type 3 components of Float32, but must be 2 of FLOAT"),
            ("JOINTS_0", "componentType", json!(5126), "has the type 4 components of Uint8, but must be 4 of FLOAT"),
        ] {
            let mut json = only_draco();
            let index = accessor(&json, name);
            json["accessors"][index][property] = value;
            let message = read(&json).expect_err(expected).to_string();
            assert!(message.contains(expected), "{message}");
        }
        // Other integers that hold the same numbers are the same numbers.
        let mut json = only_draco();
        for (name, component) in [("JOINTS_0", 5123), ("indices", 5125)] {
            let index = accessor(&json, name);
            json["accessors"][index]["componentType"] = json!(component);
        }
        assert_same(&read(&parsed(DRACO)).unwrap(), &read(&json).unwrap());
    }

    #[test]
    fn what_is_missing_is_named() {
        let extension = "/meshes/0/primitives/0/extensions/KHR_draco_mesh_compression";
        for (place, value, expected) in [
            (format!("{extension}/bufferView"), json!(99), "names bufferView 99"),
            (format!("{extension}/bufferView"), json!(1), "the compressed data can not be decoded"),
            (format!("{extension}/attributes/POSITION"), json!(9), "attribute 9 of the compressed data is missing"),
            ("/meshes/0/primitives/0/mode".to_owned(), json!(5), "mode: is 5, but only lists of triangles"),
        ] {
            let mut json = only_draco();
            *json.pointer_mut(&place).unwrap() = value;
            let message = read(&json).expect_err(expected).to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn sizes_are_counted_before_anything_is_decoded() {
        let mut json = only_draco();
        for accessor in 0..6 {
            json["accessors"][accessor]["count"] = json!(3_000_000_000_u64);
        }
        let message = read(&json).unwrap_err().to_string();
        assert!(message.contains("KHR_draco_mesh_compression: with this the scene needs more"), "{message}");
        assert!(least_memory(&only_draco()) > least_memory(&parsed(DRACO)));
    }

    #[test]
    fn no_damage_is_more_than_an_error() {
        let mut refused = 0;
        damage(&only_draco(), |json| refused += usize::from(read(json).is_err()));
        assert!(refused > 100, "{refused}");
    }
}

/// Files of 8 × 8 pixels by Basis Universal 2.50's encoder, and the pixels that its own transcoder gives.
#[cfg(feature = "basisu")]
mod basisu {
    use super::{super::file_builder::FileBuilder, *};

    const ETC1S: &str = "\
        ab4b5458203230bb0d0a1a0a000000000100000008000000080000000000000000000000010000000100000001000000680000003c00\
        0000a400000024000000c8000000000000009a000000000000006201000000000000040000000000000000000000000000003c000000\
        0000000002003800a301020003030000080800000000000000003f000000000000000000ffffffff40003f0f0000000000000000ffff\
        ffff1f0000004b545877726974657200426173697320556e6976657273616c20322e3530000006000300350000000d00000030000000\
        0000000000000000000000000200000002000000020000001cc0dc000100004018e60542e65e00510200000000202e08400053000600\
        0000419891f269004c00080000000041b1f5b13b98570004aa54ff872a55ff575555550500c14400000000000092eabf420130014000\
        00000002b990005103060000004153a391130800260000000000001040009b102e39";
    const ETC1S_PIXELS: &str = "\
        070700ff070700ff070700ff24241cff9307726593077265b0248f65b0248f6524241cff24241cff24241cff3e3e36ffb0248f65b024\
        8f65ca3ea965ca3ea9653e3e36ff3e3e36ff3e3e36ff5b5b53ffca3ea965ca3ea965ca3ea965e75bc6655b5b53ff5b5b53ff5b5b53ff\
        5b5b53ffe75bc665e75bc665e75bc665e75bc665079372ff079372ff24b08fff24b08fff9393006593930065b0b01465b0b0146524b0\
        8fff24b08fff3ecaa9ff3ecaa9ffb0b01465b0b01465caca2e65caca2e653ecaa9ff3ecaa9ff3ecaa9ff5be7c6ffcaca2e65caca2e65\
        caca2e65e7e74b655be7c6ff5be7c6ff5be7c6ff5be7c6ffe7e74b65e7e74b65e7e74b65e7e74b65";
    const UASTC: &str = "\
        ab4b5458203230bb0d0a1a0a000000000100000008000000080000000000000000000000010000000100000000000000680000002c00\
        0000940000002c00000000000000000000000000000000000000c000000000000000400000000000000040000000000000002c000000\
        0000000002002800a601020003030000100000000000000000007f030000000000000000ffffffff1f0000004b545877726974657200\
        426173697320556e6976657273616c20322e35300000040000007f7f0000d3960224394c0980411226802ad57f00cfa8db0152c18ecd\
        dcc118cd842adf7fd382d3aa76f7184e76b8fde4e4727200cfa6d50152f1a1ccdcf10bcc842ad57f";
    /// The same, with Zstandard over it.
    const UASTC_ZSTANDARD: &str = "\
        ab4b5458203230bb0d0a1a0a000000000100000008000000080000000000000000000000010000000100000002000000680000002c00\
        0000940000002400000000000000000000000000000000000000b800000000000000490000000000000040000000000000002c000000\
        0000000002002800a601020003030000100000000000000000007f030000000000000000ffffffff1f0000004b545877726974657200\
        426173697320556e6976657273616c20322e3530000028b52ffd2040010200d3960224394c0980411226802ad57f00cfa8db0152c18e\
        cddcc118cd842adf7fd382d3aa76f7184e76b8fde4e4727200cfa6d50152f1a1ccdcf10bcc842ad57f";
    const UASTC_PIXELS: &str = "\
        130006ff130006ff5b004eff5b004eff990077669f219366ee00cc66ee00cc6613241dff13241dff5b2436ff5b2436ff9f2193669f21\
        9366ee21b666ee21b666134a36ff134a36ff5b4a1dff5b4a1dffa544b066aa66cc66ee668866ee449e66136e4eff136e4eff5b6e06ff\
        5b6e06ffaa66cc66aa66cc66ee668866ee66886600a484ff24a49bff4aa4b4ff6ea4cbff998800669faf1c66ee885566ee88556600a4\
        84ff24a49bff4aa4b4ff6ea4cbff9faf1c669faf1c66eeaf3966eeaf396600eccbff24ecb4ff4aec9bff6eec84ffa5d83966a5d83966\
        eed81c66eed81c6600eccbff24ecb4ff4aec9bff6eec84ffaaff5566aaff5566eeff0066eeff0066";

    /// Bytes from hexadecimal digits.
    fn bytes(digits: &str) -> Vec<u8> {
        let digit = |byte: &u8| char::from(*byte).to_digit(16).unwrap() as u8;
        digits.as_bytes().as_chunks::<2>().0.iter().map(|[high, low]| digit(high) * 16 + digit(low)).collect()
    }

    /// A triangle with this KTX2 file as its texture.
    fn textured(file: &[u8]) -> FileBuilder {
        let mut builder = FileBuilder::triangle();
        builder.draw_images(1);
        let view = builder.view(file);
        builder.json["images"] = json!([{"bufferView": view, "mimeType": "image/ktx2"}]);
        builder.json["textures"] = json!([{"sampler": 0, "extensions": {"KHR_texture_basisu": {"source": 0}}}]);
        builder.json["extensionsRequired"] = json!(["KHR_texture_basisu"]);
        builder
    }

    #[test]
    fn textures_are_what_basis_universal_transcodes() {
        for (file, pixels, format) in [
            (ETC1S, ETC1S_PIXELS, "KTX2 ETC1S"),
            (UASTC, UASTC_PIXELS, "KTX2 UASTC"),
            (UASTC_ZSTANDARD, UASTC_PIXELS, "KTX2 UASTC"),
        ] {
            let scene = textured(&bytes(file)).load().unwrap();
            let image = &scene.images[0];
            assert_eq!((image.width, image.height, scene.source.image_formats[0].as_str()), (8, 8, format));
            assert_eq!(image.rgba, bytes(pixels), "{format}");
        }
    }

    #[test]
    fn what_is_no_flat_picture_is_refused() {
        for (at, value, expected) in [
            (24, 0, "it is not one flat picture"),
            (28, 2, "it is not one flat picture"),
            (32, 2, "it is not one flat picture"),
            (36, 6, "it is not one flat picture"),
            (48, 0xffff_ffff_u32, "its data format descriptor is cut off"),
            (20, 16_384, "more than the limit"),
            // A level, the codebooks and what a level unpacks to beyond any file.
            (80, u32::MAX, "its level 0 ends beyond the file"),
            (64, u32::MAX, "its global data ends beyond the file"),
            (96, 1 << 30, "its level 0 unpacks to 1073741824 bytes, and has 64"),
        ] {
            let mut file = bytes(UASTC_ZSTANDARD);
            file[at..at + 4].copy_from_slice(&value.to_le_bytes());
            if value == 16_384 {
                file[24..28].copy_from_slice(&value.to_le_bytes());
            }
            let message = textured(&file).error();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn no_damage_is_more_than_an_error() {
        for file in [ETC1S, UASTC, UASTC_ZSTANDARD].map(bytes) {
            for length in 0..file.len() {
                assert!(textured(&file[..length]).load().is_err(), "cut at {length}");
            }
            for (place, change) in (0..file.len()).flat_map(|place| [(place, 1), (place, 0x80), (place, 0xff)]) {
                let mut damaged = file.clone();
                damaged[place] ^= change;
                let _ = textured(&damaged).load();
            }
        }
    }
}
