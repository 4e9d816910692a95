//! Other decoders of JPEG: their pictures are right where they are declared, and no mistake with them.
//!
//! The showcases have no such images. Here their textures are two JPEGs, and backends draw them with texels of djpeg and of zune-jpeg.

use std::{collections::BTreeSet, path::Path};

use rayon::prelude::*;
use refrast::{
    golden::Score,
    render::{CameraSettings, RenderSettings},
    scene::{Image, JpegComponents, JpegKind, Scene},
    shading::ShadingMode,
    verify::{
        Declared, Fault, Jpeg, Profile,
        check::check_picture,
        setup::{Question, Setup, Source},
        simulator::{Moment, Shot, Simulator, Variation},
    },
};
use zune_jpeg::{JpegDecoder, zune_core::bytestream::ZCursor};

use crate::{
    declared::exceptions_in_the_guide,
    envelope_faults::{Case, showcase_cases},
    envelope_support::{PROFILES, Shot as Seen, check},
};

const PICTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/envelope/color/tests/jpeg");

/// Showcases whose textures are JPEGs, a sample of a colour difference for four texels in one and for one in the other.
fn cases() -> Vec<Case> {
    let scene = Scene::load(Path::new(PICTURES).join("textures.gltf")).expect("the pictures are there");
    let has_textures = |case: &Case| !case.seen.scene.images.is_empty();
    let cases = showcase_cases().into_iter().filter(has_textures).map(|mut case| {
        for (index, image) in case.seen.scene.images.iter_mut().enumerate() {
            *image = scene.images[index % 2].clone();
        }
        case
    });
    cases.collect()
}

/// The scene with the texels of another decoder.
fn decoded(scene: &Scene, decode: &dyn Fn(&Image) -> Vec<[u8; 3]>) -> Scene {
    let mut scene = scene.clone();
    for image in &mut scene.images {
        let texels = decode(image);
        image.rgba = texels.into_iter().flat_map(|[red, green, blue]| [red, green, blue, 255]).collect();
    }
    scene
}

/// What djpeg has made of one of the two pictures: the README beside them has the commands.
fn by_djpeg(image: &Image, [quarter, full]: [&str; 2]) -> Vec<[u8; 3]> {
    let components = JpegComponents::of(image).expect("it is a JPEG");
    let name = if components.texels_a_sample[1] == [2, 2] { quarter } else { full };
    let file = std::fs::read(Path::new(PICTURES).join(name)).expect("it is there");
    let texels = file.strip_prefix(b"P6\n29 21\n255\n").expect("a picture of 29 x 21 texels");
    texels.as_chunks::<3>().0.to_vec()
}

/// By floats, and as precise as can be.
fn by_floats(image: &Image) -> Vec<[u8; 3]> {
    by_djpeg(image, ["quarter-float.ppm", "full-float.ppm"])
}

/// Each texel takes the sample that it belongs to.
fn unweighed(image: &Image) -> Vec<[u8; 3]> {
    by_djpeg(image, ["quarter-int-nosmooth.ppm", "full-int.ppm"])
}

/// By the matrix of ITU-R BT.709, as of television in high resolution: a mistake.
fn by_another_matrix(image: &Image) -> Vec<[u8; 3]> {
    let JpegComponents { kind, samples, .. } = JpegComponents::of(image).expect("it is a JPEG");
    assert_eq!(kind, JpegKind::Differences);
    let texel = |place: usize| {
        let [luminance, blue, red] = [0, 1, 2].map(|own: usize| f64::from(samples[own][place]));
        let (blue, red) = (blue - 128.0, red - 128.0);
        let colors = [luminance + 1.5748 * red, luminance - 0.1873 * blue - 0.4681 * red, luminance + 1.8556 * blue];
        colors.map(|color| color.round() as u8)
    };
    (0..samples[0].len()).map(texel).collect()
}

/// Pixels of a backend with the texels of another decoder that are outside.
fn outside(case: &Case, profile: Profile, jpeg: Jpeg, decode: &dyn Fn(&Image) -> Vec<[u8; 3]>) -> u64 {
    let scene = decoded(&case.seen.scene, decode);
    let simulator = Simulator::new(&scene).expect("complete textures");
    let declared = Declared { jpeg, ..Declared::default() };
    check(&case.seen.declared_envelope(profile, declared), &case.draw(&simulator, &Variation::default(), &[])).wrong()
}

type Decoder = fn(&Image) -> Vec<[u8; 3]>;

