//! The batch machine gives the bits of the scalar machine: on every opcode, on random programs, in both numeric
//! models, at every SIMD level, for every number of vertices and threads.

use crate::random_programs::{SPECIAL, instruction, number, program, vector};
use proptest::prelude::*;
use refrast::{
    simd::SimdLevel,
    vertex_program::{
        AddressRounding, AttributeArray, AttributeData, Attributes, BatchError, BatchMachine, ConstantFile,
        Destination, DestinationRegister, Dialect, Instruction, Mask, NumericModel, Opcode, Output, Program,
        ScalarMachine, Settings, Source, SourceRegister, UNSET, VertexOutputs, assemble,
    },
};

const MODELS: [NumericModel; 2] = [NumericModel::NvSpec, NumericModel::Ieee];

/// Runs the batch machine; gives all results of each vertex.
fn run_batch(
    program: &Program,
    settings: Settings,
    constants: &ConstantFile,
    vertices: &[Attributes],
    level: SimdLevel,
) -> Vec<[[f32; 4]; 15]> {
    let count = vertices.len();
    let rows: Vec<Vec<f32>> =
        (0..16).map(|register| vertices.iter().flat_map(|vertex| vertex[register]).collect()).collect();
    let attributes: Vec<AttributeArray<'_>> = rows
        .iter()
        .enumerate()
        .map(|(register, values)| AttributeArray {
            register: register as u8,
            data: AttributeData::Rows { values, components: 4, stride: 4 },
        })
        .collect();
    let mut position = [vec![7.0; count], vec![7.0; count], vec![7.0; count], vec![7.0; count]];
    let mut varyings = vec![7.0; count * 56];
    let [x, y, z, w] = &mut position;
    let outputs =
        VertexOutputs { position: [x, y, z, w], varyings: &mut varyings, stride: 56, layout: &Output::ALL[1..] };
    BatchMachine::new(program, settings).unwrap().run(constants, &attributes, outputs, level).unwrap();
    (0..count)
        .map(|vertex| {
            let mut results = [[0.0; 4]; 15];
            results[0] = std::array::from_fn(|c| position[c][vertex]);
            for (register, result) in results[1..].iter_mut().enumerate() {
                result.copy_from_slice(&varyings[vertex * 56 + register * 4..][..4]);
            }
            results
        })
        .collect()
}

/// Compares both machines at every level, bit by bit.
fn check(program: &Program, settings: Settings, constants: &ConstantFile, vertices: &[Attributes]) {
    let machine = ScalarMachine::new(settings);
    let expected: Vec<_> = vertices.iter().map(|vertex| machine.run(program, constants, vertex).outputs).collect();
    for level in SimdLevel::available() {
        let found = run_batch(program, settings, constants, vertices, level);
        for (vertex, (found, expected)) in found.iter().zip(&expected).enumerate() {
            for register in 0..15 {
                assert_eq!(
                    found[register].map(f32::to_bits),
                    expected[register].map(f32::to_bits),
                    "{level} {:?} vertex {vertex} register {register}: {:?} is not {:?}\n{program:?}",
                    settings.model,
                    found[register],
                    expected[register],
                );
            }
        }
    }
}

fn settings(model: NumericModel, clamp_colors: bool) -> Settings {
    Settings { model, clamp_colors, ..Settings::default() }
}

