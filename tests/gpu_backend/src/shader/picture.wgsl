// Vertex and fragment stage: refrast's shading model, section by section.

// Mistakes that can be switched on when a pipeline is made; each is a refrast fault of the same name.
override affine_interpolation: bool = false;
override snap_to_pixels: bool = false;
override snap_to_quarters: bool = false;
override near_clip_drops: bool = false;
override guard_band_overflow: bool = false;
override fill_rule_missing: bool = false;
override mask_ignores_factor: bool = false;
override fog_left_on: bool = false;
override emissive_lit: bool = false;
override srgb_encode_twice: bool = false;
override gamma_encode_2_2: bool = false;
override output_truncated: bool = false;
override blend_in_srgb: bool = false;
// Those with a number in them.
override gamma_of: f32 = 1.0;
override exposure: f32 = 1.0;
override grid_steps: f32 = 0.0;

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
    } else if grid_steps != 0.0 {
        clip = snapped(clip, grid_steps);
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
    out.tangent = deformed.tangent;
    if bitangent_interpolated {
        out.bitangent = cross(deformed.normal, deformed.tangent.xyz) * deformed.tangent.w;
    }
    out.texcoords = deformed.texcoords;
    out.more_texcoords = deformed.more_texcoords;
    out.color = deformed.color;
    out.occlusion = deformed.occlusion;
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
    out.tangent *= factor;
    out.bitangent *= factor;
    out.texcoords *= factor;
    out.more_texcoords *= factor;
    out.color *= factor;
    out.occlusion *= factor;
    out.joints *= factor;
    out.barycentrics *= factor;
    return out;
}

fn edge_cover(barycentrics: vec3f, dx: vec3f, dy: vec3f) -> f32 {
    let slope = sqrt(dx * dx + dy * dy);
    let cover = clamp(1.0 - barycentrics / slope, vec3f(0.0), vec3f(1.0));
    let counted = select(vec3f(0.0), cover, slope > vec3f(0.0));
    return max(max(counted.x, counted.y), counted.z);
}

// The colour as the target takes it: it encodes by itself.
fn stored(shaded: vec3f) -> vec3f {
    var color = shaded;
    if frame.is_srgb == 1u && exposure != 1.0 {
        color *= exposure;
    }
    if output_truncated {
        let clamped = clamp(color, vec3f(0.0), vec3f(1.0));
        // Bytes of a texture that come back as they were stay.
        return floor(select(clamped, to_srgb(clamped), frame.is_srgb == 1u) * 255.0 + 1e-3) / 255.0;
    }
    if frame.is_srgb == 1u {
        if srgb_encode_twice || blend_in_srgb {
            return to_srgb(color);
        }
        if gamma_of != 1.0 {
            return pow(clamp(color, vec3f(0.0), vec3f(1.0)), vec3f(1.0 / gamma_of));
        }
        if gamma_encode_2_2 {
            return pow(clamp(color, vec3f(0.0), vec3f(1.0)), vec3f(1.0 / 2.2));
        }
    }
    return color;
}

// Whether the fragment is cut out.
fn is_cut(base: BaseColor) -> bool {
    return has(IS_MASKED) && select(base.color.a, base.alpha, mask_ignores_factor) < material.alpha_cutoff;
}

// A direction as a colour; grey where there is none.
fn shown(vector: vec3f) -> vec3f {
    return vector * 0.5 + 0.5;
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
    var mapped = normal;
    if has_texture(NORMAL) && has(HAS_TANGENTS) {
        mapped = mapped_normal(in, front, material.normal_scale, normal_texel(in));
    }
    let made_of = substance(in, mapped);
    let lacquer = coat(in, front, normal);
    // Rounded barycentrics are a little beside 0 where the sample is on an edge.
    if fill_rule_missing && has(IS_TRIANGLES) && any(abs(in.barycentrics) < vec3f(1e-5)) {
        discard;
    }
    if is_cut(base) {
        discard;
    }
    var color = vec3f(0.0);
    switch frame.mode {
        case MODE_LAMBERT: {
            if has(IS_UNLIT) {
                color = base.color.rgb;
            } else if emissive_lit {
                color = lambert(base.color.rgb + emitted, in, normal, true);
            } else {
                color = lambert(base.color.rgb, in, normal, true) + emitted;
            }
        }
        case MODE_LIT: {
            color = base.color.rgb;
            if !has(IS_UNLIT) {
                color = developed(physical(base.color.rgb, emitted, in.position, mapped, made_of, lacquer));
            }
        }
        case MODE_UNLIT, MODE_BASE_COLOR: {
            color = base.color.rgb;
        }
        case MODE_NORMALS: {
            color = vec3f(0.5);
            if has(HAS_NORMALS) {
                color = shown(normal);
            }
        }
        case MODE_SHADING_NORMALS: {
            color = vec3f(0.5);
            if has(HAS_NORMALS) {
                color = shown(mapped);
            }
        }
        case MODE_TANGENTS, MODE_BITANGENTS: {
            color = vec3f(0.5);
            if has(HAS_NORMALS) && has(HAS_TANGENTS) {
                let along = select(in.tangent.xyz, bitangent(in), frame.mode == MODE_BITANGENTS);
                color = shown(turned(unit(along), front));
            }
        }
        case MODE_METALLIC: {
            color = vec3f(made_of.metallic);
        }
        case MODE_ROUGHNESS: {
            color = vec3f(made_of.roughness);
        }
        case MODE_OCCLUSION: {
            color = vec3f(made_of.occlusion);
        }
        case MODE_EMISSIVE: {
            color = emitted;
        }
        case MODE_UV: {
            if has(HAS_SHOWN_TEXCOORDS) {
                color = vec3f(fract(in.texcoords.xy), 0.0);
            }
        }
        case MODE_DEPTH: {
            color = vec3f(1.0 - in.clip.z);
        }
        case MODE_JOINTS: {
            color = select(vec3f(0.2), in.joints, has(HAS_JOINTS));
        }
        case MODE_SPLITS: {
            color = lambert(split_color(in.position), in, normal, false);
        }
        default: {
            let fill = lambert(vec3f(0.6), in, normal, false);
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

// What is cut out of a surface casts no shadow.
@fragment
fn cast_stage(in: Varyings) {
    if is_cut(base_color(in)) {
        discard;
    }
}

// The same where the driver's own bias or steps of depth are not to be had.
@fragment
fn cast_stage_by_hand(in: Varyings) -> @builtin(frag_depth) f32 {
    let slope = max(abs(dpdx(in.clip.z)), abs(dpdy(in.clip.z)));
    if is_cut(base_color(in)) {
        discard;
    }
    var step = frame.map_step.x;
    if step == 0.0 {
        // Of a float: 2^(e - 23).
        let exponent = max(bitcast<u32>(abs(in.clip.z)) >> 23u, 24u);
        step = bitcast<f32>((exponent - 23u) << 23u);
    }
    var bias = frame.bias.x * step + frame.bias.y * slope;
    if frame.bias.z > 0.0 {
        bias = min(bias, frame.bias.z);
    } else if frame.bias.z < 0.0 {
        bias = max(bias, frame.bias.z);
    }
    let depth = clamp(in.clip.z + bias, 0.0, 1.0);
    if frame.map_step.y == 0.0 {
        return depth;
    }
    return round(depth * frame.map_step.y) / frame.map_step.y;
}
