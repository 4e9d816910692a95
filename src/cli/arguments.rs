//! Arguments that several subcommands share, and how their values are read.

use std::{
    num::NonZeroUsize,
    ops::Range,
    path::{Path, PathBuf},
    str::FromStr,
};

use clap::Args;
use refrast_animation::Pose;
use refrast_range::Profile;
use refrast_raster::{Convention, SampleCount};
use refrast_render::{Camera, CameraChoice, RenderSettings, Renderer, Rgb, Size};
use refrast_scene::{LoadOptions, Scene};
use refrast_shading::ShadingMode;
use refrast_simd::SimdLevel;

use super::{
    output::note,
    words::{offered, word},
};

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

/// What is seen, and how it is rasterised.
#[derive(Args, Clone)]
pub(super) struct PictureViewArguments {
    /// Where the picture is taken from
    #[arg(long, default_value_t, value_parser = offered::<CameraChoice>(CameraChoice::offers()))]
    pub(super) camera: CameraChoice,
    /// What the picture shows of its surfaces
    #[arg(long, value_name = "MODE", default_value_t, value_parser = word::<ShadingMode>())]
    pub(super) shading: ShadingMode,
    /// Samples a pixel
    #[arg(long, value_name = "N", default_value_t, value_parser = word::<SampleCount>())]
    pub(super) samples: SampleCount,
    /// Depth range and y direction of clip space
    #[arg(long, value_name = "NAME", default_value_t, value_parser = word::<Convention>())]
    pub(super) convention: Convention,
    /// Bits after the point of a vertex's window position
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u32).range(4..=16))]
    pub(super) subpixel_bits: u32,
}

/// What holds the view.
#[derive(Args, Clone)]
pub(super) struct CanvasArguments {
    /// Picture size in pixels
    #[arg(long, value_name = "WxH", default_value_t)]
    pub(super) size: Size,
    /// Background colour
    #[arg(long, value_name = "#RRGGBB", default_value_t)]
    pub(super) background: Rgb,
}

/// Which instructions compute: nothing of the result.
#[derive(Args, Clone)]
pub(super) struct SimdArguments {
    /// Instruction set to use; every one gives the same bits
    #[arg(long, value_name = "LEVEL", default_value = "auto", value_parser = offered::<SimdLevel>(SimdLevel::offers()))]
    pub(super) simd: SimdLevel,
}

/// How the picture is made.
#[derive(Args, Clone)]
pub(super) struct PictureArguments {
    #[command(flatten)]
    pub(super) canvas: CanvasArguments,
    #[command(flatten)]
    pub(super) view: PictureViewArguments,
    /// Threads [default: one a core]
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(super) simd: SimdArguments,
}

/// What is right.
#[derive(Args, Clone)]
pub(super) struct ProfileArguments {
    /// What the backend may do differently
    #[arg(long, value_name = "NAME", default_value_t, value_parser = offered::<Profile>(Profile::offers()))]
    pub(super) profile: Profile,
}

impl PictureArguments {
    pub(super) fn settings(&self) -> RenderSettings {
        let CanvasArguments { size: Size { width, height }, background: Rgb(background) } = self.canvas;
        let PictureViewArguments { shading, samples, convention, subpixel_bits, .. } = self.view;
        let (simd, threads) = (self.simd.simd, self.threads);
        let given = RenderSettings::default();
        RenderSettings {
            width,
            height,
            samples,
            convention,
            subpixel_bits,
            shading,
            background,
            simd,
            threads: threads.map(bounded_threads),
            ..given
        }
    }

    /// The camera that was asked for; `clip` tells what an automatic camera must hold in view.
    pub(super) fn camera(
        &self,
        renderer: &mut Renderer<'_>,
        pose: &Pose,
        clip: Option<(usize, Range<f32>)>,
    ) -> Result<Camera, Box<dyn std::error::Error>> {
        Ok(self.view.camera.camera(renderer, pose, clip)?)
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

/// What should have been written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write {0}")]
pub(super) struct WriteError(pub(super) &'static str);

/// Finite numbers between separators.
pub(super) fn numbers<T: FromStr + Copy + Into<f64>, const N: usize>(
    text: &str,
    separator: &str,
    wanted: &'static str,
) -> Result<[T; N], WriteError> {
    let read = |number: &str| number.trim().parse().ok().filter(|&number: &T| number.into().is_finite());
    let numbers: Option<Vec<T>> = text.split(separator).map(read).collect();
    numbers.and_then(|numbers| numbers.try_into().ok()).ok_or(WriteError(wanted))
}

/// `A..B` in seconds: from A, before B.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TimeRange(pub(super) Range<f32>);

impl FromStr for TimeRange {
    type Err = WriteError;

    fn from_str(text: &str) -> Result<Self, WriteError> {
        const WANTED: &str = "start..end in seconds, as in 0..1.5";
        let [start, end] = numbers(text, "..", WANTED)?;
        if start <= end { Ok(Self(start..end)) } else { Err(WriteError(WANTED)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_and_refused() {
        assert_eq!("0.5..2".parse(), Ok(TimeRange(0.5..2.0)));
        assert!("2..1".parse::<TimeRange>().is_err());
        assert!("1..inf".parse::<TimeRange>().is_err());
        let said = "1".parse::<TimeRange>().map_err(|error| error.to_string());
        assert_eq!(said, Err("write start..end in seconds, as in 0..1.5".to_owned()));
    }
}
