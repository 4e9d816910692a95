//! The exact vertices and the bound of every skinning method and normal mode: the values against an oracle of their own,
//! the bound against refrast's f32 kernels.

use std::num::NonZeroUsize;

use crate::support::{
    oracle::evaluate,
    rig::{Joints, Rig},
};
use glam::{DVec3, Mat4};
use proptest::prelude::*;
use refrast::{
    simd::SimdLevel,
    skinning::{
        Deformation, DeformedVertices, NormalMode, Placement, PreparedPrimitive, SkinningError, SkinningMethod,
    },
    verify::vertex::{ExactError, ExactVertices, JointMatrices, Rounding, VertexInputs, exact_vertices},
};

fn all_ways() -> impl Iterator<Item = (SkinningMethod, NormalMode)> {
    SkinningMethod::ALL.into_iter().flat_map(|method| NormalMode::ALL.map(|normals| (method, normals)))
}

fn joints() -> impl Strategy<Value = Joints> {
    prop_oneof![Just(Joints::Rigid), Just(Joints::Stretched), Just(Joints::Mirrored)]
}

fn exact(
    rig: &Rig,
    (method, normals): (SkinningMethod, NormalMode),
    max_influences: Option<NonZeroUsize>,
) -> Result<ExactVertices, ExactError> {
    let matrices = |(&world, &inverse_bind)| JointMatrices { world, inverse_bind };
    let inputs = VertexInputs {
        primitive: &rig.primitive,
        influences: rig.primitive.influences.as_ref(),
        max_influences,
        joints: rig.worlds.iter().zip(&rig.inverse_binds).map(matrices).collect(),
        morph_weights: &rig.morph_weights,
        method,
        normals,
    };
    exact_vertices(&inputs, Rounding::Nearest)
}

fn deform(
    rig: &Rig,
    (method, normals): (SkinningMethod, NormalMode),
    max_influences: Option<NonZeroUsize>,
) -> Result<DeformedVertices, SkinningError> {
    let primitive = match max_influences {
        Some(most) => PreparedPrimitive::limited(&rig.primitive, most),
        None => PreparedPrimitive::new(&rig.primitive),
    };
    let mut output = DeformedVertices::default();
    let deformation = Deformation {
        primitive: &primitive,
        placement: Placement::Skin(&rig.palette),
        morph_weights: &rig.morph_weights,
        method,
        normals,
        level: SimdLevel::best(),
    };
    deformation.run(&mut output)?;
    Ok(output)
}

/// The rig with matrices whose products are exact in f32: entries below 4 that are multiples of 2^-8 give sums of at most
/// four products that are multiples of 2^-16 below 64, which is 22 bits. What the palette holds is then the exact product,
/// and the oracle, which takes the palette as given, knows nothing that `exact_vertices` does not.
fn with_exact_products(mut rig: Rig) -> Rig {
    let round =
        |matrix: &Mat4| Mat4::from_cols_array(&matrix.to_cols_array().map(|entry| (entry * 256.0).round() / 256.0));
    rig.worlds = rig.worlds.iter().map(round).collect();
    rig.inverse_binds = rig.inverse_binds.iter().map(round).collect();
    rig.set_palette();
    rig
}

/// Where the values of the oracle and its doubt are to be compared.
fn agrees(rig: &Rig, way: (SkinningMethod, NormalMode)) -> Result<(), TestCaseError> {
    let (method, normals) = way;
    let vertices = exact(rig, way, None).expect("the method follows these joints");
    let bounds = vertices.position.bounds.as_ref().unwrap();
    for (vertex, position) in vertices.position.values.iter().enumerate() {
        let expected = evaluate(rig, method, normals, vertex);
        // Where the pivot of a blend of quaternions is a matter of taste, both have their own.
        if bounds[vertex][0] == f64::INFINITY {
            continue;
        }
        let near = |actual: &[f64], expected: DVec3, tolerance: f64| {
            (DVec3::from_slice(actual) - expected).length() <= tolerance * (1.0 + expected.length())
        };
        prop_assert!(near(position, expected.position, 1e-11), "{method} {vertex}: {position:?}, {expected:?}");
        // Where f32 may get the determinant's other sign, nothing is claimed of what it turns round (`what_nothing_bounds_is_rare`):
        // the oracle's doubt about it is the narrower one.
        let (normals_of, tangents) = (vertices.normal.as_ref().unwrap(), vertices.tangent.as_ref().unwrap());
        let (normal, tangent) = (normals_of.values[vertex], tangents.values[vertex]);
        let (normal_bound, tangent_bound) =
            (normals_of.bounds.as_ref().unwrap()[vertex][0], tangents.bounds.as_ref().unwrap()[vertex]);
        if expected.sure_sign && expected.normal_bound < 0.01 && normal_bound.is_finite() {
            prop_assert!(near(&normal, expected.normal, 1e-9), "{method} {normals} {vertex}: {normal:?}, {expected:?}");
        }
        if expected.sure_sign && expected.tangent_bound < 0.01 && tangent_bound[0].is_finite() {
            prop_assert!(
                near(&tangent, expected.tangent, 1e-9),
                "{method} {normals} {vertex}: {tangent:?}, {expected:?}"
            );
            if tangent_bound[3].is_finite() {
                prop_assert_eq!(tangent[3], expected.handedness);
            }
        }
    }
    Ok(())
}

