//! One tile from bins to finished pixels.
//!
//! Why it exists: a tile owns its pixels, so that whoever works on it, and when, can not change a bit. Its passes:
//!
//! 1. opaque and masked draws, in submission order, into the visibility buffer; masked fragments wait in a list until
//!    eight of them can be asked for their alpha at once, but never past the next draw;
//! 2. what is visible is shaded, once per pixel and triangle;
//! 3. blended draws, in submission order: each fragment that passes the depth test is shaded and laid over the colour
//!    of its samples;
//! 4. samples are averaged, `((s0 + s1) + (s2 + s3)) / 4`, and handed to [`Resolve`].

use fearless_simd::{Simd, f32x4, f32x8, prelude::*};
use fearless_simd_macros::simd;

use super::{
    batch,
    draw::{AlphaMode, DepthTest, Draw},
    fragment::{FragmentShader, LANES, to_pixels},
    settings::tile_size,
    target::Resolve,
    visibility::{Fragment, Tile, VisibilityBuffer, address, collect, draw_opaque, visible},
};
use refrast_simd::unroll;

/// Fragments that may wait: enough to fill batches, few enough for the cache.
const QUEUE: usize = 2048;

/// Buffers of one worker, kept from tile to tile and frame to frame.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) buffer: VisibilityBuffer,
    fragments: Vec<Fragment>,
    grouped: Vec<Fragment>,
    /// Where each draw's fragments start when they are grouped.
    starts: Vec<usize>,
    /// Linear RGBA of each sample: row by row, pixel by pixel, sample by sample.
    colour: Vec<[f32; 4]>,
    row: Vec<[f32; 4]>,
    pub(super) hits: Vec<u32>,
}

