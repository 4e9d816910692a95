//! [`State`]: everything that decides what the window shows, as plain data.
//!
//! Why it exists: a finding is worth something when it can be passed on. So nothing that changes the picture lives in a
//! widget or in the window: the command line fills this struct, panels and keys change it, one key prints it back as a
//! command line ([`command_line`](super::command_line)), and tests drive the viewer with it and no display.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

use glam::DVec3;

use super::{
    ProgramView,
    subject::{VertexChoice, is_picture},
    table::TableView,
};
use refrast_canvas::Magnified;
use refrast_draw::{Convention, SampleCount};
use refrast_range::{Declared, Profile};
use refrast_shading::{Development, ShadingMode, ShadowSettings};
use refrast_simd::SimdLevel;
use refrast_skinning::{NormalMode, SkinningMethod};
use refrast_stage::{Camera, Lens, Orbit};
use refrast_words::words;

/// What the window shows.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The clip that plays; `None` is the rest pose.
    pub clip: Option<usize>,
    /// Seconds within the clip.
    pub time: f32,
    /// Whether time runs.
    pub playing: bool,
    /// Seconds of the clip in a second.
    pub speed: f32,
    /// Where the picture is taken from.
    pub camera: ViewCamera,
    /// The shadow map that is looked through in place of it, by its number in [`light_maps`](crate::light_maps); the camera stays
    /// what cascades are parts of the view of.
    pub through_light: Option<usize>,
    /// How much the camera sees, unless it comes with its matrices.
    pub lens: Lens,
    /// Where the matrices of [`ViewCamera::Matrices`] were read.
    pub camera_file: Option<PathBuf>,
    /// How joints move vertices.
    pub method: SkinningMethod,
    /// A vertex program in place of the method, with what its registers are looked at by.
    pub program: Option<ProgramView>,
    /// How normals follow.
    pub normals: NormalMode,
    /// The most influences that a vertex keeps; `None` keeps all.
    pub max_influences: Option<NonZeroUsize>,
    /// Morph weights that replace those of the clip: target and weight, ordered by target.
    pub morph_weights: Vec<(usize, f32)>,
    /// What fragments show.
    pub shading: ShadingMode,
    /// Ambient light in place of the scene's own.
    pub ambient: Option<f32>,
    /// What becomes of the light of [`ShadingMode::Lit`].
    pub development: Development,
    /// Shadows of the lights.
    pub shadows: ShadowSettings,
    /// Clip space convention.
    pub convention: Convention,
    /// Bits after the point of a window position.
    pub subpixel_bits: u32,
    /// Samples a pixel.
    pub samples: SampleCount,
    /// The instruction set.
    pub simd: SimdLevel,
    /// Numbers of the vertices, in colours over the surface.
    pub heat: Heat,
    /// What the ends of the heat map's colours stand for.
    pub range: HeatRange,
    /// The method that comparisons, [`Heat::Difference`] and [`Heat::Ulps`] compare with.
    pub other_method: SkinningMethod,
    /// How the pictures by the two methods are put together.
    pub comparison: Comparison,
    /// Where the dividing line of [`Comparison::Split`] stands, 0 left to 1 right.
    pub split: f32,
    /// A backend's vertex buffer (NPY) or picture (PNG), by its file.
    pub candidate: Option<PathBuf>,
    /// Whether it is asked which mistake a candidate's picture shows, as soon as it is known to be wrong.
    pub diagnose: bool,
    /// The hypothesis of that answer whose picture stands in the place of the reference's, by its number.
    pub hypothesis: Option<usize>,
    /// What the backend may do differently.
    pub profile: Profile,
    /// What it has chosen, and the picture shows.
    pub declared: Declared,
    /// The part of a candidate's picture that is shown; `None` is all of it.
    pub magnified: Option<Magnified>,
    /// The most joints that a section of a skin may have, for [`Heat::Section`].
    pub max_joints: NonZeroUsize,
    /// What is drawn over the picture.
    pub overlays: Overlays,
    /// The chosen joint: a node.
    pub joint: Option<usize>,
    /// The inspected vertex.
    pub selected: Option<VertexChoice>,
    /// The inspected pixel: column and row of the picture.
    pub pixel: Option<[u32; 2]>,
    /// The table of all vertices; `None` where it is not shown.
    pub table: Option<TableView>,
    /// Whether the panels are shown.
    pub panels: bool,
    /// Panels at the sides that are folded to a strip.
    pub folded: Vec<Panel>,
    /// Points that the panels at the sides are wide, where the window has room: settings and inspector.
    pub panel_widths: [f32; 2],
    /// The same of a vertex program and its registers; those that nobody has dragged are as wide as what they show.
    pub program_widths: [Option<f32>; 2],
    /// Whether the keys are shown.
    pub help: bool,
    /// Pixels a point: 2 makes the interface twice as large.
    pub scale: f32,
}

