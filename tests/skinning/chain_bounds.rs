//! The bounds of the whole chain: backends that read the file themselves, in f64 and in f32, in ten ways each. None that is
//! right is refused; each that makes a mistake is, wherever the mistake moves a vertex by more than twice the bound, and
//! wherever it moves one by more than a thousandth of the scene.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crate::chain_support::{
    Mistake,
    evaluate::{Vertex, evaluate, written},
    file::File,
    machine::STYLES,
    random::RandomScene,
};
use rayon::prelude::*;
use refrast::{
    golden::{Attribute, Verdict, VertexBuffer, VertexCompareOptions, VertexComparison},
    scene::Scene,
    simd::SimdLevel,
    skinning::{Deformation, DeformedVertices, NormalMode, Palette, Placement, PreparedPrimitive, SkinningMethod},
    verify::vertex::{Chain, VertexSettings, file_vertices, scene_vertices},
};

const RANDOM_SCENES: u64 = 1000;

fn chain(clip: Option<(usize, f64)>) -> Chain {
    clip.map_or(Chain::REST, |(animation, time)| Chain::clip(animation, time as f32))
}

/// The golden without the rows that were not evaluated.
fn masked(golden: &VertexBuffer, vertices: &[Option<Vertex>]) -> VertexBuffer {
    fn mask<const N: usize>(attribute: &mut Attribute<N>, vertices: &[Option<Vertex>], has: impl Fn(&Vertex) -> bool) {
        for (value, vertex) in attribute.values.iter_mut().zip(vertices) {
            if !vertex.as_ref().is_some_and(&has) {
                *value = [f64::NAN; N];
            }
        }
    }
    let mut golden = golden.clone();
    let own = (&mut golden.position, &mut golden.normal, &mut golden.tangent);
    let others =
        golden.alternatives.iter_mut().map(|other| (&mut other.position, &mut other.normal, &mut other.tangent));
    for (position, normal, tangent) in std::iter::once(own).chain(others) {
        mask(position, vertices, |_| true);
        normal.iter_mut().for_each(|normal| mask(normal, vertices, |vertex| !vertex.normal[0].is_nan()));
        tangent.iter_mut().for_each(|tangent| mask(tangent, vertices, |vertex| !vertex.tangent[0].is_nan()));
    }
    golden
}

fn judge(golden: &VertexBuffer, vertices: &[Option<Vertex>]) -> VertexComparison {
    let golden = masked(golden, vertices);
    VertexComparison::of(&golden, &written(vertices, &golden), &VertexCompareOptions::default())
}

#[derive(Default)]
struct Tally {
    judged: usize,
    vertices: usize,
    without_bound: usize,
    largest: BTreeMap<String, f64>,
    refused: Vec<String>,
}

impl Tally {
    fn add(&mut self, name: &str, place: &str, comparison: &VertexComparison) {
        self.judged += 1;
        self.vertices += comparison.vertices;
        self.without_bound += comparison.attributes.iter().map(|attribute| attribute.without_bound).sum::<usize>();
        let ratios = comparison.attributes.iter().map(|attribute| attribute.largest_ratio.unwrap_or(f64::INFINITY));
        let ratio = ratios.fold(0.0, f64::max);
        let largest = self.largest.entry(name.to_owned()).or_default();
        *largest = largest.max(ratio);
        if comparison.verdict != Verdict::Same {
            self.refused.push(format!("{place}, {name}: {comparison}"));
        }
    }

    fn merge(mut self, other: Self) -> Self {
        self.judged += other.judged;
        self.vertices += other.vertices;
        self.without_bound += other.without_bound;
        for (name, ratio) in other.largest {
            let largest = self.largest.entry(name).or_default();
            *largest = largest.max(ratio);
        }
        self.refused.extend(other.refused);
        self
    }

    #[track_caller]
    fn report(&self, what: &str) {
        for (style, ratio) in &self.largest {
            println!("{style:70} largest error {ratio:.3} bounds");
        }
        println!(
            "{what}: {} buffers of {} vertices, {} refused, {} attributes without a bound",
            self.judged,
            self.vertices,
            self.refused.len(),
            self.without_bound
        );
        assert!(
            self.refused.is_empty(),
            "{} right buffers refused; the first: {}",
            self.refused.len(),
            self.refused[0]
        );
    }
}

