//! Whether rotations are unit quaternions.
//!
//! Why it exists: some renderers bring a rotation to unit length and some use it as the file has it, which scales what it
//! turns. Below the threshold of the Khronos validator both are right; beyond, a node's rotation is refused.

use super::{
    document::Document,
    error::{Problem, Result},
    remark::RemarkKind,
};

/// How far the length of a node's rotation may be from 1: the threshold of the Khronos validator.
const TOLERANCE: f64 = 0.007_69;
/// From here on it may be seen: half a pixel in 500.
const VISIBLE: f64 = 1e-3;
/// What rounding to f32 leaves is 1e-7; what exporters round to five digits is not told.
const ROUNDING: f64 = 1e-5;

/// Length of a quaternion.
fn length(rotation: &[f32]) -> f64 {
    rotation.iter().map(|value| f64::from(*value) * f64::from(*value)).sum::<f64>().sqrt()
}

/// Refuses a node's rotation that is no rotation, and remarks on one that is not quite.
pub(super) fn check_node(document: &Document, rotation: &[f32; 4], place: &str) -> Result<()> {
    let length = length(rotation);
    if (length - 1.0).abs() > TOLERANCE {
        let reason = format!("is no unit quaternion: its length is {length:.6}");
        return Err(document.error(place, Problem::Value(reason)));
    }
    remark(document, (length - 1.0).abs(), format!("has the length {length:.6} instead of 1"), place);
    Ok(())
}

/// Remarks on the keys of a rotation (of a cubic spline only the values, not the tangents): `values` has `per_key`
/// quaternions a key, of which the one in the middle counts. One of length 0 turns nothing.
pub(super) fn check_keys(document: &Document, values: &[f32], per_key: usize, place: &str) {
    let mut worst = (0.0, 0, 1.0);
    for (key, quaternion) in values.chunks_exact(4).skip(per_key / 2).step_by(per_key).enumerate() {
        let length = length(quaternion);
        let off = (length - 1.0).abs();
        if off > worst.0 {
            worst = (off, key, length);
        }
    }
    let (off, key, length) = worst;
    remark(document, off, format!("the rotation of key {key} has the length {length:.6} instead of 1"), place);
}

fn remark(document: &Document, off: f64, detail: String, place: &str) {
    if off >= VISIBLE {
        document.warn(RemarkKind::RotationNotUnit, place, detail);
    } else if off > ROUNDING {
        document.note(RemarkKind::RotationNotUnit, place, detail);
    }
}
