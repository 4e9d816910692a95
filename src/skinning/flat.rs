//! Normals of deformed faces, for primitives whose file gives none.

use super::deformed::{DeformedVertices, Frames};

/// Gives the three vertices of every triangle the direction of cross(p1 − p0, p2 − p0), and takes out of each
/// tangent its part along that normal.
///
/// In a mirrored draw the direction is turned round: the normal of a face points to the side from which the face is
/// seen as front, as the inverse transpose of its normal at rest would. A face without area has the normal zero.
pub(super) fn face_normals(triangles: &[[u32; 3]], vertices: &mut DeformedVertices) {
    let side = if vertices.mirrored() { -1.0 } else { 1.0 };
    let Frames { positions, normals, tangents } = vertices.frames();
    let (Some(mut normals), mut tangents) = (normals, tangents) else { return };
    for triangle in triangles {
        let [a, b, c] = triangle.map(|vertex| positions.map(|plane| plane[vertex as usize]));
        let normal = scale(normalize(cross(subtract(b, a), subtract(c, a))), side);
        for vertex in triangle.map(|vertex| vertex as usize) {
            set(&mut normals, vertex, normal);
            if let Some([planes @ .., _]) = &mut tangents {
                let tangent = planes.each_ref().map(|plane| plane[vertex]);
                let along = dot(tangent, normal);
                set(planes, vertex, normalize(subtract(tangent, scale(normal, along))));
            }
        }
    }
}

type Vector = [f32; 3];

fn set(planes: &mut [&mut [f32]; 3], vertex: usize, vector: Vector) {
    for (plane, component) in planes.iter_mut().zip(vector) {
        plane[vertex] = component;
    }
}

fn subtract(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn scale(a: Vector, by: f32) -> Vector {
    a.map(|component| component * by)
}

fn dot(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// As the kernels do it: the largest component is brought into [1, 2) first, so that no square is lost.
fn normalize(v: Vector) -> Vector {
    let largest = v.iter().fold(0.0f32, |largest, component| largest.max(component.abs()));
    let scale = f32::from_bits(0x7f00_0000u32.wrapping_sub(largest.to_bits() & 0x7f80_0000));
    let v = v.map(|component| component * scale);
    let squared = dot(v, v);
    if squared > 0.0 && squared < f32::INFINITY {
        v.map(|component| component * (1.0 / squared.sqrt()))
    } else {
        [0.0; 3]
    }
}
