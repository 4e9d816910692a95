//! Linear light → stored bytes, as an interval.
//!
//! A byte b is allowed for a value x where |b − 255·f(x)| is at most the profile's freedom, or below it where that is a whole
//! step: then what is exactly a byte stays that byte, as the Vulkan specification asks ("Conversion From Floating-Point to
//! Normalized Fixed-Point"), and anything between two bytes may be either.

use super::{Interval, choice::Choice};
use refrast_measure::envelope::PixelBox;
use refrast_range::Encode;
use refrast_shading::ColorSpace;

/// Arithmetic of the encoding itself, in steps: f32 on the way to 255·x.
const SLACK: f64 = 1e-4;

/// The same of a power in a shader. Vulkan ("Precision and Operation of SPIR-V Instructions") has pow(x, y) as
/// exp2(y · log2(x)), with 3 ULP for the logarithm and 3 + 2·|z| for the exponential: for stored values of 1/255 and more, where
/// |log2(x)| ≤ 18, that is below 2⁻¹⁷ of the value, and 255 · 2⁻¹⁷ < 2·10⁻³ steps. Direct3D's are tighter.
const POWER_SLACK: f64 = 2e-3;

/// How a target stores colours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    pub(super) space: ColorSpace,
    /// The curve of colours where the space is sRGB.
    pub(super) encode: Encode,
    /// Steps of 1/255 that a stored value may be off.
    pub(super) steps: f64,
    /// Steps that a stored sRGB value other than 0 and 255 may be off when it is read back.
    pub(super) decode: f64,
}

impl Output {
    /// A target of numbers: what is in it is not light, and is not encoded again.
    pub(super) fn of_numbers(self) -> Self {
        Self { space: ColorSpace::Linear, ..self }
    }

    /// An interval of values as the shader encodes them, 0 to 1; the bytes that they may be rounded to before they are
    /// blended belong to it.
    pub(super) fn encoded(&self, value: Interval, channel: usize) -> Interval {
        let [least, most] = [value.low, value.high].map(|end| self.encode(end, channel));
        let slack = self.slack();
        let low = (least - slack).min(f64::from(self.least_byte(least))).max(0.0);
        let high = (most + slack).max(f64::from(self.greatest_byte(most))).min(255.0);
        Interval { low: low / 255.0, high: high / 255.0 }
    }

    /// Light from values that were encoded.
    pub(super) fn decoded(&self, encoded: Interval, channel: usize) -> Interval {
        Interval { low: self.light(encoded.low, channel), high: self.light(encoded.high, channel) }
    }

    fn slack(&self) -> f64 {
        match self.encode {
            Encode::Srgb => SLACK,
            Encode::Gamma22 => POWER_SLACK,
        }
    }
}

impl Output {
    /// What a pixel may hold. Whoever asks for many has a [`ByteTable`](super::byte_table::ByteTable).
    pub(super) fn bytes(&self, choice: &Choice) -> PixelBox {
        pixel_of(choice, |value, channel| [self.lowest(value.low, channel), self.highest(value.high, channel)])
    }

    /// The least byte that may be stored of a value.
    pub(super) fn lowest(&self, value: f64, channel: usize) -> u8 {
        self.least_byte(self.encode(value, channel))
    }

    /// The greatest.
    pub(super) fn highest(&self, value: f64, channel: usize) -> u8 {
        self.greatest_byte(self.encode(value, channel))
    }

    /// Steps that a stored value other than 0 and 255 may be off, all told.
    pub(super) fn freedom(&self) -> f64 {
        self.steps + self.slack()
    }

    /// The least byte that may be stored for a value of `exact` steps.
    fn least_byte(&self, exact: f64) -> u8 {
        let exact = if exact > 0.0 && exact < 255.0 { exact - self.slack() } else { exact };
        let bound = exact - self.steps;
        let least = if self.steps >= 1.0 { bound.floor() + 1.0 } else { bound.ceil() };
        least.clamp(0.0, 255.0) as u8
    }

    fn greatest_byte(&self, exact: f64) -> u8 {
        let exact = if exact > 0.0 && exact < 255.0 { exact + self.slack() } else { exact };
        let bound = exact + self.steps;
        let most = if self.steps >= 1.0 { bound.ceil() - 1.0 } else { bound.floor() };
        most.clamp(0.0, 255.0) as u8
    }

    /// The least and the greatest light that may be read back of a stored byte.
    pub(super) fn read_back(&self, byte: u8, channel: usize) -> [f64; 2] {
        let is_exact = byte == 0 || byte == u8::MAX || self.is_linear(channel);
        let error = if is_exact { 0.0 } else { self.decode };
        [-error, error].map(|error| self.light((f64::from(byte) + error) / 255.0, channel))
    }

