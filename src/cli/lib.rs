//! The subcommands: parse, call the library, print, exit code. No logic lives here.
//!
//! Exit codes: 0 done or same, 1 differs, 2 error. Verdicts, tables and JSON go to standard output, progress and notes to
//! standard error; with `--json` the words go there too. Who closes the pipe ends a command quietly.

mod answered_case;
mod arguments;
mod check;
mod color;
mod compare;
mod completions;
mod demo;
mod diagnose;
#[cfg(feature = "window")]
mod diagnostician;
mod examples;
mod faults;
mod frames;
mod golden;
mod info;
mod interrupt;
mod lint;
mod output;
mod own_folder;
mod program;
mod render;
mod report;
mod skinning;
mod skinning_choice;
mod vertices;
#[cfg(feature = "window")]
mod view;
#[cfg(not(feature = "window"))]
mod without_window;
mod words;

use std::{error::Error, process::ExitCode};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use refrast_golden::Judge;

/// Every way in which a command fails ends as one line that names the file, the place and the remedy.
type CommandResult = Result<ExitCode, Box<dyn Error>>;

/// The reference rasteriser for skinned meshes.
#[derive(Parser)]
#[command(name = "refrast", version, arg_required_else_help = false)]
struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Render the built-in character to refrast-out/ and compare it with its golden (also plain `refrast`)
    Demo(demo::DemoArguments),
    /// Render frames of a scene to PNG
    Render(render::RenderArguments),
    Check(Box<check::CheckArguments>),
    Compare(Box<compare::CompareArguments>),
    Golden(golden::GoldenArguments),
    Report(report::ReportArguments),
    /// Write the exact vertices of a pose, with how far a correct backend may be from them
    Vertices(vertices::VerticesArguments),
    Diagnose(diagnose::DiagnoseArguments),
    /// Measure the speed and the error of each skinning method on a scene
    Skinning(skinning::SkinningArguments),
    /// Tell which check catches which known mistake of backends
    ///
    /// By the rules of Vulkan, and so by default, `fill-rule-bottom-right` is no mistake: which of two triangles owns a sample
    /// on their common edge is fixed by Direct3D alone.
    Faults(faults::FaultsArguments),
    /// Say what is in a scene file
    Info(info::InfoArguments),
    Lint(lint::LintArguments),
    Program(program::ProgramArguments),
    Completions(completions::CompletionsArguments),
    Man(completions::ManArguments),
    #[cfg(feature = "window")]
    View(Box<view::ViewArguments>),
    #[cfg(not(feature = "window"))]
    #[command(hide = true)]
    View(without_window::ViewArguments),
}

/// What the binary carries and no room's package has.
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    /// The golden that plain `refrast` holds its picture against, as a PNG.
    pub demo: &'static [u8],
    /// What lets reports judge pictures that are dropped on them.
    pub judge: Option<Judge>,
}

/// Runs the command line of this process.
#[must_use]
pub fn run(carried: Carried) -> ExitCode {
    interrupt::prepare();
    let parsed = examples::with_examples(CommandLine::command()).try_get_matches();
    let line = match parsed.and_then(|matches| CommandLine::from_arg_matches(&matches)) {
        Ok(line) => line,
        Err(error) => return output::end_of_parsing(&error),
    };
    let result = match line.command {
        None => demo::run(&demo::DemoArguments::default(), carried),
        Some(Command::Demo(arguments)) => demo::run(&arguments, carried),
        Some(Command::Render(arguments)) => render::run(&arguments),
        Some(Command::Check(arguments)) => check::run(&arguments, carried.judge),
        Some(Command::Compare(arguments)) => compare::run(&arguments, carried.judge),
        Some(Command::Golden(arguments)) => golden::run(&arguments, carried.judge),
        Some(Command::Report(arguments)) => report::run(&arguments, carried.judge),
        Some(Command::Vertices(arguments)) => vertices::run(&arguments),
        Some(Command::Diagnose(arguments)) => diagnose::run(&arguments, carried.judge),
        Some(Command::Skinning(arguments)) => skinning::run(&arguments),
        Some(Command::Faults(arguments)) => faults::run(&arguments),
        Some(Command::Info(arguments)) => info::run(&arguments),
        Some(Command::Lint(arguments)) => lint::run(&arguments),
        Some(Command::Program(arguments)) => program::run(&arguments),
        Some(Command::Completions(arguments)) => completions::completions(&arguments, CommandLine::command()),
        Some(Command::Man(arguments)) => completions::man(&arguments, examples::with_examples(CommandLine::command())),
        #[cfg(feature = "window")]
        Some(Command::View(arguments)) => view::run(&arguments),
        #[cfg(not(feature = "window"))]
        Some(Command::View(arguments)) => without_window::run(&arguments),
    };
    result.unwrap_or_else(|error| output::end(&*error))
}

/// Prints a verdict in words, and as JSON where that is asked for: then the words go to standard error.
fn print_verdict(words: &impl std::fmt::Display, json: Option<String>) -> Result<(), Box<dyn Error>> {
    match json {
        None => output::print(words),
        Some(json) => {
            output::write_note(words);
            output::print_json_text(&json)
        }
    }
}

/// A bar on standard error, drawn only where that is a terminal and there is more than one step.
fn progress_bar(steps: usize, unit: &str) -> ProgressBar {
    if steps < 2 {
        return ProgressBar::hidden();
    }
    let template = format!("{{bar:40}} {{pos}}/{{len}} {unit}, {{eta}} left");
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(steps as u64).with_style(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The help of a subcommand, as `--help` prints it on a wide terminal.
    fn help(path: &[&str]) -> String {
        let mut command = CommandLine::command().term_width(300);
        command.build();
        let found = path
            .iter()
            .fold(&mut command, |command, name| command.find_subcommand_mut(name).expect("the command has it"));
        found.render_long_help().to_string()
    }

    #[test]
    fn the_command_line_is_in_order() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn every_command_has_the_same_defaults() {
        let commands: &[&[&str]] = &[&["check"], &["diagnose"], &["faults"], &["golden", "new"], &["view"]];
        let commands = commands.iter().filter(|path| cfg!(feature = "window") || path[0] != "view");
        for path in commands {
            let help = help(path);
            assert!(help.contains("[default: vulkan14]"), "{path:?}: {help}");
            assert!(help.contains("vulkan-SUBPIXEL-SUBTEXEL-MIP: Vulkan with the bits"), "{path:?}: {help}");
            if path[0] != "faults" {
                for default in ["opengl", "auto", "lambert", "linear", "8"] {
                    assert!(help.contains(&format!("[default: {default}]")), "{path:?}, {default}: {help}");
                }
            }
        }
    }

    #[test]
    fn help_comes_from_the_lists_that_are_read() {
        let help = help(&["render"]);
        let offers = refrast_skinning::SkinningMethod::ALL.map(refrast_words::Word::offer);
        for offer in offers.into_iter().chain(refrast_simd::SimdLevel::offers()) {
            let line = format!("- {}:", offer.name);
            let is_said = |shown: &str| shown.trim().starts_with(&line) && shown.contains(offer.about);
            assert!(help.lines().any(is_said), "{}: {help}", offer.name);
        }
    }
}
