//! A picture of the built-in character against another a moment later, by every metric.

use refrast_golden::measure_in_words;
use refrast_raster::SampleCount;
use refrast_render::RenderSettings;

use crate::{
    Job,
    frames::{draw, small},
    hash,
};

pub(crate) fn jobs() -> Vec<(String, Job)> {
    ["envelope", "exact", "threshold", "flip", "psnr", "ssim", "fuzzy", "yiq"]
        .into_iter()
        .map(|metric| (format!("measured by {metric}"), Box::new(move || measured(metric)) as Job))
        .collect()
}

/// Everything that is said of the two, as it is written for others. The envelope is that of the repository's golden; the
/// other metrics are quicker with a small picture.
fn measured(metric: &str) -> u64 {
    let mut settings = small();
    let mut envelope = None;
    if metric == "envelope" {
        settings = RenderSettings { samples: SampleCount::Four, ..RenderSettings::default() };
        envelope = Some(include_bytes!("../../../golden/demo.envelope").to_vec());
    }
    let [golden, candidate] = [0.3, 0.31].map(|seconds| draw("Walk", seconds, settings));
    let words = format!(r#"{{"metric": "{metric}"}}"#);
    let measurement = measure_in_words(&golden, &candidate, &words, envelope).expect("sizes agree");
    hash(serde_json::to_vec(&measurement).expect("numbers can be written"))
}
