//! Coverage is exact: compared with rational arithmetic, and proven free of cracks and double hits by counting.

use crate::support::{EVERY_SAMPLE_COUNT, Random, draw, settings, stream};
use refrast::{
    raster::{CullMode, DrawState, HitCounts, RasterSettings, Rasteriser, SampleCount, VertexStream},
    simd::SimdLevel,
};

const WHITE: [f32; 4] = [1.0; 4];
const BITS: [u32; 3] = [4, 8, 16];

fn count(settings: &RasterSettings, stream: &VertexStream, indices: &[u32], cull: CullMode) -> HitCounts {
    let mut counts = HitCounts::default();
    let state = DrawState { cull, ..DrawState::default() };
    Rasteriser::new().count_hits(settings, &[draw(stream, indices, state)], &mut counts).expect("a valid scene");
    counts
}

/// Every sample's place in the picture: (column, row, sample).
fn samples(settings: &RasterSettings) -> impl Iterator<Item = (usize, usize, usize)> + use<> {
    let (width, height, count) = (settings.width as usize, settings.height as usize, settings.samples.count());
    (0..height).flat_map(move |y| (0..width).flat_map(move |x| (0..count).map(move |sample| (x, y, sample))))
}

/// Positions of the standard patterns in sixteenths, as the Vulkan specification ("Multisampling") lists them.
fn position(samples: SampleCount, sample: usize) -> [i128; 2] {
    match samples {
        SampleCount::One => [8, 8],
        SampleCount::Four => [[6, 2], [14, 6], [2, 10], [10, 14]][sample],
        // Counted from the lower left corner, as OpenGL counts rows, it is the same table.
        SampleCount::FourMirrored => [[6, 16 - 2], [14, 16 - 6], [2, 16 - 10], [10, 16 - 14]][sample],
    }
}

/// Whether the sample moved by (δ, δ²), for an infinitesimal δ > 0, lies strictly inside: that is the top-left rule,
/// as the move leaves right and bottom edges and enters left and top ones.
fn inside(corners: [[i128; 2]; 3], p: [i128; 2]) -> bool {
    let side = |a: [i128; 2], b: [i128; 2]| {
        let [dx, dy] = [b[0] - a[0], b[1] - a[1]];
        let value = dx * (p[1] - a[1]) - dy * (p[0] - a[0]);
        [value, -dy, dx].into_iter().find(|&v| v != 0).unwrap_or(0).signum()
    };
    let [a, b, c] = corners;
    let sides = [side(a, b), side(b, c), side(c, a)];
    sides == [1, 1, 1] || sides == [-1, -1, -1]
}

#[test]
fn coverage_equals_rational_arithmetic() {
    let mut random = Random::new(1);
    for bits in BITS {
        for samples_a_pixel in EVERY_SAMPLE_COUNT {
            for round in 0..60 {
                let best = SimdLevel::best();
                let settings =
                    RasterSettings { subpixel_bits: bits, samples: samples_a_pixel, simd: best, ..settings(96, 80) };
                // Small ones, ones as large as the picture, and ones that reach far out of it.
                let reach = [0.05, 1.0, 150.0][round % 3];
                let centre = [random.range(-1.0, 1.0), random.range(-1.0, 1.0)];
                let corners: [[f32; 4]; 3] = std::array::from_fn(|_| {
                    let [x, y] = centre.map(|c| c + reach * random.range(-1.0, 1.0));
                    // Every third round the corners lie on pixel corners, so that edges run through samples.
                    let [x, y] = if round / 3 % 3 == 0 { [x, y].map(|v| (v * 8.0).round() / 8.0) } else { [x, y] };
                    [x, y, 0.5, 1.0]
                });
                let scale = f64::from(1u32 << bits);
                let snap = |v: f64| (v * scale).round_ties_even() as i128;
                let snapped =
                    corners.map(|[x, y, ..]| [snap((f64::from(x) + 1.0) * 48.0), snap((1.0 - f64::from(y)) * 40.0)]);
                let stream = stream(&corners.map(|corner| (corner, WHITE)));
                let counts = count(&settings, &stream, &[0, 1, 2], CullMode::None);
                for (x, y, sample) in samples(&settings) {
                    let [dx, dy] = position(samples_a_pixel, sample).map(|v| v << (bits - 4));
                    let p = [((x as i128) << bits) + dx, ((y as i128) << bits) + dy];
                    let expected = u32::from(inside(snapped, p));
                    assert_eq!(
                        counts.get(x, y, sample),
                        Some(expected),
                        "{bits} bits, {samples_a_pixel:?}, round {round}, pixel {x}, {y}, sample {sample}: {snapped:?}"
                    );
                }
            }
        }
    }
}