/// A vertex whose blend of mirrored joints has hardly any determinant.
#[test]
fn what_may_be_mirrored_or_not_has_no_bound() {
    let rig = with_exact_products(Rig::new(6_731_506_554_243_824_068, Joints::Mirrored, 12, 8));
    let way = (SkinningMethod::Linear, NormalMode::InverseTranspose);
    let vertices = exact(&rig, way, None).expect("the method follows these joints");
    let bounds = |attribute: &refrast::golden::Attribute<3>| attribute.bounds.as_ref().unwrap()[11];
    assert!(bounds(&vertices.position).iter().all(|bound| bound.is_finite()));
    assert_eq!(bounds(vertices.normal.as_ref().unwrap()), [f64::INFINITY; 3]);
    agrees(&rig, way).expect("what is claimed is the oracle's");
}

/// The largest error in bounds, and how many components have no bound.
fn judge<const N: usize>(exact: &refrast::golden::Attribute<N>, candidate: impl Fn(usize) -> [f32; N]) -> (f64, usize) {
    let (mut largest, mut without) = (0.0_f64, 0);
    for (vertex, (values, bounds)) in exact.values.iter().zip(exact.bounds.as_ref().unwrap()).enumerate() {
        for ((value, bound), f32) in values.iter().zip(bounds).zip(candidate(vertex)) {
            let error = (f64::from(f32) - value).abs();
            without += usize::from(*bound == f64::INFINITY);
            largest = largest.max(if error == 0.0 { 0.0 } else { error / bound });
        }
    }
    (largest, without)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_method_has_the_values_of_the_oracle(seed: u64, joints in joints(), vertices in 1usize..30, sets in 1usize..3) {
        let rig = with_exact_products(Rig::new(seed, joints, vertices, 4 * sets));
        for way in all_ways() {
            if way.0 != SkinningMethod::DualQuaternion || joints != Joints::Mirrored {
                agrees(&rig, way)?;
            }
        }
    }

    #[test]
    fn every_method_is_within_its_bound(
        seed: u64, joints in joints(), vertices in 1usize..30, sets in 1usize..3, most in 0usize..6,
    ) {
        let rig = Rig::new(seed, joints, vertices, 4 * sets);
        let most = NonZeroUsize::new(most);
        for way in all_ways() {
            if way.0 == SkinningMethod::DualQuaternion && joints == Joints::Mirrored {
                continue;
            }
            let (method, normals) = way;
            let exact = exact(&rig, way, most).expect("the method follows these joints");
            let output = deform(&rig, way, most).expect("the method follows these joints");
            let (position, unbounded) = judge(&exact.position, |vertex| output.position(vertex));
            prop_assert!(position <= 1.0, "{method}: positions by {position} bounds");
            // Only dual quaternions leave a position unclaimed, where joints are half a turn apart.
            prop_assert!(unbounded == 0 || method == SkinningMethod::DualQuaternion);
            let (normal, _) = judge(exact.normal.as_ref().unwrap(), |vertex| output.normal(vertex).unwrap());
            prop_assert!(normal <= 1.0, "{method} {normals}: normals by {normal} bounds");
            let (tangent, _) = judge(exact.tangent.as_ref().unwrap(), |vertex| output.tangent(vertex).unwrap());
            prop_assert!(tangent <= 1.0, "{method} {normals}: tangents by {tangent} bounds");
        }
    }

    #[test]
    fn with_one_influence_every_method_is_the_same(seed: u64, vertices in 1usize..20) {
        let mut rig = Rig::new(seed, Joints::Stretched, vertices, 4);
        rig.primitive.influences.as_mut().unwrap().weights = [1.0, 0.0, 0.0, 0.0].repeat(vertices);
        let linear = exact(&rig, (SkinningMethod::Linear, NormalMode::default()), None).unwrap();
        for way in all_ways() {
            let other = exact(&rig, way, None).unwrap();
            for (a, b) in other.position.values.iter().flatten().zip(linear.position.values.iter().flatten()) {
                prop_assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{} gives {a} and not {b}", way.0);
            }
        }
    }
}

