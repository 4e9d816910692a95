//! Blended layers over the colours of a sample.
//!
//! Why it exists: each layer may or may not be there, and of a patch that surely covers once exactly one triangle is. So what
//! is carried through the layers is not only a union of colours, but also for each of them which patches have had their
//! triangle; at the end all must have had one.

use refrast_range::Blend;

use super::{
    ColorBox, Interval,
    byte_table::ByteTable,
    choice::{self, Choice},
    sample::Layer,
};

/// Colours that are followed through the layers.
const MOST_STATES: usize = 24;

/// How a layer is laid over what is below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mixing {
    /// What is mixed.
    pub(super) blend: Blend,
    /// Relative error of an operation.
    pub(super) arithmetic: f64,
}

/// Lays `layers` over `choices`; `paint` gives the colours of a hit.
pub(super) fn blend<'a>(
    choices: &mut Vec<Choice>,
    layers: &[Layer],
    paint: impl Fn(usize) -> &'a [Choice],
    target: &ByteTable,
    mixing: Mixing,
) {
    if !layers.is_empty() {
        // A layer finds what a target has made of the colour below, which may have been out of its range.
        choices.iter_mut().for_each(|under| under.color = target.stored(&under.color));
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
            choice::add(&mut next[place].1, choice, target.output().space);
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
                    let laid = match mixing.blend {
                        Blend::Linear => over(source, under, target, mixing.arithmetic),
                        Blend::Stored => over_stored(source, under, target, mixing.arithmetic),
                    };
                    laid.into_iter().flatten().for_each(|new| put(hits | bit, new));
                }
            }
        }
        let most = (MOST_STATES / next.len().max(1)).max(2);
        next.iter_mut().for_each(|(_, choices)| choice::limit(choices, most));
        groups = next;
    }
    let patches = layers.iter().filter_map(|layer| layer.one_of).fold(0, |all, patch| all | 1 << patch);
    for (_, group) in groups.into_iter().filter(|(hits, _)| *hits == patches) {
        group.into_iter().for_each(|own| choice::add(choices, own, target.output().space));
    }
}

/// Source-over in linear light. A target of bytes clamps the source first, one of floats does not: where that makes a
/// difference it is a choice.
fn over(source: &Choice, under: &Choice, target: &ByteTable, arithmetic: f64) -> [Option<Choice>; 2] {
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
        Choice { color: target.stored(&ColorBox { channels }), loose: source.loose || under.loose }
    };
    let clamped = ColorBox { channels: source.color.channels.map(|channel| channel.clamped(0.0, 1.0)) };
    [Some(lay(&source.color)), (clamped != source.color).then(|| lay(&clamped))]
}

/// Source-over of encoded values, as targets of numbers do that a shader has encoded for. They may round the source to bytes
/// first ("precision no lower than used to represent destination components": Vulkan, "Blending"). Colours were clamped where
/// they were encoded; an alpha beyond its range is clamped by a target of bytes and not by one of floats.
fn over_stored(source: &Choice, under: &Choice, target: &ByteTable, arithmetic: f64) -> [Option<Choice>; 2] {
    let output = target.output();
    let lay = |alpha: Interval| {
        let channels = std::array::from_fn(|channel| {
            let (own, below) = (source.color.channels[channel].clamped(0.0, 1.0), under.color.channels[channel]);
            let is_color = channel != 3;
            let (own, below) =
                if is_color { (output.encoded(own, channel), output.encoded(below, channel)) } else { (own, below) };
            let at = |alpha: f64| {
                let part = Interval::exact(alpha);
                (if is_color { own * part } else { part }) + below * Interval::exact(1.0 - alpha)
            };
            let size = 3.0 * alpha.magnitude().max(1.0);
            let mixed = at(alpha.low).hull(at(alpha.high)).widened(4.0 * arithmetic * size).clamped(0.0, 1.0);
            if is_color { output.decoded(mixed, channel) } else { mixed }
        });
        Choice { color: target.stored(&ColorBox { channels }), loose: source.loose || under.loose }
    };
    let alpha = source.color.channels[3];
    let clamped = alpha.clamped(0.0, 1.0);
    [Some(lay(clamped)), (clamped != alpha).then(|| lay(alpha))]
}
