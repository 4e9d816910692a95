//! Random skins in which every fault has something to show.

use glam::{Mat4, Quat, Vec3};
use refrast::{
    animation::Pose,
    scene::{Influences, Mesh, MorphTarget, Node, Primitive, Scene, Skin, Transform},
};

/// SplitMix64 (Steele, Lea, Flood, *Fast Splittable Pseudorandom Number Generators*, 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Evenly in [low, high).
    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.bits() >> 40) as f32 / (1 << 24) as f32)
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    pub(crate) fn vector(&mut self, reach: f32) -> Vec3 {
        Vec3::from_array([0; 3].map(|_| self.between(-reach, reach)))
    }

    pub(crate) fn unit(&mut self) -> Vec3 {
        loop {
            let vector = self.vector(1.0);
            if vector.length() > 0.1 {
                return vector.normalize();
            }
        }
    }

    /// A rotation of at most about `angle`, for small angles.
    pub(crate) fn rotation(&mut self, angle: f32) -> Quat {
        let axis = self.vector(angle / 2.0);
        Quat::from_xyzw(axis.x, axis.y, axis.z, 1.0).normalize()
    }

    fn transform(&mut self, angle: f32) -> Transform {
        let scale = Vec3::from_array([0; 3].map(|_| self.between(0.5, 2.0)));
        Transform::Decomposed { translation: self.vector(2.0), rotation: self.rotation(angle), scale }
    }
}

/// Joints of a rig; the last one mirrors what follows it once it moves.
pub(crate) const JOINTS: usize = 7;
/// Vertices of its mesh.
pub(crate) const VERTICES: usize = 12;
/// A joint that no palette has; only influences of weight 0 name it.
const NOWHERE: u16 = 200;

/// A scene with one mesh that two nodes draw, each with a skin of its own, at rest and at two moments.
pub(crate) struct Rig {
    pub(crate) scene: Scene,
    /// Where the inverse bind matrices are nearly the inverse.
    pub(crate) rest: Pose,
    pub(crate) before: Pose,
    pub(crate) now: Pose,
    /// The node that is drawn, with skin 0.
    pub(crate) drawing: usize,
}

impl Rig {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let mut scene = Scene::default();
        // Node 0 is an ancestor and no joint, and so is the parent of the third joint.
        scene.nodes.push(Node { transform: random.transform(1.0), ..Node::default() });
        let mut joints = Vec::new();
        for joint in 0..JOINTS {
            let mut parent = if joint == 0 { 0 } else { joints[random.below(joint.min(JOINTS - 2))] };
            if joint == 2 {
                let between = Node { parent: Some(parent), transform: random.transform(1.0), ..Node::default() };
                scene.nodes.push(between);
                parent = scene.nodes.len() - 1;
            }
            scene.nodes.push(Node { parent: Some(parent), transform: random.transform(1.0), ..Node::default() });
            joints.push(scene.nodes.len() - 1);
        }
        let drawing = scene.nodes.len();
        for skin in 0..2 {
            let transform = random.transform(1.0);
            scene.nodes.push(Node { mesh: Some(0), skin: Some(skin), transform, ..Node::default() });
        }
        scene.parents_first = (0..scene.nodes.len()).collect();
        scene.drawn = vec![drawing, drawing + 1];
        scene.meshes = vec![Mesh {
            primitives: vec![primitive(&mut random)],
            weights: vec![random.between(0.1, 1.0), random.between(-1.0, -0.1)],
            ..Mesh::default()
        }];
        let rest = Pose::rest(&scene);
        for _ in 0..2 {
            let off = |joint: &usize, random: &mut Random| {
                let nudge = Mat4::from_rotation_translation(random.rotation(0.3), random.vector(0.2));
                nudge * rest.worlds[*joint].inverse()
            };
            let inverse_bind_matrices = joints.iter().map(|joint| off(joint, &mut random)).collect();
            scene.skins.push(Skin { joints: joints.clone(), inverse_bind_matrices, ..Skin::default() });
            joints[..JOINTS - 1].rotate_left(1);
        }
        let mirrored = drawing - 1;
        let mut moment = || {
            let mut moved = scene.clone();
            for (index, node) in moved.nodes.iter_mut().enumerate() {
                let bent = random.rotation(0.8);
                if let Transform::Decomposed { translation, rotation, scale } = &mut node.transform {
                    *rotation = (*rotation * bent).normalize();
                    *translation += random.vector(0.2);
                    scale.x = if index == mirrored { -scale.x } else { scale.x };
                }
            }
            Pose::rest(&moved)
        };
        let (before, now) = (moment(), moment());
        Self { scene, rest, before, now, drawing }
    }

    pub(crate) fn primitive(&self) -> &Primitive {
        &self.scene.meshes[0].primitives[0]
    }
}

fn primitive(random: &mut Random) -> Primitive {
    let mut influences = Influences { per_vertex: 8, ..Influences::default() };
    for vertex in 0..VERTICES {
        let mut joints = [NOWHERE; 8];
        let mut weights = [0.0f32; 8];
        // Vertex 0 follows the mirrored joint alone, vertex 1 one joint, vertex 2 all eight slots, the others any number.
        let count = [1, 1, 8].get(vertex).copied().unwrap_or_else(|| 2 + random.below(7));
        for slot in 0..count {
            joints[slot] = random.below(JOINTS - 1) as u16;
            weights[slot] = random.between(0.05, 1.0);
        }
        if vertex == 0 {
            joints[0] = JOINTS as u16 - 1;
        }
        // Some weights sum to something else than 1, as a file without scruples has them.
        let sum: f32 = weights.iter().sum::<f32>() * if vertex % 3 == 2 { 1.25 } else { 1.0 };
        weights.iter_mut().for_each(|weight| *weight /= sum);
        influences.joints.extend(joints);
        influences.weights.extend(weights);
    }
    let mut normals = Vec::new();
    let mut tangents = Vec::new();
    for vertex in 0..VERTICES {
        let normal = random.unit();
        let tangent = loop {
            let tangent = random.unit();
            if tangent.cross(normal).length() > 0.3 {
                break tangent;
            }
        };
        normals.push(normal.to_array());
        tangents.push(tangent.extend(if vertex % 2 == 0 { 1.0 } else { -1.0 }).to_array());
    }
    let mut displacements = |reach| Some((0..VERTICES).map(|_| random.vector(reach).to_array()).collect());
    let mut target = || MorphTarget {
        positions: displacements(0.3),
        normals: displacements(0.1),
        tangents: displacements(0.1),
        ..MorphTarget::default()
    };
    let targets = vec![target(), target()];
    Primitive {
        indices: (0..VERTICES as u32).collect(),
        source_vertices: (0..VERTICES as u32).collect(),
        source_vertex_count: VERTICES,
        positions: (0..VERTICES).map(|_| random.vector(1.0).to_array()).collect(),
        normals: Some(normals),
        tangents: Some(tangents),
        influences: Some(influences),
        targets,
        ..Primitive::default()
    }
}
