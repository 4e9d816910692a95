//! Rest vertices → world space.
//!
//! Why it exists: a second skinning, vertex by vertex and in plain f32, for what the reference does in planes.

use super::{
    arithmetic::{Arithmetic, Vector, scale},
    dual::Motion,
    faults::Faults,
    palette::{Joint, OUTSIDE, Rows, UNUSED},
};
use crate::Fault;
use refrast_skinning::{NormalMode, SkinningMethod};

/// A vertex in mesh space after morphing, or in world space after skinning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub(super) position: Vector,
    pub(super) normal: Vector,
    /// Direction and handedness.
    pub(super) tangent: [f32; 4],
}

/// What moves the vertices of a draw.
pub(super) struct Skinner<'a> {
    pub(super) palette: &'a [Joint],
    /// The palette's motions, for dual quaternions.
    pub(super) motions: &'a [Motion],
    pub(super) method: SkinningMethod,
    pub(super) normals: NormalMode,
    pub(super) arithmetic: Arithmetic,
    pub(super) faults: Faults,
}

fn linear_part(rows: &Rows) -> [Vector; 3] {
    rows.map(|[x, y, z, _]| [x, y, z])
}

/// Cofactors and determinant.
pub(super) fn cofactor(arithmetic: Arithmetic, [a, b, c]: [Vector; 3]) -> ([Vector; 3], f32) {
    let cofactor = [arithmetic.cross(b, c), arithmetic.cross(c, a), arithmetic.cross(a, b)];
    (cofactor, arithmetic.dot(a, cofactor[0]))
}

