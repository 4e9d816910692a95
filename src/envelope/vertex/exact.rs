//! A primitive's vertices in f64, each number with its bound.
//!
//! Morph targets first, then the joints, then unit length: the formulas of the glTF 2.0 specification, sections 3.7.2.2
//! and 3.7.3.3, once, for [`Bounded`] numbers. Nothing here is shared with the f32 kernels.

use std::ops::Range;

use super::{
    chain::ChainPose,
    inputs::{ExactError, VertexInputs},
    motion::Motion,
    placement::{PlacedJoint, Placement},
    vectors::{
        Affine, DIVISION, Matrix, Vector, add, cofactor, cross, determinant, divide_by_length, dot, linear, normalize,
        reciprocal, scale, sign, subtract, transform, transform_point,
    },
};
use refrast_measure::Attribute;
use refrast_range::{Bounded, Rounding};
use refrast_scene::{MorphTarget, Scene};
use refrast_skinning::{NormalMode, SkinningMethod};
use refrast_threads as threads;

/// The vertices of a primitive in world space, in the order of [`Primitive::positions`](refrast_scene::Primitive), each
/// component with its bound. An infinite bound claims nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactVertices {
    /// Positions.
    pub position: Attribute<3>,
    /// Normals of unit length; `None` where the primitive has none of its own, or flat ones.
    pub normal: Option<Attribute<3>>,
    /// Tangents of unit length and the handedness; `None` where the primitive has none, or flat normals.
    pub tangent: Option<Attribute<4>>,
}

/// Evaluates all vertices of a primitive, for backends that are given the palette and the morph weights.
///
/// # Errors
///
/// When the inputs do not belong together, or the formula can not follow a joint.
pub fn exact_vertices(inputs: &VertexInputs<'_>, rounding: Rounding) -> Result<ExactVertices, ExactError> {
    placed_vertices(inputs, &Placement::given(inputs), rounding)
}

/// Evaluates all vertices of a primitive that `node` draws, for backends that read the file: from one of the poses that
/// [`ChainPose::alternatives`] has. Of `inputs`, the matrices and morph weights are not looked at.
///
/// # Errors
///
/// As [`exact_vertices`].
pub fn file_vertices_of(
    scene: &Scene,
    pose: &ChainPose,
    node: usize,
    inputs: &VertexInputs<'_>,
    rounding: Rounding,
) -> Result<ExactVertices, ExactError> {
    placed_vertices(inputs, &Placement::of_file(scene, pose, node, inputs), rounding)
}

fn placed_vertices(
    inputs: &VertexInputs<'_>,
    placement: &Placement,
    rounding: Rounding,
) -> Result<ExactVertices, ExactError> {
    inputs.validate()?;
    let joints = Joints::new(inputs, placement, rounding)?;
    let primitive = inputs.primitive;
    let directions = !primitive.flat;
    let evaluate = |vertex| {
        let rest = Rest::of(inputs, placement, vertex);
        let moved = joints.move_vertex(inputs, vertex, &rest);
        moved.finish(&rest, rounding)
    };
    let count = primitive.positions.len();
    let mut exact = ExactVertices {
        position: room(count),
        normal: (directions && primitive.normals.is_some()).then(|| room(count)),
        tangent: (directions && primitive.tangents.is_some()).then(|| room(count)),
    };
    for first in (0..count).step_by(CHUNK) {
        let vertices = count.min(first + CHUNK) - first;
        let own = |range: Range<usize>| range.map(|vertex| evaluate(first + vertex)).collect::<Vec<_>>();
        let vertices: Vec<Finished> = threads::ranges(vertices, TASK_VERTICES, own).into_iter().flatten().collect();
        // NaN is not within anything either.
        let reached =
            |vertex: &Finished| vertex.position.iter().all(|number| number.value().abs() <= f64::from(f32::MAX));
        if let Some(vertex) = vertices.iter().position(|vertex| !reached(vertex)) {
            return Err(ExactError::OutOfRange { vertex: first + vertex });
        }
        append(&mut exact.position, &vertices, rounding, |vertex| vertex.position);
        if let Some(normal) = &mut exact.normal {
            append(normal, &vertices, rounding, |vertex| vertex.normal);
        }
        if let Some(tangent) = &mut exact.tangent {
            append(tangent, &vertices, rounding, |vertex| vertex.tangent);
        }
    }
    Ok(exact)
}

/// Vertices that are evaluated at a time. With all that is known of its numbers a vertex takes 400 bytes, four times as many as
/// what is kept of it, and a mesh may have millions.
const CHUNK: usize = 1 << 14;

