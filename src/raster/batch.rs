//! Fragments → [`FragmentBlock`]: where shading gets its weights from.
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

use fearless_simd::{Simd, f32x8, f64x8, i32x8, prelude::*, u32x8};
use fearless_simd_macros::simd;

use super::{
    VertexStream,
    clip::Piece,
    fragment::{FragmentBlock, LANES},
    triangle::{SetupTriangle, doubled_area},
    visibility::{Fragment, Tile},
};
use refrast_simd::unroll;

/// Edge values at eight centres and their change for one pixel, rounded to f32.
struct EdgeValues<S: Simd> {
    value: [f32x8<S>; 3],
    dx: [f32x8<S>; 3],
    dy: [f32x8<S>; 3],
}

/// From corners that fit the i32 path: `e = a · (p − from)`, exact in i32 by [`SetupTriangle::is_small`].
#[inline(always)]
fn small_edge_values<S: Simd>(simd: S, tile: &Tile<'_>, lanes: &Lanes<'_>) -> EdgeValues<S> {
    let bits = tile.grid.bits;
    let half = tile.grid.one() / 2;
    let pixel = tile.grid.one() as f32;
    let (mut x, mut y) = ([[0; LANES]; 3], [[0; LANES]; 3]);
    for (lane, triangle) in lanes.triangles.iter().enumerate() {
        for i in 0..3 {
            x[i][lane] = triangle.x[i];
            y[i][lane] = triangle.y[i];
        }
    }
    let x = unroll!(i in [0, 1, 2] => i32x8::simd_from(simd, x[i]));
    let y = unroll!(i in [0, 1, 2] => i32x8::simd_from(simd, y[i]));
    let px = (u32x8::simd_from(simd, lanes.x) << bits).bitcast::<i32x8<S>>() + half;
    let py = (u32x8::simd_from(simd, lanes.y) << bits).bitcast::<i32x8<S>>() + half;
    let a = unroll!((from, to) in [(1, 2), (2, 0), (0, 1)] => y[from] - y[to]);
    let b = unroll!((from, to) in [(1, 2), (2, 0), (0, 1)] => x[to] - x[from]);
    EdgeValues {
        value: unroll!((i, from) in [(0, 1), (1, 2), (2, 0)] =>
            (a[i] * (px - x[from]) + b[i] * (py - y[from])).to_float()),
        dx: unroll!(i in [0, 1, 2] => a[i].to_float::<f32x8<S>>() * pixel),
        dy: unroll!(i in [0, 1, 2] => b[i].to_float::<f32x8<S>>() * pixel),
    }
}

/// As [`small_edge_values`] with f64 for i32.
#[inline(always)]
fn medium_edge_values<S: Simd>(simd: S, tile: &Tile<'_>, lanes: &Lanes<'_>) -> EdgeValues<S> {
    let one = tile.grid.one();
    let (mut x, mut y) = ([[0.0; LANES]; 3], [[0.0; LANES]; 3]);
    let (mut px, mut py) = ([0.0; LANES], [0.0; LANES]);
    for (lane, triangle) in lanes.triangles.iter().enumerate() {
        for i in 0..3 {
            x[i][lane] = f64::from(triangle.x[i]);
            y[i][lane] = f64::from(triangle.y[i]);
        }
        px[lane] = (f64::from(lanes.x[lane]) + 0.5) * f64::from(one);
        py[lane] = (f64::from(lanes.y[lane]) + 0.5) * f64::from(one);
    }
    let x = unroll!(i in [0, 1, 2] => f64x8::simd_from(simd, x[i]));
    let y = unroll!(i in [0, 1, 2] => f64x8::simd_from(simd, y[i]));
    let (px, py) = (f64x8::simd_from(simd, px), f64x8::simd_from(simd, py));
    let a = unroll!((from, to) in [(1, 2), (2, 0), (0, 1)] => y[from] - y[to]);
    let b = unroll!((from, to) in [(1, 2), (2, 0), (0, 1)] => x[to] - x[from]);
    EdgeValues {
        value: unroll!((i, from) in [(0, 1), (1, 2), (2, 0)] => round(a[i] * (px - x[from]) + b[i] * (py - y[from]))),
        dx: unroll!(i in [0, 1, 2] => round(a[i]) * one as f32),
        dy: unroll!(i in [0, 1, 2] => round(b[i]) * one as f32),
    }
}

