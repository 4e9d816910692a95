//! [`Causes`]: for each pixel whose colour it may be, and why.
//!
//! Why it exists: "outside the envelope" is not an answer. A report says which triangles were candidates, and whether an
//! edge, a depth or an alpha test made them so.

use refrast_words::names;

names! {
    /// Why a triangle may be seen in a pixel.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum CauseKind: "cause" {
        /// It is surely seen: what a backend may do differently is its colour (texels, arithmetic).
        Surface = "surface",
        /// Whether it covers a sample depends on how vertices are rounded.
        Edge = "edge",
        /// Whether it is the nearest depends on how depth is rounded.
        Depth = "depth",
        /// Whether its alpha reaches the cutoff depends on how alpha is computed.
        Mask = "mask",
    }
}

/// A triangle, line or point that may be seen in a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PixelCause {
    /// Position in the list of draws ([`FrameStage::drawn_vertices`](refrast_stage::FrameStage::drawn_vertices)).
    pub draw: u32,
    /// Its primitive in the draw.
    pub primitive: u32,
    /// Why.
    pub kind: CauseKind,
}

/// The candidates of every pixel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Causes {
    width: u32,
    /// Where each pixel's candidates start, and in the end how many there are.
    starts: Vec<u32>,
    all: Vec<PixelCause>,
}

impl Causes {
    /// No candidates, for a picture of this width.
    pub(super) fn new(width: u32) -> Self {
        Self { width, starts: vec![0], all: Vec::new() }
    }

    /// Adds the next pixel in reading order.
    pub(super) fn push(&mut self, causes: impl Iterator<Item = PixelCause>) {
        self.all.extend(causes);
        self.starts.push(self.all.len() as u32);
    }

    /// Adds the pixels of `other` after its own.
    pub(super) fn append(&mut self, other: &Self) {
        let before = self.all.len() as u32;
        self.all.extend_from_slice(&other.all);
        self.starts.extend(other.starts.iter().skip(1).map(|start| before + start));
    }

    /// What may be seen in the pixel of column `x` and row `y`, in submission order; nothing where only background is, and
    /// outside of the picture.
    #[must_use]
    pub fn of(&self, x: u32, y: u32) -> &[PixelCause] {
        let pixel = (x < self.width).then(|| y as usize * self.width as usize + x as usize);
        let range =
            pixel.and_then(|pixel| Some(*self.starts.get(pixel)? as usize..*self.starts.get(pixel + 1)? as usize));
        range.map_or(&[], |range| &self.all[range])
    }
}