/// f64 and f32 in the styles that are asked for.
fn judge_styles(
    file: &File,
    scene: &Scene,
    clip: Option<(usize, f64)>,
    styles: impl Iterator<Item = usize>,
    stride: usize,
    place: &str,
) -> Tally {
    let golden = file_vertices(scene, chain(clip), VertexSettings::default()).unwrap();
    let mut tally = Tally::default();
    for style in styles.map(|style| &STYLES[style % STYLES.len()]) {
        let exact = evaluate::<f64>(file, clip, style, None, stride);
        tally.add(&format!("f64, {}", style.name), place, &judge(&golden, &exact));
        let plain = evaluate::<f32>(file, clip, style, None, stride);
        tally.add(&format!("f32, {}", style.name), place, &judge(&golden, &plain));
    }
    tally
}

/// The files of the shared models, those that are not there told.
fn models() -> Vec<PathBuf> {
    let folder = std::env::var_os("REFRAST_MODELS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models"), PathBuf::from);
    let names = [
        "AnimatedMorphCube",
        "BoxTextured",
        "CesiumMan",
        "FlightHelmet",
        "Fox",
        "Greenman",
        "MorphStressTest",
        "SimpleSkin",
        "TextureTransformTest",
    ];
    let of = |name: &&str| {
        let found = std::fs::read_dir(folder.join(name)).ok().and_then(|files| {
            let mut paths = files.filter_map(|entry| Some(entry.ok()?.path()));
            paths.find(|path| path.extension().is_some_and(|extension| extension == "gltf" || extension == "glb"))
        });
        if found.is_none() {
            println!("skipped: {name} is not under {}", folder.display());
        }
        found
    };
    names.iter().filter_map(of).collect()
}

/// Every model, clip and `times` moments of each, and the rest pose.
fn moments(scene: &Scene, times: usize) -> Vec<Option<(usize, f64)>> {
    let clips = scene.animations.iter().enumerate().flat_map(|(clip, animation)| {
        (0..times).map(move |i| Some((clip, f64::from(animation.duration) * i as f64 / (times - 1) as f64)))
    });
    std::iter::once(None).chain(clips).collect()
}

fn judge_models(times: usize, styles: usize, stride: usize) {
    let mut whole = Tally::default();
    for path in models() {
        let (file, scene) = (File::open(&path), Scene::load(&path).unwrap());
        let place = |clip: &Option<(usize, f64)>| format!("{} {clip:?}", path.display());
        let judged = moments(&scene, times).into_par_iter().enumerate().map(|(number, clip)| {
            let styles = (0..styles).map(|style| style + number * styles);
            judge_styles(&file, &scene, clip, styles, stride, &place(&clip))
        });
        whole = whole.merge(judged.reduce(Tally::default, Tally::merge));
    }
    whole.report("models");
}

#[test]
fn no_right_evaluation_of_a_model_is_refused() {
    judge_models(50, 2, 29);
}

#[test]
#[ignore = "every vertex by every style at every moment: minutes"]
fn no_right_evaluation_of_any_vertex_is_refused() {
    judge_models(50, STYLES.len(), 1);
}

fn judge_random_scenes(styles: usize) {
    let tally = (0..RANDOM_SCENES).into_par_iter().map(|seed| {
        let random = RandomScene::new(seed);
        let (file, scene) = (File::from_glb(&random.glb), Scene::from_bytes(&random.glb, "random.glb").unwrap());
        let clips: Vec<_> = match scene.animations.is_empty() {
            true => vec![None],
            // Outside of the keys, at one, and between.
            false => random.times[seed as usize % 2..].iter().step_by(2).map(|time| Some((0, *time))).collect(),
        };
        clips.into_iter().enumerate().fold(Tally::default(), |tally, (number, clip)| {
            let place = format!("seed {seed} {clip:?}");
            let styles = (0..styles).map(|style| seed as usize + number * styles + style);
            tally.merge(judge_styles(&file, &scene, clip, styles, 1, &place))
        })
    });
    let tally = tally.reduce(Tally::default, Tally::merge);
    tally.report("random scenes");
    // Keys half a turn apart, and normals of blends that flatten.
    let attributes = 3 * tally.vertices;
    assert!(tally.without_bound * 200 < attributes, "{} of {attributes}", tally.without_bound);
}

