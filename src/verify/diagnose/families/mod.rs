//! Families of mistakes: which numbers come nearest to a candidate?
//!
//! Why it exists: the list of faults has a few members of each family, and an engine's own number is mostly another one. What
//! the list does not hold would go unnamed, or worse, be given the name of its nearest neighbour.
//!
//! Each family is a file: which of its members are tried at first ([`Family::starts`]), which lie around one of them at a
//! certain step ([`Family::around`]), and which round numbers are near ([`Family::rounded`]), since engines are written by
//! people. What is played is a part of the picture, where most of it is wrong.

mod clues;
mod colour;
mod depth;
mod joints;
mod mips;
mod nodes;
mod targets;
mod texcoords;
mod time;
mod weights;
mod window;

use std::ops::Range;

use rayon::prelude::*;

pub(super) use clues::Clues;
use colour::light_between;
pub(super) use colour::{is_changed_by_powers, order_of, power_of};
pub(super) use depth::drawn_depths;
pub(super) use targets::of_targets;
pub(super) use time::resampled;

use super::{Cause, place::ordered};
use refrast_golden::envelope::EnvelopeVerdict;
use refrast_nearness::{WrongBands, spread, squared_distance_beyond};
use refrast_raster::SampleCount;
use refrast_render::{RenderError, RenderSettings};
use refrast_shading::ColorSpace;
use refrast_simulator::{BAND, Faults, ParametricFault, Shot, Simulator, Variation};

/// Pixels that members are played on, about.
const PLAYED: usize = 20_000;

/// Pixels of outlines of which a few are elsewhere if the picture is moved by as little as a fiftieth of a pixel.
const OUTLINE: usize = 200;

/// One in so many of them may show the background because a surface has its colour by chance: a fiftieth of a pixel moves eight times
/// as many.
const BY_CHANCE: u64 = 400;

/// Members that are followed downhill, and as many more where nothing else explains the candidate.
const FOLLOWED: usize = 3;
const FOLLOWED_MORE: usize = 8;

/// Members that are as near as the nearest one, of which all are told.
const TIED: usize = 6;

/// What takes away less than three quarters of the difference has no others beside it that may be meant as well.
const MAY_BE_IT: u64 = 4;

/// Others are looked at that are at most twice as far (these distances are squares), and a twentieth of the whole difference more.
const NO_FARTHER: u64 = 4;
const A_LITTLE: u64 = 400;

/// How often the step is halved, and how often that of three numbers.
const HALVINGS: u32 = 9;
const HALVINGS_OF_THREE: u32 = 6;

/// Steps of one length that are taken at most.
const STEPS: usize = 4;

/// A round number is taken where it is no farther from the candidate than the best one by this part.
const ROUND: [u64; 2] = [21, 20];

/// A member is worth a closer look where it takes away a fiftieth of the distance from a backend without a mistake: beside a
/// mistake that changes every pixel, another one may take away no more.
const WORTH: [u64; 2] = [49, 50];

/// Mistakes that differ by numbers.
trait Family: Sync {
    /// Whether they show in vertex buffers; then their numbers are whole, and all of them can be tried.
    fn moves_vertices(&self) -> bool {
        false
    }

    /// Those that are tried first; none where the family can not show in this picture.
    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault>;

    /// Those that are tried as well where nothing else explains the candidate.
    fn more(&self, _clues: &Clues<'_>) -> Vec<ParametricFault> {
        Vec::new()
    }

    /// How many of those are followed downhill.
    fn followed_of_more(&self) -> usize {
        FOLLOWED_MORE
    }

    /// Those around one, `halving` halvings of the step away; none where there is nothing between the starts.
    fn around(&self, _of: ParametricFault, _halving: u32) -> Vec<ParametricFault> {
        Vec::new()
    }

    /// Others as near, which are tried where none of those is nearer to the candidate.
    fn across(&self, _of: ParametricFault, _halving: u32) -> Vec<ParametricFault> {
        Vec::new()
    }

    /// How often the step is halved.
    fn halvings(&self) -> u32 {
        HALVINGS
    }

    /// The member as far beyond `to` as that is from `from`; none where nothing leads there.
    fn beyond(&self, _from: ParametricFault, _to: ParametricFault) -> Option<ParametricFault> {
        None
    }

    /// Those near one that somebody would have written, the roundest first.
    fn rounded(&self, _of: ParametricFault) -> Vec<ParametricFault> {
        Vec::new()
    }
}

