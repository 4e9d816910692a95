//! Vertex programs of the library on numbers of every size, in each numeric model, by the batch machine.

use refrast_simd::SimdLevel;
use refrast_vertex_program::{
    AttributeArray, AttributeData, BatchMachine, LibraryProgram, NumericModel, Output, Settings, VertexOutputs,
    assemble,
};

use crate::{Job, hash_of_numbers};

const VERTICES: usize = 1_000;

pub(crate) fn jobs() -> Vec<(String, Job)> {
    let mut jobs: Vec<(String, Job)> = Vec::new();
    for program in ["accumulated_matrix", "bone_offset_tangent_4", "dual_quaternion_4", "morph_targets_5"] {
        for model in NumericModel::ALL {
            jobs.push((format!("program {program}, {model}"), Box::new(move || run(program, model))));
        }
    }
    jobs
}

/// Every other number is any pattern of bits, denormals, infinities and NaNs among them; the rest are those that programs are
/// written for.
struct Noise(u32);

impl Noise {
    fn next(&mut self) -> f32 {
        let mut draw = || {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            self.0 >> 8
        };
        let (kind, high, low) = (draw(), draw(), draw());
        match kind & 1 {
            0 => f32::from_bits(high << 16 ^ low),
            _ => (high as f32) / 8_388_608.0 - 1.0,
        }
    }
}

/// What a program of the library makes of a thousand vertices.
fn run(program: &str, model: NumericModel) -> u64 {
    let mut noise = Noise(1);
    let library = LibraryProgram::named(program).expect("it is in the library");
    let program = assemble(library.vp10).expect("it assembles").program;
    let settings = Settings { model, ..Settings::default() };
    let machine = BatchMachine::new(&program, settings).expect("it is no state program");
    let constants = std::array::from_fn(|_| std::array::from_fn(|_| noise.next()));
    let rows: Vec<Vec<f32>> = (0..16)
        .map(|register| match register {
            // Where the programs of the library look for the places of joints.
            6 => (0..4 * VERTICES).map(|number| (3 * (number % 28)) as f32).collect(),
            _ => (0..4 * VERTICES).map(|_| noise.next()).collect(),
        })
        .collect();
    let attributes: Vec<AttributeArray<'_>> = (0u8..)
        .zip(&rows)
        .map(|(register, values)| AttributeArray {
            register,
            data: AttributeData::Rows { values, components: 4, stride: 4 },
        })
        .collect();
    let [mut x, mut y, mut z, mut w] = std::array::from_fn(|_| vec![0.0; VERTICES]);
    let layout = [Output::FrontPrimary, Output::Texture(0)];
    let mut varyings = vec![0.0; 8 * VERTICES];
    let outputs = VertexOutputs {
        position: [&mut x, &mut y, &mut z, &mut w],
        varyings: &mut varyings,
        stride: 8,
        layout: &layout,
    };
    machine.run(&constants, &attributes, outputs, SimdLevel::best()).expect("arrays fit");
    hash_of_numbers([x, y, z, w, varyings].into_iter().flatten())
}
