#![doc = include_str!("MODEL.md")]

mod level_of_detail;
mod mipmap;
mod sample;
mod srgb;
mod texture;

pub use sample::Coordinates;
pub use srgb::{ColorSpace, Srgb, encode_unorm, encode_unorm_lanes, srgb};
pub use texture::{MAX_SIDE, PreparedTexture, TextureError, TextureSet};
