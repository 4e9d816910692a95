//! Declared freedoms: what an engine has chosen passes where it is declared, and no mistake with it.

use std::collections::BTreeSet;

use rayon::prelude::*;
use refrast::{
    golden::Picture,
    raster::SampleCount,
    render::{RenderSettings, Renderer},
    shading::ShadingMode,
    verify::{
        Blend, Declared, Diffuse, Dither, Encode, Fault, Jpeg, Mips, NormalMaps, Profile, Resolve, Tangents,
        diagnose::{Conclusion, Diagnosis, diagnose_picture},
        envelope::{EnvelopeSettings, choices_allowing},
        showcase::{Showcase, showcases},
        simulator::{Moment, Shot, Simulator, Variation},
    },
};

use crate::{
    envelope_faults::{Case, showcase_cases},
    envelope_support::{PROFILES, check, random_shot},
};

/// A choice, a backend that has made it and nothing else, and one that looks like it and is wrong.
struct Trial {
    declared: Declared,
    right: (Variation, &'static [Fault]),
    wrong: (Variation, &'static [Fault]),
}

fn gpu() -> Variation {
    Variation::default()
}

/// Of each kind; the simulator's mistake is the engine's choice where there is one of it.
fn trials() -> Vec<Trial> {
    let nothing = Declared::default();
    let float = Variation { eight_bit_target: false, ..gpu() };
    vec![
        Trial {
            declared: Declared { resolve: Resolve::Stored, ..nothing },
            right: (gpu(), &[Fault::ResolveInSrgb]),
            wrong: (gpu(), &[Fault::ResolveFirstSample]),
        },
        Trial {
            declared: Declared { blend: Blend::Stored, ..nothing },
            right: (gpu(), &[Fault::BlendInSrgb]),
            wrong: (gpu(), &[Fault::BlendInSrgb, Fault::BlendOrder]),
        },
        Trial {
            declared: Declared { dither: Dither::Ordered1Lsb, ..nothing },
            right: (Variation { dither_steps: 1, ..float }, &[]),
            wrong: (Variation { dither_steps: 4, ..float }, &[]),
        },
        Trial {
            declared: Declared { encode: Encode::Gamma22, ..nothing },
            right: (gpu(), &[Fault::GammaEncode22]),
            wrong: (gpu(), &[Fault::SrgbEncodeMissing]),
        },
        Trial {
            declared: Declared { anisotropy: 4, ..nothing },
            right: (Variation { anisotropy: 4, ..gpu() }, &[]),
            wrong: (Variation { anisotropy: 4, ..gpu() }, &[Fault::TexelCentreInteger]),
        },
        Trial {
            declared: Declared { mips: Mips::Stored, ..nothing },
            right: (gpu(), &[Fault::MipChainInSrgb]),
            wrong: (gpu(), &[Fault::MipChainDecimated]),
        },
        Trial {
            declared: Declared { mips: Mips::None, ..nothing },
            right: (Variation { mips: Mips::None, ..gpu() }, &[]),
            wrong: (gpu(), &[Fault::MipBias]),
        },
        // A driver that draws each level with the one before it.
        Trial {
            declared: Declared { mips: Mips::Given, ..nothing },
            right: (Variation { mips: Mips::Given, ..gpu() }, &[]),
            wrong: (Variation { mips: Mips::Given, ..gpu() }, &[Fault::MipBias]),
        },
        Trial {
            declared: Declared { mips: Mips::Given, anisotropy: 4, encode: Encode::Gamma22, ..nothing },
            right: (Variation { mips: Mips::Stored, anisotropy: 4, ..gpu() }, &[Fault::GammaEncode22]),
            wrong: (Variation { mips: Mips::Stored, anisotropy: 4, ..gpu() }, &[Fault::SrgbEncodeMissing]),
        },
        Trial {
            declared: Declared { diffuse: Diffuse::Whole, ..nothing },
            right: (gpu(), &[Fault::DiffuseWithoutFresnel]),
            wrong: (gpu(), &[Fault::DiffuseWithoutPi]),
        },
        Trial {
            declared: Declared { diffuse: Diffuse::HeadOn, ..nothing },
            right: (gpu(), &[Fault::DiffuseFresnelHeadOn]),
            wrong: (gpu(), &[Fault::DiffuseWithoutPi]),
        },
        Trial {
            declared: Declared { diffuse: Diffuse::Burley, ..nothing },
            right: (gpu(), &[Fault::DiffuseBurley]),
            wrong: (gpu(), &[Fault::DiffuseWithoutPi]),
        },
        Trial {
            declared: Declared { diffuse: Diffuse::BurleySquared, ..nothing },
            right: (gpu(), &[Fault::DiffuseBurleySquared]),
            wrong: (gpu(), &[Fault::DiffuseWithoutPi]),
        },
        Trial {
            declared: Declared { normal_maps: NormalMaps::Two, ..nothing },
            right: (gpu(), &[Fault::NormalMapZRebuilt]),
            wrong: (gpu(), &[Fault::TwoChannelZMissing]),
        },
        Trial {
            declared: Declared { tangents: Tangents::Orthogonal, ..nothing },
            right: (gpu(), &[Fault::TangentReorthogonalised]),
            wrong: (gpu(), &[Fault::BitangentSignLost]),
        },
        // One engine that has made all three choices of materials.
        Trial {
            declared: Declared {
                diffuse: Diffuse::Whole,
                normal_maps: NormalMaps::Two,
                tangents: Tangents::Orthogonal,
                ..nothing
            },
            right: (gpu(), &[Fault::DiffuseWithoutFresnel, Fault::NormalMapZRebuilt, Fault::TangentReorthogonalised]),
            wrong: (gpu(), &[Fault::NormalMapGreenFlipped]),
        },
        // A browser's canvas under a shader that encodes for itself.
        Trial {
            declared: Declared { resolve: Resolve::Stored, blend: Blend::Stored, encode: Encode::Gamma22, ..nothing },
            right: (gpu(), &[Fault::ResolveInSrgb, Fault::BlendInSrgb, Fault::GammaEncode22]),
            wrong: (gpu(), &[Fault::ResolveInSrgb, Fault::BlendInSrgb, Fault::SrgbEncodeMissing]),
        },
    ]
}

/// A case, and what a backend draws of it that has made no choice of its own.
struct Court<'a> {
    case: &'a Case,
    simulator: Simulator<'a>,
    plain: Picture,
}

impl<'a> Court<'a> {
    fn of(case: &'a Case) -> Self {
        let simulator = Simulator::new(&case.seen.scene).expect("complete textures");
        let plain = case.draw(&simulator, &gpu(), &[]);
        Self { case, simulator, plain }
    }

