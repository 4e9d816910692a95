//! Texture sampling on one thread: nanoseconds a sample over a picture of 1920×1080 pixels.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fearless_simd::{Simd, dispatch, f32x8, prelude::*};
use fearless_simd_macros::simd;
use refrast::{
    scene::{Filter, Image, Sampler},
    shading::{ColorSpace, Coordinates, PreparedTexture},
    simd::SimdLevel,
};

const WIDTH: u32 = 1920;
const HEIGHT: u32 = 1080;

fn texture(size: u32, sampler: Sampler) -> PreparedTexture {
    let byte = |index: u32| (index.wrapping_mul(0x9e37_79b9) >> 24) as u8;
    let rgba = (0..4 * size * size).map(byte).collect();
    let image = Image { name: None, width: size, height: size, rgba };
    PreparedTexture::new(&image, sampler, ColorSpace::Srgb).expect("a complete image")
}

/// Samples once a pixel, `texels_per_pixel` apart along a slightly turned axis, in tiles of 64×64 as a rasteriser
/// does, and adds the colours up.
#[simd]
fn cover<S: Simd>(simd: S, texture: &PreparedTexture, texels_per_pixel: f32) -> [f32; 8] {
    let [width, height] = texture.level_size(0).expect("level 0").map(|size| size as f32);
    let step = [texels_per_pixel * 0.96 / width, texels_per_pixel * 0.28 / height];
    let column = f32x8::from_fn(simd, |lane| lane as f32);
    let splat = |value: f32| f32x8::splat(simd, value);
    let mut sum = splat(0.0);
    for tile_y in (0..HEIGHT).step_by(64) {
        for tile_x in (0..WIDTH).step_by(64) {
            for y in tile_y..(tile_y + 64).min(HEIGHT) {
                for x in (tile_x..tile_x + 64).step_by(8) {
                    let (x, y) = (column + x as f32, y as f32);
                    let coordinates = Coordinates {
                        at: [x * step[0] - y * step[1], x * step[1] + y * step[0]],
                        dx: [splat(step[0]), splat(step[1])],
                        dy: [splat(-step[1]), splat(step[0])],
                    };
                    let [red, green, blue, alpha] = texture.sample(&coordinates);
                    sum += red + green + blue + alpha;
                }
            }
        }
    }
    sum.to_array()
}

fn sampling(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sampling");
    group.throughput(Throughput::Elements(u64::from(WIDTH * HEIGHT))).sample_size(10);
    let trilinear = Sampler::default();
    let bilinear = Sampler { mip: None, ..trilinear };
    let nearest = Sampler { magnification: Filter::Nearest, minification: Filter::Nearest, ..bilinear };
    let cases = [
        ("trilinear 256² texels", 256, trilinear, 1.4),
        ("trilinear 512² texels", 512, trilinear, 1.4),
        ("trilinear 1024² texels", 1024, trilinear, 1.4),
        ("bilinear 1024² texels", 1024, bilinear, 1.0),
        ("nearest 1024² texels", 1024, nearest, 1.0),
    ];
    for (name, size, sampler, texels_per_pixel) in cases {
        let texture = texture(size, sampler);
        for level in SimdLevel::available() {
            group.bench_function(format!("{name}, {level}"), |bencher| {
                bencher.iter(|| dispatch!(level.token_or_scalar(), simd => cover(simd, &texture, texels_per_pixel)));
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().without_plots().measurement_time(std::time::Duration::from_millis(600))
        .warm_up_time(std::time::Duration::from_millis(200));
    targets = sampling
}
criterion_main!(benches);
