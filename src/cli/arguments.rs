//! Arguments that several subcommands share, and how their values are read.

use std::{
    num::NonZeroUsize,
    ops::Range,
    path::{Path, PathBuf},
    str::FromStr,
};

use clap::Args;
use refrast_animation::Pose;
use refrast_raster::{Convention, SampleCount};
use refrast_render::{Camera, CameraChoice, RenderSettings, Renderer, Rgb, Size};
use refrast_scene::{LoadOptions, Scene};
use refrast_shading::ShadingMode;
use refrast_simd::SimdLevel;

use super::output::note;

/// Which scene, and when.
#[derive(Args, Clone)]
pub(super) struct SceneArguments {
    /// A .gltf or .glb file, or `mannequin`, the built-in character
    pub(super) scene: PathBuf,
    /// Animation clip by name or index; without it the rest pose is drawn
    #[arg(long, value_name = "NAME|INDEX")]
    pub(super) animation: Option<String>,
    /// Read buffers and images outside of the scene's folder too, as in ../textures/skin.png
    #[arg(long)]
    pub(super) allow_outside: bool,
    /// Memory that the scene may take, counted before it is taken
    #[arg(long, value_name = "MIB", default_value_t = LoadOptions::DEFAULT_MEMORY >> 20)]
    pub(super) memory: u64,
}

impl SceneArguments {
    /// Reads the scene; a file called `mannequin` wins over the built-in character.
    pub(super) fn load(&self) -> Result<Scene, Box<dyn std::error::Error>> {
        if self.scene == Path::new("mannequin") && !self.scene.exists() {
            return Ok(Scene::mannequin()?);
        }
        let options = LoadOptions { allow_outside: self.allow_outside, memory: self.memory.saturating_mul(1 << 20) };
        Ok(Scene::load_with(&self.scene, options)?)
    }

    /// The clip's index, if one was asked for.
    pub(super) fn find_animation(&self, scene: &Scene) -> Result<Option<usize>, Box<dyn std::error::Error>> {
        Ok(self.animation.as_deref().map(|name| scene.find_animation(name)).transpose()?)
    }

    /// The pose at a time of the clip that was asked for: of the first one where only a time was given, and the rest
    /// pose where neither was.
    pub(super) fn pose(&self, scene: &Scene, seconds: f32) -> Result<Pose, Box<dyn std::error::Error>> {
        match self.find_animation(scene)? {
            Some(animation) => Ok(Pose::sample(scene, animation, seconds)?),
            None if seconds == 0.0 => Ok(Pose::rest(scene)),
            None if scene.animations.is_empty() => Err("the scene has no animation; leave out --time".into()),
            None => Ok(Pose::sample(scene, 0, seconds)?),
        }
    }
}

/// How the picture is made.
#[derive(Args, Clone)]
pub(super) struct PictureArguments {
    /// Picture size in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    pub(super) size: Size,
    /// auto | a camera of the file by NAME or INDEX | orbit:YAW,PITCH,DISTANCE (degrees, degrees, metres) | a FILE.json
    /// written by --print-camera
    #[arg(long, default_value = "auto", verbatim_doc_comment)]
    pub(super) camera: CameraChoice,
    /// lit | unlit | normals | uv | depth | joints | wireframe
    #[arg(long, value_name = "MODE", default_value = "lit")]
    pub(super) shading: ShadingMode,
    /// Background colour
    #[arg(long, value_name = "#RRGGBB", default_value = "#22262e")]
    pub(super) background: Rgb,
    /// Samples a pixel: 1 or 4
    #[arg(long, value_name = "1|4", default_value = "1", value_parser = SampleCount::parse)]
    pub(super) samples: SampleCount,
    /// Clip space convention: opengl | d3d | vulkan
    #[arg(long, default_value = "opengl")]
    pub(super) convention: Convention,
    /// Threads [default: one a core]
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<NonZeroUsize>,
    /// scalar | sse2 | sse4.2 | avx2 | avx512 | neon | wasm | auto
    #[arg(long, value_name = "LEVEL", default_value = "auto")]
    pub(super) simd: SimdLevel,
    /// Bits after the point of a vertex's window position
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u32).range(4..=16))]
    pub(super) subpixel_bits: u32,
}

impl PictureArguments {
    pub(super) fn settings(&self) -> RenderSettings {
        RenderSettings {
            width: self.size.width,
            height: self.size.height,
            samples: self.samples,
            convention: self.convention,
            subpixel_bits: self.subpixel_bits,
            shading: self.shading,
            background: self.background.0,
            simd: self.simd,
            threads: self.threads.map(bounded_threads),
            ..RenderSettings::default()
        }
    }

    /// The camera that was asked for; `clip` tells what an automatic camera must hold in view.
    pub(super) fn camera(
        &self,
        renderer: &mut Renderer<'_>,
        pose: &Pose,
        clip: Option<(usize, Range<f32>)>,
    ) -> Result<Camera, Box<dyn std::error::Error>> {
        Ok(self.camera.camera(renderer, pose, clip)?)
    }
}

/// More threads than so many a core only take memory.
const MOST_THREADS_A_CORE: usize = 4;

/// As many threads as were asked for, or as make sense here; what is left out is told.
pub(super) fn bounded_threads(asked: NonZeroUsize) -> NonZeroUsize {
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let most = cores.saturating_mul(NonZeroUsize::MIN.saturating_add(MOST_THREADS_A_CORE - 1));
    if asked > most {
        note!("{asked} threads were asked for; {most} are used, {MOST_THREADS_A_CORE} for each of {cores} cores");
    }
    asked.min(most)
}

/// `A..B` in seconds: from A, before B.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TimeRange(pub(super) Range<f32>);

impl FromStr for TimeRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (start, end) = text.split_once("..")?;
            let range = start.trim().parse::<f32>().ok()?..end.trim().parse::<f32>().ok()?;
            (range.start.is_finite() && range.end.is_finite() && range.start <= range.end).then_some(Self(range))
        };
        parse().ok_or_else(|| "write start..end in seconds, as in 0..1.5".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_and_refused() {
        assert_eq!("0.5..2".parse(), Ok(TimeRange(0.5..2.0)));
        assert!("2..1".parse::<TimeRange>().is_err());
    }
}