    fn draw(&self, (variation, faults): &(Variation, &[Fault])) -> Picture {
        self.case.draw(&self.simulator, variation, faults)
    }

    /// Pixels that are outside with these choices declared.
    fn outside(&self, profile: Profile, declared: Declared, picture: &Picture) -> u64 {
        check(&self.case.seen.declared_envelope(profile, declared), picture).wrong()
    }

    /// Where a right backend's picture is refused: by the strictest profile and one of the others in turn, or where its choice changes
    /// nothing here by one of them, of every third such choice, in turn.
    fn alarms(&self, Trial { declared, right, .. }: &Trial, turn: usize) -> Vec<String> {
        let picture = self.draw(right);
        let is_tried = |place: usize| match picture != self.plain {
            true => place == 0 || place == 1 + turn % (PROFILES.len() - 1),
            false => 3 * place == turn % (3 * PROFILES.len()),
        };
        let tried = PROFILES.iter().enumerate().filter(|(place, _)| is_tried(*place));
        let alarm = |(_, profile): (usize, &Profile)| {
            let count = self.outside(*profile, *declared, &picture);
            (count > 0).then(|| format!("{}, {profile}, {declared}: {count} pixels", self.case.name))
        };
        tried.filter_map(alarm).collect()
    }
}

#[test]
fn a_declared_choice_is_right_and_what_is_like_it_is_wrong() {
    let cases = showcase_cases();
    let courts: Vec<Court<'_>> = cases.par_iter().map(Court::of).collect();
    for (number, trial) in trials().iter().enumerate() {
        let alarms: Vec<String> =
            courts.par_iter().enumerate().flat_map_iter(|(place, court)| court.alarms(trial, place + number)).collect();
        assert!(alarms.is_empty(), "right pictures are refused:\n{}", alarms.join("\n"));
        let Trial { declared, right, wrong } = trial;
        let seen = |court: &Court<'_>| {
            let picture = court.draw(wrong);
            picture != court.draw(right) && court.outside(Profile::Vulkan14, *declared, &picture) > 0
        };
        // Within a whole step of Vulkan's rounding a dither may hide.
        let strict = |court: &Court<'_>| {
            let picture = court.draw(right);
            picture != court.plain && court.outside(Profile::D3d11, Declared::default(), &picture) > 0
        };
        assert!(courts.par_iter().any(strict), "{declared}: it passes undeclared, so nothing is shown");
        assert!(courts.par_iter().any(seen), "{declared}: the wrong backend passes");
    }
}