#[test]
fn no_right_evaluation_of_a_random_scene_is_refused() {
    judge_random_scenes(2);
}

#[test]
#[ignore = "every style at every moment of a thousand scenes: a minute"]
fn no_right_style_of_a_random_scene_is_refused() {
    judge_random_scenes(STYLES.len());
}

/// refrast's own kernels are one of the right backends.
#[test]
fn refrast_itself_is_within_the_chains_bounds() {
    for seed in 0..200 {
        let random = RandomScene::new(seed);
        let scene = Scene::from_bytes(&random.glb, "random.glb").unwrap();
        let clip = (!scene.animations.is_empty()).then(|| (0, random.times[2]));
        let golden = file_vertices(&scene, chain(clip), VertexSettings::default()).unwrap();
        let candidate = own_vertices(&scene, clip, (SkinningMethod::Linear, NormalMode::InverseTranspose));
        let comparison = VertexComparison::of(&golden, &candidate, &VertexCompareOptions::default());
        assert_eq!(
            (comparison.verdict, comparison.alternative.as_deref()),
            (Verdict::Same, None),
            "{seed}: {comparison}"
        );
    }
}

/// And so they are by every method and normal mode.
#[test]
fn every_method_is_within_the_chains_bounds() {
    let mut judged = 0;
    for seed in 0..60 {
        let random = RandomScene::new(seed);
        let scene = Scene::from_bytes(&random.glb, "random.glb").unwrap();
        let clip = (!scene.animations.is_empty()).then(|| (0, random.times[2]));
        for method in SkinningMethod::ALL {
            for normals in NormalMode::ALL {
                let settings = VertexSettings { method, normals, ..VertexSettings::default() };
                // Quaternions follow no joint that mirrors.
                let Ok(golden) = file_vertices(&scene, chain(clip), settings) else { continue };
                let candidate = own_vertices(&scene, clip, (method, normals));
                let comparison = VertexComparison::of(&golden, &candidate, &VertexCompareOptions::default());
                assert_eq!(comparison.verdict, Verdict::Same, "{seed}, {method}, {normals}: {comparison}");
                judged += 1;
            }
        }
    }
    assert!(judged > 1000, "{judged}");
}

/// What refrast's f32 makes of the one drawn primitive of a random scene.
fn own_vertices(
    scene: &Scene,
    clip: Option<(usize, f64)>,
    (method, normals): (SkinningMethod, NormalMode),
) -> VertexBuffer {
    let pose = match clip {
        Some((animation, time)) => refrast::animation::Pose::sample(scene, animation, time as f32).unwrap(),
        None => refrast::animation::Pose::rest(scene),
    };
    let node = scene.drawn.iter().copied().find(|node| scene.nodes[*node].mesh.is_some()).unwrap();
    let palette = scene.nodes[node].skin.map(|skin| Palette::of_skin(&scene.skins[skin], &pose));
    let deformation = Deformation {
        primitive: &PreparedPrimitive::new(&scene.meshes[0].primitives[0]),
        placement: palette.as_ref().map_or(Placement::Node(pose.worlds[node]), Placement::Skin),
        morph_weights: &pose.weights[node],
        method,
        normals,
        level: SimdLevel::best(),
    };
    let mut output = DeformedVertices::default();
    deformation.run(&mut output).unwrap();
    let all = |of: &dyn Fn(usize) -> [f64; 3]| Attribute::without_bounds((0..output.len()).map(of).collect());
    VertexBuffer {
        position: all(&|vertex| output.position(vertex).map(f64::from)),
        normal: Some(all(&|vertex| output.normal(vertex).unwrap().map(f64::from))),
        ..VertexBuffer::default()
    }
}

/// The golden with bounds twice as wide.
fn twice(golden: &VertexBuffer) -> VertexBuffer {
    fn widen<const N: usize>(attribute: &mut Attribute<N>) {
        attribute.bounds.iter_mut().flatten().flatten().for_each(|bound| *bound *= 2.0);
    }
    let mut golden = golden.clone();
    let own = (&mut golden.position, &mut golden.normal, &mut golden.tangent);
    let others =
        golden.alternatives.iter_mut().map(|other| (&mut other.position, &mut other.normal, &mut other.tangent));
    for (position, normal, tangent) in std::iter::once(own).chain(others) {
        widen(position);
        normal.iter_mut().for_each(widen);
        tangent.iter_mut().for_each(widen);
    }
    golden
}

