//! `refrast demo`.
use clap::Args;
#[derive(Args, Default)]
pub(super) struct DemoArguments {}
pub(super) fn run(_: &DemoArguments) -> super::CommandResult {
    Ok(std::process::ExitCode::SUCCESS)
}
