//! [`Variation`]: the choices that a conformant backend makes in its own way.
//!
//! Why it exists: each field is a freedom that NVIDIA's, AMD's, Intel's or a software driver really uses. Together they
//! span what a check must not complain about.

use super::arithmetic::Arithmetic;
use refrast_range::{Mips, Profile, StatedBits};

/// How window coordinates reach the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Snapping {
    /// To the nearest grid point, ties to even.
    Nearest,
    /// To the left and up.
    Floor,
    /// To the right and down.
    Ceiling,
    /// Each coordinate to one of the two grid points beside it, by a number of its own bits and of this one. Nobody draws so,
    /// and everybody may: a specification names the grid, not the way to it.
    Scattered(u32),
}

impl Snapping {
    /// The grid point of `v`, which is in units of the grid. Whoever passes the same coordinate gets the same point, so that
    /// triangles which share a vertex share it afterwards.
    #[must_use]
    pub(super) fn round(self, v: f64) -> f64 {
        match self {
            Self::Nearest => v.round_ties_even(),
            Self::Floor => v.floor(),
            Self::Ceiling => v.ceil(),
            Self::Scattered(seed) => {
                // The finaliser of SplitMix64: of one bit changed, half of the result's are.
                let mut bits = v.to_bits().wrapping_add(u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                if (bits ^ (bits >> 31)) & 1 == 0 { v.floor() } else { v.ceil() }
            }
        }
    }
}

/// Where the derivatives of texture coordinates come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivatives {
    /// From the plane equations.
    Exact,
    /// Differences within a quad of 2×2 pixels, row by row and column by column.
    Fine,
    /// One pair of differences for the whole quad.
    Coarse,
}

/// What ρ is, how much of a texture a pixel covers, from the derivatives along x and along y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// The longer one.
    Longer,
    /// The longer axis of the ellipse that they span (Vulkan, "Scale Factor Operation"; Direct3D 11.3 Functional Specification, 7.18.11).
    Axis,
    /// Their largest component: the least that Vulkan accepts.
    Component,
    /// The larger sum of the components of one, times √2: the most.
    Sum,
}

/// How an encoded value becomes a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputRounding {
    /// The nearest byte of the exact value.
    Nearest,
    /// The transfer function in f32, plus one half, cut off.
    HalfUp,
}

/// A backend's own choices; none of them is a mistake.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variation {
    /// Fraction bits of window coordinates, 4 to 16; `None` takes those of the settings.
    pub subpixel_bits: Option<u32>,
    /// How window coordinates are rounded.
    pub snapping: Snapping,
    /// Whether clip space is divided by w and taken to the window in f32 (else in f64).
    pub single_precision_window: bool,
    /// Whether products are fused with the sums that they go into.
    pub fused: bool,
    /// Whether sums run from the last term to the first.
    pub reversed: bool,
    /// Whether attributes are interpolated from snapped positions (else from those before).
    pub snapped_attributes: bool,
    /// Fraction bits of texel coordinates; `None` keeps all of them.
    pub texel_bits: Option<u32>,
    /// Fraction bits of the level of detail; `None` keeps all of them.
    pub level_bits: Option<u32>,
    /// Whether linear filters compute as NVIDIA's do (else in f32): the products of weights are rounded to steps of 1/256, and sRGB texels have
    /// eight bits, counted from the leading one of the largest that is mixed.
    pub coarse_filters: bool,
    /// Whether who decodes textures by a power, which is a mistake, decodes texels (else what has been filtered, as a shader does that samples
    /// and raises the sample).
    pub texels_by_powers: bool,
    /// Where derivatives come from.
    pub derivatives: Derivatives,
    /// What is made of them.
    pub scale: Scale,
    /// How bytes are rounded.
    pub output: OutputRounding,
    /// Whether every sample is stored as bytes after each draw, as an 8-bit target does (else in linear f32).
    pub eight_bit_target: bool,
    /// Whether depth is kept in 24 bits (else in f32).
    pub depth_24_bits: bool,
    /// Steps of a byte over which an ordered pattern spreads what is stored: 0 is none, 1 is dither. Of targets that are not
    /// stored in bytes after each draw.
    pub dither_steps: u8,
    /// The most samples along a pixel's longer axis in a minified texture: 1 to 16.
    pub anisotropy: u8,
    /// Where mip levels come from; [`Mips::Given`] is a driver that draws each level with the one before it, filtered linearly, so
    /// that of odd sizes two texels are mixed where others mix three.
    pub mips: Mips,
    /// Whether a depth bias takes the length of a triangle's slope (else the larger of its two parts).
    pub bias_slope_by_length: bool,
}

impl Variation {
    /// The reference's own choices: what is left is the order of a few sums.
    pub const REFERENCE: Self = Self {
        subpixel_bits: None,
        snapping: Snapping::Nearest,
        single_precision_window: false,
        fused: false,
        reversed: false,
        snapped_attributes: true,
        texel_bits: None,
        level_bits: None,
        coarse_filters: false,
        texels_by_powers: false,
        derivatives: Derivatives::Exact,
        scale: Scale::Longer,
        output: OutputRounding::Nearest,
        eight_bit_target: false,
        depth_24_bits: false,
        dither_steps: 0,
        anisotropy: 1,
        mips: Mips::Linear,
        bias_slope_by_length: false,
    };

