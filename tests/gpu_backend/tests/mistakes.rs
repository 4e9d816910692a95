//! Every mistake that is built into the backend is caught on a real driver, by a pixel outside an envelope or a vertex
//! outside its bound; and the library names mistakes in pictures that the driver drew.
//!
//! Lavapipe alone: every mistake on every driver takes too long for a test. Where it is missing this is skipped by name, unless
//! `REFRAST_REQUIRE` names it.

use std::{
    env,
    process::{Command, Output},
};

const DRIVER: &str = "lavapipe";

fn program(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_refrast-gpu"))
        .args(["--driver", DRIVER])
        .args(arguments)
        // A mistake is a shader of its own, hundreds of them: Mesa translates without its optimisations in half the time, and its
        // exactness is other tests' matter.
        .env("GALLIVM_PERF", "nopt")
        .output()
        .expect("the program of this package can be started")
}

/// What the program prints when it finds all well; `None` where the driver is missing.
fn said(arguments: &[&str]) -> Option<String> {
    let described = program(&["describe"]);
    if !described.status.success() {
        let complaint = String::from_utf8_lossy(&described.stderr).into_owned();
        let required = env::var("REFRAST_REQUIRE").unwrap_or_default();
        assert!(!required.split(',').any(|name| name.trim() == DRIVER), "{DRIVER} is required: {complaint}");
        println!("SKIPPED: mistakes on {DRIVER}: {complaint}");
        return None;
    }
    let (said, is_well) = answer(arguments);
    assert!(is_well, "{said}");
    Some(said)
}

/// What the program prints, and whether it finds all well.
fn answer(arguments: &[&str]) -> (String, bool) {
    let output = program(arguments);
    let [lines, summary] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (format!("{lines}{summary}"), output.status.success())
}

#[test]
fn every_mistake_that_changes_something_is_caught() {
    let Some(said) = said(&["faults", "--showcases"]) else { return };
    // A backend that can make none would pass otherwise.
    let conclusion = said.lines().find(|line| line.contains("are caught")).expect("it says how many");
    let caught: usize = conclusion.split(' ').next().and_then(|count| count.parse().ok()).expect("a number");
    assert!(caught >= 200, "{conclusion}");
}

/// The power is a number that the driver's shader and the simulator are given.
#[test]
fn a_mistake_with_a_number_in_it_is_named_with_that_number() {
    let Some(said) = said(&["random", "mannequin", "mannequin", "--seed", "3", "--singles", "2", "--row", "gamma-of"])
    else {
        return;
    };
    assert!(said.contains("| gamma-of | 2 | 2 |"), "{said}");
}

#[test]
fn a_mistake_in_a_picture_of_the_driver_is_named() {
    let Some(said) = said(&["diagnose", "mannequin", "--size", "160x120", "--only", "normal"]) else { return };
    let named = said.lines().filter(|line| line.contains("outside: named")).count();
    assert!(named >= 5, "{said}");
}

/// A shader raises what it has sampled: what the file stores is filtered first.
#[test]
fn a_power_after_the_filter_is_named() {
    let Some(said) = said(&["diagnose", "mannequin", "--only", "texture-gamma-2-2"]) else { return };
    assert!(said.contains("texture-gamma-2-2") && said.contains("outside: named"), "{said}");
}

/// Ten pixels are wrong, by little more than right backends differ by: an exposure of 1.01 beside it would come nearer.
#[test]
fn what_shows_too_little_is_not_given_another_name() {
    if said(&["describe"]).is_none() {
        return;
    }
    let (said, _) = answer(&["diagnose", "mannequin", "--only", "mip-chain-odd-dropped"]);
    assert!(said.contains("outside: ") && !said.contains("WRONG"), "{said}");
}
