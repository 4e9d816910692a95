//! Blended layers over the colours of a sample.
//!
//! Why it exists: each layer may or may not be there, and of a patch that surely covers once exactly one triangle is. So what
//! is carried through the layers is not only a union of colours, but also for each of them which patches have had their
//! triangle; at the end all must have had one.

use super::{
    ColorBox, Interval,
    choice::{self, Choice},
    output::Output,
    sample::Layer,
};

/// Colours that are followed through the layers.
const MOST_STATES: usize = 24;

/// Lays `layers` over `choices`; `paint` gives the colours of a hit.
pub(super) fn blend<'a>(
    choices: &mut Vec<Choice>,
    layers: &[Layer],
    paint: impl Fn(usize) -> &'a [Choice],
    output: &Output,
    arithmetic: f64,
) {
    if !layers.is_empty() {
        // A layer finds what a target has made of the colour below, which may have been out of its range.
        choices.iter_mut().for_each(|under| under.color = output.stored(&under.color));
    }
    let mut groups: Vec<(u32, Vec<Choice>)> = vec![(0, std::mem::take(choices))];
    for layer in layers {
        let bit = layer.one_of.map_or(0, |patch| 1 << patch);
        let mut next: Vec<(u32, Vec<Choice>)> = Vec::new();
        let mut put = |hits: u32, choice: Choice| {
            let place = next.iter().position(|(own, _)| *own == hits).unwrap_or_else(|| {
                next.push((hits, Vec::new()));
                next.len() - 1
            });
            choice::add(&mut next[place].1, choice, output.space);
        };
        for (hits, under) in &groups {
            for under in under {
                let hit_before = hits & bit != 0;
                if hit_before || !layer.surely {
                    put(*hits, *under);
                }
                if hit_before {
                    continue;
                }
                if bit != 0 && !layer.surely_visible {
                    put(hits | bit, *under);
                }
                for source in paint(layer.hit) {
                    over(source, under, output, arithmetic).into_iter().flatten().for_each(|new| put(hits | bit, new));
                }
            }
        }
        let most = (MOST_STATES / next.len().max(1)).max(2);
        next.iter_mut().for_each(|(_, choices)| choice::limit(choices, most));
        groups = next;
    }
    let patches = layers.iter().filter_map(|layer| layer.one_of).fold(0, |all, patch| all | 1 << patch);
    for (_, group) in groups.into_iter().filter(|(hits, _)| *hits == patches) {
        group.into_iter().for_each(|own| choice::add(choices, own, output.space));
    }
}

/// Source-over in linear light. A target of bytes clamps the source first, one of floats does not: where that makes a
/// difference it is a choice.
fn over(source: &Choice, under: &Choice, output: &Output, arithmetic: f64) -> [Option<Choice>; 2] {
    let lay = |color: &ColorBox| {
        let alpha = color.channels[3];
        let channels = std::array::from_fn(|channel| {
            let (own, below) = (color.channels[channel], under.color.channels[channel]);
            // Linear in alpha: the ends decide.
            let at = |alpha: f64| {
                let part = Interval::exact(alpha);
                let own = if channel == 3 { part } else { own * part };
                own + below * Interval::exact(1.0 - alpha)
            };
            let mixed = at(alpha.low).hull(at(alpha.high));
            mixed.widened(4.0 * arithmetic * (own.magnitude() + below.magnitude() + 1.0))
        });
        Choice { color: output.stored(&ColorBox { channels }), loose: source.loose || under.loose }
    };
    let clamped = ColorBox { channels: source.color.channels.map(|channel| channel.clamped(0.0, 1.0)) };
    [Some(lay(&source.color)), (clamped != source.color).then(|| lay(&clamped))]
}