#[test]
fn declared_choices_are_right_in_random_scenes() {
    let alarms: Vec<String> = (0..90usize)
        .into_par_iter()
        .flat_map_iter(|seed| {
            let seen = random_shot(seed as u64);
            let case = Case { name: format!("random scene {seed}"), moment: Moment::Rest, seen };
            let court = Court::of(&case);
            let alarm = |(number, trial): (usize, Trial)| {
                let (profile, picture) = (PROFILES[seed % PROFILES.len()], court.draw(&trial.right));
                // Of those that change nothing every sixth is tried.
                let is_tried = picture != court.plain || (seed + number).is_multiple_of(6);
                let count = if is_tried { court.outside(profile, trial.declared, &picture) } else { 0 };
                (count > 0).then(|| format!("{}, {profile}, {}: {count} pixels", case.name, trial.declared))
            };
            trials().into_iter().enumerate().filter_map(alarm).collect::<Vec<_>>()
        })
        .collect();
    assert!(alarms.is_empty(), "{} right pictures are refused:\n{}", alarms.len(), alarms.join("\n"));
}

/// What a few pixels say of choices is what whole envelopes say of these pixels.
#[test]
fn the_worst_pixels_are_allowed_by_the_choices_whose_envelopes_allow_them() {
    let (mut allowed, mut refuted) = (0, 0);
    let profile = Profile::D3d11;
    let faults = [Fault::ResolveInSrgb, Fault::BlendInSrgb, Fault::MipChainInSrgb, Fault::NormalMapZRebuilt];
    let cases = showcase_cases();
    let shown = ["samples", "alpha", "textures", "physical", "cascades"];
    for case in cases.iter().filter(|case| shown.contains(&case.name.as_str())) {
        let court = Court::of(case);
        let envelope = case.seen.declared_envelope(profile, Declared::default());
        for fault in faults {
            let picture = court.draw(&(gpu(), &[fault]));
            let worst = check(&envelope, &picture).worst;
            if worst.is_empty() {
                continue;
            }
            let choices: Vec<Declared> =
                std::iter::once(Declared::default()).chain(Declared::default().one_more()).collect();
            let mut renderer = Renderer::new(&case.seen.scene, case.seen.settings).expect("valid settings");
            let shot = (&case.seen.pose, &case.seen.camera);
            let found = choices_allowing(&mut renderer, shot, profile.into(), &choices, &worst).expect("an envelope");
            let by_envelopes = choices.par_iter().map(|choice| {
                let verdict = check(&case.seen.declared_envelope(profile, *choice), &picture);
                worst.iter().all(|own| !verdict.class(own.x, own.y).expect("within the picture").is_wrong())
            });
            assert_eq!(found, by_envelopes.collect::<Vec<_>>(), "{}, {fault}", case.name);
            allowed += found.iter().filter(|allowed| **allowed).count();
            refuted += found.iter().filter(|allowed| !**allowed).count();
        }
    }
    assert!(allowed >= 3 && refuted >= 30, "{allowed} choices are allowed, {refuted} refuted: nothing is shown");
}

