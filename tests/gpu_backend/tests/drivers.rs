//! Every driver that is there draws what a conformant backend may draw: no pixel of the goldens and of the showcases is
//! outside its envelope, with one sample a pixel and with four, and no vertex outside its bound. What its texture filter gives as floats
//! is within what its profile allows.
//!
//! SwiftShader is known for a mistake with four samples: it takes their depths in the wrong places. Its pixels may be outside
//! only in pictures that are wholly inside the envelope of backends with this one mistake.
//!
//! A driver is chosen by the environment of a process, so each is a run of `refrast-gpu`. One that is missing is named
//! and left out, unless `REFRAST_REQUIRE` names it.

use std::process::{Command, ExitCode};

const DRIVERS: [&str; 4] = ["lavapipe", "swiftshader", "llvmpipe", "softpipe"];
/// What the program exits with where its driver is missing.
const MISSING: i32 = 3;

fn main() -> ExitCode {
    let pictures = run(&[
        "matrix",
        "--golden",
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../golden"),
        // Envelopes take the time, by the pixel.
        "--smaller",
        "3",
        "--drivers",
        &DRIVERS.join(","),
    ]);
    // Whether one may be missing was said by then.
    let filters = DRIVERS.map(|driver| run(&["--driver", driver, "filters"])).map(|code| matches!(code, 0 | MISSING));
    if pictures == 0 && filters == [true; 4] { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What the program exits with; what it says is said again.
fn run(arguments: &[&str]) -> i32 {
    let output = Command::new(env!("CARGO_BIN_EXE_refrast-gpu"))
        .args(arguments)
        .output()
        .expect("the program of this package can be started");
    let [said, complained] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    print!("{complained}{said}");
    output.status.code().unwrap_or(-1)
}
