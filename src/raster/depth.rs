//! [`DepthMap`]: a picture of depth alone, as shadows are looked up in.
//!
//! Why it exists: a shadow map is drawn by the walk that draws pictures, without colours, and by three rules that pictures
//! have no use for. Casters between the light and the map's near plane are kept (depth clamp), depth is moved away from
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

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    BlockShader, Convention, Rasteriser, Statistics,
    draw::{Draw, DrawList},
    settings::{Grid, RasterError, RasterSettings},
};
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
    fn store(self, depths: &[f32], out: &mut [f32]) {
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

    fn resize(&mut self, side: usize) {
        if self.side != side || self.depths.is_empty() {
            self.side = side;
            self.depths.clear();
            self.depths.resize(self.stride() * self.stride(), 1.0);
        }
    }
}

impl Rasteriser {
    /// Draws the depths of what is opaque, or kept by its alpha mask, into `map`. Blended draws leave nothing there.
    ///
    /// # Errors
    ///
    /// [`RasterError`] when the settings are out of range or a draw's lists do not fit together.
    pub fn draw_depth<F: BlockShader>(
        &mut self,
        settings: &DepthSettings,
        draws: &[Draw<'_, F>],
        map: &mut DepthMap,
    ) -> Result<Statistics, RasterError> {
        let DepthSettings { side, subpixel_bits, convention, clamp, bias, format, simd } = *settings;
        let square =
            RasterSettings { width: side, height: side, subpixel_bits, convention, simd, ..Default::default() };
        let mut grid = Grid::new(&square)?;
        grid.depth_clamp = clamp;
        grid.bias = (bias != DepthBias::default()).then_some((bias, format));
        let draws: &dyn DrawList = &draws;
        let statistics = self.set_up(&grid, &square, draws)?;
        map.resize(side as usize);
        let (side, stride, size) = (side as usize, map.stride(), grid.tile_size());
        let this = &*self;
        // A band of tiles owns its rows of the map; in it tiles come one after the other.
        let rows = &mut map.depths[BORDER * stride..(BORDER + side) * stride];
        rows.par_chunks_mut(size * stride).with_max_len(1).enumerate().for_each(|(band, rows)| {
            for column in 0..side.div_ceil(size) {
                let first = BORDER + column * size;
                let width = size.min(side - column * size);
                let number = band * side.div_ceil(size) + column;
                let is_drawn = this.depths_of(&grid, simd, draws, number, |y, depths| {
                    if let Some(row) = rows.get_mut(y * stride + first..y * stride + first + width) {
                        format.store(&depths[..width], row);
                    }
                });
                if !is_drawn {
                    rows.chunks_mut(stride).for_each(|row| row[first..first + width].fill(1.0));
                }
            }
        });
        Ok(statistics)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DrawState, FragmentBatch, FragmentShader, PrimitiveTopology, VertexStream};
    use fearless_simd::{Simd, f32x8, prelude::*};

    struct Nothing;

    crate::block_shader!(Nothing);

    impl FragmentShader for Nothing {
        fn shade<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> [f32x8<S>; 4] {
            [f32x8::splat(batch.simd, 0.0); 4]
        }

        fn alpha<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> f32x8<S> {
            f32x8::splat(batch.simd, 1.0)
        }
    }

    fn settings() -> DepthSettings {
        DepthSettings {
            side: 100,
            subpixel_bits: 8,
            convention: Convention::D3d,
            clamp: false,
            bias: DepthBias::default(),
            format: DepthFormat::Float,
            simd: SimdLevel::default(),
        }
    }

    /// Two triangles over the whole map whose depth is `left` at its left side and `right` at its right one.
    fn drawn(settings: DepthSettings, [left, right]: [f32; 2]) -> DepthMap {
        let mut stream = VertexStream::default();
        stream.resize(4, 0);
        stream.x.copy_from_slice(&[-1.0, 1.0, 1.0, -1.0]);
        stream.y.copy_from_slice(&[1.0, 1.0, -1.0, -1.0]);
        stream.z.copy_from_slice(&[left, right, right, left]);
        stream.w.copy_from_slice(&[1.0; 4]);
        let (topology, state) = (PrimitiveTopology::Triangles, DrawState::default());
        let draw = Draw { stream: &stream, topology, indices: &[0, 1, 2, 0, 2, 3], state, shader: Nothing };
        let mut map = DepthMap::new();
        Rasteriser::new().draw_depth(&settings, &[draw], &mut map).expect("the settings are in range");
        map
    }

    #[test]
    fn a_plane_has_the_depths_of_its_texels_centres_and_the_border_is_far() {
        let map = drawn(settings(), [0.0, 1.0]);
        for column in 0..100 {
            let expected = (column as f32 + 0.5) / 100.0;
            assert!((map.depth(column, 70) - expected).abs() < 1e-6, "{column}");
        }
        assert_eq!(
            [map.depth(100, 5), map.with_border()[map.place(-1, 5)], map.with_border()[map.place(107, 50)]],
            [1.0; 3]
        );
        assert_eq!(map.with_border().len(), 116 * 116);
    }

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
    fn what_is_drawn_no_longer_is_gone_from_a_map_that_is_kept() {
        let mut map = drawn(settings(), [0.0, 1.0]);
        let none: [Draw<'_, Nothing>; 0] = [];
        Rasteriser::new().draw_depth(&settings(), &none, &mut map).expect("the settings are in range");
        assert!(map.with_border().iter().all(|depth| *depth == 1.0));
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

    #[test]
    fn formats_store_whole_steps() {
        let stored = drawn(DepthSettings { format: DepthFormat::Bits16, ..settings() }, [0.5, 0.5]).depth(3, 4);
        // 0.5 · 65535 = 32767.5, which is even at 32768.
        assert_eq!(stored, (32_768.0 / 65_535.0) as f32);
        let stored = drawn(DepthSettings { format: DepthFormat::Bits24, ..settings() }, [0.25, 0.25]).depth(99, 99);
        assert_eq!(stored, (4_194_304.0 / 16_777_215.0) as f32);
    }

    #[test]
    fn a_bias_is_of_the_formats_steps_and_of_the_slope() {
        let biased = |bias, format| drawn(DepthSettings { bias, format, ..settings() }, [0.25, 0.75]).depth(50, 50);
        let own = 0.25 + 0.5 * 50.5 / 100.0;
        let constant = DepthBias { constant: 1000.0, ..DepthBias::default() };
        // The largest depth is 0.75 = 1.5·2⁻¹.
        for (format, r) in [(DepthFormat::Float, 1.0 / 16_777_216.0), (DepthFormat::Bits16, 1.0 / 65_536.0)] {
            let moved = f64::from(biased(constant, format)) - own;
            assert!((moved - 1000.0 * r).abs() < 0.6 / 65_535.0, "{format}: {moved}");
        }
        // Half a unit over a hundred texels.
        let slope = DepthBias { slope: 3.0, ..DepthBias::default() };
        assert!((f64::from(biased(slope, DepthFormat::Float)) - own - 0.015).abs() < 1e-6);
        let clamped = DepthBias { slope: 3.0, clamp: 0.01, ..DepthBias::default() };
        assert!((f64::from(biased(clamped, DepthFormat::Float)) - own - 0.01).abs() < 1e-6);
        let negative = DepthBias { slope: -3.0, clamp: -0.01, ..DepthBias::default() };
        assert!((f64::from(biased(negative, DepthFormat::Float)) - own + 0.01).abs() < 1e-6);
    }

    #[test]
    fn depth_clamp_keeps_what_is_before_the_near_plane_and_the_plane_stays_flat() {
        let cut = drawn(settings(), [-1.0, 1.0]);
        let kept = drawn(DepthSettings { clamp: true, ..settings() }, [-1.0, 1.0]);
        // Left of the middle the plane lies before the near plane.
        assert_eq!((cut.depth(20, 50), kept.depth(20, 50)), (1.0, 0.0));
        for column in 51..100 {
            let expected = (column as f32 + 0.5) / 50.0 - 1.0;
            assert!(
                (kept.depth(column, 50) - expected).abs() < 1e-6 && (cut.depth(column, 50) - expected).abs() < 1e-6
            );
        }
    }
}
