//! Primitives: quads, spheres, bars.

use refrast_scene::Primitive;

/// A quad with its lower left corner at `from`, along x and y, facing +z; its texture coordinates run over `uv` from the
/// upper left corner to the lower right one.
pub(super) fn quad(from: [f32; 3], size: [f32; 2], uv: [[f32; 2]; 2]) -> Primitive {
    grid(from, size, uv, [1, 1])
}

/// As [`quad`], of `cells` along each axis.
pub(super) fn grid([x, y, z]: [f32; 3], size: [f32; 2], uv: [[f32; 2]; 2], cells: [u32; 2]) -> Primitive {
    let mut primitive = Primitive { normals: Some(Vec::new()), texcoords: vec![Vec::new()], ..Primitive::default() };
    for row in 0..=cells[1] {
        for column in 0..=cells[0] {
            let [s, t] = [column as f32 / cells[0] as f32, row as f32 / cells[1] as f32];
            primitive.positions.push([x + s * size[0], y + t * size[1], z]);
            primitive.normals.get_or_insert_default().push([0.0, 0.0, 1.0]);
            let mix = |axis: usize, part: f32| uv[0][axis] + part * (uv[1][axis] - uv[0][axis]);
            primitive.texcoords[0].push([mix(0, s), mix(1, 1.0 - t)]);
        }
    }
    join_rows(&mut primitive, cells);
    primitive
}

/// Triangles between the rows of (`cells`\[0\] + 1) vertices.
fn join_rows(primitive: &mut Primitive, [columns, rows]: [u32; 2]) {
    for row in 0..rows {
        for column in 0..columns {
            let a = row * (columns + 1) + column;
            let c = a + columns + 1;
            primitive.indices.extend([a, a + 1, c + 1, a, c + 1, c]);
        }
    }
    primitive.source_vertex_count = primitive.positions.len();
    primitive.source_vertices = (0..primitive.positions.len() as u32).collect();
}

/// A sphere around the origin.
pub(super) fn sphere(radius: f32, cells: [u32; 2]) -> Primitive {
    use std::f32::consts::PI;
    let mut sphere = grid([0.0; 3], [2.0 * PI, PI], [[0.0; 2], [1.0; 2]], cells);
    let (mut normals, mut positions) = (Vec::new(), Vec::new());
    for [longitude, latitude, _] in &sphere.positions {
        let ((sin_long, cos_long), (sin_lat, cos_lat)) =
            (libm::sincosf(*longitude), libm::sincosf(latitude - PI / 2.0));
        let normal = [sin_long * cos_lat, sin_lat, cos_long * cos_lat];
        positions.push(normal.map(|component| component * radius));
        normals.push(normal);
    }
    (sphere.positions, sphere.normals) = (positions, Some(normals));
    sphere
}

/// An upright bar from y = 0 to `height`, open at its ends, smooth all round.
pub(super) fn bar(radius: f32, height: f32, cells: [u32; 2]) -> Primitive {
    use std::f32::consts::PI;
    let mut bar = grid([0.0; 3], [2.0 * PI, height], [[0.0; 2], [1.0; 2]], cells);
    let (mut normals, mut positions) = (Vec::new(), Vec::new());
    for [angle, y, _] in &bar.positions {
        let (sine, cosine) = libm::sincosf(*angle);
        positions.push([sine * radius, *y, cosine * radius]);
        normals.push([sine, 0.0, cosine]);
    }
    (bar.positions, bar.normals) = (positions, Some(normals));
    bar
}

/// The same without normals: three vertices a triangle, each with the triangle's own direction.
pub(super) fn flat(primitive: &Primitive) -> Primitive {
    let pick = |vertex: &u32| *vertex as usize;
    let positions: Vec<[f32; 3]> = primitive.indices.iter().map(|v| primitive.positions[pick(v)]).collect();
    let sets = primitive.texcoords.iter();
    let texcoords = sets.map(|set| primitive.indices.iter().map(|v| set[pick(v)]).collect()).collect();
    let count = positions.len();
    Primitive {
        indices: (0..count as u32).collect(),
        source_vertices: primitive.indices.clone(),
        source_vertex_count: primitive.source_vertex_count,
        positions,
        texcoords,
        normals: None,
        flat: true,
        ..Primitive::default()
    }
}
