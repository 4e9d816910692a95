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

use fearless_simd::{Simd, f32x8, f64x8, i32x8, prelude::*, u32x4, u32x8};
use fearless_simd_macros::simd;

use super::{
    clip::Piece,
    triangle::{Common, front},
    visibility::{Fragment, Tile},
};
use refrast_draw::{FragmentBlock, LANES, VertexStream, transpose};
use refrast_simd::unroll;

/// Edge values at eight centres and their change for one pixel, rounded to f32.
struct EdgeValues<S: Simd> {
    value: [f32x8<S>; 3],
    dx: [f32x8<S>; 3],
    dy: [f32x8<S>; 3],
}

/// From corners that fit the i32 path: `e = a · (p − from)`, exact in i32 by [`SetupTriangle::is_small`].
#[inline(always)]
fn small_edge_values<S: Simd>(tile: &Tile<'_>, lanes: &Lanes<S>) -> EdgeValues<S> {
    let bits = tile.grid.bits;
    let half = tile.grid.one() / 2;
    let pixel = tile.grid.one() as f32;
    let [x, y] = lanes.corners;
    let [px, py] = unroll!(axis in [0, 1] => (lanes.pixels[axis] << bits).bitcast::<i32x8<S>>() + half);
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
#[simd]
fn medium_edge_values<S: Simd>(simd: S, tile: &Tile<'_>, group: &Group) -> EdgeValues<S> {
    let one = tile.grid.one();
    let (mut x, mut y) = ([[0.0; LANES]; 3], [[0.0; LANES]; 3]);
    let (mut px, mut py) = ([0.0; LANES], [0.0; LANES]);
    for (lane, fragment) in group.iter().enumerate() {
        let triangle = tile.triangle(fragment.triangle);
        for i in 0..3 {
            x[i][lane] = f64::from(triangle.x[i]);
            y[i][lane] = f64::from(triangle.y[i]);
        }
        let [left, top] = tile.pixel(fragment);
        px[lane] = (f64::from(left) + 0.5) * f64::from(one);
        py[lane] = (f64::from(top) + 0.5) * f64::from(one);
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
#[simd]
fn large_edge_values<S: Simd>(simd: S, tile: &Tile<'_>, group: &Group) -> EdgeValues<S> {
    let half = i64::from(tile.grid.one() / 2);
    let pixel = tile.grid.one() as f32;
    let mut value = [[0.0; LANES]; 3];
    let (mut dx, mut dy) = (value, value);
    for (lane, fragment) in group.iter().enumerate() {
        let edges = tile.triangle(fragment.triangle).edges();
        let [x, y] = tile.pixel(fragment).map(|pixel| (i64::from(pixel) << tile.grid.bits) + half);
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

/// Eight fragments; those past the last one repeat the first.
type Group = [Fragment; LANES];

/// What is in the lanes.
struct Lanes<S: Simd> {
    common: Common,
    /// -1 where the front of a triangle is seen.
    front: i32x8<S>,
    /// Column and row of the pixels.
    pixels: [u32x8<S>; 2],
    /// The corners' x and y.
    corners: [[i32x8<S>; 3]; 2],
    z0: f32x8<S>,
    k: [f32x8<S>; 2],
    vertices: [u32x8<S>; 3],
    /// Clip-space w of the corners.
    w: [f32x8<S>; 3],
}

impl<S: Simd> Lanes<S> {
    /// Triangles are read as rows and transposed, whether some of them are the same or not.
    #[inline(always)]
    fn new(simd: S, tile: &Tile<'_>, group: &Group) -> Self {
        let (numbers, places) = Fragment::unzip(simd, group);
        let numbers = numbers.to_array();
        let seen = unroll!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => tile.triangle_and_w(numbers[lane]));
        let words = unroll!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => seen[lane].0.words());
        let rows = |row: usize| unroll!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => &words[lane][row]);
        let [x0, x1, x2, y0] = columns(simd, rows(0));
        let [y1, y2, z0, k1] = columns(simd, rows(1));
        let [k2, v0, v1, v2] = columns(simd, rows(2));
        let [w0, w1, w2, _] =
            columns(simd, unroll!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => bytemuck::cast_ref(seen[lane].1)));
        let flags = unroll!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => seen[lane].0.flags());
        Self {
            common: Common::of(&flags),
            front: front(u32x8::simd_from(simd, flags)),
            pixels: unroll!(axis in [0, 1] => places[axis] + tile.origin[axis] as u32),
            corners: [
                unroll!(corner in [x0, x1, x2] => corner.bitcast()),
                unroll!(corner in [y0, y1, y2] => corner.bitcast()),
            ],
            z0: z0.bitcast(),
            k: [k1.bitcast(), k2.bitcast()],
            vertices: [v0, v1, v2],
            w: unroll!(w in [w0, w1, w2] => w.bitcast()),
        }
    }
}

