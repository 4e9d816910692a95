//! [`Caster`]: what is drawn into shadow maps, and how.

use glam::Mat4;

use super::{FrameStage, RenderError, vertex_stage::PrimitiveStage};
use refrast_draw::{AlphaMode, DrawState, VertexStream};
use refrast_scene::{Primitive, Scene, Topology};
use refrast_shading::VaryingLayout;

/// A primitive of the last frame that casts shadows.
pub struct Caster<'a> {
    /// What is drawn.
    pub primitive: &'a Primitive,
    /// What is in its rows of varyings.
    pub layout: &'a VaryingLayout,
    /// Alpha mask; both sides of a surface cast a shadow.
    pub state: DrawState,
    frame: &'a FrameStage<'a>,
    stage: &'a PrimitiveStage<'a>,
}

impl Caster<'_> {
    /// Takes the deformed vertices of the last frame to the clip space of a map; with varyings where an alpha mask reads them.
    ///
    /// # Errors
    ///
    /// When f32 does not hold the result.
    pub fn project(&self, view_projection: &Mat4, stream: &mut VertexStream) -> Result<(), RenderError> {
        let is_masked = self.state.alpha != AlphaMode::Opaque;
        let FrameStage { scene, settings, .. } = self.frame;
        self.stage.project_into(scene, view_projection, settings.simd, is_masked, stream)
    }
}

/// How a primitive is drawn into shadow maps; `None` for what casts no shadow: lines, points and blended surfaces. Both sides
/// of a surface cast one.
fn caster_state(scene: &Scene, stage: &PrimitiveStage<'_>) -> Option<DrawState> {
    let alpha = match scene.materials[stage.primitive.material].alpha_mode {
        refrast_scene::AlphaMode::Opaque => AlphaMode::Opaque,
        refrast_scene::AlphaMode::Mask { cutoff } => AlphaMode::Mask { cutoff },
        refrast_scene::AlphaMode::Blend => return None,
    };
    (stage.primitive.topology == Topology::Triangles).then(|| DrawState { alpha, ..DrawState::default() })
}

impl FrameStage<'_> {
    /// What casts shadows in the last frame, by its number among the drawn primitives; `None` for what casts none.
    pub fn casters(&self) -> impl Iterator<Item = Option<Caster<'_>>> {
        self.stages.iter().map(|stage| {
            let state = caster_state(self.scene, stage)?;
            Some(Caster { primitive: stage.primitive, layout: &stage.layout, state, frame: self, stage })
        })
    }
}