impl State {
    /// (96 constants - 4 for the projection - 8 for light and literals) ÷ 3 rows a joint.
    pub const JOINTS_OF_96_CONSTANTS: NonZeroUsize = NonZeroUsize::new(28).unwrap();

    /// What a method is compared with unless somebody says: the one that differs most.
    pub const OTHER_METHOD: SkinningMethod = SkinningMethod::DualQuaternion;

    /// Points: a form with its sliders, and a row of four numbers with its name.
    pub const PANEL_WIDTHS: [f32; 2] = [250.0, 340.0];

    /// Folds a panel to a strip, or unfolds it.
    pub fn fold(&mut self, panel: Panel) {
        match self.folded.iter().position(|&folded| folded == panel) {
            Some(place) => {
                self.folded.remove(place);
            }
            None => self.folded.push(panel),
        }
    }

    /// What a window starts with where this is its candidate.
    #[must_use]
    pub fn heat_with(candidate: Option<&Path>) -> Heat {
        if candidate.is_some() { Heat::Candidate } else { Heat::None }
    }

    /// What a window starts with where this is its candidate: a picture is there to be seen, and so is that of a hypothesis.
    #[must_use]
    pub fn comparison_with(candidate: Option<&Path>, hypothesis: Option<usize>) -> Comparison {
        if candidate.is_some_and(is_picture) && hypothesis.is_none() { Comparison::Other } else { Comparison::Off }
    }
}

impl Default for State {
    fn default() -> Self {
        Self {
            clip: None,
            time: 0.0,
            playing: false,
            speed: 1.0,
            camera: ViewCamera::default(),
            through_light: None,
            lens: Lens::default(),
            camera_file: None,
            method: SkinningMethod::default(),
            program: None,
            normals: NormalMode::default(),
            max_influences: None,
            morph_weights: Vec::new(),
            shading: ShadingMode::default(),
            ambient: None,
            development: Development::default(),
            shadows: ShadowSettings::default(),
            convention: Convention::default(),
            subpixel_bits: 8,
            samples: SampleCount::default(),
            simd: SimdLevel::default(),
            heat: Heat::default(),
            range: HeatRange::default(),
            other_method: Self::OTHER_METHOD,
            comparison: Comparison::default(),
            split: 0.5,
            candidate: None,
            diagnose: false,
            hypothesis: None,
            profile: Profile::default(),
            declared: Declared::default(),
            magnified: None,
            max_joints: Self::JOINTS_OF_96_CONSTANTS,
            overlays: Overlays::default(),
            joint: None,
            selected: None,
            pixel: None,
            table: None,
            panels: true,
            folded: Vec::new(),
            panel_widths: Self::PANEL_WIDTHS,
            program_widths: [None; 2],
            help: false,
            scale: 1.0,
        }
    }
}

/// Where the picture is taken from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ViewCamera {
    /// Around a point.
    Free {
        /// Direction and distance.
        orbit: Orbit,
        /// What is looked at, in world space; `None` is the middle of what is drawn.
        target: Option<DVec3>,
    },
    /// At a point.
    Eye {
        /// The point, in world space.
        eye: DVec3,
        /// What is looked at, in world space.
        target: DVec3,
        /// Up.
        up: DVec3,
    },
    /// A camera of the file: the place in [`Scene::placed_cameras`](refrast_scene::Scene::placed_cameras).
    File(usize),
    /// A camera by its matrices, as a backend was given it.
    Matrices(Camera),
}

impl Default for ViewCamera {
    fn default() -> Self {
        Self::Free { orbit: Orbit::default(), target: None }
    }
}

/// What is drawn over the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlays {
    /// Lines from joint to joint.
    pub skeleton: bool,
    /// The axes of every joint: x red, y green, z blue.
    pub axes: bool,
    /// The joints' names.
    pub names: bool,
    /// The triangles' edges.
    pub wireframe: bool,
    /// The vertices' normals.
    pub normals: bool,
    /// The vertices' tangents.
    pub tangents: bool,
    /// The mesh at rest, as edges.
    pub ghost: bool,
    /// The plane y = 0, a line each metre, or ten of them, or a tenth.
    pub grid: bool,
    /// The axes of the world, in a corner.
    pub gizmo: bool,
    /// Where light comes from.
    pub light: bool,
}

words! {
    /// A panel beside the picture.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Panel: "panel" {
        /// What can be switched, on the left.
        Settings = "settings",
        /// The numbers of a vertex and a pixel, on the right.
        Inspector = "inspector",
    }
}

