//! Tangents for normal maps whose file gives none: MikkTSpace.
//!
//! Why it exists: a normal map was baked against one tangent space, and glTF says that it is MikkTSpace's (section
//! 3.7.2.1). The crate reproduces the original C program to the byte; only its arc cosine is replaced by the one of
//! `libm`, so that it is the same on every machine.
//!
//! Tangents are those of the base mesh. The specification suggests to generate them again for every state of the morph
//! targets; a renderer that takes its tangents from a vertex buffer can not, and neither do we.

use std::collections::HashMap;

use bevy_mikktspace::{Geometry, Ops, TangentSpace, generate_tangents};
use glam::Vec3;

use super::{error::Problem, model::Primitive, split};

/// MikkTSpace visits the triangles around a vertex recursively; this many are safe on any thread's stack.
const TRIANGLES_PER_VERTEX_LIMIT: usize = 2048;

/// What a corner gets where MikkTSpace finds no direction: what the original program hands out then, whose orientation nobody has set.
const DEFAULT_TANGENT: [f32; 4] = [1.0, 0.0, 0.0, -1.0];

/// Generates the tangents of a triangle list for the texture coordinate set `texcoord`, which must exist.
///
/// A vertex whose corners get different tangents is split: the first one keeps its index, the others are appended.
pub(super) fn generate(primitive: &mut Primitive, texcoord: usize) -> Result<(), Problem> {
    let normals = match &primitive.normals {
        Some(normals) => normals.clone(),
        None => face_normals(primitive),
    };
    let tangents = {
        let mut corners = Corners {
            primitive,
            normals: &normals,
            texcoords: &primitive.texcoords[texcoord],
            tangents: vec![DEFAULT_TANGENT; primitive.indices.len()],
        };
        corners.check_valence()?;
        generate_tangents(&mut corners).map_err(|error| Problem::Value(error.to_string()))?;
        corners.tangents
    };
    weld(primitive, &tangents);
    Ok(())
}

/// The normal of each vertex of a flat primitive at rest; zero for a degenerate triangle.
fn face_normals(primitive: &Primitive) -> Vec<[f32; 3]> {
    let mut normals = vec![[0.0; 3]; primitive.positions.len()];
    for triangle in primitive.indices.chunks_exact(3) {
        let [a, b, c] = [0, 1, 2].map(|corner| Vec3::from(primitive.positions[triangle[corner] as usize]));
        let normal = (b - a).cross(c - a).normalize_or_zero().to_array();
        triangle.iter().for_each(|vertex| normals[*vertex as usize] = normal);
    }
    normals
}

/// Stores one tangent a corner, splitting vertices where corners disagree.
fn weld(primitive: &mut Primitive, corner_tangents: &[[f32; 4]]) {
    let original_count = primitive.positions.len();
    let mut order: Vec<u32> = (0..original_count as u32).collect();
    let mut tangents: Vec<Option<[f32; 4]>> = vec![None; original_count];
    // Tangents that a vertex has besides its first.
    let mut others: HashMap<(u32, [u32; 4]), u32> = HashMap::new();
    for (index, tangent) in primitive.indices.iter_mut().zip(corner_tangents) {
        let vertex = *index;
        let first = *tangents[vertex as usize].get_or_insert(*tangent);
        let bits = tangent.map(f32::to_bits);
        if first.map(f32::to_bits) != bits {
            *index = *others.entry((vertex, bits)).or_insert_with(|| {
                order.push(vertex);
                tangents.push(Some(*tangent));
                (order.len() - 1) as u32
            });
        }
    }
    split::gather(primitive, &order);
    primitive.tangents = Some(tangents.into_iter().map(|tangent| tangent.unwrap_or(DEFAULT_TANGENT)).collect());
}

/// The primitive as MikkTSpace wants to see it: three corners a face.
struct Corners<'a> {
    primitive: &'a Primitive,
    normals: &'a [[f32; 3]],
    texcoords: &'a [[f32; 2]],
    tangents: Vec<[f32; 4]>,
}

impl Corners<'_> {
    fn vertex(&self, face: usize, corner: usize) -> usize {
        self.primitive.indices[3 * face + corner] as usize
    }

    /// Refuses a mesh with more triangles around one point than the recursion bears. MikkTSpace joins vertices that
    /// are equal in position, normal and texture coordinate, so these are counted together.
    fn check_valence(&self) -> Result<(), Problem> {
        let mut valence: HashMap<[u32; 8], usize> = HashMap::new();
        for vertex in &self.primitive.indices {
            let vertex = *vertex as usize;
            let ([x, y, z], [nx, ny, nz], [u, v]) =
                (self.primitive.positions[vertex], self.normals[vertex], self.texcoords[vertex]);
            // Adding 0 makes −0 equal to +0, as MikkTSpace's comparison does.
            let count = valence.entry([x, y, z, nx, ny, nz, u, v].map(|value| (value + 0.0).to_bits())).or_default();
            *count += 1;
            if *count > TRIANGLES_PER_VERTEX_LIMIT {
                return Err(Problem::TooLarge(format!(
                    "more than {TRIANGLES_PER_VERTEX_LIMIT} triangles meet at vertex {vertex}, too many to generate \
                     tangents (MikkTSpace) for"
                )));
            }
        }
        Ok(())
    }
}

/// Square root and arc cosine that are the same on every machine.
struct PortableOps;

impl Ops for PortableOps {
    fn sqrt(x: f32) -> f32 {
        x.sqrt()
    }

    fn acos(x: f32) -> f32 {
        libm::acos(f64::from(x)) as f32
    }
}

impl Geometry<PortableOps> for Corners<'_> {
    fn num_faces(&self) -> usize {
        self.primitive.indices.len() / 3
    }

    fn num_vertices_of_face(&self, _face: usize) -> usize {
        3
    }

    fn position(&self, face: usize, corner: usize) -> [f32; 3] {
        self.primitive.positions[self.vertex(face, corner)]
    }

    fn normal(&self, face: usize, corner: usize) -> [f32; 3] {
        self.normals[self.vertex(face, corner)]
    }

    fn tex_coord(&self, face: usize, corner: usize) -> [f32; 2] {
        let [u, v] = self.texcoords[self.vertex(face, corner)];
        // The bitangent follows +v. glTF's v points down its normal maps, whose green points up; a negated v, unlike
        // 1 − v, is exact.
        [u, -v]
    }

    fn set_tangent(&mut self, space: Option<TangentSpace>, face: usize, corner: usize) {
        // Positions near the limit of f32 overflow on the way; such a corner has no direction either.
        if let Some(space) = space
            && space.tangent().iter().all(|value| value.is_finite())
        {
            self.tangents[3 * face + corner] = space.tangent_encoded();
        }
    }
}