/// What passes where a choice is declared, and not without it, as the guide tells it: options and names of mistakes in its table.
pub(crate) fn exceptions_in_the_guide() -> Vec<(String, BTreeSet<Fault>)> {
    const GUIDE: &str = include_str!("../../docs/guide/freedoms.md");
    let (_, table) = GUIDE.split_once("| declared | passes |\n|---|---|\n").expect("the guide has the table");
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        // What stands between backticks is every other part.
        let mut words = row.split('`').skip(1).step_by(2).map(str::to_owned);
        let option = words.next().expect("a row names its option");
        (option, words.map(|word| word.parse().expect("a row names known mistakes")).collect())
    })
    .collect()
}

#[test]
fn no_other_mistake_passes_with_a_choice_that_is_declared() {
    let cases = showcase_cases();
    // No showcase has a JPEG: `jpeg.rs` gives them some.
    let nothing = Declared::default();
    let declared: Vec<Declared> = nothing.one_more().filter(|own| own.jpeg == Jpeg::Reference).collect();
    let courts: Vec<_> = cases
        .par_iter()
        .map(|case| {
            let simulator = Simulator::new(&case.seen.scene).expect("complete textures");
            let envelopes: Vec<_> =
                declared.iter().map(|own| case.seen.declared_envelope(Profile::D3d11, *own)).collect();
            (case, simulator, envelopes)
        })
        .collect();
    // One picture of a fault is enough for all choices; most show in the first showcase that shows them at all.
    let passes = |fault: Fault| {
        let mut open = vec![true; declared.len()];
        for (case, simulator, envelopes) in &courts {
            if open.iter().any(|open| *open) {
                let picture = case.draw(simulator, &Variation::default(), &[fault]);
                for (open, envelope) in open.iter_mut().zip(envelopes).filter(|(open, _)| **open) {
                    *open = check(envelope, &picture).wrong() == 0;
                }
            }
        }
        (fault, open)
    };
    let faults = Fault::ALL.into_par_iter();
    let passed: Vec<(Fault, Vec<bool>)> = faults.map(passes).collect();
    let found: Vec<(String, BTreeSet<Fault>)> = declared
        .iter()
        .enumerate()
        .map(|(place, own)| {
            let of = passed.iter().filter(|(_, open)| open[place]).map(|(fault, _)| *fault);
            (own.to_string(), of.collect())
        })
        .collect();
    let told = exceptions_in_the_guide().into_iter().filter(|(option, _)| !option.starts_with("--jpeg"));
    assert_eq!(found, told.collect::<Vec<_>>());
}

#[test]
fn a_refused_picture_is_told_what_would_make_it_right() {
    let showcase = showcases().into_iter().find(|showcase| showcase.settings.samples.count() == 4);
    let showcase = showcase.expect("one is drawn with four samples");
    let simulator = Simulator::new(&showcase.scene).expect("complete textures");
    let shot = Shot { moment: showcase.moment, camera: &showcase.camera, settings: &showcase.settings };
    let diagnose = |faults: &[Fault], declared: Declared| {
        let frame = simulator.draw(&shot, &Variation::default(), faults).expect("it can be drawn");
        let picture = Picture::from_rgba8(frame.width, frame.height, frame.rgba).expect("a picture");
        let judged_by = EnvelopeSettings { declared, ..EnvelopeSettings::of(Profile::D3d11) };
        diagnose_picture(&showcase.scene, &shot, judged_by, &picture, &|_| {}).expect("it fits the showcase")
    };
    let refused = diagnose(&[Fault::ResolveInSrgb], Declared::default());
    assert_eq!(refused.right_if, ["--resolve stored"]);
    assert!(refused.to_string().contains("\nright if --resolve stored is declared\n"), "{refused}");
    let declared = Declared { resolve: Resolve::Stored, ..Declared::default() };
    assert_eq!(diagnose(&[Fault::ResolveInSrgb], declared).wrong, 0);
    assert!(diagnose(&[Fault::ResolveFirstSample], Declared::default()).right_if.is_empty());
}

