//! One tile from bins to finished pixels.
//!
//! Why it exists: a tile owns its pixels, so that whoever works on it, and when, can not change a bit. Its passes:
//!
//! 1. opaque and masked draws, in submission order, into the visibility buffer; masked fragments wait in a list until
//!    eight of them can be asked for their alpha at once, but never past the next draw;
//! 2. what is visible is shaded, once per pixel and triangle;
//! 3. blended draws, in submission order: each fragment that passes the depth test is shaded and laid over the colour
//!    of its samples;
//! 4. samples are averaged, `((s0 + s1) + (s2 + s3)) / 4`.
//!
//! Nothing here knows a shader's type or a pixel's format: a level's code is compiled once, in this room.

use fearless_simd::{Simd, f32x4, f32x8, prelude::*, u32x4};
use fearless_simd_macros::simd;

use super::{
    batch,
    draw_list::DrawList,
    grid::tile_size,
    visibility::{Fragment, Tile, VisibilityBuffer, address, collect, draw_opaque},
    visible::VisibleFragments,
};
use refrast_draw::{AlphaMode, BlockShader, DepthTest, Draw, LANES, SampleCount, transpose};
use refrast_simd::{Level, dispatch, unroll};

/// Fragments that may wait: enough to fill batches, few enough for the cache.
const QUEUE: usize = 2048;

/// Buffers of one worker, kept from tile to tile and frame to frame.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) buffer: VisibilityBuffer,
    /// Those that wait.
    fragments: Vec<Fragment>,
    visible: VisibleFragments,
    /// Linear RGBA of each sample: row by row, pixel by pixel, sample by sample.
    colour: Vec<[f32; 4]>,
    /// Linear RGBA of each pixel, where a pixel has several samples.
    averaged: Vec<[f32; 4]>,
    pub(super) hits: Vec<u32>,
}

/// What a tile became.
pub(super) enum Rendered<'a> {
    /// The background everywhere.
    Background,
    /// Linear RGBA: rows of as many pixels as a tile has columns.
    Pixels(&'a [[f32; 4]]),
}

/// Renders a tile: the level and the number of samples, chosen once, lead to code of their own.
pub(super) fn render<'a>(
    level: Level,
    tile: &Tile<'_>,
    draws: &dyn DrawList,
    background: [f32; 4],
    scratch: &'a mut Scratch,
) -> Rendered<'a> {
    scratch.buffer.clear(tile.grid);
    if tile.runs().next().is_none() {
        return Rendered::Background;
    }
    match tile.grid.samples {
        SampleCount::One => dispatch!(level, simd => passes::<_, 1>(simd, tile, draws, background, scratch)),
        SampleCount::Four | SampleCount::FourMirrored => {
            dispatch!(level, simd => passes::<_, 4>(simd, tile, draws, background, scratch))
        }
    }
    Rendered::Pixels(if tile.grid.samples == SampleCount::One { &scratch.colour } else { &scratch.averaged })
}

/// Fills the depths of a tile that something is drawn into, with one sample a pixel, and nothing else.
pub(super) fn render_depth(level: Level, tile: &Tile<'_>, draws: &dyn DrawList, scratch: &mut Scratch) {
    scratch.buffer.clear(tile.grid);
    dispatch!(level, simd => opaque::<_, 1>(simd, tile, draws, scratch));
}

/// All passes.
#[simd]
fn passes<S: Simd, const N: usize>(
    simd: S,
    tile: &Tile<'_>,
    draws: &dyn DrawList,
    background: [f32; 4],
    scratch: &mut Scratch,
) {
    let tile_size = tile_size(N);
    scratch.colour.clear();
    scratch.colour.resize(tile_size * tile_size * N, background);

    opaque::<S, N>(simd, tile, draws, scratch);
    shade_visible::<S, N>(simd, tile, draws, scratch);
    blended::<S, N>(simd, tile, draws, scratch);

    if N > 1 {
        let averages = scratch
            .colour
            .as_chunks::<4>()
            .0
            .iter()
            .map(|[s0, s1, s2, s3]| unroll!(i in [0, 1, 2, 3] => ((s0[i] + s1[i]) + (s2[i] + s3[i])) * 0.25));
        scratch.averaged.clear();
        scratch.averaged.extend(averages);
    }
}

