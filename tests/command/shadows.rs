//! `--shadows`, `--print-splits`, and what is said where they can not be.

use std::process::{Command, Output};

use serde_json::Value;

use crate::folder::Folder;

fn posts() -> String {
    format!("{}/golden/posts.gltf", env!("CARGO_MANIFEST_DIR"))
}

fn refrast(folder: &Folder, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_refrast"));
    command.current_dir(&folder.0).args(arguments).output().expect("the command runs")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

/// The camera of the file: 2.3 m above the road, a field of view of 0.75 radians.
#[test]
fn splits_are_printed_with_corners_as_wide_as_the_view_is_there() {
    let folder = Folder::new("splits");
    let view = ["--camera", "along the road", "--size", "160x90", "--shadows", "cascades:3"];
    let splits = ["--shadow-splits", "5,20,80", "--print-splits", "-o", "a.png"];
    let printed = refrast(&folder, &[&["render", &posts()], &view[..], &splits[..]].concat());
    let plan: Value = serde_json::from_slice(&printed.stdout).expect("JSON");
    assert_eq!(plan["settings"]["splits"], "5,20,80");
    let splits = plan["splits"].as_array().expect("a list");
    assert_eq!(splits.len(), 3);
    let half = libm::tan(0.75 / 2.0);
    for (split, [near, far]) in splits.iter().zip([[0.3, 5.0], [5.0, 20.0], [20.0, 80.0]]) {
        assert!((split["near"].as_f64().expect("a number") - near).abs() < 1e-4, "{split}");
        assert!((split["far"].as_f64().expect("a number") - far).abs() < 1e-4, "{split}");
        let corners: Vec<Vec<f64>> = split["corners"].as_array().expect("a list").iter().map(numbers).collect();
        let apart =
            |a: usize, b: usize| corners[a].iter().zip(&corners[b]).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        for (first, distance) in [(0, near), (4, far)] {
            let (width, height) = (apart(first, first + 1), apart(first + 1, first + 2));
            assert!((height - 2.0 * half * distance).abs() < 1e-3 * distance, "{height} at {distance}");
            assert!((width - height * 16.0 / 9.0).abs() < 1e-3 * distance, "{width} at {distance}");
        }
    }
    let lights = plan["lights"].as_array().expect("a list");
    assert_eq!((lights.len(), lights[0]["maps"].as_array().map(Vec::len)), (1, Some(3)));
    assert_eq!(numbers(&lights[0]["maps"][2]["lookup"]).len(), 16);
}

#[test]
fn what_can_not_be_is_said_with_the_remedy() {
    let folder = Folder::new("no-shadows");
    let refused = |arguments: &[&str], remedy: &str| {
        let output = refrast(&folder, &[&["render", &posts(), "--size", "32x18", "-o", "a.png"], arguments].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(remedy), "{arguments:?}: {said}");
    };
    refused(&["--print-splits"], "add --shadows");
    refused(&["--shadows", "cascades:9"], "cascades:N (N = 1 to 8)");
    refused(&["--shadows", "cascades:2", "--shadow-splits", "3,10,40"], "give 2");
    refused(&["--shadows", "cascades:2", "--shadow-size", "64"], "256..=4096");
    refused(&["--shadows", "cascades:2", "--shadow-bias", "1,2,3,4"], "CONSTANT,SLOPE,CLAMP");
    refused(
        &["--shadows", "cascades:2", "--shadow-blend", "0.5", "--shadow-select", "containment"],
        "leave the blend out",
    );
    let program = ["--shadows", "cascades:2", "--skinning", "program:bone_offset_1.arb"];
    refused(&program, "--shadows");
}