const FAMILIES: [&dyn Family; 24] = [
    &time::Rounded,
    &time::Resampled,
    &texcoords::Moved,
    &texcoords::Scaled,
    &weights::Kept,
    &weights::Bits,
    &joints::Shifted,
    &joints::Swapped,
    &joints::TakenFor,
    &joints::Turned,
    &joints::Still,
    &targets::Targets,
    &nodes::Repeated,
    &nodes::Missing,
    &nodes::Moved,
    &nodes::InsideOut,
    &nodes::NormalsReversed,
    &window::Offset,
    &window::Grid,
    &mips::Bias,
    &colour::Channels,
    &colour::Powers,
    &colour::Light,
    &depth::Depths,
];

/// Those of them that change how surfaces look.
const OF_SURFACES: [&dyn Family; 5] =
    [&texcoords::Moved, &texcoords::Scaled, &mips::Bias, &colour::Channels, &colour::Light];

/// The members of all families that move vertices.
pub(super) fn of_vertices(clues: &Clues<'_>) -> Vec<ParametricFault> {
    FAMILIES.iter().filter(|family| family.moves_vertices()).flat_map(|family| family.starts(clues)).collect()
}

/// What members are held against.
pub(super) struct Ground<'a> {
    pub(super) simulator: &'a Simulator<'a>,
    pub(super) shot: Shot<'a>,
    pub(super) variation: Variation,
    pub(super) candidate: &'a [[u8; 4]],
    pub(super) clues: Clues<'a>,
    /// Wrong pixels and the joints that move what is seen there most.
    pub(super) joints: Vec<(usize, u16)>,
    bands: Vec<bool>,
    /// The pixels of one thing, where nothing else is looked at.
    within: Option<Vec<bool>>,
    /// How far right backends are from each other.
    spread: Vec<[u8; 3]>,
}

/// Members around one of any family that are as near as its numbers can be fitted; none of families whose numbers are whole.
pub(super) fn as_near_as_fitted(fault: ParametricFault) -> Vec<ParametricFault> {
    FAMILIES
        .iter()
        .map(|family| family.around(fault, family.halvings() - 1))
        .find(|around| !around.is_empty())
        .unwrap_or_default()
}

impl<'a> Ground<'a> {
    /// Where most of a candidate is wrong; `right` are pictures of backends without a mistake.
    pub(super) fn new(
        (simulator, shot, variation): (&'a Simulator<'a>, Shot<'a>, Variation),
        candidate: &'a [[u8; 4]],
        right: &[Vec<u8>],
        verdict: &EnvelopeVerdict,
    ) -> Self {
        let most = (PLAYED / (BAND * shot.settings.width as usize).max(1)).max(1);
        let bands = WrongBands::of(verdict, BAND).worst(most);
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
            spread: spread(&right),
        }
    }

    /// The joints that are seen in some of the wrong pixels, the most wrong first.
    pub(super) fn joints_where(&self, is_one: impl Fn(usize) -> bool) -> Vec<u16> {
        let joints = self.joints.iter().filter(|(pixel, _)| is_one(*pixel)).map(|(_, joint)| *joint);
        ordered(joints).into_iter().map(|(joint, _)| joint).collect()
    }

    /// The light that makes what a right backend draws as bright as a whole as the candidate is; none where it is as bright.
    pub(super) fn light_as_a_whole(&self) -> Option<ParametricFault> {
        let right = self.simulator.draw(&self.shot, &self.variation, Faults::default()).ok()?;
        let background = self.shot.settings.background;
        light_between([right.rgba.as_chunks::<4>().0, self.candidate], background)
            .filter(|_| self.clues.shading.color_space() == ColorSpace::Srgb)
    }

    /// How far the candidate is from a backend with these mistakes, where it is played: beyond what right backends differ by.
    fn distance(&self, variation: &Variation, faults: Faults) -> Result<u64, RenderError> {
        let faults = faults.and(self.clues.beside);
        let frame = self.simulator.draw_bands(&self.shot, variation, faults, &self.bands)?;
        let band = BAND * self.shot.settings.width as usize;
        let played = self.bands.iter().enumerate().filter(|(_, wanted)| **wanted);
        let pixels = played.map(|(row, _)| row * band..((row + 1) * band).min(self.candidate.len()));
        let own = frame.rgba.as_chunks::<4>().0;
        let beyond = |pixels: Range<usize>| {
            let within = self.within.as_ref().map(|within| &within[pixels.clone()]);
            let (candidate, spread) = (&self.candidate[pixels.clone()], &self.spread[pixels.clone()]);
            squared_distance_beyond(&own[pixels], candidate, spread, within)
        };
        Ok(pixels.map(beyond).sum())
    }

    /// As far as can be where it can not be drawn.
    fn far(&self, fault: ParametricFault) -> u64 {
        let far = |variation: &Variation| self.distance(variation, fault.into()).unwrap_or(u64::MAX);
        let usual = far(&self.variation);
        if !Cause::from(fault).coarsens_the_grid() {
            return usual;
        }
        let snapped_attributes = !self.variation.snapped_attributes;
        usual.min(far(&Variation { snapped_attributes, ..self.variation }))
    }

