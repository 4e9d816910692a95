//! Envelopes of whole frames: what must lie inside, and what must not.

use std::num::NonZeroUsize;

use crate::envelope_support::{PROFILES, Shot, check, flat_shot, painted, plain, random_shot, square};
use glam::{Mat4, Vec3};
use refrast::{
    animation::Pose,
    golden::{Picture, envelope::PixelClass},
    raster::{Convention, SampleCount},
    render::{
        Bounds, Camera, Orbit, RenderSettings, Renderer,
        program::{Bindings, Preset, ProgramSettings},
    },
    scene::{AlphaMode, Primitive, Scene, Topology},
    shading::{Development, ShadingMode, ToneMapping},
    skinning::SkinningMethod,
    verify::{
        Profile,
        envelope::{CauseKind, EnvelopeSettings, SampleDepths, frame_envelope},
    },
    vertex_program::{LibraryProgram, NumericModel, Settings, assemble},
};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const RED_BYTES: [u8; 4] = [255, 0, 0, 255];
const NOTHING: [u8; 4] = [0, 0, 0, 255];

/// Fails unless the frame on grids of these bits lies in the envelope of each profile that allows them.
#[track_caller]
fn assert_holds_itself(shot: &Shot, what: &str) {
    for profile in PROFILES {
        let made = shot.envelope(profile);
        let own = check(&made.envelope, &made.golden);
        assert_eq!(own.wrong(), 0, "{what}, {profile}: {:?}", own.worst.first());
        let grids: &[u32] = if profile == Profile::D3d11 { &[8] } else { &[4, 8, 16] };
        for &bits in grids {
            let verdict = check(&made.envelope, &shot.picture_on_grid(bits));
            let worst = verdict.worst.first();
            let causes = worst.map(|worst| made.causes.of(worst.x, worst.y));
            assert_eq!(verdict.wrong(), 0, "{what}, {profile}, {bits} bits: {worst:?}\n{causes:?}");
        }
    }
}

/// A view of the built-in character.
fn view(clip: &str, seconds: f32, orbit: Orbit, settings: RenderSettings) -> Shot {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let clip = scene.find_animation(clip).expect("the clip is there");
    let pose = Pose::sample(&scene, clip, seconds).expect("the time is a number");
    let bounds = Bounds::of(&scene, Some(clip)).expect("the clip is there");
    let aspect_ratio = f64::from(settings.width) / f64::from(settings.height);
    let camera = Camera::orbit(&bounds, orbit, aspect_ratio, settings.convention);
    Shot { scene, pose, camera, settings }
}

fn small() -> RenderSettings {
    RenderSettings { width: 160, height: 200, ..RenderSettings::default() }
}

fn orbit(yaw: f64, pitch: f64) -> Orbit {
    Orbit { yaw, pitch, distance: None }
}

#[test]
fn the_character_lies_in_its_own_envelope_on_every_grid() {
    let four = RenderSettings { samples: SampleCount::Four, ..small() };
    let close = Orbit { yaw: 15.0, pitch: 0.0, distance: Some(0.45) };
    assert_holds_itself(&view("Walk", 0.3, Orbit::default(), small()), "walk");
    assert_holds_itself(&view("Walk", 0.8, orbit(200.0, 20.0), four), "walk, 4 samples");
    assert_holds_itself(&view("Flex", 2.75, orbit(-40.0, 10.0), four), "flex, 4 samples");
    let mirrored = RenderSettings { samples: SampleCount::FourMirrored, ..small() };
    assert_holds_itself(&view("Walk", 0.8, orbit(200.0, 20.0), mirrored), "walk, 4 samples in a mirror");
    assert_holds_itself(&view("Walk", 0.3, close, small()), "through the near plane");
    let vulkan = RenderSettings { convention: Convention::Vulkan, ..small() };
    assert_holds_itself(&view("Walk", 0.2, orbit(45.0, 80.0), vulkan), "from above, vulkan");
    let d3d = RenderSettings { convention: Convention::D3d, ..small() };
    assert_holds_itself(&view("Expression", 1.2, orbit(10.0, 5.0), d3d), "expression, d3d");
}

