//! Every driver that is there draws what a conformant backend may draw: no pixel of the built-in character and of the
//! showcases is outside its envelope.
//!
//! A driver is chosen by the environment of a process, so each is a run of `refrast-gpu`. One that is missing is skipped
//! by name, unless `REFRAST_REQUIRE` names it.

use std::process::{ExitCode, Output};

use refrast_gpu_backend::Driver;

/// What `refrast-gpu` exits with where the driver is missing.
const MISSING: i32 = 3;

fn main() -> ExitCode {
    let required = std::env::var("REFRAST_REQUIRE").unwrap_or_default();
    let mut code = ExitCode::SUCCESS;
    for driver in Driver::SOFTWARE {
        for samples in ["1", "4"] {
            if samples == "4" && !(driver.multisamples() && driver.samples_depth_in_place()) {
                println!("SKIPPED: {driver}, {samples} a pixel: the driver is known to be wrong");
                continue;
            }
            let Output { status, stdout, stderr } = driver
                .command(env!("CARGO_BIN_EXE_refrast-gpu"))
                .args(["--driver", driver.name(), "compare", "--samples", samples])
                // The models are many: `refrast-gpu compare` takes them by hand.
                .env_remove("REFRAST_MODELS")
                .output()
                .expect("the program of this package can be started");
            let [said, complained] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let is_required = required.split(',').any(|name| name.trim() == driver.name());
            match status.code() {
                Some(0) => println!("{driver}, {samples} a pixel: {}", said.lines().last().unwrap_or_default()),
                Some(MISSING) if !is_required => println!("SKIPPED: {}", complained.trim()),
                _ => {
                    println!("FAILED: {driver}, {samples} a pixel: {status}\n{said}{complained}");
                    code = ExitCode::FAILURE;
                }
            }
        }
    }
    code
}
