//! [`shadow_bounds`]: the maps of a frame, texel by texel, as backends may draw them.

use super::{
    Fragment, Interval,
    blend::Mixing,
    byte_table::ByteTable,
    choice::Choice,
    color::{ColorModel, ShadowBounds, VertexVaryings},
    depth_maps::{DepthRules, MapBounds, outward, push_back},
    hits::{BAND, Hits, bands},
    output::Output,
    pixel::{Paint, Picture, PixelHits, PixelWork},
    produce::{FrameEnvelopeError, Shot, color_model},
    repeats::PositionInputs,
    sample_depths::SampleDepths,
    stage::StageVertices,
    strips::Strips,
    surfaces::{Drawn, Geometry, Weld},
    vertices::{ToClip, Window},
};
use glam::Mat4;
use refrast_draw::{AlphaMode, DrawState, SampleCount};
use refrast_measure::envelope::PixelBox;
use refrast_range::{Encode, Freedoms, Resolve};
use refrast_shading::{Casters, ColorSpace, Lighting, ShadowMaps, ShadowPlan};
use refrast_stage::FrameStage;
use refrast_threads as threads;

/// What masks cut out of casters; nothing has a colour in a map.
struct Masks<'a> {
    models: Vec<ColorModel<'a>>,
    varyings: Vec<VertexVaryings>,
}

impl Paint for Masks<'_> {
    fn colors(&self, _: &Fragment, _: &mut Vec<Choice>) {}

    fn alpha(&self, fragment: &Fragment) -> Interval {
        self.models[fragment.draw].alpha_interval(&self.varyings[fragment.draw], fragment)
    }
}

/// What the maps of a frame may hold; `None` where it shows no shadows.
pub(super) fn shadow_bounds(
    frame: &FrameStage<'_>,
    maps: Option<&ShadowMaps>,
    shot: Shot<'_>,
    lighting: &Lighting,
    freedoms: Freedoms,
) -> Result<Option<ShadowBounds>, FrameEnvelopeError> {
    let Some(ShadowMaps { plan, .. }) = maps else { return Ok(None) };
    let plan = plan.clone();
    let mut maps = Vec::new();
    for light in &plan.lights {
        let own =
            light.maps.iter().map(|map| map_bounds(frame, shot, lighting, freedoms, (&plan, &map.view_projection)));
        maps.push(own.collect::<Result<Vec<_>, _>>()?);
    }
    Ok(Some(ShadowBounds { plan, maps }))
}

fn map_bounds(
    frame: &FrameStage<'_>,
    (pose, file, _): Shot<'_>,
    lighting: &Lighting,
    freedoms: Freedoms,
    (plan, matrix): (&ShadowPlan, &Mat4),
) -> Result<MapBounds, FrameEnvelopeError> {
    let settings = &plan.settings;
    let side = settings.side as usize;
    let rules = DepthRules { bias: settings.bias, format: settings.format, clamp: settings.casters == Casters::Clamp };
    // The format's own rounding comes last.
    let freedoms = Freedoms { depth: 0.0, ..freedoms };
    let (width, height, convention) = (settings.side, settings.side, frame.settings().convention);
    let window = Window { width, height, convention, freedoms, depth_clamp: rules.clamp };
    let to_clip = ToClip::of_matrix(matrix, window.rounding());
    let casters: Vec<Option<DrawState>> = frame.casters().map(|caster| Some(caster?.state)).collect();
    let (mut draws, mut weld) = (Vec::new(), Weld::default());
    let (mut alpha, mut masks) = (Vec::new(), Masks { models: Vec::new(), varyings: Vec::new() });
    for (number, draw) in frame.frame_draws().enumerate() {
        let state = casters.get(draw.stage).copied().flatten();
        alpha.push(state.map_or(AlphaMode::Opaque, |state| state.alpha));
        let vertices = StageVertices::of(frame, (pose, file), &draw, (&to_clip, false), window.rounding())
            .map_err(|source| FrameEnvelopeError::Vertices { node: draw.vertices.node, source })?;
        if let Some(state) = state {
            let mut numbers = vertices.clip.iter().flat_map(|vertex| vertex.position.iter().chain(&vertex.radius));
            if !numbers.all(|number| number.is_finite()) {
                return Ok(MapBounds::unknown(side));
            }
            let group = draw.stage as u32;
            let drawn = Drawn { draw: number as u32, group, topology: draw.topology, indices: draw.indices, state };
            let inputs =
                PositionInputs { primitive: draw.vertices.primitive, source_vertices: draw.vertices.source_vertices };
            let welded = weld.names(group, draw.vertices.stream);
            draws.push(Geometry::new(drawn, (vertices.clip, welded), Some(inputs)));
        }
        masks.models.push(color_model(frame, draw, (lighting, None), freedoms));
        masks.varyings.push(vertices.varyings);
    }
    let picture = Picture {
        alpha: &alpha,
        paint: &masks,
        target: ByteTable::new(Output { space: ColorSpace::Linear, encode: Encode::Srgb, steps: 0.0, decode: 0.0 }),
        samples: SampleCount::One,
        sample_depths: SampleDepths::default(),
        background: (PixelBox::exact([0; 4]), [0.0; 4]),
        mixing: Mixing { blend: Default::default(), arithmetic: freedoms.arithmetic },
        resolve: Resolve::default(),
    };
    let (mut depths, mut surfaces) = (Vec::with_capacity(side * side), Vec::new());
    let strips = Strips::new(&window, &draws);
    for strip in strips.rows() {
        strips.surfaces(&window, &draws, &strip, &mut surfaces);
        push_back(&mut surfaces, &rules);
        let reaching = bands(&surfaces, &strip);
        let ready = || (Hits::default(), PixelWork::default());
        let bands: Vec<Vec<[f32; 2]>> = threads::each_with(reaching.len(), ready, |(hits, work), number| {
            let first = strip.start + number * BAND;
            let count = strip.end.min(first + BAND) - first;
            hits.find(&surfaces, &reaching[number], first, [side, count], SampleCount::One);
            let texels = (0..count * side).map(|texel| {
                let own = PixelHits { surfaces: &surfaces, hits: hits.of(texel) };
                let place = [texel % side, first + texel / side];
                outward(rules.stored(work.depth(&picture, own, place)))
            });
            texels.collect()
        });
        bands.into_iter().for_each(|band| depths.extend(band));
    }
    Ok(MapBounds::new(side, depths))
}
