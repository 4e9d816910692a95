//! The least and the greatest texel of an image that is stored as JPEG, where somebody declares that the decoder is not the reference's.
//!
//! Why it exists: T.81 says what a JPEG's coefficients are and leaves its texels to the decoder. Six pixels of a right picture were
//! refused because an engine's decoder rounds otherwise.
//!
//! # Samples of components
//!
//! A decoder computes the inverse cosine transform of T.81, A.3.3, with some error, and rounds to a byte. Where the error is below ½
//! before it rounds, a sample is less than 1 from the exact value: so it is of transforms in floats, and in fixed point with 12 bits or
//! more, of what encoders write. The reference's has 12 bits and keeps two more between its passes. Two such samples are less than 2
//! apart, and as both are whole numbers at most **1** (`rounded`).
//!
//! The least that was asked of an inverse transform, the peak error of ISO/IEC 23002-1 (before it IEEE 1180-1990), is one step from the
//! exact value rounded. Two of those are at most **2** apart (`any`). Transforms of eight bits do not keep to that.
//!
//! # Samples that are for several texels
//!
//! `rounded` has them filled in as the reference does (weights of a quarter and three quarters). The mean of samples that are 1 off is at most 1
//! off; the reference rounds it to the nearest, ½, and the other decoder in any way, less than 1: whole numbers less than 2½ apart,
//! at most **2**.
//!
//! `any` has them filled in by any weights that are not negative, of the sample that a texel belongs to and the nearest other along each
//! axis: itself alone, weights of a triangle, and those of samples that stand at a texel instead of between two. So the value lies
//! between the least and the greatest of these four samples, and as they are 2 off, by 2 more either way. The samples themselves follow from what the reference filled in: along an axis a texel is ¾c + ¼d and the one across the border to d's is ¾d + ¼c, so that c is 3/2 of the
//! one less ½ of the other; at the ends a texel is c. Both are rounded, ½ each, so that c is off by at most 1, and by (3/2 + ½)²·½ = 2
//! along both axes.
//!
//! # Colours
//!
//! JFIF's conversion (the formulas at [`JpegKind::Differences`]) over the intervals of the three components is an interval. A decoder rounds
//! it up or down to the next whole number, by coefficients of 14 bits and more: off by less than 3 · 128 · 2⁻¹⁵ beside that; for `any` by those of 8
//! bits, less than ½ where two coefficients take part. Then it is clamped.
//!
//! Pictures of four components (CMYK) and lossless ones have the reference's texels.

use refrast_range::Jpeg;
use refrast_scene::{JpegComponents, JpegKind};
use refrast_shading::PreparedTexture;
use refrast_threads as threads;

/// Four bytes a texel.
type Texel = [u8; 4];

/// Texels that a thread takes at once.
const PIECE: usize = 1 << 12;

/// From the least to the greatest value.
type Span = [f32; 2];

/// What a decoder is granted.
#[derive(Clone, Copy)]
struct Grant {
    /// How far a stored sample may be off.
    sample: f32,
    /// How far a sample may be off that is filled in; `None` where it may be anything between those around it.
    filled: Option<f32>,
    /// How far a colour may be off before it is rounded.
    color: f32,
}

impl Grant {
    fn of(jpeg: Jpeg) -> Option<Self> {
        match jpeg {
            Jpeg::Reference => None,
            Jpeg::Rounded => Some(Self { sample: 1.0, filled: Some(2.0), color: 0.02 }),
            Jpeg::Any => Some(Self { sample: 2.0, filled: None, color: 0.5 }),
        }
    }
}

/// The least and the greatest texels of a texture's level 0; `None` where they are the reference's.
pub(super) fn bounds(texture: &PreparedTexture, jpeg: Jpeg) -> Option<[Vec<Texel>; 2]> {
    let grant = Grant::of(jpeg)?;
    let components = JpegComponents::read(texture.jpeg()?, texture.level_bytes(0)?)?;
    Some(granted(&components, grant))
}

fn granted(components: &JpegComponents, grant: Grant) -> [Vec<Texel>; 2] {
    let [width, height] = components.size;
    let planes: Vec<Vec<Span>> = (0..components.samples.len()).map(|own| spans(components, own, grant)).collect();
    let texel = |place: usize| match (components.kind, planes.as_slice()) {
        (JpegKind::Differences, [luminance, blue, red]) => colors([luminance[place], blue[place], red[place]], grant),
        (JpegKind::Colors, [red, green, blue]) => [red[place], green[place], blue[place]],
        (_, all) => [all[0][place]; 3],
    };
    let both: Vec<[Texel; 2]> = threads::filled(width * height, PIECE, |place| texels(texel(place)));
    [0, 1].map(|side: usize| both.iter().map(|texel| texel[side]).collect())
}

