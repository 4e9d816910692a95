//! [`PreparedCase`]: a golden's entry in the manifest as something that can be rendered.
//!
//! Why it exists: a manifest is words. Here they get their meaning, once for `new`, `check`, `bless` and `pack`, and a
//! word that has none is said with the case it stands in.

use std::{
    collections::BTreeMap,
    fmt::Display,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};

use glam::DVec3;
use serde::Serialize;

use crate::{setup::Source, showcase::Showcase};
use refrast_animation::Pose;
use refrast_draw::SampleCount;
use refrast_envelope::{EnvelopeSettings, FrameEnvelope, frame_envelope, vertex::Chain};
use refrast_golden::{Given, GoldenCase, Picture};
use refrast_range::{Declared, Profile, Rules};
use refrast_render::Renderer;
use refrast_scene::{LoadOptions, Scene};
use refrast_shading::{Development, Lighting, ShadowSettings};
use refrast_simulator::Moment;
use refrast_stage::{
    Camera, CameraChoice, CameraSettings, Lens, RenderSettings, Rgb, Size,
    program::{ProgramChoice, ProgramChoiceError, ProgramSettings},
};

/// A case of a manifest can not be rendered.
#[derive(Debug, thiserror::Error)]
#[error("case `{case}`: {key}: {reason}")]
pub struct CaseError {
    /// The case.
    pub case: String,
    /// The key of the manifest that is to be changed, or what was being done.
    pub key: &'static str,
    /// What is wrong, and what to do.
    pub reason: String,
}

/// Scenes that have been read, by the words of the manifest: most cases share a few.
#[derive(Debug, Default)]
pub(super) struct Scenes {
    read: BTreeMap<String, Arc<Scene>>,
    pub(super) options: LoadOptions,
}

impl Scenes {
    pub(super) fn all(&self) -> impl Iterator<Item = &Scene> {
        self.read.values().map(|scene| &**scene)
    }

    fn get(&mut self, folder: &Path, case: &GoldenCase) -> Result<Arc<Scene>, CaseError> {
        if let Some(scene) = self.read.get(&case.scene) {
            return Ok(scene.clone());
        }
        let path = folder.join(&case.scene);
        let scene = match case.scene.as_str() {
            "mannequin" if !path.exists() => Scene::mannequin(),
            "stage" if !path.exists() => Scene::stage(),
            _ => Scene::load_with(&path, self.options),
        };
        let scene = Arc::new(scene.map_err(wrong(case, "scene"))?);
        self.read.insert(case.scene.clone(), scene.clone());
        Ok(scene)
    }
}

/// Turns any error into one that names the case and the key.
pub(super) fn wrong<E: Display>(case: &GoldenCase, key: &'static str) -> impl FnOnce(E) -> CaseError {
    let case = case.name.clone();
    move |error| CaseError { case, key, reason: error.to_string() }
}

/// A case that is ready to be rendered.
#[derive(Clone, Debug)]
pub struct PreparedCase {
    /// Its entry in the manifest.
    pub entry: GoldenCase,
    /// The scene.
    pub scene: Arc<Scene>,
    /// What of the scene's animations is shown.
    pub moment: Moment,
    /// The pose then.
    pub pose: Pose,
    /// How the picture is made.
    pub settings: RenderSettings,
    /// The camera.
    pub camera: Camera,
    /// What backends may do differently.
    pub profile: Profile,
    /// What they have chosen, and the picture shows.
    pub declared: Declared,
    /// What they are given.
    pub given: Given,
    program: Option<ProgramSettings>,
}

/// What a renderer is told about a case, as JSON.
#[derive(Serialize)]
struct CaseFile<'a> {
    #[serde(flatten)]
    entry: &'a GoldenCase,
    /// Where the scene's file is; none for the built-in character.
    scene_file: Option<PathBuf>,
    width: u32,
    height: u32,
    view: [f32; 16],
    projection: [f32; 16],
}

/// The camera of a case in the library's words.
pub(super) fn camera(folder: &Path, entry: &GoldenCase) -> Result<CameraSettings, CaseError> {
    let choice = match entry.camera.parse().map_err(wrong(entry, "camera"))? {
        CameraChoice::File(file) => CameraChoice::File(folder.join(file)),
        other => other,
    };
    Ok(CameraSettings {
        choice,
        lens: Lens { field_of_view: entry.fov, near: entry.near, far: entry.far },
        eye: entry.eye.map(DVec3::from),
        target: entry.target.map(DVec3::from),
        up: entry.up.map(DVec3::from),
    })
}

