//! Whether a diagnosis is right.

use std::error::Error;

use refrast::verify::{
    Fault, Profile,
    diagnose::{Cause, Conclusion, Diagnosis, Stage, diagnose_setup},
    setup::{Question, Source},
    simulator::ParametricFault,
};

use super::{
    case::{Case, Named, option},
    object::ObjectMistake,
};

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Grade {
    /// The one name that was given is right, or the set-up that was.
    Named,
    /// The right one is among several.
    OneOf,
    /// Of two mistakes one is named.
    Half,
    /// No name.
    Unknown,
    /// A single name, and it is wrong.
    Wrong,
    /// Several names, all wrong.
    WrongSet,
}

pub(crate) struct Answer {
    pub(crate) grade: Grade,
    /// Whether the stage is right, where one was told that has a right answer.
    pub(crate) is_located: Option<bool>,
    /// Whether the node, material or joint is right, of mistakes about one.
    pub(crate) is_object_right: Option<bool>,
    /// Whether what the object is said to look like is the mistake, where that is told.
    pub(crate) is_likeness_right: Option<bool>,
    pub(crate) told: String,
}

impl Case {
    /// What the diagnosis makes of it; `None` where a right backend may have drawn it.
    pub(crate) fn judged(&self, named: &Named, profile: Profile) -> Result<Option<Answer>, Box<dyn Error>> {
        let (scene, camera) = (&named.scene, &self.camera);
        let (rules, source) = (profile.into(), Source::FILE);
        let question = Question { scene, camera, rules, source, candidate: &self.picture, images: None };
        let diagnosis = diagnose_setup(&question, &self.setup, &|_| {})?;
        if diagnosis.conclusion == Conclusion::NothingToExplain {
            return Ok(None);
        }
        let grade = if self.object.is_some() { self.grade_of_object(&diagnosis) } else { self.grade(&diagnosis) };
        let stage = diagnosis.place.as_ref().map(|place| place.stage);
        let is_right = |stage: Option<Stage>, right: &[Stage]| match stage {
            // Whatever draws nothing at all shows no other stage.
            Some(Stage::NothingDrawn) => self.is_empty() || right.contains(&Stage::NothingDrawn),
            stage => stage.is_some_and(|own| right.contains(&own)),
        };
        let is_located = match self.object {
            // Where a set-up is told of a mistake in one place, none is.
            Some(object) => Some(stage.is_some_and(|stage| is_right(stage, object.stages(scene)))),
            None => stage.zip(stages(&self.truth)).map(|(stage, right)| is_right(stage, right)),
        };
        let is_told =
            |object: ObjectMistake| diagnosis.place.as_ref().is_some_and(|place| object.is_told(&named.scene, place));
        let is_object_right = self.object.map(is_told);
        let likeness = diagnosis.place.as_ref().and_then(|place| place.likeness.as_ref());
        let is_likeness_right = likeness.map(|own| self.truth.iter().any(|truth| is_close(&own.cause, truth)));
        let place = stage.map_or("a set-up".to_owned(), |stage| format!("{stage:?}"));
        let object = match (is_object_right, &diagnosis.place) {
            (Some(is_right), Some(own)) => {
                let all = own.nodes.iter().chain(&own.materials).chain(&own.joints);
                let all: Vec<String> = all.map(|own| format!("{} {:.2}", own.name, own.part)).collect();
                format!(
                    "{} stage, {} object [{}]: ",
                    right_or_wrong(is_located),
                    right_or_wrong(Some(is_right)),
                    all.join(", ")
                )
            }
            _ => String::new(),
        };
        let alike = likeness.map_or(String::new(), |own| format!("{} as {} {:.2}: ", own.of, own.cause, own.score));
        let told = format!("{grade:?}: {object}{place}: {alike}{}", short(&diagnosis));
        Ok(Some(Answer { grade, is_located, is_object_right, is_likeness_right, told }))
    }

    /// Of a mistake about one object a name is right that is the same mistake about everything; it needs none.
    fn grade_of_object(&self, diagnosis: &Diagnosis) -> Grade {
        if !diagnosis.right_with.is_empty() {
            return Grade::Wrong;
        }
        let is_alike = |cause: Cause| self.truth.iter().any(|truth| is_close(&cause, truth));
        let likely = diagnosis.likely().count();
        match (likely, named(diagnosis).any(is_alike), diagnosis.conclusion) {
            (0, ..) => Grade::Unknown,
            (_, true, Conclusion::Named) => Grade::Named,
            (_, true, _) => Grade::OneOf,
            (_, false, Conclusion::Named) => Grade::Wrong,
            (_, false, _) => Grade::WrongSet,
        }
    }

