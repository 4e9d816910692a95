//! Dual quaternion skinning in f32, right and wrong.

use glam::{DMat3, DQuat, DVec3, Mat4, Quat, Vec3};
use refrast::{
    scene::{Influences, Primitive},
    skinning::{NormalMode, SkinningMethod},
    verify::{
        Fault,
        vertex::{JointMatrices, VertexInputs},
    },
};

use super::{
    Vertex,
    evaluate::{Rows, Style, finish_tangent, rows},
    rig::Random,
};

const JOINTS: usize = 5;
const VERTICES: usize = 8;

/// A mesh, and joints that turn, move and stretch but do not mirror.
pub(crate) struct DualQuaternionRig {
    primitive: Primitive,
    joints: Vec<JointMatrices>,
    /// Which joints' quaternions the backend happens to have on the other side of the first joint's.
    negated: Vec<bool>,
}

impl DualQuaternionRig {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let common = random.rotation(3.0);
        let mut joints = Vec::new();
        for _ in 0..JOINTS {
            let mut affine = |angle: f32| {
                let scale = Vec3::from_array([0; 3].map(|_| random.between(0.6, 1.6)));
                let turn: Quat = (common * random.rotation(angle)).normalize();
                Mat4::from_scale_rotation_translation(scale, turn, random.vector(2.0))
            };
            joints.push(JointMatrices { world: affine(1.0), inverse_bind: affine(0.4) });
        }
        let mut influences = Influences { per_vertex: 4, ..Influences::default() };
        for _ in 0..VERTICES {
            // The first two joints are on different sides.
            let weights = [0; 4].map(|_| random.between(0.1, 1.0));
            let sum: f32 = weights.iter().sum();
            influences.joints.extend([0, 1, 2 + random.below(JOINTS - 2) as u16, random.below(JOINTS) as u16]);
            influences.weights.extend(weights.map(|weight| weight / sum));
        }
        let normals: Vec<Vec3> = (0..VERTICES).map(|_| random.unit()).collect();
        let tangent = |normal: &Vec3| normal.any_orthonormal_vector().extend(1.0).to_array();
        Self {
            primitive: Primitive {
                positions: (0..VERTICES).map(|_| random.vector(1.0).to_array()).collect(),
                tangents: Some(normals.iter().map(tangent).collect()),
                normals: Some(normals.iter().map(Vec3::to_array).collect()),
                influences: Some(influences),
                ..Primitive::default()
            },
            joints,
            negated: (0..JOINTS).map(|joint| joint != 0 && (joint == 1 || random.below(2) == 0)).collect(),
        }
    }

    pub(crate) fn inputs(&self) -> VertexInputs<'_> {
        VertexInputs {
            primitive: &self.primitive,
            influences: self.primitive.influences.as_ref(),
            joints: self.joints.clone(),
            morph_weights: &[],
            method: SkinningMethod::DualQuaternion,
            normals: NormalMode::InverseTranspose,
            max_influences: None,
        }
    }

    /// All vertices of a backend that takes matrices apart in f64 and does the rest in f32.
    pub(crate) fn evaluate(&self, style: &Style, by_matrix: bool, fault: Option<Fault>) -> Vec<Vertex> {
        let of = |joint: &JointMatrices| motion(&style.product(&rows(&joint.world), &rows(&joint.inverse_bind)));
        let pivot = of(&self.joints[0]).real;
        let joint = |(joint, &negated): (&JointMatrices, &bool)| {
            let mut motion = of(joint);
            let cosine: f32 = (0..4).map(|i| motion.real[i] * pivot[i]).sum();
            if negated == (cosine > 0.0) {
                motion.real = motion.real.map(|x| -x);
                motion.dual = motion.dual.map(|x| -x);
            }
            if fault == Some(Fault::DualQuaternionScaleLost) {
                motion.stretch = rows(&Mat4::IDENTITY);
            }
            motion
        };
        let motions: Vec<Motion> = self.joints.iter().zip(&self.negated).map(joint).collect();
        let influences = self.primitive.influences.as_ref().unwrap();
        let vertex = |vertex: usize| {
            let slots = vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex;
            let followed: Vec<(&Motion, f32)> = (influences.joints[slots.clone()].iter())
                .map(|joint| &motions[usize::from(*joint)])
                .zip(influences.weights[slots].iter().copied())
                .collect();
            let blended = blend(style, &followed, fault);
            let turn =
                |v| if by_matrix { turn_by_matrix(style, blended.real, v) } else { turn(style, blended.real, v) };
            let (cofactor, _) = style.cofactor(&blended.stretch);
            let normal = self.primitive.normals.as_ref().unwrap()[vertex];
            let normal = style.normalize(turn(cofactor.map(|row| style.dot(row, normal))));
            let [x, y, z, w] = self.primitive.tangents.as_ref().unwrap()[vertex];
            let tangent = turn(style.apply(&blended.stretch, [x, y, z], 0.0));
            let turned = turn(style.apply(&blended.stretch, self.primitive.positions[vertex], 0.0));
            let moved = translation(style, blended.real, blended.dual);
            let position = [0, 1, 2].map(|axis| turned[axis] + moved[axis]);
            (position, normal, finish_tangent(style, tangent, normal, w))
        };
        (0..VERTICES).map(vertex).collect()
    }
}