impl PreparedCase {
    pub(super) fn new(folder: &Path, entry: &GoldenCase, scenes: &mut Scenes) -> Result<Self, CaseError> {
        let scene = scenes.get(folder, entry)?;
        let size: Size = entry.size.parse().map_err(wrong(entry, "size"))?;
        let background: Rgb = entry.background.parse().map_err(wrong(entry, "background"))?;
        let mut settings = RenderSettings {
            width: size.width,
            height: size.height,
            samples: SampleCount::parse(&entry.samples).map_err(wrong(entry, "samples"))?,
            convention: entry.convention.parse().map_err(wrong(entry, "convention"))?,
            subpixel_bits: entry.subpixel_bits,
            shading: entry.shading.parse().map_err(wrong(entry, "shading"))?,
            ambient: entry.ambient.map(Lighting::check_ambient).transpose().map_err(wrong(entry, "ambient"))?,
            development: Development {
                exposure: Development::check(entry.exposure).map_err(wrong(entry, "exposure"))?,
                tone: entry.tone.parse().map_err(wrong(entry, "tone"))?,
            },
            shadows: shadows(entry)?,
            background: background.0,
            normals: entry.normals.parse().map_err(wrong(entry, "normals"))?,
            max_influences: entry.max_influences,
            ..RenderSettings::default()
        };
        let program = match entry.program() {
            Some(file) => Some(program(folder, entry, file)?),
            None => {
                settings.skinning = entry.skinning.parse().map_err(wrong(entry, "skinning"))?;
                None
            }
        };
        let clip = entry.animation.as_deref().map(|name| scene.find_animation(name)).transpose();
        let clip = clip.map_err(wrong(entry, "animation"))?;
        let moment = match clip {
            Some(animation) => Moment::Clip { animation, seconds: entry.time },
            None if entry.time == 0.0 => Moment::Rest,
            None => return Err(wrong(entry, "time")(no_clip(&scene))),
        };
        let pose = moment.pose(&scene).map_err(wrong(entry, "time"))?;
        let rules: Rules = entry.profile.parse().map_err(wrong(entry, "profile"))?;
        let Rules { profile, declared } = rules.with(declared(entry)?);
        let given = entry.given.parse().map_err(wrong(entry, "given"))?;
        if given == Given::File && program.is_some() {
            return Err(wrong(entry, "given")(
                "a vertex program has its constants from the renderer; write \"palette\"",
            ));
        }
        // What can not be drawn is told before what can not be seen.
        renderer(&scene, settings, program.as_ref()).map_err(wrong(entry, "settings"))?;
        let camera = camera(folder, entry)?.camera(&scene, clip, &pose, &settings).map_err(wrong(entry, "camera"))?;
        Ok(Self { entry: entry.clone(), scene, moment, pose, settings, camera, profile, declared, given, program })
    }

    /// What its envelope is made for.
    #[must_use]
    pub fn judged_by(&self) -> EnvelopeSettings {
        let rules = Rules { profile: self.profile, declared: self.declared };
        EnvelopeSettings { file: self.chain(), ..rules.into() }
    }

    /// What backends read.
    pub(super) fn source(&self) -> Source {
        if self.given == Given::File { Source::FILE } else { Source::Palette }
    }

    /// The moment of the file, where backends read that.
    pub(super) fn chain(&self) -> Option<Chain> {
        self.source().chain(self.moment)
    }

    /// Whether a vertex program draws it.
    pub(super) fn is_programmed(&self) -> bool {
        self.program.is_some()
    }

    /// A showcase, for backends that fit a profile. Its entry has but a name: it stands in no manifest.
    ///
    /// # Errors
    /// [`CaseError`]; none is known.
    pub fn of_showcase(showcase: Showcase, profile: Profile) -> Result<Self, CaseError> {
        let entry = GoldenCase { name: showcase.name.to_owned(), ..GoldenCase::default() };
        let pose = showcase.moment.pose(&showcase.scene).map_err(wrong(&entry, "time"))?;
        let Showcase { scene, moment, camera, settings, .. } = showcase;
        let (scene, declared, given) = (Arc::new(scene), Declared::default(), Given::Palette);
        Ok(Self { entry, scene, moment, pose, settings, camera, profile, declared, given, program: None })
    }

    /// A renderer of the scene with the case's settings.
    ///
    /// # Errors
    /// [`CaseError`] where the scene can not be drawn in this way.
    pub fn renderer(&self) -> Result<Renderer<'_>, CaseError> {
        renderer(&self.scene, self.settings, self.program.as_ref()).map_err(wrong(&self.entry, "rendering"))
    }

    /// The picture.
    ///
    /// # Errors
    /// [`CaseError`] where it can not be rendered.
    pub fn render(&self) -> Result<Picture, CaseError> {
        let mut renderer = self.renderer()?;
        let frame = renderer.render(&self.pose, &self.camera).map_err(wrong(&self.entry, "rendering"))?;
        Picture::from_rgba8(frame.width(), frame.height(), frame.rgba()).map_err(wrong(&self.entry, "size"))
    }

    /// The picture and its envelope.
    ///
    /// # Errors
    /// [`CaseError`] where it can not be rendered, or its vertices not be bounded.
    pub fn envelope(&self) -> Result<FrameEnvelope, CaseError> {
        let mut renderer = self.renderer()?;
        let settings = self.judged_by();
        frame_envelope(&mut renderer, &self.pose, &self.camera, settings).map_err(wrong(&self.entry, "the envelope"))
    }

    /// The case as JSON for another renderer: the manifest's entry with nothing left out, where the scene's file is,
    /// width and height, and the camera's matrices, column by column.
    ///
    /// # Errors
    /// [`CaseError`]; none is known.
    pub fn to_json(&self, folder: &Path) -> Result<String, CaseError> {
        let path = folder.join(&self.entry.scene);
        let file = CaseFile {
            entry: &self.entry,
            scene_file: path.canonicalize().ok(),
            width: self.settings.width,
            height: self.settings.height,
            view: self.camera.view.to_cols_array(),
            projection: self.camera.projection.to_cols_array(),
        };
        serde_json::to_string_pretty(&file).map_err(wrong(&self.entry, "JSON"))
    }
}

