//! [`RasterSettings`]: the picture's size, grid, samples and convention, and why they may not do.

use serde::{Deserialize, Serialize};

use refrast_simd::SimdLevel;
use refrast_words::{UnknownWord, words};

/// Widest and highest picture in pixels.
///
/// The guard band at 16 grid bits ends at 2^14 pixels, inclusive, and a tile, which may be cut off by the picture's
/// side, ends there at the latest.
pub const MAX_SIZE: u32 = 1 << 14;

words! {
    /// Clip-space depth range and y direction. The default is that of glTF.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(into = "&'static str", try_from = "String")]
    pub enum Convention: "convention" = OpenGl {
        /// Depth −w..w, +y up.
        OpenGl = "opengl",
        /// Depth 0..w, +y up.
        D3d = "d3d",
        /// Depth 0..w, +y down.
        Vulkan = "vulkan",
    }
}

words! {
    /// Samples a pixel.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum SampleCount: "number of samples" = One {
        /// One sample, at the pixel's centre.
        One = "1",
        /// Four samples at the standard positions of D3D 11 and Vulkan (section "Multisampling").
        Four = "4",
        /// The same four seen in a mirror: on targets whose first row is the lowest one, such as a canvas of WebGL.
        FourMirrored = "4-mirrored",
    }
}

impl SampleCount {
    /// The count as a number.
    #[must_use]
    pub const fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::Four | Self::FourMirrored => 4,
        }
    }

    /// `1`, `4` or `4-mirrored`, as on the command line.
    ///
    /// # Errors
    ///
    /// Says which counts there are.
    pub fn parse(text: &str) -> Result<Self, UnknownWord> {
        text.parse()
    }

    /// The sample positions in sixteenths of a pixel, from the pixel's upper left corner.
    #[must_use]
    pub const fn positions(self) -> &'static [[i64; 2]] {
        match self {
            Self::One => &[[8, 8]],
            Self::Four => &[[6, 2], [14, 6], [2, 10], [10, 14]],
            Self::FourMirrored => &[[6, 14], [14, 10], [2, 6], [10, 2]],
        }
    }
}

/// How a picture is rasterised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RasterSettings {
    /// Pixels a row, 1 to [`MAX_SIZE`].
    pub width: u32,
    /// Rows, 1 to [`MAX_SIZE`].
    pub height: u32,
    /// Samples a pixel.
    pub samples: SampleCount,
    /// Fraction bits of the grid that vertices snap to, 4 to 16.
    pub subpixel_bits: u32,
    /// What clip space means.
    pub convention: Convention,
    /// Linear RGBA where nothing is drawn.
    pub background: [f32; 4],
    /// Whether the target keeps the depth of every sample for reading.
    pub keep_depth: bool,
    /// The instruction set. All give equal bits.
    pub simd: SimdLevel,
}

impl Default for RasterSettings {
    /// 640×480, one sample, 8 grid bits, the convention of OpenGL and glTF, transparent black background, depth kept, the best SIMD level.
    fn default() -> Self {
        Self {
            width: 640,
            height: 480,
            samples: SampleCount::One,
            subpixel_bits: 8,
            convention: Convention::default(),
            background: [0.0; 4],
            keep_depth: true,
            simd: SimdLevel::default(),
        }
    }
}

/// Why a picture can not be rasterised.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RasterError {
    /// The picture has no pixels or too many.
    #[error("a picture of {width}×{height} pixels: each side must be 1 to {MAX_SIZE}")]
    Size {
        /// Pixels a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// The grid is too coarse for the sample positions or too fine for the arithmetic.
    #[error("{0} subpixel bits: use 4 to 16 (8 is what GPUs have)")]
    SubpixelBits(u32),
    /// The index list ends in the middle of a primitive.
    #[error("draw {draw}: {count} indices do not divide into primitives of {arity}; cut or complete the list")]
    IndexCount {
        /// Position in the list of draws.
        draw: usize,
        /// Length of the list.
        count: usize,
        /// Indices a primitive.
        arity: usize,
    },
    /// An index points past the vertex stream.
    #[error("draw {draw}: index {index} at position {position}, but the vertex stream has {vertices} vertices")]
    IndexRange {
        /// Position in the list of draws.
        draw: usize,
        /// Position in the list of indices.
        position: usize,
        /// The index.
        index: u32,
        /// Vertices of the stream.
        vertices: usize,
    },
    /// The planes of a vertex stream differ in length.
    #[error(
        "draw {draw}: the vertex stream's planes x, y, z, w and varyings ÷ stride must all have {vertices} entries"
    )]
    StreamShape {
        /// Position in the list of draws.
        draw: usize,
        /// Length of plane x.
        vertices: usize,
    },
    /// More primitives than triangle numbers.
    #[error("{0} primitives in one picture are too many: split the draws over several pictures")]
    TooManyPrimitives(usize),
}
