//! `refrast faults`: which check catches which known mistake.

use std::{error::Error, path::PathBuf, process::ExitCode};

use clap::Args;
use refrast_range::Rules;
use refrast_simulator::Fault;
use refrast_verify::{
    fault_table::{FaultLine, FaultTable, Judge, write_pictures},
    showcase::showcases,
};

use super::{
    CommandResult,
    arguments::ProfileArguments,
    output::{note, print_json, say},
    progress_bar,
    words::word,
};

#[derive(Args)]
pub(super) struct FaultsArguments {
    /// Only these faults, by the names that --list shows [default: all]
    #[arg(value_name = "FAULT", hide_possible_values = true, value_parser = word::<Fault>())]
    faults: Vec<Fault>,
    #[command(flatten)]
    profile: ProfileArguments,
    /// Say what each mistake is, and draw nothing
    #[arg(long)]
    list: bool,
    /// A line for each mistake: the number of showcases in which it shows, and in which each check catches it
    #[arg(long)]
    each: bool,
    /// Write the right pictures and the wrong ones that differ to DIR/SHOWCASE/MISTAKE.png, and judge nothing
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
    /// Print JSON to standard output
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &FaultsArguments) -> CommandResult {
    let faults = if arguments.faults.is_empty() { Fault::ALL.to_vec() } else { arguments.faults.clone() };
    if arguments.list {
        for fault in faults {
            say!("{:36} {}", fault.name(), fault.description())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(folder) = &arguments.pictures {
        let count = write_pictures(&showcases(), &faults, folder)?;
        note!("wrote {count} pictures to {}", folder.display());
        return Ok(ExitCode::SUCCESS);
    }
    let bar = progress_bar(faults.len(), "mistakes");
    let Rules { profile, declared } = arguments.profile.profile;
    if !declared.is_nothing() {
        return Err(format!("the table is of profiles without choices of an engine; take --profile {profile}").into());
    }
    let table = FaultTable::new(&showcases(), profile, &faults, &|| bar.inc(1))?;
    bar.finish_and_clear();
    if arguments.json {
        print_json(&table)?;
        return Ok(ExitCode::SUCCESS);
    }
    print_table(&table, arguments.each)?;
    Ok(ExitCode::SUCCESS)
}

/// A table that Markdown can hold: a line a section, or a line a mistake.
fn print_table(table: &FaultTable, each: bool) -> Result<(), Box<dyn Error>> {
    say!("| mistakes | shown | {} |", Judge::ALL.map(Judge::name).join(" | "))?;
    say!("|---|---:|{}", "---:|".repeat(Judge::ALL.len()))?;
    let shown: Vec<&FaultLine> = table.lines.iter().filter(|line| !line.shown.is_empty()).collect();
    for section in shown.chunk_by(|a, b| a.section == b.section) {
        if each {
            for line in section {
                let cells = line.caught.map(|count| count.to_string()).join(" | ");
                say!("| {} | {} | {cells} |", line.fault, line.shown.len())?;
            }
        } else {
            print_caught(section[0].section, section)?;
        }
    }
    print_caught("**all**", &shown)?;
    let alarms = Judge::ALL.map(|judge| {
        let count = table.false_alarms.iter().filter(|alarm| alarm.judge == judge).count();
        count.to_string()
    });
    say!("| false alarms | {} | {} |", table.right_pictures, alarms.join(" | "))?;
    let passed = shown.iter().filter(|line| line.caught[0] == 0).map(|line| line.fault);
    let passed: Vec<&str> = passed.collect();
    if !passed.is_empty() {
        note!("the envelope lets through: {}", passed.join(", "));
    }
    Ok(())
}

/// How many of some mistakes each judge catches in at least one showcase.
fn print_caught(heading: &str, lines: &[&FaultLine]) -> Result<(), Box<dyn Error>> {
    let caught: [String; Judge::ALL.len()] =
        std::array::from_fn(|judge| lines.iter().filter(|line| line.caught[judge] > 0).count().to_string());
    say!("| {heading} | {} | {} |", lines.len(), caught.join(" | "))
}