impl Skinner<'_> {
    fn point(&self, rows: &Rows, v: Vector) -> Vector {
        rows.map(|[x, y, z, w]| self.arithmetic.dot_plus([x, y, z], v, w))
    }

    fn direction(&self, rows: &Rows, v: Vector) -> Vector {
        rows.map(|[x, y, z, _]| self.arithmetic.dot([x, y, z], v))
    }

    fn turn(&self, rows: &[Vector; 3], v: Vector) -> Vector {
        rows.map(|row| self.arithmetic.dot(row, v))
    }

    fn joint(&self, joint: u16) -> &Joint {
        const UNREADABLE: Joint = Joint { matrix: [[f32::NAN; 4]; 3], ..OUTSIDE };
        match self.palette.get(usize::from(joint)) {
            Some(joint) => joint,
            None if joint == UNUSED && self.faults.has(Fault::ZeroWeightJointDereferenced) => &UNREADABLE,
            None => &OUTSIDE,
        }
    }

    /// The vertex where its joints take it. `joints` and `weights` are its own.
    pub(super) fn skin(&self, rest: &Point, joints: &[u16], weights: &[f32]) -> Point {
        if self.method == SkinningMethod::DualQuaternion && !self.motions.is_empty() {
            return self.skin_dual(rest, joints, weights);
        }
        let all = self.faults.has(Fault::ZeroWeightJointDereferenced);
        let followed = || {
            let pairs = joints.iter().zip(weights).filter(move |(_, weight)| all || **weight != 0.0);
            pairs.map(|(joint, weight)| (self.joint(*joint), *weight))
        };
        let blended = self.blend(followed().map(|(joint, weight)| (&joint.matrix, weight)));
        let position = |matrix: fn(&Joint) -> &Rows| {
            self.weigh(followed().map(|(joint, weight)| (self.point(matrix(joint), rest.position), weight)))
        };
        let mut point = self.place(&blended, rest, || {
            self.weigh(followed().map(|(joint, weight)| {
                let (cofactors, determinant) = cofactor(self.arithmetic, linear_part(&joint.matrix));
                (self.turn(&cofactors, rest.normal).map(|x| x / determinant), weight)
            }))
        });
        if self.method == SkinningMethod::WeightsBeforeBind || self.faults.has(Fault::WeightsAppliedBeforeBind) {
            let local = position(|joint| &joint.bind);
            let world = self.blend(followed().map(|(joint, weight)| (&joint.world, weight)));
            point.position = self.point(&world, local);
            if self.method == SkinningMethod::WeightsBeforeBind {
                let normals = followed().map(|(joint, weight)| (self.direction(&joint.bind, rest.normal), weight));
                point.normal = self.direction(&world, self.weigh(normals));
                point = self.straighten(point);
            }
        } else if self.method == SkinningMethod::VertexOffset {
            let moved = followed().map(|(joint, weight)| {
                let local = self.point(&joint.bind, rest.position);
                (self.point(&joint.world, local), weight)
            });
            point.position = self.weigh(moved);
        } else if matches!(self.method, SkinningMethod::LinearPerJoint | SkinningMethod::BoneOffset) {
            point.position = position(|joint| &joint.matrix);
        }
        point
    }

    /// Σ wᵢ·Mᵢ.
    fn blend<'a>(&self, followed: impl Iterator<Item = (&'a Rows, f32)>) -> Rows {
        let mut sum = [[0.0; 4]; 3];
        for (rows, weight) in followed {
            for (sum, number) in sum.iter_mut().flatten().zip(rows.iter().flatten()) {
                *sum = self.arithmetic.multiply_add(weight, *number, *sum);
            }
        }
        sum
    }

    /// Σ wᵢ·vᵢ.
    fn weigh(&self, vectors: impl Iterator<Item = (Vector, f32)>) -> Vector {
        let mut sum = [0.0; 3];
        for (vector, weight) in vectors {
            for (sum, number) in sum.iter_mut().zip(vector) {
                *sum = self.arithmetic.multiply_add(weight, number, *sum);
            }
        }
        sum
    }

    /// The vertex under one matrix; `per_joint` is the normal by each joint's inverse transpose.
    pub(super) fn place(&self, matrix: &Rows, rest: &Point, per_joint: impl Fn() -> Vector) -> Point {
        let (cofactors, determinant) = cofactor(self.arithmetic, linear_part(matrix));
        let sign = if determinant < 0.0 { -1.0 } else { 1.0 };
        let has = |fault| self.faults.has(fault);
        let plain = self.normals == NormalMode::RotationOnly
            || matches!(
                self.method,
                SkinningMethod::VertexOffset | SkinningMethod::BoneOffset | SkinningMethod::WeightsBeforeBind
            );
        let normal = if has(Fault::NormalTranslated) {
            self.point(matrix, rest.normal)
        } else if has(Fault::NormalNotInverseTransposed) || plain {
            self.direction(matrix, rest.normal)
        } else if has(Fault::NormalInverseTransposePerJoint) || self.normals == NormalMode::PerJoint {
            per_joint()
        } else if has(Fault::NormalNotRenormalised) {
            self.turn(&cofactors, rest.normal).map(|x| x / determinant)
        } else if has(Fault::NormalFlippedByNegativeScale) {
            self.turn(&cofactors, rest.normal)
        } else {
            scale(self.turn(&cofactors, rest.normal), sign)
        };
        let [x, y, z, handedness] = rest.tangent;
        let [x, y, z] = if has(Fault::TangentNotSkinned) { [x, y, z] } else { self.direction(matrix, [x, y, z]) };
        let handedness = if has(Fault::BitangentSignLost) { handedness } else { handedness * sign };
        let position = self.point(matrix, rest.position);
        self.straighten(Point { position, normal, tangent: [x, y, z, handedness] })
    }

    fn skin_dual(&self, rest: &Point, joints: &[u16], weights: &[f32]) -> Point {
        let pairs = joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
        let followed: Vec<(&Motion, f32)> =
            pairs.filter_map(|(joint, weight)| Some((self.motions.get(usize::from(*joint))?, *weight))).collect();
        if followed.is_empty() {
            return Point::default();
        }
        let arithmetic = self.arithmetic;
        let motion = Motion::blend(arithmetic, &followed, self.faults);
        let (cofactors, _) = cofactor(arithmetic, motion.stretch);
        let normal =
            if self.normals == NormalMode::RotationOnly { rest.normal } else { self.turn(&cofactors, rest.normal) };
        let turned = motion.turn(arithmetic, self.turn(&motion.stretch, rest.position));
        let moved = motion.translation(arithmetic);
        let [x, y, z, handedness] = rest.tangent;
        let [x, y, z] = motion.turn(arithmetic, self.turn(&motion.stretch, [x, y, z]));
        self.straighten(Point {
            position: [turned[0] + moved[0], turned[1] + moved[1], turned[2] + moved[2]],
            normal: motion.turn(arithmetic, normal),
            tangent: [x, y, z, handedness],
        })
    }

    /// Unit length, and the tangent at right angles to the normal.
    fn straighten(&self, mut point: Point) -> Point {
        if !self.faults.has(Fault::NormalNotRenormalised) {
            point.normal = self.arithmetic.normalize_scaled(point.normal);
        }
        if self.faults.has(Fault::TangentNotOrthogonalised) {
            let [x, y, z, handedness] = point.tangent;
            let [x, y, z] = self.arithmetic.normalize_scaled([x, y, z]);
            point.tangent = [x, y, z, handedness];
        } else {
            point.tangent = straight_tangent(self.arithmetic, point.tangent, point.normal);
        }
        point
    }
}

/// normalise(T − (T·N)·N).
pub(super) fn straight_tangent(arithmetic: Arithmetic, [x, y, z, w]: [f32; 4], normal: Vector) -> [f32; 4] {
    if [x, y, z] == [0.0; 3] {
        return [0.0, 0.0, 0.0, w];
    }
    let tangent = arithmetic.normalize_scaled([x, y, z]);
    let along = arithmetic.dot(tangent, normal);
    let [x, y, z] = arithmetic.normalize_scaled([0, 1, 2].map(|i| tangent[i] - normal[i] * along));
    [x, y, z, w]
}
