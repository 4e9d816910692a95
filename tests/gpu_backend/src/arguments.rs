//! The command line.

use std::{path::PathBuf, process::ExitCode, str::FromStr};

use clap::{
    Args, Parser, Subcommand,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use refrast::{
    animation::Pose,
    raster::{Convention, RasterError, SampleCount},
    render::{Camera, Orbit, RenderSettings, Renderer, Size},
    scene::Scene,
    shading::ShadingMode,
    words::{UnknownWord, Word},
};
use refrast_gpu_backend::{Backend, Driver, Settings, Skinning};

use crate::{
    CommandResult,
    bench::BenchArguments,
    compare::CompareArguments,
    filters::FilterArguments,
    matrix::MatrixArguments,
    mistakes::{FaultArguments, diagnosed::DiagnoseArguments, right::PicturesArguments},
    packed::PackArguments,
    random::RandomArguments,
};

/// Draws a scene on a GPU driver, and holds the driver against the reference.
#[derive(Parser)]
#[command(name = "refrast-gpu", version)]
pub(crate) struct Arguments {
    /// Who draws
    #[arg(long, global = true, default_value_t, value_parser = word::<Driver>())]
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
    /// Milliseconds a frame of drivers and of the reference, in turns, as a table
    Bench(BenchArguments),
    /// The cases of a golden pack against what a conformant backend may draw
    Pack(PackArguments),
    /// Pictures of scenes against what a conformant backend may draw
    Compare(CompareArguments),
    /// The texture filter by itself, against what a conformant one may compute
    Filters(FilterArguments),
    /// Known mistakes, built into the backend one by one
    Faults(FaultArguments),
    /// Known mistakes, drawn by the driver and named by the library
    Diagnose(DiagnoseArguments),
    /// The cases of `faults` without a mistake
    Pictures(PicturesArguments),
    /// Random mistakes, and how many of them the library names
    Random(RandomArguments),
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
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    size: Size,
    /// A FILE.json written by `refrast render --print-camera`; without it an orbit around the pose
    #[arg(long, value_name = "FILE.json")]
    camera: Option<PathBuf>,
    /// What the picture shows of its surfaces
    #[arg(long, value_name = "MODE", default_value_t, value_parser = word::<ShadingMode>())]
    shading: ShadingMode,
    /// Samples a pixel
    #[arg(long, value_name = "N", default_value_t, value_parser = word::<SampleCount>())]
    samples: SampleCount,
    /// Clip space convention of the camera
    #[arg(long, default_value_t, value_parser = word::<Convention>())]
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
        let Size { width, height } = self.size;
        // The API would take down the process.
        if width == 0 || height == 0 {
            return Err(RasterError::Size { width, height }.into());
        }
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

/// Reads a word of a list, and shows the list in help.
pub(crate) fn word<W>() -> impl TypedValueParser<Value = W>
where
    W: Word + FromStr<Err = UnknownWord> + Send + Sync,
{
    let values = W::offers().map(|offer| PossibleValue::new(offer.name).help(offer.about));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<W>())
}
