//! Pose → deformed vertices in world space.
//!
//! Why it exists: this is what the whole project is about. A vertex is morphed, then moved by the joints it follows;
//! its normal and tangent go with it. Every operation and every order of summation is fixed, so that the result is
//! the same bits on every machine, and is what a backend's vertices are held against.
//!
//! A scene is prepared once ([`PreparedPrimitive`]); each frame a [`Palette`] is made from the pose, and a
//! [`Deformation`] fills [`DeformedVertices`].

mod blend;
mod deformation;
mod deformed;
mod dual_quaternion;
mod expression;
mod flat;
mod gather;
mod grouping;
mod influences;
mod joint_set;
mod lanes;
mod linear;
mod method;
mod morph;
pub mod packing;
mod palette;
mod partition;
mod per_joint;
mod prepared;
mod qtangent;
mod rigid_motion;
mod vectors;

pub use deformation::{Deformation, Placement, SkinningError};
pub use deformed::DeformedVertices;
pub use expression::{keep_most_active, morph_numbers, serial_weights};
pub use influences::limit_influences;
pub use lanes::LANES;
pub use method::{NormalMode, SkinningMethod, UnknownNameError};
pub use morph::{morph_colors, morph_occlusion, morph_texcoords};
pub use palette::Palette;
pub use partition::{FaceGroup, Partition, PartitionError, Section, partition, partition_by_walk};
pub use prepared::PreparedPrimitive;
pub use qtangent::{QTangent, QTangentStore, TangentFrame, skin_qtangents};
pub use rigid_motion::unit_dual_quaternion;
