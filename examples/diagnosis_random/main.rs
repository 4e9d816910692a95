//! How often `diagnose` is right about mistakes that nobody listed.
//!
//! Draws candidates with a seed: mistakes of families with random numbers in them, in random moments, cameras and backends;
//! pairs of mistakes; right pictures by engines that did not declare a choice; and nonsense. Each is given to the diagnosis, and
//! a table by family is printed in Markdown, with what was answered wrongly on standard error:
//!
//! ```sh
//! cargo run --release --example diagnosis_random -- --seed 1000 --singles 300 --pairs 200 --undeclared 100 --nonsense 100 fox.glb mannequin
//! ```
//!
//! `--row` draws one row of the table alone. Seeds below 1000 are those that the diagnosis was written with; the page's table is of one that had not been looked at.

mod case;
mod cause;
mod chance;
mod judge;
mod nonsense;
mod table;

use std::{env, error::Error};

use case::{Case, Kind, Named};
use chance::Chance;
use table::Table;

/// Pixels a row, and rows.
const SIZE: [u32; 2] = [160, 120];

/// Draws that show nothing, after which another family is taken.
const PATIENCE: usize = 12;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::read(env::args().skip(1))?;
    let scenes: Vec<Named> = arguments.scenes.iter().map(|path| Named::load(path)).collect::<Result<_, _>>()?;
    let mut chance = Chance(arguments.seed);
    let (mut table, mut spent) = (Table::default(), 0);
    for (kind, count) in [
        (Kind::Single, arguments.singles),
        (Kind::Pair, arguments.pairs),
        (Kind::Undeclared, arguments.undeclared),
        (Kind::Nonsense, arguments.nonsense),
    ] {
        let mut made = 0;
        while made < count {
            let place = chance.below(scenes.len() as u64) as usize;
            let Some(case) = Case::draw(&mut chance, &scenes, place, kind)? else { continue };
            if arguments.row.as_ref().is_some_and(|row| *row != case.row) {
                continue;
            }
            let Some(answer) = case.judged(&scenes[place])? else { continue };
            made += 1;
            spent += 1;
            eprintln!("{spent:4} {}: {}: {}", scenes[place].name, case.told, answer.told);
            table.add(&case.row, &answer);
        }
    }
    table.print();
    Ok(())
}

/// The command line.
struct Arguments {
    seed: u64,
    singles: usize,
    pairs: usize,
    undeclared: usize,
    nonsense: usize,
    /// The only row of the table that is wanted.
    row: Option<String>,
    scenes: Vec<String>,
}

impl Arguments {
    fn read(mut given: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut own = Self { seed: 1, singles: 0, pairs: 0, undeclared: 0, nonsense: 0, row: None, scenes: Vec::new() };
        while let Some(argument) = given.next() {
            if argument == "--row" {
                own.row = given.next();
                continue;
            }
            let mut number =
                || given.next().ok_or("a number is missing")?.parse::<u64>().map_err(|error| error.to_string());
            match argument.as_str() {
                "--seed" => own.seed = number()?,
                "--singles" => own.singles = number()? as usize,
                "--pairs" => own.pairs = number()? as usize,
                "--undeclared" => own.undeclared = number()? as usize,
                "--nonsense" => own.nonsense = number()? as usize,
                _ => own.scenes.push(argument),
            }
        }
        if own.scenes.len() < 2 { Err("name two scenes or more".into()) } else { Ok(own) }
    }
}
