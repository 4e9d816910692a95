//! `refrast skinning`: the speed and the error of each skinning method on a scene.

use std::{process::ExitCode, time::Duration, time::Instant};

use clap::Args;
use refrast::{
    animation::Pose,
    scene::Scene,
    simd::SimdLevel,
    skinning::{
        Deformation, DeformedVertices, NormalMode, Palette, Placement, PreparedPrimitive, SkinningError, SkinningMethod,
    },
    verify::vertex::{Formula, MethodError, NormalFormula, VertexSettings, method_errors},
};
use serde::Serialize;

use super::{CommandResult, arguments::SceneArguments};

#[derive(Args)]
pub(super) struct SkinningArguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// Time within the clip, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0")]
    time: f32,
    /// scalar | sse2 | sse4.2 | avx2 | avx512 | neon | wasm | auto
    #[arg(long, value_name = "LEVEL", default_value = "auto")]
    simd: SimdLevel,
    /// Print JSON to standard output
    #[arg(long)]
    json: bool,
}

/// A method with a way for normals.
struct Method {
    name: &'static str,
    normals: NormalMode,
    formula: Formula,
    normal_formula: NormalFormula,
}

const METHODS: [Method; 2] = [
    Method {
        name: "linear",
        normals: NormalMode::InverseTranspose,
        formula: Formula::Linear,
        normal_formula: NormalFormula::InverseTranspose,
    },
    Method {
        name: "linear, rotation-only normals",
        normals: NormalMode::RotationOnly,
        formula: Formula::Linear,
        normal_formula: NormalFormula::RotationOnly,
    },
];

/// How long each speed is measured.
const MEASURED: Duration = Duration::from_millis(300);

/// A line of the table.
#[derive(Serialize)]
struct Line {
    method: &'static str,
    /// Million vertices a second on one thread and on all; `None` where the method can not follow the scene.
    one_thread: Option<f64>,
    all_threads: Option<f64>,
    error: Option<MethodError>,
    /// Why there are no numbers.
    refused: Option<String>,
}

/// A primitive that is drawn, ready to be deformed.
struct Drawn<'a> {
    node: usize,
    index: usize,
    prepared: PreparedPrimitive,
    palette: Option<Palette>,
    pose: &'a Pose,
}

impl Drawn<'_> {
    fn deform(&self, method: &Method, level: SimdLevel, output: &mut DeformedVertices) -> Result<(), SkinningError> {
        let deformation = Deformation {
            primitive: &self.prepared,
            placement: match &self.palette {
                Some(palette) => Placement::Skin(palette),
                None => Placement::Node(self.pose.worlds[self.node]),
            },
            morph_weights: &self.pose.weights[self.node],
            method: SkinningMethod::Linear,
            normals: method.normals,
            level,
        };
        deformation.run(output)
    }
}

fn drawn<'a>(scene: &Scene, pose: &'a Pose) -> Vec<Drawn<'a>> {
    let of_node = |&node: &usize| {
        let mesh = scene.nodes[node].mesh.map(|mesh| &scene.meshes[mesh]);
        let primitives = mesh.map_or(&[][..], |mesh| mesh.primitives.as_slice()).iter().enumerate();
        primitives.map(move |(index, primitive)| {
            let skin = scene.nodes[node].skin.filter(|_| primitive.influences.is_some());
            let palette = skin.map(|skin| Palette::of_skin(&scene.skins[skin], pose));
            Drawn { node, index, prepared: PreparedPrimitive::new(primitive), palette, pose }
        })
    };
    scene.drawn.iter().flat_map(of_node).collect()
}

pub(super) fn run(arguments: &SkinningArguments) -> CommandResult {
    let scene = arguments.scene.load()?;
    let pose = arguments.scene.pose(&scene, arguments.time)?;
    let drawn = drawn(&scene, &pose);
    let vertices: usize = drawn.iter().map(|drawn| drawn.prepared.vertex_count()).sum();
    if vertices == 0 {
        return Err(format!("{}: the scene draws no vertices", arguments.scene.scene.display()).into());
    }
    let progress = super::progress_bar(METHODS.len(), "methods");
    let mut lines = Vec::new();
    for method in &METHODS {
        lines.push(measure(&scene, &pose, &drawn, method, arguments.simd, vertices)?);
        progress.inc(1);
    }
    progress.finish_and_clear();
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&lines)?);
    } else {
        print_table(&lines, vertices);
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(
    scene: &Scene,
    pose: &Pose,
    drawn: &[Drawn<'_>],
    method: &Method,
    level: SimdLevel,
    vertices: usize,
) -> Result<Line, Box<dyn std::error::Error>> {
    let mut line = Line { method: method.name, one_thread: None, all_threads: None, error: None, refused: None };
    let mut outputs: Vec<DeformedVertices> = drawn.iter().map(|_| DeformedVertices::default()).collect();
    let mut deform_all = || drawn.iter().zip(&mut outputs).try_for_each(|(d, output)| d.deform(method, level, output));
    if let Err(error) = deform_all() {
        line.refused = Some(error.to_string());
        return Ok(line);
    }
    for (threads, speed) in [(1, &mut line.one_thread), (0, &mut line.all_threads)] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let started = Instant::now();
        let mut rounds = 0_u32;
        while rounds == 0 || started.elapsed() < MEASURED {
            pool.install(&mut deform_all)?;
            rounds += 1;
        }
        *speed = Some(vertices as f64 * f64::from(rounds) / started.elapsed().as_secs_f64() / 1e6);
    }
    let settings =
        VertexSettings { formula: method.formula, normals: method.normal_formula, ..VertexSettings::default() };
    let deformed = |node, index| {
        let mut found = drawn.iter().zip(&outputs).filter(|(drawn, _)| (drawn.node, drawn.index) == (node, index));
        found.next().map(|(_, output)| output.clone()).unwrap_or_default()
    };
    line.error = Some(method_errors(scene, pose, settings, deformed)?);
    Ok(line)
}

fn print_table(lines: &[Line], vertices: usize) {
    let width = lines.iter().map(|line| line.method.len()).max().unwrap_or(0);
    println!("{vertices} vertices; speed in million vertices a second; errors against the exact formula\n");
    println!(
        "{:width$} {:>10} {:>11} {:>10} {:>10} {:>12} {:>10}",
        "method", "one thread", "all threads", "position", "direction", "error/bound", "to linear"
    );
    for Line { method, one_thread, all_threads, error, refused } in lines {
        if let (Some(one), Some(all), Some(error)) = (one_thread, all_threads, error) {
            let ratio = error.ratio.map_or("no bound".to_owned(), |ratio| format!("{ratio:.3}"));
            let MethodError { position, direction, to_linear, .. } = error;
            println!(
                "{method:width$} {one:>10.1} {all:>11.1} {position:>10.2e} {direction:>10.2e} {ratio:>12} {to_linear:>10.2e}"
            );
        } else if let Some(reason) = refused {
            println!("{method:width$} {reason}");
        }
    }
}
