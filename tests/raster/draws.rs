//! Lists of draws: very many of them, and what their shaders ask for: derivatives, and the pool's help.

use std::{ops::Range, sync::mpsc, time::Duration};

use fearless_simd::{Simd, f32x8};
use refrast::raster::{
    AlphaMode, BlockShader, CullMode, Draw, DrawState, FragmentBatch, FragmentBlock, FragmentShader, LANES, Level,
    LinearRgba, PrimitiveTopology, RasterSettings, Rasteriser, SampleCount, Target,
};

use crate::support::{Random, at, draw, render, settings, stream};

#[test]
fn each_triangle_may_be_a_draw_of_its_own() {
    // One more than 2^16, which a triangle's number had no room for.
    let settings = settings(16, 16);
    let corner = |x, y| (at(&settings, x, y, 0.5), [1.0; 4]);
    let stream = stream(&[corner(0.0, 0.0), corner(16.0, 0.0), corner(0.0, 16.0), corner(16.0, 16.0)]);
    let (upper, lower) = ([0, 1, 2], [1, 3, 2]);
    let mut draws = vec![draw(&stream, &upper, DrawState::default()); 65_537];
    let (target, statistics) = render(&settings, &draws);
    assert_eq!((statistics.primitives, statistics.triangles), (65_537, 65_537));
    assert!(target.pixel(15, 15).is_some_and(|pixel| pixel == [0.0; 4]));
    // The last draw is drawn too.
    draws.push(draw(&stream, &lower, DrawState::default()));
    let (target, _) = render(&settings, &draws);
    assert!(target.pixels().iter().all(|pixel| *pixel == [1.0; 4]));
}

#[test]
fn draws_that_share_a_chunk_keep_their_states_and_their_order() {
    // Small triangles in a random order of places, states and colours. What must come out is worked out triangle by
    // triangle: each is drawn alone, and its pixels are laid over the picture so far.
    let size = settings(96, 96);
    let mut random = 7u32;
    let mut next = |below: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) % below
    };
    let triangles: Vec<_> = (0..700)
        .map(|number| {
            let (x, y) = (next(96) as f32, next(96) as f32);
            let depth = 0.1 + 0.001 * next(800) as f32;
            let alpha = [AlphaMode::Opaque, AlphaMode::Mask { cutoff: 0.5 }, AlphaMode::Blend][next(3) as usize];
            let colour = [number as f32 / 1024.0, next(2) as f32, 0.25, if next(4) == 0 { 0.25 } else { 0.75 }];
            let corner = |dx: f32, dy: f32| (at(&size, x + dx, y + dy, depth), colour);
            let stream = stream(&[corner(-9.0, -8.0), corner(11.0, -3.0), corner(-2.0, 12.0)]);
            let depth_write = alpha != AlphaMode::Blend;
            (stream, DrawState { alpha, depth_write, ..DrawState::default() })
        })
        .collect();
    let indices = [0, 1, 2];
    let draws: Vec<_> = triangles.iter().map(|(stream, state)| draw(stream, &indices, *state)).collect();
    let (target, statistics) = render(&size, &draws);
    assert_eq!((statistics.primitives, statistics.triangles), (700, 700));

    let mut colours = vec![[0.0f32; 4]; 96 * 96];
    let mut depths = vec![1.0f32; 96 * 96];
    for blended in [false, true] {
        for draw in draws.iter().filter(|draw| (draw.state.alpha == AlphaMode::Blend) == blended) {
            let alone =
                Draw { state: DrawState { alpha: AlphaMode::Opaque, depth_write: true, ..draw.state }, ..*draw };
            let (one, _) = render(&size, &[alone]);
            for pixel in 0..96 * 96 {
                let (x, y) = (pixel % 96, pixel / 96);
                let (Some(colour), Some(depth)) = (one.pixel(x, y), one.depth(x, y, 0)) else { continue };
                let kept = match draw.state.alpha {
                    AlphaMode::Mask { cutoff } => colour[3] >= cutoff,
                    _ => true,
                };
                if depth >= depths[pixel] || !kept {
                    continue;
                }
                if blended {
                    let [under, a] = [colours[pixel], [colour[3]; 4]];
                    let source = [colour[0] * a[0], colour[1] * a[0], colour[2] * a[0], a[0]];
                    colours[pixel] = std::array::from_fn(|i| source[i] + under[i] * (1.0 - a[0]));
                } else {
                    (colours[pixel], depths[pixel]) = (colour, depth);
                }
            }
        }
    }
    for pixel in 0..96 * 96 {
        let (x, y) = (pixel % 96, pixel / 96);
        assert_eq!(target.pixel(x, y), Some(colours[pixel]), "pixel {x}, {y}");
        assert_eq!(target.depth(x, y, 0), Some(depths[pixel]), "depth of pixel {x}, {y}");
    }
}

