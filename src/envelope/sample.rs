//! What one sample may show: surfaces that may be the nearest, and blended layers in front of them.
//!
//! Why it exists: coverage and depth are choices of the backend, and here they become a list. What lies surely behind
//! something that surely covers is nobody's choice, and so is the background where a surface or a patch of surfaces surely
//! covers.

use super::{
    Interval,
    hits::Hit,
    patch::{Cover, Patches},
    surface::Surface,
};
use refrast_draw::AlphaMode;

/// A sample of a pixel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Its number.
    pub(super) sample: usize,
    pub(super) point: [f64; 2],
    /// Where its depth is taken by those who do not take it there.
    pub(super) elsewhere: Option<[f64; 2]>,
}

/// How a fragment comes to be one of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// It surely covers, and nothing else may be nearer.
    Sure,
    /// It may cover.
    Edge,
    /// It surely covers, and something else may be nearer.
    Depth,
    /// Its alpha may fall short of the cutoff.
    Mask,
}

/// A surface that may be seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// Place among the pixel's hits.
    pub(super) hit: usize,
    pub(super) reason: Reason,
}

/// A blended fragment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layer {
    pub(super) hit: usize,
    /// Whether every backend draws it.
    pub(super) surely: bool,
    /// Whether every backend that rasterises it draws it: nothing nearer may hide it.
    pub(super) surely_visible: bool,
    /// The patch of which exactly one fragment covers.
    pub(super) one_of: Option<u8>,
}

/// What a sample may show.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    pub(super) candidates: Vec<Candidate>,
    pub(super) background: bool,
    pub(super) layers: Vec<Layer>,
    /// Number of patches that `layers` names.
    pub(super) patches: u8,
}

