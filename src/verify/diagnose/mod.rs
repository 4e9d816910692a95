//! Which mistake explains a wrong picture or a wrong vertex buffer?
//!
//! Why it exists: that a picture is wrong is half of the answer. The other half is days of work in a debugger, and mostly
//! ends at one of the mistakes that others have made before. The [simulator](refrast_simulator) can make all of them, so that
//! each is a hypothesis that can be tested:
//!
//! 1. The candidate is held against the envelope (or the bounds) of the scene as it should be. Where everything lies
//!    inside, there is nothing to explain.
//! 2. Where the options are known ([`diagnose_setup`]), others are tried before any fault: the commonest wrong picture is a
//!    right one of something else.
//! 3. Each fault of the list is played once, by the backend of [`Variation::default`](refrast_simulator::Variation). Faults that
//!    change nothing here are put aside; faults that give the same picture, or one that is nowhere more than a step away, are
//!    one hypothesis in the end, and can not be told apart. Families of mistakes are fitted (`families/`): their best members are
//!    hypotheses as well. So are choices that an engine may declare and has not (`undeclared.rs`).
//! 4. The hypotheses that come nearest to the candidate are played with other choices that a conformant backend may make,
//!    and for each the pixels (or vertices) are counted that it leaves unexplained.
//! 5. Where none of them explains it, pairs are tried (`pairs.rs`): what explains the most, and something else for the rest.
//! 6. Debug views of the candidate's backend refute what would have changed them (`views.rs`).
//! 7. Where nothing has a name, what is left to say is where (`place/`): which stage, which nodes, joints, materials.
//!
//! What is *unexplained* has an exact meaning only without a fault, and for faults that lie in nothing but what is drawn (a
//! wrong importer, a wrong animation): there the true envelope of the wrong scene decides, and the finding says
//! [`exact`](Finding::exact). For all others no theory says what a backend with a mistake may draw. What it does draw is
//! estimated: a pixel counts as explained where the candidate is no farther from the hypothesis than the envelope without a
//! fault is wide thereabouts, from its pixel, from what its pixel is with other choices, or from one of the pixels around
//! it where an edge may lie. And that is not enough: against errors of a step or two, whatever changes the picture a little
//! would explain everything. Where the picture is wrong, the candidate has to be much nearer to the hypothesis than to what is
//! right (`evidence.rs`): the part of that distance that it takes away is its [`score`](Finding::score).
//!
//! A name is given where one hypothesis explains the candidate and the next one that does leaves more than [`MARGIN`] times as
//! much. Where several are as near, they are told as a set. A wrong name is worse than none. So a diagnosis is evidence, not
//! proof; the verdict *wrong* in front of it is proof.

mod buffer;
mod cause;
mod confined;
mod families;
mod hypotheses;
mod motions;
mod pairs;
mod picture;
mod place;
mod progress;
mod text;
mod trial;
mod undeclared;
mod variations;
mod vertices;
mod views;

use serde::Serialize;

pub use cause::Cause;
pub use confined::Likeness;
pub use hypotheses::{hypotheses, hypothesis_picture};
pub use picture::{diagnose_picture, diagnose_setup};
pub use place::{Place, Share, Stage};
pub use progress::{Progress, Step};
pub use vertices::diagnose_vertices;
pub use views::{CandidateView, ViewVerdict};

use crate::setup::{Change, SetupError};
use refrast_envelope::{FrameEnvelopeError, vertex::SceneVertexError};
use refrast_golden::Picture;
use refrast_stage::RenderError;
use refrast_words::names;

/// The part of what is wrong that a hypothesis may leave over and still explain it: 1 in 100, rounded down. Where fewer
/// than a hundred pixels are wrong, none may be left.
const LEFT_OVER: u64 = 100;

/// A mistake that takes away so much of the difference is no neighbour of the one that was made. What right backends differ by is known
/// from a few of them, and where a mistake makes one choice of two (a level, a side of a shadow's edge) they differ by more than without it:
/// of twenty-five wrong pixels one may be left. Not by numbers that were fitted, which come as near to a mistake that is made with one thing.
const SURE: f64 = 0.9;
const LEFT_OVER_BY_THE_SURE: u64 = 25;

