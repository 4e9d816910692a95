//! The way to the member of a family that comes nearest.
//!
//! Why it exists: places and scales of a texture alone are a thousand starts. What a quarter of the pixels tells is asked of a quarter of
//! them, what can not be the nearest is not played to its end, and what is farther than a backend without a mistake leads nowhere.

use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};

use super::{FAMILIES, FOLLOWED, Family, Ground, OF_SURFACES, joints};
use refrast_simulator::{Faults, ParametricFault};
use refrast_stage::RenderError;
use refrast_threads as threads;

/// Of those that are tried first so many times as many as are followed are played on all pixels.
const SCREENED: usize = 3;

/// What is so many times as far as a backend without a mistake is no place to go downhill from: near what has been made, at least as much
/// is as it should be.
const TOO_FAR: u64 = 2;

/// The part of the halvings for which a quarter of the pixels is enough.
const COARSELY: [u32; 2] = [2, 3];

/// Members that are as near as the nearest one, of which all are told.
const TIED: usize = 6;

/// What takes away less than three quarters of the difference has no others beside it that may be meant as well.
const MAY_BE_IT: u64 = 4;

/// Others are looked at that are at most twice as far (these distances are squares), and a twentieth of the whole difference more.
const NO_FARTHER: u64 = 4;
const A_LITTLE: u64 = 400;

/// Steps of one length that are taken at most.
const STEPS: usize = 4;

/// A round number is taken where it is no farther from the candidate than the best one by this part.
const ROUND: [u64; 2] = [21, 20];

/// A member is worth a closer look where it takes away a fiftieth of the distance from a backend without a mistake: beside a
/// mistake that changes every pixel, another one may take away no more.
const WORTH: [u64; 2] = [49, 50];

