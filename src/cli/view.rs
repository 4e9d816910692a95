//! `refrast view`: the window in which skinning numerics can be seen.

use std::{
    num::NonZeroUsize,
    path::PathBuf,
    process::{Command, ExitCode},
    str::FromStr,
};

use clap::{
    Args,
    builder::{PathBufValueParser, TypedValueParser},
};
use refrast_scene::Scene;
use refrast_skinning::SkinningMethod;
use refrast_stage::{Bounds, Camera, CameraChoice, Size, Viewpoint};
use refrast_window::{
    Break, Comparison, Heat, HeatRange, Input, Magnified, Overlay, Panel, ProgramView, State, TableColumns, TableView,
    VertexChoice, ViewCamera, Viewer, light_maps,
};

use super::{
    CommandResult,
    arguments::{
        DeclaredArguments, PictureViewArguments, ProfileArguments, SceneArguments, SimdArguments, WriteError, numbers,
        png_file, seconds,
    },
    diagnostician::diagnostician,
    skinning_choice::SkinningArguments,
    words::{offered, word},
};

/// Open a window on a scene: turn it, play it, switch methods, click a vertex and see what made it
///
/// The key ? shows all keys; F2 prints the command line that shows the same again.
#[derive(Args)]
pub(super) struct ViewArguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// Size of the window in pixels [default: 1280x720, times the scale]
    #[arg(long, value_name = "WxH")]
    size: Option<Size>,
    /// Time within the clip, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0", allow_negative_numbers = true, value_parser = seconds)]
    time: f32,
    /// Start playing
    #[arg(long)]
    play: bool,
    /// Seconds of the clip in a second
    #[arg(long, value_name = "FACTOR", default_value = "1")]
    speed: f32,
    #[command(flatten)]
    view: PictureViewArguments,
    #[command(flatten)]
    skinning: SkinningArguments,
    /// How many instructions of the program are done for the inspected vertex
    #[arg(long, value_name = "N")]
    step: Option<usize>,
    /// What the program stops at when it runs on (F5), separated by commas
    #[arg(long = "break", value_name = "WHAT", value_delimiter = ',', value_parser = offered::<Break>(Break::offers()))]
    breaks: Vec<Break>,
    /// Start with settings and inspector in place of the program's registers
    #[arg(long)]
    no_registers: bool,
    /// Look through a light, by the number of its shadow map: 0 is the first one that Shift T comes to
    #[arg(long, value_name = "N")]
    through_light: Option<usize>,
    /// A morph weight in place of the clip's, as in 0=0.5; may be given several times
    #[arg(long, value_name = "TARGET=WEIGHT")]
    morph: Vec<Morph>,
    #[command(flatten)]
    simd: SimdArguments,
    /// What is drawn over the picture, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = word::<Overlay>())]
    overlay: Vec<Overlay>,
    /// Numbers of the vertices in colours [default: candidate where there is one]
    #[arg(long, value_name = "NUMBERS", value_parser = word::<Heat>())]
    heat: Option<Heat>,
    /// What the ends of the heat map's colours stand for
    #[arg(long, value_name = "RANGE", default_value_t, value_parser = word::<HeatRange>())]
    heat_range: HeatRange,
    /// How the picture by another method, or the candidate's, is shown
    /// [default: other where the candidate is a picture, else off]
    #[arg(long, value_name = "HOW", value_parser = word::<Comparison>())]
    compare: Option<Comparison>,
    /// Where the line of --compare split stands, 0 left to 1 right
    #[arg(long, value_name = "PART", default_value = "0.5")]
    split: f32,
    /// The method that --compare and the heat maps difference and ulps compare with
    #[arg(long, value_name = "METHOD", default_value_t = State::OTHER_METHOD, value_parser = word::<SkinningMethod>())]
    with: SkinningMethod,
    /// Your backend's vertices of this pose (.npy), in rows as `refrast vertices` writes them, or its picture (.png)
    #[arg(long, value_name = "FILE")]
    candidate: Option<PathBuf>,
    /// Ask at once which mistake a candidate's picture shows, as `refrast diagnose` would
    #[arg(long, requires = "candidate")]
    diagnose: bool,
    /// The mistake of the answer whose picture is shown in place of the reference's, by its number from 0 on
    #[arg(long, value_name = "N", requires = "diagnose")]
    hypothesis: Option<usize>,
    #[command(flatten)]
    profile: ProfileArguments,
    #[command(flatten)]
    declared: DeclaredArguments,
    /// Window pixels a pixel of a candidate's picture, and the place of it in the middle [default: all of it]
    #[arg(long, value_name = "FACTOR,X,Y")]
    magnify: Option<MagnifiedPart>,
    /// The most joints in a palette, for the sections of --heat section
    #[arg(long, value_name = "N", default_value_t = State::JOINTS_OF_96_CONSTANTS)]
    max_joints: NonZeroUsize,
    /// The chosen joint: a node by name or index
    #[arg(long, value_name = "NAME|INDEX")]
    joint: Option<String>,
    /// The vertex to inspect: indices of node, primitive and vertex, as `refrast vertices` writes them
    #[arg(long, value_name = "NODE:PRIMITIVE:VERTEX")]
    select: Option<VertexName>,
    /// The pixel of the picture to inspect
    #[arg(long, value_name = "X,Y")]
    pixel: Option<PixelName>,
    /// Show the vertex table, with these groups of columns, separated by commas [default: all of them]
    #[arg(long, value_name = "COLUMNS", num_args = 0..=1, require_equals = true, value_delimiter = ',',
        default_missing_value = "rest,world,clip,window", value_parser = word::<TableColumns>())]
    table: Option<Vec<TableColumns>>,
    /// The column that the rows of the table are ordered by; NAME:down has the largest first
    #[arg(long, value_name = "NAME[:down]", requires = "table")]
    table_sort: Option<String>,
    /// Which rows are left: COLUMN<NUMBER (<= > >= = !=), a part of a joint's name, or outside (of the view)
    #[arg(long, value_name = "WORDS", requires = "table", default_value = "")]
    table_filter: String,
    /// A row for each corner of each triangle, as the indices have them
    #[arg(long, requires = "table")]
    table_corners: bool,
    /// Points that the table is high, where the window has room
    #[arg(long, value_name = "POINTS", requires = "table", default_value_t = TableView::HEIGHT, value_parser = table_height)]
    table_height: f32,
    /// Panels at the sides that start folded, separated by commas
    #[arg(long, value_name = "PANELS", value_delimiter = ',', value_parser = word::<Panel>())]
    fold: Vec<Panel>,
    /// Points that settings and inspector are wide, where the window has room [default: 250,340]
    #[arg(long, value_name = "LEFT,RIGHT")]
    panel_widths: Option<PanelWidths>,
    /// Points that a vertex program and its registers are wide; `fit` is as wide as what they show [default: fit,fit]
    #[arg(long, value_name = "LEFT,RIGHT", default_value = "fit,fit", hide_default_value = true)]
    program_widths: ProgramWidths,
    /// Pixels a point of the panels: 2 makes text twice as large [default: what the desktop says (Xft.dpi ÷ 96,
    /// GDK_SCALE), in a screenshot 1]
    #[arg(long, value_name = "N", value_parser = parse_scale)]
    scale: Option<f32>,
    /// Start without panels
    #[arg(long)]
    no_panels: bool,
    /// Start with the keys shown
    #[arg(long)]
    keys: bool,
    /// Write the window to a PNG file and end; needs no display
    #[arg(long, value_name = "OUT.png", value_parser = PathBufValueParser::new().try_map(png_file))]
    screenshot: Option<PathBuf>,
    /// Frames to draw before the screenshot, 60 to a second
    #[arg(long, value_name = "N", default_value = "2", requires = "screenshot")]
    frames: NonZeroUsize,
}

