//! Materials, textures, samplers, cameras and lights.

use serde_json::json;

use super::file_builder::FileBuilder;
use refrast_scene::{
    AlphaMode, Filter, LightKind, Material, Projection, Remark, RemarkKind, Sampler, TextureTransform, Wrap,
};

/// A file with one image of one red texel and texture 0 over it.
fn textured() -> FileBuilder {
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, 1, 1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&[255, 0, 0]).unwrap();
    let mut file = FileBuilder::triangle();
    let view = file.view(&png);
    file.json["images"] = json!([{"name": "red", "bufferView": view}]);
    file.json["textures"] = json!([{"source": 0}]);
    file
}

#[test]
fn wrap_default_clamp() {
    let mut file = textured();
    let repeat = (Wrap::Repeat, Wrap::Repeat);
    let scene = file.load().unwrap();
    assert_eq!((scene.textures[0].sampler.wrap_u, scene.textures[0].sampler.wrap_v), repeat);
    // A sampler that says nothing means the same.
    file.json["samplers"] = json!([{}]);
    file.json["textures"][0]["sampler"] = json!(0);
    let sampler = file.load().unwrap().textures[0].sampler;
    assert_eq!((sampler.wrap_u, sampler.wrap_v), repeat);
    assert_eq!(sampler, Sampler::default());
}

#[test]
fn sampler_states_are_read() {
    let mut file = textured();
    file.json["textures"][0]["sampler"] = json!(0);
    // The numbers are OpenGL's, as section 5.26 lists them.
    for (min_filter, minification, mip) in [
        (9728, Filter::Nearest, None),
        (9729, Filter::Linear, None),
        (9984, Filter::Nearest, Some(Filter::Nearest)),
        (9985, Filter::Linear, Some(Filter::Nearest)),
        (9986, Filter::Nearest, Some(Filter::Linear)),
        (9987, Filter::Linear, Some(Filter::Linear)),
    ] {
        file.json["samplers"] = json!([{"magFilter": 9728, "minFilter": min_filter, "wrapS": 33071, "wrapT": 33648}]);
        let expected = Sampler {
            magnification: Filter::Nearest,
            minification,
            mip,
            wrap_u: Wrap::ClampToEdge,
            wrap_v: Wrap::MirroredRepeat,
        };
        assert_eq!(file.load().unwrap().textures[0].sampler, expected);
    }
    file.json["samplers"] = json!([{"wrapS": 1}]);
    assert!(file.error().contains("samplers[0].wrapS: is none of the values"), "{}", file.error());
}

#[test]
fn images_are_found_and_named() {
    let mut file = textured();
    file.draw_images(1);
    let scene = file.load().unwrap();
    assert_eq!(
        (scene.images[0].name.as_deref(), scene.images[0].rgba.as_slice()),
        (Some("red"), &[255, 0, 0, 255][..])
    );
    assert_eq!(scene.source.image_formats, ["PNG Rgb 8 bit"]);
    file.json["images"][0]["bufferView"] = json!(0);
    let message = file.error();
    assert!(
        message.contains("images[0] 'red' (bufferViews[0]): the image can not be decoded: it is no PNG"),
        "{message}"
    );
}

#[test]
fn materials_have_the_defaults_of_the_specification() {
    let mut file = textured();
    file.json["materials"] = json!([{}]);
    let scene = file.load().unwrap();
    assert_eq!(scene.materials.len(), 2);
    // No material means the last one.
    assert_eq!(scene.meshes[0].primitives[0].material, 1);
    for material in &scene.materials {
        assert_eq!(material.base_color_factor, [1.0; 4]);
        assert_eq!((material.emissive_factor, material.alpha_mode), ([0.0; 3], AlphaMode::Opaque));
        assert!(!material.double_sided && !material.unlit && material.base_color_texture.is_none());
    }
}

#[test]
fn materials_are_read_with_their_extensions() {
    let mut file = textured();
    let transform =
        json!({"KHR_texture_transform": {"offset": [0.5, 0.25], "rotation": 1.5, "scale": [2, 3], "texCoord": 1}});
    let texture = json!({"index": 0, "texCoord": 7, "extensions": transform});
    file.json["materials"] = json!([{
        "name": "skin",
        "pbrMetallicRoughness": {"baseColorFactor": [0.1, 0.2, 0.3, 0.4], "baseColorTexture": texture},
        "normalTexture": {"index": 0, "scale": 0.5, "extensions": transform},
        "emissiveTexture": {"index": 0},
        "emissiveFactor": [0.5, 0.25, 1.0],
        "alphaMode": "MASK",
        "doubleSided": true,
        "extensions": {"KHR_materials_unlit": {}, "KHR_materials_emissive_strength": {"emissiveStrength": 4.0}},
    }]);
    let scene = file.load().unwrap();
    let material: &Material = &scene.materials[0];
    let expected = TextureTransform { offset: [0.5, 0.25], rotation: 1.5, scale: [2.0, 3.0] };
    for reference in [material.base_color_texture.unwrap(), material.normal_texture.unwrap()] {
        assert_eq!((reference.texture, reference.texcoord, reference.transform), (0, 1, expected));
    }
    let emissive = material.emissive_texture.unwrap();
    assert_eq!((emissive.texcoord, emissive.transform), (0, TextureTransform::default()));
    assert_eq!((material.base_color_factor, material.normal_scale), ([0.1, 0.2, 0.3, 0.4], 0.5));
    assert_eq!(material.emissive_factor, [2.0, 1.0, 4.0]);
    assert_eq!(material.alpha_mode, AlphaMode::Mask { cutoff: 0.5 });
    assert!(material.double_sided && material.unlit);
}

