//! Tiny vertex streams and a shader that shows a vertex colour, for the tests of the rasteriser.

#![allow(dead_code, reason = "each test file uses a part of this")]

use fearless_simd::{Simd, f32x8};
use refrast::{
    raster::{
        Convention, Draw, DrawState, FragmentBatch, FragmentShader, LinearRgba, PrimitiveTopology, RasterSettings,
        Rasteriser, SampleCount, Statistics, Target, VertexStream,
    },
    simd::SimdLevel,
};

/// Shows the first four varyings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VertexColour;

refrast::raster::block_shader!(VertexColour);

impl FragmentShader for VertexColour {
    #[inline(always)]
    fn shade<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> [f32x8<S>; 4] {
        batch.interpolate(0)
    }

    #[inline(always)]
    fn alpha<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> f32x8<S> {
        batch.interpolate(0)[3]
    }
}

/// A picture of `width` × `height` pixels in the convention of Direct3D, where z ÷ w is the depth, everything else by
/// default, at the plainest SIMD level.
pub(crate) fn settings(width: u32, height: u32) -> RasterSettings {
    let (convention, simd) = (Convention::D3d, SimdLevel::Scalar);
    RasterSettings { width, height, convention, simd, ..RasterSettings::default() }
}

/// A stream from clip-space positions and one colour a vertex.
pub(crate) fn stream(vertices: &[([f32; 4], [f32; 4])]) -> VertexStream {
    let mut stream = VertexStream::default();
    stream.resize(vertices.len(), 4);
    for (i, (position, colour)) in vertices.iter().enumerate() {
        [stream.x[i], stream.y[i], stream.z[i], stream.w[i]] = *position;
        stream.varyings[i * 4..i * 4 + 4].copy_from_slice(colour);
    }
    stream
}

/// Clip-space position (+y up, w = 1, given depth 0..1) of a window point, exact when width and height are powers of
/// two.
pub(crate) fn at(settings: &RasterSettings, x: f32, y: f32, depth: f32) -> [f32; 4] {
    [x / settings.width as f32 * 2.0 - 1.0, 1.0 - y / settings.height as f32 * 2.0, depth, 1.0]
}

pub(crate) fn draw<'a>(stream: &'a VertexStream, indices: &'a [u32], state: DrawState) -> Draw<'a, VertexColour> {
    Draw { stream, topology: PrimitiveTopology::Triangles, indices, state, shader: VertexColour }
}

pub(crate) fn render(settings: &RasterSettings, draws: &[Draw<'_, VertexColour>]) -> (Target<[f32; 4]>, Statistics) {
    let mut target = Target::new();
    let statistics = Rasteriser::new().draw(settings, draws, &LinearRgba, &mut target).expect("the scene is valid");
    (target, statistics)
}

/// Which pixels are not the background, as rows of `#` and `.`.
pub(crate) fn shape(target: &Target<[f32; 4]>) -> Vec<String> {
    let pixel = |x, y| if target.pixel(x, y) == Some([0.0; 4]) { '.' } else { '#' };
    (0..target.height()).map(|y| (0..target.width()).map(|x| pixel(x, y)).collect()).collect()
}

/// Pixels and depths as bits.
pub(crate) fn bits(target: &Target<[f32; 4]>) -> Vec<u32> {
    let pixels = target.pixels().iter().flatten().map(|v| v.to_bits());
    let depth = (0..target.height()).flat_map(|y| {
        (0..target.width()).flat_map(move |x| {
            (0..target.samples()).map(move |sample| target.depth(x, y, sample).expect("depth is kept").to_bits())
        })
    });
    pixels.chain(depth).collect()
}

pub(crate) const EVERY_SAMPLE_COUNT: [SampleCount; 3] =
    [SampleCount::One, SampleCount::Four, SampleCount::FourMirrored];

/// A small reproducible generator (xorshift64*), so that the scenes are the same on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Uniform in `low..high`.
    pub(crate) fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.bits() >> 40) as f32 / (1u64 << 24) as f32)
    }
}
