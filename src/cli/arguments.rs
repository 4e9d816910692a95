//! Arguments that several subcommands share, and how their values are read.

use std::{num::NonZeroUsize, ops::Range, path::PathBuf, str::FromStr};

use clap::Args;
use glam::DVec3;
use refrast_draw::{Convention, DepthBias, DepthFormat, SampleCount};
use refrast_range::{Blend, Declared, Diffuse, Dither, Encode, Jpeg, Mips, NormalMaps, Resolve, Rules, Tangents};
use refrast_scene::{LoadOptions, RemarkKind, Scene, SceneError};
use refrast_shading::{
    Casters, Development, Lighting, ShadingMode, ShadowCasting, ShadowFilter, ShadowFit, ShadowSettings, ShadowShape,
    SplitScheme, SplitSelection, Steadiness, ToneMapping,
};
use refrast_simd::SimdLevel;
use refrast_simulator::Moment;
use refrast_stage::{Camera, CameraChoice, CameraSettings, Lens, RenderSettings, Rgb, Size};

use super::{
    output::note,
    words::{offered, word},
};

/// Which scene.
#[derive(Args, Clone)]
pub(super) struct SceneFile {
    /// A .gltf or .glb file, or `mannequin`, the built-in character, or `stage`, the same on ground with lights
    pub(super) scene: PathBuf,
    #[command(flatten)]
    pub(super) reading: ReadingArguments,
}

/// Which scene, and when.
#[derive(Args, Clone)]
pub(super) struct SceneArguments {
    #[command(flatten)]
    pub(super) file: SceneFile,
    /// Animation clip by name or index; without it the rest pose is drawn
    #[arg(long, value_name = "NAME|INDEX")]
    pub(super) animation: Option<String>,
}

/// How scenes are read.
#[derive(Args, Clone)]
pub(super) struct ReadingArguments {
    /// Read buffers and images outside of a scene's folder too, as in ../textures/skin.png
    #[arg(long)]
    allow_outside: bool,
    /// Refuse a scene that uses an extension which would be seen and is not drawn; otherwise that is a warning
    #[arg(long)]
    strict: bool,
    /// Memory that a scene, or a picture that is held against it, may take, counted before it is taken
    #[arg(long, value_name = "MIB", default_value_t = LoadOptions::DEFAULT_MEMORY >> 20)]
    memory: u64,
}

impl ReadingArguments {
    pub(super) fn options(&self) -> LoadOptions {
        let memory = self.memory.saturating_mul(1 << 20);
        LoadOptions { allow_outside: self.allow_outside, memory, strict: self.strict, ..LoadOptions::default() }
    }
}

impl SceneFile {
    /// Reads the scene, without its pixels where nobody draws them, and without a word about it; a file called `mannequin`
    /// wins over the built-in character, and one called `stage` over its stage.
    pub(super) fn read(&self, pixels: bool) -> Result<Scene, SceneError> {
        match self.scene.to_str() {
            Some("mannequin") if !self.scene.exists() => return Scene::mannequin(),
            Some("stage") if !self.scene.exists() => return Scene::stage(),
            _ => {}
        }
        Scene::load_with(&self.scene, LoadOptions { pixels, ..self.reading.options() })
    }

    /// Bytes that the scene may take, and so may a picture that is held against it.
    pub(super) fn memory(&self) -> u64 {
        self.reading.options().memory
    }
}

impl SceneArguments {
    /// Reads the scene, and tells which rules of glTF it breaks.
    pub(super) fn load(&self) -> Result<Scene, SceneError> {
        let scene = self.file.read(true)?;
        write_warnings(&scene);
        Ok(scene)
    }

    /// The clip's index, if one was asked for.
    pub(super) fn find_animation(&self, scene: &Scene) -> Result<Option<usize>, Box<dyn std::error::Error>> {
        Ok(self.animation.as_deref().map(|name| scene.find_animation(name)).transpose()?)
    }

    /// The moment that was asked for: of the clip, or at rest where there is none.
    pub(super) fn moment(&self, scene: &Scene, seconds: f32) -> Result<Moment, Box<dyn std::error::Error>> {
        match self.find_animation(scene)? {
            Some(animation) => Ok(Moment::Clip { animation, seconds }),
            None if seconds == 0.0 => Ok(Moment::Rest),
            None => Err(no_clip(scene, "--time").into()),
        }
    }
}

/// A time was asked for, and no clip that it is a time of.
#[derive(Debug, thiserror::Error)]
#[error("{option} is a time of a clip, and none was named: {remedy}")]
pub(super) struct NoClipError {
    option: &'static str,
    remedy: String,
}

