//! What must hold for every text, whatever it is.
//!
//! `cargo fuzz run arb` (and vp10, vp11, vsp10, vs11), from this folder's parent; the header is put before each text, so that
//! no time goes into finding it. On a stable compiler: `cargo fuzz run --sanitizer none arb`.

use refrast::vertex_program::{
    Assembled, Dialect, ProgramError, ScalarMachine, Target, UNSET, assemble, format, translate,
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
}
