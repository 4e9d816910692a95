//! Numbers in few bits.

/// The nearest n/`maximum` of a number in [−1, 1]; others are clamped. Ties go to the even n.
#[must_use]
pub fn encode_snorm(number: f32, maximum: i16) -> i16 {
    (number.clamp(-1.0, 1.0) * f32::from(maximum)).round_ties_even() as i16
}

/// max(n/`maximum`, −1): the one n that lies below −1 is −1 (glTF 2.0, 3.11; Vulkan 1.4, 3.10.1).
#[must_use]
pub fn decode_snorm(number: i16, maximum: i16) -> f32 {
    (f32::from(number) / f32::from(maximum)).max(-1.0)
}

/// A direction as two numbers in [−1, 1]: projected along straight lines onto the octahedron |x| + |y| + |z| = 1, whose
/// lower half is folded out (Meyer et al., *On Floating-Point Normal Vectors*, 2010).
///
/// The zero vector gives (0, 0), which is decoded as +z.
#[must_use]
pub fn encode_octahedral([x, y, z]: [f32; 3]) -> [f32; 2] {
    let sum = x.abs() + y.abs() + z.abs();
    if sum == 0.0 {
        return [0.0, 0.0];
    }
    let (u, v) = (x / sum, y / sum);
    if z >= 0.0 { [u, v] } else { [(1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v)] }
}

/// The direction of two numbers, at unit length.
#[must_use]
pub fn decode_octahedral([u, v]: [f32; 2]) -> [f32; 3] {
    let z = 1.0 - u.abs() - v.abs();
    let (x, y) = if z >= 0.0 { (u, v) } else { ((1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v)) };
    let length = libm::sqrtf(x * x + y * y + z * z);
    [x / length, y / length, z / length]
}

/// Shares of `whole` that sum to it: each weight is rounded down, and what is left goes to those that lost the most
/// (the method of largest remainders), the first of equals. Weights are taken relative to their sum.
pub(super) fn share_out(weights: [f32; 4], whole: u16) -> [u16; 4] {
    let sum: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    if sum <= 0.0 {
        return [whole, 0, 0, 0];
    }
    let exact = weights.map(|weight| f64::from(weight) / sum * f64::from(whole));
    let mut shares = exact.map(|share| share as u16);
    let mut order = [0, 1, 2, 3];
    order.sort_unstable_by(|&a: &usize, &b| exact[b].fract().total_cmp(&exact[a].fract()).then(a.cmp(&b)));
    let left = whole - shares.iter().sum::<u16>();
    for &place in order.iter().take(usize::from(left)) {
        shares[place] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn snorm_has_two_names_for_minus_one() {
        assert_eq!((encode_snorm(-1.0, 127), encode_snorm(1.0, 127), encode_snorm(-7.0, 127)), (-127, 127, -127));
        assert_eq!((decode_snorm(-128, 127), decode_snorm(-127, 127), decode_snorm(127, 127)), (-1.0, -1.0, 1.0));
        assert_eq!(decode_snorm(-32768, 32767), -1.0);
    }

    #[test]
    fn the_corners_of_the_octahedron_are_exact() {
        for axis in 0..3 {
            for side in [1.0, -1.0] {
                let mut direction = [0.0; 3];
                direction[axis] = side;
                assert_eq!(decode_octahedral(encode_octahedral(direction)), direction);
            }
        }
    }

    #[test]
    fn shares_sum_to_the_whole() {
        // 85 each of three thirds of 255; 127.5 each of two halves, of which the first gets the odd one.
        assert_eq!(share_out([1.0, 1.0, 1.0, 0.0], 255), [85, 85, 85, 0]);
        assert_eq!(share_out([0.5, 0.5, 0.0, 0.0], 255), [128, 127, 0, 0]);
        assert_eq!(share_out([0.0, 0.0, 0.0, 0.0], 255), [255, 0, 0, 0]);
    }

    proptest! {
        #[test]
        fn shares_are_within_one_of_their_weight(weights in prop::array::uniform4(0.0f32..1.0)) {
            let sum: f64 = weights.iter().map(|&w| f64::from(w)).sum();
            prop_assume!(sum > 0.01);
            for whole in [255, 32767] {
                let shares = share_out(weights, whole);
                prop_assert_eq!(shares.iter().map(|&share| u32::from(share)).sum::<u32>(), u32::from(whole));
                for (share, weight) in shares.into_iter().zip(weights) {
                    prop_assert!((f64::from(share) - f64::from(weight) / sum * f64::from(whole)).abs() <= 1.0);
                }
            }
        }

        #[test]
        fn octahedral_directions_come_back(v in prop::array::uniform3(-1.0f32..1.0)) {
            let length = v.iter().map(|c| c * c).sum::<f32>().sqrt();
            prop_assume!(length > 0.1);
            let direction = v.map(|component| component / length);
            let plain = decode_octahedral(encode_octahedral(direction));
            // In snorm16 u and v are off by at most h, half of 1/32767. On the octahedron that is (h, h, 2h) at most,
            // √6·h; and the octahedron's points are no nearer to the centre than 1/√3.
            let stored = encode_octahedral(direction).map(|c| decode_snorm(encode_snorm(c, 32767), 32767));
            let off = |a: [f32; 3]| (0..3).map(|i| (a[i] - direction[i]) * (a[i] - direction[i])).sum::<f32>().sqrt();
            prop_assert!(off(plain) < 4e-7);
            prop_assert!(off(decode_octahedral(stored)) < 0.5 / 32767.0 * (6.0f32 * 3.0).sqrt() + 4e-7);
        }
    }
}
