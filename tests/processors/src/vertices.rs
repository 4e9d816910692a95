//! Vertices of the built-in character, by every method and with all normals.

use refrast_animation::Pose;
use refrast_simd::SimdLevel;
use refrast_skinning::{
    Deformation, DeformedVertices, NormalMode, Palette, Placement, PreparedPrimitive, SkinningMethod,
};

use crate::{Job, frames::MANNEQUIN, hash_of_numbers};

pub(crate) fn jobs() -> Vec<(String, Job)> {
    let mut jobs: Vec<(String, Job)> = Vec::new();
    for method in SkinningMethod::ALL {
        for normals in NormalMode::ALL {
            jobs.push((format!("vertices by {method}, normals {normals}"), Box::new(move || skin(method, normals))));
        }
    }
    jobs
}

/// All skinned primitives at a moment of a walk.
fn skin(method: SkinningMethod, normals: NormalMode) -> u64 {
    let scene = &*MANNEQUIN;
    let walk = scene.find_animation("Walk").expect("the built-in character walks");
    let pose = Pose::sample(scene, walk, 0.3).expect("a number");
    let mut numbers = Vec::new();
    for node in scene.drawn.iter().map(|&node| &scene.nodes[node]) {
        let (Some(mesh), Some(skin)) = (node.mesh, node.skin) else { continue };
        let palette = Palette::of_skin(&scene.skins[skin], &pose);
        for primitive in &scene.meshes[mesh].primitives {
            let primitive = PreparedPrimitive::new(primitive);
            let morph_weights = vec![0.3; primitive.target_count()];
            let deformation = Deformation {
                primitive: &primitive,
                placement: Placement::Skin(&palette),
                morph_weights: &morph_weights,
                method,
                normals,
                level: SimdLevel::best(),
            };
            let mut output = DeformedVertices::default();
            deformation.run(&mut output).expect("the palette is the skin's");
            for vertex in 0..output.len() {
                numbers.extend(output.position(vertex));
                numbers.extend(output.normal(vertex).into_iter().flatten());
                numbers.extend(output.tangent(vertex).into_iter().flatten());
            }
        }
    }
    hash_of_numbers(numbers)
}
