//! [`find_setup`]: other options under which a picture is right.
//!
//! Why it exists: the commonest wrong picture is a right picture of something else: of another moment, method, number of
//! influences, background. Whoever looks for a mistake in it looks for a long time. So before any mistake is thought of, the
//! options are changed, one at a time and then one more, and each answer is proved: nothing is named under which a single
//! pixel of the candidate lies outside of the envelope.

mod options;
mod sight;
mod time;

use std::fmt;

use refrast_animation::Pose;
use refrast_envelope::{EnvelopeSettings, FrameEnvelope, FrameEnvelopeError, frame_envelope, vertex::Chain};
use refrast_golden::{Picture, PictureError, envelope::CheckOptions};
use refrast_nearness::squared_distance;
use refrast_range::Rules;
use refrast_render::Renderer;
use refrast_scene::Scene;
use refrast_shading::ShadingMode;
use refrast_simulator::Moment;
use refrast_stage::{Camera, CameraSettings, CameraSettingsError, Images, RenderError, RenderSettings};
use refrast_threads as threads;
use serde::Serialize;

/// How many options may be wrong at once.
const MOST_CHANGES: usize = 3;

/// How many of the nearest alternatives are proved.
const PROVED: usize = 4;

/// A set-up is proved where it brings the candidate nearer by this factor. One under which it is right leaves nothing but
/// what conformant backends differ by, and proofs take long.
const NEARER: u64 = 2;

/// Another option is looked for where the best one so far has taken away a fifth of the distance.
const PROMISING: [u64; 2] = [4, 5];

/// What a picture shows, and how it is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// What the animations show.
    pub moment: Moment,
    /// Size, samples, method and all the rest.
    pub settings: RenderSettings,
}

impl Setup {
    /// Pixels a row, and rows.
    pub(crate) fn size(&self) -> (u32, u32) {
        (self.settings.width, self.settings.height)
    }

    /// The same in another size.
    #[must_use]
    pub fn in_size(&self, (width, height): (u32, u32)) -> Self {
        Self { settings: RenderSettings { width, height, ..self.settings }, ..*self }
    }
}

/// What a backend's vertices come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// The scene's file, which it samples, composes and multiplies itself.
    File {
        /// The dot product of two keys' rotations above which it may interpolate linearly and normalise.
        nlerp_above: f64,
    },
    /// refrast's matrices and morph weights, as from a pack.
    Palette,
}

impl Source {
    /// The file, read as most engines do: who hands in a picture of a scene has read its file.
    pub const FILE: Self = Self::File { nlerp_above: Chain::NLERP_ABOVE };

    /// What of the file a moment is, for who reads it.
    #[must_use]
    pub fn chain(self, moment: Moment) -> Option<Chain> {
        let chain = match moment {
            Moment::Rest => Chain::REST,
            Moment::Clip { animation, seconds } => Chain::clip(animation, seconds),
        };
        match self {
            Self::File { nlerp_above } => Some(Chain { nlerp_above, ..chain }),
            Self::Palette => None,
        }
    }
}

impl Default for Source {
    fn default() -> Self {
        Self::FILE
    }
}

/// An option with another value than the one that was named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// As the command line has it; none where the change is to the picture.
    pub option: Option<&'static str>,
    /// Its value, or what is to be done to the picture.
    pub value: String,
    /// What the value is besides: of a moment, which frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// All changes as they are given on the command line.
pub(crate) fn in_words(changes: &[Change]) -> String {
    changes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// What is to be known of changes besides, a line each.
pub(crate) fn notes(changes: &[Change]) -> impl Iterator<Item = String> + '_ {
    changes.iter().filter_map(|change| change.note.as_ref().map(|note| format!("  {} is {note}", change.value)))
}

impl Change {
    /// Pixels a row, and rows.
    pub(crate) fn size((width, height): (u32, u32)) -> Self {
        Self::option("--size", format_args!("{width}x{height}"))
    }

    fn option(option: &'static str, value: impl fmt::Display) -> Self {
        Self { option: Some(option), value: value.to_string(), note: None }
    }

