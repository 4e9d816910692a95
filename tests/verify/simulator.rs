//! The simulator against the pipeline: two renderers from one text, written apart.

use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

use refrast::{
    raster::{Convention, SampleCount},
    render::{Camera, Orbit, RenderSettings, Renderer},
    scene::{ChannelTarget, Scene},
    shading::ShadingMode,
    skinning::SkinningMethod,
    verify::{
        Fault,
        showcase::showcases,
        simulator::{
            BAND, DepthFunction, Faults, Moment, ParametricFault, Played, Shot, Simulator, Variation, as_read,
            is_sparse,
        },
    },
};

fn settings() -> RenderSettings {
    RenderSettings { width: 240, height: 300, ..RenderSettings::default() }
}

/// Both pictures of the mannequin.
fn both(scene: &Scene, clip: &str, seconds: f32, orbit: Orbit, settings: RenderSettings) -> [Vec<u8>; 2] {
    let animation = scene.find_animation(clip).expect("the clip is there");
    let moment = Moment::Clip { animation, seconds };
    let pose = moment.pose(scene).expect("the time is a number");
    let mut renderer = Renderer::new(scene, settings).expect("valid settings");
    let bounds = renderer.bounds(&pose).expect("the pose fits the scene");
    let aspect_ratio = f64::from(settings.width) / f64::from(settings.height);
    let camera = Camera::orbit(&bounds, orbit, aspect_ratio, settings.convention);
    let golden = renderer.render(&pose, &camera).expect("the pose fits the scene").rgba().to_vec();
    let simulator = Simulator::new(scene).expect("complete textures");
    let shot = Shot { moment, camera: &camera, settings: &settings };
    let simulated = simulator.draw(&shot, &Variation::REFERENCE, &[]).expect("a shot of the scene");
    [golden, simulated.rgba]
}

/// Pixels that differ by more than `steps` in a channel.
fn far_apart([a, b]: &[Vec<u8>; 2], steps: u8) -> usize {
    let pixels = a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0);
    pixels.filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > steps)).count()
}

#[test]
fn with_the_references_choices_only_roundings_differ() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let orbit = |yaw, pitch, distance| Orbit { yaw, pitch, distance };
    let mut cases = vec![
        ("Walk", 0.3, Orbit::default(), settings()),
        ("Walk", 0.8, orbit(200.0, 20.0, None), RenderSettings { samples: SampleCount::Four, ..settings() }),
        ("Walk", 0.8, orbit(200.0, 20.0, None), RenderSettings { samples: SampleCount::FourMirrored, ..settings() }),
        ("Walk", 0.3, orbit(15.0, 0.0, Some(0.45)), settings()),
        ("Flex", 1.5, orbit(30.0, 10.0, None), RenderSettings { convention: Convention::D3d, ..settings() }),
        ("Expression", 1.2, orbit(10.0, 5.0, None), RenderSettings { convention: Convention::Vulkan, ..settings() }),
        ("Walk", 0.1, orbit(45.0, 80.0, None), RenderSettings { subpixel_bits: 4, ..settings() }),
        ("Walk", 0.1, orbit(70.0, 8.0, None), RenderSettings { subpixel_bits: 16, ..settings() }),
    ];
    let skinned = |skinning| ("Walk", 0.3, Orbit::default(), RenderSettings { skinning, ..settings() });
    cases.extend(SkinningMethod::ALL.map(skinned));
    cases.extend(
        ShadingMode::ALL.map(|shading| ("Walk", 0.3, Orbit::default(), RenderSettings { shading, ..settings() })),
    );
    for (clip, seconds, orbit, settings) in cases {
        let pictures = both(&scene, clip, seconds, orbit, settings);
        let (any, far) = (far_apart(&pictures, 0), far_apart(&pictures, 1));
        println!(
            "{clip} at {seconds}, {orbit:?}, {} {}: {any} pixels differ, {far} by more than a step",
            settings.shading, settings.skinning
        );
        assert_eq!(far, 0, "{clip} at {seconds}, {orbit:?}, {settings:?}");
    }
}

