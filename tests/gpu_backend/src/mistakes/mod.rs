//! `refrast-gpu faults`: the backend with each known mistake built in, against what a conformant backend may draw.

mod court;
pub(crate) mod diagnosed;
pub(crate) mod right;
mod table;

use std::{
    cmp::Reverse,
    error::Error,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use rayon::prelude::*;
use refrast::verify::{Fault, Profile, simulator::Simulator};
use refrast_gpu_backend::{Backend, Case, Driver};

use self::{
    court::Court,
    right::Drawn,
    table::{Column, Line, Table},
};
use crate::{
    CommandResult,
    peers::{Pair, PeerArguments, Peers},
};

/// A line a mistake: how many pixels it changes in the library's showcases and in views of the built-in character, and how many are outside the envelope
#[derive(Args)]
pub(crate) struct FaultArguments {
    /// Only mistakes whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    #[command(flatten)]
    cases: CaseArguments,
    /// What the driver may do differently, in the words of `refrast diagnose --profile` [default: the strictest that the
    /// driver's stated bits fit]
    #[arg(long, value_name = "NAME")]
    profile: Option<Profile>,
    /// Look at every case, instead of stopping where a mistake is caught first; with --table, a line a mistake
    #[arg(long)]
    each: bool,
    /// Print who catches what as a Markdown table: envelope, vertex bounds, ꟻLIP, fuzzy compare, threshold, and the programs that are named
    #[arg(long)]
    table: bool,
    #[command(flatten)]
    peers: PeerArguments,
    /// Keep the goldens and the pictures of drivers in this folder
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// What is drawn with and without mistakes.
#[derive(Args, Clone)]
pub(crate) struct CaseArguments {
    /// Only cases whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    cases: String,
    /// Leave out the built-in character, which takes most of the time
    #[arg(long)]
    showcases: bool,
    /// The goldens of this folder, and nothing else
    #[arg(long, value_name = "FOLDER", conflicts_with = "showcases")]
    golden: Option<PathBuf>,
    /// Draw the goldens with sides that are this many times smaller
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=16))]
    smaller: u32,
}

impl CaseArguments {
    fn cases(&self) -> Result<Vec<Case>, Box<dyn Error>> {
        let mut cases = match &self.golden {
            Some(folder) => Case::goldens(folder, self.smaller)?,
            None => Case::showcases(),
        };
        if !self.showcases && self.golden.is_none() {
            cases.extend(Case::built_in());
        }
        cases.retain(|case| case.name.contains(&self.cases));
        Ok(cases)
    }

    /// The same for another process.
    fn to_command_line(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> =
            ["--cases", &self.cases, "--smaller", &self.smaller.to_string()].map(Into::into).into();
        words.extend(self.showcases.then(|| "--showcases".into()));
        if let Some(folder) = &self.golden {
            words.extend(["--golden".into(), folder.into()]);
        }
        words
    }
}

pub(crate) fn run(arguments: &FaultArguments, backend: &Backend) -> CommandResult {
    let profile = arguments.profile.unwrap_or(backend.driver().profile());
    eprintln!("{} ({}), profile {profile}", backend.driver(), backend.description());
    let own_folder = std::env::temp_dir().join(format!("refrast-gpu-{}", std::process::id()));
    let folder = arguments.output.as_ref().unwrap_or(&own_folder);
    fs::create_dir_all(folder)?;
    let result = judge(arguments, backend, profile, folder);
    if arguments.output.is_none() {
        fs::remove_dir_all(folder)?;
    }
    result
}

fn judge(arguments: &FaultArguments, backend: &Backend, profile: Profile, folder: &Path) -> CommandResult {
    let mut courts = Vec::new();
    for case in arguments.cases.cases()? {
        if right::is_right(&case, backend.driver()) {
            courts.push(Court::new(case, backend, profile, folder)?);
        }
    }
    let mut peers = Peers::start(&arguments.peers)?;
    let mut table = Table { columns: Vec::new(), right_pictures: [0; 2], right_files: [0; 2], lines: Vec::new() };
    if arguments.table {
        table.columns =
            peers.asked().into_iter().map(|peer| Column { peer, strictest: 0.0, false_alarms: [0; 2] }).collect();
        calibrate(&mut table, &mut peers, &courts, &arguments.cases, folder)?;
    }
    let simulators = courts.iter().map(Court::simulator).collect::<Result<Vec<_>, _>>()?;
    let wanted = Fault::ALL.into_iter().filter(|fault| fault.name().contains(&arguments.only));
    for fault in wanted.filter(|fault| backend.can_make(*fault)) {
        if !is_mistake(fault, profile) {
            eprintln!("{fault} is no mistake under the profile {profile}");
            continue;
        }
        let courts = if arguments.each || arguments.table {
            courts.iter().collect()
        } else {
            likeliest_first(&courts, &simulators, fault)?
        };
        let line = line(fault, &courts, backend, arguments, (&table.columns, &mut peers), folder)?;
        let Line { pictures, refused, changed, outside, files, files_refused, shown_in, .. } = &line;
        let place = shown_in.as_ref().map_or("", |(_, name)| name);
        let text = format!(
            "{:36} {changed:7} changed {outside:7} outside, {refused:2} of {pictures:2} pictures, \
             {files_refused:2} of {files:2} vertex files   {place}",
            fault.name()
        );
        if arguments.table {
            eprintln!("{text}")
        } else {
            println!("{text}")
        }
        table.lines.push(line);
        backend.forget_mistakes();
    }
    if arguments.table {
        print!("{}", table.markdown(arguments.each));
    }
    Ok(conclude(&table))
}

