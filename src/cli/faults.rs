//! `refrast faults`: which check catches which known mistake.

use std::process::ExitCode;

use clap::Args;
use refrast::verify::{
    Fault, Profile,
    fault_table::{FaultLine, FaultTable, Judge},
    showcase::showcases,
};

use super::{CommandResult, progress_bar};

#[derive(Args)]
pub(super) struct FaultsArguments {
    /// Only these faults [default: all]
    #[arg(value_name = "FAULT")]
    faults: Vec<Fault>,
    /// What backends may do differently: d3d11 | vulkan14 | vulkan-min
    #[arg(long, default_value = "d3d11")]
    profile: Profile,
    /// Say what each mistake is, and draw nothing
    #[arg(long)]
    list: bool,
    /// Print JSON to standard output
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &FaultsArguments) -> CommandResult {
    let faults = if arguments.faults.is_empty() { Fault::ALL.to_vec() } else { arguments.faults.clone() };
    if arguments.list {
        for fault in faults {
            println!("{:36} {}", fault.name(), fault.description());
        }
        return Ok(ExitCode::SUCCESS);
    }
    let bar = progress_bar(faults.len(), "mistakes");
    let table = FaultTable::new(&showcases(), arguments.profile, &faults, &|| bar.inc(1))?;
    bar.finish_and_clear();
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&table)?);
        return Ok(ExitCode::SUCCESS);
    }
    print_table(&table);
    Ok(ExitCode::SUCCESS)
}

/// A table that Markdown can hold.
fn print_table(table: &FaultTable) {
    let names = Judge::ALL.map(Judge::name).join(" | ");
    println!("| mistake | showcases | {names} |");
    println!("|---|---:|{}", ":---:|".repeat(Judge::ALL.len()));
    for FaultLine { fault, shown, caught, .. } in table.lines.iter().filter(|line| !line.shown.is_empty()) {
        let cells = caught.map(|count| if count > 0 { count.to_string() } else { "–".to_owned() });
        println!("| {fault} | {} | {} |", shown.len(), cells.join(" | "));
    }
    let shown = table.lines.iter().filter(|line| !line.shown.is_empty()).count();
    let caught: [String; Judge::ALL.len()] = std::array::from_fn(|judge| {
        let count = table.lines.iter().filter(|line| line.caught[judge] > 0).count();
        format!("**{count} of {shown}**")
    });
    println!("| **caught** | | {} |", caught.join(" | "));
    let alarms = Judge::ALL.map(|judge| {
        let count = table.false_alarms.iter().filter(|alarm| alarm.judge == judge).count();
        format!("{count} of {}", table.right_pictures)
    });
    println!("| false alarms on right backends | | {} |", alarms.join(" | "));
}
