//! A second renderer, which plays other people's backends.
//!
//! Why it exists: the reference can be trusted only as far as somebody else agrees with it, and a check only as far as it
//! catches mistakes. This renderer is written from the shading model's text and the specifications, in plain scalar code,
//! without a line of the raster and shading rooms' kernels. It plays
//!
//! - a conformant backend with choices of its own ([`Variation`]): another grid, other roundings, other derivatives, which
//!   every check must let pass;
//! - a backend with one of the known mistakes ([`Fault`]), which every check must catch, and which explains
//!   a wrong picture that looks the same.
//!
//! A backend is handed the reference's pose, camera and mip levels, as a golden pack hands them over; where a fault lies
//! before those, they are made again with the mistake.
//!
//! What it shares with the reference: the words in which a picture is asked for (settings, camera, convention, modes), their
//! errors, and what a pack hands over. What is stated to the bit is written again here (sample positions, clipping, snapping,
//! the sums of the shading model). Where a way is open another one is taken: rows are scan-converted instead of stepping edge
//! functions, depth and weights come from areas, a joint's rotation from an iteration without inverses, and the heaviest
//! influences without sorting.

mod arithmetic;
mod barycentric;
mod chain;
mod coverage;
mod deformations;
mod depths;
mod dual;
mod fault;
mod faults;
mod geometry;
mod heaviest;
mod light;
mod motion;
mod palette;
mod physical;
mod raster;
mod reading;
mod recent;
mod shade;
mod shadow;
mod skin;
mod texture;
mod transfer;
mod triangle;
mod variation;
mod vertices;
mod viewport;
mod visibility;

use std::{borrow::Cow, sync::Arc};

use glam::Mat4;

use fault::Part;
pub use fault::{DepthFunction, Fault, FrameRounding, InfluenceChoice, ParametricFault, Section, UnknownFaultError};
pub use faults::Faults;
pub use motion::Moment;
pub use raster::BAND;
pub use variation::{Derivatives, OutputRounding, Scale, Snapping, Variation};

use self::{
    barycentric::Interpolation,
    chain::Chains,
    deformations::Deformation,
    geometry::{Geometry, Projection, View},
    light::Lights,
    palette::Poses,
    recent::Recent,
    shade::{Environment, Shader},
    transfer::TargetCurves,
    vertices::{Deformed, Draw, Stage},
    viewport::Viewport,
    visibility::Visibility,
};
use refrast_animation::{Pose, PoseError};
use refrast_scene::Scene;
use refrast_shading::{ColorSpace, ShadingMode};
use refrast_stage::{Camera, RenderError, RenderSettings};

/// What is kept of vertices in world space, as much of those in clip space, of triangles, and of what is seen of them.
const KEPT_BYTES: usize = 1 << 26;

/// Draws one scene as many backends would.
pub struct Simulator<'scene> {
    scene: &'scene Scene,
    chains: Chains,
    has_plain_texcoords: bool,
    /// Hypotheses by the hundred begin with the same vertices, and most of those with the same triangles.
    deformations: Recent<Deformation, Vec<Deformed>>,
    projections: Recent<View, Projection>,
    geometries: Recent<View, Geometry>,
    visibilities: Recent<View, Visibility>,
}

/// What is drawn, and how.
#[derive(Clone, Copy, Debug)]
pub struct Shot<'a> {
    /// What the animations show.
    pub moment: Moment,
    /// Where from.
    pub camera: &'a Camera,
    /// Size, samples, convention, mode and background; the SIMD level and the threads mean nothing here.
    pub settings: &'a RenderSettings,
}

/// A simulated picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatedFrame {
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Rows from the top, R G B A, as a `refrast_render::Frame` has them.
    pub rgba: Vec<u8>,
}

/// The vertices of a primitive after skinning, in world space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimulatedVertices {
    /// The node that draws them.
    pub node: usize,
    /// The primitive's place in the node's mesh.
    pub primitive: usize,
    /// x, y, z.
    pub positions: Vec<[f32; 3]>,
    /// Unit length; zeros where the primitive has none.
    pub normals: Vec<[f32; 3]>,
    /// Direction and handedness; zeros where the primitive has none.
    pub tangents: Vec<[f32; 4]>,
}

/// What of a picture is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Played<'a> {
    /// Whether each band of [`BAND`] rows is.
    pub bands: &'a [bool],
    /// Of these only the pixels that [`is_sparse`] tells; the others keep the background.
    pub sparsely: bool,
}

/// Whether a pixel is one of a quarter of all: in quads, so that derivatives are the same, and every other row of them between those above.
#[must_use]
pub fn is_sparse([column, row]: [usize; 2]) -> bool {
    (column / 2 + row / 2 % 2 * 2).is_multiple_of(4)
}

