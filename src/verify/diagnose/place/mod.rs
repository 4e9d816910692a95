//! [`Place`]: where a picture is wrong, which can be told even if nobody knows why.
//!
//! Why it exists: most mistakes have no name. That the silhouettes are right, and that the light on one material is not, sends a
//! person to a tenth of the code. Which stage it is, is decided by what the stage can not change (`stage.rs`); whose pixels they
//! are, by the surfaces that the envelope knows to be there.

mod movement;
mod of_cause;
mod stage;

use std::{collections::BTreeMap, fmt};

use serde::Serialize;

pub(super) use movement::movements;
pub use stage::Stage;

use crate::causes::{Names, Seen};
use refrast_envelope::Causes;
use refrast_golden::envelope::{EnvelopeVerdict, PixelClass};
use refrast_render::Renderer;
use refrast_simulator::{Shot, Simulator, Variation};

/// How many of a kind are told.
const TOLD: usize = 3;

/// How far from a surface a pixel where nothing should be seen counts as its own.
const REACH: i64 = 3;

/// Something, and the part of the wrong pixels in which it is seen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    /// Its name in the file, or its number.
    pub name: String,
    /// Of the wrong pixels, 0 to 1.
    pub part: f64,
}

/// Where a picture is wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Place {
    /// The first stage that must be wrong; none where the picture does not tell.
    pub stage: Option<Stage>,
    /// Nodes that are seen there, the most wrong first.
    pub nodes: Vec<Share>,
    /// Their materials.
    pub materials: Vec<Share>,
    /// The joints that move most what is seen there.
    pub joints: Vec<Share>,
    /// Left, top, width and height of the wrong pixels; of pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<[u32; 4]>,
    /// Of vertex buffers: what happened to the vertices of a joint or a node, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub movements: Vec<String>,
    /// The debug view of the backend that would tell most, as an option of `render`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_view: Option<&'static str>,
}

/// What a place is found from.
pub(super) struct Scenery<'a> {
    pub(super) simulator: &'a Simulator<'a>,
    pub(super) shot: Shot<'a>,
    pub(super) variation: Variation,
    pub(super) renderer: &'a Renderer<'a>,
    pub(super) causes: &'a Causes,
    pub(super) verdict: &'a EnvelopeVerdict,
    pub(super) candidate: &'a [[u8; 4]],
    /// What a right backend draws.
    pub(super) right: &'a [[u8; 4]],
}

impl Scenery<'_> {
    /// The wrong pixels with their classes.
    fn wrong(&self) -> impl Iterator<Item = (usize, PixelClass)> + '_ {
        let width = self.shot.settings.width as usize;
        let rows = self.verdict.classes.iter().enumerate().filter_map(|(y, row)| Some((y, row.as_ref()?)));
        rows.flat_map(move |(y, row)| {
            let wrong = row.iter().enumerate().filter(|(_, class)| class.is_wrong());
            wrong.map(move |(x, class)| (y * width + x, *class))
        })
    }

    /// What is seen in a pixel, or near it where nothing should be.
    fn seen(&self, names: &Names<'_>, pixel: usize) -> Option<Seen> {
        let width = self.shot.settings.width as usize;
        let (x, y) = ((pixel % width) as i64, (pixel / width) as i64);
        let mut near: Vec<[i64; 2]> =
            (-REACH..=REACH).flat_map(|dy| (-REACH..=REACH).map(move |dx| [dx, dy])).collect();
        near.sort_by_key(|[dx, dy]| dx * dx + dy * dy);
        near.into_iter().find_map(|[dx, dy]| {
            let (x, y) = (u32::try_from(x + dx).ok()?, u32::try_from(y + dy).ok()?);
            self.causes.of(x, y).first().and_then(|cause| names.seen(cause))
        })
    }

    /// The wrong pixels in which something skinned is seen, each with the place in the palette of the joint that moves it most.
    pub(super) fn joints(&self) -> Vec<(usize, u16)> {
        let names = Names::of(self.renderer);
        self.wrong().filter_map(|(pixel, _)| Some((pixel, self.seen(&names, pixel)?.joint?))).collect()
    }

    /// Where it is wrong.
    pub(super) fn place(&self, stage: Option<Stage>) -> Place {
        let names = Names::of(self.renderer);
        let wrong: Vec<usize> = self.wrong().map(|(pixel, _)| pixel).collect();
        let seen: Vec<Seen> = wrong.iter().filter_map(|pixel| self.seen(&names, *pixel)).collect();
        let shares = |of: Vec<(String, usize)>| -> Vec<Share> {
            let share = |(name, count): (String, usize)| Share { name, part: count as f64 / wrong.len().max(1) as f64 };
            of.into_iter().take(TOLD).map(share).collect()
        };
        let width = self.shot.settings.width as usize;
        let columns = wrong.iter().map(|pixel| (pixel % width) as u32);
        let rows = wrong.iter().map(|pixel| (pixel / width) as u32);
        let ends = |of: &mut dyn Iterator<Item = u32>| of.fold((u32::MAX, 0), |(a, b), at| (a.min(at), b.max(at)));
        let ((left, right), (top, bottom)) = (ends(&mut columns.into_iter()), ends(&mut rows.into_iter()));
        Place {
            stage,
            nodes: shares(ordered(seen.iter().map(|seen| names.node(seen.node)))),
            materials: shares(ordered(seen.iter().map(|seen| names.material(seen.material)))),
            joints: shares(ordered(seen.iter().filter_map(|seen| Some(names.node(seen.joint_node?))))),
            region: (!wrong.is_empty()).then(|| [left, top, right + 1 - left, bottom + 1 - top]),
            movements: Vec::new(),
            next_view: stage.and_then(Stage::next_view),
        }
    }
}

/// Each value and how often it comes, the commonest first.
pub(super) fn ordered<T: Ord>(values: impl Iterator<Item = T>) -> Vec<(T, usize)> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    let mut ordered: Vec<(T, usize)> = counts.into_iter().collect();
    ordered.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    ordered
}

impl Place {
    /// Of vertex buffers.
    pub(super) fn of_movements(movements: Vec<String>) -> Self {
        Self {
            stage: Some(Stage::Geometry),
            nodes: Vec::new(),
            materials: Vec::new(),
            joints: Vec::new(),
            region: None,
            movements,
            next_view: None,
        }
    }
}

/// The stage in a sentence, then whose pixels they are.
impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stage {
            Some(stage) => writeln!(formatter, "where: {stage}: {}", stage.about())?,
            None => writeln!(formatter, "where: the picture does not tell which stage it is")?,
        }
        for (kind, shares) in [("nodes", &self.nodes), ("materials", &self.materials), ("joints", &self.joints)] {
            let told: Vec<String> =
                shares.iter().map(|share| format!("{} {:.0} %", share.name, 100.0 * share.part)).collect();
            if !told.is_empty() {
                writeln!(formatter, "  {kind} seen in the wrong pixels: {}", told.join(", "))?;
            }
        }
        if let Some([left, top, width, height]) = self.region {
            writeln!(formatter, "  within {width}x{height} pixels from ({left}, {top})")?;
        }
        for movement in &self.movements {
            writeln!(formatter, "  {movement}")?;
        }
        if let Some(view) = self.next_view {
            writeln!(formatter, "  what would tell most next: your backend's picture of `--shading {view}`")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commonest_comes_first() {
        assert_eq!(ordered([3, 1, 3, 2, 3, 1].into_iter()), [(3, 3), (1, 2), (2, 1)]);
    }
}
