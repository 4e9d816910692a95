// What a surface is made of where a fragment is: textures, normals and their maps, metal and roughness.

// Mistakes that can be switched on when a pipeline is made; each is a refrast fault of the same name.
override texcoords_half_precision: bool = false;
override texel_centre_integer: bool = false;
override texture_transform_order: bool = false;
override texture_gamma_2_2: bool = false;
override filter_before_decode: bool = false;
override mip_bias: bool = false;
// And one with a number in it.
override mip_bias_of: f32 = 0.0;
override mip_shortest_axis: bool = false;
override double_sided_normal: bool = false;
override fragment_normal_not_normalised: bool = false;
override flat_normals: bool = false;
override normal_in_view_space: bool = false;
override roughness_by_curvature: bool = false;
override roughness_by_mapped_normal: bool = false;
override bitangent_interpolated: bool = false;
override normal_map_green_flipped: bool = false;
override normal_scale_on_z: bool = false;
override two_channel_z_missing: bool = false;
override normal_map_z_rebuilt: bool = false;
override tangent_reorthogonalised: bool = false;
override anisotropy_direction_ignored: bool = false;
override metal_rough_swapped: bool = false;

fn transformed(transform: TextureTransform, uv: vec2f) -> vec2f {
    if texture_transform_order {
        let moved = uv + vec2f(transform.u.z, transform.v.z);
        return vec2f(dot(transform.u.xy, moved), dot(transform.v.xy, moved));
    }
    return vec2f(dot(transform.u.xy, uv) + transform.u.z, dot(transform.v.xy, uv) + transform.v.z);
}

// The coordinates of a texture.
fn coordinates(in: Varyings, texture_number: u32) -> vec2f {
    let transform = material.transforms[texture_number];
    let number = u32(transform.u.w);
    let pair = select(in.texcoords, in.more_texcoords, number >= 2u);
    return transformed(transform, select(pair.xy, pair.zw, (number & 1u) == 1u));
}

fn to_linear(stored: vec3f) -> vec3f {
    return select(pow((stored + 0.055) / 1.055, vec3f(2.4)), stored / 12.92, stored <= vec3f(0.04045));
}

fn to_srgb(linear: vec3f) -> vec3f {
    let x = clamp(linear, vec3f(0.0), vec3f(1.0));
    return select(1.055 * pow(x, vec3f(1.0 / 2.4)) - 0.055, 12.92 * x, x <= vec3f(0.0031308));
}

// What the sampler makes of a texture.
fn sampled(image: texture_2d<f32>, image_sampler: sampler, coordinates: vec2f) -> vec4f {
    var uv = coordinates;
    let size = vec2f(textureDimensions(image));
    if texcoords_half_precision {
        uv = quantizeToF16(uv);
    }
    if texel_centre_integer {
        uv += 0.5 / size;
    }
    var color = vec4f(0.0);
    if mip_bias {
        color = textureSampleBias(image, image_sampler, uv, 1.0);
    } else if mip_bias_of != 0.0 {
        color = textureSampleBias(image, image_sampler, uv, mip_bias_of);
    } else if mip_shortest_axis {
        let x = dpdx(uv);
        let y = dpdy(uv);
        let shorter = select(y, x, length(x * size) < length(y * size));
        color = textureSampleGrad(image, image_sampler, uv, shorter, shorter);
    } else {
        color = textureSample(image, image_sampler, uv);
    }
    return color;
}

// A texture's colour, linear.
fn decoded(texel: vec4f) -> vec4f {
    if texture_gamma_2_2 {
        return vec4f(pow(texel.rgb, vec3f(2.2)), texel.a);
    }
    if filter_before_decode {
        return vec4f(to_linear(texel.rgb), texel.a);
    }
    return texel;
}

struct BaseColor {
    color: vec4f,
    // The texture's own.
    alpha: f32,
}

fn base_color(in: Varyings) -> BaseColor {
    var texel = vec4f(1.0);
    if has_texture(BASE_COLOR) {
        texel = decoded(sampled(base_color_texture, base_color_sampler, coordinates(in, BASE_COLOR)));
    }
    return BaseColor(material.base_color_factor * texel * in.color, texel.a);
}