/// One instruction on all combinations of special values, with the result in two registers.
#[test]
fn every_opcode_agrees_on_special_values() {
    let pairs = SPECIAL.iter().flat_map(|&a| SPECIAL.iter().map(move |&b| (a, b)));
    let vertices: Vec<Attributes> = pairs
        .enumerate()
        .map(|(i, (a, b))| {
            let third = SPECIAL[(i * 7 + 3) % SPECIAL.len()];
            let fourth = SPECIAL[(i * 11 + 5) % SPECIAL.len()];
            let mut vertex = [UNSET; 16];
            vertex[0] = [a, b, third, fourth];
            vertex[1] = [b, third, fourth, a];
            vertex[2] = [third, a, b, fourth];
            vertex
        })
        .collect();
    let mut constants = [[0.0; 4]; 96];
    for (i, constant) in constants.iter_mut().enumerate() {
        *constant = std::array::from_fn(|c| SPECIAL[(i * 4 + c) % SPECIAL.len()]);
    }
    for opcode in Opcode::ALL.into_iter().filter(|&opcode| opcode != Opcode::Nop) {
        let attribute = |index: u8| Source::plain(SourceRegister::Attribute(index));
        let register = DestinationRegister::Output(Output::Position);
        let mut instructions = Vec::new();
        if opcode == Opcode::Arl {
            let address = Destination { register: DestinationRegister::Address, mask: Mask::X };
            instructions.push(Instruction::new(
                Opcode::Arl,
                address,
                &[Source::swizzled(SourceRegister::Attribute(0), [0; 4], false)],
            ));
            let relative = Source::plain(SourceRegister::Relative { base: 0, offset: 5 });
            let position = Destination { register, mask: Mask::XYZW };
            instructions.push(Instruction::new(Opcode::Mov, position, &[relative]));
        } else {
            let operand = |index: u8| {
                if opcode.takes_scalars() {
                    Source::swizzled(SourceRegister::Attribute(index), [index; 4], false)
                } else {
                    attribute(index)
                }
            };
            let operands = [operand(0), operand(1), operand(2)];
            let position = Destination { register, mask: Mask::XYZW };
            instructions.push(Instruction::new(opcode, position, &operands[..opcode.operands()]));
        }
        let program = Program { instructions, ..Program::empty(Dialect::Arb10) };
        for model in MODELS {
            check(&program, settings(model, false), &constants, &vertices);
        }
    }
}

/// Ordinary numbers by the hundred thousand, where the vector path of `nv-spec` rounds by itself.
#[test]
fn rounding_agrees_on_ordinary_numbers() {
    let mut state = 0x1234_5678_u32;
    let mut random = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from_bits(state & 0x8000_0000 | (117 + (state >> 8) % 20) << 23 | (state.rotate_left(13) & 0x7f_ffff))
    };
    let vertices: Vec<Attributes> =
        (0..20_000).map(|_| std::array::from_fn(|_| std::array::from_fn(|_| random()))).collect();
    let text = "!!VP1.0 MUL o[TEX0], v[0], v[0].yzwx; ADD o[TEX1], v[1], v[1].yzwx; MAD o[TEX2], v[2], v[2].wxyz, \
                v[2].yzwx; DP3 o[TEX3], v[3], v[3].zxyw; DP4 o[HPOS], v[4], v[4].yzwx; DST o[TEX4], v[5], v[5]; END";
    let program = assemble(text).unwrap().program;
    for model in MODELS {
        check(&program, settings(model, false), &[[0.0; 4]; 96], &vertices);
    }
}

/// Partial sums that all but cancel, and are then lost beside a large term, or are exactly 0: f64 would forget that 2048 − 2^-43 is
/// less than 2048.
#[test]
fn partial_sums_that_cancel_still_round_toward_zero() {
    let near = |value: f32, step: i32| f32::from_bits(value.to_bits().wrapping_add_signed(step));
    let tiny = 1.0 / 1_048_576.0;
    let vertices: Vec<Attributes> = (0..3000)
        .map(|n| {
            let a = tiny * (1.0 + (n / 30) as f32 / 1024.0);
            let b = -near(a, n % 5 - 2);
            let large = [2048.0, -2048.0, 2047.0, 1.0, 0.0, a][n as usize % 6];
            let mut attributes = [UNSET; 16];
            attributes[0] = [a, b, large, near(a, n % 7 - 3)];
            attributes[1] = [1.0, 1.0, 1.0, if n % 2 == 0 { -1.0 } else { 1.0 }];
            attributes
        })
        .collect();
    let text = "!!VP1.1 MOV R1, v[1]; DP3 o[TEX0], v[0], R1; DPH o[TEX1], v[0], R1; DP4 o[HPOS], v[0], R1; \
                MAD o[TEX2], v[0], R1, -v[0].yxwz; END";
    let program = assemble(text).unwrap().program;
    check(&program, settings(NumericModel::NvSpec, false), &[[0.0; 4]; 96], &vertices);
    let below =
        run_batch(&program, settings(NumericModel::NvSpec, false), &[[0.0; 4]; 96], &[vertices[18]], SimdLevel::best());
    let [a, b, large, _] = vertices[18][0];
    assert!(large == 2048.0 && a + b < 0.0, "vertex 18 is such a one");
    assert!(below.iter().flatten().flatten().any(|&value| value == near(2048.0, -1)), "{below:?}");
}

