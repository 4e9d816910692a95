//! [`BoundedScene`]: a frame with the bounds of everything in it → the boxes of its pixels.
//!
//! Why it exists: an envelope asks it for every pixel, and who looks for what an engine may have chosen asks it for a few
//! ([`choices_allowing`](super::suspects::choices_allowing)), by many choices at once.

use std::ops::Range;

use super::{
    Fragment, Interval,
    blend::Mixing,
    byte_table::ByteTable,
    causes::{CauseKind, Causes, PixelCause},
    choice::Choice,
    color::{ColorModel, VertexVaryings},
    hits::{BAND, Hits, bands},
    output::Output,
    pixel::{Paint, Picture as Pixels, PixelHits, PixelWork, Seen},
    produce::{FrameEnvelopeError, Light, Shot, as_declared, background, color_model},
    repeats::PositionInputs,
    sample::Reason,
    sample_depths::SampleDepths,
    stage::StageVertices,
    strips::Strips,
    surface::Surface,
    surfaces::{Drawn, Geometry, Weld},
    vertices::{ToClip, Window},
};
use refrast_draw::{AlphaMode, SampleCount};
use refrast_measure::envelope::{EnvelopeRow, PixelBox};
use refrast_range::{Declared, Dither, Encode, Freedoms};
use refrast_shading::ColorSpace;
use refrast_stage::{DrawnPicture, FrameStage};
use refrast_threads as threads;

/// Everything of a frame, with its bounds.
pub(super) struct BoundedScene<'a> {
    pub(super) window: Window,
    pub(super) draws: Vec<Geometry<'a>>,
    /// The alpha mode of each draw.
    alpha: Vec<AlphaMode>,
    /// What colours the fragments of each draw.
    models: Vec<ColorModel<'a>>,
    varyings: Vec<VertexVaryings>,
    freedoms: Freedoms,
    /// Choices that are declared, with what colours the fragments then.
    declared: Vec<(Declared, Vec<ColorModel<'a>>)>,
}

/// What a frame is drawn onto.
#[derive(Clone, Copy)]
pub(super) struct Target {
    space: ColorSpace,
    pub(super) size: [usize; 2],
    pub(super) samples: SampleCount,
    sample_depths: SampleDepths,
    background: [u8; 4],
}

impl Target {
    pub(super) fn of(frame: &FrameStage<'_>, sample_depths: SampleDepths) -> Self {
        let settings = frame.settings();
        Self {
            space: settings.shading.color_space(),
            size: [settings.width, settings.height].map(|side| side as usize),
            samples: settings.samples,
            sample_depths,
            background: background(frame),
        }
    }
}

