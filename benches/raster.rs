//! Milliseconds a frame of the rasteriser alone: a torus of 200,000 triangles at 1920×1080, a constant shader.

use criterion::{Criterion, criterion_group, criterion_main};
use fearless_simd::{Simd, f32x4, f32x8, prelude::*, u32x4};
use refrast::raster::{
    AlphaMode, Convention, CullMode, Draw, DrawState, FragmentBatch, FragmentShader, PrimitiveTopology, RasterSettings,
    Rasteriser, Resolve, SampleCount, Target, VertexStream,
};

/// White everywhere.
#[derive(Clone, Copy)]
struct Constant;

refrast::raster::block_shader!(Constant);

impl FragmentShader for Constant {
    #[inline(always)]
    fn shade<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> [f32x8<S>; 4] {
        [f32x8::splat(batch.simd, 0.5); 4]
    }

    #[inline(always)]
    fn alpha<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> f32x8<S> {
        f32x8::splat(batch.simd, 1.0)
    }
}

/// Eight bits a channel, linear.
struct Bytes;

impl Resolve for Bytes {
    type Pixel = [u8; 4];

    #[inline(always)]
    fn resolve<S: Simd>(&self, simd: S, linear: &[[f32; 4]], out: &mut [[u8; 4]]) {
        for (out, linear) in out.iter_mut().zip(linear) {
            let scaled = f32x4::from_slice(simd, linear) * 255.0 + 0.5;
            let [red, green, blue, alpha] = scaled.to_int_precise::<u32x4<S>>().to_array();
            *out = (red | green << 8 | blue << 16 | alpha << 24).to_le_bytes();
        }
    }
}

/// A torus that fills most of the picture: `rings` × `segments` quads, two triangles each.
fn torus(rings: u32, segments: u32) -> (VertexStream, Vec<u32>) {
    let mut stream = VertexStream::default();
    stream.resize((rings * segments) as usize, 4);
    let mut indices = Vec::new();
    for ring in 0..rings {
        for segment in 0..segments {
            let [u, v] =
                [ring as f64 / rings as f64, segment as f64 / segments as f64].map(|t| t * std::f64::consts::TAU);
            let radius = 1.0 + 0.45 * libm::cos(v);
            let [x, y, z] = [radius * libm::cos(u), radius * libm::sin(u), 0.45 * libm::sin(v)];
            // Tilted by 45 degrees about the x axis, seen from four units away.
            let h = std::f64::consts::FRAC_1_SQRT_2;
            let (y, z) = ((y - z) * h, (y + z) * h);
            let w = 4.0 + z;
            let i = (ring * segments + segment) as usize;
            (stream.x[i], stream.y[i]) = ((x * 2.2 * 9.0 / 16.0) as f32, (y * 2.2) as f32);
            (stream.z[i], stream.w[i]) = ((w - 1.0) as f32, w as f32);
            let index = |ring: u32, segment: u32| ring % rings * segments + segment % segments;
            let [a, b, c, d] = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, j)| index(ring + i, segment + j));
            indices.extend([a, c, b, b, c, d]);
        }
    }
    (stream, indices)
}

fn frames(criterion: &mut Criterion) {
    let (stream, indices) = torus(500, 200);
    let mut full = VertexStream::default();
    full.resize(4, 4);
    (full.x, full.y) = (vec![-1.0, 1.0, 1.0, -1.0], vec![1.0, 1.0, -1.0, -1.0]);
    (full.z, full.w) = (vec![0.5; 4], vec![1.0; 4]);
    let quad = [0, 1, 2, 0, 2, 3];
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        for samples in [SampleCount::One, SampleCount::Four] {
            let convention = Convention::D3d;
            let settings =
                RasterSettings { width: 1920, height: 1080, samples, convention, ..RasterSettings::default() };
            let mut rasteriser = Rasteriser::new();
            let mut target = Target::new();
            let state = DrawState { cull: CullMode::Back, ..DrawState::default() };
            let topology = PrimitiveTopology::Triangles;
            let torus = [Draw { stream: &stream, topology, indices: &indices, state, shader: Constant }];
            let name = format!("torus, 200k triangles, {}x, {threads} threads", samples.count());
            criterion.bench_function(&name, |bencher| {
                bencher.iter(|| pool.install(|| rasteriser.draw(&settings, &torus, &Bytes, &mut target)));
            });
            let state = DrawState { alpha: AlphaMode::Blend, depth_write: false, ..DrawState::default() };
            let layer = Draw { stream: &full, topology, indices: &quad, state, shader: Constant };
            let name = format!("8 blended full-screen layers, {}x, {threads} threads", samples.count());
            criterion.bench_function(&name, |bencher| {
                bencher.iter(|| pool.install(|| rasteriser.draw(&settings, &[layer; 8], &Bytes, &mut target)));
            });
        }
    }
}

criterion_group! {
    name = raster;
    config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_secs(2));
    targets = frames
}
criterion_main!(raster);