/// `FACTOR,X,Y`.
#[derive(Clone, Copy)]
struct MagnifiedPart(Magnified);

impl FromStr for MagnifiedPart {
    type Err = WriteError;

    fn from_str(text: &str) -> Result<Self, WriteError> {
        const WANTED: &str = "a factor up to 64, a column and a row, as in 8,320,200";
        let [factor, x, y] = numbers(text, ",", WANTED)?;
        let [least, most] = Magnified::RANGE;
        if (least..=most).contains(&factor) {
            Ok(Self(Magnified { factor, middle: [x, y] }))
        } else {
            Err(WriteError(WANTED))
        }
    }
}

/// `LEFT,RIGHT`.
#[derive(Clone, Copy)]
struct PanelWidths([f32; 2]);

impl FromStr for PanelWidths {
    type Err = WriteError;

    fn from_str(text: &str) -> Result<Self, WriteError> {
        const WANTED: &str = "two widths from 150 to 600 points, as in 250,340";
        let widths: [f32; 2] = numbers(text, ",", WANTED)?;
        let fit = widths.iter().all(|width| (150.0..=600.0).contains(width));
        if fit { Ok(Self(widths)) } else { Err(WriteError(WANTED)) }
    }
}

/// `LEFT,RIGHT`, of which either may be `fit`.
#[derive(Clone, Copy)]
struct ProgramWidths([Option<f32>; 2]);

