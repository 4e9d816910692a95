//! A limb of forty bones, twice: everything that skinning, animation and morph targets can get wrong.

use glam::{Mat4, Quat, Vec3};

use super::{
    Showcase,
    build::{Builder, moved, node, turn},
    shapes::{bar, flat, grid},
};
use refrast_scene::{
    Animation, Channel, ChannelTarget, Influences, Interpolation, Material, MorphTarget, Node, Primitive, Skin,
};
use refrast_simulator::Moment;
use refrast_skinning::SkinningMethod;

/// More than the 28 bones that one draw of a vertex program holds.
const BONES: usize = 40;
/// Between two bones at rest.
const STEP: f32 = 2.0 / BONES as f32;

pub(super) fn showcases() -> Vec<Showcase> {
    let clip = |seconds| Moment::Clip { animation: 0, seconds };
    let mut posed = limb(true).shot("limb", EYE);
    posed.moment = clip(2.11);
    let mut early = limb(true).shot("limb-before-the-keys", EYE);
    early.moment = clip(0.2);
    let mut late = limb(true).shot("limb-after-the-keys", EYE);
    late.moment = clip(4.4);
    let mut dual = limb(false).shot("limb-dual-quaternion", EYE);
    dual.moment = clip(2.11);
    dual.settings.skinning = SkinningMethod::DualQuaternion;
    vec![posed, early, late, dual, quantised().shot("quantised", [0.0, 0.3, 3.0])]
}

const EYE: [f64; 3] = [0.6, 0.8, 4.2];

/// `mirrored` adds a limb whose bones mirror, which dual quaternions can not follow.
fn limb(mirrored: bool) -> Builder {
    let mut builder = Builder::default();
    let named = |name: &str, node: Node| Node { name: Some(name.to_owned()), ..node };
    let root = node([-0.7, -1.0, 0.0], turn([0.0, 1.0, 0.2], 0.4), [1.3, 0.9, 0.7]);
    let root = builder.node(None, named("root", root));
    let mut chain = Vec::new();
    let mut bones = Vec::new();
    let mut parent = root;
    for bone in 0..BONES {
        // A chain of nodes that are no joints; each carries a joint with a scale and a turn of its own.
        let link = node([0.0, if bone == 0 { 0.0 } else { STEP }, 0.0], turn([0.1, 1.0, 0.1], 0.11), [1.0; 3]);
        let (scale, side) = if bone % 2 == 0 { ([1.25, 1.0, 0.8], 0.25) } else { ([0.9, 1.0, 1.2], -0.25) };
        let joint = node([0.0; 3], turn([1.0, 0.0, 0.5], side), scale);
        // A node above one of the joints has its name.
        let (link, joint) = match bone {
            5 => (named("elbow", link), joint),
            20 => (link, named("elbow", joint)),
            _ => (link, joint),
        };
        parent = builder.node(Some(parent), link);
        chain.push(parent);
        bones.push(builder.node(Some(parent), joint));
    }
    // The skin names its joints from the tip to the root, the file lists them the other way.
    bones.reverse();
    let bind = |bone: usize| Mat4::from_translation(Vec3::new(0.0, -STEP * (BONES - 1 - bone) as f32, 0.0));
    let shifted = |x: f32, mirror: f32| {
        let placed =
            Mat4::from_scale_rotation_translation(Vec3::new(mirror, 1.0, 1.0), Quat::IDENTITY, Vec3::new(x, 0.0, 0.2));
        let inverse_bind_matrices = (0..BONES).map(|bone| placed * bind(bone)).collect();
        Skin { joints: bones.clone(), inverse_bind_matrices, ..Skin::default() }
    };
    builder.scene.skins = vec![shifted(0.0, 1.0), shifted(0.6, 1.0), shifted(1.1, -1.0)];
    let red = Material { base_color_factor: [0.8, 0.3, 0.2, 1.0], ..Material::default() };
    let material = builder.material(red);
    let mesh = builder.mesh(vec![Primitive { material, ..skinned_bar() }]);
    let weights = Some(vec![0.5, 1.3, -0.4, 0.3, 0.5, 0.8, 0.0]);
    let drawn = node([0.2, 0.3, 0.1], turn([0.0, 0.0, 1.0], 0.3), [1.1, 1.0, 1.0]);
    let drawn = |skin| Node { mesh: Some(mesh), skin: Some(skin), weights: weights.clone(), ..drawn.clone() };
    let animated = builder.node(None, drawn(0));
    builder.node(None, drawn(1));
    if mirrored {
        builder.node(None, drawn(2));
        // And one that its own node mirrors.
        let green = Material { base_color_factor: [0.3, 0.7, 0.2, 1.0], ..Material::default() };
        let mut bent = bar(0.25, 1.0, [12, 4]);
        bent.positions.iter_mut().for_each(|[x, y, z]| (*x, *z) = (*x + 0.6 * *y * *y, *z + 0.3 * *y));
        let place = node([1.1, -0.9, 0.3], turn([0.3, 1.0, 0.0], 0.7), [-0.9, 0.6, 0.5]);
        builder.surface(place, bent, green);
    }
    builder.scene.animations = vec![animation(root, &chain, animated)];
    builder
}

