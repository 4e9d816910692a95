//! Vertices → bytes → vertices.

use std::collections::BTreeMap;

use glam::{Mat4, Vec3};
use half::f16;
use thiserror::Error;

use super::{
    codec::{decode_octahedral, decode_snorm, encode_octahedral, encode_snorm, share_out},
    format::{DirectionEncoding, FrameVectors, IndexEncoding, PositionEncoding, VertexFormat, WeightEncoding},
};
use refrast_scene::Primitive;

/// Packed vertices, and what is needed to read them.
#[derive(Clone, Debug, PartialEq)]
pub struct PackedVertices {
    /// The form.
    pub format: VertexFormat,
    /// [`VertexFormat::bytes`] a vertex.
    pub bytes: Vec<u8>,
    /// The sets of joints that [`IndexEncoding::SetNumber`] counts; empty otherwise.
    pub joint_sets: Vec<[u8; 4]>,
    /// The corners of the box of [`PositionEncoding::Unorm16`].
    pub bounds: [[f32; 3]; 2],
}

/// Why vertices can not be packed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PackingError {
    /// An attribute is missing.
    #[error("the vertices have no {attribute}, which the format stores")]
    Missing {
        /// Which.
        attribute: &'static str,
    },
    /// More than four influences.
    #[error("vertex {vertex} has {influences} influences, but the format has room for 4: limit them to 4 first")]
    TooManyInfluences {
        /// The vertex.
        vertex: usize,
        /// What it has.
        influences: usize,
    },
    /// A joint that no byte can name.
    #[error("vertex {vertex} follows joint {joint}, but a byte names at most joint 255: partition the mesh first")]
    JointTooLarge {
        /// The vertex.
        vertex: usize,
        /// The joint.
        joint: u16,
    },
    /// More sets of joints than a byte can number.
    #[error(
        "the vertices use {sets} different sets of joints, but one byte numbers 256: partition the mesh into smaller \
         sections, or use the format with four index bytes"
    )]
    TooManySets {
        /// How many.
        sets: usize,
    },
    /// A joint without an inverse bind matrix.
    #[error("vertex {vertex} follows joint {joint}, but there are {count} inverse bind matrices")]
    NoInverseBind {
        /// The vertex.
        vertex: usize,
        /// The joint.
        joint: u16,
        /// How many there are.
        count: usize,
    },
}

/// How far a vertex is from what comes back from the store.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VertexError {
    /// The largest distance of a position, in the units of its space (metres; of a joint's space where positions are
    /// stored there).
    pub position: f32,
    /// The largest distance between a normal and the unit vector that comes back: the angle in radians where small.
    pub normal: f32,
    /// The same for the tangent; 0 where the format has none.
    pub tangent: f32,
    /// The largest difference of a weight.
    pub weight: f32,
}

/// A vertex with all its copies, before packing or after unpacking. What is not used is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Vertex {
    positions: [[f32; 3]; 4],
    /// Normal; or bitangent and tangent.
    vectors: [[[f32; 3]; 2]; 4],
    weights: [f32; 4],
    joints: [u8; 4],
}

/// Packs all vertices of a primitive.
///
/// `inverse_binds` are the inverse bind matrices of the joints that the vertices name; only formats in joint space
/// look at them. Directions are stored at unit length.
///
/// # Errors
///
/// When an attribute is missing, or joints do not fit the format.
pub fn pack(
    primitive: &Primitive,
    inverse_binds: &[Mat4],
    format: VertexFormat,
) -> Result<PackedVertices, PackingError> {
    let vertices = vertices(primitive, inverse_binds, format)?;
    let mut packed = PackedVertices {
        format,
        bytes: Vec::with_capacity(vertices.len() * format.bytes()),
        joint_sets: Vec::new(),
        bounds: bounds(&vertices, format.copies()),
    };
    let mut set_numbers: BTreeMap<[u8; 4], usize> = BTreeMap::new();
    if format.indices == IndexEncoding::SetNumber {
        for vertex in &vertices {
            let next = set_numbers.len();
            if *set_numbers.entry(vertex.joints).or_insert(next) == next {
                packed.joint_sets.push(vertex.joints);
            }
        }
        let sets = packed.joint_sets.len();
        if sets > 256 {
            return Err(PackingError::TooManySets { sets });
        }
    }
    for vertex in &vertices {
        for copy in 0..format.copies() {
            packed.write_position(vertex.positions[copy]);
        }
        for copy in 0..format.copies() {
            vertex.vectors[copy][..format.vectors()].iter().for_each(|&vector| packed.write_direction(vector));
        }
        packed.write_weights(vertex.weights);
        match format.indices {
            IndexEncoding::SetNumber => packed.bytes.push(set_numbers[&vertex.joints] as u8),
            IndexEncoding::FourBytes => packed.bytes.extend(vertex.joints),
        }
    }
    Ok(packed)
}

