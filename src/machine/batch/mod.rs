//! [`BatchMachine`]: the fast interpreter. Blocks of 128 vertices, a vector of lanes at a time, blocks over all cores.
//!
//! Why it is fast: an instruction is decoded once for 128 vertices, swizzles and write masks are resolved before the
//! first vertex, constants meet their operands as they are, and what a relative read has gathered is kept until the
//! address register changes; and `nv-spec` rounds toward zero by instructions that do, or by way of f64, wherever a
//! block's numbers allow it. Why it can be trusted: a lane is a vertex, so nothing is summed across lanes; each operation
//! is the scalar machine's, and tests compare them bit by bit at every SIMD level.

mod action;
mod arena;
mod decode;
mod directed;
mod kernel;
mod lanes;
mod relative;
mod rows;
mod table;
mod transfer;
mod transpose;
mod wide;

use fearless_simd::Simd;
use fearless_simd_macros::simd;
use rayon::prelude::*;
use refrast_simd::{dispatch, dispatch_wide};

pub use self::transfer::{AttributeArray, AttributeData};
use self::{
    arena::{Arena, PlaneKey, Values},
    decode::{Decoded, decode},
    lanes::{Ieee, LaneArithmetic, NvSpec},
};
use super::{
    arithmetic::NumericModel,
    instruction::{
        ATTRIBUTES, Destination, DestinationRegister, Instruction, Mask, Opcode, Output, Source, SourceRegister,
    },
    program::{ConstantFile, Dialect, Program},
    scalar::{Settings, UNSET},
};
use refrast_simd::SimdLevel;

/// The most lanes that a vector has at any SIMD level.
const LANES: usize = 16;
/// Vertices in a block: enough to share the cost of decoding, and more vectors than the compiler writes out one by one (with 64 it did,
/// and the processor had more instructions to fetch than it could); few enough for the planes to stay in the first cache.
const BLOCK: usize = 128;
/// Vertices that a thread takes at once.
const TASK: usize = 8 * BLOCK;

/// Where results go.
#[derive(Debug)]
pub struct VertexOutputs<'a> {
    /// `o[HPOS]`: x, y, z and w of each vertex. Their length is the number of vertices.
    pub position: [&'a mut [f32]; 4],
    /// Rows of `stride` floats, one a vertex: the registers of `layout`, four floats each.
    pub varyings: &'a mut [f32],
    /// Floats in a row of `varyings`; at least four for each register of `layout`.
    pub stride: usize,
    /// The result registers that a row holds, in order.
    pub layout: &'a [Output],
}

/// Why a batch can not be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// A state program has no vertices.
    #[error("a state program (!!VSP1.0) runs once and not for vertices: run it on the scalar machine")]
    StateProgram,
    /// An attribute array is too short, or its shape is wrong.
    #[error("attribute {register} has data for {found} vertices, {needed} are drawn: give every vertex a value")]
    AttributeLength {
        /// The attribute register.
        register: u8,
        /// Vertices that there is data for.
        found: usize,
        /// Vertices drawn.
        needed: usize,
    },
    /// An attribute array can not be read.
    #[error("attribute {0} is no register 0 to 15, or has no one to four components, or its rows overlap")]
    AttributeShape(u8),
    /// The output arrays do not fit each other.
    #[error(
        "the output arrays do not fit: {vertices} vertices with rows of {stride} floats for {registers} registers need \
         equally long positions, rows of at least four floats a register, and that many rows"
    )]
    OutputShape {
        /// Vertices, by the x positions.
        vertices: usize,
        /// Floats a row.
        stride: usize,
        /// Registers a row.
        registers: usize,
    },
}

/// A program made ready to run over arrays of vertices.
#[derive(Clone, Debug)]
pub struct BatchMachine {
    settings: Settings,
    decoded: Decoded,
    position_invariant: bool,
}

/// The part of a draw that one thread computes at once.
struct Task<'a> {
    first: usize,
    position: [&'a mut [f32]; 4],
    varyings: &'a mut [f32],
}

