//! [`Likeness`]: a mistake that was made with one thing alone.
//!
//! Why it exists: an engine that reads one material wrong draws the rest of the scene rightly. A mistake that whole backends make
//! explains such a picture where the thing is seen, and is refuted everywhere else. So where all that is wrong lies on one node or one
//! material of several, mistakes of shading are held against its pixels alone. What comes near is no name, for nobody plays a backend
//! that makes it with one thing; but it says what is wrong with the thing, and in which stage.

use serde::Serialize;

use super::{Cause, Finding, families::Ground, place::Stage, trial::Trial};
use refrast_nearness::distance_at;
use refrast_simulator::{BAND, Fault};
use refrast_stage::RenderError;
use refrast_threads as threads;

/// The part of the difference that a mistake has to take away to be told.
const TOLD: f64 = 0.8;

/// The part above which nothing but roundings is left.
const ALL: f64 = 0.9;

/// What a thing that is wrong looks like.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Likeness {
    /// The mistake that would draw it so.
    pub cause: Cause,
    /// The thing: a node or a material with its name.
    pub of: String,
    /// The part of the difference that it takes away in the pixels in which the thing is seen: 1 is all of it.
    pub score: f64,
}

impl Likeness {
    /// Whether it is near enough to be told.
    pub(super) fn is_told(&self) -> bool {
        self.score >= TOLD
    }

    /// Whether nothing else need be looked for.
    pub(super) fn is_all(&self) -> bool {
        self.score >= ALL
    }
}

impl Trial<'_> {
    /// The mistake of shading that comes nearest to what is seen of a thing, where it is the only one that is wrong; `is_own` tells its
    /// pixels, and `found` is what has come nearest to the whole picture.
    pub(super) fn likeness(
        &self,
        ground: &mut Ground<'_>,
        (of, is_own): (String, Vec<bool>),
        found: &[Finding],
    ) -> Result<Option<Likeness>, RenderError> {
        let fitted = ground.fitted_within(is_own.clone())?;
        let band = BAND * self.shot.settings.width as usize;
        let own: Vec<usize> =
            (0..self.candidate.len()).filter(|pixel| is_own[*pixel] && self.bands[pixel / band]).collect();
        let distance = |picture: &[u8]| distance_at(&own, self.candidate, picture);
        let draw = |cause: Cause| {
            let frame = self.simulator.draw_bands(&self.shot, &self.variations[0], cause.faults(), &self.bands);
            frame.map(|frame| distance(&frame.rgba))
        };
        let right = self.simulator.draw_bands(&self.shot, &self.variations[0], &[], &self.bands)?;
        let from_right = distance(&right.rgba);
        let fitted = fitted.into_iter().map(Cause::from).chain(found.iter().map(|finding| finding.cause));
        let causes = Fault::ALL.into_iter().map(Cause::from).chain(fitted);
        let causes: Vec<Cause> = causes.filter(|cause| is_of_surfaces(*cause)).collect();
        let tried = threads::some_of(&causes, |&cause| Some((cause, draw(cause).ok()?)));
        // Of several that are as near the first of the list.
        let nearest = tried.into_iter().min_by_key(|(_, distance)| *distance);
        let score = |distance: u64| 1.0 - distance as f64 / from_right.max(1) as f64;
        Ok(nearest.map(|(cause, distance)| Likeness { cause, of, score: score(distance) }))
    }
}

/// Whether a mistake changes how surfaces look, and not where they are or whether they are seen.
fn is_of_surfaces(cause: Cause) -> bool {
    Stage::of(cause).is_some_and(Stage::is_of_surfaces)
}
