//! ρ and λ: between which levels of detail a conformant sampler may choose.
//!
//! Why it exists: a reference that knows the exact derivatives still has to let pass what is computed from differences
//! within a quad of pixels. These are the freedoms, none of which is ours:
//!
//! - **Derivatives.** A quad's difference in x is taken between two neighbouring pixels of the fragment's row or, where
//!   derivatives are coarse or one level of detail serves the quad, of the row above or below (Direct3D 11.3 Functional
//!   Specification, 22.4.15 and 22.5.2; Vulkan, "Derivative Operations"). Where quads begin is not said, so both pairs of
//!   each of the three rows count. The exact derivative lies between the pairs of its own row, because a coordinate is
//!   convex or concave along a row (it is a quotient of two linear functions).
//! - **Scale factor.** Vulkan ("Scale Factor Operation") wants the axes of the ellipse that a pixel covers and accepts
//!   any ρx with max(|∂u/∂x|, |∂v/∂x|) ≤ ρx ≤ √2·(|∂u/∂x| + |∂v/∂x|), in texels, likewise ρy, ρ the larger. Direct3D
//!   (7.18.11) has ρ = max(|∂/∂x|, |∂/∂y|) of derivatives that should have been turned into those axes first, "approximations"
//!   being allowed: between the longer of the two as they are and the longer axis.
//! - **Precision.** λ = log2 ρ is off by [`Freedoms::level`] where it is turned into a fixed-point number.
//!
//! # The interval of ρ
//!
//! Each of the four derivatives lies in an interval mᵢ ± εᵢ. For the column vectors X = (u, v) of ∂/∂x and Y of ∂/∂y and
//! J = (X Y), norms move no faster than what they are taken of: |X| ≥ |X_m| − |X_ε|, and the longer axis, J's largest
//! singular value, is at most σ(J_m) + ‖J_ε‖ (Weyl), with the Frobenius norm for ‖·‖. With q = |X|² + |Y|²,
//! σ² = ½·(q + √(q² − 4·det²)).

use crate::Interval;
use refrast_range::{Freedoms, ScaleFactor};

/// λ before it is clamped to the levels that there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LevelOfDetail {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl LevelOfDetail {
    /// Nothing is known.
    pub(super) const ANY: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// Whether the magnification filter may be taken.
    pub(super) fn may_magnify(self) -> bool {
        self.low <= 0.0
    }

    /// Whether the minification filter may be taken.
    pub(super) fn may_minify(self) -> bool {
        self.high > 0.0
    }
}

/// The derivatives of (u, v), in texels of level 0 a pixel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Derivatives {
    /// ∂u/∂x and ∂v/∂x.
    pub(super) x: [Interval; 2],
    /// ∂u/∂y and ∂v/∂y.
    pub(super) y: [Interval; 2],
}

impl Derivatives {
    /// From (u, v) in texels at the nine pixels around a fragment, each off by at most `radius`.
    pub(super) fn of(u: &[f64; 9], v: &[f64; 9], radius: [f64; 2]) -> Self {
        let [ux, uy] = differences(u, radius[0]);
        let [vx, vy] = differences(v, radius[1]);
        Self { x: [ux, vx], y: [uy, vy] }
    }

    /// λ.
    pub(super) fn level_of_detail(&self, freedoms: &Freedoms) -> LevelOfDetail {
        let rho = match freedoms.scale_factor {
            ScaleFactor::Axes => self.axes(),
            ScaleFactor::Magnitudes => self.magnitudes(),
        };
        if !(rho.high.is_finite() && rho.low.is_finite()) {
            return LevelOfDetail::ANY;
        }
        // log2 within 3 ULP (Vulkan, "Precision and Operation of SPIR-V Instructions"), 2⁻²¹ near 1: both below 2⁻¹⁷ for
        // |λ| < 16.
        let error = freedoms.level + 1.0 / f64::from(1u32 << 17);
        LevelOfDetail {
            low: if rho.low > 0.0 { libm::log2(rho.low) - error } else { f64::NEG_INFINITY },
            high: if rho.high > 0.0 { libm::log2(rho.high) + error } else { f64::NEG_INFINITY },
        }
    }