    /// The members of each family that come nearest, where they come nearer than a backend without them.
    pub(super) fn fitted(&self) -> Result<Vec<ParametricFault>, RenderError> {
        self.nearest_of(&FAMILIES, |family| (family.starts(&self.clues), FOLLOWED))
    }

    /// As [`fitted`](Self::fitted), from more starts: of those families that have more.
    pub(super) fn fitted_closely(&self) -> Result<Vec<ParametricFault>, RenderError> {
        self.nearest_of(&FAMILIES, |family| (family.more(&self.clues), family.followed_of_more()))
    }

    /// The members of the families that had no say because outlines are wrong, once another mistake may have moved those: as closely
    /// as can be, for the other mistake stands between them and the candidate.
    pub(super) fn fitted_beside_outlines(&mut self) -> Result<Vec<ParametricFault>, RenderError> {
        let is_silent = |own: &Self| FAMILIES.map(|family| family.starts(&own.clues).is_empty());
        let silent_alone = is_silent(self);
        self.clues.is_one_of_two = true;
        let speaks = std::iter::zip(silent_alone, is_silent(self)).map(|(before, now)| before && !now);
        let families: Vec<&dyn Family> =
            std::iter::zip(FAMILIES, speaks).filter(|(_, own)| *own).map(|(own, _)| own).collect();
        let mut fitted = self.nearest_of(&families, |family| (family.starts(&self.clues), FOLLOWED))?;
        fitted.extend(self.nearest_of(&families, |family| (family.more(&self.clues), family.followed_of_more()))?);
        Ok(fitted)
    }

    /// The members of families of surfaces that come nearest to what is seen in the pixels of one thing, closely.
    pub(super) fn fitted_within(&mut self, within: Vec<bool>) -> Result<Vec<ParametricFault>, RenderError> {
        self.within = Some(within);
        let starts = self.nearest_of(&OF_SURFACES, |family| (family.starts(&self.clues), FOLLOWED));
        let more = self.nearest_of(&OF_SURFACES, |family| (family.more(&self.clues), family.followed_of_more()));
        self.within = None;
        Ok([starts?, more?].concat())
    }

    /// A member with the numbers that fit best beside the other mistakes.
    pub(super) fn refined(&self, of: ParametricFault) -> ParametricFault {
        let own = FAMILIES.iter().filter(|family| !family.around(of, 0).is_empty());
        own.fold((self.far(of), of), |best, family| self.followed(*family, best)).1
    }

    /// Downhill from a member, with steps that are halved; after those of one length on in the direction that they have led in
    /// (Hooke and Jeeves, "Direct search", 1961), for valleys that run along no axis.
    fn followed(&self, family: &dyn Family, mut best: (u64, ParametricFault)) -> (u64, ParametricFault) {
        let nearer = |next: Vec<ParametricFault>, best: u64| {
            let next = next.into_iter().map(|next| (self.far(next), next));
            next.min_by_key(|(distance, _)| *distance).filter(|next| next.0 < best)
        };
        for halving in 0..family.halvings() {
            let from = best;
            for _ in 0..STEPS {
                let next = nearer(family.around(best.1, halving), best.0);
                match next.or_else(|| nearer(family.across(best.1, halving), best.0)) {
                    Some(next) => best = next,
                    None => break,
                }
            }
            while best.1 != from.1
                && let Some(next) = nearer(Vec::from_iter(family.beyond(from.1, best.1)), best.0)
            {
                best = next;
            }
        }
        best
    }

    fn nearest_of(
        &self,
        families: &[&dyn Family],
        starts: impl Fn(&dyn Family) -> (Vec<ParametricFault>, usize) + Sync,
    ) -> Result<Vec<ParametricFault>, RenderError> {
        let right = self.distance(&self.variation, Faults::default())?;
        let [part, whole] = WORTH;
        let nearest = |family: &&dyn Family| {
            let found = self.nearest(*family, starts(*family));
            found.into_iter().filter(|(distance, _)| distance / part < right / whole).map(|(_, fault)| fault)
        };
        let mut found: Vec<ParametricFault> = families.par_iter().flat_map_iter(nearest).collect();
        let as_near: Vec<ParametricFault> = found.iter().flat_map(|own| self.as_near_as(*own, right)).collect();
        for own in as_near {
            if !found.contains(&own) {
                found.push(own);
            }
        }
        Ok(found)
    }

