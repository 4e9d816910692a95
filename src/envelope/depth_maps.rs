//! The depths that a texel of a shadow map may hold.
//!
//! Why it exists: a map is a picture too, and a backend is as free in drawing it as in drawing any other. What is left of a
//! texel after that is an interval: from the nearest thing that may cover it to the nearest that surely does. A comparison
//! asks for no more: whatever lies between the two ends may be in light or in the shade.
//!
//! # The bias
//!
//! A triangle's bias is constant·r + slope·m. m lies between the larger of the slopes along x and y and the length of both
//! (Vulkan 1.4, "Depth Bias": the length, or the approximation); r is "implementation-dependent" there, and here anything
//! from one to two steps of the format. Corners that move by δⱼ, |δⱼ| ≤ ρ, turn the plane: with λ' the barycentrics of the moved
//! triangle and s = Σ λ'ⱼ·δⱼ the shift of its points ([`planes`](super::planes)), its slopes are ∇z·(1 − ∂s) and those that the
//! corners' own depths add, where |∂s/∂x| ≤ ρ·Σ|∂λ'ⱼ/∂x| and Σ|∂λ'ⱼ/∂x| ≤ Σ|∂λⱼ/∂x|/(1 − F).

use super::{Interval, planes::Planes, surface::Surface};
use refrast_draw::{DepthBias, DepthFormat};

/// What a map does with depth.
#[derive(Clone, Copy, Debug)]
pub(super) struct DepthRules {
    pub(super) bias: DepthBias,
    pub(super) format: DepthFormat,
    /// Whether nothing is cut at the near and the far plane.
    pub(super) clamp: bool,
}

/// How a surface's depths are moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pushed {
    bias: Interval,
    pub(super) clamp: bool,
}

impl Pushed {
    /// A depth as it is compared with what is stored.
    pub(super) fn apply(&self, depth: Interval) -> Interval {
        // Twice a rounding of f32 in sums near 1.
        (depth + self.bias).widened(2.4e-7).clamped(0.0, 1.0)
    }
}

impl DepthRules {
    /// The bias of a surface whose corners' depths are `depths`; `planes` where its slope is known.
    pub(super) fn pushed(&self, planes: Option<&Planes>, depths: Interval) -> Pushed {
        let DepthBias { constant, slope, clamp } = self.bias;
        let bias = if self.bias == DepthBias::default() {
            Interval::exact(0.0)
        } else {
            let [low, high] =
                [depths.low, depths.high].map(|depth| self.format.resolution(depth.clamp(0.0, 1.0) as f32));
            let step = Interval { low, high: 2.0 * high };
            let slopes = planes.and_then(Planes::steepness).unwrap_or(Interval { low: 0.0, high: f64::INFINITY });
            let times = |factor: f32, range: Interval| match factor {
                0.0 => Interval::exact(0.0),
                factor => Interval::between(f64::from(factor) * range.low, f64::from(factor) * range.high),
            };
            let sum = times(constant, step) + times(slope, slopes);
            match f64::from(clamp) {
                clamp if clamp > 0.0 => sum.map_rising(|bias| bias.min(clamp)),
                clamp if clamp < 0.0 => sum.map_rising(|bias| bias.max(clamp)),
                _ => sum,
            }
        };
        Pushed { bias, clamp: self.clamp }
    }

    /// What a texel may hold of depths as they are compared.
    pub(super) fn stored(&self, depth: Interval) -> Interval {
        if depth == Interval::exact(1.0) {
            // As it was cleared.
            return depth;
        }
        let step = self.format.steps().map_or(0.0, |steps| 1.0 / f64::from(steps));
        // Rounded to a step, by 0.6 of it where Direct3D rounds (3.2.3.6), and to f32 when it is read.
        depth.widened(0.6 * step + 6e-8).clamped(0.0, 1.0)
    }
}

/// The depths of a map, for each texel the least and the greatest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapBounds {
    side: usize,
    depths: Vec<[f32; 2]>,
}

impl MapBounds {
    /// Of rows of intervals.
    pub(super) fn new(side: usize, depths: Vec<[f32; 2]>) -> Self {
        Self { side, depths }
    }

    /// A map that nothing is known of.
    pub(super) fn unknown(side: usize) -> Self {
        Self { side, depths: vec![[0.0, 1.0]; side * side] }
    }

    /// Texels a side.
    #[must_use]
    pub fn side(&self) -> usize {
        self.side
    }

    /// A texel's depths; 1 outside of the map.
    #[must_use]
    pub fn depth(&self, column: i64, row: i64) -> Interval {
        let side = self.side as i64;
        if !(0..side).contains(&column) || !(0..side).contains(&row) {
            return Interval::exact(1.0);
        }
        let [low, high] = self.depths[(row * side + column) as usize];
        Interval { low: f64::from(low), high: f64::from(high) }
    }
}

/// An interval in f32, rounded outward.
pub(super) fn outward(depth: Interval) -> [f32; 2] {
    let [low, high] = [depth.low, depth.high].map(|end| end as f32);
    let low = if f64::from(low) > depth.low { low.next_down() } else { low };
    let high = if f64::from(high) < depth.high { high.next_up() } else { high };
    [low, high]
}

/// Gives surfaces the rules of a map.
pub(super) fn push_back(surfaces: &mut [Surface], rules: &DepthRules) {
    surfaces.iter_mut().for_each(|surface| surface.push_back(rules));
}
