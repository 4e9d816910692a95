//! [`ShadowMaps`]: which part of a light arrives at eight fragments.
//!
//! Every comparison is `depth ≤ stored`, which gives 1 (light) or 0. A filter of K lookups along an axis reads K + 1 texels
//! each way: with q = u·side − ½, i = floor(q) and f = q − i, the comparisons c of a row of texels from i − (K − 1)/2 on
//! become ((c₀ + c₁) + … + c_K₋₁) + f·(c_K − c₀), the rows become one number in the same way by v, and that is divided by K².
//! For K = 1 it is what hardware does, and for the others the mean of K² such lookups a texel apart. Where all texels agree
//! it is 0 or 1 exactly.

use fearless_simd::{Simd, f32x8, mask32x8, prelude::*};
use fearless_simd_macros::simd;

use super::{
    plan::{CastingLight, ShadowPlan, map_coordinates, view_depth},
    settings::{ShadowFilter, SplitSelection},
};
use crate::{lane::Lane, vector::Vector};
use refrast_draw::{DepthMap, LANES};
use refrast_range::each;

/// A frame's shadow maps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShadowMaps {
    /// Splits and matrices.
    pub plan: ShadowPlan,
    /// For each casting light of the plan its maps.
    pub maps: Vec<Vec<DepthMap>>,
}

/// Which split fragments belong to.
struct Chosen<S: Simd> {
    /// The split's number; that of no split where there is no shadow.
    split: f32x8<S>,
    /// How far the next one is faded in.
    faded: Option<f32x8<S>>,
}

impl ShadowMaps {
    /// The part of a light, by its place among the lights, that arrives at positions in the world; `None` where all of it
    /// does.
    #[inline(always)]
    pub(crate) fn visibility<S: Simd>(&self, simd: S, light: usize, position: Vector<S>) -> Option<f32x8<S>> {
        let (number, casting) = self.plan.of_light(light)?;
        Some(arriving(simd, self, (number, casting), position))
    }

    /// The split that each position belongs to, as a number; the number of splits where it belongs to none.
    #[inline(always)]
    pub(crate) fn split<S: Simd>(&self, simd: S, position: Vector<S>) -> f32x8<S> {
        match self.plan.lights.iter().find(|casting| casting.cascaded) {
            None => f32x8::splat(simd, 0.0),
            Some(casting) => choose(simd, &self.plan, casting, position).split,
        }
    }
}

#[inline(always)]
fn lanes<S: Simd>(mask: mask32x8<S>) -> bool {
    mask.to_bitmask() != 0
}

#[simd]
fn arriving<S: Simd>(
    simd: S,
    shadows: &ShadowMaps,
    (number, casting): (usize, &CastingLight),
    position: [f32x8<S>; 3],
) -> f32x8<S> {
    let filter = shadows.plan.settings.filter;
    let Some(maps) = shadows.maps.get(number) else { return f32x8::splat(simd, 1.0) };
    if !casting.cascaded {
        let coordinates = coordinates(simd, casting, 0, position);
        return maps.first().map_or(f32x8::splat(simd, 1.0), |map| look_up(simd, map, filter, coordinates));
    }
    let one = f32x8::splat(simd, 1.0);
    let (mut own, mut next) = (one, one);
    let Chosen { split, faded } = choose(simd, &shadows.plan, casting, position);
    for (place, map) in maps.iter().enumerate() {
        let here = split.simd_eq(f32x8::splat(simd, place as f32));
        let after = split.simd_eq(f32x8::splat(simd, place as f32 - 1.0));
        if !(lanes(here) || (faded.is_some() && lanes(after))) {
            continue;
        }
        let light = look_up(simd, map, filter, coordinates(simd, casting, place, position));
        own = here.select(light, own);
        next = after.select(light, next);
    }
    match faded {
        None => own,
        Some(part) => own + part * (next - own),
    }
}

/// u, v and depth in a map; behind a spot, beside the map.
#[inline(always)]
fn coordinates<S: Simd>(simd: S, casting: &CastingLight, place: usize, position: Vector<S>) -> Vector<S> {
    let lookup = &casting.maps[place].lookup;
    let [Lane(u), Lane(v), Lane(depth), Lane(w)] = map_coordinates(lookup, each(position, Lane), !casting.cascaded);
    if casting.cascaded {
        return [u, v, depth];
    }
    let beside = f32x8::splat(simd, -1.0);
    [w.simd_gt(f32x8::splat(simd, 0.0)).select(u, beside), v, depth]
}

