//! [`dispatch!`](crate::dispatch): from a level as a value to code that is compiled for it.
//!
//! Why it exists: each level is a whole copy of every kernel, and waiting for copies that nobody runs is what made the house
//! slow to build. fearless_simd's own macro compiles all of its levels; these compile two or three:
//!
//! - the **base**, which every processor of the target has (SSE2 on x86-64, NEON on Arm, simd128 where WebAssembly has it;
//!   scalar code elsewhere);
//! - AVX2;
//! - AVX-512 where vectors are as wide as the level allows ([`dispatch_wide!`](crate::dispatch_wide)). Most kernels work on
//!   eight lanes, which fill an AVX2 register: a processor with AVX-512 runs AVX2's code there, as fast.
//!
//! Scalar code is slower than SSE2, takes three times as long to compile as any other level, and runs nowhere but in tests.
//! So it comes, with SSE4.2, by the feature `every-level`: whoever wants to see that all levels give the same bits asks for
//! it, as CI does.

#[cfg(target_arch = "aarch64")]
use fearless_simd::Neon;
#[cfg(target_arch = "x86_64")]
use fearless_simd::{Avx2, Avx512, Sse2};
use fearless_simd::{Level, Simd};

/// The token of the base level.
#[cfg(target_arch = "x86_64")]
pub type Base = Sse2;
/// The token of the base level.
#[cfg(target_arch = "aarch64")]
pub type Base = Neon;
/// The token of the base level.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub type Base = fearless_simd::WasmSimd128;
/// The token of the base level.
#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
pub type Base = fearless_simd::Fallback;

/// What [`dispatch!`](crate::dispatch) compiles.
#[derive(Clone, Copy, Debug)]
pub enum EightLanes {
    /// What every processor of the target has.
    Base(Base),
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
}

/// What [`dispatch_wide!`](crate::dispatch_wide) compiles.
#[derive(Clone, Copy, Debug)]
pub enum Widest {
    /// What every processor of the target has.
    Base(Base),
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

/// The token of the base level.
#[must_use]
pub fn base() -> Base {
    #[cfg(target_arch = "x86_64")]
    let base = Level::baseline().as_sse2();
    #[cfg(target_arch = "aarch64")]
    let base = Level::baseline().as_neon();
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    let base = Level::baseline().as_wasm_simd128();
    #[cfg(not(any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        all(target_arch = "wasm32", target_feature = "simd128")
    )))]
    let base = Some(fearless_simd::Fallback::new());
    base.unwrap_or_else(|| unreachable!("the target has it by definition"))
}

impl EightLanes {
    /// The compiled level that code for `level` may use: itself or the next below it.
    #[inline]
    #[must_use]
    pub fn of(level: Level) -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(token) = level.as_avx2() {
            return Self::Avx2(token);
        }
        let _ = level;
        Self::Base(base())
    }
}

impl Widest {
    /// As [`EightLanes::of`].
    #[inline]
    #[must_use]
    pub fn of(level: Level) -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(token) = level.as_avx512() {
                return Self::Avx512(token);
            }
            if let Some(token) = level.as_avx2() {
                return Self::Avx2(token);
            }
        }
        let _ = level;
        Self::Base(base())
    }
}

/// `dispatch!(level, simd => expression)`: the expression, compiled for the level of a
/// [`Level`](fearless_simd::Level) with its token as `simd`. A level that is not compiled runs as the next below it.
#[cfg(not(feature = "every-level"))]
#[macro_export]
macro_rules! dispatch {
    ($level:expr, $simd:pat => $op:expr) => {
        match $crate::EightLanes::of($level) {
            $crate::EightLanes::Base(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(target_arch = "x86_64")]
            $crate::EightLanes::Avx2(token) => $crate::with_token!(token, $simd => $op),
        }
    };
}

/// As [`dispatch!`](crate::dispatch), for kernels whose vectors are as wide as the level allows.
#[cfg(not(feature = "every-level"))]
#[macro_export]
macro_rules! dispatch_wide {
    ($level:expr, $simd:pat => $op:expr) => {
        match $crate::Widest::of($level) {
            $crate::Widest::Base(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(target_arch = "x86_64")]
            $crate::Widest::Avx2(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(target_arch = "x86_64")]
            $crate::Widest::Avx512(token) => $crate::with_token!(token, $simd => $op),
        }
    };
}

/// `dispatch!(level, simd => expression)`: the expression, compiled for the level of a
/// [`Level`](fearless_simd::Level) with its token as `simd`.
#[cfg(feature = "every-level")]
#[macro_export]
macro_rules! dispatch {
    ($level:expr, $simd:pat => $op:expr) => {
        match $level {
            #[cfg(target_arch = "aarch64")]
            $crate::Level::Neon(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            $crate::Level::WasmSimd128(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(target_arch = "x86_64")]
            $crate::Level::Sse2(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(target_arch = "x86_64")]
            $crate::Level::Sse4_2(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(target_arch = "x86_64")]
            $crate::Level::Avx2(token) => $crate::with_token!(token, $simd => $op),
            #[cfg(target_arch = "x86_64")]
            $crate::Level::Avx512(token) => $crate::with_token!(token, $simd => $op),
            _ => $crate::with_token!($crate::Fallback::new(), $simd => $op),
        }
    };
}

/// As [`dispatch!`](crate::dispatch).
#[cfg(feature = "every-level")]
#[macro_export]
macro_rules! dispatch_wide {
    ($level:expr, $simd:pat => $op:expr) => {
        $crate::dispatch!($level, $simd => $op)
    };
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
