// The material of glTF 2.0 under lights, exposure and tone.

// Mistakes that can be switched on when a pipeline is made; each is a refrast fault of the same name.
override roughness_not_squared: bool = false;
override roughness_squared_twice: bool = false;
override f0_of_metal_0_04: bool = false;
override diffuse_without_pi: bool = false;
override diffuse_without_fresnel: bool = false;
override diffuse_fresnel_head_on: bool = false;
override diffuse_burley: bool = false;
override diffuse_burley_squared: bool = false;
override view_cosine_clamped: bool = false;
override multiple_scattering_added: bool = false;
override anisotropy_not_squared: bool = false;
override sheen_albedo_missing: bool = false;
override sheen_roughness_not_squared: bool = false;
override clearcoat_energy_added: bool = false;
override occlusion_on_direct: bool = false;
override emissive_tinted: bool = false;

// Highlights of lights without size are too small for numbers below this.
const LEAST_ROUGHNESS = 0.045;

fn fifth_power(t: f32) -> f32 {
    return (t * t) * (t * t) * t;
}

// Distribution (times pi) times visibility times N.L, by alpha squared and the cosines N.L, |N.V| and N.H.
fn shine(a: f32, normal_light: f32, normal_view: f32, normal_half: f32) -> f32 {
    let spread = normal_half * normal_half * (a - 1.0) + 1.0;
    let distribution = a / (spread * spread);
    let masked_view = sqrt(normal_view * normal_view * (1.0 - a) + a);
    let masked_light = sqrt(normal_light * normal_light * (1.0 - a) + a);
    let seen = normal_light * masked_view;
    let visibility = seen / (seen + normal_view * masked_light) * 0.5 / masked_view;
    return select(0.0, distribution * visibility, normal_light > 0.0);
}

// The same for a surface with two roughnesses, alpha along and across.
fn stretched_shine(own: Substance, alpha: f32, cosines: vec3f, to_light: vec3f, view: vec3f, half_way: vec3f) -> f32 {
    let share = select(own.anisotropy * own.anisotropy, own.anisotropy, anisotropy_not_squared);
    let long = alpha * (1.0 - share) + share;
    let both = long * alpha;
    let around = vec3f(alpha * dot(own.along, half_way), long * dot(own.across, half_way), both * cosines.z);
    let ratio = both / max(dot(around, around), 1e-12);
    let seen_light = vec3f(long * dot(own.along, to_light), alpha * dot(own.across, to_light), cosines.x);
    let seen_view = vec3f(long * dot(own.along, view), alpha * dot(own.across, view), cosines.y);
    let masked_light = sqrt(max(dot(seen_light, seen_light), 1e-8));
    let masked_view = sqrt(max(dot(seen_view, seen_view), 1e-8));
    let visibility = 0.5 * cosines.x / (cosines.x * masked_view + cosines.y * masked_light);
    return select(0.0, both * (ratio * ratio) * visibility, cosines.x > 0.0);
}

// The part of light by an angle that white fibres send back.
fn fibre_albedo(c: f32, r: f32) -> f32 {
    let powers = vec4f(1.0, r, r * r, r * r * r);
    let first = dot(powers, vec4f(0.00139667, -0.0423006, 0.987904, 0.381524)) - 0.168883 * (r * powers.w);
    let second = dot(powers, vec4f(-0.0115647, 0.444485, -0.609379, 1.673684)) - 1.035299 * (r * powers.w);
    let third = dot(powers, vec4f(0.0560543, -0.836727, 3.279102, -7.016825)) + 4.324504 * (r * powers.w);
    let fourth = dot(powers, vec4f(0.164759, 0.259273, -1.495219, 4.193077)) - 2.919523 * (r * powers.w);
    let sum = first + c * (second + c * (third + c * fourth));
    let p = max(sum / powers.z - 0.002382 / (c + 0.06), 1.0);
    return 1.0 / ((p * p) * (p * p));
}

// Distribution (times pi) times visibility times N.L of fibres, by their roughness and the cosines N.L, |N.V| and N.H.
fn fibre_shine(r: f32, cosines: vec3f) -> f32 {
    let turns = 0.5 / select(r * r, r, sheen_roughness_not_squared);
    let sine_squared = max(1.0 - cosines.z * cosines.z, 1e-8);
    let distribution = (1.0 + turns) * exp2(turns * log2(sine_squared));
    let visibility = 0.25 * cosines.x / (cosines.x + cosines.y * (1.0 - cosines.x));
    return select(0.0, distribution * visibility, cosines.x > 0.0);
}

// What single reflections are multiplied by to stand for all: 1 + F0 (1 / E - 1), by MaterialX' fit of E.
fn several_times(base: vec3f, own: Substance, x: f32) -> vec3f {
    let y = own.roughness * own.roughness;
    let parts = vec4f(0.1003, 0.9345, 1.0, 1.0)
        + vec4f(-0.6303, -2.323, -1.765, 0.2281) * x
        + vec4f(9.748, 2.229, 8.263, 15.94) * y
        + vec4f(-2.038, -3.748, 11.53, -55.83) * (x * y)
        + vec4f(29.34, 1.424, 28.96, 13.08) * (x * x)
        + vec4f(-8.245, -0.7684, -7.507, 41.26) * (y * y)
        + vec4f(-26.44, 1.436, -36.11, 54.9) * (x * x * y)
        + vec4f(19.99, 0.2913, 15.86, 300.2) * (x * y * y)
        + vec4f(-5.448, 0.6286, 33.37, -285.1) * (x * x * y * y);
    let sent = clamp(parts.xy / parts.zw, vec2f(0.0), vec2f(1.0));
    let lost = max(1.0 / (sent.x + sent.y) - 1.0, 0.0);
    return 1.0 + lost * ((1.0 - own.metallic) * own.specular * own.reflectance + own.metallic * base);
}

