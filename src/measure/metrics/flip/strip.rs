//! One strip of columns of ꟻLIP: filter, compare, write errors.
//!
//! Why it exists: the filters reach ten pixels each way, so a pixel is read hundreds of times. A strip walks down the
//! picture row by row and keeps the horizontally filtered rows it still needs in a ring that fits into the cache.

use fearless_simd::prelude::*;
use fearless_simd_macros::simd;
use refrast_simd::dispatch_wide;

use super::{
    super::vector_math::{exp2, log2, power},
    constants::{COLOR_EXPONENT, Constants},
};
use refrast_simd::SimdLevel;

/// Columns of a strip; a multiple of every vector length. The ring of both pictures takes about 150 KiB.
pub(super) const COLUMNS: usize = 128;

/// Horizontally filtered planes of a row, in this order: Y, Cx and the two parts of Cz through their spatial filters;
/// luminance through the first derivative, the second derivative and the Gaussian.
const PLANES: usize = 7;
const Y: usize = 0;
const CX: usize = 1;
const CZ_FIRST: usize = 2;
const CZ_SECOND: usize = 3;
const EDGE: usize = 4;
const POINT: usize = 5;
const SMOOTH: usize = 6;

/// Where a strip lies: the picture's size, the strip's first column and its first row.
#[derive(Clone, Copy)]
pub(super) struct Area {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) left: usize,
    pub(super) top: usize,
}

/// The buffers of a strip, for one thread.
pub(super) struct Strip<'a> {
    constants: &'a Constants,
    /// Linear red, green and blue of one row with `reach` more pixels on each side.
    linear_row: [Vec<f32>; 3],
    /// Y, Cx, Cz and the luminance in 0..1 of the same row.
    opponent_row: [Vec<f32>; 4],
    /// For each picture, `2·reach + 1` rows of [`PLANES`] · [`COLUMNS`] values.
    rings: [Vec<f32>; 2],
    /// Where a ring holds the rows 0, 1, 2 … above and below the current one; outside the picture its edge repeats.
    taps: Vec<[usize; 2]>,
}

impl<'a> Strip<'a> {
    pub(super) fn new(constants: &'a Constants) -> Self {
        // Whole vectors past the apron are computed too, so that no loop has a tail.
        let row = COLUMNS + (2 * constants.reach()).next_multiple_of(16);
        let ring = vec![0.0; (2 * constants.reach() + 1) * PLANES * COLUMNS];
        Self {
            constants,
            linear_row: std::array::from_fn(|_| vec![0.0; row]),
            opponent_row: std::array::from_fn(|_| vec![0.0; row]),
            rings: [ring.clone(), ring],
            taps: vec![[0; 2]; constants.reach() + 1],
        }
    }

    /// Writes the errors of the rows of `errors`, which has full rows from `area.top` on, in the strip's columns.
    ///
    /// Where nothing within reach differs the error is 0 without any arithmetic: equal numbers go through equal steps.
    pub(super) fn run<T: Copy + PartialEq + Into<usize>>(
        &mut self,
        pictures: [&[T]; 2],
        linear: &[f32],
        area: Area,
        errors: &mut [f32],
        level: SimdLevel,
    ) {
        let reach = self.constants.reach();
        let ring_rows = 2 * reach + 1;
        let rows = errors.len() / area.width;
        let columns = area.left.saturating_sub(reach)..(area.left + COLUMNS + reach).min(area.width);
        let count = COLUMNS.min(area.width - area.left);
        let mut next = area.top.saturating_sub(reach);
        // The first row at or below the current window's top that differs, looked for only as far as is needed.
        let mut differing = next;
        for (row, errors) in (area.top..area.top + rows).zip(errors.chunks_exact_mut(area.width)) {
            let window = row.saturating_sub(reach)..(row + reach + 1).min(area.height);
            differing = differing.max(window.start);
            let equal = |row: usize| {
                let range = (row * area.width + columns.start) * 4..(row * area.width + columns.end) * 4;
                pictures[0][range.clone()] == pictures[1][range]
            };
            while differing < window.end && equal(differing) {
                differing += 1;
            }
            if differing >= window.end {
                errors[area.left..area.left + count].fill(0.0);
                continue;
            }
            next = next.max(window.start);
            while next < window.end {
                for (which, picture) in pictures.iter().enumerate() {
                    self.load(picture, linear, area, next);
                    let length = PLANES * COLUMNS;
                    let to = &mut self.rings[which][next % ring_rows * length..][..length];
                    let (rgb, opponent) = (&self.linear_row, &mut self.opponent_row);
                    dispatch_wide!(level.token_or_base(), simd => filter_row(simd, self.constants, rgb, opponent, to));
                }
                next += 1;
            }
            for (distance, taps) in self.taps.iter_mut().enumerate() {
                let rows = [row.saturating_sub(distance), (row + distance).min(area.height - 1)];
                *taps = rows.map(|row| row % ring_rows * PLANES * COLUMNS);
            }
            let mut out = [0.0; COLUMNS];
            let rings = [&*self.rings[0], &*self.rings[1]];
            let taps = &self.taps;
            dispatch_wide!(level.token_or_base(), simd => compare_row(simd, self.constants, rings, taps, &mut out));
            errors[area.left..area.left + count].copy_from_slice(&out[..count]);
        }
    }

