//! Fragments → [`FragmentBatch`]: where shading gets its weights from.
//!
//! Why it exists: coverage works on triangles and shading on pixels; here eight pixels of up to eight triangles are
//! turned into perspective-correct weights and their exact derivatives.
//!
//! At the pixel's centre, also where only other samples of the pixel are covered (no centroid sampling), with edge
//! values e_i rounded once from exact integers, r_i = min(w) / w_i:
//!
//! ```text
//! p_i = e_i · r_i        s = p_0 + (p_1 + p_2)        l_i = p_i / s
//! g_i = ∂e_i · r_i       ∂l_i = (g_i − l_i · (g_0 + (g_1 + g_2))) · (1 / s)
//! ```
//!
//! (Heckbert and Moreton, *Interpolation for Polygon Texture Mapping and Shading*, 1991, with r for 1/w so that no
//! intermediate value overflows.) Where s is not positive, the centre lies beyond the horizon of the triangle's plane:
//! there the weights are those of the flat picture, r_i = 1.

use fearless_simd::{Simd, f32x8, i32x8, mask32x8, prelude::*};

use super::VertexStream;
use super::fragment::{FragmentBatch, LANES};
use super::triangle::SetupTriangle;
use super::visibility::{Fragment, Tile};

/// Edge values at eight centres and their change for one pixel, rounded to f32.
struct EdgeValues<S: Simd> {
    value: [f32x8<S>; 3],
    dx: [f32x8<S>; 3],
    dy: [f32x8<S>; 3],
}

#[inline(always)]
fn lanes<S: Simd>(simd: S, value: impl FnMut(usize) -> f32) -> f32x8<S> {
    f32x8::simd_from(simd, std::array::from_fn::<f32, LANES, _>(value))
}

#[inline(always)]
fn edge_values<S: Simd>(
    simd: S,
    tile: &Tile<'_>,
    triangles: &[&SetupTriangle; LANES],
    pixels: [[u32; LANES]; 2],
) -> EdgeValues<S> {
    let grid = tile.grid;
    let half = grid.one() / 2;
    let pixel = grid.one() as f32;
    if triangles.iter().all(|triangle| triangle.is_small()) {
        let ints = |value: &dyn Fn(usize) -> i32| i32x8::simd_from(simd, std::array::from_fn::<i32, LANES, _>(value));
        let [px, py] = pixels.map(|pixels| ints(&|lane| ((pixels[lane] as i32) << grid.bits) + half));
        let x: [_; 3] = std::array::from_fn(|i| ints(&|lane| triangles[lane].x[i]));
        let y: [_; 3] = std::array::from_fn(|i| ints(&|lane| triangles[lane].y[i]));
        let slopes: [_; 3] = std::array::from_fn(|edge| {
            let (from, to) = ((edge + 1) % 3, (edge + 2) % 3);
            [y[from] - y[to], x[to] - x[from]]
        });
        return EdgeValues {
            value: std::array::from_fn(|edge| {
                let from = (edge + 1) % 3;
                let [a, b] = slopes[edge];
                (a * (px - x[from]) + b * (py - y[from])).to_float()
            }),
            dx: slopes.map(|[a, _]| a.to_float::<f32x8<S>>() * pixel),
            dy: slopes.map(|[_, b]| b.to_float::<f32x8<S>>() * pixel),
        };
    }
    let edges = triangles.map(SetupTriangle::edges);
    EdgeValues {
        value: std::array::from_fn(|edge| {
            lanes(simd, |lane| {
                let [x, y] = [0, 1].map(|axis| (i64::from(pixels[axis][lane]) << grid.bits) + i64::from(half));
                edges[lane].value(edge, x, y) as f32
            })
        }),
        dx: std::array::from_fn(|edge| lanes(simd, |lane| edges[lane].a[edge] as f32 * pixel)),
        dy: std::array::from_fn(|edge| lanes(simd, |lane| edges[lane].b[edge] as f32 * pixel)),
    }
}