#[test]
fn a_declared_decoder_is_right_and_what_is_like_it_is_wrong() {
    let cases = cases();
    assert!(cases.len() > 3, "{} showcases have textures", cases.len());
    let trials: [(Jpeg, &[Decoder], Decoder); 2] =
        [(Jpeg::Rounded, &[by_floats], unweighed), (Jpeg::Any, &[by_floats, unweighed], by_another_matrix)];
    for (jpeg, right, wrong) in trials {
        for decode in right {
            let alarms: Vec<String> = cases
                .par_iter()
                .flat_map(|case| PROFILES.into_par_iter().map(move |profile| (case, profile)))
                .filter_map(|(case, profile)| {
                    let count = outside(case, profile, jpeg, decode);
                    (count > 0).then(|| format!("{}, {profile}: {count} pixels", case.name))
                })
                .collect();
            assert!(alarms.is_empty(), "{jpeg}: right pictures are refused:\n{}", alarms.join("\n"));
            let refused = cases.par_iter().any(|case| outside(case, Profile::D3d11, Jpeg::Reference, decode) > 0);
            assert!(refused, "{jpeg}: it passes undeclared, so nothing is shown");
        }
        let refused = cases.par_iter().any(|case| outside(case, Profile::Vulkan14, jpeg, &wrong) > 0);
        assert!(refused, "{jpeg}: the wrong backend passes");
    }
}

/// Of mistakes in pictures with JPEGs: what passes where a decoder is declared, and not without that.
#[test]
fn no_other_mistake_passes_with_a_decoder_that_is_declared() {
    let choices = [Jpeg::Reference, Jpeg::Rounded, Jpeg::Any];
    let cases = cases();
    let courts: Vec<_> = cases
        .par_iter()
        .map(|case| {
            let simulator = Simulator::new(&case.seen.scene).expect("complete textures");
            let by = |jpeg| case.seen.declared_envelope(Profile::D3d11, Declared { jpeg, ..Declared::default() });
            (case, simulator, choices.map(by))
        })
        .collect();
    let passes = |fault: Fault| {
        let mut open = [true; 3];
        for (case, simulator, envelopes) in &courts {
            if open.contains(&true) {
                let picture = case.draw(simulator, &Variation::default(), &[fault]);
                for (open, envelope) in open.iter_mut().zip(envelopes).filter(|(open, _)| **open) {
                    *open = check(envelope, &picture).wrong() == 0;
                }
            }
        }
        (fault, open)
    };
    let faults = Fault::ALL.into_par_iter();
    let passed: Vec<(Fault, [bool; 3])> = faults.map(passes).collect();
    assert!(passed.iter().filter(|(_, [undeclared, ..])| !undeclared).count() > 60, "little of textures is seen");
    let found = [1, 2].map(|place: usize| {
        let of = passed.iter().filter(|(_, open)| open[place] && !open[0]).map(|(fault, _)| *fault);
        (format!("--jpeg {}", choices[place]), of.collect::<BTreeSet<Fault>>())
    });
    let told: Vec<_> =
        exceptions_in_the_guide().into_iter().filter(|(option, _)| option.starts_with("--jpeg")).collect();
    assert_eq!(found.to_vec(), told);
}

/// As Bevy draws it: without mip levels, with the texels of zune-jpeg.
#[test]
fn a_picture_of_another_decoder_is_told_which_choice_makes_it_right() {
    let Some(folder) = std::env::var_os("REFRAST_MODELS") else {
        return eprintln!("skipped: REFRAST_MODELS names no folder with models");
    };
    let mut scene = Scene::load(Path::new(&folder).join("CesiumMan/CesiumMan.glb")).expect("the model is there");
    scene.textures.iter_mut().for_each(|texture| texture.sampler.mip = None);
    let settings = RenderSettings { width: 320, height: 240, shading: ShadingMode::Unlit, ..RenderSettings::default() };
    let camera = CameraSettings::default();
    let pose = Moment::Rest.pose(&scene).expect("it has one");
    let seen = Seen {
        camera: camera.camera(&scene, None, &pose, &settings).expect("it is seen"),
        pose,
        settings,
        scene: scene.clone(),
    };
    let bevy = |image: &Image| {
        let file = image.jpeg.as_deref().expect("it is a JPEG");
        JpegDecoder::new(ZCursor::new(file)).decode().expect("it can be decoded").as_chunks::<3>().0.to_vec()
    };
    let drawn = decoded(&scene, &bevy);
    let simulator = Simulator::new(&drawn).expect("complete textures");
    let shot = Shot { moment: Moment::Rest, camera: &seen.camera, settings: &settings };
    let frame = simulator.draw(&shot, &Variation::default(), &[]).expect("it can be drawn");
    let candidate = refrast::golden::Picture::from_rgba8(frame.width, frame.height, frame.rgba).expect("a picture");
    let rules = |jpeg| {
        let declared = Declared { jpeg, ..Declared::default() };
        Question {
            scene: &scene,
            camera: &camera,
            rules: refrast::verify::Rules { profile: Profile::D3d11, declared },
            source: Source::FILE,
            candidate: &candidate,
            images: None,
        }
    };
    let setup = Setup { moment: Moment::Rest, settings };
    let refused = check_picture(&rules(Jpeg::Reference), &setup).expect("it can be judged");
    // Of a few texels that are a step off more samples of them are an explanation, too.
    assert!(!refused.right && refused.right_if == ["--anisotropy 16", "--jpeg rounded"], "{refused}");
    let right = check_picture(&rules(Jpeg::Rounded), &setup).expect("it can be judged");
    let Score::Envelope(verdict) = &right.measurement.score else { panic!("{right}") };
    // At a few edges there are more colours than boxes; its texels are no reason not to know.
    assert!(right.right && verdict.undecided < 50, "{right}");
}