/// f64 → f32, to nearest even.
#[inline(always)]
fn round<S: Simd>(value: f64x8<S>) -> f32x8<S> {
    let (low, high) = value.split();
    low.narrow(high)
}

/// From any corners, lane by lane in i64.
#[inline(always)]
fn large_edge_values<S: Simd>(simd: S, tile: &Tile<'_>, lanes: &Lanes<'_>) -> EdgeValues<S> {
    let half = i64::from(tile.grid.one() / 2);
    let pixel = tile.grid.one() as f32;
    let mut value = [[0.0; LANES]; 3];
    let (mut dx, mut dy) = (value, value);
    for (lane, triangle) in lanes.triangles.iter().enumerate() {
        let edges = triangle.edges();
        let x = (i64::from(lanes.x[lane]) << tile.grid.bits) + half;
        let y = (i64::from(lanes.y[lane]) << tile.grid.bits) + half;
        for edge in 0..3 {
            value[edge][lane] = edges.value(edge, x, y) as f32;
            dx[edge][lane] = edges.a[edge] as f32 * pixel;
            dy[edge][lane] = edges.b[edge] as f32 * pixel;
        }
    }
    EdgeValues {
        value: unroll!(i in [0, 1, 2] => f32x8::simd_from(simd, value[i])),
        dx: unroll!(i in [0, 1, 2] => f32x8::simd_from(simd, dx[i])),
        dy: unroll!(i in [0, 1, 2] => f32x8::simd_from(simd, dy[i])),
    }
}

/// Who is in the lanes. Those past the last fragment repeat the first.
struct Lanes<'a> {
    triangles: [&'a SetupTriangle; LANES],
    x: [u32; LANES],
    y: [u32; LANES],
    /// Clip-space w of the corners.
    w: [[f32; LANES]; 3],
    any_piece: bool,
    all_small: bool,
    all_medium: bool,
    front: [i32; LANES],
    vertices: [[u32; LANES]; 3],
    z0: [f32; LANES],
    k: [[f32; LANES]; 2],
}

impl<'a> Lanes<'a> {
    #[inline(always)]
    fn new(tile: &Tile<'a>, stream: &VertexStream, fragments: &[Fragment]) -> Self {
        // Most often the first fragment's triangle fills all lanes: what differs is overwritten.
        let first = fragments[0].triangle;
        let triangle = tile.triangle(first);
        let piece = tile.piece(first);
        let mut w = unroll!(i in [0, 1, 2] => stream.w[triangle.vertices[i] as usize]);
        if let Some(piece) = piece {
            w = piece.w;
        }
        let mut lanes = Self {
            triangles: [triangle; LANES],
            x: [0; LANES],
            y: [0; LANES],
            w: unroll!(i in [0, 1, 2] => [w[i]; LANES]),
            any_piece: piece.is_some(),
            all_small: triangle.is_small(),
            all_medium: triangle.is_medium(),
            front: [-i32::from(triangle.front()); LANES],
            vertices: unroll!(i in [0, 1, 2] => [triangle.vertices[i]; LANES]),
            z0: [triangle.z0; LANES],
            k: unroll!(i in [0, 1] => [triangle.k[i]; LANES]),
        };
        for lane in 0..LANES {
            let fragment = fragments.get(lane).unwrap_or(&fragments[0]);
            lanes.x[lane] = tile.origin[0] as u32 + u32::from(fragment.x);
            lanes.y[lane] = tile.origin[1] as u32 + u32::from(fragment.y);
            if fragment.triangle == first {
                continue;
            }
            let triangle = tile.triangle(fragment.triangle);
            lanes.triangles[lane] = triangle;
            lanes.front[lane] = -i32::from(triangle.front());
            lanes.all_small &= triangle.is_small();
            lanes.all_medium &= triangle.is_medium();
            for i in 0..3 {
                lanes.vertices[i][lane] = triangle.vertices[i];
            }
            lanes.z0[lane] = triangle.z0;
            lanes.k[0][lane] = triangle.k[0];
            lanes.k[1][lane] = triangle.k[1];
            for i in 0..3 {
                lanes.w[i][lane] = stream.w[triangle.vertices[i] as usize];
            }
            if let Some(piece) = tile.piece(fragment.triangle) {
                lanes.any_piece = true;
                for i in 0..3 {
                    lanes.w[i][lane] = piece.w[i];
                }
            }
        }
        lanes
    }
}