    /// λ of a sampler that takes up to [`Freedoms::anisotropy`] samples along the longer axis.
    ///
    /// It is log2(ρ_max ÷ N) with N at most that number, and at most ⌈ρ_max ÷ ρ_min⌉ < 2 · ρ_max ÷ ρ_min; ρ_min is no less than the
    /// shorter axis, and where the length of a derivative is taken by its largest component √2 less.
    pub(super) fn stretched_level_of_detail(&self, freedoms: &Freedoms) -> LevelOfDetail {
        let level = self.level_of_detail(freedoms);
        let least = level.low - libm::log2(freedoms.anisotropy);
        let shorter = self.shorter_axis();
        if !(shorter > 0.0 && shorter.is_finite()) {
            return LevelOfDetail { low: least, ..level };
        }
        let error = freedoms.level + 1.0 / f64::from(1u32 << 17);
        LevelOfDetail { low: least.max(libm::log2(shorter) - 1.5 - error).min(level.low), ..level }
    }

    /// A lower bound of the shorter axis of the pixel's ellipse, J's smallest singular value: |det J_m| ÷ σ(J_m) − ‖J_ε‖.
    fn shorter_axis(&self) -> f64 {
        let [[ux, vx], [uy, vy]] = [self.x, self.y].map(|vector| vector.map(Interval::center));
        let off = self.x.iter().chain(&self.y).map(|part| part.radius() * part.radius()).sum::<f64>().sqrt();
        let (sum, determinant) = (ux * ux + vx * vx + uy * uy + vy * vy, ux * vy - vx * uy);
        let longer = (0.5 * (sum + (sum * sum - 4.0 * determinant * determinant).max(0.0).sqrt())).sqrt();
        determinant.abs() / longer - off
    }

    /// Direct3D's rule.
    fn axes(&self) -> Interval {
        let [[ux, vx], [uy, vy]] = [self.x, self.y].map(|vector| vector.map(Interval::center));
        let squared =
            |vector: [Interval; 2]| vector[0].radius() * vector[0].radius() + vector[1].radius() * vector[1].radius();
        let (off_x, off_y) = (squared(self.x), squared(self.y));
        let (xx, yy) = (ux * ux + vx * vx, uy * uy + vy * vy);
        let low = (xx.sqrt() - off_x.sqrt()).max(yy.sqrt() - off_y.sqrt()).max(0.0);
        let (sum, determinant) = (xx + yy, ux * vy - vx * uy);
        let axis = (0.5 * (sum + (sum * sum - 4.0 * determinant * determinant).max(0.0).sqrt())).sqrt();
        Interval { low, high: axis + (off_x + off_y).sqrt() }
    }

    /// Vulkan's rule.
    fn magnitudes(&self) -> Interval {
        let least = |vector: [Interval; 2]| smallest(vector[0]).max(smallest(vector[1]));
        let most = |vector: [Interval; 2]| vector[0].magnitude() + vector[1].magnitude();
        Interval {
            low: least(self.x).max(least(self.y)),
            high: std::f64::consts::SQRT_2 * most(self.x).max(most(self.y)),
        }
    }
}

/// The least magnitude in an interval.
pub(super) fn smallest(interval: Interval) -> f64 {
    if interval.low > 0.0 {
        interval.low
    } else if interval.high < 0.0 {
        -interval.high
    } else {
        0.0
    }
}