#[test]
fn a_clear_coat_is_read_where_it_is_there() {
    let mut file = textured();
    let texcoords = file.floats("VEC2", &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    file.attribute("TEXCOORD_0", texcoords);
    let mut coat = json!({
        "clearcoatFactor": 0.5,
        "clearcoatTexture": {"index": 0},
        "clearcoatRoughnessFactor": 0.25,
        "clearcoatNormalTexture": {"index": 0, "scale": 2.0,
            "extensions": {"KHR_texture_transform": {"offset": [0.5, 0.0]}}},
    });
    file.json["materials"] = json!([{"extensions": {"KHR_materials_clearcoat": coat}}]);
    let scene = file.load().unwrap();
    let own = scene.materials[0].clearcoat.unwrap();
    assert_eq!((own.factor, own.roughness_factor, own.normal_scale), (0.5, 0.25, 2.0));
    assert!(own.texture.is_some() && own.roughness_texture.is_none());
    assert_eq!(own.normal_texture.map(|normal| normal.transform.offset), Some([0.5, 0.0]));
    // Tangents are made for it, as for any normal map.
    file.primitive()["material"] = json!(0);
    assert!(file.load().unwrap().meshes[0].primitives[0].tangents.is_some());
    coat["clearcoatFactor"] = json!(1.5);
    file.json["materials"][0]["extensions"]["KHR_materials_clearcoat"] = coat;
    let message = file.error();
    assert!(message.contains("materials[0].extensions.KHR_materials_clearcoat.clearcoatFactor"), "{message}");
    file.json["materials"] = json!([{"extensions": {"KHR_materials_clearcoat": {}}}]);
    assert_eq!(file.load().unwrap().materials[0].clearcoat, None);
    file.json["materials"] = json!([{"extensions": {"KHR_materials_clearcoat": {"clearcoatFactor": "much"}}}]);
    let message = file.error();
    assert!(message.contains("KHR_materials_clearcoat.clearcoatFactor"), "{message}");
}

#[test]
fn fibres_are_read_where_they_are_there() {
    let mut file = textured();
    let texcoords = file.floats("VEC2", &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    file.attribute("TEXCOORD_0", texcoords);
    let mut sheen = json!({
        "sheenColorFactor": [0.25, 0.0, 1.0],
        "sheenColorTexture": {"index": 0, "extensions": {"KHR_texture_transform": {"scale": [2.0, 3.0]}}},
        "sheenRoughnessFactor": 0.5,
        "sheenRoughnessTexture": {"index": 0},
    });
    file.json["materials"] = json!([{"extensions": {"KHR_materials_sheen": sheen}}]);
    file.primitive()["material"] = json!(0);
    let own = file.load().unwrap().materials[0].sheen.unwrap();
    assert_eq!((own.color_factor, own.roughness_factor), ([0.25, 0.0, 1.0], 0.5));
    assert_eq!(own.color_texture.map(|texture| texture.transform.scale), Some([2.0, 3.0]));
    assert_eq!(own.roughness_texture.map(|texture| texture.texcoord), Some(0));
    for (name, wrong) in [("sheenColorFactor", json!([0.5, 1.5, 0.0])), ("sheenRoughnessFactor", json!(-0.25))] {
        let right = std::mem::replace(&mut sheen[name], wrong);
        file.json["materials"][0]["extensions"]["KHR_materials_sheen"] = sheen.clone();
        let message = file.error();
        assert!(message.contains(&format!("materials[0].extensions.KHR_materials_sheen.{name}")), "{message}");
        sheen[name] = right;
    }
    // Black fibres are none, whatever else is said.
    sheen["sheenColorFactor"] = json!([0.0, 0.0, 0.0]);
    file.json["materials"][0]["extensions"]["KHR_materials_sheen"] = sheen;
    assert_eq!(file.load().unwrap().materials[0].sheen, None);
}

#[test]
fn anisotropy_is_read_where_it_is_there() {
    let mut file = textured();
    let texcoords = file.floats("VEC2", &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    file.attribute("TEXCOORD_0", texcoords);
    let mut grain = json!({
        "anisotropyStrength": 0.75,
        "anisotropyRotation": -7.5,
        "anisotropyTexture": {"index": 0, "extensions": {"KHR_texture_transform": {"scale": [2.0, 3.0]}}},
    });
    file.json["materials"] = json!([{"extensions": {"KHR_materials_anisotropy": grain}}]);
    file.primitive()["material"] = json!(0);
    let scene = file.load().unwrap();
    let own = scene.materials[0].anisotropy.unwrap();
    assert_eq!((own.strength, own.rotation), (0.75, -7.5));
    assert_eq!(own.texture.map(|texture| texture.transform.scale), Some([2.0, 3.0]));
    // The extension asks for tangents or for a normal map that they are made for, and has neither here.
    assert!(scene.meshes[0].primitives[0].tangents.is_none());
    let missing = |remark: &Remark| remark.kind == RemarkKind::TangentsMissing && remark.warns;
    assert!(scene.source.remarks.iter().any(missing), "{:?}", scene.source.remarks);
    file.json["materials"][0]["normalTexture"] = json!({"index": 0});
    let scene = file.load().unwrap();
    assert!(scene.meshes[0].primitives[0].tangents.is_some());
    assert!(!scene.source.remarks.iter().any(missing), "{:?}", scene.source.remarks);
    grain["anisotropyStrength"] = json!(-0.5);
    file.json["materials"][0]["extensions"]["KHR_materials_anisotropy"] = grain;
    let message = file.error();
    assert!(message.contains("materials[0].extensions.KHR_materials_anisotropy.anisotropyStrength"), "{message}");
    file.json["materials"] = json!([{"extensions": {"KHR_materials_anisotropy": {"anisotropyRotation": 1.0}}}]);
    assert_eq!(file.load().unwrap().materials[0].anisotropy, None);
}

#[test]
fn a_material_must_find_its_texture_coordinates() {
    let mut file = textured();
    file.json["materials"] = json!([{"emissiveTexture": {"index": 0, "texCoord": 1}}]);
    file.primitive()["material"] = json!(0);
    let message = file.error();
    assert!(message.contains("meshes[0].primitives[0].attributes: TEXCOORD_1"), "{message}");
}

#[test]
fn cameras_and_lights_are_read() {
    let mut file = FileBuilder::triangle();
    file.json["cameras"] = json!([
        {"name": "eye", "type": "perspective", "perspective": {"yfov": 0.75, "znear": 0.5}},
        {"type": "orthographic", "orthographic": {"xmag": 2, "ymag": 1, "znear": 0, "zfar": 9}},
    ]);
    file.json["extensions"] = json!({"KHR_lights_punctual": {"lights": [
        {"type": "directional", "intensity": 3},
        {"type": "spot", "color": [1, 0.5, 0], "range": 8, "spot": {"innerConeAngle": 0.25}},
    ]}});
    file.json["nodes"] = json!([{"camera": 1, "extensions": {"KHR_lights_punctual": {"light": 1}}}]);
    let scene = file.load().unwrap();
    let perspective = Projection::Perspective { yfov: 0.75, aspect_ratio: None, znear: 0.5, zfar: None };
    assert_eq!(scene.cameras[0].projection, perspective);
    let orthographic = Projection::Orthographic { xmag: 2.0, ymag: 1.0, znear: 0.0, zfar: 9.0 };
    assert_eq!(scene.cameras[1].projection, orthographic);
    assert_eq!((scene.nodes[0].camera, scene.nodes[0].light), (Some(1), Some(1)));
    let sun = &scene.lights[0];
    assert_eq!((sun.kind, sun.intensity, sun.color, sun.range), (LightKind::Directional, 3.0, [1.0; 3], None));
    let spot = &scene.lights[1];
    let quarter = std::f32::consts::FRAC_PI_4;
    assert_eq!(spot.kind, LightKind::Spot { inner_cone_angle: 0.25, outer_cone_angle: quarter });
    assert_eq!((spot.intensity, spot.color, spot.range), (1.0, [1.0, 0.5, 0.0], Some(8.0)));
}

#[test]
fn impossible_projections_and_lights_are_refused() {
    let mut file = FileBuilder::triangle();
    for (camera, expected) in [
        (json!({"type": "perspective", "perspective": {"yfov": 1, "znear": 0}}), "perspective.znear: is 0"),
        (json!({"type": "perspective", "perspective": {"yfov": 4, "znear": 1}}), "perspective.yfov: is 4"),
        (json!({"type": "perspective", "perspective": {"yfov": 1, "znear": 2, "zfar": 1}}), "perspective.zfar: is 1"),
        (json!({"type": "perspective"}), "the object 'perspective' is missing"),
        (
            json!({"type": "orthographic", "orthographic": {"xmag": 0, "ymag": 1, "znear": 0, "zfar": 9}}),
            "orthographic.xmag: is 0",
        ),
    ] {
        file.json["cameras"] = json!([camera]);
        let message = file.error();
        assert!(message.contains("cameras[0]") && message.contains(expected), "{message}");
    }
    file.json["cameras"] = json!([]);
    let spot = json!({"type": "spot", "spot": {"innerConeAngle": 1, "outerConeAngle": 0.5}});
    file.json["extensions"] = json!({"KHR_lights_punctual": {"lights": [spot]}});
    assert!(file.error().contains("lights[0].spot.innerConeAngle: is 1"), "{}", file.error());
}
