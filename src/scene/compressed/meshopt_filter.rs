//! The filters of EXT_meshopt_compression (appendix B).
//!
//! Why it exists: the decoders of meshoptimizer are specified to one step of the last place, and use another arithmetic on
//! each processor. Here the formulas are computed in f64, where a step of what is stored is 2^37 steps of the arithmetic, and
//! rounded once, so that every machine reads the same vertices.

/// What is done with decoded elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    /// They are what they are.
    None,
    /// Unit vectors as points of an octahedron.
    Octahedral,
    /// Unit quaternions without their largest component.
    Quaternion,
    /// A mantissa and an exponent of two.
    Exponential,
}

impl Filter {
    /// The filter of a name in the file.
    pub(super) fn of(name: &str) -> Option<Self> {
        match name {
            "NONE" => Some(Self::None),
            "OCTAHEDRAL" => Some(Self::Octahedral),
            "QUATERNION" => Some(Self::Quaternion),
            "EXPONENTIAL" => Some(Self::Exponential),
            _ => None,
        }
    }

    /// Whether it is defined for elements of this many bytes.
    pub(super) fn takes(self, stride: usize) -> bool {
        match self {
            Self::None => true,
            Self::Octahedral => stride == 4 || stride == 8,
            Self::Quaternion => stride == 8,
            Self::Exponential => stride.is_multiple_of(4),
        }
    }

    /// Filters elements of `stride` bytes, which it [takes](Self::takes), in place.
    pub(super) fn apply(self, bytes: &mut [u8], stride: usize) {
        match self {
            Self::None => {}
            Self::Octahedral if stride == 4 => {
                for element in bytes.as_chunks_mut::<4>().0 {
                    let vector = octahedral(element.map(|byte| f64::from(byte as i8)), 127.0);
                    element[..3].copy_from_slice(&vector.map(|value| value as i8 as u8));
                }
            }
            Self::Octahedral => each_of_four(bytes, |[x, y, one, last]| {
                let [x, y, z] = octahedral([x, y, one, last].map(f64::from), 32767.0);
                [x as i16, y as i16, z as i16, last]
            }),
            Self::Quaternion => each_of_four(bytes, quaternion),
            Self::Exponential => {
                for word in bytes.as_chunks_mut::<4>().0 {
                    *word = exponential(i32::from_le_bytes(*word)).to_le_bytes();
                }
            }
        }
    }
}

/// Changes elements of four 16-bit components.
fn each_of_four(bytes: &mut [u8], change: impl Fn([i16; 4]) -> [i16; 4]) {
    for element in bytes.as_chunks_mut::<8>().0 {
        let pairs = element.as_chunks::<2>().0;
        let changed = change([0, 1, 2, 3].map(|index| i16::from_le_bytes(pairs[index])));
        for (place, component) in element.as_chunks_mut::<2>().0.iter_mut().zip(changed) {
            *place = component.to_le_bytes();
        }
    }
}

/// x and y of a point of the octahedron |x| + |y| + |z| = 1 and what stands for 1, unfolded and made a unit vector of steps.
/// Where the file breaks the rules (nothing stands for 1) the specification leaves the result open; here it is 0.
fn octahedral([x, y, one, _]: [f64; 4], most: f64) -> [f64; 3] {
    let (x, y) = (x / one, y / one);
    let z = 1.0 - x.abs() - y.abs();
    // Points of the lower half are folded outwards over the edges.
    let fold = z.min(0.0);
    let (x, y) = (x - fold.copysign(x), y - fold.copysign(y));
    let length = (x * x + y * y + z * z).sqrt();
    [x, y, z].map(|component| steps(component / length * most, most))
}

/// Three components of a unit quaternion, times √2, and what stands for 1, with the place of the fourth in its two last bits.
fn quaternion(stored: [i16; 4]) -> [i16; 4] {
    let one = f64::from(stored[3] | 3);
    let largest = (stored[3] & 3) as usize;
    let [x, y, z] = [0, 1, 2].map(|index| f64::from(stored[index]) / one * std::f64::consts::FRAC_1_SQRT_2);
    let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    let mut components = [0; 4];
    for (offset, component) in [w, x, y, z].into_iter().enumerate() {
        components[(largest + offset) % 4] = steps(component * 32767.0, 32767.0) as i16;
    }
    components
}

/// The nearest whole number within ± `most`; what is none is 0.
fn steps(value: f64, most: f64) -> f64 {
    if value.is_nan() { 0.0 } else { libm::round(value).clamp(-most, most) }
}

