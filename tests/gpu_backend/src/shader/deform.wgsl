// Vertices: morph targets, then joints, into world space. Both the picture and the vertex file come from here.

// Mistakes that can be switched on when a pipeline is made; each is a refrast fault of the same name.
override normal_not_inverse_transposed: bool = false;
override normal_inverse_transpose_per_joint: bool = false;
override normal_not_renormalised: bool = false;
override normal_flipped_by_negative_scale: bool = false;
override normal_translated: bool = false;
override weights_applied_before_bind: bool = false;
override zero_weight_joint_dereferenced: bool = false;
override palette_half_precision: bool = false;
override palette_stride_four: bool = false;
override address_rounding: bool = false;
override dual_quaternion_antipodal: bool = false;
override dual_quaternion_dual_part_unscaled: bool = false;
override dual_quaternion_scale_lost: bool = false;
override morph_after_skin: bool = false;
override tangent_not_skinned: bool = false;
override tangent_not_orthogonalised: bool = false;
override bitangent_sign_lost: bool = false;

struct Draw {
    // Vertices of the draw: a morph target's displacements begin at target * vertex_count.
    vertex_count: u32,
    // Influences a vertex; 0 where the palette's only entry places every vertex.
    influences: u32,
    targets: u32,
    // 0: rows of matrices, 1: dual quaternions with their stretch, 2: the rows of a joint's world and bind matrices.
    method: u32,
    // 1 where a face's normal is that of its deformed corners.
    is_flat: u32,
    // -1 where the draw is mirrored.
    side: f32,
    padding_0: u32,
    padding_1: u32,
}

struct Vertex {
    position: vec4f,
    // w is what arrives of ambient light.
    normal: vec4f,
    // Direction and handedness.
    tangent: vec4f,
    // u and v of the sets that the draw reads, two by two.
    texcoords: vec4f,
    more_texcoords: vec4f,
    color: vec4f,
    // The vertices of its triangle, where the draw is flat.
    corners: vec4u,
}

struct Displacement {
    position: vec4f,
    normal: vec4f,
    tangent: vec4f,
    texcoords: vec4f,
    more_texcoords: vec4f,
    color: vec4f,
}

struct Influence {
    joint: u32,
    weight: f32,
}

struct MorphWeight {
    weight: f32,
    // 1 where the target moves colours, which are then clamped.
    moves_color: u32,
}

@group(1) @binding(0) var<uniform> draw: Draw;
@group(1) @binding(1) var<storage, read> vertices: array<Vertex>;
@group(1) @binding(2) var<storage, read> influences: array<Influence>;
@group(1) @binding(3) var<storage, read> palette: array<vec4f>;
@group(1) @binding(4) var<storage, read> displacements: array<Displacement>;
@group(1) @binding(5) var<storage, read> morph_weights: array<MorphWeight>;

struct Deformed {
    position: vec3f,
    normal: vec3f,
    tangent: vec4f,
    texcoords: vec4f,
    more_texcoords: vec4f,
    color: vec4f,
    // What arrives of ambient light.
    occlusion: f32,
}

struct Placed {
    position: vec3f,
    normal: vec3f,
    tangent: vec4f,
}

// The rows of an affine matrix.
struct Affine {
    x: vec4f,
    y: vec4f,
    z: vec4f,
}

// Unit length, or zero where there is no direction. The largest component is brought to 1 first, so that no square
// is lost or overflows.
fn direction(v: vec3f) -> vec3f {
    let largest = max(max(abs(v.x), abs(v.y)), abs(v.z));
    if !(largest > 0.0) {
        return vec3f(0.0);
    }
    let scaled = v / largest;
    return scaled / sqrt(dot(scaled, scaled));
}

fn linear_part(m: Affine, v: vec3f) -> vec3f {
    return vec3f(dot(m.x.xyz, v), dot(m.y.xyz, v), dot(m.z.xyz, v));
}

// The inverse transpose but for a positive factor: the cofactors, with the determinant's sign divided out.
fn turn_normal(m: Affine, normal: vec3f) -> vec3f {
    let x = cross(m.y.xyz, m.z.xyz);
    let y = cross(m.z.xyz, m.x.xyz);
    let z = cross(m.x.xyz, m.y.xyz);
    let turned = vec3f(dot(x, normal), dot(y, normal), dot(z, normal));
    let determinant = dot(m.x.xyz, x);
    if normal_flipped_by_negative_scale {
        return turned;
    }
    if normal_not_renormalised {
        return turned / determinant;
    }
    return select(turned, -turned, determinant < 0.0);
}

// Whether an influence moves anything: one of weight 0 may name any joint, even one that is not there.
fn counts(influence: Influence) -> bool {
    return influence.weight != 0.0 || zero_weight_joint_dereferenced;
}

