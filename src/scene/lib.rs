//! glTF → [`Scene`]: validated, plain data.
//!
//! Why it exists: everything above this room may trust what it reads. Indices are in range, lengths agree, numbers
//! are finite, defaults are filled in, topologies are expanded to lists. No type of the `gltf` crate leaves the room.
//!
//! What the loader implements: glTF 2.0 core as far as it moves or colours a vertex or a pixel, and the extensions
//! EXT_texture_webp, KHR_lights_punctual, KHR_materials_anisotropy, KHR_materials_clearcoat, KHR_materials_emissive_strength, KHR_materials_ior,
//! KHR_materials_sheen, KHR_materials_specular, KHR_materials_unlit, KHR_mesh_quantization and KHR_texture_transform; with the cargo features `meshopt`, `draco` and `basisu`
//! EXT_meshopt_compression, KHR_draco_mesh_compression and KHR_texture_basisu too. Where a file breaks a rule so that nobody knows what to draw, loading ends in a [`SceneError`];
//! where it is clear all the same, it loads with a [`Remark`]; where the rule changes nothing (alignment, missing `min` and
//! `max`, unknown attributes), it loads.

mod accessor;
mod affine;
mod animation;
mod attributes;
mod builtin;
mod compressed;
mod document;
mod error;
mod extensions;
mod files;
mod find;
mod glb;
mod hierarchy;
mod image;
mod influences;
mod jpeg;
mod load;
mod material;
mod misfit;
mod model;
mod primitive;
mod remark;
mod rotation;
mod schema;
mod skin;
mod split;
mod summary;
mod summary_table;
mod tangents;
mod texture_use;
mod topology;
mod uri;
mod validate;
mod view;

#[cfg(test)]
mod accessor_tests;
// Loading has tests of its own, which are built with the room as it is and do not compile all of it again.
#[cfg(test)]
#[path = "tests/file_builder.rs"]
#[expect(dead_code, reason = "what loads files is for those tests")]
mod file_builder;

pub use error::{OneLine, Problem, SceneError};
pub use files::{read_regular, read_start};
pub use find::PlacedCamera;
pub use jpeg::{JpegComponents, JpegKind};
pub use load::LoadOptions;
pub use model::{
    AlphaMode, Animation, Anisotropy, Camera, Channel, ChannelTarget, Clearcoat, Filter, Image, Influences,
    Interpolation, Light, LightKind, Material, Mesh, MorphTarget, Node, Primitive, Projection, Sampler, Scene, Sheen,
    Skin, Source, Texture, TextureReference, TextureTransform, Topology, Transform, Wrap,
};
pub use remark::{Remark, RemarkKind};
pub use summary::{
    AnimationSummary, Bounds, CameraSummary, ImageSummary, LightSummary, MaterialSummary, MeshSummary,
    PrimitiveSummary, SceneSummary, SkinSummary, TextureSummary,
};
pub use validate::{Contradiction, InvalidSceneError};