#[test]
fn every_view_lies_in_its_own_envelope() {
    for shading in ShadingMode::ALL {
        let settings = RenderSettings { shading, width: 64, height: 80, ..RenderSettings::default() };
        let shot = view("Walk", 0.3, Orbit::default(), settings);
        for (profile, bits) in [(Profile::D3d11, 8), (Profile::VulkanMin, 4)] {
            let verdict = check(&shot.envelope(profile).envelope, &shot.picture_on_grid(bits));
            assert_eq!(verdict.wrong(), 0, "{shading}, {profile}: {:?}", verdict.worst.first());
        }
    }
}

#[test]
fn every_skinning_method_lies_in_its_own_envelope() {
    for skinning in SkinningMethod::ALL {
        let settings = RenderSettings { skinning, width: 80, height: 100, ..RenderSettings::default() };
        let shot = view("Flex", 1.5, Orbit::default(), settings);
        let made = shot.envelope(Profile::Vulkan14);
        assert_eq!(check(&made.envelope, &made.golden).wrong(), 0, "{skinning}");
        let verdict = check(&made.envelope, &shot.picture_on_grid(16));
        assert_eq!(verdict.wrong(), 0, "{skinning}: {:?}", verdict.worst.first());
    }
}

#[test]
fn a_program_lies_in_the_envelope_of_its_other_dialects() {
    let shot =
        view("Walk", 0.3, Orbit::default(), RenderSettings { width: 80, height: 100, ..RenderSettings::default() });
    let program = |form: usize, model: NumericModel| {
        let text = LibraryProgram::named("bone_offset_4").expect("it is in the library").texts()[form];
        let program = assemble(text).expect("it assembles").program;
        let machine = Settings { model, ..Settings::default() };
        let bindings = Bindings::from(Preset::of_library_program("bone_offset_4"));
        ProgramSettings { machine, bindings, ..ProgramSettings::new(program) }
    };
    let renderer = |form, model| {
        Renderer::with_program(&shot.scene, shot.settings, program(form, model)).expect("it draws the character")
    };
    let mut golden = renderer(0, NumericModel::NvSpec);
    let profile = EnvelopeSettings::of(Profile::D3d11);
    let made = frame_envelope(&mut golden, &shot.pose, &shot.camera, profile).expect("an envelope");
    assert!(made.envelope.statistics().mean_width() < 8.0, "{:?}", made.envelope.statistics());
    for (form, model) in [(0, NumericModel::NvSpec), (1, NumericModel::Ieee), (2, NumericModel::Ieee)] {
        let mut other = renderer(form, model);
        let frame = other.render(&shot.pose, &shot.camera).expect("the pose fits the scene");
        let picture = Picture::from_rgba8(frame.width(), frame.height(), frame.rgba()).expect("a frame is a picture");
        let verdict = check(&made.envelope, &picture);
        assert_eq!(verdict.wrong(), 0, "form {form}: {:?}", verdict.worst.first());
    }
}

#[test]
fn random_scenes_lie_in_their_own_envelopes() {
    for seed in 0..25 {
        assert_holds_itself(&random_shot(seed), &format!("seed {seed}"));
    }
}

#[test]
fn light_of_less_than_none_lies_inside() {
    // Where a sample of a small triangle is covered and the pixel's centre is far outside, what arrives of ambient light is extrapolated to
    // less than 0, and tone mapping makes a colour of that.
    let development = Development { exposure: 1.25, tone: ToneMapping::Neutral };
    let settings = RenderSettings {
        width: 320,
        height: 400,
        samples: SampleCount::Four,
        shading: ShadingMode::Lit,
        development,
        ..RenderSettings::default()
    };
    let made = view("Walk", 0.3, Orbit::default(), settings).envelope(Profile::D3d11);
    let own = check(&made.envelope, &made.golden);
    assert_eq!(own.wrong(), 0, "{:?}", own.worst.first());
}

#[test]
fn the_exact_profile_is_the_golden_and_nothing_else() {
    let shot = random_shot(3);
    let made = shot.envelope(Profile::Exact);
    assert_eq!(check(&made.envelope, &made.golden).wrong(), 0);
    let [red, ..] = made.golden.pixel(5, 5).expect("a pixel").map(|value| value as u8);
    let off_by_one = painted(&made.golden, &[(5, 5, [red ^ 1, 0, 0, 255])]);
    assert_eq!(check(&made.envelope, &off_by_one).wrong(), 1);
}

