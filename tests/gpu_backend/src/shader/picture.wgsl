// Vertex and fragment stage: refrast's shading model, section by section.

struct Light {
    // Linear colour times intensity, over pi.
    radiance: vec4f,
    // xyz, and 1 / range squared, 0 without a range.
    position: vec4f,
    // Directional: towards the light. Spot: along its axis.
    direction: vec4f,
    // Kind (0 directional, 1 point, 2 spot), scale and offset of the cone.
    kind: vec4f,
}

struct Frame {
    view_projection: mat4x4f,
    ambient: vec4f,
    mode: u32,
    light_count: u32,
    // Clip z = depth_scale * z + depth_offset * w; clip y is multiplied by y_sign.
    depth_scale: f32,
    depth_offset: f32,
    y_sign: f32,
    padding_0: u32,
    padding_1: u32,
    padding_2: u32,
}

// The rows of a texture transform, offset last.
struct TextureTransform {
    u: vec4f,
    v: vec4f,
}

struct Material {
    base_color_factor: vec4f,
    emissive_factor: vec4f,
    base_color_transform: TextureTransform,
    emissive_transform: TextureTransform,
    alpha_cutoff: f32,
    flags: u32,
    padding_0: u32,
    padding_1: u32,
}

const MODE_LIT = 0u;
const MODE_UNLIT = 1u;
const MODE_NORMALS = 2u;
const MODE_UV = 3u;
const MODE_DEPTH = 4u;
const MODE_JOINTS = 5u;
const MODE_WIREFRAME = 6u;

const HAS_BASE_COLOR_TEXTURE = 1u;
const HAS_EMISSIVE_TEXTURE = 2u;
const IS_MASKED = 4u;
const IS_BLENDED = 8u;
const IS_DOUBLE_SIDED = 16u;
const IS_UNLIT = 32u;
const HAS_NORMALS = 64u;
const HAS_JOINTS = 128u;
const IS_TRIANGLES = 256u;
const HAS_SHOWN_TEXCOORDS = 512u;

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> lights: array<Light>;
@group(2) @binding(0) var<uniform> material: Material;
@group(2) @binding(1) var base_color_texture: texture_2d<f32>;
@group(2) @binding(2) var base_color_sampler: sampler;
@group(2) @binding(3) var emissive_texture: texture_2d<f32>;
@group(2) @binding(4) var emissive_sampler: sampler;

fn has(flag: u32) -> bool {
    return (material.flags & flag) != 0u;
}

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) texcoords: vec4f,
    @location(3) color: vec4f,
    // The joints' colours in the joints view, the barycentrics in the wireframe.
    @location(4) shown: vec3f,
}

fn joint_color(joint: u32) -> vec3f {
    let hue = f32((joint * 40503u) & 65535u) / 65536.0;
    let saturation = select(0.6, 0.9, (joint & 1u) == 0u);
    let value = select(0.5, 0.9, (joint & 2u) == 0u);
    let turn = fract(hue + vec3f(0.0, 2.0, 1.0) / 3.0);
    let ramp = clamp(abs(6.0 * turn - 3.0) - 1.0, vec3f(0.0), vec3f(1.0));
    return value * (1.0 - saturation * (1.0 - ramp));
}

fn influence_color(vertex: u32) -> vec3f {
    var sum = vec3f(0.0);
    for (var i = 0u; i < draw.influences; i++) {
        let influence = influences[vertex * draw.influences + i];
        sum += influence.weight * joint_color(influence.joint);
    }
    return sum;
}

@vertex
fn vertex_stage(@builtin(vertex_index) vertex: u32) -> Varyings {
    let deformed = deform(vertex);
    var clip = frame.view_projection * vec4f(deformed.position, 1.0);
    clip.z = frame.depth_scale * clip.z + frame.depth_offset * clip.w;
    clip.y *= frame.y_sign;
    var shown = vec3f(0.0);
    if frame.mode == MODE_JOINTS {
        shown = influence_color(vertex);
    } else if frame.mode == MODE_WIREFRAME {
        // Vertices are not shared in this mode.
        let corner = vertex % 3u;
        shown = select(vec3f(0.0), vec3f(1.0), vec3u(0u, 1u, 2u) == vec3u(corner));
    }
    return Varyings(clip, deformed.position, deformed.normal, deformed.texcoords, deformed.color, shown);
}

