//! The conformance vectors of `tests/data`, on the scalar machine and on the batch machine at every SIMD level.

use refrast::{
    simd::SimdLevel,
    vertex_program::{
        AttributeArray, AttributeData, BatchMachine, Destination, DestinationRegister, Dialect, Instruction, Mask,
        NumericModel, Opcode, Output, Program, ScalarMachine, Settings, Source, SourceRegister, UNSET, VertexOutputs,
    },
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Vectors {
    vector: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    opcode: String,
    model: String,
    a: String,
    b: Option<String>,
    c: Option<String>,
    expected: String,
    rule: String,
}

fn number(text: &str) -> f32 {
    let (sign, magnitude) = text.strip_prefix('-').map_or((0, text), |rest| (1 << 31, rest));
    let bits = match magnitude.strip_prefix("0x") {
        Some(bits) => u32::from_str_radix(bits, 16).unwrap(),
        None => magnitude.parse::<f32>().unwrap().to_bits(),
    };
    f32::from_bits(bits ^ sign)
}

fn operand(text: &str) -> [f32; 4] {
    text.split(' ').map(number).collect::<Vec<_>>().try_into().unwrap()
}

/// Whether `found` is what `expected` allows.
fn matches(expected: &str, found: f32, opcode: Opcode) -> bool {
    if expected == "any" {
        return true;
    }
    if let Some(approximate) = expected.strip_prefix('~') {
        let exact: f64 = approximate.parse().unwrap();
        let bits = if matches!(opcode, Opcode::Rcp | Opcode::Rsq) { 22 } else { 11 };
        return ((f64::from(found) - exact) / exact).abs() < 1.0 / f64::from(1 << bits);
    }
    let expected = number(expected);
    if expected.is_nan() {
        return found.is_nan() && found.is_sign_positive() == expected.is_sign_positive();
    }
    expected.to_bits() == found.to_bits()
}

/// `opcode o[TEX0], v[0], v[1], v[2]`
fn program(opcode: Opcode) -> Program {
    let register = DestinationRegister::Output(Output::Texture(0));
    let components = if opcode.takes_scalars() { [0; 4] } else { [0, 1, 2, 3] };
    let operands = [0, 1, 2].map(|index| Source::swizzled(SourceRegister::Attribute(index), components, false));
    let operands = &operands[..opcode.operands()];
    let instructions = vec![Instruction::new(opcode, Destination { register, mask: Mask::XYZW }, operands)];
    Program { instructions, ..Program::empty(Dialect::Arb10) }
}

fn run_batch(program: &Program, settings: Settings, operands: [[f32; 4]; 3], level: SimdLevel) -> [f32; 4] {
    let attributes = [0, 1, 2]
        .map(|register| AttributeArray { register: register as u8, data: AttributeData::Same(operands[register]) });
    // Two vertices more than the widest vector holds.
    let mut position = [[0.0; 18]; 4];
    let mut varyings = [0.0; 72];
    let [x, y, z, w] = &mut position;
    let layout = &[Output::Texture(0)];
    let outputs = VertexOutputs { position: [x, y, z, w], varyings: &mut varyings, stride: 4, layout };
    let machine = BatchMachine::new(program, settings).unwrap();
    machine.run(&[[0.0; 4]; 96], &attributes, outputs, level).unwrap();
    let rows = varyings.as_chunks::<4>().0;
    for row in rows {
        assert_eq!(row.map(f32::to_bits), rows[0].map(f32::to_bits), "equal vertices have equal results");
    }
    rows[0]
}

#[test]
fn every_vector_holds_on_every_machine() {
    let Vectors { vector } = toml::from_str(include_str!("vectors.toml")).unwrap();
    let mut failures = Vec::new();
    for Vector { opcode, model, a, b, c, expected, rule } in &vector {
        let opcode = Opcode::from_name(opcode).unwrap();
        let models = match model.as_str() {
            "both" => vec![NumericModel::NvSpec, NumericModel::Ieee],
            name => vec![name.parse().unwrap()],
        };
        let optional = |text: &Option<String>| text.as_deref().map_or([0.0; 4], operand);
        let operands = [operand(a), optional(b), optional(c)];
        let program = program(opcode);
        for model in models {
            let settings = Settings { model, ..Settings::default() };
            let mut attributes = [UNSET; 16];
            attributes[..3].copy_from_slice(&operands);
            let registers = ScalarMachine::new(settings).run(&program, &[[0.0; 4]; 96], &attributes);
            let scalar = ("scalar machine".to_owned(), registers.output(Output::Texture(0)));
            let batch = SimdLevel::available()
                .map(|level| (format!("batch at {level}"), run_batch(&program, settings, operands, level)));
            for (machine, found) in std::iter::once(scalar).chain(batch) {
                let holds = expected.split(' ').zip(found).all(|(expected, found)| matches(expected, found, opcode));
                if !holds {
                    failures.push(format!(
                        "{opcode} {model:?} {machine}: {operands:?} gives {found:?}, not {expected}: {rule}"
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_opcode_with_a_result_has_vectors_in_both_models() {
    let Vectors { vector } = toml::from_str(include_str!("vectors.toml")).unwrap();
    for opcode in Opcode::ALL.into_iter().filter(|opcode| !matches!(opcode, Opcode::Nop | Opcode::Arl)) {
        for model in ["nv-spec", "ieee"] {
            let covers = |vector: &&Vector| vector.opcode == opcode.name() && [model, "both"].contains(&&*vector.model);
            assert!(vector.iter().any(|vector| covers(&vector)), "{opcode} has no vector for {model}");
        }
    }
}
