//! Lines, points, four samples, masks over tiles, errors: what the traps do not ask.

use crate::support::{VertexColour, at, draw, render, settings, shape, stream};
use refrast::raster::{
    AlphaMode, Draw, DrawState, LinearRgba, MAX_SIZE, PrimitiveTopology, RasterError, RasterSettings, Rasteriser,
    SampleCount, Target, VertexStream,
};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

fn lines(settings: &RasterSettings, ends: &[(f32, f32)]) -> Vec<String> {
    let vertices: Vec<_> = ends.iter().map(|&(x, y)| (at(settings, x, y, 0.5), RED)).collect();
    let stream = stream(&vertices);
    let indices: Vec<u32> = (1..ends.len() as u32).flat_map(|i| [i - 1, i]).collect();
    let line = draw(&stream, &indices, DrawState::default());
    shape(&render(settings, &[Draw { topology: PrimitiveTopology::Lines, ..line }]).0)
}

#[test]
fn a_line_covers_one_pixel_a_column_or_row() {
    let settings = settings(8, 8);
    // Along x from 1.5 to 5.5 at y = 2.5: the columns whose centres lie in [1.5, 5.5).
    let rows = lines(&settings, &[(1.5, 2.5), (5.5, 2.5)]);
    assert_eq!(rows[2], ".####...");
    assert_eq!(rows.iter().filter(|row| row.contains('#')).count(), 1);
    // The other way round the same pixels, by the same rule.
    assert_eq!(lines(&settings, &[(5.5, 2.5), (1.5, 2.5)]), rows);
    // Along y.
    let rows = lines(&settings, &[(3.5, 1.0), (3.5, 6.0)]);
    let expected = ["........", "...#....", "...#....", "...#....", "...#....", "...#....", "........", "........"];
    assert_eq!(rows, expected);
    // Slope 1/2 from (0, 1): at the centres x + 0.5 the line is at y = 1.25, 1.75, 2.25 …
    let rows = lines(&settings, &[(0.0, 1.0), (8.0, 5.0)]);
    let expected = ["........", "##......", "..##....", "....##..", "......##", "........", "........", "........"];
    assert_eq!(rows, expected);
}

#[test]
fn a_connected_line_hits_each_of_its_pixels_once() {
    let settings = settings(32, 32);
    let ends = [(1.3, 2.7), (9.1, 5.2), (14.6, 6.9), (29.8, 4.1)];
    let vertices = ends.map(|(x, y)| (at(&settings, x, y, 0.5), [1.0, 1.0, 1.0, 0.5]));
    let stream = stream(&vertices);
    let state = DrawState { alpha: AlphaMode::Blend, depth_write: false, ..DrawState::default() };
    let line = Draw { topology: PrimitiveTopology::Lines, ..draw(&stream, &[0, 1, 1, 2, 2, 3], state) };
    let (target, _) = render(&settings, &[line]);
    for x in 0..32 {
        let column: Vec<f32> = (0..32).filter_map(|y| target.pixel(x, y)).map(|p| p[3]).filter(|&a| a > 0.0).collect();
        // The centres of the columns 1 to 29 lie in [1.3, 29.8).
        let expected: &[f32] = if (1..30).contains(&x) { &[0.5] } else { &[] };
        assert_eq!(column, expected, "column {x}");
    }
}