/// A canvas of WebGL resolves stored bytes, and a target that an engine resolves itself averages light: Galacean's, whose diffuse light
/// is a choice of its own.
#[test]
fn who_has_declared_too_much_is_told_what_to_take_back() {
    let made = [Fault::DiffuseFresnelHeadOn];
    let canvas = Declared { resolve: Resolve::Stored, blend: Blend::Stored, ..Declared::default() };
    let declared = Declared { diffuse: Diffuse::HeadOn, ..canvas };
    let alone = Declared { diffuse: Diffuse::HeadOn, ..Declared::default() };
    let mut told = 0;
    for showcase in showcases().into_iter().filter(|showcase| showcase.settings.shading == ShadingMode::Lit) {
        let settings = RenderSettings { samples: SampleCount::Four, ..showcase.settings };
        let simulator = Simulator::new(&showcase.scene).expect("complete textures");
        let shot = Shot { moment: showcase.moment, camera: &showcase.camera, settings: &settings };
        let frame = simulator.draw(&shot, &gpu(), &made[..]).expect("it can be drawn");
        let picture = Picture::from_rgba8(frame.width, frame.height, frame.rgba).expect("a picture");
        let asked = |declared| {
            let judged_by = EnvelopeSettings { declared, ..EnvelopeSettings::of(Profile::D3d11) };
            diagnose_picture(&showcase.scene, &shot, judged_by, &picture, &|_| {}).expect("it fits the showcase")
        };
        assert_eq!(asked(alone).wrong, 0);
        let diagnosis = asked(declared);
        if diagnosis.wrong > 0 {
            // Nothing is blended where it shows.
            assert_eq!(diagnosis.right_if, ["--profile d3d11 --blend stored --diffuse head-on"], "{diagnosis}");
            let told_so = "\nno mistake: it is right if --profile d3d11 --blend stored --diffuse head-on is declared, and no more\n";
            assert!(diagnosis.conclusion == Conclusion::AnotherSetup && diagnosis.findings.is_empty(), "{diagnosis}");
            assert!(diagnosis.to_string().ends_with(told_so), "{diagnosis}");
            told += 1;
        }
    }
    assert!(told > 0, "no showcase shows both choices");
}

#[test]
fn mips_of_a_drivers_own_are_told_as_a_choice_and_means_of_stored_bytes_as_the_narrower_one() {
    // One that shows the odd row.
    let shows = |showcase: &Showcase| {
        let diagnosis = diagnose_mips(showcase, &Variation { mips: Mips::Given, ..gpu() }, Declared::default());
        diagnosis.wrong > 0
    };
    let showcase = showcases().into_iter().find(shows).expect("a showcase has an odd texture");
    let given = Variation { mips: Mips::Given, ..gpu() };
    let told = diagnose_mips(&showcase, &given, Declared::default());
    assert!(told.right_if.contains(&"--mips given".to_owned()), "{told}");
    assert!(!told.right_if.contains(&"--mips stored".to_owned()), "{told}");
    let declared = Declared { mips: Mips::Given, ..Declared::default() };
    assert_eq!(diagnose_mips(&showcase, &given, declared).wrong, 0);
    let stored = diagnose_mips(&showcase, &Variation { mips: Mips::Stored, ..gpu() }, Declared::default());
    assert!(stored.right_if.contains(&"--mips stored".to_owned()), "{stored}");
    assert!(!stored.right_if.contains(&"--mips given".to_owned()), "{stored}");
}

fn diagnose_mips(showcase: &Showcase, variation: &Variation, declared: Declared) -> Diagnosis {
    let simulator = Simulator::new(&showcase.scene).expect("complete textures");
    let shot = Shot { moment: showcase.moment, camera: &showcase.camera, settings: &showcase.settings };
    let frame = simulator.draw(&shot, variation, &[]).expect("it can be drawn");
    let picture = Picture::from_rgba8(frame.width, frame.height, frame.rgba).expect("a picture");
    let judged_by = EnvelopeSettings { declared, ..EnvelopeSettings::of(Profile::D3d11) };
    diagnose_picture(&showcase.scene, &shot, judged_by, &picture, &|_| {}).expect("it fits the showcase")
}
