//! Dual quaternion skinning, written from the paper.
//!
//! Kavan, Collins, Žára, O'Sullivan, *Geometric Skinning with Approximate Dual Quaternion Blending*, 2008, with its two
//! phases for joints that stretch.

use glam::{DMat3, DQuat, DVec3, Mat3};

use super::{
    arithmetic::{Arithmetic, Vector, add},
    faults::Faults,
    palette::Rows,
};
use crate::Fault;

/// A joint's rigid motion, and its stretch before it.
#[derive(Clone, Copy)]
pub(super) struct Motion {
    real: [f32; 4],
    dual: [f32; 4],
    pub(super) stretch: [Vector; 3],
}

impl Motion {
    /// No motion.
    pub(super) const REST: Self = Self {
        real: [0.0, 0.0, 0.0, 1.0],
        dual: [0.0; 4],
        stretch: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    };

    /// `None` where the matrix mirrors or flattens.
    ///
    /// The rotation is the limit of Q ← Q(3 − QᵀQ)/2 (Newton and Schulz), which needs no inverse.
    pub(super) fn of(matrix: &Rows, faults: Faults) -> Option<Self> {
        let column = |c: usize| DVec3::new(matrix[0][c].into(), matrix[1][c].into(), matrix[2][c].into());
        let linear = DMat3::from_cols(column(0), column(1), column(2));
        let determinant = linear.determinant();
        if determinant.is_nan() || determinant <= 0.0 {
            return None;
        }
        let norm = linear.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut turned = linear * (1.0 / norm);
        for _ in 0..80 {
            let next = turned * (DMat3::IDENTITY * 3.0 - turned.transpose() * turned) * 0.5;
            if next == turned {
                break;
            }
            turned = next;
        }
        let real = DQuat::from_mat3(&turned).normalize();
        let real = if real.w < 0.0 { -real } else { real };
        let t = column(3);
        let dual = DQuat::from_xyzw(t.x, t.y, t.z, 0.0) * real * 0.5;
        let lost = faults.has(Fault::DualQuaternionScaleLost);
        let stretch = if lost { Mat3::IDENTITY } else { (turned.transpose() * linear).as_mat3() };
        let row = |r: usize| stretch.row(r).to_array();
        Some(Self {
            real: real.as_quat().to_array(),
            dual: dual.as_quat().to_array(),
            stretch: [row(0), row(1), row(2)],
        })
    }

    /// Σ wᵢ·(motion i) on the first one's hemisphere, both parts over the length of the real one.
    pub(super) fn blend(arithmetic: Arithmetic, followed: &[(&Self, f32)], faults: Faults) -> Self {
        let pivot = followed[0].0.real;
        let mut sum = Self { real: [0.0; 4], dual: [0.0; 4], stretch: [[0.0; 3]; 3] };
        for (motion, weight) in followed {
            let opposite = arithmetic.dot(motion.real, pivot) < 0.0 && !faults.has(Fault::DualQuaternionAntipodal);
            let signed = if opposite { -weight } else { *weight };
            for i in 0..4 {
                sum.real[i] = arithmetic.multiply_add(signed, motion.real[i], sum.real[i]);
                sum.dual[i] = arithmetic.multiply_add(signed, motion.dual[i], sum.dual[i]);
            }
            for (sum, row) in sum.stretch.iter_mut().flatten().zip(motion.stretch.iter().flatten()) {
                *sum = arithmetic.multiply_add(*weight, *row, *sum);
            }
        }
        let inverse = 1.0 / arithmetic.dot(sum.real, sum.real).sqrt();
        sum.real = sum.real.map(|x| x * inverse);
        if !faults.has(Fault::DualQuaternionDualPartUnscaled) {
            sum.dual = sum.dual.map(|x| x * inverse);
        }
        sum
    }

    /// v + 2·r × (r × v + w·v)
    pub(super) fn turn(&self, arithmetic: Arithmetic, v: Vector) -> Vector {
        let [x, y, z, w] = self.real;
        let r = [x, y, z];
        let inner = arithmetic.cross(r, v);
        let inner = [0, 1, 2].map(|i| arithmetic.multiply_add(w, v[i], inner[i]));
        let outer = arithmetic.cross(r, inner);
        [0, 1, 2].map(|i| arithmetic.multiply_add(2.0, outer[i], v[i]))
    }

    /// 2·(w·d − u·r + r × d)
    pub(super) fn translation(&self, arithmetic: Arithmetic) -> Vector {
        let ([x, y, z, w], [dx, dy, dz, u]) = (self.real, self.dual);
        let (r, d) = ([x, y, z], [dx, dy, dz]);
        let turned = arithmetic.cross(r, d);
        let half = [0, 1, 2].map(|i| arithmetic.dot([w, -u], [d[i], r[i]]));
        add(half, turned).map(|x| 2.0 * x)
    }
}
