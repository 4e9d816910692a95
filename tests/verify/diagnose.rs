//! Wrong pictures and buffers, made by a backend with a known mistake and choices of its own: is the mistake named?

use std::path::Path;

use refrast::{
    golden::Picture,
    render::{CameraSettings, RenderSettings, Renderer},
    scene::Scene,
    shading::ShadingMode,
    verify::{
        Fault, Profile,
        diagnose::{Cause, Conclusion, Diagnosis, Stage, diagnose_picture, diagnose_setup},
        setup::{Question, Setup, Source},
        showcase::{Showcase, showcases},
        simulator::{Derivatives, Faults, Moment, OutputRounding, ParametricFault, Scale, Shot, Simulator, Variation},
    },
};

/// Choices that the diagnosis does not try together.
pub(super) const OTHER: Variation = Variation {
    subpixel_bits: Some(8),
    single_precision_window: true,
    reversed: true,
    texel_bits: Some(8),
    level_bits: Some(8),
    derivatives: Derivatives::Fine,
    scale: Scale::Longer,
    output: OutputRounding::HalfUp,
    eight_bit_target: true,
    ..Variation::REFERENCE
};

pub(super) fn showcase(name: &str) -> Showcase {
    showcases().into_iter().find(|showcase| showcase.name == name).expect("a showcase of this name")
}

fn draw(showcase: &Showcase, faults: &[Fault]) -> Picture {
    let shot = Shot { moment: showcase.moment, camera: &showcase.camera, settings: &showcase.settings };
    let simulator = Simulator::new(&showcase.scene).expect("complete textures");
    let frame = simulator.draw(&shot, &OTHER, faults).expect("a showcase can be drawn");
    Picture::from_rgba8(frame.width, frame.height, frame.rgba).expect("a frame is a picture")
}

pub(super) fn diagnose(showcase: &Showcase, candidate: &Picture) -> Diagnosis {
    let shot = Shot { moment: showcase.moment, camera: &showcase.camera, settings: &showcase.settings };
    diagnose_picture(&showcase.scene, &shot, Profile::D3d11, candidate, &|_| {}).expect("it fits the showcase")
}

