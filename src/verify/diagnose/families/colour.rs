//! Powers instead of sRGB's curve, too much light, and exchanged channels.

use super::{Clues, Family, to_multiples};
use refrast_shading::{ColorSpace, srgb_to_linear};
use refrast_simulator::ParametricFault;

/// Every order of three channels but their own.
const ORDERS: [[u8; 3]; 5] = [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// The order of channels in which one colour is another one; none where there are several, or their own.
pub(in crate::diagnose) fn order_of(right: [u8; 3], seen: [u8; 3]) -> Option<ParametricFault> {
    let mut orders = ORDERS.into_iter().filter(|order| order.map(|channel| right[usize::from(channel)]) == seen);
    let order = orders.next().filter(|_| right != seen)?;
    orders.next().is_none().then_some(ParametricFault::Channels { order })
}

/// Powers at the end of the starts that the list of mistakes has for the whole picture.
const LISTED: usize = 2;

/// Whether any power that is not sRGB's curve gives a colour other bytes: black and white have the same by each.
pub(in crate::diagnose) fn is_changed_by_powers(color: [u8; 3]) -> bool {
    color.iter().any(|byte| !matches!(byte, 0 | 255))
}

/// The power in place of sRGB's curve that gives a colour the bytes that are seen: the powers that round to each channel's byte have
/// some in common, and this is the middle of those. None where they have not, or the bytes are its own.
pub(in crate::diagnose) fn power_of([right, seen]: [[u8; 3]; 2]) -> Option<ParametricFault> {
    let powers = std::iter::zip(right, seen).filter(|(right, _)| !matches!(right, 0 | 255)).map(|(right, seen)| {
        let light = libm::log(srgb_to_linear(f64::from(right) / 255.0));
        let power = |byte: f64| light / libm::log((byte / 255.0).clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON));
        [power(f64::from(seen) - 0.5), power(f64::from(seen) + 0.5)]
    });
    let [least, most] = powers.fold(POWERS, |[low, high], [from, to]| [low.max(from), high.min(to)]);
    let is_one = right != seen && is_changed_by_powers(right) && least <= most;
    is_one.then_some(ParametricFault::Gamma { gamma: (0.5 * (least + most)) as f32, in_shader: false })
}

/// Light that differs by less than this part is not told from a texture that is elsewhere.
const TOLD: f64 = 0.05;

/// The factor of all light by which what stands before the background of one picture is as bright, as a mean and with what it burns
/// out, as what stands before that of another; none where it is about as bright, or more than any factor makes it.
pub(super) fn light_between([right, seen]: [&[[u8; 4]]; 2], background: [u8; 3]) -> Option<ParametricFault> {
    let channels = |pixels: &[[u8; 4]]| -> Vec<f64> {
        let drawn = pixels.iter().filter(|pixel| pixel[..3] != background);
        drawn.flat_map(|pixel| [0, 1, 2].map(|i| srgb_to_linear(f64::from(pixel[i]) / 255.0))).collect()
    };
    let (right, seen) = (channels(right), channels(seen));
    let mean = |light: &[f64], factor: f64| {
        light.iter().map(|own| (own * factor).min(1.0)).sum::<f64>() / light.len().max(1) as f64
    };
    let wanted = mean(&seen, 1.0);
    let [mut low, mut high] = FACTORS;
    if !(mean(&right, low)..mean(&right, high)).contains(&wanted) {
        return None;
    }
    for _ in 0..HALVINGS_OF_LIGHT {
        let middle = (low * high).sqrt();
        *(if mean(&right, middle) < wanted { &mut low } else { &mut high }) = middle;
    }
    let is_told = (low - 1.0).abs() > TOLD;
    is_told.then_some(ParametricFault::Exposure { factor: low as f32 })
}

/// Factors of light that are looked for, and how often what lies between them is halved.
const FACTORS: [f64; 2] = [1.0 / 16.0, 16.0];
const HALVINGS_OF_LIGHT: u32 = 16;

/// Powers that anybody stores by.
const POWERS: [f64; 2] = [1.0, 4.0];

/// Channels are exchanged.
pub(super) struct Channels;

/// A power stands where sRGB's curve belongs.
pub(super) struct Powers;

/// All light is too strong or too weak. Not of one family with powers, which come as near to a light that is a little wrong: where the
/// nearest few are followed, both have to be among them.
pub(super) struct Light;

impl Family for Channels {
    fn is_of_fragments(&self) -> bool {
        true
    }

    fn starts(&self, _clues: &Clues<'_>) -> Vec<ParametricFault> {
        ORDERS.map(|order| ParametricFault::Channels { order }).to_vec()
    }
}

