//! The panels' triangles, painted by our own rasteriser.
//!
//! Why by [`raster`](refrast_raster) and not by a small painter beside it: coverage, fill rule and clipping are there, are
//! right, and are fast, and a second rasteriser in the reference rasteriser would be a joke. What egui asks for is a
//! fragment shader ([`InterfaceShader`]): a texel times a vertex colour, inside a rectangle.
//!
//! egui blends stored (gamma) bytes with alpha multiplied in, the rasteriser blends linear light. But its blending is
//! plain arithmetic, `source · a + under · (1 − a)`, on whatever numbers it is given: given bytes ÷ 255 it blends bytes. So
//! the panels are painted on an empty layer, which comes out with alpha multiplied in, and the layer is laid over the
//! window ([`Canvas::paint`](super::Canvas::paint)). The layer is kept where the panels do not change ([`Damage`](damage::Damage)).

mod damage;
mod painter;
mod shader;
mod texture;

pub use painter::InterfacePainter;
