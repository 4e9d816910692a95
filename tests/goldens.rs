//! The golden pictures of the built-in character, drawn again from their manifest and compared exactly.
//!
//! `refrast golden bless` shows what has changed and writes them anew; look at each before you commit it. They were
//! blessed from a release build at the machine's best SIMD level, and every build and level must reproduce them.

use std::path::Path;

use refrast::{
    golden::{MeasureOptions, Metric, Picture, measure},
    verify::cases::GoldenFolder,
};

#[test]
fn the_built_in_character_matches_its_goldens_exactly() {
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