/// How many times as much of the distance the next explanation has to leave for the first one to be named alone.
pub const MARGIN: f64 = 2.0;

/// What roundings alone may make of a part that is left: two explanations that leave less beside each other are as good.
const AS_GOOD: f64 = 0.04;

/// Fitted numbers take away this much more than those of the list for the rounding alone: less, and the list's mistake is the one.
const NUMBERS_FIT_BETTER: f64 = 0.01;

/// The part of the difference that a mistake takes away which tells the stage, if it does not explain the picture.
const NEAR: f64 = 0.4;

names! {
    /// What was counted.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Unit: "unit" {
        /// Pixels of a picture.
        Pixels = "pixels",
        /// Rows of a vertex file.
        Vertices = "vertices",
    }
}

/// What came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conclusion {
    /// Everything is as it may be.
    NothingToExplain,
    /// The backend is right, and the options are not: everything is as it may be under others.
    AnotherSetup,
    /// The first finding explains it, and nothing else does.
    Named,
    /// Several causes explain it, and can not be told apart here.
    OneOfThese,
    /// Nothing that is known explains it; where it is wrong is told.
    Located,
    /// Nothing that is known explains it.
    Unknown,
}

impl Conclusion {
    /// Whether there is nothing left to look for: exit status 0.
    #[must_use]
    pub fn is_answer(self) -> bool {
        matches!(self, Self::NothingToExplain | Self::AnotherSetup | Self::Named)
    }
}

/// A cause and what it leaves unexplained.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The cause; of several that give the same here, the first.
    pub cause: Cause,
    /// The other half of a pair: two mistakes at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<Cause>,
    /// The others that give the same here, to the bit or but for roundings, and can not be told apart; of a pair in the place
    /// of either half.
    pub same: Vec<Cause>,
    /// Pixels or vertices that a backend with this cause would not give.
    pub unexplained: u64,
    /// Whether an envelope or bounds of its own decided that, not an estimate.
    pub exact: bool,
    /// How far the candidate is from it: for pictures the sum over the pixels of the largest difference of a channel,
    /// at most 32 each; for vertices the sum of the distances of positions and directions.
    pub distance: f64,
    /// The part of the distance between the candidate and right backends that it takes away: 1 where it gives the candidate
    /// itself, 0 where it comes no nearer than what is right, and less than that where it is farther.
    pub score: f64,
    /// Whether little enough is left.
    pub explains: bool,
}

impl Finding {
    /// All causes that it stands for; of a pair without its second half.
    pub fn causes(&self) -> impl Iterator<Item = Cause> + '_ {
        std::iter::once(self.cause).chain(self.same.iter().copied())
    }

    /// Whether it is a mistake of the list, and the other one a member of its family.
    fn lists(&self, other: &Self) -> bool {
        self.cause.lists(other.cause)
    }

    /// Whether it differs from the other one in nothing but a mistake of the list in the place of a member of its family.
    fn stands_for(&self, other: &Self) -> bool {
        match (self.beside, other.beside) {
            (None, None) => self.lists(other),
            (Some(beside), Some(other_beside)) => {
                let [own, other] = [[self.cause, beside], [other.cause, other_beside]];
                let is_one = |a: usize, b: usize| own[a] == other[b] && own[1 - a].lists(other[1 - b]);
                (0..2).any(|a| (0..2).any(|b| is_one(a, b)))
            }
            _ => false,
        }
    }

    /// Whether this finding, which explains a candidate, is as good as the best one.
    fn is_as_good_as(&self, best: &Self) -> bool {
        let [left, least] = [self, best].map(|finding| (1.0 - finding.score).max(0.0));
        // A pair is a finding where each half leaves much that the other explains.
        let is_half = |half: Cause| self.beside.is_none() && self.causes().any(|cause| cause.is_like(half));
        if best.beside.is_some_and(|beside| is_half(best.cause) || is_half(beside)) {
            return false;
        }
        if best.lists(self) {
            return false;
        }
        self.explains && left <= (MARGIN * least).max(least + AS_GOOD)
    }
}

