//! [`Draw`] and [`DrawState`]: what is drawn and by which rules.
//!
//! Why it exists: the rasteriser takes plain lists of indices and a few switches. Materials, meshes and cameras are
//! translated into these by the floors above.

use super::VertexStream;

/// What a draw's indices form. Strips and fans are expanded before they come here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrimitiveTopology {
    /// One index a point.
    Points,
    /// Two indices a line.
    Lines,
    /// Three indices a triangle.
    #[default]
    Triangles,
}

impl PrimitiveTopology {
    /// Indices a primitive.
    #[must_use]
    pub const fn arity(self) -> usize {
        match self {
            Self::Points => 1,
            Self::Lines => 2,
            Self::Triangles => 3,
        }
    }
}

/// Which side of a triangle is thrown away. Lines and points have no sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CullMode {
    /// Both sides are drawn.
    #[default]
    None,
    /// Triangles that show their back are not drawn.
    Back,
    /// Triangles that show their front are not drawn.
    Front,
}

/// The turning sense of a front face as it is seen in the picture, with row 0 on top.
///
/// The convention's y direction is applied before: a mesh that is counter-clockwise in world space is so in the
/// picture too, unless its matrices mirror it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrontFace {
    /// Counter-clockwise in the picture.
    #[default]
    CounterClockwise,
    /// Clockwise in the picture.
    Clockwise,
}

/// What becomes of a fragment's alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Alpha is not looked at. The colour is that of the nearest fragment, alpha included.
    #[default]
    Opaque,
    /// Fragments whose [`FragmentShader::alpha`](crate::FragmentShader::alpha) is below the cutoff are dropped before depth is written; the rest
    /// is as `Opaque`.
    Mask {
        /// Alpha that is just kept.
        cutoff: f32,
    },
    /// Source-over in linear light, after all opaque and masked draws, in submission order.
    Blend,
}

/// When a fragment passes against the depth that is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DepthTest {
    /// Nearer passes: of two equal depths the first submitted stays.
    #[default]
    Less,
    /// Nearer or equal passes: of two equal depths the last submitted stays.
    LessOrEqual,
    /// Everything passes.
    Always,
}

/// The switches of a draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawState {
    /// Which side is thrown away.
    pub cull: CullMode,
    /// Which turning sense is the front.
    pub front_face: FrontFace,
    /// What alpha does.
    pub alpha: AlphaMode,
    /// The comparison with the stored depth.
    pub depth_test: DepthTest,
    /// Whether fragments that pass store their depth. (Blended draws usually do not.)
    pub depth_write: bool,
}

impl Default for DrawState {
    /// Opaque, both sides, front counter-clockwise, depth test `Less`, depth written.
    fn default() -> Self {
        Self {
            cull: CullMode::None,
            front_face: FrontFace::CounterClockwise,
            alpha: AlphaMode::Opaque,
            depth_test: DepthTest::Less,
            depth_write: true,
        }
    }
}

/// A list of primitives that share a vertex stream, a state and a shader.
#[derive(Clone, Copy, Debug)]
pub struct Draw<'a, F> {
    /// The vertices. Draws that name the same stream (by address) share its projection.
    pub stream: &'a VertexStream,
    /// What the indices form.
    pub topology: PrimitiveTopology,
    /// A list; its length is a multiple of the topology's arity.
    pub indices: &'a [u32],
    /// The switches.
    pub state: DrawState,
    /// What colours the fragments.
    pub shader: F,
}

impl<F> Draw<'_, F> {
    /// The number of primitives.
    #[must_use]
    pub fn primitives(&self) -> usize {
        self.indices.len() / self.topology.arity()
    }
}
