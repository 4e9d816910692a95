//! The command line.

use std::{path::PathBuf, process::ExitCode};

use clap::{Args, Parser, Subcommand};
use refrast::{
    animation::Pose,
    raster::{Convention, SampleCount},
    render::{Camera, Orbit, RenderSettings, Renderer},
    scene::Scene,
    shading::ShadingMode,
};
use refrast_gpu_backend::{Backend, Driver, Settings, Skinning};

use crate::{
    CommandResult,
    compare::CompareArguments,
    matrix::MatrixArguments,
    mistakes::{FaultArguments, diagnosed::DiagnoseArguments, right::PicturesArguments},
    packed::PackArguments,
};

/// Draws a scene on a GPU driver, and holds the driver against the reference.
#[derive(Parser)]
#[command(name = "refrast-gpu", version)]
pub(crate) struct Arguments {
    /// lavapipe | swiftshader | llvmpipe | softpipe | hardware
    #[arg(long, global = true, default_value = "lavapipe")]
    pub(crate) driver: Driver,
    #[command(subcommand)]
    pub(crate) work: Work,
}

#[derive(Subcommand)]
pub(crate) enum Work {
    /// A picture of a scene
    Render(RenderArguments),
    /// The skinned vertices of a scene, for `refrast compare`
    Vertices(VerticesArguments),
    /// What the driver says about itself
    Describe,
    /// Every driver against the goldens and the showcases, as a table
    Matrix(MatrixArguments),
    /// The cases of a golden pack against what a conformant backend may draw
    Pack(PackArguments),
    /// Pictures of scenes against what a conformant backend may draw
    Compare(CompareArguments),
    /// Known mistakes, built into the backend one by one
    Faults(FaultArguments),
    /// Known mistakes, drawn by the driver and named by the library
    Diagnose(DiagnoseArguments),
    /// The cases of `faults` without a mistake
    Pictures(PicturesArguments),
}

#[derive(Args)]
pub(crate) struct SceneArguments {
    /// A .gltf or .glb file, or `mannequin`, the built-in character
    scene: PathBuf,
    /// Animation clip by name or index; without it the rest pose is drawn
    #[arg(long, value_name = "NAME|INDEX")]
    animation: Option<String>,
    /// Time within the clip, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0")]
    time: f32,
    /// Blend dual quaternions instead of matrices
    #[arg(long)]
    dual_quaternions: bool,
}

#[derive(Args)]
pub(crate) struct RenderArguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// The PNG file
    #[arg(short, long, value_name = "OUT.png")]
    output: PathBuf,
    /// Picture size in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = size)]
    size: [u32; 2],
    /// A FILE.json written by `refrast render --print-camera`; without it an orbit around the pose
    #[arg(long, value_name = "FILE.json")]
    camera: Option<PathBuf>,
    /// lit | unlit | normals | uv | depth | joints | wireframe
    #[arg(long, value_name = "MODE", default_value = "lit")]
    shading: ShadingMode,
    /// Samples a pixel: 1 or 4
    #[arg(long, value_name = "1|4", default_value = "1", value_parser = SampleCount::parse)]
    samples: SampleCount,
    /// Clip space convention of the camera: opengl | d3d | vulkan
    #[arg(long, default_value = "opengl")]
    convention: Convention,
}

#[derive(Args)]
pub(crate) struct VerticesArguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// The NumPy file
    #[arg(short, long, value_name = "OUT.npy")]
    output: PathBuf,
}

impl SceneArguments {
    fn load(&self) -> Result<(Scene, Pose), Box<dyn std::error::Error>> {
        let built_in = self.scene.as_os_str() == "mannequin" && !self.scene.exists();
        let scene = if built_in { Scene::mannequin()? } else { Scene::load(&self.scene)? };
        let pose = match &self.animation {
            Some(name) => Pose::sample(&scene, scene.find_animation(name)?, self.time)?,
            None if self.time == 0.0 => Pose::rest(&scene),
            None => Pose::sample(&scene, 0, self.time)?,
        };
        Ok((scene, pose))
    }

    fn skinning(&self) -> Skinning {
        if self.dual_quaternions { Skinning::DualQuaternion } else { Skinning::Linear }
    }
}

impl RenderArguments {
    pub(crate) fn run(&self, backend: &Backend) -> CommandResult {
        let (scene, pose) = self.scene.load()?;
        let [width, height] = self.size;
        let Self { samples, convention, shading, .. } = *self;
        let reference = RenderSettings { width, height, samples, convention, shading, ..RenderSettings::default() };
        let camera = match &self.camera {
            Some(path) => Camera::load(path, convention)?,
            None => {
                let bounds = Renderer::new(&scene, reference)?.bounds(&pose)?;
                Camera::orbit(&bounds, Orbit::default(), f64::from(width) / f64::from(height), convention)
            }
        };
        let settings = Settings { skinning: self.scene.skinning(), ..Settings::from(&reference) };
        backend.render(&scene, &pose, &camera, settings)?.write(&self.output)?;
        eprintln!("{} is drawn by {}", self.output.display(), backend.description());
        Ok(ExitCode::SUCCESS)
    }
}

impl VerticesArguments {
    pub(crate) fn run(&self, backend: &Backend) -> CommandResult {
        let (scene, pose) = self.scene.load()?;
        let settings = Settings { skinning: self.scene.skinning(), ..Settings::from(&RenderSettings::default()) };
        let vertices = backend.vertices(&backend.upload(&scene, settings)?, &pose)?;
        vertices.write_npy(&self.output)?;
        eprintln!("{} vertices are written to {}", vertices.len(), self.output.display());
        Ok(ExitCode::SUCCESS)
    }
}

/// `WxH`.
pub(crate) fn size(text: &str) -> Result<[u32; 2], String> {
    let (width, height) = text.split_once('x').ok_or("write width and height in pixels, as in 1280x720")?;
    match (width.parse(), height.parse()) {
        (Ok(width @ 1..), Ok(height @ 1..)) => Ok([width, height]),
        _ => Err("write width and height in pixels, as in 1280x720".to_owned()),
    }
}
