//! The proof of the vertex bound: over a thousand random skins, every right evaluation passes, in whatever order and with
//! or without fused operations, and every evaluation with a known fault fails.

use std::collections::BTreeMap;

use crate::vertex_support::{
    Vertex,
    dual_quaternion::DualQuaternionRig,
    evaluate::{STYLES, evaluate},
    faults::{evaluate_with, faulty_buffers},
    golden, judge, largest_ratio,
    rig::Rig,
};
use refrast::{
    golden::Verdict,
    simd::SimdLevel,
    skinning::{Deformation, DeformedVertices, NormalMode, Palette, Placement, PreparedPrimitive, SkinningMethod},
    verify::{Fault, vertex::VertexInputs},
};

const SKINS: u64 = 1024;

/// Mistakes of who skins by matrices.
const OF_MATRICES: [Fault; 21] = [
    Fault::SkinnedNodeTransformApplied,
    Fault::InverseBindMissing,
    Fault::InverseBindRecomputed,
    Fault::NonJointAncestorDropped,
    Fault::Joints1Ignored,
    Fault::InfluencesTruncatedUnscaled,
    Fault::WeightsL2Normalised,
    Fault::LastWeightReconstructed,
    Fault::WeightIntegerScale,
    Fault::JointIndexOffByOne,
    Fault::JointPaletteStale,
    Fault::JointIndexWidth,
    Fault::ZeroWeightJointDereferenced,
    Fault::SharedMeshSecondSkin,
    Fault::MatrixTransposed,
    Fault::MatrixOrderSwapped,
    Fault::NormalNotInverseTransposed,
    Fault::NormalInverseTransposePerJoint,
    Fault::NormalNotRenormalised,
    Fault::NormalFlippedByNegativeScale,
    Fault::WeightsAppliedBeforeBind,
];

/// Mistakes of who skins by dual quaternions.
const OF_DUAL_QUATERNIONS: [Fault; 3] =
    [Fault::DualQuaternionAntipodal, Fault::DualQuaternionDualPartUnscaled, Fault::DualQuaternionScaleLost];

fn inputs(rig: &Rig) -> VertexInputs<'_> {
    VertexInputs::of_scene(&rig.scene, &rig.now, rig.drawing, rig.primitive())
}

#[test]
fn right_evaluations_pass_in_every_order() {
    let mut largest: BTreeMap<&str, f64> = BTreeMap::new();
    let (mut vertices, mut unbounded) = (0, 0);
    for seed in 0..SKINS {
        let rig = Rig::new(seed);
        let inputs = inputs(&rig);
        let golden = golden(&inputs);
        for style in &STYLES {
            let comparison = judge(&golden, &evaluate(&inputs, style));
            assert_eq!(comparison.verdict, Verdict::Same, "seed {seed}, {}: {comparison}", style.name);
            let most = largest.entry(style.name).or_default();
            *most = most.max(largest_ratio(&comparison));
            vertices += comparison.vertices;
            unbounded += comparison.attributes.iter().map(|attribute| attribute.without_bound).sum::<usize>();
        }
    }
    for (style, ratio) in &largest {
        println!("{style:32} largest error {ratio:.3} bounds");
    }
    println!(
        "{SKINS} skins, {vertices} vertices in {} orders: 0 false alarms; {unbounded} attributes without bound",
        STYLES.len()
    );
    assert!(unbounded * 1000 < vertices, "nearly every vertex has a bound");
}

#[test]
fn refrast_itself_passes() {
    for seed in 0..SKINS {
        let rig = Rig::new(seed);
        let inputs = inputs(&rig);
        let golden = golden(&inputs);
        let comparison = judge(&golden, &deformed(&rig));
        assert_eq!(comparison.verdict, Verdict::Same, "seed {seed}: {comparison}");
    }
}

/// What refrast's own f32 kernels make of it.
fn deformed(rig: &Rig) -> Vec<Vertex> {
    let skin = &rig.scene.skins[rig.scene.nodes[rig.drawing].skin.unwrap()];
    let palette = Palette::of_skin(skin, &rig.now);
    let primitive = PreparedPrimitive::new(rig.primitive());
    let deformation = Deformation {
        primitive: &primitive,
        placement: Placement::Skin(&palette),
        morph_weights: &rig.now.weights[rig.drawing],
        method: SkinningMethod::Linear,
        normals: NormalMode::InverseTranspose,
        level: SimdLevel::best(),
    };
    let mut output = DeformedVertices::default();
    deformation.run(&mut output).unwrap();
    (0..output.len())
        .map(|vertex| (output.position(vertex), output.normal(vertex).unwrap(), output.tangent(vertex).unwrap()))
        .collect()
}

#[test]
fn every_fault_fails() {
    let mut caught: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in 0..SKINS {
        let rig = Rig::new(seed);
        let inputs = inputs(&rig);
        let golden = golden(&inputs);
        for fault in OF_MATRICES {
            let style = &STYLES[seed as usize % STYLES.len()];
            let vertices = evaluate_with(&inputs, &faulty_buffers(&rig, &inputs, fault), style, Some(fault));
            let failed = judge(&golden, &vertices).verdict == Verdict::Different;
            *caught.entry(fault.name()).or_default() += u64::from(failed);
            if !failed {
                println!("seed {seed}: {fault} passes as {}", style.name);
            }
        }
    }
    report(&caught);
}

#[test]
fn dual_quaternions_pass_and_their_faults_fail() {
    let mut caught: BTreeMap<&str, u64> = BTreeMap::new();
    let mut largest = 0.0_f64;
    let mut unbounded = 0;
    for seed in 0..SKINS {
        let rig = DualQuaternionRig::new(seed);
        let golden = golden(&rig.inputs());
        for (index, style) in STYLES.iter().enumerate() {
            let comparison = judge(&golden, &rig.evaluate(style, index % 2 == 1, None));
            assert_eq!(comparison.verdict, Verdict::Same, "seed {seed}, {}: {comparison}", style.name);
            largest = largest.max(largest_ratio(&comparison));
            unbounded += comparison.attributes.iter().map(|attribute| attribute.without_bound).sum::<usize>();
        }
        for fault in OF_DUAL_QUATERNIONS {
            let style = &STYLES[seed as usize % STYLES.len()];
            let vertices = rig.evaluate(style, seed % 3 == 0, Some(fault));
            let failed = judge(&golden, &vertices).verdict == Verdict::Different;
            *caught.entry(fault.name()).or_default() += u64::from(failed);
        }
    }
    println!(
        "dual quaternions: {SKINS} skins, 0 false alarms, largest error {largest:.3} bounds, {unbounded} without bound"
    );
    report(&caught);
}

#[track_caller]
fn report(caught: &BTreeMap<&str, u64>) {
    for (fault, count) in caught {
        println!("{fault:36} caught in {count} of {SKINS} skins");
    }
    assert!(caught.values().all(|count| *count == SKINS), "a fault passed");
}
