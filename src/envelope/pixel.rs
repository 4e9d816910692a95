//! A pixel's hits → the bytes that it may hold.
//!
//! Why it exists: a fragment is coloured once a pixel, at its centre, whichever samples it covers; what differs from sample
//! to sample is only whose colour it takes. With four samples the pixel is the mean of four of them, so that every way to
//! pick one colour for each sample is a choice of its own.

use std::collections::BTreeSet;

use super::{
    ColorBox, Fragment, Interval,
    blend::{Mixing, blend},
    byte_table::ByteTable,
    choice::{self, Choice},
    hits::Hit,
    planes::Neighbourhood,
    sample::{Place, Reason, Search, Shown},
    sample_depths::SampleDepths,
    surface::{Center, Surface},
};
use refrast_draw::{AlphaMode, SampleCount};
use refrast_measure::envelope::PixelBox;
use refrast_range::Resolve;
use refrast_shading::ColorSpace;

/// What colours the fragments of the draws.
pub(super) trait Paint: Sync {
    /// Adds the colours that a fragment may have, alpha not multiplied in.
    fn colors(&self, fragment: &Fragment, choices: &mut Vec<Choice>);
    /// The alpha that an alpha test compares with its cutoff.
    fn alpha(&self, fragment: &Fragment) -> Interval;
}

/// The hits of a pixel, and the surfaces that they are of.
#[derive(Clone, Copy)]
pub(super) struct PixelHits<'a> {
    pub(super) surfaces: &'a [Surface],
    pub(super) hits: &'a [Hit],
}

impl PixelHits<'_> {
    fn surface(&self, hit: usize) -> &Surface {
        &self.surfaces[self.hits[hit].surface as usize]
    }
}

/// What all pixels of a picture have in common.
pub(super) struct Picture<'a, P> {
    /// The alpha mode of each draw.
    pub(super) alpha: &'a [AlphaMode],
    pub(super) paint: &'a P,
    pub(super) target: ByteTable,
    pub(super) samples: SampleCount,
    pub(super) sample_depths: SampleDepths,
    /// Bytes where nothing is drawn, and what they are in linear light.
    pub(super) background: (PixelBox, [f64; 4]),
    /// How blended layers are mixed.
    pub(super) mixing: Mixing,
    /// What the samples of a pixel are averaged as.
    pub(super) resolve: Resolve,
}

/// A surface that may be seen in a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) surface: u32,
    pub(super) reason: Reason,
}

/// The buffers of one worker.
#[derive(Debug, Default)]
pub(super) struct PixelWork {
    search: Search,
    shown: Shown,
    choices: Vec<Choice>,
    /// Colours of all samples, each once.
    pool: Vec<Choice>,
    /// Places in `pool` of each sample's colours.
    samples: Vec<Vec<u16>>,
    cache: Cache,
    pub(super) boxes: Vec<PixelBox>,
    pub(super) seen: Vec<Seen>,
}

/// What has been worked out of the hits of a pixel.
#[derive(Debug, Default)]
struct Cache {
    /// Those that somebody has asked for.
    fragments: Vec<Fragment>,
    /// The place of each hit's among them.
    places: Vec<Option<usize>>,
    /// Colours of each hit, once asked for.
    colors: Vec<Vec<Choice>>,
    known: Vec<bool>,
    kept: Vec<Option<Option<bool>>>,
}

/// Different colours of a pixel's samples; beyond, the closest are joined.
const MOST_COLORS: usize = 12;

impl PixelWork {
    /// Fills `boxes` and `seen` for the pixel in column `x` of row `y`.
    pub(super) fn run<P: Paint>(&mut self, picture: &Picture<'_, P>, hits: PixelHits<'_>, [x, y]: [usize; 2]) {
        self.boxes.clear();
        self.seen.clear();
        if hits.hits.is_empty() {
            self.boxes.push(picture.background.0);
            return;
        }
        let corner = [x as f64, y as f64];
        self.cache.reset(hits.hits.len());
        self.pool.clear();
        let positions = picture.samples.positions();
        self.samples.resize_with(positions.len(), Vec::new);
        let (mut only_background, mut alone) = (true, None);
        for (sample, &[dx, dy]) in positions.iter().enumerate() {
            let point = [corner[0] + dx as f64 / 16.0, corner[1] + dy as f64 / 16.0];
            let elsewhere = picture.sample_depths.elsewhere(point, corner);
            only_background &= self.sample(picture, hits, Place { sample, point, elsewhere }, corner);
            let own = self.shown.only_candidate();
            alone = if sample == 0 || alone == own { own } else { None };
        }
        if only_background {
            self.boxes.push(picture.background.0);
            return;
        }
        if let Some(hit) = alone {
            // All samples hold the same bytes, and so does their mean.
            self.boxes.extend(self.cache.colors[hit].iter().map(|choice| picture.target.bytes(choice)));
            return;
        }
        match positions.len() {
            1 => {
                // Where a pixel may be background alone its bytes are exact.
                let nothing = background(picture);
                let bytes = |choice: &Choice| match *choice == nothing {
                    true => picture.background.0,
                    false => picture.target.bytes(choice),
                };
                self.boxes.extend(self.pool.iter().map(bytes));
            }
            _ => self.resolve(picture),
        }
    }

