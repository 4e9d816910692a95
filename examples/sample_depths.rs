//! Which pictures of a folder are right, and which would be if their driver took the depths of samples in a mirror: one line of
//! JSON a case.
//!
//! `cargo run --release --example sample_depths -- GOLDENS CANDIDATES`: a folder with a manifest, and one with `NAME.png` for each case.
//!
//! Why it exists: SwiftShader makes that mistake (docs/evidence/drivers.md), so that an engine in a browser without a GPU shows it
//! at four samples. The board of engines must tell it from the engine's own.

use std::{env, error::Error, path::Path};

use refrast::{
    golden::{Picture, envelope::CheckOptions},
    verify::{
        cases::GoldenFolder,
        envelope::{EnvelopeSettings, SampleDepths, frame_envelope},
    },
};

fn main() -> Result<(), Box<dyn Error>> {
    let folders: Vec<String> = env::args().skip(1).collect();
    let [goldens, candidates] = folders.as_slice() else {
        return Err("name the goldens' folder and the candidates'".into());
    };
    let mut folder = GoldenFolder::open(Path::new(goldens))?;
    for case in folder.cases().to_vec() {
        let candidate = Picture::read(&Path::new(candidates).join(format!("{}.png", case.name)))?;
        let prepared = folder.prepare(&case)?;
        let mut renderer = prepared.renderer()?;
        let mut wrong = |sample_depths| -> Result<u64, Box<dyn Error>> {
            let judged_by = EnvelopeSettings { sample_depths, ..prepared.judged_by() };
            let made = frame_envelope(&mut renderer, &prepared.pose, &prepared.camera, judged_by)?;
            Ok(made.envelope.check(&candidate, &CheckOptions::default())?.wrong())
        };
        let [in_place, mirrored] = [wrong(SampleDepths::InPlace)?, wrong(SampleDepths::MirroredInX)?];
        println!("{}", serde_json::json!({ "name": case.name, "wrong": in_place, "wrong_if_mirrored": mirrored }));
    }
    Ok(())
}