/// Whether to draw on, when a band has been drawn: its number and its bytes.
type GoesOn<'a> = &'a (dyn Fn(usize, &[u8]) -> bool + Sync);

/// What a picture is drawn from; what is seen of it may be kept for the next one.
type Assembled<'a> = (&'a Projection, &'a Geometry, Option<&'a Visibility>);

/// A scene as a backend has read and posed it.
struct Posed<'a> {
    scene: Cow<'a, Scene>,
    now: Pose,
    rest: Pose,
    before: Pose,
}

impl Posed<'_> {
    fn stage<'a>(&'a self, settings: &'a RenderSettings, variation: &Variation, faults: Faults) -> Stage<'a> {
        let poses = Poses { now: &self.now, rest: &self.rest, before: &self.before };
        Stage { scene: &self.scene, poses, settings, arithmetic: variation.arithmetic(), faults }
    }
}

/// Whether a mistake lies before anything is drawn: in how a file is read, or in how its animations make a pose.
///
/// A backend makes such a mistake by drawing rightly what [`as_read`] gives.
#[must_use]
pub fn is_misread_by(fault: Fault) -> bool {
    matches!(fault.part(), Part::Reading | Part::Posing)
}

/// The scene and the pose that a backend with this mistake believes it has; the right ones where the mistake lies
/// elsewhere.
///
/// # Errors
///
/// When there is no such moment.
pub fn as_read(scene: &Scene, moment: Moment, faults: impl Into<Faults>) -> Result<(Scene, Pose), PoseError> {
    let posed = posed(scene, moment, faults.into())?;
    let mut read = posed.scene.into_owned();
    read.images.clone_from(&scene.images);
    Ok((read, posed.now))
}

fn posed(scene: &Scene, moment: Moment, faults: Faults) -> Result<Posed<'_>, PoseError> {
    let scene = reading::read(scene, faults);
    let now = moment.faulty_pose(&scene, faults)?;
    let before = moment.pose_before(&scene)?;
    let rest = Pose::rest(&scene);
    Ok(Posed { scene, now, rest, before })
}

impl<'scene> Simulator<'scene> {
    /// Prepares the textures.
    ///
    /// # Errors
    ///
    /// When the scene contradicts itself, or a texture can not be used.
    pub fn new(scene: &'scene Scene) -> Result<Self, RenderError> {
        scene.validate()?;
        let chains = Chains::new(scene)?;
        let has_plain_texcoords = reading::has_plain_texcoords(scene);
        Ok(Self {
            scene,
            chains,
            has_plain_texcoords,
            deformations: Recent::within(KEPT_BYTES),
            projections: Recent::within(KEPT_BYTES),
            geometries: Recent::within(KEPT_BYTES),
            visibilities: Recent::within(KEPT_BYTES),
        })
    }