    /// The depths that the texel in column `x` of row `y` of a shadow map may have.
    pub(super) fn depth<P: Paint>(
        &mut self,
        picture: &Picture<'_, P>,
        hits: PixelHits<'_>,
        [x, y]: [usize; 2],
    ) -> Interval {
        if hits.hits.is_empty() {
            return Interval::exact(1.0);
        }
        let corner = [x as f64, y as f64];
        self.cache.reset(hits.hits.len());
        let Self { search, cache, .. } = self;
        let place = Place { sample: 0, point: [corner[0] + 0.5, corner[1] + 0.5], elsewhere: None };
        let alpha = |draw: u32| picture.alpha[draw as usize];
        search.depth(hits.surfaces, hits.hits, place, alpha, |hit| cache.kept(picture, hits, hit, corner))
    }

    /// Finds a sample's colours; whether they are the background alone.
    fn sample<P: Paint>(
        &mut self,
        picture: &Picture<'_, P>,
        hits: PixelHits<'_>,
        place: Place,
        corner: [f64; 2],
    ) -> bool {
        let Self { search, shown, cache, choices, seen, .. } = self;
        let alpha = |draw: u32| picture.alpha[draw as usize];
        search.find(hits.surfaces, hits.hits, place, alpha, |hit| cache.kept(picture, hits, hit, corner), shown);
        choices.clear();
        if shown.background {
            choices.push(background(picture));
        }
        for candidate in &shown.candidates {
            note(seen, Seen { surface: hits.hits[candidate.hit].surface, reason: candidate.reason });
            cache.paint(picture, hits, candidate.hit, corner);
            for own in &cache.colors[candidate.hit] {
                choice::add(choices, *own, picture.target.output().space);
            }
        }
        for layer in &shown.layers {
            let reason = match (layer.surely, layer.surely_visible) {
                (true, _) => Reason::Sure,
                (false, true) => Reason::Edge,
                (false, false) => Reason::Depth,
            };
            note(seen, Seen { surface: hits.hits[layer.hit].surface, reason });
            cache.paint(picture, hits, layer.hit, corner);
        }
        if !shown.layers.is_empty() {
            blend(choices, &shown.layers, |hit| &cache.colors[hit], &picture.target, picture.mixing);
        }
        let places = &mut self.samples[place.sample];
        places.clear();
        for own in choices.iter() {
            let place = self.pool.iter().position(|other| other == own).unwrap_or_else(|| {
                self.pool.push(*own);
                self.pool.len() - 1
            });
            places.push(place as u16);
        }
        shown.candidates.is_empty() && shown.layers.is_empty()
    }

    /// The mean of four samples, for every way to pick their colours.
    fn resolve<P>(&mut self, picture: &Picture<'_, P>) {
        let target = &picture.target;
        let space = target.output().space;
        let nothing = background(picture);
        self.shrink(space);
        let mut picks = BTreeSet::from([[u16::MAX; 4]]);
        for places in &self.samples {
            let mut next = BTreeSet::new();
            for pick in &picks {
                for &place in places {
                    let mut pick = *pick;
                    // The last one is still free, as they are kept in order.
                    pick[3] = place;
                    pick.sort_unstable();
                    next.insert(pick);
                }
            }
            picks = next;
        }
        // Averaged is what a target gives back, or what is in it; the mean is then of the same kind.
        let as_it_is = |choice: &Choice| {
            let bytes = target.bytes(choice);
            let number = |byte: u8| f64::from(byte) / 255.0;
            let channel =
                |channel: usize| Interval { low: number(bytes.low[channel]), high: number(bytes.high[channel]) };
            ColorBox { channels: std::array::from_fn(channel) }
        };
        let numbers = (picture.resolve == Resolve::Stored).then(|| target.output().of_numbers());
        let stored = |choice| if numbers.is_some() { as_it_is(choice) } else { target.stored(&choice.color) };
        let stored: Vec<ColorBox> = self.pool.iter().map(stored).collect();
        let space = numbers.map_or(space, |numbers| numbers.space);
        self.choices.clear();
        for pick in picks {
            let own = pick.map(usize::from);
            if own.iter().all(|&place| self.pool[place] == nothing) {
                self.boxes.push(picture.background.0);
                continue;
            }
            let mean = |channel: usize| {
                // The same colour four times is that colour, whatever its box.
                let sum = own.map(|place| stored[place].channels[channel]);
                let sum = (sum[0] + sum[1]) + (sum[2] + sum[3]);
                (sum * Interval::exact(0.25)).rounded(1e-6)
            };
            let loose = own.iter().any(|&place| self.pool[place].loose);
            let color = ColorBox { channels: std::array::from_fn(mean) };
            choice::add(&mut self.choices, Choice { color, loose }, space);
            if self.choices.len() > 4 * MOST_COLORS {
                choice::limit(&mut self.choices, 3 * MOST_COLORS);
            }
        }
        let bytes = |choice| numbers.map_or_else(|| target.bytes(choice), |numbers| numbers.bytes(choice));
        self.boxes.extend(self.choices.iter().map(bytes));
    }

