//! [`Palette`]: the matrices that a draw uses.

use glam::{Mat4, Vec4};

use super::lanes::Lanes;
use refrast_animation::{Pose, multiply};
use refrast_scene::Skin;

/// The matrices that a draw uses, one a joint: mesh space at binding → world space.
///
/// A joint's matrix is world(joint) · inverse bind matrix: the world transform includes every ancestor, joint or not,
/// and the skinned node's own transform is nowhere in it (glTF 2.0, 3.7.3.2: it "MUST be ignored"). The last row of
/// every matrix is taken as (0, 0, 0, 1).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Palette {
    /// world · inverse bind: the first three rows of each matrix, row by row; the last four lanes are 0.
    pub(super) matrices: Vec<Lanes>,
    /// The joints' world transforms alone, for the methods that keep the two factors apart.
    pub(super) worlds: Vec<Lanes>,
    /// The inverse bind matrices alone.
    pub(super) inverse_binds: Vec<Lanes>,
}

impl Palette {
    /// The palette of a skin in a pose.
    #[must_use]
    pub fn of_skin(skin: &Skin, pose: &Pose) -> Self {
        let mut palette = Self::default();
        palette.set_skin(skin, pose);
        palette
    }

    /// A palette of given bind-relative matrices, as if every joint had been bound at the origin.
    #[must_use]
    pub fn from_matrices(matrices: &[Mat4]) -> Self {
        let matrices: Vec<Lanes> = matrices.iter().map(rows).collect();
        let inverse_binds = vec![rows(&Mat4::IDENTITY); matrices.len()];
        Self { worlds: matrices.clone(), matrices, inverse_binds }
    }

    /// As [`of_skin`](Self::of_skin), reusing the buffers of `self`.
    pub fn set_skin(&mut self, skin: &Skin, pose: &Pose) {
        self.matrices.clear();
        self.worlds.clear();
        self.inverse_binds.clear();
        for (&joint, inverse_bind) in skin.joints.iter().zip(&skin.inverse_bind_matrices) {
            let world = &pose.worlds[joint];
            self.matrices.push(rows(&multiply(world, inverse_bind)));
            self.worlds.push(rows(world));
            self.inverse_binds.push(rows(inverse_bind));
        }
    }

    /// The number of joints.
    #[must_use]
    pub fn len(&self) -> usize {
        self.matrices.len()
    }

    /// Whether there are no joints.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.matrices.is_empty()
    }

    /// The matrix of a joint.
    ///
    /// # Panics
    ///
    /// When there is no such joint.
    #[must_use]
    pub fn matrix(&self, joint: usize) -> Mat4 {
        matrix(&self.matrices[joint])
    }

    /// The world transform of a joint, without its inverse bind matrix.
    ///
    /// # Panics
    ///
    /// When there is no such joint.
    #[must_use]
    pub fn world(&self, joint: usize) -> Mat4 {
        matrix(&self.worlds[joint])
    }

    /// The inverse bind matrix of a joint.
    ///
    /// # Panics
    ///
    /// When there is no such joint.
    #[must_use]
    pub fn inverse_bind(&self, joint: usize) -> Mat4 {
        matrix(&self.inverse_binds[joint])
    }

    /// Whether all numbers of a joint are finite.
    pub(super) fn is_finite(&self, joint: usize) -> bool {
        // The largest magnitude of all, whose bits are in the order of floats: a draw of a few thousand vertices would wait for
        // branches.
        let largest = |lanes: &Lanes| lanes.0.iter().fold(0, |largest, number| number.abs().to_bits().max(largest));
        let [a, b, c] = [&self.matrices, &self.worlds, &self.inverse_binds].map(|matrices| largest(&matrices[joint]));
        a.max(b).max(c) < f32::INFINITY.to_bits()
    }
}

/// The first three rows of a matrix, row by row.
pub(super) fn rows(matrix: &Mat4) -> Lanes {
    let columns = matrix.to_cols_array_2d();
    let mut lanes = Lanes::ZERO;
    for (i, lane) in lanes.0[..12].iter_mut().enumerate() {
        *lane = columns[i % 4][i / 4];
    }
    lanes
}

/// The matrix whose rows these are.
pub(super) fn matrix(rows: &Lanes) -> Mat4 {
    let row = |r: usize| Vec4::new(rows.0[4 * r], rows.0[4 * r + 1], rows.0[4 * r + 2], rows.0[4 * r + 3]);
    Mat4::from_cols(row(0), row(1), row(2), Vec4::W).transpose()
}

/// Whether a matrix mirrors: the determinant of its 3×3 part is negative.
pub(super) fn mirrors(rows: &Lanes) -> bool {
    let [a, b, c, _, d, e, f, _, g, h, i, ..] = rows.0;
    // x · (y × z) of the columns.
    a * (e * i - f * h) + d * (h * c - i * b) + g * (b * f - c * e) < 0.0
}
