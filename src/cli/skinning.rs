//! `refrast skinning`: the speed and the error of each skinning method on a scene.

use std::{
    num::NonZeroUsize,
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::Args;
use refrast_animation::Pose;
use refrast_envelope::vertex::{Distances, MethodError, VertexSettings, method_errors};
use refrast_scene::Scene;
use refrast_simd::SimdLevel;
use refrast_skinning::{
    Deformation, DeformedVertices, NormalMode, Palette, Placement, PreparedPrimitive, SkinningError, SkinningMethod,
};
use serde::Serialize;

use super::{
    CommandResult,
    arguments::{SceneArguments, SimdArguments, seconds},
    output::{print_json, say},
    words::word,
};

#[derive(Args)]
pub(super) struct SkinningArguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// Time within the clip, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0", allow_negative_numbers = true, value_parser = seconds)]
    time: f32,
    /// One method [default: all]
    #[arg(long, value_name = "METHOD", value_parser = word::<SkinningMethod>())]
    skinning: Option<SkinningMethod>,
    /// One way for normals [default: all]
    #[arg(long, value_name = "MODE", value_parser = word::<NormalMode>())]
    normals: Option<NormalMode>,
    /// The most influences a vertex keeps: the heaviest, rescaled by their sum [default: all]
    #[arg(long, value_name = "K")]
    max_influences: Option<NonZeroUsize>,
    #[command(flatten)]
    simd: SimdArguments,
    /// Print JSON to standard output
    #[arg(long)]
    json: bool,
}

/// A method with a way for normals.
#[derive(Clone, Copy)]
struct Way {
    method: SkinningMethod,
    normals: NormalMode,
}

impl SkinningArguments {
    /// What was asked for, without the normal modes that a method does not tell apart.
    fn ways(&self) -> Vec<Way> {
        let methods = SkinningMethod::ALL.into_iter().filter(|method| self.skinning.is_none_or(|one| one == *method));
        let modes = |method: SkinningMethod| {
            let wanted = NormalMode::ALL.into_iter().filter(|mode| self.normals.is_none_or(|one| one == *mode));
            let held: Vec<NormalMode> = wanted.map(|mode| method.normal_mode(mode)).collect();
            let told_apart = NormalMode::ALL.into_iter().filter(move |mode| held.contains(mode));
            told_apart.map(move |normals| Way { method, normals })
        };
        methods.flat_map(modes).collect()
    }
}

/// How long each speed is measured.
const MEASURED: Duration = Duration::from_millis(300);

/// A line of the table.
#[derive(Serialize)]
struct Line {
    method: &'static str,
    normals: &'static str,
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
    fn deform(&self, way: Way, level: SimdLevel, output: &mut DeformedVertices) -> Result<(), SkinningError> {
        let deformation = Deformation {
            primitive: &self.prepared,
            placement: match &self.palette {
                Some(palette) => Placement::Skin(palette),
                None => Placement::Node(self.pose.worlds[self.node]),
            },
            morph_weights: &self.pose.weights[self.node],
            method: way.method,
            normals: way.normals,
            level,
        };
        deformation.run(output)
    }
}

fn drawn<'a>(scene: &Scene, pose: &'a Pose, max_influences: Option<NonZeroUsize>) -> Vec<Drawn<'a>> {
    let of_node = |&node: &usize| {
        let mesh = scene.nodes[node].mesh.map(|mesh| &scene.meshes[mesh]);
        let primitives = mesh.map_or(&[][..], |mesh| mesh.primitives.as_slice()).iter().enumerate();
        primitives.map(move |(index, primitive)| {
            let skin = scene.nodes[node].skin.filter(|_| primitive.influences.is_some());
            let palette = skin.map(|skin| Palette::of_skin(&scene.skins[skin], pose));
            let prepared = match max_influences {
                Some(most) => PreparedPrimitive::limited(primitive, most),
                None => PreparedPrimitive::new(primitive),
            };
            Drawn { node, index, prepared, palette, pose }
        })
    };
    scene.drawn.iter().flat_map(of_node).collect()
}