impl FromStr for ProgramWidths {
    type Err = WriteError;

    fn from_str(text: &str) -> Result<Self, WriteError> {
        let width = |word: &str| match word.trim() {
            "fit" => Some(None),
            points => points.parse().ok().filter(|points: &f32| (100.0..=4000.0).contains(points)).map(Some),
        };
        let widths = text.split_once(',').and_then(|(left, right)| Some(Self([width(left)?, width(right)?])));
        widths.ok_or(WriteError("two widths from 100 to 4000 points or `fit`, as in 320,fit"))
    }
}

/// `TARGET=WEIGHT`.
#[derive(Clone, Copy)]
struct Morph(usize, f32);

impl FromStr for Morph {
    type Err = WriteError;

    fn from_str(text: &str) -> Result<Self, WriteError> {
        let parse = || {
            let (target, weight) = text.split_once('=')?;
            Some(Self(target.parse().ok()?, weight.parse().ok().filter(|weight: &f32| weight.is_finite())?))
        };
        parse().ok_or(WriteError("the index of a morph target and a weight, as in 0=0.5"))
    }
}

/// `NODE:PRIMITIVE:VERTEX`.
#[derive(Clone, Copy)]
struct VertexName([usize; 3]);

impl FromStr for VertexName {
    type Err = WriteError;

    fn from_str(text: &str) -> Result<Self, WriteError> {
        let indices: [u32; 3] = numbers(text, ":", "three indices, as in 0:0:512")?;
        Ok(Self(indices.map(|index| index as usize)))
    }
}

/// `X,Y`.
#[derive(Clone, Copy)]
struct PixelName([u32; 2]);

impl FromStr for PixelName {
    type Err = WriteError;

    fn from_str(text: &str) -> Result<Self, WriteError> {
        Ok(Self(numbers(text, ",", "column and row, as in 320,200")?))
    }
}

fn table_height(text: &str) -> Result<f32, WriteError> {
    let height = text.parse().ok().filter(|height| (120.0..=2000.0).contains(height));
    height.ok_or(WriteError("a number of points from 120 to 2000"))
}

fn parse_scale(text: &str) -> Result<f32, WriteError> {
    let scale = text.parse().ok().filter(|scale| (0.5..=4.0).contains(scale));
    scale.ok_or(WriteError("a number from 0.5 to 4"))
}

