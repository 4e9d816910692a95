//! Choices about morph weights that are made before a mesh is morphed, and what else a target can carry.

/// Keeps the `limit` weights with the largest magnitude and sets the others to 0; returns how many were dropped.
///
/// *GPU Gems* chapter 4 blends five of fifty targets, because a vertex has room for no more. Of equal weights the
/// first stay.
pub fn keep_most_active(weights: &mut [f32], limit: usize) -> usize {
    let mut active: Vec<usize> = (0..weights.len()).filter(|&target| weights[target] != 0.0).collect();
    active.sort_unstable_by(|&a, &b| weights[b].abs().total_cmp(&weights[a].abs()).then(a.cmp(&b)));
    let dropped = active.get(limit..).unwrap_or_default();
    dropped.iter().for_each(|&target| weights[target] = 0.0);
    dropped.len()
}

/// Weights that run through the targets one after the other: at `position` k + t, target k has 1 − t and target
/// k + 1 has t, so that the vertex is (1 − t)·previous + t·next. Outside, the first or the last target holds.
///
/// *GPU Gems* chapter 4 calls this linear, or serial, morphing: two targets are active at a time.
pub fn serial_weights(position: f32, weights: &mut [f32]) {
    weights.fill(0.0);
    let Some(last) = weights.len().checked_sub(1) else { return };
    let position = position.clamp(0.0, last as f32);
    let key = position as usize;
    let t = position - key as f32;
    weights[key] = 1.0 - t;
    if t > 0.0 {
        weights[key + 1] = t;
    }
}

/// A number a vertex under morph weights: base + Σ weight · displacement, in the order of the targets.
///
/// *GPU Gems* chapter 4 carries self-occlusion like this, in the w of the normal and of its displacements.
///
/// Displacements that are shorter than the base leave the rest of it where it is.
pub fn morph_numbers(base: &[f32], displacements: &[&[f32]], weights: &[f32], output: &mut Vec<f32>) {
    output.clear();
    output.extend_from_slice(base);
    for (displacements, &weight) in displacements.iter().zip(weights).filter(|&(_, &weight)| weight != 0.0) {
        for (number, displacement) in output.iter_mut().zip(*displacements) {
            *number += displacement * weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_of_fifty_stay_active() {
        let mut weights: Vec<f32> =
            (0..50).map(|target| if target % 7 == 0 { 0.1 * target as f32 } else { 0.0 }).collect();
        weights[3] = -9.0;
        // Active: 3 (−9) and 7, 14, …, 49 (0.7 to 4.9), eight in all; 3, 49, 42, 35 and 28 are the largest.
        assert_eq!(keep_most_active(&mut weights, 5), 3);
        let active: Vec<usize> = (0..50).filter(|&target| weights[target] != 0.0).collect();
        assert_eq!(active, [3, 28, 35, 42, 49]);
        assert_eq!(weights[3], -9.0);
        assert_eq!(keep_most_active(&mut weights, 5), 0);
        assert_eq!(keep_most_active(&mut [1.0, 1.0], 0), 2);
    }

    #[test]
    fn serial_targets_follow_each_other() {
        let at = |position| {
            let mut weights = [9.0; 3];
            serial_weights(position, &mut weights);
            weights
        };
        assert_eq!(at(0.0), [1.0, 0.0, 0.0]);
        assert_eq!(at(0.25), [0.75, 0.25, 0.0]);
        assert_eq!(at(1.5), [0.0, 0.5, 0.5]);
        assert_eq!(at(2.0), [0.0, 0.0, 1.0]);
        assert_eq!((at(-1.0), at(7.0)), (at(0.0), at(2.0)));
        serial_weights(1.0, &mut []);
    }

    #[test]
    fn occlusion_follows_the_weights() {
        let mut output = Vec::new();
        morph_numbers(&[1.0, 0.5], &[&[-0.5, 0.0], &[0.25, 0.25]], &[1.0, 2.0], &mut output);
        assert_eq!(output, [1.0, 1.0]);
    }
}