/// Builds the batch of up to eight fragments of one draw.
#[inline(always)]
pub(super) fn make<'a, S: Simd>(
    simd: S,
    tile: &Tile<'_>,
    stream: &'a VertexStream,
    fragments: &[Fragment],
) -> FragmentBatch<'a, S> {
    // Lanes past the end repeat the first fragment.
    let lane_fragments: [Fragment; LANES] =
        std::array::from_fn(|lane| fragments.get(lane).copied().unwrap_or(fragments[0]));
    let triangles = lane_fragments.map(|fragment| tile.triangle(fragment.triangle));
    let x: [u32; LANES] = lane_fragments.map(|fragment| tile.origin[0] as u32 + u32::from(fragment.x));
    let y: [u32; LANES] = lane_fragments.map(|fragment| tile.origin[1] as u32 + u32::from(fragment.y));
    let EdgeValues { value: e, dx: ex, dy: ey } = edge_values(simd, tile, &triangles, [x, y]);

    let mut w = [[0.0; LANES]; 3];
    let mut pieces = [None; LANES];
    let mut front = [0; LANES];
    for (lane, triangle) in triangles.iter().enumerate() {
        front[lane] = -i32::from(triangle.front());
        if let Some(piece) = triangle.piece() {
            let piece = &tile.chunk(lane_fragments[lane].triangle).pieces[piece];
            pieces[lane] = Some(piece);
            (0..3).for_each(|i| w[i][lane] = piece.w[i]);
        } else {
            (0..3).for_each(|i| w[i][lane] = stream.w[triangle.vertices[i] as usize]);
        }
    }
    let w = w.map(|w| f32x8::simd_from(simd, w));
    let nearest = w[0].min_precise(w[1]).min_precise(w[2]);
    let mut r = w.map(|w| nearest / w);
    let mut p: [_; 3] = std::array::from_fn(|i| e[i] * r[i]);
    let mut s = p[0] + (p[1] + p[2]);
    let facing = s.simd_gt(0.0);
    if !facing.all_true() {
        r = r.map(|r| facing.select(r, f32x8::splat(simd, 1.0)));
        p = std::array::from_fn(|i| e[i] * r[i]);
        let area = lanes(simd, |lane| super::triangle::doubled_area(triangles[lane].x, triangles[lane].y) as f32);
        s = facing.select(s, area);
    }
    let inverse = f32x8::splat(simd, 1.0) / s;
    let derivative = |l: [f32x8<S>; 3], change: [f32x8<S>; 3]| -> [f32x8<S>; 2] {
        let g: [_; 3] = std::array::from_fn(|i| change[i] * r[i]);
        let sum = g[0] + (g[1] + g[2]);
        [1, 2].map(|i| (g[i] - l[i] * sum) * inverse)
    };
    let l: [_; 3] = p.map(|p| p / s);
    let mut barycentrics = [l[1], l[2]];
    let mut dx = derivative(l, ex);
    let mut dy = derivative(l, ey);
    if pieces.iter().any(Option::is_some) {
        for lane in 0..LANES {
            let Some(piece) = pieces[lane] else { continue };
            let map = |l: [f32; 3]| -> [f32; 2] {
                [1, 2].map(|j| l[0] * piece.weights[0][j] + (l[1] * piece.weights[1][j] + l[2] * piece.weights[2][j]))
            };
            let change = |d: &[f32x8<S>; 2]| map([-(d[0][lane] + d[1][lane]), d[0][lane], d[1][lane]]);
            let [value, right, down] = [map(l.map(|l| l[lane])), change(&dx), change(&dy)];
            for i in 0..2 {
                barycentrics[i][lane] = value[i];
                dx[i][lane] = right[i];
                dy[i][lane] = down[i];
            }
        }
    }

    let z0 = lanes(simd, |lane| triangles[lane].z0);
    let [k1, k2] = [0, 1].map(|i| lanes(simd, |lane| triangles[lane].k[i]));
    let depth = z0 + (e[1] * k1 + e[2] * k2);
    FragmentBatch {
        simd,
        varyings: &stream.varyings,
        stride: stream.stride,
        vertices: std::array::from_fn(|i| std::array::from_fn(|lane| triangles[lane].vertices[i])),
        barycentrics,
        dx,
        dy,
        depth: depth.max_precise(f32x8::splat(simd, 0.0)).min_precise(f32x8::splat(simd, 1.0)),
        front: mask32x8::simd_from(simd, front),
        x,
        y,
        active: (0xffu32 >> (LANES - fragments.len())) as u8,
    }
}
