//! [`frame_envelope`]: scene, pose, camera and profile → the golden and its envelope.

use std::ops::Range;

use rayon::prelude::*;

use super::{
    Fragment, Interval,
    blend::Mixing,
    byte_table::ByteTable,
    causes::{CauseKind, Causes, PixelCause},
    choice::Choice,
    color::{ColorModel, MaterialInputs, ShadowBounds, VertexVaryings},
    hits::{BAND, Hits, bands},
    output::Output,
    pixel::{Paint, Picture as Pixels, PixelHits, PixelWork, Seen},
    repeats::PositionInputs,
    sample::Reason,
    sample_depths::SampleDepths,
    shadows::shadow_bounds,
    stage::StageVertices,
    strips::Strips,
    surface::Surface,
    surfaces::{Drawn, Geometry, Weld},
    vertices::{ToClip, Window, rounding},
};
use crate::vertex::{Chain, ChainPose, ExactError};
use refrast_animation::{Pose, PoseError};
use refrast_measure::{
    Picture, PictureError,
    envelope::{Envelope, EnvelopeError, EnvelopeRow, PixelBox},
};
use refrast_range::{Declared, Dither, Encode, Freedoms, Profile, Rules};
use refrast_raster::AlphaMode;
use refrast_render::{Camera, Coloring, FrameDraw, RenderError, Renderer};
use refrast_shading::Lighting;

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
    renderer: &mut Renderer<'_>,
    pose: &Pose,
    camera: &Camera,
    settings: EnvelopeSettings,
) -> Result<FrameEnvelope, FrameEnvelopeError> {
    let found = renderer.settings().subpixel_bits;
    if let Some(allowed) = settings.profile.freedoms().and_then(|freedoms| freedoms.grid_bits)
        && allowed != found
    {
        return Err(FrameEnvelopeError::Grid { profile: settings.profile, allowed, found });
    }
    renderer.render(pose, camera)?;
    let renderer = &*renderer;
    let frame = renderer.last_frame();
    let golden = Picture::from_rgba8(frame.width(), frame.height(), frame.rgba())?;
    let [red, green, blue] = renderer.settings().background;
    let background = [red, green, blue, u8::MAX];
    let (rows, causes) = match settings.profile.freedoms() {
        None => (exact_rows(frame.rgba(), frame.width()), Causes::new(frame.width())),
        Some(freedoms) => {
            let mut lighting = Lighting::new(renderer.scene(), &pose.worlds, camera.view, camera.projection);
            lighting.set_ambient(renderer.settings().ambient);
            let poses = file_poses(renderer, settings, freedoms)?;
            let bounded = |file: Option<&ChainPose>| {
                let shot = (pose, file, camera);
                let shadows = |freedoms| shadow_bounds(renderer, shot, &lighting, freedoms);
                let own = shadows(freedoms)?;
                // Masks of casters are textures like any other.
                let sampled = as_declared(freedoms, settings.declared);
                let declared = if sampled == freedoms { None } else { shadows(sampled)? };
                let light = |shadows| (&lighting, shadows);
                let (own, declared) = (light(own.as_ref()), light(declared.as_ref().or(own.as_ref())));
                let scene = BoundedScene::new(renderer, shot, (own, freedoms), (declared, settings.declared))?;
                Ok::<_, FrameEnvelopeError>(scene.rows(renderer, background, settings.sample_depths))
            };
            renderer.install(|| {
                let (mut rows, causes) = bounded(poses.first())?;
                for other in poses.iter().skip(1) {
                    rows = either(&rows, &bounded(Some(other))?.0, frame.rgba());
                }
                Ok::<_, FrameEnvelopeError>((rows, causes))
            })?
        }
    };
    let envelope = Envelope::new(&golden, &settings.profile.to_string(), PixelBox::exact(background), rows)?;
    Ok(FrameEnvelope { golden, envelope, causes })
}

/// The poses of backends that read the file; none for those that are given one.
fn file_poses(
    renderer: &Renderer<'_>,
    settings: EnvelopeSettings,
    freedoms: Freedoms,
) -> Result<Vec<ChainPose>, FrameEnvelopeError> {
    let Some(chain) = settings.file else { return Ok(Vec::new()) };
    if renderer.program_length().is_some() {
        return Err(FrameEnvelopeError::Programmed);
    }
    Ok(ChainPose::alternatives(renderer.scene(), chain, rounding(freedoms))?)
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
    bytes.as_chunks::<4>().0.par_chunks(width as usize).map(row).collect()
}

/// A pose, that of the file where backends read it, and a camera.
pub(super) type Shot<'a> = (&'a Pose, Option<&'a ChainPose>, &'a Camera);