/// Models with the varyings of their draws.
pub(super) struct Painted<'a> {
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
    pub(super) fn new(
        frame: &'a FrameStage<'_>,
        (pose, file, camera): Shot<'_>,
        light: Light<'a>,
        freedoms: Freedoms,
    ) -> Result<Self, FrameEnvelopeError> {
        let settings = frame.settings();
        let (width, height, convention) = (settings.width, settings.height, settings.convention);
        let window = Window { width, height, convention, freedoms, depth_clamp: false };
        let to_clip = ToClip::new(camera, window.rounding());
        let (draws, alpha, models, varyings) = Default::default();
        let mut scene = Self { window, draws, alpha, models, varyings, freedoms, declared: Vec::new() };
        let mut weld = Weld::default();
        for (number, draw) in frame.frame_draws().enumerate() {
            let StageVertices { clip, varyings } =
                StageVertices::of(frame, (pose, file), &draw, (&to_clip, true), scene.window.rounding())
                    .map_err(|source| FrameEnvelopeError::Vertices { node: draw.vertices.node, source })?;
            let group = draw.stage as u32;
            let drawn =
                Drawn { draw: number as u32, group, topology: draw.topology, indices: draw.indices, state: draw.state };
            let inputs = frame.program_length().is_none().then_some(PositionInputs {
                primitive: draw.vertices.primitive,
                source_vertices: draw.vertices.source_vertices,
            });
            let welded = weld.names(group, draw.vertices.stream);
            scene.draws.push(Geometry::new(drawn, (clip, welded), inputs));
            scene.alpha.push(draw.state.alpha);
            scene.models.push(color_model(frame, draw, light, freedoms));
            scene.varyings.push(varyings);
        }
        Ok(scene)
    }

    /// Adds a choice, in the light that its engine sees.
    pub(super) fn declare(&mut self, frame: &'a FrameStage<'_>, light: Light<'a>, declared: Declared) {
        let freedoms = as_declared(self.freedoms, declared);
        let models = frame.frame_draws().map(|draw| color_model(frame, draw, light, freedoms));
        self.declared.push((declared, models.collect()));
    }

    /// What colours the fragments by the reference's own choices.
    pub(super) fn painted(&self) -> Painted<'_> {
        Painted { models: &self.models, varyings: &self.varyings }
    }

    /// The choices that are declared, with what colours the fragments then.
    pub(super) fn painted_as_declared(&self) -> impl Iterator<Item = (Declared, Painted<'_>)> {
        self.declared.iter().map(|(declared, models)| (*declared, Painted { models, varyings: &self.varyings }))
    }

    fn output(&self, target: Target) -> Output {
        Output { space: target.space, encode: Encode::Srgb, steps: self.freedoms.output, decode: self.freedoms.decode }
    }

    fn picture_with<'b>(
        &'b self,
        target: Target,
        (declared, paint): (Declared, &'b Painted<'b>),
        output: Output,
        background: (PixelBox, [f64; 4]),
    ) -> Pixels<'b, Painted<'b>> {
        Pixels {
            alpha: &self.alpha,
            paint,
            target: ByteTable::new(output),
            samples: target.samples,
            sample_depths: target.sample_depths,
            background,
            mixing: Mixing { blend: declared.blend, arithmetic: self.freedoms.arithmetic },
            resolve: declared.resolve,
        }
    }

    /// What is right by the reference's own choices.
    pub(super) fn picture<'b>(&'b self, target: Target, paint: &'b Painted<'b>) -> Pixels<'b, Painted<'b>> {
        let background = (PixelBox::exact(target.background), light_of(target));
        self.picture_with(target, (Declared::default(), paint), self.output(target), background)
    }

    /// What is right beside that by a choice that is declared.
    pub(super) fn pictures_as_declared<'b>(
        &'b self,
        target: Target,
        (declared, paint): (Declared, &'b Painted<'b>),
    ) -> Vec<Pixels<'b, Painted<'b>>> {
        let own = self.output(target);
        let dither = match declared.dither {
            Dither::None => 0.0,
            // The pattern stays below half a step.
            Dither::Ordered1Lsb => 0.5,
        };
        let output = Output { encode: declared.encode, steps: own.steps + dither, ..own };
        let bytes = target.background.map(|byte| f64::from(byte) / 255.0);
        let meant = std::array::from_fn(|channel| output.decoded(Interval::exact(bytes[channel]), channel).low);
        let with = |background| self.picture_with(target, (declared, paint), output, background);
        let mut pictures = vec![with((PixelBox::exact(target.background), meant))];
        if declared.encode != own.encode {
            // A background that was given as light is encoded like everything else.
            let light = light_of(target);
            let cleared = Output { steps: own.steps, ..output }.bytes(&Choice::exact(light));
            pictures.push(with((cleared, light)));
        }
        pictures
    }

    /// The boxes of every row, and whose they are; by the first choice that is declared, if there is one.
    pub(super) fn rows(&self, picture: DrawnPicture<'_>, target: Target) -> (Vec<EnvelopeRow>, Causes) {
        let [width, height] = target.size;
        let golden = picture.rgba.as_chunks::<4>().0;
        let painted = self.painted();
        let declared = self.painted_as_declared().next();
        let mut pictures = vec![self.picture(target, &painted)];
        pictures.extend(declared.iter().flat_map(|(own, paint)| self.pictures_as_declared(target, (*own, paint))));
        let (mut all, mut causes) = (Vec::with_capacity(height), Causes::new(width as u32));
        let strips = Strips::new(&self.window, &self.draws);
        let mut surfaces = Vec::new();
        for strip in strips.rows() {
            strips.surfaces(&self.window, &self.draws, &strip, &mut surfaces);
            let reaching = bands(&surfaces, &strip);
            let ready = || (Hits::default(), PixelWork::default());
            let bands = threads::each_with(reaching.len(), ready, |(hits, work), number| {
                let first = strip.start + number * BAND;
                let rows = first..strip.end.min(first + BAND);
                hits.find(&surfaces, &reaching[number], first, [width, rows.len()], target.samples);
                band(&pictures, &surfaces, (hits, work), golden, (rows, width))
            });
            for (own, own_causes) in bands {
                all.extend(own);
                causes.append(&own_causes);
            }
        }
        (all, causes)
    }
}

/// The background in linear light.
fn light_of(target: Target) -> [f64; 4] {
    target.space.decode(target.background).map(f64::from)
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
    let mut boxes = Vec::new();
    let row = |y: usize| {
        let mut row = EnvelopeRow::with_capacity(width);
        for x in 0..width {
            let own = PixelHits { surfaces, hits: hits.of((y - first) * width + x) };
            boxes.clear();
            for (number, picture) in pictures.iter().enumerate() {
                work.run(picture, own, [x, y]);
                boxes.append(&mut work.boxes);
                if number == 0 {
                    causes.push(work.seen.iter().map(|seen| cause(&surfaces[seen.surface as usize], *seen)));
                }
            }
            row.push(golden[y * width + x], &mut boxes);
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
