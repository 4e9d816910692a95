//! Linear blend skinning in f32, in the orders that backends have.

use glam::Mat4;
use refrast::{scene::MorphTarget, verify::vertex::VertexInputs};

use super::Vertex;

/// Rows of an affine matrix.
pub(crate) type Rows = [[f32; 4]; 3];
type Vector = [f32; 3];

/// In which order, and with which operations, a backend evaluates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) name: &'static str,
    pub(crate) order: Order,
    /// Products are fused with the sum they go into.
    pub(crate) fused: bool,
    /// Sums run from the last term to the first.
    pub(crate) reversed: bool,
    /// The inverse transpose divides by the determinant, and unit length is had by an inverse square root.
    pub(crate) divides: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Order {
    /// (Σ wM)·v
    Blended,
    /// Σ w(M·v)
    PerJoint,
    /// Σ w(W·(B·v))
    Factors,
    /// One sum of all (wM)·v terms
    Chain,
}

/// Right ways to skin.
pub(crate) const STYLES: [Style; 8] = {
    let plain = Style { name: "blended", order: Order::Blended, fused: false, reversed: false, divides: false };
    [
        plain,
        Style { name: "blended, fused", fused: true, ..plain },
        Style { name: "blended, reversed", reversed: true, divides: true, ..plain },
        Style { name: "blended, fused and reversed", fused: true, reversed: true, divides: true, ..plain },
        Style { name: "per joint", order: Order::PerJoint, ..plain },
        Style { name: "per joint, fused", order: Order::PerJoint, fused: true, divides: true, ..plain },
        Style { name: "world and bind apart, reversed", order: Order::Factors, reversed: true, ..plain },
        Style { name: "one chain, fused", order: Order::Chain, fused: true, ..plain },
    ]
};

impl Style {
    /// Σ aᵢbᵢ + Σ cᵢ.
    pub(crate) fn sum(&self, products: &[(f32, f32)], others: &[f32]) -> f32 {
        let mut sum = None;
        let mut add = |(a, b): (f32, f32)| {
            sum = Some(match sum {
                None => a * b,
                #[expect(clippy::disallowed_methods, reason = "these are other people's backends, which fuse")]
                Some(sum) if self.fused => a.mul_add(b, sum),
                Some(sum) => sum + a * b,
            });
        };
        let ones = others.iter().map(|&other| (other, 1.0));
        if self.reversed {
            ones.rev().chain(products.iter().copied().rev()).for_each(&mut add);
        } else {
            products.iter().copied().chain(ones).for_each(&mut add);
        }
        sum.unwrap_or(0.0)
    }

    pub(crate) fn product(&self, a: &Rows, b: &Rows) -> Rows {
        a.map(|row| {
            let column = |c: usize| [(row[0], b[0][c]), (row[1], b[1][c]), (row[2], b[2][c])];
            [
                self.sum(&column(0), &[]),
                self.sum(&column(1), &[]),
                self.sum(&column(2), &[]),
                self.sum(&column(3), &[row[3]]),
            ]
        })
    }

    /// The matrix times (v, w), for w = 0 or 1.
    pub(crate) fn apply(&self, matrix: &Rows, v: Vector, w: f32) -> Vector {
        let moved = |row: [f32; 4]| if w == 0.0 { vec![] } else { vec![row[3]] };
        matrix.map(|row| self.sum(&[(row[0], v[0]), (row[1], v[1]), (row[2], v[2])], &moved(row)))
    }

    pub(crate) fn dot(&self, a: Vector, b: Vector) -> f32 {
        self.sum(&[(a[0], b[0]), (a[1], b[1]), (a[2], b[2])], &[])
    }

    pub(crate) fn cross(&self, a: Vector, b: Vector) -> Vector {
        let minor = |i: usize, j: usize| self.sum(&[(a[i], b[j]), (-a[j], b[i])], &[]);
        [minor(1, 2), minor(2, 0), minor(0, 1)]
    }

    pub(crate) fn normalize(&self, v: Vector) -> Vector {
        let length = self.dot(v, v).sqrt();
        let inverse = 1.0 / length;
        v.map(|component| if self.divides { component * inverse } else { component / length })
    }

    /// cofactor and determinant of the 3×3 block.
    pub(crate) fn cofactor(&self, [a, b, c]: &Rows) -> ([Vector; 3], f32) {
        let [a, b, c] = [a, b, c].map(|row| [row[0], row[1], row[2]]);
        let cofactor = [self.cross(b, c), self.cross(c, a), self.cross(a, b)];
        (cofactor, self.dot(a, cofactor[0]))
    }

    /// Σ wᵢ·matrixᵢ.
    pub(crate) fn blend(&self, influences: &[(f32, Rows)]) -> Rows {
        [0, 1, 2].map(|row| {
            [0, 1, 2, 3].map(|column| {
                let terms: Vec<(f32, f32)> = influences.iter().map(|(w, m)| (*w, m[row][column])).collect();
                self.sum(&terms, &[])
            })
        })
    }