#[test]
fn any_node_of_a_moving_face_can_be_read_wrongly() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let animation = scene.find_animation("Expression").expect("the clip is there");
    let moment = Moment::Clip { animation, seconds: 0.0 };
    assert!(scene.animations[animation].channels.iter().any(|channel| channel.target == ChannelTarget::Weights));
    let settings = RenderSettings { width: 24, height: 30, ..settings() };
    let pose = moment.pose(&scene).expect("the time is a number");
    let bounds = Renderer::new(&scene, settings).and_then(|mut renderer| renderer.bounds(&pose)).expect("a pose of it");
    let camera = Camera::orbit(&bounds, Orbit::default(), 0.8, settings.convention);
    let simulator = Simulator::new(&scene).expect("complete textures");
    let shot = Shot { moment, camera: &camera, settings: &settings };
    let draw = |faults: Faults| simulator.draw(&shot, &Variation::REFERENCE, faults).expect("a shot of the scene").rgba;
    let right = draw(Faults::default());
    let drawn: Vec<usize> = (0..scene.nodes.len()).filter(|&node| scene.nodes[node].mesh.is_some()).collect();
    let mut changed = 0;
    // One that draws nothing, and one that is not there.
    for node in drawn.iter().copied().chain([0, scene.nodes.len()]) {
        let node = node as u32;
        let mistakes = [
            ParametricFault::NodeMissing { node },
            ParametricFault::NodeStill { node },
            ParametricFault::NodeMoved { node, by: [0.5, 0.0, 0.0], scale: 2.0 },
            ParametricFault::InsideOut { node, primitive: None },
            ParametricFault::NormalsReversed { node, primitive: Some(0) },
        ];
        changed += mistakes.into_iter().filter(|&mistake| draw(mistake.into()) != right).count();
    }
    assert!(changed >= drawn.len(), "{changed} of {}", drawn.len());
}

#[test]
fn one_node_is_read_wrongly_and_no_other_that_draws_its_mesh() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/lamps.gltf");
    let scene = Scene::load(path).expect("a scene of the goldens");
    let find = |name: &str| scene.nodes.iter().position(|node| node.name.as_deref() == Some(name)).expect("a node");
    let [own, other] = [find("post 1"), find("post 2")];
    let read = |fault: ParametricFault| as_read(&scene, Moment::Rest, fault).expect("it has a pose").0;
    let drawn = |scene: &Scene, node: usize| scene.meshes[scene.nodes[node].mesh.expect("drawn")].primitives[0].clone();
    let right = drawn(&scene, own);

    let node = own as u32;
    let turned = read(ParametricFault::InsideOut { node, primitive: None });
    let swapped: Vec<u32> = right.indices.as_chunks::<3>().0.iter().flat_map(|&[a, b, c]| [a, c, b]).collect();
    assert_eq!((drawn(&turned, own).indices, drawn(&turned, other).indices), (swapped, right.indices.clone()));
    let reversed = read(ParametricFault::NormalsReversed { node, primitive: Some(0) });
    let normals = right.normals.clone().expect("posts have normals");
    let negated: Vec<[f32; 3]> = normals.iter().map(|normal| normal.map(|part| -part)).collect();
    assert_eq!((drawn(&reversed, own).normals, drawn(&reversed, other).normals), (Some(negated), Some(normals)));
    // There is no second primitive.
    let same = read(ParametricFault::InsideOut { node, primitive: Some(1) });
    assert_eq!(drawn(&same, own).indices, right.indices);
}

/// A diagnosis looks at a quarter of the pixels, and no longer than it has to: what it sees is what is drawn.
#[test]
fn a_part_of_a_picture_is_as_in_the_whole() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    for samples in [SampleCount::One, SampleCount::Four] {
        let settings = RenderSettings { samples, ..settings() };
        let pose = Moment::Rest.pose(&scene).expect("at rest");
        let bounds = Renderer::new(&scene, settings).and_then(|mut own| own.bounds(&pose)).expect("the pose fits");
        let camera = Camera::orbit(&bounds, Orbit::default(), 0.8, settings.convention);
        let simulator = Simulator::new(&scene).expect("complete textures");
        let shot = Shot { moment: Moment::Rest, camera: &camera, settings: &settings };
        let (width, height) = (settings.width as usize, settings.height as usize);
        for fault in [Fault::MipBias, Fault::ScissorOffByOne, Fault::YFlipped, Fault::OutputChannelsSwapped] {
            let whole = simulator.draw(&shot, &Variation::default(), fault).expect("a shot of the scene").rgba;
            let bands: Vec<bool> = (0..height.div_ceil(BAND)).map(|band| band % 3 != 1).collect();
            let seen = Mutex::new(Vec::new());
            let see = |band: usize, bytes: &[u8]| {
                seen.lock().expect("nobody panics").push((band, bytes.to_vec()));
                true
            };
            let played = Played { bands: &bands, sparsely: true };
            simulator.draw_bands_while(&shot, &Variation::default(), fault, played, &see).expect("as the whole");
            let mut seen = seen.into_inner().expect("nobody panics");
            seen.retain(|(band, _)| bands[*band]);
            seen.sort_by_key(|(band, _)| *band);
            assert_eq!(seen.len(), bands.iter().filter(|wanted| **wanted).count(), "{fault}");
            let mut sparse = 0;
            for (band, bytes) in seen {
                for (place, pixel) in bytes.chunks_exact(4).enumerate() {
                    let at = band * BAND * width + place;
                    if is_sparse([at % width, at / width]) {
                        assert_eq!(pixel, &whole[4 * at..4 * at + 4], "{fault} at {at}");
                        sparse += 1;
                    }
                }
            }
            let all = bands.iter().filter(|wanted| **wanted).count() * BAND * width;
            assert!((all / 5..all / 3).contains(&sparse), "{sparse} of {all}");
        }
        // Who has seen enough is shown no more than what other threads are at.
        let drawn = AtomicUsize::new(0);
        let stop = |_: usize, _: &[u8]| {
            drawn.fetch_add(1, Ordering::Relaxed);
            false
        };
        let (all, one) = (vec![true; height.div_ceil(BAND)], rayon::ThreadPoolBuilder::new().num_threads(1).build());
        let played = Played { bands: &all, sparsely: false };
        let play = || simulator.draw_bands_while(&shot, &Variation::default(), &[], played, &stop);
        one.expect("a thread").install(play).expect("a shot of the scene");
        assert_eq!(drawn.into_inner(), 1);
    }
}

