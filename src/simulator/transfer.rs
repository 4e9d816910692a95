//! Bytes ↔ linear light, from the formulas of IEC 61966-2-1.
//!
//! Why it exists: this is the last step of every picture and the first of every texture, and the one that backends get
//! wrong most often. Written from the formula, not taken from the shading room.

use std::sync::{Arc, LazyLock};

use super::{faults::Faults, variation::OutputRounding};
use crate::{Fault, ParametricFault};

/// An sRGB value in [0, 1] → linear light.
pub(super) fn srgb_to_linear(stored: f32) -> f32 {
    to_linear(stored.into()) as f32
}

/// A value in [0, 1] that was stored by a power of 1/2.2 → linear light.
pub(super) fn power_to_linear(stored: f32) -> f32 {
    Curve::Gamma22.linear(stored.into()) as f32
}

fn to_linear(stored: f64) -> f64 {
    if stored <= 0.04045 { stored / 12.92 } else { libm::pow((stored + 0.055) / 1.055, 2.4) }
}

/// Linear light → an sRGB value in [0, 1], in f32.
pub(super) fn to_stored(linear: f32) -> f32 {
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * libm::powf(linear, 1.0 / 2.4) - 0.055 }
}

/// What a stored byte means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Curve {
    /// The byte over 255.
    Linear,
    /// The sRGB transfer function's.
    Srgb,
    /// A power of 2.2.
    Gamma22,
    /// A power.
    Power(f32),
}

impl Curve {
    fn linear(self, stored: f64) -> f64 {
        match self {
            Self::Linear => stored,
            Self::Srgb => to_linear(stored),
            Self::Gamma22 => libm::pow(stored, 2.2),
            Self::Power(gamma) => libm::pow(stored, gamma.into()),
        }
    }

    /// Linear value of each byte.
    fn decode(self) -> [f32; 256] {
        std::array::from_fn(|byte| self.linear(byte as f64 / 255.0) as f32)
    }
}

/// Linear value of each byte of a texture, by the curves that textures are stored by. A simulator binds textures for every picture.
pub(super) struct Decoded {
    pub(super) linear: [f32; 256],
    pub(super) srgb: [f32; 256],
    pub(super) gamma22: [f32; 256],
}

pub(super) static DECODED: LazyLock<Decoded> = LazyLock::new(|| Decoded {
    linear: Curve::Linear.decode(),
    srgb: Curve::Srgb.decode(),
    gamma22: Curve::Gamma22.decode(),
});

/// Both directions of a curve.
pub(super) struct Transfer {
    tables: Arc<Tables>,
    curve: Curve,
    rounding: OutputRounding,
    /// Whether values are cut off and not rounded.
    truncates: bool,
}

struct Tables {
    /// Linear value of each byte.
    decode: [f32; 256],
    /// `steps[b]`: the least linear value that is stored as b + 1.
    steps: [f32; 255],
    /// For 1024 equal parts of the square root's range: how many steps lie below the part.
    hints: Vec<u8>,
}

/// Those of the curves that targets are stored by: a diagnosis draws thousands of small pictures.
static LINEAR: LazyLock<Arc<Tables>> = LazyLock::new(|| Arc::new(Tables::cut_at(ROUNDED, Curve::Linear)));
static SRGB: LazyLock<Arc<Tables>> = LazyLock::new(|| Arc::new(Tables::cut_at(ROUNDED, Curve::Srgb)));

/// The part of a step from which on the next byte is stored.
const ROUNDED: f64 = 0.5;

/// Parts of [0, 1] in which the search for a byte begins.
const HINTS: usize = 1024;

impl Tables {
    /// The next byte is stored from so many steps on.
    fn cut_at(part: f64, curve: Curve) -> Self {
        let steps: [f32; 255] = std::array::from_fn(|step| {
            // The first number that is not below the step.
            let exact = curve.linear((step as f64 + part) / 255.0);
            let nearest = exact as f32;
            // What a byte is decoded to has to be stored as that byte again.
            if part < 1.0 && f64::from(nearest) < exact { nearest.next_up() } else { nearest }
        });
        let below = |part: usize| {
            let x = part as f32 / HINTS as f32;
            steps.partition_point(|step| *step <= x * x) as u8
        };
        let hints = (0..=HINTS).map(below).collect();
        Self { decode: curve.decode(), steps, hints }
    }
}

impl Transfer {
    pub(super) fn new(curve: Curve, rounding: OutputRounding) -> Self {
        let tables = match curve {
            Curve::Linear => Arc::clone(&LINEAR),
            Curve::Srgb => Arc::clone(&SRGB),
            Curve::Gamma22 | Curve::Power(_) => Arc::new(Tables::cut_at(ROUNDED, curve)),
        };
        Self { tables, curve, rounding, truncates: false }
    }

    /// Values are cut off: a byte is stored from its own value on.
    fn truncating(curve: Curve) -> Self {
        let tables = Arc::new(Tables::cut_at(1.0, curve));
        Self { tables, curve, rounding: OutputRounding::Nearest, truncates: true }
    }