fn emission(in: Varyings) -> vec3f {
    var color = material.emissive_factor.rgb;
    if has_texture(EMISSIVE) {
        color *= decoded(sampled(emissive_texture, emissive_sampler, coordinates(in, EMISSIVE))).rgb;
    }
    return color;
}

// Turned round on the back of a double-sided surface.
fn turned(vector: vec3f, front: bool) -> vec3f {
    // A number, for Mesa's softpipe has no complement of `front`: true is 1.0 there and not all ones (nir_to_tgsi.c,
    // ntt_setup_inputs), so that `!front` is true on both sides.
    let side = select(-1.0, 1.0, front);
    return vector * select(1.0, side, has(IS_DOUBLE_SIDED) && !double_sided_normal);
}

// Unit length; zero where there is none.
fn unit(vector: vec3f) -> vec3f {
    let squared = dot(vector, vector);
    if !(squared > 0.0) {
        return vec3f(0.0);
    }
    return vector * (1.0 / sqrt(squared));
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
    normal = turned(normal, front);
    if normal_in_view_space {
        normal = (frame.view * vec4f(normal, 0.0)).xyz;
    }
    return normal;
}

fn bitangent(in: Varyings) -> vec3f {
    if bitangent_interpolated {
        return in.bitangent;
    }
    return cross(in.normal, in.tangent.xyz) * in.tangent.w;
}

fn normal_texel(in: Varyings) -> vec3f {
    return sampled(normal_texture, normal_sampler, coordinates(in, NORMAL)).rgb;
}

// The texel of a normal map, which stands in the frame of the interpolated normal and tangent as they are.
fn mapped_normal(in: Varyings, front: bool, factor: f32, texel: vec3f) -> vec3f {
    var along = 2.0 * texel - 1.0;
    if normal_map_green_flipped {
        along.y = -along.y;
    }
    if normal_map_z_rebuilt {
        along.z = sqrt(max(1.0 - dot(along.xy, along.xy), 0.0));
    }
    if normal_scale_on_z {
        along.z *= factor;
    }
    if two_channel_z_missing {
        // What is not there reads 0.
        along.z = -1.0;
    }
    along = vec3f(along.xy * factor, along.z);
    if tangent_reorthogonalised {
        let normal = unit(in.normal);
        let tangent = unit(in.tangent.xyz - normal * dot(normal, in.tangent.xyz));
        let across = cross(normal, tangent) * in.tangent.w;
        return turned(unit((tangent * along.x + across * along.y) + normal * along.z), front);
    }
    return turned(unit((in.tangent.xyz * along.x + bitangent(in) * along.y) + in.normal * along.z), front);
}

struct Substance {
    metallic: f32,
    roughness: f32,
    // What is left of ambient light.
    occlusion: f32,
    // Of what is not metal, head-on, and its weight.
    reflectance: vec3f,
    specular: f32,
    // How far highlights are stretched, along what, and what is at right angles to it; of no strength where they are round.
    anisotropy: f32,
    along: vec3f,
    across: vec3f,
    // Colour of the fibres on it, black where there are none, and their roughness.
    sheen: vec3f,
    sheen_roughness: f32,
}

// The direction in which highlights are long.
fn stretched_along(in: Varyings, texel: vec2f) -> vec3f {
    let direction = 2.0 * texel - 1.0;
    let squared = dot(direction, direction);
    let unit_direction = select(vec2f(0.0), direction / sqrt(squared), squared > 0.0);
    let x = material.turn_x * unit_direction.x - material.turn_y * unit_direction.y;
    let y = material.turn_y * unit_direction.x + material.turn_x * unit_direction.y;
    return unit(in.tangent.xyz * x + cross(in.normal, in.tangent.xyz) * in.tangent.w * y);
}

