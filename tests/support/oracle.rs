//! What every skinning method should give, in f64, from its formula and nothing else; and how far f32 may be from it.
//!
//! Bounds follow Higham, *Accuracy and Stability of Numerical Algorithms*, chapter 3: a sum of products whose longest
//! chain has k roundings is within gamma(k)·Σ|terms|. Here every quantity carries its Σ|terms| along.

use glam::{DMat3, DMat4, DQuat, DVec3, Mat4};
use refrast::skinning::{NormalMode, SkinningMethod};

use super::rig::Rig;

/// Half a unit in the last place of 1.
pub(crate) const UNIT_ROUNDOFF: f64 = 1.0 / 16_777_216.0;

/// k·u / (1 − k·u).
pub(crate) fn gamma(k: f64) -> f64 {
    k * UNIT_ROUNDOFF / (1.0 - k * UNIT_ROUNDOFF)
}

/// A deformed vertex with the distance that f32 may keep from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    pub(crate) position: DVec3,
    /// For each component.
    pub(crate) position_bound: DVec3,
    pub(crate) normal: DVec3,
    /// For the whole vector.
    pub(crate) normal_bound: f64,
    pub(crate) tangent: DVec3,
    pub(crate) tangent_bound: f64,
    pub(crate) handedness: f64,
    /// The determinant's sign is beyond doubt.
    pub(crate) sure_sign: bool,
}

/// An affine map and the same map of absolute values.
#[derive(Clone, Copy)]
struct Map {
    linear: DMat3,
    translation: DVec3,
}

impl Map {
    const ZERO: Self = Self { linear: DMat3::ZERO, translation: DVec3::ZERO };

    fn of(matrix: &Mat4) -> Self {
        let matrix = matrix.as_dmat4();
        Self { linear: DMat3::from_mat4(matrix), translation: matrix.w_axis.truncate() }
    }

    fn abs(self) -> Self {
        let [x, y, z] = [self.linear.x_axis, self.linear.y_axis, self.linear.z_axis].map(DVec3::abs);
        Self { linear: DMat3::from_cols(x, y, z), translation: self.translation.abs() }
    }

    fn plus(self, other: Self, weight: f64) -> Self {
        Self { linear: self.linear + other.linear * weight, translation: self.translation + other.translation * weight }
    }

    fn point(self, v: DVec3) -> DVec3 {
        self.linear * v + self.translation
    }

    fn after(self, inner: Self) -> Self {
        Self { linear: self.linear * inner.linear, translation: self.point(inner.translation) }
    }
}

fn cofactor(m: DMat3) -> DMat3 {
    let [a, b, c] = [m.x_axis, m.y_axis, m.z_axis];
    DMat3::from_cols(b.cross(c), c.cross(a), a.cross(b))
}

/// |a| × |b| with plus for minus: the Σ|terms| of a cross product.
fn absolute_cofactor(m: DMat3) -> DMat3 {
    let [a, b, c] = [m.x_axis, m.y_axis, m.z_axis].map(DVec3::abs);
    let cross = |a: DVec3, b: DVec3| DVec3::new(a.y * b.z + a.z * b.y, a.z * b.x + a.x * b.z, a.x * b.y + a.y * b.x);
    DMat3::from_cols(cross(b, c), cross(c, a), cross(a, b))
}

/// A vector, and its Σ|terms|.
#[derive(Clone, Copy)]
struct Sized {
    value: DVec3,
    size: DVec3,
}

impl Sized {
    /// The direction, and how far the direction of an f32 evaluation with chains of `k` roundings may be from it: twice
    /// the relative error, because both the vector and its length err, and a few roundings of the normalisation.
    fn direction(self, k: f64) -> (DVec3, f64) {
        let relative = gamma(k) * self.size.length() / self.value.length();
        (self.value.normalize(), 2.0 * relative + gamma(10.0))
    }
}

/// The rest vertex after morphing.
struct Morphed {
    position: Sized,
    normal: Sized,
    tangent: Sized,
    handedness: f64,
}

fn vector(v: [f32; 3]) -> DVec3 {
    DVec3::from(v.map(f64::from))
}

fn morph(rig: &Rig, vertex: usize) -> Morphed {
    let primitive = &rig.primitive;
    let [x, y, z, w] = primitive.tangents.as_ref().unwrap()[vertex];
    let start = |v: [f32; 3]| Sized { value: vector(v), size: vector(v).abs() };
    let mut morphed = Morphed {
        position: start(primitive.positions[vertex]),
        normal: start(primitive.normals.as_ref().unwrap()[vertex]),
        tangent: start([x, y, z]),
        handedness: f64::from(w),
    };
    for (target, &weight) in primitive.targets.iter().zip(&rig.morph_weights) {
        for (attribute, moved) in [
            (&mut morphed.position, &target.positions),
            (&mut morphed.normal, &target.normals),
            (&mut morphed.tangent, &target.tangents),
        ] {
            if let Some(moved) = moved {
                let displacement = vector(moved[vertex]) * f64::from(weight);
                attribute.value += displacement;
                attribute.size += displacement.abs();
            }
        }
    }
    morphed
}