/// Renders a tile; `pixels` are its rows of `tile_size` columns.
#[simd]
pub(super) fn render<S: Simd, F: FragmentShader, R: Resolve, const N: usize>(
    simd: S,
    tile: &Tile<'_>,
    draws: &[Draw<'_, F>],
    background: [f32; 4],
    resolve: &R,
    scratch: &mut Scratch,
    pixels: &mut [R::Pixel],
) {
    let tile_size = tile_size(N);
    let [width, height] = tile.size;
    scratch.buffer.clear(tile.grid);
    if (0..tile.chunks.len()).all(|chunk| tile.chunks[chunk].bin(tile.number).is_empty()) {
        scratch.row.clear();
        scratch.row.resize(width, background);
        resolve.resolve(simd, &scratch.row, &mut pixels[..width]);
        for y in 1..height {
            pixels.copy_within(..width, y * tile_size);
        }
        return;
    }
    scratch.colour.clear();
    scratch.colour.resize(tile_size * tile_size * N, background);

    opaque::<S, F, N>(simd, tile, draws, scratch);
    shade_visible::<S, F, N>(simd, tile, draws, scratch);
    blended::<S, F, N>(simd, tile, draws, scratch);

    for (y, pixels) in pixels.chunks_exact_mut(tile_size).take(height).enumerate() {
        let samples = &scratch.colour[y * tile_size * N..][..width * N];
        if N == 1 {
            resolve.resolve(simd, samples, &mut pixels[..width]);
        } else {
            scratch.row.clear();
            scratch.row.extend(
                samples
                    .as_chunks::<4>()
                    .0
                    .iter()
                    .map(|[s0, s1, s2, s3]| unroll!(i in [0, 1, 2, 3] => ((s0[i] + s1[i]) + (s2[i] + s3[i])) * 0.25)),
            );
            resolve.resolve(simd, &scratch.row, &mut pixels[..width]);
        }
    }
}

/// Pass 1.
#[simd]
fn opaque<S: Simd, F: FragmentShader, const N: usize>(
    simd: S,
    tile: &Tile<'_>,
    draws: &[Draw<'_, F>],
    scratch: &mut Scratch,
) {
    for (index, chunk) in tile.chunks.iter().enumerate() {
        if chunk.bin(tile.number).is_empty() {
            continue;
        }
        let draw = &draws[chunk.draw];
        match draw.state.alpha {
            AlphaMode::Opaque => draw_opaque::<S, N>(simd, tile, index, draw.state, &mut scratch.buffer),
            AlphaMode::Mask { cutoff } => {
                for number in tile.triangles(index) {
                    collect::<S, N>(simd, tile, number, draw.state, false, &mut scratch.buffer, &mut scratch.fragments);
                    if scratch.fragments.len() >= QUEUE {
                        cut_out::<S, F, N>(simd, tile, draw, cutoff, scratch);
                    }
                }
                cut_out::<S, F, N>(simd, tile, draw, cutoff, scratch);
            }
            AlphaMode::Blend => {}
        }
    }
}

/// Asks waiting fragments for their alpha, then lets those that are kept compete for their samples, in order.
///
/// They passed the depth test when they were listed. Stored depth may have changed since, so that they are tested
/// again; under `Less` and `LessOrEqual` it has only come nearer, so that the first test dropped none too many.
#[simd]
fn cut_out<S: Simd, F: FragmentShader, const N: usize>(
    simd: S,
    tile: &Tile<'_>,
    draw: &Draw<'_, F>,
    cutoff: f32,
    scratch: &mut Scratch,
) {
    for group in scratch.fragments.chunks(LANES) {
        let alpha = alpha(simd, tile, draw, group).to_array();
        for (fragment, alpha) in group.iter().zip(alpha) {
            if alpha >= cutoff {
                store::<N>(tile, draw.state.depth_test, draw.state.depth_write, fragment, &mut scratch.buffer);
            }
        }
    }
    scratch.fragments.clear();
}

/// The colours of a batch: compiled once a shader and level, however many passes and sample counts ask for them.
#[simd]
fn shade<S: Simd, F: FragmentShader>(
    simd: S,
    tile: &Tile<'_>,
    draw: &Draw<'_, F>,
    group: &[Fragment],
) -> [f32x8<S>; 4] {
    draw.shader.shade(&batch::make(simd, tile, draw.stream, group))
}

/// The alpha of a batch, likewise.
#[simd]
fn alpha<S: Simd, F: FragmentShader>(simd: S, tile: &Tile<'_>, draw: &Draw<'_, F>, group: &[Fragment]) -> f32x8<S> {
    draw.shader.alpha(&batch::make(simd, tile, draw.stream, group))
}

fn store<const N: usize>(
    tile: &Tile<'_>,
    test: DepthTest,
    write: bool,
    fragment: &Fragment,
    buffer: &mut VisibilityBuffer,
) {
    let triangle = tile.triangle(fragment.triangle);
    let [left, top] = [tile.origin[0] + usize::from(fragment.x), tile.origin[1] + usize::from(fragment.y)]
        .map(|pixel| (pixel as i64) << tile.grid.bits);
    for sample in (0..N).filter(|sample| fragment.samples >> sample & 1 == 1) {
        let [x, y] = tile.grid.sample(sample);
        let depth = triangle.depth_at(left + x, top + y);
        let place = address::<N>(sample, fragment.x.into(), fragment.y.into());
        let stored = &mut buffer.depth[place];
        let pass = match test {
            DepthTest::Less => depth < *stored,
            DepthTest::LessOrEqual => depth <= *stored,
            DepthTest::Always => true,
        };
        if pass {
            if write {
                *stored = depth;
            }
            buffer.owner[place] = fragment.triangle;
        }
    }
}

/// Pass 2.
#[simd]
fn shade_visible<S: Simd, F: FragmentShader, const N: usize>(
    simd: S,
    tile: &Tile<'_>,
    draws: &[Draw<'_, F>],
    scratch: &mut Scratch,
) {
    visible::<N>(tile, &scratch.buffer, &mut scratch.fragments);
    group_by_draw(tile, draws.len(), scratch);
    let Scratch { fragments, colour, .. } = scratch;
    for group in fragments.chunk_by(|a, b| tile.draw(a.triangle) == tile.draw(b.triangle)) {
        let draw = &draws[tile.draw(group[0].triangle)];
        for group in group.chunks(LANES) {
            let shades = to_pixels(shade(simd, tile, draw, group));
            for (fragment, shade) in group.iter().zip(shades) {
                for sample in (0..N).filter(|sample| fragment.samples >> sample & 1 == 1) {
                    colour[place::<N>(fragment, sample)] = shade.to_array();
                }
            }
        }
    }
    fragments.clear();
}

/// Counting sort of the fragments by draw, so that batches hold one draw's fragments; order inside a draw stays.
fn group_by_draw(tile: &Tile<'_>, draws: usize, scratch: &mut Scratch) {
    let Scratch { fragments, grouped, starts, .. } = scratch;
    starts.clear();
    starts.resize(draws, 0);
    for fragment in fragments.iter() {
        starts[tile.draw(fragment.triangle)] += 1;
    }
    if starts.contains(&fragments.len()) {
        return;
    }
    let mut sum = 0;
    for start in starts.iter_mut() {
        sum += std::mem::replace(start, sum);
    }
    grouped.clear();
    grouped.extend_from_slice(fragments);
    for fragment in fragments.iter() {
        let slot = &mut starts[tile.draw(fragment.triangle)];
        grouped[*slot] = *fragment;
        *slot += 1;
    }
    std::mem::swap(fragments, grouped);
}

/// Where the colour of a fragment's sample is.
#[inline(always)]
fn place<const N: usize>(fragment: &Fragment, sample: usize) -> usize {
    (usize::from(fragment.y) * tile_size(N) + usize::from(fragment.x)) * N + sample
}

/// Pass 3.
#[simd]
fn blended<S: Simd, F: FragmentShader, const N: usize>(
    simd: S,
    tile: &Tile<'_>,
    draws: &[Draw<'_, F>],
    scratch: &mut Scratch,
) {
    for (index, chunk) in tile.chunks.iter().enumerate() {
        let draw = &draws[chunk.draw];
        if draw.state.alpha != AlphaMode::Blend {
            continue;
        }
        let state = draw.state;
        for number in tile.triangles(index) {
            let Scratch { buffer, fragments, .. } = scratch;
            collect::<S, N>(simd, tile, number, state, state.depth_write, buffer, fragments);
            if fragments.len() >= QUEUE {
                lay_over::<S, F, N>(simd, tile, draw, scratch);
            }
        }
        lay_over::<S, F, N>(simd, tile, draw, scratch);
    }
}

/// Shades waiting fragments and lays them over the colours of their samples, in order: source-over in linear light,
/// `rgb = source · a + under · (1 − a)`, `alpha = a + under · (1 − a)`.
#[simd]
fn lay_over<S: Simd, F: FragmentShader, const N: usize>(
    simd: S,
    tile: &Tile<'_>,
    draw: &Draw<'_, F>,
    scratch: &mut Scratch,
) {
    for group in scratch.fragments.chunks(LANES) {
        let [red, green, blue, alpha] = shade(simd, tile, draw, group);
        let sources = to_pixels([red * alpha, green * alpha, blue * alpha, alpha]);
        let through = (1.0 - alpha).to_array();
        for ((fragment, source), through) in group.iter().zip(sources).zip(through) {
            for sample in (0..N).filter(|sample| fragment.samples >> sample & 1 == 1) {
                let under = &mut scratch.colour[place::<N>(fragment, sample)];
                *under = (source + f32x4::simd_from(simd, *under) * through).to_array();
            }
        }
    }
    scratch.fragments.clear();
}
