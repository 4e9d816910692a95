//! Texture coordinates that are scaled, flipped, exchanged or moved.

use super::{Clues, Family, to_multiples};
use refrast_scene::Wrap;
use refrast_simulator::ParametricFault;

/// Places of a coarse grid along an axis of the texture, and of a finer one.
const GRID: i8 = 4;
const FINE_GRID: i8 = 16;

/// Scales that are tried before any place.
const SCALES: [f32; 6] = [0.25, 0.5, 2.0, 4.0, 0.75, 1.5];

/// Coordinates are moved, flipped or exchanged.
pub(super) struct Moved;

/// Coordinates are scaled, and may be moved as well.
pub(super) struct Scaled;

fn moved(scale: [f32; 2], offset: [f32; 2], swapped: bool) -> ParametricFault {
    ParametricFault::TexcoordsMoved { scale, offset, swapped }
}

/// Places along both axes, so many a texture: from 0 to 1 where all textures repeat, and from -1 where some do not.
fn grid(clues: &Clues<'_>, places: i8) -> impl Iterator<Item = [f32; 2]> + use<> {
    let samplers = clues.scene.textures.iter().map(|texture| texture.sampler);
    let repeats =
        samplers.fold([true; 2], |[u, v], own| [u && own.wrap_u == Wrap::Repeat, v && own.wrap_v == Wrap::Repeat]);
    let [from_u, from_v] = repeats.map(|repeats| if repeats { 0 } else { 1 - places });
    let at = move |place: i8| f32::from(place) / f32::from(places);
    let all = (from_v..places).flat_map(move |v| (from_u..places).map(move |u| [at(u), at(v)]));
    all.filter(|place| *place != [0.0; 2])
}

/// Whether the picture can show where textures are looked up.
fn shows(clues: &Clues<'_>) -> bool {
    let scene = clues.scene;
    !clues.outlines_are_wrong() && scene.materials.iter().any(|own| own.base_color_texture.is_some())
}

impl Family for Moved {
    fn is_of_fragments(&self) -> bool {
        true
    }

    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        if !shows(clues) {
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
        starts.extend(grid(clues, GRID).map(|place| moved([1.0; 2], place, false)));
        let near = [-0.06, -0.02, 0.0, 0.02, 0.06];
        let near = near.iter().flat_map(|v| near.map(|u| [u, *v])).filter(|place| *place != [0.0; 2]);
        starts.extend(near.map(|place| moved([1.0; 2], place, false)));
        starts
    }

    fn more(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        let all = grid(clues, FINE_GRID).filter(|_| shows(clues));
        all.map(|place| moved([1.0; 2], place, false)).collect()
    }

    /// Flips and exchanges stay as they are, so that nothing but the place is fitted.
    fn around(&self, of: ParametricFault, halving: u32) -> Vec<ParametricFault> {
        match of {
            ParametricFault::TexcoordsMoved { scale, offset, swapped } if scale.map(f32::abs) == [1.0; 2] => {
                steps(halving).map(|[du, dv]| moved(scale, [offset[0] + du, offset[1] + dv], swapped)).to_vec()
            }
            _ => Vec::new(),
        }
    }

    fn rounded(&self, of: ParametricFault) -> Vec<ParametricFault> {
        rounded(of)
    }
}

impl Family for Scaled {
    fn is_of_fragments(&self) -> bool {
        true
    }

    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        if !shows(clues) {
            return Vec::new();
        }
        let scale = |scale: [f32; 2]| moved(scale, [0.0; 2], false);
        SCALES.iter().flat_map(|&by| [scale([by; 2]), scale([by, 1.0]), scale([1.0, by])]).collect()
    }

    fn more(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        if !shows(clues) {
            return Vec::new();
        }
        // A thirtieth apart, from a quarter to four: at the far end of a texture that moves details of a thirtieth onto the next one, and
        // from there no way leads downhill. And some of them anywhere.
        let scales = (-48..=48).map(|power| libm::exp2f(power as f32 / 24.0)).filter(|scale| *scale != 1.0);
        let anywhere = SCALES.iter().flat_map(|by| grid(clues, GRID).map(|place| moved([*by; 2], place, false)));
        scales.map(|scale| moved([scale; 2], [0.0; 2], false)).chain(anywhere).collect()
    }

    /// One scale stays one, and what is not moved stays so.
    fn around(&self, of: ParametricFault, halving: u32) -> Vec<ParametricFault> {
        let ParametricFault::TexcoordsMoved { scale: [su, sv], offset: [u, v], swapped } = of else {
            return Vec::new();
        };
        if su.abs() == 1.0 && sv.abs() == 1.0 {
            return Vec::new();
        }
        let is_moved = [u, v] != [0.0; 2];
        // About the middle of the texture where it is moved anyway: then neither changes much by the other.
        let scaled = |[du, dv]: [f32; 2]| {
            let about = if is_moved { 0.5 } else { 0.0 };
            moved([su * (1.0 + du), sv * (1.0 + dv)], [u - about * su * du, v - about * sv * dv], swapped)
        };
        let step = step(halving);
        let mut around = [[-step; 2], [step; 2]].map(scaled).to_vec();
        if su != sv {
            around.extend(steps(halving).map(scaled));
        }
        if is_moved {
            around.extend(steps(halving).map(|[du, dv]| moved([su, sv], [u + du, v + dv], swapped)));
        }
        around
    }

    fn rounded(&self, of: ParametricFault) -> Vec<ParametricFault> {
        rounded(of)
    }
}

fn step(halving: u32) -> f32 {
    0.06 / (1u32 << halving) as f32
}

/// A step along each axis, both ways.
fn steps(halving: u32) -> [[f32; 2]; 4] {
    let step = step(halving);
    [[-step, 0.0], [step, 0.0], [0.0, -step], [0.0, step]]
}

fn rounded(of: ParametricFault) -> Vec<ParametricFault> {
    let ParametricFault::TexcoordsMoved { scale, offset, swapped } = of else { return Vec::new() };
    let steps = [0.5, 0.25, 0.1, 0.05, 0.01];
    let rounded = steps.map(|step| {
        let round = |value: f32| to_multiples(value, &[step]).next().unwrap_or(value);
        moved(scale.map(round), offset.map(round), swapped)
    });
    rounded.into_iter().filter(|fault| *fault != moved([1.0; 2], [0.0; 2], false)).collect()
}