    /// The members of a family of which each is as likely as the next that come about as near as one of them; `right` is how far it
    /// is to a backend without a mistake.
    fn as_near_as(&self, own: ParametricFault, right: u64) -> Vec<ParametricFault> {
        let others = joints::looked_up_otherwise(self.clues.scene, own);
        if others.is_empty() {
            return Vec::new();
        }
        let distance = self.far(own);
        if distance.saturating_mul(MAY_BE_IT) > right {
            return Vec::new();
        }
        let near = distance.saturating_mul(NO_FARTHER).saturating_add(right / A_LITTLE);
        let played = others.into_par_iter().map(|other| (self.far(other), other));
        let mut others: Vec<(u64, ParametricFault)> = played.filter(|(distance, _)| *distance <= near).collect();
        others.sort_by_key(|(distance, _)| *distance);
        others.truncate(TIED);
        others.into_iter().map(|(_, other)| other).collect()
    }

    fn nearest(
        &self,
        family: &dyn Family,
        (starts, followed): (Vec<ParametricFault>, usize),
    ) -> Vec<(u64, ParametricFault)> {
        let mut tried: Vec<(u64, ParametricFault)> =
            starts.into_par_iter().map(|start| (self.far(start), start)).collect();
        tried.sort_by_key(|(distance, _)| *distance);
        let tied = tried.chunk_by(|one, other| one.0 == other.0).next().unwrap_or_default();
        if tied.len() > 1 {
            return tied[..tied.len().min(TIED)].to_vec();
        }
        tried.truncate(followed);
        let followed = tried.into_par_iter().map(|start| self.followed(family, start));
        let mut followed: Vec<(u64, ParametricFault)> = followed.collect();
        followed.sort_by_key(|(distance, _)| *distance);
        let Some(least) = followed.first().map(|(distance, _)| *distance) else { return Vec::new() };
        let [part, whole] = ROUND;
        let is_near = |distance: u64| distance.saturating_mul(whole) <= least.saturating_mul(part);
        // Several may be as near: a texture may look the same turned and flipped.
        followed.retain(|(distance, _)| is_near(*distance));
        let rounded = |own: &(u64, ParametricFault)| {
            let round = family.rounded(own.1).into_iter().find(|round| is_near(self.far(*round)));
            round.map_or(*own, |round| (own.0, round))
        };
        followed.iter().map(rounded).collect()
    }
}

/// Pixels of the background that have another one to their right, and the other way round.
fn outline(picture: &[[u8; 4]], settings: &RenderSettings) -> usize {
    let is_background = |pixel: &[u8; 4]| pixel[..3] == settings.background;
    let row =
        |row: &[[u8; 4]]| row.windows(2).filter(|pair| is_background(&pair[0]) != is_background(&pair[1])).count();
    picture.chunks(settings.width as usize).map(row).sum()
}

/// A step along each axis, both ways.
fn along_axes(step: f32) -> [[f32; 3]; 6] {
    std::array::from_fn(|way| {
        let mut along = [0.0; 3];
        along[way / 2] = if way % 2 == 0 { step } else { -step };
        along
    })
}

/// A step along each diagonal between two axes: seen by the eye, a way along one axis may lead as far as one back along another.
fn between_axes(step: f32) -> [[f32; 3]; 12] {
    let part = step * std::f32::consts::FRAC_1_SQRT_2;
    std::array::from_fn(|way| {
        let mut along = [0.0; 3];
        along[way / 4] = if way % 2 == 0 { part } else { -part };
        along[(way / 4 + 1) % 3] = if way % 4 < 2 { part } else { -part };
        along
    })
}

fn sum(one: [f32; 3], other: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|axis| one[axis] + other[axis])
}

/// As far beyond `to` as that is from `from`.
fn mirrored(from: [f32; 3], to: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|axis| 2.0 * to[axis] - from[axis])
}

/// The value at the nearest multiple of each of some steps.
fn to_multiples(value: f32, steps: &[f32]) -> impl Iterator<Item = f32> {
    steps.iter().map(move |step| (value / step).round_ties_even() * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_multiples() {
        let near: Vec<f32> = to_multiples(0.52, &[0.5, 0.25, 0.125]).collect();
        assert_eq!(near, [0.5, 0.5, 0.5]);
        assert_eq!(to_multiples(-0.7, &[0.5]).collect::<Vec<_>>(), [-0.5]);
    }

    #[test]
    fn steps_between_axes_are_as_long_as_those_along_them_and_all_different() {
        let steps: Vec<[f32; 3]> = along_axes(2.0).into_iter().chain(between_axes(2.0)).collect();
        for (place, own) in steps.iter().enumerate() {
            assert!((own.iter().map(|part| part * part).sum::<f32>() - 4.0).abs() < 1e-5, "{own:?}");
            assert!(!steps[..place].contains(own), "{own:?}");
        }
        // Two steps of one length lead on to a third.
        assert_eq!(mirrored([1.0, 0.0, 0.0], [1.5, 2.0, 0.0]), [2.0, 4.0, 0.0]);
    }
}