/// Pass 1.
#[simd]
fn opaque<S: Simd, const N: usize>(simd: S, tile: &Tile<'_>, draws: &dyn DrawList, scratch: &mut Scratch) {
    for (draw, run) in tile.runs() {
        let draw = &draws.get(draw);
        match draw.state.alpha {
            AlphaMode::Opaque => draw_opaque::<S, N>(simd, tile, run, draw.state, &mut scratch.buffer),
            AlphaMode::Mask { cutoff } => {
                for number in run.numbers() {
                    collect::<S, N>(simd, tile, number, draw.state, false, &mut scratch.buffer, &mut scratch.fragments);
                    if scratch.fragments.len() >= QUEUE {
                        cut_out::<S, N>(simd, tile, draw, cutoff, scratch);
                    }
                }
                cut_out::<S, N>(simd, tile, draw, cutoff, scratch);
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
fn cut_out<S: Simd, const N: usize>(
    simd: S,
    tile: &Tile<'_>,
    draw: &Draw<'_, &dyn BlockShader>,
    cutoff: f32,
    scratch: &mut Scratch,
) {
    let derives = draw.shader.derives();
    for group in scratch.fragments.chunks(LANES) {
        let alpha = draw.shader.alpha(simd.level(), &batch::make(simd, tile, draw.stream, group, derives));
        for (fragment, alpha) in group.iter().zip(alpha) {
            if alpha >= cutoff {
                store::<N>(tile, draw.state.depth_test, draw.state.depth_write, fragment, &mut scratch.buffer);
            }
        }
    }
    scratch.fragments.clear();
}

/// The colours of a batch.
#[inline(always)]
fn shade<S: Simd>(
    simd: S,
    tile: &Tile<'_>,
    draw: &Draw<'_, &dyn BlockShader>,
    derives: bool,
    group: &[Fragment],
) -> [f32x8<S>; 4] {
    let color = draw.shader.shade(simd.level(), &batch::make(simd, tile, draw.stream, group, derives));
    unroll!(channel in [0, 1, 2, 3] => f32x8::simd_from(simd, color[channel]))
}

fn store<const N: usize>(
    tile: &Tile<'_>,
    test: DepthTest,
    write: bool,
    fragment: &Fragment,
    buffer: &mut VisibilityBuffer,
) {
    let triangle = tile.triangle(fragment.triangle);
    let [left, top] = tile.pixel(fragment).map(|pixel| i64::from(pixel) << tile.grid.bits);
    for sample in (0..N).filter(|&sample| fragment.has(sample) == 1) {
        let [x, y] = tile.grid.sample(sample);
        let depth = triangle.depth_at(left + x, top + y);
        let place = address::<N>(sample, fragment.x(), fragment.y());
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
fn shade_visible<S: Simd, const N: usize>(simd: S, tile: &Tile<'_>, draws: &dyn DrawList, scratch: &mut Scratch) {
    let Scratch { buffer, visible, colour, .. } = scratch;
    visible.take::<N>(tile, buffer);
    for (draw, group) in visible.groups() {
        let draw = &draws.get(draw);
        let derives = draw.shader.derives();
        for group in group.chunks(LANES) {
            let shades = to_pixels(shade(simd, tile, draw, derives, group));
            for (fragment, shade) in group.iter().zip(shades) {
                let pixel = &mut colour[place::<N>(fragment, 0)..][..N];
                for (sample, colour) in pixel.iter_mut().enumerate() {
                    // Chosen and not jumped over: at edges no processor can tell which samples are whose.
                    let is_own = u32x4::splat(simd, fragment.has(sample)).simd_eq(1);
                    *colour = is_own.select(shade, f32x4::simd_from(simd, *colour)).to_array();
                }
            }
        }
    }
}

/// Where the colour of a fragment's sample is.
#[inline(always)]
fn place<const N: usize>(fragment: &Fragment, sample: usize) -> usize {
    (fragment.y() * tile_size(N) + fragment.x()) * N + sample
}

/// Pass 3.
#[simd]
fn blended<S: Simd, const N: usize>(simd: S, tile: &Tile<'_>, draws: &dyn DrawList, scratch: &mut Scratch) {
    for (draw, run) in tile.runs() {
        let draw = &draws.get(draw);
        if draw.state.alpha != AlphaMode::Blend {
            continue;
        }
        let state = draw.state;
        for number in run.numbers() {
            let Scratch { buffer, fragments, .. } = scratch;
            collect::<S, N>(simd, tile, number, state, state.depth_write, buffer, fragments);
            if fragments.len() >= QUEUE {
                lay_over::<S, N>(simd, tile, draw, scratch);
            }
        }
        lay_over::<S, N>(simd, tile, draw, scratch);
    }
}

/// Shades waiting fragments and lays them over the colours of their samples, in order: source-over in linear light,
/// `rgb = source · a + under · (1 − a)`, `alpha = a + under · (1 − a)`.
#[simd]
fn lay_over<S: Simd, const N: usize>(
    simd: S,
    tile: &Tile<'_>,
    draw: &Draw<'_, &dyn BlockShader>,
    scratch: &mut Scratch,
) {
    let derives = draw.shader.derives();
    for group in scratch.fragments.chunks(LANES) {
        let [red, green, blue, alpha] = shade(simd, tile, draw, derives, group);
        let sources = to_pixels([red * alpha, green * alpha, blue * alpha, alpha]);
        let through = (1.0 - alpha).to_array();
        for ((fragment, source), through) in group.iter().zip(sources).zip(through) {
            for sample in (0..N).filter(|&sample| fragment.has(sample) == 1) {
                let under = &mut scratch.colour[place::<N>(fragment, sample)];
                *under = (source + f32x4::simd_from(simd, *under) * through).to_array();
            }
        }
    }
    scratch.fragments.clear();
}

/// Four channels of eight fragments → the four channels of each fragment.
#[inline(always)]
fn to_pixels<S: Simd>([red, green, blue, alpha]: [f32x8<S>; 4]) -> [f32x4<S>; LANES] {
    let (red, green, blue, alpha) = (red.split(), green.split(), blue.split(), alpha.split());
    let [p0, p1, p2, p3] = transpose([red.0, green.0, blue.0, alpha.0]);
    let [p4, p5, p6, p7] = transpose([red.1, green.1, blue.1, alpha.1]);
    [p0, p1, p2, p3, p4, p5, p6, p7]
}
