//! Matrices that place something.
//!
//! Why it exists: glTF asks that the last row of a node's matrix and of an inverse bind matrix is 0, 0, 0, 1 (sections 3.5.3
//! and 3.7.3.1), because half of the renderers store three rows. What rounding has left there is put right, with a remark;
//! anything else stands for a mistake (most often for rows that were written as columns), and no picture of it is right.

use glam::{Mat4, Vec4};

use super::{
    document::Document,
    error::{Problem, Result},
    remark::RemarkKind,
};

/// How far the last row may be from 0, 0, 0, 1 where an inverse was taken in f32.
const ROUNDING: f32 = 1e-4;

/// The matrix with a last row of 0, 0, 0, 1; `what` is the matrix in words.
pub(super) fn settle(document: &Document, numbers: &[f32; 16], what: &str, place: &str) -> Result<Mat4> {
    let mut matrix = Mat4::from_cols_array(numbers);
    let row = matrix.row(3);
    if row == Vec4::W {
        return Ok(matrix);
    }
    let text = row.to_array().map(|value| value.to_string()).join(", ");
    if (row - Vec4::W).abs().max_element() > ROUNDING {
        let reason = format!(
            "{what} has the last row {text} instead of 0, 0, 0, 1; glTF stores matrices by columns, so the translation is \
             the elements 12 to 14"
        );
        return Err(document.error(place, Problem::Value(reason)));
    }
    let detail = format!("{what} has the last row {text}; it is taken for 0, 0, 0, 1");
    document.warn(RemarkKind::MatrixLastRow, place, detail);
    for column in [&mut matrix.x_axis, &mut matrix.y_axis, &mut matrix.z_axis] {
        column.w = 0.0;
    }
    matrix.w_axis.w = 1.0;
    Ok(matrix)
}