/// The error of an option that needs a clip, with those that there are.
pub(super) fn no_clip(scene: &Scene, option: &'static str) -> NoClipError {
    let available = scene.list_animations();
    let remedy = if scene.animations.is_empty() {
        format!("{available}; leave out {option}")
    } else {
        format!("add --animation NAME|INDEX; {available}")
    };
    NoClipError { option, remedy }
}

/// Where the picture is taken from.
#[derive(Args, Clone)]
pub(super) struct CameraArguments {
    /// Where the picture is taken from
    #[arg(long, default_value_t, value_parser = offered::<CameraChoice>(CameraChoice::offers()))]
    pub(super) camera: CameraChoice,
    /// Field of view from bottom to top, in degrees [default: 35]
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    pub(super) fov: Option<f64>,
    /// Where the camera stands, in metres, in place of an orbit
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub(super) eye: Option<Point>,
    /// What the camera looks at, in metres [default: the middle of what is drawn]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub(super) target: Option<Point>,
    /// Up for a camera at an --eye [default: 0,1,0]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub(super) up: Option<Point>,
    /// Near plane, in metres from the camera [default: just before all that is drawn]
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    pub(super) near: Option<f64>,
    /// Far plane, in metres from the camera [default: just behind all that is drawn]
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    pub(super) far: Option<f64>,
}

impl CameraArguments {
    /// The camera in the library's words.
    pub(super) fn settings(&self) -> CameraSettings {
        let Self { camera, fov, eye, target, up, near, far } = self;
        let point = |point: &Option<Point>| point.map(|Point(point)| point);
        CameraSettings {
            choice: camera.clone(),
            lens: Lens { field_of_view: *fov, near: *near, far: *far },
            eye: point(eye),
            target: point(target),
            up: point(up),
        }
    }
}

/// Tells which rules of glTF a scene breaks that is drawn all the same, the first place of each kind, and every extension that is not
/// drawn.
pub(super) fn write_warnings(scene: &Scene) {
    let warnings = || scene.source.remarks.iter().filter(|remark| remark.warns);
    let mut told = Vec::new();
    for remark in warnings() {
        let is_extension = remark.kind == RemarkKind::ExtensionIgnored;
        if is_extension || !told.contains(&remark.kind) {
            told.push(remark.kind);
            let more = match warnings().filter(|other| other.kind == remark.kind).count() - 1 {
                0 => String::new(),
                _ if is_extension => String::new(),
                more => format!(" ({more} more like it: refrast lint)"),
            };
            note!("warning: {}: {remark}{more}", scene.source.file);
        }
    }
}

/// `X,Y,Z`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point(pub(super) DVec3);

impl FromStr for Point {
    type Err = WriteError;

    fn from_str(text: &str) -> Result<Self, WriteError> {
        Ok(Self(numbers(text, ",", "three numbers, as in 0,1.2,0")?.into()))
    }
}

/// What is seen, and how it is rasterised.
#[derive(Args, Clone)]
pub(super) struct PictureViewArguments {
    #[command(flatten)]
    pub(super) camera: CameraArguments,
    /// What the picture shows of its surfaces
    #[arg(long, value_name = "MODE", default_value_t, value_parser = word::<ShadingMode>())]
    pub(super) shading: ShadingMode,
    /// Ambient light: the part of the base colour that is seen where no light falls [default: 0.25, and 0.05 under a file's own lights]
    #[arg(long, value_name = "PART", value_parser = ambient)]
    pub(super) ambient: Option<f32>,
    #[command(flatten)]
    pub(super) development: DevelopmentArguments,
    #[command(flatten)]
    pub(super) shadows: ShadowArguments,
    /// Samples a pixel; 4-mirrored has their pattern in a mirror, as a canvas of WebGL has it
    #[arg(long, value_name = "N", default_value_t, value_parser = word::<SampleCount>())]
    pub(super) samples: SampleCount,
    /// Depth range and y direction of clip space
    #[arg(long, value_name = "NAME", default_value_t, value_parser = word::<Convention>())]
    pub(super) convention: Convention,
    /// Bits after the point of a vertex's window position
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u32).range(4..=16))]
    pub(super) subpixel_bits: u32,
}