impl BatchMachine {
    /// Makes a program ready.
    ///
    /// # Errors
    ///
    /// When it is a state program.
    pub fn new(program: &Program, settings: Settings) -> Result<Self, BatchError> {
        if program.dialect == Dialect::Vsp10 {
            return Err(BatchError::StateProgram);
        }
        let rounding = settings.rounding_for(program.dialect);
        let mut program = program.clone();
        let position_invariant = program.position_invariant;
        if position_invariant {
            program.instructions.extend(invariant_position());
        }
        Ok(Self {
            settings,
            decoded: decode(&program, rounding, settings.model == NumericModel::NvSpec),
            position_invariant,
        })
    }

    /// Runs the program for every vertex. `constants` are those of [`Program::constant_file`]. Attributes without an
    /// array are (0, 0, 0, 1). The result does not depend on `level` nor on the number of threads.
    ///
    /// # Errors
    ///
    /// When an array is too short.
    pub fn run(
        &self,
        constants: &ConstantFile,
        attributes: &[AttributeArray<'_>],
        outputs: VertexOutputs<'_>,
        level: SimdLevel,
    ) -> Result<(), BatchError> {
        let vertices = outputs.position[0].len();
        check_shapes(vertices, attributes, &outputs)?;
        let mut arena = Arena::new(&self.decoded, constants, self.settings.model);
        self.place_matrix(&mut arena);
        let mut data = [AttributeData::Same(UNSET); ATTRIBUTES];
        for array in attributes {
            data[usize::from(array.register)] = array.data;
        }
        let (stride, layout) = (outputs.stride, outputs.layout);
        let draw = Draw { machine: self, attributes: &data, stride, layout };
        let level = level.token_or_base();
        let run = |arena: &mut Arena, task: Task<'_>| match self.settings.model {
            NumericModel::NvSpec => dispatch_wide!(level, simd => run_task::<_, NvSpec>(simd, &draw, arena, task)),
            NumericModel::Ieee => dispatch!(level, simd => run_task::<_, Ieee>(simd, &draw, arena, task)),
        };
        let tasks = split(outputs, vertices);
        if tasks.len() <= 1 {
            tasks.into_iter().for_each(|task| run(&mut arena, task));
        } else {
            tasks.into_par_iter().for_each_init(|| arena.clone(), |arena, task| run(arena, task));
        }
        Ok(())
    }

    /// The matrix rows of a position-invariant program take the places of constants that it can not name.
    fn place_matrix(&self, arena: &mut Arena) {
        if !self.position_invariant {
            return;
        }
        for (row, values) in self.settings.modelview_projection.iter().enumerate() {
            for (c, &value) in values.iter().enumerate() {
                let key = PlaneKey::Constant(MATRIX_REGISTERS + row as u8, c as u8);
                if let Some(&place) = self.decoded.places.get(&key) {
                    arena.planes[place].fill(arena::read_constant(value, self.settings.model));
                }
            }
        }
    }
}

/// Registers past the constant file, for the rows of the modelview-projection matrix.
const MATRIX_REGISTERS: u8 = 96;

/// `DP4 o[HPOS].x, row 0, v[0]` and so on.
fn invariant_position() -> impl Iterator<Item = Instruction> {
    (0..4).map(|row| {
        let register = DestinationRegister::Output(Output::Position);
        let destination = Destination { register, mask: Mask::from_bits(1 << row) };
        let matrix_row = Source::plain(SourceRegister::Constant(MATRIX_REGISTERS + row));
        Instruction::new(Opcode::Dp4, destination, &[matrix_row, Source::plain(SourceRegister::Attribute(0))])
    })
}

