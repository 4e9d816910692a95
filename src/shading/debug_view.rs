//! The debug views: joint colours and triangle edges.

use fearless_simd::{Simd, f32x8, prelude::*};

use super::vector::{Vector, add, scale, splat, subtract};
use refrast_draw::FragmentBatch;

/// What [`ShadingMode::Joints`](super::ShadingMode::Joints) shows where a draw has no joints, linear RGB.
pub const UNSKINNED_COLOR: [f32; 3] = [0.2; 3];
/// The base colour under the lines of the wireframe, linear RGB.
pub const CLAY: [f32; 3] = [0.6; 3];
/// The base colours of splits, from the nearest, linear RGB; beyond the last split is [`CLAY`].
pub const SPLIT_COLORS: [[f32; 3]; 8] = [
    [0.7, 0.15, 0.1],
    [0.15, 0.6, 0.15],
    [0.15, 0.25, 0.8],
    [0.7, 0.6, 0.1],
    [0.6, 0.15, 0.6],
    [0.1, 0.6, 0.6],
    [0.75, 0.35, 0.05],
    [0.35, 0.35, 0.35],
];
/// The colour of the wireframe's lines, linear RGB.
pub const LINE_COLOR: [f32; 3] = [0.01; 3];

/// A joint's colour in the joints view, linear RGB.
///
/// Hues a golden ratio apart (h = 40503·joint mod 65536, a turn being 65536), so that neighbours in the list differ;
/// every second joint is paler, every second pair darker. With the ramp
/// r(x) = clamp(|6·x − 3| − 1, 0, 1), x taken modulo 1, the channels are value·(1 − saturation·(1 − r(h/65536 + c/3)))
/// for c = 0, 2, 1 (red, green, blue).
#[must_use]
pub fn joint_color(joint: u16) -> [f32; 3] {
    let hue = joint.wrapping_mul(40_503);
    let saturation = if joint & 1 == 0 { 0.9 } else { 0.6 };
    let value = if joint & 2 == 0 { 0.9 } else { 0.5 };
    [0, 2, 1].map(|third| {
        let turn = f64::from(hue) / 65_536.0 + f64::from(third) / 3.0;
        let ramp = ((6.0 * (turn - turn.floor()) - 3.0).abs() - 1.0).clamp(0.0, 1.0);
        (value * (1.0 - saturation * (1.0 - ramp))) as f32
    })
}

/// The colour of a vertex in the joints view: Σ weight·[`joint_color`], added in the order of the influences.
#[must_use]
pub fn influence_color(joints: &[u16], weights: &[f32]) -> [f32; 4] {
    let mut sum = [0.0, 0.0, 0.0, 1.0];
    for (&joint, &weight) in joints.iter().zip(weights) {
        for (channel, color) in sum.iter_mut().zip(joint_color(joint)) {
            *channel += weight * color;
        }
    }
    sum
}

/// The colour of a split's number, out of `count`.
#[inline(always)]
pub(super) fn split_color<S: Simd>(split: f32x8<S>, count: usize) -> Vector<S> {
    let simd = split.token();
    let mut color = splat(simd, CLAY);
    for (number, own) in SPLIT_COLORS.iter().enumerate().take(count) {
        let here = split.simd_eq(f32x8::splat(simd, number as f32));
        let own = splat(simd, *own);
        color = [here.select(own[0], color[0]), here.select(own[1], color[1]), here.select(own[2], color[2])];
    }
    color
}

/// Draws the triangle's edges over `fill`: full on an edge, faded linearly to nothing one pixel beside it.
///
/// The distance to edge i is l_i ÷ |∇l_i| pixels, with l the perspective-correct barycentrics and ∇ their exact screen
/// derivatives: exact on the edge, and right to first order beside it. Points have no edges; lines have their ends.
#[inline(always)]
pub(super) fn with_edges<S: Simd>(batch: &FragmentBatch<'_, S>, fill: Vector<S>) -> Vector<S> {
    let simd = batch.simd;
    let [l1, l2] = batch.barycentrics;
    let [dx1, dx2] = batch.dx;
    let [dy1, dy2] = batch.dy;
    let one = f32x8::splat(simd, 1.0);
    let zero = f32x8::splat(simd, 0.0);
    let mut line = zero;
    for (weight, dx, dy) in [(one - l1 - l2, zero - (dx1 + dx2), zero - (dy1 + dy2)), (l1, dx1, dy1), (l2, dx2, dy2)] {
        let slope = (dx * dx + dy * dy).sqrt();
        let cover = one - weight / slope;
        let cover = cover.simd_lt(one).select(cover, one);
        line = (slope.simd_gt(zero) & cover.simd_gt(line)).select(cover, line);
    }
    add(fill, scale(subtract(splat(simd, LINE_COLOR), fill), line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joint_colors_follow_the_ramp() {
        // Joint 0: hue 0, pure red but for saturation 0.9: 0.9·(1, 0.1, 0.1).
        assert_eq!(joint_color(0), [0.9, 0.09, 0.09]);
        // Joint 2: hue 2·40503 − 65536 = 15470 of 65536 = 84.98°, value 0.5: green 1, blue 0, red 2 − 84.98/60.
        let [red, green, blue] = joint_color(2);
        assert_eq!([green, blue], [0.5, 0.05]);
        let ramp = 2.0 - 6.0 * 15_470.0 / 65_536.0;
        assert!((f64::from(red) - 0.5 * (1.0 - 0.9 * (1.0 - ramp))).abs() < 1e-7, "{red}");
    }

    #[test]
    fn neighbouring_joints_differ_visibly() {
        for joint in 0..255 {
            let distance: f32 = joint_color(joint).iter().zip(joint_color(joint + 1)).map(|(a, b)| (a - b).abs()).sum();
            assert!(distance > 0.3, "joints {joint} and {} look alike", joint + 1);
        }
    }

    #[test]
    fn influences_blend_by_weight() {
        let [red, _, _, alpha] = influence_color(&[0, 0, 7, 0], &[0.5, 0.25, 0.0, 0.25]);
        assert_eq!([red, alpha], [0.9, 1.0]);
    }
}