/// Blocks of 128 vertices whose exponents spread over 0 to 63 powers of two, around 1 and near both ends of the range: what
/// decides how `nv-spec` adds them up. Sums that cancel and zeros are among them, matrices by rows and numbers by columns.
#[test]
fn every_spread_of_exponents_agrees() {
    let mut state = 0x2545_f491_u32;
    let mut bits = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.rotate_left(15)
    };
    let mut number = |lowest: u32, spread: u32| {
        let (kind, exponent) = (bits() % 16, (lowest + bits() % (spread + 1)).min(254));
        match kind {
            0 => 0.0,
            1 => -0.0,
            // Few bits, so that sums are exactly 0.
            2..=6 => f32::from_bits(bits() & 0x8060_0000 | exponent << 23),
            _ => f32::from_bits(bits() & 0x807f_ffff | exponent << 23),
        }
    };
    let mut vertices = Vec::new();
    for lowest in [1, 20, 60, 110, 126, 180] {
        for index in 0..128 * 32 {
            let spread = 2 * (index / 128) + lowest % 2;
            let mut vertex: Attributes = std::array::from_fn(|_| std::array::from_fn(|_| number(lowest, spread)));
            vertex[6] = [3.0 * (index % 9) as f32, 1.0, 0.0, 0.0];
            // The first two products of the first row cancel, but for the last bit.
            vertex[4] = [vertex[0][1], -f32::from_bits(vertex[0][0].to_bits() ^ index & 1), vertex[4][2], vertex[4][3]];
            vertices.push(vertex);
        }
    }
    let constants = std::array::from_fn(|_| std::array::from_fn(|_| number(122, 8)));
    let text = "!!VP1.1 ARL A0.x, v[6].x; MOV R4, v[4];
        DP4 R0.x, c[A0.x], v[0]; DP4 R0.y, c[A0.x + 1], v[0]; DP4 R0.z, c[A0.x + 2], -v[0];
        DP3 R3.x, c[A0.x], v[2]; DP3 R3.y, v[2], c[A0.x + 1]; DP3 R3.z, c[A0.x + 2], v[2];
        MUL R1.xyz, R0, v[1].x; MAD R1.xyz, -R3, v[1].y, R1; MOV R1.w, v[0].w;
        DP4 o[HPOS].x, c[0], R1; DP4 o[HPOS].y, c[1], R1; DP4 o[HPOS].z, c[2], R1; DP4 o[HPOS].w, c[3], R1;
        DP4 o[TEX0], v[0], R4; DPH o[TEX1].x, v[0], R4; DPH o[TEX1].y, -v[1], R4; MAD o[TEX2], v[0], R4, -v[0].wxyz;
        MUL o[TEX3], v[2].x, R4; MAD o[TEX4], R4.x, v[0], v[0].yzwx; DP3 o[TEX5], v[0], R4; MOV o[TEX6], R1; END";
    let program = assemble(text).unwrap().program;
    let settings = settings(NumericModel::NvSpec, false);
    check(&program, settings, &constants, &vertices);
    let cross = "!!ARBvp1.0 TEMP r; XPD r, vertex.attrib[0], vertex.attrib[4]; MOV r.w, 1; MOV result.position, r; END";
    check(&assemble(cross).unwrap().program, settings, &constants, &vertices);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn random_programs_agree(
        program in program(Dialect::Arb10, 40),
        constants in prop::collection::vec(vector(), 96),
        vertices in prop::collection::vec(prop::collection::vec(vector(), 16), 1..150),
        nv_spec in any::<bool>(),
        clamp_colors in any::<bool>(),
    ) {
        let constants: ConstantFile = constants.try_into().unwrap();
        let vertices: Vec<Attributes> = vertices.into_iter().map(|vertex| vertex.try_into().unwrap()).collect();
        let model = if nv_spec { NumericModel::NvSpec } else { NumericModel::Ieee };
        check(&program, settings(model, clamp_colors), &constants, &vertices);
    }

    #[test]
    fn one_instruction_onto_its_own_operands_agrees(
        instruction in instruction(vec![Opcode::Mov, Opcode::Mad, Opcode::Xpd, Opcode::Swz, Opcode::Dst, Opcode::Dp4]),
        start in prop::collection::vec(vector(), 12),
        attribute in vector(),
    ) {
        // All temporaries are set, so that a swizzled read of a half-written register shows.
        let set = |index: u8| {
            let register = DestinationRegister::Temporary(index);
            let value = Source::plain(SourceRegister::Constant(index));
            Instruction::new(Opcode::Mov, Destination { register, mask: Mask::XYZW }, &[value])
        };
        let show = |index: u8| {
            let register = DestinationRegister::Output(Output::ALL[usize::from(index)]);
            let value = Source::plain(SourceRegister::Temporary(index));
            Instruction::new(Opcode::Mov, Destination { register, mask: Mask::XYZW }, &[value])
        };
        let instructions = (0..12).map(set).chain([instruction]).chain((0..12).map(show)).collect();
        let program = Program { instructions, ..Program::empty(Dialect::Arb10) };
        let mut constants = [[0.0; 4]; 96];
        constants[..12].copy_from_slice(&start);
        for model in MODELS {
            check(&program, settings(model, false), &constants, &[[attribute; 16]; 3]);
        }
    }

    #[test]
    fn addresses_agree_in_every_rounding(addresses in prop::collection::vec(number(), 1..100), nv_spec in any::<bool>()) {
        let text = "vs.1.1\nmov a0.x, v0.x\nmov oPos, c[a0.x + 3]\nmov oT0, c[a0.x + 90]\nmov a0.x, v1.x\nmov oT1, c[a0.x]";
        let program = assemble(text).unwrap().program;
        let constants = std::array::from_fn(|i| [i as f32, 0.5, -1.0, 2.0]);
        let vertices: Vec<Attributes> =
            addresses.iter().map(|&x| std::array::from_fn(|i| [x * 10.0 + i as f32, 0.0, 0.0, 1.0])).collect();
        let model = if nv_spec { NumericModel::NvSpec } else { NumericModel::Ieee };
        for address_rounding in [AddressRounding::Floor, AddressRounding::Nearest, AddressRounding::Truncate] {
            check(&program, Settings { address_rounding, ..settings(model, false) }, &constants, &vertices);
        }
    }
}