    /// The linear value of a byte.
    #[inline(always)]
    pub(super) fn decode(&self, byte: u8) -> f32 {
        self.tables.decode[usize::from(byte)]
    }

    /// The exact stored value of a linear one, 0 to 1.
    pub(super) fn stored(&self, linear: f64) -> f64 {
        let linear = if linear > 0.0 { linear.min(1.0) } else { 0.0 };
        match self.curve {
            Curve::Linear => linear,
            Curve::Srgb if linear <= 0.003_130_8 => 12.92 * linear,
            Curve::Srgb => 1.055 * libm::pow(linear, 1.0 / 2.4) - 0.055,
            Curve::Gamma22 => libm::pow(linear, 1.0 / 2.2),
            Curve::Power(gamma) => libm::pow(linear, 1.0 / f64::from(gamma)),
        }
    }

    /// The byte of a linear value; not-a-number is 0.
    #[inline(always)]
    pub(super) fn encode(&self, linear: f32) -> u8 {
        let linear = if linear > 0.0 { linear.min(1.0) } else { 0.0 };
        match (self.rounding, self.curve) {
            (OutputRounding::Nearest, Curve::Linear) if !self.truncates => (linear * 255.0).round_ties_even() as u8,
            (OutputRounding::HalfUp, Curve::Linear) => (linear * 255.0 + 0.5) as u8,
            (OutputRounding::HalfUp, Curve::Srgb) => (to_stored(linear) * 255.0 + 0.5) as u8,
            _ => {
                let mut byte = self.tables.hints[(linear.sqrt() * HINTS as f32) as usize];
                // A part holds a few steps at most; the square root may have been rounded up into it.
                while byte > 0 && linear < self.tables.steps[usize::from(byte) - 1] {
                    byte -= 1;
                }
                while byte < 255 && linear >= self.tables.steps[usize::from(byte)] {
                    byte += 1;
                }
                byte
            }
        }
    }
}

/// The curves of a target: colours and alpha.
pub(super) struct TargetCurves {
    pub(super) color: Transfer,
    pub(super) alpha: Transfer,
}

impl TargetCurves {
    /// For a picture whose colours are stored by the sRGB curve, or one of numbers.
    pub(super) fn new(srgb: bool, rounding: OutputRounding, faults: Faults) -> Self {
        let powers = faults.parametric().filter_map(|fault| match fault {
            ParametricFault::Gamma { gamma, .. } => Some(Curve::Power(gamma)),
            _ => None,
        });
        let curve = match srgb {
            true if faults.has(Fault::SrgbEncodeMissing) => Curve::Linear,
            true if faults.has(Fault::GammaEncode22) => Curve::Gamma22,
            true => powers.last().unwrap_or(Curve::Srgb),
            false => Curve::Linear,
        };
        if faults.has(Fault::OutputTruncated) {
            return Self { color: Transfer::truncating(curve), alpha: Transfer::truncating(Curve::Linear) };
        }
        Self { color: Transfer::new(curve, rounding), alpha: Transfer::new(Curve::Linear, rounding) }
    }

    #[inline(always)]
    pub(super) fn encode(&self, [red, green, blue, alpha]: [f32; 4]) -> [u8; 4] {
        let color = |linear: f32| self.color.encode(linear);
        [color(red), color(green), color(blue), self.alpha.encode(alpha)]
    }

    #[inline(always)]
    pub(super) fn decode(&self, [red, green, blue, alpha]: [u8; 4]) -> [f32; 4] {
        let color = |byte: u8| self.color.decode(byte);
        [color(red), color(green), color(blue), self.alpha.decode(alpha)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_and_are_the_nearest() {
        for curve in [Curve::Linear, Curve::Srgb, Curve::Gamma22] {
            for rounding in [OutputRounding::Nearest, OutputRounding::HalfUp] {
                let transfer = Transfer::new(curve, rounding);
                for byte in 0..=255u8 {
                    assert_eq!(transfer.encode(transfer.decode(byte)), byte, "{curve:?} {rounding:?}");
                }
                assert_eq!([-1.0, 2.0, f32::NAN].map(|x| transfer.encode(x)), [0, 255, 0]);
            }
        }
        let cut = Transfer::truncating(Curve::Srgb);
        assert!((0..=255u8).all(|byte| cut.encode(cut.decode(byte)) == byte));
        // 0.5 is 187.516 in bytes, and 0.499 is 187.34.
        assert_eq!([0.5, 0.499, 1.0, 0.999].map(|linear| cut.encode(linear)), [187, 187, 255, 254]);
        // 0.5 is stored as 187.5160…, between 0.214 (of byte 127) and 0.2159 (of 128) lies 127.5.
        let srgb = Transfer::new(Curve::Srgb, OutputRounding::Nearest);
        assert_eq!(srgb.encode(0.5), 188);
        for step in 0..1_000_000 {
            let x = step as f32 / 1e6;
            let exact = 255.0
                * if x <= 0.003_130_8 { 12.92 * f64::from(x) } else { 1.055 * libm::pow(x.into(), 1.0 / 2.4) - 0.055 };
            assert!((f64::from(srgb.encode(x)) - exact).abs() <= 0.500_001, "{x}");
        }
    }
}