/// Of these a thread takes so many at once: a hundred microseconds of work.
const TASK_VERTICES: usize = 1 << 7;

/// An attribute with bounds, of no vertices yet.
fn room<const N: usize>(vertices: usize) -> Attribute<N> {
    Attribute { values: Vec::with_capacity(vertices), bounds: Some(Vec::with_capacity(vertices)) }
}

fn append<const N: usize>(
    attribute: &mut Attribute<N>,
    vertices: &[Finished],
    rounding: Rounding,
    number: impl Fn(&Finished) -> [Bounded; N],
) {
    attribute.values.extend(vertices.iter().map(|vertex| number(vertex).map(Bounded::value)));
    let bounds = vertices.iter().map(|vertex| number(vertex).map(|number| number.bound(rounding)));
    attribute.bounds.get_or_insert_default().extend(bounds);
}

/// A vertex after morphing, in mesh space.
struct Rest {
    position: Vector,
    normal: Option<Vector>,
    tangent: Option<Vector>,
    handedness: f32,
}

/// A vertex after skinning, directions of any length.
struct Moved {
    position: Vector,
    normal: Option<Vector>,
    tangent: Option<Vector>,
    /// ±1: whether the matrix of this vertex mirrors; `None` where f32 can not tell.
    sign: Option<Bounded>,
}

struct Finished {
    position: Vector,
    normal: Vector,
    tangent: [Bounded; 4],
}

impl Rest {
    /// base + Σ weight · displacement.
    fn of(inputs: &VertexInputs<'_>, placement: &Placement, vertex: usize) -> Self {
        let primitive = inputs.primitive;
        let number = |number: f32| if placement.reads_file { decoded(number) } else { Bounded::exact(number) };
        let morphed = |base: [f32; 3], displacements: fn(&MorphTarget) -> Option<&Vec<[f32; 3]>>| -> Vector {
            [0, 1, 2].map(|axis| {
                let targets = primitive
                    .targets
                    .iter()
                    .zip(&placement.morph_weights)
                    .filter_map(|(target, weight)| Some(*weight * number(displacements(target)?[vertex][axis])));
                Bounded::sum([number(base[axis])].into_iter().chain(targets))
            })
        };
        let tangent = primitive.tangents.as_ref().map(|tangents| tangents[vertex]);
        Self {
            position: morphed(primitive.positions[vertex], |target| target.positions.as_ref()),
            normal: (primitive.normals.as_ref())
                .map(|normals| morphed(normals[vertex], |target| target.normals.as_ref())),
            tangent: tangent.map(|[x, y, z, _]| morphed([x, y, z], |target| target.tangents.as_ref())),
            handedness: tangent.map_or(1.0, |[.., w]| w),
        }
    }
}

/// A number of an accessor, which may be a normalised integer and then was rounded where it was divided by 127 … 65535. No
/// such fraction but 0 and ±1 is a whole number.
fn decoded(number: f32) -> Bounded {
    let whole = number.fract() == 0.0;
    let number = f64::from(number);
    Bounded::within(number, if whole { 0.0 } else { Rounding::Nearest.unit() * number.abs() })
}

/// What is worked out once a joint.
struct Joints<'a> {
    rounding: Rounding,
    placement: &'a Placement,
    /// World · inverse bind.
    products: Vec<Affine>,
    worlds: Vec<Affine>,
    inverse_binds: Vec<Affine>,
    motions: Vec<Option<Motion>>,
    inverse_transposes: Vec<Option<Matrix>>,
}

impl<'a> Joints<'a> {
    fn new(inputs: &VertexInputs<'_>, placement: &'a Placement, rounding: Rounding) -> Result<Self, ExactError> {
        let all = |matrix: fn(&PlacedJoint) -> Affine| -> Vec<Affine> { placement.joints.iter().map(matrix).collect() };
        let (products, worlds) = (all(|joint| joint.product), all(|joint| joint.world));
        let inverse_binds = all(|joint| joint.inverse_bind);
        let (motions, inverse_transposes) = (Vec::new(), Vec::new());
        let mut joints = Self { rounding, placement, products, worlds, inverse_binds, motions, inverse_transposes };
        let skinned = inputs.influences.is_some();
        // A joint that no vertex follows may be as odd as it likes.
        for (joint, (matrix, followed)) in joints.products.iter().zip(inputs.followed()).enumerate() {
            if skinned && inputs.method == SkinningMethod::DualQuaternion {
                let motion = Motion::of(matrix, rounding);
                if followed && motion.is_none() {
                    return Err(ExactError::NoRotation { joint });
                }
                joints.motions.push(motion);
            } else if skinned && inputs.method.normal_mode(inputs.normals) == NormalMode::PerJoint {
                let inverse_transpose = inverse_transpose(&linear(matrix), rounding);
                if followed && inverse_transpose.is_none() {
                    return Err(ExactError::NoInverse { joint });
                }
                joints.inverse_transposes.push(inverse_transpose);
            }
        }
        Ok(joints)
    }

