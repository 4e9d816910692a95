//! Linear light → stored bytes, as an interval.
//!
//! A byte b is allowed for a value x where |b − 255·f(x)| is at most the profile's freedom, or below it where that is a whole
//! step: then what is exactly a byte stays that byte, as the Vulkan specification asks ("Conversion From Floating-Point to
//! Normalized Fixed-Point"), and anything between two bytes may be either.

use super::{ColorBox, Interval, choice::Choice};
use refrast_golden::envelope::PixelBox;
use refrast_shading::ColorSpace;

/// Arithmetic of the encoding itself, in steps: f32 on the way to 255·x.
const SLACK: f64 = 1e-4;

/// How a target stores colours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    pub(super) space: ColorSpace,
    /// Steps of 1/255 that a stored value may be off.
    pub(super) steps: f64,
    /// Steps that a stored sRGB value other than 0 and 255 may be off when it is read back.
    pub(super) decode: f64,
}

impl Output {
    /// What a pixel may hold.
    pub(super) fn bytes(&self, choice: &Choice) -> PixelBox {
        let mut bytes = PixelBox::new([0; 4], [u8::MAX; 4]);
        for (channel, value) in choice.color.channels.iter().enumerate() {
            let [low, high] = [value.low, value.high].map(|end| self.encode(end, channel));
            (bytes.low[channel], bytes.high[channel]) = (self.lowest(low), self.highest(high));
        }
        bytes.loose = choice.loose;
        bytes
    }

    /// The least byte that may be stored for a value of `exact` steps.
    fn lowest(&self, exact: f64) -> u8 {
        let exact = if exact > 0.0 && exact < 255.0 { exact - SLACK } else { exact };
        let bound = exact - self.steps;
        let least = if self.steps >= 1.0 { bound.floor() + 1.0 } else { bound.ceil() };
        least.clamp(0.0, 255.0) as u8
    }

    fn highest(&self, exact: f64) -> u8 {
        let exact = if exact > 0.0 && exact < 255.0 { exact + SLACK } else { exact };
        let bound = exact + self.steps;
        let most = if self.steps >= 1.0 { bound.ceil() - 1.0 } else { bound.floor() };
        most.clamp(0.0, 255.0) as u8
    }

    /// What may be read back of a colour that was stored in between: a blended layer, or a sample before the resolve. Targets
    /// of more bits are allowed too, so that nothing is rounded to bytes here.
    pub(super) fn stored(&self, color: &ColorBox) -> ColorBox {
        let channels = color.channels;
        ColorBox {
            channels: std::array::from_fn(|channel| {
                let Interval { low, high } = channels[channel];
                let [least, most] = [low, high].map(|end| self.encode(end, channel));
                let read = |byte: u8, error: f64| {
                    let error = if byte == 0 || byte == u8::MAX || self.is_linear(channel) { 0.0 } else { error };
                    self.decode((f64::from(byte) + error) / 255.0, channel)
                };
                let (least, most) = (read(self.lowest(least), -self.decode), read(self.highest(most), self.decode));
                Interval { low: low.min(least), high: high.max(most) }
            }),
        }
    }

    /// In steps, 0 to 255.
    fn encode(&self, value: f64, channel: usize) -> f64 {
        // Not a number is stored as 0.
        let value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
        if self.is_linear(channel) {
            value * 255.0
        } else if value <= 0.003_130_8 {
            value * 12.92 * 255.0
        } else {
            (1.055 * libm::pow(value, 1.0 / 2.4) - 0.055) * 255.0
        }
    }

    fn decode(&self, stored: f64, channel: usize) -> f64 {
        let stored = stored.clamp(0.0, 1.0);
        if self.is_linear(channel) {
            stored
        } else if stored <= 0.040_45 {
            stored / 12.92
        } else {
            libm::pow((stored + 0.055) / 1.055, 2.4)
        }
    }

    fn is_linear(&self, channel: usize) -> bool {
        channel == 3 || self.space == ColorSpace::Linear
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alpha(steps: f64, low: f64, high: f64) -> (u8, u8) {
        let mut choice = Choice::exact([0.0; 4]);
        choice.color.channels[3] = Interval { low, high };
        let bytes = Output { space: ColorSpace::Srgb, steps, decode: 0.5 }.bytes(&choice);
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
        let alpha = |steps: f64| Output { space: ColorSpace::Linear, steps, decode: 0.5 }.stored(&color).channels[3];
        let [low, own, high] = [100.0, 100.25, 101.0].map(|byte| byte / 255.0);
        assert_eq!(alpha(1.0), Interval { low, high });
        assert_eq!(alpha(0.6), Interval { low, high: own });
    }

    #[test]
    fn the_byte_of_the_reference_is_inside() {
        for number in 0..=1000u32 {
            let value = number as f32 / 1000.0;
            for space in [ColorSpace::Srgb, ColorSpace::Linear] {
                let bytes = space.encode([value; 4]);
                for steps in [0.6, 1.0] {
                    let choice = Choice::exact([f64::from(value); 4]);
                    assert!(
                        Output { space, steps, decode: 0.5 }.bytes(&choice).contains(bytes),
                        "{value} {space:?} {steps}"
                    );
                }
            }
        }
    }
}
