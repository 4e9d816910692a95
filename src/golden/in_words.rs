//! A comparison that is asked for in words, as the packages for other languages hand it over.
//!
//! Why it exists: each of them would read the same options in its own way, and choose another metric where none is named.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{Case, Outcome};
use refrast_measure::{
    DEFAULT_PIXELS_PER_DEGREE, MeasureError, MeasureOptions, Measurement, Metric, ParseMetricError, Picture, Rectangle,
    envelope::{EnvelopeError, EnvelopeFile},
    measure, measure_with_envelope,
};

/// The comparison can not be made.
#[derive(Debug, thiserror::Error)]
pub enum InWordsError {
    /// The words are no JSON of the expected form.
    #[error(
        "the options are not JSON such as {{\"metric\": \"flip\", \"threshold\": 0.05, \"max_differing\": 0, \"ignore\": [[0, 0, 8, 8]]}}: {0}"
    )]
    Words(#[from] serde_json::Error),
    /// There is no such metric.
    #[error(transparent)]
    Metric(#[from] ParseMetricError),
    /// The envelope can not be read.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    /// The pictures can not be measured.
    #[error(transparent)]
    Measure(#[from] MeasureError),
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Words {
    #[serde(skip_serializing_if = "Option::is_none")]
    metric: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_differing: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pixels_per_degree: Option<f32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ignore: Vec<[u32; 4]>,
}

impl Words {
    /// The words by which another candidate of a case is measured as its own one was.
    pub(super) fn of(case: &Case, options: &MeasureOptions) -> Self {
        let named = match &case.outcome {
            Outcome::Measured { measurement, .. } => Some(measurement.metric),
            _ => Some(options.metric).filter(|_| !options.prefer_envelope),
        };
        let rectangle = |own: &Rectangle| [own.x, own.y, own.width, own.height];
        Self {
            metric: named.map(|metric| metric.to_string()),
            // That of the options says nothing to another metric.
            threshold: options.threshold.filter(|_| named == Some(options.metric)),
            max_differing: options.maximum_differing,
            pixels_per_degree: Some(options.pixels_per_degree).filter(|own| *own != DEFAULT_PIXELS_PER_DEGREE),
            ignore: options.ignored.iter().map(rectangle).collect(),
        }
    }
}

/// Measures how far the candidate is from the golden, with options as JSON: `metric`, `threshold`, `max_differing`,
/// `pixels_per_degree`, and `ignore`, a list of rectangles (x, y, width, height). The envelope, the bytes of a file, decides where there is one and no other metric
/// is named; ꟻLIP where there is none. That is what `refrast compare` does.
///
/// # Errors
/// [`InWordsError`].
pub fn measure_in_words(
    golden: &Picture,
    candidate: &Picture,
    words: &str,
    envelope: Option<Vec<u8>>,
) -> Result<Measurement, InWordsError> {
    let Words { metric, threshold, max_differing, pixels_per_degree, ignore } = serde_json::from_str(words)?;
    let named = metric.as_deref().map(str::parse::<Metric>).transpose()?;
    let envelope = envelope.filter(|_| named.is_none_or(|metric| metric == Metric::Envelope));
    let fallback = if envelope.is_some() { Metric::Envelope } else { Metric::Flip };
    let rectangle = |[x, y, width, height]: [u32; 4]| Rectangle { x, y, width, height };
    let options = MeasureOptions {
        threshold,
        maximum_differing: max_differing,
        ignored: ignore.into_iter().map(rectangle).collect(),
        pixels_per_degree: pixels_per_degree.unwrap_or(DEFAULT_PIXELS_PER_DEGREE),
        ..MeasureOptions::new(named.unwrap_or(fallback))
    };
    Ok(match envelope {
        Some(bytes) => {
            let file = EnvelopeFile::from_bytes(bytes, Path::new("the envelope"))?;
            measure_with_envelope(golden, candidate, &file, &options)?
        }
        None => measure(golden, candidate, &options)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_candidate_is_measured_by_the_words_of_its_case() {
        let golden = Picture::from_rgba8(2, 1, vec![10, 20, 30, 255, 0, 0, 0, 255]).unwrap();
        let candidate = Picture::from_rgba8(2, 1, vec![10, 20, 33, 255, 0, 90, 9, 255]).unwrap();
        let ignored = vec![Rectangle { x: 1, y: 0, width: 1, height: 1 }];
        for metric in Metric::ALL.into_iter().filter(|metric| *metric != Metric::Envelope) {
            let options = MeasureOptions {
                threshold: Some(metric.default_threshold()),
                maximum_differing: Some(1),
                pixels_per_degree: 40.0,
                ignored: ignored.clone(),
                prefer_envelope: true,
                ..MeasureOptions::new(metric)
            };
            let measurement = Box::new(measure(&golden, &candidate, &options).unwrap());
            let outcome = Outcome::Measured {
                width: 2,
                height: 1,
                measurement: measurement.clone(),
                rules: None,
                right_if: Vec::new(),
                diagnosis: Vec::new(),
            };
            let case =
                Case { name: String::new(), golden: None, candidate: None, verdict: crate::Verdict::Same, outcome };
            let words = serde_json::to_string(&Words::of(&case, &options)).unwrap();
            assert_eq!(&measure_in_words(&golden, &candidate, &words, None).unwrap(), &*measurement, "{words}");
        }
    }

    #[test]
    fn words_choose_metric_threshold_and_what_is_ignored() {
        let golden = Picture::from_rgba8(2, 1, vec![10, 20, 30, 255, 0, 0, 0, 255]).unwrap();
        let candidate = Picture::from_rgba8(2, 1, vec![10, 20, 33, 255, 0, 0, 9, 255]).unwrap();
        let measured = |words: &str| measure_in_words(&golden, &candidate, words, None);
        assert_eq!(measured("{}").unwrap().metric, Metric::Flip);
        let threshold = measured(r#"{"metric": "threshold", "threshold": 3}"#).unwrap();
        assert_eq!((threshold.accepted, threshold.differing), (false, 1));
        let ignored = measured(r#"{"metric": "threshold", "threshold": 3, "ignore": [[1, 0, 1, 1]]}"#).unwrap();
        assert_eq!((ignored.accepted, ignored.ignored), (true, 1));
        assert!(measured(r#"{"metric": "threshold", "max_differing": 2}"#).unwrap().accepted);
        for (words, expected) in [
            ("{", "the options are not JSON"),
            (r#"{"metrik": "flip"}"#, "unknown field `metrik`"),
            (r#"{"metric": "taste"}"#, "taste"),
        ] {
            let error = measured(words).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let error = measure_in_words(&golden, &candidate, "{}", Some(vec![1, 2, 3])).unwrap_err().to_string();
        assert!(error.contains("the envelope"), "{error}");
    }
}
