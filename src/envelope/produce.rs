//! [`frame_envelope`]: scene, pose, camera and profile → the golden and its envelope.

use super::{
    bounded::{BoundedScene, Target},
    causes::Causes,
    color::{ColorModel, MaterialInputs, ShadowBounds},
    sample_depths::SampleDepths,
    shadows::shadow_bounds,
    vertices::rounding,
};
use crate::vertex::{Chain, ChainPose, ExactError};
use refrast_animation::{Pose, PoseError};
use refrast_draw::AlphaMode;
use refrast_measure::{
    Picture, PictureError,
    envelope::{Envelope, EnvelopeError, EnvelopeRow, PixelBox},
};
use refrast_range::{Declared, Freedoms, Profile, Rules};
use refrast_shading::Lighting;
use refrast_stage::{Camera, Coloring, DrawnPicture, FrameDraw, FrameStage, Reference, RenderError};
use refrast_threads::each;

/// What an envelope is made for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnvelopeSettings {
    /// What backends may do differently.
    pub profile: Profile,
    /// Where they take the depth of a sample.
    pub sample_depths: SampleDepths,
    /// What they have chosen, and the picture shows: right beside the reference's own choices.
    pub declared: Declared,
    /// For backends that read the scene's file themselves, which moment of it they draw: vertices may then be wherever the whole
    /// chain from the file's numbers may bring them. `None` is for backends that are given the pose's matrices and morph
    /// weights, as in a pack.
    pub file: Option<Chain>,
}

impl EnvelopeSettings {
    /// For backends that make no mistake.
    #[must_use]
    pub fn of(profile: Profile) -> Self {
        Self { profile, ..Self::default() }
    }
}

impl From<Rules> for EnvelopeSettings {
    fn from(Rules { profile, declared }: Rules) -> Self {
        Self { declared, ..Self::of(profile) }
    }
}

impl From<Profile> for EnvelopeSettings {
    fn from(profile: Profile) -> Self {
        Self::of(profile)
    }
}

/// A golden and what else would be right.
#[derive(Clone, Debug)]
pub struct FrameEnvelope {
    /// The reference's own picture.
    pub golden: Picture,
    /// The acceptable set of each pixel.
    pub envelope: Envelope,
    /// Whose colours they are; empty for [`Profile::Exact`].
    pub causes: Causes,
}

/// There is no envelope.
#[derive(Debug, thiserror::Error)]
pub enum FrameEnvelopeError {
    /// The frame can not be rendered.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// There is no such moment of the scene's file.
    #[error(transparent)]
    Moment(#[from] PoseError),
    /// A vertex program has its constants from the renderer.
    #[error("a vertex program is given its palette: leave out `given`, or write \"palette\"")]
    Programmed,
    /// The vertices of a draw can not be bounded.
    #[error("node {node}: {source}")]
    Vertices {
        /// The node that draws them.
        node: usize,
        /// Why.
        source: ExactError,
    },
    /// The reference's own picture is none that the profile allows.
    #[error(
        "the profile {profile} asks for a grid of {allowed} bits, but the picture is rendered on one of {found}: render it with \
         {allowed}, or take the profile vulkan14"
    )]
    Grid {
        /// What backends may do differently.
        profile: Profile,
        /// Fraction bits of the profile's grid.
        allowed: u32,
        /// Those of the settings.
        found: u32,
    },
    /// The picture can not be kept.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// The envelope can not be kept.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
}

