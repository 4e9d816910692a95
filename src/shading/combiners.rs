//! [`combined`]: what register combiners made of a tangent-space light, over any [`Number`].
//!
//! Why it exists: programs of 2001 do not light a bumpy surface themselves. They turn the vectors to the light and half way
//! to the eye into the surface's own space, and the stage behind them takes the scalar product with the texel of a normal map, a
//! fragment at a time. The formula is that of the [shading model](super), section 11, read as eight fragments and as ranges.

use refrast_range::{Number, dot, each, scaled, sum};

/// What a vertex program hands to the combiners, as interpolated.
#[derive(Clone, Copy, Debug)]
pub struct CombinerInputs<N> {
    /// To the light, in tangent space, of any length.
    pub light: [N; 3],
    /// Half way between light and eye, in tangent space, of any length.
    pub half: [N; 3],
    /// What the light makes of a white texel: COL0.
    pub primary: [N; 3],
    /// The colour of the highlight: COL1.
    pub secondary: [N; 3],
}

/// What the combiners make of a texel of the base colour: texel · `scale` + `offset`.
#[derive(Clone, Copy, Debug)]
pub struct Combined<N> {
    /// Light that the texel tints.
    pub scale: [N; 3],
    /// The highlight, which it does not.
    pub offset: [N; 3],
}

/// The normal of a normal map's texel in \[0, 1\], its x and y times `scale`. It is as long as it was filtered: combiners
/// have no division.
#[inline(always)]
pub fn expanded_normal<N: Number>(texel: [N; 3], scale: f32) -> [N; 3] {
    let (one, two, scale) = (texel[0].constant(1.0), texel[0].constant(2.0), texel[0].constant(scale));
    let [x, y, z] = each(texel, |channel| two * channel - one);
    [x * scale, y * scale, z]
}

/// Light, highlight and ambient light at a fragment with this tangent-space normal.
#[inline(always)]
pub fn combined<N: Number>(normal: [N; 3], inputs: &CombinerInputs<N>, ambient: [f32; 3]) -> Combined<N> {
    let CombinerInputs { light, half, primary, secondary } = *inputs;
    let saturated = |number: N| number.at_least(0.0).at_most(1.0);
    let (light, half) = (N::normalized(light), N::normalized(half));
    let shadow = saturated(light[2] * light[2].constant(SHADOW_SLOPE));
    let diffuse = saturated(dot(normal, light)) * shadow;
    let highlight = saturated(dot(normal, half)).squared().squared().squared().squared() * shadow;
    let ambient = each(ambient, |channel| diffuse.derived(channel, channel));
    Combined { scale: sum(scaled(primary, diffuse), ambient), offset: scaled(secondary, highlight) }
}

/// How fast light fades out where it grazes the surface itself, whatever its bumps say (M. Kilgard, *A Practical and Robust
/// Bump-mapping Technique for Today's GPUs*, 2000: the self-shadowing term).
const SHADOW_SLOPE: f32 = 8.0;

#[cfg(test)]
mod tests {
    use proptest::{array::uniform3, prelude::*};

    use super::*;

    /// Section 11 of the model in f64, by vectors and a power.
    fn expected([texel, light, half, primary, secondary, ambient]: [[f64; 3]; 6], scale: f64) -> ([f64; 3], [f64; 3]) {
        let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|i| a[i] * b[i]).sum::<f64>();
        let unit = |v: [f64; 3]| v.map(|x| x / dot(v, v).sqrt());
        let (light, half) = (unit(light), unit(half));
        let map = [scale * (2.0 * texel[0] - 1.0), scale * (2.0 * texel[1] - 1.0), 2.0 * texel[2] - 1.0];
        let own_shadow = (8.0 * light[2]).clamp(0.0, 1.0);
        let diffuse = dot(map, light).clamp(0.0, 1.0) * own_shadow;
        let highlight = libm::pow(dot(map, half).clamp(0.0, 1.0), 16.0) * own_shadow;
        let lit = std::array::from_fn(|i| primary[i] * diffuse + ambient[i]);
        (lit, secondary.map(|channel| channel * highlight))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn scalars_are_those_of_the_formula_in_f64(
            texel in uniform3(0.0f32..1.0), colors in uniform3(uniform3(0.0f32..1.0)),
            light in uniform3(-1.0f32..1.0), half in uniform3(-1.0f32..1.0), scale in 0.0f32..2.0,
        ) {
            let length = |v: [f32; 3]| v.iter().map(|x| x * x).sum::<f32>();
            prop_assume!(length(light) > 0.01 && length(half) > 0.01);
            let [primary, secondary, ambient] = colors;
            let inputs = CombinerInputs { light, half, primary, secondary };
            let found = combined(expanded_normal(texel, scale), &inputs, ambient);
            let wide = [texel, light, half, primary, secondary, ambient].map(|vector| vector.map(f64::from));
            let (lit, highlight) = expected(wide, f64::from(scale));
            for channel in 0..3 {
                // Sixteen powers of a cosine that is off by four roundings.
                prop_assert!((f64::from(found.scale[channel]) - lit[channel]).abs() < 3e-6);
                prop_assert!((f64::from(found.offset[channel]) - highlight[channel]).abs() < 2e-5);
            }
        }
    }

    #[test]
    fn light_without_a_direction_is_none() {
        for vector in [[0.0; 3], [f32::NAN; 3]] {
            let inputs = CombinerInputs { light: vector, half: vector, primary: [1.0; 3], secondary: [1.0; 3] };
            let Combined { scale, offset } = combined([0.0, 0.0, 1.0], &inputs, [0.25; 3]);
            assert_eq!((scale, offset), ([0.25; 3], [0.0; 3]));
        }
    }
}
