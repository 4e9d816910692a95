//! The `refrast` command: see `refrast --help`.

use refrast_cli::{Carried, run};

fn main() -> std::process::ExitCode {
    // The folder of goldens is the package's, and a room's package has only its own files.
    run(Carried { demo: include_bytes!("../golden/demo.png"), judge: JUDGE })
}

/// `bindings/compare/build-wasm` has to be run before.
#[cfg(feature = "judge")]
const JUDGE: Option<refrast_golden::Judge> = Some(refrast_golden::Judge {
    module: include_bytes!("../bindings/compare/javascript/refrast_compare.wasm"),
    library: include_str!("../bindings/compare/javascript/index.mjs"),
});
#[cfg(not(feature = "judge"))]
const JUDGE: Option<refrast_golden::Judge> = None;
