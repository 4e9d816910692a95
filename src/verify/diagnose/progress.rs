//! [`Step`]: what a diagnosis knows before it is through.
//!
//! Why it exists: whether a picture is wrong is known in a second, and that no other options make it right in a few; who waits for the
//! name of a mistake wants to hear of both at once.

use std::fmt;

use super::{Finding, Stage, Unit, text::count};

/// Called with each step, from any thread.
pub type Progress<'a> = &'a (dyn Fn(Step<'_>) + Sync);

/// A step of a diagnosis. All but the first are an answer, which is printed as a sentence.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// Hypotheses that were tried.
    Tried {
        /// So many until now.
        done: usize,
        /// Of so many.
        of: usize,
    },
    /// The candidate is wrong.
    Wrong {
        /// Pixels or vertices that no backend without a mistake would give.
        wrong: u64,
        /// How many there are.
        total: u64,
        /// What was counted.
        unit: Unit,
    },
    /// Other options were looked for in vain.
    NotTheOptions,
    /// The first stage that must be wrong.
    Stage(Stage),
    /// The best that was found of single causes; none where none explains the candidate, and pairs are tried.
    One(Option<&'a Finding>),
}

impl fmt::Display for Step<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tried { done, of } => write!(formatter, "{done} of {of} hypotheses"),
            Self::Wrong { wrong, total, unit } => {
                write!(formatter, "{} of {} {} are wrong", count(*wrong), count(*total), unit.name())
            }
            Self::NotTheOptions => formatter.write_str("no other options make it right"),
            Self::Stage(stage) => write!(formatter, "the first stage that must be wrong: {stage}"),
            Self::One(Some(finding)) => {
                write!(formatter, "one cause explains it: {}, score {:.2}", finding.cause, finding.score)
            }
            Self::One(None) => formatter.write_str("no single cause explains it; pairs are tried"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_a_sentence() {
        let wrong = Step::Wrong { wrong: 2012, total: 307_200, unit: Unit::Pixels };
        assert_eq!(wrong.to_string(), "2,012 of 307,200 pixels are wrong");
        assert_eq!(Step::Stage(Stage::Light).to_string(), "the first stage that must be wrong: light");
        assert_eq!(Step::One(None).to_string(), "no single cause explains it; pairs are tried");
    }
}