/// A jittered grid of `n` × `n` cells over `[-extent, extent]²`, its border not jittered, each cell cut along a random
/// diagonal. Jitter of a fifth keeps every cell convex, so that neither diagonal folds it, and so does the snapping. `place` puts a point of the plane into clip space.
fn jittered_grid(
    random: &mut Random,
    n: u32,
    extent: f32,
    place: impl Fn(f32, f32) -> [f32; 4],
) -> (VertexStream, Vec<u32>) {
    let mut vertices = Vec::new();
    let step = 2.0 * extent / n as f32;
    for j in 0..=n {
        for i in 0..=n {
            let border = i == 0 || j == 0 || i == n || j == n;
            let mut jitter = || if border { 0.0 } else { random.range(-0.2, 0.2) * step };
            let (x, y) = (i as f32 * step - extent + jitter(), j as f32 * step - extent + jitter());
            vertices.push((place(x, y), WHITE));
        }
    }
    let mut indices = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let [a, b] = [j * (n + 1) + i, j * (n + 1) + i + 1];
            let [c, d] = [a + n + 1, b + n + 1];
            let cut = if random.bits() & 1 == 0 { [a, b, d, a, d, c] } else { [a, b, c, b, d, c] };
            indices.extend(cut);
        }
    }
    (stream(&vertices), indices)
}

#[test]
fn a_triangulated_plane_hits_every_sample_once() {
    let mut random = Random::new(2);
    for bits in BITS {
        for samples_a_pixel in EVERY_SAMPLE_COUNT {
            // Cells of about 1, 10 and 100 pixels; the last grid reaches far beyond the guard band.
            for (n, extent) in [(140, 1.1), (16, 1.3), (4, 3.0), (8, 3000.0)] {
                let settings = RasterSettings { subpixel_bits: bits, samples: samples_a_pixel, ..settings(150, 130) };
                let (stream, indices) = jittered_grid(&mut random, n, extent, |x, y| [x, y, 0.5, 1.0]);
                let counts = count(&settings, &stream, &indices, CullMode::None);
                for (x, y, sample) in samples(&settings) {
                    let at = format!("{bits} bits, {samples_a_pixel:?}, {n} cells, pixel {x}, {y}, sample {sample}");
                    assert_eq!(counts.get(x, y, sample), Some(1), "{at}");
                }
            }
        }
    }
}

#[test]
fn a_floor_that_is_cut_at_the_near_plane_hits_every_sample_once() {
    // The eye is one unit above the floor: y = −1, w = distance, near plane at w = 1/4, so that the floor fills the
    // picture's lower half up to w = 100, that is y/w = −0.01. Cells reach behind the eye.
    let mut random = Random::new(3);
    for bits in BITS {
        for samples_a_pixel in EVERY_SAMPLE_COUNT {
            let settings = RasterSettings { subpixel_bits: bits, samples: samples_a_pixel, ..settings(128, 128) };
            let place = |x: f32, distance: f32| [x, -1.0, (distance - 0.25) * 0.5, distance];
            let (stream, indices) = jittered_grid(&mut random, 12, 100.0, place);
            let counts = count(&settings, &stream, &indices, CullMode::None);
            for (x, y, sample) in samples(&settings) {
                // Far plane: (w − 1/4)/2 ≤ w always. Rows below y = −0.03 are surely floor, rows above 0 are not.
                let expected = if y >= 66 { 1 } else { 0 };
                if !(64..66).contains(&y) {
                    let at = format!("{bits} bits, {samples_a_pixel:?}, pixel {x}, {y}, sample {sample}");
                    assert_eq!(counts.get(x, y, sample), Some(expected), "{at}");
                }
            }
        }
    }
}