/// A mantissa of 24 bits times two to the power of the upper eight: exact in f32 for the exponents that are allowed, ±100.
fn exponential(stored: i32) -> f32 {
    let (exponent, mantissa) = (stored >> 24, (stored << 8) >> 8);
    libm::ldexp(f64::from(mantissa), exponent) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0.6, 0, 0.8 by hand: the point of the octahedron is (0.6, 0) / 1.4 = (0.428571, 0).
    #[test]
    fn unit_vectors_come_back_from_the_octahedron() {
        let unit = |x: i8, y: i8, one: i8| {
            let mut bytes = [x, y, one, 9].map(|byte| byte as u8);
            Filter::Octahedral.apply(&mut bytes, 4);
            bytes.map(|byte| byte as i8)
        };
        assert_eq!(unit(54, 0, 127), [76, 0, 102, 9], "54/127 is 0.4252, which is 0.5947, 0, 0.8040");
        // Its four corners and its two tips.
        for (stored, expected) in [([127, 0], [127, 0, 0]), ([0, -127], [0, -127, 0]), ([0, 0], [0, 0, 127])] {
            assert_eq!(unit(stored[0], stored[1], 127)[..3], expected);
        }
        assert_eq!(unit(127, 127, 127)[..3], [0, 0, -127]);
        // Of four bits, where 7 is 1.
        assert_eq!(unit(-7, 0, 7), [-127, 0, 0, 9]);
        assert_eq!(unit(5, 5, 0)[..3], [0, 0, 0], "nothing stands for 1");
    }

    #[test]
    fn quaternions_get_their_largest_component_back() {
        // A quarter turn about x: x = w = √½; stored without w, times √2, of 16 bits.
        assert_eq!(quaternion([32767, 0, 0, 0x7ffc | 3]), [23170, 0, 0, 23170], "the largest is w");
        assert_eq!(quaternion([0, 0, 0, 0x7ffc | 1]), [0, 32767, 0, 0], "the largest is y");
        // More than a unit quaternion has: the rest is nothing.
        assert_eq!(quaternion([32767, 32767, 32767, 0x7ffc | 3])[3], 0);
    }

    #[test]
    fn exponents_are_powers_of_two() {
        let word = |exponent: i32, mantissa: i32| (exponent << 24) | (mantissa & 0xff_ffff);
        assert_eq!(exponential(word(0, 5)), 5.0);
        assert_eq!(exponential(word(-3, -5)), -0.625);
        assert_eq!(exponential(word(100, 1)), f32::from_bits((127 + 100) << 23));
        assert_eq!(exponential(word(127, 0x40_0000)), f32::INFINITY, "beyond f32 is told by who reads it");
    }

    fn filtered(filter: Filter, stored: &[[i16; 4]]) -> Vec<[i16; 4]> {
        let mut bytes: Vec<u8> = stored.as_flattened().iter().flat_map(|component| component.to_le_bytes()).collect();
        filter.apply(&mut bytes, 8);
        let pairs: Vec<i16> = bytes.as_chunks::<2>().0.iter().map(|pair| i16::from_le_bytes(*pair)).collect();
        pairs.as_chunks::<4>().0.to_vec()
    }

    /// Within one step of meshoptimizer's, which is what the specification grants.
    #[test]
    fn every_element_is_within_a_step_of_what_meshoptimizer_reads() {
        let mut state = 1_u32;
        let mut next = |most: i16| {
            state = state.wrapping_mul(0x9e37_79b9).rotate_left(11).wrapping_add(0x85eb_ca6b);
            (state % (2 * most as u32 + 1)) as i16 - most
        };
        for bits in 4..=16 {
            let one = i16::MAX >> (16 - bits);
            let vectors: Vec<[i16; 4]> = (0..500).map(|_| [next(one), next(one), one, 7]).collect();
            let mut theirs = vectors.clone();
            meshopt::decode_filter_oct(&mut theirs);
            assert_near(&filtered(Filter::Octahedral, &vectors), &theirs);
            // Components of a unit quaternion: none is larger than what is left for the fourth.
            let third = one / 2;
            let rotations: Vec<[i16; 4]> =
                (0..500).map(|index| [next(third), next(third), next(third), (one & !3) | (index & 3)]).collect();
            let mut theirs = rotations.clone();
            meshopt::decode_filter_quat(&mut theirs);
            assert_near(&filtered(Filter::Quaternion, &rotations), &theirs);
        }
    }

    #[track_caller]
    fn assert_near(ours: &[[i16; 4]], theirs: &[[i16; 4]]) {
        for (ours, theirs) in ours.iter().zip(theirs) {
            let near = ours.iter().zip(theirs).all(|(ours, theirs)| ours.abs_diff(*theirs) <= 1);
            assert!(near, "{ours:?} and {theirs:?}");
        }
    }
}
