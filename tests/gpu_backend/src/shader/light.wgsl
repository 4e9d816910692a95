// Lights, and Lambert's law.

// Mistakes that can be switched on when a pipeline is made; each is a refrast fault of the same name.
override light_direction_flipped: bool = false;
override light_unclamped: bool = false;
override half_lambert: bool = false;
override light_falloff_linear: bool = false;
override light_range_squared: bool = false;
override spot_cone_ignored: bool = false;
override spot_smoothstep: bool = false;
override specular_added: bool = false;

// What is made of the cosine between normal and light.
fn cosine(normal: vec3f, to_light: vec3f) -> f32 {
    let angle = select(dot(normal, to_light), -dot(normal, to_light), light_direction_flipped);
    if half_lambert {
        let half = 0.5 * angle + 0.5;
        return half * half;
    }
    return select(max(0.0, angle), angle, light_unclamped);
}

struct Incidence {
    // Unit length.
    to_light: vec3f,
    // By distance, and how far inside of a cone.
    falloff: f32,
    inside: f32,
}

fn incidence(light: Light, position: vec3f) -> Incidence {
    if light.kind.x == 0.0 {
        return Incidence(light.direction.xyz, 1.0, 1.0);
    }
    let toward = light.position.xyz - position;
    let squared = max(dot(toward, toward), 1e-8);
    let to_light = toward * inverseSqrt(squared);
    let ratio = squared * light.position.w;
    var window = max(0.0, 1.0 - ratio * ratio);
    if light_range_squared {
        window *= window;
    }
    let falloff = window / select(squared, sqrt(squared), light_falloff_linear);
    var inside = 1.0;
    if light.kind.x == 2.0 && !spot_cone_ignored {
        inside = clamp(-dot(to_light, light.direction.xyz) * light.kind.y + light.kind.z, 0.0, 1.0);
        if spot_smoothstep {
            // It is squared afterwards.
            inside *= sqrt(3.0 - 2.0 * inside);
        }
    }
    return Incidence(to_light, falloff, inside);
}

fn strength(light: Light, normal: vec3f, position: vec3f) -> f32 {
    let own = incidence(light, position);
    return cosine(normal, own.to_light) * own.falloff * (own.inside * own.inside);
}

// Unit length, from a position to the camera.
fn to_eye(position: vec3f) -> vec3f {
    if frame.eye.w == 0.0 {
        return frame.eye.xyz;
    }
    let toward = frame.eye.xyz - position;
    return toward * (1.0 / sqrt(dot(toward, toward)));
}

// Blinn's highlight of the first light.
fn highlight(normal: vec3f, position: vec3f) -> f32 {
    let toward = select(lights[0].position.xyz - position, lights[0].direction.xyz, lights[0].kind.x == 0.0);
    let middle = normalize(normalize(toward) + to_eye(position));
    return 0.3 * pow(max(0.0, dot(normal, middle)), 32.0);
}

fn irradiance(normal: vec3f, position: vec3f, in_shade: bool) -> vec3f {
    var sum = frame.ambient.rgb;
    for (var i = 0u; i < frame.light_count; i++) {
        var arriving = strength(lights[i], normal, position);
        if in_shade {
            arriving *= arriving_part(lights[i].maps, position);
        }
        sum += lights[i].radiance.rgb * arriving;
    }
    if specular_added {
        sum += highlight(normal, position);
    }
    return sum;
}

// Colours under Lambert's light, in the shade or without any; a surface without normals is its own colour.
fn lambert(base: vec3f, in: Varyings, normal: vec3f, in_shade: bool) -> vec3f {
    if !has(HAS_NORMALS) {
        return base;
    }
    return base * irradiance(normal, in.position, in_shade);
}