#[test]
fn threads_change_nothing() {
    let envelope = |threads| {
        let settings = RenderSettings { threads: NonZeroUsize::new(threads), ..small() };
        let made = view("Walk", 0.3, Orbit::default(), settings).envelope(Profile::Vulkan14);
        (made.envelope, made.causes)
    };
    assert_eq!(envelope(1), envelope(3));
}

#[test]
fn a_picture_half_a_pixel_off_is_outside() {
    // Samples at the corners of pixels: the trap pixel-centre-integer.
    for profile in PROFILES {
        let shot = view("Walk", 0.3, Orbit::default(), small());
        let made = shot.envelope(profile);
        let step = Vec3::new(1.0 / shot.settings.width as f32, 1.0 / shot.settings.height as f32, 0.0);
        let camera = Camera { projection: Mat4::from_translation(step) * shot.camera.projection, ..shot.camera };
        let verdict = check(&made.envelope, &shot.picture_with(&shot.settings, &camera));
        assert!(verdict.wrong() > 150, "{profile}: only {} pixels are outside", verdict.wrong());
        assert!(verdict.missing > 0 && verdict.unexpected > 0, "{profile}: {verdict:?}");
    }
}

#[test]
fn a_crack_is_outside() {
    // The diagonal of a square from (2, 2) to (14, 14) runs through the centres of the pixels on it: one of both triangles must
    // own them.
    let shot = flat_shot(vec![(square([2.0, 2.0, 14.0, 14.0], 0.5), plain(RED, AlphaMode::Opaque))]);
    for profile in PROFILES {
        let made = shot.envelope(profile);
        for at in 2..14 {
            let boxes: Vec<_> = made.envelope.boxes(at, at).collect();
            assert!(
                boxes.iter().all(|own| own.contains(RED_BYTES) && !own.contains(NOTHING)),
                "{profile} {at}: {boxes:?}"
            );
            let kinds: Vec<_> = made.causes.of(at, at).iter().map(|cause| cause.kind).collect();
            // Direct3D says which of them it is, Vulkan does not.
            let expected = if profile == Profile::D3d11 { &[CauseKind::Surface][..] } else { &[CauseKind::Edge; 2] };
            assert_eq!(kinds, expected, "{profile} {at}");
        }
        let cracked = painted(&made.golden, &[(7, 7, NOTHING)]);
        let verdict = check(&made.envelope, &cracked);
        assert_eq!((verdict.missing, verdict.wrong()), (1, 1), "{profile}");
    }
}

#[test]
fn a_double_hit_is_outside() {
    // White over black at one half, once: 0.5 in linear light, byte 188. Twice: 0.75, byte 225.
    let glass = plain([1.0, 1.0, 1.0, 0.5], AlphaMode::Blend);
    let shot = flat_shot(vec![(square([2.0, 2.0, 14.0, 14.0], 0.5), glass)]);
    for profile in PROFILES {
        let made = shot.envelope(profile);
        let boxes: Vec<_> = made.envelope.boxes(7, 7).collect();
        assert!(boxes.iter().all(|own| own.low[0] >= 186 && own.high[0] <= 190), "{profile}: {boxes:?}");
        let twice = painted(&made.golden, &[(7, 7, [225, 225, 225, 255])]);
        assert_eq!(check(&made.envelope, &twice).wrong(), 1, "{profile}");
        let none = painted(&made.golden, &[(7, 7, NOTHING)]);
        assert_eq!(check(&made.envelope, &none).wrong(), 1, "{profile}");
    }
}

#[test]
fn an_outer_edge_through_sample_points_is_a_choice() {
    // The left side at 2.5 runs through the centres of column 2.
    let shot = flat_shot(vec![(square([2.5, 2.0, 14.0, 14.0], 0.5), plain(RED, AlphaMode::Opaque))]);
    let made = shot.envelope(Profile::Vulkan14);
    for color in [RED_BYTES, NOTHING] {
        assert_eq!(check(&made.envelope, &painted(&made.golden, &[(2, 8, color)])).wrong(), 0);
    }
    // A union, and no hull: half of both is neither.
    let verdict = check(&made.envelope, &painted(&made.golden, &[(2, 8, [128, 0, 0, 255])]));
    assert_eq!(verdict.wrong(), 1);
    assert_eq!(check(&made.envelope, &painted(&made.golden, &[(3, 8, NOTHING)])).missing, 1);
    assert_eq!(check(&made.envelope, &painted(&made.golden, &[(1, 8, RED_BYTES)])).unexpected, 1);
}

