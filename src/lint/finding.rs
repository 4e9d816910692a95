//! [`Finding`]: one rule with all its places.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    renderers::{self, Behaviour},
    rule::{Rule, Standing},
};

/// Something that was found, everywhere that it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Its name.
    pub rule: Rule,
    /// Whose matter it is.
    pub standing: Standing,
    /// What it is, in one line.
    pub about: &'static str,
    /// Where, in the order of the file.
    pub places: Vec<Place>,
    /// What renderers do with it.
    pub renderers: Vec<Behaviour>,
    /// What the file's maker can do.
    pub remedy: &'static str,
}

/// A place of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The JSON path, such as `meshes[0].primitives[1]`.
    pub path: String,
    /// What is there.
    pub detail: String,
}

/// Findings in the making.
#[derive(Default)]
pub(super) struct Findings(BTreeMap<Rule, Vec<Place>>);

impl Findings {
    pub(super) fn add(&mut self, rule: Rule, path: &str, detail: String) {
        self.0.entry(rule).or_default().push(Place { path: path.to_owned(), detail });
    }

    /// What breaks a rule first, then what is open, then what is known to go wrong.
    pub(super) fn sorted(self) -> Vec<Finding> {
        let finding = |(rule, places): (Rule, Vec<Place>)| Finding {
            rule,
            standing: rule.standing(),
            about: refrast_words::Word::about(rule),
            places,
            renderers: renderers::known(rule),
            remedy: rule.remedy(),
        };
        let mut findings: Vec<Finding> = self.0.into_iter().map(finding).collect();
        findings.sort_by_key(|finding| (finding.standing, finding.rule));
        findings
    }
}

/// `1 vertex` or `7 vertices`.
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}
