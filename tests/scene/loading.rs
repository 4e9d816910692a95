//! Real models load, and malformed ones end in a message that helps.
//!
//! The models are not part of this repository: the tests look in `../shared/models`, or where the environment variable
//! `REFRAST_MODELS` points, and say so when they find nothing. Expected counts are those that the models' authors
//! publish.

use std::path::{Path, PathBuf};

use refrast::scene::{Scene, SceneSummary, Topology};

/// The path of a model; `None`, with a note, where the folder of models is missing.
fn model(name: &str) -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models");
    let folder = std::env::var_os("REFRAST_MODELS").map_or(default, PathBuf::from);
    if folder.is_dir() {
        return Some(folder.join(name));
    }
    eprintln!("SKIPPED: no models in {} (set REFRAST_MODELS to their folder)", folder.display());
    None
}

/// Loads a model that must load.
fn load(name: &str) -> Option<(Scene, SceneSummary)> {
    let scene = Scene::load(model(name)?).unwrap_or_else(|error| panic!("{error}"));
    check_promises(&scene);
    let summary = scene.summary();
    Some((scene, summary))
}

/// What every loaded scene promises to the rooms above.
fn check_promises(scene: &Scene) {
    for primitive in scene.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        let count = primitive.positions.len();
        assert!(primitive.indices.iter().all(|index| (*index as usize) < count));
        assert!(primitive.source_vertices.iter().all(|source| (*source as usize) < primitive.source_vertex_count));
        assert_eq!(primitive.source_vertices.len(), count);
        assert_eq!(primitive.flat, primitive.normals.is_none() && primitive.topology == Topology::Triangles);
        assert!(primitive.texcoords.iter().all(|set| set.len() == count));
        assert!(primitive.normals.as_ref().is_none_or(|normals| normals.len() == count));
        assert!(primitive.tangents.as_ref().is_none_or(|tangents| tangents.len() == count));
        if let Some(influences) = &primitive.influences {
            assert_eq!(influences.weights.len(), count * influences.per_vertex);
            for weights in influences.weights.chunks(influences.per_vertex) {
                let sum: f64 = weights.iter().map(|weight| f64::from(*weight)).sum();
                assert!((sum - 1.0).abs() <= 2e-7 * weights.len() as f64, "{sum}");
            }
        }
    }
    assert_eq!(scene.parents_first.len(), scene.nodes.len());
    for material in &scene.materials {
        for reference in [material.base_color_texture, material.emissive_texture, material.normal_texture] {
            let Some(reference) = reference else { continue };
            let image = &scene.images[scene.textures[reference.texture].image];
            assert_eq!(image.rgba.len(), 4 * image.width as usize * image.height as usize);
        }
    }
}

/// Names of the animations and their numbers of channels.
fn clips(summary: &SceneSummary) -> Vec<(&str, usize)> {
    summary.animations.iter().map(|clip| (clip.name.as_deref().unwrap_or(""), clip.channels)).collect()
}

#[test]
fn cesium_man() {
    let Some((scene, summary)) = load("CesiumMan/CesiumMan.glb") else { return };
    assert_eq!((summary.vertices, summary.triangles), (3273, 4672));
    assert_eq!(summary.skins[0].joints, 19);
    assert_eq!(summary.animations.len(), 1);
    let image = &summary.images[0];
    assert_eq!((image.width, image.height, image.format.as_str()), (1024, 1024, "JPEG RGB 8 bit"));
    assert_eq!(scene.find_animation("0").unwrap(), 0);
}

#[test]
fn fox_has_no_normals_and_is_flat() {
    let Some((scene, summary)) = load("Fox/Fox.glb") else { return };
    assert!(summary.meshes[0].primitives[0].flat);
    assert_eq!((summary.vertices, summary.triangles), (1728, 576));
    assert_eq!(summary.skins[0].joints, 24);
    let names: Vec<&str> = clips(&summary).iter().map(|clip| clip.0).collect();
    assert_eq!(names, ["Survey", "Walk", "Run"]);
    assert_eq!(scene.find_animation("Run").unwrap(), 2);
    let message = scene.find_animation("Fly").unwrap_err().to_string();
    assert!(message.contains("0 'Survey', 1 'Walk', 2 'Run'"), "{message}");
}

#[test]
fn simple_skin() {
    let Some((scene, summary)) = load("SimpleSkin/SimpleSkin.gltf") else { return };
    assert_eq!((summary.vertices, summary.triangles, summary.skins[0].joints), (10, 8, 2));
    assert_eq!(summary.animations[0].duration, 5.5);
    // The tutorial's second inverse bind matrix moves by (−0.5, −1, 0), whichever way the joints are placed.
    let translation = scene.skins[0].inverse_bind_matrices[1].w_axis;
    assert_eq!((translation.y, translation.w), (-1.0, 1.0));
}