/// Eight rows of four words: word by word.
#[inline(always)]
fn columns<S: Simd>(simd: S, rows: [&[u32; 4]; LANES]) -> [u32x8<S>; 4] {
    let rows = unroll!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => u32x4::from_slice(simd, rows[lane]));
    let low = transpose([rows[0], rows[1], rows[2], rows[3]]);
    let high = transpose([rows[4], rows[5], rows[6], rows[7]]);
    unroll!(column in [0, 1, 2, 3] => low[column].combine(high[column]))
}

/// `(change_i · r_i − l_i · Σ) / s` for vertices 1 and 2.
#[inline(always)]
fn derivative<S: Simd>(l: [f32x8<S>; 2], r: [f32x8<S>; 3], change: [f32x8<S>; 3], inverse: f32x8<S>) -> [f32x8<S>; 2] {
    let g = unroll!(i in [0, 1, 2] => change[i] * r[i]);
    let sum = g[0] + (g[1] + g[2]);
    unroll!(i in [0, 1] => (g[i + 1] - l[i] * sum) * inverse)
}

/// Weights of a piece's corners → weights of the primitive's vertices 1 and 2.
fn of_primitive(piece: &Piece, l: [f32; 3]) -> [f32; 2] {
    [1, 2].map(|j: usize| l[0] * piece.weights[0][j] + (l[1] * piece.weights[1][j] + l[2] * piece.weights[2][j]))
}

/// The weights of vertices 1 and 2, and their derivatives.
type Weights = [[[f32; LANES]; 2]; 3];

/// Turns the weights of pieces, `l0` being those of their corners 0, into those of the primitives they were cut from.
#[inline(never)]
fn from_pieces(tile: &Tile<'_>, group: &Group, l0: [f32; LANES], mut weights: Weights) -> Weights {
    let [l, dx, dy] = &mut weights;
    for (lane, fragment) in group.iter().enumerate() {
        let Some(piece) = tile.piece(fragment.triangle) else { continue };
        [l[0][lane], l[1][lane]] = of_primitive(piece, [l0[lane], l[0][lane], l[1][lane]]);
        for change in [&mut *dx, &mut *dy] {
            let [first, second] = [change[0][lane], change[1][lane]];
            [change[0][lane], change[1][lane]] = of_primitive(piece, [-(first + second), first, second]);
        }
    }
    weights
}

