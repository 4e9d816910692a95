// Vertex and fragment stage: refrast's shading model, section by section.

// Mistakes that can be switched on when a pipeline is made; each is a refrast fault of the same name.
override normal_in_view_space: bool = false;
override affine_interpolation: bool = false;
override snap_to_pixels: bool = false;
override snap_to_quarters: bool = false;
override near_clip_drops: bool = false;
override guard_band_overflow: bool = false;
override fill_rule_missing: bool = false;
override texcoords_half_precision: bool = false;
override texel_centre_integer: bool = false;
override texture_transform_order: bool = false;
override texture_gamma_2_2: bool = false;
override filter_before_decode: bool = false;
override mip_bias: bool = false;
override mip_shortest_axis: bool = false;
override mask_ignores_factor: bool = false;
override double_sided_normal: bool = false;
override fragment_normal_not_normalised: bool = false;
override flat_normals: bool = false;
override light_direction_flipped: bool = false;
override light_unclamped: bool = false;
override half_lambert: bool = false;
override light_falloff_linear: bool = false;
override spot_cone_ignored: bool = false;
override specular_added: bool = false;
override fog_left_on: bool = false;
override emissive_lit: bool = false;
override srgb_encode_twice: bool = false;
override gamma_encode_2_2: bool = false;
override output_truncated: bool = false;
override blend_in_srgb: bool = false;

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
    // Clip z = depth_scale * z + depth_offset * w.
    depth_scale: f32,
    depth_offset: f32,
    size: vec2f,
    // 1 where the stored bytes are sRGB.
    is_srgb: u32,
    padding: u32,
    view: mat4x4f,
    eye: vec4f,
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
    // The joints' colours.
    @location(4) joints: vec3f,
    // Depth after the division by w.
    @location(5) depth: f32,
    // Which corner of its triangle a vertex is; zeros where triangles share vertices.
    @location(6) barycentrics: vec3f,
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

// Clip coordinates on a grid of `steps` a pixel.
fn snapped(clip: vec4f, steps: f32) -> vec4f {
    let half_size = 0.5 * frame.size;
    let window = (clip.xy / clip.w + 1.0) * half_size;
    return vec4f((round(window * steps) / steps / half_size - 1.0) * clip.w, clip.zw);
}

// Pixels from the picture's middle wrap at thirteen bits.
fn wrapped(clip: vec4f) -> vec4f {
    if !(clip.w > 0.0) {
        return clip;
    }
    let half_size = 0.5 * frame.size;
    let window = clip.xy / clip.w * half_size;
    let around = window - 8192.0 * floor(window / 8192.0 + 0.5);
    return vec4f(around / half_size * clip.w, clip.zw);
}

fn project(position: vec3f) -> vec4f {
    var clip = frame.view_projection * vec4f(position, 1.0);
    clip.z = frame.depth_scale * clip.z + frame.depth_offset * clip.w;
    return clip;
}

// Whether a corner of the vertex's triangle is nearer than the near plane. Vertices are not shared.
fn crosses_near_plane(vertex: u32) -> bool {
    let first = vertex - vertex % 3u;
    for (var corner = 0u; corner < 3u; corner++) {
        if project(position_of(first + corner)).z < 0.0 {
            return true;
        }
    }
    return false;
}

@vertex
fn vertex_stage(@builtin(vertex_index) vertex: u32) -> Varyings {
    let deformed = deform(vertex);
    var clip = project(deformed.position);
    if snap_to_pixels {
        clip = snapped(clip, 1.0);
    } else if snap_to_quarters {
        clip = snapped(clip, 4.0);
    } else if guard_band_overflow {
        clip = wrapped(clip);
    } else if near_clip_drops && has(IS_TRIANGLES) && crosses_near_plane(vertex) {
        // All three corners at one place.
        clip = vec4f(0.0, 0.0, 0.0, 1.0);
    }
    var out: Varyings;
    out.clip = clip;
    out.position = deformed.position;
    out.normal = deformed.normal;
    out.texcoords = deformed.texcoords;
    out.color = deformed.color;
    if frame.mode == MODE_JOINTS {
        out.joints = influence_color(vertex);
    }
    if frame.mode == MODE_WIREFRAME || fill_rule_missing {
        // Vertices are not shared.
        out.barycentrics = select(vec3f(0.0), vec3f(1.0), vec3u(0u, 1u, 2u) == vec3u(vertex % 3u));
    }
    out.depth = clip.z / clip.w;
    if affine_interpolation {
        out = scaled(out, clip.w);
    }
    return out;
}

// All varyings times a factor: interpolated with perspective and divided by the interpolated w again they are affine.
fn scaled(in: Varyings, factor: f32) -> Varyings {
    var out = in;
    out.position *= factor;
    out.normal *= factor;
    out.texcoords *= factor;
    out.color *= factor;
    out.joints *= factor;
    out.barycentrics *= factor;
    return out;
}