impl Ground<'_> {
    /// The members of each family that come nearest, where they come nearer than a backend without them.
    pub(in crate::diagnose) fn fitted(&self) -> Result<Vec<ParametricFault>, RenderError> {
        self.fitted_of(&FAMILIES)
    }

    fn fitted_of(&self, families: &[&dyn Family]) -> Result<Vec<ParametricFault>, RenderError> {
        self.nearest_of(families, |family| (family.starts(&self.clues), FOLLOWED))
    }

    /// As [`fitted`](Self::fitted), from more starts: of those families that have more.
    pub(in crate::diagnose) fn fitted_closely(&self) -> Result<Vec<ParametricFault>, RenderError> {
        self.fitted_closely_of(&FAMILIES)
    }

    fn fitted_closely_of(&self, families: &[&dyn Family]) -> Result<Vec<ParametricFault>, RenderError> {
        self.nearest_of(families, |family| (family.more(&self.clues), family.followed_of_more()))
    }

    /// The members of the families that had no say because outlines are wrong, once another mistake may have moved those: as closely
    /// as can be, for the other mistake stands between them and the candidate.
    pub(in crate::diagnose) fn fitted_beside_outlines(&mut self) -> Result<Vec<ParametricFault>, RenderError> {
        let is_silent = |own: &Self| FAMILIES.map(|family| family.starts(&own.clues).is_empty());
        let silent_alone = is_silent(self);
        self.clues.is_one_of_two = true;
        let speaks = std::iter::zip(silent_alone, is_silent(self)).map(|(before, now)| before && !now);
        let families: Vec<&dyn Family> =
            std::iter::zip(FAMILIES, speaks).filter(|(_, own)| *own).map(|(own, _)| own).collect();
        Ok([self.fitted_of(&families)?, self.fitted_closely_of(&families)?].concat())
    }

    /// The members of families of surfaces that come nearest to what is seen in the pixels of one thing, closely.
    pub(in crate::diagnose) fn fitted_within(
        &mut self,
        within: Vec<bool>,
    ) -> Result<Vec<ParametricFault>, RenderError> {
        self.within = Some(within);
        let (starts, more) = (self.fitted_of(&OF_SURFACES), self.fitted_closely_of(&OF_SURFACES));
        self.within = None;
        Ok([starts?, more?].concat())
    }

    /// A member with the numbers that fit best beside the other mistakes.
    pub(in crate::diagnose) fn refined(&self, of: ParametricFault) -> ParametricFault {
        let own = FAMILIES.iter().filter(|family| !family.around(of, 0).is_empty());
        own.fold((self.far(of, (u64::MAX, false)), of), |best, family| self.followed(*family, best)).1
    }

    /// Downhill from a member, with steps that are halved; after those of one length on in the direction that they have led in
    /// (Hooke and Jeeves, "Direct search", 1961), for valleys that run along no axis.
    fn followed(&self, family: &dyn Family, mut best: (u64, ParametricFault)) -> (u64, ParametricFault) {
        if family.around(best.1, 0).is_empty() {
            return best;
        }
        let [part, whole] = COARSELY;
        let coarse = if family.is_of_fragments() && self.has_many() { family.halvings() * part / whole } else { 0 };
        if coarse > 0 {
            let (_, found) = self.downhill(family, (self.far(best.1, (u64::MAX, true)), best.1), (0..coarse, true));
            let distance = self.far(found, (best.0, false));
            if distance < best.0 {
                best = (distance, found);
            }
        }
        self.downhill(family, best, (coarse..family.halvings(), false))
    }

    /// Some halvings of that way.
    fn downhill(
        &self,
        family: &dyn Family,
        mut best: (u64, ParametricFault),
        (halvings, sparsely): (Range<u32>, bool),
    ) -> (u64, ParametricFault) {
        // Whatever has been tried before is no nearer than the best one of those.
        let mut tried = vec![best.1];
        let mut nearer = |next: Vec<ParametricFault>, best: u64| {
            let mut nearest = None;
            for next in next {
                let least = nearest.map_or(best, |(distance, _)| distance);
                if let Some(most) = least.checked_sub(1).filter(|_| !tried.contains(&next)) {
                    tried.push(next);
                    let distance = self.far(next, (most, sparsely));
                    if distance <= most {
                        nearest = Some((distance, next));
                    }
                }
            }
            nearest
        };
        for halving in halvings {
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
        let far = |sparsely: bool| self.distance(&self.variation, Faults::default(), (u64::MAX, sparsely));
        let (right, some) = (far(false)?, self.has_many().then(|| far(true)).transpose()?);
        let [part, whole] = WORTH;
        let nearest = |family: &&dyn Family| {
            let found = self.nearest(*family, starts(*family), (right, some));
            let worth = found.into_iter().filter(|(distance, _)| distance / part < right / whole);
            worth.map(|(_, fault)| fault).collect::<Vec<_>>()
        };
        let mut found: Vec<ParametricFault> = threads::of(families, nearest).concat();
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
        let distance = self.far(own, (right / MAY_BE_IT, false));
        if distance.saturating_mul(MAY_BE_IT) > right {
            return Vec::new();
        }
        let near = distance.saturating_mul(NO_FARTHER).saturating_add(right / A_LITTLE);
        let mut others = threads::of(&others, |&other| (self.far(other, (near, false)), other));
        others.retain(|(distance, _)| *distance <= near);
        others.sort_by_key(|(distance, _)| *distance);
        others.truncate(TIED);
        others.into_iter().map(|(_, other)| other).collect()
    }

    /// The nearest of some members, and those that are as near as the last one of them; none that is farther than `most`.
    fn nearest_among(
        &self,
        members: Vec<ParametricFault>,
        wanted: usize,
        (most, sparsely): (u64, bool),
    ) -> Vec<(u64, ParametricFault)> {
        let least = Least { distances: Mutex::new(Vec::new()), wanted, most };
        let play = |&own: &ParametricFault| (least.and(self.far(own, (least.farthest(), sparsely))), own);
        let mut played: Vec<(u64, ParametricFault)> = threads::of(&members, play);
        let farthest = least.farthest();
        played.retain(|(distance, _)| *distance <= farthest);
        played.sort_by_key(|(distance, _)| *distance);
        played
    }

    /// The nearest members of a family, and how far they are; `right` is how far a backend without a mistake is, and on a quarter of the
    /// pixels, where that tells as much.
    fn nearest(
        &self,
        family: &dyn Family,
        (starts, followed): (Vec<ParametricFault>, usize),
        (right, some): (u64, Option<u64>),
    ) -> Vec<(u64, ParametricFault)> {
        let most = |right: u64| right.saturating_mul(TOO_FAR);
        let screened = SCREENED * followed;
        let starts = match some.filter(|_| family.is_of_fragments() && starts.len() > screened) {
            None => starts,
            Some(some) => {
                let screened = self.nearest_among(starts, screened, (most(some), true));
                screened.into_iter().map(|(_, start)| start).collect()
            }
        };
        let mut tried = self.nearest_among(starts, followed, (most(right), false));
        // Of those between which there is nothing all are told; between others there may be one that is nearer than all of them.
        let tied = tried.chunk_by(|one, other| one.0 == other.0).next().unwrap_or_default();
        if tied.len() > 1 && tied.iter().all(|(_, own)| family.around(*own, 0).is_empty()) {
            return tied[..tied.len().min(TIED)].to_vec();
        }
        tried.truncate(followed);
        let mut followed: Vec<(u64, ParametricFault)> = threads::of(&tried, |&start| self.followed(family, start));
        followed.sort_by_key(|(distance, _)| *distance);
        let Some(least) = followed.first().map(|(distance, _)| *distance) else { return Vec::new() };
        let [part, whole] = ROUND;
        let most = least.saturating_mul(part) / whole;
        // Several may be as near: a texture may look the same turned and flipped.
        followed.retain(|(distance, _)| *distance <= most);
        let rounded = |own: &(u64, ParametricFault)| {
            let round = family.rounded(own.1).into_iter().find(|round| self.far(*round, (most, false)) <= most);
            round.map_or(*own, |round| (own.0, round))
        };
        followed.iter().map(rounded).collect()
    }
}

/// The least of distances, as many as are wanted.
struct Least {
    distances: Mutex<Vec<u64>>,
    wanted: usize,
    /// More than that is never one of them.
    most: u64,
}

impl Least {
    /// What is farther is none of them.
    fn farthest(&self) -> u64 {
        let distances = self.distances.lock().unwrap_or_else(PoisonError::into_inner);
        distances.get(self.wanted - 1).map_or(self.most, |farthest| self.most.min(*farthest))
    }

    /// Gives back the distance, which may be one of them.
    fn and(&self, distance: u64) -> u64 {
        let mut distances = self.distances.lock().unwrap_or_else(PoisonError::into_inner);
        let place = distances.partition_point(|own| *own <= distance);
        distances.insert(place, distance);
        distances.truncate(self.wanted);
        distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_farther_than_as_many_as_are_wanted_is_none_of_them() {
        let least = Least { distances: Mutex::new(Vec::new()), wanted: 2, most: 90 };
        let farthest = [100, 40, 70, 50, 50].map(|distance| {
            assert_eq!(least.and(distance), distance);
            least.farthest()
        });
        assert_eq!(farthest, [90, 90, 70, 50, 50]);
    }
}
