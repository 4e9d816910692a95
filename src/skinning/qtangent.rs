//! Tangent frames as quaternions.
//!
//! A QTangent (Frey and Herzeg, *Spherical Skinning with Dual Quaternions and QTangents*, SIGGRAPH 2011) is the
//! rotation that takes x, y, z to tangent, bitangent and normal. A frame that is mirrored is no rotation; since q and
//! −q are the same rotation, the sign of w is free to say so.

use glam::{DMat3, DVec3};

use super::{deformation::SkinningError, dual_quaternion::joint_numbers, palette::Palette, rigid_motion::quaternion};
use refrast_scene::Influences;

/// A tangent frame in a unit quaternion x y z w: w is negative where the frame is mirrored, and never 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QTangent(pub [f32; 4]);

/// A tangent frame in vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TangentFrame {
    /// Unit length.
    pub normal: [f32; 3],
    /// Unit length, at right angles to the normal; w is the handedness.
    pub tangent: [f32; 4],
}

impl TangentFrame {
    /// cross(normal, tangent) · w.
    #[must_use]
    pub fn bitangent(&self) -> [f32; 3] {
        let [x, y, z, w] = self.tangent;
        cross(self.normal, [x, y, z]).map(|component| component * w)
    }

    /// The normal again, from tangent and bitangent, as the 2001 talk gets it: cross(tangent, bitangent) · w.
    #[must_use]
    pub fn normal_of(tangent: [f32; 4], bitangent: [f32; 3]) -> [f32; 3] {
        let [x, y, z, w] = tangent;
        cross([x, y, z], bitangent).map(|component| component * w)
    }
}

/// How far from 0 w is kept: the smallest step of a store must not round it to 0, where the sign would be lost, and
/// not every machine tells −0 from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QTangentStore {
    /// Four f32.
    Float32,
    /// Four 16-bit numbers, n/32767.
    Snorm16,
    /// Four 8-bit numbers, n/127.
    Snorm8,
}

impl QTangentStore {
    fn bias(self) -> f64 {
        match self {
            Self::Float32 => 1e-6,
            Self::Snorm16 => 1.0 / 32767.0,
            Self::Snorm8 => 1.0 / 127.0,
        }
    }
}

impl QTangent {
    /// Encodes a frame; the tangent is brought to right angles with the normal first.
    ///
    /// `None` where normal and tangent span no plane, so that there is no frame.
    #[must_use]
    pub fn encode(normal: [f32; 3], tangent: [f32; 4], store: QTangentStore) -> Option<Self> {
        let [x, y, z, w] = tangent.map(f64::from);
        let normal = DVec3::from(normal.map(f64::from)).try_normalize()?;
        let tangent = DVec3::new(x, y, z).try_normalize()?;
        let tangent = (tangent - normal * tangent.dot(normal)).try_normalize()?;
        let rotation = quaternion(&DMat3::from_cols(tangent, normal.cross(tangent), normal));
        let bias = store.bias();
        let mut q = rotation.to_array();
        if q[3] < bias {
            let shrink = libm::sqrt(1.0 - bias * bias) / libm::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
            q = [q[0] * shrink, q[1] * shrink, q[2] * shrink, bias];
        }
        let side = if w < 0.0 { -1.0 } else { 1.0 };
        Some(Self(q.map(|component| (component * side) as f32)))
    }

    /// 1, or −1 where the frame is mirrored: the sign bit of w.
    #[must_use]
    pub fn handedness(self) -> f32 {
        if self.0[3].is_sign_negative() { -1.0 } else { 1.0 }
    }

    /// The frame.
    #[must_use]
    pub fn decode(self) -> TangentFrame {
        frame(self.0, self.handedness())
    }

    /// The frame after a rotation x y z w of any length: the quaternion product rotation · frame. The product has a
    /// sign of its own, so the handedness is read before.
    #[must_use]
    pub fn turned(self, rotation: [f32; 4]) -> TangentFrame {
        frame(product(rotation, self.0), self.handedness())
    }
}

/// Turns the QTangents of all vertices by the blended rotations of their joints, one hemisphere a vertex: the
/// rotational part of dual-quaternion skinning. Stretches do not touch these frames.
///
/// # Errors
///
/// When a vertex follows a joint that the palette lacks, or one that mirrors or flattens.
pub fn skin_qtangents(
    qtangents: &[QTangent],
    influences: &Influences,
    palette: &Palette,
    output: &mut Vec<TangentFrame>,
) -> Result<(), SkinningError> {
    let rotations: Vec<Option<[f32; 4]>> = (0..palette.len())
        .map(|joint| joint_numbers(&palette.matrix(joint)).map(|numbers| std::array::from_fn(|i| numbers.0[i])))
        .collect();
    output.clear();
    let vertices = influences.joints.chunks_exact(influences.per_vertex.max(1));
    let vertices = vertices.zip(influences.weights.chunks_exact(influences.per_vertex.max(1)));
    for (qtangent, (joints, weights)) in qtangents.iter().zip(vertices) {
        let mut sum = [0.0; 4];
        let mut pivot = None;
        for (&joint, &weight) in joints.iter().zip(weights).filter(|&(_, &weight)| weight != 0.0) {
            let index = usize::from(joint);
            let rotation = rotations.get(index).ok_or(SkinningError::NoSuchJoint { joint, count: palette.len() })?;
            let rotation = rotation.ok_or(SkinningError::NoRotation { joint: index })?;
            let side = dot(*pivot.get_or_insert(rotation), rotation);
            let signed = if side < 0.0 { -weight } else { weight };
            sum = std::array::from_fn(|i| sum[i] + rotation[i] * signed);
        }
        output.push(qtangent.turned(sum));
    }
    Ok(())
}

