//! [`Place`]: where a picture is wrong, which can be told even if nobody knows why.
//!
//! Why it exists: most mistakes have no name. That the silhouettes are right, and that the light on one material is not, sends a
//! person to a tenth of the code. Which stage it is, is decided by what the stage can not change (`stage.rs`); whose pixels they
//! are, by the surfaces that the envelope knows to be there.

mod movement;
mod object;
mod of_cause;
mod of_node;
mod stage;

use std::{collections::BTreeMap, fmt};

use serde::Serialize;

pub(super) use movement::movements;
pub(super) use object::Objects;
pub use stage::Stage;

use super::{Cause, Likeness};
use crate::causes::{Names, Seen};
use refrast_envelope::{Causes, PixelCause};
use refrast_golden::envelope::{EnvelopeVerdict, PixelClass};
use refrast_render::Renderer;
use refrast_simulator::{Shot, Simulator, Variation};

/// How far from a surface a pixel where nothing should be seen counts as its own.
const REACH: i64 = 3;

/// Something that is seen in wrong pixels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    /// Its name in the file, or its number.
    pub name: String,
    /// Its place among the nodes or materials of the file; a joint's is that of its node.
    pub number: usize,
    /// The part of the wrong pixels in which it is seen, 0 to 1; of a joint by its weights there.
    pub part: f64,
    /// The part of the pixels in which it is seen that are wrong, 0 to 1.
    pub of_own: f64,
}

/// Where a picture is wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Place {
    /// The first stage that must be wrong; none where the picture does not tell.
    pub stage: Option<Stage>,
    /// Nodes that are seen there, the likeliest first: what explains most of the wrong pixels and has fewest right ones.
    pub nodes: Vec<Share>,
    /// Their materials.
    pub materials: Vec<Share>,
    /// The joints that move what is seen there.
    pub joints: Vec<Share>,
    /// What the only thing that is wrong looks like: as if a known mistake were made with it alone; of pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub likeness: Option<Likeness>,
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

    /// All that may be seen in a pixel.
    fn causes_in(&self, pixel: usize) -> &[PixelCause] {
        let width = self.shot.settings.width as usize;
        self.causes.of((pixel % width) as u32, (pixel / width) as u32)
    }

    /// The same, or of the nearest pixel where nothing should be.
    fn nearest_causes(&self, pixel: usize) -> &[PixelCause] {
        let (width, height) = (self.shot.settings.width as usize, self.shot.settings.height as usize);
        let own = self.causes_in(pixel);
        if !own.is_empty() {
            return own;
        }
        let (x, y) = ((pixel % width) as i64, (pixel / width) as i64);
        let mut near: Vec<[i64; 2]> =
            (-REACH..=REACH).flat_map(|dy| (-REACH..=REACH).map(move |dx| [dx, dy])).collect();
        near.sort_by_key(|[dx, dy]| dx * dx + dy * dy);
        let causes = near.into_iter().filter_map(|[dx, dy]| {
            let at = |at: i64, end: usize| usize::try_from(at).ok().filter(|at| *at < end);
            Some(self.causes_in(at(y + dy, height)? * width + at(x + dx, width)?))
        });
        causes.into_iter().find(|causes| !causes.is_empty()).unwrap_or(&[])
    }

    /// The first thing of what is seen.
    fn seen(&self, names: &Names<'_>, pixel: usize) -> Option<Seen> {
        self.nearest_causes(pixel).first().and_then(|cause| names.seen(cause))
    }

    /// The wrong pixels in which something skinned is seen, each with the place in the palette of the joint that moves it most.
    pub(super) fn joints(&self) -> Vec<(usize, u16)> {
        let names = Names::of(self.renderer);
        self.wrong().filter_map(|(pixel, _)| Some((pixel, self.seen(&names, pixel)?.joint?))).collect()
    }

    /// Whose pixels are wrong.
    pub(super) fn objects(&self) -> Objects {
        Objects::of(self, &Names::of(self.renderer))
    }

    /// The only thing that is wrong, in words, and its pixels; none where several are, or no other is seen.
    pub(super) fn only_thing(&self, objects: &Objects) -> Option<(String, Vec<bool>)> {
        let names = Names::of(self.renderer);
        let thing = objects.only_thing()?;
        let is_own = |cause: &PixelCause| names.seen(cause).is_some_and(|seen| thing.is_seen(seen));
        let pixels = (0..self.right.len()).map(|pixel| self.causes_in(pixel).iter().any(is_own)).collect();
        Some((thing.in_words(&names), pixels))
    }

    /// Where it is wrong; `likely` are the causes that explain it, of which some are about one node or joint.
    pub(super) fn place(&self, stage: Option<Stage>, objects: &Objects, likely: &[Cause]) -> Place {
        let names = Names::of(self.renderer);
        let wrong: Vec<usize> = self.wrong().map(|(pixel, _)| pixel).collect();
        let scene = self.renderer.scene();
        let width = self.shot.settings.width as usize;
        let columns = wrong.iter().map(|pixel| (pixel % width) as u32);
        let rows = wrong.iter().map(|pixel| (pixel / width) as u32);
        let ends = |of: &mut dyn Iterator<Item = u32>| of.fold((u32::MAX, 0), |(a, b), at| (a.min(at), b.max(at)));
        let ((left, right), (top, bottom)) = (ends(&mut columns.into_iter()), ends(&mut rows.into_iter()));
        Place {
            stage,
            nodes: objects.nodes(&names, likely.iter().find_map(|cause| cause.node())),
            materials: objects.materials(&names),
            joints: objects.joints(&names, likely.iter().find_map(|cause| cause.joint(scene))),
            likeness: None,
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
            likeness: None,
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
            let told = |name: &str, parts: [f64; 2]| {
                let [part, of_own] = parts.map(|part| 100.0 * part);
                format!("{name} {part:.0} % ({of_own:.0} % of its own)")
            };
            let told: Vec<String> =
                shares.iter().map(|Share { name, part, of_own, .. }| told(name, [*part, *of_own])).collect();
            if !told.is_empty() {
                writeln!(formatter, "  {kind} seen in the wrong pixels: {}", told.join(", "))?;
            }
        }
        if let Some(Likeness { cause, of, score }) = &self.likeness {
            writeln!(formatter, "  {of} looks as if it alone were drawn with {cause} (score {score:.2}):")?;
            writeln!(formatter, "    {}", cause.description())?;
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
