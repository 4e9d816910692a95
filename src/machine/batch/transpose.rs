//! Rows into columns and back: four components of four and of eight vertices.
//!
//! Why on its own: vertices, results and constants lie in rows, and lanes want columns, so that a third of the machine's
//! time goes here. AVX2 turns two blocks of four at once, by instructions that stay within halves of its vectors; what all
//! levels have in common moves numbers between the halves as well.

use fearless_simd::{Simd, f32x4, f32x8, prelude::*};

use refrast_simd::unroll;

/// Transposes a 4×4 block.
#[inline(always)]
pub(super) fn transpose<S: Simd>(rows: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let even_low = rows[0].zip_low(rows[2]);
    let even_high = rows[0].zip_high(rows[2]);
    let odd_low = rows[1].zip_low(rows[3]);
    let odd_high = rows[1].zip_high(rows[3]);
    [even_low.zip_low(odd_low), even_low.zip_high(odd_low), even_high.zip_low(odd_high), even_high.zip_high(odd_high)]
}

/// The four columns of eight rows.
#[inline(always)]
pub(super) fn transpose_eight<S: Simd>(simd: S, rows: [&[f32; 4]; 8]) -> [f32x8<S>; 4] {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(avx2) = simd.level().as_avx2() {
        let pairs = unroll!(k in [0, 1, 2, 3] => {
            f32x4::from_slice(avx2, rows[k]).combine(f32x4::from_slice(avx2, rows[k + 4]))
        });
        return halves::transpose(avx2, pairs).map(|column| f32x8::from_slice(simd, column.as_slice()));
    }
    let four = |first: usize| transpose(unroll!(k in [0, 1, 2, 3] => f32x4::from_slice(simd, rows[first + k])));
    let [low, high] = [four(0), four(4)];
    unroll!(c in [0, 1, 2, 3] => low[c].combine(high[c]))
}

/// The eight rows of four columns.
#[inline(always)]
pub(super) fn rows_of_eight<S: Simd>(columns: [f32x8<S>; 4]) -> [f32x4<S>; 8] {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(avx2) = columns[0].token().level().as_avx2() {
        let simd = columns[0].token();
        let columns = columns.map(|column| f32x8::from_slice(avx2, column.as_slice()));
        let pairs = halves::transpose(avx2, columns).map(|pair| pair.split());
        let own = |row: f32x4<_>| f32x4::from_slice(simd, row.as_slice());
        return unroll!(k in [0, 1, 2, 3, 4, 5, 6, 7] => own(if k < 4 { pairs[k].0 } else { pairs[k - 4].1 }));
    }
    let [low, high] =
        [transpose(columns.map(|column| column.split().0)), transpose(columns.map(|column| column.split().1))];
    unroll!(k in [0, 1, 2, 3, 4, 5, 6, 7] => if k < 4 { low[k] } else { high[k - 4] })
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod halves {
    #[cfg(target_arch = "x86")]
    use std::arch::x86 as arch;
    #[cfg(target_arch = "x86_64")]
    use std::arch::x86_64 as arch;

    use arch::{__m256, _mm256_unpackhi_ps, _mm256_unpacklo_ps};
    use fearless_simd::{Avx2, f32x8, prelude::*};

    fearless_simd::kernel!(
        #[inline(always)]
        fn zip_low(simd: Avx2, a: __m256, b: __m256) -> __m256 {
            _mm256_unpacklo_ps(a, b)
        }
    );

    fearless_simd::kernel!(
        #[inline(always)]
        fn zip_high(simd: Avx2, a: __m256, b: __m256) -> __m256 {
            _mm256_unpackhi_ps(a, b)
        }
    );

    /// As [`transpose`](super::transpose), in both halves.
    #[inline(always)]
    pub(super) fn transpose(simd: Avx2, rows: [f32x8<Avx2>; 4]) -> [f32x8<Avx2>; 4] {
        let rows = rows.map(<__m256>::from);
        let low = |a, b| zip_low(simd, a, b);
        let high = |a, b| zip_high(simd, a, b);
        let (even_low, even_high) = (low(rows[0], rows[2]), high(rows[0], rows[2]));
        let (odd_low, odd_high) = (low(rows[1], rows[3]), high(rows[1], rows[3]));
        let columns =
            [low(even_low, odd_low), high(even_low, odd_low), low(even_high, odd_high), high(even_high, odd_high)];
        columns.map(|column| column.simd_into(simd))
    }
}
