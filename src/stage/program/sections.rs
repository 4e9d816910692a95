//! [`Section`]: the faces of a primitive that share a palette.

use std::num::NonZeroUsize;

use refrast_scene::{Influences, Primitive};
use refrast_skinning::{PartitionError, limit_influences, partition_by_walk};

/// The most influences that a program's four-component registers hold.
pub(super) const INFLUENCES: usize = 4;

/// Consecutive faces of a primitive with vertices of their own and a palette of few joints.
pub(super) struct Section {
    /// The skin's joints in palette order; empty where a node places the mesh.
    pub(super) joints: Vec<u16>,
    /// For each vertex of the section the vertex of the primitive.
    pub(super) vertices: Vec<u32>,
    /// For each vertex the places of its joints in `joints`. Influences of weight 0 name the vertex's first joint.
    pub(super) places: Vec<[u16; INFLUENCES]>,
    /// For each vertex the weights of `places`.
    pub(super) weights: Vec<[f32; INFLUENCES]>,
    /// Faces of the section's vertices, in the primitive's order.
    pub(super) indices: Vec<u32>,
}

/// A whole primitive on a palette of one joint.
pub(super) fn whole(primitive: &Primitive) -> Section {
    let count = primitive.positions.len();
    Section {
        joints: Vec::new(),
        vertices: (0..count as u32).collect(),
        places: vec![[0; INFLUENCES]; count],
        weights: vec![[1.0, 0.0, 0.0, 0.0]; count],
        indices: primitive.indices.clone(),
    }
}

/// A skinned primitive in sections of at most `limit` joints, with at most `most` influences a vertex.
///
/// Sections are runs of consecutive faces, and their faces keep their order, so that what is drawn first and what lies on
/// top stays as in the unsplit mesh: a better packing would move faces.
pub(super) fn split(
    primitive: &Primitive,
    influences: &Influences,
    most: NonZeroUsize,
    limit: usize,
) -> Result<Vec<Section>, PartitionError> {
    let skeleton = Primitive {
        topology: primitive.topology,
        indices: primitive.indices.clone(),
        influences: Some(limit_influences(influences, most)),
        ..Primitive::default()
    };
    let mut faces = primitive.indices.as_slice();
    let mut section_vertex = vec![0; primitive.positions.len()];
    let sections = partition_by_walk(&skeleton, limit)?.sections.into_iter().map(|part| {
        for (vertex, &source) in part.source_vertices.iter().enumerate() {
            section_vertex[source as usize] = vertex as u32;
        }
        // The partition groups faces by their number of influences; the run of faces itself is in order.
        let (own, rest) = faces.split_at(part.indices.len());
        faces = rest;
        let indices = own.iter().map(|&source| section_vertex[source as usize]).collect();
        let per_vertex = part.influences.per_vertex;
        let first = |vertex: usize| vertex * per_vertex;
        let vertices = 0..part.source_vertices.len();
        let place = |vertex: usize, rank: usize| {
            let used = rank < per_vertex && part.influences.weights[first(vertex) + rank] != 0.0;
            part.influences.joints.get(first(vertex) + if used { rank } else { 0 }).copied().unwrap_or(0)
        };
        let weight = |vertex: usize, rank: usize| {
            if rank < per_vertex { part.influences.weights[first(vertex) + rank] } else { 0.0 }
        };
        Section {
            places: vertices.clone().map(|vertex| std::array::from_fn(|rank| place(vertex, rank))).collect(),
            weights: vertices.map(|vertex| std::array::from_fn(|rank| weight(vertex, rank))).collect(),
            joints: part.joints,
            vertices: part.source_vertices,
            indices,
        }
    });
    Ok(sections.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four triangles without shared vertices; the vertices of triangle t follow joint `joints[t]`, those of triangle 1
    /// also joint 9.
    fn primitive(joints: [u16; 4]) -> Primitive {
        let influences = Influences {
            per_vertex: 2,
            joints: joints.iter().flat_map(|&joint| [joint, 9].repeat(3)).collect(),
            weights: (0..4).flat_map(|t| if t == 1 { [0.75, 0.25].repeat(3) } else { [1.0, 0.0].repeat(3) }).collect(),
        };
        Primitive {
            positions: vec![[0.0; 3]; 12],
            indices: (0..12).rev().collect(),
            influences: Some(influences),
            ..Primitive::default()
        }
    }

    #[test]
    fn sections_are_runs_of_faces_in_order() {
        let primitive = primitive([3, 4, 3, 5]);
        let influences = primitive.influences.as_ref().unwrap();
        let sections = split(&primitive, influences, NonZeroUsize::new(4).unwrap(), 2).unwrap();
        // In the order of the indices the triangles follow joints 5; 3; 4 and 9; 3.
        let joints: Vec<&[u16]> = sections.iter().map(|section| section.joints.as_slice()).collect();
        assert_eq!(joints, [&[3, 5][..], &[4, 9], &[3]]);
        let faces = sections.iter().flat_map(|section| {
            section.indices.iter().map(|&index| section.vertices[index as usize]).collect::<Vec<_>>()
        });
        assert_eq!(faces.collect::<Vec<_>>(), primitive.indices);
        // Joint 3 is the first of two in the first section and the only one of the last.
        let place_of = |section: usize, vertex: u32| {
            let section = &sections[section];
            let own = section.vertices.iter().position(|&source| source == vertex).unwrap();
            (section.places[own], section.weights[own])
        };
        assert_eq!(place_of(0, 9), ([1, 1, 1, 1], [1.0, 0.0, 0.0, 0.0]));
        assert_eq!(place_of(0, 6), ([0, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]));
        assert_eq!(place_of(1, 3), ([0, 1, 0, 0], [0.75, 0.25, 0.0, 0.0]));
        assert_eq!(place_of(2, 0), ([0, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]));
    }

    #[test]
    fn influences_that_a_program_does_not_read_are_dropped_and_the_rest_rescaled() {
        let primitive = primitive([3, 4, 3, 5]);
        let influences = primitive.influences.as_ref().unwrap();
        let sections = split(&primitive, influences, NonZeroUsize::MIN, 28).unwrap();
        assert_eq!(sections[0].joints, [3, 4, 5]);
        assert!(sections[0].weights.iter().all(|weights| *weights == [1.0, 0.0, 0.0, 0.0]));
        assert!(split(&primitive, influences, NonZeroUsize::new(2).unwrap(), 1).is_err());
    }
}