/// Many tasks over many threads give what one thread gives.
#[test]
fn the_number_of_threads_does_not_show() {
    let text = "!!VP1.0 ARL A0.x, v[1].x; DP4 o[HPOS].x, c[A0.x + 2], v[0]; RSQ o[TEX0], v[0].y; LIT o[COL0], v[0]; \
                MOV o[TEX1], R3; MOV R3, v[0]; END";
    let program = assemble(text).unwrap().program;
    let constants: ConstantFile = std::array::from_fn(|i| [i as f32 * 0.37, 1.5, -0.25, 2.0]);
    let vertices: Vec<Attributes> = (0..5000)
        .map(|i| {
            let mut vertex = [UNSET; 16];
            vertex[0] = [i as f32 * 0.001, 3.0 - i as f32, 0.5, 8.0];
            vertex[1] = [(i % 90) as f32, 0.0, 0.0, 0.0];
            vertex
        })
        .collect();
    let run = || run_batch(&program, Settings::default(), &constants, &vertices, SimdLevel::best());
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(run);
    let five = rayon::ThreadPoolBuilder::new().num_threads(5).build().unwrap().install(run);
    assert_eq!(one, five);
    // R3 is 0 when a vertex starts, whatever the vertex before left in it.
    assert!(one.iter().all(|results| results[8] == [0.0; 4]));
}

