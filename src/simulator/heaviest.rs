//! [`heaviest`]: fewer influences a vertex than the file gives.
//!
//! Why it exists: what stays, and in which order it is blended, is stated (*GPU Gems*, chapter 4: the heaviest, rescaled by
//! their sum). How it is found is our own: one after the other, without sorting.

use std::num::NonZeroUsize;

use refrast_scene::Influences;

/// At most `most` influences of each vertex, and then those of weight 0. Of equal weights the one that comes first stays.
pub(super) fn heaviest(influences: &Influences, most: NonZeroUsize) -> Influences {
    let per_vertex = influences.per_vertex.min(most.get());
    let mut kept = Influences { per_vertex, ..Influences::default() };
    if per_vertex == 0 {
        return kept;
    }
    let vertices = influences.joints.chunks_exact(influences.per_vertex);
    for (joints, weights) in vertices.zip(influences.weights.chunks_exact(influences.per_vertex)) {
        let mut left: Vec<(u16, f32)> = joints.iter().copied().zip(weights.iter().copied()).collect();
        left.retain(|(_, weight)| *weight != 0.0);
        let own = if left.len() > per_vertex {
            let mut taken = Vec::with_capacity(per_vertex);
            while taken.len() < per_vertex {
                let first = (0..left.len()).reduce(|best, i| if left[i].1 > left[best].1 { i } else { best });
                taken.extend(first.map(|first| left.remove(first)));
            }
            let sum: f32 = taken.iter().map(|(_, weight)| weight).sum();
            taken.into_iter().map(|(joint, weight)| (joint, weight / sum)).collect()
        } else {
            left
        };
        let padded = own.into_iter().chain(std::iter::repeat((0, 0.0))).take(per_vertex);
        padded.for_each(|(joint, weight)| {
            kept.joints.push(joint);
            kept.weights.push(weight);
        });
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equals_stays_and_the_sum_is_one() {
        let influences = Influences {
            per_vertex: 4,
            joints: vec![5, 6, 7, 8, 1, 2, 0, 3],
            weights: vec![0.125, 0.5, 0.125, 0.25, 0.0, 0.75, 0.0, 0.25],
        };
        let kept = |most| heaviest(&influences, NonZeroUsize::new(most).expect("a number of influences"));
        // 4 : 2 : 1 of 7; where no more are there than may stay, they stay as they are.
        assert_eq!(kept(3).joints, [6, 8, 5, 2, 3, 0]);
        assert_eq!(kept(3).weights, [0.5 / 0.875, 0.25 / 0.875, 0.125 / 0.875, 0.75, 0.25, 0.0]);
        assert_eq!((kept(1).joints, kept(1).weights), (vec![6, 2], vec![1.0, 1.0]));
        assert_eq!((kept(9).per_vertex, kept(9).joints), (4, vec![5, 6, 7, 8, 2, 3, 0, 0]));
    }
}
