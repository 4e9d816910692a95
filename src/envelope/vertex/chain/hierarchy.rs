//! Products down the hierarchy, and joint matrices, in any association.
//!
//! # Derivation
//!
//! A world matrix is a product of locals L₀·L₁⋯Lₙ. Parents first it is ((L₀L₁)L₂)⋯; who walks up from a node computes
//! L₀(L₁(L₂⋯)), and others keep products of parts. In all of these a matrix that is stored is the product of a run of
//! neighbours Lᵢ⋯Lⱼ, made of two such runs by one multiplication in f32: |fl(ÂB̂) − AB| ≤ |A|·e_B + e_A·|B| + e_A·e_B + γ₄·|Â||B̂|
//! for each entry, with e_A and e_B the bounds of the two. So the bound of a run is the largest over the places where it can
//! be cut, and by induction it holds for every association. All runs that end at a node, from each of its ancestors, are kept.
//!
//! Bounds of single entries grow by up to √3 with every turn that they go through, as boxes do, while errors as vectors only
//! turn along. So the length of the error is kept beside them, ‖E_A·B + A·E_B + E_A·E_B‖ ≤ ‖E_A‖·‖B‖₂ + ‖A‖₂·‖E_B‖ + ‖E_A‖·‖E_B‖ in the
//! Frobenius norm with the largest singular value ‖·‖₂ of the factor, and for translations likewise; no entry is off by more
//! than that.
//!
//! # Joint matrices
//!
//! The inverse bind matrix is one more factor at the end. A backend that skins in the space of the mesh's node puts the inverse V of that
//! node's world matrix W in front, and W before everything at last. Both are of one Ŵ that it has: Ŵ·V̂ is the identity but for
//! the inverse's own rounding γ₁₆·|V||W||V| (any elimination, Higham chapter 14) or that of cofactors over a determinant,
//! however far Ŵ is from W. So what comes before passes as it is, the bound of the joint matrix in any association, and
//! what the detour adds is the rounding of its products alone: that of a second hierarchy, whose local matrices are exact, with
//! V in front. (To first order in Ŵ − W; the product of that with a rounding is below the gap of γ.)

use refrast_range::{Bounded, Rounding};
use refrast_scene::Scene;

use crate::vertex::vectors::{Affine, inverse, product, stored, wider};

/// Runs in any association are kept up to this depth of the hierarchy; below it, parents first is the one association that is
/// claimed. (Memory goes with depth · nodes.)
const DEEPEST: usize = 64;

/// A product of neighbours as a backend keeps it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::vertex) struct Run {
    /// Each entry with its own bound.
    pub(in crate::vertex) matrix: Affine,
    /// How far the 3×3 block is off in the Frobenius norm.
    turn: f64,
    /// How long the error of the translation is.
    shift: f64,
}

impl Run {
    /// A matrix whose entries' errors have nothing to do with each other.
    pub(in crate::vertex) fn of(matrix: Affine, rounding: Rounding) -> Self {
        let [turn, shift] = lengths(&matrix.map(|row| row.map(|number| number.bound(rounding))));
        Self { matrix, turn, shift }
    }

    fn times(&self, other: &Self, rounding: Rounding) -> Self {
        let by_entry = Self::of(stored(&product(&self.matrix, &other.matrix), rounding), rounding);
        let magnitudes = |run: &Self| {
            run.matrix.map(|row| row.map(|number| Bounded::within(number.value().abs() + number.bound(rounding), 0.0)))
        };
        let rounded =
            product(&magnitudes(self), &magnitudes(other)).map(|row| row.map(|number| number.bound(rounding)));
        let [rounded_turn, rounded_shift] = lengths(&rounded);
        let (own, its) = (stretch(&self.matrix), stretch(&other.matrix));
        let moved = other.matrix.map(|[.., x]| x.value() * x.value()).iter().sum::<f64>().sqrt();
        let turn = self.turn * its + own * other.turn + self.turn * other.turn + rounded_turn;
        let shift = self.turn * (moved + other.shift) + own * other.shift + self.shift + rounded_shift;
        let (turn, shift) = (smaller(by_entry.turn, turn), smaller(by_entry.shift, shift));
        let entry = |row: usize, column: usize| {
            let (number, most) = (by_entry.matrix[row][column], if column == 3 { shift } else { turn });
            Bounded::within(number.value(), smaller(number.bound(rounding), most))
        };
        Self { matrix: [0, 1, 2].map(|row| [0, 1, 2, 3].map(|column| entry(row, column))), turn, shift }
    }

    fn or(self, other: Self) -> Self {
        let (turn, shift) = (self.turn.max(other.turn), self.shift.max(other.shift));
        Self { matrix: wider(&self.matrix, &other.matrix), turn, shift }
    }
}

