//! A second picture beside or over the first, and pixels that step back behind others.
//!
//! Why it exists: that is done for each pixel of a window, and everything else about it but once a picture.

use super::colors::ColorBar;
use refrast_measure::envelope::PixelClass;

/// Shows the left part of each row of a picture, and from column `line` on that of another one of the same size: R G B A bytes of
/// `width` columns.
pub fn split(rgba: &mut [u8], other: &[u8], width: usize, line: usize) {
    let start = 4 * line.min(width);
    for (row, other) in rgba.chunks_exact_mut(4 * width).zip(other.chunks_exact(4 * width)) {
        row[start..].copy_from_slice(&other[start..]);
    }
}

/// Shows in colours how many steps of 255 two pictures of the same size are apart, in R, G or B.
pub fn differences(rgba: &mut [u8], other: &[u8], bar: &ColorBar) {
    let colors: [[u8; 3]; 256] = std::array::from_fn(|steps| bar.color(steps as f32));
    for (pixel, other) in rgba.as_chunks_mut::<4>().0.iter_mut().zip(other.as_chunks::<4>().0) {
        let steps = [0, 1, 2].map(|i| pixel[i].abs_diff(other[i]));
        let [red, green, blue] = colors[usize::from(steps[0].max(steps[1]).max(steps[2]))];
        *pixel = [red, green, blue, 255];
    }
}

/// The colour that a pixel of a class lights up in.
#[must_use]
pub const fn class_color(class: PixelClass) -> Option<[u8; 3]> {
    match class {
        PixelClass::Right => None,
        PixelClass::Outside => Some([255, 64, 48]),
        PixelClass::Missing => Some([70, 170, 255]),
        PixelClass::Unexpected => Some([255, 214, 0]),
        PixelClass::Undecided => Some([180, 120, 255]),
    }
}

/// Lights up the pixels of a row that are not right, and marks them; the others step back. `None` is a row that is right.
pub fn light_up(row: &mut [u8], marks: &mut [bool], classes: Option<&[PixelClass]>) {
    let class = |x: usize| classes.and_then(|classes| classes.get(x)).copied().unwrap_or(PixelClass::Right);
    for (x, (pixel, mark)) in row.as_chunks_mut::<4>().0.iter_mut().zip(marks).enumerate() {
        if let Some([red, green, blue]) = class_color(class(x)) {
            (*pixel, *mark) = ([red, green, blue, 255], true);
        } else {
            let grey = pixel.iter().take(3).map(|&byte| u32::from(byte)).sum::<u32>() / 3;
            for byte in &mut pixel[..3] {
                *byte = ((u32::from(*byte) + 3 * grey) / 7 + 24) as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_shows_both_and_a_difference_how_far_they_are_apart() {
        let (one, other) = ([10, 20, 30, 255, 40, 50, 60, 255], [12, 20, 29, 255, 0, 50, 60, 255]);
        let mut both = one;
        split(&mut both, &other, 2, 1);
        assert_eq!(both, [10, 20, 30, 255, 0, 50, 60, 255]);
        split(&mut both, &other, 2, 7);
        assert_eq!(both, [10, 20, 30, 255, 0, 50, 60, 255]);
        let (mut apart, bar) = (one, ColorBar { range: [0.0, 40.0], logarithmic: false });
        differences(&mut apart, &other, &bar);
        let ([a, b, c], [d, e, f]) = (bar.color(2.0), bar.color(40.0));
        assert_eq!(apart, [a, b, c, 255, d, e, f, 255]);
    }

    #[test]
    fn what_is_right_steps_back() {
        let (mut row, mut marks) = ([30, 60, 90, 255, 1, 2, 3, 255], [false; 2]);
        light_up(&mut row, &mut marks, Some(&[PixelClass::Right, PixelClass::Outside]));
        // The mean is 60: (30 + 180)/7 + 24 = 54, (60 + 180)/7 + 24 = 58, (90 + 180)/7 + 24 = 62.
        assert_eq!((row, marks), ([54, 58, 62, 255, 255, 64, 48, 255], [false, true]));
    }
}