    fn move_vertex(&self, inputs: &VertexInputs<'_>, vertex: usize, rest: &Rest) -> Moved {
        let influences = inputs.influences_of(vertex, self.placement.reads_file, self.rounding);
        if inputs.influences.is_none() {
            // Of the node's one matrix every method is the linear one.
            return self.linear(&influences, inputs.normals, rest);
        }
        let normals = inputs.method.normal_mode(inputs.normals);
        match inputs.method {
            SkinningMethod::Linear
            | SkinningMethod::LinearPerJoint
            | SkinningMethod::VertexOffset
            | SkinningMethod::BoneOffset => self.linear_anywhere(&influences, normals, rest),
            SkinningMethod::DualQuaternion => self.dual_quaternion(&influences, normals, rest),
            SkinningMethod::WeightsBeforeBind => self.weights_before_bind(&influences, rest),
            SkinningMethod::Rigid => {
                let mut heaviest: Option<(usize, Bounded)> = None;
                for &(joint, weight) in &influences {
                    if heaviest.is_none_or(|(_, most)| weight.value() > most.value()) {
                        heaviest = Some((joint, weight));
                    }
                }
                let alone: Vec<_> = heaviest.iter().map(|&(joint, _)| (joint, Bounded::exact(1.0))).collect();
                self.linear_anywhere(&alone, normals, rest)
            }
        }
    }

    /// Linear skinning in world space, or in the space of the mesh's node and from there to the world: the detour's roundings
    /// come on top of what the joints' matrices are off.
    fn linear_anywhere(&self, influences: &[(usize, Bounded)], normals: NormalMode, rest: &Rest) -> Moved {
        let moved = self.linear(influences, normals, rest);
        let Some(relative) = &self.placement.relative else { return moved };
        let rounding = self.rounding;
        let exact = |number: Bounded| Bounded::within(number.value(), 0.0);
        let influences: Vec<(usize, Bounded)> =
            influences.iter().map(|&(joint, weight)| (joint, exact(weight))).collect();
        let matrix = blend(&relative.joints, &influences);
        let block = linear(&matrix);
        let nested = 3 * (influences.len() as u32).saturating_sub(1);
        let local = |vector: Vector| vector.map(|component| component.rounded(nested).stored(rounding));
        let node = linear(&relative.node);
        let onward = |direction: Vector| transform(&node, direction);
        let [node_cofactors, cofactors] = [&node, &block].map(cofactor);
        let [outer, inner] = [(&node, &node_cofactors), (&block, &cofactors)]
            .map(|(matrix, cofactors)| sign(determinant(matrix, cofactors), rounding));
        let with = |by_world: Vector, detour: Vector| -> Vector {
            [0, 1, 2].map(|axis| by_world[axis].widened(detour[axis].bound(rounding)))
        };
        let normal = moved.normal.map(|by_world| match (rest.normal, normals) {
            (Some(normal), NormalMode::RotationOnly) => {
                with(by_world, onward(local(transform(&block, normal.map(exact)))))
            }
            (Some(normal), NormalMode::InverseTranspose) => {
                let turned = outward(transform(&cofactors, normal.map(exact)), inner);
                let detour = outward(transform(&node_cofactors, turned.map(|number| number.stored(rounding))), outer);
                with(by_world, detour)
            }
            // Each joint's own inverse transpose goes with the joint's own matrix.
            (_, NormalMode::PerJoint) | (None, _) => by_world,
        });
        let point = local(transform_point(&matrix, rest.position.map(exact)));
        let tangent = rest.tangent.map(|tangent| onward(local(transform(&block, tangent.map(exact)))));
        Moved {
            position: with(moved.position, transform_point(&relative.node, point)),
            normal,
            tangent: moved.tangent.zip(tangent).map(|(by_world, detour)| with(by_world, detour)),
            sign: moved.sign,
        }
    }