fn transformed(transform: TextureTransform, uv: vec2f) -> vec2f {
    if texture_transform_order {
        let moved = uv + vec2f(transform.u.z, transform.v.z);
        return vec2f(dot(transform.u.xy, moved), dot(transform.v.xy, moved));
    }
    return vec2f(dot(transform.u.xy, uv) + transform.u.z, dot(transform.v.xy, uv) + transform.v.z);
}

fn to_linear(stored: vec3f) -> vec3f {
    return select(pow((stored + 0.055) / 1.055, vec3f(2.4)), stored / 12.92, stored <= vec3f(0.04045));
}

fn to_srgb(linear: vec3f) -> vec3f {
    let x = clamp(linear, vec3f(0.0), vec3f(1.0));
    return select(1.055 * pow(x, vec3f(1.0 / 2.4)) - 0.055, 12.92 * x, x <= vec3f(0.0031308));
}

// A texture's colour, linear.
fn sampled(image: texture_2d<f32>, image_sampler: sampler, coordinates: vec2f) -> vec4f {
    var uv = coordinates;
    let size = vec2f(textureDimensions(image));
    if texcoords_half_precision {
        uv = unpack2x16float(pack2x16float(uv));
    }
    if texel_centre_integer {
        uv += 0.5 / size;
    }
    var color = vec4f(0.0);
    if mip_bias {
        color = textureSampleBias(image, image_sampler, uv, 1.0);
    } else if mip_shortest_axis {
        let x = dpdx(uv);
        let y = dpdy(uv);
        let shorter = select(y, x, length(x * size) < length(y * size));
        color = textureSampleGrad(image, image_sampler, uv, shorter, shorter);
    } else {
        color = textureSample(image, image_sampler, uv);
    }
    if texture_gamma_2_2 {
        color = vec4f(pow(color.rgb, vec3f(2.2)), color.a);
    } else if filter_before_decode {
        color = vec4f(to_linear(color.rgb), color.a);
    }
    return color;
}

struct BaseColor {
    color: vec4f,
    // The texture's own.
    alpha: f32,
}

fn base_color(in: Varyings) -> BaseColor {
    var texel = vec4f(1.0);
    if has(HAS_BASE_COLOR_TEXTURE) {
        let uv = transformed(material.base_color_transform, in.texcoords.xy);
        texel = sampled(base_color_texture, base_color_sampler, uv);
    }
    return BaseColor(material.base_color_factor * texel * in.color, texel.a);
}

fn emission(in: Varyings) -> vec3f {
    var color = material.emissive_factor.rgb;
    if has(HAS_EMISSIVE_TEXTURE) {
        let uv = transformed(material.emissive_transform, in.texcoords.zw);
        color *= sampled(emissive_texture, emissive_sampler, uv).rgb;
    }
    return color;
}

// `plane` is the direction of the triangle's own plane.
fn surface_normal(in: Varyings, front: bool, plane: vec3f) -> vec3f {
    let squared = dot(in.normal, in.normal);
    if !(squared > 0.0) {
        return vec3f(0.0);
    }
    var normal = in.normal;
    if !fragment_normal_not_normalised {
        normal *= inverseSqrt(squared);
    }
    if flat_normals {
        normal = select(plane, -plane, dot(plane, normal) < 0.0);
    }
    // A number, for Mesa's softpipe has no complement of `front`: true is 1.0 there and not all ones (nir_to_tgsi.c,
    // ntt_setup_inputs), so that `!front` is true on both sides.
    let side = select(-1.0, 1.0, front);
    if has(IS_DOUBLE_SIDED) && !double_sided_normal {
        normal *= side;
    }
    if normal_in_view_space {
        normal = (frame.view * vec4f(normal, 0.0)).xyz;
    }
    return normal;
}

// What is made of the cosine between normal and light.
fn cosine(normal: vec3f, to_light: vec3f) -> f32 {
    let angle = select(dot(normal, to_light), -dot(normal, to_light), light_direction_flipped);
    if half_lambert {
        let half = 0.5 * angle + 0.5;
        return half * half;
    }
    return select(max(0.0, angle), angle, light_unclamped);
}

fn strength(light: Light, normal: vec3f, position: vec3f) -> f32 {
    if light.kind.x == 0.0 {
        return cosine(normal, light.direction.xyz);
    }
    let toward = light.position.xyz - position;
    let squared = max(dot(toward, toward), 1e-8);
    let to_light = toward * inverseSqrt(squared);
    let ratio = squared * light.position.w;
    let window = max(0.0, 1.0 - ratio * ratio);
    var falling = cosine(normal, to_light) * (window / select(squared, sqrt(squared), light_falloff_linear));
    if light.kind.x == 2.0 && !spot_cone_ignored {
        let inside = clamp(-dot(to_light, light.direction.xyz) * light.kind.y + light.kind.z, 0.0, 1.0);
        falling *= inside * inside;
    }
    return falling;
}

