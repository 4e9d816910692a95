// What the filter makes of the layers of a texture.

struct Place {
    u: f32,
    v: f32,
    level: f32,
    layer: u32,
}

@group(0) @binding(0) var image: texture_2d_array<f32>;
@group(0) @binding(1) var image_sampler: sampler;
@group(0) @binding(2) var<storage, read> places: array<Place>;
@group(0) @binding(3) var<storage, read_write> results: array<vec4f>;

@compute @workgroup_size(64)
fn sampled(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&places) {
        let place = places[id.x];
        results[id.x] = textureSampleLevel(image, image_sampler, vec2f(place.u, place.v), place.layer, place.level);
    }
}