/// The smaller of two bounds, of which one may be no number.
fn smaller(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

/// The Frobenius norm of the block, and the length of the translation.
fn lengths(numbers: &[[f64; 4]; 3]) -> [f64; 2] {
    let block = numbers.iter().flat_map(|row| &row[..3]).map(|x| x * x).sum::<f64>();
    [block.sqrt(), numbers.iter().map(|row| row[3] * row[3]).sum::<f64>().sqrt()]
}

/// The most by which the 3×3 block A lengthens a vector: the root of the largest eigenvalue of S = AᵀA, by the formula for
/// symmetric matrices (O. Smith, *Eigenvalues of a symmetric 3 × 3 matrix*, 1961), a little more for the roundings of f64.
fn stretch(matrix: &Affine) -> f64 {
    let a = matrix.map(|row| row.map(Bounded::value));
    let s: [[f64; 3]; 3] =
        std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|row| a[row][i] * a[row][j]).sum::<f64>()));
    let mean = (s[0][0] + s[1][1] + s[2][2]) / 3.0;
    let off: [[f64; 3]; 3] =
        std::array::from_fn(|i| std::array::from_fn(|j| s[i][j] - if i == j { mean } else { 0.0 }));
    let spread = (off.iter().flatten().map(|x| x * x).sum::<f64>() / 6.0).sqrt();
    let determinant = off[0][0] * (off[1][1] * off[2][2] - off[1][2] * off[2][1])
        - off[0][1] * (off[1][0] * off[2][2] - off[1][2] * off[2][0])
        + off[0][2] * (off[1][0] * off[2][1] - off[1][1] * off[2][0]);
    let cosine = determinant / (2.0 * spread * spread * spread);
    // Where all three are equal but for f64, the largest is the mean and at most twice the spread.
    let largest = if cosine.is_finite() { libm::cos(libm::acos(cosine.clamp(-1.0, 1.0)) / 3.0) } else { 1.0 };
    (mean + 2.0 * spread * largest).sqrt() * (1.0 + 1e-6)
}

/// All runs of local matrices that end at a node.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::vertex) struct Hierarchy {
    /// For each node, from the root on: the node's ancestors and itself.
    paths: Vec<Vec<usize>>,
    /// For each node the runs that begin at each of `paths` and end at the node. Only the first one and the local matrix below
    /// [`DEEPEST`].
    runs: Vec<Vec<Run>>,
    rounding: Rounding,
}

impl Hierarchy {
    pub(super) fn new(scene: &Scene, locals: Vec<Affine>, rounding: Rounding) -> Self {
        let mut paths = vec![Vec::new(); scene.nodes.len()];
        let mut runs: Vec<Vec<Run>> = vec![Vec::new(); scene.nodes.len()];
        for &node in &scene.parents_first {
            let mut path: Vec<usize> = scene.nodes[node].parent.map_or_else(Vec::new, |parent| paths[parent].clone());
            path.push(node);
            let (depth, local) = (path.len() - 1, Run::of(locals[node], rounding));
            let own = if depth > DEEPEST {
                vec![runs[path[depth - 1]][0].times(&local, rounding), local]
            } else {
                let mut own = vec![local; depth + 1];
                // From the shortest run to the longest, so that the second halves are there.
                for first in (0..depth).rev() {
                    let cuts = (first..depth).rev();
                    let products = cuts.map(|cut| runs[path[cut]][first].times(&own[cut + 1], rounding));
                    own[first] = products.reduce(Run::or).unwrap_or(local);
                }
                own
            };
            (paths[node], runs[node]) = (path, own);
        }
        Self { paths, runs, rounding }
    }

    pub(super) fn world(&self, node: usize) -> &Affine {
        &self.runs[node][0].matrix
    }

    /// A node's world matrix as if it were exact, and its inverse; `None` where f32 can not be sure that it has one.
    pub(in crate::vertex) fn detour(&self, node: usize) -> Option<(Affine, Run)> {
        let world = self.world(node).map(|row| row.map(|number| Bounded::within(number.value(), 0.0)));
        inverse(&world, self.rounding).map(|matrix| (world, Run::of(matrix, self.rounding)))
    }

    /// The joint matrix of a node, in the space whose matrix has the inverse `before` where there is one.
    pub(in crate::vertex) fn joint(&self, node: usize, inverse_bind: &Affine, before: Option<&Run>) -> Affine {
        let rounding = self.rounding;
        let inverse_bind = Run::of(*inverse_bind, rounding);
        let path = &self.paths[node];
        let whole = path.len() - 1 <= DEEPEST;
        // The runs of the path that there are: of a deep one, all of it at once.
        let run = |first: usize, last: usize| {
            if whole { &self.runs[path[last]][first] } else { &self.runs[node][0] }
        };
        let last = if whole { path.len() - 1 } else { 0 };
        // suffixes[i]: from the i-th ancestor to the inverse bind matrix, the last one that alone.
        let mut suffixes = vec![inverse_bind; last + 2];
        for first in (0..=last).rev() {
            let cuts = (first..=last).rev().map(|cut| run(first, cut).times(&suffixes[cut + 1], rounding));
            suffixes[first] = cuts.reduce(Run::or).unwrap_or(inverse_bind);
        }
        let Some(before) = before else { return suffixes[0].matrix };
        // prefixes[i]: V and the run to the i-th ancestor.
        let mut prefixes: Vec<Run> = Vec::with_capacity(last + 1);
        for end in 0..=last {
            let first = before.times(run(0, end), rounding);
            let cuts = (1..=end).map(|cut| prefixes[cut - 1].times(run(cut, end), rounding));
            prefixes.push(cuts.fold(first, Run::or));
        }
        let all = prefixes.iter().zip(&suffixes[1..]).map(|(front, back)| front.times(back, rounding));
        all.fold(before.times(&suffixes[0], rounding), Run::or).matrix
    }
}

