//! [`ShadowBounds`]: which parts of a light may arrive.
//!
//! Why it exists: a shadow is decided by comparisons, and a comparison goes one way or the other. Where both ends of every
//! comparison are known there is one answer; where a place in the map, a texel's depth or the fragment's own may be on either
//! side, both answers are right, and what lies between is not (but for filters, whose weights go on from one to the other).
//!
//! # The places that a fragment may look at
//!
//! u, v and depth in a map hang on the same two inputs (the weights of the triangle's vertices), so that a fragment that looks
//! farther to the right also has another depth. With u = u₀ + a·ε + ρ_u, v = v₀ + b·ε + ρ_v and z = z₀ + c·ε + ρ_z for ε in the
//! plane, and a and b independent, z = z₀ + α·(u − u₀) + β·(v − v₀) to within ρ_z + |α|·ρ_u + |β|·ρ_v, where c = α·a + β·b. So of
//! each texel that may be hit, only the depths are compared that belong to it: without that a surface at a grazing angle
//! would shade itself in some of the allowed ways.

use super::boxes::ColorBoxes;
use crate::{Interval, MapBounds};
use refrast_range::{Freedoms, Ranged};
use refrast_shading::{CastingLight, MapPlan, ShadowFilter, ShadowPlan, SplitSelection, map_coordinates, view_depth};

/// Texels that one lookup may begin at; beyond, nothing is claimed.
const MOST_PLACES: f64 = 1024.0;
/// The most combinations of the lights' shadows.
const MOST_SHADES: usize = 8;

/// Splits, matrices and what the maps may hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShadowBounds {
    /// As every backend is handed it.
    pub plan: ShadowPlan,
    /// For each casting light of the plan its maps.
    pub maps: Vec<Vec<MapBounds>>,
}

/// Parts of a light that may arrive, and whether some were merged that are apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    choices: Vec<Interval>,
    loose: bool,
}

impl Parts {
    fn add(&mut self, part: Interval) {
        let mut part = part;
        // What overlaps is one.
        self.choices.retain(|own| {
            let apart = own.high < part.low || part.high < own.low;
            if !apart {
                part = own.hull(part);
            }
            apart
        });
        self.choices.push(part);
    }

    fn add_all(&mut self, other: &Self) {
        other.choices.iter().for_each(|part| self.add(*part));
        self.loose |= other.loose;
    }

    fn unknown() -> Self {
        Self { choices: vec![Interval { low: 0.0, high: 1.0 }], loose: true }
    }

    fn all() -> Self {
        Self { choices: vec![Interval::exact(1.0)], loose: false }
    }
}

/// For each light the part of it that arrives, in each way in which they may be combined.
pub(super) struct Shades {
    pub(super) choices: Vec<Vec<Option<Interval>>>,
    pub(super) loose: bool,
}

impl Shades {
    /// Where there are no shadows.
    pub(super) fn none() -> Self {
        Self { choices: vec![Vec::new()], loose: false }
    }

    /// Marks boxes that hold merged choices.
    pub(super) fn mark(&self, boxes: &mut ColorBoxes) {
        if self.loose {
            boxes.set_loose();
        }
    }
}

