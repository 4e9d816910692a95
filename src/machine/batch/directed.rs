//! Rounding toward zero by the instruction itself, at the AVX-512 level.
//!
//! Why: an AVX-512 instruction can name its direction of rounding (IEEE 754's roundTowardZero), so that `nv-spec` needs
//! neither f64 nor masks there: a product and a sum are one instruction each, for twice as many vertices. It gives what the
//! scalar reference gives wherever nothing is infinite, denormal or too large; [`wide`](super::wide) sees to that.

use fearless_simd::Simd;

use super::{arena::Arena, decode::LaneOperation, rows::ROWS};

/// Whether the instructions of this level round toward zero on request.
#[inline(always)]
pub(super) fn is_available<S: Simd>(simd: S) -> bool {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return simd.level().as_avx512().is_some();
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    {
        let _ = simd;
        false
    }
}

/// As [`unchecked`](super::wide::unchecked), if the level has such instructions; returns whether.
#[inline(always)]
pub(super) fn run<S: Simd, const PRODUCTS: usize, const SINGLE: bool>(
    simd: S,
    arena: &mut Arena,
    rows: &[&LaneOperation; ROWS],
    count: usize,
    last_sign: u32,
) -> bool {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(simd) = simd.level().as_avx512() {
        avx512::run::<PRODUCTS, SINGLE>(simd, arena, rows, count, last_sign);
        return true;
    }
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    let _ = (simd, arena, rows, count, last_sign);
    false
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod avx512 {
    #[cfg(target_arch = "x86")]
    use std::arch::x86 as arch;
    #[cfg(target_arch = "x86_64")]
    use std::arch::x86_64 as arch;

    use arch::{__m512, _MM_FROUND_NO_EXC, _MM_FROUND_TO_ZERO, _mm512_add_round_ps, _mm512_mul_round_ps};
    use fearless_simd::{Avx512, f32x16, prelude::*};

    use super::{
        super::wide::{TowardZero, unchecked},
        Arena, LaneOperation, ROWS,
    };

    /// The direction in an instruction's own bits.
    const TO_ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;

    fearless_simd::kernel!(
        #[inline(always)]
        fn multiply(simd: Avx512, a: __m512, b: __m512) -> __m512 {
            _mm512_mul_round_ps::<TO_ZERO>(a, b)
        }
    );

    fearless_simd::kernel!(
        #[inline(always)]
        fn add(simd: Avx512, a: __m512, b: __m512) -> __m512 {
            _mm512_add_round_ps::<TO_ZERO>(a, b)
        }
    );

    /// By the instruction.
    struct Directed;

    impl TowardZero<Avx512> for Directed {
        type Number = f32x16<Avx512>;
        const DIRECTED: bool = true;

        #[inline(always)]
        fn read(value: f32x16<Avx512>) -> Self::Number {
            value
        }

        #[inline(always)]
        fn multiply(a: Self::Number, b: Self::Number) -> Self::Number {
            let simd = a.token();
            multiply(simd, a.into(), b.into()).simd_into(simd)
        }

        #[inline(always)]
        fn add(a: Self::Number, b: Self::Number) -> Self::Number {
            let simd = a.token();
            add(simd, a.into(), b.into()).simd_into(simd)
        }

        #[inline(always)]
        fn result(number: Self::Number) -> f32x16<Avx512> {
            number
        }
    }

    /// Not a part of the callers, each of which is compiled for every level: here it is compiled once.
    pub(super) fn run<const PRODUCTS: usize, const SINGLE: bool>(
        simd: Avx512,
        arena: &mut Arena,
        rows: &[&LaneOperation; ROWS],
        count: usize,
        last_sign: u32,
    ) {
        simd.vectorize(
            #[inline(always)]
            || unchecked::<Avx512, Directed, PRODUCTS, SINGLE>(simd, arena, rows, count, last_sign),
        );
    }
}
