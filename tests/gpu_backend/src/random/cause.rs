//! Mistakes at random.

use refrast::{
    scene::Scene,
    verify::{
        Fault,
        diagnose::Cause,
        simulator::{DepthFunction, FrameRounding, InfluenceChoice, ParametricFault},
    },
};

use super::chance::Chance;

/// A mistake that this scene may show, and its row of the table.
pub(crate) fn cause(chance: &mut Chance, scene: &Scene) -> Option<(&'static str, Cause)> {
    let clips = !scene.animations.is_empty();
    let skins = !scene.skins.is_empty();
    let primitives = || scene.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let targets = primitives().map(|own| own.targets.len()).max().unwrap_or(0) as u64;
    let rounding = |chance: &mut Chance| chance.pick(&[FrameRounding::Down, FrameRounding::Nearest]);
    let parametric = match chance.below(22) {
        0 if clips => {
            ParametricFault::TimeRounded { rate: chance.between(4.0, 30.0).round(), rounding: rounding(chance) }
        }
        1 if clips => ParametricFault::ClipResampled { rate: chance.between(4.0, 30.0).round() },
        2 => ParametricFault::TexcoordsMoved {
            scale: [1.0; 2],
            offset: [chance.between(-0.5, 0.5), chance.between(-0.5, 0.5)],
            swapped: false,
        },
        3 => ParametricFault::TexcoordsMoved { scale: [chance.between(0.3, 3.0); 2], offset: [0.0; 2], swapped: false },
        4 => {
            let [u, v] = chance.pick(&[[true, false], [false, true], [true, true]]);
            let flip = |flipped: bool| if flipped { [-1.0, 1.0] } else { [1.0, 0.0] };
            let [[su, ou], [sv, ov]] = [flip(u), flip(v)];
            ParametricFault::TexcoordsMoved { scale: [su, sv], offset: [ou, ov], swapped: chance.is_heads() }
        }
        5 if skins => ParametricFault::InfluencesKept {
            count: 1 + chance.below(3) as u8,
            choice: chance.pick(&[InfluenceChoice::First, InfluenceChoice::FirstRescaled, InfluenceChoice::Heaviest]),
        },
        6 if skins => ParametricFault::WeightBits { bits: 2 + chance.below(6) as u8, corrected: chance.is_heads() },
        7 if skins => {
            let by = 1 + chance.below(6) as i16;
            ParametricFault::JointsShifted { by: if chance.is_heads() { by } else { -by } }
        }
        8 if skins => {
            let count = scene.skins[0].joints.len() as u64;
            let (one, other) = (chance.below(count) as u16, chance.below(count) as u16);
            ParametricFault::JointsSwapped { joints: [one.min(other), one.max(other)] }
        }
        9 if targets > 1 => ParametricFault::MorphTargetsShifted { by: chance.pick(&[-2, -1, 1, 2]) },
        10 if targets > 0 => ParametricFault::MorphTargetMissing { target: chance.below(targets) as u16 },
        11 if !skins => ParametricFault::NodeTransformRepeated { times: 2 },
        12 => ParametricFault::WindowOffset { x: chance.between(-1.5, 1.5), y: chance.between(-1.5, 1.5) },
        13 => ParametricFault::GridBits { bits: chance.pick(&[1, 3]) },
        14 => ParametricFault::MipBias { levels: chance.between(-2.0, 2.0) },
        15 => ParametricFault::Gamma { gamma: chance.between(1.3, 3.0), in_shader: chance.is_heads() },
        16 => ParametricFault::Exposure { factor: chance.between(0.3, 3.2) },
        17 => ParametricFault::Channels { order: chance.pick(&[[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1]]) },
        18 => ParametricFault::DepthTest {
            function: chance.pick(&[
                DepthFunction::Never,
                DepthFunction::Equal,
                DepthFunction::NotEqual,
                DepthFunction::GreaterEqual,
            ]),
        },
        19 => ParametricFault::DepthClear { depth: chance.between(0.05, 1.0) },
        20 => return Some(("output-truncated", Fault::OutputTruncated.into())),
        21 => {
            let fault = Fault::ALL[chance.below(Fault::ALL.len() as u64) as usize];
            return Some(("of the list", fault.into()));
        }
        _ => return None,
    };
    Some((parametric.family(), parametric.into()))
}