impl ShadowBounds {
    /// What may arrive of `count` lights.
    pub(super) fn shades(&self, count: usize, position: [Ranged<'_>; 3], freedoms: &Freedoms) -> Shades {
        let mut shades = Shades::none();
        for light in 0..count {
            let parts = self.parts(light, position, freedoms);
            shades.loose |= parts.as_ref().is_some_and(|parts| parts.loose);
            let mut choices: Vec<Option<Interval>> =
                parts.map_or(vec![None], |parts| parts.choices.iter().copied().map(Some).collect());
            if shades.choices.len() * choices.len() > MOST_SHADES {
                choices = vec![choices.into_iter().flatten().reduce(Interval::hull)];
                shades.loose = true;
            }
            let longer = shades
                .choices
                .iter()
                .flat_map(|before| choices.iter().map(move |part| before.iter().copied().chain([*part]).collect()));
            shades.choices = longer.collect();
        }
        shades
    }

    /// The parts of a light that may arrive; `None` where it casts no shadow.
    fn parts(&self, light: usize, position: [Ranged<'_>; 3], freedoms: &Freedoms) -> Option<Parts> {
        let (number, casting) = self.plan.of_light(light)?;
        let look_up = |place: usize| match self.maps.get(number).and_then(|maps| maps.get(place)) {
            None => Parts::all(),
            Some(map) => self.look_up(map, coordinates(&casting.maps[place], casting, position), freedoms),
        };
        if !casting.cascaded {
            return Some(look_up(0));
        }
        let mut parts = Parts::default();
        for (split, faded) in self.chosen(casting, position) {
            let own = look_up(split);
            if faded.high <= 0.0 || split >= casting.maps.len() {
                parts.add_all(&own);
                continue;
            }
            let next = look_up(split + 1);
            parts.loose |= own.loose || next.loose;
            for own in &own.choices {
                for next in &next.choices {
                    let mixed = |t: f64, own: f64, next: f64| own + t * (next - own);
                    let [a, b] = [faded.low, faded.high].map(|t| mixed(t, own.low, next.low));
                    let [c, d] = [faded.low, faded.high].map(|t| mixed(t, own.high, next.high));
                    let rounding = 4.0 * freedoms.arithmetic;
                    parts.add(Interval { low: a.min(b), high: c.max(d) }.widened(rounding).clamped(0.0, 1.0));
                }
            }
        }
        Some(parts)
    }

    /// The splits that a position may be in, each with how far the next one is faded in.
    fn chosen(&self, casting: &CastingLight, position: [Ranged<'_>; 3]) -> Vec<(usize, Interval)> {
        let count = casting.maps.len();
        let settings = &self.plan.settings;
        if settings.selection == SplitSelection::Containment {
            let margin = settings.filter.reach() as f64 / f64::from(settings.side);
            // Roundings of the margin and of what it is taken from.
            let near = 1e-6;
            let mut chosen = Vec::new();
            for place in 0..count {
                let [u, v, depth] = coordinates(&casting.maps[place], casting, position).map(Ranged::ends);
                let within = |[low, high]: [f64; 2], margin: f64| {
                    let surely = low >= margin + near && high <= 1.0 - margin - near;
                    let perhaps = high >= margin - near && low <= 1.0 - margin + near;
                    (surely, perhaps)
                };
                let tests = [within(u, margin), within(v, margin), within(depth, 0.0)];
                if tests.iter().all(|(_, perhaps)| *perhaps) {
                    chosen.push((place, Interval::exact(0.0)));
                }
                if tests.iter().all(|(surely, _)| *surely) {
                    return chosen;
                }
            }
            chosen.push((count, Interval::exact(0.0)));
            return chosen;
        }
        let [low, high] = view_depth(self.plan.depth_row, position).ends();
        let mut chosen = Vec::new();
        for (place, split) in self.plan.splits.iter().enumerate() {
            let (near, far) = (f64::from(split.near), f64::from(split.far));
            let begins = if place == 0 { f64::NEG_INFINITY } else { near };
            if high < begins || low >= far {
                continue;
            }
            let faded = if settings.blend > 0.0 {
                let length = f64::from(settings.blend) * (far - near);
                let part = |depth: f64| (depth.clamp(begins.max(near), far) - (far - length)) / length;
                let rounding = 8.0 * f64::from(f32::EPSILON) * far.abs() / length;
                Interval { low: part(low), high: part(high) }.widened(rounding).clamped(0.0, 1.0)
            } else {
                Interval::exact(0.0)
            };
            chosen.push((place, faded));
        }
        let end = self.plan.splits.last().map_or(f64::NEG_INFINITY, |split| f64::from(split.far));
        if high >= end || chosen.is_empty() {
            chosen.push((count, Interval::exact(0.0)));
        }
        chosen
    }

    /// The numbers of the splits that a position may be in; that of no split beyond.
    pub(super) fn splits(&self, position: [Ranged<'_>; 3]) -> Vec<usize> {
        let cascaded = self.plan.lights.iter().find(|casting| casting.cascaded);
        cascaded.map_or(vec![0], |casting| self.chosen(casting, position).iter().map(|(split, _)| *split).collect())
    }

    /// What a lookup at these coordinates may give.
    fn look_up(&self, map: &MapBounds, [u, v, depth]: [Ranged<'_>; 3], freedoms: &Freedoms) -> Parts {
        let filter = self.plan.settings.filter;
        let side = map.side() as f64;
        let half = if filter == ShadowFilter::None { 0.0 } else { 0.5 };
        // The place among the texels: a product and a difference, and what the sampler's fraction may be off.
        let place = |ends: [f64; 2]| {
            let [low, high] = ends.map(|end| end * side - half);
            let rounding = freedoms.texel + 4.0 * freedoms.arithmetic * (low.abs().max(high.abs()) + 1.0);
            Interval { low, high }.widened(rounding)
        };
        let (across, down) = (place(u.ends()), place(v.ends()));
        let known = across.low.is_finite() && across.high.is_finite() && down.low.is_finite() && down.high.is_finite();
        if !known {
            return Parts::unknown();
        }
        // Beyond a map all is light.
        let beside = side + 4.0;
        let [across, down] = [across, down].map(|place| place.clamped(-4.0, beside));
        let (columns, rows) = (across.low.floor()..=across.high.floor(), down.low.floor()..=down.high.floor());
        let places = (columns.end() - columns.start() + 1.0) * (rows.end() - rows.start() + 1.0);
        if places > MOST_PLACES {
            return Parts::unknown();
        }
        let plane = ReceiverPlane::new([u, v, depth]);
        let mut parts = Parts::default();
        let mut row = *rows.start();
        while row <= *rows.end() {
            let mut column = *columns.start();
            while column <= *columns.end() {
                let part = |place: Interval, texel: f64| Interval {
                    low: place.low.max(texel) - texel,
                    high: place.high.min(texel + 1.0) - texel,
                };
                let fractions = [part(across, column), part(down, row)];
                let at = |texel: f64, fraction: Interval| {
                    let rounding = freedoms.texel + 4.0 * freedoms.arithmetic * (side + 1.0);
                    let place = Interval { low: texel + fraction.low + half, high: texel + fraction.high + half };
                    let place = place.widened(rounding);
                    Interval { low: place.low / side, high: place.high / side }
                };
                let own = plane.depth_at(at(column, fractions[0]), at(row, fractions[1]));
                weighed(map, filter, [column as i64, row as i64], fractions, own, &mut parts);
                column += 1.0;
            }
            row += 1.0;
        }
        parts
    }
}

/// u, v and depth in a map.
fn coordinates<'r>(map: &MapPlan, casting: &CastingLight, position: [Ranged<'r>; 3]) -> [Ranged<'r>; 3] {
    let [u, v, depth, _] = map_coordinates(&map.lookup, position, !casting.cascaded);
    [u, v, depth]
}

/// The depth of a fragment as a function of where it looks.
struct ReceiverPlane {
    center: [f64; 3],
    /// α, β and the radius; `None` where u and v do not tell the depth.
    slopes: Option<[f64; 3]>,
    ends: Interval,
}

impl ReceiverPlane {
    fn new(coordinates: [Ranged<'_>; 3]) -> Self {
        let [low, high] = coordinates[2].ends();
        let forms = coordinates.map(Ranged::first_order);
        let [(u, a, u_rest), (v, b, v_rest), (z, c, z_rest)] = forms;
        let determinant = a[0] * b[1] - a[1] * b[0];
        let alpha = (c[0] * b[1] - c[1] * b[0]) / determinant;
        let beta = (a[0] * c[1] - a[1] * c[0]) / determinant;
        let others = |slopes: &[f64]| slopes[2..].iter().any(|slope| *slope != 0.0);
        let rest = z_rest + alpha.abs() * u_rest + beta.abs() * v_rest;
        let known = rest.is_finite() && !others(&a) && !others(&b) && !others(&c);
        Self { center: [u, v, z], slopes: known.then_some([alpha, beta, rest]), ends: Interval { low, high } }
    }

    /// Of what looks at these u and v; clamped as all compare it.
    fn depth_at(&self, u: Interval, v: Interval) -> Interval {
        let own = match self.slopes {
            None => self.ends,
            Some([alpha, beta, rest]) => {
                let part = |slope: f64, range: Interval, center: f64| {
                    Interval::between(slope * (range.low - center), slope * (range.high - center))
                };
                let [u_center, v_center, center] = self.center;
                let sum = part(alpha, u, u_center) + part(beta, v, v_center);
                let own = (Interval::exact(center) + sum).widened(rest);
                // Both hold, but for roundings of this arithmetic.
                let (low, high) = (own.low.max(self.ends.low), own.high.min(self.ends.high));
                if low <= high { Interval { low, high } } else { self.ends }
            }
        };
        own.clamped(0.0, 1.0)
    }
}

/// Adds what a filter may give whose first texels are about this one.
fn weighed(
    map: &MapBounds,
    filter: ShadowFilter,
    [column, row]: [i64; 2],
    [across, down]: [Interval; 2],
    depth: Interval,
    parts: &mut Parts,
) {
    // 1 is light, 0 shade, and both may be.
    let compared = |column: i64, row: i64| {
        let stored = map.depth(column, row);
        let low = if depth.high <= stored.low { 1.0 } else { 0.0 };
        let high = if depth.low <= stored.high { 1.0 } else { 0.0 };
        Interval { low, high }
    };
    let count = filter.lookups() as i64;
    if count == 0 {
        let Interval { low, high } = compared(column, row);
        parts.add(Interval::exact(low));
        parts.add(Interval::exact(high));
        return;
    }
    let before = (count - 1) / 2;
    let texels: Vec<Interval> = (0..=count)
        .flat_map(|y| (0..=count).map(move |x| [column - before + x, row - before + y]))
        .map(|[column, row]| compared(column, row))
        .collect();
    let agree = |value: f64| texels.iter().all(|texel| *texel == Interval::exact(value));
    if agree(0.0) || agree(1.0) {
        parts.add(texels[0]);
        return;
    }
    let weight = |number: i64, fraction: f64| match number {
        0 => 1.0 - fraction,
        _ if number == count => fraction,
        _ => 1.0,
    };
    // Linear in each fraction, so that the ends of the ranges are the ends of the result.
    let mean = |x: f64, y: f64, pick: fn(&Interval) -> f64| {
        let sum = texels.iter().enumerate().map(|(number, texel)| {
            let (line, place) = (number as i64 / (count + 1), number as i64 % (count + 1));
            weight(place, x) * weight(line, y) * pick(texel)
        });
        sum.sum::<f64>() / (count * count) as f64
    };
    let corners = [across.low, across.high].map(|x| [down.low, down.high].map(|y| (x, y)));
    let corners = || corners.iter().flatten();
    let low = corners().map(|&(x, y)| mean(x, y, |texel| texel.low)).fold(f64::INFINITY, f64::min);
    let high = corners().map(|&(x, y)| mean(x, y, |texel| texel.high)).fold(f64::NEG_INFINITY, f64::max);
    parts.add(Interval { low, high }.widened(1e-6).clamped(0.0, 1.0));
}