#[test]
fn a_line_interpolates_and_is_clipped_at_the_near_plane() {
    // x = −0.5 + 2t, z = 0.5 − 2t, w = 1 − 2t, red = t: the near plane z = 0 cuts at t = 1/4. So the window's X = x/w
    // goes from −0.5 to 0, and t = (X + 0.5) / (2 + 2X).
    let settings = settings(8, 8);
    let ends = stream(&[([-0.5, 0.1, 0.5, 1.0], [0.0, 0.0, 0.0, 1.0]), ([1.5, 0.1, -1.5, -1.0], RED)]);
    let line = Draw { topology: PrimitiveTopology::Lines, ..draw(&ends, &[0, 1], DrawState::default()) };
    let (target, statistics) = render(&settings, &[line]);
    assert_eq!(statistics.clipped, 1);
    for column in 2..4 {
        let x = (f64::from(column) + 0.5) / 4.0 - 1.0;
        let expected = (x + 0.5) / (2.0 + 2.0 * x);
        let seen: Vec<f64> = (0..8)
            .filter_map(|y| target.pixel(column as usize, y))
            .filter(|pixel| pixel[3] > 0.0)
            .map(|pixel| f64::from(pixel[0]))
            .collect();
        assert!(seen.len() == 1 && (seen[0] - expected).abs() < 2e-3, "column {column}: {seen:?}, expected {expected}");
    }
    let beyond = (4..8).any(|x| (0..8).any(|y| target.pixel(x, y) != Some([0.0; 4])));
    assert!(!beyond, "nothing behind the near plane");
}

#[test]
fn a_point_is_the_pixel_that_holds_it() {
    let settings = settings(8, 8);
    let places = [(0.5, 0.5), (3.1, 3.9), (6.99, 2.01), (7.5, 7.5), (8.2, 4.0), (4.0, -0.1)];
    let vertices = places.map(|(x, y)| (at(&settings, x, y, 0.5), RED));
    let stream = stream(&vertices);
    let points = draw(&stream, &[0, 1, 2, 3, 4, 5], DrawState::default());
    let (target, _) = render(&settings, &[Draw { topology: PrimitiveTopology::Points, ..points }]);
    // The last two lie outside of the picture: points are clipped as a whole.
    let expected = ["#.......", "........", "......#.", "...#....", "........", "........", "........", ".......#"];
    assert_eq!(shape(&target), expected);
}

#[test]
fn four_samples_average_in_linear_light() {
    // A red wall up to x = 4.5: of the samples at 6/16, 14/16, 2/16 and 10/16 of column 4 two are covered.
    let settings = RasterSettings { samples: SampleCount::Four, ..settings(8, 8) };
    let corners = [(1.0, 0.0), (4.5, 0.0), (4.5, 8.0), (1.0, 8.0)];
    let wall = stream(&corners.map(|(x, y)| (at(&settings, x, y, 0.25), RED)));
    let (target, _) = render(&settings, &[draw(&wall, &[0, 1, 2, 0, 2, 3], DrawState::default())]);
    for y in 0..8 {
        let row: Vec<f32> = (0..8).filter_map(|x| target.pixel(x, y)).map(|pixel| pixel[0]).collect();
        assert_eq!(row, [0.0, 1.0, 1.0, 1.0, 0.5, 0.0, 0.0, 0.0], "row {y}");
        let depths: Vec<_> = (0..4).filter_map(|sample| target.depth(4, y, sample)).collect();
        assert_eq!(depths, [0.25, 1.0, 0.25, 1.0], "samples 0 and 2 are covered");
    }
}

#[test]
fn four_samples_shade_at_the_pixel_centre() {
    // Red is the window's x. The wall ends at 4.25, before the centre of column 4: its colour there is extrapolated.
    let settings = RasterSettings { samples: SampleCount::Four, ..settings(8, 8) };
    let corners = [(0.0, 0.0), (4.25, 0.0), (4.25, 8.0), (0.0, 8.0)];
    let wall = stream(&corners.map(|(x, y)| (at(&settings, x, y, 0.25), [x, 0.0, 0.0, 1.0])));
    let (target, _) = render(&settings, &[draw(&wall, &[0, 1, 2, 0, 2, 3], DrawState::default())]);
    // Of column 4 only the sample at 2/16 is covered: a quarter of 4.5.
    let red = target.pixel(4, 3).expect("a pixel of the picture")[0];
    assert!((red - 4.5 / 4.0).abs() < 1e-5, "{red}");
}

