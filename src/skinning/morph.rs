//! Morph targets: base + Σ weight · displacement, before any skinning.

use fearless_simd::{Simd, prelude::*};

use super::{
    lanes::{LANES, Lanes},
    prepared::{NO_BLOCK, PreparedPrimitive},
};
use refrast_scene::Primitive;

/// Writes a block of attributes after morphing: `((base + w₀·d₀) + w₁·d₁) + …`, in the order of the targets; targets of
/// weight 0, and those that move nothing in this block, are left out.
///
/// Normals and tangents keep whatever length the sum has: what follows brings them to unit length.
#[inline(always)]
pub(super) fn morph_block<S: Simd>(
    simd: S,
    primitive: &PreparedPrimitive,
    block: usize,
    weights: &[f32],
    morphed: &mut [Lanes],
) {
    let stride = primitive.layout.stride;
    morphed.copy_from_slice(&primitive.attributes[block * stride..(block + 1) * stride]);
    for (target, &weight) in primitive.targets.iter().zip(weights) {
        let start = target.starts[block];
        if weight == 0.0 || start == NO_BLOCK {
            continue;
        }
        let displacements = &target.lanes[start as usize..start as usize + stride];
        for (lanes, displacement) in morphed.iter_mut().zip(displacements) {
            for first in (0..LANES).step_by(S::f32s::LEN) {
                let sum = lanes.load(simd, first) + displacement.load(simd, first) * weight;
                lanes.store::<S>(first, sum);
            }
        }
    }
}

/// The texture coordinates `set` of a primitive under morph weights: base + Σ weight · displacement, in the order of
/// the targets; empty where the primitive has no such set.
pub fn morph_texcoords(primitive: &Primitive, set: usize, weights: &[f32], output: &mut Vec<[f32; 2]>) {
    output.clear();
    output.extend_from_slice(primitive.texcoords.get(set).map_or(&[], Vec::as_slice));
    for (target, &weight) in primitive.targets.iter().zip(weights).filter(|&(_, &weight)| weight != 0.0) {
        if let Some(Some(displacements)) = target.texcoords.get(set) {
            add(output, displacements, weight);
        }
    }
}

/// COLOR_0 of a primitive under morph weights, linear RGBA, clamped to [0, 1] where targets moved it (glTF 2.0,
/// 3.7.2.2); empty where the primitive has no colours.
pub fn morph_colors(primitive: &Primitive, weights: &[f32], output: &mut Vec<[f32; 4]>) {
    output.clear();
    output.extend_from_slice(primitive.colors.as_deref().unwrap_or_default());
    let mut moved = false;
    for (target, &weight) in primitive.targets.iter().zip(weights).filter(|&(_, &weight)| weight != 0.0) {
        if let Some(displacements) = &target.colors {
            add(output, displacements, weight);
            moved = true;
        }
    }
    if moved {
        output.iter_mut().flatten().for_each(|component| *component = component.clamp(0.0, 1.0));
    }
}

/// `_OCCLUSION` of a primitive under morph weights, clamped to [0, 1]; empty where the primitive has none.
pub fn morph_occlusion(primitive: &Primitive, weights: &[f32], output: &mut Vec<f32>) {
    output.clear();
    output.extend_from_slice(primitive.occlusion.as_deref().unwrap_or_default());
    for (target, &weight) in primitive.targets.iter().zip(weights).filter(|&(_, &weight)| weight != 0.0) {
        for (value, displacement) in output.iter_mut().zip(target.occlusion.iter().flatten()) {
            *value += displacement * weight;
        }
    }
    output.iter_mut().for_each(|value| *value = value.clamp(0.0, 1.0));
}

fn add<const N: usize>(values: &mut [[f32; N]], displacements: &[[f32; N]], weight: f32) {
    for (value, displacement) in values.iter_mut().zip(displacements) {
        for (component, displacement) in value.iter_mut().zip(displacement) {
            *component += displacement * weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrast_scene::MorphTarget;

    #[test]
    fn occlusion_follows_the_weights_and_stays_a_part() {
        let target = |occlusion| MorphTarget { occlusion, ..MorphTarget::default() };
        let primitive = Primitive {
            occlusion: Some(vec![1.0, 0.5, 0.25]),
            targets: vec![target(Some(vec![-0.5, 0.25, -1.0])), target(None), target(Some(vec![0.0, 0.5, 0.5]))],
            ..Primitive::default()
        };
        let mut output = vec![9.0];
        morph_occlusion(&primitive, &[0.5, 1.0, 0.25], &mut output);
        // 1 − ½·½; ½ + ½·¼ + ¼·½; ¼ − ½·1 + ¼·½ is below 0.
        assert_eq!(output, [0.75, 0.75, 0.0]);
        morph_occlusion(&primitive, &[0.0, 0.0, 2.0], &mut output);
        assert_eq!(output, [1.0, 1.0, 1.0]);
        morph_occlusion(&Primitive::default(), &[1.0], &mut output);
        assert_eq!(output, [0.0; 0]);
    }

    #[test]
    fn texture_coordinates_and_colours_follow_the_weights() {
        let primitive = Primitive {
            texcoords: vec![vec![[0.5, 0.5]], vec![[0.0, 1.0]]],
            colors: Some(vec![[0.5, 0.5, 0.25, 1.0]]),
            targets: vec![
                MorphTarget {
                    texcoords: vec![None, Some(vec![[1.0, -1.0]])],
                    colors: Some(vec![[1.0, -1.0, 0.5, 0.0]]),
                    ..MorphTarget::default()
                },
                MorphTarget { texcoords: vec![Some(vec![[4.0, 8.0]])], ..MorphTarget::default() },
            ],
            ..Primitive::default()
        };
        let texcoords = |set, weights: &[f32]| {
            let mut output = vec![[9.0; 2]];
            morph_texcoords(&primitive, set, weights, &mut output);
            output
        };
        assert_eq!(texcoords(0, &[1.0, 0.25]), [[1.5, 2.5]]);
        assert_eq!(texcoords(1, &[0.25, 1.0]), [[0.25, 0.75]]);
        assert_eq!(texcoords(2, &[0.25, 1.0]), [[0.0; 2]; 0]);
        let mut colors = Vec::new();
        morph_colors(&primitive, &[0.5, 0.0], &mut colors);
        assert_eq!(colors, [[1.0, 0.0, 0.5, 1.0]]);
        // Where no target moves a colour, it stays as the file has it, whatever that is.
        morph_colors(&Primitive { colors: Some(vec![[2.0; 4]]), ..Primitive::default() }, &[], &mut colors);
        assert_eq!(colors, [[2.0; 4]]);
    }
}
