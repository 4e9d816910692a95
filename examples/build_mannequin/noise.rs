//! Smooth noise that is the same on every machine, for what grows and is woven.

use glam::DVec3;

/// Smooth noise in [−1, 1] from a hash of the lattice: integers only, so it is the same everywhere.
pub(crate) fn noise(at: DVec3) -> f64 {
    let base = at.floor();
    let ease = |t: f64| t * t * (3.0 - 2.0 * t);
    let [x, y, z] = (at - base).to_array().map(ease);
    let corner = |i: i64, j: i64, k: i64| lattice(base.x as i64 + i, base.y as i64 + j, base.z as i64 + k);
    let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
    let layer = |k: i64| {
        let low = mix(corner(0, 0, k), corner(1, 0, k), x);
        let high = mix(corner(0, 1, k), corner(1, 1, k), x);
        mix(low, high, y)
    };
    mix(layer(0), layer(1), z)
}

/// A value in [−1, 1] for a lattice point (the finaliser of SplitMix64).
fn lattice(x: i64, y: i64, z: i64) -> f64 {
    let mut bits = (x as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (y as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
        ^ (z as u64).wrapping_mul(0x1656_67B1_9E37_79F9);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^= bits >> 31;
    (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_continuous_and_bounded() {
        for step in 0..200 {
            let at = DVec3::new(f64::from(step) * 0.37 - 20.0, 1.3, -0.4);
            assert!(noise(at).abs() <= 1.0);
            assert!((noise(at) - noise(at + DVec3::splat(1e-7))).abs() < 1e-5);
        }
    }
}
