//! The golden pictures, drawn again from their manifest and compared exactly.
//!
//! `refrast golden bless` shows what has changed and writes them anew; look at each before you commit it. They were
//! blessed from a release build at the machine's best SIMD level, and every build and level must reproduce them.

use std::path::Path;

use refrast::{
    golden::{
        MeasureOptions, Metric, Picture,
        envelope::{CheckOptions, EnvelopeFile},
        measure,
    },
    verify::{
        cases::GoldenFolder,
        simulator::{Shot, Simulator, Variation},
    },
};

#[test]
fn every_golden_is_drawn_exactly() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let mut folder = GoldenFolder::open(&path).expect("the manifest is there");
    let mut wrong = Vec::new();
    for case in folder.cases().to_vec() {
        let candidate = folder.prepare(&case).and_then(|prepared| prepared.render()).expect("the case can be drawn");
        let golden = Picture::read(&case.golden(&path)).expect("the golden is there");
        let measurement = measure(&golden, &candidate, &MeasureOptions::new(Metric::Exact)).expect("sizes agree");
        if !measurement.accepted {
            wrong.push(format!("{}: {} of {} pixels", case.name, measurement.differing, measurement.counted));
        }
    }
    assert!(wrong.is_empty(), "these differ from their goldens:\n{}", wrong.join("\n"));
}

/// Each golden as one of the right backends of its profile draws it, another one each time: all of them on all goldens are
/// what `refrast golden vary` runs.
#[test]
fn right_backends_lie_in_the_kept_envelopes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let mut folder = GoldenFolder::open(&path).expect("the manifest is there");
    assert_eq!(folder.leave_out_programs(), ["plates"]);
    for (number, case) in folder.cases().to_vec().into_iter().enumerate() {
        let prepared = folder.prepare(&case).expect("the case can be drawn");
        let simulator = Simulator::new(&prepared.scene).expect("complete textures");
        let shot = Shot { moment: prepared.moment, camera: &prepared.camera, settings: &prepared.settings };
        let variations = Variation::within(prepared.profile);
        let (name, variation) = &variations[number % variations.len()];
        let frame = simulator.draw(&shot, variation, &[]).expect("the case can be drawn");
        let picture = Picture::from_rgba8(frame.width, frame.height, frame.rgba).expect("a frame is a picture");
        let golden = Picture::read(&case.golden(&path)).expect("the golden is there");
        let file = EnvelopeFile::open(&EnvelopeFile::path_of(&case.golden(&path))).expect("the envelope is there");
        let envelope = file.unpack(&golden).expect("it belongs to the golden");
        let verdict = envelope.check(&picture, &CheckOptions::default()).expect("sizes agree");
        assert_eq!(verdict.wrong(), 0, "{}: {name}: {:?}", case.name, verdict.worst.first());
    }
}