/// The same sides by Direct3D's rules: the grid is fixed, and so is who owns a sample on a side.
#[test]
fn direct3d_has_a_top_left_rule() {
    let shot = flat_shot(vec![(square([2.5, 2.5, 13.5, 13.5], 0.5), plain(RED, AlphaMode::Opaque))]);
    let made = shot.envelope(Profile::D3d11);
    let allowed =
        |x: u32, y: u32| [RED_BYTES, NOTHING].map(|color| made.envelope.boxes(x, y).any(|own| own.contains(color)));
    // Left, right, top, bottom; the first and the last corner.
    assert_eq!(
        [allowed(2, 8), allowed(13, 8), allowed(8, 2), allowed(8, 13)],
        [[true, false], [false, true], [true, false], [false, true]]
    );
    assert_eq!([allowed(2, 2), allowed(13, 13)], [[true, false], [false, true]]);
}

/// A backend that clips to the picture snaps what it cuts, so that a side which leaves the picture may turn a little.
#[test]
fn a_side_that_leaves_the_picture_is_a_choice() {
    let shot = flat_shot(vec![(square([2.5, 2.5, 20.0, 13.0], 0.5), plain(RED, AlphaMode::Opaque))]);
    let made = shot.envelope(Profile::D3d11);
    let allowed =
        |x: u32, y: u32| [RED_BYTES, NOTHING].map(|color| made.envelope.boxes(x, y).any(|own| own.contains(color)));
    assert_eq!(allowed(8, 2), [true, true], "the upper side leaves it");
    assert_eq!(allowed(2, 8), [true, false], "the left side does not");
}

#[test]
fn what_is_surely_nearer_hides_and_equal_depths_are_a_choice() {
    let green = plain([0.0, 1.0, 0.0, 1.0], AlphaMode::Opaque);
    let both = |depth: f32| {
        let red = (square([1.0, 1.0, 15.0, 15.0], 0.5), plain(RED, AlphaMode::Opaque));
        flat_shot(vec![red, (square([2.0, 2.0, 14.0, 14.0], depth), green.clone())])
    };
    let allowed = |shot: &Shot, color: [u8; 4]| {
        let made = shot.envelope(Profile::D3d11);
        made.envelope.boxes(10, 5).any(|own| own.contains(color))
    };
    let green_bytes = [0, 255, 0, 255];
    assert!(allowed(&both(0.4), green_bytes) && !allowed(&both(0.4), RED_BYTES));
    assert!(!allowed(&both(0.6), green_bytes) && allowed(&both(0.6), RED_BYTES));
    let tie = both(f32::from_bits(0.5f32.to_bits() + 1));
    assert!(allowed(&tie, green_bytes) && allowed(&tie, RED_BYTES));
}

#[test]
fn four_samples_are_choices_each() {
    // A vertical edge at 5.5: of a pixel's samples, at 6, 14, 2 and 10 sixteenths, two lie left of it and none is near.
    let mut shot = flat_shot(vec![(square([5.5, 2.0, 14.0, 14.0], 0.5), plain(RED, AlphaMode::Opaque))]);
    shot.settings.samples = SampleCount::Four;
    let made = shot.envelope(Profile::Vulkan14);
    // Half of red in linear light is byte 188. A sample more or less would be 225 or 137.
    let allowed = |shade: u8| made.envelope.boxes(5, 8).any(|own| own.contains([shade, 0, 0, 255]));
    assert!(allowed(188) && !allowed(225) && !allowed(137) && !allowed(255) && !allowed(0));
    // An edge at 5.625 runs through the sample at 10 sixteenths: one or two samples.
    let mut shot = flat_shot(vec![(square([5.625, 2.0, 14.0, 14.0], 0.5), plain(RED, AlphaMode::Opaque))]);
    shot.settings.samples = SampleCount::Four;
    let made = shot.envelope(Profile::Vulkan14);
    let allowed = |shade: u8| made.envelope.boxes(5, 8).any(|own| own.contains([shade, 0, 0, 255]));
    assert!(allowed(188) && allowed(137) && !allowed(160) && !allowed(225) && !allowed(0));
}

