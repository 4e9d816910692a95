//! Texture coordinates that are scaled, flipped, exchanged or moved.

use super::{Family, Ground, to_multiples};
use refrast_simulator::ParametricFault;

/// Places of a coarse grid along an axis of the texture, and of a finer one.
const GRID: u8 = 4;
const FINE_GRID: u8 = 14;

/// Scales that are tried before any place.
const SCALES: [f32; 6] = [0.25, 0.5, 2.0, 4.0, 0.75, 1.5];

pub(super) struct Moved;

fn moved(scale: [f32; 2], offset: [f32; 2], swapped: bool) -> ParametricFault {
    ParametricFault::TexcoordsMoved { scale, offset, swapped }
}

/// Places between 0 and 1 along both axes.
fn grid(places: u8) -> impl Iterator<Item = ParametricFault> {
    let at = move |place: u8| f32::from(place) / f32::from(places);
    let all = (0..places).flat_map(move |v| (0..places).map(move |u| [at(u), at(v)]));
    all.filter(|place| *place != [0.0; 2]).map(|place| moved([1.0; 2], place, false))
}

impl Family for Moved {
    fn starts(&self, ground: &Ground<'_>) -> Vec<ParametricFault> {
        let scene = ground.simulator.scene();
        if ground.outlines_are_wrong || !scene.materials.iter().any(|own| own.base_color_texture.is_some()) {
            return Vec::new();
        }
        let mut starts = vec![
            moved([-1.0, 1.0], [1.0, 0.0], false),
            moved([1.0, -1.0], [0.0, 1.0], false),
            moved([-1.0, -1.0], [1.0, 1.0], false),
            moved([1.0, 1.0], [0.0, 0.0], true),
            moved([1.0, -1.0], [0.0, 1.0], true),
            moved([-1.0, 1.0], [1.0, 0.0], true),
            moved([-1.0, -1.0], [1.0, 1.0], true),
        ];
        starts.extend(SCALES.map(|scale| moved([scale; 2], [0.0; 2], false)));
        starts.extend(SCALES.map(|scale| moved([scale, 1.0], [0.0; 2], false)));
        starts.extend(SCALES.map(|scale| moved([1.0, scale], [0.0; 2], false)));
        starts.extend(grid(GRID));
        let near = [-0.06, -0.02, 0.0, 0.02, 0.06];
        let near = near.iter().flat_map(|v| near.map(|u| [u, *v])).filter(|place| *place != [0.0; 2]);
        starts.extend(near.map(|place| moved([1.0; 2], place, false)));
        starts
    }

    fn more(&self, ground: &Ground<'_>) -> Vec<ParametricFault> {
        if self.starts(ground).is_empty() {
            return Vec::new();
        }
        // Scales a tenth apart, from a quarter to four.
        let scales = (-14..=14).map(|power| libm::exp2f(power as f32 / 7.0)).filter(|scale| *scale != 1.0);
        grid(FINE_GRID).chain(scales.map(|scale| moved([scale; 2], [0.0; 2], false))).collect()
    }

    fn around(&self, of: ParametricFault, halving: u32) -> Vec<ParametricFault> {
        let ParametricFault::TexcoordsMoved { scale: [su, sv], offset: [u, v], swapped } = of else {
            return Vec::new();
        };
        let step = 0.08 / (1u32 << halving) as f32;
        let offsets = [[-step, 0.0], [step, 0.0], [0.0, -step], [0.0, step]];
        let mut around: Vec<ParametricFault> =
            offsets.map(|[du, dv]| moved([su, sv], [u + du, v + dv], swapped)).to_vec();
        around.extend(offsets.map(|[du, dv]| moved([su * (1.0 + du), sv * (1.0 + dv)], [u, v], swapped)));
        around.extend([-step, step].map(|d| moved([su * (1.0 + d), sv * (1.0 + d)], [u, v], swapped)));
        around
    }

    fn rounded(&self, of: ParametricFault) -> Vec<ParametricFault> {
        let ParametricFault::TexcoordsMoved { scale, offset, swapped } = of else { return Vec::new() };
        let steps = [0.5, 0.25, 0.1, 0.05, 0.01];
        let rounded = steps.map(|step| {
            let round = |value: f32| to_multiples(value, &[step]).next().unwrap_or(value);
            moved(scale.map(round), offset.map(round), swapped)
        });
        rounded.into_iter().filter(|fault| *fault != moved([1.0; 2], [0.0; 2], false)).collect()
    }
}
