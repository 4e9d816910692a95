//! Writes the tables of the evidence's pages, each by the command that its comment names.
//!
//! Why it exists: a figure that somebody copied is right on the day on which it was copied. Here the page says how it was
//! made, and everybody can make it again:
//!
//! ```sh
//! cargo run --release --example evidence -- --list           # every table, its page and its command
//! cargo run --release --example evidence                     # rewrites all that need no driver and no model
//! cargo run --release --example evidence -- matrix faults    # rewrites those whose command holds one of these words
//! cargo bench && cargo run --release --example evidence -- --speed    # what criterion measured, as a table
//! ```
//!
//! `--program FILE` takes a `refrast` that is built already.

mod blocks;
mod speed;

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use blocks::{Block, blocks};

/// What the command line asks for.
#[derive(Default)]
struct Wishes {
    /// Only what would be written.
    list: bool,
    /// The speed table in place of everything else.
    speed: bool,
    /// A built `refrast`.
    program: Option<PathBuf>,
    /// Words of commands.
    words: Vec<String>,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let wishes = read_command_line(env::args().skip(1))?;
    if wishes.speed {
        print!("{}", speed::table()?);
        return Ok(ExitCode::SUCCESS);
    }
    let mut failed = 0;
    for path in pages()? {
        let page = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let found = blocks(&page).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
        let shown = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(&path).display();
        // From the bottom, so that what stands above does not move.
        for block in found.iter().rev() {
            if wishes.list {
                println!("{shown}:{}: {}", block.at + 1, block.command);
            } else if wishes.wants(block) {
                eprintln!("{shown}: {}", block.command);
                match rows(&block.command, wishes.program.as_deref()) {
                    Ok(rows) => drop(lines.splice(block.at + 1..=block.at + block.lines.len(), rows)),
                    Err(error) => {
                        eprintln!("error: {error}; the table stays as it was");
                        failed += 1;
                    }
                }
            }
        }
        let written = lines.join("\n") + "\n";
        if written != page {
            fs::write(&path, written).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn read_command_line(arguments: impl Iterator<Item = String>) -> Result<Wishes, String> {
    let mut wishes = Wishes::default();
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--list" => wishes.list = true,
            "--speed" => wishes.speed = true,
            "--program" => wishes.program = Some(arguments.next().ok_or("--program needs a file")?.into()),
            unknown if unknown.starts_with('-') => {
                return Err(format!("there is no option {unknown}; there are --list, --speed and --program FILE"));
            }
            word => wishes.words.push(word.to_owned()),
        }
    }
    Ok(wishes)
}

impl Wishes {
    fn wants(&self, block: &Block) -> bool {
        // Drivers and models are not everywhere.
        let plain = self.words.is_empty() && block.command.starts_with("refrast ");
        plain || self.words.iter().any(|word| block.command.contains(word))
    }
}

fn pages() -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/evidence");
    let mut pages = Vec::new();
    for entry in fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    pages.sort();
    Ok(pages)
}

/// The rows that a command prints among other things.
fn rows(command: &str, program: Option<&Path>) -> Result<Vec<String>, String> {
    let mut words = command.split_whitespace();
    let first = words.next().ok_or("the block names no command")?;
    let mut process = match (first, program) {
        ("refrast", Some(program)) => Command::new(program),
        ("refrast", None) => {
            let mut process = Command::new("cargo");
            process.args(["run", "--release", "--quiet", "--"]);
            process
        }
        (other, _) => Command::new(other),
    };
    let output = process
        .args(words)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{first} can not be started: {error}"))?;
    let text = String::from_utf8(output.stdout).map_err(|error| error.to_string())?;
    let rows: Vec<String> = text.lines().filter(|line| line.starts_with('|')).map(str::to_owned).collect();
    if output.status.success() && rows.is_empty() {
        return Err("the command printed no table".to_owned());
    }
    if output.status.success() { Ok(rows) } else { Err(format!("the command ended with {}", output.status)) }
}