impl Family for Powers {
    fn is_of_fragments(&self) -> bool {
        true
    }

    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        if clues.shading.color_space() != ColorSpace::Srgb {
            return Vec::new();
        }
        // Those of the whole picture that are missing here are mistakes of the list.
        let gammas = [1.2, 1.4, 1.6, 1.8, 2.0, 2.4, 2.6, 3.0, 1.0, 2.2];
        let in_shader = clues.ground_is_right;
        let gammas = &gammas[..if in_shader { gammas.len() } else { gammas.len() - LISTED }];
        gammas.iter().map(|&gamma| ParametricFault::Gamma { gamma, in_shader }).collect()
    }

    fn around(&self, of: ParametricFault, halving: u32) -> Vec<ParametricFault> {
        let ParametricFault::Gamma { gamma, in_shader } = of else { return Vec::new() };
        let step = 0.1 / (1u32 << halving) as f32;
        [gamma - step, gamma + step].map(|gamma| ParametricFault::Gamma { gamma, in_shader }).to_vec()
    }

    fn rounded(&self, of: ParametricFault) -> Vec<ParametricFault> {
        let ParametricFault::Gamma { gamma, in_shader } = of else { return Vec::new() };
        let round = to_multiples(gamma, &[0.2, 0.1, 0.05, 0.01]);
        round.map(|gamma| ParametricFault::Gamma { gamma, in_shader }).collect()
    }
}

impl Family for Light {
    fn is_of_fragments(&self) -> bool {
        true
    }

    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        if clues.shading.color_space() != ColorSpace::Srgb {
            return Vec::new();
        }
        let factors = [0.25, 0.35, 0.5, 0.7, 0.85, 0.95, 1.05, 1.2, 1.4, 2.0, 2.8, 4.0];
        factors.map(|factor| ParametricFault::Exposure { factor }).to_vec()
    }

    fn around(&self, of: ParametricFault, halving: u32) -> Vec<ParametricFault> {
        let ParametricFault::Exposure { factor } = of else { return Vec::new() };
        let step = 1.0 + 0.2 / (1u32 << halving) as f32;
        [factor / step, factor * step].map(|factor| ParametricFault::Exposure { factor }).to_vec()
    }

    fn rounded(&self, of: ParametricFault) -> Vec<ParametricFault> {
        let ParametricFault::Exposure { factor } = of else { return Vec::new() };
        let round = to_multiples(factor, &[0.5, 0.25, 0.1, 0.05, 0.01]);
        let round = round.filter(|factor| *factor > 0.0 && *factor != 1.0);
        round.map(|factor| ParametricFault::Exposure { factor }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_background_tells_whether_a_power_stored_it() {
        // 0.0159963, 0.0193824 and 0.0273209, the 1.8th root of each, times 255: 25.58, 28.46, 34.44.
        let is_power = |seen| power_of([[0x22, 0x26, 0x2e], seen]).is_some();
        assert!(is_power([26, 28, 34]) && !is_power([26, 28, 36]));
        // Nobody encodes: 4.08, 4.94, 6.97.
        assert!(is_power([4, 5, 7]));
        assert!(!is_power([0x22, 0x26, 0x2e]) && !is_power([0; 3]) && !is_power([255; 3]));
        assert!(power_of([[0, 255, 0], [0, 255, 0]]).is_none());
    }

    #[test]
    fn light_is_told_from_means_however_pixels_are_mixed() {
        // 64, 100, 140 and 200 of 255 are 0.0513, 0.1274, 0.2623 and 0.5776 of the light; half as much again is stored as 78, 121, 168
        // and 239.
        let right = [[64; 4], [100; 4], [9; 4], [140; 4], [200; 4]];
        let light = |seen: [u8; 5]| match light_between([&right, &seen.map(|byte| [byte; 4])], [9; 3]) {
            Some(ParametricFault::Exposure { factor }) => Some(factor),
            _ => None,
        };
        assert!((light([239, 9, 78, 168, 121]).expect("a factor") - 1.5).abs() < 0.01);
        // Three times as much burns the brightest out: 0.1539, 0.3822, 0.7869.
        assert!((light([255, 109, 166, 229, 9]).expect("a factor") - 3.0).abs() < 0.03);
        assert_eq!([light([200, 64, 9, 140, 100]), light([255; 5]), light([9; 5])], [None; 3]);
    }

    #[test]
    fn a_background_tells_the_order_of_channels() {
        let order = |seen| order_of([0x22, 0x26, 0x2e], seen);
        assert_eq!(order([0x26, 0x22, 0x2e]), Some(ParametricFault::Channels { order: [1, 0, 2] }));
        assert_eq!(order([0x26, 0x2e, 0x22]), Some(ParametricFault::Channels { order: [1, 2, 0] }));
        assert_eq!([order([0x22, 0x26, 0x2e]), order([0x26, 0x23, 0x2e])], [None, None]);
        assert_eq!(order_of([7, 7, 9], [9, 7, 7]), None);
    }
}