    /// Something that is no option.
    fn to_picture(value: impl Into<String>) -> Self {
        Self { option: None, value: value.into(), note: None }
    }
}

/// As it is given on the command line.
impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.option {
            Some(option) => write!(formatter, "{option} {}", self.value),
            None => formatter.write_str(&self.value),
        }
    }
}

/// A picture in question.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// What was drawn.
    pub scene: &'a Scene,
    /// Where from, in words: another clip may mean another camera.
    pub camera: &'a CameraSettings,
    /// What backends may do differently.
    pub rules: Rules,
    /// What their vertices come from.
    pub source: Source,
    /// What a backend drew.
    pub candidate: &'a Picture,
    /// What the scene's images were made into, where that is known.
    pub images: Option<&'a Images<'a>>,
}

/// A set-up can not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// There is no such camera.
    #[error(transparent)]
    Camera(#[from] CameraSettingsError),
    /// The scene can not be drawn.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// There is no envelope.
    #[error(transparent)]
    Envelope(#[from] FrameEnvelopeError),
    /// What was drawn is no picture.
    #[error(transparent)]
    Picture(#[from] PictureError),
}

/// The reference's picture of a set-up with its envelope, and the renderer that drew it last.
pub struct Reference<'scene> {
    /// Picture, envelope, causes.
    pub made: FrameEnvelope,
    /// For names of what is drawn.
    pub renderer: Renderer<'scene>,
}

impl<'a> Question<'a> {
    /// The picture that is right under a set-up, and what else is.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn reference(&self, setup: &Setup) -> Result<Reference<'a>, SetupError> {
        self.reference_from(setup, &self.camera_of(setup)?, self.judged_by(setup.moment))
    }

    /// What envelopes of a moment are made for.
    #[must_use]
    pub fn judged_by(&self, moment: Moment) -> EnvelopeSettings {
        EnvelopeSettings { file: self.source.chain(moment), ..self.rules.into() }
    }

    fn reference_from(
        &self,
        setup: &Setup,
        camera: &Camera,
        judged_by: EnvelopeSettings,
    ) -> Result<Reference<'a>, SetupError> {
        let mut renderer = self.renderer(setup.settings)?;
        let pose = setup.moment.pose(self.scene).map_err(RenderError::from)?;
        let made = frame_envelope(&mut renderer, &pose, camera, judged_by)?;
        Ok(Reference { made, renderer })
    }

    /// A renderer of the scene.
    pub(crate) fn renderer(&self, settings: RenderSettings) -> Result<Renderer<'a>, RenderError> {
        match self.images {
            Some(images) => Renderer::with_images(self.scene, settings, images),
            None => Renderer::new(self.scene, settings),
        }
    }

    /// What the scene's images are made into for a shading mode and all others: nobody reads more of them than that of lit materials.
    pub(crate) fn images_beside(&self, shading: ShadingMode) -> Result<Images<'a>, SetupError> {
        if let Some(known) = self.images {
            return Ok(known.clone());
        }
        Ok(Images::new(self.scene, ShadingMode::Lit).or_else(|_| Images::new(self.scene, shading))?)
    }

    /// The pose of a set-up and its camera.
    pub(crate) fn shot(&self, setup: &Setup) -> Result<(Pose, Camera), SetupError> {
        Ok((setup.moment.pose(self.scene).map_err(RenderError::from)?, self.camera_of(setup)?))
    }

    pub(crate) fn camera_of(&self, setup: &Setup) -> Result<Camera, SetupError> {
        self.camera_by(self.camera, setup)
    }

    /// As [`camera_of`](Self::camera_of), by other words.
    fn camera_by(&self, words: &CameraSettings, setup: &Setup) -> Result<Camera, SetupError> {
        let pose = setup.moment.pose(self.scene).map_err(RenderError::from)?;
        Ok(words.camera(self.scene, setup.moment.clip(), &pose, &setup.settings)?)
    }

    /// Whether a conformant backend may have drawn the candidate under a set-up; not where it can not be drawn, and not where
    /// nothing is seen: a black picture is right for the metal of a scene without metal on black, and nobody meant that.
    pub(crate) fn is_right(&self, setup: &Setup, candidate: &Picture) -> bool {
        self.reference(setup).is_ok_and(|reference| shows(&reference.made, setup, candidate))
    }

    /// As [`is_right`](Self::is_right), from where another camera stands.
    fn is_right_from(&self, setup: &Setup, camera: &Camera, candidate: &Picture) -> bool {
        let reference = self.reference_from(setup, camera, self.judged_by(setup.moment));
        reference.is_ok_and(|reference| shows(&reference.made, setup, candidate))
    }

    /// How far a candidate is from the reference's own picture of a set-up; as far as can be where it can not be drawn.
    fn distance(&self, setup: &Setup, camera: &Camera, candidate: &Picture) -> u64 {
        let renderer = self.renderer(setup.settings);
        renderer.map_or(u64::MAX, |mut renderer| self.distance_by(&mut renderer, setup.moment, camera, candidate))
    }

    /// As [`distance`](Self::distance), by a renderer that is ready.
    fn distance_by(&self, renderer: &mut Renderer<'_>, moment: Moment, camera: &Camera, candidate: &Picture) -> u64 {
        let Ok(pose) = moment.pose(self.scene) else { return u64::MAX };
        renderer.render(&pose, camera).map_or(u64::MAX, |frame| squared_distance(frame.rgba(), &candidate.samples8()))
    }
}