pub(super) fn run(arguments: &ViewArguments) -> CommandResult {
    if arguments.screenshot.is_none() && !refrast_window::is_supervised() {
        let mut window = Command::new(std::env::current_exe()?);
        return Ok(refrast_window::supervise(window.args(std::env::args_os().skip(1)))?.into());
    }
    refrast_window::end_with_supervisor();
    let scene = arguments.scene.load()?;
    let asked = if arguments.screenshot.is_none() { refrast_window::desktop_scale() } else { None };
    let state = State { scale: arguments.scale.or(asked).unwrap_or(1.0), ..arguments.state(&scene)? };
    let size = arguments
        .size
        .map_or_else(|| [1280.0, 720.0].map(|side: f32| (side * state.scale) as u32), |size| [size.width, size.height]);
    let Some(file) = &arguments.screenshot else {
        let name = arguments.scene.file.scene.display().to_string();
        refrast_window::run(&scene, &name, state, size, Some(diagnostician()))?;
        return Ok(ExitCode::SUCCESS);
    };
    let mut viewer = Viewer::new(&scene, state)?.advised_by(Some(diagnostician()));
    for frame in 0..arguments.frames.get() {
        if viewer.update(Input { size, seconds: frame as f64 / 60.0, ..Input::default() })? {
            viewer.draw();
        }
    }
    // The inspector shows what was made in the background the time after.
    let seconds = (arguments.frames.get() - 1) as f64 / 60.0;
    while viewer.wait() {
        for _ in 0..2 {
            if viewer.update(Input { size, seconds, ..Input::default() })? {
                viewer.draw();
            }
        }
    }
    viewer.canvas().write(file)?;
    super::output::note!("the window is written to {}", file.display());
    Ok(ExitCode::SUCCESS)
}

impl ViewArguments {
    /// The program, after a look at whether it is one.
    fn program(&self) -> Result<Option<ProgramView>, Box<dyn std::error::Error>> {
        let Some(choice) = self.skinning.program()? else {
            let asked = [
                (self.step.is_some(), "--step"),
                (!self.breaks.is_empty(), "--break"),
                (self.no_registers, "--no-registers"),
            ];
            return match asked.iter().find(|(asked, _)| *asked) {
                Some((_, option)) => Err(format!("{option} needs a program: add --skinning program:FILE").into()),
                None => Ok(None),
            };
        };
        choice.load()?;
        let mut view = ProgramView {
            shown: !self.no_registers,
            step: self.step.unwrap_or(0),
            breaks: self.breaks.iter().copied().collect(),
            ..ProgramView::new(choice)
        };
        self.skinning.overrides().iter().for_each(|&constant| view.set_constant(constant));
        Ok(Some(view))
    }

    fn table(&self) -> Option<TableView> {
        let sort = self.table_sort.as_deref().map(|sort| match sort.strip_suffix(":down") {
            Some(column) => (column.to_owned(), true),
            None => (sort.to_owned(), false),
        });
        let (corners, filter, height) = (self.table_corners, self.table_filter.clone(), self.table_height);
        let view = |columns: &Vec<TableColumns>| TableView {
            columns: columns.clone(),
            corners,
            sort,
            filter,
            height,
            ..TableView::default()
        };
        self.table.as_ref().map(view)
    }

    /// The shadow map to look through, where there is such a one.
    fn light_map(&self, scene: &Scene) -> Result<Option<usize>, String> {
        let Some(number) = self.through_light else { return Ok(None) };
        let maps = light_maps(scene, &self.view.shadows.settings());
        if number < maps.len() {
            return Ok(Some(number));
        }
        let names: Vec<String> =
            maps.iter().enumerate().map(|(place, map)| format!("{place} ({})", map.name)).collect();
        let there = if names.is_empty() { "none: point lights have no map".to_owned() } else { names.join(", ") };
        Err(format!("--through-light {number}: there is no such map; there are {there}"))
    }

