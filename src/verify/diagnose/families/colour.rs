//! Powers instead of sRGB's curve, too much light, and exchanged channels.

use super::{Clues, Family, to_multiples};
use refrast_shading::ColorSpace;
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

pub(super) struct Colours;

impl Family for Colours {
    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        let mut starts = ORDERS.map(|order| ParametricFault::Channels { order }).to_vec();
        if clues.shading.color_space() == ColorSpace::Srgb {
            // Those of the whole picture that are missing here are mistakes of the list.
            let gammas = [1.2, 1.4, 1.6, 1.8, 2.0, 2.4, 2.6, 3.0, 1.0, 2.2];
            let in_shader = clues.ground_is_right;
            let gammas = &gammas[..if in_shader { gammas.len() } else { gammas.len() - LISTED }];
            starts.extend(gammas.iter().map(|&gamma| ParametricFault::Gamma { gamma, in_shader }));
            let factors = [0.25, 0.35, 0.5, 0.7, 0.85, 1.2, 1.4, 2.0, 2.8, 4.0];
            starts.extend(factors.map(|factor| ParametricFault::Exposure { factor }));
        }
        starts
    }

    fn around(&self, of: ParametricFault, halving: u32) -> Vec<ParametricFault> {
        let part = (1u32 << halving) as f32;
        match of {
            ParametricFault::Gamma { gamma, in_shader } => {
                let step = 0.1 / part;
                [gamma - step, gamma + step].map(|gamma| ParametricFault::Gamma { gamma, in_shader }).to_vec()
            }
            ParametricFault::Exposure { factor } => {
                let step = 1.0 + 0.2 / part;
                [factor / step, factor * step].map(|factor| ParametricFault::Exposure { factor }).to_vec()
            }
            _ => Vec::new(),
        }
    }

    fn rounded(&self, of: ParametricFault) -> Vec<ParametricFault> {
        match of {
            ParametricFault::Gamma { gamma, in_shader } => {
                let round = to_multiples(gamma, &[0.2, 0.1, 0.05, 0.01]);
                round.map(|gamma| ParametricFault::Gamma { gamma, in_shader }).collect()
            }
            ParametricFault::Exposure { factor } => {
                let round = to_multiples(factor, &[0.5, 0.25, 0.1, 0.05, 0.01]);
                let round = round.filter(|factor| *factor > 0.0 && *factor != 1.0);
                round.map(|factor| ParametricFault::Exposure { factor }).collect()
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_background_tells_the_order_of_channels() {
        let order = |seen| order_of([0x22, 0x26, 0x2e], seen);
        assert_eq!(order([0x26, 0x22, 0x2e]), Some(ParametricFault::Channels { order: [1, 0, 2] }));
        assert_eq!(order([0x26, 0x2e, 0x22]), Some(ParametricFault::Channels { order: [1, 2, 0] }));
        assert_eq!([order([0x22, 0x26, 0x2e]), order([0x26, 0x23, 0x2e])], [None, None]);
        assert_eq!(order_of([7, 7, 9], [9, 7, 7]), None);
    }
}
