//! What a page says about a case, in words.

use super::{
    PixelCauses,
    page::{Row, WorstRow},
};
use crate::{
    Case, Comparison, Outcome,
    compare::{judged_by, right_if_declared},
    in_words::Words,
};
use refrast_measure::{
    MeasureOptions, Measurement, Rectangle, Score, WorstPixel,
    envelope::{PixelBox, WrongPixel},
};

/// The row of a case, without its pictures.
pub(super) fn row(case: &Case, options: &MeasureOptions, causes: &[PixelCauses]) -> Row {
    let (mut worst, mut notes) = (Vec::new(), Vec::new());
    if let Outcome::Measured { width, height, measurement, rules, right_if, diagnosis } = &case.outcome {
        notes.extend(diagnosis.iter().cloned());
        notes.push(format!("{width} x {height} pixels"));
        if measurement.ignored > 0 {
            notes.push(format!("{} pixels ignored", measurement.ignored));
        }
        if let Some(bounds) = measurement.channels.bounds {
            let (x, y) = (bounds.x, bounds.y);
            notes.push(format!("all that differs lies in {} x {} pixels from ({x}, {y})", bounds.width, bounds.height));
        }
        let [red, green, blue, alpha] = measurement.channels.largest;
        let steps = (1_u32 << measurement.channels.bits) - 1;
        notes.push(format!("largest differences of {steps}: red {red}, green {green}, blue {blue}, alpha {alpha}"));
        notes.extend(rules.iter().map(|rules| judged_by(rules)));
        notes.extend(right_if.iter().map(|options| right_if_declared(options)));
        worst.extend(measurement.worst.iter().map(|pixel| worst_row(pixel, measurement, causes)));
    }
    Row {
        name: case.name.clone(),
        verdict: case.verdict,
        summary: case.summary(),
        pictures: Vec::new(),
        worst,
        notes,
        hypotheses: Vec::new(),
        hash: None,
        words: Some(Words::of(case, options)),
    }
}

fn worst_row(pixel: &WorstPixel, measurement: &Measurement, causes: &[PixelCauses]) -> WorstRow {
    let &WorstPixel { x, y, golden, candidate, error } = pixel;
    let text = |pixel: [u16; 4]| pixel.map(|sample| sample.to_string()).join(" ");
    let wrong: Option<&WrongPixel> = match &measurement.score {
        Score::Envelope(verdict) => verdict.worst.iter().find(|wrong| (wrong.x, wrong.y) == (x, y)),
        _ => None,
    };
    let error = match wrong {
        Some(wrong) => format!("{}, {} steps", wrong.class.name(), wrong.distance),
        None => format!("{error:.4}"),
    };
    let boxes = wrong.map_or(Vec::new(), |wrong| wrong.boxes.iter().map(box_text).collect());
    let causes = causes.iter().filter(|own| (own.x, own.y) == (x, y)).flat_map(|own| own.causes.clone()).collect();
    WorstRow { x, y, golden: text(golden), candidate: text(candidate), error, boxes, causes }
}

/// Channel by channel from low to high, as the page writes it too.
fn box_text(own: &PixelBox) -> String {
    let channels = own
        .low
        .iter()
        .zip(own.high)
        .map(|(&low, high)| if low == high { low.to_string() } else { format!("{low}\u{2013}{high}") });
    let channels: Vec<String> = channels.collect();
    format!("{}{}", channels.join(" "), if own.loose { " (loose)" } else { "" })
}

/// What the reader should know about the whole.
pub(super) fn settings(comparison: &Comparison) -> Vec<(String, String)> {
    let metric = comparison.metric;
    let named = if comparison.prefer_envelope {
        format!("envelope where the golden has one, else {metric}")
    } else {
        metric.to_string()
    };
    let mut settings = vec![
        ("golden", comparison.golden.display().to_string()),
        ("candidate", comparison.candidate.display().to_string()),
        ("metric", named),
        ("threshold", format!("{} ({})", comparison.threshold, metric.threshold_meaning())),
    ];
    if let Some(maximum) = comparison.maximum_differing {
        settings.push(("pixels that may be blamed", maximum.to_string()));
    }
    if !comparison.ignored.is_empty() {
        let ignored: Vec<String> = comparison.ignored.iter().map(Rectangle::to_string).collect();
        settings.push(("ignored (x,y,width,height)", ignored.join("; ")));
    }
    settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
