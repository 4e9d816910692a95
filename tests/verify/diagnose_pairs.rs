//! Two mistakes at once: are both named, and where that can not be, one?

use std::path::Path;

use refrast::{
    golden::Picture,
    render::{CameraSettings, RenderSettings},
    scene::Scene,
    shading::ShadingMode,
    verify::{
        Fault, Profile,
        diagnose::{Cause, Conclusion, Diagnosis, diagnose_picture},
        simulator::{DepthFunction, Faults, Moment, ParametricFault, Shot, Simulator},
    },
};

use super::diagnose::{OTHER, diagnose, draw_with, showcase};

/// Each is told that may be one of the two: surfaces that blend as if they were not opaque write no depth.
#[test]
fn of_two_mistakes_each_stands_for_those_that_give_the_same() {
    let showcase = showcase("limb");
    let depth = ParametricFault::DepthTest { function: DepthFunction::NotEqual };
    let dark = ParametricFault::Exposure { factor: 0.6 };
    let diagnosis = diagnose(&showcase, &draw_with(&showcase, &OTHER, Faults::from(depth).and(dark)));
    let all: Vec<Cause> = diagnosis.likely().flat_map(|own| own.causes().chain(own.beside)).collect();
    assert!(all.contains(&depth.into()), "{diagnosis}");
    assert!(
        all.iter().any(|cause| matches!(cause, Cause::Parametric(ParametricFault::Exposure { .. }))),
        "{diagnosis}"
    );
}

/// Which mistake draws nothing is not to be seen, but what has changed the background is.
#[test]
fn of_two_mistakes_the_background_tells_one_where_nothing_is_drawn() {
    let showcase = showcase("limb");
    let nothing = Faults::from(ParametricFault::DepthClear { depth: 0.0 });
    for fault in
        [ParametricFault::Channels { order: [1, 2, 0] }, ParametricFault::Gamma { gamma: 1.8, in_shader: false }]
    {
        let diagnosis = diagnose(&showcase, &draw_with(&showcase, &OTHER, nothing.and(fault)));
        let is_told =
            diagnosis.likely().flat_map(|own| own.causes().chain(own.beside)).any(|cause| match (cause, fault) {
                (Cause::Parametric(ParametricFault::Gamma { gamma, .. }), ParametricFault::Gamma { .. }) => {
                    (gamma - 1.8).abs() < 0.05
                }
                (cause, fault) => cause == Cause::from(fault),
            });
        assert!(is_told && diagnosis.conclusion == Conclusion::OneOfThese, "{diagnosis}");
    }
    // Black is no background that a power has stored.
    let (width, height) = (showcase.settings.width, showcase.settings.height);
    let black = [0, 0, 0, 255].repeat((width * height) as usize);
    let diagnosis = diagnose(&showcase, &Picture::from_rgba8(width, height, black).expect("its size"));
    assert!(diagnosis.likely().next().is_none(), "{diagnosis}");
}

#[test]
fn two_mistakes_at_once_are_both_named() {
    let showcase = showcase("textures");
    let faults = Faults::from(ParametricFault::Exposure { factor: 0.6 }).and(Fault::TextureTransformOrder);
    let diagnosis = diagnose(&showcase, &draw_with(&showcase, &OTHER, faults));
    let best = diagnosis.likely().next().expect("a pair");
    let both: Vec<Cause> = best.causes().chain(best.beside).collect();
    assert!(both.contains(&Fault::TextureTransformOrder.into()), "{diagnosis}");
    let exposed = |cause: &Cause| match cause {
        Cause::Parametric(ParametricFault::Exposure { factor }) => (factor - 0.6).abs() < 0.03,
        _ => false,
    };
    assert!(both.iter().any(exposed), "{diagnosis}");
}

/// As three.js draws lamps: toward the edge of a cone, and toward the range.
#[test]
fn what_an_engine_does_to_lamps_is_two_mistakes() {
    let showcase = showcase("lights");
    let faults = Faults::from(Fault::SpotSmoothstep).and(Fault::LightRangeSquared);
    let diagnosis = diagnose(&showcase, &draw_with(&showcase, &OTHER, faults));
    let best = diagnosis.likely().next().unwrap_or_else(|| panic!("no pair:\n{diagnosis}"));
    let both: Vec<Cause> = best.causes().chain(best.beside).collect();
    assert!(
        [Fault::SpotSmoothstep, Fault::LightRangeSquared].iter().all(|one| both.contains(&(*one).into())),
        "{diagnosis}"
    );
}

/// The background has its channels exchanged and nothing else, so that a power beside it lies in a shader.
#[test]
fn a_power_is_found_behind_exchanged_channels() {
    let showcase = showcase("textures");
    let channels = ParametricFault::Channels { order: [0, 2, 1] };
    let power = ParametricFault::Gamma { gamma: 2.93, in_shader: true };
    let diagnosis = diagnose(&showcase, &draw_with(&showcase, &OTHER, Faults::from(channels).and(power)));
    let best = diagnosis.likely().next().unwrap_or_else(|| panic!("no pair:\n{diagnosis}"));
    let both: Vec<Cause> = best.causes().chain(best.beside).collect();
    let is_power = |cause: &Cause| match cause {
        Cause::Parametric(ParametricFault::Gamma { gamma, in_shader }) => *in_shader && (gamma - 2.93).abs() < 0.05,
        _ => false,
    };
    assert!(both.contains(&channels.into()) && both.iter().any(is_power), "{diagnosis}");
}

