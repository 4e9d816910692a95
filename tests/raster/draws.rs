//! Lists of draws: very many of them, and shaders that ask the pool for help.

use std::{sync::mpsc, time::Duration};

use refrast::raster::{
    BlockShader, Draw, DrawState, FragmentBlock, LANES, Level, LinearRgba, PrimitiveTopology, Rasteriser, Target,
};

use crate::support::{at, draw, render, settings, stream};

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
