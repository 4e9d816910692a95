//! [`CombinerModel`]: the light of register combiners over ranges.
//!
//! Why it exists: the formula is that of the shading room, read as [`Ranged`] numbers: two inputs are the weights of the triangle's
//! vertices, on which the vectors to the light and to the eye hang together, three are the texel of the normal map.

use super::{
    boxes::ColorBoxes,
    surface::{ends, input, not_negative},
    texture::TextureModel,
    varyings::{Interpolator, WEIGHT_INPUTS},
};
use crate::Interval;
use refrast_range::{Freedoms, Ranged};
use refrast_scene::TextureTransform;
use refrast_shading::{Combined, CombinerInputs, Dot3, combined, expanded_normal};

/// What lights a draw behind a vertex program, made ready.
pub(super) struct CombinerModel<'a> {
    dot3: Dot3<'a>,
    map: Option<TextureModel<'a>>,
}

/// What a texel is multiplied by, and what is added.
type Light = [[Interval; 3]; 2];

impl<'a> CombinerModel<'a> {
    pub(super) fn new(dot3: Dot3<'a>, freedoms: &Freedoms) -> Self {
        let map = dot3.map.map(|(map, place)| TextureModel::new(map, place, &TextureTransform::default(), freedoms));
        Self { dot3, map }
    }

    /// `base` (COL0's alpha times the texel's is its alpha, the texel its colour) in this light.
    pub(super) fn lit(
        &self,
        (varyings, color): (&Interpolator<'_>, usize),
        base: &ColorBoxes,
        rules: &Freedoms,
    ) -> ColorBoxes {
        let with = |[red, green, blue, alpha]: [Interval; 4], [scale, offset]: &Light| {
            let channel = |texel: Interval, channel: usize| {
                (texel * scale[channel] + offset[channel]).rounded(3.0 * rules.arithmetic)
            };
            [channel(red, 0), channel(green, 1), channel(blue, 2), alpha]
        };
        let Some(map) = &self.map else {
            let flat = [0.0, 0.0, 1.0].map(|number| Ranged::exact(rules, number));
            let light = self.light(varyings, color, (flat, rules));
            return base.map(|base| with(base, &light));
        };
        base.combined(&map.sample(varyings), |base, [x, y, z, _]| {
            let texel = [input(rules, MAP, x), input(rules, MAP + 1, y), input(rules, MAP + 2, z)];
            let normal = expanded_normal(texel, self.dot3.scale);
            with(base, &self.light(varyings, color, (normal, rules)))
        })
    }

    fn light<'r>(
        &self,
        varyings: &Interpolator<'_>,
        color: usize,
        (normal, rules): ([Ranged<'r>; 3], &'r Freedoms),
    ) -> Light {
        let Dot3 { secondary, light, half, ambient, .. } = self.dot3;
        let vector = |first: usize| varyings.ranged(first, rules);
        let inputs = CombinerInputs {
            light: vector(light),
            half: vector(half),
            primary: vector(color),
            secondary: vector(secondary),
        };
        let Combined { scale, offset } = combined(normal, &inputs, ambient);
        // Where a sample alone is covered the centre's colours are extrapolated, and may be less than none.
        let light = |color: &[Ranged<'_>; 3]| {
            let is_less = color.iter().any(|channel| ends(*channel).low < 0.0);
            if is_less { ends } else { not_negative }
        };
        [scale.map(light(&inputs.primary)), offset.map(light(&inputs.secondary))]
    }
}

/// The first input after those of the weights.
const MAP: usize = WEIGHT_INPUTS;