impl PackedVertices {
    /// What the store did to each vertex of the primitive that was packed.
    ///
    /// # Errors
    ///
    /// As [`pack`].
    pub fn errors(&self, primitive: &Primitive, inverse_binds: &[Mat4]) -> Result<Vec<VertexError>, PackingError> {
        let sources = vertices(primitive, inverse_binds, self.format)?;
        let stored = self.bytes.chunks_exact(self.format.bytes()).map(|bytes| self.read(bytes));
        Ok(sources.iter().zip(stored).map(|(source, stored)| self.error(source, &stored)).collect())
    }

    fn error(&self, source: &Vertex, stored: &Vertex) -> VertexError {
        let mut error = VertexError::default();
        for copy in 0..self.format.copies() {
            error.position = error.position.max(distance(source.positions[copy], stored.positions[copy]));
            let ([first, second], [stored_first, stored_second]) = (source.vectors[copy], stored.vectors[copy]);
            match self.format.frame {
                FrameVectors::Normal => error.normal = error.normal.max(distance(first, unit(stored_first))),
                FrameVectors::BitangentTangent => {
                    let cross = |bitangent, tangent| unit(Vec3::from(tangent).cross(Vec3::from(bitangent)).to_array());
                    let normal = distance(cross(first, second), cross(stored_first, stored_second));
                    error.normal = error.normal.max(normal);
                    error.tangent = error.tangent.max(distance(second, unit(stored_second)));
                }
            }
        }
        let weights = source.weights.iter().zip(stored.weights).map(|(a, b)| (a - b).abs());
        error.weight = weights.fold(0.0, f32::max);
        error
    }

    fn write_position(&mut self, position: [f32; 3]) {
        let [low, high] = self.bounds;
        for (i, coordinate) in position.into_iter().enumerate() {
            match self.format.position {
                PositionEncoding::Float32 => self.bytes.extend(coordinate.to_le_bytes()),
                PositionEncoding::Half => self.bytes.extend(f16::from_f32(coordinate).to_le_bytes()),
                PositionEncoding::Unorm16 => {
                    let size = high[i] - low[i];
                    let part = if size > 0.0 { (coordinate - low[i]) / size } else { 0.0 };
                    self.bytes.extend(((part * 65535.0).round_ties_even() as u16).to_le_bytes());
                }
            }
        }
    }

    fn write_direction(&mut self, direction: [f32; 3]) {
        match self.format.direction {
            DirectionEncoding::Float32 => direction.iter().for_each(|c| self.bytes.extend(c.to_le_bytes())),
            DirectionEncoding::Snorm16 => self.write_snorms(&direction, 32767),
            DirectionEncoding::Snorm8 => self.write_snorms(&direction, 127),
            DirectionEncoding::Octahedral16 => self.write_snorms(&encode_octahedral(direction), 32767),
            DirectionEncoding::Octahedral8 => self.write_snorms(&encode_octahedral(direction), 127),
        }
    }

    fn write_snorms(&mut self, numbers: &[f32], maximum: i16) {
        for &number in numbers {
            let bytes = encode_snorm(number, maximum).to_le_bytes();
            self.bytes.extend(&bytes[..if maximum == 127 { 1 } else { 2 }]);
        }
    }

    fn write_weights(&mut self, weights: [f32; 4]) {
        match self.format.weight {
            WeightEncoding::Float32 => weights.iter().for_each(|weight| self.bytes.extend(weight.to_le_bytes())),
            WeightEncoding::Snorm16 => {
                share_out(weights, 32767).iter().for_each(|share| self.bytes.extend(share.to_le_bytes()));
            }
            WeightEncoding::Unorm8 => self.bytes.extend(share_out(weights, 255).map(|share| share as u8)),
        }
    }

    fn read(&self, bytes: &[u8]) -> Vertex {
        let mut reader = Reader { bytes };
        let mut vertex = Vertex::default();
        for position in &mut vertex.positions[..self.format.copies()] {
            *position = self.read_position(&mut reader);
        }
        for vectors in &mut vertex.vectors[..self.format.copies()] {
            for vector in &mut vectors[..self.format.vectors()] {
                *vector = self.read_direction(&mut reader);
            }
        }
        for weight in &mut vertex.weights {
            *weight = match self.format.weight {
                WeightEncoding::Float32 => reader.f32(),
                WeightEncoding::Snorm16 => decode_snorm(reader.i16(), 32767),
                WeightEncoding::Unorm8 => f32::from(reader.u8()) / 255.0,
            };
        }
        vertex.joints = match self.format.indices {
            IndexEncoding::SetNumber => self.joint_sets[usize::from(reader.u8())],
            IndexEncoding::FourBytes => [reader.u8(), reader.u8(), reader.u8(), reader.u8()],
        };
        vertex
    }

