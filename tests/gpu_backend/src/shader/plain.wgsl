// What a renderer draws with that knows what it will be handed: vertex buffers, at most four influences, the palette in a uniform
// buffer, one directional light, one texture, and no switch that is looked at while it draws. For times alone.

const MOST_JOINTS = 256u;

override is_skinned: bool = false;
override is_lit: bool = false;

struct Frame {
    view_projection: mat4x4f,
    to_light: vec4f,
    // Linear colour times intensity, over pi.
    radiance: vec4f,
    ambient: vec4f,
}

struct Vertex {
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) texcoords: vec2f,
    @location(3) joints: vec4u,
    @location(4) weights: vec4f,
}

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) normal: vec3f,
    @location(1) texcoords: vec2f,
}

@group(0) @binding(0) var<uniform> frame: Frame;
// Three rows a joint; the node's own where there are none.
@group(1) @binding(0) var<uniform> palette: array<vec4f, 3 * MOST_JOINTS>;
@group(2) @binding(0) var<uniform> base_color_factor: vec4f;
@group(2) @binding(1) var base_color_texture: texture_2d<f32>;
@group(2) @binding(2) var base_color_sampler: sampler;

@vertex
fn vertex_stage(vertex: Vertex) -> Varyings {
    var x = palette[0];
    var y = palette[1];
    var z = palette[2];
    if is_skinned {
        let first = 3u * vertex.joints;
        let weights = vertex.weights;
        x = weights.x * palette[first.x] + weights.y * palette[first.y]
            + weights.z * palette[first.z] + weights.w * palette[first.w];
        y = weights.x * palette[first.x + 1u] + weights.y * palette[first.y + 1u]
            + weights.z * palette[first.z + 1u] + weights.w * palette[first.w + 1u];
        z = weights.x * palette[first.x + 2u] + weights.y * palette[first.y + 2u]
            + weights.z * palette[first.z + 2u] + weights.w * palette[first.w + 2u];
    }
    let position = vec4f(vertex.position, 1.0);
    let world = vec4f(dot(x, position), dot(y, position), dot(z, position), 1.0);
    var out: Varyings;
    out.clip = frame.view_projection * world;
    out.texcoords = vertex.texcoords;
    if is_lit {
        // The inverse transpose but for a positive factor: nothing here mirrors.
        let cofactors = mat3x3f(cross(y.xyz, z.xyz), cross(z.xyz, x.xyz), cross(x.xyz, y.xyz));
        out.normal = normalize(vertex.normal * cofactors);
    }
    return out;
}

@fragment
fn fragment_stage(in: Varyings) -> @location(0) vec4f {
    var color = base_color_factor.rgb * textureSample(base_color_texture, base_color_sampler, in.texcoords).rgb;
    if is_lit {
        let arriving = max(0.0, dot(normalize(in.normal), frame.to_light.xyz));
        color *= frame.ambient.rgb + frame.radiance.rgb * arriving;
    }
    return vec4f(color, 1.0);
}
