//! `refrast info`: what is in a scene file.

use std::process::ExitCode;

use clap::Args;

use super::{
    CommandResult,
    arguments::{SceneFile, write_warnings},
    output::{print, print_json},
};

#[derive(Args)]
pub(super) struct InfoArguments {
    #[command(flatten)]
    scene: SceneFile,
    /// Print JSON to standard output
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &InfoArguments) -> CommandResult {
    let scene = arguments.scene.read(false)?;
    write_warnings(&scene);
    let summary = scene.summary();
    if arguments.json {
        print_json(&summary)?;
    } else {
        print(summary)?;
    }
    Ok(ExitCode::SUCCESS)
}