fn renderer<'scene>(
    scene: &'scene Scene,
    settings: RenderSettings,
    program: Option<&ProgramSettings>,
) -> Result<Renderer<'scene>, refrast_stage::RenderError> {
    match program {
        Some(program) => Renderer::with_program(scene, settings, program.clone()),
        None => Renderer::new(scene, settings),
    }
}

/// How a case's shadows are made.
fn shadows(entry: &GoldenCase) -> Result<ShadowSettings, CaseError> {
    let mut settings = ShadowSettings::default();
    for (name, word) in &entry.shadows {
        settings.set(name, word).map_err(wrong(entry, "shadows"))?;
    }
    settings.check().map_err(wrong(entry, "shadows"))?;
    Ok(settings)
}

/// The choices that a case declares.
fn declared(entry: &GoldenCase) -> Result<Declared, CaseError> {
    fn read<W: FromStr<Err: Display> + Default>(
        entry: &GoldenCase,
        key: &'static str,
        word: Option<&String>,
    ) -> Result<W, CaseError> {
        word.map_or_else(|| Ok(W::default()), |word| word.parse().map_err(wrong(entry, key)))
    }
    let anisotropy = entry.anisotropy.unwrap_or(1);
    if !(1..=Declared::MOST_ANISOTROPY).contains(&anisotropy) {
        return Err(wrong(entry, "anisotropy")(format!("{anisotropy} is no number of samples from 1 to 16")));
    }
    Ok(Declared {
        resolve: read(entry, "resolve", entry.resolve.as_ref())?,
        blend: read(entry, "blend", entry.blend.as_ref())?,
        dither: read(entry, "dither", entry.dither.as_ref())?,
        encode: read(entry, "encode", entry.encode.as_ref())?,
        anisotropy,
        mips: read(entry, "mips", entry.mips.as_ref())?,
        jpeg: read(entry, "jpeg", entry.jpeg.as_ref())?,
        diffuse: read(entry, "diffuse", entry.diffuse.as_ref())?,
        normal_maps: read(entry, "normal-maps", entry.normal_maps.as_ref())?,
        tangents: read(entry, "tangents", entry.tangents.as_ref())?,
    })
}

/// What to do about a time without a clip.
fn no_clip(scene: &Scene) -> String {
    let available = scene.list_animations();
    if scene.animations.is_empty() {
        format!("{available}; leave the time out")
    } else {
        format!("it is a time of a clip, and none is named: add animation = \"NAME\"; {available}")
    }
}

fn program(folder: &Path, entry: &GoldenCase, file: &str) -> Result<ProgramSettings, CaseError> {
    let beside = folder.join(file);
    let path = if beside.exists() { &beside } else { Path::new(file) };
    let choice = ProgramChoice {
        file: path.to_owned(),
        bindings: entry.bind.clone(),
        combiners: entry.combiners.as_ref().map(|word| word.parse()).transpose().map_err(wrong(entry, "combiners"))?,
        constants: entry.constants,
        model: entry.model.parse().map_err(wrong(entry, "model"))?,
        address_rounding: entry.address_rounding.parse().map_err(wrong(entry, "address-rounding"))?,
    };
    choice.load().map_err(|error| {
        let key = if matches!(error, ProgramChoiceError::Binding(_)) { "bind" } else { "skinning" };
        wrong(entry, key)(error)
    })
}

#[cfg(test)]
mod tests {
    use refrast_draw::{Convention, RasterSettings};

    use super::*;

    #[test]
    fn a_manifest_has_the_defaults_of_the_library() {
        let entry = GoldenCase { scene: "mannequin".to_owned(), ..GoldenCase::default() };
        let case = PreparedCase::new(Path::new("."), &entry, &mut Scenes::default()).expect("it needs no more words");
        let settings = RenderSettings::default();
        assert_eq!((case.settings, case.profile), (settings, Profile::default()));
        assert_eq!(entry.camera, CameraChoice::default().to_string());
        let program = ProgramChoice::new("");
        let words = [program.model.to_string(), program.address_rounding.to_string()];
        assert_eq!((entry.constants, [entry.model, entry.address_rounding]), (program.constants, words));
        // glTF 2.0, 3.10.3: its projection matrices are those of OpenGL.
        assert_eq!(settings.convention, Convention::OpenGl);
        assert_eq!(RasterSettings::default().convention, settings.convention);
    }
}
