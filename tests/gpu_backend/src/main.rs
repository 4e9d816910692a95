//! `refrast-gpu`: draws a scene on a GPU driver, and holds the driver against the reference.
//!
//! Exits with 0, with 1 where the driver differs, with 2 after an error and with 3 where the driver is missing.

mod arguments;
mod bench;
mod compare;
mod filters;
mod matrix;
mod mistakes;
mod packed;
mod peers;
mod random;
mod tables;

use std::process::ExitCode;

use arguments::{Arguments, Work};
use clap::Parser;
use refrast_gpu_backend::{Backend, BackendError, Driver};

/// What the program exits with where the driver is missing.
const MISSING: u8 = 3;

type CommandResult = Result<ExitCode, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            let missing = matches!(error.downcast_ref(), Some(BackendError::Missing { .. }));
            ExitCode::from(if missing { MISSING } else { 2 })
        }
    }
}

fn run(arguments: &Arguments) -> CommandResult {
    if let Work::Matrix(matrix) = &arguments.work {
        return matrix::run(matrix);
    }
    if let Work::Bench(bench) = &arguments.work {
        return bench::run(bench, arguments.driver);
    }
    if let Work::Random(random) = &arguments.work
        && random.simulated
    {
        return random::run(random, None);
    }
    if !arguments.driver.is_chosen() {
        return start_again(arguments.driver);
    }
    let backend = Backend::new(arguments.driver)?;
    match &arguments.work {
        // They have been run above, on no driver of their own.
        Work::Matrix(_) | Work::Bench(_) => Ok(ExitCode::SUCCESS),
        Work::Describe => {
            println!("{}", backend.description());
            Ok(ExitCode::SUCCESS)
        }
        Work::Render(render) => render.run(&backend),
        Work::Vertices(vertices) => vertices.run(&backend),
        Work::Pack(pack) => packed::run(pack, &backend),
        Work::Compare(compare) => compare::run(compare, &backend),
        Work::Faults(faults) => mistakes::run(faults, &backend),
        Work::Diagnose(diagnose) => mistakes::diagnosed::run(diagnose, &backend),
        Work::Pictures(pictures) => mistakes::right::run(pictures, &backend),
        Work::Filters(filters) => filters::run(filters, &backend),
        Work::Random(random) => random::run(random, Some(&backend)),
    }
}

/// The same command in a process whose environment chooses the driver.
fn start_again(driver: Driver) -> CommandResult {
    let mut command = driver.command(std::env::current_exe()?);
    let status = command.args(std::env::args_os().skip(1)).status()?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::from(2), ExitCode::from))
}