// Where the rows of a joint begin.
fn first_row(influence: Influence, stride: u32) -> u32 {
    var joint = influence.joint;
    if address_rounding {
        // The index as a byte's fraction in 16 bits, times 255, cut off.
        joint = u32(quantizeToF16(f32(joint) / 255.0) * 255.0);
    }
    return joint * select(stride, 4u, palette_stride_four && stride == 3u);
}

fn palette_row(row: u32) -> vec4f {
    let numbers = palette[row];
    if palette_half_precision {
        // Not packed and unpacked: NVIDIA's compiler takes that for nothing at all.
        return quantizeToF16(numbers);
    }
    return numbers;
}

// The blend of the matrices that begin at row `offset` of a joint's `stride` rows.
fn blended_matrix(vertex: u32, stride: u32, offset: u32) -> Affine {
    if draw.influences == 0u {
        return Affine(palette[0], palette[1], palette[2]);
    }
    var sum = Affine(vec4f(0.0), vec4f(0.0), vec4f(0.0));
    for (var i = 0u; i < draw.influences; i++) {
        let influence = influences[vertex * draw.influences + i];
        if counts(influence) {
            let first = first_row(influence, stride) + offset;
            sum.x += influence.weight * palette_row(first);
            sum.y += influence.weight * palette_row(first + 1u);
            sum.z += influence.weight * palette_row(first + 2u);
        }
    }
    return sum;
}

fn translation(m: Affine) -> vec3f {
    return vec3f(m.x.w, m.y.w, m.z.w);
}

// The blend of the joints' own inverse transposes.
fn normal_by_joint(vertex: u32, normal: vec3f) -> vec3f {
    var sum = vec3f(0.0);
    for (var i = 0u; i < draw.influences; i++) {
        let influence = influences[vertex * draw.influences + i];
        if counts(influence) {
            let first = first_row(influence, 3u);
            let m = Affine(palette_row(first), palette_row(first + 1u), palette_row(first + 2u));
            let determinant = abs(dot(m.x.xyz, cross(m.y.xyz, m.z.xyz)));
            sum += influence.weight / determinant * turn_normal(m, normal);
        }
    }
    return sum;
}

// A tangent turns as its surface does; a mirror changes the side on which the bitangent lies.
fn turn_tangent(m: Affine, tangent: vec4f) -> vec4f {
    let determinant = dot(m.x.xyz, cross(m.y.xyz, m.z.xyz));
    let side = select(tangent.w, -tangent.w, determinant < 0.0 && !bitangent_sign_lost);
    return vec4f(select(linear_part(m, tangent.xyz), tangent.xyz, tangent_not_skinned), side);
}

fn place_linear(vertex: u32, position: vec3f, normal: vec3f, tangent: vec4f) -> Placed {
    let m = blended_matrix(vertex, 3u, 0u);
    var placed = Placed(linear_part(m, position) + translation(m), turn_normal(m, normal), turn_tangent(m, tangent));
    if normal_not_inverse_transposed {
        placed.normal = linear_part(m, normal);
    } else if normal_translated {
        placed.normal = linear_part(m, normal) + translation(m);
    } else if normal_inverse_transpose_per_joint && draw.influences != 0u {
        placed.normal = normal_by_joint(vertex, normal);
    }
    return placed;
}

// The mistake of bringing the vertex into the mean space of its joints before any of them moves it.
fn place_before_bind(vertex: u32, position: vec3f, normal: vec3f, tangent: vec4f) -> Placed {
    let world = blended_matrix(vertex, 6u, 0u);
    let bind = blended_matrix(vertex, 6u, 3u);
    let bound = linear_part(bind, position) + translation(bind);
    let moved = linear_part(world, bound) + translation(world);
    return Placed(moved, turn_normal(world, turn_normal(bind, normal)), turn_tangent(world, turn_tangent(bind, tangent)));
}