/// Renders a frame, and finds for each pixel what a conformant backend may draw there.
///
/// The result does not depend on the number of threads.
///
/// ```
/// use refrast_animation::Pose;
/// use refrast_envelope::{EnvelopeSettings, frame_envelope};
/// use refrast_measure::envelope::CheckOptions;
/// use refrast_range::Profile;
/// use refrast_render::{Bounds, Camera, Orbit, RenderSettings, Renderer};
/// use refrast_scene::Scene;
///
/// let scene = Scene::mannequin()?;
/// let pose = Pose::rest(&scene);
/// let settings = RenderSettings { width: 64, height: 64, ..RenderSettings::default() };
/// let mut renderer = Renderer::new(&scene, settings)?;
/// let camera = Camera::orbit(&Bounds::of(&scene, None)?, Orbit::default(), 1.0, settings.convention);
/// let made = frame_envelope(&mut renderer, &pose, &camera, EnvelopeSettings::of(Profile::Vulkan14))?;
/// // The golden itself is one of the right pictures.
/// assert_eq!(made.envelope.check(&made.golden, &CheckOptions::default())?.wrong(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// When the frame can not be rendered, the vertices of a draw can not be bounded, or the profile has another grid.
pub fn frame_envelope(
    reference: &mut dyn Reference,
    pose: &Pose,
    camera: &Camera,
    settings: EnvelopeSettings,
) -> Result<FrameEnvelope, FrameEnvelopeError> {
    draw(reference, pose, camera, settings.profile)?;
    let reference = &*reference;
    let picture = reference.picture();
    let DrawnPicture { width, height, rgba } = picture;
    let golden = Picture::from_rgba8(width, height, rgba)?;
    let (rows, causes) = match settings.profile.freedoms() {
        None => (exact_rows(rgba, width), Causes::new(width)),
        Some(freedoms) => {
            let declared = Some(settings.declared).filter(|declared| !declared.is_nothing());
            let shot = (reference, pose, camera);
            let target = Target::of(reference.stage(), settings.sample_depths);
            let mut made =
                with_bounds(shot, (settings, freedoms), declared.as_slice(), |scene| scene.rows(picture, target))?
                    .into_iter();
            let (rows, causes) = made.next().unwrap_or_else(|| (Vec::new(), Causes::new(width)));
            (made.fold(rows, |rows, (other, _)| either(&rows, &other, rgba)), causes)
        }
    };
    let background = PixelBox::exact(background(reference.stage()));
    let envelope = Envelope::new(&golden, &settings.profile.to_string(), background, rows)?;
    Ok(FrameEnvelope { golden, envelope, causes })
}

/// Draws the reference's own picture, where the profile allows it.
pub(super) fn draw(
    reference: &mut dyn Reference,
    pose: &Pose,
    camera: &Camera,
    profile: Profile,
) -> Result<(), FrameEnvelopeError> {
    let found = reference.stage().settings().subpixel_bits;
    if let Some(allowed) = profile.freedoms().and_then(|freedoms| freedoms.grid_bits)
        && allowed != found
    {
        return Err(FrameEnvelopeError::Grid { profile, allowed, found });
    }
    Ok(reference.draw_frame(pose, camera)?)
}

pub(super) fn background(frame: &FrameStage<'_>) -> [u8; 4] {
    let [red, green, blue] = frame.settings().background;
    [red, green, blue, u8::MAX]
}

