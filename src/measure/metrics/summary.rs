//! A measurement in one line.

use super::{Measurement, Score};
use crate::envelope::EnvelopeVerdict;

impl Measurement {
    /// The metric's number and what it was held against, in one line.
    #[must_use]
    pub fn summary(&self) -> String {
        let Measurement { metric, score, threshold, differing, counted, .. } = self;
        match score {
            // Figures of nothing only hide that there is nothing.
            Score::Flip(_) | Score::Yiq { .. } | Score::Exact | Score::Threshold if self.channels.largest == [0; 4] => {
                format!("{metric}: all {counted} pixels equal")
            }
            Score::Envelope(verdict) => {
                let EnvelopeVerdict { outside, missing, unexpected, undecided, farthest, .. } = verdict;
                let counts =
                    [(outside, "outside"), (missing, "missing"), (unexpected, "unexpected"), (undecided, "undecided")];
                let counts =
                    counts.iter().filter(|(count, _)| **count > 0).map(|(count, name)| format!("{count} {name}"));
                let counts: Vec<String> = counts.collect();
                if counts.is_empty() {
                    format!("{metric}: all {counted} pixels right")
                } else if verdict.wrong() == 0 {
                    format!("{metric}: {} of {counted} pixels, the others right", counts.join(", "))
                } else {
                    format!(
                        "{metric}: {} of {counted} pixels, up to {farthest} steps of 255 outside",
                        counts.join(", ")
                    )
                }
            }
            Score::Exact => format!("{metric}: {differing} of {counted} pixels differ"),
            Score::Threshold => {
                format!("{metric}: {differing} of {counted} pixels differ by more than {threshold} of 255 in a channel")
            }
            Score::Flip(score) => format!(
                "{metric}: {differing} of {counted} pixels above {threshold}; mean {:.6}, weighted median {:.4}, quartiles {:.4} and {:.4}, maximum {:.4}",
                score.mean,
                score.weighted_median,
                score.first_weighted_quartile,
                score.third_weighted_quartile,
                score.maximum
            ),
            Score::Psnr { decibels: None } => format!("{metric}: infinite, the pictures are equal"),
            Score::Psnr { decibels: Some(decibels) } => {
                format!("{metric}: {decibels:.3} dB, accepted from {threshold} dB")
            }
            Score::Ssim { mean } => format!("{metric}: {mean:.6}, accepted from {threshold}"),
            Score::Fuzzy { error } => format!("{metric}: {error:.6}, accepted up to {threshold}"),
            Score::Yiq { antialiased } => format!(
                "{metric}: {differing} of {counted} pixels above {threshold}, beside {antialiased} that look like anti-aliasing"
            ),
        }
    }
}
