//! The boxes hold what the reference computes and what conformant backends may, and little more.

mod backend;
mod jpeg;
mod physical;
mod situation;
mod tightness;

use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};

use self::{
    backend::backends,
    situation::{Situation, situations},
};
use super::{ColorBoxes, ColorModel, MaterialInputs, VertexVaryings};
use crate::Fragment;
use refrast_draw::{BlockShader, FragmentBlock, LANES, VertexStream};
use refrast_range::{Freedoms, Profile, ScaleFactor};
use refrast_scene::AlphaMode;
use refrast_shading::{MaterialShader, ShadingMode};
use refrast_simd::SimdLevel;

/// Whether one of the boxes holds a colour.
fn hold(boxes: &ColorBoxes, color: [f64; 4]) -> bool {
    boxes.as_slice().iter().any(|one| one.channels.iter().zip(color).all(|(channel, value)| channel.contains(value)))
}

fn boxes(situation: &Situation, profile: Profile) -> ColorBoxes {
    let freedoms = profile.freedoms().expect("not exact");
    let (varyings, fragment) = (VertexVaryings::exact(&situation.stream), &situation.fragment);
    let model = ColorModel::material(&situation.inputs(), freedoms);
    let boxes = model.color_boxes(&varyings, fragment);
    let alpha = model.alpha_interval(&varyings, fragment);
    assert!(alpha.low <= alpha.high);
    boxes
}

/// The reference's colour: its own shader, on a batch whose lanes all hold the fragment. `None` where an alpha mask drops
/// it, in the modes where it also has that alpha.
fn reference(situation: &Situation) -> Option<[f64; 4]> {
    let MaterialInputs { material, layout, textures, lighting, mode, depth_range, .. } = situation.inputs();
    let shader =
        MaterialShader::new(material, layout, textures, lighting, mode, depth_range).developed(situation.development);
    let level = SimdLevel::default();
    let (color, alpha) = shade(level, &shader, &situation.stream, &situation.fragment, situation.slopes);
    let cut = match material.alpha_mode {
        AlphaMode::Mask { cutoff } => (mode.blends() || mode == ShadingMode::BaseColor) && alpha < cutoff,
        AlphaMode::Opaque | AlphaMode::Blend => false,
    };
    (!cut).then_some(color)
}

fn shade(
    level: SimdLevel,
    shader: &impl BlockShader,
    stream: &VertexStream,
    fragment: &Fragment,
    slopes: [[f64; 3]; 2],
) -> ([f64; 4], f32) {
    let lanes = |value: f64| [value as f32; LANES];
    let block = FragmentBlock {
        varyings: &stream.varyings,
        stride: stream.stride,
        vertices: [[0; LANES], [1; LANES], [2; LANES]],
        barycentrics: [lanes(fragment.weights[1]), lanes(fragment.weights[2])],
        dx: [lanes(slopes[0][1]), lanes(slopes[0][2])],
        dy: [lanes(slopes[1][1]), lanes(slopes[1][2])],
        depth: lanes(fragment.depth.center()),
        front: [-i32::from(fragment.front != Some(false)); LANES],
        x: [0; LANES],
        y: [0; LANES],
        active: 0xff,
    };
    let color = shader.shade(level.token_or_base(), &block);
    let alpha = shader.alpha(level.token_or_base(), &block);
    (color.map(|channel| f64::from(channel[0])), alpha[0])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_reference_is_inside(situation in situations()) {
        let Some(color) = reference(&situation) else { return Ok(()) };
        for profile in [Profile::D3d11, Profile::Vulkan14, Profile::VulkanMin] {
            let boxes = boxes(&situation, profile);
            prop_assert!(hold(&boxes, color), "{profile}: {color:?} in {:?}", boxes.as_slice());
        }
    }

    #[test]
    fn what_a_backend_may_compute_is_inside(situation in situations(), backend in backends()) {
        let Some(color) = backend.shade(&situation) else { return Ok(()) };
        let boxes = boxes(&situation, backend.profile);
        prop_assert!(hold(&boxes, color), "{backend:?}: {color:?} in {:?}", boxes.as_slice());
    }
}

/// A change to what the model is told.
type Denial = fn(&mut Freedoms, &mut Fragment);

/// What is left out of the model, one at a time; each must show, or the backends of this test do not use it.
const DENIALS: [(&str, Denial); 8] = [
    ("weights", |_, fragment| fragment.radius = [0.0; 3]),
    ("derivatives", |_, fragment| fragment.neighbour_radius = [0.0; 3]),
    ("arithmetic", |freedoms, _| {
        (freedoms.arithmetic, freedoms.division, freedoms.inverse_square_root) = (0.0, 0.0, 0.0)
    }),
    ("texel", |freedoms, _| freedoms.texel = 0.0),
    ("level", |freedoms, _| freedoms.level = 0.0),
    ("scale factor", |freedoms, _| freedoms.scale_factor = ScaleFactor::Axes),
    ("decode", |freedoms, _| (freedoms.decode, freedoms.filter) = (0.25, 0.25)),
    ("filter", |freedoms, _| freedoms.filter = 0.0),
];

#[test]
fn each_freedom_is_needed() {
    // Thousands of tiny mip chains: on one thread, they cost nobody else's time.
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let unneeded = alone.install(unneeded);
    assert!(unneeded.is_empty(), "no backend needed {unneeded:?}");
}

/// The denials that no backend shows.
fn unneeded() -> Vec<&'static str> {
    let mut runner = TestRunner::deterministic();
    let strategy = (situations(), backends());
    let mut left = DENIALS.to_vec();
    for _ in 0..4000 {
        let (situation, backend) = strategy.new_tree(&mut runner).expect("a situation").current();
        let Some(color) = backend.shade(&situation) else { continue };
        let varyings = VertexVaryings::exact(&situation.stream);
        left.retain(|(_, deny)| {
            let (mut freedoms, mut fragment) = (backend.profile.freedoms().expect("not exact"), situation.fragment);
            deny(&mut freedoms, &mut fragment);
            let model = ColorModel::material(&situation.inputs(), freedoms);
            hold(&model.color_boxes(&varyings, &fragment), color)
        });
        if left.is_empty() {
            break;
        }
    }
    left.into_iter().map(|(name, _)| name).collect()
}
