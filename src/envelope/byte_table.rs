//! [`ByteTable`]: what a target holds of a value, without a power for each.
//!
//! Why it exists: the sRGB curve was a fourteenth of an envelope's time. The least byte that may be stored rises with the value, and so does
//! the greatest; where each of them steps up is where the other curve, from bytes to light, says. That is found once for a picture, and
//! the powers of [`Output::bytes`] become a search among 256 numbers. Both agree but for the last bits of f64, which
//! the slack of [`Output`] covers a million times.

use super::{
    ColorBox, Interval,
    choice::Choice,
    output::{Output, pixel_of},
};
use refrast_measure::envelope::PixelBox;

/// How a target stores colours, looked up.
pub(super) struct ByteTable {
    output: Output,
    /// For each byte the least value of a colour from which on nothing below the byte may be stored; −∞ for 0.
    lowest: [f64; 256],
    /// For each byte the least value from which on it may be stored, or more; −∞ for 0.
    highest: [f64; 256],
    /// The least and the greatest light that may be read back of each.
    read: [[f64; 2]; 256],
}

impl ByteTable {
    pub(super) fn new(output: Output) -> Self {
        const COLOR: usize = 0;
        let freedom = output.freedom();
        let from = |byte: usize, steps: f64| match byte {
            0 => f64::NEG_INFINITY,
            _ if steps >= 255.0 => f64::INFINITY,
            _ => output.light(steps / 255.0, COLOR),
        };
        Self {
            output,
            lowest: std::array::from_fn(|byte| from(byte, byte as f64 - 1.0 + freedom)),
            highest: std::array::from_fn(|byte| from(byte, byte as f64 - freedom)),
            read: std::array::from_fn(|byte| output.read_back(byte as u8, COLOR)),
        }
    }

    pub(super) fn output(&self) -> &Output {
        &self.output
    }

    /// The least and the greatest byte that may be stored of what lies between two values.
    fn ends(&self, Interval { low, high }: Interval, channel: usize) -> [u8; 2] {
        // The curve's ends are told apart from what lies between them.
        let is_inside = |value: f64| value > 0.0 && value < 1.0 && !self.output.is_linear(channel);
        let found = |table: &[f64; 256], value: f64| (table.partition_point(|from| *from <= value) - 1) as u8;
        [
            if is_inside(low) { found(&self.lowest, low) } else { self.output.lowest(low, channel) },
            if is_inside(high) { found(&self.highest, high) } else { self.output.highest(high, channel) },
        ]
    }

    /// What a pixel may hold.
    pub(super) fn bytes(&self, choice: &Choice) -> PixelBox {
        pixel_of(choice, |value, channel| self.ends(value, channel))
    }

    /// What may be read back of a colour that was stored in between: a blended layer, or a sample before the resolve. Targets
    /// of more bits are allowed too, so that nothing is rounded to bytes here.
    pub(super) fn stored(&self, color: &ColorBox) -> ColorBox {
        let channel = |channel: usize| {
            let value = color.channels[channel];
            let [least, most] = self.ends(value, channel).map(|byte| match self.output.is_linear(channel) {
                true => self.output.read_back(byte, channel),
                false => self.read[usize::from(byte)],
            });
            Interval { low: value.low.min(least[0]), high: value.high.max(most[1]) }
        };
        ColorBox { channels: std::array::from_fn(channel) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrast_range::Encode;
    use refrast_shading::ColorSpace;

    #[test]
    fn what_is_looked_up_is_what_the_curve_gives() {
        for (encode, steps) in [Encode::Srgb, Encode::Gamma22]
            .into_iter()
            .flat_map(|encode| [0.0, 0.5, 0.6, 1.0, 1.1, 1.5].map(|steps| (encode, steps)))
        {
            for space in [ColorSpace::Srgb, ColorSpace::Linear] {
                let output = Output { space, encode, steps, decode: 0.5 };
                let table = ByteTable::new(output);
                let bytes =
                    (0..=255).flat_map(|byte| output.read_back(byte, 0).into_iter().chain([f64::from(byte) / 255.0]));
                let ends = [f64::NAN, -0.5, -0.0, 1e-300, f64::EPSILON, 1.0 - 1e-9, 1.5, f64::INFINITY];
                let between = (0..40_000).map(|number| f64::from(number) / 39_999.0);
                // Dark values have bytes of their own that are not near each other.
                let dark = (0..4_000).map(|number| f64::from(number) / 4_000.0 / 255.0);
                for value in bytes.chain(ends).chain(between).chain(dark) {
                    let choice = Choice::exact([value; 4]);
                    assert_eq!(table.bytes(&choice), output.bytes(&choice), "{value} {encode:?} {steps} {space:?}");
                }
            }
        }
    }
}