/// The frame of a quaternion of any length; the third vector is the cross product of the other two's rows, so that the
/// frame is orthogonal whatever was rounded.
fn frame(q: [f32; 4], handedness: f32) -> TangentFrame {
    let length = libm::sqrtf(dot(q, q));
    let [x, y, z, w] = if length > 0.0 { q.map(|component| component / length) } else { [0.0, 0.0, 0.0, 1.0] };
    let tangent = [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)];
    let bitangent = [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)];
    let [tx, ty, tz] = tangent;
    TangentFrame { normal: cross(tangent, bitangent), tangent: [tx, ty, tz, handedness] }
}

fn product(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

fn dot(a: [f32; 4], b: [f32; 4]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STORES: [QTangentStore; 3] = [QTangentStore::Float32, QTangentStore::Snorm16, QTangentStore::Snorm8];

    fn direction() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-1.0f64..1.0).prop_map(DVec3::from).prop_filter("a direction", |v| v.length() > 0.1)
    }

    fn near(actual: [f32; 3], expected: DVec3, tolerance: f64) -> bool {
        (DVec3::from(actual.map(f64::from)) - expected).length() <= tolerance
    }

    fn xyz([x, y, z, _]: [f32; 4]) -> [f32; 3] {
        [x, y, z]
    }

    proptest! {
        #[test]
        fn decoding_gives_the_frame_back(n in direction(), t in direction(), mirrored: bool) {
            let n = n.normalize();
            let t = t - n * t.dot(n);
            prop_assume!(t.length() > 0.05);
            let t = t.normalize();
            let w = if mirrored { -1.0f32 } else { 1.0 };
            let [x, y, z] = t.as_vec3().to_array();
            for store in STORES {
                let q = QTangent::encode(n.as_vec3().to_array(), [x, y, z, w], store).unwrap();
                prop_assert!(q.0[3] != 0.0);
                prop_assert_eq!(q.handedness(), w);
                let frame = q.decode();
                // Where w had to be moved off 0, the frame turned by twice the bias.
                let tolerance = 2.0 * store.bias() + 1e-6;
                prop_assert!(near(frame.normal, n, tolerance) && near(xyz(frame.tangent), t, tolerance));
                prop_assert!(near(frame.bitangent(), n.cross(t) * f64::from(w), 2.0 * tolerance));
                let again = TangentFrame::normal_of(frame.tangent, frame.bitangent());
                prop_assert!(near(again, n, 2.0 * tolerance));
            }
        }
    }

    #[test]
    fn a_half_turn_has_no_w_and_keeps_its_sign_all_the_same() {
        // Tangent −x, normal −z: half a turn about y, the quaternion (0, 1, 0, 0), whose mirrored form would be −0.
        for store in STORES {
            for w in [1.0, -1.0] {
                let q = QTangent::encode([0.0, 0.0, -1.0], [-1.0, 0.0, 0.0, w], store).unwrap();
                assert!(q.0[3].abs() >= 0.99 * store.bias() as f32, "{q:?}");
                assert_eq!(q.decode().tangent[3], w);
            }
        }
    }

    #[test]
    fn a_turned_frame_keeps_its_handedness_when_the_product_changes_its_sign() {
        // Three quarters of a turn about z: the product with the identity frame has a negative w.
        let half = 0.5f32.sqrt();
        let q = QTangent::encode([0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0], QTangentStore::Float32).unwrap();
        let frame = q.turned([0.0, 0.0, half, -half]);
        assert!(near(xyz(frame.tangent), DVec3::NEG_Y, 1e-6), "{frame:?}");
        assert_eq!(frame.tangent[3], 1.0);
    }

    #[test]
    fn a_tangent_along_the_normal_makes_no_frame() {
        assert_eq!(QTangent::encode([0.0, 0.0, 1.0], [0.0, 0.0, 2.0, 1.0], QTangentStore::Float32), None);
        assert_eq!(QTangent::encode([0.0; 3], [1.0, 0.0, 0.0, 1.0], QTangentStore::Float32), None);
    }
}
