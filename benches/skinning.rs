//! Vertices per second: positions and normals, four influences, 98 joints (the figures of *GPU Gems* chapter 4),
//! at 32 k vertices (cache) and 1 M vertices (memory), on one thread and on all, at the best SIMD level and, where that is
//! another, at AVX2; and beside it what the machine's memory can do: a copy, counted as bytes read and written.

use std::{hint::black_box, time::Duration};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use glam::{Mat4, Quat, Vec3};
use refrast::{
    scene::{Influences, Primitive},
    simd::SimdLevel,
    skinning::{Deformation, DeformedVertices, NormalMode, Palette, Placement, PreparedPrimitive, SkinningMethod},
};

const JOINTS: u16 = 98;

/// Numbers in [0, 1), the same in every run.
struct Noise(u32);

impl Noise {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / 16_777_216.0
    }

    fn vector(&mut self) -> [f32; 3] {
        std::array::from_fn(|_| 2.0 * self.next() - 1.0)
    }
}

/// Whose joints a vertex shares.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Its neighbours', as on a surface.
    Surface,
    /// Nobody's in particular: the worst case.
    Scattered,
}

fn primitive(vertices: usize, tangents: bool, order: Order) -> Primitive {
    let mut noise = Noise(1);
    let mut influences = Influences { per_vertex: 4, ..Influences::default() };
    for vertex in 0..vertices {
        let nearest = match order {
            Order::Surface => (vertex * usize::from(JOINTS) / vertices) as u16,
            Order::Scattered => (noise.next() * f32::from(JOINTS)) as u16,
        };
        let weights: [f32; 4] = std::array::from_fn(|_| 0.1 + noise.next());
        let sum: f32 = weights.iter().sum();
        for (rank, weight) in weights.iter().enumerate() {
            influences.joints.push((nearest + 7 * rank as u16) % JOINTS);
            influences.weights.push(weight / sum);
        }
    }
    Primitive {
        positions: (0..vertices).map(|_| noise.vector()).collect(),
        normals: Some((0..vertices).map(|_| Vec3::from(noise.vector()).normalize().to_array()).collect()),
        tangents: tangents
            .then(|| (0..vertices).map(|_| Vec3::from(noise.vector()).normalize().extend(1.0).to_array()).collect()),
        influences: Some(influences),
        ..Primitive::default()
    }
}

fn palette() -> Palette {
    let mut noise = Noise(2);
    let matrices: Vec<Mat4> = (0..JOINTS)
        .map(|_| {
            let [x, y, z] = noise.vector();
            let rotation = Quat::from_xyzw(x, y, z, 1.0).normalize();
            Mat4::from_rotation_translation(rotation, noise.vector().into())
        })
        .collect();
    Palette::from_matrices(&matrices)
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started")
}

fn threads() -> Vec<usize> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    if all > 1 { vec![1, all] } else { vec![1] }
}

/// What is measured.
struct Job {
    name: &'static str,
    method: SkinningMethod,
    normals: NormalMode,
    tangents: bool,
    order: Order,
}

/// Positions and normals by rotation; what others have besides is in their names.
const PLAIN: Job = Job {
    name: "rotation normals",
    method: SkinningMethod::Linear,
    normals: NormalMode::RotationOnly,
    tangents: false,
    order: Order::Surface,
};

const JOBS: [Job; 6] = [
    PLAIN,
    Job { name: "cofactor normals", normals: NormalMode::InverseTranspose, ..PLAIN },
    Job { name: "cofactor normals, tangents", normals: NormalMode::InverseTranspose, tangents: true, ..PLAIN },
    Job {
        name: "cofactor normals, scattered joints",
        normals: NormalMode::InverseTranspose,
        order: Order::Scattered,
        ..PLAIN
    },
    Job { name: "dual quaternions", method: SkinningMethod::DualQuaternion, ..PLAIN },
    Job { name: "vertex offset", method: SkinningMethod::VertexOffset, ..PLAIN },
];

/// The best level and AVX2, which most machines have; all of them where `every` is asked for.
fn levels(every: bool) -> impl Iterator<Item = SimdLevel> {
    let matters = move |level: &SimdLevel| every || *level == SimdLevel::best() || *level == SimdLevel::Avx2;
    SimdLevel::available().filter(matters)
}

fn skinning(criterion: &mut Criterion) {
    let palette = palette();
    let mut group = criterion.benchmark_group("skinning");
    for (size, vertices) in [("32k", 32_768usize), ("1M", 1 << 20)] {
        group.throughput(Throughput::Elements(vertices as u64));
        for threads in threads() {
            let pool = pool(threads);
            for job in &JOBS {
                let primitive = PreparedPrimitive::new(&primitive(vertices, job.tangents, job.order));
                for level in levels(threads == 1 && size == "32k") {
                    let deformation = Deformation {
                        primitive: &primitive,
                        placement: Placement::Skin(&palette),
                        morph_weights: &[],
                        method: job.method,
                        normals: job.normals,
                        level,
                    };
                    let mut output = DeformedVertices::default();
                    let below = if level == SimdLevel::best() { String::new() } else { format!(", {level}") };
                    let id = BenchmarkId::new(format!("{}{below}", job.name), format!("{size}, {threads} threads"));
                    group.bench_function(id, |bencher| {
                        pool.install(|| bencher.iter(|| deformation.run(black_box(&mut output))));
                    });
                }
            }
        }
    }
    group.finish();
}

fn copy(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("copy");
    // As many floats as skinning 1 M vertices reads and writes: 6 in, 6 of influences, 6 out.
    let source = vec![1.0f32; 9 << 20];
    let mut target = vec![0.0f32; source.len()];
    group.throughput(Throughput::Bytes(8 * source.len() as u64));
    for threads in threads() {
        let pool = pool(threads);
        // One piece a thread: long copies go past the caches.
        let piece = source.len() / threads;
        group.bench_function(BenchmarkId::new("copy", format!("{threads} threads")), |bencher| {
            use rayon::prelude::*;
            pool.install(|| {
                bencher.iter(|| {
                    let chunks = black_box(&mut target).par_chunks_mut(piece).zip(source.par_chunks(piece));
                    chunks.for_each(|(target, source)| target.copy_from_slice(source));
                });
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = skinning, copy
}
criterion_main!(benches);
