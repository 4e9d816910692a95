//! How a method goes from what the joints add to where the vertex ends.
//!
//! Why it exists: the table of a vertex's joints adds up weight · matrix · v, and that is the position of a linear blend alone.
//! Here are the steps of the others, so that their numbers can be followed as well. In f64, from the same matrices.

use glam::{DMat4, DQuat, DVec3, DVec4};

use refrast_skinning::{Palette, SkinningMethod, unit_dual_quaternion};

/// A step: what it is called, and its numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BlendStep {
    pub(super) name: &'static str,
    pub(super) numbers: Vec<f64>,
}

impl BlendStep {
    fn new(name: &'static str, numbers: impl IntoIterator<Item = f64>) -> Self {
        Self { name, numbers: numbers.into_iter().collect() }
    }
}

/// The steps behind the sum, the last of which is the position; none where the sum is it, but for rounding.
///
/// `influences` are joints and weights in the order of the file, `rest` is the vertex after morph targets.
pub(super) fn steps(
    method: SkinningMethod,
    palette: &Palette,
    influences: &[(usize, f32)],
    rest: [f32; 3],
) -> Vec<BlendStep> {
    let rest = DVec3::from(rest.map(f64::from));
    match method {
        SkinningMethod::Linear
        | SkinningMethod::LinearPerJoint
        | SkinningMethod::VertexOffset
        | SkinningMethod::BoneOffset => Vec::new(),
        SkinningMethod::Rigid => {
            // Of equals the first.
            let heaviest = influences.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1));
            let Some(&(joint, _)) = heaviest else { return Vec::new() };
            let moved = palette.matrix(joint).as_dmat4().transform_point3(rest);
            vec![BlendStep::new("heaviest joint · v", moved.to_array())]
        }
        SkinningMethod::WeightsBeforeBind => {
            let sum = |matrix: &dyn Fn(usize) -> DMat4| -> DMat4 {
                influences.iter().map(|&(joint, weight)| matrix(joint) * f64::from(weight)).sum()
            };
            let bound = sum(&|joint| palette.inverse_bind(joint).as_dmat4()) * rest.extend(1.0);
            let moved = sum(&|joint| palette.world(joint).as_dmat4()) * bound;
            let three = |vector: DVec4| vector.truncate().to_array();
            vec![BlendStep::new("Σ w · bind · v", three(bound)), BlendStep::new("(Σ w · world) · that", three(moved))]
        }
        SkinningMethod::DualQuaternion => dual_quaternion(palette, influences, rest),
    }
}

fn dual_quaternion(palette: &Palette, influences: &[(usize, f32)], rest: DVec3) -> Vec<BlendStep> {
    let part = |numbers: [f32; 4]| DVec4::from(numbers.map(f64::from));
    let motions: Option<Vec<(DVec4, DVec4, f64)>> = influences
        .iter()
        .map(|&(joint, weight)| {
            let [real, dual] = unit_dual_quaternion(&palette.matrix(joint))?;
            Some((part(real), part(dual), f64::from(weight)))
        })
        .collect();
    let Some((motions, &(pivot, ..))) = motions.as_deref().and_then(|motions| Some((motions, motions.first()?))) else {
        return vec![BlendStep::new("its joints stretch: blended before the dual quaternions", [])];
    };
    let (mut real, mut dual) = (DVec4::ZERO, DVec4::ZERO);
    for (own_real, own_dual, weight) in motions {
        // q and −q are the same rotation: all are brought to the side of the first.
        let signed = if own_real.dot(pivot) < 0.0 { -weight } else { *weight };
        real += *own_real * signed;
        dual += *own_dual * signed;
    }
    let length = real.length();
    let (rotation, moved) = (real / length, dual / length);
    let (r, w, d, u) = (rotation.truncate(), rotation.w, moved.truncate(), moved.w);
    let translation = 2.0 * (w * d - u * r + r.cross(d));
    let turned = DQuat::from_vec4(rotation) * rest;
    vec![
        BlendStep::new("Σ ±w · real part", real.to_array()),
        BlendStep::new("Σ ±w · dual part", dual.to_array()),
        BlendStep::new("length of the real part", [length]),
        BlendStep::new("turned: rotation · v", turned.to_array()),
        BlendStep::new("translation", translation.to_array()),
        BlendStep::new("turned + translation", (turned + translation).to_array()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Mat4, Quat, Vec3};

    #[test]
    fn half_a_turn_between_two_joints_is_half_of_it() {
        // A joint at rest and one that turns by 90° round z: half of each is 45°, whatever the sign of the quaternion.
        let turn = Mat4::from_quat(Quat::from_rotation_z(std::f32::consts::FRAC_PI_2));
        let palette = Palette::from_matrices(&[Mat4::IDENTITY, turn, Mat4::from_translation(Vec3::new(0.0, 0.0, 2.0))]);
        let end = |method, influences: &[(usize, f32)]| {
            steps(method, &palette, influences, [1.0, 0.0, 0.0]).pop().expect("it has steps").numbers
        };
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let turned = end(SkinningMethod::DualQuaternion, &[(0, 0.5), (1, 0.5)]);
        assert!(turned.iter().zip([half, half, 0.0]).all(|(a, b)| (a - b).abs() < 1e-6), "{turned:?}");
        let moved = end(SkinningMethod::DualQuaternion, &[(0, 0.25), (2, 0.75)]);
        assert!(moved.iter().zip([1.0, 0.0, 1.5]).all(|(a, b)| (a - b).abs() < 1e-6), "{moved:?}");
        assert_eq!(end(SkinningMethod::Rigid, &[(0, 0.4), (2, 0.6)]), [1.0, 0.0, 2.0]);
        assert!(steps(SkinningMethod::Linear, &palette, &[(0, 1.0)], [1.0, 0.0, 0.0]).is_empty());
    }
}