fn transformed(transform: TextureTransform, uv: vec2f) -> vec2f {
    return vec2f(dot(transform.u.xy, uv) + transform.u.z, dot(transform.v.xy, uv) + transform.v.z);
}

fn base_color(in: Varyings) -> vec4f {
    var color = material.base_color_factor;
    if has(HAS_BASE_COLOR_TEXTURE) {
        let uv = transformed(material.base_color_transform, in.texcoords.xy);
        color *= textureSample(base_color_texture, base_color_sampler, uv);
    }
    return color * in.color;
}

fn emission(in: Varyings) -> vec3f {
    var color = material.emissive_factor.rgb;
    if has(HAS_EMISSIVE_TEXTURE) {
        let uv = transformed(material.emissive_transform, in.texcoords.zw);
        color *= textureSample(emissive_texture, emissive_sampler, uv).rgb;
    }
    return color;
}

fn surface_normal(in: Varyings, front: bool) -> vec3f {
    let squared = dot(in.normal, in.normal);
    if !(squared > 0.0) {
        return vec3f(0.0);
    }
    let normal = in.normal * inverseSqrt(squared);
    return select(normal, -normal, has(IS_DOUBLE_SIDED) && !front);
}

fn strength(light: Light, normal: vec3f, position: vec3f) -> f32 {
    if light.kind.x == 0.0 {
        return max(0.0, dot(normal, light.direction.xyz));
    }
    let toward = light.position.xyz - position;
    let squared = max(dot(toward, toward), 1e-8);
    let to_light = toward * inverseSqrt(squared);
    let ratio = squared * light.position.w;
    let window = max(0.0, 1.0 - ratio * ratio);
    var falling = max(0.0, dot(normal, to_light)) * (window / squared);
    if light.kind.x == 2.0 {
        let inside = clamp(-dot(to_light, light.direction.xyz) * light.kind.y + light.kind.z, 0.0, 1.0);
        falling *= inside * inside;
    }
    return falling;
}

fn irradiance(normal: vec3f, position: vec3f) -> vec3f {
    var sum = frame.ambient.rgb;
    for (var i = 0u; i < frame.light_count; i++) {
        sum += lights[i].radiance.rgb * strength(lights[i], normal, position);
    }
    return sum;
}

// Lit colours; a surface without normals is its own colour.
fn lit(base: vec3f, in: Varyings, front: bool) -> vec3f {
    if !has(HAS_NORMALS) {
        return base;
    }
    return base * irradiance(surface_normal(in, front), in.position);
}

fn edge_cover(barycentrics: vec3f, dx: vec3f, dy: vec3f) -> f32 {
    let slope = sqrt(dx * dx + dy * dy);
    let cover = clamp(1.0 - barycentrics / slope, vec3f(0.0), vec3f(1.0));
    let counted = select(vec3f(0.0), cover, slope > vec3f(0.0));
    return max(max(counted.x, counted.y), counted.z);
}

@fragment
fn fragment_stage(in: Varyings, @builtin(front_facing) front: bool) -> @location(0) vec4f {
    let base = base_color(in);
    // Derivatives and samples come before any fragment is dropped.
    let emitted = emission(in);
    let cover = edge_cover(in.shown, dpdx(in.shown), dpdy(in.shown));
    if has(IS_MASKED) && base.a < material.alpha_cutoff {
        discard;
    }
    var color = vec3f(0.0);
    switch frame.mode {
        case MODE_LIT: {
            if has(IS_UNLIT) {
                color = base.rgb;
            } else {
                color = lit(base.rgb, in, front) + emitted;
            }
        }
        case MODE_UNLIT: {
            color = base.rgb;
        }
        case MODE_NORMALS: {
            color = vec3f(0.5);
            if has(HAS_NORMALS) {
                color = surface_normal(in, front) * 0.5 + 0.5;
            }
        }
        case MODE_UV: {
            if has(HAS_SHOWN_TEXCOORDS) {
                color = vec3f(fract(in.texcoords.zw), 0.0);
            }
        }
        case MODE_DEPTH: {
            color = vec3f(1.0 - in.clip.z);
        }
        case MODE_JOINTS: {
            color = select(vec3f(0.2), in.shown, has(HAS_JOINTS));
        }
        default: {
            let fill = lit(vec3f(0.6), in, front);
            color = fill;
            if has(IS_TRIANGLES) {
                color = fill + (vec3f(0.01) - fill) * cover;
            }
        }
    }
    return vec4f(color, select(1.0, base.a, has(IS_BLENDED)));
}
