//! [`PreparedCase::vary`]: right backends, held against a case's envelope.
//!
//! Why it exists: an envelope is worth its name only while nobody who is right falls outside, and that is a matter of the
//! scene: of its triangles' sizes, its textures, its lights. So the proof can be had for every golden, one's own too.

use std::sync::{Mutex, PoisonError};

use super::case::{CaseError, PreparedCase, wrong};
use refrast_envelope::{EnvelopeSettings, frame_envelope};
use refrast_golden::{
    Picture,
    envelope::{CheckOptions, EnvelopeSpread, EnvelopeStatistics},
};
use refrast_range::Profile;
use refrast_simulator::{Shot, Simulator, Variation};
use refrast_threads as threads;

/// What became of a case's right backends.
#[derive(Clone, Debug, PartialEq)]
pub struct VariedCase {
    /// What they were allowed.
    pub profile: Profile,
    /// How many backends there were; each has drawn the case once.
    pub pictures: usize,
    /// Pixels of all these pictures that lie outside of the envelope.
    pub outside: u64,
    /// The backends that lie outside, with how many pixels and which one is the worst.
    pub refused: Vec<(&'static str, u64, [u32; 2])>,
    /// How much the envelope allows.
    pub statistics: EnvelopeStatistics,
    /// How far these pictures and the golden lie apart in its boxes: [`EnvelopeSpread::mean`].
    pub spread: f64,
}

impl PreparedCase {
    /// Draws the case as each of the [`Variation`]s would that the profile allows, and holds their pictures against the
    /// envelope.
    ///
    /// # Errors
    /// [`CaseError`] where the case can not be drawn, is drawn by a vertex program, or has a grid that the profile does not
    /// allow.
    pub fn vary(&self, profile: Profile) -> Result<VariedCase, CaseError> {
        if self.is_programmed() {
            return Err(wrong(&self.entry, "skinning")("no other machine for vertex programs is played here"));
        }
        let mut renderer = self.renderer()?;
        let made = frame_envelope(
            &mut renderer,
            &self.pose,
            &self.camera,
            EnvelopeSettings { file: self.chain(), ..EnvelopeSettings::of(profile) },
        )
        .map_err(wrong(&self.entry, "the envelope"))?;
        let simulator = Simulator::new(&self.scene).map_err(wrong(&self.entry, "scene"))?;
        let shot = Shot { moment: self.moment, camera: &self.camera, settings: &self.settings };
        let mut spread = EnvelopeSpread::new(&made.envelope);
        spread.add(&made.golden).map_err(wrong(&self.entry, "the envelope"))?;
        let spread = Mutex::new(spread);
        let judge = |(name, variation): &(&'static str, Variation)| {
            let frame = simulator.draw(&shot, variation, &[]).map_err(wrong(&self.entry, "rendering"))?;
            let picture =
                Picture::from_rgba8(frame.width, frame.height, frame.rgba).map_err(wrong(&self.entry, "size"))?;
            let verdict = made.envelope.check(&picture, &CheckOptions::default());
            let verdict = verdict.map_err(wrong(&self.entry, "the envelope"))?;
            // A panic elsewhere can not have left half a hull.
            let added = spread.lock().unwrap_or_else(PoisonError::into_inner).add(&picture);
            added.map_err(wrong(&self.entry, "the envelope"))?;
            let worst = verdict.worst.first().map_or([0; 2], |worst| [worst.x, worst.y]);
            Ok((*name, verdict.wrong(), worst))
        };
        let variations = Variation::within(profile);
        let judged = threads::of(&variations, judge);
        let judged: Vec<_> = judged.into_iter().collect::<Result<_, CaseError>>()?;
        let spread = spread.into_inner().unwrap_or_else(PoisonError::into_inner).mean();
        Ok(VariedCase {
            profile,
            pictures: judged.len(),
            outside: judged.iter().map(|(_, outside, _)| outside).sum(),
            refused: judged.into_iter().filter(|(_, outside, _)| *outside > 0).collect(),
            statistics: made.envelope.statistics(),
            spread,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{PreparedCase, Profile, VariedCase};
    use crate::showcase::showcases;

    #[test]
    fn right_backends_lie_apart_and_no_farther_than_they_may() {
        let limb = showcases().into_iter().find(|showcase| showcase.name == "limb").expect("it is there");
        let case = PreparedCase::of_showcase(limb, Profile::Vulkan14).expect("it can be drawn");
        let VariedCase { outside, statistics, spread, .. } = case.vary(Profile::Vulkan14).expect("it has an envelope");
        assert_eq!(outside, 0);
        assert!(spread > 0.1 && spread <= statistics.mean_width(), "{spread}, {statistics:?}");
        // Nothing is anybody's choice there.
        let exact = case.vary(Profile::Exact).expect("it has an envelope");
        assert_eq!((exact.outside, exact.spread, exact.statistics.mean_width()), (0, 0.0, 0.0));
    }
}
