//! One test for each rasterisation mistake that shipped renderers made; the name holds the mistake's id.
//!
//! Expected pixels and numbers are worked out by hand in the comments.

use crate::support::{at, bits, draw, render, settings, shape, stream};
use refrast::raster::{
    AlphaMode, Convention, CullMode, DepthTest, Draw, DrawState, FrontFace, PrimitiveTopology, RasterSettings,
    VertexStream,
};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
const BLUE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];
const NOTHING: [f32; 4] = [0.0; 4];

/// A square of window space as two triangles, clockwise in the picture.
fn square(settings: &RasterSettings, [x0, y0, x1, y1]: [f32; 4], depth: f32, colour: [f32; 4]) -> VertexStream {
    let corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)];
    stream(&corners.map(|(x, y)| (at(settings, x, y, depth), colour)))
}

const SQUARE: [u32; 6] = [0, 1, 2, 0, 2, 3];

#[test]
fn pixel_centre_integer() {
    // The square from (0.75, 0.75) to (3.25, 3.25) holds the centres 1.5 and 2.5 in both directions. Samples at
    // integers would give the pixels 1, 2 and 3.
    let settings = settings(8, 8);
    let square = square(&settings, [0.75, 0.75, 3.25, 3.25], 0.5, RED);
    let (target, _) = render(&settings, &[draw(&square, &SQUARE, DrawState::default())]);
    let expected = ["........", ".##.....", ".##.....", "........", "........", "........", "........", "........"];
    assert_eq!(shape(&target), expected);
}

#[test]
fn fill_rule_missing() {
    // The diagonal of a square whose corners are pixel corners runs through the centres of the pixels on it. With
    // blending at alpha 1/2 a double hit would show as 3/4, a crack as 0.
    let settings = settings(8, 8);
    let square = square(&settings, [1.0, 1.0, 7.0, 7.0], 0.5, [1.0, 1.0, 1.0, 0.5]);
    let state = DrawState { alpha: AlphaMode::Blend, depth_write: false, ..DrawState::default() };
    let (target, _) = render(&settings, &[draw(&square, &SQUARE, state)]);
    for y in 0..8 {
        for x in 0..8 {
            let inside = (1..7).contains(&x) && (1..7).contains(&y);
            let expected = if inside { [0.5, 0.5, 0.5, 0.5] } else { NOTHING };
            assert_eq!(target.pixel(x, y), Some(expected), "pixel {x}, {y}");
        }
    }
}

#[test]
fn fill_rule_bottom_right() {
    // All four sides run through pixel centres, from 1.5 to 4.5: the top and left ones own theirs, so that the pixels
    // are 1, 2 and 3 and not 2, 3 and 4.
    let settings = settings(8, 8);
    let square = square(&settings, [1.5, 1.5, 4.5, 4.5], 0.5, RED);
    let (target, _) = render(&settings, &[draw(&square, &SQUARE, DrawState::default())]);
    let expected = ["........", ".###....", ".###....", ".###....", "........", "........", "........", "........"];
    assert_eq!(shape(&target), expected);
}

/// A strip across a picture of 8×8 whose left side has w = 1 and right side w = 3; red goes from 0 to 1, depth (after
/// the divide) from 0.25 to 0.75.
fn receding() -> (RasterSettings, VertexStream) {
    let settings = settings(8, 8);
    let near = |y: f32| [-1.0, y, 0.25, 1.0];
    let far = |y: f32| [3.0, 3.0 * y, 2.25, 3.0];
    let (black, red) = ([0.0, 0.0, 0.0, 1.0], RED);
    let stream = stream(&[(near(1.0), black), (far(1.0), red), (far(-1.0), red), (near(-1.0), black)]);
    (settings, stream)
}

#[test]
fn affine_interpolation() {
    // At the window fraction t: 1/w = 1 − t·2/3, and red = (t/3) / (1 − t·2/3) = t / (3 − 2t).
    let (settings, stream) = receding();
    let (target, _) = render(&settings, &[draw(&stream, &SQUARE, DrawState::default())]);
    for x in 0..8 {
        let t = (x as f64 + 0.5) / 8.0;
        let expected = t / (3.0 - 2.0 * t);
        let red = f64::from(target.pixel(x, 3).expect("a pixel of the picture")[0]);
        assert!((red - expected).abs() < 1e-6, "column {x}: {red}, expected {expected}, affine would be {t}");
    }
}

