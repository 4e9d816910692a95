//! [`DepthMap`]: a picture of depth alone, as shadows are looked up in.
//!
//! Why it exists: a shadow map is drawn without colours, by three rules that pictures have no use for. Casters between the light and the map's near plane are kept (depth clamp), depth is moved away from
//! the light (depth bias), and what is stored has the digits of a depth format.
//!
//! **Bias**, for a triangle whose depth changes by at most m from one texel to the next along a row or a column
//! (Vulkan 1.4, "Depth Bias", with the approximation that it allows and Direct3D 11 asks for; Direct3D 11.3 functional
//! specification, 15.10):
//!
//! > bias = constant·r + slope·m, then min(bias, clamp) where clamp > 0 and max(bias, clamp) where clamp < 0,
//!
//! with r = 2⁻¹⁶ or 2⁻²⁴ for 16 and 24 bits, and 2^(e − 23) for floats, e being the exponent of the largest depth of the
//! triangle's corners.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::Convention;
use refrast_simd::SimdLevel;
use refrast_words::words;

words! {
    /// How a depth map stores its numbers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(into = "&'static str", try_from = "String")]
    pub enum DepthFormat: "depth format" = Bits24 {
        /// Whole steps of 1/65535.
        Bits16 = "16",
        /// Whole steps of 1/16777215.
        Bits24 = "24",
        /// f32.
        Float = "32f",
    }
}

impl DepthFormat {
    /// The number of the largest stored value; `None` for floats, which have no steps.
    #[must_use]
    pub const fn steps(self) -> Option<u32> {
        match self {
            Self::Bits16 => Some((1 << 16) - 1),
            Self::Bits24 => Some((1 << 24) - 1),
            Self::Float => None,
        }
    }

    /// A depth in \[0, 1\] as it is stored and read again: the nearest step (computed in f64), divided by their number.
    #[must_use]
    pub fn stored(self, depth: f32) -> f32 {
        self.steps().map_or(depth, |steps| nearest_step(depth, f64::from(steps)))
    }

    /// [`stored`](Self::stored), one after the other.
    pub fn store(self, depths: &[f32], out: &mut [f32]) {
        match self.steps().map(f64::from) {
            None => out.copy_from_slice(depths),
            Some(steps) => out.iter_mut().zip(depths).for_each(|(out, depth)| *out = nearest_step(*depth, steps)),
        }
    }

    /// r of the bias, where the largest depth of a triangle's corners is `deepest`.
    #[must_use]
    pub fn resolution(self, deepest: f32) -> f64 {
        let power = |exponent: i32| f64::from_bits(((exponent + 1023) as u64) << 52);
        match self {
            Self::Bits16 => power(-16),
            Self::Bits24 => power(-24),
            // The exponent field, where 0 stands for what is smaller still.
            Self::Float => power((deepest.abs().to_bits() >> 23).max(1) as i32 - 127 - 23),
        }
    }
}

/// Of `steps` in [0, 1]; the product of two f32 numbers is exact in f64.
#[inline(always)]
fn nearest_step(depth: f32, steps: f64) -> f32 {
    // No fractions are left where a unit in the last place is 1, and the sum is rounded to the nearest, ties to even; unlike a call of
    // `rint` it fits into vectors.
    const NO_FRACTIONS: f64 = (1_u64 << 52) as f64;
    let rounded = (f64::from(depth) * steps + NO_FRACTIONS) - NO_FRACTIONS;
    (rounded / steps) as f32
}

/// How far a depth map is moved away from the light.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepthBias {
    /// Of the smallest difference that the depth format resolves.
    pub constant: f32,
    /// Of the slope of a triangle.
    pub slope: f32,
    /// What the bias is at most, where it is above 0, and at least, where it is below; 0 is no limit.
    pub clamp: f32,
}

impl DepthBias {
    /// What is added to the depths of a triangle of this largest slope (depth a texel) and depth.
    #[must_use]
    pub fn of(&self, format: DepthFormat, slope: f64, deepest: f32) -> f64 {
        let (constant, factor, clamp) = (f64::from(self.constant), f64::from(self.slope), f64::from(self.clamp));
        let bias = constant * format.resolution(deepest) + factor * slope;
        if clamp > 0.0 {
            bias.min(clamp)
        } else if clamp < 0.0 {
            bias.max(clamp)
        } else {
            bias
        }
    }
}

/// These are not the numbers of a depth bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a depth bias is CONSTANT, CONSTANT,SLOPE or CONSTANT,SLOPE,CLAMP: finite numbers, as in 16,2.5")]
pub struct ParseDepthBiasError;

impl FromStr for DepthBias {
    type Err = ParseDepthBiasError;

