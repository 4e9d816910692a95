//! `refrast info`: what is in a scene file.

use std::process::ExitCode;

use clap::Args;

use super::{
    CommandResult,
    arguments::SceneArguments,
    output::{print, print_json},
};

#[derive(Args)]
pub(super) struct InfoArguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// Print JSON to standard output
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &InfoArguments) -> CommandResult {
    let summary = arguments.scene.load()?.summary();
    if arguments.json {
        print_json(&summary)?;
    } else {
        print(summary)?;
    }
    Ok(ExitCode::SUCCESS)
}
