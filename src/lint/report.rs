//! [`Lint`]: all findings of a file, for people and for programs.

use std::fmt;

use refrast_scene::OneLine;
use serde::Serialize;

use super::{
    finding::{Finding, count},
    rule::{Rule, Standing},
};

/// As many places of a finding are listed in words; JSON has all.
const PLACES_SHOWN: usize = 3;

/// What is known of a file. Its JSON has the same fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lint {
    /// The file.
    pub file: String,
    /// What was found: broken rules first, then what is open, then pitfalls.
    pub findings: Vec<Finding>,
}

impl Lint {
    /// Leaves out what somebody has looked at and accepts.
    pub fn allow(&mut self, rules: &[Rule]) {
        self.findings.retain(|finding| !rules.contains(&finding.rule));
    }

    /// 0 where nothing was found, 1 where something was.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        u8::from(!self.findings.is_empty())
    }
}

impl fmt::Display for Lint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.findings.is_empty() {
            return writeln!(formatter, "{}: nothing found", self.file);
        }
        let of = |standing| self.findings.iter().filter(|finding| finding.standing == standing).count();
        let told = [
            (Standing::Broken, "broken rule", "broken rules"),
            (Standing::Open, "open choice", "open choices"),
            (Standing::Pitfall, "pitfall", "pitfalls"),
        ];
        let told = told.into_iter().filter(|(standing, ..)| of(*standing) > 0);
        let told: Vec<String> = told.map(|(standing, one, many)| count(of(standing), one, many)).collect();
        writeln!(formatter, "{}: {}", self.file, told.join(", "))?;
        for finding in &self.findings {
            write_finding(finding, formatter)?;
        }
        Ok(())
    }
}

fn write_finding(finding: &Finding, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(formatter, "\n{} ({}): {}", finding.rule, finding.standing, finding.about)?;
    for place in finding.places.iter().take(PLACES_SHOWN) {
        writeln!(formatter, "  {}", OneLine(format_args!("{}: {}", place.path, place.detail)))?;
    }
    if let Some(more) = finding.places.len().checked_sub(PLACES_SHOWN).filter(|more| *more > 0) {
        writeln!(formatter, "  and {} (--json lists all)", count(more, "more place", "more places"))?;
    }
    let width = finding.renderers.iter().map(|own| own.renderer.chars().count()).max().unwrap_or(0);
    for own in &finding.renderers {
        writeln!(formatter, "    {:width$}  {}", own.renderer, own.does)?;
    }
    writeln!(formatter, "  -> {}", finding.remedy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Place;

    #[test]
    fn a_place_stays_on_its_line() {
        let rule = Rule::JointNameTwice;
        let detail = "joint 'a\nb\u{1b}[2J' shares its name with joint node 2".to_owned();
        let finding = Finding {
            rule,
            standing: rule.standing(),
            about: "",
            places: vec![Place { path: "nodes[1].name".to_owned(), detail }],
            renderers: Vec::new(),
            remedy: "",
        };
        let told = Lint { file: "a.gltf".to_owned(), findings: vec![finding] }.to_string();
        assert!(
            told.contains("  nodes[1].name: joint 'a\\nb\\u{1b}[2J' shares its name with joint node 2\n"),
            "{told}"
        );
    }
}
