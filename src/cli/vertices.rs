//! `refrast vertices`: where every vertex of a pose is, exactly, and how far a correct backend may be from there.

use std::{error::Error, path::PathBuf, process::ExitCode};

use clap::Args;
use refrast_animation::Pose;
use refrast_draw::Convention;
use refrast_envelope::vertex::{Chain, VertexSettings, file_vertices, posed_glb, scene_vertices};
use refrast_golden::{Given, NumberColumn, NumberTable, VertexBuffer, VertexId};
use refrast_range::Rounding;
use refrast_scene::Scene;
use refrast_simulator::Moment;
use refrast_stage::{CameraSettings, RenderSettings, Size, program::ProgramResult};
use refrast_verify::{setup::Source, space_matrices};

use super::{
    CommandResult,
    arguments::{CameraArguments, SceneArguments, WriteError, seconds},
    output::{note, write_file},
    skinning_choice::SkinningArguments,
    words::word,
};

/// Rows are in the order of node, primitive and vertex of the file, in world space and metres. With --skinning program:FILE
/// they are what the program makes of each vertex, in clip space of the camera, and without bounds: `refrast compare --space
/// clip --matrices` holds them against the exact vertices.
#[derive(Args)]
pub(super) struct VerticesArguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// .npy: a structured array for `refrast compare`; .csv: the same as text; .glb: a static mesh
    #[arg(short, long, value_name = "OUT.npy|csv|glb")]
    output: PathBuf,
    /// Time within the clip, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0", allow_negative_numbers = true, value_parser = seconds)]
    time: f32,
    #[command(flatten)]
    skinning: SkinningArguments,
    #[command(flatten)]
    given: GivenArguments,
    /// Make room for backends that round to either neighbour, as Vulkan allows, not only to the nearest f32
    #[arg(long)]
    any_rounding: bool,
    /// Write the matrices to model, view and clip space too, for `refrast compare --space`
    #[arg(long, value_name = "FILE.json")]
    matrices: Option<PathBuf>,
    #[command(flatten)]
    camera: CameraArguments,
    /// Size of the pictures that the camera of --matrices is for
    #[arg(long, value_name = "WxH", default_value_t)]
    size: Size,
    /// Depth range and y direction of that camera's clip space
    #[arg(long, value_name = "NAME", default_value_t, value_parser = word::<Convention>())]
    convention: Convention,
}

pub(super) fn run(arguments: &VerticesArguments) -> CommandResult {
    let extension = arguments.output.extension().map(|extension| extension.to_ascii_lowercase());
    let extension = extension.as_deref().and_then(|extension| extension.to_str());
    if !matches!(extension, Some("npy" | "csv" | "glb")) {
        return Err(format!("{}: name a file that ends in .npy, .csv or .glb", arguments.output.display()).into());
    }
    let has_program = arguments.skinning.program()?.is_some();
    if arguments.names_a_camera() && arguments.matrices.is_none() && !has_program {
        return Err("vertices are in world space, whatever the camera: its options, --size and --convention are for --matrices \
             FILE.json (or a vertex program); add that or leave them out"
            .into());
    }
    let scene = arguments.scene.load()?;
    let moment = arguments.scene.moment(&scene, arguments.time)?;
    let pose = moment.pose(&scene)?;
    if let Some(path) = &arguments.matrices {
        let camera = arguments.camera.settings().camera(&scene, moment.clip(), &pose, &arguments.picture())?;
        let text = space_matrices(&scene, &pose, &camera).to_json()?;
        write_file(path, text.as_bytes())?;
        note!("the matrices are written to {}", path.display());
    }
    if has_program {
        return program_vertices(arguments, &scene, moment, &pose, extension);
    }
    let settings = VertexSettings {
        method: arguments.skinning.method(),
        normals: arguments.skinning.normals(),
        max_influences: arguments.skinning.max_influences(),
        rounding: if arguments.any_rounding { Rounding::AnyDirection } else { Rounding::Nearest },
    };
    if extension == Some("glb") {
        let path = &arguments.output;
        write_file(path, &posed_glb(&scene, &pose, settings)?)?;
        note!("the pose is written to {}", path.display());
        return Ok(ExitCode::SUCCESS);
    }
    let buffer = arguments.given.golden(&scene, moment, &pose, settings)?;
    if extension == Some("npy") {
        buffer.write_npy(&arguments.output)?;
    } else {
        buffer.write_csv(&arguments.output)?;
    }
    note!("{} vertices are written to {}", buffer.len(), arguments.output.display());
    note!(
        "bounds for backends that {}",
        match arguments.given.source() {
            Source::File { .. } => "read the scene's file; --given palette for those that take matrices from a pack",
            Source::Palette => "are given refrast's palette; --given file for those that read the scene's file",
        }
    );
    Ok(ExitCode::SUCCESS)
}