    fn from_str(text: &str) -> Result<Self, ParseDepthBiasError> {
        let mut numbers = [0.0; 3];
        let mut places = numbers.iter_mut();
        for number in text.split(',') {
            let number: f32 = number.trim().parse().map_err(|_| ParseDepthBiasError)?;
            let place = places.next().filter(|_| number.is_finite()).ok_or(ParseDepthBiasError)?;
            *place = number;
        }
        let [constant, slope, clamp] = numbers;
        Ok(Self { constant, slope, clamp })
    }
}

impl fmt::Display for DepthBias {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{},{}", self.constant, self.slope)?;
        if self.clamp == 0.0 { Ok(()) } else { write!(out, ",{}", self.clamp) }
    }
}

/// How a depth map is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthSettings {
    /// Texels a row, and rows.
    pub side: u32,
    /// Fraction bits of the grid that vertices snap to, 4 to 16.
    pub subpixel_bits: u32,
    /// What clip space means.
    pub convention: Convention,
    /// Whether what lies before the near or behind the far plane is kept, with the depth of the plane.
    pub clamp: bool,
    /// What is added to the depths of triangles.
    pub bias: DepthBias,
    /// How they are stored.
    pub format: DepthFormat,
    /// The instruction set. All give equal bits.
    pub simd: SimdLevel,
}

/// Texels around a map that hold depth 1, so that a filter at the map's side reads something.
const BORDER: usize = 8;

/// Depths of the nearest surfaces, in \[0, 1\]; 1 where there is none. A buffer that is kept from frame to frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DepthMap {
    side: usize,
    depths: Vec<f32>,
}

impl DepthMap {
    /// How many texels past its sides a map may be asked for.
    pub const BORDER: usize = BORDER;

    /// An empty map; drawing gives it its size.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Texels a row, and rows.
    #[must_use]
    pub fn side(&self) -> usize {
        self.side
    }

    /// The depth of a texel, row 0 being the upper one; 1 outside of the map.
    #[must_use]
    pub fn depth(&self, column: usize, row: usize) -> f32 {
        if column >= self.side || row >= self.side {
            return 1.0;
        }
        self.depths[self.place(column as i32, row as i32)]
    }

    /// The stored numbers: rows of [`side`](Self::side) and [`BORDER`](Self::BORDER) more on each side, which hold 1.
    #[must_use]
    #[inline(always)]
    pub fn with_border(&self) -> &[f32] {
        &self.depths
    }

    /// Numbers in a stored row.
    #[must_use]
    #[inline(always)]
    pub fn stride(&self) -> usize {
        self.side + 2 * BORDER
    }

    /// Where a texel is in [`with_border`](Self::with_border); it may lie up to [`BORDER`](Self::BORDER) outside of the
    /// map.
    #[must_use]
    #[inline(always)]
    pub fn place(&self, column: i32, row: i32) -> usize {
        let [column, row] = [column, row].map(|texel| (texel + BORDER as i32) as usize);
        row * self.stride() + column
    }

    /// The map's rows in that size, without the [`BORDER`](Self::BORDER) above and below them, to be overwritten: each has
    /// [`stride`](Self::stride) numbers, of which the first and the last `BORDER` stay 1.
    pub fn rows_mut(&mut self, side: usize) -> &mut [f32] {
        if self.side != side || self.depths.is_empty() {
            self.side = side;
            self.depths.clear();
            self.depths.resize(self.stride() * self.stride(), 1.0);
        }
        let stride = self.stride();
        &mut self.depths[BORDER * stride..(BORDER + side) * stride]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn depths_go_to_the_nearest_step_and_ties_to_the_even_one(bits in 0..=1.0_f32.to_bits(), step in 0_u32..65_535) {
            let halfway = ((f64::from(step) + 0.5) / 65_535.0) as f32;
            for depth in [f32::from_bits(bits), halfway, step as f32 / 65_536.0] {
                for format in [DepthFormat::Bits16, DepthFormat::Bits24] {
                    let steps = f64::from(format.steps().unwrap());
                    let expected = ((f64::from(depth) * steps).round_ties_even() / steps) as f32;
                    proptest::prop_assert_eq!(format.stored(depth), expected);
                }
            }
        }
    }

    #[test]
    fn a_bias_is_read_as_it_is_written() {
        for text in ["16,2.5", "-3,0,-0.01"] {
            assert_eq!(text.parse::<DepthBias>().map(|bias| bias.to_string()), Ok(text.to_owned()));
        }
        assert_eq!("4".parse(), Ok(DepthBias { constant: 4.0, ..DepthBias::default() }));
        for text in ["", "1,2,3,4", "nan", "1,inf"] {
            assert!(text.parse::<DepthBias>().is_err(), "{text}");
        }
    }
}
