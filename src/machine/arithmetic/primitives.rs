//! The primitive operations of the numeric models.

use super::{
    NumericModel,
    rounding::{add_toward_zero, multiply_toward_zero},
};

/// The largest number below 1.
pub(super) const BELOW_ONE: f32 = 1.0 - f32::EPSILON / 2.0;

/// 0 with its sign for a denormal number, anything else as it is ("denorms are flushed to zero", 2.14.1.11).
#[inline(always)]
pub(crate) fn flush_denormal(x: f32) -> f32 {
    if x.is_subnormal() { 0.0_f32.copysign(x) } else { x }
}

/// `x` clamped to [0, 1], as colours are after the program; a NaN becomes 0.
pub(crate) fn clamp_unit(x: f32) -> f32 {
    if x >= 1.0 {
        1.0
    } else if x > 0.0 {
        x
    } else {
        0.0
    }
}

/// `x`, or the positive quiet NaN for any NaN.
#[inline(always)]
pub(super) fn canonical(x: f32) -> f32 {
    if x.is_nan() { f32::NAN } else { x }
}

/// A key that orders as SLT and SGE of `nv-spec` do: −NaN < −Inf < … < −0 < +0 < … < +Inf < +NaN; all NaN of one sign
/// are equal.
pub(super) fn order_key(x: f32) -> i32 {
    const POSITIVE_NAN: i32 = 0x7f80_0001;
    let bits = x.to_bits() as i32;
    // For a negative number all bits but the sign are inverted: the larger the magnitude, the smaller the key.
    let key = bits ^ ((bits >> 31) as u32 >> 1) as i32;
    key.clamp(!POSITIVE_NAN, POSITIVE_NAN)
}

impl NumericModel {
    /// A result that is not rounded by the model's rule: a NaN becomes the canonical one, `nv-spec` flushes denormals.
    pub(super) fn result(self, x: f32) -> f32 {
        match self {
            Self::NvSpec => canonical(flush_denormal(x)),
            Self::Ieee => canonical(x),
        }
    }

    /// a · b
    #[inline(always)]
    pub(super) fn multiply(self, a: f32, b: f32) -> f32 {
        match self {
            // "(positive or negative) 0.0 times anything is (positive) 0.0"
            Self::NvSpec if a == 0.0 || b == 0.0 => 0.0,
            Self::NvSpec if a.is_finite() && b.is_finite() => multiply_toward_zero(a, b),
            // Infinity times a number that is not 0, or a NaN: nothing is rounded.
            Self::NvSpec | Self::Ieee => canonical(a * b),
        }
    }

    /// a + b
    #[inline(always)]
    pub(super) fn add(self, a: f32, b: f32) -> f32 {
        match self {
            Self::NvSpec if a.is_finite() && b.is_finite() => add_toward_zero(a, b),
            Self::NvSpec | Self::Ieee => canonical(a + b),
        }
    }

    /// a < b as SLT means it; SGE is its opposite in `nv-spec`, and a ≥ b in `ieee`.
    pub(super) fn less(self, a: f32, b: f32) -> bool {
        match self {
            Self::NvSpec => order_key(a) < order_key(b),
            Self::Ieee => a < b,
        }
    }

    /// a ≥ b as SGE means it.
    pub(super) fn greater_or_equal(self, a: f32, b: f32) -> bool {
        match self {
            Self::NvSpec => order_key(a) >= order_key(b),
            Self::Ieee => a >= b,
        }
    }

    /// x − floor(x), in [0, 1): −2^-30 has a fraction that rounds to 1 to nearest, and the fraction never is 1 (FRC in
    /// 2.14.5.11 of ARB_vertex_program, EXP in 2.14.1.10.15 of NV_vertex_program).
    pub(super) fn fraction(self, x: f32) -> f32 {
        let fraction = self.add(x, -x.floor());
        if fraction >= 1.0 { BELOW_ONE } else { fraction }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_sge_and_slt_is_total() {
        let negative_nan = f32::from_bits(0xffc0_0000);
        let ascending = [
            negative_nan,
            f32::NEG_INFINITY,
            f32::MIN,
            -1.0,
            -f32::MIN_POSITIVE,
            -0.0,
            0.0,
            f32::MIN_POSITIVE,
            1.0,
            f32::MAX,
            f32::INFINITY,
            f32::NAN,
        ];
        for (i, &a) in ascending.iter().enumerate() {
            for (j, &b) in ascending.iter().enumerate() {
                assert_eq!(order_key(a).cmp(&order_key(b)), i.cmp(&j), "{a} {b}");
            }
        }
        assert_eq!(order_key(f32::from_bits(0x7fff_ffff)), order_key(f32::NAN));
        assert_eq!(order_key(f32::from_bits(0xff80_0001)), order_key(negative_nan));
    }

    #[test]
    fn clamping_a_colour_leaves_no_nan() {
        let clamped = [f32::NAN, -1.0, -0.0, 0.25, 1.0, 7.0, f32::INFINITY].map(clamp_unit);
        assert_eq!(clamped, [0.0, 0.0, 0.0, 0.25, 1.0, 1.0, 1.0]);
        assert!(clamped[2].is_sign_positive());
    }
}