    fn state(&self, scene: &Scene) -> Result<State, Box<dyn std::error::Error>> {
        let PictureViewArguments { camera, shading, ambient, development, shadows, samples, convention, subpixel_bits } =
            &self.view;
        let rules = self.declared.beside(&self.profile);
        // A clip that plays need not be named: the window goes through all of them.
        let first = self.play.then_some(0).filter(|_| !scene.animations.is_empty());
        let clip = self.scene.moment(scene, if self.play { 0.0 } else { self.time })?.clip().or(first);
        let camera_words = camera.settings();
        let camera = match (&camera_words.choice, camera_words.viewpoint()?) {
            (_, Some(Viewpoint::Orbit { orbit, target })) => ViewCamera::Free { orbit, target },
            (_, Some(Viewpoint::Eye { eye, target, up })) => {
                let target = target.map_or_else(|| Bounds::of(scene, clip).map(|bounds| bounds.center()), Ok)?;
                ViewCamera::Eye { eye, target, up }
            }
            (CameraChoice::Scene(name), None) => {
                let camera = scene.find_camera(name)?;
                let place = scene.placed_cameras().iter().position(|placed| *placed == camera);
                ViewCamera::File(place.unwrap_or(0))
            }
            (CameraChoice::File(path), None) => ViewCamera::Matrices(Camera::load(path, *convention)?),
            (CameraChoice::Orbit(orbit), None) => ViewCamera::Free { orbit: *orbit, target: None },
        };
        let camera_file = match camera_words.choice {
            CameraChoice::File(path) => Some(path),
            CameraChoice::Orbit(_) | CameraChoice::Scene(_) => None,
        };
        let mut morph_weights: Vec<(usize, f32)> =
            self.morph.iter().map(|&Morph(target, weight)| (target, weight)).collect();
        morph_weights.sort_by_key(|&(target, _)| target);
        Ok(State {
            clip,
            time: self.time,
            playing: self.play && clip.is_some(),
            speed: self.speed,
            camera,
            through_light: self.light_map(scene)?,
            lens: camera_words.lens,
            camera_file,
            method: self.skinning.method(),
            program: self.program()?,
            normals: self.skinning.normals(),
            max_influences: self.skinning.max_influences(),
            morph_weights,
            shading: *shading,
            ambient: *ambient,
            development: development.development(),
            shadows: shadows.settings(),
            convention: *convention,
            subpixel_bits: *subpixel_bits,
            samples: *samples,
            simd: self.simd.simd,
            range: self.heat_range,
            heat: self.heat.unwrap_or_else(|| State::heat_with(self.candidate.as_deref())),
            other_method: self.with,
            comparison: self
                .compare
                .unwrap_or_else(|| State::comparison_with(self.candidate.as_deref(), self.hypothesis)),
            split: if self.split.is_finite() { self.split.clamp(0.0, 1.0) } else { 0.5 },
            candidate: self.candidate.clone(),
            diagnose: self.diagnose,
            hypothesis: self.hypothesis,
            profile: rules.profile,
            declared: rules.declared,
            magnified: self.magnify.map(|MagnifiedPart(part)| part),
            max_joints: self.max_joints,
            overlays: self.overlay.iter().copied().collect(),
            joint: self.joint.as_deref().map(|joint| find_node(scene, joint)).transpose()?,
            selected: self.select.map(|VertexName(name)| find_vertex(scene, name)).transpose()?,
            pixel: self.pixel.map(|PixelName(at)| at),
            table: self.table(),
            folded: self.fold.clone(),
            panel_widths: self.panel_widths.map_or(State::PANEL_WIDTHS, |PanelWidths(widths)| widths),
            program_widths: self.program_widths.0,
            panels: !self.no_panels,
            help: self.keys,
            ..State::default()
        })
    }
}

fn find_node(scene: &Scene, wanted: &str) -> Result<usize, String> {
    let by_name = scene.nodes.iter().position(|node| node.name.as_deref() == Some(wanted));
    let by_index = || wanted.parse().ok().filter(|&index: &usize| index < scene.nodes.len());
    by_name.or_else(by_index).ok_or_else(|| {
        format!("--joint {wanted}: no node is called so; `refrast info {}` lists them", scene.source.file)
    })
}

fn find_vertex(scene: &Scene, [node, primitive, source]: [usize; 3]) -> Result<VertexChoice, String> {
    let mesh = scene.nodes.get(node).and_then(|node| node.mesh).map(|mesh| &scene.meshes[mesh]);
    let found = mesh
        .and_then(|mesh| mesh.primitives.get(primitive))
        .and_then(|primitive| primitive.source_vertices.iter().position(|&vertex| vertex as usize == source));
    let vertex = found.ok_or_else(|| {
        format!(
            "--select {node}:{primitive}:{source}: no triangle has such a vertex; `refrast vertices` lists them all"
        )
    })?;
    Ok(VertexChoice { node, primitive, vertex })
}
