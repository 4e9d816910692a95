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

impl Development {
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
    each(color, |channel| {
        let dimmed = channel * part;
        peak.if_above(START, dimmed + grey * (limit - dimmed), channel)
    })
}