/// The deformed vertex by a method's formula.
pub(crate) fn evaluate(rig: &Rig, method: SkinningMethod, normals: NormalMode, vertex: usize) -> Expected {
    let influences = rig.primitive.influences.as_ref().unwrap();
    let range = vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex;
    let mut pairs: Vec<(usize, f64)> = influences.joints[range.clone()]
        .iter()
        .zip(&influences.weights[range])
        .filter(|&(_, &weight)| weight != 0.0)
        .map(|(&joint, &weight)| (usize::from(joint), f64::from(weight)))
        .collect();
    if method == SkinningMethod::Rigid {
        let most = pairs.iter().map(|pair| pair.1).fold(0.0, f64::max);
        let heaviest = *pairs.iter().find(|pair| pair.1 == most).unwrap();
        pairs = vec![(heaviest.0, 1.0)];
    }
    let morphed = morph(rig, vertex);
    match method {
        SkinningMethod::DualQuaternion => dual_quaternion(rig, &pairs, &morphed, normals),
        _ => linear(rig, &pairs, &morphed, method, normals),
    }
}

fn linear(
    rig: &Rig,
    pairs: &[(usize, f64)],
    morphed: &Morphed,
    method: SkinningMethod,
    normals: NormalMode,
) -> Expected {
    let (mut blended, mut absolute) = (Map::ZERO, Map::ZERO);
    let mut per_joint = Sized { value: DVec3::ZERO, size: DVec3::ZERO };
    for &(joint, weight) in pairs {
        let (outer, inner) = (Map::of(&rig.worlds[joint]), Map::of(&rig.inverse_binds[joint]));
        // The palette's product is made in f32, and is what a method without factors of its own is given.
        let map = match method {
            SkinningMethod::VertexOffset => outer.after(inner),
            _ => Map::of(&rig.palette.matrix(joint)),
        };
        blended = blended.plus(map, weight);
        absolute = absolute.plus(
            match method {
                SkinningMethod::VertexOffset => outer.abs().after(inner.abs()),
                _ => map.abs(),
            },
            weight,
        );
        let inverse_transpose = map.linear.inverse().transpose();
        let size = absolute_cofactor(map.linear) * (1.0 / map.linear.determinant().abs());
        per_joint.value += inverse_transpose * morphed.normal.value * weight;
        per_joint.size += size * morphed.normal.size * weight;
    }
    if method == SkinningMethod::WeightsBeforeBind {
        let blend = |matrices: &[Mat4], abs: bool| {
            pairs.iter().fold(Map::ZERO, |sum, &(joint, weight)| {
                let map = Map::of(&matrices[joint]);
                sum.plus(if abs { map.abs() } else { map }, weight)
            })
        };
        let of_blended = |abs| blend(&rig.worlds, abs).after(blend(&rig.inverse_binds, abs));
        (blended, absolute) = (of_blended(false), of_blended(true));
    }
    // Morph targets: a product and a sum each. Joints: a product and a sum each. Transform: four terms. Twice that for
    // methods with two transforms.
    let chain = 2.0 * rig.primitive.targets.len() as f64 + 2.0 * (pairs.len() as f64 + 6.0) + 8.0;
    let rotation_only = match method {
        SkinningMethod::VertexOffset | SkinningMethod::BoneOffset | SkinningMethod::WeightsBeforeBind => true,
        _ => normals == NormalMode::RotationOnly,
    };
    let sign_of = |m: DMat3| if m.determinant() < 0.0 { -1.0 } else { 1.0 };
    // The sign is that of the blended palette matrices, whatever the method does with its factors.
    let palette_blend = pairs
        .iter()
        .fold(DMat3::ZERO, |sum, &(joint, weight)| sum + Map::of(&rig.palette.matrix(joint)).linear * weight);
    let absolute_determinant = absolute.linear.x_axis.dot(absolute_cofactor(absolute.linear).x_axis);
    let normal = if rotation_only {
        Sized { value: blended.linear * morphed.normal.value, size: absolute.linear * morphed.normal.size }
    } else if normals == NormalMode::PerJoint && method != SkinningMethod::Rigid {
        per_joint
    } else {
        Sized {
            value: cofactor(blended.linear) * morphed.normal.value * sign_of(blended.linear),
            size: absolute_cofactor(absolute.linear) * morphed.normal.size,
        }
    };
    let (normal, normal_bound) = normal.direction(2.0 * chain);
    let tangent = Sized { value: blended.linear * morphed.tangent.value, size: absolute.linear * morphed.tangent.size };
    let (tangent, tangent_bound) = at_right_angles(tangent.direction(chain), (normal, normal_bound));
    Expected {
        position: blended.point(morphed.position.value),
        position_bound: absolute.point(morphed.position.size) * gamma(chain),
        normal,
        normal_bound,
        tangent,
        tangent_bound,
        handedness: morphed.handedness * sign_of(palette_blend),
        sure_sign: palette_blend.determinant().abs() > gamma(2.0 * chain) * absolute_determinant,
    }
}

