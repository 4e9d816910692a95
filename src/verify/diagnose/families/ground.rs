//! [`Ground`]: what members of families are held against.
//!
//! Why it exists: a diagnosis plays thousands of members. Of each only a part of the picture is played, where most of it is wrong, and
//! no more of that than tells it from a better one.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Clues, colour::light_between};
use crate::diagnose::{Cause, place::ordered};
use refrast_draw::SampleCount;
use refrast_golden::envelope::EnvelopeVerdict;
use refrast_nearness::{WrongBands, spread, squared_distance_beyond};
use refrast_shading::ColorSpace;
use refrast_simulator::{BAND, Faults, ParametricFault, Played, Shot, Simulator, Variation, is_sparse};
use refrast_stage::{RenderError, RenderSettings};

/// Pixels that members are played on, about.
const PLAYED: usize = 20_000;

/// Where so many pixels are wrong a quarter of them tells as much, but for the last steps.
const MANY: usize = 1_000;

/// Pixels of outlines of which a few are elsewhere if the picture is moved by as little as a fiftieth of a pixel.
const OUTLINE: usize = 200;

/// One in so many of them may show the background because a surface has its colour by chance: a fiftieth of a pixel moves eight times
/// as many.
const BY_CHANCE: u64 = 400;

/// What members are held against.
pub(in crate::diagnose) struct Ground<'a> {
    pub(in crate::diagnose) simulator: &'a Simulator<'a>,
    pub(in crate::diagnose) shot: Shot<'a>,
    pub(in crate::diagnose) variation: Variation,
    pub(in crate::diagnose) candidate: &'a [[u8; 4]],
    pub(in crate::diagnose) clues: Clues<'a>,
    /// Wrong pixels and the joints that move what is seen there most.
    pub(in crate::diagnose) joints: Vec<(usize, u16)>,
    pub(super) bands: Vec<bool>,
    /// The pixels of one thing, where nothing else is looked at.
    pub(super) within: Option<Vec<bool>>,
    /// Whether each pixel is wrong, and one that is played.
    wrong: Vec<bool>,
    /// How far right backends are from each other.
    spread: Vec<[u8; 3]>,
}

