//! Fewer influences a vertex than the file gives.

use std::num::NonZeroUsize;

use refrast_scene::Influences;

/// The influences with at most `maximum` of them a vertex: sorted by weight, cut off, and the rest rescaled by their
/// sum, so that they add up to 1 again (*GPU Gems* chapter 4 asks for both).
///
/// Equal weights keep the order of the file, and a vertex that has no more than `maximum` keeps its weights as they
/// are. Every vertex has `min(maximum, per_vertex)` influences afterwards, those of weight 0 last and on joint 0.
#[must_use]
pub fn limit_influences(influences: &Influences, maximum: NonZeroUsize) -> Influences {
    let per_vertex = influences.per_vertex.min(maximum.get());
    let mut limited = Influences { per_vertex, ..Influences::default() };
    if per_vertex == 0 {
        return limited;
    }
    let vertices = influences.joints.chunks_exact(influences.per_vertex);
    let mut pairs: Vec<(u16, f32)> = Vec::with_capacity(influences.per_vertex);
    for (joints, weights) in vertices.zip(influences.weights.chunks_exact(influences.per_vertex)) {
        pairs.clear();
        pairs.extend(joints.iter().copied().zip(weights.iter().copied()).filter(|&(_, weight)| weight != 0.0));
        if pairs.len() > per_vertex {
            pairs.sort_by(|(_, a), (_, b)| b.total_cmp(a));
            pairs.truncate(per_vertex);
            let sum: f32 = pairs.iter().map(|&(_, weight)| weight).sum();
            pairs.iter_mut().for_each(|(_, weight)| *weight /= sum);
        }
        pairs.resize(per_vertex, (0, 0.0));
        limited.joints.extend(pairs.iter().map(|&(joint, _)| joint));
        limited.weights.extend(pairs.iter().map(|&(_, weight)| weight));
    }
    limited
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_stay_and_are_rescaled_by_their_sum() {
        let influences = Influences {
            per_vertex: 4,
            joints: vec![5, 6, 7, 8, 1, 2, 0, 0],
            weights: vec![0.125, 0.5, 0.125, 0.25, 0.25, 0.75, 0.0, 0.0],
        };
        let limited = limit_influences(&influences, NonZeroUsize::new(2).unwrap());
        assert_eq!(limited.joints, [6, 8, 1, 2]);
        assert_eq!(limited.weights, [0.5 / 0.75, 0.25 / 0.75, 0.25, 0.75]);
        // Of the two that weigh 1/8 the one that the file names first stays.
        let limited = limit_influences(&influences, NonZeroUsize::new(3).unwrap());
        assert_eq!(limited.joints, [6, 8, 5, 1, 2, 0]);
        assert_eq!(limited.weights, [0.5 / 0.875, 0.25 / 0.875, 0.125 / 0.875, 0.25, 0.75, 0.0]);
        assert_eq!(limit_influences(&influences, NonZeroUsize::new(9).unwrap()).per_vertex, 4);
    }
}
