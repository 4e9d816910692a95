//! [`dispatch!`](crate::dispatch): from a level as a value to code that is compiled for it.
//!
//! Why it exists: each level is a whole copy of every kernel, and waiting for copies that are no faster than the ones below
//! is what made the house slow to build. fearless_simd's own macro compiles all of its levels; these compile scalar
//! code and those that pay (see [`SimdLevel::COMPILED`](crate::SimdLevel::COMPILED)), and the others with the feature
//! `every-level`, for whoever wants to see that they give the same bits.
//!
//! Most kernels work on eight lanes, which fill an AVX2 register: AVX-512 brings them nothing, and a processor that has it
//! runs AVX2's code. Where vectors are as wide as the level allows, [`dispatch_wide!`](crate::dispatch_wide) compiles it.

use fearless_simd::{Level, Simd};

/// `dispatch!(level, simd => expression)`: the expression, compiled for the level of a
/// [`Level`](fearless_simd::Level) with its token as `simd`. A level that is not compiled runs as the one below that is.
#[cfg(not(feature = "every-level"))]
#[macro_export]
macro_rules! dispatch {
    ($level:expr, $simd:pat => $op:expr) => {
        match $crate::eight_lanes($level) {
            #[cfg(target_arch = "aarch64")]
            $crate::Level::Neon(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            $crate::Level::WasmSimd128(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::Level::Avx2(token) => $crate::with_token!(token, $simd => $op),
            _ => $crate::with_token!($crate::Fallback::new(), $simd => $op),
        }
    };
}

/// As [`dispatch!`](crate::dispatch), for kernels whose vectors are as wide as the level allows: with AVX-512.
#[cfg(not(feature = "every-level"))]
#[macro_export]
macro_rules! dispatch_wide {
    ($level:expr, $simd:pat => $op:expr) => {
        match $level {
            #[cfg(target_arch = "aarch64")]
            $crate::Level::Neon(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            $crate::Level::WasmSimd128(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::Level::Avx2(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::Level::Avx512(token) => $crate::with_token!(token, $simd => $op),
            _ => $crate::with_token!($crate::Fallback::new(), $simd => $op),
        }
    };
}

/// `dispatch!(level, simd => expression)`: the expression, compiled for the level of a
/// [`Level`](fearless_simd::Level) with its token as `simd`. A level that is not compiled runs as the one below that is.
#[cfg(feature = "every-level")]
#[macro_export]
macro_rules! dispatch {
    ($level:expr, $simd:pat => $op:expr) => {
        match $level {
            #[cfg(target_arch = "aarch64")]
            $crate::Level::Neon(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            $crate::Level::WasmSimd128(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::Level::Sse2(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::Level::Sse4_2(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::Level::Avx2(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::Level::Avx512(token) => $crate::with_token!(token, $simd => $op),
            _ => $crate::with_token!($crate::Fallback::new(), $simd => $op),
        }
    };
}

/// As [`dispatch!`](crate::dispatch), for kernels whose vectors are as wide as the level allows: with AVX-512.
#[cfg(feature = "every-level")]
#[macro_export]
macro_rules! dispatch_wide {
    ($level:expr, $simd:pat => $op:expr) => {
        match $level {
            #[cfg(target_arch = "aarch64")]
            $crate::Level::Neon(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            $crate::Level::WasmSimd128(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::Level::Sse2(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::Level::Sse4_2(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::Level::Avx2(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::Level::Avx512(token) => $crate::with_token!(token, $simd => $op),
            _ => $crate::with_token!($crate::Fallback::new(), $simd => $op),
        }
    };
}

/// AVX2 where AVX-512 is given; any other level as it is.
#[doc(hidden)]
#[must_use]
pub fn eight_lanes(level: Level) -> Level {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let (Level::Avx512(_), Some(token)) = (level, level.as_avx2()) {
        return Level::Avx2(token);
    }
    level
}

/// A part of [`dispatch!`](crate::dispatch): one arm, behind `impl Simd` so that no arm can use what only its level has.
#[doc(hidden)]
#[macro_export]
macro_rules! with_token {
    ($token:expr, $simd:pat => $op:expr) => {{
        let token = $token;
        let $simd = $crate::any_level(token);
        $crate::Simd::vectorize(
            token,
            #[inline(always)]
            || $op,
        )
    }};
}

/// A token of which only that it is one is known.
#[doc(hidden)]
#[inline(always)]
pub fn any_level<S: Simd>(token: S) -> impl Simd {
    token
}
