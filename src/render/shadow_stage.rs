//! [`ShadowStage`]: the depth-only passes of a frame.
//!
//! Why it exists: a map is a picture from another camera, of the same deformed vertices. Each map has streams and a
//! rasteriser of its own, so that all are drawn at once; what each holds does not depend on the others, nor on the number of
//! threads.

use glam::Mat4;

use refrast_draw::{DepthMap, DepthSettings, Draw, PrimitiveTopology, VertexStream};
use refrast_raster::Rasteriser;
use refrast_shading::{Casters, MaterialShader, ShadowMaps, ShadowPlan, ShadowSettings};
use refrast_stage::{FrameStage, RenderError, RenderSettings};
use refrast_threads::try_over;

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

impl ShadowStage {
    /// Draws all maps of the plan, from the vertices of a frame.
    pub(super) fn draw(&mut self, plan: ShadowPlan, frame: &FrameStage<'_>) -> Result<(), RenderError> {
        let Self { shadows, passes } = self;
        shadows.plan = plan;
        shadows.maps.resize_with(shadows.plan.lights.len(), Vec::new);
        for (maps, light) in shadows.maps.iter_mut().zip(&shadows.plan.lights) {
            maps.resize_with(light.maps.len(), DepthMap::new);
        }
        let matrices: Vec<Mat4> =
            shadows.plan.lights.iter().flat_map(|light| light.maps.iter().map(|map| map.view_projection)).collect();
        passes.resize_with(matrices.len(), Pass::default);
        let depth = depth_settings(&shadows.plan.settings, frame.settings());
        let mut maps: Vec<&mut DepthMap> = shadows.maps.iter_mut().flatten().collect();
        try_over((&mut passes[..], &mut maps[..]), |number, (pass, map)| {
            pass.draw(&depth, &matrices[number], frame, map)
        })
    }
}

impl Pass {
    fn draw(
        &mut self,
        settings: &DepthSettings,
        matrix: &Mat4,
        frame: &FrameStage<'_>,
        map: &mut DepthMap,
    ) -> Result<(), RenderError> {
        let casters: Vec<_> = frame.casters().flatten().collect();
        self.streams.resize_with(casters.len(), VertexStream::default);
        for (caster, stream) in casters.iter().zip(&mut self.streams) {
            caster.project(matrix, stream)?;
        }
        let draws: Vec<_> = casters
            .iter()
            .zip(&self.streams)
            .map(|(caster, stream)| Draw {
                stream,
                topology: PrimitiveTopology::Triangles,
                indices: &caster.primitive.indices,
                state: caster.state,
                shader: MaterialShader::new(
                    &frame.scene().materials[caster.primitive.material],
                    caster.layout,
                    frame.textures(),
                    frame.lighting(),
                    frame.settings().shading,
                    [0.0, 1.0],
                ),
            })
            .collect();
        self.rasteriser.draw_depth(settings, &draws, map)?;
        Ok(())
    }
}
