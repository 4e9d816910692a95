//! Vertex-program speed on one thread: the four-bone programs, batch against scalar, vertices a second.
//!
//! Every vertex names its own joints, so that relative reads gather.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use refrast::{
    simd::SimdLevel,
    vertex_program::{
        AttributeArray, AttributeData, Attributes, BatchMachine, LibraryProgram, NumericModel, Output, ScalarMachine,
        Settings, UNSET, VertexOutputs, assemble,
    },
};

const VERTICES: usize = 16_384;

/// The position part of the four-bone program alone: the loop that a skinning emulator spends its time in.
const FOUR_BONES_POSITION: &str = "!!VP1.0
    ARL A0.x, v[6].x;
    DP4 R2.x, c[A0.x + 12], v[0]; DP4 R2.y, c[A0.x + 13], v[0]; DP4 R2.z, c[A0.x + 14], v[0];
    MUL R1.xyz, R2, v[1].x;
    ARL A0.x, v[6].y;
    DP4 R2.x, c[A0.x + 12], v[0]; DP4 R2.y, c[A0.x + 13], v[0]; DP4 R2.z, c[A0.x + 14], v[0];
    MAD R1.xyz, R2, v[1].y, R1;
    ARL A0.x, v[6].z;
    DP4 R2.x, c[A0.x + 12], v[0]; DP4 R2.y, c[A0.x + 13], v[0]; DP4 R2.z, c[A0.x + 14], v[0];
    MAD R1.xyz, R2, v[1].z, R1;
    ARL A0.x, v[6].w;
    DP4 R2.x, c[A0.x + 12], v[0]; DP4 R2.y, c[A0.x + 13], v[0]; DP4 R2.z, c[A0.x + 14], v[0];
    MAD R1.xyz, R2, v[1].w, R1;
    MOV R1.w, c[7].y;
    DP4 o[HPOS].x, c[0], R1; DP4 o[HPOS].y, c[1], R1; DP4 o[HPOS].z, c[2], R1; DP4 o[HPOS].w, c[3], R1;
    MOV o[COL0], c[5]; MOV o[TEX0], v[8];
    END";

fn four_bones(criterion: &mut Criterion) {
    let constants = std::array::from_fn(|i| std::array::from_fn(|c| ((i * 7 + c * 3) % 11) as f32 * 0.1 - 0.45));
    let number = |i: usize, scale: usize| ((i * scale) % 1000) as f32 * 0.001;
    let vertices: Vec<Attributes> = (0..VERTICES)
        .map(|i| {
            let mut vertex = [UNSET; 16];
            vertex[0] = [number(i, 7), number(i, 11), number(i, 13), 1.0];
            vertex[1] = [0.5, 0.25, 0.125, 0.125];
            vertex[2] = [number(i, 17) + 0.1, number(i, 19), number(i, 23), 1.0];
            vertex[6] = std::array::from_fn(|k| (3 * ((i * (k + 3)) % 28)) as f32);
            vertex[8] = [number(i, 29), number(i, 31), 0.0, 1.0];
            vertex
        })
        .collect();
    let rows = [0, 1, 2, 6, 8].map(|r| (r as u8, vertices.iter().flat_map(|vertex| vertex[r]).collect::<Vec<f32>>()));
    let attributes = rows.each_ref().map(|(register, values)| AttributeArray {
        register: *register,
        data: AttributeData::Rows { values, components: 4, stride: 4 },
    });
    let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread can be started");

    let lit = LibraryProgram::named("bone_offset_4").expect("it is in the library").vp10;
    for (name, text) in [("position", FOUR_BONES_POSITION), ("lit", lit)] {
        let program = assemble(text).expect("it assembles").program;
        let mut group = criterion.benchmark_group(format!("four bones, {name}, {} instructions", program.slots()));
        for model in [NumericModel::Ieee, NumericModel::NvSpec] {
            let settings = Settings { model, ..Settings::default() };
            group.throughput(Throughput::Elements(512));
            group.bench_function(BenchmarkId::new("scalar machine", format!("{model:?}")), |bencher| {
                let machine = ScalarMachine::new(settings);
                bencher.iter(|| {
                    vertices[..512]
                        .iter()
                        .map(|vertex| machine.run(&program, &constants, vertex).outputs[0][0])
                        .sum::<f32>()
                });
            });
            group.throughput(Throughput::Elements(VERTICES as u64));
            let machine = BatchMachine::new(&program, settings).expect("it is no state program");
            let [mut x, mut y, mut z, mut w] = std::array::from_fn(|_| vec![0.0; VERTICES]);
            let mut varyings = vec![0.0; 8 * VERTICES];
            for level in SimdLevel::available() {
                let mut run = || {
                    let outputs = VertexOutputs {
                        position: [&mut x, &mut y, &mut z, &mut w],
                        varyings: &mut varyings,
                        stride: 8,
                        layout: &[Output::FrontPrimary, Output::Texture(0)],
                    };
                    machine.run(&constants, &attributes, outputs, level).expect("arrays fit");
                };
                group.bench_function(BenchmarkId::new(format!("batch {level}"), format!("{model:?}")), |bencher| {
                    // The thread is not woken for each run.
                    threads.install(|| bencher.iter(&mut run));
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, four_bones);
criterion_main!(benches);
