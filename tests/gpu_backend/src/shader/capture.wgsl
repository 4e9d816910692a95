// Writes the deformed vertices to a buffer that the processor reads back.

struct Captured {
    position: vec4f,
    normal: vec4f,
    tangent: vec4f,
}

@group(0) @binding(0) var<storage, read_write> captured: array<Captured>;

@compute @workgroup_size(64)
fn capture(@builtin(global_invocation_id) id: vec3u) {
    if id.x < draw.vertex_count {
        let deformed = deform(id.x);
        captured[id.x] = Captured(vec4f(deformed.position, 1.0), vec4f(deformed.normal, 0.0), deformed.tangent);
    }
}