    /// Linear values of a row; columns outside the picture repeat its edge.
    fn load<T: Copy + Into<usize>>(&mut self, picture: &[T], linear: &[f32], area: Area, row: usize) {
        let reach = self.constants.reach();
        let pixels = picture[row * area.width * 4..][..area.width * 4].as_chunks::<4>().0;
        let [reds, greens, blues] = &mut self.linear_row;
        let places = reds.iter_mut().zip(greens).zip(blues);
        for (index, ((red, green), blue)) in places.enumerate() {
            let column = (area.left + index).saturating_sub(reach).min(area.width - 1);
            let [r, g, b, _] = pixels[column];
            (*red, *green, *blue) = (linear[r.into()], linear[g.into()], linear[b.into()]);
        }
    }
}

#[inline(always)]
fn transform<S: Simd>(row: [f32; 3], [x, y, z]: [S::f32s; 3]) -> S::f32s {
    x * row[0] + y * row[1] + z * row[2]
}

// The kernels below spell out what `array::map` and iterator closures would say shorter: those are functions of the
// standard library, compiled without the level's instructions, and a kernel must not call out in its inner loop.

/// One row from linear RGB through the horizontal filters.
#[simd]
fn filter_row<S: Simd>(
    simd: S,
    constants: &Constants,
    rgb: &[Vec<f32>; 3],
    opponent: &mut [Vec<f32>; 4],
    to: &mut [f32],
) {
    let length = S::f32s::LEN;
    let [xs, ys, zs] = constants.from_rgb;
    for start in (0..rgb[0].len()).step_by(length) {
        let rgb = [
            S::f32s::from_slice(simd, &rgb[0][start..start + length]),
            S::f32s::from_slice(simd, &rgb[1][start..start + length]),
            S::f32s::from_slice(simd, &rgb[2][start..start + length]),
        ];
        let (x, y, z) = (transform::<S>(xs, rgb), transform::<S>(ys, rgb), transform::<S>(zs, rgb));
        (y * 116.0 - 16.0).store_slice(&mut opponent[0][start..start + length]);
        ((x - y) * 500.0).store_slice(&mut opponent[1][start..start + length]);
        ((y - z) * 200.0).store_slice(&mut opponent[2][start..start + length]);
        y.store_slice(&mut opponent[3][start..start + length]);
    }
    let reach = constants.reach();
    let [row_y, row_cx, row_cz, luminance] = opponent;
    for start in (0..COLUMNS).step_by(length) {
        let center = start + reach;

        let [y_weights, cx_weights, first_weights, second_weights] = &constants.spatial;
        let cz_center = load(simd, row_cz, center);
        let mut y = load(simd, row_y, center) * y_weights[0];
        let mut cx = load(simd, row_cx, center) * cx_weights[0];
        let (mut cz_first, mut cz_second) = (cz_center * first_weights[0], cz_center * second_weights[0]);
        for distance in 1..y_weights.len() {
            let (before, after) = (center - distance, center + distance);
            let cz = load(simd, row_cz, before) + load(simd, row_cz, after);
            y += (load(simd, row_y, before) + load(simd, row_y, after)) * y_weights[distance];
            cx += (load(simd, row_cx, before) + load(simd, row_cx, after)) * cx_weights[distance];
            cz_first += cz * first_weights[distance];
            cz_second += cz * second_weights[distance];
        }

        let [smooth_weights, edge_weights, point_weights] = &constants.feature;
        let value = load(simd, luminance, center);
        let mut edge = S::f32s::splat(simd, 0.0);
        let (mut point, mut smooth) = (value * point_weights[0], value * smooth_weights[0]);
        for distance in 1..smooth_weights.len() {
            let before = load(simd, luminance, center - distance);
            let after = load(simd, luminance, center + distance);
            let sum = before + after;
            edge += (after - before) * edge_weights[distance];
            point += sum * point_weights[distance];
            smooth += sum * smooth_weights[distance];
        }
        let planes: [S::f32s; PLANES] = [y, cx, cz_first, cz_second, edge, point, smooth];
        for (plane, value) in planes.into_iter().enumerate() {
            value.store_slice(&mut to[plane * COLUMNS + start..][..length]);
        }
    }
}