/// How far a mistake moves vertices: the largest distance of a position in parts of the scene's size. (A normal of a blend
/// that nearly flattens may turn by more, and its bound says so.)
fn moved(right: &[Option<Vertex>], wrong: &[Option<Vertex>]) -> f64 {
    let size = right.iter().flatten().flat_map(|vertex| vertex.position).map(f64::abs).fold(1e-3, f64::max);
    let pairs = right.iter().flatten().zip(wrong.iter().flatten());
    pairs
        .flat_map(|(a, b)| [0, 1, 2].map(|i| (a.position[i] - b.position[i]).abs() / size))
        .fold(0.0, |most, x| if x.is_nan() { f64::INFINITY } else { most.max(x) })
}

/// Far above the bounds of scenes whose rotations are of unit length, far below what anybody sees.
const SHOWS: f64 = 1e-3;

#[test]
fn every_mistake_that_moves_a_vertex_is_refused() {
    type Counts = BTreeMap<Mistake, [usize; 3]>;
    let counts = (0..RANDOM_SCENES / 4).into_par_iter().map(|seed| {
        let random = RandomScene::new(seed);
        let (file, scene) = (File::from_glb(&random.glb), Scene::from_bytes(&random.glb, "random.glb").unwrap());
        let style = &STYLES[seed as usize % STYLES.len()];
        let mut counts = Counts::new();
        let moment = random.times[seed as usize % random.times.len()];
        let clip = (!scene.animations.is_empty()).then_some((0, moment));
        let golden = file_vertices(&scene, chain(clip), VertexSettings::default()).unwrap();
        let right = evaluate::<f64>(&file, clip, style, None, 1);
        for mistake in Mistake::ALL {
            let exactly = evaluate::<f64>(&file, clip, style, Some(mistake), 1);
            let distance = moved(&right, &exactly);
            let wrong = evaluate::<f32>(&file, clip, style, Some(mistake), 1);
            let refused = judge(&golden, &wrong).verdict == Verdict::Different;
            // Where rotations are not of unit length, what is right is wider: there the bounds alone say what shows.
            let shows = judge(&twice(&golden), &exactly).verdict == Verdict::Different
                || (golden.alternatives.is_empty() && distance > SHOWS);
            let [shown, caught, missed] = counts.entry(mistake).or_default();
            *shown += usize::from(shows);
            *caught += usize::from(refused);
            if shows && !refused {
                *missed += 1;
                println!("seed {seed} {clip:?}: {mistake:?} moves by {distance:e} and passes as {}", style.name);
            }
        }
        counts
    });
    let counts = counts.reduce(Counts::new, |mut all, own| {
        for (mistake, numbers) in own {
            let sum = all.entry(mistake).or_default();
            (0..3).for_each(|i| sum[i] += numbers[i]);
        }
        all
    });
    for (mistake, [shown, caught, missed]) in &counts {
        println!("{mistake:30?} shows in {shown:4} scenes, refused in {caught:4}, passes where it shows in {missed}");
        assert!(*shown > 5, "{mistake:?} has nothing to show");
    }
    assert!(counts.values().all(|[_, _, missed]| *missed == 0), "a mistake passed");
}

/// The palette's own bounds are within the chain's.
#[test]
fn who_is_given_the_palette_is_held_tighter() {
    for path in models() {
        let scene = Scene::load(&path).unwrap();
        let clip = (!scene.animations.is_empty()).then(|| (0, f64::from(scene.animations[0].duration) * 0.37));
        let pose = match clip {
            Some((animation, time)) => refrast::animation::Pose::sample(&scene, animation, time as f32).unwrap(),
            None => refrast::animation::Pose::rest(&scene),
        };
        let file = file_vertices(&scene, chain(clip), VertexSettings::default()).unwrap();
        let palette = scene_vertices(&scene, &pose, VertexSettings::default()).unwrap();
        let bounds = |buffer: &VertexBuffer| buffer.position.bounds.clone().unwrap();
        for (wide, tight) in bounds(&file).iter().flatten().zip(bounds(&palette).iter().flatten()) {
            assert!(wide >= &(tight * 0.9) || tight.is_nan(), "{}: {wide:e} {tight:e}", path.display());
        }
    }
}
