//! Shadows: backends that make their own choices lie inside, in every scene that has some.

use crate::envelope_faults::{Case, cases_of};
use crate::envelope_support::PROFILES;
use rayon::prelude::*;
use refrast::verify::showcase::shaded;

#[test]
fn right_shadows_lie_inside() {
    let cases: Vec<Case> = cases_of(shaded());
    assert!(cases.len() >= 5);
    let pairs = cases.par_iter().flat_map(|case| PROFILES.into_par_iter().map(move |profile| (case, profile)));
    let alarms: Vec<String> = pairs.flat_map(|(case, profile)| case.false_alarms(profile)).collect();
    assert!(alarms.is_empty(), "{} right pictures are refused:\n{}", alarms.len(), alarms.join("\n"));
}

/// Shadows that are not there are no choice, nor are some that should not be.
#[test]
fn missing_shadows_fall_outside() {
    for case in cases_of(shaded()).iter().filter(|case| case.name != "cascade-splits") {
        for profile in PROFILES {
            assert!(case.wrong_without_shadows(profile) > 20, "{}, {profile}", case.name);
        }
    }
}
