//! Which numbers a packed vertex has, and in which form.

/// The layout of a packed vertex with four influences.
///
/// The attributes follow each other without padding, little-endian: positions, frame vectors, weights, indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexFormat {
    /// Positions and frame vectors are stored four times, in the space of each joint (the "vertex offset" of the 2001
    /// talk), instead of once in mesh space.
    pub in_joint_space: bool,
    /// Three numbers a position.
    pub position: PositionEncoding,
    /// Which directions there are.
    pub frame: FrameVectors,
    /// Their form.
    pub direction: DirectionEncoding,
    /// Four weights.
    pub weight: WeightEncoding,
    /// Four joints.
    pub indices: IndexEncoding,
}

/// The form of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionEncoding {
    /// Three f32.
    Float32,
    /// Three IEEE binary16.
    Half,
    /// Three times n/65535 of the box around all positions.
    Unorm16,
}

/// Which directions a vertex has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameVectors {
    /// The normal, for lighting by vertex.
    Normal,
    /// Bitangent and tangent, for lighting by pixel: the normal is cross(tangent, bitangent). A mirrored frame comes
    /// back with its normal turned round, because nothing says that it is mirrored.
    BitangentTangent,
}

/// The form of a direction of unit length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectionEncoding {
    /// Three f32.
    Float32,
    /// Three times n/32767.
    Snorm16,
    /// Three times n/127.
    Snorm8,
    /// Two octahedral coordinates, n/32767.
    Octahedral16,
    /// Two octahedral coordinates, n/127.
    Octahedral8,
}

/// The form of four weights that sum to 1. Those in whole numbers sum to exactly 1 still: they are shared out by
/// largest remainders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightEncoding {
    /// Four f32.
    Float32,
    /// Four times n/32767, the short of 2001.
    Snorm16,
    /// Four times n/255.
    Unorm8,
}

/// The form of four joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexEncoding {
    /// One byte in all: the number of one of at most 256 sets of four joints. That is the one byte that the sums of
    /// the 2001 talk count.
    SetNumber,
    /// A byte for each joint.
    FourBytes,
}

impl VertexFormat {
    /// The talk's vertex-offset format for lighting by vertex: 81 bytes.
    pub const VERTEX_OFFSET_81: Self = Self { in_joint_space: true, ..Self::BONE_OFFSET_27 };
    /// The talk's vertex-offset format for lighting by pixel: 105 bytes.
    pub const VERTEX_OFFSET_105: Self = Self { in_joint_space: true, ..Self::BONE_OFFSET_33 };
    /// The talk's bone-offset format for lighting by vertex: 27 bytes.
    pub const BONE_OFFSET_27: Self = Self {
        in_joint_space: false,
        position: PositionEncoding::Float32,
        frame: FrameVectors::Normal,
        direction: DirectionEncoding::Snorm16,
        weight: WeightEncoding::Snorm16,
        indices: IndexEncoding::SetNumber,
    };
    /// The talk's bone-offset format for lighting by pixel: 33 bytes.
    pub const BONE_OFFSET_33: Self = Self { frame: FrameVectors::BitangentTangent, ..Self::BONE_OFFSET_27 };
    /// What renderers use today: 16-bit positions in a box, octahedral normals, bytes for weights and joints; 18 bytes.
    pub const COMPACT_18: Self = Self {
        in_joint_space: false,
        position: PositionEncoding::Unorm16,
        frame: FrameVectors::Normal,
        direction: DirectionEncoding::Octahedral16,
        weight: WeightEncoding::Unorm8,
        indices: IndexEncoding::FourBytes,
    };
    /// As [`COMPACT_18`](Self::COMPACT_18) with half-precision positions and 8-bit normals: 17 bytes.
    pub const HALF_17: Self =
        Self { position: PositionEncoding::Half, direction: DirectionEncoding::Snorm8, ..Self::COMPACT_18 };

    /// Bytes a vertex: (positions + directions) · copies + weights + indices, without padding.
    #[must_use]
    pub const fn bytes(self) -> usize {
        let position = match self.position {
            PositionEncoding::Float32 => 12,
            PositionEncoding::Half | PositionEncoding::Unorm16 => 6,
        };
        let direction = match self.direction {
            DirectionEncoding::Float32 => 12,
            DirectionEncoding::Snorm16 => 6,
            DirectionEncoding::Snorm8 => 3,
            DirectionEncoding::Octahedral16 => 4,
            DirectionEncoding::Octahedral8 => 2,
        };
        let weights = match self.weight {
            WeightEncoding::Float32 => 16,
            WeightEncoding::Snorm16 => 8,
            WeightEncoding::Unorm8 => 4,
        };
        let indices = match self.indices {
            IndexEncoding::SetNumber => 1,
            IndexEncoding::FourBytes => 4,
        };
        (position + direction * self.vectors()) * self.copies() + weights + indices
    }

    /// How often positions and directions are stored.
    pub(super) const fn copies(self) -> usize {
        if self.in_joint_space { 4 } else { 1 }
    }

    /// How many directions a copy has.
    pub(super) const fn vectors(self) -> usize {
        match self.frame {
            FrameVectors::Normal => 1,
            FrameVectors::BitangentTangent => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formats_have_the_sizes_in_their_names() {
        assert_eq!(VertexFormat::VERTEX_OFFSET_81.bytes(), 81);
        assert_eq!(VertexFormat::VERTEX_OFFSET_105.bytes(), 105);
        assert_eq!(VertexFormat::BONE_OFFSET_27.bytes(), 27);
        assert_eq!(VertexFormat::BONE_OFFSET_33.bytes(), 33);
        assert_eq!(VertexFormat::COMPACT_18.bytes(), 18);
        assert_eq!(VertexFormat::HALF_17.bytes(), 17);
    }
}