    /// The scene that it draws.
    #[must_use]
    pub fn scene(&self) -> &'scene Scene {
        self.scene
    }

    fn posed(&self, moment: Moment, faults: Faults) -> Result<Posed<'_>, RenderError> {
        Ok(posed(self.scene, moment, faults)?)
    }

    /// The picture that a backend with these choices and mistakes draws.
    ///
    /// # Errors
    ///
    /// When there is no such moment, the camera is for another convention, the settings are out of range, or the scene can
    /// not be skinned.
    pub fn draw(
        &self,
        shot: &Shot<'_>,
        variation: &Variation,
        faults: impl Into<Faults>,
    ) -> Result<SimulatedFrame, RenderError> {
        self.draw_bands_of(shot, variation, faults.into(), (None, &|_, _| true))
    }

    /// Some bands of [`BAND`] rows of the picture; all of them where the faults move rows.
    ///
    /// # Errors
    ///
    /// As [`draw`](Self::draw).
    pub fn draw_bands(
        &self,
        shot: &Shot<'_>,
        variation: &Variation,
        faults: impl Into<Faults>,
        bands: &[bool],
    ) -> Result<SimulatedFrame, RenderError> {
        self.draw_bands_while(shot, variation, faults, Played { bands, sparsely: false }, &|_, _| true)
    }

    /// As [`draw_bands`](Self::draw_bands), for who is shown each band as soon as it is drawn, by its number and its bytes, and says
    /// whether to go on; what is not drawn then stays black. Bands come in no order, and others than those that were asked for may be
    /// among them.
    ///
    /// # Errors
    ///
    /// As [`draw`](Self::draw).
    pub fn draw_bands_while(
        &self,
        shot: &Shot<'_>,
        variation: &Variation,
        faults: impl Into<Faults>,
        played: Played<'_>,
        goes_on: GoesOn<'_>,
    ) -> Result<SimulatedFrame, RenderError> {
        let faults = faults.into();
        let played = Some(played).filter(|_| !faults.has(Fault::YFlipped));
        self.draw_bands_of(shot, variation, faults, (played, goes_on))
    }

    fn draw_bands_of(
        &self,
        shot: &Shot<'_>,
        variation: &Variation,
        faults: Faults,
        shown: (Option<Played<'_>>, GoesOn<'_>),
    ) -> Result<SimulatedFrame, RenderError> {
        // Whoever looks for where a texture belongs moves it a thousand times, and nothing else: where that may be done late, no vertex
        // is made again.
        let is_late = self.has_plain_texcoords && shot.settings.shading != ShadingMode::Uv;
        let before = if is_late { faults.without_moved_texcoords() } else { faults };
        let posed = self.posed(shot.moment, before)?;
        let viewport = viewport(shot, variation, faults)?;
        let stage = posed.stage(shot.settings, variation, before);
        let project = || -> Result<Projection, RenderError> {
            Ok(Projection::new(&stage, self.deformed(shot.moment, &stage, variation)?, shot.camera))
        };
        let seen = View::of(shot, variation, before.before_assembly());
        let seen = self.projections.of(seen, project, Projection::bytes)?;
        let assemble = || Ok::<_, RenderError>(Geometry::new(&stage, &seen.draws, (&viewport, variation)));
        let assembled = View::of(shot, variation, before.before_visibility());
        let geometry = self.geometries.of(assembled, assemble, Geometry::bytes)?;
        let bytes = Visibility::bytes(&viewport);
        // What is too large to be kept is not held as a whole either.
        let visible = (bytes <= KEPT_BYTES).then(|| {
            let drawn = View::of(shot, variation, before.before_drawing());
            self.visibilities.of(drawn, || Ok::<_, RenderError>(Visibility::new(&viewport)), |_| bytes)
        });
        let visible = visible.transpose()?;
        let assembled = (&*seen, &*geometry, visible.as_deref());
        self.draw_geometry(shot, variation, (&posed, &viewport, assembled), (faults, is_late, shown))
    }

    /// The vertices of a stage, as they are known or as they are made now.
    fn deformed(
        &self,
        moment: Moment,
        stage: &Stage<'_>,
        variation: &Variation,
    ) -> Result<Arc<Vec<Deformed>>, RenderError> {
        let Stage { settings, faults, .. } = *stage;
        let of = |faults| Deformation::of(moment, settings, variation, faults);
        let bytes = |deformed: &Vec<Deformed>| deformed.iter().map(Deformed::bytes).sum();
        let make = || {
            // A diagnosis tries joints by the hundred, each of which moves a few vertices.
            let fewer = faults.without_single_joints();
            let others = || self.posed(moment, fewer)?.stage(settings, variation, fewer).deform(None);
            let apart = (fewer != faults).then(|| self.deformations.of(of(fewer), others, bytes).ok()).flatten();
            stage.deform(apart.as_ref().map(|apart| &apart[..]))
        };
        self.deformations.of(of(faults), make, bytes)
    }

    /// The picture of what a backend has read, posed and assembled, by a backend that makes these mistakes afterwards.
    fn draw_geometry(
        &self,
        shot: &Shot<'_>,
        variation: &Variation,
        (posed, viewport, (seen, geometry, visibility)): (&Posed<'_>, &Viewport, Assembled<'_>),
        (faults, moves_texcoords, (played, goes_on)): (Faults, bool, (Option<Played<'_>>, GoesOn<'_>)),
    ) -> Result<SimulatedFrame, RenderError> {
        let Shot { camera, settings, .. } = *shot;
        let scene: &Scene = &posed.scene;
        let stage = posed.stage(settings, variation, faults);
        let own = (&*posed.now.worlds, settings.ambient);
        let lights = Lights::new(scene, own, (&camera.view, &camera.projection), faults);
        let interpolation = Interpolation {
            arithmetic: variation.arithmetic(),
            snapped: variation.snapped_attributes,
            affine: faults.has(Fault::AffineInterpolation),
            one: viewport.one,
        };
        let mut environment = Environment {
            mode: settings.shading,
            development: settings.development,
            lights: &lights,
            shadows: None,
            view: camera.view,
            variation,
            interpolation,
            center: viewport.center(faults),
            moves_texcoords,
            faults,
        };
        let shader = |draw: &Draw| Shader::new(scene, draw.material, &self.chains, settings.shading, variation, faults);
        let shaders: Vec<Shader<'_>> = seen.draws.iter().map(shader).collect();
        // Splits and matrices are handed over; whoever reads another scene makes them of that.
        let planned = |pose: &Pose| refrast_stage::shadow_plan(scene, pose, camera, settings);
        let shadows = match planned(&posed.now)? {
            None => None,
            Some(plan) => {
                let before = if faults.has(Fault::CascadeMatrixStale) { planned(&posed.before)? } else { None };
                let own = shadow::Scene { settings, variation, faults, environment: &environment, shaders: &shaders };
                let project = |matrix: &Mat4| stage.project(&seen.deformed, matrix);
                let plans = (&plan, before.as_ref().unwrap_or(&plan));
                Some(shadow::Shadows::new(&own, plans, lights.eye(), project)?)
            }
        };
        environment.shadows = shadows.as_ref();
        let srgb = settings.shading.color_space() == ColorSpace::Srgb;
        let curves = TargetCurves::new(srgb, variation.output, faults);
        let [red, green, blue] = settings.background;
        let plain =
            TargetCurves::new(srgb && !faults.has(Fault::BackgroundLinear), variation.output, Faults::default());
        // Bytes that are cleared to come back from the curve by which they are read.
        let is_cleared =
            faults.parametric().any(|fault| matches!(fault, ParametricFault::Gamma { in_shader: true, .. }));
        let cleared = if is_cleared { &curves } else { &plain };
        let picture = raster::Picture {
            viewport,
            draws: &seen.draws,
            geometry,
            visibility,
            shaders: &shaders,
            environment: &environment,
            curves: &curves,
            background: cleared.decode([red, green, blue, 255]),
            faults,
            played,
        };
        Ok(SimulatedFrame { width: settings.width, height: settings.height, rgba: picture.render(goes_on) })
    }

    /// The picture of what a backend with this mistake reads and poses, drawn without it: the same as with it where the
    /// mistake lies in nothing but what is drawn.
    ///
    /// # Errors
    ///
    /// As [`draw`](Self::draw).
    pub fn draw_as_read(
        &self,
        shot: &Shot<'_>,
        variation: &Variation,
        faults: impl Into<Faults>,
    ) -> Result<SimulatedFrame, RenderError> {
        let posed = self.posed(shot.moment, faults.into())?;
        let none = Faults::default();
        let viewport = viewport(shot, variation, none)?;
        let stage = posed.stage(shot.settings, variation, none);
        let seen = Projection::new(&stage, Arc::new(stage.deform(None)?), shot.camera);
        let geometry = Geometry::new(&stage, &seen.draws, (&viewport, variation));
        let whole: (_, GoesOn<'_>) = (None, &|_, _| true);
        self.draw_geometry(shot, variation, (&posed, &viewport, (&seen, &geometry, None)), (none, false, whole))
    }

    /// As the function [`as_read`], of the simulator's scene.
    pub fn as_read(&self, moment: Moment, faults: impl Into<Faults>) -> Result<(Scene, Pose), PoseError> {
        as_read(self.scene, moment, faults)
    }

    /// The vertices of everything that the scene draws, in draw order, as a backend with these choices and mistakes skins
    /// them.
    ///
    /// # Errors
    ///
    /// When there is no such moment, or the scene can not be skinned.
    pub fn vertices(
        &self,
        moment: Moment,
        settings: &RenderSettings,
        variation: &Variation,
        faults: impl Into<Faults>,
    ) -> Result<Vec<SimulatedVertices>, RenderError> {
        let faults = faults.into();
        let posed = self.posed(moment, faults)?;
        let deformed = self.deformed(moment, &posed.stage(settings, variation, faults), variation)?;
        Ok(deformed.iter().map(Deformed::vertices).collect())
    }

    /// The vertices of what a backend with this mistake reads and poses, skinned without it.
    ///
    /// # Errors
    ///
    /// As [`vertices`](Self::vertices).
    pub fn vertices_as_read(
        &self,
        moment: Moment,
        settings: &RenderSettings,
        variation: &Variation,
        faults: impl Into<Faults>,
    ) -> Result<Vec<SimulatedVertices>, RenderError> {
        let posed = self.posed(moment, faults.into())?;
        let deformed = posed.stage(settings, variation, Faults::default()).deform(None)?;
        Ok(deformed.iter().map(Deformed::vertices).collect())
    }
}

/// The window of a shot, which a camera of another convention does not fit.
fn viewport(shot: &Shot<'_>, variation: &Variation, faults: Faults) -> Result<Viewport, RenderError> {
    let Shot { camera, settings, .. } = *shot;
    if camera.convention != settings.convention {
        return Err(RenderError::Convention { camera: camera.convention, frame: settings.convention });
    }
    Ok(Viewport::new(settings, variation, faults)?)
}
