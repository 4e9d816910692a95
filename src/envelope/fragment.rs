//! [`Fragment`] and [`ColorBox`]: the seam between where a triangle may be and what colour it may have there.

use super::Interval;

/// What is known of the fragment that a triangle may give a pixel.
///
/// Perspective-correct weights of the triangle's three vertices (they add up to 1), as the golden's own positions give
/// them in f64, and how far those of a conformant backend may be from them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fragment {
    /// Which draw it belongs to.
    pub draw: usize,
    /// Its primitive in the draw.
    pub primitive: u32,
    /// Rows of varyings in the draw's vertex stream.
    pub vertices: [u32; 3],
    /// Weights where varyings are evaluated: the pixel's centre.
    pub weights: [f64; 3],
    /// How far each weight may be off.
    pub radius: [f64; 3],
    /// Weights at the eight pixels around and (in the middle, index 4) the centre, row by row: a quad's differences are
    /// taken between these. Not numbers where the pixel is beyond the horizon of the triangle's plane: then any level of
    /// detail is allowed.
    pub neighbours: [[f64; 3]; 9],
    /// Half of how far the difference of two adjacent `neighbours` may be off.
    pub neighbour_radius: [f64; 3],
    /// Window depth.
    pub depth: Interval,
    /// Which side is seen; `None` where the triangle may face either way.
    pub front: Option<bool>,
}

/// Linear RGBA that a fragment may have: each channel lies in its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ColorBox {
    /// Red, green, blue and alpha, alpha not multiplied in.
    pub channels: [Interval; 4],
}
