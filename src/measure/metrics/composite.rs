//! Pictures on a background.
//!
//! Why it exists: metrics of perception are defined on what a display shows, and a display shows no alpha.

use super::super::picture::Picture;
use crate::PIECE;
use refrast_threads::filled;

/// The picture over a grey background, as 16-bit RGBA samples with opaque alpha: c · α + background · (1 − α), of the
/// stored (encoded) samples, which is how browsers and image viewers composite; rounded to nearest.
pub(super) fn composite(picture: &Picture, background: u16) -> Vec<u16> {
    let largest = u64::from(u16::MAX);
    let over = |color: u16, alpha: u64| -> u16 {
        let sum = u64::from(color) * alpha + u64::from(background) * (largest - alpha);
        // A weighted mean of two 16-bit values.
        ((sum + largest / 2) / largest) as u16
    };
    let samples = picture.samples16();
    let pixels = samples.as_chunks::<4>().0;
    let laid = |place: usize| {
        let [red, green, blue, alpha] = pixels[place];
        let alpha = u64::from(alpha);
        [over(red, alpha), over(green, alpha), over(blue, alpha), u16::MAX]
    };
    filled(pixels.len(), PIECE, laid).into_flattened()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_covered_red_is_half_the_background() {
        let picture = Picture::from_rgba8(3, 1, vec![255, 0, 0, 51, 9, 9, 9, 0, 1, 2, 3, 255]).unwrap();
        // Alpha 51/255 = 1/5: 0.2 · 65535 = 13107, 0.8 · 65535 = 52428.
        let on_white = composite(&picture, 65535);
        assert_eq!(on_white[..4], [65535, 52428, 52428, 65535]);
        assert_eq!(on_white[4..8], [65535; 4]);
        assert_eq!(on_white[8..], [257, 514, 771, 65535]);
        assert_eq!(composite(&picture, 0)[..4], [13107, 0, 0, 65535]);
    }
}