    /// Σ wᵢ·vectorᵢ.
    pub(crate) fn weigh(&self, vectors: &[(f32, Vector)]) -> Vector {
        [0, 1, 2].map(|axis| {
            let terms: Vec<(f32, f32)> = vectors.iter().map(|(w, v)| (*w, v[axis])).collect();
            self.sum(&terms, &[])
        })
    }
}

pub(crate) fn rows(matrix: &Mat4) -> Rows {
    [0, 1, 2].map(|row| matrix.row(row).to_array())
}

/// What a backend has in its buffers.
#[derive(Clone)]
pub(crate) struct Buffers {
    /// World and inverse bind matrices.
    pub(crate) joints: Vec<(Mat4, Mat4)>,
    pub(crate) per_vertex: usize,
    pub(crate) joint_indices: Vec<u16>,
    pub(crate) weights: Vec<f32>,
}

impl Buffers {
    pub(crate) fn of(inputs: &VertexInputs<'_>) -> Self {
        let influences = inputs.influences.unwrap();
        Self {
            joints: inputs.joints.iter().map(|joint| (joint.world, joint.inverse_bind)).collect(),
            per_vertex: influences.per_vertex,
            joint_indices: influences.joints.clone(),
            weights: influences.weights.clone(),
        }
    }
}

/// A vertex after morphing.
pub(crate) fn morphed(inputs: &VertexInputs<'_>, style: &Style, vertex: usize) -> (Vector, Vector, [f32; 4]) {
    let primitive = inputs.primitive;
    let sum = |base: Vector, displacements: fn(&MorphTarget) -> &Option<Vec<Vector>>| {
        [0, 1, 2].map(|axis| {
            let targets = primitive.targets.iter().zip(inputs.morph_weights);
            let products: Vec<(f32, f32)> = targets
                .map(|(target, weight)| (*weight, displacements(target).as_ref().unwrap()[vertex][axis]))
                .collect();
            style.sum(&products, &[base[axis]])
        })
    };
    let [x, y, z, w] = primitive.tangents.as_ref().unwrap()[vertex];
    let tangent = sum([x, y, z], |target| &target.tangents);
    (
        sum(primitive.positions[vertex], |target| &target.positions),
        sum(primitive.normals.as_ref().unwrap()[vertex], |target| &target.normals),
        [tangent[0], tangent[1], tangent[2], w],
    )
}

/// A joint's matrices as a vertex sees them: weight, world, inverse bind, and their product.
pub(crate) struct Followed {
    pub(crate) weight: f32,
    pub(crate) world: Rows,
    pub(crate) bind: Rows,
    pub(crate) matrix: Rows,
}

/// Position and blended matrix in the style's order.
pub(crate) fn follow(style: &Style, followed: &[Followed], v: Vector, w: f32) -> Vector {
    match style.order {
        Order::Blended => style.apply(&blended(style, followed), v, w),
        Order::PerJoint => {
            let moved: Vec<_> = followed.iter().map(|f| (f.weight, style.apply(&f.matrix, v, w))).collect();
            style.weigh(&moved)
        }
        Order::Factors => {
            let moved = followed.iter().map(|f| (f.weight, style.apply(&f.world, style.apply(&f.bind, v, w), w)));
            style.weigh(&moved.collect::<Vec<_>>())
        }
        Order::Chain => [0, 1, 2].map(|row| {
            let mut terms = Vec::new();
            for f in followed {
                for column in 0..4 {
                    let with = [v[0], v[1], v[2], w][column];
                    terms.push((f.weight * f.matrix[row][column], with));
                }
            }
            style.sum(&terms, &[])
        }),
    }
}

pub(crate) fn blended(style: &Style, followed: &[Followed]) -> Rows {
    style.blend(&followed.iter().map(|f| (f.weight, f.matrix)).collect::<Vec<_>>())
}

/// Gram and Schmidt, and the handedness turned with the mirror.
pub(crate) fn finish_tangent(style: &Style, tangent: Vector, normal: Vector, handedness: f32) -> [f32; 4] {
    let tangent = if style.divides { style.normalize(tangent) } else { tangent };
    let along = style.dot(tangent, normal);
    let [x, y, z] = [0, 1, 2].map(|axis| style.sum(&[(-normal[axis], along)], &[tangent[axis]]));
    let [x, y, z] = style.normalize([x, y, z]);
    [x, y, z, handedness]
}

/// All vertices, right.
pub(crate) fn evaluate(inputs: &VertexInputs<'_>, style: &Style) -> Vec<Vertex> {
    super::faults::evaluate_with(inputs, &Buffers::of(inputs), style, None)
}
