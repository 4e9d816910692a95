//! The scenes that are built in.

use glam::Vec3;
use refrast_scene::Scene;

#[test]
fn the_stage_is_the_character_with_ground_below_it() {
    let (scene, character) = (Scene::stage().unwrap(), Scene::mannequin().unwrap());
    scene.validate().unwrap();
    assert_eq!(scene.meshes[0].primitives.len(), character.meshes[0].primitives.len());
    for (own, other) in scene.meshes[0].primitives.iter().zip(&character.meshes[0].primitives) {
        assert_eq!((&own.positions, &own.indices, own.material), (&other.positions, &other.indices, other.material));
    }
    let ground = &scene.meshes[1].primitives[0];
    let corner = |index: u32| Vec3::from(ground.positions[index as usize]);
    for &[a, b, c] in ground.indices.as_chunks().0 {
        let across = (corner(b) - corner(a)).cross(corner(c) - corner(a));
        // Front faces are where their normals point to.
        let normals = ground.normals.as_ref().unwrap();
        assert!([a, b, c].iter().all(|&vertex| across.dot(Vec3::from(normals[vertex as usize])) > 0.0));
    }
    assert_eq!(scene.materials[ground.material].name.as_deref(), Some("Ground"));
    assert_eq!(scene.materials.len(), character.materials.len() + 1);
}
