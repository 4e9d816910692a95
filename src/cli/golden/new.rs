//! `refrast golden new`: a case from the words of the command line.

use std::{
    path::{Component, Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use refrast_golden::{Given, GoldenCase, Manifest};
use refrast_range::Declared;
use refrast_stage::CameraChoice;
use refrast_verify::cases::GoldenFolder;
use refrast_words::Word;

use crate::{
    CommandResult,
    arguments::{
        CanvasArguments, DeclaredArguments, PictureViewArguments, Point, ProfileArguments, ReadingArguments, seconds,
        write_warnings,
    },
    output::{self, note},
    skinning_choice::{SkinningChoice, VertexArguments},
    words::word,
};

/// Add a case to the manifest; `refrast golden bless` draws it
///
/// The options are those of `refrast render`. The manifest keeps paths as they are seen from its folder, so that the two can
/// move together.
#[derive(Args)]
pub(super) struct NewArguments {
    /// Name of the golden, as in walk-front
    name: String,
    /// A .gltf or .glb file, or `mannequin`, the built-in character
    scene: String,
    /// The folder with manifest.toml; both are made where they are missing
    #[arg(long, value_name = "FOLDER", default_value = "golden")]
    folder: PathBuf,
    /// Animation clip by name or index
    #[arg(long, value_name = "NAME|INDEX")]
    animation: Option<String>,
    /// Time within the clip, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0", allow_negative_numbers = true, value_parser = seconds)]
    time: f32,
    #[command(flatten)]
    canvas: CanvasArguments,
    #[command(flatten)]
    view: PictureViewArguments,
    #[command(flatten)]
    vertices: VertexArguments,
    #[command(flatten)]
    profile: ProfileArguments,
    #[command(flatten)]
    declared: DeclaredArguments,
    #[command(flatten)]
    reading: ReadingArguments,
    /// What the backends are given: the scene's file, which they sample, compose and multiply themselves; or refrast's palette, as
    /// from a pack [default: file; palette for a vertex program, which has its constants from the renderer]
    #[arg(long, value_name = "WHAT", value_parser = word::<Given>())]
    given: Option<Given>,
}

impl NewArguments {
    /// A file of which the user has said where it is, as it is seen from the folder of the manifest; other words stay.
    fn seen_from_folder(&self, words: &str) -> String {
        let path = Path::new(words);
        let seen = || relative(&std::path::absolute(&self.folder).ok()?, &std::path::absolute(path).ok()?);
        let own = path.is_absolute() || !path.exists();
        (!own).then(seen).flatten().unwrap_or_else(|| words.to_owned())
    }

    /// The case, with its files in the words of `place`.
    fn case(&self, place: &dyn Fn(&str) -> String) -> GoldenCase {
        let Self { canvas, view, vertices, .. } = self;
        let point = |point: Option<Point>| point.map(|Point(point)| point.to_array());
        let rules = self.declared.beside(&self.profile);
        let (declared, nothing) = (rules.declared, Declared::default());
        let by_default = match vertices.skinning {
            SkinningChoice::Program(_) => Given::Palette,
            SkinningChoice::Method(_) => Given::File,
        };
        GoldenCase {
            name: self.name.clone(),
            scene: place(&self.scene),
            animation: self.animation.clone(),
            time: self.time,
            camera: match &view.camera.camera {
                CameraChoice::File(path) => place(&path.to_string_lossy()),
                words => words.to_string(),
            },
            fov: view.camera.fov,
            eye: point(view.camera.eye),
            target: point(view.camera.target),
            up: point(view.camera.up),
            near: view.camera.near,
            far: view.camera.far,
            size: canvas.size.to_string(),
            shading: view.shading.to_string(),
            ambient: view.ambient,
            exposure: view.development.exposure,
            tone: view.development.tone.to_string(),
            shadows: view
                .shadows
                .settings()
                .changed_words()
                .into_iter()
                .map(|(name, word)| (name.to_owned(), word))
                .collect(),
            background: canvas.background.to_string(),
            samples: view.samples.to_string(),
            convention: view.convention.to_string(),
            subpixel_bits: view.subpixel_bits,
            skinning: match &vertices.skinning {
                SkinningChoice::Program(file) => format!("program:{}", place(&file.to_string_lossy())),
                method @ SkinningChoice::Method(_) => method.to_string(),
            },
            normals: vertices.rules.normals.to_string(),
            max_influences: vertices.rules.max_influences,
            bind: vertices.bind.clone(),
            constants: vertices.constants,
            model: vertices.model.model.to_string(),
            combiners: vertices.combiners.map(|combiners| combiners.to_string()),
            address_rounding: vertices.model.address_rounding.to_string(),
            given: self.given.unwrap_or(by_default).to_string(),
            profile: rules.profile.to_string(),
            resolve: said(declared.resolve, nothing.resolve),
            blend: said(declared.blend, nothing.blend),
            dither: said(declared.dither, nothing.dither),
            encode: said(declared.encode, nothing.encode),
            anisotropy: Some(declared.anisotropy).filter(|own| *own != nothing.anisotropy),
            mips: said(declared.mips, nothing.mips),
            jpeg: said(declared.jpeg, nothing.jpeg),
            diffuse: said(declared.diffuse, nothing.diffuse),
            normal_maps: said(declared.normal_maps, nothing.normal_maps),
            tangents: said(declared.tangents, nothing.tangents),
        }
    }
}

/// The way from a folder to a file, with `/` between its parts; `None` between drives.
fn relative(folder: &Path, file: &Path) -> Option<String> {
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) = (parts(folder), parts(file));
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if shared == 0 {
        return None;
    }
    let up = from[shared..].iter().map(|_| "..".into());
    let down = to[shared..].iter().map(|part| part.as_os_str().to_string_lossy());
    Some(up.chain(down).collect::<Vec<_>>().join("/"))
}

/// The parts of an absolute path, without `.` and with `..` taken back.
fn parts(path: &Path) -> Vec<Component<'_>> {
    path.components().fold(Vec::new(), |mut parts, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(parts.last(), Some(Component::Normal(_))) => {
                parts.pop();
            }
            other => parts.push(other),
        }
        parts
    })
}

pub(super) fn new(arguments: &NewArguments) -> CommandResult {
    // Words about a program that nobody asked for.
    arguments.vertices.program()?;
    let case = arguments.case(&|words| arguments.seen_from_folder(words));
    // The folder may not be there yet, and what is seen from it can then not be read.
    let absolute = |words: &str| match Path::new(words).exists().then(|| std::path::absolute(words)) {
        Some(Ok(path)) => path.to_string_lossy().into_owned(),
        _ => words.to_owned(),
    };
    // A case that can not be drawn would only fail later, where nobody remembers what was meant.
    let mut folder = GoldenFolder::empty(&arguments.folder);
    folder.read_scenes(arguments.reading.options());
    folder.prepare(&arguments.case(&absolute))?;
    folder.scenes().for_each(write_warnings);
    Manifest::add(&arguments.folder, &case)?;
    output::write_note(format_args!("added to {}:\n{}", arguments.folder.display(), case.to_toml()));
    note!("`{} {}` draws it", super::blessing(&arguments.folder), case.name);
    Ok(ExitCode::SUCCESS)
}

/// A word that is not the one that is meant anyway.
fn said<W: Word>(word: W, by_default: W) -> Option<String> {
    (word != by_default).then(|| word.name().to_owned())
}