/// Which of two triangles owns a sample on their common edge is fixed by Direct3D alone, as its grid is; Vulkan (Basic
/// Polygon Rasterization) asks for no more than that it is exactly one of them.
fn is_mistake(fault: Fault, profile: Profile) -> bool {
    fault != Fault::FillRuleBottomRight || profile.freedoms().is_none_or(|freedoms| freedoms.grid_bits.is_some())
}

/// What the lines say together.
fn conclude(table: &Table) -> ExitCode {
    let shown: Vec<&Line> = table.lines.iter().filter(|line| line.is_shown()).collect();
    let caught = shown.iter().filter(|line| line.is_caught()).count();
    let names = |wanted: &dyn Fn(&&Line) -> bool| {
        let names: Vec<&str> = table.lines.iter().filter(wanted).map(|line| line.fault.name()).collect();
        names.join(", ")
    };
    eprintln!(
        "{caught} of {} mistakes that change a picture or a vertex are caught; {} can be made",
        shown.len(),
        table.lines.len()
    );
    eprintln!("not caught: {}", names(&|line| line.is_shown() && !line.is_caught()));
    eprintln!("changing nothing: {}", names(&|line| !line.is_shown()));
    let false_alarms = table.right_pictures[1] + table.right_files[1];
    if caught < shown.len() || false_alarms > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Looks at the pictures of all drivers that are there: none may be refused, and a peer is made as strict as that lets it.
fn calibrate(
    table: &mut Table,
    peers: &mut Peers,
    courts: &[Court],
    cases: &CaseArguments,
    folder: &Path,
) -> Result<(), Box<dyn Error>> {
    let right = folder.join("right");
    fs::create_dir_all(&right)?;
    for driver in Driver::SOFTWARE {
        if !right::draw_with(driver, &right, cases)? {
            eprintln!("SKIPPED: {driver} is not there");
            continue;
        }
        for court in courts {
            let Some(Drawn { picture, path, vertices }) = right::read(&right, &court.case, driver)? else { continue };
            let name = &court.case.name;
            let outside = court.outside(&picture)?;
            table.right_pictures[0] += 1;
            table.right_pictures[1] += u32::from(outside > 0);
            if outside > 0 {
                eprintln!("{name}: the envelope refuses {outside} pixels of {driver}");
            }
            table.right_files[0] += 1;
            if court.refuses(&vertices) {
                table.right_files[1] += 1;
                eprintln!("{name}: the bounds refuse vertices of {driver}");
            }
            let pair = Pair { golden: (&court.golden, &court.golden_path), candidate: (&picture, &path) };
            for column in &mut table.columns {
                let strictest = peers.strictest(column.peer, pair)?;
                let usual = strictest > column.peer.usual();
                column.false_alarms[0] += u32::from(usual);
                if strictest > column.strictest {
                    column.strictest = strictest;
                    eprintln!("{name}: {} needs {strictest:.4} for {driver}", column.peer.name());
                }
            }
        }
    }
    Ok(())
}

/// The cases from the one that the simulator is caught in with most pixels: a mistake is a shader of its own in each case, which a driver
/// takes long to translate, and one that catches it is enough.
fn likeliest_first<'a>(
    courts: &'a [Court],
    simulators: &[Simulator<'_>],
    fault: Fault,
) -> Result<Vec<&'a Court>, Box<dyn Error>> {
    let together = courts.par_iter().zip(simulators);
    let expected = together.map(|(court, simulator)| Ok((court.expected(simulator, fault)?, court)));
    let expected: Result<Vec<_>, Box<dyn Error + Send + Sync>> = expected.collect();
    let mut expected = expected.map_err(|error| -> Box<dyn Error> { error })?;
    expected.sort_by_key(|(outside, _)| Reverse(*outside));
    Ok(expected.into_iter().map(|(_, court)| court).collect())
}

/// Plays a mistake in all cases, or in those up to the first that catches it.
fn line(
    fault: Fault,
    courts: &[&Court],
    backend: &Backend,
    arguments: &FaultArguments,
    (columns, peers): (&[Column], &mut Peers),
    folder: &Path,
) -> Result<Line, Box<dyn Error>> {
    let mut line = Line::new(fault, columns.len());
    for court in courts {
        let spoiled =
            court.spoil(fault, backend).map_err(|error| format!("{fault} in {}: {error}", court.case.name))?;
        line.changed += spoiled.changed;
        line.outside += spoiled.outside;
        line.pictures += u32::from(spoiled.changed > 0);
        line.refused += u32::from(spoiled.outside > 0);
        if spoiled.outside > line.shown_in.as_ref().map_or(0, |(most, _)| *most) {
            line.shown_in = Some((spoiled.outside, court.case.name.clone()));
        }
        if let Some(vertices) = spoiled.vertices {
            line.files += 1;
            line.files_refused += u32::from(vertices.refused);
        }
        if spoiled.changed > 0 && !columns.is_empty() {
            let path = folder.join("mistake.png");
            spoiled.picture.write(&path)?;
            let pair = Pair { golden: (&court.golden, &court.golden_path), candidate: (&spoiled.picture, &path) };
            for (column, counts) in columns.iter().zip(&mut line.peers) {
                let thresholds = [column.peer.usual(), column.strictest];
                let refused = peers.refuse(column.peer, pair, thresholds)?;
                counts.iter_mut().zip(refused).for_each(|(count, refused)| *count += u32::from(refused));
            }
        }
        if !(arguments.each || arguments.table) && line.is_caught() {
            break;
        }
    }
    Ok(line)
}