/// The result of a diagnosis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnosis {
    /// What came out.
    pub conclusion: Conclusion,
    /// What was counted.
    pub unit: Unit,
    /// How many there are.
    pub total: u64,
    /// How many no backend without a fault would give.
    pub wrong: u64,
    /// Causes that were tried.
    pub tried: usize,
    /// Those that change nothing, or nothing where it is wrong.
    pub silent: usize,
    /// The hypotheses that came nearest, the best first.
    pub findings: Vec<Finding>,
    /// The options under which everything is as it may be; with findings, either is the case.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub right_with: Vec<Change>,
    /// The reference's picture with these options.
    #[serde(skip)]
    pub picture_with: Option<Picture>,
    /// What makes it right where it is declared, as options: one choice of an engine, or a profile that grants more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub right_if: Vec<String>,
    /// What became of the candidate's debug views.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<ViewVerdict>,
    /// Where it is wrong; of pictures that no other set-up makes right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

impl Diagnosis {
    /// The causes that explain it best: one, or several that can not be told apart here; none where nothing explains it.
    pub fn best(&self) -> impl Iterator<Item = Cause> + '_ {
        self.findings.first().filter(|finding| finding.explains).into_iter().flat_map(Finding::causes)
    }

    /// Every finding that explains it as well as the best one.
    pub fn likely(&self) -> impl Iterator<Item = &Finding> {
        let best = self.findings.first().filter(|finding| finding.explains);
        best.into_iter().flat_map(|best| self.findings.iter().filter(|finding| finding.is_as_good_as(best)))
    }

    fn new(unit: Unit, [total, wrong]: [u64; 2], [tried, silent]: [usize; 2], mut findings: Vec<Finding>) -> Self {
        findings.sort_by(|a, b| {
            let left = |finding: &Finding| if finding.explains { 0 } else { finding.unexplained };
            let score = |finding: &Finding| if finding.explains { finding.score } else { 0.0 };
            let explains = b.explains.cmp(&a.explains).then(score(b).total_cmp(&score(a)));
            explains.then(left(a).cmp(&left(b))).then(a.distance.total_cmp(&b.distance))
        });
        let is_listed = |own: &Finding, best: &Finding| {
            own.explains && own.lists(best) && best.score - own.score <= NUMBERS_FIT_BETTER
        };
        let listed = findings.first().and_then(|best| findings.iter().position(|own| is_listed(own, best)));
        if let Some(place) = listed {
            findings[..=place].rotate_right(1);
        }
        let mut diagnosis = Self {
            conclusion: Conclusion::Unknown,
            unit,
            total,
            wrong,
            tried,
            silent,
            findings,
            right_with: Vec::new(),
            picture_with: None,
            right_if: Vec::new(),
            views: Vec::new(),
            place: None,
        };
        diagnosis.conclusion = match diagnosis.likely().flat_map(Finding::causes).count() {
            _ if wrong == 0 => Conclusion::NothingToExplain,
            0 => Conclusion::Unknown,
            1 => Conclusion::Named,
            _ => Conclusion::OneOfThese,
        };
        diagnosis
    }

    /// With the place where it is wrong, which is an answer where there is no other.
    fn located(self, mut place: Place) -> Self {
        // Who has a name has its stage; of two mistakes, or of several that are as likely, the stage that the picture shows where it is
        // one of theirs, and else the first.
        let causes = self.likely().flat_map(|finding| finding.causes().chain(finding.beside));
        let stages: Vec<Stage> = causes.filter_map(Stage::of).collect();
        let shown = place.stage.filter(|own| stages.contains(own));
        let named = shown.or_else(|| stages.into_iter().min_by_key(|stage| *stage as usize));
        if place.stage != Some(Stage::NothingDrawn) {
            place.stage = named.or(place.stage);
        }
        let conclusion = match self.conclusion {
            Conclusion::Unknown if place.stage.is_some() => Conclusion::Located,
            conclusion => conclusion,
        };
        Self { conclusion, place: Some(place), ..self }
    }

    /// The place with what the only thing that is wrong looks like, where that is near enough to be told, and with the stage of what
    /// comes nearest.
    fn likened(&self, mut place: Place, likeness: Option<Likeness>) -> Place {
        place.likeness = likeness;
        place.stage = self.stage_of_the_nearest(&place).or(place.stage);
        place.likeness.take_if(|likeness| !likeness.is_told());
        place
    }

    /// The stage of what comes near without explaining it, where the picture shows nothing but surfaces that look wrong: whatever takes
    /// away much of the difference says more of them than how they look.
    fn stage_of_the_nearest(&self, place: &Place) -> Option<Stage> {
        if !place.stage.is_some_and(Stage::is_of_surfaces) {
            return None;
        }
        let findings = self.findings.iter().map(|finding| (finding.score, finding.cause));
        let alike = place.likeness.iter().map(|likeness| (likeness.score, likeness.cause));
        let near = findings.chain(alike).filter(|(score, _)| *score >= NEAR);
        let (_, cause) = near.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
        Stage::of(cause).filter(|stage| *stage != Stage::Visibility)
    }

    /// With the options under which all is right, and their picture; what its findings explain as well may be meant instead.
    fn right_with(self, changes: Vec<Change>, picture: Picture) -> Self {
        let conclusion = if self.findings.is_empty() { Conclusion::AnotherSetup } else { Conclusion::OneOfThese };
        Self { conclusion, right_with: changes, picture_with: Some(picture), ..self }
    }
}

