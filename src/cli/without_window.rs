//! `refrast view` in a build that has no window: says so, and what has one.
//!
//! Why it exists: `view` is in every page of the guide, and who gets a build without it should not look for a mistake in the spelling.

use clap::Args;

use super::CommandResult;

/// Not in this build: open a window on a scene
#[derive(Args)]
pub(super) struct ViewArguments {
    /// Whatever a build with a window takes.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    all: Vec<String>,
}

pub(super) fn run(arguments: &ViewArguments) -> CommandResult {
    let asked: String = arguments.all.iter().map(|word| format!(" {word}")).collect();
    let remedy = "`cargo install --path .` builds it in, and pictures are drawn by `refrast render`";
    Err(format!("view{asked}: this refrast was built without its window; {remedy}").into())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::{Command, CommandLine};

    #[test]
    fn whatever_a_window_takes_is_told_that_there_is_none() {
        let words = ["refrast", "view", "fox.glb", "--animation", "Run", "--table"];
        let Ok(CommandLine { command: Some(Command::View(arguments)) }) = CommandLine::try_parse_from(words) else {
            panic!("it is read")
        };
        let error = run(&arguments).expect_err("there is no window").to_string();
        assert!(
            error.starts_with("view fox.glb --animation Run --table: ") && error.contains("without its window"),
            "{error}"
        );
    }
}
