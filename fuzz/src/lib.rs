//! What must hold for every text, whatever it is.
//!
//! `cargo fuzz run arb` (and vp10, vp11, vsp10, vs11, envelope), from this folder's parent; the header is put before each text, so that
//! no time goes into finding it. On a stable compiler: `cargo fuzz run --sanitizer none arb`.

use std::path::Path;

use refrast::golden::{
    Picture, xxh64,
    envelope::{CheckOptions, EnvelopeFile},
};
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

/// Reads `bytes` as the file of an envelope, for a golden of the size that it promises, and checks what comes of it. The
/// header's checksums are set right, because no fuzzer guesses them.
///
/// # Panics
///
/// When a rule is broken: that is what the fuzzer looks for.
pub fn check_envelope(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    let number = |bytes: &[u8], at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let (Some(width), Some(height)) = (number(&bytes, 12), number(&bytes, 16)) else { return };
    let (width, height) = (width % 64 + 1, height % 64 + 1);
    bytes[12..16].copy_from_slice(&width.to_le_bytes());
    bytes[16..20].copy_from_slice(&height.to_le_bytes());
    let samples = (0..width * height * 4).map(|index| (index * 7) as u8).collect::<Vec<u8>>();
    let golden = Picture::from_rgba8(width, height, samples).expect("four samples a pixel");
    if let Some(place) = bytes.get_mut(24..32) {
        place.copy_from_slice(&golden.content_hash().to_le_bytes());
    }
    if let (Some(shapes), Some(bands)) = (number(&bytes, 56), number(&bytes, 60)) {
        let end = 64 + 8 * (shapes as usize + bands as usize);
        let hash = bytes.get(..end).map(|head| xxh64(head, 0).to_le_bytes());
        if let (Some(hash), Some(place)) = (hash, bytes.get_mut(end..end + 8)) {
            place.copy_from_slice(&hash);
        }
    }
    let name = Path::new("fuzz.envelope");
    let Ok(file) = EnvelopeFile::from_bytes(bytes, name) else { return };
    let options = CheckOptions::default();
    let streamed = file.check(&golden, &golden, &options);
    if let Ok(envelope) = file.unpack(&golden) {
        assert_eq!(envelope.check(&golden, &options).ok(), streamed.ok());
        // What the boxes say is kept by another file, however it is packed.
        let again = envelope.encode(&golden, name).expect("it fits its golden");
        let again = EnvelopeFile::from_bytes(again, name).and_then(|file| file.unpack(&golden));
        assert!(again.is_ok_and(|again| again == envelope));
    } else {
        assert!(streamed.is_err());
    }
}
