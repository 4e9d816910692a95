//! Vertex programs: the text of each dialect, to both machines.

use refrast_simd::SimdLevel;
use refrast_vertex_program::{
    Assembled, Attributes, BatchMachine, ConstantFile, Dialect, NumericModel, Output, Program, ProgramError, ScalarMachine,
    Settings, Target, UNSET, VertexOutputs, assemble, format, translate,
};

/// Assembles the header of `dialect` with `body` after it and checks what comes of it.
///
/// # Panics
///
/// When a rule is broken: that is what the fuzzer looks for.
pub fn check(dialect: Dialect, body: &str) {
    let text = format!("{}{body}", dialect.header());
    match assemble(&text) {
        Ok(assembled) => check_program(&text, &assembled),
        Err(error) => check_error(&text, &error),
    }
}

fn check_error(text: &str, error: &ProgramError) {
    assert!(text.get(error.span.clone()).is_some(), "the place is not in the text");
    assert!(!error.render("fuzz", text).is_empty());
}

fn check_program(text: &str, Assembled { program, spans }: &Assembled) {
    assert_eq!(spans.len(), program.instructions.len());
    assert!(spans.iter().all(|span| text.get(span.clone()).is_some()));
    assert!(program.slots() <= program.slot_limit());
    let formatted = format(program);
    let again = assemble(&formatted).unwrap_or_else(|error| panic!("{}", error.render("formatted", &formatted)));
    assert_eq!(again.program.instructions, program.instructions);
    // Anything but a panic will do: a target may lack what the program uses.
    for target in Target::ALL {
        let _ = translate(program, target);
    }
    let constants = [[f32::NAN, f32::INFINITY, -0.0, 1e-40]; 96];
    let _ = ScalarMachine::default().trace(program, &constants, &[UNSET; 16]);
    let ordinary = std::array::from_fn(|index| std::array::from_fn(|c| index as f32 * 0.37 - 11.0 * c as f32));
    for model in [NumericModel::NvSpec, NumericModel::Ieee] {
        check_batch(program, &constants, model);
        check_batch(program, &ordinary, model);
    }
}

/// The batch machine computes what the scalar one does, bit for bit.
fn check_batch(program: &Program, constants: &ConstantFile, model: NumericModel) {
    let settings = Settings { model, ..Settings::default() };
    let Ok(machine) = BatchMachine::new(program, settings) else { return };
    let [mut x, mut y, mut z, mut w] = [[0.0; 2]; 4];
    let mut varyings = [0.0; 16];
    let outputs = VertexOutputs {
        position: [&mut x, &mut y, &mut z, &mut w],
        varyings: &mut varyings,
        stride: 8,
        layout: &[Output::FrontPrimary, Output::Texture(0)],
    };
    machine.run(constants, &[], outputs, SimdLevel::default()).expect("no array is too short");
    let attributes: Attributes = [UNSET; 16];
    let expected = ScalarMachine::new(settings).run(program, constants, &attributes);
    let bits = |vector: [f32; 4]| vector.map(f32::to_bits);
    assert_eq!(bits([x[1], y[1], z[1], w[1]]), bits(expected.output(Output::Position)), "{model:?}");
    for (row, output) in [Output::FrontPrimary, Output::Texture(0)].into_iter().enumerate() {
        let found = [0, 1, 2, 3].map(|c| varyings[8 + 4 * row + c]);
        assert_eq!(bits(found), bits(expected.output(output)), "{model:?} {output:?}");
    }
}