/// Whether all pixels of a candidate are right, and something is seen.
pub(crate) fn shows(made: &FrameEnvelope, setup: &Setup, candidate: &Picture) -> bool {
    // A picture of nothing is one of every set-up that shows next to nothing.
    if made.golden.is_one_color() || candidate.is_one_color() {
        return false;
    }
    let options = CheckOptions { level: setup.settings.simd, ..CheckOptions::default() };
    made.envelope.check(candidate, &options).is_ok_and(|verdict| verdict.wrong() == 0)
}

/// An alternative, and how far the candidate is from it.
#[derive(Clone, Debug)]
struct Trial {
    change: Change,
    setup: Setup,
    /// Where it is not the one of the question's words.
    camera: Option<Camera>,
    distance: u64,
}

impl Trial {
    /// With the other options that led to it.
    fn with(self, mut changes: Vec<Change>, question: &Question<'_>) -> Result<OtherSetup, SetupError> {
        let camera = match self.camera {
            // No option stands for a camera, and none for the rest pose: neither takes the other's place.
            Some(camera) => {
                changes.push(self.change);
                camera
            }
            None => {
                replace(&mut changes, self.change);
                question.camera_of(&self.setup)?
            }
        };
        Ok(OtherSetup { changes, setup: self.setup, camera })
    }
}

/// Options under which a candidate is right, and what they lead to.
#[derive(Clone, Debug)]
pub struct OtherSetup {
    /// Those that differ from what was asked for.
    pub changes: Vec<Change>,
    setup: Setup,
    camera: Camera,
}

impl OtherSetup {
    /// One without any change.
    pub(crate) fn of(question: &Question<'_>, setup: Setup) -> Result<Self, SetupError> {
        Ok(Self { changes: Vec::new(), camera: question.camera_of(&setup)?, setup })
    }

    /// With a change before its own.
    pub(crate) fn after(mut self, first: Change) -> Self {
        self.changes.insert(0, first);
        self
    }

    /// The reference's own picture with these options.
    ///
    /// # Errors
    /// [`SetupError`] where it can not be drawn any more.
    pub fn picture(&self, question: &Question<'_>) -> Result<Picture, SetupError> {
        let pose = self.setup.moment.pose(question.scene).map_err(RenderError::from)?;
        let mut renderer = question.renderer(self.setup.settings)?;
        let frame = renderer.render(&pose, &self.camera)?;
        Ok(Picture::from_rgba8(frame.width(), frame.height(), frame.rgba())?)
    }
}