/// One row of errors: vertical filters, colour difference, feature difference.
#[simd]
fn compare_row<S: Simd>(
    simd: S,
    constants: &Constants,
    rings: [&[f32]; 2],
    taps: &[[usize; 2]],
    errors: &mut [f32; COLUMNS],
) {
    let length = S::f32s::LEN;
    for start in (0..COLUMNS).step_by(length) {
        let [golden, candidate] = rings;
        let [golden_l, golden_a, golden_b] =
            perceived_color(simd, constants, spatial_column(simd, constants, golden, taps, start));
        let [candidate_l, candidate_a, candidate_b] =
            perceived_color(simd, constants, spatial_column(simd, constants, candidate, taps, start));
        let [golden_edge, golden_point] = feature_column(simd, constants, golden, taps, start);
        let [candidate_edge, candidate_point] = feature_column(simd, constants, candidate, taps, start);

        let (a, b) = (golden_a - candidate_a, golden_b - candidate_b);
        let distance = (golden_l - candidate_l).abs() + (a * a + b * b).sqrt();
        let distance = power(simd, distance, S::f32s::splat(simd, COLOR_EXPONENT));
        let below = distance * constants.low_scale;
        let above = (distance - constants.knee) * constants.high_scale + constants.target;
        let color = distance.simd_lt(S::f32s::splat(simd, constants.knee)).select(below, above);

        let (edge, point) = ((golden_edge - candidate_edge).abs(), (golden_point - candidate_point).abs());
        // The exponent q_f of the feature difference is one half.
        let feature = (edge.max_precise(point) * std::f32::consts::FRAC_1_SQRT_2).sqrt();
        let error = power(simd, color, S::f32s::splat(simd, 1.0) - feature);
        error.store_slice(&mut errors[start..start + length]);
    }
}

/// Y, Cx and Cz of a column through the vertical spatial filters.
#[inline(always)]
fn spatial_column<S: Simd>(
    simd: S,
    constants: &Constants,
    ring: &[f32],
    taps: &[[usize; 2]],
    start: usize,
) -> [S::f32s; 3] {
    let [y_weights, cx_weights, first_weights, second_weights] = &constants.spatial;
    let center = taps[0][0] + start;
    let mut y = load(simd, ring, center + Y * COLUMNS) * y_weights[0];
    let mut cx = load(simd, ring, center + CX * COLUMNS) * cx_weights[0];
    let mut first = load(simd, ring, center + CZ_FIRST * COLUMNS) * first_weights[0];
    let mut second = load(simd, ring, center + CZ_SECOND * COLUMNS) * second_weights[0];
    for distance in 1..y_weights.len() {
        let [above, below] = taps[distance];
        y += pair(simd, ring, above, below, Y, start) * y_weights[distance];
        cx += pair(simd, ring, above, below, CX, start) * cx_weights[distance];
        first += pair(simd, ring, above, below, CZ_FIRST, start) * first_weights[distance];
        second += pair(simd, ring, above, below, CZ_SECOND, start) * second_weights[distance];
    }
    [y, cx, first + second]
}