/// The hulls of all differences between neighbours along x and along y.
pub(super) fn differences(at: &[f64; 9], radius: f64) -> [Interval; 2] {
    let hull = |pairs: [(usize, usize); 6]| {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut sum = 0.0;
        for (from, to) in pairs {
            let difference = at[to] - at[from];
            low = low.min(difference);
            high = high.max(difference);
            sum += difference;
        }
        // A sum keeps what `min` and `max` pass over: a difference that is not a number.
        if sum.is_nan() { Interval::around(0.0, f64::INFINITY) } else { Interval { low, high }.widened(2.0 * radius) }
    };
    [hull([(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8)]), hull([(0, 3), (3, 6), (1, 4), (4, 7), (2, 5), (5, 8)])]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use refrast_range::Profile;

    fn derivatives(x: [f64; 2], y: [f64; 2]) -> Derivatives {
        let plane = |i: usize| std::array::from_fn(|pixel| x[i] * (pixel % 3) as f64 + y[i] * (pixel / 3) as f64);
        Derivatives::of(&plane(0), &plane(1), [0.0; 2])
    }

    fn freedoms(profile: Profile) -> Freedoms {
        profile.freedoms().expect("not exact")
    }

    #[test]
    fn a_sheared_pixel_lets_direct3d_choose_between_side_and_axis() {
        // X = (4, 0), Y = (4, 1): the longer side is √17, the longer axis of J = [[4, 4], [0, 1]] is
        // √(½·(33 + √(33² − 4·16))) = 5.702; λ between 2.0437 and 2.5115.
        let level = derivatives([4.0, 0.0], [4.0, 1.0]).level_of_detail(&freedoms(Profile::D3d11));
        assert!((level.low - 2.0437 + 1.0 / 256.0).abs() < 1e-3, "{level:?}");
        assert!((level.high - 2.5115 - 1.0 / 256.0).abs() < 1e-3, "{level:?}");
    }

    #[test]
    fn vulkan_lets_a_diagonal_be_anything_from_its_side_to_twice_its_length() {
        // X = (2, 2): from 2 to √2·4.
        let level = derivatives([2.0, 2.0], [0.0, 0.0]).level_of_detail(&freedoms(Profile::Vulkan14));
        assert!((level.low - 1.0 + 1.0 / 64.0).abs() < 1e-4, "{level:?}");
        assert!((level.high - 2.5 - 1.0 / 64.0).abs() < 1e-4, "{level:?}");
    }

    #[test]
    fn more_samples_take_a_finer_level_as_far_as_a_pixel_is_stretched() {
        // X = (16, 0), Y = (0, 4): λ = 4 for one sample, 2 for four, and for sixteen no finer than 4 wide: 2, and 1.5 less
        // for what approximations may do.
        let low = |anisotropy: f64| {
            let freedoms = Freedoms { anisotropy, ..freedoms(Profile::D3d11) };
            derivatives([16.0, 0.0], [0.0, 4.0]).stretched_level_of_detail(&freedoms)
        };
        assert!((low(4.0).low - 2.0).abs() < 0.01 && (low(16.0).low - 0.5).abs() < 0.01, "{:?}", low(16.0));
        assert!((low(16.0).high - 4.0).abs() < 0.01 && (low(1.0).low - 4.0).abs() < 0.01);
        // A round pixel leaves half a level and one more.
        let freedoms = Freedoms { anisotropy: 16.0, ..freedoms(Profile::D3d11) };
        let round = derivatives([8.0, 0.0], [0.0, 8.0]).stretched_level_of_detail(&freedoms);
        assert!((round.low - 1.5).abs() < 0.01, "{round:?}");
    }

    #[test]
    fn what_is_no_number_may_be_any_level() {
        let mut u = [0.0; 9];
        u[8] = f64::NAN;
        let level = Derivatives::of(&u, &[0.0; 9], [0.0; 2]).level_of_detail(&freedoms(Profile::D3d11));
        assert_eq!(level, LevelOfDetail::ANY);
        let still = derivatives([0.0; 2], [0.0; 2]).level_of_detail(&freedoms(Profile::D3d11));
        assert!(still.may_magnify() && !still.may_minify());
    }

    proptest! {
        #[test]
        fn the_reference_is_always_inside(x in [-40.0f64..40.0, -40.0f64..40.0], y in [-40.0f64..40.0, -40.0f64..40.0]) {
            let reference = 0.5 * libm::log2((x[0] * x[0] + x[1] * x[1]).max(y[0] * y[0] + y[1] * y[1]));
            for profile in [Profile::D3d11, Profile::Vulkan14, Profile::VulkanMin] {
                let level = derivatives(x, y).level_of_detail(&freedoms(profile));
                prop_assert!(level.low <= reference && reference <= level.high);
            }
        }
    }
}