fn rotate(q: vec4f, v: vec3f) -> vec3f {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

// Negative where a joint's quaternion is on the other side of its sphere.
fn hemisphere(real: vec4f, pivot: vec4f) -> f32 {
    return select(dot(real, pivot), 1.0, dual_quaternion_antipodal);
}

// Kavan et al., Geometric Skinning with Approximate Dual Quaternion Blending, 2008, in two phases: what joints do
// besides turning and moving is blended linearly and applied to the rest shape first.
fn place_dual_quaternion(vertex: u32, position: vec3f, normal: vec3f, tangent: vec4f) -> Placed {
    var real = vec4f(0.0);
    var dual = vec4f(0.0);
    var stretch = Affine(vec4f(0.0), vec4f(0.0), vec4f(0.0));
    let pivot = palette_row(first_row(influences[vertex * draw.influences], 5u));
    for (var i = 0u; i < draw.influences; i++) {
        let influence = influences[vertex * draw.influences + i];
        if counts(influence) {
            let first = first_row(influence, 5u);
            // q and -q are one rotation, but their blend is not: all joints come to one hemisphere.
            let weight = select(influence.weight, -influence.weight, hemisphere(palette_row(first), pivot) < 0.0);
            real += weight * palette_row(first);
            dual += weight * palette_row(first + 1u);
            stretch.x += influence.weight * palette_row(first + 2u);
            stretch.y += influence.weight * palette_row(first + 3u);
            stretch.z += influence.weight * palette_row(first + 4u);
        }
    }
    let inverse_length = 1.0 / sqrt(dot(real, real));
    real *= inverse_length;
    dual *= select(inverse_length, 1.0, dual_quaternion_dual_part_unscaled);
    if dual_quaternion_scale_lost {
        stretch = Affine(vec4f(1.0, 0.0, 0.0, 0.0), vec4f(0.0, 1.0, 0.0, 0.0), vec4f(0.0, 0.0, 1.0, 0.0));
    }
    let offset = 2.0 * (real.w * dual.xyz - dual.w * real.xyz + cross(real.xyz, dual.xyz));
    let moved = rotate(real, linear_part(stretch, position)) + offset;
    let turned = turn_tangent(stretch, tangent);
    return Placed(moved, rotate(real, turn_normal(stretch, normal)), vec4f(rotate(real, turned.xyz), turned.w));
}

fn morph(index: u32) -> Deformed {
    let vertex = vertices[index];
    var morphed = Deformed(
        vertex.position.xyz,
        vertex.normal.xyz,
        vertex.tangent,
        vertex.texcoords,
        vertex.more_texcoords,
        vertex.color,
        vertex.normal.w,
    );
    var moves_color = false;
    for (var target_index = 0u; target_index < draw.targets; target_index++) {
        let weight = morph_weights[target_index];
        if weight.weight != 0.0 {
            let displacement = displacements[target_index * draw.vertex_count + index];
            morphed.position += weight.weight * displacement.position.xyz;
            morphed.normal += weight.weight * displacement.normal.xyz;
            morphed.tangent += weight.weight * vec4f(displacement.tangent.xyz, 0.0);
            morphed.texcoords += weight.weight * displacement.texcoords;
            morphed.more_texcoords += weight.weight * displacement.more_texcoords;
            morphed.color += weight.weight * displacement.color;
            morphed.occlusion += weight.weight * displacement.normal.w;
            moves_color = moves_color || weight.moves_color == 1u;
        }
    }
    morphed.occlusion = clamp(morphed.occlusion, 0.0, 1.0);
    if moves_color {
        morphed.color = clamp(morphed.color, vec4f(0.0), vec4f(1.0));
    }
    return morphed;
}

fn place(vertex: u32, position: vec3f, normal: vec3f, tangent: vec4f) -> Placed {
    if draw.method == 1u {
        return place_dual_quaternion(vertex, position, normal, tangent);
    }
    if draw.method == 2u {
        return place_before_bind(vertex, position, normal, tangent);
    }
    return place_linear(vertex, position, normal, tangent);
}

fn position_of(vertex: u32) -> vec3f {
    return placed_morph(vertex, morph(vertex)).position;
}

// A morphed vertex in the world.
fn placed_morph(vertex: u32, morphed: Deformed) -> Placed {
    if morph_after_skin {
        let base = vertices[vertex];
        var placed = place(vertex, base.position.xyz, base.normal.xyz, base.tangent);
        placed.position += morphed.position - base.position.xyz;
        placed.normal = direction(placed.normal) + morphed.normal - base.normal.xyz;
        placed.tangent += vec4f(morphed.tangent.xyz - base.tangent.xyz, 0.0);
        return placed;
    }
    return place(vertex, morphed.position, morphed.normal, morphed.tangent);
}

// At right angles to the normal, at unit length.
fn straight(tangent: vec4f, normal: vec3f) -> vec4f {
    let along = direction(tangent.xyz);
    if tangent_not_orthogonalised {
        return vec4f(along, tangent.w);
    }
    return vec4f(direction(along - dot(along, normal) * normal), tangent.w);
}

fn deform(vertex: u32) -> Deformed {
    let morphed = morph(vertex);
    let placed = placed_morph(vertex, morphed);
    let unit_normal = select(direction(placed.normal), placed.normal, normal_not_renormalised);
    var deformed = Deformed(
        placed.position,
        unit_normal,
        placed.tangent,
        morphed.texcoords,
        morphed.more_texcoords,
        morphed.color,
        morphed.occlusion,
    );
    if draw.is_flat == 1u {
        let corners = vertices[vertex].corners;
        let first = position_of(corners.x);
        let across = cross(position_of(corners.y) - first, position_of(corners.z) - first);
        deformed.normal = draw.side * direction(across);
    }
    deformed.tangent = straight(deformed.tangent, deformed.normal);
    return deformed;
}