impl<'a> Ground<'a> {
    /// Where most of a candidate is wrong; `right` are pictures of backends without a mistake.
    pub(in crate::diagnose) fn new(
        (simulator, shot, variation): (&'a Simulator<'a>, Shot<'a>, Variation),
        candidate: &'a [[u8; 4]],
        right: &[Vec<u8>],
        verdict: &EnvelopeVerdict,
    ) -> Self {
        let most = (PLAYED / (BAND * shot.settings.width as usize).max(1)).max(1);
        let bands = WrongBands::of(verdict, BAND).worst(most);
        let band = BAND * shot.settings.width as usize;
        let is_wrong = verdict.classes.iter().flat_map(|row| {
            (0..shot.settings.width as usize).map(move |x| row.as_ref().is_some_and(|row| row[x].is_wrong()))
        });
        let wrong = is_wrong.enumerate().map(|(pixel, is_wrong)| is_wrong && bands[pixel / band]).collect();
        let right: Vec<&[[u8; 4]]> = right.iter().map(|bytes| bytes.as_chunks::<4>().0).collect();
        let outline = outline(right[0], shot.settings);
        let outlines_are_right = shot.settings.samples == SampleCount::One
            && outline >= OUTLINE
            && (verdict.missing + verdict.unexpected) * BY_CHANCE <= outline as u64;
        Self {
            simulator,
            shot,
            variation,
            candidate,
            clues: Clues { outlines_are_right, ..Clues::new(simulator.scene(), shot.moment, shot.settings.shading) },
            joints: Vec::new(),
            bands,
            within: None,
            wrong,
            spread: spread(&right),
        }
    }

    /// The joints that are seen in some of the wrong pixels, the most wrong first.
    pub(in crate::diagnose) fn joints_where(&self, is_one: impl Fn(usize) -> bool) -> Vec<u16> {
        let joints = self.joints.iter().filter(|(pixel, _)| is_one(*pixel)).map(|(_, joint)| *joint);
        ordered(joints).into_iter().map(|(joint, _)| joint).collect()
    }

    /// The light that makes what a right backend draws as bright as a whole as the candidate is; none where it is as bright.
    pub(in crate::diagnose) fn light_as_a_whole(&self) -> Option<ParametricFault> {
        let right = self.simulator.draw(&self.shot, &self.variation, Faults::default()).ok()?;
        let background = self.shot.settings.background;
        light_between([right.rgba.as_chunks::<4>().0, self.candidate], background)
            .filter(|_| self.clues.shading.color_space() == ColorSpace::Srgb)
    }

    /// Whether a quarter of the pixels tells about as much as all.
    pub(super) fn has_many(&self) -> bool {
        (0..self.wrong.len()).filter(|&pixel| self.wrong[pixel] && self.is_within(pixel)).count() >= MANY
    }

    /// Whether it is a pixel of the thing that is looked at.
    fn is_within(&self, pixel: usize) -> bool {
        self.within.as_ref().is_none_or(|within| within[pixel])
    }

    /// How far the candidate is from a backend with these mistakes, where it is played: beyond what right backends differ by. What is
    /// farther than `most` is not played to its end, and is something more than that.
    pub(super) fn distance(
        &self,
        variation: &Variation,
        faults: Faults,
        (most, sparsely): (u64, bool),
    ) -> Result<u64, RenderError> {
        let faults = faults.and(self.clues.beside);
        let width = self.shot.settings.width as usize;
        let band = BAND * width;
        let sum = AtomicU64::new(0);
        let add = |number: usize, own: &[u8]| {
            if !self.bands[number] {
                return true;
            }
            let pixels = number * band..((number + 1) * band).min(self.candidate.len());
            let within = self.within.as_ref().map(|within| &within[pixels.clone()]);
            let counts = sparsely.then(|| {
                let is_played = |pixel: usize| is_sparse([pixel % width, pixel / width]);
                pixels.clone().map(|pixel| is_played(pixel) && self.is_within(pixel)).collect::<Vec<bool>>()
            });
            let (candidate, spread) = (&self.candidate[pixels.clone()], &self.spread[pixels]);
            let own = own.as_chunks::<4>().0;
            let own = squared_distance_beyond(own, candidate, spread, counts.as_deref().or(within));
            sum.fetch_add(own, Ordering::Relaxed) + own <= most
        };
        let played = Played { bands: &self.bands, sparsely };
        self.simulator.draw_bands_while(&self.shot, variation, faults, played, &add)?;
        Ok(sum.into_inner())
    }

    /// As far as can be where it can not be drawn, and where it is farther than `most`.
    pub(super) fn far(&self, fault: ParametricFault, (most, sparsely): (u64, bool)) -> u64 {
        let far = |variation: &Variation| {
            self.distance(variation, fault.into(), (most, sparsely)).ok().filter(|own| *own <= most).unwrap_or(u64::MAX)
        };
        let usual = far(&self.variation);
        if !Cause::from(fault).coarsens_the_grid() {
            return usual;
        }
        let snapped_attributes = !self.variation.snapped_attributes;
        usual.min(far(&Variation { snapped_attributes, ..self.variation }))
    }
}

/// Pixels of the background that have another one to their right, and the other way round.
fn outline(picture: &[[u8; 4]], settings: &RenderSettings) -> usize {
    let is_background = |pixel: &[u8; 4]| pixel[..3] == settings.background;
    let row =
        |row: &[[u8; 4]]| row.windows(2).filter(|pair| is_background(&pair[0]) != is_background(&pair[1])).count();
    picture.chunks(settings.width as usize).map(row).sum()
}
