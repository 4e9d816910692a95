//! A comparison in words.
//!
//! Why it exists: the person at the terminal wants to know what differs, where and how much, without opening anything.

use std::fmt;

use super::{Case, Comparison, Outcome};
use refrast_measure::{Verdict, WorstPixel};

impl fmt::Display for Comparison {
    /// Failing cases in full, then one line for the others.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (failing, same): (Vec<&Case>, Vec<&Case>) =
            self.cases.iter().partition(|case| case.verdict != Verdict::Same);
        for case in &failing {
            writeln!(formatter, "{}: {}", case.verdict.name().to_uppercase(), case.name)?;
            write_outcome(formatter, self, &case.outcome)?;
        }
        match same.as_slice() {
            [] => {}
            [case] => {
                writeln!(formatter, "same: {}", case.name)?;
                write_outcome(formatter, self, &case.outcome)?;
            }
            cases => writeln!(formatter, "same: {} pictures", cases.len())?,
        }
        if self.cases.len() > 1 {
            let count = |verdict| self.cases.iter().filter(|case| case.verdict == verdict).count();
            let (all, same) = (self.cases.len(), same.len());
            let (different, errors) = (count(Verdict::Different), count(Verdict::Error));
            writeln!(formatter, "{all} cases: {same} same, {different} different, {errors} with errors")?;
        }
        Ok(())
    }
}

fn write_outcome(formatter: &mut fmt::Formatter<'_>, comparison: &Comparison, outcome: &Outcome) -> fmt::Result {
    match outcome {
        Outcome::Failed { message } => writeln!(formatter, "  {message}"),
        Outcome::Missing => writeln!(formatter, "  the candidate is missing: there is only a golden"),
        Outcome::Extra => writeln!(formatter, "  the candidate is extra: there is no golden for it"),
        Outcome::Sizes { golden, candidate } => writeln!(
            formatter,
            "  the sizes differ: the golden is {}x{}, the candidate {}x{}",
            golden.0, golden.1, candidate.0, candidate.1
        ),
        Outcome::Measured { measurement, rules, right_if, diagnosis, .. } => {
            writeln!(formatter, "  {}", measurement.summary())?;
            if let Some(rules) = rules {
                writeln!(formatter, "  {}", judged_by(rules))?;
            }
            for options in right_if {
                writeln!(formatter, "  {}", right_if_declared(options))?;
            }
            for line in diagnosis {
                writeln!(formatter, "  {line}")?;
            }
            if let Some(limit) = comparison.maximum_differing {
                writeln!(formatter, "  {} pixels to blame, at most {limit} accepted", measurement.differing)?;
            }
            match measurement.ignored {
                0 if comparison.ignored.is_empty() => {}
                0 => writeln!(formatter, "  no pixel ignored: what was to be ignored lies outside of the picture")?,
                ignored => writeln!(formatter, "  {ignored} pixels ignored")?,
            }
            let channels = &measurement.channels;
            if channels.largest == [0; 4] {
                return Ok(());
            }
            let [red, green, blue, alpha] = channels.largest;
            let steps = (1_u32 << channels.bits) - 1;
            writeln!(
                formatter,
                "  largest difference: red {red}, green {green}, blue {blue}, alpha {alpha} of {steps}"
            )?;
            if let (Some((x, y)), Some(bounds)) = (channels.first, channels.bounds) {
                let (width, height) = (bounds.width, bounds.height);
                writeln!(
                    formatter,
                    "  first at ({x}, {y}), all within {width}x{height} pixels from ({}, {})",
                    bounds.x, bounds.y
                )?;
            }
            if !measurement.worst.is_empty() {
                writeln!(formatter, "  worst pixels (x, y): golden -> candidate, error")?;
            }
            for &WorstPixel { x, y, golden, candidate, error } in &measurement.worst {
                writeln!(formatter, "    ({x}, {y}): {} -> {}, {error:.4}", Rgba(golden), Rgba(candidate))?;
            }
            Ok(())
        }
    }
}

/// By what an envelope was made.
pub(in super::super) fn judged_by(rules: &str) -> String {
    format!("judged by an envelope that was made for it, profile {rules}")
}

/// What would make it right.
pub(in super::super) fn right_if_declared(options: &str) -> String {
    format!("right if {options} is declared")
}

struct Rgba([u16; 4]);

impl fmt::Display for Rgba {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue, alpha] = self.0;
        write!(formatter, "({red} {green} {blue} {alpha})")
    }
}

impl Case {
    /// The outcome in one line.
    #[must_use]
    pub fn summary(&self) -> String {
        match &self.outcome {
            Outcome::Failed { message } => message.clone(),
            Outcome::Missing => "the candidate is missing".to_owned(),
            Outcome::Extra => "there is no golden for this candidate".to_owned(),
            Outcome::Sizes { golden, candidate } => {
                format!("the golden is {}x{}, the candidate {}x{}", golden.0, golden.1, candidate.0, candidate.1)
            }
            Outcome::Measured { measurement, .. } => measurement.summary(),
        }
    }
}