#[cfg(test)]
mod tests {
    use refrast_scene::Node;

    use super::*;

    fn chain(nodes: usize) -> Scene {
        let node = |index: usize| Node { parent: index.checked_sub(1), ..Node::default() };
        Scene { nodes: (0..nodes).map(node).collect(), parents_first: (0..nodes).collect(), ..Scene::default() }
    }

    fn moved(x: f32) -> Affine {
        let [one, zero] = [1.0, 0.0].map(Bounded::exact);
        [[one, zero, zero, Bounded::exact(x)], [zero, one, zero, zero], [zero, zero, one, zero]]
    }

    /// Two additions in two orders: (a + b) + c rounds a + b and the sum, a + (b + c) rounds b + c.
    #[test]
    fn a_run_has_room_for_both_associations() {
        let hierarchy = Hierarchy::new(&chain(3), vec![moved(1.0), moved(-1.0), moved(0.25)], Rounding::Nearest);
        let x = hierarchy.world(2)[0][3];
        assert_eq!(x.value(), 0.25);
        let bound = x.bound(Rounding::Nearest) * f64::from(1 << 24);
        // Left: |1| + |−1| rounded, then 0.25; right: 1.25 rounded, then 1 + 0.75. 2 + 0.25 or 1.25 + 1.75 + …
        assert!((3.0..3.01).contains(&bound), "{bound}");
    }

    /// Twenty turns of an eighth about changing axes: as boxes their errors would grow 10⁴-fold.
    #[test]
    fn errors_do_not_grow_with_turns() {
        let turned = |node: usize| {
            let axis = glam::Vec3::from_array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][node % 3]);
            crate::vertex::vectors::affine(&glam::Mat4::from_axis_angle(axis, 0.8))
        };
        let hierarchy = Hierarchy::new(&chain(20), (0..20).map(turned).collect(), Rounding::Nearest);
        let bounds = hierarchy.world(19).iter().flatten().map(|number| number.bound(Rounding::Nearest));
        // Nineteen products of at most γ₃·3 each.
        let most = bounds.fold(0.0, f64::max);
        assert!(most < 19.0 * 9.0 * Rounding::Nearest.unit(), "{most:e}");
    }

    #[test]
    fn the_stretch_is_the_largest_scale() {
        let turn = glam::Quat::from_xyzw(0.1, -0.7, 0.5, 0.5).normalize();
        for scale in [[0.5, 2.0, 1.5], [1.0, 1.0, 1.0], [3.0, 3.0, 3.0], [-4.0, 1.0, 0.0]] {
            let matrix = glam::Mat4::from_scale_rotation_translation(scale.into(), turn, glam::Vec3::ONE);
            let most = scale.into_iter().fold(0.0f32, |most, x| most.max(x.abs()));
            let found = stretch(&crate::vertex::vectors::affine(&matrix));
            assert!((found / f64::from(most) - 1.0).abs() < 1e-5, "{scale:?}: {found}");
        }
    }

    #[test]
    fn a_static_chain_is_not_exact() {
        let hierarchy = Hierarchy::new(&chain(4), vec![moved(0.1); 4], Rounding::Nearest);
        assert!(hierarchy.world(3)[0][3].bound(Rounding::Nearest) > 0.0);
    }

    #[test]
    fn a_chain_deeper_than_is_kept_has_a_world() {
        let hierarchy = Hierarchy::new(&chain(200), vec![moved(1.0); 200], Rounding::Nearest);
        assert_eq!(hierarchy.world(199)[0][3].value(), 200.0);
        let before = hierarchy.detour(3).map(|(_, inverse)| inverse);
        let joint = |before| hierarchy.joint(199, &moved(-200.0), before)[0][3].value();
        assert_eq!((joint(None), joint(before.as_ref())), (0.0, -4.0));
    }

    #[test]
    fn relative_to_a_node_is_its_inverse_in_front() {
        let hierarchy = Hierarchy::new(&chain(2), vec![moved(3.0), moved(4.0)], Rounding::Nearest);
        let (world, before) = hierarchy.detour(0).unwrap();
        let joint = |before| hierarchy.joint(1, &moved(-1.0), before)[0][3].value();
        assert_eq!((world[0][3].value(), joint(None), joint(Some(&before))), (3.0, 6.0, 3.0));
    }
}