/// The answer to a picture of a file by a backend with two mistakes, and the mistakes of the likeliest pair.
fn pair(file: &Path, [width, height]: [u32; 2], faults: [ParametricFault; 2]) -> (Diagnosis, Vec<Cause>) {
    let scene = Scene::load(file).expect("the file is there");
    let settings = RenderSettings { width, height, ..RenderSettings::default() };
    let pose = Moment::Rest.pose(&scene).expect("a rest pose");
    let camera = CameraSettings::default().camera(&scene, None, &pose, &settings).expect("it can be seen");
    let shot = Shot { moment: Moment::Rest, camera: &camera, settings: &settings };
    let frame = Simulator::new(&scene).and_then(|own| own.draw(&shot, &OTHER, Faults::from(faults[0]).and(faults[1])));
    let picture = Picture::from_rgba8(width, height, frame.expect("it can be drawn").rgba).expect("the size fits");
    let diagnosis = diagnose_picture(&scene, &shot, Profile::D3d11, &picture, &|_| {}).expect("it can be diagnosed");
    let best = diagnosis.likely().next().unwrap_or_else(|| panic!("no pair:\n{diagnosis}"));
    let both = best.causes().chain(best.beside).collect();
    (diagnosis, both)
}

/// Whether textures are looked up at this scale.
fn is_scaled(cause: &Cause, by: f32) -> bool {
    match cause {
        Cause::Parametric(ParametricFault::TexcoordsMoved { scale, .. }) => {
            scale.iter().all(|scale| (scale - by).abs() < 0.01)
        }
        _ => false,
    }
}

/// Pixel by pixel no light fits where a texture is elsewhere, and no texture where the light is wrong.
#[test]
fn light_is_found_behind_a_texture_that_is_elsewhere() {
    let Some(folder) = std::env::var_os("REFRAST_MODELS") else {
        return eprintln!("skipped: REFRAST_MODELS names no folder with models");
    };
    let light = ParametricFault::Exposure { factor: 1.68 };
    let texture = ParametricFault::TexcoordsMoved { scale: [1.74; 2], offset: [0.0; 2], swapped: false };
    let (diagnosis, both) = pair(&Path::new(&folder).join("BoxTextured/BoxTextured.gltf"), [64, 48], [light, texture]);
    let is_light = |cause: &Cause| match cause {
        Cause::Parametric(ParametricFault::Exposure { factor }) => (factor - 1.68).abs() < 0.05,
        _ => false,
    };
    assert!(both.iter().any(is_light) && both.iter().any(|cause| is_scaled(cause, 1.74)), "{diagnosis}");
}

/// What moves outlines is no excuse for textures: of two mistakes one may lie in each.
#[test]
fn a_texture_may_be_moved_where_outlines_are_wrong() {
    let window = ParametricFault::WindowOffset { x: 0.63, y: -0.41 };
    let texture = ParametricFault::TexcoordsMoved { scale: [0.8; 2], offset: [0.0; 2], swapped: false };
    let (diagnosis, both) =
        pair(&Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/plates.gltf"), [128, 96], [window, texture]);
    let is_window = |cause: &Cause| match cause {
        Cause::Parametric(ParametricFault::WindowOffset { x, y }) => (x - 0.63).abs() < 0.05 && (y + 0.41).abs() < 0.05,
        _ => false,
    };
    assert!(both.iter().any(is_window) && both.iter().any(|cause| is_scaled(cause, 0.8)), "{diagnosis}");
}

/// The answer to a picture of the stage by a backend with these mistakes.
fn of_stage([width, height]: [u32; 2], made: &[Fault]) -> Diagnosis {
    let scene = Scene::stage().expect("it is built in");
    let settings = RenderSettings { width, height, shading: ShadingMode::Lit, ..RenderSettings::default() };
    let pose = Moment::Rest.pose(&scene).expect("a rest pose");
    let camera = CameraSettings::default().camera(&scene, None, &pose, &settings).expect("it can be seen");
    let shot = Shot { moment: Moment::Rest, camera: &camera, settings: &settings };
    let frame = Simulator::new(&scene).and_then(|own| own.draw(&shot, &OTHER, made)).expect("it can be drawn");
    let picture = Picture::from_rgba8(frame.width, frame.height, frame.rgba).expect("a picture");
    diagnose_picture(&scene, &shot, Profile::D3d11, &picture, &|_| {}).expect("it fits")
}

/// The highest level alone, and levels that are four too low, are nearly the same. The third mistake refutes the one beside the second,
/// and what that leaves is no reason to believe in the other.
#[test]
fn what_is_like_a_refuted_mistake_is_not_named() {
    let made = [Fault::MipNone, Fault::LightColorDecoded, Fault::NormalMapGreenFlipped];
    let diagnosis = of_stage([120, 160], &made);
    let likely: Vec<Cause> = diagnosis.likely().flat_map(|own| own.causes().chain(own.beside)).collect();
    let is_made = |cause: &Cause| made.iter().any(|own| *cause == Cause::from(*own));
    assert!(diagnosis.wrong > 0 && likely.iter().all(is_made), "{diagnosis}");
}

/// Neither one nor two explain it, and each is refuted by the envelope of a backend that makes no other: what is merely like one of them
/// may not have been held against an envelope, and leave less.
#[test]
fn of_four_mistakes_the_likest_come_first() {
    let made = [Fault::MipNone, Fault::LightColorDecoded, Fault::DiffuseWithoutPi, Fault::NormalMapGreenFlipped];
    let diagnosis = of_stage([60, 80], &made);
    assert_eq!(diagnosis.conclusion, Conclusion::Located, "{diagnosis}");
    assert!(diagnosis.findings.is_sorted_by(|a, b| a.score >= b.score), "{diagnosis}");
    assert!(made.iter().any(|own| diagnosis.findings[0].cause == Cause::from(*own)), "{diagnosis}");
}