    /// (Σ wᵢMᵢ)·v.
    ///
    /// A backend may also transform by each joint and blend the results, or add all products of both sums in one chain
    /// of 4n terms. The chain is the longest way: 4n − 1 additions in place of n − 1 and 3, so 3(n − 1) more.
    fn linear(&self, influences: &[(usize, Bounded)], normals: NormalMode, rest: &Rest) -> Moved {
        let matrix = blend(&self.products, influences);
        let block = linear(&matrix);
        let nested = 3 * (influences.len() as u32).saturating_sub(1);
        let chained = |vector: Vector| vector.map(|component| component.rounded(nested));
        let cofactors = cofactor(&block);
        let sign = sign(determinant(&block, &cofactors), self.rounding);
        let normal = rest.normal.map(|normal| match normals {
            NormalMode::RotationOnly => chained(transform(&block, normal)),
            NormalMode::InverseTranspose => outward(transform(&cofactors, normal), sign),
            NormalMode::PerJoint if self.inverse_transposes.is_empty() => outward(transform(&cofactors, normal), sign),
            NormalMode::PerJoint => {
                let terms = influences.iter().filter_map(|&(joint, weight)| {
                    Some(scale(transform(&self.inverse_transposes[joint]?, normal), weight))
                });
                chained(sum(terms))
            }
        });
        Moved {
            position: chained(transform_point(&matrix, rest.position)),
            normal,
            tangent: rest.tangent.map(|tangent| chained(transform(&block, tangent))),
            sign,
        }
    }

    /// (Σ wᵢWᵢ)·(Σ wᵢBᵢ·v), directions by the 3×3 blocks.
    fn weights_before_bind(&self, influences: &[(usize, Bounded)], rest: &Rest) -> Moved {
        let world = blend(&self.worlds, influences);
        let points = influences
            .iter()
            .map(|&(joint, weight)| scale(transform_point(&self.inverse_binds[joint], rest.position), weight));
        let nested = 3 * (influences.len() as u32).saturating_sub(1);
        let point = sum(points).map(|component| component.rounded(nested));
        let follow = |direction: Vector| {
            let local = influences
                .iter()
                .map(|&(joint, weight)| scale(transform(&linear(&self.inverse_binds[joint]), direction), weight));
            transform(&linear(&world), sum(local).map(|component| component.rounded(nested)))
        };
        let block = linear(&blend(&self.products, influences));
        Moved {
            position: transform_point(&world, point),
            normal: rest.normal.map(follow),
            tangent: rest.tangent.map(follow),
            sign: sign(determinant(&block, &cofactor(&block)), self.rounding),
        }
    }

    /// Stretches blended linearly, then (Σ ±wᵢqᵢ)/|Σ ±wᵢrᵢ| (Kavan et al., *Geometric Skinning with Approximate Dual
    /// Quaternion Blending*, 2008). Every joint is brought to the hemisphere of the vertex's first one; where two joints
    /// are then still a quarter turn or more apart in 4D, another pivot would give another result: no claim.
    fn dual_quaternion(&self, influences: &[(usize, Bounded)], normals: NormalMode, rest: &Rest) -> Moved {
        let rounding = self.rounding;
        let mut signed: Vec<(Motion, Bounded, Bounded)> = Vec::with_capacity(influences.len());
        let mut ambiguous = false;
        for &(joint, weight) in influences {
            let Some(motion) = self.motions[joint] else { continue };
            let side = signed.first().map_or(1.0, |(first, ..)| dot(motion.real, first.real).value());
            let side = Bounded::exact(if side < 0.0 { -1.0 } else { 1.0 });
            let near = |(other, _, other_side): &(Motion, Bounded, Bounded)| {
                let cosine = dot(motion.real, other.real) * side * *other_side;
                cosine.value() > cosine.bound(rounding)
            };
            ambiguous |= !signed.iter().all(near);
            signed.push((motion, weight, side));
        }
        let blended = |numbers: fn(&Motion) -> [Bounded; 4]| {
            [0, 1, 2, 3]
                .map(|i| Bounded::sum(signed.iter().map(|(joint, weight, side)| numbers(joint)[i] * *weight * *side)))
        };
        let (real, dual) = (blended(|joint| joint.real), blended(|joint| joint.dual));
        let stretch: Matrix = [0, 1, 2].map(|row| {
            [0, 1, 2].map(|column| {
                Bounded::sum(signed.iter().map(|(joint, weight, _)| joint.stretch[row][column] * *weight))
            })
        });
        let dual = divide_by_length(dual, real, rounding);
        let real = normalize(real, rounding);
        let unclaimed = |vector: Vector| {
            if ambiguous { vector.map(|x| Bounded::within(x.value(), f64::INFINITY)) } else { vector }
        };
        Moved {
            position: unclaimed(add(rotate(real, transform(&stretch, rest.position)), translation(real, dual))),
            normal: rest.normal.map(|normal| {
                unclaimed(rotate(
                    real,
                    match normals {
                        NormalMode::RotationOnly => normal,
                        // A blend of stretches is positive definite: its cofactors keep the outside out.
                        NormalMode::InverseTranspose | NormalMode::PerJoint => {
                            transform(&cofactor(&stretch), normal).map(|x| x.rounded(DIVISION))
                        }
                    },
                ))
            }),
            tangent: rest.tangent.map(|tangent| unclaimed(rotate(real, transform(&stretch, tangent)))),
            sign: Some(Bounded::exact(1.0)),
        }
    }
}

