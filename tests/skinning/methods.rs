//! Every skinning method and normal mode against an oracle in f64, and its bits against every SIMD level and any
//! number of threads.

use crate::support::{
    oracle::{Expected, evaluate, palette_error},
    rig::{Joints, Rig},
};
use proptest::prelude::*;
use refrast::{
    simd::SimdLevel,
    skinning::{
        Deformation, DeformedVertices, NormalMode, Placement, PreparedPrimitive, QTangent, QTangentStore,
        SkinningError, SkinningMethod, skin_qtangents,
    },
};

fn deform(
    rig: &Rig,
    method: SkinningMethod,
    normals: NormalMode,
    level: SimdLevel,
) -> Result<DeformedVertices, SkinningError> {
    let primitive = PreparedPrimitive::new(&rig.primitive);
    let placement = Placement::Skin(&rig.palette);
    let mut output = DeformedVertices::default();
    let morph_weights = &rig.morph_weights;
    Deformation { primitive: &primitive, placement, morph_weights, method, normals, level }.run(&mut output)?;
    Ok(output)
}

fn all_ways() -> impl Iterator<Item = (SkinningMethod, NormalMode)> {
    SkinningMethod::ALL.into_iter().flat_map(|method| NormalMode::ALL.map(|normals| (method, normals)))
}

fn distance(actual: [f32; 3], expected: glam::DVec3) -> f64 {
    (glam::DVec3::from(actual.map(f64::from)) - expected).length()
}

fn check(rig: &Rig, method: SkinningMethod, normals: NormalMode) -> Result<(), TestCaseError> {
    let output = deform(rig, method, normals, SimdLevel::best()).expect("the method follows these joints");
    for vertex in 0..output.len() {
        let expected: Expected = evaluate(rig, method, normals, vertex);
        let position = output.position(vertex);
        for i in 0..3 {
            let error = (f64::from(position[i]) - expected.position[i]).abs();
            let bound = expected.position_bound[i];
            prop_assert!(error <= bound, "{method} vertex {vertex}: {position:?} by {error:e}, bound {bound:e}");
        }
        if !expected.sure_sign {
            continue;
        }
        // Where the bound is too wide to say anything, there is nothing to check.
        if expected.normal_bound < 0.1 {
            let error = distance(output.normal(vertex).unwrap(), expected.normal);
            let bound = expected.normal_bound;
            prop_assert!(error <= bound, "{method} {normals} normal {vertex} by {error:e}, bound {bound:e}");
        }
        if expected.tangent_bound < 0.1 {
            let [x, y, z, w] = output.tangent(vertex).unwrap();
            let (error, bound) = (distance([x, y, z], expected.tangent), expected.tangent_bound);
            prop_assert!(error <= bound, "{method} {normals} tangent {vertex} by {error:e}, bound {bound:e}");
            prop_assert_eq!(f64::from(w), expected.handedness);
        }
    }
    Ok(())
}

fn joints() -> impl Strategy<Value = Joints> {
    prop_oneof![Just(Joints::Rigid), Just(Joints::Stretched), Just(Joints::Mirrored)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_method_is_within_its_bound(seed: u64, joints in joints(), vertices in 1usize..70, sets in 1usize..3) {
        let rig = Rig::new(seed, joints, vertices, 4 * sets);
        for (method, normals) in all_ways() {
            if method == SkinningMethod::DualQuaternion && joints == Joints::Mirrored {
                continue;
            }
            check(&rig, method, normals)?;
        }
        for joint in 0..rig.worlds.len() {
            prop_assert!(palette_error(&rig, joint) <= 1.0);
        }
    }

    #[test]
    fn with_one_influence_every_method_is_the_same(seed: u64, vertices in 1usize..40) {
        let mut rig = Rig::new(seed, Joints::Stretched, vertices, 4);
        let influences = rig.primitive.influences.as_mut().unwrap();
        influences.weights = [1.0, 0.0, 0.0, 0.0].repeat(vertices);
        for vertex in 0..vertices {
            let expected = evaluate(&rig, SkinningMethod::Linear, NormalMode::InverseTranspose, vertex);
            for method in SkinningMethod::ALL {
                let position = deform(&rig, method, NormalMode::default(), SimdLevel::best()).unwrap().position(vertex);
                prop_assert!(
                    distance(position, expected.position) <= 1e-4,
                    "{method} puts vertex {vertex} at {position:?} and not at {}", expected.position
                );
            }
        }
    }
}

#[test]
fn every_level_and_thread_count_gives_the_same_bits() {
    // More vertices than one task takes, and no multiple of a block. Few joints a block are blended joint by joint, many
    // vertex by vertex: one half of the mesh has the first, the other the second.
    let rigs = (0..100).map(|seed| Rig::new(seed, Joints::Stretched, 9001, 8));
    let mut rig = rigs.into_iter().find(|rig| rig.worlds.len() == 20).expect("a seed that makes 20 joints");
    let joints = &mut rig.primitive.influences.as_mut().unwrap().joints;
    joints[..8 * 4500].iter_mut().for_each(|joint| *joint %= 3);
    let bits = |output: &DeformedVertices| -> Vec<u32> {
        let positions = output.positions();
        let (normals, tangents) = (output.normals().unwrap(), output.tangents().unwrap());
        let planes = positions.into_iter().chain(normals).chain(tangents);
        planes.flat_map(|plane| plane[..output.len()].iter().map(|number| number.to_bits())).collect()
    };
    for (method, normals) in all_ways() {
        let reference = bits(&deform(&rig, method, normals, SimdLevel::Scalar).unwrap());
        for level in SimdLevel::available() {
            for threads in [1, 2, 7] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let output = pool.install(|| deform(&rig, method, normals, level)).unwrap();
                assert!(bits(&output) == reference, "{method} {normals} at {level} on {threads} threads");
            }
        }
    }
}

