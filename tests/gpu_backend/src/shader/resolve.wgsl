// Averages the samples of each pixel.

// Mistakes that can be switched on when a pipeline is made; each is a refrast fault of the same name.
override resolve_first_sample: bool = false;
override resolve_in_srgb: bool = false;

@group(0) @binding(0) var samples: texture_multisampled_2d<f32>;

@vertex
fn whole_picture(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4f {
    // One triangle over all pixels.
    return vec4f(select(-1.0, 3.0, vertex == 1u), select(-1.0, 3.0, vertex == 2u), 0.0, 1.0);
}

fn to_srgb(linear: vec3f) -> vec3f {
    return select(1.055 * pow(linear, vec3f(1.0 / 2.4)) - 0.055, 12.92 * linear, linear <= vec3f(0.0031308));
}

fn to_linear(stored: vec3f) -> vec3f {
    return select(pow((stored + 0.055) / 1.055, vec3f(2.4)), stored / 12.92, stored <= vec3f(0.04045));
}

@fragment
fn average(@builtin(position) place: vec4f) -> @location(0) vec4f {
    let pixel = vec2i(place.xy);
    if resolve_first_sample {
        return textureLoad(samples, pixel, 0);
    }
    var sum = vec4f(0.0);
    for (var sample_index = 0; sample_index < 4; sample_index++) {
        var color = textureLoad(samples, pixel, sample_index);
        if resolve_in_srgb {
            color = vec4f(to_srgb(color.rgb), color.a);
        }
        sum += color;
    }
    sum *= 0.25;
    if resolve_in_srgb {
        // The target encodes again.
        sum = vec4f(to_linear(sum.rgb), sum.a);
    }
    return sum;
}
