//! Random characters for property tests: a palette, and a primitive that follows it.

use glam::{Mat4, Quat, Vec3};
use refrast::{
    animation::Pose,
    scene::{Influences, MorphTarget, Primitive, Skin},
    skinning::Palette,
};

/// What kind of joints there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joints {
    /// They turn and move.
    Rigid,
    /// They stretch as well, differently along each axis.
    Stretched,
    /// They stretch, and all of them mirror.
    Mirrored,
}

/// A skin in a pose, with a primitive.
#[derive(Clone, Debug)]
pub(crate) struct Rig {
    pub(crate) worlds: Vec<Mat4>,
    pub(crate) inverse_binds: Vec<Mat4>,
    pub(crate) palette: Palette,
    pub(crate) primitive: Primitive,
    pub(crate) morph_weights: Vec<f32>,
}

/// A small generator of numbers, so that a failure is repeated by its seed alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// splitmix64.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// In [low, high).
    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.bits() >> 40) as f32 / 16_777_216.0)
    }

    pub(crate) fn vector(&mut self, size: f32) -> [f32; 3] {
        std::array::from_fn(|_| self.between(-size, size))
    }

    pub(crate) fn direction(&mut self) -> [f32; 3] {
        loop {
            let v = Vec3::from(self.vector(1.0));
            if v.length() > 0.1 {
                return v.normalize().to_array();
            }
        }
    }

    pub(crate) fn rotation(&mut self) -> Quat {
        let [x, y, z] = self.direction();
        Quat::from_xyzw(x, y, z, self.between(-1.0, 1.0)).normalize()
    }
}

impl Rig {
    pub(crate) fn new(seed: u64, joints: Joints, vertices: usize, per_vertex: usize) -> Self {
        let mut random = Random(seed);
        let count = 1 + random.below(20);
        let matrix = |random: &mut Random, low: f32, high: f32, mirror: bool| {
            let mut scale = [1.0; 3].map(|one| if low < high { random.between(low, high) } else { one });
            if mirror {
                scale[0] = -scale[0];
            }
            Mat4::from_scale_rotation_translation(scale.into(), random.rotation(), random.vector(4.0).into())
        };
        let (low, high) = if joints == Joints::Rigid { (1.0, 1.0) } else { (0.5, 2.0) };
        let mirror = joints == Joints::Mirrored;
        let worlds: Vec<Mat4> = (0..count).map(|_| matrix(&mut random, low, high, mirror)).collect();
        let inverse_binds: Vec<Mat4> = (0..count).map(|_| matrix(&mut random, low, high, false)).collect();
        let mut influences = Influences { per_vertex, ..Influences::default() };
        for _ in 0..vertices {
            // From one to all of them have a weight.
            let used = 1 + random.below(per_vertex);
            let raw: Vec<f32> =
                (0..per_vertex).map(|rank| if rank < used { random.between(0.05, 1.0) } else { 0.0 }).collect();
            let sum: f32 = raw.iter().sum();
            influences.weights.extend(raw.iter().map(|weight| weight / sum));
            influences.joints.extend((0..per_vertex).map(|_| random.below(count) as u16));
        }
        let targets = random.below(3);
        let primitive = Primitive {
            positions: (0..vertices).map(|_| random.vector(2.0)).collect(),
            normals: Some((0..vertices).map(|_| random.direction()).collect()),
            tangents: Some(
                (0..vertices)
                    .map(|_| {
                        let [x, y, z] = random.direction();
                        [x, y, z, if random.below(2) == 0 { 1.0 } else { -1.0 }]
                    })
                    .collect(),
            ),
            influences: Some(influences),
            targets: (0..targets)
                .map(|_| MorphTarget {
                    positions: Some((0..vertices).map(|_| random.vector(0.5)).collect()),
                    normals: Some((0..vertices).map(|_| random.vector(0.3)).collect()),
                    tangents: None,
                    ..MorphTarget::default()
                })
                .collect(),
            ..Primitive::default()
        };
        let morph_weights = (0..targets).map(|_| random.between(-1.0, 1.0)).collect();
        let mut rig = Self { palette: Palette::default(), worlds, inverse_binds, primitive, morph_weights };
        rig.set_palette();
        rig
    }

    /// Makes the palette of the matrices anew.
    pub(crate) fn set_palette(&mut self) {
        let Self { worlds, inverse_binds, .. } = self;
        let inverse_bind_matrices = inverse_binds.clone();
        let skin = Skin { joints: (0..worlds.len()).collect(), inverse_bind_matrices, ..Skin::default() };
        let mut pose = Pose::default();
        pose.worlds.clone_from(worlds);
        self.palette = Palette::of_skin(&skin, &pose);
    }
}
