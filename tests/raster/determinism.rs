//! One scene gives one picture: any SIMD level, any number of threads, any place of the tiles' borders.

use crate::support::{EVERY_SAMPLE_COUNT, Random, VertexColour, at, bits, draw, render, settings, stream};
use refrast::{
    raster::{
        AlphaMode, DepthTest, Draw, DrawState, LinearRgba, PrimitiveTopology, RasterSettings, Rasteriser, Target,
        VertexStream,
    },
    simd::SimdLevel,
};

/// Small triangles, and every so often one that is large, crosses the near plane or lies far outside; with random
/// colours and alpha.
fn soup(random: &mut Random, triangles: u32, large_every: u32) -> (VertexStream, Vec<u32>) {
    let mut vertices = Vec::new();
    for triangle in 0..triangles {
        let large = [0.2, 1.0, 6.0][triangle as usize % 3];
        let size = if triangle % large_every == 0 { large } else { 0.02 };
        let centre = [random.range(-1.2, 1.2), random.range(-1.2, 1.2), random.range(0.1, 3.0)];
        for _ in 0..3 {
            let w = centre[2] + size * random.range(-0.5, 0.5);
            let [x, y] = [0, 1].map(|i: usize| (centre[i] + size * random.range(-1.0, 1.0)) * centre[2]);
            let colour = std::array::from_fn(|_| random.range(0.0, 1.0));
            vertices.push(([x, y, (w - 0.1) * 0.9, w], colour));
        }
    }
    (stream(&vertices), (0..triangles * 3).collect())
}

/// Opaque, masked and blended triangles, lines and points.
fn scene<'a>(stream: &'a VertexStream, indices: &'a [u32]) -> Vec<Draw<'a, VertexColour>> {
    let part = indices.len() / 6 / 6 * 6;
    let opaque = DrawState::default();
    let state = |alpha| DrawState { alpha, ..opaque };
    let mask = state(AlphaMode::Mask { cutoff: 0.4 });
    let blend = DrawState { depth_write: false, ..state(AlphaMode::Blend) };
    let or_equal = DrawState { depth_test: DepthTest::LessOrEqual, ..opaque };
    let lines = PrimitiveTopology::Lines;
    let points = PrimitiveTopology::Points;
    vec![
        draw(stream, &indices[..part], opaque),
        draw(stream, &indices[part..2 * part], mask),
        draw(stream, &indices[2 * part..3 * part], blend),
        draw(stream, &indices[3 * part..4 * part], or_equal),
        Draw { topology: lines, ..draw(stream, &indices[4 * part..5 * part], opaque) },
        Draw { topology: points, ..draw(stream, &indices[5 * part..], blend) },
        Draw { topology: lines, ..draw(stream, &indices[..part], blend) },
    ]
}

#[test]
fn every_simd_level_gives_equal_bits() {
    let mut random = Random::new(7);
    let (stream, indices) = soup(&mut random, 600, 2);
    for samples in EVERY_SAMPLE_COUNT {
        for subpixel_bits in [4, 8, 16] {
            let settings = RasterSettings { samples, subpixel_bits, ..settings(200, 150) };
            let (expected, statistics) = render(&settings, &scene(&stream, &indices));
            assert!(
                statistics.clipped > 0 && statistics.triangles > 300,
                "the scene has what it should: {statistics:?}"
            );
            for simd in SimdLevel::available() {
                let (target, _) = render(&RasterSettings { simd, ..settings }, &scene(&stream, &indices));
                assert!(bits(&target) == bits(&expected), "{simd} differs: {samples:?}, {subpixel_bits} bits");
            }
        }
    }
}

#[test]
fn every_number_of_threads_gives_equal_bits() {
    // More than one chunk of primitives and more than one tile.
    let mut random = Random::new(8);
    let (stream, indices) = soup(&mut random, 30_000, 200);
    for samples in EVERY_SAMPLE_COUNT {
        let settings = RasterSettings { samples, simd: SimdLevel::best(), ..settings(320, 200) };
        let pictures = [1, 2, 7].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| bits(&render(&settings, &scene(&stream, &indices)).0))
        });
        assert!(pictures[0] == pictures[1] && pictures[0] == pictures[2]);
    }
}

#[test]
fn a_rasteriser_that_is_used_again_gives_the_same_picture() {
    let mut random = Random::new(9);
    let (stream, indices) = soup(&mut random, 300, 2);
    let (small_stream, small_indices) = soup(&mut random, 60, 2);
    let mut rasteriser = Rasteriser::new();
    let mut target = Target::new();
    for samples in EVERY_SAMPLE_COUNT {
        for (size, stream, indices) in [(90, &stream, &indices), (50, &small_stream, &small_indices)] {
            let settings = RasterSettings { samples, ..settings(size, size) };
            let scene = scene(stream, indices);
            rasteriser.draw(&settings, &scene, &LinearRgba, &mut target).expect("a valid scene");
            assert!(bits(&target) == bits(&render(&settings, &scene).0), "{samples:?}, {size} pixels");
        }
    }
}

#[test]
fn borders_of_tiles_do_not_show() {
    // The same triangles, moved by whole pixels, land on other tiles and blocks; corners are multiples of 1/256 pixel,
    // so that nothing is rounded on the way.
    let mut random = Random::new(10);
    let corners: Vec<[f32; 3]> = (0..300)
        .map(|i| {
            let size = if i % 30 < 24 { 8.0 } else { 90.0 };
            let centre = [0, 1].map(|_| random.range(40.0, 150.0));
            let [x, y] = centre.map(|c| ((c + size * random.range(-1.0, 1.0)) * 256.0).round() / 256.0);
            [x, y, random.range(0.0, 1.0)]
        })
        .collect();
    let colours: Vec<[f32; 4]> = corners.iter().map(|_| std::array::from_fn(|_| random.range(0.0, 1.0))).collect();
    let indices: Vec<u32> = (0..300).collect();
    for samples in EVERY_SAMPLE_COUNT {
        let settings = RasterSettings { samples, ..settings(256, 256) };
        let picture = |dx: usize, dy: usize| {
            let place = |[x, y, depth]: [f32; 3]| at(&settings, x + dx as f32, y + dy as f32, depth);
            let vertices: Vec<_> = corners.iter().zip(&colours).map(|(&c, &colour)| (place(c), colour)).collect();
            render(&settings, &scene(&stream(&vertices), &indices)).0
        };
        let expected = picture(0, 0);
        for (dx, dy) in [(1, 0), (0, 1), (7, 5), (8, 32), (29, 31)] {
            let moved = picture(dx, dy);
            for y in 0..256 - dy {
                for x in 0..256 - dx {
                    let [before, after] = [expected.pixel(x, y), moved.pixel(x + dx, y + dy)]
                        .map(|pixel| pixel.expect("a pixel of the picture").map(f32::to_bits));
                    assert_eq!(before, after, "{samples:?}, moved by {dx}, {dy}: pixel {x}, {y}");
                }
            }
        }
    }
}
