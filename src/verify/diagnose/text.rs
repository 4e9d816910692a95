//! A diagnosis in words.
//!
//! Why it exists: the person at the terminal wants the name of the mistake, the evidence for it and where to read on.

use std::fmt;

use super::{Cause, Conclusion, Diagnosis, Finding};
use crate::setup::{in_words, notes};

/// How many hypotheses that explain nothing are told about.
const NEAREST: usize = 3;

impl fmt::Display for Diagnosis {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, total) = (self.unit.name(), count(self.total));
        if self.conclusion == Conclusion::NothingToExplain {
            return writeln!(formatter, "nothing to explain: all of the {total} {unit} are as they may be");
        }
        writeln!(formatter, "{} of {total} {unit} are wrong", count(self.wrong))?;
        let changes = in_words(&self.right_with);
        if self.conclusion == Conclusion::AnotherSetup {
            if !changes.is_empty() {
                writeln!(formatter, "\nnot with other options: it is right with {changes}")?;
            }
            for options in &self.right_if {
                writeln!(formatter, "\nno mistake: it is right if {options} is declared, and no more")?;
            }
            return notes(&self.right_with).try_for_each(|note| writeln!(formatter, "{note}"));
        }
        if !changes.is_empty() {
            writeln!(formatter, "\neither it is right with {changes}, or there is a mistake that looks like it:")?;
        }
        for view in &self.views {
            match view.wrong {
                0 => writeln!(formatter, "the view {} is right", view.view)?,
                wrong => writeln!(formatter, "the view {}: {} pixels are wrong", view.view, count(wrong))?,
            }
            if !view.refuted.is_empty() {
                writeln!(formatter, "  no backend that draws it so makes this mistake: {}", view.refuted.join(", "))?;
            }
        }
        for options in &self.right_if {
            writeln!(formatter, "right if {options} is declared")?;
        }
        let likely: Vec<&Finding> = self.likely().collect();
        let explaining = || self.findings.iter().filter(|finding| finding.explains);
        if let Some((best, as_good)) = likely.split_first() {
            writeln!(formatter)?;
            if likely.iter().flat_map(|finding| finding.causes()).count() > 1 {
                writeln!(formatter, "one of {}:\n", likely.iter().flat_map(|finding| finding.causes()).count())?;
            }
            self.explanation(formatter, best)?;
            as_good.iter().try_for_each(|finding| self.explanation(formatter, finding))?;
            let farther: Vec<&Finding> = explaining().filter(|finding| !likely.contains(finding)).collect();
            if !farther.is_empty() {
                writeln!(formatter, "\nfarther, but possible:")?;
                farther.iter().try_for_each(|finding| self.line(formatter, finding))?;
            }
        } else {
            writeln!(formatter, "none of the {} known mistakes explains this", self.tried)?;
            if !self.findings.is_empty() {
                writeln!(formatter, "\nthe nearest:")?;
                self.findings.iter().take(NEAREST).try_for_each(|finding| self.line(formatter, finding))?;
            }
        }
        if let Some(place) = self.place.as_ref().filter(|_| likely.is_empty()) {
            write!(formatter, "\n{place}")?;
        }
        writeln!(
            formatter,
            "\n{} mistakes were tried; {} of them change nothing that is wrong here",
            self.tried, self.silent
        )
    }
}

impl Diagnosis {
    fn line(&self, formatter: &mut fmt::Formatter<'_>, finding: &Finding) -> fmt::Result {
        let left = count(finding.unexplained);
        let (total, unit, score) = (count(self.total), self.unit.name(), finding.score);
        writeln!(formatter, "  {}: {left} of {total} {unit} unexplained, score {score:.2}", names(finding))
    }

    fn explanation(&self, formatter: &mut fmt::Formatter<'_>, best: &Finding) -> fmt::Result {
        let (unit, total) = (self.unit.name(), count(self.total));
        let (left, wrong) = (count(best.unexplained), count(self.wrong));
        let name = best.name();
        writeln!(
            formatter,
            "{name}: {left} of {total} {unit} unexplained; without it {wrong}; score {:.2}",
            best.score
        )?;
        about(formatter, best.cause)?;
        best.beside.map_or(Ok(()), |beside| about(formatter, beside))?;
        let how = if best.exact {
            "the bounds of a scene with this cause decided that"
        } else {
            "an estimate: no theory bounds what a backend with this mistake may give"
        };
        writeln!(formatter, "  ({how})")?;
        for same in &best.same {
            writeln!(formatter, "cannot be told apart here: {same}")?;
            about(formatter, *same)?;
        }
        Ok(())
    }
}

/// What a finding stands for, on one line.
fn names(finding: &Finding) -> String {
    let names: Vec<String> = finding.causes().map(|cause| cause.to_string()).collect();
    let beside = finding.beside.map_or(String::new(), |beside| format!(" and {beside}"));
    names.join(" = ") + &beside
}

fn about(formatter: &mut fmt::Formatter<'_>, cause: Cause) -> fmt::Result {
    writeln!(formatter, "  {}", cause.description())?;
    let fault = cause.fault();
    if let Some(right) = fault.and_then(|fault| fault.right_behaviour()) {
        writeln!(formatter, "  right: {right}")?;
    }
    if let Some(seen) = fault.and_then(|fault| fault.seen_in()) {
        writeln!(formatter, "  seen in {seen}")?;
    }
    Ok(())
}

/// A number with its thousands apart.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::{super::Unit, *};
    use refrast_simulator::Fault;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!([0, 999, 1000, 412_803, 12_000_000].map(count), ["0", "999", "1,000", "412,803", "12,000,000"]);
    }

    #[test]
    fn the_evidence_is_told() {
        let finding = |fault: Fault, unexplained, explains| Finding {
            cause: fault.into(),
            beside: None,
            same: vec![Fault::CullOff.into()],
            unexplained,
            exact: false,
            distance: 1.0,
            score: 0.9,
            explains,
        };
        let findings = vec![finding(Fault::NormalNotInverseTransposed, 0, true), finding(Fault::MipBias, 9, false)];
        let explained = Diagnosis::new(Unit::Pixels, [412_803, 18_220], [160, 90], findings);
        let text = explained.to_string();
        assert!(
            text.contains("normal-not-inverse-transposed: 0 of 412,803 pixels unexplained; without it 18,220"),
            "{text}"
        );
        assert!(text.contains("cannot be told apart here: cull-off") && text.contains("seen in"), "{text}");
        let unexplained =
            Diagnosis::new(Unit::Pixels, [10, 9], [160, 90], vec![finding(Fault::MipBias, 9, false)]).to_string();
        assert!(unexplained.contains("none of the 160 known mistakes explains this"), "{unexplained}");
        assert!(unexplained.contains("mip-bias = cull-off: 9 of 10 pixels"), "{unexplained}");
    }
}
