//! Every driver that is there draws what a conformant backend may draw: no pixel of the goldens and of the showcases is
//! outside its envelope, with one sample a pixel and with four, and no vertex outside its bound.
//!
//! SwiftShader is known for a mistake with four samples: it takes their depths in the wrong places. Its pixels may be outside
//! only in pictures that are wholly inside the envelope of backends with this one mistake.
//!
//! A driver is chosen by the environment of a process, so each is a run of `refrast-gpu`. One that is missing is named
//! and left out, unless `REFRAST_REQUIRE` names it.

use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../../golden");
    let output = Command::new(env!("CARGO_BIN_EXE_refrast-gpu"))
        // Envelopes take the time, by the pixel.
        .args(["matrix", "--golden", golden, "--smaller", "2"])
        .args(["--drivers", "lavapipe,swiftshader,llvmpipe,softpipe"])
        .output()
        .expect("the program of this package can be started");
    let [said, complained] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    print!("{complained}{said}");
    if output.status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
