//! Normals of deformed faces, for primitives whose file gives none.

use super::deformed::{DeformedVertices, Frames};

/// Gives the three vertices of every triangle the direction of cross(p1 − p0, p2 − p0), and takes out of each
/// tangent its part along that normal.
///
/// In a mirrored draw the direction is turned round: the normal of a face points to the side from which the face is
/// seen as front, as the inverse transpose of its normal at rest would. A face without area has the normal zero, and so has
/// one that is not finite.
pub(super) fn face_normals(triangles: &[[u32; 3]], vertices: &mut DeformedVertices) {
    let side = if vertices.mirrored() { -1.0 } else { 1.0 };
    let Frames { positions, normals, tangents } = vertices.frames();
    let (Some(mut normals), mut tangents) = (normals, tangents) else { return };
    for triangle in triangles {
        let [a, b, c] = triangle.map(|vertex| positions.map(|plane| plane[vertex as usize]));
        let normal = scale(normalize(across(a, b, c)), side);
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

/// cross(b − a, c − a), up to a positive factor where the products of the edges are no f32.
fn across(a: Vector, b: Vector, c: Vector) -> Vector {
    let normal = cross(subtract(b, a), subtract(c, a));
    if normal.iter().all(|component| component.is_finite()) {
        return normal;
    }
    // A quarter of each corner, so that the edges are finite if the corners are.
    let [a, b, c] = [a, b, c].map(|corner| scale(corner, 0.25));
    let [right, left] = [subtract(b, a), subtract(c, a)].map(|edge| scale(edge, factor(edge)));
    cross(right, left)
}

/// The power of two that brings the largest component into [1, 16), as the kernels choose it.
fn factor(v: Vector) -> f32 {
    let largest = v.iter().fold(0.0f32, |largest, component| largest.max(component.abs()));
    f32::from_bits(0x7f00_0000 - (largest.to_bits() & 0x7e00_0000))
}

/// As the kernels do it, with the largest component brought near 1 first, so that no square is lost.
fn normalize(v: Vector) -> Vector {
    let v = scale(v, factor(v));
    let squared = dot(v, v);
    if squared > 0.0 && squared < f32::INFINITY {
        v.map(|component| component * (1.0 / squared.sqrt()))
    } else {
        [0.0; 3]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_every_length_have_a_direction() {
        for exponent in -149..=127 {
            let long = libm::ldexpf(1.0, exponent);
            assert_eq!(normalize([0.0, -long, 0.0]), [0.0, -1.0, 0.0], "2^{exponent}");
        }
        // 3, 4 and 5, as long as they go.
        let power = libm::ldexpf(1.0, 125);
        let [x, y, z] = normalize([3.0 * power, 0.0, 4.0 * power]);
        assert!((x - 0.6).abs() < 1e-7 && y == 0.0 && (z - 0.8).abs() < 1e-7, "{x} {y} {z}");
        for none in [[0.0; 3], [f32::INFINITY, 1.0, 0.0], [f32::NEG_INFINITY; 3], [1.0, f32::NAN, 0.0]] {
            assert_eq!(normalize(none), [0.0; 3]);
        }
    }

    #[test]
    fn faces_of_every_size_have_a_normal() {
        for size in [1.0, 1e-15, 1e18, 1e30, f32::MAX] {
            let corners = [[-size, -size, 0.0], [size, -size, 0.0], [-size, size, 0.0]];
            let [a, b, c] = corners;
            assert_eq!(normalize(across(a, b, c)), [0.0, 0.0, 1.0], "{size}");
            assert_eq!(normalize(across(a, c, b)), [0.0, 0.0, -1.0], "{size}");
        }
        let far = [f32::INFINITY, 0.0, 0.0];
        assert_eq!(normalize(across([0.0; 3], far, [0.0, 1.0, 0.0])), [0.0; 3]);
    }
}