/// Edge and point strength of a column: the lengths of the two gradients.
#[inline(always)]
fn feature_column<S: Simd>(
    simd: S,
    constants: &Constants,
    ring: &[f32],
    taps: &[[usize; 2]],
    start: usize,
) -> [S::f32s; 2] {
    let [smooth_weights, edge_weights, point_weights] = &constants.feature;
    let center = taps[0][0] + start;
    let mut edge_x = load(simd, ring, center + EDGE * COLUMNS) * smooth_weights[0];
    let mut point_x = load(simd, ring, center + POINT * COLUMNS) * smooth_weights[0];
    let mut edge_y = S::f32s::splat(simd, 0.0);
    let mut point_y = load(simd, ring, center + SMOOTH * COLUMNS) * point_weights[0];
    for distance in 1..smooth_weights.len() {
        let [above, below] = taps[distance];
        let smooth_above = load(simd, ring, above + SMOOTH * COLUMNS + start);
        let smooth_below = load(simd, ring, below + SMOOTH * COLUMNS + start);
        edge_x += pair(simd, ring, above, below, EDGE, start) * smooth_weights[distance];
        point_x += pair(simd, ring, above, below, POINT, start) * smooth_weights[distance];
        edge_y += (smooth_below - smooth_above) * edge_weights[distance];
        point_y += (smooth_below + smooth_above) * point_weights[distance];
    }
    [(edge_x * edge_x + edge_y * edge_y).sqrt(), (point_x * point_x + point_y * point_y).sqrt()]
}

#[inline(always)]
fn load<S: Simd>(simd: S, row: &[f32], at: usize) -> S::f32s {
    S::f32s::from_slice(simd, &row[at..at + S::f32s::LEN])
}

/// The sum of the rows at two ring offsets, of one plane.
#[inline(always)]
fn pair<S: Simd>(simd: S, ring: &[f32], above: usize, below: usize, plane: usize, start: usize) -> S::f32s {
    let at = plane * COLUMNS + start;
    load(simd, ring, above + at) + load(simd, ring, below + at)
}

/// Filtered Y, Cx, Cz to Hunt-adjusted L*a*b*, clamped to what a display shows on the way.
#[inline(always)]
fn perceived_color<S: Simd>(simd: S, constants: &Constants, [y, cx, cz]: [S::f32s; 3]) -> [S::f32s; 3] {
    let (zero, one) = (S::f32s::splat(simd, 0.0), S::f32s::splat(simd, 1.0));
    let y = (y + 16.0) * (1.0 / 116.0);
    let xyz = [y + cx * (1.0 / 500.0), y, y - cz * (1.0 / 200.0)];
    let [red, green, blue] = constants.to_rgb;
    let rgb = [
        transform::<S>(red, xyz).max_precise(zero).min_precise(one),
        transform::<S>(green, xyz).max_precise(zero).min_precise(one),
        transform::<S>(blue, xyz).max_precise(zero).min_precise(one),
    ];
    let [xs, ys, zs] = constants.from_rgb;
    let x = lab_curve(simd, transform::<S>(xs, rgb));
    let y = lab_curve(simd, transform::<S>(ys, rgb));
    let z = lab_curve(simd, transform::<S>(zs, rgb));
    let lightness = y * 116.0 - 16.0;
    let hunt = lightness * 0.01;
    [lightness, hunt * ((x - y) * 500.0), hunt * ((y - z) * 200.0)]
}

/// The curve of CIE L*a*b*: the cube root, with a straight line below (6/29)³.
#[inline(always)]
fn lab_curve<S: Simd>(simd: S, t: S::f32s) -> S::f32s {
    const DELTA: f32 = 6.0 / 29.0;
    const KNEE: f32 = DELTA * DELTA * DELTA;
    let knee = S::f32s::splat(simd, KNEE);
    let root = exp2(simd, log2(simd, t.max_precise(knee)) * (1.0 / 3.0));
    let line = t * (1.0 / (3.0 * DELTA * DELTA)) + 4.0 / 29.0;
    t.simd_gt(knee).select(root, line)
}