/// The light, and the shadows in it.
type Light<'a> = (&'a Lighting, Option<&'a ShadowBounds>);

/// Everything of a frame, with its bounds.
struct BoundedScene<'a> {
    window: Window,
    draws: Vec<Geometry<'a>>,
    /// The alpha mode of each draw.
    alpha: Vec<AlphaMode>,
    painter: Painter<'a>,
    freedoms: Freedoms,
    /// What is declared, with what colours the fragments then.
    declared: Option<(Declared, Vec<ColorModel<'a>>)>,
}

/// What colours the fragments of each draw.
struct Painter<'a> {
    models: Vec<ColorModel<'a>>,
    varyings: Vec<VertexVaryings>,
}

/// Models with the varyings of their draws.
struct Painted<'a> {
    models: &'a [ColorModel<'a>],
    varyings: &'a [VertexVaryings],
}

impl Paint for Painted<'_> {
    fn colors(&self, fragment: &Fragment, choices: &mut Vec<Choice>) {
        let (model, varyings) = (&self.models[fragment.draw], &self.varyings[fragment.draw]);
        let boxes = model.color_boxes(varyings, fragment);
        choices.extend(boxes.as_slice().iter().map(|&color| Choice { color, loose: boxes.loose() }));
    }

    fn alpha(&self, fragment: &Fragment) -> Interval {
        let (model, varyings) = (&self.models[fragment.draw], &self.varyings[fragment.draw]);
        model.alpha_interval(varyings, fragment)
    }
}

