// What shadows leave of a light: splits, maps and filters.

// Mistakes that can be switched on when a pipeline is made; each is a refrast fault of the same name.
override split_by_distance: bool = false;
override map_y_flipped: bool = false;
override map_depth_range: bool = false;
override map_w_not_divided: bool = false;
override map_border: bool = false;
override filter_half_texel: bool = false;

struct Shadows {
    // View depth of a point of the world.
    depth_row: vec4f,
    // Where each begins and ends.
    splits: array<vec4f, 8>,
    split_count: u32,
    // Along an axis; 0 where a single texel is compared.
    lookups: u32,
    // 1 where a fragment belongs to the first split whose map has it.
    is_by_containment: u32,
    blend: f32,
    // Texels.
    side: f32,
    // 1 where clip space has depths from -w to w.
    is_symmetric: u32,
    // 1 where the sampler knows what is outside of a map.
    has_border: u32,
    padding_0: u32,
}

struct MapLookup {
    // World to the map: u, v and depth, times w.
    world: mat4x4f,
    // Which map that is.
    layer: vec4u,
}

@group(3) @binding(0) var<uniform> shadows: Shadows;
@group(3) @binding(1) var<storage, read> map_lookups: array<MapLookup>;
@group(3) @binding(2) var shadow_maps: texture_depth_2d_array;
// Compares with one texel, or weighs four by distance.
@group(3) @binding(3) var shadow_sampler: sampler_comparison;

const CLAY = vec3f(0.6);

// u, v, depth and w.
fn map_place(map: u32, is_cascade: bool, position: vec3f) -> vec4f {
    var place = map_lookups[map].world * vec4f(position, 1.0);
    if !is_cascade && !map_w_not_divided {
        place = vec4f(place.xyz / place.w, place.w);
    }
    if map_y_flipped {
        place.y = 1.0 - place.y;
    }
    if map_depth_range {
        // As if clip space had the other range of depth.
        place.z = select(0.5 * place.z + 0.5, 2.0 * place.z - 1.0, shadows.is_symmetric == 1u);
    }
    return place;
}

// Half a texel, for the mistake: filters of four begin between texels, and single texels do not.
fn slip() -> f32 {
    if !filter_half_texel {
        return 0.0;
    }
    return select(0.5, -0.5, shadows.lookups == 0u) / shadows.side;
}

// A sampler that knows borders weighs four comparisons by distance.
fn filtered(layer: u32, uv: vec2f, depth: f32) -> f32 {
    let count = max(shadows.lookups, 1u);
    let before = 0.5 * f32(count - 1u);
    var sum = 0.0;
    for (var row = 0u; row < count; row++) {
        for (var column = 0u; column < count; column++) {
            let texels = vec2f(f32(column), f32(row)) - before;
            sum += textureSampleCompareLevel(shadow_maps, shadow_sampler, uv + texels / shadows.side, layer, depth);
        }
    }
    return sum / f32(count * count);
}

fn compared(layer: u32, texel: vec2f, depth: f32) -> f32 {
    if any(texel < vec2f(0.0)) || any(texel >= vec2f(shadows.side)) {
        return select(1.0, 0.0, map_border);
    }
    return textureSampleCompareLevel(shadow_maps, shadow_sampler, (texel + 0.5) / shadows.side, layer, depth);
}

// The same texel by texel.
fn filtered_by_hand(layer: u32, uv: vec2f, depth: f32) -> f32 {
    let count = shadows.lookups;
    if count == 0u {
        return compared(layer, floor(uv * shadows.side), depth);
    }
    let place = uv * shadows.side - 0.5;
    let texel = floor(place);
    let part = place - texel;
    let first = texel - f32((count - 1u) / 2u);
    var sum = 0.0;
    for (var row = 0u; row <= count; row++) {
        let down = select(select(1.0, part.y, row == count), 1.0 - part.y, row == 0u);
        for (var column = 0u; column <= count; column++) {
            let across = select(select(1.0, part.x, column == count), 1.0 - part.x, column == 0u);
            sum += across * down * compared(layer, first + vec2f(f32(column), f32(row)), depth);
        }
    }
    return sum / f32(count * count);
}

