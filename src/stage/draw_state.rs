//! What a material and a mesh ask of the rasteriser.
//!
//! Why it exists: a file says alpha modes and sides, a rasteriser has switches, and every way to draw sets them alike.

use refrast_draw::{AlphaMode, CullMode, DrawState, FrontFace, PrimitiveTopology};
use refrast_scene::{Material, Topology};
use refrast_shading::ShadingMode;

/// What the indices form.
pub(super) fn topology(topology: Topology) -> PrimitiveTopology {
    match topology {
        Topology::Points => PrimitiveTopology::Points,
        Topology::Lines => PrimitiveTopology::Lines,
        Topology::Triangles => PrimitiveTopology::Triangles,
    }
}

/// The switches for a material; debug views show blended surfaces as if they were opaque.
pub(super) fn draw_state(material: &Material, mirrored: bool, shading: ShadingMode) -> DrawState {
    let alpha = match material.alpha_mode {
        refrast_scene::AlphaMode::Mask { cutoff } => AlphaMode::Mask { cutoff },
        refrast_scene::AlphaMode::Blend if shading.blends() => AlphaMode::Blend,
        refrast_scene::AlphaMode::Blend | refrast_scene::AlphaMode::Opaque => AlphaMode::Opaque,
    };
    DrawState {
        cull: if material.double_sided { CullMode::None } else { CullMode::Back },
        front_face: if mirrored { FrontFace::Clockwise } else { FrontFace::CounterClockwise },
        depth_write: alpha != AlphaMode::Blend,
        alpha,
        ..DrawState::default()
    }
}