impl<'a> BoundedScene<'a> {
    fn new(
        renderer: &'a Renderer<'_>,
        (pose, file, camera): Shot<'_>,
        (light, freedoms): (Light<'a>, Freedoms),
        (light_as_declared, declared): (Light<'a>, Declared),
    ) -> Result<Self, FrameEnvelopeError> {
        let settings = renderer.settings();
        let (width, height, convention) = (settings.width, settings.height, settings.convention);
        let window = Window { width, height, convention, freedoms, depth_clamp: false };
        let to_clip = ToClip::new(camera, window.rounding());
        let painter = Painter { models: Vec::new(), varyings: Vec::new() };
        let mut scene = Self { window, draws: Vec::new(), alpha: Vec::new(), painter, freedoms, declared: None };
        let mut weld = Weld::default();
        for (number, draw) in renderer.frame_draws().enumerate() {
            let StageVertices { clip, varyings } =
                StageVertices::of(renderer, (pose, file), &draw, (&to_clip, true), window.rounding())
                    .map_err(|source| FrameEnvelopeError::Vertices { node: draw.vertices.node, source })?;
            let group = draw.stage as u32;
            let drawn =
                Drawn { draw: number as u32, group, topology: draw.topology, indices: draw.indices, state: draw.state };
            let inputs = renderer.program_length().is_none().then_some(PositionInputs {
                primitive: draw.vertices.primitive,
                source_vertices: draw.vertices.source_vertices,
            });
            let welded = weld.names(group, draw.vertices.stream);
            scene.draws.push(Geometry::new(drawn, (clip, welded), inputs));
            scene.alpha.push(draw.state.alpha);
            scene.painter.models.push(color_model(renderer, draw, light, freedoms));
            scene.painter.varyings.push(varyings);
        }
        if !declared.is_nothing() {
            let freedoms = as_declared(freedoms, declared);
            let models = renderer.frame_draws().map(|draw| color_model(renderer, draw, light_as_declared, freedoms));
            scene.declared = Some((declared, models.collect()));
        }
        Ok(scene)
    }

    /// The boxes of every row, and whose they are.
    fn rows(
        &self,
        renderer: &Renderer<'_>,
        background: [u8; 4],
        sample_depths: SampleDepths,
    ) -> (Vec<EnvelopeRow>, Causes) {
        let settings = renderer.settings();
        let [width, height] = [settings.width, settings.height].map(|side| side as usize);
        let golden = renderer.last_frame().rgba().as_chunks::<4>().0;
        let space = settings.shading.color_space();
        let varyings = self.painter.varyings.as_slice();
        let painted = Painted { models: &self.painter.models, varyings };
        let declared = self.declared.as_ref();
        let painted_as_declared = declared.map(|(_, models)| Painted { models, varyings });
        let light = space.decode(background).map(f64::from);
        let own = Output { space, encode: Encode::Srgb, steps: self.freedoms.output, decode: self.freedoms.decode };
        let picture = |paint, output, background, declared: Declared| Pixels {
            alpha: &self.alpha,
            paint,
            target: ByteTable::new(output),
            samples: settings.samples,
            sample_depths,
            background,
            mixing: Mixing { blend: declared.blend, arithmetic: self.freedoms.arithmetic },
            resolve: declared.resolve,
        };
        let mut pictures = vec![picture(&painted, own, (PixelBox::exact(background), light), Declared::default())];
        if let (Some((declared, _)), Some(paint)) = (declared, &painted_as_declared) {
            let dither = match declared.dither {
                Dither::None => 0.0,
                // The pattern stays below half a step.
                Dither::Ordered1Lsb => 0.5,
            };
            let output = Output { encode: declared.encode, steps: own.steps + dither, ..own };
            let bytes = background.map(|byte| f64::from(byte) / 255.0);
            let meant = std::array::from_fn(|channel| output.decoded(Interval::exact(bytes[channel]), channel).low);
            pictures.push(picture(paint, output, (PixelBox::exact(background), meant), *declared));
            if declared.encode != own.encode {
                // A background that was given as light is encoded like everything else.
                let cleared = Output { steps: own.steps, ..output }.bytes(&Choice::exact(light));
                pictures.push(picture(paint, output, (cleared, light), *declared));
            }
        }
        let (mut all, mut causes) = (Vec::with_capacity(height), Causes::new(settings.width));
        let strips = Strips::new(&self.window, &self.draws);
        let mut surfaces = Vec::new();
        for strip in strips.rows() {
            strips.surfaces(&self.window, &self.draws, &strip, &mut surfaces);
            let bands: Vec<_> = bands(&surfaces, &strip)
                .into_par_iter()
                .enumerate()
                .map_init(
                    || (Hits::default(), PixelWork::default()),
                    |(hits, work), (number, reaching)| {
                        let first = strip.start + number * BAND;
                        let rows = first..strip.end.min(first + BAND);
                        hits.find(&surfaces, &reaching, first, [width, rows.len()], settings.samples);
                        band(&pictures, &surfaces, (hits, work), golden, (rows, width))
                    },
                )
                .collect();
            for (own, own_causes) in bands {
                all.extend(own);
                causes.append(&own_causes);
            }
        }
        (all, causes)
    }
}

/// The rows of a band: what is right by any of the pictures, the first of which is the reference's.
fn band<P: Paint>(
    pictures: &[Pixels<'_, P>],
    surfaces: &[Surface],
    (hits, work): (&Hits, &mut PixelWork),
    golden: &[[u8; 4]],
    (rows, width): (Range<usize>, usize),
) -> (Vec<EnvelopeRow>, Causes) {
    let mut causes = Causes::new(width as u32);
    let first = rows.start;
    let row = |y: usize| {
        let mut row = EnvelopeRow::with_capacity(width);
        for x in 0..width {
            let own = PixelHits { surfaces, hits: hits.of((y - first) * width + x) };
            let mut boxes = std::mem::take(&mut work.boxes);
            boxes.clear();
            for (number, picture) in pictures.iter().enumerate() {
                work.run(picture, own, [x, y]);
                boxes.append(&mut work.boxes);
                if number == 0 {
                    causes.push(work.seen.iter().map(|seen| cause(&surfaces[seen.surface as usize], *seen)));
                }
            }
            row.push(golden[y * width + x], &mut boxes);
            work.boxes = boxes;
        }
        row
    };
    let rows = rows.map(row).collect();
    (rows, causes)
}

fn cause(surface: &Surface, seen: Seen) -> PixelCause {
    let kind = match seen.reason {
        Reason::Sure => CauseKind::Surface,
        Reason::Edge => CauseKind::Edge,
        Reason::Depth => CauseKind::Depth,
        Reason::Mask => CauseKind::Mask,
    };
    PixelCause { draw: surface.draw, primitive: surface.primitive, kind }
}

/// How textures are sampled with these choices.
fn as_declared(freedoms: Freedoms, declared: Declared) -> Freedoms {
    let Declared { anisotropy, mips, jpeg, diffuse, normal_maps, tangents, .. } = declared;
    Freedoms { anisotropy: f64::from(anisotropy), mips, jpeg, diffuse, normal_maps, tangents, ..freedoms }
}

/// What colours a draw, in this light.
pub(super) fn color_model<'a>(
    renderer: &'a Renderer<'_>,
    draw: FrameDraw<'a>,
    (lighting, shadows): Light<'a>,
    freedoms: Freedoms,
) -> ColorModel<'a> {
    match draw.coloring {
        Coloring::Material(layout) => {
            let inputs = MaterialInputs {
                material: &renderer.scene().materials[draw.vertices.primitive.material],
                layout,
                textures: renderer.textures(),
                lighting,
                shadows,
                mode: renderer.settings().shading,
                development: renderer.settings().development,
                depth_range: renderer.shown_depths(),
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