/// Coordinates are moved where they are interpolated, and give what a file gives whose coordinates have been moved.
#[test]
fn coordinates_that_are_moved_late_are_as_those_that_are_read_so() {
    let mannequin = Scene::mannequin().expect("the built-in character loads");
    let bare = {
        let mut scene = mannequin.clone();
        scene.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives).for_each(|own| own.texcoords.clear());
        scene
    };
    let moved = |swapped| ParametricFault::TexcoordsMoved { scale: [1.3, -0.7], offset: [0.21, 0.4], swapped };
    for (scene, shading) in [
        (&mannequin, ShadingMode::Lambert),
        (&mannequin, ShadingMode::Lit),
        (&mannequin, ShadingMode::Uv),
        (&bare, ShadingMode::Unlit),
    ] {
        let settings = RenderSettings { shading, ..settings() };
        let pose = Moment::Rest.pose(scene).expect("at rest");
        let bounds = Renderer::new(scene, settings).and_then(|mut own| own.bounds(&pose)).expect("the pose fits");
        let camera = Camera::orbit(&bounds, Orbit::default(), 0.8, settings.convention);
        let simulator = Simulator::new(scene).expect("complete textures");
        let shot = Shot { moment: Moment::Rest, camera: &camera, settings: &settings };
        let right = simulator.draw(&shot, &Variation::default(), &[]).expect("a shot of the scene");
        for swapped in [false, true] {
            let late = simulator.draw(&shot, &Variation::default(), moved(swapped)).expect("a shot of the scene");
            let read = simulator.draw_as_read(&shot, &Variation::default(), moved(swapped)).expect("a shot of it");
            assert!(late == read, "{shading}, swapped: {swapped}");
            assert_eq!(late != right, !scene.meshes[0].primitives[0].texcoords.is_empty(), "{shading}");
        }
    }
}

/// What is kept of vertices, of triangles and of what is seen of them is what each mistake finds without it.
#[test]
fn a_simulator_that_has_drawn_other_mistakes_draws_each_as_a_new_one_does() {
    let numbers = [
        ParametricFault::DepthClear { depth: 0.5 },
        ParametricFault::DepthTest { function: DepthFunction::NotEqual },
        ParametricFault::DepthSlopeBias { factor: 2.0 },
        ParametricFault::WindowOffset { x: 0.5, y: 0.25 },
        ParametricFault::GridBits { bits: 1 },
        ParametricFault::Gamma { gamma: 1.8, in_shader: false },
        ParametricFault::MipBias { levels: 0.5 },
    ];
    for showcase in showcases().into_iter().filter(|own| ["alpha", "depth", "samples", "limb"].contains(&own.name)) {
        let shot = Shot { moment: showcase.moment, camera: &showcase.camera, settings: &showcase.settings };
        let simulator = || Simulator::new(&showcase.scene).expect("complete textures");
        let used = simulator();
        let draw = |simulator: &Simulator<'_>, faults| simulator.draw(&shot, &Variation::default(), faults);
        let right = draw(&used, Faults::default()).expect("it can be drawn");
        let faults = Fault::ALL.into_iter().map(Faults::from).chain(numbers.map(Faults::from));
        let mut changed = 0;
        for faults in faults {
            // Not all can be drawn in all scenes.
            let Ok(own) = draw(&simulator(), faults) else { continue };
            assert!(draw(&used, faults).is_ok_and(|kept| kept == own), "{}, {faults:?}", showcase.name);
            changed += usize::from(own != right);
        }
        assert!(changed >= 20, "{}: {changed} mistakes change it", showcase.name);
    }
}
