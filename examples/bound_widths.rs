//! How wide the bounds of vertices are, for backends that are given the palette and for those that read the file.
//!
//! Evaluates scenes given on the command line at rest and at moments of every clip, and prints a row a scene in Markdown: the
//! mean and the worst bound of a component of a position, in parts of the size of the box around the scene:
//!
//! ```sh
//! cargo run --release --example bound_widths -- fox.glb mannequin
//! ```

use std::{error::Error, path::Path};

use refrast::{
    animation::Pose,
    golden::VertexBuffer,
    scene::Scene,
    verify::vertex::{Chain, VertexSettings, file_vertices, scene_vertices},
};

/// Moments of each clip.
const MOMENTS: u16 = 10;

/// Bounds of components.
#[derive(Default)]
struct Widths {
    sum: f64,
    count: usize,
    worst: f64,
    /// Components that nothing bounds.
    unbounded: usize,
}

impl Widths {
    fn add(&mut self, buffer: &VertexBuffer, size: f64) {
        let bounds = buffer.position.bounds.iter().flatten().flatten();
        for (bound, value) in bounds.zip(buffer.position.values.iter().flatten()) {
            if value.is_nan() {
                continue;
            }
            if bound.is_finite() {
                self.sum += bound / size;
                self.count += 1;
                self.worst = self.worst.max(bound / size);
            } else {
                self.unbounded += 1;
            }
        }
    }

    fn cells(&self) -> String {
        let unbounded = if self.unbounded == 0 { String::new() } else { format!(" ({} unbounded)", self.unbounded) };
        format!("{:.1e} | {:.1e}{unbounded}", self.sum / self.count.max(1) as f64, self.worst)
    }
}

/// The longest side of the box around all vertices.
fn size(buffer: &VertexBuffer) -> f64 {
    let side = |axis: usize| {
        let numbers = buffer.position.values.iter().map(|value| value[axis]).filter(|x| x.is_finite());
        let (low, high) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        high - low
    };
    side(0).max(side(1)).max(side(2)).max(f64::MIN_POSITIVE)
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("| scene | moments | palette: mean | worst | file: mean | worst | alternatives |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for path in std::env::args().skip(1) {
        let scene = if path == "mannequin" { Scene::mannequin()? } else { Scene::load(Path::new(&path))? };
        let clips = scene.animations.iter().enumerate().flat_map(|(clip, animation)| {
            (0..MOMENTS).map(move |i| Some((clip, animation.duration * f32::from(i) / f32::from(MOMENTS - 1))))
        });
        let moments: Vec<Option<(usize, f32)>> = std::iter::once(None).chain(clips).collect();
        let (mut palette, mut file, mut alternatives) = (Widths::default(), Widths::default(), 1);
        for clip in &moments {
            let (pose, chain) = match *clip {
                Some((animation, seconds)) => {
                    (Pose::sample(&scene, animation, seconds)?, Chain::clip(animation, seconds))
                }
                None => (Pose::rest(&scene), Chain::REST),
            };
            let given = scene_vertices(&scene, &pose, VertexSettings::default())?;
            let size = size(&given);
            palette.add(&given, size);
            let read = file_vertices(&scene, chain, VertexSettings::default())?;
            alternatives = alternatives.max(1 + read.alternatives.len());
            file.add(&read, size);
        }
        let name = Path::new(&path).file_stem().map_or_else(|| path.clone(), |name| name.display().to_string());
        println!("| {name} | {} | {} | {} | {alternatives} |", moments.len(), palette.cells(), file.cells());
    }
    Ok(())
}