#[simd]
fn choose<S: Simd>(simd: S, plan: &ShadowPlan, casting: &CastingLight, position: [f32x8<S>; 3]) -> Chosen<S> {
    let number = |value: f32| f32x8::splat(simd, value);
    let mut split = number(0.0);
    match plan.settings.selection {
        SplitSelection::Depth => {
            let Lane(depth) = view_depth(plan.depth_row, each(position, Lane));
            let mut faded = number(0.0);
            for (place, own) in plan.splits.iter().enumerate() {
                if plan.settings.blend > 0.0 {
                    let length = plan.settings.blend * (own.far - own.near);
                    let part = (depth - number(own.far - length)) / number(length);
                    let part = part.simd_gt(number(0.0)).select(part, number(0.0));
                    let part = part.simd_lt(number(1.0)).select(part, number(1.0));
                    faded = split.simd_eq(number(place as f32)).select(part, faded);
                }
                let past = depth.simd_lt(number(own.far)).select(number(0.0), number(1.0));
                // Ends rise: who is past one is past those before it.
                split += past;
            }
            Chosen { split, faded: (plan.settings.blend > 0.0).then_some(faded) }
        }
        SplitSelection::Containment => {
            let count = casting.maps.len();
            split = number(count as f32);
            let margin = plan.settings.filter.reach() as f32 / plan.settings.side as f32;
            for place in (0..count).rev() {
                let [u, v, depth] = coordinates(simd, casting, place, position);
                let inside = within(simd, u, margin, 1.0 - margin)
                    & within(simd, v, margin, 1.0 - margin)
                    & within(simd, depth, 0.0, 1.0);
                split = inside.select(number(place as f32), split);
            }
            Chosen { split, faded: None }
        }
    }
}

#[inline(always)]
fn within<S: Simd>(simd: S, value: f32x8<S>, low: f32, high: f32) -> mask32x8<S> {
    value.simd_ge(f32x8::splat(simd, low)) & value.simd_le(f32x8::splat(simd, high))
}

/// The comparisons of a filter, weighed.
#[simd]
fn look_up<S: Simd>(simd: S, map: &DepthMap, filter: ShadowFilter, [u, v, depth]: [f32x8<S>; 3]) -> f32x8<S> {
    let depth = clamped(simd, depth, 0.0, 1.0);
    let count = filter.lookups();
    let half = if count == 0 { 0.0 } else { 0.5 };
    let side = map.side() as f32;
    let ((column, across), (row, down)) = (texel(simd, u * side - half, side), texel(simd, v * side - half, side));
    let (columns, rows) = (column.to_array(), row.to_array());
    // How far the first texel of a filter is before the one that is hit.
    let before = (count.saturating_sub(1) / 2) * (map.stride() + 1);
    let texels =
        Texels { map, first: std::array::from_fn(|lane| map.place(columns[lane] as i32, rows[lane] as i32) - before) };
    if count == 0 {
        return texels.compare(simd, depth, 0, 0);
    }
    let uppermost = texels.line(simd, depth, 0, count, across);
    let mut sum = uppermost;
    for row in 1..count {
        sum += texels.line(simd, depth, row, count, across);
    }
    let sum = sum + down * (texels.line(simd, depth, count, count, across) - uppermost);
    sum / ((count * count) as f32)
}

/// What is not a number becomes `low`: it is beside the map.
#[inline(always)]
fn clamped<S: Simd>(simd: S, value: f32x8<S>, low: f32, high: f32) -> f32x8<S> {
    let (low, high) = (f32x8::splat(simd, low), f32x8::splat(simd, high));
    let value = value.simd_gt(low).select(value, low);
    value.simd_lt(high).select(value, high)
}

/// The texel at a coordinate, and how far behind its start that is.
#[inline(always)]
fn texel<S: Simd>(simd: S, coordinate: f32x8<S>, side: f32) -> (f32x8<S>, f32x8<S>) {
    let whole = coordinate.floor();
    // Beyond, all texels that a filter reads are the border's.
    (clamped(simd, whole, -4.0, side + 3.0), coordinate - whole)
}

/// What each lane reads of a map.
struct Texels<'a> {
    map: &'a DepthMap,
    /// Where the first texel of each lane's filter lies.
    first: [usize; LANES],
}

impl Texels<'_> {
    /// 1 where nothing lies before the depth in the texel of this row and column of the filter.
    #[inline(always)]
    fn compare<S: Simd>(&self, simd: S, depth: f32x8<S>, row: usize, column: usize) -> f32x8<S> {
        let (depths, offset) = (self.map.with_border(), row * self.map.stride() + column);
        let mut stored = [0.0; LANES];
        for (stored, first) in stored.iter_mut().zip(self.first) {
            *stored = depths[first + offset];
        }
        depth.simd_le(f32x8::simd_from(simd, stored)).select(f32x8::splat(simd, 1.0), f32x8::splat(simd, 0.0))
    }

    /// The sum of a row of comparisons, the last one by its weight and the first one without.
    #[inline(always)]
    fn line<S: Simd>(&self, simd: S, depth: f32x8<S>, row: usize, count: usize, across: f32x8<S>) -> f32x8<S> {
        let leftmost = self.compare(simd, depth, row, 0);
        let mut sum = leftmost;
        for column in 1..count {
            sum += self.compare(simd, depth, row, column);
        }
        sum + across * (self.compare(simd, depth, row, count) - leftmost)
    }
}