impl Shown {
    /// The hit that every backend shows, and nothing with it.
    pub(super) fn only_candidate(&self) -> Option<usize> {
        match self.candidates.as_slice() {
            [only] if !self.background && self.layers.is_empty() => Some(only.hit),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    hit: usize,
    surely: bool,
    depth: Interval,
    /// Whether an alpha test keeps it: surely, surely not, or perhaps.
    kept: Option<bool>,
    alpha: AlphaMode,
    /// Whether neither the near nor the far plane may cut it.
    in_range: bool,
    /// Whether they leave anything of it.
    is_seen: bool,
    /// Its place among the members of patches, where it only may cover.
    member: Option<usize>,
}

impl Entry {
    /// Whether what is behind it is hidden, where it covers.
    fn hides(&self) -> bool {
        self.alpha != AlphaMode::Blend && self.kept == Some(true) && self.in_range
    }
}

/// What the members of a patch have in common.
#[derive(Clone, Copy, Debug)]
struct Whole {
    /// The greatest depth of what hides; infinite where one of them may not hide.
    deepest: f64,
    /// Whether every member that may be drawn is in the range of depth and not surely hidden.
    present: bool,
    /// Its number among the blended patches.
    name: Option<u8>,
}

/// The buffers of the search.
#[derive(Debug, Default)]
pub(super) struct Search {
    entries: Vec<Entry>,
    members: Vec<u32>,
    patches: Patches,
    /// By root.
    wholes: Vec<Whole>,
}

/// Blended patches that are followed; of further ones each fragment may or may not cover.
const MOST_PATCHES: u8 = 16;

impl Search {
    /// Finds what a sample may show. `alpha` is the alpha mode of a draw, `kept` whether the alpha test of the
    /// hit at this place keeps it.
    pub(super) fn find(
        &mut self,
        surfaces: &[Surface],
        hits: &[Hit],
        place: Place,
        alpha: impl Fn(u32) -> AlphaMode,
        kept: impl FnMut(usize) -> Option<bool>,
        shown: &mut Shown,
    ) {
        shown.candidates.clear();
        shown.layers.clear();
        (shown.background, shown.patches) = (true, 0);
        self.list(surfaces, hits, place, alpha, kept);
        if self.entries.is_empty() {
            return;
        }
        self.patches.find(surfaces, &self.members, place.point);
        let hiding = self.hiding();
        shown.background = hiding.is_infinite();
        let mut nearest = f64::INFINITY;
        for entry in &self.entries {
            let opaque = entry.alpha != AlphaMode::Blend && entry.kept != Some(false);
            if opaque && entry.depth.low <= hiding && entry.is_seen {
                nearest = nearest.min(entry.depth.low);
                let reason = match (entry.kept, entry.surely) {
                    (None, _) => Reason::Mask,
                    (_, false) => Reason::Edge,
                    (_, true) => Reason::Depth,
                };
                shown.candidates.push(Candidate { hit: entry.hit, reason });
            }
        }
        if let ([only], false) = (shown.candidates.as_mut_slice(), shown.background)
            && only.reason == Reason::Depth
        {
            only.reason = Reason::Sure;
        }
        self.layers(hiding, nearest, shown);
    }

    /// The depths that a texel of a shadow map may have there: from the nearest thing that may cover it to the nearest that
    /// surely does.
    pub(super) fn depth(
        &mut self,
        surfaces: &[Surface],
        hits: &[Hit],
        place: Place,
        alpha: impl Fn(u32) -> AlphaMode,
        kept: impl FnMut(usize) -> Option<bool>,
    ) -> Interval {
        self.list(surfaces, hits, place, alpha, kept);
        if self.entries.is_empty() {
            return Interval::exact(1.0);
        }
        self.patches.find(surfaces, &self.members, place.point);
        let high = self.hiding().min(1.0);
        let seen = self.entries.iter().filter(|entry| entry.kept != Some(false) && entry.is_seen);
        let low = seen.map(|entry| entry.depth.low).fold(1.0, f64::min);
        Interval { low: low.min(high), high }
    }

    /// Fills `entries` with what may be drawn, and `members` with what may cover: what surely faces away is a part of its
    /// patch, but covers for nobody.
    fn list(
        &mut self,
        surfaces: &[Surface],
        hits: &[Hit],
        place: Place,
        alpha: impl Fn(u32) -> AlphaMode,
        mut kept: impl FnMut(usize) -> Option<bool>,
    ) {
        self.entries.clear();
        self.members.clear();
        for (number, hit) in hits.iter().enumerate() {
            let surface = &surfaces[hit.surface as usize];
            let inside = hit.inside >> place.sample & 1 == 1;
            let member = (hit.maybe >> place.sample & 1 == 1).then_some(self.members.len());
            if member.is_some() {
                self.members.push(hit.surface);
            }
            if surface.surely_culled() || !(inside || member.is_some()) {
                continue;
            }
            let depth = match place.elsewhere {
                None => surface.depth_at(place.point),
                Some(point) => surface.depth_around(point),
            };
            let alpha = alpha(surface.draw);
            let kept = if matches!(alpha, AlphaMode::Mask { .. }) { kept(number) } else { Some(true) };
            let clamped = surface.pushed().is_some_and(|pushed| pushed.clamp);
            let in_range = clamped || (depth.low > 0.0 && depth.high < 1.0);
            let is_seen = clamped || (depth.high >= 0.0 && depth.low <= 1.0);
            let depth = surface.pushed().map_or(depth, |pushed| pushed.apply(depth));
            let entry =
                Entry { hit: number, surely: inside && in_range, depth, kept, alpha, in_range, is_seen, member };
            self.entries.push(entry);
        }
    }

    /// The depth behind which nothing is seen; infinite where nothing surely covers.
    fn hiding(&mut self) -> f64 {
        let mut hiding = f64::INFINITY;
        self.wholes.clear();
        self.wholes.resize(self.members.len(), Whole { deepest: f64::NEG_INFINITY, present: true, name: None });
        for entry in &self.entries {
            let depth = if entry.hides() { entry.depth.high } else { f64::INFINITY };
            match entry.member {
                None if entry.surely => hiding = hiding.min(depth),
                None => {}
                Some(member) => {
                    let whole = &mut self.wholes[self.patches.of[member]];
                    whole.deepest = whole.deepest.max(depth);
                    whole.present &= entry.in_range;
                }
            }
        }
        for (root, whole) in self.wholes.iter().enumerate() {
            if self.patches.of[root] == root && self.patches.covers[root].surely {
                hiding = hiding.min(whole.deepest);
            }
        }
        for entry in &self.entries {
            if let Some(member) = entry.member {
                self.wholes[self.patches.of[member]].present &= entry.depth.low <= hiding;
            }
        }
        hiding
    }

    fn layers(&mut self, hiding: f64, nearest: f64, shown: &mut Shown) {
        for entry in &self.entries {
            if entry.alpha != AlphaMode::Blend || entry.depth.low > hiding || !entry.is_seen {
                continue;
            }
            let surely_visible = entry.depth.high < nearest;
            let mut one_of = None;
            if let Some(root) = entry.member.map(|member| self.patches.of[member]) {
                let whole = &mut self.wholes[root];
                let followed = self.patches.covers[root] == Cover { surely: true, once: true } && whole.present;
                if followed && whole.name.is_none() && shown.patches < MOST_PATCHES {
                    whole.name = Some(shown.patches);
                    shown.patches += 1;
                }
                one_of = whole.name;
            }
            let surely = entry.surely && surely_visible;
            shown.layers.push(Layer { hit: entry.hit, surely, surely_visible, one_of });
        }
    }
}