/// `(change_i · r_i − l_i · Σ) / s` for vertices 1 and 2.
#[inline(always)]
fn derivative<S: Simd>(l: [f32x8<S>; 3], r: [f32x8<S>; 3], change: [f32x8<S>; 3], inverse: f32x8<S>) -> [f32x8<S>; 2] {
    let g = unroll!(i in [0, 1, 2] => change[i] * r[i]);
    let sum = g[0] + (g[1] + g[2]);
    unroll!(i in [1, 2] => (g[i] - l[i] * sum) * inverse)
}

/// Weights of a piece's corners → weights of the primitive's vertices 1 and 2.
fn of_primitive(piece: &Piece, l: [f32; 3]) -> [f32; 2] {
    [1, 2].map(|j: usize| l[0] * piece.weights[0][j] + (l[1] * piece.weights[1][j] + l[2] * piece.weights[2][j]))
}

/// Builds the block of up to eight fragments of one draw.
#[simd]
pub(super) fn make<'a, S: Simd>(
    simd: S,
    tile: &Tile<'_>,
    stream: &'a VertexStream,
    fragments: &[Fragment],
) -> FragmentBlock<'a> {
    let lanes = Lanes::new(tile, stream, fragments);
    let EdgeValues { value: e, dx: ex, dy: ey } = if lanes.all_small {
        small_edge_values(simd, tile, &lanes)
    } else if lanes.all_medium {
        medium_edge_values(simd, tile, &lanes)
    } else {
        large_edge_values(simd, tile, &lanes)
    };
    let w = unroll!(i in [0, 1, 2] => f32x8::simd_from(simd, lanes.w[i]));
    let nearest = w[0].min_precise(w[1]).min_precise(w[2]);
    let mut r = unroll!(i in [0, 1, 2] => nearest / w[i]);
    let mut p = unroll!(i in [0, 1, 2] => e[i] * r[i]);
    let mut s = p[0] + (p[1] + p[2]);
    let facing = s.simd_gt(0.0);
    if facing.any_false() {
        let mut area = [0.0; LANES];
        for (area, triangle) in area.iter_mut().zip(&lanes.triangles) {
            *area = doubled_area(triangle.x, triangle.y) as f32;
        }
        r = unroll!(i in [0, 1, 2] => facing.select(r[i], f32x8::splat(simd, 1.0)));
        p = unroll!(i in [0, 1, 2] => e[i] * r[i]);
        s = facing.select(s, f32x8::simd_from(simd, area));
    }
    let inverse = 1.0 / s;
    let l = unroll!(i in [0, 1, 2] => p[i] / s);
    let mut barycentrics = [l[1], l[2]];
    let mut dx = derivative(l, r, ex, inverse);
    let mut dy = derivative(l, r, ey, inverse);
    if lanes.any_piece {
        for (lane, fragment) in fragments.iter().enumerate() {
            let Some(piece) = tile.piece(fragment.triangle) else { continue };
            let value = of_primitive(piece, [l[0][lane], l[1][lane], l[2][lane]]);
            let right = of_primitive(piece, [-(dx[0][lane] + dx[1][lane]), dx[0][lane], dx[1][lane]]);
            let down = of_primitive(piece, [-(dy[0][lane] + dy[1][lane]), dy[0][lane], dy[1][lane]]);
            for i in 0..2 {
                barycentrics[i][lane] = value[i];
                dx[i][lane] = right[i];
                dy[i][lane] = down[i];
            }
        }
    }

    let [k1, k2] = unroll!(i in [0, 1] => f32x8::simd_from(simd, lanes.k[i]));
    let depth = f32x8::simd_from(simd, lanes.z0) + (e[1] * k1 + e[2] * k2);
    let depth = depth.max_precise(f32x8::splat(simd, 0.0)).min_precise(f32x8::splat(simd, 1.0));
    FragmentBlock {
        varyings: &stream.varyings,
        stride: stream.stride,
        vertices: lanes.vertices,
        barycentrics: unroll!(i in [0, 1] => barycentrics[i].to_array()),
        dx: unroll!(i in [0, 1] => dx[i].to_array()),
        dy: unroll!(i in [0, 1] => dy[i].to_array()),
        depth: depth.to_array(),
        front: lanes.front,
        x: lanes.x,
        y: lanes.y,
        active: (0xffu32 >> (LANES - fragments.len())) as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RasterSettings, VertexStream, assemble::Chunk, settings::Grid, triangle::WHOLE};
    use refrast_simd::SimdLevel;
    use refrast_simd::dispatch;

    #[simd]
    fn all_forms<S: Simd>(simd: S, tile: &Tile<'_>, stream: &VertexStream, fragments: &[Fragment]) -> Vec<Vec<u32>> {
        let lanes = Lanes::new(tile, stream, fragments);
        let forms = [
            small_edge_values(simd, tile, &lanes),
            medium_edge_values(simd, tile, &lanes),
            large_edge_values(simd, tile, &lanes),
        ];
        let planes = forms.map(|form| [form.value, form.dx, form.dy]);
        planes.map(|form| form.iter().flatten().flat_map(|v| v.to_array()).map(f32::to_bits).collect()).into()
    }

    #[test]
    fn the_three_forms_of_edge_values_agree() {
        let grid = Grid::new(&RasterSettings::default()).expect("the settings are in range");
        let mut stream = VertexStream::default();
        stream.resize(3, 0);
        let corners =
            [([1000, 9000, 2000], [500, 3000, 12000]), ([-700, 4000, 100], [-900, 0, 3]), ([5, 300, 17], [9, 11, 310])];
        let triangles = corners.map(|(x, y)| {
            let area = doubled_area(x, y);
            assert!(area > 0, "clockwise");
            SetupTriangle::new(&grid, (x, y, [0.5; 3]), area, [0; 4], [0, 1, 2], 0, (WHOLE, true))
        });
        assert!(triangles.iter().all(|triangle| triangle.is_small()));
        let mut chunk = Chunk::default();
        chunk.triangles.extend(triangles);
        let chunks = [chunk];
        let tile = Tile { grid: &grid, chunks: &chunks, local_bits: 4, number: 0, origin: [0, 0], size: [64, 64] };
        let fragments: [_; LANES] = std::array::from_fn(|lane| Fragment {
            triangle: lane as u32 % 3,
            x: 7 * lane as u8,
            y: 3 * lane as u8,
            samples: 1,
        });
        for level in SimdLevel::available() {
            let forms = dispatch!(level.token_or_base(), simd => all_forms(simd, &tile, &stream, &fragments));
            assert_eq!(forms[0], forms[2], "{level}: i32 and i64");
            assert_eq!(forms[1], forms[2], "{level}: f64 and i64");
        }
    }
}
