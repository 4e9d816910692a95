//! `refrast vertices`: where every vertex of a pose is, exactly, and how far a correct backend may be from there.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use refrast_envelope::vertex::{VertexSettings, posed_glb, scene_vertices};
use refrast_golden::write_whole;
use refrast_range::Rounding;

use super::{CommandResult, arguments::SceneArguments, output::note, skinning_choice::MethodArguments};

/// Rows are in the order of node, primitive and vertex of the file, in world space and metres.
#[derive(Args)]
pub(super) struct VerticesArguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// .npy: a structured array for `refrast compare`; .csv: the same as text; .glb: a static mesh
    #[arg(short, long, value_name = "OUT.npy|csv|glb")]
    output: PathBuf,
    /// Time within the clip, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0")]
    time: f32,
    #[command(flatten)]
    skinning: MethodArguments,
    /// Make room for backends that round to either neighbour, as Vulkan allows, not only to the nearest f32
    #[arg(long)]
    any_rounding: bool,
}

pub(super) fn run(arguments: &VerticesArguments) -> CommandResult {
    let extension = arguments.output.extension().map(|extension| extension.to_ascii_lowercase());
    let extension = extension.as_deref().and_then(|extension| extension.to_str());
    if !matches!(extension, Some("npy" | "csv" | "glb")) {
        return Err(format!("{}: name a file that ends in .npy, .csv or .glb", arguments.output.display()).into());
    }
    let scene = arguments.scene.load()?;
    let pose = arguments.scene.moment(&scene, arguments.time)?.pose(&scene)?;
    let settings = VertexSettings {
        method: arguments.skinning.method,
        normals: arguments.skinning.rules.normals,
        max_influences: arguments.skinning.rules.max_influences,
        rounding: if arguments.any_rounding { Rounding::AnyDirection } else { Rounding::Nearest },
    };
    if extension == Some("glb") {
        let path = &arguments.output;
        write_whole(path, &posed_glb(&scene, &pose, settings)?)
            .map_err(|error| format!("{}: can not be written: {error}; check the folder", path.display()))?;
        note!("the pose is written to {}", path.display());
        return Ok(ExitCode::SUCCESS);
    }
    let buffer = scene_vertices(&scene, &pose, settings)?;
    if extension == Some("npy") {
        buffer.write_npy(&arguments.output)?;
    } else {
        buffer.write_csv(&arguments.output)?;
    }
    note!("{} vertices are written to {}", buffer.len(), arguments.output.display());
    Ok(ExitCode::SUCCESS)
}
