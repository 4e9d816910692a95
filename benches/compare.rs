//! How long decoding, comparing and encoding take, at the sizes that people use.

use std::{hint::black_box, path::Path};

use criterion::{Criterion, criterion_group, criterion_main};
use refrast::{
    golden::{MeasureOptions, Metric, Picture, measure},
    simd::SimdLevel,
};

/// Shaded discs on a gradient with a little noise, as a renderer with dithering draws them; and the same, one step
/// brighter in the middle third and with other noise.
fn pair(width: u32, height: u32) -> [Picture; 2] {
    [0_u32, 1].map(|seed| {
        let mut bytes = Vec::with_capacity(width as usize * height as usize * 4);
        for y in 0..height {
            for x in 0..width {
                let noise =
                    (x.wrapping_mul(73_856_093) ^ y.wrapping_mul(19_349_663) ^ seed).wrapping_mul(2_654_435_761) >> 31;
                let (across, down) = (x % 240, y % 240);
                let radius = across.abs_diff(120).pow(2) + down.abs_diff(120).pow(2);
                let shade = if radius < 10_000 { 230 - radius / 70 } else { 40 + x * 60 / width };
                let step = if (width / 3..width / 3 * 2).contains(&x) { seed } else { 0 };
                let value = (shade + noise + step) as u8;
                bytes.extend([value, value / 2 + 30, 250 - value, 255]);
            }
        }
        Picture::from_rgba8(width, height, bytes).expect("four samples a pixel were pushed")
    })
}

fn metrics(criterion: &mut Criterion) {
    let [golden, candidate] = pair(1920, 1080);
    let mut group = criterion.benchmark_group("1920x1080");
    group.sample_size(10);
    for metric in Metric::OF_TWO_PICTURES {
        for level in SimdLevel::available() {
            let options = MeasureOptions { level, ..MeasureOptions::new(metric) };
            let below = if level == SimdLevel::best() { String::new() } else { format!(", {level}") };
            group.bench_function(format!("{metric}{below}"), |bencher| {
                bencher.iter(|| measure(black_box(&golden), black_box(&candidate), &options));
            });
        }
    }
    group.finish();
}

fn png(criterion: &mut Criterion) {
    let [picture, _] = pair(3840, 2160);
    let name = Path::new("bench.png");
    let bytes = picture.encode(name).expect("memory takes every byte");
    let mut group = criterion.benchmark_group("3840x2160");
    group.sample_size(10);
    group.bench_function("decode", |bencher| bencher.iter(|| Picture::decode(black_box(&bytes), name)));
    group.bench_function("encode", |bencher| bencher.iter(|| black_box(&picture).encode(name)));
    group.bench_function("content hash", |bencher| bencher.iter(|| black_box(&picture).content_hash()));
    group.finish();
}

criterion_group!(benches, metrics, png);
criterion_main!(benches);
