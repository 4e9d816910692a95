//! A picture that is moved by parts of a pixel, and a grid that is too coarse.

use super::{Clues, Family, to_multiples};
use refrast_simulator::ParametricFault;

/// The picture is moved.
pub(super) struct Offset;

fn offset([x, y]: [f32; 2]) -> ParametricFault {
    ParametricFault::WindowOffset { x, y }
}

impl Family for Offset {
    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        if clues.outlines_are_right {
            return Vec::new();
        }
        let places = [-2.0, -1.0, -0.4, 0.0, 0.4, 1.0, 2.0];
        let all = places.iter().flat_map(|y| places.map(|x| [x, *y]));
        all.filter(|place| *place != [0.0; 2]).map(offset).collect()
    }

    fn around(&self, of: ParametricFault, halving: u32) -> Vec<ParametricFault> {
        let ParametricFault::WindowOffset { x, y } = of else { return Vec::new() };
        let step = 0.3 / (1u32 << halving) as f32;
        let steps = [-step, 0.0, step];
        let all = steps.iter().flat_map(|dy| steps.map(|dx| [x + dx, y + dy]));
        all.filter(|place| *place != [x, y]).map(offset).collect()
    }

    fn rounded(&self, of: ParametricFault) -> Vec<ParametricFault> {
        let ParametricFault::WindowOffset { x, y } = of else { return Vec::new() };
        let steps = [1.0, 0.5, 0.25, 0.1, 0.05];
        let places = steps.map(|step| [x, y].map(|at| to_multiples(at, &[step]).next().unwrap_or(at)));
        places.into_iter().filter(|place| *place != [0.0; 2]).map(offset).collect()
    }
}

/// The grid is too coarse.
pub(super) struct Grid;

impl Family for Grid {
    fn starts(&self, _clues: &Clues<'_>) -> Vec<ParametricFault> {
        (0..4).map(|bits| ParametricFault::GridBits { bits }).collect()
    }
}