#[test]
fn what_does_not_fit_together_is_an_error_that_names_the_place() {
    let fine = stream(&[(at(&settings(8, 8), 1.0, 1.0, 0.5), RED); 3]);
    let mut short = fine.clone();
    short.w.pop();
    let attempt = |settings: &RasterSettings, stream: &VertexStream, indices: &[u32]| {
        let draws: [Draw<'_, VertexColour>; 1] = [draw(stream, indices, DrawState::default())];
        Rasteriser::new().draw(settings, &draws, &LinearRgba, &mut Target::new()).map(|_| ())
    };
    let good = settings(8, 8);
    assert_eq!(attempt(&good, &fine, &[0, 1, 2]), Ok(()));
    assert_eq!(attempt(&good, &fine, &[0, 1]), Err(RasterError::IndexCount { draw: 0, count: 2, arity: 3 }));
    assert_eq!(
        attempt(&good, &fine, &[0, 1, 7]),
        Err(RasterError::IndexRange { draw: 0, position: 2, index: 7, vertices: 3 })
    );
    assert_eq!(attempt(&good, &short, &[0, 1, 2]), Err(RasterError::StreamShape { draw: 0, vertices: 3 }));
    for (width, height) in [(0, 8), (8, 0), (MAX_SIZE + 1, 8)] {
        assert_eq!(attempt(&settings(width, height), &fine, &[]), Err(RasterError::Size { width, height }));
    }
    for bits in [3, 17] {
        let settings = RasterSettings { subpixel_bits: bits, ..good };
        assert_eq!(attempt(&settings, &fine, &[]), Err(RasterError::SubpixelBits(bits)));
    }
}

#[test]
fn edges_are_exact_to_the_last_pixel_of_the_largest_picture() {
    // 16 grid bits: corners as far away as the guard band allows, edge values of up to 62 bits.
    // The last one is drawn in two bands.
    for (width, height) in [(MAX_SIZE, 9), (9, MAX_SIZE), (4096, 2113)] {
        let settings = RasterSettings { subpixel_bits: 16, ..settings(width, height) };
        let far = MAX_SIZE as f32;
        for corners in [
            [[-far, -far], [far, -far + 3.0], [far - 1.0, far]],
            [[-far + 0.5, far], [far - 2.0, -far], [far, far - 1.0]],
            [[far, 0.0], [far, far], [-7.0, 9.0]],
        ] {
            let stream = stream(&corners.map(|[x, y]| (at(&settings, x, y, 0.5), RED)));
            let draws = [draw(&stream, &[0, 1, 2], DrawState::default())];
            let mut rasteriser = Rasteriser::new();
            let mut target = Target::new();
            rasteriser.draw(&settings, &draws, &LinearRgba, &mut target).expect("a valid draw");
            // A corner that f32 has put beyond the band makes several triangles of one.
            let triangles: Vec<[[i128; 2]; 3]> = (rasteriser.triangles())
                .map(|(_, triangle)| [0, 1, 2].map(|i| triangle.corner(i).map(i128::from)))
                .collect();
            let covers = |x: usize, y: usize| {
                let [px, py] = [x, y].map(|pixel| (pixel as i128 * 2 + 1) << 15);
                triangles.iter().any(|corner| {
                    (0..3).all(|i| {
                        let ([ax, ay], [bx, by]) = (corner[i], corner[(i + 1) % 3]);
                        let value = (bx - ax) * (py - ay) - (by - ay) * (px - ax);
                        let top_left = by < ay || (by == ay && bx > ax);
                        value > 0 || (value == 0 && top_left)
                    })
                })
            };
            let is_red = |x, y| target.pixel(x, y) == Some(RED);
            let mut covered = 0;
            for y in 0..height as usize {
                for x in 0..width as usize {
                    assert_eq!(is_red(x, y), covers(x, y), "{width}x{height}, {corners:?}: pixel {x}, {y}");
                    covered += usize::from(is_red(x, y));
                }
            }
            assert!(covered > 0, "{width}x{height}, {corners:?}");
        }
    }
}