/// Each mistake, drawn on its showcase, is among the best answers; those that are not are told together.
#[track_caller]
fn assert_named(cases: &[(&str, Fault)]) {
    let missed = cases.iter().filter_map(|&(name, fault)| {
        let showcase = showcase(name);
        let diagnosis = diagnose(&showcase, &draw(&showcase, &[fault]));
        let named = diagnosis.best().any(|best| best == fault);
        (!named).then(|| format!("{name}, {fault}:\n{diagnosis}"))
    });
    let missed: Vec<_> = missed.collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn mistakes_in_pictures_are_named() {
    assert_named(&[
        ("limb", Fault::JointIndexOffByOne),
        ("limb", Fault::NormalNotInverseTransposed),
        ("limb", Fault::MorphAfterSkin),
        ("textures", Fault::TextureTransformOrder),
        ("textures", Fault::MipBias),
        ("alpha", Fault::MaskIgnoresFactor),
        ("alpha", Fault::BlendOrder),
        ("materials", Fault::FactorSrgb),
        ("lights", Fault::SpotConeIgnored),
        ("near-plane", Fault::AffineInterpolation),
        ("samples", Fault::ResolveInSrgb),
        ("limb", Fault::JointBoundByName),
        ("limb", Fault::ReservedNodeName),
        ("limb", Fault::AnimationsIgnored),
        ("textures", Fault::TextureTransformRotationIgnored),
        ("materials", Fault::OutputTruncated),
    ]);
}

/// Those that are most like another one.
#[test]
fn mistakes_in_shadows_are_named() {
    assert_named(&[
        ("cascades", Fault::SplitByDistance),
        ("cascades", Fault::CascadeMatrixStale),
        ("cascades-fitted", Fault::FilterHalfTexel),
        ("cascade-ends", Fault::MapBorder),
    ]);
}

pub(super) fn draw_with(showcase: &Showcase, variation: &Variation, faults: impl Into<Faults>) -> Picture {
    let shot = Shot { moment: showcase.moment, camera: &showcase.camera, settings: &showcase.settings };
    let simulator = Simulator::new(&showcase.scene).expect("complete textures");
    let frame = simulator.draw(&shot, variation, faults).expect("a showcase can be drawn");
    Picture::from_rgba8(frame.width, frame.height, frame.rgba).expect("a frame is a picture")
}

/// Numbers that no list has, and that are not among those that are tried first.
#[test]
fn numbers_of_families_are_fitted() {
    let cases = [
        ("textures", ParametricFault::MipBias { levels: -0.7 }),
        ("materials", ParametricFault::Gamma { gamma: 2.34, in_shader: false }),
        ("materials", ParametricFault::Gamma { gamma: 1.72, in_shader: true }),
        // Nobody encodes.
        ("materials", ParametricFault::Gamma { gamma: 1.0, in_shader: true }),
        ("materials", ParametricFault::Exposure { factor: 1.37 }),
        // Where powers come as near.
        ("materials", ParametricFault::Exposure { factor: 0.95 }),
        ("materials", ParametricFault::Channels { order: [1, 2, 0] }),
        ("edges", ParametricFault::WindowOffset { x: 0.27, y: -0.61 }),
        ("limb", ParametricFault::WeightBits { bits: 4, corrected: false }),
        ("limb", ParametricFault::JointsShifted { by: 1 }),
    ];
    let mut failed = Vec::new();
    for (name, fault) in cases {
        let showcase = showcase(name);
        let diagnosis = diagnose(&showcase, &draw_with(&showcase, &OTHER, fault));
        let named: Vec<Cause> = diagnosis.likely().flat_map(|finding| finding.causes()).collect();
        let is_near = |cause: &Cause| match (cause, fault) {
            (Cause::Parametric(ParametricFault::MipBias { levels }), ParametricFault::MipBias { levels: own }) => {
                (levels - own).abs() < 0.05
            }
            (
                Cause::Parametric(ParametricFault::Gamma { gamma, in_shader }),
                ParametricFault::Gamma { gamma: own, in_shader: whose },
            ) => (gamma - own).abs() < 0.02 && *in_shader == whose,
            (Cause::Parametric(ParametricFault::Exposure { factor }), ParametricFault::Exposure { factor: own }) => {
                (factor - own).abs() < 0.02
            }
            (
                Cause::Parametric(ParametricFault::WindowOffset { x, y }),
                ParametricFault::WindowOffset { x: u, y: v },
            ) => (x - u).abs() < 0.05 && (y - v).abs() < 0.05,
            // The list's member of the family.
            (Cause::Fault(Fault::JointIndexOffByOne), ParametricFault::JointsShifted { by: 1 }) => true,
            (cause, fault) => *cause == Cause::Parametric(fault),
        };
        if !named.iter().any(is_near) {
            failed.push(format!("{name}, {fault}:\n{diagnosis}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// The built-in character without textures, in one grey, and a backend's picture of it with a mistake.
fn plain_mannequin(grey: f32, faults: impl Into<Faults>) -> Diagnosis {
    plain_mannequin_in(ShadingMode::default(), grey, faults)
}

fn plain_mannequin_in(shading: ShadingMode, grey: f32, faults: impl Into<Faults>) -> Diagnosis {
    let mut scene = Scene::mannequin().expect("the built-in character loads");
    for material in &mut scene.materials {
        (material.base_color_texture, material.base_color_factor) = (None, [grey, grey, grey, 1.0]);
    }
    let settings = RenderSettings { width: 96, height: 72, shading, ..RenderSettings::default() };
    let (moment, words) = (Moment::Rest, CameraSettings::default());
    let camera = words.camera(&scene, None, &moment.pose(&scene).expect("a rest pose"), &settings).expect("a camera");
    let shot = Shot { moment, camera: &camera, settings: &settings };
    let frame = Simulator::new(&scene).and_then(|simulator| simulator.draw(&shot, &OTHER, faults));
    let picture = Picture::from_rgba8(96, 72, frame.expect("it can be drawn").rgba).expect("the size fits");
    let (rules, source) = (Profile::D3d11.into(), Source::FILE);
    let question = Question { scene: &scene, camera: &words, rules, source, candidate: &picture, images: None };
    diagnose_setup(&question, &Setup { moment, settings }, &|_| {}).expect("it can be diagnosed")
}

/// On a grey model exchanged channels show in nothing but the background.
#[test]
fn another_background_may_be_exchanged_channels() {
    let fault = ParametricFault::Channels { order: [1, 0, 2] };
    let either = plain_mannequin(0.5, fault);
    assert_eq!(either.conclusion, Conclusion::OneOfThese, "{either}");
    assert_eq!(either.right_with[0].option, Some("--background"), "{either}");
    assert!(either.best().any(|cause| cause == Cause::from(fault)), "{either}");
}

/// On white a power shows in nothing but the background.
#[test]
fn another_background_may_be_a_power() {
    let power = ParametricFault::Gamma { gamma: 1.93, in_shader: false };
    let either = plain_mannequin_in(ShadingMode::Unlit, 1.0, power);
    assert_eq!(either.conclusion, Conclusion::OneOfThese, "{either}");
    assert_eq!(either.right_with[0].option, Some("--background"), "{either}");
    let is_power = |cause: Cause| matches!(cause, Cause::Parametric(ParametricFault::Gamma { gamma, .. }) if (gamma - 1.93).abs() < 0.02);
    assert!(either.best().any(is_power), "{either}");
}

/// The first joint of the palette moves nothing of its own, so that nobody sees whether it has taken the other one's place.
#[test]
fn a_joint_may_be_exchanged_with_one_that_moves_nothing() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let animation = scene.find_animation("Walk").expect("it walks");
    let moment = Moment::Clip { animation, seconds: 0.4 };
    let settings = RenderSettings { width: 160, height: 120, ..RenderSettings::default() };
    let pose = moment.pose(&scene).expect("a moment of the scene");
    let camera = CameraSettings::default().camera(&scene, Some(animation), &pose, &settings).expect("it can be seen");
    let shot = Shot { moment, camera: &camera, settings: &settings };
    let joints = [0, 40];
    let swapped = ParametricFault::JointsSwapped { joints };
    let frame = Simulator::new(&scene).and_then(|simulator| simulator.draw(&shot, &OTHER, swapped));
    let picture = Picture::from_rgba8(160, 120, frame.expect("it can be drawn").rgba).expect("the size fits");
    let diagnosis = diagnose_picture(&scene, &shot, Profile::D3d11, &picture, &|_| {}).expect("it fits the scene");
    assert_eq!(diagnosis.conclusion, Conclusion::OneOfThese, "{diagnosis}");
    let likely: Vec<Cause> = diagnosis.likely().flat_map(|finding| finding.causes()).collect();
    let taken = ParametricFault::JointTakenFor { joint: 40, other: 0 };
    assert!([swapped, taken].into_iter().all(|fault| likely.contains(&fault.into())), "{diagnosis}");
}

/// The headlight leaves a quarter in the dark: four times as much light makes all of it white.
#[test]
fn no_light_on_white_may_be_too_much_of_it() {
    let either = plain_mannequin(1.0, ParametricFault::Exposure { factor: 4.2 });
    assert_eq!(either.conclusion, Conclusion::OneOfThese, "{either}");
    assert_eq!(either.right_with[0].to_string(), "--shading unlit", "{either}");
    let is_brighter =
        |cause: Cause| matches!(cause, Cause::Parametric(ParametricFault::Exposure { factor }) if factor > 1.0);
    assert!(either.best().any(is_brighter), "{either}");
    // Where shades are left, it is the light that is wrong, or it is unlit.
    let named = plain_mannequin(0.5, ParametricFault::Exposure { factor: 1.6 });
    assert_eq!((named.conclusion, named.right_with.len()), (Conclusion::Named, 0), "{named}");
    // A power beside it shows in the background alone, which is no other background.
    let power = ParametricFault::Gamma { gamma: 1.9, in_shader: false };
    let both = plain_mannequin(1.0, Faults::from(ParametricFault::Exposure { factor: 4.2 }).and(power));
    assert_eq!((both.conclusion, both.right_with.len()), (Conclusion::OneOfThese, 2), "{both}");
    let pair = both.likely().next().expect("two mistakes");
    assert!(pair.causes().any(is_brighter), "{both}");
    let is_power = |cause: Cause| matches!(cause, Cause::Parametric(ParametricFault::Gamma { gamma, .. }) if (gamma - 1.9).abs() < 0.05);
    assert!(pair.beside.is_some_and(is_power), "{both}");
}

/// Where targets follow each other in a clip, one that is taken for another may show another moment of it.
#[test]
fn another_moment_may_be_another_target() {
    let Some(folder) = std::env::var_os("REFRAST_MODELS") else {
        return eprintln!("skipped: REFRAST_MODELS names no folder with models");
    };
    let scene =
        Scene::load(Path::new(&folder).join("MorphStressTest/MorphStressTest.gltf")).expect("the model is there");
    let animation = scene.find_animation("Individuals").expect("a clip of the model");
    let moment = Moment::Clip { animation, seconds: 0.4 };
    let settings = RenderSettings { width: 96, height: 72, ..RenderSettings::default() };
    let words = CameraSettings::default();
    let pose = moment.pose(&scene).expect("the clip is there");
    let camera = words.camera(&scene, moment.clip(), &pose, &settings).expect("it can be seen");
    let shot = Shot { moment, camera: &camera, settings: &settings };
    let fault = ParametricFault::MorphTargetsShifted { by: 2 };
    let frame = Simulator::new(&scene).and_then(|simulator| simulator.draw(&shot, &OTHER, fault));
    let picture = Picture::from_rgba8(96, 72, frame.expect("it can be drawn").rgba).expect("the size fits");
    let (rules, source) = (Profile::D3d11.into(), Source::FILE);
    let question = Question { scene: &scene, camera: &words, rules, source, candidate: &picture, images: None };
    let either = diagnose_setup(&question, &Setup { moment, settings }, &|_| {}).expect("it can be diagnosed");
    assert_eq!(either.conclusion, Conclusion::OneOfThese, "{either}");
    assert_eq!(either.right_with[0].option, Some("--time"), "{either}");
    assert!(either.best().any(|cause| cause == Cause::from(fault)), "{either}");
}

/// Moved by a third of a texel a texture would explain those few pixels, and change thousands that are right.
#[test]
fn a_few_pixels_of_an_elbow_are_no_texture_that_is_moved() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let moment =
        Moment::Clip { animation: scene.find_animation("Walk").expect("a clip of the mannequin"), seconds: 0.3 };
    let settings = RenderSettings { width: 320, height: 240, ..RenderSettings::default() };
    let pose = moment.pose(&scene).expect("the clip is there");
    let camera = CameraSettings::default().camera(&scene, moment.clip(), &pose, &settings).expect("it can be seen");
    let shot = Shot { moment, camera: &camera, settings: &settings };
    let fault = ParametricFault::JointsSwapped { joints: [5, 6] };
    let simulator = Simulator::new(&scene).expect("the mannequin can be drawn");
    let frame = simulator.draw(&shot, &OTHER, fault).expect("the mannequin can be drawn");
    let picture = Picture::from_rgba8(320, 240, frame.rgba).expect("the size fits");
    let diagnosis = diagnose_picture(&scene, &shot, Profile::D3d11, &picture, &|_| {}).expect("it can be diagnosed");
    assert!((10..200).contains(&diagnosis.wrong), "{diagnosis}");
    assert_eq!(diagnosis.best().collect::<Vec<_>>(), [Cause::from(fault)], "{diagnosis}");
}

#[test]
fn a_choice_that_was_not_declared_is_no_mistake() {
    let showcase = showcase("materials");
    let dithered = Variation { dither_steps: 1, eight_bit_target: false, ..OTHER };
    let diagnosis = diagnose(&showcase, &draw_with(&showcase, &dithered, Faults::default()));
    assert_eq!(diagnosis.conclusion, Conclusion::Named, "{diagnosis}");
    assert_eq!(diagnosis.best().map(|cause| cause.to_string()).collect::<Vec<_>>(), ["--dither ordered-1lsb"]);
    assert_eq!(diagnosis.right_if, ["--dither ordered-1lsb"]);
}

#[test]
fn where_it_is_wrong_is_told_without_a_name() {
    // Half of the picture is moved by two columns: no mistake that anybody knows, and outlines are wrong.
    let showcase = showcase("limb");
    let right = draw(&showcase, &[]);
    let (width, height) = right.size();
    let bytes = right.samples8();
    let moved = bytes.chunks_exact(4 * width as usize).enumerate().flat_map(|(row, bytes)| {
        let mut bytes = bytes.to_vec();
        if row < height as usize / 2 {
            bytes.rotate_right(8);
        }
        bytes
    });
    let candidate = Picture::from_rgba8(width, height, moved.collect::<Vec<u8>>()).expect("the same size");
    let diagnosis = diagnose(&showcase, &candidate);
    assert_eq!(diagnosis.conclusion, Conclusion::Located, "{diagnosis}");
    let place = diagnosis.place.as_ref().expect("a wrong picture has a place");
    assert_eq!(place.stage, Some(Stage::Geometry), "{diagnosis}");
    let [_, top, _, rows] = place.region.expect("of a picture");
    assert!(top + rows <= height / 2, "{:?}", place.region);
    assert!(!place.joints.is_empty() && diagnosis.to_string().contains("where: geometry"), "{diagnosis}");
}

/// What stores a colour stores the background, too: no outline is wrong, though every pixel of the background is.
#[test]
fn colours_that_reach_the_background_are_no_outlines() {
    let showcase = showcase("limb");
    let right = draw(&showcase, &[]);
    let bytes = right.samples8();
    let inverted = bytes.iter().enumerate().map(|(place, byte)| if place % 4 == 3 { *byte } else { 255 - byte });
    let candidate =
        Picture::from_rgba8(right.width(), right.height(), inverted.collect::<Vec<u8>>()).expect("its size");
    let diagnosis = diagnose(&showcase, &candidate);
    assert_eq!(diagnosis.conclusion, Conclusion::Located, "{diagnosis}");
    assert_eq!(diagnosis.place.as_ref().and_then(|place| place.stage), Some(Stage::Colour), "{diagnosis}");
    // And a name has the stage in which it lies.
    let exchanged = ParametricFault::Channels { order: [1, 2, 0] };
    let named = diagnose(&showcase, &draw_with(&showcase, &OTHER, exchanged));
    assert_eq!(named.conclusion, Conclusion::Named, "{named}");
    assert_eq!(named.place.and_then(|place| place.stage), Some(Stage::Colour));
}

/// A level of detail that is off, and coordinates that are.
#[test]
fn filters_are_told_from_coordinates() {
    let showcase = showcase("textures");
    let draw = |fault| draw_with(&showcase, &OTHER, fault);
    let stage = |candidate: &Picture| diagnose(&showcase, candidate).place.and_then(|place| place.stage);
    let [blunt, moved] = [
        ParametricFault::MipBias { levels: 0.8 },
        ParametricFault::TexcoordsMoved { scale: [1.0; 2], offset: [0.31, 0.17], swapped: false },
    ];
    assert_eq!(stage(&draw(blunt)), Some(Stage::Filtering));
    assert_eq!(stage(&draw(moved)), Some(Stage::TextureCoordinates));
}

#[test]
fn a_right_picture_leaves_nothing_to_explain() {
    let showcase = showcase("materials");
    let diagnosis = diagnose(&showcase, &draw(&showcase, &[]));
    assert_eq!((diagnosis.conclusion, diagnosis.wrong), (Conclusion::NothingToExplain, 0));

    let pose = showcase.moment.pose(&showcase.scene).expect("a pose");
    let mut renderer = Renderer::new(&showcase.scene, showcase.settings).expect("valid settings");
    let frame = renderer.render(&pose, &showcase.camera).expect("a frame");
    let own = Picture::from_rgba8(frame.width(), frame.height(), frame.rgba()).expect("a frame is a picture");
    assert_eq!(diagnose(&showcase, &own).conclusion, Conclusion::NothingToExplain);
}

#[test]
fn a_mistake_that_nobody_knows_is_called_so() {
    let showcase = showcase("materials");
    let right = draw(&showcase, &[]);
    let mut bytes = right.samples8().into_owned();
    // A wave across the picture.
    for (index, pixel) in bytes.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let wave = 30.0 * libm::sin(0.3 * (index as u32 % right.width()) as f64);
        pixel[..3].iter_mut().for_each(|byte| *byte = (f64::from(*byte) + wave).clamp(0.0, 255.0) as u8);
    }
    let waved = Picture::from_rgba8(right.width(), right.height(), bytes).expect("the same size");
    let diagnosis = diagnose(&showcase, &waved);
    assert_eq!((diagnosis.conclusion.is_answer(), diagnosis.best().count()), (false, 0), "{diagnosis}");
    assert!(diagnosis.to_string().contains("none of the"), "{diagnosis}");
}

/// What engines do and no fault of the list does: a step or two in very many pixels.
#[test]
fn small_errors_everywhere_get_no_name() {
    // Bayer's matrix of 4 x 4, as thresholds from -1/2 to 1/2.
    const BAYER: [[f64; 4]; 4] =
        [[0.0, 8.0, 2.0, 10.0], [12.0, 4.0, 14.0, 6.0], [3.0, 11.0, 1.0, 9.0], [15.0, 7.0, 13.0, 5.0]];
    let mut failed = Vec::new();
    let (two, four) = (("dither of two steps", 4.0), ("dither of four steps", 8.0));
    for (name, (what, amplitude)) in [("materials", two), ("textures", four), ("lights", two), ("limb", four)] {
        let showcase = showcase(name);
        let right = draw(&showcase, &[]);
        let width = right.width() as usize;
        let right_bytes = right.samples8();
        let bytes = right_bytes.iter().enumerate().map(|(place, &byte)| {
            let (x, y) = (place / 4 % width, place / 4 / width);
            let threshold = (BAYER[y % 4][x % 4] + 0.5) / 16.0 - 0.5;
            let dithered = f64::from(byte) + amplitude * threshold;
            if place % 4 == 3 { byte } else { dithered.round().clamp(0.0, 255.0) as u8 }
        });
        let candidate = Picture::from_rgba8(right.width(), right.height(), bytes.collect::<Vec<u8>>());
        let diagnosis = diagnose(&showcase, &candidate.expect("the same size"));
        if diagnosis.best().next().is_some() {
            failed.push(format!("{name}, {what}:\n{diagnosis}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn another_set_up_comes_before_any_mistake() {
    let scene = Scene::mannequin().expect("the built-in character");
    let settings = RenderSettings { width: 96, height: 128, ..RenderSettings::default() };
    let animation = scene.find_animation("Walk").expect("a clip");
    let camera = CameraSettings::default();
    let drawn = Moment::Clip { animation, seconds: 0.4 };
    let pose = drawn.pose(&scene).expect("a moment of the clip");
    let view = camera.camera(&scene, Some(animation), &pose, &settings).expect("a camera");
    let simulator = Simulator::new(&scene).expect("complete textures");
    let shot = Shot { moment: drawn, camera: &view, settings: &settings };
    let frame = simulator.draw(&shot, &OTHER, &[]).expect("it can be drawn");
    let candidate = Picture::from_rgba8(frame.width, frame.height, frame.rgba).expect("a frame is a picture");
    let question = Question {
        scene: &scene,
        camera: &camera,
        rules: Profile::D3d11.into(),
        source: Source::FILE,
        candidate: &candidate,
        images: None,
    };
    let asked = Setup { moment: Moment::Clip { animation, seconds: 0.5 }, settings };
    let diagnosis = diagnose_setup(&question, &asked, &|_| {}).expect("it fits the scene");
    assert_eq!(diagnosis.conclusion, Conclusion::AnotherSetup, "{diagnosis}");
    assert!(diagnosis.to_string().contains("it is right with --time 0.4"), "{diagnosis}");
    let right = diagnose_setup(&question, &Setup { moment: drawn, settings }, &|_| {}).expect("it fits the scene");
    assert_eq!(right.conclusion, Conclusion::NothingToExplain, "{right}");
}

#[test]
fn faults_with_one_picture_are_all_named() {
    // Without a texture, all that textures are taken for is the same; here there is one light and no more.
    let showcase = showcase("vulkan");
    let fault = Fault::AmbientMissing;
    let diagnosis = diagnose(&showcase, &draw(&showcase, &[fault]));
    assert!(diagnosis.best().any(|best| best == fault), "{diagnosis}");
    let names: Vec<Fault> = diagnosis.best().filter_map(Cause::fault).collect();
    let pictures: Vec<Picture> = names.iter().map(|fault| draw(&showcase, &[*fault])).collect();
    assert!(pictures.iter().all(|picture| *picture == pictures[0]), "{names:?}");
}

#[test]
fn another_size_is_refused_with_a_reason() {
    let showcase = showcase("edges");
    let shot = Shot { moment: showcase.moment, camera: &showcase.camera, settings: &showcase.settings };
    let small = Picture::from_rgba8(2, 1, vec![0; 8]).expect("two pixels");
    let error = diagnose_picture(&showcase.scene, &shot, Profile::D3d11, &small, &|_| {}).expect_err("another size");
    assert!(error.to_string().contains("2x1"), "{error}");
}