/// Shows the first varying and its changes.
struct Slopes {
    derives: bool,
}

refrast::raster::block_shader!(Slopes);

impl FragmentShader for Slopes {
    fn derives(&self) -> bool {
        self.derives
    }

    fn shade<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> [f32x8<S>; 4] {
        let own = batch.interpolate_with_derivatives(0);
        [own.value[0], own.dx[0], own.dy[0], own.value[3]]
    }

    fn alpha<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> f32x8<S> {
        batch.interpolate(0)[3]
    }
}

#[test]
fn derivatives_are_there_for_shaders_that_ask_for_them_and_zero_for_others() {
    let settings = settings(16, 16);
    // Red is x ÷ 16 + y ÷ 32, so it changes by 1 ÷ 16 from column to column and by 1 ÷ 32 from row to row.
    let corner = |x, y| (at(&settings, x, y, 0.5), [x / 16.0 + y / 32.0, 0.0, 0.0, 1.0]);
    let stream = stream(&[corner(0.0, 0.0), corner(32.0, 0.0), corner(0.0, 32.0)]);
    for derives in [true, false] {
        for alpha in [AlphaMode::Opaque, AlphaMode::Mask { cutoff: 0.5 }, AlphaMode::Blend] {
            let (topology, state) = (PrimitiveTopology::Triangles, DrawState { alpha, ..DrawState::default() });
            let draws = [Draw { stream: &stream, topology, indices: &[0, 1, 2], state, shader: Slopes { derives } }];
            let mut target = Target::new();
            Rasteriser::new().draw(&settings, &draws, &LinearRgba, &mut target).expect("a valid draw");
            let expected = if derives { [0.0625, 0.03125] } else { [0.0; 2] };
            for (x, y) in (0..16).flat_map(|x| (0..16).map(move |y| (x, y))) {
                let [red, right, down, alpha] = target.pixel(x, y).expect("a pixel of the picture");
                let value = (x as f32 + 0.5) / 16.0 + (y as f32 + 0.5) / 32.0;
                assert!((red - value).abs() < 1e-6 && alpha == 1.0, "{x}, {y}: {red} for {value}");
                assert!(
                    (right - expected[0]).abs() < 1e-7 && (down - expected[1]).abs() < 1e-7,
                    "{x}, {y}: {right}, {down}"
                );
            }
        }
    }
}

/// Colours blocks by way of the pool that draws them.
struct Sharing;

impl BlockShader for Sharing {
    fn shade(&self, _: Level, _: &FragmentBlock<'_>) -> [[f32; LANES]; 4] {
        // While it waits for the other half, the worker may take up another tile.
        let (a, b) = rayon::join(|| [0.25; LANES], || std::thread::sleep(Duration::from_micros(50)));
        let () = b;
        [a; 4]
    }

    fn alpha(&self, _: Level, _: &FragmentBlock<'_>) -> [f32; LANES] {
        [1.0; LANES]
    }
}

#[test]
fn tiles_that_are_not_wanted_stay_as_they_are() {
    // 3 x 2 tiles of 64 pixels, of which the last column and row are cut.
    let settings = settings(150, 100);
    let whole = |color: [f32; 4]| {
        let corner = |x: f32, y: f32| ([x, y, 0.5, 1.0], color);
        stream(&[corner(-1.0, -1.0), corner(3.0, -1.0), corner(-1.0, 3.0)])
    };
    let (first, second) = (whole([1.0; 4]), whole([0.25; 4]));
    let (mut target, mut rasteriser) = (Target::new(), Rasteriser::new());
    rasteriser.draw(&settings, &[draw(&first, &[0, 1, 2], DrawState::default())], &LinearRgba, &mut target).unwrap();
    let wanted = |[columns, rows]: [Range<usize>; 2]| columns.contains(&70) && rows.contains(&99);
    let draws = [draw(&second, &[0, 1, 2], DrawState::default())];
    rasteriser.draw_tiles(&settings, &draws, &LinearRgba, &mut target, &wanted).unwrap();
    for (place, pixel) in target.pixels().iter().enumerate() {
        let (x, y) = (place % 150, place / 150);
        let is_new = (64..128).contains(&x) && y >= 64;
        assert_eq!(*pixel, if is_new { [0.25; 4] } else { [1.0; 4] }, "({x}, {y})");
    }
}

