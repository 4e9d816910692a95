//! Quaternions and matrices with the order of their operations written down.
//!
//! Why it exists: a matrix product is a sum, and a sum of f32 depends on its order. Poses must not change their bits
//! when a mathematics crate changes its mind, so the few operations that make a pose are spelled out here.

use glam::{Mat4, Quat, Vec3, Vec4};

/// Below this angle between two quaternions, linear and spherical weights differ by less than an f32 rounding
/// (θ²/6 · t(1 − t²) ≤ 2^-24 at θ = 2^-10), and the division by sin θ would only lose digits.
const NEARLY_PARALLEL: f32 = 1.0 / 1024.0;

/// `a · b`: each column is `((a₀·x + a₁·y) + a₂·z) + a₃·w` with the column (x, y, z, w) of `b`.
pub fn multiply(a: &Mat4, b: &Mat4) -> Mat4 {
    let column = |b: Vec4| a.x_axis * b.x + a.y_axis * b.y + a.z_axis * b.z + a.w_axis * b.w;
    Mat4::from_cols(column(b.x_axis), column(b.y_axis), column(b.z_axis), column(b.w_axis))
}

/// Translation · rotation · scale, for a unit quaternion.
pub fn compose(translation: Vec3, rotation: Quat, scale: Vec3) -> Mat4 {
    let Quat { x, y, z, w } = rotation;
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    Mat4::from_cols(
        Vec4::new(1.0 - (yy + zz), xy + wz, xz - wy, 0.0) * scale.x,
        Vec4::new(xy - wz, 1.0 - (xx + zz), yz + wx, 0.0) * scale.y,
        Vec4::new(xz + wy, yz - wx, 1.0 - (xx + yy), 0.0) * scale.z,
        translation.extend(1.0),
    )
}

/// Spherical linear interpolation along the shorter arc, `t` in [0, 1].
///
/// The quaternions q and −q are the same rotation, so `b` is negated where the dot product is negative (`b` alone:
/// with both negated the long way would be taken again). The angle comes from the half-angle form
/// 2·atan2(|a − b|, |a + b|), which keeps its digits near 0 where the arc cosine of the specification's formula has
/// none left (W. Kahan, *How Futile are Mindless Assessments of Roundoff*, §12); the weights are the specification's
/// sin((1 − t)θ)/sin θ and sin(tθ)/sin θ.
pub fn slerp(a: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
    let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    let b = if dot < 0.0 { b.map(|component| -component) } else { b };
    let angle = 2.0
        * libm::atan2f(
            length(std::array::from_fn(|i| a[i] - b[i])), //
            length(std::array::from_fn(|i| a[i] + b[i])),
        );
    if angle < NEARLY_PARALLEL {
        return normalize(std::array::from_fn(|i| (1.0 - t) * a[i] + t * b[i]));
    }
    let sine = libm::sinf(angle);
    let (from, to) = (libm::sinf((1.0 - t) * angle) / sine, libm::sinf(t * angle) / sine);
    std::array::from_fn(|i| from * a[i] + to * b[i])
}

/// The quaternion at unit length; the zero quaternion, which has no direction, becomes the identity.
pub fn normalize(quaternion: [f32; 4]) -> [f32; 4] {
    let length = length(quaternion);
    if length > 0.0 { quaternion.map(|component| component / length) } else { [0.0, 0.0, 0.0, 1.0] }
}

fn length(q: [f32; 4]) -> f32 {
    libm::sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
}

#[cfg(test)]
mod tests {
    use glam::{DMat4, DQuat};
    use proptest::prelude::*;

    use super::*;

    fn quaternion() -> impl Strategy<Value = [f32; 4]> {
        prop::array::uniform4(-1.0f32..1.0)
            .prop_filter("a direction", |q| q.iter().map(|x| x * x).sum::<f32>() > 0.01)
            .prop_map(normalize)
    }

    fn exact(q: [f32; 4]) -> DQuat {
        DQuat::from_array(q.map(f64::from))
    }

    /// The specification's formula in f64, with the angle from the arc sine of half the chord.
    fn slerp_exactly(a: DQuat, b: DQuat, t: f64) -> DQuat {
        let b = if a.dot(b) < 0.0 { -b } else { b };
        let angle = 2.0 * libm::asin((((a - b).length()) / 2.0).min(1.0));
        if angle < 1e-9 {
            return a;
        }
        let weight = |t: f64| libm::sin(t * angle) / libm::sin(angle);
        a * weight(1.0 - t) + b * weight(t)
    }

    proptest! {
        #[test]
        fn slerp_is_the_specifications_formula(a in quaternion(), b in quaternion(), t in 0.0f32..=1.0) {
            let (actual, expected) = (exact(slerp(a, b, t)), slerp_exactly(exact(a), exact(b), f64::from(t)));
            prop_assert!((actual - expected).length() < 5e-7, "{actual} is not {expected}");
        }

        #[test]
        fn slerp_of_near_neighbours_keeps_its_digits(
            a in quaternion(), step in prop::array::uniform4(-2e-3f32..2e-3), t in 0.0f32..=1.0,
        ) {
            // On both sides of the angle where the weights become linear.
            let b = normalize(std::array::from_fn(|i| a[i] + step[i]));
            let (actual, expected) = (exact(slerp(a, b, t)), slerp_exactly(exact(a), exact(b), f64::from(t)));
            prop_assert!((actual - expected).length() < 3e-7, "{actual} is not {expected}");
        }

        #[test]
        fn compose_is_translation_times_rotation_times_scale(
            t in prop::array::uniform3(-9.0f32..9.0), q in quaternion(), s in prop::array::uniform3(-4.0f32..4.0),
        ) {
            let actual = compose(t.into(), Quat::from_array(q), s.into()).to_cols_array();
            let expected = DMat4::from_translation(t.map(f64::from).into())
                * DMat4::from_quat(exact(q).normalize())
                * DMat4::from_scale(s.map(f64::from).into());
            for (actual, expected) in actual.into_iter().zip(expected.to_cols_array()) {
                prop_assert!((f64::from(actual) - expected).abs() < 4e-6, "{actual} is not {expected}");
            }
        }
    }

    #[test]
    fn multiply_acts_on_the_right_factor_first() {
        let (turn, shift) = (
            Mat4::from_cols_array_2d(&[[0., 1., 0., 0.], [-1., 0., 0., 0.], [0., 0., 1., 0.], [0., 0., 0., 1.]]),
            Mat4::from_translation(Vec3::X),
        );
        assert_eq!(multiply(&turn, &shift).transform_point3(Vec3::ZERO), Vec3::Y);
        assert_eq!(multiply(&shift, &turn).transform_point3(Vec3::ZERO), Vec3::X);
    }
}