#[test]
fn a_fan_hits_every_sample_once() {
    let mut random = Random::new(4);
    for bits in BITS {
        for samples_a_pixel in EVERY_SAMPLE_COUNT {
            for spokes in [3u32, 40, 700] {
                let settings = RasterSettings { subpixel_bits: bits, samples: samples_a_pixel, ..settings(64, 64) };
                let mut vertices = vec![([random.range(-0.5, 0.5), random.range(-0.5, 0.5), 0.5, 1.0], WHITE)];
                for spoke in 0..spokes {
                    let angle = f64::from(spoke) / f64::from(spokes) * std::f64::consts::TAU;
                    // A circle of radius 4 keeps even a triangle around the picture, whatever the centre.
                    let [x, y] = [libm::cos(angle) * 4.0, libm::sin(angle) * 4.0];
                    vertices.push(([x as f32, y as f32, 0.5, 1.0], WHITE));
                }
                let indices: Vec<u32> =
                    (0..spokes).flat_map(|spoke| [0, 1 + spoke, 1 + (spoke + 1) % spokes]).collect();
                let counts = count(&settings, &stream(&vertices), &indices, CullMode::None);
                for (x, y, sample) in samples(&settings) {
                    assert_eq!(counts.get(x, y, sample), Some(1), "{bits} bits, {spokes} spokes, pixel {x}, {y}");
                }
            }
        }
    }
}

#[test]
fn a_closed_surface_shows_as_many_fronts_as_backs() {
    // A line of sight enters a closed surface as often as it leaves it, however crumpled the surface is.
    let mut random = Random::new(5);
    for bits in BITS {
        for samples_a_pixel in EVERY_SAMPLE_COUNT {
            for crumple in [0.0f32, 0.3, 1.5] {
                let settings = RasterSettings { subpixel_bits: bits, samples: samples_a_pixel, ..settings(130, 120) };
                let (rings, segments) = (24u32, 36u32);
                let mut vertices = Vec::new();
                for ring in 0..rings {
                    for segment in 0..segments {
                        let [u, v] = [ring as f64 / rings as f64, segment as f64 / segments as f64]
                            .map(|t| t * std::f64::consts::TAU);
                        let radius = 1.2 + 0.6 * libm::cos(v);
                        let mut jitter = || f64::from(random.range(-crumple, crumple));
                        let x = radius * libm::cos(u) + jitter();
                        let y = 0.6 * libm::sin(v) + 0.5 * radius * libm::sin(u) + jitter();
                        let w = 5.0 + radius * libm::sin(u) + jitter();
                        vertices.push(([x as f32 * 2.0, y as f32 * 2.0, (w * 0.5) as f32, w as f32], WHITE));
                    }
                }
                let mut indices = Vec::new();
                for ring in 0..rings {
                    for segment in 0..segments {
                        let index = |ring: u32, segment: u32| ring % rings * segments + segment % segments;
                        let [a, b] = [index(ring, segment), index(ring, segment + 1)];
                        let [c, d] = [index(ring + 1, segment), index(ring + 1, segment + 1)];
                        indices.extend([a, b, d, a, d, c]);
                    }
                }
                let stream = stream(&vertices);
                let fronts = count(&settings, &stream, &indices, CullMode::Back);
                let backs = count(&settings, &stream, &indices, CullMode::Front);
                let mut covered = 0;
                for (x, y, sample) in samples(&settings) {
                    let front = fronts.get(x, y, sample);
                    assert_eq!(front, backs.get(x, y, sample), "{bits} bits, crumple {crumple}, pixel {x}, {y}");
                    covered += u32::from(front != Some(0));
                }
                assert!(covered > 1000, "the surface is in the picture");
            }
        }
    }
}