    fn grade(&self, diagnosis: &Diagnosis) -> Grade {
        if !diagnosis.right_with.is_empty() {
            let moved = |cause: &Cause| {
                matches!(
                    cause,
                    Cause::Parametric(
                        ParametricFault::TimeRounded { .. }
                            | ParametricFault::WindowOffset { .. }
                            | ParametricFault::InfluencesKept { .. }
                    )
                )
            };
            // The options say what the backend did, and its picture lies inside the envelope with them.
            let is_right = self.truth.iter().any(moved) && self.truth.len() == 1;
            let is_right = is_right || self.is_listed();
            let is_alone = diagnosis.conclusion == Conclusion::AnotherSetup;
            let is_told = |cause: &Cause, truth: &Cause| is_close(cause, truth) || both_burn_out(cause, truth);
            let is_among = self.truth.iter().all(|truth| named(diagnosis).any(|cause| is_told(&cause, truth)));
            return match (is_alone, is_right || is_among) {
                (true, true) => Grade::Named,
                (true, false) => Grade::Wrong,
                (false, true) => Grade::OneOf,
                (false, false) => Grade::WrongSet,
            };
        }
        let likely: Vec<_> = diagnosis.likely().collect();
        if let (true, [truth @ Cause::Undeclared { .. }]) = (likely.is_empty(), self.truth.as_slice()) {
            // Where no name is given, what would make it right is told all the same.
            let is_told = |options: &String| options.split_whitespace().next() == Some(option(truth).as_str());
            return match (diagnosis.right_if.iter().any(is_told), diagnosis.right_if.len()) {
                (true, 1) => Grade::Named,
                (true, _) => Grade::OneOf,
                (false, 0) => Grade::Unknown,
                (false, _) => Grade::WrongSet,
            };
        }
        let found = |truth: &Cause| {
            likely.iter().any(|finding| finding.causes().chain(finding.beside).any(|cause| is_close(&cause, truth)))
        };
        let right = self.truth.iter().filter(|truth| found(truth)).count();
        // A second mistake that was not made is a wrong name, too.
        let is_too_much = self.truth.len() == 1 && likely.first().is_some_and(|finding| finding.beside.is_some());
        match (likely.len(), right, diagnosis.conclusion) {
            (0, ..) => Grade::Unknown,
            (_, 1.., Conclusion::Named) if is_too_much => Grade::Wrong,
            (_, right, Conclusion::Named) if right > 0 && right == self.truth.len() => Grade::Named,
            (_, right, _) if right > 0 && right == self.truth.len() => Grade::OneOf,
            (_, 1.., _) => Grade::Half,
            (_, _, Conclusion::Named) => Grade::Wrong,
            _ => Grade::WrongSet,
        }
    }

    /// Whether nothing is seen.
    fn is_empty(&self) -> bool {
        let bytes = self.picture.samples8();
        let pixels = bytes.as_chunks::<4>().0;
        pixels.iter().all(|pixel| Some(pixel) == pixels.first())
    }

    /// Whether the mistake is one of the list that other options may make right again, as a clip that is not played.
    fn is_listed(&self) -> bool {
        self.truth.iter().all(|cause| cause.fault().is_some()) && self.truth.len() == 1
    }
}

/// All causes that are told.
fn named(diagnosis: &Diagnosis) -> impl Iterator<Item = Cause> + '_ {
    diagnosis.likely().flat_map(|finding| finding.causes().chain(finding.beside))
}

/// The stages that such a mistake may show in first; none where that is open.
fn stages(truth: &[Cause]) -> Option<&'static [Stage]> {
    use ParametricFault as P;
    let [Cause::Parametric(fault)] = truth else { return None };
    Some(match fault {
        P::TimeRounded { .. }
        | P::ClipResampled { .. }
        | P::InfluencesKept { .. }
        | P::WeightBits { .. }
        | P::JointsShifted { .. }
        | P::JointsSwapped { .. }
        | P::JointTakenFor { .. }
        | P::JointTurned { .. }
        | P::NodeStill { .. }
        | P::NodeMoved { .. }
        | P::MorphTargetsShifted { .. }
        | P::MorphTargetMissing { .. }
        | P::NodeTransformRepeated { .. }
        | P::WindowOffset { .. } => &[Stage::Geometry, Stage::Coverage],
        P::GridBits { .. } => &[Stage::Coverage],
        P::TexcoordsMoved { .. } => &[Stage::TextureCoordinates],
        P::MipBias { .. } => &[Stage::Filtering],
        P::Gamma { .. } | P::Channels { .. } => &[Stage::Colour, Stage::Store],
        P::NormalsReversed { .. } | P::Exposure { .. } => &[Stage::Light, Stage::Colour],
        P::NodeMissing { .. }
        | P::InsideOut { .. }
        | P::DepthTest { .. }
        | P::DepthClear { .. }
        | P::DepthSlopeBias { .. } => &[Stage::Visibility, Stage::NothingDrawn],
    })
}

