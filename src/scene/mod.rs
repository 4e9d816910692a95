//! glTF → [`Scene`]: validated, plain data.
//!
//! Why it exists: everything above this room may trust what it reads. Indices are in range, lengths agree, numbers
//! are finite, defaults are filled in, topologies are expanded to lists. No type of the `gltf` crate leaves the room.

mod model;

pub use model::{
    AlphaMode, Animation, Camera, Channel, ChannelTarget, Filter, Image, Influences, Interpolation, Light, LightKind,
    Material, Mesh, MorphTarget, Node, Primitive, Projection, Sampler, Scene, Skin, Texture, TextureReference,
    TextureTransform, Topology, Transform, Wrap,
};