/// As [`explains`], for a hypothesis without numbers that were fitted, of which it is known which part of the difference it takes away.
fn explains_with(score: f64, unexplained: u64, wrong: u64) -> bool {
    explains(unexplained, wrong) || (score >= SURE && unexplained <= wrong / LEFT_OVER_BY_THE_SURE)
}

/// Whether a hypothesis that leaves so many explains what is wrong.
fn explains(unexplained: u64, wrong: u64) -> bool {
    unexplained <= wrong / LEFT_OVER
}

/// There is no diagnosis.
#[derive(Debug, thiserror::Error)]
pub enum DiagnoseError {
    /// The scene can not be drawn or skinned.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The set-up that was asked for, or another one, can not be drawn.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// There is no envelope of the scene.
    #[error(transparent)]
    Envelope(#[from] FrameEnvelopeError),
    /// There are no exact vertices.
    #[error(transparent)]
    Vertices(#[from] SceneVertexError),
    /// The candidate is of another shape, so that nothing can be put side by side.
    #[error("the candidate does not fit: {0}; name the scene, the size and the options that it was made with")]
    Shape(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrast_simulator::Fault;

    fn finding(fault: Fault, unexplained: u64, distance: f64, wrong: u64) -> Finding {
        let explains = explains(unexplained, wrong);
        let score = 1.0 - 0.01 * distance;
        Finding {
            cause: fault.into(),
            beside: None,
            same: Vec::new(),
            unexplained,
            exact: false,
            distance,
            score,
            explains,
        }
    }

    #[test]
    fn what_explains_comes_first_and_of_those_the_nearest() {
        let findings = vec![
            finding(Fault::YFlipped, 40, 1.0, 300),
            finding(Fault::MipBias, 0, 19.0, 300),
            finding(Fault::MipNone, 3, 8.0, 300),
            finding(Fault::CullOff, 4, 2.0, 300),
        ];
        let diagnosis = Diagnosis::new(Unit::Pixels, [1000, 300], [4, 0], findings);
        let order: Vec<Cause> = diagnosis.findings.iter().map(|finding| finding.cause).collect();
        assert_eq!(order, [Fault::MipNone, Fault::MipBias, Fault::CullOff, Fault::YFlipped].map(Cause::from));
        assert_eq!(diagnosis.conclusion, Conclusion::Named);
        assert_eq!(diagnosis.best().collect::<Vec<_>>(), [Cause::from(Fault::MipNone)]);
    }

    #[test]
    fn without_a_margin_it_is_one_of_several() {
        // 0.08 of the distance is left; 0.15 is less than twice as much, 0.17 is more.
        for (distance, conclusion) in [(15.0, Conclusion::OneOfThese), (17.0, Conclusion::Named)] {
            let findings = vec![finding(Fault::MipNone, 0, 8.0, 300), finding(Fault::MipBias, 0, distance, 300)];
            assert_eq!(Diagnosis::new(Unit::Pixels, [1000, 300], [2, 0], findings).conclusion, conclusion);
        }
        let mut same = finding(Fault::MipNone, 0, 8.0, 300);
        same.same.push(Fault::MipBias.into());
        let conclusion = Diagnosis::new(Unit::Pixels, [1000, 300], [2, 0], vec![same]).conclusion;
        assert_eq!(conclusion, Conclusion::OneOfThese);
        assert!(!conclusion.is_answer() && Conclusion::Named.is_answer());
    }

    #[test]
    fn a_half_is_no_rival_of_its_pair_and_a_fitted_number_none_of_a_listed_one() {
        let bias = refrast_simulator::ParametricFault::MipBias { levels: 0.99 };
        let pair = Finding { beside: Some(Fault::CullOff.into()), ..finding(Fault::MipNone, 0, 0.0, 300) };
        let half = finding(Fault::MipNone, 3, 3.0, 300);
        let diagnosis = Diagnosis::new(Unit::Pixels, [1000, 300], [2, 0], vec![half.clone(), pair.clone()]);
        assert_eq!((diagnosis.conclusion, diagnosis.likely().count()), (Conclusion::Named, 1));
        let other = finding(Fault::YFlipped, 0, 3.0, 300);
        let diagnosis = Diagnosis::new(Unit::Pixels, [1000, 300], [2, 0], vec![pair, other]);
        assert_eq!(diagnosis.conclusion, Conclusion::OneOfThese);

        let fitted = |distance| Finding { cause: bias.into(), ..finding(Fault::MipBias, 0, distance, 300) };
        let listed = finding(Fault::MipBias, 0, 2.5, 300);
        let diagnosis = Diagnosis::new(Unit::Pixels, [1000, 300], [2, 0], vec![fitted(2.0), listed.clone()]);
        assert_eq!(diagnosis.best().collect::<Vec<_>>(), [Cause::from(Fault::MipBias)]);
        assert_eq!(diagnosis.conclusion, Conclusion::Named);
        // Where the number matters it stays.
        let diagnosis = Diagnosis::new(Unit::Pixels, [1000, 300], [2, 0], vec![fitted(0.0), listed]);
        assert_eq!(diagnosis.best().next(), Some(Cause::from(bias)));
    }

    #[test]
    fn another_moment_is_no_answer_where_a_mistake_looks_like_it() {
        let change = || vec![Change { option: Some("--time"), value: "0.372".to_owned(), note: None }];
        let picture = || Picture::from_rgba8(1, 1, vec![0; 4]).expect("a pixel");
        let diagnosis =
            |findings| Diagnosis::new(Unit::Pixels, [1000, 300], [2, 0], findings).right_with(change(), picture());
        assert_eq!(diagnosis(Vec::new()).conclusion, Conclusion::AnotherSetup);
        let either = diagnosis(vec![finding(Fault::RotationLerped, 0, 0.0, 300)]);
        assert_eq!((either.conclusion, either.conclusion.is_answer()), (Conclusion::OneOfThese, false));
        let text = either.to_string();
        assert!(text.contains("--time 0.372") && text.contains("rotation-lerped"), "{text}");
    }

    #[test]
    fn of_few_wrong_pixels_none_may_be_left() {
        assert!(explains_with(0.9, 4, 100) && !explains_with(0.9, 5, 100) && !explains_with(0.89, 4, 100));
        assert!(explains(0, 20) && !explains(1, 99) && explains(1, 100) && !explains(2, 100));
        let diagnosis = Diagnosis::new(Unit::Pixels, [1000, 20], [1, 0], vec![finding(Fault::YFlipped, 1, 0.0, 20)]);
        assert_eq!((diagnosis.conclusion, diagnosis.best().count()), (Conclusion::Unknown, 0));
    }
}