#[test]
fn morph_stress_test() {
    let Some((scene, summary)) = load("MorphStressTest/MorphStressTest.gltf") else { return };
    assert_eq!(summary.meshes[0].morph_targets.len(), 8);
    assert_eq!(clips(&summary), [("Individuals", 1), ("Pulse", 1), ("TheWave", 1)]);
    let primitive = &scene.meshes[0].primitives[1];
    assert_eq!(primitive.texcoords.len(), 2);
    assert!(primitive.targets.iter().all(|target| target.positions.is_some() && target.normals.is_some()));
    assert_eq!(scene.animations[0].channels[0].components, 8);
}

#[test]
fn animated_morph_cube() {
    let Some((scene, _)) = load("AnimatedMorphCube/AnimatedMorphCube.gltf") else { return };
    let primitive = &scene.meshes[0].primitives[0];
    assert_eq!((primitive.source_vertex_count, primitive.targets.len()), (24, 2));
    assert!(primitive.tangents.is_some() && primitive.targets[0].tangents.is_some());
}

#[test]
fn greenman() {
    let Some((_, summary)) = load("Greenman/greenman.glb") else { return };
    assert_eq!(summary.skins[0].joints, 12);
    let clips = clips(&summary);
    assert_eq!(clips.len(), 4);
    assert!(clips.iter().all(|clip| clip.1 == 36));
}

#[test]
fn flight_helmet_keeps_its_authored_tangents() {
    let Some((scene, summary)) = load("FlightHelmet/FlightHelmet.gltf") else { return };
    assert_eq!((summary.vertices, summary.triangles, summary.materials.len()), (55_392, 94_722, 6));
    assert!(summary.materials.iter().all(|material| material.textures.contains(&"normal")));
    for primitive in scene.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        // Authored tangents split no vertex.
        assert_eq!(primitive.positions.len(), primitive.source_vertex_count);
        assert!(primitive.tangents.is_some());
    }
}

#[test]
fn texture_transform_test() {
    let Some((scene, summary)) = load("TextureTransformTest/TextureTransformTest.gltf") else { return };
    assert_eq!(summary.extensions_used, ["KHR_texture_transform"]);
    let transform = |material: usize| scene.materials[material].base_color_texture.unwrap().transform;
    assert_eq!(transform(0).offset, [0.5, 0.0]);
    assert_eq!(transform(1).offset, [0.0, 0.5]);
}

#[test]
fn cameras() {
    let Some((scene, summary)) = load("Cameras/Cameras.gltf") else { return };
    let kinds: Vec<&str> = summary.cameras.iter().map(|camera| camera.projection).collect();
    assert_eq!(kinds, ["perspective", "orthographic"]);
    assert_eq!(scene.placed_cameras().len(), 2);
    assert_eq!(scene.find_camera("1").unwrap().camera, 1);
}

#[test]
fn box_textured_states_its_sampler() {
    let Some((_, summary)) = load("BoxTextured/BoxTextured.gltf") else { return };
    assert_eq!((summary.vertices, summary.triangles), (24, 12));
    assert_eq!(summary.textures[0].filters, "linear, nearest, mip linear");
}

#[test]
fn malformed_files_end_in_an_error_that_helps() {
    for (name, place, reason) in [
        ("badArray.gltf", "meshes[0].primitives", "invalid type: map, expected a sequence"),
        ("badNumber.gltf", "materials[0].normalTexture.scale", "string \"not a number\""),
        ("BoxWithInfinites.glb", "meshes[0].primitives[0].attributes.POSITION", "is not finite (-inf)"),
        (
            "IndexOutOfRange/IndexOutOfRange.gltf",
            "meshes[0].primitives[0].indices",
            "names vertex 255, but there are only 24",
        ),
        ("MissingBin/BoxTextured.gltf", "buffers[0].uri", "BoxTextured0.bin' can not be read"),
        ("nothing.gltf", "", "nothing.gltf: can not be read: "),
    ] {
        let Some(path) = model(&format!("malformed/{name}")) else { return };
        let error = Scene::load(&path).expect_err(name);
        assert!(error.place.starts_with(place), "{error}");
        let message = error.to_string();
        assert!(message.starts_with(&path.display().to_string()), "{message}");
        assert!(message.contains(reason), "{message}");
    }
}

/// Lists of 35 vertices: glTF drops what is left over, so that 11 triangles and 17 lines remain.
#[test]
fn incomplete_lists_lose_their_last_vertices() {
    let Some((_, summary)) = load("malformed/IncorrectVertexArrays/Cube.gltf") else { return };
    let elements: Vec<(&str, usize, usize)> = summary
        .meshes
        .iter()
        .flat_map(|mesh| &mesh.primitives)
        .map(|primitive| (primitive.topology, primitive.vertices, primitive.elements))
        .collect();
    let list = [("triangles", 36, 12), ("triangles", 35, 11), ("lines", 36, 18), ("lines", 35, 17)];
    assert_eq!(elements, [list, list].concat());
}

#[test]
fn summaries_become_json() {
    let Some((_, summary)) = load("Fox/Fox.glb") else { return };
    let json = serde_json::to_value(&summary).unwrap();
    assert_eq!(json["animations"][1]["name"], "Walk");
    assert_eq!(json["meshes"][0]["primitives"][0]["flat"], true);
}