fn check_shapes(
    vertices: usize,
    attributes: &[AttributeArray<'_>],
    outputs: &VertexOutputs<'_>,
) -> Result<(), BatchError> {
    for array in attributes {
        if usize::from(array.register) >= ATTRIBUTES || !array.data.is_shaped() {
            return Err(BatchError::AttributeShape(array.register));
        }
        let found = array.data.vertices().unwrap_or(vertices);
        if found < vertices {
            return Err(BatchError::AttributeLength { register: array.register, found, needed: vertices });
        }
    }
    let registers = outputs.layout.len();
    let fits = outputs.position.iter().all(|plane| plane.len() == vertices)
        && outputs.stride >= 4 * registers
        && outputs.varyings.len() >= vertices * outputs.stride;
    if fits { Ok(()) } else { Err(BatchError::OutputShape { vertices, stride: outputs.stride, registers }) }
}

/// Splits the outputs into tasks.
fn split(outputs: VertexOutputs<'_>, vertices: usize) -> Vec<Task<'_>> {
    let [mut x, mut y, mut z, mut w] = outputs.position;
    let mut varyings = outputs.varyings;
    let mut tasks = Vec::with_capacity(vertices.div_ceil(TASK));
    for first in (0..vertices).step_by(TASK) {
        let count = TASK.min(vertices - first);
        let position = [&mut x, &mut y, &mut z, &mut w].map(|plane| plane.split_off_mut(..count).unwrap_or_default());
        let varyings = varyings.split_off_mut(..count * outputs.stride).unwrap_or_default();
        tasks.push(Task { first, position, varyings });
    }
    tasks
}

/// What all tasks of a draw share.
struct Draw<'a> {
    machine: &'a BatchMachine,
    attributes: &'a [AttributeData<'a>; ATTRIBUTES],
    stride: usize,
    layout: &'a [Output],
}

/// Computes the vertices of one task, block by block.
#[simd]
fn run_task<S: Simd, A: LaneArithmetic<S>>(simd: S, draw: &Draw<'_>, arena: &mut Arena, mut task: Task<'_>) {
    let decoded = &draw.machine.decoded;
    let vertices = task.position[0].len();
    for start in (0..vertices).step_by(BLOCK) {
        let count = BLOCK.min(vertices - start);
        arena.length = count.next_multiple_of(LANES);
        for &plane in &decoded.zeroed {
            arena.planes[plane].fill(0.0);
            arena.changed(plane);
        }
        arena.addresses = [table::place(0); BLOCK];
        arena.uniform = true;
        for &(register, first) in &decoded.attributes {
            let data = &draw.attributes[usize::from(register)];
            // The four planes of a register follow each other, so this does not fail.
            let Some(planes) = arena.planes[first..].first_chunk_mut::<4>() else { continue };
            transfer::load_attribute(simd, data, task.first + start, count, arena.length, planes);
            for plane in first..first + 4 {
                kernel::read_plane::<S, A>(simd, arena, plane);
            }
        }
        kernel::run_block::<S, A>(simd, &decoded.operations, arena);
        store_results(simd, draw, arena, &mut task, start, count);
    }
}

#[inline(always)]
fn store_results<S: Simd>(
    simd: S,
    draw: &Draw<'_>,
    arena: &mut Arena,
    task: &mut Task<'_>,
    start: usize,
    count: usize,
) {
    const UNSET_VALUES: [Values; 4] = [[UNSET[0]; BLOCK], [UNSET[1]; BLOCK], [UNSET[2]; BLOCK], [UNSET[3]; BLOCK]];
    let output_planes = |output: Output| draw.machine.decoded.outputs[output.index()];
    for (c, plane) in output_planes(Output::Position).into_iter().enumerate() {
        let target = &mut task.position[c][start..start + count];
        match plane {
            Some(place) => target.copy_from_slice(&arena.planes[place][..count]),
            None => target.fill(UNSET[c]),
        }
    }
    for (index, &output) in draw.layout.iter().enumerate() {
        let places = output_planes(output);
        if output.is_color() && draw.machine.settings.clamp_colors {
            for place in places.into_iter().flatten() {
                kernel::clamp_plane(simd, &mut arena.planes[place]);
            }
        }
        let plane = |c: usize| match places[c] {
            Some(place) => &*arena.planes[place],
            None => &UNSET_VALUES[c],
        };
        let rows = &mut task.varyings[start * draw.stride..(start + count) * draw.stride];
        let planes = [plane(0), plane(1), plane(2), plane(3)];
        transfer::store_rows(simd, planes, count, rows, draw.stride, 4 * index);
    }
}
