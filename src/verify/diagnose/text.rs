//! A diagnosis in words.
//!
//! Why it exists: the person at the terminal wants the name of the mistake, the evidence for it and where to read on.

use std::fmt;

use super::{Conclusion, Diagnosis, Finding};
use refrast_simulator::Fault;

/// How many hypotheses that explain nothing are told about.
const NEAREST: usize = 3;

impl fmt::Display for Diagnosis {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, total) = (self.unit.name(), count(self.total));
        if self.conclusion == Conclusion::NothingToExplain {
            return writeln!(formatter, "nothing to explain: all of the {total} {unit} are as they may be");
        }
        writeln!(formatter, "{} of {total} {unit} are wrong", count(self.wrong))?;
        if self.conclusion == Conclusion::AnotherSetup {
            let changes: Vec<String> = self.right_with.iter().map(ToString::to_string).collect();
            return writeln!(formatter, "\nnot with other options: it is right with {}", changes.join(" "));
        }
        for options in &self.right_if {
            writeln!(formatter, "right if {options} is declared")?;
        }
        let (explaining, others): (Vec<&Finding>, Vec<&Finding>) =
            self.findings.iter().partition(|finding| finding.explains);
        if let Some((best, also)) = explaining.split_first() {
            writeln!(formatter)?;
            self.explanation(formatter, best)?;
            if !also.is_empty() {
                writeln!(formatter, "\nless close, but as possible:")?;
                also.iter().try_for_each(|finding| self.line(formatter, finding))?;
            }
        } else {
            writeln!(formatter, "none of the {} known mistakes explains this", self.tried)?;
            if !others.is_empty() {
                writeln!(formatter, "\nthe nearest:")?;
                others.iter().take(NEAREST).try_for_each(|finding| self.line(formatter, finding))?;
            }
        }
        writeln!(
            formatter,
            "\n{} faults were tried; {} of them change nothing that is wrong here",
            self.tried, self.silent
        )
    }
}

impl Diagnosis {
    fn line(&self, formatter: &mut fmt::Formatter<'_>, finding: &Finding) -> fmt::Result {
        let names: Vec<&str> =
            std::iter::once(finding.fault).chain(finding.same.iter().copied()).map(Fault::name).collect();
        writeln!(
            formatter,
            "  {}: {} of {} {} unexplained",
            names.join(" = "),
            count(finding.unexplained),
            count(self.total),
            self.unit.name()
        )
    }

    fn explanation(&self, formatter: &mut fmt::Formatter<'_>, best: &Finding) -> fmt::Result {
        let (unit, total) = (self.unit.name(), count(self.total));
        let (left, wrong) = (count(best.unexplained), count(self.wrong));
        writeln!(formatter, "{}: {left} of {total} {unit} unexplained; without it {wrong}", best.fault)?;
        about(formatter, best.fault)?;
        let how = if best.exact {
            "the bounds of a scene with this mistake decided that"
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

fn about(formatter: &mut fmt::Formatter<'_>, fault: Fault) -> fmt::Result {
    writeln!(formatter, "  {}", fault.description())?;
    if let Some(right) = fault.right_behaviour() {
        writeln!(formatter, "  right: {right}")?;
    }
    if let Some(seen) = fault.seen_in() {
        writeln!(formatter, "  seen in {seen}")?;
    }
    Ok(())
}

/// A number with its thousands apart.
fn count(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::{super::Unit, *};

    #[test]
    fn thousands_stand_apart() {
        assert_eq!([0, 999, 1000, 412_803, 12_000_000].map(count), ["0", "999", "1,000", "412,803", "12,000,000"]);
    }

    #[test]
    fn the_evidence_is_told() {
        let finding = |fault, unexplained, explains| Finding {
            fault,
            same: vec![Fault::CullOff],
            unexplained,
            exact: false,
            distance: 1.0,
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
