//! The `refrast` command: see `refrast --help`.

fn main() -> std::process::ExitCode {
    // The folder of goldens is the package's, and a room's package has only its own files.
    refrast_cli::run(include_bytes!("../golden/demo.png"))
}