/// The options that differ from those of `asked` where the candidate is right with them: as few as possible, at most three.
/// `None` where no set-up that is tried makes it right.
///
/// Tried are the moment (other times of the clip to a tenth of a millisecond, other clips, the rest pose), skinning method,
/// normal mode and number of influences, shading, samples, background and no ambient light, the field of view and the shape of the picture that
/// the projection is for.
///
/// # Errors
/// [`SetupError`] where what was asked for can not be drawn.
pub fn find_setup(question: &Question<'_>, asked: &Setup) -> Result<Option<OtherSetup>, SetupError> {
    let images = question.images_beside(asked.settings.shading)?;
    let question = &Question { images: Some(&images), ..*question };
    let camera = question.camera_of(asked)?;
    let mut nearest = question.distance(asked, &camera, question.candidate);
    let (mut setup, mut changes) = (*asked, Vec::new());
    for _ in 0..MOST_CHANGES {
        let camera = question.camera_of(&setup)?;
        let alternatives = options::alternatives(question, &setup);
        let distances = threads::of(&alternatives, |(_, setup)| question.distance(setup, &camera, question.candidate));
        let trials = alternatives.into_iter().zip(distances);
        let trial = |((change, setup), distance)| Trial { change, setup, camera: None, distance };
        let mut trials: Vec<Trial> = trials.map(trial).collect();
        if let Some(proved) = prove(question, nearest, &mut trials) {
            return proved.with(changes, question).map(Some);
        }
        let mut moments = time::nearest_moments(question, &setup, nearest)?;
        if let Some(proved) = prove(question, nearest, &mut moments) {
            return proved.with(changes, question).map(Some);
        }
        // No other option is looked for beside another camera: what fits better through a wrong lens is not thereby right.
        let mut cameras = sight::other_cameras(question, &setup)?;
        if let Some(proved) = prove(question, nearest, &mut cameras) {
            return proved.with(changes, question).map(Some);
        }
        let best = trials.into_iter().chain(moments).min_by_key(|trial| trial.distance);
        let Some(best) = best.filter(|best| is_promising(best.distance, nearest)) else { break };
        replace(&mut changes, best.change);
        (setup, nearest) = (best.setup, best.distance);
    }
    Ok(None)
}

/// Whether the candidate is right once its rows, or its columns, run the other way: what has to be done to it.
///
/// # Errors
/// [`SetupError`] where what was asked for can not be drawn.
pub fn find_turn(question: &Question<'_>, asked: &Setup) -> Result<Option<Change>, SetupError> {
    let camera = question.camera_of(asked)?;
    let nearest = question.distance(asked, &camera, question.candidate);
    let right = options::turned(question.candidate)
        .find(|(_, turned)| question.distance(asked, &camera, turned) < nearest && question.is_right(asked, turned));
    Ok(right.map(|(value, _)| Change::to_picture(value)))
}

/// Sorts trials by distance, and proves those that come much nearer than `nearest`: the first one that makes the candidate
/// right.
fn prove(question: &Question<'_>, nearest: u64, trials: &mut [Trial]) -> Option<Trial> {
    trials.sort_by_key(|trial| trial.distance);
    let near = trials.iter().take_while(|trial| trial.distance < nearest / NEARER).take(PROVED);
    let right = |trial: &&Trial| match &trial.camera {
        None => question.is_right(&trial.setup, question.candidate),
        Some(camera) => question.is_right_from(&trial.setup, camera, question.candidate),
    };
    near.into_iter().find(right).cloned()
}

fn is_promising(distance: u64, nearest: u64) -> bool {
    let [part, whole] = PROMISING;
    distance < nearest / whole * part
}

/// Adds a change, in place of another one of the same option.
fn replace(changes: &mut Vec<Change>, change: Change) {
    changes.retain(|other| other.option != change.option);
    changes.push(change);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_reads_as_on_the_command_line() {
        assert_eq!(Change::option("--time", 0.5).to_string(), "--time 0.5");
        assert_eq!(Change::to_picture("turned").to_string(), "turned");
        let next = Change { note: Some("frame 4 at 30 a second".to_owned()), ..Change::option("--time", 0.5) };
        let all = [next, Change::option("--skinning", "rigid")];
        assert_eq!(in_words(&all), "--time 0.5 --skinning rigid");
        assert_eq!(notes(&all).collect::<Vec<_>>(), ["  0.5 is frame 4 at 30 a second"]);
    }
}
