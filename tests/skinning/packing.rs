//! Packed vertices: each format's error is within what its steps allow, and is not 0 where it rounds.

use crate::support::rig::{Joints, Rig};
use glam::Mat4;
use refrast::{
    scene::Primitive,
    skinning::packing::{
        DirectionEncoding, FrameVectors, IndexEncoding, PackingError, PositionEncoding, VertexError, VertexFormat,
        WeightEncoding, pack,
    },
};

/// A rig whose tangents stand at right angles to the normals, as those of a surface do.
fn rig() -> Rig {
    let mut rig = Rig::new(21, Joints::Rigid, 500, 4);
    let normals = rig.primitive.normals.clone().unwrap();
    for ([x, y, z, w], normal) in rig.primitive.tangents.as_mut().unwrap().iter_mut().zip(normals) {
        let (normal, tangent) = (glam::Vec3::from(normal), glam::Vec3::new(*x, *y, *z));
        [*x, *y, *z] = (tangent - normal * tangent.dot(normal)).normalize().to_array();
        *w = 1.0;
    }
    rig
}

fn worst(primitive: &Primitive, inverse_binds: &[Mat4], format: VertexFormat) -> VertexError {
    let packed = pack(primitive, inverse_binds, format).unwrap();
    assert_eq!(packed.bytes.len(), primitive.positions.len() * format.bytes());
    let errors = packed.errors(primitive, inverse_binds).unwrap();
    assert_eq!(errors.len(), primitive.positions.len());
    errors.iter().fold(VertexError::default(), |worst, error| VertexError {
        position: worst.position.max(error.position),
        normal: worst.normal.max(error.normal),
        tangent: worst.tangent.max(error.tangent),
        weight: worst.weight.max(error.weight),
    })
}

/// The figure is above 0 and at most the bound.
#[track_caller]
fn assert_rounds(error: f32, bound: f32) {
    assert!(error > 0.0 && error <= bound, "{error:e} is not in (0, {bound:e}]");
}

#[test]
fn the_formats_of_2001_round_normals_and_weights_to_shorts_and_positions_not_at_all() {
    let rig = rig();
    // Three components off by half a step each; after the length is made 1 again, not more than twice that.
    let direction = 2.0 * 0.5 / 32767.0 * 3f32.sqrt();
    for format in [VertexFormat::BONE_OFFSET_27, VertexFormat::VERTEX_OFFSET_81] {
        // Few enough sets of joints for one byte.
        let mut primitive = rig.primitive.clone();
        primitive.influences.as_mut().unwrap().joints.iter_mut().for_each(|joint| *joint %= 2);
        let worst = worst(&primitive, &rig.inverse_binds, format);
        assert_eq!((worst.position, worst.tangent), (0.0, 0.0));
        assert_rounds(worst.normal, direction);
        assert_rounds(worst.weight, 1.0 / 32767.0 + 1e-6);
    }
    for format in [VertexFormat::BONE_OFFSET_33, VertexFormat::VERTEX_OFFSET_105] {
        let mut primitive = rig.primitive.clone();
        primitive.influences.as_mut().unwrap().joints.iter_mut().for_each(|joint| *joint %= 2);
        let worst = worst(&primitive, &rig.inverse_binds, format);
        assert_rounds(worst.tangent, direction);
        assert_rounds(worst.normal, 2.0 * direction);
    }
}

#[test]
fn modern_formats_round_as_much_as_their_steps_say() {
    let rig = rig();
    let compact = worst(&rig.primitive, &[], VertexFormat::COMPACT_18);
    // Positions lie in a box of 4 by 4 by 4: half a step of 4/65535 in each coordinate.
    assert_rounds(compact.position, 0.5 * 4.0 / 65535.0 * 3f32.sqrt() + 1e-6);
    // Half a step in u and v is √6 half steps on the octahedron, seen from no nearer than 1/√3.
    assert_rounds(compact.normal, 0.5 / 32767.0 * 18f32.sqrt() + 1e-6);
    assert_rounds(compact.weight, 1.0 / 255.0 + 1e-6);
    let half = worst(&rig.primitive, &[], VertexFormat::HALF_17);
    // Below 2, binary16 has steps of 2^-10: half of one in each coordinate.
    assert_rounds(half.position, 0.5 / 1024.0 * 3f32.sqrt());
    assert_rounds(half.normal, 2.0 * 0.5 / 127.0 * 3f32.sqrt());
    let exact = VertexFormat {
        in_joint_space: true,
        position: PositionEncoding::Float32,
        frame: FrameVectors::BitangentTangent,
        direction: DirectionEncoding::Float32,
        weight: WeightEncoding::Float32,
        indices: IndexEncoding::FourBytes,
    };
    let exact = worst(&rig.primitive, &rig.inverse_binds, exact);
    assert_eq!((exact.position, exact.weight), (0.0, 0.0));
    assert!(exact.normal < 1e-6 && exact.tangent < 1e-6);
}

#[test]
fn what_does_not_fit_is_an_error_that_says_so() {
    let rig = rig();
    let mut many = rig.primitive.clone();
    many.influences.as_mut().unwrap().joints = (0..2000u16).map(|i| (i / 4 + 31 * (i % 4)) % 200).collect();
    let error = pack(&many, &[], VertexFormat::BONE_OFFSET_27).unwrap_err();
    assert!(matches!(error, PackingError::TooManySets { sets } if sets > 256), "{error}");
    many.influences.as_mut().unwrap().joints[4] = 300;
    assert_eq!(
        pack(&many, &[], VertexFormat::COMPACT_18).unwrap_err(),
        PackingError::JointTooLarge { vertex: 1, joint: 300 }
    );
    let eight = Rig::new(2, Joints::Rigid, 50, 8);
    assert!(matches!(
        pack(&eight.primitive, &[], VertexFormat::COMPACT_18),
        Err(PackingError::TooManyInfluences { influences: 5..=8, .. })
    ));
    assert!(matches!(
        pack(&rig.primitive, &[], VertexFormat { indices: IndexEncoding::FourBytes, ..VertexFormat::VERTEX_OFFSET_81 }),
        Err(PackingError::NoInverseBind { count: 0, .. })
    ));
    let bare = Primitive { normals: None, ..rig.primitive };
    assert_eq!(pack(&bare, &[], VertexFormat::COMPACT_18), Err(PackingError::Missing { attribute: "normals" }));
}