impl VerticesArguments {
    /// Whether anything is said about the camera or its picture.
    fn names_a_camera(&self) -> bool {
        self.camera.settings() != CameraSettings::default()
            || self.size != Size::default()
            || self.convention != Convention::default()
    }

    /// The picture that the camera is for.
    fn picture(&self) -> RenderSettings {
        let Size { width, height } = self.size;
        RenderSettings { width, height, convention: self.convention, ..RenderSettings::default() }
    }
}

/// What a vertex program makes of each vertex.
fn program_vertices(
    arguments: &VerticesArguments,
    scene: &Scene,
    moment: Moment,
    pose: &Pose,
    extension: Option<&str>,
) -> CommandResult {
    if extension != Some("npy") {
        let path = arguments.output.display();
        return Err(format!("{path}: what a program makes of vertices is written as .npy; name such a file").into());
    }
    let bounds =
        [(arguments.any_rounding, "--any-rounding")].into_iter().find_map(|(given, option)| given.then_some(option));
    if let Some(option) = bounds.or(arguments.given.option()) {
        return Err(format!("{option} is about bounds, and what a vertex program makes has none; leave it out").into());
    }
    let picture = arguments.picture();
    let mut renderer = arguments.skinning.renderer(scene, picture)?;
    let camera = arguments.camera.settings().camera(scene, moment.clip(), pose, &picture)?;
    renderer.render(pose, &camera)?;
    let results: Vec<ProgramResult> = renderer.stage().program_results().collect();
    let column = |name: &str, pick: fn(&ProgramResult) -> [f32; 4]| NumberColumn {
        name: name.to_owned(),
        components: 4,
        values: results.iter().flat_map(pick).collect(),
    };
    let id = |result: &ProgramResult| VertexId {
        node: result.node as u32,
        primitive: result.primitive as u32,
        vertex: result.vertex as u32,
    };
    let table = NumberTable {
        ids: Some(results.iter().map(id).collect()),
        columns: vec![
            column("position", |result| result.position),
            column("color", |result| result.color),
            column("texcoord", |result| result.texcoord),
        ],
        rows: results.len(),
    };
    table.write_npy(&arguments.output)?;
    note!("{} vertices are written to {}, in clip space", table.rows, arguments.output.display());
    Ok(ExitCode::SUCCESS)
}

/// What a backend's vertices come from.
#[derive(Args, Clone)]
pub(super) struct GivenArguments {
    /// What the backend's vertices come from, and so what the bounds have room for: the scene's file, which it samples,
    /// composes and multiplies itself; or refrast's palette and morph weights, as from a pack [default: file]
    #[arg(long, value_name = "WHAT", value_parser = word::<Given>())]
    given: Option<Given>,
    /// Dot product of two keys' rotations above which it may interpolate linearly and normalise; raylib needs 0.95
    /// [default: 0.9995]
    #[arg(long, value_name = "DOT", value_parser = dot_product)]
    nlerp_above: Option<f64>,
}

impl GivenArguments {
    /// An option that was given, if any.
    pub(super) fn option(&self) -> Option<&'static str> {
        let given = [(self.given.is_some(), "--given"), (self.nlerp_above.is_some(), "--nlerp-above")];
        given.into_iter().find_map(|(given, option)| given.then_some(option))
    }

    /// What the vertices come from.
    pub(super) fn source(&self) -> Source {
        match self.given.unwrap_or_default() {
            Given::Palette => Source::Palette,
            Given::File => Source::File { nlerp_above: self.nlerp_above.unwrap_or(Chain::NLERP_ABOVE) },
        }
    }

    /// The exact vertices, with bounds for such a backend.
    pub(super) fn golden(
        &self,
        scene: &Scene,
        moment: Moment,
        pose: &Pose,
        settings: VertexSettings,
    ) -> Result<VertexBuffer, Box<dyn Error>> {
        Ok(match self.source().chain(moment) {
            None => scene_vertices(scene, pose, settings)?,
            Some(chain) => file_vertices(scene, chain, settings)?,
        })
    }
}

/// A cosine of half a rotation's angle, on the shorter way.
fn dot_product(text: &str) -> Result<f64, WriteError> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or(WriteError("a dot product of two rotations, from 0 to 1"))
}