words! {
    /// One thing that can be drawn over the picture.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Overlay: "overlay" {
        /// Lines from joint to joint.
        Skeleton = "skeleton",
        /// The axes of every joint: x red, y green, z blue.
        Axes = "axes",
        /// The joints' names.
        Names = "names",
        /// The triangles' edges.
        Wireframe = "wireframe",
        /// The vertices' normals.
        Normals = "normals",
        /// The vertices' tangents.
        Tangents = "tangents",
        /// The mesh at rest, as edges.
        Ghost = "ghost",
        /// The plane y = 0, with a line each metre, ten of them or a tenth of one.
        Grid = "grid",
        /// The axes of the world in a corner: x red, y green, z blue.
        Gizmo = "gizmo",
        /// Arrows along which light arrives at the middle of what is drawn.
        Light = "light",
    }
}

impl Overlay {
    /// The words on its switch.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Axes => "joint axes",
            Self::Names => "joint names",
            Self::Wireframe => "edges",
            Self::Ghost => "bind pose ghost",
            Self::Gizmo => "world axes",
            Self::Skeleton | Self::Normals | Self::Tangents | Self::Grid | Self::Light => self.name(),
        }
    }
}

impl Overlays {
    /// Every overlay by its name on the command line, and what it shows.
    pub const ALL: [(&'static str, &'static str); Overlay::ALL.len()] = {
        let mut all = [("", ""); Overlay::ALL.len()];
        let mut place = 0;
        while place < all.len() {
            all[place] = (Overlay::ALL[place].name(), Overlay::ALL[place].label());
            place += 1;
        }
        all
    };

    /// The switch of an overlay.
    pub fn of(&mut self, overlay: Overlay) -> &mut bool {
        match overlay {
            Overlay::Skeleton => &mut self.skeleton,
            Overlay::Axes => &mut self.axes,
            Overlay::Names => &mut self.names,
            Overlay::Wireframe => &mut self.wireframe,
            Overlay::Normals => &mut self.normals,
            Overlay::Tangents => &mut self.tangents,
            Overlay::Ghost => &mut self.ghost,
            Overlay::Grid => &mut self.grid,
            Overlay::Gizmo => &mut self.gizmo,
            Overlay::Light => &mut self.light,
        }
    }

    /// The switch of this name.
    pub fn switch(&mut self, name: &str) -> Option<&mut bool> {
        Some(self.of(name.parse().ok()?))
    }

    /// The names of those that are on.
    #[must_use]
    pub fn names_of_active(mut self) -> Vec<&'static str> {
        Overlay::ALL.into_iter().filter(|&overlay| *self.of(overlay)).map(Overlay::name).collect()
    }
}

impl FromIterator<Overlay> for Overlays {
    fn from_iter<I: IntoIterator<Item = Overlay>>(active: I) -> Self {
        let mut overlays = Self::default();
        active.into_iter().for_each(|overlay| *overlays.of(overlay) = true);
        overlays
    }
}

words! {
    /// Numbers of the vertices, shown in colours over the surface.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Heat: "heat map" = None {
        /// The shading as it is.
        None = "none",
        /// The weight of the chosen joint.
        Weight = "weight",
        /// How many influences a vertex has.
        Influences = "influences",
        /// The distance of f32 from exact arithmetic, in bounds: 1 is the most that a correct backend may have.
        Error = "error",
        /// The distance between the two methods that are compared, in metres.
        Difference = "difference",
        /// The same in steps of f32.
        Ulps = "ulps",
        /// The distance of the candidate's vertices from the exact ones, in bounds; of a picture the pixels outside of the
        /// envelope.
        Candidate = "candidate",
        /// The sections that a skin is drawn in where a palette has not room for all its joints.
        Section = "section",
    }
}

impl Heat {
    /// Whether the scene decides how large its numbers are.
    pub(super) const fn is_ranged(self) -> bool {
        match self {
            Self::Error | Self::Difference | Self::Ulps | Self::Candidate => true,
            Self::None | Self::Weight | Self::Influences | Self::Section => false,
        }
    }
}

words! {
    /// What the ends of a heat map's colours stand for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum HeatRange: "range of a heat map" = Auto {
        /// That one of the others which leaves most of the numbers apart.
        Auto = "auto",
        /// From 0 to the largest number.
        Full = "full",
        /// From 0 to the number that 99 of 100 vertices stay below.
        Percentile = "percentile",
        /// Six decades down from the largest number, each as wide as the next.
        Log = "log",
    }
}

words! {
    /// How two pictures are put together: those by the two methods, or the reference's and the candidate's.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Comparison: "comparison" = Off {
        /// One picture.
        Off = "off",
        /// The other picture.
        Other = "other",
        /// The one to the left of a line, the other to the right.
        Split = "split",
        /// In turns.
        Blink = "blink",
        /// The difference of their pixels, in colours.
        Pixels = "pixels",
    }
}