// What a filter makes of the comparisons.
fn lit_part(map: u32, is_cascade: bool, position: vec3f) -> f32 {
    let place = map_place(map, is_cascade, position);
    if !is_cascade && !map_w_not_divided && !(place.w > 0.0) {
        return 1.0;
    }
    let depth = clamp(place.z, 0.0, 1.0);
    let uv = place.xy + slip();
    let layer = map_lookups[map].layer.x;
    if shadows.has_border == 1u {
        return filtered(layer, uv, depth);
    }
    return filtered_by_hand(layer, uv, depth);
}

struct Split {
    // The number of splits beyond the last.
    number: u32,
    // How far the next one is faded in.
    faded: f32,
}

fn split_of(maps: vec4u, position: vec3f) -> Split {
    if shadows.is_by_containment == 1u {
        // The texels that a filter reads past the one that it hits.
        let margin = f32((shadows.lookups + 1u) / 2u) / shadows.side;
        for (var number = 0u; number < maps.y; number++) {
            let place = map_place(maps.x + number, true, position).xyz;
            let is_inside = all(place.xy >= vec2f(margin)) && all(place.xy <= vec2f(1.0 - margin));
            if is_inside && place.z >= 0.0 && place.z <= 1.0 {
                return Split(number, 0.0);
            }
        }
        return Split(maps.y, 0.0);
    }
    var depth = dot(shadows.depth_row, vec4f(position, 1.0));
    if split_by_distance {
        depth = distance(position, frame.eye.xyz);
    }
    for (var number = 0u; number < shadows.split_count; number++) {
        let ends = shadows.splits[number];
        if depth < ends.y {
            var faded = 0.0;
            if shadows.blend > 0.0 {
                let fading = shadows.blend * (ends.y - ends.x);
                faded = clamp((depth - (ends.y - fading)) / fading, 0.0, 1.0);
            }
            return Split(number, faded);
        }
    }
    return Split(shadows.split_count, 0.0);
}

// The part of a light that arrives, by its maps: the first, how many, and whether they are cascades.
fn arriving_part(maps: vec4u, position: vec3f) -> f32 {
    if maps.y == 0u {
        return 1.0;
    }
    if maps.z == 0u {
        return lit_part(maps.x, false, position);
    }
    let split = split_of(maps, position);
    var part = 1.0;
    if split.number < maps.y {
        part = lit_part(maps.x + split.number, true, position);
        if split.faded > 0.0 {
            var next = 1.0;
            if split.number + 1u < maps.y {
                next = lit_part(maps.x + split.number + 1u, true, position);
            }
            part += split.faded * (next - part);
        }
    }
    return part;
}

fn color_of_split(number: u32) -> vec3f {
    switch number {
        case 0u: {
            return vec3f(0.7, 0.15, 0.1);
        }
        case 1u: {
            return vec3f(0.15, 0.6, 0.15);
        }
        case 2u: {
            return vec3f(0.15, 0.25, 0.8);
        }
        case 3u: {
            return vec3f(0.7, 0.6, 0.1);
        }
        case 4u: {
            return vec3f(0.6, 0.15, 0.6);
        }
        case 5u: {
            return vec3f(0.1, 0.6, 0.6);
        }
        case 6u: {
            return vec3f(0.75, 0.35, 0.05);
        }
        default: {
            return vec3f(0.35);
        }
    }
}

// By the first light with cascades; without normals there is nothing to be lit.
fn split_color(position: vec3f) -> vec3f {
    for (var i = 0u; i < frame.light_count; i++) {
        let maps = lights[i].maps;
        if maps.y > 0u && maps.z == 1u && has(HAS_NORMALS) {
            let number = split_of(maps, position).number;
            return select(CLAY, color_of_split(number), number < maps.y);
        }
    }
    return CLAY;
}
