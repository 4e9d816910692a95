//! `refrast info`: what is in a scene file.

use std::process::ExitCode;

use clap::Args;

use super::{CommandResult, arguments::SceneArguments};

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
        println!("{}", serde_json::to_string_pretty(&summary)?);
    } else {
        print!("{summary}");
    }
    Ok(ExitCode::SUCCESS)
}