// A surface's roughness as it is lit. With mistakes it grows by how much the normal without a map changes to the next pixels, or is no
// less than the cube root of the square of what the mapped one does.
fn roughened(in: Varyings, roughness: f32, mapped: vec3f) -> f32 {
    if roughness_by_mapped_normal {
        let across = dpdx(mapped);
        let down = dpdy(mapped);
        return max(roughness, pow(min(max(dot(across, across), dot(down, down)), 1.0), 0.333));
    }
    if !roughness_by_curvature {
        return roughness;
    }
    let normal = (frame.view * vec4f(unit(in.normal), 0.0)).xyz;
    let change = max(abs(dpdx(normal)), abs(dpdy(normal)));
    return min(roughness + max(max(change.x, change.y), change.z), 1.0);
}

// `mapped` is the normal with its map.
fn substance(in: Varyings, mapped: vec3f) -> Substance {
    var measures = vec2f(1.0);
    if has_texture(METALLIC_ROUGHNESS) {
        let uv = coordinates(in, METALLIC_ROUGHNESS);
        measures = sampled(metallic_roughness_texture, metallic_roughness_sampler, uv).gb;
    }
    if metal_rough_swapped {
        measures = measures.yx;
    }
    var open = 1.0;
    if has_texture(OCCLUSION) {
        let red = sampled(occlusion_texture, occlusion_sampler, coordinates(in, OCCLUSION)).r;
        open = 1.0 + material.occlusion_strength * (red - 1.0);
    }
    var reflectance = material.specular.rgb;
    if has_texture(SPECULAR_COLOR) {
        let uv = coordinates(in, SPECULAR_COLOR);
        reflectance *= decoded(sampled(specular_color_texture, specular_color_sampler, uv)).rgb;
    }
    var weight = material.specular.w;
    if has_texture(SPECULAR) {
        weight *= sampled(specular_texture, specular_sampler, coordinates(in, SPECULAR)).a;
    }
    var anisotropy = select(0.0, material.anisotropy, has(HAS_TANGENTS));
    var brushed = vec2f(1.0, 0.5);
    if has_texture(ANISOTROPY) {
        let texel = sampled(anisotropy_texture, anisotropy_sampler, coordinates(in, ANISOTROPY));
        brushed = select(texel.rg, brushed, anisotropy_direction_ignored);
        anisotropy *= texel.b;
    }
    let along = stretched_along(in, brushed);
    var fibres = material.sheen;
    if has_texture(SHEEN) {
        fibres = vec4f(fibres.rgb * decoded(sampled(sheen_texture, sheen_sampler, coordinates(in, SHEEN))).rgb, fibres.w);
    }
    if has_texture(SHEEN_ROUGHNESS) {
        let uv = coordinates(in, SHEEN_ROUGHNESS);
        fibres.w *= sampled(sheen_roughness_texture, sheen_roughness_sampler, uv).a;
    }
    return Substance(
        material.metallic * measures.y,
        roughened(in, material.roughness * measures.x, mapped),
        open * in.occlusion,
        min(reflectance, vec3f(1.0)),
        weight,
        anisotropy,
        along,
        unit(cross(unit(in.normal), along)),
        fibres.rgb,
        max(fibres.w, 0.07),
    );
}

// What lies over the surface; of no strength where nothing does.
struct Coat {
    strength: f32,
    roughness: f32,
    normal: vec3f,
}

// `normal` is that of the surface without its map.
fn coat(in: Varyings, front: bool, normal: vec3f) -> Coat {
    var own = Coat(material.coat, material.coat_roughness, normal);
    if has_texture(COAT) {
        own.strength *= sampled(coat_texture, coat_sampler, coordinates(in, COAT)).r;
    }
    if has_texture(COAT_ROUGHNESS) {
        let uv = coordinates(in, COAT_ROUGHNESS);
        own.roughness *= sampled(coat_roughness_texture, coat_roughness_sampler, uv).g;
    }
    if has_texture(COAT_NORMAL) && has(HAS_TANGENTS) {
        let texel = sampled(coat_normal_texture, coat_normal_sampler, coordinates(in, COAT_NORMAL)).rgb;
        own.normal = mapped_normal(in, front, material.coat_normal_scale, texel);
    }
    own.roughness = roughened(in, own.roughness, own.normal);
    return own;
}
