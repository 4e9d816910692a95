//! `refrast-gpu diagnose`: each mistake is drawn by the driver, and the library is asked which mistake it is.
//!
//! Why it exists: the library plays its hypotheses on a simulator. Whether it names the mistakes of a real backend, in
//! scenes that it has not been tried on, can only be seen with pictures that a driver drew.

use std::{error::Error, fs, path::PathBuf, process::ExitCode};

use clap::Args;
use refrast::{
    render::Size,
    verify::{
        Fault, Profile,
        diagnose::{Cause, Diagnosis},
    },
};
use refrast_gpu_backend::{Backend, Case};

use super::{court::Court, is_mistake};
use crate::CommandResult;

/// Of a hundred mistakes that show, as many must be named first.
const WANTED: usize = 95;

/// Draws each known mistake, and asks the library which one it is
#[derive(Args)]
pub(crate) struct DiagnoseArguments {
    /// .gltf and .glb files, or `mannequin`, the built-in character; each is seen in its first animation
    #[arg(required = true, value_name = "SCENE")]
    scenes: Vec<PathBuf>,
    /// Only mistakes whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Time within the animation, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0.4")]
    time: f32,
    /// Picture size in pixels
    #[arg(long, value_name = "WxH", default_value = "320x240")]
    size: Size,
    /// What the driver may do differently, in the words of `refrast diagnose --profile` [default: the strictest that the
    /// driver's stated bits fit]
    #[arg(long, value_name = "NAME")]
    profile: Option<Profile>,
    /// Keep the pictures of drivers in this folder
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// How often the library was right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Score {
    /// Mistakes that put pixels outside of the envelope.
    shown: usize,
    /// Of these, those that were named first, alone or with others that draw the same picture.
    named: usize,
}

impl Score {
    fn is_good(self) -> bool {
        100 * self.named >= WANTED * self.shown
    }
}

pub(crate) fn run(arguments: &DiagnoseArguments, backend: &Backend) -> CommandResult {
    let Size { width, height } = arguments.size;
    let profile = arguments.profile.unwrap_or(backend.driver().profile());
    println!("{} ({}), profile {profile}", backend.driver(), backend.description());
    let folder = std::env::temp_dir().join(format!("refrast-gpu-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let mut all = Score::default();
    for scene in &arguments.scenes {
        let court = Court::new(Case::of_scene(scene, [width, height], arguments.time), backend, profile, &folder)?;
        let score = judge(arguments, backend, &court, profile)?;
        println!("{}: {} of {} named first", court.case.name, score.named, score.shown);
        all = Score { shown: all.shown + score.shown, named: all.named + score.named };
    }
    fs::remove_dir_all(&folder)?;
    println!("{} of {} mistakes named first", all.named, all.shown);
    Ok(if all.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn judge(
    arguments: &DiagnoseArguments,
    backend: &Backend,
    court: &Court,
    profile: Profile,
) -> Result<Score, Box<dyn Error>> {
    let mut score = Score::default();
    let wanted = Fault::ALL.into_iter().filter(|fault| fault.name().contains(&arguments.only));
    for fault in wanted.filter(|&fault| backend.can_make(fault) && is_mistake(fault, profile)) {
        let spoiled = court.spoil(fault, backend)?;
        backend.forget_mistakes();
        if spoiled.outside == 0 {
            continue;
        }
        if let Some(folder) = &arguments.output {
            fs::create_dir_all(folder)?;
            spoiled.picture.write(&folder.join(format!("{}-{}.png", court.case.name, fault.name())))?;
        }
        let diagnosis = court.diagnose(&spoiled.picture, profile)?;
        score.shown += 1;
        score.named += usize::from(diagnosis.best().any(|best| best == fault));
        println!(
            "{:20} {:36} {:6} outside: {}",
            court.case.name,
            fault.name(),
            spoiled.outside,
            answer(fault, &diagnosis)
        );
    }
    Ok(score)
}

/// What the library said.
fn answer(fault: Fault, diagnosis: &Diagnosis) -> String {
    let best: Vec<String> = diagnosis.best().map(|cause| cause.to_string()).collect();
    match (diagnosis.best().any(|own| own == fault), best.len()) {
        (true, 1) => "named".to_owned(),
        (true, several) => format!("named, with {} that can not be told apart here", several - 1),
        (false, 0) => {
            let place = diagnosis.findings.iter().position(|finding| finding.causes().any(|cause| cause == fault));
            let own = place.map_or("it is not among the nearest".to_owned(), |place| {
                format!("it is number {} and leaves {}", place + 1, diagnosis.findings[place].unexplained)
            });
            format!("NOT EXPLAINED, {own}")
        }
        (false, _) if diagnosis.likely().flat_map(|finding| finding.causes()).any(|own| own == fault) => {
            format!("one of several, {} before it", best.join(", "))
        }
        // A choice that the driver might have made: that the picture is right with it is true.
        (false, _) if diagnosis.best().all(|cause| matches!(cause, Cause::Undeclared { .. })) => {
            format!("right if {} is declared", best.join(" or "))
        }
        (false, _) => format!("WRONG, {}", best.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nineteen_of_twenty_are_enough() {
        let scores = [(0, 0), (20, 20), (20, 19), (20, 18)].map(|(shown, named)| Score { shown, named }.is_good());
        assert_eq!(scores, [true, true, true, false]);
    }
}