/// Six bones a vertex in two sets of four slots, and seven morph targets.
fn skinned_bar() -> Primitive {
    let mut bar = bar(0.18, 2.0 - STEP, [12, 39]);
    let mut influences = Influences { per_vertex: 8, ..Influences::default() };
    for [_, y, _] in &bar.positions {
        let nearest = (y / STEP).round_ties_even() as usize;
        let first = nearest.saturating_sub(3).min(BONES - 6);
        let weight = |bone: usize| 1.0 / (1.0 + bone.abs_diff(nearest) as f32);
        let sum: f32 = (first..first + 6).map(weight).sum();
        for bone in first..first + 6 {
            influences.joints.push((BONES - 1 - bone) as u16);
            influences.weights.push(weight(bone) / sum);
        }
        influences.joints.extend([0; 2]);
        influences.weights.extend([0.0; 2]);
    }
    bar.influences = Some(influences);
    let wave = |phase: f32, size: f32| {
        let moved = |[x, y, z]: &[f32; 3]| {
            let (sine, cosine) = libm::sincosf(3.0 * y + phase);
            [x * sine * size, 0.04 * cosine * size, z * cosine * size]
        };
        let positions: Vec<[f32; 3]> = bar.positions.iter().map(moved).collect();
        let normals = positions.iter().map(|[x, y, z]| [z * 2.0, x + y * 9.0, -x * 2.0]).collect();
        MorphTarget { positions: Some(positions), normals: Some(normals), ..MorphTarget::default() }
    };
    let mut targets: Vec<MorphTarget> = (0..6).map(|target| wave(target as f32, 0.35)).collect();
    // The third one moves the tip alone, as files store sparsely; the last one moves nothing.
    let MorphTarget { positions, normals, .. } = &mut targets[2];
    let sparse = positions.iter_mut().chain(normals).flatten();
    let count = bar.positions.len();
    sparse.enumerate().filter(|(index, _)| index % count < count * 2 / 3).for_each(|(_, moved)| *moved = [0.0; 3]);
    targets.push(MorphTarget { positions: Some(vec![[0.0; 3]; count]), ..MorphTarget::default() });
    bar.targets = targets;
    bar
}

/// Key times whose intervals are neither 1 nor equal.
const TIMES: [f32; 3] = [0.5, 1.7, 3.5];

fn animation(root: usize, chain: &[usize], morphed: usize) -> Animation {
    use ChannelTarget as Target;
    use Interpolation as Between;
    let channel = |node, target, interpolation, values: Vec<f32>| {
        let keys = if interpolation == Between::CubicSpline { 9 } else { 3 };
        Channel { node, target, interpolation, times: TIMES.to_vec(), components: values.len() / keys, values }
    };
    let turned = |angle: f32| turn([0.2, 0.1, 1.0], angle).to_array();
    // The last key is the negative of a quaternion near the one before: the short way negates it.
    let linear = [turned(0.0), turned(0.5), turned(-0.9).map(|x| -x)].concat();
    let cubic = [
        [0.0; 4],
        turned(0.1),
        [0.2, 0.0, 0.5, 0.3],
        [0.4, -0.2, 0.3, 0.2],
        turned(0.3),
        [-0.5, 0.3, 0.9, 0.6],
        [0.7, 0.2, -0.6, -0.8],
        turned(-0.3),
        [0.0; 4],
    ];
    let path = [
        [0.0; 3],
        [-0.7, -1.0, 0.0],
        [0.1, 0.2, 0.0],
        [-0.3, 0.2, 0.1],
        [-0.6, -0.9, 0.1],
        [0.4, 0.3, -0.4],
        [-0.6, -0.2, 0.3],
        [-0.7, -1.0, 0.2],
        [0.0; 3],
    ];
    let held = [[0.0, STEP, 0.0], [0.1, STEP, 0.05], [-0.1, STEP, 0.0]].concat();
    let weights = [
        [0.5, 1.3, -0.4, 0.3, 0.5, 0.8, 0.6],
        [0.7, 1.2, -0.3, 0.5, 0.2, 1.1, 0.4],
        [0.2, 1.0, 0.2, 0.1, 0.9, 0.3, 0.2],
    ];
    Animation {
        name: None,
        channels: vec![
            channel(chain[12], Target::Rotation, Between::Linear, linear),
            channel(chain[20], Target::Rotation, Between::CubicSpline, cubic.concat()),
            channel(root, Target::Translation, Between::CubicSpline, path.concat()),
            channel(chain[26], Target::Translation, Between::Step, held),
            channel(morphed, Target::Weights, Between::Linear, weights.concat()),
        ],
        duration: TIMES[2],
    }
}

/// A relief of normalised bytes without normals, beside one with texture coordinates that are all zero.
fn quantised() -> Builder {
    let mut builder = Builder::default();
    let mut relief = grid([-1.0, -1.0, 0.0], [2.0, 2.0], [[0.0; 2], [1.0; 2]], [6, 6]);
    for position in &mut relief.positions {
        let height = (position[0] * 7.0 + position[1] * 5.0).abs() % 0.5;
        *position = [position[0] * 0.9, position[1] * 0.9, height].map(|x| (x * 127.0).round_ties_even() / 127.0);
    }
    builder.surface(node([0.0; 3], turn([1.0, 1.0, 0.0], 0.5), [1.0; 3]), flat(&relief), Material::default());
    let mut plate = grid([-0.2, -0.9, 0.5], [0.8, 0.5], [[0.0; 2]; 2], [2, 2]);
    plate.targets = vec![];
    let spots =
        builder.texture([4, 4], refrast_scene::Sampler::default(), |x, y| [60 * x as u8, 200, 60 * y as u8, 255]);
    let material = Material { base_color_texture: Some(spots), ..Material::default() };
    builder.surface(moved(0.0, 0.0, 0.3), plate, material);
    builder
}