/// What a component may be at every texel.
fn spans(components: &JpegComponents, component: usize, grant: Grant) -> Vec<Span> {
    let samples = &components.samples[component];
    let around = |value: f32, error: f32| [(value - error).max(0.0), (value + error).min(255.0)];
    let texels_a_sample = components.texels_a_sample[component];
    let error = if texels_a_sample == [1, 1] { Some(grant.sample) } else { grant.filled };
    match error {
        Some(error) => threads::filled(samples.len(), PIECE, |place| around(f32::from(samples[place]), error)),
        None => {
            let (stored, own_error) = stored_samples(samples, components.size, texels_a_sample);
            let hull = neighbours(
                &neighbours(&stored, components.size, texels_a_sample, 0),
                components.size,
                texels_a_sample,
                1,
            );
            let error = own_error + grant.sample;
            threads::filled(hull.len(), PIECE, |place| {
                let [low, high] = hull[place];
                [around(low, error)[0], around(high, error)[1]]
            })
        }
    }
}

/// The stored sample that each texel belongs to, from those that the reference has filled in, and how far it may be off.
fn stored_samples(filled: &[u8], size: [usize; 2], texels_a_sample: [usize; 2]) -> (Vec<Span>, f32) {
    let mut values: Vec<f32> = filled.iter().map(|sample| f32::from(*sample)).collect();
    let mut error = 0.5;
    // By other numbers of texels a sample is what it is for all of them.
    let is_weighed = texels_a_sample.iter().all(|count| *count <= 2);
    for axis in (0..2).filter(|axis| is_weighed && texels_a_sample[*axis] == 2) {
        let before = std::mem::take(&mut values);
        let own = |place: usize| {
            let [across, step] = if axis == 0 { [place % size[0], 1] } else { [place / size[0], size[0]] };
            let other = match across % 2 {
                0 if across > 0 => place - step,
                1 if across + 1 < size[axis] => place + step,
                _ => return before[place],
            };
            1.5 * before[place] - 0.5 * before[other]
        };
        values = threads::filled(before.len(), PIECE, own);
        error *= 2.0;
    }
    let error = if is_weighed { error } else { 0.0 };
    (values.into_iter().map(|value| [value; 2]).collect(), error)
}

/// The least and the greatest of the sample of a texel and of the nearest other along an axis; of both where it is in the middle.
fn neighbours(samples: &[Span], size: [usize; 2], texels_a_sample: [usize; 2], axis: usize) -> Vec<Span> {
    let (step, count) = (if axis == 0 { 1 } else { size[0] }, texels_a_sample[axis]);
    if count == 1 {
        return samples.to_vec();
    }
    let own = |place: usize| {
        let across = if axis == 0 { place % size[0] } else { place / size[0] };
        // Twice the way from the first edge of the sample to the middle of the texel; the sample is twice `count` long.
        let within = 2 * (across % count) + 1;
        let before = if within <= count { across.saturating_sub(count) } else { across };
        let after = if within >= count { (across + count).min(size[axis] - 1) } else { across };
        let at = |other: usize| samples[place - across * step + other * step];
        let join = |[low, high]: Span, [own_low, own_high]: Span| [low.min(own_low), high.max(own_high)];
        join(at(across), join(at(before), at(after)))
    };
    threads::filled(samples.len(), PIECE, own)
}

/// Red, green and blue of luminance and colour differences.
fn colors([luminance, blue, red]: [Span; 3], grant: Grant) -> [Span; 3] {
    // By the least and the greatest difference, as the factor has it.
    let part = |[low, high]: Span, factor: f32| {
        let (a, b) = (factor * (low - 128.0), factor * (high - 128.0));
        [a.min(b), a.max(b)]
    };
    let sum = |parts: [Span; 3]| {
        let end = |side: usize| parts.iter().map(|part| part[side]).sum::<f32>();
        [end(0) - grant.color, end(1) + grant.color]
    };
    let none = [0.0; 2];
    [
        sum([luminance, part(red, 1.402), none]),
        sum([luminance, part(blue, -0.344_136), part(red, -0.714_136)]),
        sum([luminance, part(blue, 1.772), none]),
    ]
}

