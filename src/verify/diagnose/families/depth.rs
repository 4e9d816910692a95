//! Depth that is tested, cleared or biased in another way.

use super::{Clues, Family, to_multiples};
use refrast_draw::Convention;
use refrast_render::Renderer;
use refrast_simulator::{DepthFunction, ParametricFault};

/// Depths that are tried first between the nearest vertex and the farthest: what is cleared to one before them shows nothing at all,
/// and to one behind them everything.
const CLEARED: u8 = 12;

/// The depths of the nearest and of the farthest vertex of the last frame, of those in view; 0 and 1 where there is none.
pub(in crate::diagnose) fn drawn_depths(renderer: &Renderer<'_>) -> [f32; 2] {
    let is_symmetric = renderer.settings().convention == Convention::OpenGl;
    let streams = renderer.stage().drawn_vertices().map(|drawn| drawn.stream);
    let positions = streams.flat_map(|stream| (0..stream.len()).map(|vertex| stream.position(vertex)));
    let in_view = positions.filter(|[x, y, _, w]| *w > 0.0 && x.abs() <= *w && y.abs() <= *w);
    let depths = in_view.map(|[_, _, z, w]| if is_symmetric { 0.5 + 0.5 * z / w } else { z / w });
    let [nearest, farthest] = depths
        .filter(|depth| (0.0..=1.0).contains(depth))
        .fold([1.0f32, 0.0f32], |[nearest, farthest], depth| [nearest.min(depth), farthest.max(depth)]);
    if nearest < farthest { [nearest, farthest] } else { [0.0, 1.0] }
}

pub(super) struct Depths;

impl Family for Depths {
    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        let functions =
            [DepthFunction::Never, DepthFunction::Equal, DepthFunction::NotEqual, DepthFunction::GreaterEqual];
        let mut starts: Vec<ParametricFault> =
            functions.map(|function| ParametricFault::DepthTest { function }).to_vec();
        let [nearest, farthest] = clues.depths;
        let cleared = (1..=CLEARED).map(|place| f32::from(place) / f32::from(CLEARED + 1));
        let cleared = cleared.map(|part| nearest + (farthest - nearest) * part);
        starts.extend(cleared.map(|depth| ParametricFault::DepthClear { depth }));
        let factors = [-8.0, -4.0, -2.0, -1.0, 1.0, 2.0, 4.0, 8.0];
        starts.extend(factors.map(|factor| ParametricFault::DepthSlopeBias { factor }));
        starts
    }

    fn around(&self, of: ParametricFault, halving: u32) -> Vec<ParametricFault> {
        let part = (1u32 << halving) as f32;
        match of {
            ParametricFault::DepthClear { depth } => {
                let step = 0.05 / part;
                [depth - step, depth + step].map(|depth| ParametricFault::DepthClear { depth }).to_vec()
            }
            ParametricFault::DepthSlopeBias { factor } => {
                let step = 1.0 + 0.4 / part;
                [factor / step, factor * step].map(|factor| ParametricFault::DepthSlopeBias { factor }).to_vec()
            }
            _ => Vec::new(),
        }
    }

    fn rounded(&self, of: ParametricFault) -> Vec<ParametricFault> {
        match of {
            ParametricFault::DepthClear { depth } => {
                to_multiples(depth, &[0.1, 0.05, 0.01]).map(|depth| ParametricFault::DepthClear { depth }).collect()
            }
            ParametricFault::DepthSlopeBias { factor } => {
                let round = to_multiples(factor, &[1.0, 0.5, 0.25]).filter(|factor| *factor != 0.0);
                round.map(|factor| ParametricFault::DepthSlopeBias { factor }).collect()
            }
            _ => Vec::new(),
        }
    }
}
