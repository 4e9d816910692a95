//! The library: skinning as it was written for this machine, in three dialects.
//!
//! Each program's head says which attributes and constants it reads. They agree where they can: the projection is in
//! c[0..3], the light in c[4..6], the literals (0, 1, 0.5, 2) in c[7], eye and colour of highlights in
//! c[8..9] where light is left to the stage behind, and a palette starts at c[12], which leaves room
//! for 28 affine joints or 42 dual quaternions. Row addresses come ready multiplied: an index attribute holds the
//! joint's place in the draw's palette times the rows of a joint ([`ConstantBudget::rows_per_joint`]).
//!
//! In the ARB form `c[n]` is `program.env[n]` and `v[n]` is `vertex.attrib[n]`; the `vs_1_1` form declares the usages.
//!
//! [`ConstantBudget::rows_per_joint`]: super::ConstantBudget::rows_per_joint

/// A program of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibraryProgram {
    /// Its name.
    pub name: &'static str,
    /// The text in `!!VP1.0`.
    pub vp10: &'static str,
    /// The text in `!!ARBvp1.0`.
    pub arb: &'static str,
    /// The text in `vs_1_1`.
    pub vs11: &'static str,
}

macro_rules! library {
    ($($name:literal),* $(,)?) => {
        /// Every program of the library.
        pub const LIBRARY: &[LibraryProgram] = &[$(LibraryProgram {
            name: $name,
            vp10: include_str!(concat!($name, ".vp")),
            arb: include_str!(concat!($name, ".arb")),
            vs11: include_str!(concat!($name, ".vs")),
        }),*];
    };
}

library!(
    "bone_offset_1",
    "bone_offset_2",
    "bone_offset_3",
    "bone_offset_4",
    "bone_offset_tangent_1",
    "bone_offset_tangent_2",
    "bone_offset_tangent_3",
    "bone_offset_tangent_4",
    "vertex_offset_1",
    "vertex_offset_2",
    "vertex_offset_3",
    "vertex_offset_4",
    "two_matrix_blend",
    "accumulated_matrix",
    "morph_targets_5",
    "dual_quaternion_4",
);

impl LibraryProgram {
    /// The program of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        LIBRARY.iter().find(|program| program.name == name)
    }

    /// The texts in all dialects.
    #[must_use]
    pub fn texts(&self) -> [&'static str; 3] {
        [self.vp10, self.arb, self.vs11]
    }
}