fn right_or_wrong(what: Option<bool>) -> &'static str {
    if what == Some(true) { "right" } else { "wrong" }
}

fn short(diagnosis: &Diagnosis) -> String {
    let changes = diagnosis.right_with.iter().map(ToString::to_string);
    let names = diagnosis.likely().map(|finding| {
        let causes: Vec<String> = finding.causes().chain(finding.beside).map(|cause| cause.to_string()).collect();
        format!("{} ({:.2})", causes.join(" & "), finding.score)
    });
    let nearest = diagnosis.findings.iter().take(2).map(|finding| {
        let beside = finding.beside.map_or(String::new(), |beside| format!(" & {beside}"));
        format!("[{}{beside} {:.2} {}]", finding.cause, finding.score, finding.unexplained)
    });
    let all: Vec<String> = changes.chain(names).chain(nearest).collect();
    format!("{} wrong; {}", diagnosis.wrong, all.join("; "))
}

/// Whether both are too much light: where other options make the picture right as well, none of its shades are left, and twice as much
/// light draws the same.
fn both_burn_out(named: &Cause, truth: &Cause) -> bool {
    let factor = |cause: &Cause| match cause {
        Cause::Parametric(ParametricFault::Exposure { factor }) => *factor,
        _ => 0.0,
    };
    factor(named) > 1.0 && factor(truth) > 1.0
}

/// Whether a named cause is the true one, but for a tenth of its number.
fn is_close(named: &Cause, truth: &Cause) -> bool {
    use ParametricFault as P;
    let near = |a: f32, b: f32| (a - b).abs() <= 0.1 * b.abs().max(0.5);
    let apart = |a: f32, b: f32, most: f32| (a - b).abs() <= most;
    match (named, truth) {
        (Cause::Parametric(named), Cause::Parametric(truth)) => match (named, truth) {
            (P::TexcoordsMoved { scale, offset, swapped }, P::TexcoordsMoved { scale: s, offset: o, swapped: w }) => {
                // Whole textures further is the same where they repeat.
                let whole = |a: f32, b: f32| apart(a - b, (a - b).round(), 0.03);
                swapped == w && (0..2).all(|i| near(scale[i], s[i]) && whole(offset[i], o[i]))
            }
            (P::MipBias { levels }, P::MipBias { levels: l }) => apart(*levels, *l, 0.1),
            (P::Gamma { gamma, in_shader }, P::Gamma { gamma: g, in_shader: s }) => near(*gamma, *g) && in_shader == s,
            (P::Exposure { factor }, P::Exposure { factor: f }) => near(*factor, *f),
            (P::DepthClear { .. }, P::DepthClear { .. }) => true,
            (P::WindowOffset { x, y }, P::WindowOffset { x: u, y: v }) => apart(*x, *u, 0.1) && apart(*y, *v, 0.1),
            (P::TimeRounded { .. }, P::TimeRounded { .. }) => true,
            (P::JointTurned { joint, by }, P::JointTurned { joint: j, by: b }) => {
                joint == j && (0..3).all(|i| apart(by[i], b[i], 5.0))
            }
            (P::NodeMoved { node, by, scale }, P::NodeMoved { node: n, by: b, scale: s }) => {
                node == n && near(*scale, *s) && (0..3).all(|i| apart(by[i], b[i], 0.05))
            }
            (named, truth) => named == truth,
        },
        (Cause::Undeclared { .. }, Cause::Undeclared { .. }) => option(named) == option(truth),
        // Members that the list has; where nothing is left to be seen, every depth is as near as the nearest.
        (Cause::Fault(Fault::DepthClearedToZero), Cause::Parametric(P::DepthClear { .. })) => true,
        (Cause::Fault(Fault::MipBias), Cause::Parametric(P::MipBias { levels })) => apart(*levels, 1.0, 0.1),
        (Cause::Fault(Fault::GammaEncode22), Cause::Parametric(P::Gamma { gamma, .. })) => near(2.2, *gamma),
        (Cause::Fault(Fault::ViewportHalfPixel), Cause::Parametric(P::WindowOffset { x, y })) => {
            apart(*x, 0.5, 0.1) && apart(*y, 0.0, 0.1)
        }
        (Cause::Fault(Fault::TextureFlipped), Cause::Parametric(P::TexcoordsMoved { scale, offset, swapped })) => {
            (*scale, *offset, *swapped) == ([1.0, -1.0], [0.0, 1.0], false)
        }
        // Where a fault of the list draws the same, it is told in the place of the family's member.
        (
            Cause::Fault(fault),
            Cause::Parametric(
                truth @ (P::InfluencesKept { .. }
                | P::JointsShifted { by: 1 }
                | P::JointTakenFor { .. }
                | P::NodeStill { .. }),
            ),
        ) => truth.listed().contains(fault),
        (named, truth) => named == truth,
    }
}
