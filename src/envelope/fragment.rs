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
    /// The same as `weights` and `radius`, from another side: where it is known, both hold.
    pub shift: Option<Shift>,
    /// The same of half of the differences of adjacent `neighbours`.
    pub neighbour_shift: Option<Shift>,
    /// Window depth.
    pub depth: Interval,
    /// Which side is seen; `None` where the triangle may face either way.
    pub front: Option<bool>,
}

/// How far a backend's weights may be from exact ones because it takes those of a place nearby, the same place for all three.
///
/// Of a triangle that is hardly wide each weight changes much from place to place, and what is interpolated with all of them
/// little: for that the place counts, and not the weights one by one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// The exact weights at the place that is asked for.
    pub weights: [f64; 3],
    /// How each of them changes along x and y, a pixel; the sum of the three is 0.
    pub slopes: [[f64; 2]; 3],
    /// How far along x and y the place may be, in pixels.
    pub reach: [f64; 2],
    /// How far each weight may be off beside that.
    pub rest: [f64; 3],
}

/// Linear RGBA that a fragment may have: each channel lies in its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ColorBox {
    /// Red, green, blue and alpha, alpha not multiplied in.
    pub channels: [Interval; 4],
}