    /// Backends that a profile allows, each at the end of one freedom or of several, with names.
    #[must_use]
    pub fn within(profile: Profile) -> Vec<(&'static str, Self)> {
        let gpu = Self::default();
        let mut all = vec![
            ("reference", Self::REFERENCE),
            ("gpu", gpu),
            ("no fused products", Self { fused: false, ..gpu }),
            ("reversed sums", Self { fused: false, reversed: true, ..gpu }),
            ("fused and reversed sums", Self { reversed: true, ..gpu }),
            ("fine derivatives", Self { derivatives: Derivatives::Fine, ..gpu }),
            ("levels by the longer axis", Self { scale: Scale::Axis, ..gpu }),
            ("exact filters", Self { texel_bits: None, level_bits: None, ..gpu }),
            ("float target", Self { eight_bit_target: false, ..gpu }),
            ("bytes by one half", Self { output: OutputRounding::HalfUp, ..gpu }),
            ("24 bits of depth", Self { depth_24_bits: true, ..gpu }),
        ];
        if matches!(profile, Profile::Vulkan14 | Profile::VulkanMin) {
            let unsnapped = Self { snapped_attributes: false, ..gpu };
            all.extend([
                ("unsnapped attributes", unsnapped),
                ("four bits of grid", Self { subpixel_bits: Some(4), ..gpu }),
                ("sixteen bits of grid", Self { subpixel_bits: Some(16), ..gpu }),
                ("four bits of grid, unsnapped attributes", Self { subpixel_bits: Some(4), ..unsnapped }),
                ("four bits of grid, rounded down", Self { subpixel_bits: Some(4), snapping: Snapping::Floor, ..gpu }),
                ("four bits of grid, rounded up", Self { subpixel_bits: Some(4), snapping: Snapping::Ceiling, ..gpu }),
                ("depth bias by the slope's length", Self { bias_slope_by_length: true, ..gpu }),
                (
                    "four bits of grid, scattered",
                    Self { subpixel_bits: Some(4), snapping: Snapping::Scattered(0), ..gpu },
                ),
                (
                    "four bits of grid, scattered otherwise",
                    Self { subpixel_bits: Some(4), snapping: Snapping::Scattered(1), ..gpu },
                ),
                ("grid rounded down", Self { snapping: Snapping::Floor, ..gpu }),
                ("grid rounded up", Self { snapping: Snapping::Ceiling, ..gpu }),
                ("six bits of level", Self { level_bits: Some(6), ..gpu }),
                ("coarse filters", Self { coarse_filters: true, ..gpu }),
                ("the finest levels", Self { scale: Scale::Component, ..gpu }),
                ("the coarsest levels", Self { scale: Scale::Sum, ..gpu }),
            ]);
        }
        if profile == Profile::VulkanMin {
            let coarse = Self { subpixel_bits: Some(4), texel_bits: Some(4), level_bits: Some(4), ..gpu };
            all.extend([
                ("four bits of everything", coarse),
                ("four bits of everything, rounded down", Self { snapping: Snapping::Floor, ..coarse }),
                ("four bits of everything, rounded up", Self { snapping: Snapping::Ceiling, ..coarse }),
                ("six bits of texel", Self { texel_bits: Some(6), ..gpu }),
            ]);
        }
        if let Profile::Vulkan(bits) = profile {
            let stated = Self::stating(bits);
            all.extend([
                ("unsnapped attributes", Self { snapped_attributes: false, ..gpu }),
                ("the stated bits", stated),
                ("the stated bits, rounded down", Self { snapping: Snapping::Floor, ..stated }),
                ("the stated bits, rounded up", Self { snapping: Snapping::Ceiling, ..stated }),
                ("coarse filters", Self { coarse_filters: true, ..stated }),
                ("the finest levels", Self { scale: Scale::Component, ..stated }),
                ("the coarsest levels", Self { scale: Scale::Sum, ..stated }),
            ]);
        }
        if profile == Profile::Exact { vec![] } else { all }
    }

    /// What a GPU does that has the bits that it states and not one more.
    #[must_use]
    pub fn stating(bits: StatedBits) -> Self {
        let [subpixel_bits, texel_bits, level_bits] =
            [bits.subpixel, bits.subtexel, bits.mip].map(|bits| Some(u32::from(bits)));
        Self { subpixel_bits, texel_bits, level_bits, ..Self::default() }
    }

    pub(super) const fn arithmetic(&self) -> Arithmetic {
        Arithmetic { fused: self.fused, reversed: self.reversed }
    }
}

impl Default for Variation {
    /// What most GPUs do: 8 bits of position, texel and level, fused products, coarse derivatives, an 8-bit target.
    fn default() -> Self {
        Self {
            subpixel_bits: Some(8),
            single_precision_window: true,
            fused: true,
            texel_bits: Some(8),
            level_bits: Some(8),
            derivatives: Derivatives::Coarse,
            eight_bit_target: true,
            ..Self::REFERENCE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Snapping;

    #[test]
    fn scattered_coordinates_go_to_either_side_and_always_to_the_same() {
        let coordinates: Vec<f64> = (0..1000).map(|place| f64::from(place) * 3.7 - 1850.3).collect();
        let up = |seed: u32| -> Vec<bool> {
            let round = |v: f64| Snapping::Scattered(seed).round(v);
            assert!(coordinates.iter().all(|&v| round(v) == v.floor() || round(v) == v.ceil()));
            coordinates.iter().map(|&v| round(v) > v).collect()
        };
        let [one, again, other] = [0, 0, 1].map(up);
        assert_eq!(one, again);
        // Of a thousand tosses of a coin 450 to 550 fall on one side but for once in 600.
        let heads = |own: &[bool]| own.iter().filter(|up| **up).count();
        assert!((450..=550).contains(&heads(&one)) && (450..=550).contains(&heads(&other)));
        let agree = std::iter::zip(&one, &other).filter(|(one, other)| one == other).count();
        assert!((450..=550).contains(&agree), "{agree}");
        assert_eq!(Snapping::Scattered(7).round(-3.0), -3.0);
    }
}