#[test]
fn a_target_that_was_drawn_to_before_becomes_the_same_picture() {
    // A triangle that walks about, comes and goes, on backgrounds and with samples and depths that change now and then.
    let (mut target, mut rasteriser) = (Target::new(), Rasteriser::new());
    let mut random = Random::new(18);
    let (mut kept, mut all) = (0, 0);
    for number in 0u16..60 {
        let settings = RasterSettings {
            samples: if number / 20 == 1 { SampleCount::Four } else { SampleCount::One },
            // 0 and −0 are two colours.
            background: [[0.0; 4], [-0.0; 4], [0.5, 0.25, 0.0, 1.0]][usize::from(number / 7) % 3],
            keep_depth: number / 4 % 3 == 1,
            ..settings(if number < 50 { 300 } else { 200 }, 260)
        };
        let mut corner = || {
            let (x, y) = (random.range(0.0, 300.0), random.range(0.0, 260.0));
            (at(&settings, x, y, 0.5), [0.25, 0.5, 0.75, 1.0])
        };
        let stream = stream(&[corner(), corner(), corner()]);
        let indices: &[u32] = if number % 5 == 3 { &[] } else { &[0, 1, 2] };
        let state = DrawState { cull: CullMode::None, ..DrawState::default() };
        let draws = [draw(&stream, indices, state)];
        let before: Vec<_> = target.pixels().to_vec();
        rasteriser.draw(&settings, &draws, &LinearRgba, &mut target).expect("the scene is valid");
        let (anew, _) = render(&settings, &draws);
        let stored = |target: &Target<[f32; 4]>| -> Vec<[u32; 4]> {
            target.pixels().iter().map(|pixel| pixel.map(f32::to_bits)).collect()
        };
        assert!(stored(&target) == stored(&anew), "frame {number}");
        // Outside of what is fresh everything is what it was.
        let fresh: Vec<_> = target.fresh().collect();
        let width = settings.width as usize;
        if before.len() == target.pixels().len() {
            let is_fresh =
                |x: &usize, y: &usize| fresh.iter().any(|[columns, rows]| columns.contains(x) && rows.contains(y));
            for (place, (before, after)) in before.iter().zip(target.pixels()).enumerate() {
                let is_same = before.map(f32::to_bits) == after.map(f32::to_bits);
                assert!(is_same || is_fresh(&(place % width), &(place / width)), "frame {number}, place {place}");
            }
        }
        let area: usize = fresh.iter().map(|[columns, rows]| columns.len() * rows.len()).sum();
        (kept, all) = (kept + target.pixels().len() - area, all + target.pixels().len());
    }
    assert!(kept * 5 > all, "of {all} pixels only {kept} were left alone");
}

#[test]
fn a_shader_may_hand_work_to_the_pool_that_runs_it() {
    let (done, finished) = mpsc::channel();
    std::thread::spawn(move || {
        let settings = settings(512, 512);
        let corner = |x, y| (at(&settings, x, y, 0.5), [1.0; 4]);
        let stream = stream(&[corner(0.0, 0.0), corner(1024.0, 0.0), corner(0.0, 1024.0)]);
        let draws = [Draw {
            stream: &stream,
            topology: PrimitiveTopology::Triangles,
            indices: &[0, 1, 2],
            state: DrawState::default(),
            shader: Sharing,
        }];
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("three threads can be started");
        let mut target = Target::new();
        pool.install(|| Rasteriser::new().draw(&settings, &draws, &LinearRgba, &mut target)).expect("a valid draw");
        done.send(target.pixels().iter().all(|pixel| *pixel == [0.25; 4])).expect("the test waits");
    });
    let all = finished.recv_timeout(Duration::from_secs(60));
    assert_eq!(all, Ok(true), "a worker waits for buffers that it holds itself");
}
