//! `refrast-gpu random`: how often `diagnose` is right about mistakes that nobody listed.
//!
//! Draws candidates with a seed: mistakes of families with random numbers in them, in random moments and cameras; pairs of
//! mistakes; mistakes about one node, material or joint; right pictures by engines that did not declare a choice; and nonsense.
//! Mistakes are drawn by the driver, or with `--simulated` by the simulator, with random choices of a backend; the others always by that. Each is given to the
//! diagnosis, and a table by family is printed in Markdown, with what was answered on standard error.
//!
//! Seeds below 1000 are those that the diagnosis was written with; the page's table is of ones that had not been looked at.

mod case;
mod cause;
mod chance;
mod judge;
mod nonsense;
mod object;
mod painter;
mod table;

use std::process::ExitCode;

use clap::Args;
use refrast::verify::Profile;
use refrast_gpu_backend::Backend;

pub(crate) use self::chance::Chance;
use self::{
    case::{Case, Kind, Named},
    painter::Painter,
    table::Table,
};
use crate::CommandResult;

/// Pixels a row, and rows.
const SIZE: [u32; 2] = [160, 120];

/// Draws that show nothing, after which another family is taken.
const PATIENCE: usize = 12;

/// Random mistakes, and how many of them the library names
#[derive(Args)]
pub(crate) struct RandomArguments {
    /// .gltf and .glb files, or `mannequin`, the built-in character: two or more
    #[arg(required = true, num_args = 2.., value_name = "SCENE")]
    scenes: Vec<String>,
    /// What all chances follow from
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// How many single mistakes
    #[arg(long, value_name = "N", default_value = "0")]
    singles: usize,
    /// How many pairs
    #[arg(long, value_name = "N", default_value = "0")]
    pairs: usize,
    /// How many right pictures of engines that did not declare a choice
    #[arg(long, value_name = "N", default_value = "0")]
    undeclared: usize,
    /// How many mistakes about one node, material or joint
    #[arg(long, value_name = "N", default_value = "0")]
    objects: usize,
    /// How many pictures that no mistake explains
    #[arg(long, value_name = "N", default_value = "0")]
    nonsense: usize,
    /// The only row of the table that is drawn
    #[arg(long, value_name = "FAMILY")]
    row: Option<String>,
    /// Let the simulator draw, as a backend at random, and no driver
    #[arg(long)]
    pub(crate) simulated: bool,
}

/// By a driver where there is one.
pub(crate) fn run(arguments: &RandomArguments, backend: Option<&Backend>) -> CommandResult {
    let scenes: Vec<Named> = arguments.scenes.iter().map(|path| Named::load(path)).collect::<Result<_, _>>()?;
    let profile = backend.map_or(Profile::D3d11, |backend| backend.driver().profile());
    let mut chance = Chance(arguments.seed);
    let (mut table, mut spent) = (Table::default(), 0);
    for (kind, count) in [
        (Kind::Single, arguments.singles),
        (Kind::Pair, arguments.pairs),
        (Kind::Undeclared, arguments.undeclared),
        (Kind::Object, arguments.objects),
        (Kind::Nonsense, arguments.nonsense),
    ] {
        let by_driver = matches!(kind, Kind::Single | Kind::Pair | Kind::Object);
        let backend = backend.filter(|_| by_driver);
        let profile = if backend.is_some() { profile } else { Profile::D3d11 };
        let mut made = 0;
        while made < count {
            let place = chance.below(scenes.len() as u64) as usize;
            let painter = Painter::at_random(&scenes[place].scene, backend, &mut chance)?;
            let Some(case) = Case::draw(&mut chance, &scenes, place, kind, painter)? else { continue };
            if arguments.row.as_ref().is_some_and(|row| *row != case.row) {
                continue;
            }
            let Some(answer) = case.judged(&scenes[place], profile)? else { continue };
            made += 1;
            spent += 1;
            eprintln!("{spent:4} {}: {}: {}", scenes[place].name, case.told, answer.told);
            table.add(&case.row, &answer);
        }
    }
    table.print();
    Ok(ExitCode::SUCCESS)
}
