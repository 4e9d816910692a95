//! Vertex buffers, made by a backend with a known mistake and sums in another order: is the mistake named, and which vertices are
//! moved where it has no name?

use std::sync::atomic::{AtomicUsize, Ordering};

use refrast::{
    golden::{Attribute, VertexBuffer, VertexId},
    render::RenderSettings,
    scene::{Node, Scene},
    verify::{
        Fault,
        diagnose::{Cause, Conclusion, Diagnosis, Step, diagnose_vertices},
        simulator::{Faults, InfluenceChoice, Moment, ParametricFault, Simulator},
        vertex::Rounding,
    },
};

use super::diagnose::{OTHER, showcase};

const NONE: &[Fault] = &[];

/// The buffer that a backend with these mistakes writes.
fn buffer(scene: &Scene, moment: Moment, faults: impl Into<Faults>) -> VertexBuffer {
    let simulator = Simulator::new(scene).expect("complete textures");
    let mut made =
        simulator.vertices(moment, &RenderSettings::default(), &OTHER, faults).expect("a moment of the scene");
    made.sort_by_key(|made| (made.node, made.primitive));
    let (mut ids, mut position, mut normal) = (Vec::new(), Vec::new(), Vec::new());
    for made in made {
        let mesh = scene.nodes[made.node].mesh.expect("a drawn node has a mesh");
        let primitive = &scene.meshes[mesh].primitives[made.primitive];
        for vertex in 0..primitive.source_vertex_count {
            let row = primitive.source_vertices.iter().position(|source| *source as usize == vertex);
            ids.push(VertexId { node: made.node as u32, primitive: made.primitive as u32, vertex: vertex as u32 });
            position.push(row.map_or([f64::NAN; 3], |row| made.positions[row].map(f64::from)));
            normal.push(row.map_or([f64::NAN; 3], |row| made.normals[row].map(f64::from)));
        }
    }
    VertexBuffer {
        ids: Some(ids),
        position: Attribute::without_bounds(position),
        normal: Some(Attribute::without_bounds(normal)),
        tangent: None,
        ..VertexBuffer::default()
    }
}

#[test]
fn mistakes_in_vertex_buffers_are_named() {
    let showcase = showcase("limb");
    let (scene, moment) = (&showcase.scene, showcase.moment);
    let settings = RenderSettings::default();
    let steps = AtomicUsize::new(0);
    let count = |step: Step<'_>| {
        if let Step::Tried { done, .. } = step {
            steps.fetch_max(done, Ordering::Relaxed);
        }
    };
    let diagnose = |candidate: &VertexBuffer| {
        diagnose_vertices(scene, moment, &settings, Rounding::Nearest, candidate, &count).expect("it fits the scene")
    };
    let right = diagnose(&buffer(scene, moment, NONE));
    assert_eq!(right.conclusion, Conclusion::NothingToExplain, "{right}");
    let mut failed = Vec::new();
    for fault in [
        Fault::SkinnedNodeTransformApplied,
        Fault::InverseBindMissing,
        Fault::InverseBindRecomputed,
        Fault::NonJointAncestorDropped,
        Fault::JointPaletteStale,
        Fault::MatrixOrderSwapped,
        Fault::NormalNotInverseTransposed,
        Fault::NormalInverseTransposePerJoint,
        Fault::WeightsAppliedBeforeBind,
        Fault::PaletteHalfPrecision,
        Fault::CubicTangentUnscaled,
        Fault::RotationLerped,
        Fault::MorphAfterSkin,
    ] {
        let diagnosis = diagnose(&buffer(scene, moment, fault));
        if !diagnosis.best().any(|best| best == fault) {
            failed.push(format!("{fault}:\n{diagnosis}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(steps.load(Ordering::Relaxed) >= Fault::ALL.len());

    // Every vertex is a hundred times as far from the origin: inches, and somebody's own.
    let mut scaled = buffer(scene, moment, NONE);
    scaled.position.values.iter_mut().flatten().for_each(|value| *value *= 100.0);
    let diagnosis = diagnose(&scaled);
    assert_eq!(diagnosis.conclusion, Conclusion::Located, "{diagnosis}");
    assert!(diagnosis.to_string().contains(" are scaled by 100"), "{diagnosis}");

    let mut odd = buffer(scene, moment, NONE);
    for (row, position) in odd.position.values.iter_mut().enumerate() {
        position[1] += 0.05 * libm::sin(row as f64);
    }
    assert_eq!(diagnose(&odd).conclusion, Conclusion::Unknown);
}

fn mannequin() -> (Scene, Moment) {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let animation = scene.find_animation("Flex").expect("a clip of the mannequin");
    (scene, Moment::Clip { animation, seconds: 0.71 })
}

fn diagnosis(scene: &Scene, moment: Moment, faults: impl Into<Faults>) -> Diagnosis {
    let candidate = buffer(scene, moment, faults);
    diagnose_vertices(scene, moment, &RenderSettings::default(), Rounding::Nearest, &candidate, &|_| {})
        .expect("it fits the scene")
}

/// The head's node, by its place in the file.
fn head(scene: &Scene) -> u32 {
    let is_head = |node: &Node| node.name.as_deref() == Some("head");
    scene.nodes.iter().position(is_head).expect("the built-in character has a head") as u32
}

#[test]
fn numbers_of_families_are_found_in_buffers() {
    let (scene, moment) = mannequin();
    let mut failed = Vec::new();
    for fault in [
        ParametricFault::ClipResampled { rate: 7.0 },
        ParametricFault::WeightBits { bits: 5, corrected: false },
        ParametricFault::InfluencesKept { count: 3, choice: InfluenceChoice::FirstRescaled },
        ParametricFault::JointsShifted { by: -3 },
        ParametricFault::JointsSwapped { joints: [5, 6] },
        ParametricFault::JointTakenFor { joint: 5, other: 4 },
        ParametricFault::NodeStill { node: head(&scene) },
    ] {
        let diagnosis = diagnosis(&scene, moment, fault);
        if diagnosis.conclusion != Conclusion::Named || diagnosis.best().next() != Some(Cause::from(fault)) {
            failed.push(format!("{fault}:\n{diagnosis}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn two_mistakes_in_a_buffer_are_both_named() {
    let (scene, moment) = mannequin();
    for (one, other) in [
        (ParametricFault::WeightBits { bits: 5, corrected: false }, Fault::PaletteTranslationDropped),
        (ParametricFault::JointsSwapped { joints: [5, 6] }, Fault::NormalNotRenormalised),
    ] {
        let diagnosis = diagnosis(&scene, moment, Faults::from(one).and(other));
        let pair = diagnosis.likely().next().unwrap_or_else(|| panic!("{other}: no pair:\n{diagnosis}"));
        let named: Vec<Cause> = pair.causes().chain(pair.beside).collect();
        let is_named = |cause: Cause| named.contains(&cause);
        assert!(
            pair.beside.is_some() && is_named(one.into()) && is_named(other.into()),
            "{one}, {other}:\n{diagnosis}"
        );
    }
}
