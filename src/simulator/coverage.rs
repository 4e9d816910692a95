//! [`Sides`]: which columns of a row a triangle covers.
//!
//! Why it exists: the reference steps the values of three edge functions from sample to sample. Here rows are scan-converted
//! instead: where a side crosses a row is one exact division of integers, and a sample is covered between the crossings. That
//! both find the same samples is worth something because neither can have the other's mistake.

use super::{faults::Faults, triangle::Triangle};
use crate::Fault;

/// The three sides of a triangle, whose corners run clockwise in the picture.
pub(super) struct Sides([Side; 3]);

struct Side {
    from: [i64; 2],
    run: [i64; 2],
    /// Whether samples on the side are covered: those of left and of top sides.
    owned: bool,
    /// How far outward the side is moved: in grid units, times its run along the other axis.
    grown: i64,
}

impl Sides {
    /// `one` is a pixel in grid units.
    pub(super) fn of(triangle: &Triangle, one: i64, faults: Faults) -> Self {
        let corner = |corner: usize| [triangle.x[corner], triangle.y[corner]];
        Self([[0, 1], [1, 2], [2, 0]].map(|[from, to]| {
            let ([x, y], [to_x, to_y]) = (corner(from), corner(to));
            let [right, down] = [to_x - x, to_y - y];
            let top_left = down < 0 || (down == 0 && right > 0);
            let conservative = faults.has(Fault::ConservativeCoverage);
            Side {
                from: [x, y],
                run: [right, down],
                owned: (top_left != faults.has(Fault::FillRuleBottomRight)) && !faults.has(Fault::FillRuleMissing),
                grown: if conservative { (right.abs() + down.abs()) * one / 2 } else { 0 },
            }
        }))
    }

    /// The first and the last x between `first` and `last` that is covered at this y, all in grid units.
    pub(super) fn span(&self, y: i64, [mut first, mut last]: [i64; 2]) -> Option<[i64; 2]> {
        for Side { from, run: [right, down], owned, grown } in &self.0 {
            // The crossing is at from.x + right · (y − from.y) ÷ down; sides that are not owned end a step before.
            let along = right * (y - from[1]);
            let room = grown - i64::from(!owned);
            if *down < 0 {
                // A left side: x ≥ the crossing.
                first = first.max(from[0] - (along + room).div_euclid(-down));
            } else if *down > 0 {
                last = last.min(from[0] + (along + room).div_euclid(*down));
            } else if along + room < 0 {
                return None;
            }
        }
        (first <= last).then_some([first, last])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle(x: [i64; 3], y: [i64; 3]) -> Triangle {
        let planes = [0, 1, 2].map(|i| [x[i] as f64, y[i] as f64]);
        let (draw, vertices) = (0, [0, 1, 2]);
        Triangle {
            draw,
            vertices,
            x,
            y,
            z: [0.5; 3],
            nearness: [1.0; 3],
            planes,
            weights: None,
            front: true,
            bounds: [0; 4],
        }
    }

    fn covered(triangle: &Triangle, faults: &[Fault]) -> Vec<[i64; 2]> {
        let sides = Sides::of(triangle, 16, Faults::of(faults));
        let rows = (-40..40).filter_map(|y| Some((y, sides.span(y, [-40, 40])?)));
        rows.flat_map(|(y, [first, last])| (first..=last).map(move |x| [x, y])).collect()
    }

    #[test]
    fn a_right_angle_has_its_left_and_top_sides() {
        // (0,0), (3,0), (0,3): the diagonal belongs to the neighbour.
        let corner = triangle([0, 3, 0], [0, 0, 3]);
        assert_eq!(covered(&corner, &[]), [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [0, 2]]);
        assert_eq!(covered(&corner, &[Fault::FillRuleMissing]), [[1, 1]]);
        // With the other rule it has its diagonal, and neither of its legs.
        assert_eq!(covered(&corner, &[Fault::FillRuleBottomRight]), [[1, 1], [2, 1], [1, 2]]);
    }

    /// Half a square each, in all ways to cut it and to turn it: no sample twice, none left out.
    #[test]
    fn halves_of_a_square_share_its_samples() {
        let squares: [[[i64; 2]; 4]; 3] = [
            [[-8, -8], [8, -8], [8, 8], [-8, 8]],
            [[0, -11], [11, 0], [0, 11], [-11, 0]],
            [[-7, -13], [13, -7], [7, 13], [-13, 7]],
        ];
        for square in squares {
            for first in 0..4 {
                let pick = |order: [usize; 3]| order.map(|corner| square[(first + corner) % 4]);
                let mut samples = Vec::new();
                for corners in [pick([0, 1, 2]), pick([0, 2, 3])] {
                    samples.extend(covered(&triangle(corners.map(|[x, _]| x), corners.map(|[_, y]| y)), &[]));
                }
                samples.sort_unstable();
                let distinct = {
                    let mut samples = samples.clone();
                    samples.dedup();
                    samples.len()
                };
                assert_eq!(distinct, samples.len(), "{square:?} from {first}: a sample twice");
                // Copies of the square tile the plane: it has as many samples as area.
                let area: i64 = (0..4)
                    .map(|i| {
                        let ([x, y], [u, v]) = (square[i], square[(i + 1) % 4]);
                        x * v - u * y
                    })
                    .sum();
                assert_eq!(distinct as i64, area / 2, "{square:?} from {first}");
            }
        }
    }
}