// Blinn's highlight of the first light.
fn highlight(normal: vec3f, position: vec3f) -> f32 {
    let toward = select(lights[0].position.xyz - position, lights[0].direction.xyz, lights[0].kind.x == 0.0);
    let middle = normalize(normalize(toward) + normalize(frame.eye.xyz - position));
    return 0.3 * pow(max(0.0, dot(normal, middle)), 32.0);
}

fn irradiance(normal: vec3f, position: vec3f) -> vec3f {
    var sum = frame.ambient.rgb;
    for (var i = 0u; i < frame.light_count; i++) {
        sum += lights[i].radiance.rgb * strength(lights[i], normal, position);
    }
    if specular_added {
        sum += highlight(normal, position);
    }
    return sum;
}

// Lit colours; a surface without normals is its own colour.
fn lit(base: vec3f, in: Varyings, normal: vec3f) -> vec3f {
    if !has(HAS_NORMALS) {
        return base;
    }
    return base * irradiance(normal, in.position);
}

fn edge_cover(barycentrics: vec3f, dx: vec3f, dy: vec3f) -> f32 {
    let slope = sqrt(dx * dx + dy * dy);
    let cover = clamp(1.0 - barycentrics / slope, vec3f(0.0), vec3f(1.0));
    let counted = select(vec3f(0.0), cover, slope > vec3f(0.0));
    return max(max(counted.x, counted.y), counted.z);
}

// The colour as the target takes it: it encodes by itself.
fn stored(color: vec3f) -> vec3f {
    if output_truncated {
        let clamped = clamp(color, vec3f(0.0), vec3f(1.0));
        // Bytes of a texture that come back as they were stay.
        return floor(select(clamped, to_srgb(clamped), frame.is_srgb == 1u) * 255.0 + 1e-3) / 255.0;
    }
    if frame.is_srgb == 1u {
        if srgb_encode_twice || blend_in_srgb {
            return to_srgb(color);
        }
        if gamma_encode_2_2 {
            return pow(clamp(color, vec3f(0.0), vec3f(1.0)), vec3f(1.0 / 2.2));
        }
    }
    return color;
}

fn shade(varyings: Varyings, front: bool) -> vec4f {
    var in = varyings;
    if affine_interpolation {
        // The position's w is 1 / w.
        in = scaled(in, in.clip.w);
    }
    // Derivatives and samples come before any fragment is dropped.
    let base = base_color(in);
    let emitted = emission(in);
    let cover = edge_cover(in.barycentrics, dpdx(in.barycentrics), dpdy(in.barycentrics));
    // Row numbers grow downwards.
    let plane = direction(cross(dpdx(in.position), -dpdy(in.position)));
    let normal = surface_normal(in, front, plane);
    // Rounded barycentrics are a little beside 0 where the sample is on an edge.
    if fill_rule_missing && has(IS_TRIANGLES) && any(abs(in.barycentrics) < vec3f(1e-5)) {
        discard;
    }
    if has(IS_MASKED) && select(base.color.a, base.alpha, mask_ignores_factor) < material.alpha_cutoff {
        discard;
    }
    var color = vec3f(0.0);
    switch frame.mode {
        case MODE_LIT: {
            if has(IS_UNLIT) {
                color = base.color.rgb;
            } else if emissive_lit {
                color = lit(base.color.rgb + emitted, in, normal);
            } else {
                color = lit(base.color.rgb, in, normal) + emitted;
            }
        }
        case MODE_UNLIT: {
            color = base.color.rgb;
        }
        case MODE_NORMALS: {
            color = vec3f(0.5);
            if has(HAS_NORMALS) {
                color = normal * 0.5 + 0.5;
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
            color = select(vec3f(0.2), in.joints, has(HAS_JOINTS));
        }
        default: {
            let fill = lit(vec3f(0.6), in, normal);
            color = fill;
            if has(IS_TRIANGLES) {
                color = fill + (vec3f(0.01) - fill) * cover;
            }
        }
    }
    if fog_left_on {
        color = mix(color, vec3f(0.5), 0.5 * in.clip.z * in.clip.z);
    }
    return vec4f(stored(color), select(1.0, base.color.a, has(IS_BLENDED)));
}

@fragment
fn fragment_stage(in: Varyings, @builtin(front_facing) front: bool) -> @location(0) vec4f {
    return shade(in, front);
}

struct WithDepth {
    @location(0) color: vec4f,
    @builtin(frag_depth) depth: f32,
}

// For depth that is interpolated with perspective, as attributes are.
@fragment
fn fragment_stage_with_depth(in: Varyings, @builtin(front_facing) front: bool) -> WithDepth {
    return WithDepth(shade(in, front), clamp(in.depth, 0.0, 1.0));
}
