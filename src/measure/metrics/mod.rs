//! How far apart two pictures are, by one of eight metrics.
//!
//! Why it exists: people trust the metric they know, and want to see what it misses. All of them are here, with one
//! way to ask and one form of answer, and each gives the same bits for every SIMD level and number of threads.
//!
//! | metric | judges | alpha |
//! |---|---|---|
//! | `envelope` | each pixel, by what a conformant backend may write there | a channel |
//! | `exact` | each channel | a channel |
//! | `threshold` | each channel | a channel |
//! | `flip` | what a person sees | on black and on white, the larger error |
//! | `psnr` | squared differences | a channel, unless both are opaque |
//! | `ssim` | structure of the luma | on black and on white, the lower similarity |
//! | `fuzzy` | dEQP's blurred, shifted distance | a channel |
//! | `yiq` | pixelmatch's colour difference | on pixelmatch's pattern |
//!
//! Pictures of 8 and of 16 bits are compared in 16 bits; `envelope`, `fuzzy` and `yiq` are defined on 8 bits and round to them.
//!
//! `envelope`, `exact`, `threshold`, `flip` and `yiq` judge pixels, and a single one that is wrong fails the picture: a
//! mean over a picture accepts any fault that is small enough. `psnr`, `ssim` and `fuzzy` are such means by definition.

mod budget;
mod channels;
mod composite;
mod error_map;
mod flip;
mod fuzzy;
mod measurement;
mod psnr;
mod ssim;
mod strips;
mod summary;
#[cfg(test)]
mod test_pictures;
mod vector_math;
mod yiq;

use refrast_words::{UnknownWord, words};
use serde::{Deserialize, Serialize};

pub use channels::ChannelDifferences;
pub use error_map::ErrorMap;
pub use flip::{DEFAULT_PIXELS_PER_DEGREE, FlipScore};
pub use measurement::{MeasureError, MeasureOptions, Measurement, Score, WorstPixel, measure, measure_with_envelope};

pub use budget::check_memory;
pub use strips::{NamedBytes, measure_strips};

words! {
    /// A way to say how far apart two pictures are.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Metric: "metric" {
        /// Every pixel lies in the acceptable set that the golden's envelope gives it.
        Envelope = "envelope",
        /// Every channel of every pixel is equal.
        Exact = "exact",
        /// Every channel of every pixel differs by at most so many 8-bit steps.
        Threshold = "threshold",
        /// ꟻLIP, the difference that a person sees, of every pixel.
        Flip = "flip",
        /// Peak signal-to-noise ratio.
        Psnr = "psnr",
        /// Structural similarity.
        Ssim = "ssim",
        /// dEQP's fuzzy compare.
        Fuzzy = "fuzzy",
        /// pixelmatch's YIQ difference with its anti-aliasing detector.
        Yiq = "yiq",
    }
}

/// The name is not that of a metric.
pub type ParseMetricError = UnknownWord;

impl Metric {
    /// Those that ask for nothing but two pictures: all but [`Metric::Envelope`].
    pub const OF_TWO_PICTURES: [Self; 7] =
        [Self::Exact, Self::Threshold, Self::Flip, Self::Psnr, Self::Ssim, Self::Fuzzy, Self::Yiq];

    /// The threshold where none is given: no step outside of the boxes; 2 steps of 255; a ꟻLIP error of 0.05; 40 dB; a similarity of 0.99; a
    /// fuzzy error of 0.05 (dEQP's usual one); a YIQ share of 0.1 (pixelmatch's default).
    #[must_use]
    pub const fn default_threshold(self) -> f64 {
        match self {
            Self::Envelope | Self::Exact => 0.0,
            Self::Threshold => 2.0,
            Self::Flip | Self::Fuzzy => 0.05,
            Self::Psnr => 40.0,
            Self::Ssim => 0.99,
            Self::Yiq => 0.1,
        }
    }

    /// What the threshold is, in words that complete "the threshold is …".
    #[must_use]
    pub const fn threshold_meaning(self) -> &'static str {
        match self {
            Self::Envelope => "how far a pixel may be outside of its boxes, in whole 8-bit steps from 0 to 255",
            Self::Exact => "always 0",
            Self::Threshold => "the largest difference of a channel, in whole 8-bit steps from 0 to 255",
            Self::Flip => "the largest error of a pixel, from 0 to 1",
            Self::Psnr => "the smallest ratio in decibels, at least 0",
            Self::Ssim => "the smallest mean similarity, from 0 to 1",
            Self::Fuzzy => "the largest error, at least 0",
            Self::Yiq => "the largest share of the largest colour difference, from 0 to 1",
        }
    }

    /// Whether `threshold` is one that the metric can use.
    fn accepts(self, threshold: f64) -> bool {
        match self {
            Self::Exact => threshold == 0.0,
            Self::Envelope | Self::Threshold => (0.0..=255.0).contains(&threshold) && threshold.fract() == 0.0,
            Self::Flip | Self::Yiq | Self::Ssim => (0.0..=1.0).contains(&threshold),
            Self::Psnr | Self::Fuzzy => threshold >= 0.0 && threshold.is_finite(),
        }
    }
}
