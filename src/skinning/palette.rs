//! [`Palette`]: the matrices that a draw uses.

use glam::{Mat4, Vec4};

use super::lanes::Lanes;
use crate::animation::{Pose, multiply};
use crate::scene::Skin;

/// The matrices that a draw uses, one a joint: mesh space at binding → world space.
///
/// A joint's matrix is world(joint) · inverse bind matrix: the world transform includes every ancestor, joint or not,
/// and the skinned node's own transform is nowhere in it (glTF 2.0, 3.7.3.2: it "MUST be ignored"). The last row of
/// every matrix is taken as (0, 0, 0, 1).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Palette {
    /// The first three rows of each matrix, row by row; the last four lanes are 0.
    pub(super) matrices: Vec<Lanes>,
}

impl Palette {
    /// The palette of a skin in a pose.
    #[must_use]
    pub fn of_skin(skin: &Skin, pose: &Pose) -> Self {
        let mut palette = Self::default();
        palette.set_skin(skin, pose);
        palette
    }

    /// The palette of a mesh that no skin deforms: the node's world transform alone.
    #[must_use]
    pub fn of_node(pose: &Pose, node: usize) -> Self {
        Self::from_matrices(&[pose.worlds[node]])
    }

    /// A palette of given matrices.
    #[must_use]
    pub fn from_matrices(matrices: &[Mat4]) -> Self {
        Self { matrices: matrices.iter().map(Self::matrix_lanes).collect() }
    }

    /// As [`of_skin`](Self::of_skin), reusing the buffer of `self`.
    pub fn set_skin(&mut self, skin: &Skin, pose: &Pose) {
        self.matrices.clear();
        self.matrices.extend(
            (skin.joints.iter().zip(&skin.inverse_bind_matrices))
                .map(|(&joint, inverse_bind)| Self::matrix_lanes(&multiply(&pose.worlds[joint], inverse_bind))),
        );
    }

    /// As [`of_node`](Self::of_node), reusing the buffer of `self`.
    pub fn set_node(&mut self, pose: &Pose, node: usize) {
        self.matrices.clear();
        self.matrices.push(Self::matrix_lanes(&pose.worlds[node]));
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
        let rows = &self.matrices[joint].0;
        let row = |r: usize| Vec4::new(rows[4 * r], rows[4 * r + 1], rows[4 * r + 2], rows[4 * r + 3]);
        Mat4::from_cols(row(0), row(1), row(2), Vec4::W).transpose()
    }

    pub(super) fn matrix_lanes(matrix: &Mat4) -> Lanes {
        let rows = matrix.transpose();
        let mut lanes = Lanes::ZERO;
        for (lanes, row) in lanes.0.chunks_exact_mut(4).zip([rows.x_axis, rows.y_axis, rows.z_axis]) {
            lanes.copy_from_slice(&row.to_array());
        }
        lanes
    }

    /// Whether the joint mirrors: the determinant of its 3×3 part is negative.
    pub(super) fn mirrors(&self, joint: usize) -> bool {
        let matrix = self.matrix(joint);
        let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(Vec4::truncate);
        x.dot(y.cross(z)) < 0.0
    }
}
