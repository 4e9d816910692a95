//! The `refrast` command: see `refrast --help`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