/// Meshes larger than the caches are fetched ahead, by kernels of their own: forty-eight copies of a mesh are moved as it is alone.
#[test]
fn a_mesh_that_fits_into_no_cache_is_moved_to_the_same_bits() {
    const COPIES: usize = 48;
    let mut rig = Rig::new(7, Joints::Stretched, 8000, 4);
    rig.primitive.targets.clear();
    rig.morph_weights.clear();
    rig.primitive.influences.as_mut().unwrap().joints.iter_mut().for_each(|joint| *joint %= 3);
    for tangents in [true, false] {
        if !tangents {
            rig.primitive.tangents = None;
        }
        let alone = rig.primitive.clone();
        let mut copies = rig.primitive.clone();
        copies.positions = copies.positions.repeat(COPIES);
        copies.normals = copies.normals.map(|normals| normals.repeat(COPIES));
        copies.tangents = copies.tangents.map(|tangents| tangents.repeat(COPIES));
        let influences = copies.influences.as_mut().unwrap();
        influences.joints = influences.joints.repeat(COPIES);
        influences.weights = influences.weights.repeat(COPIES);
        let bytes = copies.positions.len() * if tangents { 40 } else { 24 };
        assert!(bytes > 8 << 20, "{bytes} bytes stay in a cache");
        for (normals, level) in
            NormalMode::ALL.into_iter().flat_map(|normals| SimdLevel::available().map(move |level| (normals, level)))
        {
            rig.primitive = alone.clone();
            let expected = deform(&rig, SkinningMethod::Linear, normals, level).unwrap();
            rig.primitive = copies.clone();
            let output = deform(&rig, SkinningMethod::Linear, normals, level).unwrap();
            assert_eq!(output.len(), COPIES * expected.len());
            let planes = |output: &DeformedVertices| -> Vec<Vec<u32>> {
                let (normals, tangents) =
                    (output.normals().into_iter().flatten(), output.tangents().into_iter().flatten());
                let planes = output.positions().into_iter().chain(normals).chain(tangents);
                planes.map(|plane| plane[..output.len()].iter().map(|number| number.to_bits()).collect()).collect()
            };
            for (copies, alone) in planes(&output).iter().zip(planes(&expected)) {
                assert!(
                    copies.chunks(alone.len()).all(|copy| copy == alone),
                    "{normals} at {level}, tangents: {tangents}"
                );
            }
        }
        rig.primitive = alone;
    }
}

#[test]
fn joints_that_a_method_can_not_follow_are_named() {
    let mut rig = Rig::new(11, Joints::Mirrored, 20, 4);
    let joints = rig.worlds.len();
    let error = deform(&rig, SkinningMethod::DualQuaternion, NormalMode::default(), SimdLevel::best()).unwrap_err();
    let SkinningError::NoRotation { joint } = error else { panic!("{error}") };
    assert!(joint < joints);
    assert!(error.to_string().contains("mirrors") && error.to_string().contains("linear"), "{error}");
    // A flattened joint has no inverse transpose of its own, but the blend of all has its cofactors.
    rig.worlds.fill(glam::Mat4::from_scale(glam::Vec3::new(1.0, 0.0, 1.0)));
    rig.palette = refrast::skinning::Palette::from_matrices(&rig.worlds);
    let error = deform(&rig, SkinningMethod::Linear, NormalMode::PerJoint, SimdLevel::best()).unwrap_err();
    assert!(matches!(error, SkinningError::NoInverse { .. }), "{error}");
    assert!(deform(&rig, SkinningMethod::Linear, NormalMode::InverseTranspose, SimdLevel::best()).is_ok());
}

#[test]
fn qtangents_turn_as_the_frames_of_dual_quaternion_skinning_do() {
    let mut rig = Rig::new(3, Joints::Rigid, 300, 4);
    rig.primitive.targets.clear();
    rig.morph_weights.clear();
    let output = deform(&rig, SkinningMethod::DualQuaternion, NormalMode::RotationOnly, SimdLevel::best()).unwrap();
    let (normals, tangents) = (rig.primitive.normals.as_ref().unwrap(), rig.primitive.tangents.as_ref().unwrap());
    let store = QTangentStore::Float32;
    let qtangents: Vec<QTangent> =
        normals.iter().zip(tangents).map(|(&n, &t)| QTangent::encode(n, t, store).unwrap()).collect();
    let mut frames = Vec::new();
    skin_qtangents(&qtangents, rig.primitive.influences.as_ref().unwrap(), &rig.palette, &mut frames).unwrap();
    for (vertex, frame) in frames.iter().enumerate() {
        let normal = glam::DVec3::from(output.normal(vertex).unwrap().map(f64::from));
        let [x, y, z, w] = output.tangent(vertex).unwrap();
        let [tx, ty, tz, handedness] = frame.tangent;
        // The tangents of the rig stand at any angle to their normals, which magnifies the rounding of both.
        let near = |actual: [f32; 3], expected: glam::DVec3| distance(actual, expected) < 1e-4;
        assert!(near(frame.normal, normal), "{vertex}: {:?} is not {normal}", frame.normal);
        assert!(near([tx, ty, tz], glam::DVec3::from([x, y, z].map(f64::from))), "{vertex}: {frame:?}");
        assert_eq!(handedness, w);
    }
    assert_eq!(frames.len(), 300);
}