/// The least and the greatest bytes.
fn texels(colors: [Span; 3]) -> [Texel; 2] {
    let [red, green, blue] = colors.map(|[low, high]| [low.floor() as u8, high.ceil() as u8]);
    [0, 1].map(|side: usize| [red[side], green[side], blue[side], u8::MAX])
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUNDED: Grant = Grant { sample: 1.0, filled: Some(2.0), color: 0.02 };
    const ANY: Grant = Grant { sample: 2.0, filled: None, color: 0.5 };

    #[test]
    fn the_grants_are_those_of_the_text() {
        let numbers = |jpeg| Grant::of(jpeg).map(|own| (own.sample, own.filled, own.color));
        assert_eq!(numbers(Jpeg::Reference), None);
        assert_eq!(numbers(Jpeg::Rounded), Some((ROUNDED.sample, ROUNDED.filled, ROUNDED.color)));
        assert_eq!(numbers(Jpeg::Any), Some((ANY.sample, ANY.filled, ANY.color)));
    }

    fn one(kind: JpegKind, samples: &[u8], texels_a_sample: [usize; 2]) -> JpegComponents {
        let samples = samples.iter().map(|sample| vec![*sample]).collect::<Vec<_>>();
        let texels_a_sample = (0..samples.len()).map(|own| if own == 0 { [1, 1] } else { texels_a_sample }).collect();
        JpegComponents { size: [1, 1], kind, samples, texels_a_sample }
    }

    #[test]
    fn a_texel_is_off_by_its_components() {
        let bounds = |components: JpegComponents, grant| {
            let [least, greatest] = granted(&components, grant);
            [least[0], greatest[0]]
        };
        assert_eq!(bounds(one(JpegKind::Grey, &[100], [1, 1]), ROUNDED), [[99, 99, 99, 255], [101, 101, 101, 255]]);
        assert_eq!(bounds(one(JpegKind::Colors, &[0, 9, 255], [1, 1]), ANY), [[0, 7, 253, 255], [2, 11, 255, 255]]);
        // Grey of 100: red 1 + 1.402, green 1 + 0.344 + 0.714, blue 1 + 1.772 either way, to the next whole number.
        let grey = [100, 128, 128];
        let expected = [[97, 97, 97, 255], [103, 103, 103, 255]];
        assert_eq!(bounds(one(JpegKind::Differences, &grey, [1, 1]), ROUNDED), expected);
        // Filled in: 1 + 2.804, 1 + 2.117, 1 + 3.544.
        let expected = [[96, 96, 95, 255], [104, 104, 105, 255]];
        assert_eq!(bounds(one(JpegKind::Differences, &grey, [2, 2]), ROUNDED), expected);
        // 200 + 1.402 · 72 is 300.9: far beyond white, whoever decodes it; 200 - 0.714 · 72 is 148.6, and 2.06 either way.
        let red = bounds(one(JpegKind::Differences, &[200, 128, 200], [1, 1]), ROUNDED);
        assert_eq!([red[0][0], red[1][0], red[0][1], red[1][1]], [255, 255, 146, 151]);
    }

    /// A row of colour differences as the reference fills them in: T.81 has no formula; the weights are those of `texels_a_sample`.
    fn filled(stored: &[u8], count: usize) -> Vec<u8> {
        let weigh = |index: usize| {
            let (own, last) = (index / 2, stored.len() - 1);
            let other = if index.is_multiple_of(2) { own.saturating_sub(1) } else { (own + 1).min(last) };
            ((3 * u32::from(stored[own]) + u32::from(stored[other]) + 2) / 4) as u8
        };
        (0..count).map(weigh).collect()
    }

    #[test]
    fn the_stored_samples_follow_from_those_that_are_filled_in() {
        let stored = [0, 255, 3, 90, 91, 200, 17];
        for (count, size) in [(14, [14, 1]), (13, [13, 1]), (14, [1, 14])] {
            let texels_a_sample = if size[1] == 1 { [2, 1] } else { [1, 2] };
            let (found, error) = stored_samples(&filled(&stored, count), size, texels_a_sample);
            assert_eq!(error, 1.0);
            for (index, [value, _]) in found.iter().enumerate() {
                let own = f32::from(stored[index / 2]);
                assert!((value - own).abs() <= error, "texel {index} of {count}: {value}, and {own} is stored");
            }
        }
    }

    #[test]
    fn what_is_filled_in_lies_between_the_samples_around_it() {
        let stored = [0u8, 255, 3, 90];
        let row = filled(&stored, 8);
        let components = JpegComponents {
            size: [8, 1],
            kind: JpegKind::Differences,
            samples: vec![vec![128; 8], row, vec![128; 8]],
            texels_a_sample: vec![[1, 1], [2, 1], [1, 1]],
        };
        let spans = spans(&components, 1, ANY);
        for (index, [low, high]) in spans.into_iter().enumerate() {
            let own = index / 2;
            let other = if index.is_multiple_of(2) { own.saturating_sub(1) } else { (own + 1).min(3) };
            let ends = [stored[own].min(stored[other]), stored[own].max(stored[other])].map(f32::from);
            // Two for the decoder, one for what is known of the samples, and those are off by one themselves.
            assert!(
                low <= ends[0] && ends[0] - low <= 4.0 && high >= ends[1] && high - ends[1] <= 4.0,
                "texel {index}"
            );
        }
    }
}
