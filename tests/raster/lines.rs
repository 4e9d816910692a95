//! Lines against the diamond-exit rule of OpenGL (4.6 core profile, section 14.5.1), which lets another rule differ from
//! it by one pixel in place and one in number, and forbids two pixels of an x-major line in a column.

use crate::support::{at, draw, render, settings, shape, stream};
use proptest::prelude::*;
use refrast::raster::{Draw, DrawState, PrimitiveTopology};

/// Pixels a side; one is 256 steps of the snap grid.
const SIZE: i64 = 32;
const ONE: i64 = 256;

/// Whether the segment from `a` to `b`, in steps, leaves the open diamond |x − xf| + |y − yf| < 1/2 around the centre of
/// a pixel: it meets the diamond and does not end in it. `None` where it touches the border, so that the perturbation of
/// the ends that the specification imagines would decide.
fn exits_diamond(a: [i64; 2], b: [i64; 2], pixel: [i64; 2]) -> Option<bool> {
    let centre = pixel.map(|p| p * ONE + ONE / 2);
    let [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    // The distance |x − xf| + |y − yf| along the segment is convex and bends where x = xf and where y = yf: its least
    // value is there or at an end. Position t of the segment is numerator / denominator.
    let bends = [(0, 1), (1, 1), (centre[0] - a[0], dx), (centre[1] - a[1], dy)];
    let mut meets = false;
    for (numerator, denominator) in bends {
        let (numerator, denominator) = (numerator * denominator.signum(), denominator.abs());
        if denominator == 0 || numerator < 0 || numerator > denominator {
            continue;
        }
        let from_centre = |i: usize, d: i64| ((a[i] - centre[i]) * denominator + d * numerator).abs();
        let distance = from_centre(0, dx) + from_centre(1, dy);
        match distance.cmp(&(ONE / 2 * denominator)) {
            std::cmp::Ordering::Less => meets = true,
            std::cmp::Ordering::Equal => return None,
            std::cmp::Ordering::Greater => {}
        }
    }
    let ends = (b[0] - centre[0]).abs() + (b[1] - centre[1]).abs() < ONE / 2;
    Some(meets && !ends)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_line_is_as_near_to_diamond_exit_as_must_be(
        a in prop::array::uniform2(2 * ONE..(SIZE - 2) * ONE), b in prop::array::uniform2(2 * ONE..(SIZE - 2) * ONE),
    ) {
        prop_assume!(a != b);
        let pixels: Vec<[i64; 2]> = (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| [x, y])).collect();
        let ideal: Option<Vec<bool>> = pixels.iter().map(|&pixel| exits_diamond(a, b, pixel)).collect();
        prop_assume!(ideal.is_some());
        let ideal: Vec<[i64; 2]> =
            pixels.iter().zip(ideal.unwrap_or_default()).filter(|(_, exits)| *exits).map(|(pixel, _)| *pixel).collect();

        let settings = settings(SIZE as u32, SIZE as u32);
        let window = |p: [i64; 2]| at(&settings, p[0] as f32 / ONE as f32, p[1] as f32 / ONE as f32, 0.5);
        let ends = stream(&[(window(a), [1.0; 4]), (window(b), [1.0; 4])]);
        let line = Draw { topology: PrimitiveTopology::Lines, ..draw(&ends, &[0, 1], DrawState::default()) };
        let rows = shape(&render(&settings, &[line]).0);
        let drawn: Vec<[i64; 2]> = pixels
            .into_iter()
            .filter(|&[x, y]| rows[y as usize].as_bytes()[x as usize] == b'#')
            .collect();

        prop_assert!(drawn.len().abs_diff(ideal.len()) <= 1, "{a:?} to {b:?}: {drawn:?}, diamond exit {ideal:?}");
        let major = usize::from((b[0] - a[0]).abs() < (b[1] - a[1]).abs());
        for (i, pixel) in drawn.iter().enumerate() {
            let twice = drawn[..i].iter().any(|other| other[major] == pixel[major]);
            prop_assert!(!twice, "{a:?} to {b:?}: two pixels at {}", pixel[major]);
        }
        // Apart from the ends both are the same pixels.
        let missing = ideal.iter().filter(|pixel| !drawn.contains(pixel)).count();
        let surplus = drawn.iter().filter(|pixel| !ideal.contains(pixel)).count();
        prop_assert!(missing <= 1 && surplus <= 1, "{a:?} to {b:?}: {drawn:?}, diamond exit {ideal:?}");
    }
}