fn physical(base: vec3f, emitted: vec3f, position: vec3f, normal: vec3f, own: Substance, lacquer: Coat) -> vec3f {
    let sent = select(emitted, emitted * base, emissive_tinted);
    if !has(HAS_NORMALS) {
        return base + sent;
    }
    let r = max(own.roughness, LEAST_ROUGHNESS);
    var alpha = r * r;
    if roughness_not_squared {
        alpha = r;
    } else if roughness_squared_twice {
        alpha *= alpha;
    }
    let a = alpha * alpha;
    let coat_r = max(lacquer.roughness, LEAST_ROUGHNESS);
    let coat_a = (coat_r * coat_r) * (coat_r * coat_r);
    let view = to_eye(position);
    let normal_view = min(abs(dot(normal, view)), 1.0);
    let seen = select(normal_view, clamp(dot(normal, view), 0.0, 1.0), view_cosine_clamped);
    let coat_view = min(abs(dot(lacquer.normal, view)), 1.0);

    let strongest_fibre = max(max(own.sheen.r, own.sheen.g), own.sheen.b);
    let kept = select(strongest_fibre, 0.0, sheen_albedo_missing);
    let taken = kept * fibre_albedo(normal_view, own.sheen_roughness);

    var several = vec3f(1.0);
    if multiple_scattering_added {
        several = several_times(base, own, normal_view);
    }
    var scale = vec3f(frame.ambient.rgb * own.occlusion) * (1.0 - taken);
    var offset = vec3f(0.0);
    var on_top = vec3f(0.0);
    for (var i = 0u; i < frame.light_count; i++) {
        let light = lights[i];
        let incident = incidence(light, position);
        let to_light = select(incident.to_light, -incident.to_light, light_direction_flipped);
        let attenuation = incident.falloff * (incident.inside * incident.inside);
        var radiance = light.radiance.rgb * (attenuation * arriving_part(light.maps, position));
        let middle = to_light + view;
        let half_way = middle * (1.0 / sqrt(dot(middle, middle)));
        let normal_light = clamp(dot(normal, to_light), 0.0, 1.0);
        let normal_half = clamp(dot(normal, half_way), 0.0, 1.0);
        let grazing = fifth_power(1.0 - clamp(dot(view, half_way), 0.0, 1.0));
        var shining = shine(a, normal_light, seen, normal_half);
        if own.anisotropy > 0.0 {
            let cosines = vec3f(normal_light, seen, normal_half);
            shining = stretched_shine(own, alpha, cosines, to_light, view, half_way);
        }
        let coat_light = clamp(dot(lacquer.normal, to_light), 0.0, 1.0);
        let coat_half = clamp(dot(lacquer.normal, half_way), 0.0, 1.0);
        on_top += radiance * shine(coat_a, coat_light, coat_view, coat_half);
        if occlusion_on_direct {
            radiance *= own.occlusion;
        }
        let fresnel = own.reflectance + (1.0 - own.reflectance) * grazing;
        let kept_back = select(fresnel, own.reflectance, diffuse_fresnel_head_on);
        let strongest = max(max(kept_back.r, kept_back.g), kept_back.b);
        var beneath = select(1.0 - own.specular * strongest, 1.0, diffuse_without_fresnel);
        if diffuse_burley || diffuse_burley_squared {
            let rough = select(own.roughness, own.roughness * own.roughness, diffuse_burley_squared);
            let toward = clamp(dot(view, half_way), 0.0, 1.0);
            let more = 2.0 * rough * (toward * toward) - 0.5;
            beneath = (1.0 + more * fifth_power(1.0 - normal_light)) * (1.0 + more * fifth_power(1.0 - seen));
        }
        var diffuse = beneath * normal_light;
        if diffuse_without_pi {
            diffuse *= 3.14159265;
        }
        var metal_base = shining * (1.0 - grazing);
        var metal_edge = grazing;
        if f0_of_metal_0_04 {
            metal_base = 0.0;
            metal_edge = 0.04 + 0.96 * grazing;
        }
        var of_base = (1.0 - own.metallic) * diffuse + own.metallic * metal_base * several;
        var beside = shining * ((1.0 - own.metallic) * own.specular * fresnel + own.metallic * metal_edge) * several;
        if strongest_fibre > 0.0 {
            let left = 1.0 - max(taken, kept * fibre_albedo(normal_light, own.sheen_roughness));
            of_base *= left;
            let cosines = vec3f(normal_light, seen, normal_half);
            beside = beside * left + own.sheen * fibre_shine(own.sheen_roughness, cosines);
        }
        scale += radiance * of_base;
        offset += radiance * beside;
    }
    var given = sent;
    if lacquer.strength > 0.0 {
        let weight = lacquer.strength * (0.04 + 0.96 * fifth_power(1.0 - coat_view));
        let through = select(1.0 - weight, 1.0, clearcoat_energy_added);
        scale *= through;
        offset = offset * through + weight * on_top;
        given *= through;
    }
    return (base * scale + offset) + given;
}

// Exposure and tone.
fn developed(light: vec3f) -> vec3f {
    let color = light * frame.exposure.x;
    if frame.is_toned == 0u {
        return color;
    }
    let least = min(min(color.r, color.g), color.b);
    let above = color - select(least - 6.25 * (least * least), 0.04, least > 0.08);
    let peak = max(max(above.r, above.g), above.b);
    if !(peak > 0.76) {
        return above;
    }
    let limit = 1.0 - 0.0576 / (peak - 0.52);
    let dimmed = above * (limit / peak);
    let grey = 1.0 - 1.0 / (0.15 * (peak - limit) + 1.0);
    return dimmed + grey * (limit - dimmed);
}