#[test]
fn depth_perspective() {
    // Window depth is linear in the window: 0.25 + t/2. As an attribute over w it would be bent towards the near side.
    let (settings, stream) = receding();
    let (target, _) = render(&settings, &[draw(&stream, &SQUARE, DrawState::default())]);
    for x in 0..8 {
        let expected = 0.25 + (x as f64 + 0.5) / 16.0;
        let depth = f64::from(target.depth(x, 5, 0).expect("depth is kept"));
        assert!((depth - expected).abs() < 1e-6, "column {x}: {depth}, expected {expected}");
    }
}

#[test]
fn near_clip_missing() {
    // A floor that starts behind the eye: positions (x, y, z, w) with z = w − 1 (near plane at distance 1), from
    // w = −2 to w = 4. The eye's height is 1, so that y = −1 everywhere and the floor is seen where y/w ≥ −1 … up to
    // y/w = −1/4: window rows from (1 + 1/4)/2·16 = 10 downward, over the full width (|x| = 8 ≥ w).
    let settings = settings(16, 16);
    let floor = stream(&[
        ([-8.0, -1.0, -3.0, -2.0], GREEN),
        ([-8.0, -1.0, 3.0, 4.0], GREEN),
        ([8.0, -1.0, 3.0, 4.0], GREEN),
        ([8.0, -1.0, -3.0, -2.0], GREEN),
    ]);
    let (target, statistics) = render(&settings, &[draw(&floor, &SQUARE, DrawState::default())]);
    assert_eq!(statistics.clipped, 2);
    for y in 0..16 {
        for x in 0..16 {
            let expected = if y >= 10 { GREEN } else { NOTHING };
            let pixel = target.pixel(x, y).expect("a pixel of the picture");
            let close = pixel.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6);
            assert!(close, "pixel {x}, {y}: {pixel:?}");
        }
    }
}

#[test]
fn near_clip_keeps_attributes() {
    // The same floor with red = w/4. On the floor w = −1/(y/w) = 1/(2(y + 0.5)/16 − 1).
    let settings = settings(16, 16);
    let colour = |w: f32| [w / 4.0, 0.0, 0.0, 1.0];
    let floor = stream(&[
        ([-8.0, -1.0, -3.0, -2.0], colour(-2.0)),
        ([-8.0, -1.0, 3.0, 4.0], colour(4.0)),
        ([8.0, -1.0, 3.0, 4.0], colour(4.0)),
        ([8.0, -1.0, -3.0, -2.0], colour(-2.0)),
    ]);
    let (target, _) = render(&settings, &[draw(&floor, &SQUARE, DrawState::default())]);
    for y in 10..16 {
        let expected = 0.25 / ((y as f64 + 0.5) / 8.0 - 1.0);
        for x in 0..16 {
            let red = f64::from(target.pixel(x, y).expect("a pixel of the picture")[0]);
            // The cut's corners are rounded to the grid of 1/256 pixel: 2^-9 pixels of 16 rows, times d(1/w)/w².
            assert!((red - expected).abs() < 2e-3, "pixel {x}, {y}: {red}, expected {expected}");
        }
    }
}

#[test]
fn guard_band_overflow() {
    // Half planes of the picture by triangles that reach 2^40 pixels far: dropped, wrapped or imprecise ones would not
    // end exactly at the column 8. The third corner lies on the line x = 8 too, so that clipping cannot tilt it.
    let settings = settings(16, 16);
    let far = 1.0e11;
    let half = stream(&[([0.0, far, 0.5, 1.0], RED), ([0.0, -far, 0.5, 1.0], RED), ([-far, 0.0, 0.5, 1.0], RED)]);
    let (target, statistics) = render(&settings, &[draw(&half, &[0, 1, 2], DrawState::default())]);
    assert_eq!(statistics.clipped, 1);
    for y in 0..16 {
        for x in 0..16 {
            let expected = if x < 8 { 1.0 } else { 0.0 };
            let red = target.pixel(x, y).expect("a pixel of the picture")[0];
            assert!((red - expected).abs() < 1e-5, "pixel {x}, {y}: {red}");
        }
    }
}

#[test]
fn depth_test_less_equal() {
    let settings = settings(8, 8);
    let first = square(&settings, [0.0, 0.0, 8.0, 8.0], 0.5, RED);
    let second = square(&settings, [0.0, 0.0, 8.0, 8.0], 0.5, GREEN);
    for (depth_test, winner) in [(DepthTest::Less, RED), (DepthTest::LessOrEqual, GREEN)] {
        let state = DrawState { depth_test, ..DrawState::default() };
        let (target, _) = render(&settings, &[draw(&first, &SQUARE, state), draw(&second, &SQUARE, state)]);
        assert_eq!(target.pixel(3, 3), Some(winner), "{depth_test:?}");
    }
}