    /// In steps, 0 to 255.
    fn encode(&self, value: f64, channel: usize) -> f64 {
        // Not a number is stored as 0.
        let value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
        if self.is_linear(channel) {
            value * 255.0
        } else if self.encode == Encode::Gamma22 {
            libm::pow(value, 1.0 / 2.2) * 255.0
        } else if value <= 0.003_130_8 {
            value * 12.92 * 255.0
        } else {
            (1.055 * libm::pow(value, 1.0 / 2.4) - 0.055) * 255.0
        }
    }

    /// The light of an encoded value, 0 to 1.
    pub(super) fn light(&self, stored: f64, channel: usize) -> f64 {
        let stored = stored.clamp(0.0, 1.0);
        if self.is_linear(channel) {
            stored
        } else if self.encode == Encode::Gamma22 {
            libm::pow(stored, 2.2)
        } else if stored <= 0.040_45 {
            stored / 12.92
        } else {
            libm::pow((stored + 0.055) / 1.055, 2.4)
        }
    }

    pub(super) fn is_linear(&self, channel: usize) -> bool {
        channel == 3 || self.space == ColorSpace::Linear
    }
}

/// A choice as bytes; `ends` gives the least and the greatest of a channel's values.
pub(super) fn pixel_of(choice: &Choice, ends: impl Fn(Interval, usize) -> [u8; 2]) -> PixelBox {
    let mut bytes = PixelBox::new([0; 4], [u8::MAX; 4]);
    for (channel, value) in choice.color.channels.iter().enumerate() {
        [bytes.low[channel], bytes.high[channel]] = ends(*value, channel);
    }
    bytes.loose = choice.loose;
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::byte_table::ByteTable;

    fn output(space: ColorSpace, steps: f64) -> Output {
        Output { space, encode: Encode::Srgb, steps, decode: 0.5 }
    }

    fn alpha(steps: f64, low: f64, high: f64) -> (u8, u8) {
        let mut choice = Choice::exact([0.0; 4]);
        choice.color.channels[3] = Interval { low, high };
        let bytes = output(ColorSpace::Srgb, steps).bytes(&choice);
        (bytes.low[3], bytes.high[3])
    }

    #[test]
    fn whole_bytes_stay_and_others_go_to_either_neighbour() {
        assert_eq!(alpha(1.0, 1.0, 1.0), (255, 255));
        assert_eq!(alpha(1.0, 0.0, 0.0), (0, 0));
        assert_eq!(alpha(1.0, 100.25 / 255.0, 100.25 / 255.0), (100, 101));
        // Within 0.6: the nearest alone, or both near the middle.
        assert_eq!(alpha(0.6, 100.25 / 255.0, 100.25 / 255.0), (100, 100));
        assert_eq!(alpha(0.6, 100.45 / 255.0, 100.45 / 255.0), (100, 101));
    }

    #[test]
    fn a_stored_colour_is_read_back_as_one_of_its_bytes() {
        let color = Choice::exact([100.25 / 255.0; 4]).color;
        let alpha = |steps: f64| ByteTable::new(output(ColorSpace::Linear, steps)).stored(&color).channels[3];
        let [low, own, high] = [100.0, 100.25, 101.0].map(|byte| byte / 255.0);
        assert_eq!(alpha(1.0), Interval { low, high });
        assert_eq!(alpha(0.6), Interval { low, high: own });
    }

    #[test]
    fn a_power_is_stored_where_it_is_declared() {
        let power = Output { encode: Encode::Gamma22, ..output(ColorSpace::Srgb, 0.6) };
        // 255 · 0.5^(1/2.2) = 186.08; by sRGB's curve it is 187.52.
        let bytes = power.bytes(&Choice::exact([0.5; 4]));
        assert_eq!((bytes.low, bytes.high), ([186, 186, 186, 127], [186, 186, 186, 128]));
        let both = power.encoded(Interval::exact(0.5), 0);
        assert!(both.low <= 186.0 / 255.0 && both.high >= 186.08 / 255.0 && both.high < 186.1 / 255.0, "{both:?}");
        assert!((power.decoded(Interval::exact(186.08 / 255.0), 0).low - 0.5).abs() < 1e-3);
    }

    #[test]
    fn the_byte_of_the_reference_is_inside() {
        for number in 0..=1000u32 {
            let value = number as f32 / 1000.0;
            for space in [ColorSpace::Srgb, ColorSpace::Linear] {
                let bytes = space.encode([value; 4]);
                for steps in [0.6, 1.0] {
                    let choice = Choice::exact([f64::from(value); 4]);
                    assert!(output(space, steps).bytes(&choice).contains(bytes), "{value} {space:?} {steps}");
                }
            }
        }
    }
}
