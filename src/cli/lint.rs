//! `refrast lint`: where right renderers draw a file differently.

use std::process::ExitCode;

use clap::Args;
use refrast_lint::{Rule, lint};

use super::{
    CommandResult,
    arguments::SceneFile,
    output::{print, print_json},
    words::word,
};

/// Say on what in a file right renderers differ, and what others get wrong
///
/// Broken rules of glTF where it is clear all the same what to draw, choices that glTF leaves open, and what renderers are
/// known to stumble over: with the JSON path, and what each does there. Exit status: 0 nothing was found, 1 something was,
/// 2 an error.
#[derive(Args)]
pub(super) struct LintArguments {
    #[command(flatten)]
    scene: SceneFile,
    /// Leave this rule out; more than once for several
    #[arg(long, value_name = "RULE", value_parser = word::<Rule>())]
    allow: Vec<Rule>,
    /// Print the findings as JSON on standard output
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &LintArguments) -> CommandResult {
    let mut lint = lint(&arguments.scene.read(false)?);
    lint.allow(&arguments.allow);
    if arguments.json {
        print_json(&lint)?;
    } else {
        print(&lint)?;
    }
    Ok(ExitCode::from(lint.exit_status()))
}