    /// Joins colours of the pool that are close, and the closest where there are too many.
    fn shrink(&mut self, space: ColorSpace) {
        let mut merged: Vec<Choice> = Vec::with_capacity(self.pool.len());
        for own in &self.pool {
            choice::add(&mut merged, *own, space);
        }
        choice::limit(&mut merged, MOST_COLORS);
        let holder = |own: &Choice| {
            merged.iter().position(|other| other.hull(own).color == other.color).unwrap_or_default() as u16
        };
        let place_of: Vec<u16> = self.pool.iter().map(holder).collect();
        for places in &mut self.samples {
            places.iter_mut().for_each(|place| *place = place_of[usize::from(*place)]);
            places.sort_unstable();
            places.dedup();
        }
        self.pool = merged;
    }
}

fn background<P>(picture: &Picture<'_, P>) -> Choice {
    Choice::exact(picture.background.1)
}

/// A surface that is sure in one sample and not in another is listed once, by what makes it a choice.
fn note(seen: &mut Vec<Seen>, new: Seen) {
    match seen.iter_mut().find(|old| old.surface == new.surface) {
        Some(old) if old.reason == Reason::Sure => old.reason = new.reason,
        Some(_) => {}
        None => seen.push(new),
    }
}

impl Cache {
    fn reset(&mut self, hits: usize) {
        self.fragments.clear();
        self.places.clear();
        self.places.resize(hits, None);
        self.known.clear();
        self.known.resize(hits, false);
        self.kept.clear();
        self.kept.resize(hits, None);
        if self.colors.len() < hits {
            self.colors.resize_with(hits, Vec::new);
        }
    }

    /// The place of a hit's fragment.
    fn fragment<P>(&mut self, picture: &Picture<'_, P>, hits: PixelHits<'_>, hit: usize, corner: [f64; 2]) -> usize {
        let Self { fragments, places, .. } = self;
        *places[hit].get_or_insert_with(|| {
            fragments.push(fragment(hits.surface(hit), corner, picture));
            fragments.len() - 1
        })
    }

    fn paint<P: Paint>(&mut self, picture: &Picture<'_, P>, hits: PixelHits<'_>, hit: usize, corner: [f64; 2]) {
        if !std::mem::replace(&mut self.known[hit], true) {
            let place = self.fragment(picture, hits, hit, corner);
            let colors = &mut self.colors[hit];
            colors.clear();
            picture.paint.colors(&self.fragments[place], colors);
        }
    }

    fn kept<P: Paint>(
        &mut self,
        picture: &Picture<'_, P>,
        hits: PixelHits<'_>,
        hit: usize,
        corner: [f64; 2],
    ) -> Option<bool> {
        if let Some(known) = self.kept[hit] {
            return known;
        }
        let kept = match picture.alpha[hits.surface(hit).draw as usize] {
            AlphaMode::Mask { cutoff } => {
                let place = self.fragment(picture, hits, hit, corner);
                let (alpha, cutoff) = (picture.paint.alpha(&self.fragments[place]), f64::from(cutoff));
                if alpha.low >= cutoff {
                    Some(true)
                } else if alpha.high < cutoff {
                    Some(false)
                } else {
                    None
                }
            }
            AlphaMode::Opaque | AlphaMode::Blend => Some(true),
        };
        self.kept[hit] = Some(kept);
        kept
    }
}

/// What is known of a surface's fragment in the pixel with this upper left corner.
fn fragment<P>(surface: &Surface, corner: [f64; 2], picture: &Picture<'_, P>) -> Fragment {
    let center = [corner[0] + 0.5, corner[1] + 0.5];
    // With one sample it is covered; with four the centre may lie outside.
    let covered = picture.samples == SampleCount::One;
    let Center { own, shift, around } = surface.center(center, covered);
    let Neighbourhood { weights: neighbours, radius: neighbour_radius, shift: neighbour_shift } = around;
    let depth = if covered { surface.depth_at(center).clamped(0.0, 1.0) } else { surface.depth_around(center) };
    Fragment {
        draw: surface.draw as usize,
        primitive: surface.primitive,
        vertices: surface.vertices,
        weights: own.weights,
        radius: own.radius,
        neighbours,
        neighbour_radius,
        shift,
        neighbour_shift,
        depth,
        front: surface.front(),
    }
}