/// Shows the frame that was drawn last with its bounds, and with those of engines that have made other choices: once, or where
/// backends read the file once for each pose that they may make of it. At least one.
pub(super) fn with_bounds<Seen: Send>(
    (reference, pose, camera): (&dyn Reference, &Pose, &Camera),
    (settings, freedoms): (EnvelopeSettings, Freedoms),
    choices: &[Declared],
    see: impl Fn(&BoundedScene<'_>) -> Seen + Sync,
) -> Result<Vec<Seen>, FrameEnvelopeError> {
    let frame = reference.stage();
    let mut lighting = Lighting::new(frame.scene(), &pose.worlds, camera.view, camera.projection);
    lighting.set_ambient(frame.settings().ambient);
    let poses = file_poses(frame, settings, freedoms)?;
    let files = if poses.is_empty() { vec![None] } else { poses.iter().map(Some).collect() };
    let bounded = |file: Option<&ChainPose>| {
        let shot = (pose, file, camera);
        let shadows = |freedoms| shadow_bounds(frame, reference.shadow_maps(), shot, &lighting, freedoms);
        let own = shadows(freedoms)?;
        // Masks of casters are textures like any other.
        let sampled = |declared: &Declared| match as_declared(freedoms, *declared) {
            same if same == freedoms => Ok(None),
            sampled => shadows(sampled),
        };
        let declared = choices.iter().map(sampled).collect::<Result<Vec<_>, _>>()?;
        let mut scene = BoundedScene::new(frame, shot, (&lighting, own.as_ref()), freedoms)?;
        for (choice, shadows) in choices.iter().zip(&declared) {
            scene.declare(frame, (&lighting, shadows.as_ref().or(own.as_ref())), *choice);
        }
        Ok(see(&scene))
    };
    let mut seen = Ok(Vec::new());
    reference.on_threads(&mut || seen = files.iter().map(|file| bounded(*file)).collect());
    seen
}

/// The poses of backends that read the file; none for those that are given one.
fn file_poses(
    frame: &FrameStage<'_>,
    settings: EnvelopeSettings,
    freedoms: Freedoms,
) -> Result<Vec<ChainPose>, FrameEnvelopeError> {
    let Some(chain) = settings.file else { return Ok(Vec::new()) };
    if frame.program_length().is_some() {
        return Err(FrameEnvelopeError::Programmed);
    }
    Ok(ChainPose::alternatives(frame.scene(), chain, rounding(freedoms))?)
}

/// The boxes of both: what is right in one way or in the other, and nothing between.
fn either(a: &[EnvelopeRow], b: &[EnvelopeRow], golden: &[u8]) -> Vec<EnvelopeRow> {
    let rows = a.iter().zip(b).zip(golden.chunks_exact(4 * a.first().map_or(1, EnvelopeRow::len).max(1)));
    rows.map(|((a, b), golden)| {
        let mut row = EnvelopeRow::with_capacity(a.len());
        for (column, golden) in golden.as_chunks::<4>().0.iter().enumerate() {
            row.push(*golden, &mut a.boxes(column as u32).chain(b.boxes(column as u32)).collect());
        }
        row
    })
    .collect()
}

/// The reference's bytes and nothing else.
fn exact_rows(bytes: &[u8], width: u32) -> Vec<EnvelopeRow> {
    let row = |pixels: &[[u8; 4]]| {
        let mut row = EnvelopeRow::with_capacity(pixels.len());
        pixels.iter().for_each(|&pixel| row.push(pixel, &mut vec![PixelBox::exact(pixel)]));
        row
    };
    let rows: Vec<_> = bytes.as_chunks::<4>().0.chunks(width as usize).collect();
    each(rows.len(), 8, |y| row(rows[y]))
}

/// A pose, that of the file where backends read it, and a camera.
pub(super) type Shot<'a> = (&'a Pose, Option<&'a ChainPose>, &'a Camera);

/// The light, and the shadows in it.
pub(super) type Light<'a> = (&'a Lighting, Option<&'a ShadowBounds>);

/// How textures are sampled with these choices.
pub(super) fn as_declared(freedoms: Freedoms, declared: Declared) -> Freedoms {
    let Declared { anisotropy, mips, jpeg, diffuse, normal_maps, tangents, .. } = declared;
    Freedoms { anisotropy: f64::from(anisotropy), mips, jpeg, diffuse, normal_maps, tangents, ..freedoms }
}

/// What colours a draw, in this light.
pub(super) fn color_model<'a>(
    frame: &'a FrameStage<'_>,
    draw: FrameDraw<'a>,
    (lighting, shadows): Light<'a>,
    freedoms: Freedoms,
) -> ColorModel<'a> {
    match draw.coloring {
        Coloring::Material(layout) => {
            let inputs = MaterialInputs {
                material: &frame.scene().materials[draw.vertices.primitive.material],
                layout,
                textures: frame.textures(),
                lighting,
                shadows,
                mode: frame.settings().shading,
                development: frame.settings().development,
                depth_range: frame.shown_depths(),
            };
            ColorModel::material(&inputs, freedoms)
        }
        Coloring::FixedFunction(shader) => {
            let cutoff = match draw.state.alpha {
                AlphaMode::Mask { cutoff } => Some(cutoff),
                AlphaMode::Opaque | AlphaMode::Blend => None,
            };
            ColorModel::fixed_function(&shader, cutoff, freedoms)
        }
    }
}