/// From the light of a scene to that of a picture, in the mode `lit`.
#[derive(Args, Clone, Copy)]
pub(super) struct DevelopmentArguments {
    /// What the light of `lit` is multiplied by
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = exposure)]
    pub(super) exposure: f32,
    /// How the light of `lit` is brought below 1
    #[arg(long, value_name = "NAME", default_value_t, value_parser = word::<ToneMapping>())]
    pub(super) tone: ToneMapping,
}

impl DevelopmentArguments {
    pub(super) fn development(self) -> Development {
        Development { exposure: self.exposure, tone: self.tone }
    }
}

fn exposure(text: &str) -> Result<f32, String> {
    let number: f32 = text.parse().map_err(|_| "a factor is a number, as in 0.5".to_owned())?;
    Development::check(number).map_err(|error| error.to_string())
}

fn ambient(text: &str) -> Result<f32, String> {
    let number: f32 = text.parse().map_err(|_| "a part is a number, as in 0.1".to_owned())?;
    Lighting::check_ambient(number).map_err(|error| error.to_string())
}

/// The shadows that lights cast, in the modes `lambert` and `lit`.
#[derive(Args, Clone)]
#[command(next_help_heading = "Shadows")]
pub(super) struct ShadowArguments {
    /// Which lights cast shadows: none, cascades:N (directional lights, N maps each), spot, or cascades:N,spot
    #[arg(long, value_name = "WHICH", default_value = "none")]
    pub(super) shadows: ShadowCasting,
    /// Where the view is split: uniform, logarithmic, mixed:LAMBDA, or the distances at which splits end, as in 3,10,40
    #[arg(long, value_name = "HOW", default_value_t)]
    pub(super) shadow_splits: SplitScheme,
    /// How far from the camera there are shadows, in metres [default: as far as the far plane]
    #[arg(long, value_name = "METRES")]
    pub(super) shadow_distance: Option<f32>,
    /// What a map's box is put around
    #[arg(long, value_name = "WHAT", default_value_t, value_parser = word::<ShadowFit>())]
    pub(super) shadow_fit: ShadowFit,
    /// The shape that is put around it
    #[arg(long, value_name = "SHAPE", default_value_t, value_parser = word::<ShadowShape>())]
    pub(super) shadow_shape: ShadowShape,
    /// How a map moves with the camera
    #[arg(long, value_name = "HOW", default_value_t, value_parser = word::<Steadiness>())]
    pub(super) shadow_steady: Steadiness,
    /// Texels a side of a map, 256 to 4096
    #[arg(long, value_name = "N", default_value = "1024", value_parser = clap::value_parser!(u32).range(256..=4096))]
    pub(super) shadow_size: u32,
    /// How a map stores depth
    #[arg(long, value_name = "BITS", default_value_t, value_parser = word::<DepthFormat>())]
    pub(super) shadow_depth: DepthFormat,
    /// How far maps are moved away from the light: steps of the depth format, parts of the slope, and a limit
    #[arg(long, value_name = "CONSTANT[,SLOPE[,CLAMP]]", default_value = "16,2.5", allow_hyphen_values = true)]
    pub(super) shadow_bias: DepthBias,
    /// What a lookup compares
    #[arg(long, value_name = "FILTER", default_value_t, value_parser = word::<ShadowFilter>())]
    pub(super) shadow_filter: ShadowFilter,
    /// Which split a fragment belongs to
    #[arg(long, value_name = "HOW", default_value_t, value_parser = word::<SplitSelection>())]
    pub(super) shadow_select: SplitSelection,
    /// The last part of a split, 0 to 1, in which the next one is faded in
    #[arg(long, value_name = "PART", default_value_t = 0.0)]
    pub(super) shadow_blend: f32,
    /// What becomes of casters between the light and a map's box
    #[arg(long, value_name = "HOW", default_value_t, value_parser = word::<Casters>())]
    pub(super) shadow_casters: Casters,
}

impl ShadowArguments {
    pub(super) fn settings(&self) -> ShadowSettings {
        ShadowSettings {
            casting: self.shadows,
            splits: self.shadow_splits,
            distance: self.shadow_distance,
            fit: self.shadow_fit,
            shape: self.shadow_shape,
            steadiness: self.shadow_steady,
            side: self.shadow_size,
            format: self.shadow_depth,
            bias: self.shadow_bias,
            filter: self.shadow_filter,
            selection: self.shadow_select,
            blend: self.shadow_blend,
            casters: self.shadow_casters,
        }
    }
}

/// The name of a file that a single picture goes to.
pub(super) fn png_file(path: PathBuf) -> Result<PathBuf, String> {
    let is_png = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"));
    if is_png { Ok(path) } else { Err("this picture is written as a PNG file; name a .png".to_owned()) }
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
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(super) threads: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(super) simd: SimdArguments,
}