#[test]
fn depth_test_less_equal_masked() {
    // Masked fragments wait for their alpha; that must not let a later opaque one of equal depth slip past them.
    let settings = settings(8, 8);
    let first = square(&settings, [0.0, 0.0, 8.0, 8.0], 0.5, RED);
    let second = square(&settings, [0.0, 0.0, 8.0, 8.0], 0.5, GREEN);
    for (depth_test, winner) in [(DepthTest::Less, RED), (DepthTest::LessOrEqual, GREEN)] {
        let opaque = DrawState { depth_test, ..DrawState::default() };
        let masked = DrawState { alpha: AlphaMode::Mask { cutoff: 0.5 }, ..opaque };
        let (target, _) = render(&settings, &[draw(&first, &SQUARE, masked), draw(&second, &SQUARE, opaque)]);
        assert_eq!(target.pixel(3, 3), Some(winner), "{depth_test:?}");
    }
}

#[test]
fn depth_range_gl() {
    // Clip z = 0.5, w = 1 is window depth 0.5 for D3D and Vulkan and 0.75 for OpenGL. z = −0.5 is in front of the near
    // plane for the first two and depth 0.25 for OpenGL.
    let cases = [
        (Convention::D3d, 0.5, Some(0.5)),
        (Convention::Vulkan, 0.5, Some(0.5)),
        (Convention::OpenGl, 0.5, Some(0.75)),
        (Convention::D3d, -0.5, None),
        (Convention::Vulkan, -0.5, None),
        (Convention::OpenGl, -0.5, Some(0.25)),
    ];
    for (convention, z, expected) in cases {
        let settings = RasterSettings { convention, ..settings(8, 8) };
        let square = square(&settings, [0.0, 0.0, 8.0, 8.0], z, RED);
        let (target, _) = render(&settings, &[draw(&square, &SQUARE, DrawState::default())]);
        assert_eq!(target.depth(4, 4, 0), Some(expected.unwrap_or(1.0)), "{convention:?}, z = {z}");
        assert_eq!(target.pixel(4, 4), Some(if expected.is_some() { RED } else { NOTHING }));
    }
}

#[test]
fn cull_front() {
    // Clockwise and counter-clockwise as seen in the picture: (1,1) → (7,1) → (1,7) turns clockwise.
    let settings = settings(8, 8);
    let corners = [(1.0, 1.0), (7.0, 1.0), (1.0, 7.0)];
    let triangle = stream(&corners.map(|(x, y)| (at(&settings, x, y, 0.5), RED)));
    let clockwise = [0, 1, 2];
    let counter_clockwise = [0, 2, 1];
    let cases = [
        (CullMode::Back, FrontFace::CounterClockwise, clockwise, false),
        (CullMode::Back, FrontFace::CounterClockwise, counter_clockwise, true),
        (CullMode::Back, FrontFace::Clockwise, clockwise, true),
        (CullMode::Back, FrontFace::Clockwise, counter_clockwise, false),
        (CullMode::Front, FrontFace::CounterClockwise, clockwise, true),
        (CullMode::Front, FrontFace::CounterClockwise, counter_clockwise, false),
        (CullMode::None, FrontFace::CounterClockwise, clockwise, true),
        (CullMode::None, FrontFace::CounterClockwise, counter_clockwise, true),
    ];
    for (cull, front_face, indices, seen) in cases {
        let state = DrawState { cull, front_face, ..DrawState::default() };
        let (target, statistics) = render(&settings, &[draw(&triangle, &indices, state)]);
        assert_eq!(target.pixel(2, 2) == Some(RED), seen, "{cull:?} {front_face:?} {indices:?}");
        assert_eq!(statistics.culled, usize::from(!seen));
    }
}

#[test]
fn y_flipped() {
    // Clip y = 0.7 is row (1 − 0.7)/2·8 = 1.2 from the top where +y is up, and (1 + 0.7)/2·8 = 6.8 where +y is down.
    for (convention, row) in [(Convention::OpenGl, 1), (Convention::D3d, 1), (Convention::Vulkan, 6)] {
        let settings = RasterSettings { convention, ..settings(8, 8) };
        let point = stream(&[([-0.1, 0.7, 0.5, 1.0], RED)]);
        let points = Draw { topology: PrimitiveTopology::Points, ..draw(&point, &[0], DrawState::default()) };
        let (target, _) = render(&settings, &[points]);
        let rows: Vec<usize> = (0..8).filter(|&y| target.pixel(3, y) == Some(RED)).collect();
        assert_eq!(rows, [row], "{convention:?}");
    }
}

