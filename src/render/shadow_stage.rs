//! [`ShadowStage`]: the depth-only passes of a frame.
//!
//! Why it exists: a map is a picture from another camera, of the same deformed vertices. Each map has streams and a
//! rasteriser of its own, so that all are drawn at once; what each holds does not depend on the others, nor on the number of
//! threads.

use glam::{DVec3, Mat4};
use rayon::prelude::*;

use super::{Bounds, RenderError, RenderSettings, vertex_stage::PrimitiveStage};
use refrast_raster::{
    AlphaMode, DepthMap, DepthSettings, Draw, DrawState, PrimitiveTopology, Rasteriser, VertexStream,
};
use refrast_scene::{Scene, Topology};
use refrast_shading::{Casters, Lighting, MaterialShader, ShadowMaps, ShadowPlan, ShadowSettings, TextureSet};

use super::camera::Camera;

/// What is kept from frame to frame.
#[derive(Default)]
pub(super) struct ShadowStage {
    pub(super) shadows: ShadowMaps,
    /// One a map, light after light.
    passes: Vec<Pass>,
}

/// Buffers of the pass that draws a map.
#[derive(Default)]
struct Pass {
    rasteriser: Rasteriser,
    /// One a caster.
    streams: Vec<VertexStream>,
}

/// What casters of all maps have in common.
pub(super) struct Casting<'a, 'scene> {
    pub(super) scene: &'scene Scene,
    pub(super) settings: &'a RenderSettings,
    pub(super) stages: &'a [PrimitiveStage<'scene>],
    pub(super) textures: &'a TextureSet,
    pub(super) lighting: &'a Lighting,
}

/// How a map of these settings is drawn, in a frame of these.
pub(super) fn depth_settings(shadows: &ShadowSettings, frame: &RenderSettings) -> DepthSettings {
    DepthSettings {
        side: shadows.side,
        subpixel_bits: frame.subpixel_bits,
        convention: frame.convention,
        clamp: shadows.casters == Casters::Clamp,
        bias: shadows.bias,
        format: shadows.format,
        simd: frame.simd,
    }
}

/// How a primitive is drawn into shadow maps; `None` for what casts no shadow: lines, points and blended surfaces. Both sides
/// of a surface cast one.
pub(super) fn caster_state(scene: &Scene, stage: &PrimitiveStage<'_>) -> Option<DrawState> {
    let alpha = match scene.materials[stage.primitive.material].alpha_mode {
        refrast_scene::AlphaMode::Opaque => AlphaMode::Opaque,
        refrast_scene::AlphaMode::Mask { cutoff } => AlphaMode::Mask { cutoff },
        refrast_scene::AlphaMode::Blend => return None,
    };
    (stage.primitive.topology == Topology::Triangles).then(|| DrawState { alpha, ..DrawState::default() })
}

/// The box around all deformed vertices.
pub(super) fn scene_box(stages: &[PrimitiveStage<'_>]) -> Option<[DVec3; 2]> {
    let mut bounds = Bounds::EMPTY;
    for stage in stages {
        let count = stage.deformed.len();
        let [x, y, z] = stage.deformed.positions().map(|plane| &plane[..count]);
        bounds.extend(x, y, z);
    }
    (!bounds.is_empty()).then_some([bounds.min, bounds.max])
}

impl ShadowStage {
    /// Plans the shadows of a frame whose vertices are deformed.
    pub(super) fn plan(
        settings: &RenderSettings,
        stages: &[PrimitiveStage<'_>],
        lighting: &Lighting,
        camera: &Camera,
    ) -> Result<ShadowPlan, RenderError> {
        let camera = (camera.view, camera.projection, camera.convention);
        Ok(ShadowPlan::new(&settings.shadows, lighting, camera, scene_box(stages))?)
    }

    /// Draws all maps of the plan. The stages' own streams must have been written for this frame.
    pub(super) fn draw(&mut self, plan: ShadowPlan, casting: &Casting<'_, '_>) -> Result<(), RenderError> {
        let Self { shadows, passes } = self;
        shadows.plan = plan;
        shadows.maps.resize_with(shadows.plan.lights.len(), Vec::new);
        for (maps, light) in shadows.maps.iter_mut().zip(&shadows.plan.lights) {
            maps.resize_with(light.maps.len(), DepthMap::new);
        }
        let matrices: Vec<Mat4> =
            shadows.plan.lights.iter().flat_map(|light| light.maps.iter().map(|map| map.view_projection)).collect();
        passes.resize_with(matrices.len(), Pass::default);
        let depth = depth_settings(&shadows.plan.settings, casting.settings);
        let maps: Vec<&mut DepthMap> = shadows.maps.iter_mut().flatten().collect();
        let work = passes.par_iter_mut().zip(maps).zip(matrices);
        work.try_for_each(|((pass, map), matrix)| pass.draw(&depth, &matrix, casting, map))
    }
}

impl Pass {
    fn draw(
        &mut self,
        settings: &DepthSettings,
        matrix: &Mat4,
        casting: &Casting<'_, '_>,
        map: &mut DepthMap,
    ) -> Result<(), RenderError> {
        let Casting { scene, stages, textures, lighting, settings: frame } = *casting;
        let casters: Vec<_> = stages.iter().filter_map(|stage| Some((stage, caster_state(scene, stage)?))).collect();
        self.streams.resize_with(casters.len(), VertexStream::default);
        for ((stage, state), stream) in casters.iter().zip(&mut self.streams) {
            let masked = state.alpha != AlphaMode::Opaque;
            stage.project_into(scene, matrix, frame.simd, masked, stream)?;
        }
        let draws: Vec<_> = casters
            .iter()
            .zip(&self.streams)
            .map(|((stage, state), stream)| Draw {
                stream,
                topology: PrimitiveTopology::Triangles,
                indices: &stage.primitive.indices,
                state: *state,
                shader: MaterialShader::new(
                    &scene.materials[stage.primitive.material],
                    &stage.layout,
                    textures,
                    lighting,
                    frame.shading,
                    [0.0, 1.0],
                ),
            })
            .collect();
        self.rasteriser.draw_depth(settings, &draws, map)?;
        Ok(())
    }
}
