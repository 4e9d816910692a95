//! Shading on one thread, over a picture of 1920×1080 pixels: texture samples alone, and whole fragments, lit,
//! textured, blended over what is there and stored as bytes.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fearless_simd::{Simd, f32x8, mask32x8, prelude::*};
use fearless_simd_macros::simd;
use glam::Mat4;
use refrast::simd::dispatch;
use refrast::{
    raster::{FragmentBatch, FragmentShader, LANES},
    scene::{AlphaMode, Filter, Image, Material, Sampler, Scene, Texture, TextureReference, TextureTransform},
    shading::{
        ColorSpace, Coordinates, Lighting, MaterialShader, PreparedTexture, ShadingMode, TextureSet, VaryingLayout,
        VertexAttributes,
    },
    simd::SimdLevel,
};

const WIDTH: u32 = 1920;
const HEIGHT: u32 = 1080;

fn image(size: u32) -> Image {
    let byte = |index: u32| (index.wrapping_mul(0x9e37_79b9) >> 24) as u8;
    Image { name: None, width: size, height: size, rgba: (0..4 * size * size).map(byte).collect(), jpeg: None }
}

fn texture(size: u32, sampler: Sampler) -> PreparedTexture {
    PreparedTexture::new(&image(size), sampler, ColorSpace::Srgb).expect("a complete image")
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
                bencher.iter(|| dispatch!(level.token_or_base(), simd => cover(simd, &texture, texels_per_pixel)));
            });
        }
    }
    group.finish();
}

/// One triangle over the whole picture, blended over `below` (linear R G B, eight pixels each) and stored.
#[simd]
fn shade_picture<S: Simd>(
    simd: S,
    shader: &MaterialShader<'_>,
    varyings: &[f32],
    below: &mut [[f32; LANES]; 3],
    out: &mut [u32; LANES],
) {
    let column = f32x8::from_fn(simd, |lane| lane as f32);
    let splat = |value: f32| f32x8::splat(simd, value);
    let [width, height] = [1.0 / WIDTH as f32, 1.0 / HEIGHT as f32];
    for y in 0..HEIGHT {
        for x in (0..WIDTH).step_by(LANES) {
            let batch = FragmentBatch {
                simd,
                varyings,
                stride: varyings.len() / 3,
                vertices: [[0; LANES], [1; LANES], [2; LANES]],
                barycentrics: [(column + x as f32) * width, splat(y as f32 * height)],
                dx: [splat(width), splat(0.0)],
                dy: [splat(0.0), splat(height)],
                depth: splat(0.5),
                front: mask32x8::splat(simd, true),
                x: [x; LANES],
                y: [y; LANES],
                active: u8::MAX,
            };
            let [red, green, blue, alpha] = shader.shade(&batch);
            let under = splat(1.0) - alpha;
            let red = red * alpha + f32x8::from_slice(simd, &below[0]) * under;
            let green = green * alpha + f32x8::from_slice(simd, &below[1]) * under;
            let blue = blue * alpha + f32x8::from_slice(simd, &below[2]) * under;
            red.store_slice(&mut below[0]);
            green.store_slice(&mut below[1]);
            blue.store_slice(&mut below[2]);
            ColorSpace::Srgb.encode_lanes([red, green, blue, under]).store_slice(out);
        }
    }
}

fn fragments(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fragments");
    group.throughput(Throughput::Elements(u64::from(WIDTH * HEIGHT))).sample_size(10);
    let transform = TextureTransform { scale: [4.0, 4.0], ..TextureTransform::default() };
    let material = Material {
        base_color_texture: Some(TextureReference { texture: 0, texcoord: 0, transform }),
        alpha_mode: AlphaMode::Blend,
        ..Material::default()
    };
    let scene = Scene {
        materials: vec![material.clone()],
        textures: vec![Texture::default()],
        images: vec![image(512)],
        ..Scene::default()
    };
    let textures = TextureSet::new(&scene, ShadingMode::Lambert).expect("a complete image");
    let lighting = Lighting::headlight(Mat4::IDENTITY);
    let attributes = VertexAttributes { normals: true, ..VertexAttributes::default() };
    // A normal and texture coordinates a vertex.
    let row = |u: f32, v: f32| [0.0, 0.0, 1.0, 0.0, u, v, 0.0, 0.0];
    let rows = [row(0.0, 0.0), row(1.0, 0.0), row(0.0, 1.0)].concat();
    for (mode, varyings) in [(ShadingMode::Lambert, rows.clone()), (ShadingMode::Unlit, strip_normals(&rows))] {
        let layout = VaryingLayout::new(&material, attributes, mode, &lighting);
        assert_eq!(3 * layout.stride(), varyings.len());
        let shader = MaterialShader::new(&material, &layout, &textures, &lighting, mode, [0.0, 1.0]);
        for level in SimdLevel::available() {
            let (mut below, mut out) = ([[0.5; LANES]; 3], [0; LANES]);
            group.bench_function(format!("{mode}, trilinear 512² texels, blended, stored, {level}"), |bencher| {
                bencher.iter(|| {
                    dispatch!(level.token_or_base(), simd => {
                        shade_picture(simd, &shader, &varyings, &mut below, &mut out)
                    });
                });
            });
        }
    }
    group.finish();
}

/// The rows without their first block.
fn strip_normals(rows: &[f32]) -> Vec<f32> {
    rows.chunks(8).flat_map(|row| row[4..].to_vec()).collect()
}

criterion_group! {
    name = benches;
    config = Criterion::default().without_plots().measurement_time(std::time::Duration::from_millis(600))
        .warm_up_time(std::time::Duration::from_millis(200));
    targets = sampling, fragments
}
criterion_main!(benches);