#[test]
fn what_nothing_bounds_is_rare() {
    let mut components = 0;
    let mut without = 0;
    for seed in 0..40 {
        let rig = Rig::new(seed, Joints::Stretched, 30, 4);
        for way in all_ways().filter(|way| way.0 != SkinningMethod::DualQuaternion) {
            let exact = exact(&rig, way, None).unwrap();
            let bounds = [&exact.position.bounds, &exact.normal.unwrap().bounds];
            for bound in bounds.into_iter().flatten().flatten().flatten() {
                components += 1;
                without += usize::from(*bound == f64::INFINITY);
            }
        }
    }
    assert!(without * 100 < components, "{without} of {components}");
    // Two quaternions always share a hemisphere; of four random ones, mostly two are left on different sides.
    let way = (SkinningMethod::DualQuaternion, NormalMode::default());
    let unbounded = |most| {
        let bounds = (0..40).flat_map(|seed| {
            let rig = Rig::new(seed, Joints::Stretched, 30, 4);
            exact(&rig, way, NonZeroUsize::new(most)).unwrap().position.bounds.unwrap()
        });
        bounds.filter(|bound| bound[0] == f64::INFINITY).count()
    };
    assert_eq!(unbounded(1), 0);
    assert!(unbounded(2) < 12, "{} of 1200", unbounded(2));
    assert!(unbounded(4) < 900, "{} of 1200", unbounded(4));
}

#[test]
fn influences_that_are_left_are_divided_by_their_sum() {
    // Of 1/8, 1/2, 1/8 and 1/4 the limit 2 leaves 1/2 and 1/4, that is 2/3 and 1/3.
    let mut rig = Rig::new(5, Joints::Rigid, 1, 4);
    rig.worlds =
        vec![Mat4::from_translation(glam::Vec3::X * 3.0), Mat4::IDENTITY, Mat4::from_translation(glam::Vec3::X * 6.0)];
    rig.inverse_binds = vec![Mat4::IDENTITY; 3];
    rig.set_palette();
    rig.primitive.positions = vec![[1.0, 0.0, 0.0]];
    rig.primitive.targets.clear();
    rig.morph_weights.clear();
    let influences = rig.primitive.influences.as_mut().unwrap();
    (influences.joints, influences.weights) = (vec![1, 0, 1, 2], vec![0.125, 0.5, 0.125, 0.25]);
    for (most, x) in
        [(1, 4.0), (2, 1.0 + 3.0 * 2.0 / 3.0 + 6.0 / 3.0), (3, 1.0 + 3.0 * 4.0 / 7.0 + 6.0 * 2.0 / 7.0), (4, 4.0)]
    {
        let way = (SkinningMethod::Linear, NormalMode::default());
        let vertices = exact(&rig, way, NonZeroUsize::new(most)).unwrap();
        assert!((vertices.position.values[0][0] - x).abs() < 1e-14, "{most}: {:?}", vertices.position.values);
        let output = deform(&rig, way, NonZeroUsize::new(most)).unwrap();
        assert!(judge(&vertices.position, |vertex| output.position(vertex)).0 <= 1.0);
    }
}

#[test]
fn the_same_joints_are_refused() {
    let mut rig = Rig::new(11, Joints::Mirrored, 20, 4);
    let refused =
        |rig: &Rig, way| (exact(rig, way, None).unwrap_err().joint(), deform(rig, way, None).unwrap_err().joint());
    let (a, b) = refused(&rig, (SkinningMethod::DualQuaternion, NormalMode::default()));
    assert_eq!(a, b);
    rig.worlds.fill(Mat4::from_scale(glam::Vec3::new(1.0, 0.0, 1.0)));
    rig.inverse_binds.fill(Mat4::IDENTITY);
    rig.set_palette();
    for method in [SkinningMethod::Linear, SkinningMethod::LinearPerJoint] {
        let (a, b) = refused(&rig, (method, NormalMode::PerJoint));
        assert!(a.is_some());
        assert_eq!(a, b);
    }
    // One joint has its cofactors.
    assert!(exact(&rig, (SkinningMethod::Rigid, NormalMode::PerJoint), None).is_ok());
    assert!(deform(&rig, (SkinningMethod::Rigid, NormalMode::PerJoint), None).is_ok());
}
