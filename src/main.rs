//! The `refrast` command: see `refrast --help`.

fn main() -> std::process::ExitCode {
    refrast_cli::run()
}
