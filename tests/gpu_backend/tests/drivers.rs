//! Every driver that is there draws what a conformant backend may draw: no pixel of the goldens and of the showcases is
//! outside its envelope, with one sample a pixel and (but for SwiftShader) with four, and no vertex outside its bound.
//!
//! A driver is chosen by the environment of a process, so each is a run of `refrast-gpu`. One that is missing is named
//! and left out, unless `REFRAST_REQUIRE` names it.

use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    // SwiftShader takes the depth of a sample where the sample is not: with four it is known to be wrong.
    let runs = [["lavapipe,llvmpipe,softpipe", "1,4"], ["swiftshader", "1"]];
    if runs.into_iter().all(|[drivers, samples]| agrees(drivers, samples)) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn agrees(drivers: &str, samples: &str) -> bool {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../../golden");
    let output = Command::new(env!("CARGO_BIN_EXE_refrast-gpu"))
        // Envelopes take the time, by the pixel.
        .args(["matrix", "--golden", golden, "--smaller", "2", "--drivers", drivers, "--samples", samples])
        .output()
        .expect("the program of this package can be started");
    let [said, complained] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    print!("{complained}{said}");
    output.status.success()
}