    fn read_position(&self, reader: &mut Reader<'_>) -> [f32; 3] {
        let [low, high] = self.bounds;
        std::array::from_fn(|i| match self.format.position {
            PositionEncoding::Float32 => reader.f32(),
            PositionEncoding::Half => f16::from_bits(reader.u16()).to_f32(),
            PositionEncoding::Unorm16 => low[i] + (high[i] - low[i]) * (f32::from(reader.u16()) / 65535.0),
        })
    }

    fn read_direction(&self, reader: &mut Reader<'_>) -> [f32; 3] {
        let mut snorm16 = || decode_snorm(reader.i16(), 32767);
        match self.format.direction {
            DirectionEncoding::Snorm16 => [snorm16(), snorm16(), snorm16()],
            DirectionEncoding::Octahedral16 => decode_octahedral([snorm16(), snorm16()]),
            DirectionEncoding::Float32 => std::array::from_fn(|_| reader.f32()),
            DirectionEncoding::Snorm8 => std::array::from_fn(|_| decode_snorm(reader.i8().into(), 127)),
            DirectionEncoding::Octahedral8 => {
                decode_octahedral(std::array::from_fn(|_| decode_snorm(reader.i8().into(), 127)))
            }
        }
    }
}

/// Little-endian numbers, one after the other. The format says how many there are.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (taken, rest) = self.bytes.split_first_chunk().expect("a vertex has as many bytes as its format says");
        self.bytes = rest;
        *taken
    }

    fn u8(&mut self) -> u8 {
        u8::from_le_bytes(self.take())
    }

    fn i8(&mut self) -> i8 {
        i8::from_le_bytes(self.take())
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    fn i16(&mut self) -> i16 {
        i16::from_le_bytes(self.take())
    }

    fn f32(&mut self) -> f32 {
        f32::from_le_bytes(self.take())
    }
}

/// The vertices as the format wants them, before any rounding.
fn vertices(primitive: &Primitive, inverse_binds: &[Mat4], format: VertexFormat) -> Result<Vec<Vertex>, PackingError> {
    let missing = |attribute| PackingError::Missing { attribute };
    let influences = primitive.influences.as_ref().ok_or(missing("joints and weights"))?;
    let normals = primitive.normals.as_ref().ok_or(missing("normals"))?;
    let tangents = match format.frame {
        FrameVectors::Normal => None,
        FrameVectors::BitangentTangent => Some(primitive.tangents.as_ref().ok_or(missing("tangents"))?),
    };
    (0..primitive.positions.len())
        .map(|index| {
            let range = index * influences.per_vertex..(index + 1) * influences.per_vertex;
            let pairs = influences.joints[range.clone()].iter().zip(&influences.weights[range]);
            let used: Vec<(u16, f32)> =
                pairs.map(|(&joint, &weight)| (joint, weight)).filter(|pair| pair.1 != 0.0).collect();
            if used.len() > 4 {
                return Err(PackingError::TooManyInfluences { vertex: index, influences: used.len() });
            }
            let normal = Vec3::from(normals[index]);
            let vectors = match tangents.map(|tangents| tangents[index]) {
                None => [normal, Vec3::ZERO],
                Some([x, y, z, w]) => [normal.cross(Vec3::new(x, y, z)) * w, Vec3::new(x, y, z)],
            };
            let position = Vec3::from(primitive.positions[index]);
            let mut vertex = Vertex::default();
            vertex.positions[0] = position.to_array();
            vertex.vectors[0] = vectors.map(|vector| unit(vector.to_array()));
            for (place, &(joint, weight)) in used.iter().enumerate() {
                vertex.weights[place] = weight;
                vertex.joints[place] =
                    u8::try_from(joint).map_err(|_| PackingError::JointTooLarge { vertex: index, joint })?;
                if format.in_joint_space {
                    let count = inverse_binds.len();
                    let bind = inverse_binds.get(usize::from(joint)).ok_or(PackingError::NoInverseBind {
                        vertex: index,
                        joint,
                        count,
                    })?;
                    vertex.positions[place] = bind.transform_point3(position).to_array();
                    vertex.vectors[place] = vectors.map(|vector| unit(bind.transform_vector3(vector).to_array()));
                }
            }
            Ok(vertex)
        })
        .collect()
}

fn bounds(vertices: &[Vertex], copies: usize) -> [[f32; 3]; 2] {
    let mut positions = vertices.iter().flat_map(|vertex| vertex.positions[..copies].iter().copied().map(Vec3::from));
    let Some(first) = positions.next() else { return [[0.0; 3]; 2] };
    let (low, high) = positions.fold((first, first), |(low, high), p| (low.min(p), high.max(p)));
    [low.to_array(), high.to_array()]
}

fn unit(vector: [f32; 3]) -> [f32; 3] {
    Vec3::from(vector).normalize_or_zero().to_array()
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    (Vec3::from(a) - Vec3::from(b)).length()
}
