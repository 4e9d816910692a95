//! [`ToneMapping`] and exposure: from the light of a scene to the light of a picture.
//!
//! Why it exists: lights of a file are in lux and candela, and a picture ends at 1. Exposure scales, and a tone mapping
//! bends what is too bright. Khronos PBR Neutral keeps base colours under grey light as they are (glTF's own choice:
//! <https://github.com/KhronosGroup/ToneMapping/tree/main/PBR_Neutral>).

use refrast_range::{Number, each, scaled};
use refrast_words::words;

words! {
    /// How the colours of the mode `lit` are brought below 1.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum ToneMapping: "tone mapping" = None {
        /// Not at all: what is brighter than 1 is cut off when it is stored.
        None = "none",
        /// Khronos PBR Neutral.
        Neutral = "neutral",
    }
}

/// Where the compression of highlights starts: 0.8 less the reflectance at normal incidence.
const START: f32 = 0.76;
/// 1 − [`START`].
const ROOM: f32 = 0.24;
/// How fast highlights lose their colour.
const DESATURATION: f32 = 0.15;

/// From the light of a scene to the light of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Development {
    /// What colours are multiplied by.
    pub exposure: f32,
    /// What then happens to bright ones.
    pub tone: ToneMapping,
}

impl Default for Development {
    fn default() -> Self {
        Self { exposure: 1.0, tone: ToneMapping::default() }
    }
}

/// A colour can not be multiplied by this.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("an exposure of {0} makes no picture; give a factor from 0 to 1000000, 1 for the light as it is")]
pub struct ExposureError(f32);

/// The largest exposure: light of the sun in lux needs a small one, starlight this.
const MOST_EXPOSURE: f32 = 1e6;

impl Development {
    /// An exposure that can be used.
    ///
    /// # Errors
    ///
    /// When it is below 0, above a million or no number.
    pub fn check(exposure: f32) -> Result<f32, ExposureError> {
        if (0.0..=MOST_EXPOSURE).contains(&exposure) { Ok(exposure) } else { Err(ExposureError(exposure)) }
    }

    /// Of linear red, green and blue, none below 0.
    #[inline(always)]
    pub fn developed<N: Number>(&self, color: [N; 3]) -> [N; 3] {
        let exposed = match self.exposure {
            1.0 => color,
            exposure => scaled(color, color[0].constant(exposure)),
        };
        match self.tone {
            ToneMapping::None => exposed,
            ToneMapping::Neutral => neutral(exposed),
        }
    }
}

/// Khronos PBR Neutral.
#[inline(always)]
pub fn neutral<N: Number>(color: [N; 3]) -> [N; 3] {
    let constant = |value: f32| color[0].constant(value);
    let least = color[0].lesser(color[1]).lesser(color[2]);
    let foot = least - constant(6.25) * least.squared();
    let foot = least.if_above(0.08, constant(0.04), foot);
    let color = each(color, |channel| channel - foot);

    let peak = color[0].greater(color[1]).greater(color[2]);
    let bright = peak.at_least(START);
    let limit = constant(1.0) - constant(ROOM * ROOM).divided_by(bright + constant(ROOM - START));
    let part = limit.divided_by(bright);
    let grey = constant(1.0) - constant(1.0).divided_by(constant(DESATURATION) * (bright - limit) + constant(1.0));
    each(
        color,
        #[inline(always)]
        |channel| {
            let dimmed = channel * part;
            peak.if_above(START, dimmed + grey * (limit - dimmed), channel)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code that Khronos publishes, in f64.
    fn published(color: [f64; 3]) -> [f64; 3] {
        let (start, desaturation) = (0.8 - 0.04, 0.15);
        let x = color[0].min(color[1]).min(color[2]);
        let offset = if x < 0.08 { x - 6.25 * x * x } else { 0.04 };
        let color = color.map(|channel| channel - offset);
        let peak = color[0].max(color[1]).max(color[2]);
        if peak < start {
            return color;
        }
        let d = 1.0 - start;
        let new_peak = 1.0 - d * d / (peak + d - start);
        let g = 1.0 - 1.0 / (desaturation * (peak - new_peak) + 1.0);
        color.map(|channel| channel * new_peak / peak).map(|channel| channel * (1.0 - g) + new_peak * g)
    }

    #[test]
    fn neutral_is_what_khronos_publishes() {
        for step in 0..40_000u32 {
            let part = |prime: u32| (step * prime % 1009) as f32 / 1009.0;
            // Up to 16, most of them near the foot and the shoulder.
            let color = [part(7), part(331), part(97)].map(|part| part * part * part * 16.0);
            let expected = published(color.map(f64::from));
            let found = neutral(color);
            for (found, expected) in found.into_iter().zip(expected) {
                // A dozen roundings of numbers up to 1; before that, of the colour and its foot.
                assert!((f64::from(found) - expected).abs() < 2e-6, "{color:?}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn exposure_is_a_factor_and_no_tone_leaves_colours_alone() {
        let developed = |exposure, tone| Development { exposure, tone }.developed([0.5f32, 1.5, 3.0]);
        assert_eq!(developed(1.0, ToneMapping::None), [0.5, 1.5, 3.0]);
        assert_eq!(developed(0.5, ToneMapping::None), [0.25, 0.75, 1.5]);
        assert_eq!(developed(0.5, ToneMapping::Neutral), neutral([0.25f32, 0.75, 1.5]));
        for wrong in [-1.0, f32::NAN, f32::INFINITY, 2e6] {
            assert!(Development::check(wrong).is_err());
        }
    }
}