/// What is right.
#[derive(Args, Clone)]
pub(super) struct ProfileArguments {
    /// What the backend may do differently
    #[arg(long, value_name = "NAME", default_value_t, value_parser = offered::<Rules>(Rules::offers()))]
    pub(super) profile: Rules,
}

/// What the backend has chosen, and the picture shows.
#[derive(Args, Clone, Debug)]
pub(super) struct DeclaredArguments {
    /// What its samples of a pixel are averaged as
    #[arg(long, value_name = "HOW", default_value_t, value_parser = word::<Resolve>())]
    pub(super) resolve: Resolve,
    /// What its blending mixes
    #[arg(long, value_name = "HOW", default_value_t, value_parser = word::<Blend>())]
    pub(super) blend: Blend,
    /// What it adds before colours are rounded to bytes
    #[arg(long, value_name = "HOW", default_value_t, value_parser = word::<Dither>())]
    pub(super) dither: Dither,
    /// How its colours become stored values
    #[arg(long, value_name = "CURVE", default_value_t, value_parser = word::<Encode>())]
    pub(super) encode: Encode,
    /// The most samples that its texture filters take along a pixel's longer axis
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u8).range(1..=16))]
    pub(super) anisotropy: u8,
    /// Where the mip levels of its textures come from
    #[arg(long, value_name = "ORIGIN", default_value_t, value_parser = word::<Mips>())]
    pub(super) mips: Mips,
    /// Whose texels its JPEG images have
    #[arg(long, value_name = "DECODER", default_value_t, value_parser = word::<Jpeg>())]
    pub(super) jpeg: Jpeg,
    /// What is left of light for the diffuse term of its materials in `lit`
    #[arg(long, value_name = "PART", default_value_t, value_parser = word::<Diffuse>())]
    pub(super) diffuse: Diffuse,
    /// How many channels of its normal maps count
    #[arg(long, value_name = "CHANNELS", default_value_t, value_parser = word::<NormalMaps>())]
    pub(super) normal_maps: NormalMaps,
    /// What its pixels do to the frame of a normal map
    #[arg(long, value_name = "FRAME", default_value_t, value_parser = word::<Tangents>())]
    pub(super) tangents: Tangents,
}

impl DeclaredArguments {
    /// The choices, and those that the rules make for themselves.
    pub(super) fn beside(&self, rules: &ProfileArguments) -> Rules {
        rules.profile.with(self.declared())
    }

    /// The choices in the library's words.
    pub(super) fn declared(&self) -> Declared {
        let Self { resolve, blend, dither, encode, anisotropy, mips, jpeg, diffuse, normal_maps, tangents } = *self;
        Declared { resolve, blend, dither, encode, anisotropy, mips, jpeg, diffuse, normal_maps, tangents }
    }
}

impl PictureArguments {
    pub(super) fn settings(&self) -> RenderSettings {
        let CanvasArguments { size: Size { width, height }, background: Rgb(background) } = self.canvas;
        let PictureViewArguments { shading, ambient, development, shadows, samples, convention, subpixel_bits, .. } =
            &self.view;
        let (simd, threads) = (self.simd.simd, self.threads);
        let given = RenderSettings::default();
        RenderSettings {
            width,
            height,
            samples: *samples,
            convention: *convention,
            subpixel_bits: *subpixel_bits,
            shading: *shading,
            ambient: *ambient,
            development: development.development(),
            shadows: shadows.settings(),
            background,
            simd,
            threads: threads.map(bounded_threads),
            ..given
        }
    }

    /// The camera that was asked for.
    pub(super) fn camera(&self, scene: &Scene, moment: Moment) -> Result<Camera, Box<dyn std::error::Error>> {
        Ok(self.view.camera.settings().camera(scene, moment.clip(), &moment.pose(scene)?, &self.settings())?)
    }
}

/// A moment of a clip.
pub(super) fn seconds(text: &str) -> Result<f32, WriteError> {
    let moment = text.parse().ok().filter(|moment: &f32| moment.is_finite() && *moment >= 0.0);
    moment.ok_or(WriteError("seconds from 0 on, where every clip begins; until its first key comes, that one holds"))
}

/// How many threads work.
pub(super) fn threads(text: &str) -> Result<NonZeroUsize, WriteError> {
    text.parse().map_err(|_| WriteError("how many, from 1 on; without the option there is one a core"))
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
