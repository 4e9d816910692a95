//! The difference picture: where the pictures differ, and how much.
//!
//! Why it exists: two pictures that alternate show *that* something differs; a heat map shows everything that does, at
//! once, against a dim golden that says where one is.

use crate::{ErrorMap, PIECE, Picture, PictureError, Rectangle};
use refrast_threads::filled;

/// Errors from 0 to 1 on a ramp whose brightness rises evenly: purple, red, orange, yellow, white.
const RAMP: [[f32; 3]; 6] = [
    [70.0, 20.0, 120.0],
    [140.0, 30.0, 130.0],
    [205.0, 55.0, 85.0],
    [245.0, 115.0, 40.0],
    [252.0, 195.0, 60.0],
    [255.0, 255.0, 225.0],
];

/// The heat map of a comparison, in the golden's size: equal pixels are the golden in dim grey, ignored ones hatched in
/// blue, all others on a ramp from purple to white by the square root of their error, so that one step of 255 shows.
///
/// # Errors
/// [`PictureError::Shape`] if the map has not the golden's size.
pub fn difference_picture(golden: &Picture, map: &ErrorMap, ignored: &[Rectangle]) -> Result<Picture, PictureError> {
    let (width, height) = golden.size();
    let samples = golden.samples8();
    let pixels = samples.as_chunks::<4>().0;
    let errors = map.values();
    let shown = |place: usize| {
        let error = errors[place];
        let [red, green, blue] = if error > 0.0 { ramp(error.sqrt()) } else { [dim(pixels[place]); 3] };
        [red, green, blue, u8::MAX]
    };
    let mut bytes = filled(pixels.len().min(errors.len()), PIECE, shown).into_flattened();
    hatch(golden, &mut bytes, ignored);
    Picture::from_rgba8(width, height, bytes)
}

/// Hatches ignored pixels in blue.
pub(super) fn hatch(golden: &Picture, bytes: &mut [u8], ignored: &[Rectangle]) {
    let (width, height) = golden.size();
    let samples = golden.samples8();
    let (golden, pixels) = (samples.as_chunks::<4>().0, bytes.as_chunks_mut::<4>().0);
    if pixels.len() != golden.len() {
        return;
    }
    for rectangle in ignored {
        for y in rectangle.rows(height) {
            for x in rectangle.columns(width) {
                let grey = dim(golden[y * width as usize + x]);
                let stripe = if (x + y) / 4 % 2 == 0 { 110 } else { 40 };
                pixels[y * width as usize + x] = [grey / 2, grey / 2 + 30, grey / 2 + stripe, u8::MAX];
            }
        }
    }
}

/// A third of the luma (Rec. 601), which leaves the colours of the ramp for the differences.
pub(super) fn dim([red, green, blue, alpha]: [u8; 4]) -> u8 {
    let luma = 299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue);
    // At most 255 · 255 · 1000 / 765 000 = 85.
    (luma * u32::from(alpha) / 765_000) as u8
}

fn ramp(share: f32) -> [u8; 3] {
    let place = share.clamp(0.0, 1.0) * (RAMP.len() - 1) as f32;
    let index = (place as usize).min(RAMP.len() - 2);
    let between = place - index as f32;
    std::array::from_fn(|channel| {
        let (low, high) = (RAMP[index][channel], RAMP[index + 1][channel]);
        (low + (high - low) * between + 0.5) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_differing_and_ignored_pixels_look_different() {
        let golden = Picture::from_rgba8(4, 1, vec![255; 16]).unwrap();
        let candidate =
            Picture::from_rgba8(4, 1, [vec![255; 4], vec![254; 4], vec![0; 4], vec![0; 4]].concat()).unwrap();
        let map = ErrorMap::of_channels(&golden, &candidate);
        let ignored = [Rectangle { x: 3, y: 0, width: 9, height: 9 }];
        let picture = difference_picture(&golden, &map, &ignored).unwrap();
        assert_eq!(picture.pixel(0, 0), Some([85, 85, 85, 255]), "white at a third");
        let [red, green, _, _] = picture.pixel(1, 0).unwrap();
        assert!(red > 70 && green < 40, "one step of 255 is on the ramp");
        assert_eq!(picture.pixel(2, 0), Some([255, 255, 225, 255]), "the largest error is at its end");
        let [red, green, blue, _] = picture.pixel(3, 0).unwrap();
        assert!(blue > green && green > red, "ignored is blue");
    }
}
