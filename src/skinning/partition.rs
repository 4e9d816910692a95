//! Meshes in sections with few joints each, for machines whose palette is short.
//!
//! A machine with 96 constants has room for 28 joints, one of 2004 for 60. A mesh with more is drawn in sections:
//! each has a palette of its own, and vertices of its own, because the joints they name are numbered anew.

use std::{collections::BTreeMap, ops::Range};

use thiserror::Error;

use super::{
    grouping::{Strategy, group_sets},
    joint_set::JointSet,
};
use refrast_scene::{Influences, MorphTarget, Primitive, Topology};

/// A primitive in sections of at most so many joints.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    /// In the order of the first face of each.
    pub sections: Vec<Section>,
}

/// Faces that are drawn with one palette. A section belongs to one primitive, so it has one material.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The joints of the skin that the section's palette holds, ascending: its joint i is the skin's `joints[i]`.
    pub joints: Vec<u16>,
    /// For each vertex of the section the vertex of the primitive that it is a copy of.
    pub source_vertices: Vec<u32>,
    /// Joints of the section, weights as they were; influences of weight 0 name joint 0.
    pub influences: Influences,
    /// Faces of the section's vertices, those with the fewest influences first, otherwise in the primitive's order.
    pub indices: Vec<u32>,
    /// The faces by the most influences that one of their vertices has.
    pub groups: Vec<FaceGroup>,
}

/// Faces that need the same number of influences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaceGroup {
    /// The most influences that a vertex of these faces has.
    pub influences: usize,
    /// Where the faces stand in [`Section::indices`].
    pub indices: Range<usize>,
}

/// Why a primitive can not be partitioned.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PartitionError {
    /// Nothing to partition by.
    #[error("the primitive has no joints and weights: it needs no partition")]
    NoInfluences,
    /// A single face needs more joints than a section may have.
    #[error(
        "face {face} needs {joints} joints, but a section may have {limit}: allow {joints}, or keep fewer influences \
         a vertex (`--max-influences`)"
    )]
    FaceTooLarge {
        /// Its number in the primitive.
        face: usize,
        /// What it needs.
        joints: usize,
        /// What is allowed.
        limit: usize,
    },
}

impl Section {
    /// The section as a primitive of its own: its copies of the vertices, its joints, its faces.
    ///
    /// `primitive` is the one that was partitioned.
    #[must_use]
    pub fn extract(&self, primitive: &Primitive) -> Primitive {
        fn copies<T: Copy>(values: &[T], sources: &[u32]) -> Vec<T> {
            sources.iter().map(|&source| values[source as usize]).collect()
        }
        fn some_copies<T: Copy>(values: Option<&Vec<T>>, sources: &[u32]) -> Option<Vec<T>> {
            values.map(|values| copies(values, sources))
        }
        let sources = &self.source_vertices;
        let origin = |vertex: u32| primitive.source_vertices.get(vertex as usize).copied().unwrap_or(vertex);
        let target = |target: &MorphTarget| MorphTarget {
            positions: some_copies(target.positions.as_ref(), sources),
            normals: some_copies(target.normals.as_ref(), sources),
            tangents: some_copies(target.tangents.as_ref(), sources),
            texcoords: target.texcoords.iter().map(|set| some_copies(set.as_ref(), sources)).collect(),
            colors: some_copies(target.colors.as_ref(), sources),
            occlusion: some_copies(target.occlusion.as_ref(), sources),
        };
        Primitive {
            topology: primitive.topology,
            indices: self.indices.clone(),
            source_vertices: sources.iter().map(|&vertex| origin(vertex)).collect(),
            source_vertex_count: primitive.source_vertex_count,
            positions: copies(&primitive.positions, sources),
            normals: some_copies(primitive.normals.as_ref(), sources),
            flat: primitive.flat,
            tangents: some_copies(primitive.tangents.as_ref(), sources),
            texcoords: primitive.texcoords.iter().map(|set| copies(set, sources)).collect(),
            colors: some_copies(primitive.colors.as_ref(), sources),
            occlusion: some_copies(primitive.occlusion.as_ref(), sources),
            influences: Some(self.influences.clone()),
            targets: primitive.targets.iter().map(target).collect(),
            material: primitive.material,
        }
    }
}