#[test]
fn a_position_invariant_program_gets_its_position_from_the_matrix() {
    let program = assemble("!!VP1.1 OPTION NV_position_invariant; MOV o[COL0], v[COL0]; END").unwrap().program;
    let rows = [[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, -1.0], [2.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0]];
    let settings = Settings { modelview_projection: rows, ..Settings::default() };
    let mut vertex = [UNSET; 16];
    vertex[0] = [1.0, 10.0, 100.0, 1.0];
    let registers = ScalarMachine::new(settings).run(&program, &[[0.0; 4]; 96], &vertex);
    // By hand: 1 + 20 + 300 + 4, 10 − 1, 2, −100.
    assert_eq!(registers.output(Output::Position), [325.0, 9.0, 2.0, -100.0]);
    check(&program, settings, &[[0.0; 4]; 96], &[vertex]);
}

#[test]
fn arrays_of_all_shapes_fill_missing_components_with_0001() {
    let program = assemble("!!VP1.0 MOV o[HPOS], v[0]; MOV o[TEX0], v[8]; MOV o[TEX1], v[9]; END").unwrap().program;
    let machine = BatchMachine::new(&program, Settings::default()).unwrap();
    let packed = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let planes: [&[f32]; 2] = [&[7.0, 8.0], &[9.0, 10.0]];
    let attributes = [
        AttributeArray { register: 0, data: AttributeData::Rows { values: &packed, components: 3, stride: 3 } },
        AttributeArray { register: 8, data: AttributeData::Planes(&planes) },
        AttributeArray { register: 9, data: AttributeData::Same([4.0, 3.0, 2.0, 1.0]) },
    ];
    let (mut x, mut y, mut z, mut w) = ([0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2]);
    let mut varyings = [9.0; 18];
    let outputs = VertexOutputs {
        position: [&mut x, &mut y, &mut z, &mut w],
        varyings: &mut varyings,
        stride: 9,
        layout: &[Output::Texture(1), Output::Texture(0)],
    };
    machine.run(&[[0.0; 4]; 96], &attributes, outputs, SimdLevel::best()).unwrap();
    assert_eq!([x, y, z, w], [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0], [1.0, 1.0]]);
    let row = |t: [f32; 2]| [4.0, 3.0, 2.0, 1.0, t[0], t[1], 0.0, 1.0, 9.0];
    assert_eq!(varyings[..9], row([7.0, 9.0]));
    assert_eq!(varyings[9..], row([8.0, 10.0]));
}

#[test]
fn arrays_that_do_not_fit_are_refused_by_name() {
    let program = assemble("!!VP1.0 MOV o[HPOS], v[0]; END").unwrap().program;
    let machine = BatchMachine::new(&program, Settings::default()).unwrap();
    let run = |values: &[f32], components: usize, varyings: usize| {
        let mut planes = [[0.0; 3]; 4];
        let [x, y, z, w] = &mut planes;
        let mut varyings = vec![0.0; varyings];
        let outputs =
            VertexOutputs { position: [x, y, z, w], varyings: &mut varyings, stride: 4, layout: &[Output::Texture(0)] };
        let data = AttributeData::Rows { values, components, stride: 4 };
        machine.run(&[[0.0; 4]; 96], &[AttributeArray { register: 0, data }], outputs, SimdLevel::best())
    };
    assert_eq!(run(&[0.0; 12], 4, 12), Ok(()));
    // The last row need not be padded to the stride.
    assert_eq!(run(&[0.0; 11], 3, 12), Ok(()));
    assert_eq!(run(&[0.0; 11], 4, 12), Err(BatchError::AttributeLength { register: 0, found: 2, needed: 3 }));
    assert_eq!(run(&[0.0; 12], 5, 12), Err(BatchError::AttributeShape(0)));
    assert!(matches!(run(&[0.0; 12], 4, 11), Err(BatchError::OutputShape { vertices: 3, .. })));
    let state_program = assemble("!!VSP1.0 MOV c[0], v[0]; END").unwrap().program;
    assert_eq!(BatchMachine::new(&state_program, Settings::default()).unwrap_err(), BatchError::StateProgram);
}
