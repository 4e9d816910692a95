#![doc = include_str!("MODEL.md")]

mod debug_view;
mod fixed_function;
mod level_of_detail;
mod light;
mod material;
mod mipmap;
mod mode;
mod sample;
mod srgb;
mod texture;
mod texture_slot;
mod varyings;
mod vector;

pub use debug_view::{UNSKINNED_COLOR, influence_color, joint_color};
pub use fixed_function::FixedFunctionShader;
pub use light::{
    Cone, HEADLIGHT_AMBIENT, HEADLIGHT_DIRECTION, HEADLIGHT_ILLUMINANCE, Light, LightSource, Lighting, SCENE_AMBIENT,
};
pub use material::MaterialShader;
pub use mode::{ParseShadingModeError, ShadingMode};
pub use sample::Coordinates;
pub use srgb::{ColorSpace, Srgb, encode_unorm, encode_unorm_lanes, srgb};
pub use texture::{MAX_SIDE, PreparedTexture, TextureError, TextureSet};
pub use texture_slot::transform_texcoord;
pub use varyings::{VaryingBlock, VaryingLayout, VertexAttributes};