/// Partitions a primitive into few sections of at most `limit` joints each.
///
/// # Errors
///
/// When there are no influences, or a single face needs more joints than `limit`.
pub fn partition(primitive: &Primitive, limit: usize) -> Result<Partition, PartitionError> {
    partition_by(primitive, limit, Strategy::FewSections)
}

/// Partitions a primitive by the walk of 2004: faces in order, and a new section whenever one does not fit any more.
/// It is kept to be compared with.
///
/// # Errors
///
/// As [`partition`].
pub fn partition_by_walk(primitive: &Primitive, limit: usize) -> Result<Partition, PartitionError> {
    partition_by(primitive, limit, Strategy::Walk)
}

fn partition_by(primitive: &Primitive, limit: usize, strategy: Strategy) -> Result<Partition, PartitionError> {
    let influences = primitive.influences.as_ref().ok_or(PartitionError::NoInfluences)?;
    let corners = match primitive.topology {
        Topology::Points => 1,
        Topology::Lines => 2,
        Topology::Triangles => 3,
    };
    let joint_count = influences.joints.iter().max().map_or(0, |&joint| usize::from(joint) + 1);
    let faces: Vec<&[u32]> = primitive.indices.chunks_exact(corners).collect();
    let sets: Vec<JointSet> = faces.iter().map(|face| joints_of(face, influences, joint_count)).collect();
    for (face, set) in sets.iter().enumerate() {
        let joints = set.len();
        if joints > limit {
            return Err(PartitionError::FaceTooLarge { face, joints, limit });
        }
    }
    let groups = group_sets(&sets, limit, strategy);
    Ok(Partition { sections: groups.iter().map(|group| section(group, &faces, &sets, influences)).collect() })
}

/// The nonzero influences of a vertex.
fn pairs(influences: &Influences, vertex: u32) -> impl Iterator<Item = (u16, f32)> {
    let range = vertex as usize * influences.per_vertex..(vertex as usize + 1) * influences.per_vertex;
    let pairs = influences.joints[range.clone()].iter().copied().zip(influences.weights[range].iter().copied());
    pairs.filter(|&(_, weight)| weight != 0.0)
}

fn joints_of(face: &[u32], influences: &Influences, joint_count: usize) -> JointSet {
    let mut set = JointSet::empty(joint_count);
    for &vertex in face {
        pairs(influences, vertex).for_each(|(joint, _)| set.insert(joint));
    }
    set
}

fn section(group: &[usize], faces: &[&[u32]], sets: &[JointSet], influences: &Influences) -> Section {
    let mut joints = sets[group[0]].clone();
    group.iter().for_each(|&face| joints.insert_all(&sets[face]));
    let joints: Vec<u16> = joints.joints().collect();
    let needs = |face: usize| faces[face].iter().map(|&vertex| pairs(influences, vertex).count()).max().unwrap_or(0);
    let mut by_need: Vec<(usize, usize)> = group.iter().map(|&face| (needs(face), face)).collect();
    by_need.sort_unstable();
    let mut section = Section {
        source_vertices: Vec::new(),
        influences: Influences { per_vertex: influences.per_vertex, ..Influences::default() },
        indices: Vec::new(),
        groups: Vec::new(),
        joints,
    };
    let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
    for faces_in_need in by_need.chunk_by(|(one, _), (other, _)| one == other) {
        let start = section.indices.len();
        for &vertex in faces_in_need.iter().flat_map(|&(_, face)| faces[face]) {
            let number = *numbers.entry(vertex).or_insert_with(|| {
                section.source_vertices.push(vertex);
                section.source_vertices.len() as u32 - 1
            });
            section.indices.push(number);
        }
        section.groups.push(FaceGroup { influences: faces_in_need[0].0, indices: start..section.indices.len() });
    }
    for &vertex in &section.source_vertices {
        let mut remapped: Vec<(u16, f32)> = pairs(influences, vertex)
            .map(|(joint, weight)| (section.joints.partition_point(|&j| j < joint) as u16, weight))
            .collect();
        remapped.resize(influences.per_vertex, (0, 0.0));
        section.influences.joints.extend(remapped.iter().map(|&(joint, _)| joint));
        section.influences.weights.extend(remapped.iter().map(|&(_, weight)| weight));
    }
    section
}