impl Moved {
    /// Unit length, the tangent at right angles to the normal.
    fn finish(self, rest: &Rest, rounding: Rounding) -> Finished {
        let normal = self.normal.map(|normal| normalize(normal, rounding));
        let tangent = self.tangent.map(|tangent| {
            // Some bring the tangent to unit length first: the same direction, and room for both.
            let tangent = normalize(tangent, rounding);
            match normal {
                Some(normal) => normalize(subtract(tangent, scale(normal, dot(tangent, normal))), rounding),
                None => tangent,
            }
        });
        let handedness = match self.sign {
            Some(sign) => Bounded::exact(rest.handedness) * sign,
            None => Bounded::within(f64::from(rest.handedness), f64::INFINITY),
        };
        let [x, y, z] = tangent.unwrap_or([Bounded::ZERO; 3]);
        Finished {
            position: self.position,
            normal: normal.unwrap_or([Bounded::ZERO; 3]),
            tangent: [x, y, z, handedness],
        }
    }
}

/// Σ wᵢ·matrixᵢ.
fn blend(matrices: &[Affine], influences: &[(usize, Bounded)]) -> Affine {
    [0, 1, 2].map(|row| {
        [0, 1, 2, 3]
            .map(|column| Bounded::sum(influences.iter().map(|&(joint, weight)| matrices[joint][row][column] * weight)))
    })
}

fn sum(vectors: impl Iterator<Item = Vector> + Clone) -> Vector {
    [0, 1, 2].map(|axis| Bounded::sum(vectors.clone().map(|vector| vector[axis])))
}

/// The cofactors' normal on the outer side. A backend may divide by the determinant in place of its sign: that is a
/// common factor and one more division a component.
fn outward(normal: Vector, sign: Option<Bounded>) -> Vector {
    normal.map(|component| match sign {
        Some(sign) => (component * sign).rounded(DIVISION),
        None => Bounded::within(component.value(), f64::INFINITY),
    })
}

/// cofactor / determinant; `None` at determinant 0.
fn inverse_transpose(matrix: &Matrix, rounding: Rounding) -> Option<Matrix> {
    let cofactors = cofactor(matrix);
    let inverse = reciprocal(determinant(matrix, &cofactors), rounding)?;
    Some(cofactors.map(|row| scale(row, inverse)))
}

/// The vector turned by the unit quaternion (r, w): v + 2·r × (r × v + w·v), or by the matrix
/// (w² − r·r)·v + 2·(r·v)·r + 2w·r × v. Both are usual, and the bound has room for either.
fn rotate([x, y, z, w]: [Bounded; 4], v: Vector) -> Vector {
    let r = [x, y, z];
    let two = Bounded::exact(2.0);
    let turned = add(v, scale(cross(r, add(cross(r, v), scale(v, w))), two));
    let diagonal = [
        Bounded::sum([w * w, x * x, -(y * y), -(z * z)]),
        Bounded::sum([w * w, -(x * x), y * y, -(z * z)]),
        Bounded::sum([w * w, -(x * x), -(y * y), z * z]),
    ];
    let off = |a: Bounded, b: Bounded, c: Bounded| (a * b + c * w) * two;
    let matrix = [
        [diagonal[0], off(x, y, -z), off(x, z, y)],
        [off(x, y, z), diagonal[1], off(y, z, -x)],
        [off(x, z, -y), off(y, z, x), diagonal[2]],
    ];
    let by_matrix = transform(&matrix, v);
    [turned[0].or(by_matrix[0]), turned[1].or(by_matrix[1]), turned[2].or(by_matrix[2])]
}

/// 2·(w·d − u·r + r × d) for the real part (r, w) and the dual part (d, u).
fn translation([x, y, z, w]: [Bounded; 4], [dx, dy, dz, u]: [Bounded; 4]) -> Vector {
    let (r, d) = ([x, y, z], [dx, dy, dz]);
    scale(add(subtract(scale(d, w), scale(r, u)), cross(r, d)), Bounded::exact(2.0))
}
