// What the stages of a picture are handed: frame, draw, material and shadows, and what goes from vertices to fragments.

struct Light {
    // Linear colour times intensity, over pi.
    radiance: vec4f,
    // xyz, and 1 / range squared, 0 without a range.
    position: vec4f,
    // Directional: towards the light. Spot: along its axis.
    direction: vec4f,
    // Kind (0 directional, 1 point, 2 spot), scale and offset of the cone.
    kind: vec4f,
    // The first of its shadow maps and how many there are: none where it casts no shadow.
    maps: vec4u,
}

struct Frame {
    view_projection: mat4x4f,
    ambient: vec4f,
    mode: u32,
    light_count: u32,
    // Clip z = depth_scale * z + depth_offset * w.
    depth_scale: f32,
    depth_offset: f32,
    size: vec2f,
    // 1 where the stored bytes are sRGB.
    is_srgb: u32,
    // 1 where what is bright is brought below 1.
    is_toned: u32,
    view: mat4x4f,
    // Where the camera stands, or with w = 0 the direction to it.
    eye: vec4f,
    // What light is multiplied by, and three times nothing.
    exposure: vec4f,
    // Of a shadow map whose shader adds it: in steps, in slopes, and what it is clamped to.
    bias: vec4f,
    // What a step of such a map is, 0 for that of a float, and how many steps it rounds to, 0 where its format does.
    map_step: vec4f,
}

// The rows of a texture transform, offset third. The fourth number of u says which coordinates it moves.
struct TextureTransform {
    u: vec4f,
    v: vec4f,
}

struct Material {
    base_color_factor: vec4f,
    emissive_factor: vec4f,
    // Reflectance of what is not metal, head-on, and the weight of that reflection.
    specular: vec4f,
    // Colour of the sheen, 0 without, and its roughness.
    sheen: vec4f,
    metallic: f32,
    roughness: f32,
    normal_scale: f32,
    occlusion_strength: f32,
    // 0 without a clear coat.
    coat: f32,
    coat_roughness: f32,
    coat_normal_scale: f32,
    alpha_cutoff: f32,
    flags: u32,
    // 0 without anisotropy, and the cosine and the sine of its rotation.
    anisotropy: f32,
    turn_x: f32,
    turn_y: f32,
    // By the numbers of the textures.
    transforms: array<TextureTransform, 13>,
}

const MODE_LAMBERT = 0u;
const MODE_UNLIT = 1u;
const MODE_NORMALS = 2u;
const MODE_UV = 3u;
const MODE_DEPTH = 4u;
const MODE_JOINTS = 5u;
const MODE_WIREFRAME = 6u;
const MODE_LIT = 7u;
const MODE_SHADING_NORMALS = 8u;
const MODE_TANGENTS = 9u;
const MODE_BITANGENTS = 10u;
const MODE_BASE_COLOR = 11u;
const MODE_METALLIC = 12u;
const MODE_ROUGHNESS = 13u;
const MODE_OCCLUSION = 14u;
const MODE_EMISSIVE = 15u;
const MODE_SPLITS = 16u;

// The textures by their numbers. A bit of the material's flags says that there is one and that the mode reads it.
const BASE_COLOR = 0u;
const EMISSIVE = 1u;
const METALLIC_ROUGHNESS = 2u;
const NORMAL = 3u;
const OCCLUSION = 4u;
const SPECULAR = 5u;
const SPECULAR_COLOR = 6u;
const COAT = 7u;
const COAT_ROUGHNESS = 8u;
const COAT_NORMAL = 9u;
const ANISOTROPY = 10u;
const SHEEN = 11u;
const SHEEN_ROUGHNESS = 12u;

const IS_MASKED = 8192u;
const IS_BLENDED = 16384u;
const IS_DOUBLE_SIDED = 32768u;
const IS_UNLIT = 65536u;
const HAS_NORMALS = 131072u;
const HAS_TANGENTS = 262144u;
const HAS_JOINTS = 524288u;
const IS_TRIANGLES = 1048576u;
const HAS_SHOWN_TEXCOORDS = 2097152u;

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> lights: array<Light>;
@group(2) @binding(0) var<uniform> material: Material;
@group(2) @binding(1) var base_color_texture: texture_2d<f32>;
@group(2) @binding(2) var base_color_sampler: sampler;
@group(2) @binding(3) var emissive_texture: texture_2d<f32>;
@group(2) @binding(4) var emissive_sampler: sampler;
@group(2) @binding(5) var metallic_roughness_texture: texture_2d<f32>;
@group(2) @binding(6) var metallic_roughness_sampler: sampler;
@group(2) @binding(7) var normal_texture: texture_2d<f32>;
@group(2) @binding(8) var normal_sampler: sampler;
@group(2) @binding(9) var occlusion_texture: texture_2d<f32>;
@group(2) @binding(10) var occlusion_sampler: sampler;
@group(2) @binding(11) var specular_texture: texture_2d<f32>;
@group(2) @binding(12) var specular_sampler: sampler;
@group(2) @binding(13) var specular_color_texture: texture_2d<f32>;
@group(2) @binding(14) var specular_color_sampler: sampler;
@group(2) @binding(15) var coat_texture: texture_2d<f32>;
@group(2) @binding(16) var coat_sampler: sampler;
@group(2) @binding(17) var coat_roughness_texture: texture_2d<f32>;
@group(2) @binding(18) var coat_roughness_sampler: sampler;
@group(2) @binding(19) var coat_normal_texture: texture_2d<f32>;
@group(2) @binding(20) var coat_normal_sampler: sampler;
@group(2) @binding(21) var anisotropy_texture: texture_2d<f32>;
@group(2) @binding(22) var anisotropy_sampler: sampler;
@group(2) @binding(23) var sheen_texture: texture_2d<f32>;
@group(2) @binding(24) var sheen_sampler: sampler;
@group(2) @binding(25) var sheen_roughness_texture: texture_2d<f32>;
@group(2) @binding(26) var sheen_roughness_sampler: sampler;

fn has(flag: u32) -> bool {
    return (material.flags & flag) != 0u;
}

fn has_texture(number: u32) -> bool {
    return has(1u << number);
}

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    // The sets that the material reads, two by two.
    @location(2) texcoords: vec4f,
    @location(3) more_texcoords: vec4f,
    @location(4) color: vec4f,
    // The joints' colours.
    @location(5) joints: vec3f,
    // Depth after the division by w.
    @location(6) depth: f32,
    // Which corner of its triangle a vertex is; zeros where triangles share vertices.
    @location(7) barycentrics: vec3f,
    // Direction and handedness.
    @location(8) tangent: vec4f,
    // For the mistake of making it at the vertices.
    @location(9) bitangent: vec3f,
    // What arrives of ambient light.
    @location(10) occlusion: f32,
}