#[test]
fn blend_order() {
    // Over black: red at 1/2, then blue at 1/2: (0.5·0.5, 0, 0.5), alpha 0.5 + 0.5·0.5. The depths would say the
    // reverse; the stated order decides.
    let settings = settings(8, 8);
    let glass = |colour: [f32; 4], depth| square(&settings, [0.0, 0.0, 8.0, 8.0], depth, colour);
    let red = glass([1.0, 0.0, 0.0, 0.5], 0.2);
    let blue = glass([0.0, 0.0, 1.0, 0.5], 0.8);
    let state = DrawState { alpha: AlphaMode::Blend, depth_write: false, ..DrawState::default() };
    let (target, _) = render(&settings, &[draw(&red, &SQUARE, state), draw(&blue, &SQUARE, state)]);
    assert_eq!(target.pixel(3, 3), Some([0.25, 0.0, 0.5, 0.75]));
    let (target, _) = render(&settings, &[draw(&blue, &SQUARE, state), draw(&red, &SQUARE, state)]);
    assert_eq!(target.pixel(3, 3), Some([0.5, 0.0, 0.25, 0.75]));
}

#[test]
fn blend_order_comes_after_opaque() {
    // Glass that is submitted first is still laid over the wall behind it, and not over the wall before it.
    let settings = settings(8, 8);
    let glass = square(&settings, [0.0, 0.0, 8.0, 8.0], 0.5, [1.0, 0.0, 0.0, 0.5]);
    let behind = square(&settings, [0.0, 0.0, 4.0, 8.0], 0.8, BLUE);
    let before = square(&settings, [4.0, 0.0, 8.0, 8.0], 0.2, BLUE);
    let blend = DrawState { alpha: AlphaMode::Blend, depth_write: false, ..DrawState::default() };
    let opaque = DrawState::default();
    let draws = [draw(&glass, &SQUARE, blend), draw(&behind, &SQUARE, opaque), draw(&before, &SQUARE, opaque)];
    let (target, _) = render(&settings, &draws);
    assert_eq!(target.pixel(1, 3), Some([0.5, 0.0, 0.5, 1.0]));
    assert_eq!(target.pixel(6, 3), Some(BLUE));
}

#[test]
fn alpha_mask_drops_before_depth() {
    // Alpha goes from 0 to 1 over eight columns, (x + 0.5)/8: with the cutoff 0.5 columns 4 to 7 stay. What is dropped
    // leaves no depth: the green wall behind shows.
    let settings = settings(8, 8);
    let [x0, x1] = [[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0]];
    let corners = [(0.0, 0.0, x0), (8.0, 0.0, x1), (8.0, 8.0, x1), (0.0, 8.0, x0)];
    let leaf = stream(&corners.map(|(x, y, colour)| (at(&settings, x, y, 0.2), colour)));
    let wall = square(&settings, [0.0, 0.0, 8.0, 8.0], 0.8, GREEN);
    let mask = DrawState { alpha: AlphaMode::Mask { cutoff: 0.5 }, ..DrawState::default() };
    let (target, _) = render(&settings, &[draw(&leaf, &SQUARE, mask), draw(&wall, &SQUARE, DrawState::default())]);
    for x in 0..8 {
        let pixel = target.pixel(x, 4).expect("a pixel of the picture");
        let depth = target.depth(x, 4, 0).expect("depth is kept");
        let (red, expected_depth) = if x < 4 { (0.0, 0.8) } else { (1.0, 0.2) };
        assert!((pixel[0] - red).abs() < 1e-6 && (depth - expected_depth).abs() < 1e-6, "column {x}");
    }
}

#[test]
fn positions_that_are_not_numbers_are_dropped_and_counted() {
    let settings = settings(8, 8);
    let good = square(&settings, [0.0, 0.0, 8.0, 8.0], 0.5, RED);
    let (expected, _) = render(&settings, &[draw(&good, &[0, 1, 2], DrawState::default())]);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for plane in 0..4 {
            let mut stream = good.clone();
            [&mut stream.x, &mut stream.y, &mut stream.z, &mut stream.w][plane][3] = bad;
            let (target, statistics) = render(&settings, &[draw(&stream, &SQUARE, DrawState::default())]);
            assert_eq!(statistics.not_finite, 1);
            assert_eq!(bits(&target), bits(&expected), "the other triangle is not touched");
        }
    }
}
