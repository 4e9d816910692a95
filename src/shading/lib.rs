#![doc = include_str!("MODEL.md")]

mod combiners;
mod debug_view;
mod fixed_function;
mod lane;
mod level_of_detail;
mod light;
mod material;
mod mipmap;
mod mode;
mod reflection;
mod sample;
mod shadow;
mod srgb;
mod surface;
mod texture;
mod texture_slot;
mod tone;
mod varyings;
mod vector;

pub use combiners::{Combined, CombinerInputs, combined, expanded_normal};
pub use debug_view::{CLAY, LINE_COLOR, SPLIT_COLORS, UNSKINNED_COLOR, influence_color, joint_color};
pub use fixed_function::{Dot3, FixedFunctionShader};
pub use light::{
    AmbientError, Cone, Eye, HEADLIGHT_AMBIENT, HEADLIGHT_DIRECTION, HEADLIGHT_ILLUMINANCE, Light, LightSource,
    Lighting, SCENE_AMBIENT, SMALLEST_DISTANCE_SQUARED,
};
pub use material::MaterialShader;
pub use mode::{ParseShadingModeError, Reads, ShadingMode};
pub use reflection::{
    Coat, Grain, LEAST_ROUGHNESS, LEAST_SHEEN_ROUGHNESS, MapReading, Reflected, Sheen, Surface, distribution,
    fibre_albedo, fibre_distribution, fibre_visibility, grain_directions, grazing, mapped_normal, reflected,
    stretched_distribution, stretched_visibility, visibility,
};
pub use sample::Coordinates;
pub use shadow::{
    Casters, CastingLight, Frustum, MOST_SPLITS, MapPlan, ParseShadowsError, ShadowCasting, ShadowFilter, ShadowFit,
    ShadowMaps, ShadowPlan, ShadowPlanError, ShadowSettings, ShadowShape, Split, SplitScheme, SplitSelection,
    Steadiness, map_coordinates, view_depth,
};
pub use srgb::{ColorSpace, Srgb, encode_unorm, encode_unorm_lanes, srgb, to_linear as srgb_to_linear};
pub use texture::{MAX_SIDE, PreparedTexture, TextureError, TextureSet};
pub use texture_slot::transform_texcoord;
pub use tone::{Development, ExposureError, ToneMapping, neutral};
pub use varyings::{SHOWN_TEXCOORD, VaryingBlock, VaryingLayout, VertexAttributes};
