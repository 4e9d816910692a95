//! What key frames show.

use refrast_scene::{Channel, ChannelTarget, Interpolation, Scene};

use super::{
    finding::{Findings, count},
    rule::Rule,
};

/// Frames a second of engines that resample.
const GRID: f64 = 60.0;
/// Parts of a frame that a key may be off it: times are f32, and exporters round them.
const ROUNDING: f64 = 0.01;
/// Part of a channel's range by which a spline may leave its keys before it is told.
const OVERSHOOT: f64 = 1e-3;

pub(super) fn look(scene: &Scene, findings: &mut Findings) {
    for (number, animation) in scene.animations.iter().enumerate() {
        let path = format!("animations[{number}]");
        let mut times: Vec<f32> = animation.channels.iter().flat_map(|channel| &channel.times).copied().collect();
        times.sort_by(f32::total_cmp);
        times.dedup();
        let off = |time: &&f32| {
            let frame = f64::from(**time) * GRID;
            (frame - libm::round(frame)).abs() > ROUNDING
        };
        if let Some(first) = times.iter().find(off) {
            let off = times.iter().filter(off).count();
            let all = count(times.len(), "moment", "moments");
            let detail = format!("{off} of the {all} of its keys, {first} s first");
            findings.add(Rule::KeysOffGrid, &path, detail);
        }
        for channel in &animation.channels {
            if let Some((key, by)) = overshoot(channel) {
                let what = match channel.target {
                    ChannelTarget::Translation => "the translation",
                    ChannelTarget::Rotation => "the rotation",
                    ChannelTarget::Scale => "the scale",
                    ChannelTarget::Weights => "a morph weight",
                };
                let detail =
                    format!("{what} of node {} leaves the keys {key} and {} by {by:.4}", channel.node, key + 1);
                findings.add(Rule::SplineOvershoots, &path, detail);
            }
        }
    }
}

/// The values of a channel's keys, without tangents.
pub(super) fn keys(channel: &Channel) -> impl Iterator<Item = &[f32]> + Clone {
    let (skipped, step) = if channel.interpolation == Interpolation::CubicSpline { (1, 3) } else { (0, 1) };
    channel.values.chunks_exact(channel.components.max(1)).skip(skipped).step_by(step)
}

/// Where a spline leaves the range of the two keys on its sides by most: the first of these, and by how much. Rotations
/// are left out: they are brought to unit length after the sum.
fn overshoot(channel: &Channel) -> Option<(usize, f64)> {
    if channel.interpolation != Interpolation::CubicSpline || channel.target == ChannelTarget::Rotation {
        return None;
    }
    let part = |index: usize, component: usize| f64::from(channel.values[index * channel.components + component]);
    let mut worst: Option<(usize, f64)> = None;
    for component in 0..channel.components {
        let values = keys(channel).map(|key| f64::from(key[component]));
        let (least, most) = values.fold((f64::MAX, f64::MIN), |(least, most), own| (least.min(own), most.max(own)));
        // A channel that never changes has a range of its own size.
        let range = if most > least { most - least } else { most.abs().max(1.0) };
        for (key, pair) in channel.times.windows(2).enumerate() {
            let seconds = f64::from(pair[1]) - f64::from(pair[0]);
            let (left, right) = (part(3 * key + 1, component), part(3 * key + 4, component));
            let (out, into) = (seconds * part(3 * key + 2, component), seconds * part(3 * key + 3, component));
            let by = extremes(left, out, right, into)
                .fold(0.0_f64, |by, value| by.max(value - left.max(right)).max(left.min(right) - value));
            if by > OVERSHOOT * range && worst.is_none_or(|(_, most)| by > most) {
                worst = Some((key, by));
            }
        }
    }
    worst
}

/// The values where the slope of the specification's spline (appendix C) is 0: with a = 2l + o − 2r + i,
/// b = −3l − 2o + 3r − i and c = o, the spline is a·t³ + b·t² + c·t + l, and its slope 3a·t² + 2b·t + c.
fn extremes(left: f64, out: f64, right: f64, into: f64) -> impl Iterator<Item = f64> {
    let a = 2.0 * left + out - 2.0 * right + into;
    let b = -3.0 * left - 2.0 * out + 3.0 * right - into;
    let value = move |t: f64| ((a * t + b) * t + out) * t + left;
    let root = libm::sqrt((b * b - 3.0 * a * out).max(0.0));
    let roots =
        if a == 0.0 { [-out / (2.0 * b), f64::NAN] } else { [(-b + root) / (3.0 * a), (-b - root) / (3.0 * a)] };
    roots.into_iter().filter(|t| (0.0..=1.0).contains(t)).map(value)
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{channel, rules, skinned},
        *,
    };

    fn found(scene: &Scene) -> Vec<(Rule, String, String)> {
        rules(scene, look)
    }

    #[test]
    fn keys_between_the_frames_are_told() {
        let mut scene = skinned();
        let target = ChannelTarget::Translation;
        scene.animations = vec![channel(1, target, &[0.0, 1.0 / 60.0, 0.1, 30.0], &[0.0; 12])];
        assert_eq!(found(&scene), []);
        // 24 frames a second: every other one lies between two of 60.
        scene.animations = vec![channel(1, target, &[0.0, 1.0 / 24.0, 2.0 / 24.0, 3.0 / 24.0], &[0.0; 12])];
        let detail = "2 of the 4 moments of its keys, 0.041666668 s first";
        assert_eq!(found(&scene), [(Rule::KeysOffGrid, "animations[0]".into(), detail.into())]);
    }

    #[test]
    fn a_spline_that_leaves_its_keys_is_told() {
        let mut scene = skinned();
        let spline = |out: f32, into: f32| {
            // In-tangent, value, out-tangent of x, for two keys 2 s apart: from 0 to 1.
            let values = [[0.0, 0.0, out], [into, 1.0, 0.0]].concat();
            let values: Vec<f32> = values.iter().flat_map(|x| [*x, 0.0, 0.0]).collect();
            let mut animation = channel(1, ChannelTarget::Scale, &[0.0, 2.0], &values);
            animation.channels[0].interpolation = Interpolation::CubicSpline;
            animation
        };
        for (out, into) in [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0)] {
            scene.animations = vec![spline(out, into)];
            assert_eq!(found(&scene), [], "{out} {into}");
        }
        // l = 0, o = 0, r = 1, i = −4: −6t³ + 7t², whose slope is 0 at t = 7/9: 7³/3⁵ = 343/243, so 0.4115 beyond 1.
        scene.animations = vec![spline(0.0, -2.0)];
        let detail = "the scale of node 1 leaves the keys 0 and 1 by 0.4115";
        assert_eq!(found(&scene), [(Rule::SplineOvershoots, "animations[0]".into(), detail.into())]);
    }
}
