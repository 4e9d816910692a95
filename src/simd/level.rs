//! [`SimdLevel`]: the instruction sets by name, and which of them this machine has.

use std::str::FromStr;

use fearless_simd::{Level, Simd};
use refrast_words::{Offer, Word, names};

use super::base;

names! {
    /// An instruction set that the kernels are compiled for.
    ///
    /// Every level gives the same bits; they differ in speed only.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum SimdLevel: "SIMD level" {
        /// Plain scalar code: the reading copy that the others are compared with.
        Scalar = "scalar",
        /// x86 SSE2, the x86-64 baseline.
        Sse2 = "sse2",
        /// x86 SSE4.2 (x86-64-v2).
        Sse42 = "sse4.2",
        /// x86 AVX2 (x86-64-v3).
        Avx2 = "avx2",
        /// x86 AVX-512 as in Ice Lake and Zen 4.
        Avx512 = "avx512",
        /// 64-bit Arm NEON.
        Neon = "neon",
        /// 32-bit WebAssembly with 128-bit SIMD.
        Wasm = "wasm",
    }
}

/// The name is not that of a SIMD level, or this machine lacks the level.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseSimdLevelError {
    /// No level has this name.
    #[error("unknown SIMD level `{0}`; this machine has: auto, {names}", names = SimdLevel::available_names())]
    Unknown(String),
    /// The level exists, but not on this processor.
    #[error("this machine has no `{0}`; it has: auto, {names}", names = SimdLevel::available_names())]
    Unavailable(SimdLevel),
    /// The level exists, but its kernels were not compiled.
    #[error(
        "`{0}` is not in this build, because others are faster; there are: auto, {names}; build with \
         `--features every-level` for all",
        names = SimdLevel::available_names()
    )]
    NotCompiled(SimdLevel),
}

impl SimdLevel {
    /// The fastest level of this machine.
    #[must_use]
    pub fn best() -> Self {
        Self::ALL.into_iter().rev().find(|level| level.token().is_some()).unwrap_or(Self::Scalar)
    }

    /// The compiled levels that this machine has, slowest first; there is always one.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|level| level.token().is_some())
    }

    /// What can be written for a level: `auto`, and every level that there is, also where this machine or this build lacks it.
    pub fn offers() -> impl Iterator<Item = Offer> {
        [Self::AUTO].into_iter().chain(<Self as Word>::offers())
    }

    const AUTO: Offer = Offer::new("auto", "The fastest of this machine");

    fn available_names() -> String {
        Self::available().map(Self::name).collect::<Vec<_>>().join(", ")
    }

    /// The levels that kernels are compiled for, slowest first: the one that every processor of the target has, AVX2 and
    /// AVX-512; or all with the feature `every-level`.
    pub const COMPILED: &[Self] = if cfg!(feature = "every-level") {
        &Self::ALL
    } else if cfg!(target_arch = "x86_64") {
        &[Self::Sse2, Self::Avx2, Self::Avx512]
    } else if cfg!(target_arch = "aarch64") {
        &[Self::Neon]
    } else if cfg!(all(target_arch = "wasm32", target_feature = "simd128")) {
        &[Self::Wasm]
    } else {
        &[Self::Scalar]
    };

    /// The value that [`dispatch!`](crate::dispatch) takes, or `None` where this machine or this build lacks the level.
    #[must_use]
    pub fn token(self) -> Option<Level> {
        if !Self::COMPILED.contains(&self) {
            return None;
        }
        let detected = Level::new();
        match self {
            Self::Scalar => Some(Level::fallback()),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Sse2 => detected.as_sse2().map(Level::Sse2),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Sse42 => detected.as_sse4_2().map(Level::Sse4_2),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx2 => detected.as_avx2().map(Level::Avx2),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx512 => detected.as_avx512().map(Level::Avx512),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => detected.as_neon().map(Level::Neon),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Wasm => detected.as_wasm_simd128().map(Level::WasmSimd128),
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            Self::Wasm => None,
            #[cfg(not(target_arch = "aarch64"))]
            Self::Neon => None,
            #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
            Self::Sse2 | Self::Sse42 | Self::Avx2 | Self::Avx512 => None,
        }
    }

    /// As [`token`](Self::token), with the slowest level that there is in place of one that there is not.
    #[must_use]
    pub fn token_or_base(self) -> Level {
        self.token().unwrap_or_else(|| base().level())
    }
}

impl Default for SimdLevel {
    fn default() -> Self {
        Self::best()
    }
}

impl FromStr for SimdLevel {
    type Err = ParseSimdLevelError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        if name == Self::AUTO.name {
            return Ok(Self::best());
        }
        let level = Self::named(name).map_err(|_| ParseSimdLevelError::Unknown(name.to_owned()))?;
        if !Self::COMPILED.contains(&level) && level != Self::Neon && level != Self::Wasm {
            return Err(ParseSimdLevelError::NotCompiled(level));
        }
        if level.token().is_none() {
            return Err(ParseSimdLevelError::Unavailable(level));
        }
        Ok(level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_available_level_parses_by_its_own_name() {
        for level in SimdLevel::available() {
            assert_eq!(level.name().parse(), Ok(level));
        }
        assert_eq!("auto".parse(), Ok(SimdLevel::best()));
    }

    #[test]
    fn there_is_always_a_level_and_unknown_names_list_what_there_is() {
        let slowest = SimdLevel::available().next().unwrap();
        let error = "avx".parse::<SimdLevel>().unwrap_err().to_string();
        assert!(error.contains("`avx`") && error.contains(slowest.name()), "{error}");
    }

    #[test]
    fn a_level_that_is_not_compiled_runs_as_one_that_is() {
        for level in SimdLevel::ALL {
            let runs = crate::dispatch!(level.token_or_base(), simd => simd.level());
            assert!(SimdLevel::available().any(|there| format!("{:?}", there.token_or_base()) == format!("{runs:?}")));
        }
        if !cfg!(feature = "every-level") && cfg!(target_arch = "x86_64") {
            let error = "scalar".parse::<SimdLevel>().unwrap_err().to_string();
            assert!(error.contains("every-level"), "{error}");
        }
    }
}