/// The tangent less its part along the normal. The closer the two are, the more is lost.
fn at_right_angles((tangent, tangent_bound): (DVec3, f64), (normal, normal_bound): (DVec3, f64)) -> (DVec3, f64) {
    let rest = tangent - normal * tangent.dot(normal);
    let error = 2.0 * tangent_bound + 4.0 * normal_bound + gamma(10.0);
    (rest.normalize(), 2.0 * error / rest.length() + gamma(10.0))
}

/// Kavan's two-phase blend, with matrices: the polar factors by eigenvectors of MᵀM, the rotation applied as a matrix.
fn dual_quaternion(rig: &Rig, pairs: &[(usize, f64)], morphed: &Morphed, normals: NormalMode) -> Expected {
    let mut pivot = None;
    let (mut real, mut dual) = (DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    let mut stretch = DMat3::ZERO;
    let mut reach = 0.0;
    for &(joint, weight) in pairs {
        let matrix = rig.palette.matrix(joint).as_dmat4();
        let linear = DMat3::from_mat4(matrix);
        let joint_stretch = square_root(linear.transpose() * linear);
        let rotation = DQuat::from_mat3(&(linear * joint_stretch.inverse())).normalize();
        let t = matrix.w_axis.truncate();
        let side = if pivot.get_or_insert(rotation).dot(rotation) < 0.0 { -1.0 } else { 1.0 };
        real += rotation * (weight * side);
        dual += DQuat::from_xyzw(t.x, t.y, t.z, 0.0) * rotation * (0.5 * weight * side);
        stretch += joint_stretch * weight;
        reach += weight * t.length();
    }
    let length = real.length();
    let (real, dual) = (real * (1.0 / length), dual * (1.0 / length));
    let moved = dual * real.conjugate() * 2.0;
    let rotation = DMat3::from_quat(real);
    let translation = DVec3::new(moved.x, moved.y, moved.z);
    let position = rotation * (stretch * morphed.position.value) + translation;
    // About forty roundings from the joint's numbers to the result, each of at most the size of the stretched vertex
    // and of the translations, and what the normalisation of a short sum makes of them.
    let k = 40.0 + 2.0 * (pairs.len() + rig.primitive.targets.len()) as f64;
    let size = 4.0
        * (stretch.to_cols_array().iter().map(|e| e.abs()).fold(0.0, f64::max) * 3.0)
        * morphed.position.size.length()
        + 8.0 * reach;
    let normal_matrix = if normals == NormalMode::RotationOnly { DMat3::IDENTITY } else { cofactor(stretch) };
    let direction = |matrix: DMat3, absolute: DMat3, v: Sized| {
        Sized { value: rotation * (matrix * v.value), size: DVec3::splat((absolute * v.size).length() * 4.0 / length) }
            .direction(k)
    };
    let absolute = |m: DMat3| Map { linear: m, translation: DVec3::ZERO }.abs().linear;
    let absolute_normal =
        if normals == NormalMode::RotationOnly { DMat3::IDENTITY } else { absolute_cofactor(stretch) };
    let (normal, normal_bound) = direction(normal_matrix, absolute_normal, morphed.normal);
    let (tangent, tangent_bound) =
        at_right_angles(direction(stretch, absolute(stretch), morphed.tangent), (normal, normal_bound));
    Expected {
        position,
        position_bound: DVec3::splat(gamma(k) * size / length),
        normal,
        normal_bound,
        tangent,
        tangent_bound,
        handedness: morphed.handedness,
        sure_sign: true,
    }
}

/// The square root of a symmetric positive definite matrix (Denman and Beavers' iteration).
fn square_root(matrix: DMat3) -> DMat3 {
    let (mut root, mut inverse) = (matrix, DMat3::IDENTITY);
    for _ in 0..30 {
        (root, inverse) = ((root + inverse.inverse()) * 0.5, (inverse + root.inverse()) * 0.5);
    }
    root
}

/// The world matrix in f64 of a palette that was made in f32: how far its entries may be off.
pub(crate) fn palette_error(rig: &Rig, joint: usize) -> f64 {
    let exact = rig.worlds[joint].as_dmat4() * rig.inverse_binds[joint].as_dmat4();
    let size = |m: &Mat4| DMat4::from_cols_array(&m.as_dmat4().to_cols_array().map(f64::abs));
    let bound = size(&rig.worlds[joint]) * size(&rig.inverse_binds[joint]);
    let actual = rig.palette.matrix(joint).as_dmat4().to_cols_array();
    (0..16)
        .filter(|i| i % 4 != 3)
        .map(|i| (actual[i] - exact.to_cols_array()[i]).abs() / (gamma(4.0) * bound.to_cols_array()[i]).max(1e-300))
        .fold(0.0, f64::max)
}
