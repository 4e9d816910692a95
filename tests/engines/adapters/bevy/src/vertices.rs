//! Where vertices are, by the engine's matrices: it moves them on the GPU alone, and this does as its shaders do.

use bevy::{
    gltf::{Gltf, GltfMesh, GltfNode},
    mesh::{
        VertexAttributeValues,
        morph::MorphWeights,
        skinning::{SkinnedMesh, SkinnedMeshInverseBindposes},
    },
    prelude::*,
};

/// Every vertex in the world, in the order of node, primitive and vertex.
pub fn vertices(world: &mut World, gltf: &Gltf) -> Vec<Vec3> {
    let drawn = world.query::<(&Mesh3d, &ChildOf, &GlobalTransform, Option<&SkinnedMesh>)>();
    let nodes = world.resource::<Assets<GltfNode>>();
    let parts = world.resource::<Assets<GltfMesh>>();
    let with_mesh = gltf
        .nodes
        .iter()
        .filter_map(|node| nodes.get(node))
        .filter_map(|node| Some((&node.name, parts.get(node.mesh.as_ref()?)?)));
    let mut rows = Vec::new();
    for (name, primitive) in
        with_mesh.flat_map(|(name, mesh)| mesh.primitives.iter().map(move |primitive| (name, primitive)))
    {
        let is_its = |(mesh, parent, ..): &(&Mesh3d, &ChildOf, &GlobalTransform, Option<&SkinnedMesh>)| {
            mesh.0 == primitive.mesh && world.get::<Name>(parent.parent()).is_some_and(|own| own.as_str() == name)
        };
        let (_, parent, place, skin) = drawn.iter_manual(world).find(is_its).expect("every primitive is drawn");
        let mesh = world.resource::<Assets<Mesh>>().get(&primitive.mesh).expect("it is loaded");
        let mut points: Vec<Vec3> = mesh
            .attribute(Mesh::ATTRIBUTE_POSITION)
            .and_then(|all| all.as_float3())
            .expect("positions")
            .iter()
            .map(|point| Vec3::from_array(*point))
            .collect();
        let weights = world.get::<MorphWeights>(parent.parent()).map_or(&[][..], MorphWeights::weights);
        for (target, weight) in mesh.get_morph_targets().unwrap_or_default().chunks(points.len()).zip(weights) {
            for (point, moved) in points.iter_mut().zip(target) {
                *point += *weight * moved.position;
            }
        }
        let Some(skin) = skin else {
            rows.extend(points.iter().map(|point| place.transform_point(*point)));
            continue;
        };
        let inverse =
            world.resource::<Assets<SkinnedMeshInverseBindposes>>().get(&skin.inverse_bindposes).expect("it is loaded");
        let of = |joint: &Entity| world.get::<GlobalTransform>(*joint).expect("joints are somewhere").to_matrix();
        let matrices: Vec<Mat4> =
            skin.joints.iter().zip(inverse.iter()).map(|(joint, inverse)| of(joint) * *inverse).collect();
        let (Some(VertexAttributeValues::Uint16x4(joints)), Some(VertexAttributeValues::Float32x4(weights))) =
            (mesh.attribute(Mesh::ATTRIBUTE_JOINT_INDEX), mesh.attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT))
        else {
            panic!("a skinned mesh has joints and weights")
        };
        rows.extend(points.iter().zip(joints).zip(weights).map(|((point, joints), weights)| {
            let sum = joints
                .iter()
                .zip(weights)
                .fold(Mat4::ZERO, |sum, (joint, weight)| sum + *weight * matrices[usize::from(*joint)]);
            (sum * point.extend(1.0)).truncate()
        }));
    }
    rows
}

/// Rows of three floats as numpy writes them: the header ends at a multiple of 64 bytes.
pub fn npy(points: &[Vec3]) -> Vec<u8> {
    let words = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, 3)}}", points.len());
    let length = (words.len() + 11).next_multiple_of(64) - 10;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(length).expect("a short header").to_le_bytes());
    bytes.extend(format!("{words:<width$}\n", width = length - 1).bytes());
    bytes.extend(points.iter().flat_map(|point| point.to_array()).flat_map(f32::to_le_bytes));
    bytes
}