struct Motion {
    real: [f32; 4],
    dual: [f32; 4],
    stretch: Rows,
}

/// Polar decomposition by Newton and Schulz, Q ← Q(3 − QᵀQ)/2, which needs no inverse.
fn motion(matrix: &Rows) -> Motion {
    let column = |c: usize| DVec3::new(matrix[0][c].into(), matrix[1][c].into(), matrix[2][c].into());
    let linear = DMat3::from_cols(column(0), column(1), column(2));
    let norm = linear.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut turned = linear * (1.0 / norm);
    for _ in 0..60 {
        turned = turned * (DMat3::IDENTITY * 3.0 - turned.transpose() * turned) * 0.5;
    }
    let real = DQuat::from_mat3(&turned).normalize();
    let stretch = turned.transpose() * linear;
    let t = column(3);
    let dual = DQuat::from_xyzw(t.x, t.y, t.z, 0.0) * real * 0.5;
    let stretch = Mat4::from_mat3(stretch.as_mat3());
    Motion { real: real.as_quat().to_array(), dual: dual.as_quat().to_array(), stretch: rows(&stretch) }
}

fn blend(style: &Style, followed: &[(&Motion, f32)], fault: Option<Fault>) -> Motion {
    let pivot = followed[0].0.real;
    let side = |real: [f32; 4]| {
        let cosine = (0..4).map(|i| real[i] * pivot[i]).sum::<f32>();
        if cosine < 0.0 && fault != Some(Fault::DualQuaternionAntipodal) { -1.0 } else { 1.0 }
    };
    let sum = |numbers: fn(&Motion) -> [f32; 4]| {
        [0, 1, 2, 3].map(|i| {
            let terms: Vec<_> = followed.iter().map(|(m, w)| (w * side(m.real), numbers(m)[i])).collect();
            style.sum(&terms, &[])
        })
    };
    let (real, dual) = (sum(|m| m.real), sum(|m| m.dual));
    let length = style.sum(&real.map(|x| (x, x)), &[]).sqrt();
    let dual_length = if fault == Some(Fault::DualQuaternionDualPartUnscaled) { 1.0 } else { length };
    let stretches: Vec<_> = followed.iter().map(|(m, w)| (*w, m.stretch)).collect();
    Motion { real: real.map(|x| x / length), dual: dual.map(|x| x / dual_length), stretch: style.blend(&stretches) }
}

/// v + 2·r × (r × v + w·v)
fn turn(style: &Style, [x, y, z, w]: [f32; 4], v: [f32; 3]) -> [f32; 3] {
    let r = [x, y, z];
    let inner = style.cross(r, v);
    let inner = [0, 1, 2].map(|i| style.sum(&[(w, v[i])], &[inner[i]]));
    let outer = style.cross(r, inner);
    [0, 1, 2].map(|i| style.sum(&[(2.0, outer[i])], &[v[i]]))
}

/// The rotation matrix 1 − 2(yy + zz), 2(xy − wz) … times v.
fn turn_by_matrix(style: &Style, [x, y, z, w]: [f32; 4], v: [f32; 3]) -> [f32; 3] {
    let diagonal = |a: f32, b: f32| 1.0 - 2.0 * style.sum(&[(a, a), (b, b)], &[]);
    let off = |a: f32, b: f32, c: f32| 2.0 * style.sum(&[(a, b), (c, w)], &[]);
    let matrix: [[f32; 3]; 3] = [
        [diagonal(y, z), off(x, y, -z), off(x, z, y)],
        [off(x, y, z), diagonal(x, z), off(y, z, -x)],
        [off(x, z, -y), off(y, z, x), diagonal(x, y)],
    ];
    matrix.map(|row| style.dot(row, v))
}

/// 2·(w·d − u·r + r × d)
fn translation(style: &Style, [x, y, z, w]: [f32; 4], [dx, dy, dz, u]: [f32; 4]) -> [f32; 3] {
    let (r, d) = ([x, y, z], [dx, dy, dz]);
    let turned = style.cross(r, d);
    [0, 1, 2].map(|i| 2.0 * style.sum(&[(w, d[i]), (-u, r[i])], &[turned[i]]))
}