#[test]
fn depths_of_mirrored_samples_are_refused_and_known() {
    // A black slope cuts through a red square along 2x + y = 1, counted from the corner of pixel (5, 5). Two of its samples lie
    // beyond, where red is nearer; mirrored there would be three.
    let depth = |[x, y]: [f32; 2]| 0.5 + 0.02 * (2.0 * (x - 5.0) + (y - 5.0) - 1.0);
    let mut slope = square([2.0, 2.0, 9.0, 9.0], 0.5);
    slope.positions.iter_mut().for_each(|[x, y, z]| *z = depth([*x, *y]));
    let red = (square([2.0, 2.0, 9.0, 9.0], 0.5), plain(RED, AlphaMode::Opaque));
    let mut shot = flat_shot(vec![red, (slope, plain([0.0, 0.0, 0.0, 1.0], AlphaMode::Opaque))]);
    shot.settings.samples = SampleCount::Four;
    let allowed = |sample_depths: SampleDepths| {
        let mut renderer = Renderer::new(&shot.scene, shot.settings).expect("valid settings");
        // With 8 bits of position: with 4 the slope itself may be a sample further on.
        let profile = "vulkan-8-8-6".parse::<Profile>().expect("stated bits");
        let settings = EnvelopeSettings { sample_depths, ..EnvelopeSettings::of(profile) };
        let made = frame_envelope(&mut renderer, &shot.pose, &shot.camera, settings).expect("an envelope");
        // Red light of one, two and three samples.
        [137, 188, 225].map(|shade| made.envelope.boxes(5, 5).any(|own| own.contains([shade, 0, 0, 255])))
    };
    assert_eq!(allowed(SampleDepths::InPlace), [false, true, false]);
    assert_eq!(allowed(SampleDepths::MirroredInX), [false, false, true]);
}

#[test]
fn lines_and_points_are_allowed_near_where_they_are_and_nowhere_else() {
    let line = Primitive {
        topology: Topology::Lines,
        indices: vec![0, 1],
        positions: vec![[3.0, 8.25, 0.5], [12.0, 8.25, 0.5]],
        ..Primitive::default()
    };
    let point = Primitive {
        topology: Topology::Points,
        indices: vec![0],
        positions: vec![[4.5, 3.5, 0.5]],
        ..Primitive::default()
    };
    let material = plain(RED, AlphaMode::Opaque);
    let made = flat_shot(vec![(line, material.clone()), (point, material)]).envelope(Profile::D3d11);
    let classes = |x, y| {
        let verdict = check(&made.envelope, &painted(&made.golden, &[(x, y, RED_BYTES)]));
        verdict.class(x, y)
    };
    assert_eq!([classes(7, 7), classes(7, 8), classes(4, 3)], [Some(PixelClass::Right); 3]);
    assert_eq!([classes(7, 10), classes(7, 5), classes(15, 8), classes(7, 3)], [Some(PixelClass::Unexpected); 4]);
}

#[test]
fn a_mask_cuts_where_it_surely_does() {
    let masked = |alpha: f32| {
        let material = plain([1.0, 0.0, 0.0, alpha], AlphaMode::Mask { cutoff: 0.5 });
        let made = flat_shot(vec![(square([2.0, 2.0, 14.0, 14.0], 0.5), material)]).envelope(Profile::D3d11);
        [RED_BYTES, NOTHING].map(|color| made.envelope.boxes(9, 5).any(|own| own.contains(color)))
    };
    assert_eq!(masked(0.75), [true, false]);
    assert_eq!(masked(0.25), [false, true]);
}

#[test]
fn boxes_of_the_character_are_tight() {
    let shot = view("Walk", 0.3, Orbit::default(), small());
    let widths = PROFILES.map(|profile| {
        let statistics = shot.envelope(profile).envelope.statistics();
        assert!(statistics.loose_share() < 0.002, "{profile}: {statistics:?}");
        assert!(statistics.mean_boxes() < 1.2, "{profile}: {statistics:?}");
        statistics.mean_width()
    });
    assert!(widths[0] < 4.0 && widths[0] <= widths[1] && widths[1] <= widths[2], "{widths:?}");
}
