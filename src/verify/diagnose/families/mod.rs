//! Families of mistakes: which numbers come nearest to a candidate?
//!
//! Why it exists: the list of faults has a few members of each family, and an engine's own number is mostly another one. What
//! the list does not hold would go unnamed, or worse, be given the name of its nearest neighbour.
//!
//! Each family is a file: which of its members are tried at first ([`Family::starts`]), which lie around one of them at a
//! certain step ([`Family::around`]), and which round numbers are near ([`Family::rounded`]), since engines are written by
//! people. How near one comes is `ground.rs`, and the way to the nearest `search.rs`.

mod clues;
mod colour;
mod depth;
mod ground;
mod joints;
mod mips;
mod nodes;
mod search;
mod targets;
mod texcoords;
mod time;
mod weights;
mod window;

pub(super) use clues::Clues;
pub(super) use colour::{is_changed_by_powers, order_of, power_of};
pub(super) use depth::drawn_depths;
pub(super) use ground::Ground;
pub(super) use targets::of_targets;
pub(super) use time::resampled;

use refrast_simulator::ParametricFault;

/// Members that are followed downhill, and as many more where nothing else explains the candidate.
const FOLLOWED: usize = 3;
const FOLLOWED_MORE: usize = 8;

/// How often the step is halved, and how often that of three numbers.
const HALVINGS: u32 = 9;
const HALVINGS_OF_THREE: u32 = 6;

/// Mistakes that differ by numbers.
trait Family: Sync {
    /// Whether they show in vertex buffers; then their numbers are whole, and all of them can be tried.
    fn moves_vertices(&self) -> bool {
        false
    }

    /// Whether they change nothing but what fragments look like: then most of the time goes into pixels, and a quarter of them takes a
    /// quarter of it.
    fn is_of_fragments(&self) -> bool {
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

/// Members around one of any family that are as near as its numbers can be fitted; none of families whose numbers are whole.
pub(super) fn as_near_as_fitted(fault: ParametricFault) -> Vec<ParametricFault> {
    FAMILIES
        .iter()
        .map(|family| family.around(fault, family.halvings() - 1))
        .find(|around| !around.is_empty())
        .unwrap_or_default()
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