pub(super) fn run(arguments: &SkinningArguments) -> CommandResult {
    let scene = arguments.scene.load()?;
    let pose = arguments.scene.moment(&scene, arguments.time)?.pose(&scene)?;
    let drawn = drawn(&scene, &pose, arguments.max_influences);
    let vertices: usize = drawn.iter().map(|drawn| drawn.prepared.vertex_count()).sum();
    if vertices == 0 {
        return Err(format!("{}: the scene draws no vertices", arguments.scene.file.scene.display()).into());
    }
    let ways = arguments.ways();
    let progress = super::progress_bar(ways.len(), "methods");
    let mut lines = Vec::new();
    for way in ways {
        lines.push(measure(&scene, &pose, &drawn, way, arguments, vertices)?);
        progress.inc(1);
    }
    progress.finish_and_clear();
    if arguments.json {
        print_json(&lines)?;
    } else {
        print_table(&lines, vertices)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(
    scene: &Scene,
    pose: &Pose,
    drawn: &[Drawn<'_>],
    way: Way,
    arguments: &SkinningArguments,
    vertices: usize,
) -> Result<Line, Box<dyn std::error::Error>> {
    let (method, normals) = (way.method.name(), way.normals.name());
    let mut line = Line { method, normals, one_thread: None, all_threads: None, error: None, refused: None };
    let mut outputs: Vec<DeformedVertices> = drawn.iter().map(|_| DeformedVertices::default()).collect();
    let mut deform_all = || {
        drawn.iter().zip(&mut outputs).try_for_each(|(drawn, output)| {
            drawn.deform(way, arguments.simd.simd, output).map_err(|error| (drawn.node, error))
        })
    };
    if let Err((node, error)) = deform_all() {
        line.refused = Some(format!("{}: {error}", scene.place(node, error.joint())));
        return Ok(line);
    }
    for (threads, speed) in [(1, &mut line.one_thread), (0, &mut line.all_threads)] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let started = Instant::now();
        let mut rounds = 0_u32;
        while rounds == 0 || started.elapsed() < MEASURED {
            pool.install(&mut deform_all).map_err(|(_, error)| error)?;
            rounds += 1;
        }
        *speed = Some(vertices as f64 * f64::from(rounds) / started.elapsed().as_secs_f64() / 1e6);
    }
    let settings = VertexSettings {
        method: way.method,
        normals: way.normals,
        max_influences: arguments.max_influences,
        ..VertexSettings::default()
    };
    let deformed = |node, index| {
        let mut found = drawn.iter().zip(&outputs).filter(|(drawn, _)| (drawn.node, drawn.index) == (node, index));
        found.next().map(|(_, output)| output.clone()).unwrap_or_default()
    };
    line.error = Some(method_errors(scene, pose, settings, deformed)?);
    Ok(line)
}

fn print_table(lines: &[Line], vertices: usize) -> CommandResult {
    say!(
        "{vertices} vertices. Speed in million vertices a second on one thread and on all; position errors in metres and\n\
         direction errors (normal, tangent) against the exact formula; `outside` counts what is not within its bound;\n\
         `to linear` is how far the formula itself moves a vertex from where linear skinning with all influences has it.\n"
    )?;
    say!(
        "{:19} {:17} {:>6} {:>6}  {:>8} {:>8}  {:>8} {:>8}  {:>7} {:>7}  {:>9}",
        "method",
        "normals",
        "one",
        "all",
        "position",
        "mean",
        "direct.",
        "mean",
        "÷ bound",
        "outside",
        "to linear"
    )?;
    for Line { method, normals, one_thread, all_threads, error, refused } in lines {
        if let (Some(one), Some(all), Some(error)) = (one_thread, all_threads, error) {
            let ratio = error.ratio.map_or("none".to_owned(), |ratio| format!("{ratio:.3}"));
            let MethodError { position, direction, outside, to_linear, .. } = error;
            let position = distances(position);
            let direction = distances(direction);
            say!(
                "{method:19} {normals:17} {one:>6.1} {all:>6.1}  {position}  {direction}  {ratio:>7} {outside:>7}  \
                 {to_linear:>9.1e}"
            )?;
        } else if let Some(reason) = refused {
            say!("{method:19} {normals:17} {reason}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Two columns; dashes where a mesh has nothing of the kind.
fn distances(distances: &Distances) -> String {
    match distances.count {
        0 => format!("{:>8} {:>8}", "-", "-"),
        _ => format!("{:>8.1e} {:>8.1e}", distances.largest, distances.mean),
    }
}
