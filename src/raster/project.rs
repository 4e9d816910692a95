//! Clip space → the grid of the window, eight vertices at a time.
//!
//! Why it exists: a vertex is shared by about six triangles, so that dividing, snapping and judging it once pays; and
//! the snapped position is *the* position from here on, so that two triangles that share an edge can not disagree.
//!
//! The arithmetic is f64: the window coordinate is off by less than 2^-36 grid units before it is rounded (to nearest,
//! ties to even), at any number of grid bits.

use fearless_simd::{Simd, f64x4, mask64x4, prelude::*};
use fearless_simd_macros::simd;

use super::grid::Grid;
use refrast_draw::VertexStream;
use refrast_simd::unroll;

/// Bits of [`WindowVertex::code`]: the vertex is outside of one side of the view volume …
pub(super) const LEFT: u32 = 1;
pub(super) const RIGHT: u32 = 2;
pub(super) const BELOW: u32 = 4;
pub(super) const ABOVE: u32 = 8;
pub(super) const NEAR: u32 = 16;
pub(super) const FAR: u32 = 32;
/// … of all six: a primitive whose vertices share one of these can not be seen …
pub(super) const FRUSTUM: u32 = LEFT | RIGHT | BELOW | ABOVE | NEAR | FAR;
/// … or can not be put on the grid: outside the guard band, or w too small …
pub(super) const GUARD: u32 = 64;
/// … or has a coordinate that is not a number or infinite.
pub(super) const NOT_FINITE: u32 = 128;
/// A primitive with one of these at a vertex has to be clipped.
pub(super) const CLIP: u32 = NEAR | FAR | GUARD;

/// The smallest w that is divided by. With finite f32 coordinates x / w stays finite in f64.
pub(super) const MIN_W: f32 = f32::from_bits((127 - 100) << 23);

/// Adding and subtracting 1.5 · 2^52 rounds to an integer, ties to even, for |v| < 2^51; the sum's low word is that
/// integer in two's complement.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// A vertex on the grid.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WindowVertex {
    /// Grid units from the picture's left side.
    pub(super) x: i32,
    /// Grid units from the picture's top.
    pub(super) y: i32,
    /// Window depth, clamped to [0, 1] but where depth is clamped fragment by fragment.
    pub(super) z: f32,
    /// What is wrong with the vertex; 0 is nothing.
    pub(super) code: u32,
}

/// Vertices a task.
pub(super) const BLOCK: usize = 2048;

/// Projects the vertices `first..first + out.len()` of a stream.
#[simd]
pub(super) fn project<S: Simd>(simd: S, grid: &Grid, stream: &VertexStream, first: usize, out: &mut [WindowVertex]) {
    let planes = [&stream.x, &stream.y, &stream.z, &stream.w].map(|plane| &plane[first..first + out.len()]);
    for (chunk, out) in out.chunks_mut(4).enumerate() {
        let start = chunk * 4;
        let mut lanes = [[0.0; 4]; 4];
        for (lanes, plane) in lanes.iter_mut().zip(planes) {
            for (lane, value) in lanes.iter_mut().zip(&plane[start..]) {
                *lane = f64::from(*value);
            }
        }
        project_four(simd, grid, lanes, out);
    }
}

#[inline(always)]
fn project_four<S: Simd>(simd: S, grid: &Grid, planes: [[f64; 4]; 4], out: &mut [WindowVertex]) {
    let [x, y, z, w] = unroll!(i in [0, 1, 2, 3] => f64x4::simd_from(simd, planes[i]));
    let zero = f64x4::splat(simd, 0.0);
    let near = if grid.depth_range()[1] > 0.0 { -w } else { zero };
    let largest = f64x4::splat(simd, f64::from(f32::MAX));
    let finite =
        x.abs().simd_le(largest) & y.abs().simd_le(largest) & z.abs().simd_le(largest) & w.abs().simd_le(largest);

    let positive = w.simd_ge(f64::from(MIN_W));
    let divisor = positive.select(w, f64x4::splat(simd, 1.0));
    let [[ax, bx], [ay, by]] = grid.viewport();
    let [az, bz] = grid.depth_range();
    let scale = f64::from(grid.one());
    let limit = f64x4::splat(simd, f64::from(grid.limit));
    let window_x = (x / divisor * ax + bx) * scale;
    let window_y = (y / divisor * ay + by) * scale;
    let window_z = z / divisor * az + bz;
    let on_grid = positive & finite & window_x.abs().simd_le(limit) & window_y.abs().simd_le(limit);

    let clamped = mask64x4::splat(simd, grid.depth_clamp);
    let codes = [
        (x.simd_lt(-w), LEFT),
        (x.simd_gt(w), RIGHT),
        (y.simd_lt(-w), BELOW),
        (y.simd_gt(w), ABOVE),
        (!clamped & z.simd_lt(near), NEAR),
        (!clamped & z.simd_gt(w), FAR),
        (!on_grid, GUARD),
        (!finite, NOT_FINITE),
    ];
    let mut code = [0; 4];
    for (mask, bit) in codes {
        let lanes = mask.to_bitmask();
        if lanes != 0 {
            for (lane, code) in code.iter_mut().enumerate() {
                *code |= if lanes >> lane & 1 == 1 { bit } else { 0 };
            }
        }
    }
    let snapped_x = (on_grid.select(window_x, zero) + ROUND).to_array();
    let snapped_y = (on_grid.select(window_y, zero) + ROUND).to_array();
    let window_z = on_grid.select(window_z, zero);
    let depth = if grid.depth_clamp {
        // Cut off at the planes only where a fragment's depth is known.
        window_z
    } else {
        window_z.max_precise(zero).min_precise(f64x4::splat(simd, 1.0))
    };
    let depth = depth.to_array();
    for (lane, vertex) in out.iter_mut().enumerate() {
        *vertex = WindowVertex {
            x: snapped_x[lane].to_bits() as u32 as i32,
            y: snapped_y[lane].to_bits() as u32 as i32,
            // Adding +0 takes the sign from a zero: instruction sets disagree which zero is the larger.
            z: depth[lane] as f32 + 0.0,
            code: code[lane],
        };
    }
}
