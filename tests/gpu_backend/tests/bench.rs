//! Frames that drivers are timed with are the pictures that were asked for: by plain shaders and by the backend's own.

use std::{
    env,
    process::{Command, ExitCode},
};

fn main() -> ExitCode {
    // Each look and each number of samples once: a driver takes seconds to compile what it draws in milliseconds.
    let right = [("lambert", "1"), ("shadows", "4")].map(|(look, samples)| are_right(look, samples));
    if right == [true; 2] { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether both drivers, as far as they are there, have drawn and timed both scenes.
fn are_right(look: &str, samples: &str) -> bool {
    let drivers = "lavapipe,llvmpipe";
    let output = Command::new(env!("CARGO_BIN_EXE_refrast-gpu"))
        .args(["bench", "--check", "--drivers", drivers, "--looks", look])
        .args(["--sizes", "96x54", "--samples", samples, "--threads", "2", "--rounds", "1", "--frames", "2"])
        .output()
        .expect("the program of this package can be started");
    let [said, complained] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    print!("{complained}{said}");
    let required = env::var("REFRAST_REQUIRE").unwrap_or_default();
    let is_there = |driver: &&str| said.contains(&format!("- {driver}: "));
    let missing: Vec<&str> =
        drivers.split(',').filter(|driver| !is_there(driver) && required.split(',').any(|it| it == *driver)).collect();
    // A row for each of two scenes; a ratio in each where a driver is there.
    let rows: Vec<&str> = said.lines().filter(|line| line.contains("| 96x54 |")).collect();
    let timed = rows.iter().filter(|row| !row.ends_with("| – |")).count();
    let expected = if drivers.split(',').any(|driver| is_there(&driver)) { 2 } else { 0 };
    let is_right = output.status.success() && missing.is_empty() && rows.len() == 2 && timed == expected;
    if !is_right {
        eprintln!("missing {missing:?}; {} rows, {timed} with a ratio, {expected} expected", rows.len());
    }
    is_right
}