/// Builds the block of up to eight fragments of one draw, with zeros in place of derivatives where nobody `derives`.
#[simd]
pub(super) fn make<'a, S: Simd>(
    simd: S,
    tile: &Tile<'_>,
    stream: &'a VertexStream,
    fragments: &[Fragment],
    derives: bool,
) -> FragmentBlock<'a> {
    let mut filled = [Fragment::NONE; LANES];
    let group = fragments.first_chunk().unwrap_or_else(|| {
        filled = std::array::from_fn(|lane| *fragments.get(lane).unwrap_or(&fragments[0]));
        &filled
    });
    let lanes = Lanes::new(simd, tile, group);
    let EdgeValues { value: e, dx: ex, dy: ey } = if lanes.common.are_small() {
        small_edge_values(tile, &lanes)
    } else if lanes.common.are_medium() {
        medium_edge_values(simd, tile, group)
    } else {
        large_edge_values(simd, tile, group)
    };
    let w = lanes.w;
    let nearest = w[0].min_precise(w[1]).min_precise(w[2]);
    let mut r = unroll!(i in [0, 1, 2] => nearest / w[i]);
    let mut p = unroll!(i in [0, 1, 2] => e[i] * r[i]);
    let mut s = p[0] + (p[1] + p[2]);
    let facing = s.simd_gt(0.0);
    if facing.any_false() {
        let area = group.each_ref().map(|fragment| tile.triangle(fragment.triangle).doubled_area() as f32);
        r = unroll!(i in [0, 1, 2] => facing.select(r[i], f32x8::splat(simd, 1.0)));
        p = unroll!(i in [0, 1, 2] => e[i] * r[i]);
        s = facing.select(s, f32x8::simd_from(simd, area));
    }
    let l = unroll!(i in [1, 2] => p[i] / s);
    let [mut dx, mut dy] = [[f32x8::splat(simd, 0.0); 2]; 2];
    if derives {
        let inverse = 1.0 / s;
        dx = derivative(l, r, ex, inverse);
        dy = derivative(l, r, ey, inverse);
    }
    let depth = lanes.z0 + (e[1] * lanes.k[0] + e[2] * lanes.k[1]);
    let depth = depth.max_precise(f32x8::splat(simd, 0.0)).min_precise(f32x8::splat(simd, 1.0));
    let mut weights = unroll!(pair in [l, dx, dy] => unroll!(i in [0, 1] => pair[i].to_array()));
    if !lanes.common.are_whole() {
        weights = from_pieces(tile, group, (p[0] / s).to_array(), weights);
    }
    let [barycentrics, dx, dy] = weights;
    FragmentBlock {
        varyings: &stream.varyings,
        stride: stream.stride,
        vertices: unroll!(i in [0, 1, 2] => lanes.vertices[i].to_array()),
        barycentrics,
        dx,
        dy,
        depth: depth.to_array(),
        front: lanes.front.to_array(),
        x: lanes.pixels[0].to_array(),
        y: lanes.pixels[1].to_array(),
        active: (0xffu32 >> (LANES - fragments.len())) as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        assemble::Chunk,
        grid::Grid,
        triangle::{SetupTriangle, WHOLE, doubled_area},
    };
    use refrast_draw::RasterSettings;
    use refrast_simd::{SimdLevel, dispatch};

    #[simd]
    fn all_forms<S: Simd>(simd: S, tile: &Tile<'_>, group: &Group) -> Vec<Vec<u32>> {
        let forms = [
            small_edge_values(tile, &Lanes::new(simd, tile, group)),
            medium_edge_values(simd, tile, group),
            large_edge_values(simd, tile, group),
        ];
        let planes = forms.map(|form| [form.value, form.dx, form.dy]);
        planes.map(|form| form.iter().flatten().flat_map(|v| v.to_array()).map(f32::to_bits).collect()).into()
    }

    #[test]
    fn the_three_forms_of_edge_values_agree() {
        let grid = Grid::new(&RasterSettings::default()).expect("the settings are in range");
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
        chunk.corner_w.resize(triangles.len(), [1.0; 4]);
        let chunks = [chunk];
        let tile = Tile { grid: &grid, chunks: &chunks, local_bits: 4, number: 0, origin: [0, 0], size: [64, 64] };
        let group: Group = std::array::from_fn(|lane| Fragment::new(lane as u32 % 3, [7 * lane, 3 * lane], 1));
        for level in SimdLevel::available() {
            let forms = dispatch!(level.token_or_base(), simd => all_forms(simd, &tile, &group));
            assert_eq!(forms[0], forms[2], "{level}: i32 and i64");
            assert_eq!(forms[1], forms[2], "{level}: f64 and i64");
        }
    }
}
