//! How often `diagnose` is right about mistakes that nobody listed.
//!
//! Draws candidates with a seed: mistakes of families with random numbers in them, in random moments, cameras and backends;
//! pairs of mistakes; right pictures by engines that did not declare a choice; and nonsense. Each is given to the diagnosis, and
//! a table by family is printed in Markdown, with what was answered wrongly on standard error:
//!
//! ```sh
//! cargo run --release --example diagnosis_random -- --seed 1000 --singles 300 --pairs 200 --undeclared 100 --nonsense 100 fox.glb mannequin
//! ```
//!
//! Seeds below 1000 are those that the diagnosis was written with; the page's table is of one that had not been looked at.

use std::{collections::BTreeMap, env, error::Error, path::Path};

use refrast::{
    golden::Picture,
    render::{CameraSettings, Orbit, RenderSettings},
    scene::Scene,
    verify::{
        Declared, Dither, Fault, Profile,
        diagnose::{Cause, Conclusion, Diagnosis, Stage, diagnose_setup},
        setup::{Question, Setup, Source},
        simulator::{
            DepthFunction, Derivatives, Faults, FrameRounding, InfluenceChoice, Moment, OutputRounding,
            ParametricFault, Shot, Simulator, Snapping, Variation,
        },
    },
};

/// Pixels a row, and rows.
const SIZE: [u32; 2] = [160, 120];

/// Draws that show nothing, after which another family is taken.
const PATIENCE: usize = 12;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::read(env::args().skip(1))?;
    let scenes: Vec<Named> = arguments.scenes.iter().map(|path| Named::load(path)).collect::<Result<_, _>>()?;
    let mut chance = Chance(arguments.seed);
    let (mut table, mut spent) = (Table::default(), 0);
    for (kind, count) in [
        (Kind::Single, arguments.singles),
        (Kind::Pair, arguments.pairs),
        (Kind::Undeclared, arguments.undeclared),
        (Kind::Nonsense, arguments.nonsense),
    ] {
        let mut made = 0;
        while made < count {
            let place = chance.below(scenes.len() as u64) as usize;
            let Some(case) = Case::draw(&mut chance, &scenes, place, kind)? else { continue };
            let Some(answer) = case.judged(&scenes[place])? else { continue };
            made += 1;
            spent += 1;
            eprintln!("{spent:4} {}: {}: {}", scenes[place].name, case.told, answer.told);
            table.add(&case.row, &answer);
        }
    }
    table.print();
    Ok(())
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Single,
    Pair,
    Undeclared,
    Nonsense,
}

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Grade {
    /// The one name that was given is right, or the set-up that was.
    Named,
    /// The right one is among several.
    OneOf,
    /// Of two mistakes one is named.
    Half,
    /// No name.
    Unknown,
    /// A single name, and it is wrong.
    Wrong,
    /// Several names, all wrong.
    WrongSet,
}

/// Chances, the same for a seed everywhere (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, count: u64) -> u64 {
        self.next() % count.max(1)
    }

    /// From `low` to `high`.
    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.below(1 << 24) as f32 / (1 << 24) as f32)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    fn is_heads(&mut self) -> bool {
        self.below(2) == 1
    }
}

struct Named {
    name: String,
    scene: Scene,
}

impl Named {
    fn load(path: &str) -> Result<Self, Box<dyn Error>> {
        let scene = if path == "mannequin" { Scene::mannequin()? } else { Scene::load(Path::new(path))? };
        let name = Path::new(path).file_stem().map_or_else(|| path.to_owned(), |name| name.display().to_string());
        Ok(Self { name, scene })
    }
}

/// A candidate and what it was made with.
struct Case {
    row: String,
    told: String,
    truth: Vec<Cause>,
    camera: CameraSettings,
    setup: Setup,
    picture: Picture,
}

struct Answer {
    grade: Grade,
    /// Whether the stage is right, where one was told that has a right answer.
    is_located: Option<bool>,
    told: String,
}

impl Case {
    /// `None` where what was drawn does not show.
    fn draw(chance: &mut Chance, scenes: &[Named], place: usize, kind: Kind) -> Result<Option<Self>, Box<dyn Error>> {
        let scene = &scenes[place].scene;
        let settings = RenderSettings { width: SIZE[0], height: SIZE[1], ..RenderSettings::default() };
        let moment = match scene.animations.len() as u64 {
            0 => Moment::Rest,
            count => {
                let animation = chance.below(count) as usize;
                let seconds = chance.between(0.0, scene.animations[animation].duration);
                Moment::Clip { animation, seconds }
            }
        };
        let orbit = Orbit {
            yaw: f64::from(chance.below(360) as u32),
            pitch: f64::from(chance.below(50) as u32) - 15.0,
            distance: None,
        };
        let camera = CameraSettings::from(refrast::render::CameraChoice::Orbit(orbit));
        let view = camera.camera(scene, moment.clip(), &moment.pose(scene)?, &settings)?;
        let shot = Shot { moment, camera: &view, settings: &settings };
        let simulator = Simulator::new(scene)?;
        let mut variation = variation(chance);
        let setup = Setup { moment, settings };
        let right = simulator.draw(&shot, &variation, Faults::default())?.rgba;
        let as_picture = |rgba: Vec<u8>| Picture::from_rgba8(SIZE[0], SIZE[1], rgba);
        for _ in 0..PATIENCE {
            let (row, truth, drawn) = match kind {
                Kind::Single => {
                    let Some((row, cause)) = cause(chance, scene) else { continue };
                    (row.to_owned(), vec![cause], simulator.draw(&shot, &variation, faults(&[cause])))
                }
                Kind::Pair => {
                    let (Some(one), Some(other)) = (cause(chance, scene), cause(chance, scene)) else { continue };
                    let causes = vec![one.1, other.1];
                    let alone = causes.iter().map(|cause| simulator.draw(&shot, &variation, faults(&[*cause])));
                    let alone: Vec<Vec<u8>> =
                        alone.filter_map(Result::ok).map(|frame| frame.rgba).filter(|rgba| *rgba != right).collect();
                    let both = simulator.draw(&shot, &variation, faults(&causes));
                    let shows = |rgba: &Vec<u8>| alone.len() == 2 && alone.iter().all(|own| is_far(own, rgba));
                    if one.0 == other.0 || !both.as_ref().is_ok_and(|both| shows(&both.rgba)) {
                        continue;
                    }
                    ("two at once".to_owned(), causes, both)
                }
                Kind::Undeclared => {
                    let declared = match chance.below(2) {
                        0 => Declared { dither: Dither::Ordered1Lsb, ..Declared::default() },
                        _ => Declared { anisotropy: chance.pick(&[2, 4, 8, 16]), ..Declared::default() },
                    };
                    variation.anisotropy = declared.anisotropy;
                    if declared.dither == Dither::Ordered1Lsb {
                        (variation.dither_steps, variation.eight_bit_target) = (1, false);
                    }
                    let cause = Cause::Undeclared { declared, beside: Declared::default() };
                    (format!("undeclared {}", option(&cause)), vec![cause], simulator.draw(&shot, &variation, &[]))
                }
                Kind::Nonsense => {
                    let (what, rgba) = nonsense(chance, scenes, place, &right)?;
                    return Ok(Some(Self {
                        row: "nonsense".to_owned(),
                        told: what,
                        truth: Vec::new(),
                        camera,
                        setup,
                        picture: as_picture(rgba)?,
                    }));
                }
            };
            let Ok(frame) = drawn else { continue };
            if frame.rgba != right {
                let told: Vec<String> = truth.iter().map(Cause::to_string).collect();
                let picture = as_picture(frame.rgba)?;
                return Ok(Some(Self { row, told: told.join(" and "), truth, camera, setup, picture }));
            }
        }
        Ok(None)
    }

    /// What the diagnosis makes of it; `None` where a right backend may have drawn it.
    fn judged(&self, named: &Named) -> Result<Option<Answer>, Box<dyn Error>> {
        let (scene, camera) = (&named.scene, &self.camera);
        let (rules, source) = (Profile::D3d11.into(), Source::FILE);
        let question = Question { scene, camera, rules, source, candidate: &self.picture };
        let diagnosis = diagnose_setup(&question, &self.setup, &|_, _| {})?;
        if diagnosis.conclusion == Conclusion::NothingToExplain {
            return Ok(None);
        }
        let grade = self.grade(&diagnosis);
        let stage = diagnosis.place.as_ref().map(|place| place.stage);
        let is_located =
            stage.zip(stages(&self.truth)).map(|(stage, right)| stage.is_some_and(|own| right.contains(&own)));
        let place = stage.map_or("a set-up".to_owned(), |stage| format!("{stage:?}"));
        Ok(Some(Answer { grade, is_located, told: format!("{grade:?}: {place}: {}", short(&diagnosis)) }))
    }

    fn grade(&self, diagnosis: &Diagnosis) -> Grade {
        if diagnosis.conclusion == Conclusion::AnotherSetup {
            let moved = |cause: &Cause| {
                matches!(
                    cause,
                    Cause::Parametric(
                        ParametricFault::TimeRounded { .. }
                            | ParametricFault::WindowOffset { .. }
                            | ParametricFault::InfluencesKept { .. }
                    )
                )
            };
            // The options say what the backend did, and its picture lies inside the envelope with them.
            let is_right = self.truth.iter().any(moved) && self.truth.len() == 1;
            return if is_right || self.is_listed() { Grade::Named } else { Grade::Wrong };
        }
        let likely: Vec<_> = diagnosis.likely().collect();
        let found = |truth: &Cause| {
            likely.iter().any(|finding| finding.causes().chain(finding.beside).any(|cause| is_close(&cause, truth)))
        };
        let right = self.truth.iter().filter(|truth| found(truth)).count();
        match (likely.len(), right, diagnosis.conclusion) {
            (0, ..) => Grade::Unknown,
            (_, right, Conclusion::Named) if right > 0 && right == self.truth.len() => Grade::Named,
            (_, right, _) if right > 0 && right == self.truth.len() => Grade::OneOf,
            (_, 1.., _) => Grade::Half,
            (_, _, Conclusion::Named) => Grade::Wrong,
            _ => Grade::WrongSet,
        }
    }

    /// Whether the mistake is one of the list that other options may make right again, as a clip that is not played.
    fn is_listed(&self) -> bool {
        self.truth.iter().all(|cause| cause.fault().is_some()) && self.truth.len() == 1
    }
}

/// The stages that such a mistake may show in first; none where that is open.
fn stages(truth: &[Cause]) -> Option<&'static [Stage]> {
    use ParametricFault as P;
    let [Cause::Parametric(fault)] = truth else { return None };
    Some(match fault {
        P::TimeRounded { .. }
        | P::ClipResampled { .. }
        | P::InfluencesKept { .. }
        | P::WeightBits { .. }
        | P::JointsShifted { .. }
        | P::JointsSwapped { .. }
        | P::MorphTargetsShifted { .. }
        | P::MorphTargetMissing { .. }
        | P::NodeTransformRepeated { .. }
        | P::WindowOffset { .. } => &[Stage::Geometry, Stage::Coverage],
        P::GridBits { .. } => &[Stage::Coverage],
        P::TexcoordsMoved { .. } => &[Stage::TextureCoordinates],
        P::MipBias { .. } => &[Stage::Filtering],
        P::Gamma { .. } | P::Channels { .. } => &[Stage::Colour, Stage::Store],
        P::Exposure { .. } => &[Stage::Light, Stage::Colour],
        P::DepthTest { .. } | P::DepthClear { .. } | P::DepthSlopeBias { .. } => {
            &[Stage::Visibility, Stage::NothingDrawn]
        }
    })
}

fn short(diagnosis: &Diagnosis) -> String {
    let changes = diagnosis.right_with.iter().map(ToString::to_string);
    let names = diagnosis.likely().map(|finding| {
        let causes: Vec<String> = finding.causes().chain(finding.beside).map(|cause| cause.to_string()).collect();
        format!("{} ({:.2})", causes.join(" & "), finding.score)
    });
    let nearest = diagnosis.findings.iter().take(2).map(|finding| {
        let beside = finding.beside.map_or(String::new(), |beside| format!(" & {beside}"));
        format!("[{}{beside} {:.2} {}]", finding.cause, finding.score, finding.unexplained)
    });
    let all: Vec<String> = changes.chain(names).chain(nearest).collect();
    format!("{} wrong; {}", diagnosis.wrong, all.join("; "))
}

/// Whether two pictures differ by more than roundings: two mistakes of which one hides the other are one.
fn is_far(one: &[u8], other: &[u8]) -> bool {
    let pixels = one.as_chunks::<4>().0.iter().zip(other.as_chunks::<4>().0);
    pixels.filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 4)).count() >= 20
}

fn faults(causes: &[Cause]) -> Faults {
    causes.iter().fold(Faults::default(), |faults, cause| match cause {
        Cause::Fault(fault) => faults.and(*fault),
        Cause::Parametric(fault) => faults.and(*fault),
        Cause::Undeclared { .. } => faults,
    })
}

fn option(cause: &Cause) -> String {
    cause.to_string().split_whitespace().next().unwrap_or_default().to_owned()
}

/// A conformant backend.
fn variation(chance: &mut Chance) -> Variation {
    Variation {
        subpixel_bits: Some(8),
        snapping: Snapping::Nearest,
        single_precision_window: chance.is_heads(),
        fused: chance.is_heads(),
        reversed: chance.is_heads(),
        snapped_attributes: chance.is_heads(),
        texel_bits: Some(8),
        level_bits: chance.pick(&[None, Some(8)]),
        derivatives: chance.pick(&[Derivatives::Exact, Derivatives::Fine, Derivatives::Coarse]),
        output: chance.pick(&[OutputRounding::Nearest, OutputRounding::HalfUp]),
        eight_bit_target: chance.is_heads(),
        depth_24_bits: chance.is_heads(),
        // None of these scenes has shadows.
        bias_slope_by_length: false,
        dither_steps: 0,
        anisotropy: 1,
    }
}

/// A mistake that this scene may show, and its row of the table.
fn cause(chance: &mut Chance, scene: &Scene) -> Option<(&'static str, Cause)> {
    let clips = !scene.animations.is_empty();
    let skins = !scene.skins.is_empty();
    let primitives = || scene.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let targets = primitives().map(|own| own.targets.len()).max().unwrap_or(0) as u64;
    let rounding = |chance: &mut Chance| chance.pick(&[FrameRounding::Down, FrameRounding::Nearest]);
    let parametric = match chance.below(22) {
        0 if clips => {
            ParametricFault::TimeRounded { rate: chance.between(4.0, 30.0).round(), rounding: rounding(chance) }
        }
        1 if clips => ParametricFault::ClipResampled { rate: chance.between(4.0, 30.0).round() },
        2 => ParametricFault::TexcoordsMoved {
            scale: [1.0; 2],
            offset: [chance.between(-0.5, 0.5), chance.between(-0.5, 0.5)],
            swapped: false,
        },
        3 => ParametricFault::TexcoordsMoved { scale: [chance.between(0.3, 3.0); 2], offset: [0.0; 2], swapped: false },
        4 => {
            let [u, v] = chance.pick(&[[true, false], [false, true], [true, true]]);
            let flip = |flipped: bool| if flipped { [-1.0, 1.0] } else { [1.0, 0.0] };
            let [[su, ou], [sv, ov]] = [flip(u), flip(v)];
            ParametricFault::TexcoordsMoved { scale: [su, sv], offset: [ou, ov], swapped: chance.is_heads() }
        }
        5 if skins => ParametricFault::InfluencesKept {
            count: 1 + chance.below(3) as u8,
            choice: chance.pick(&[InfluenceChoice::First, InfluenceChoice::FirstRescaled, InfluenceChoice::Heaviest]),
        },
        6 if skins => ParametricFault::WeightBits { bits: 2 + chance.below(6) as u8, corrected: chance.is_heads() },
        7 if skins => {
            let by = 1 + chance.below(6) as i16;
            ParametricFault::JointsShifted { by: if chance.is_heads() { by } else { -by } }
        }
        8 if skins => {
            let count = scene.skins[0].joints.len() as u64;
            let (one, other) = (chance.below(count) as u16, chance.below(count) as u16);
            ParametricFault::JointsSwapped { joints: [one.min(other), one.max(other)] }
        }
        9 if targets > 1 => ParametricFault::MorphTargetsShifted { by: chance.pick(&[-2, -1, 1, 2]) },
        10 if targets > 0 => ParametricFault::MorphTargetMissing { target: chance.below(targets) as u16 },
        11 if !skins => ParametricFault::NodeTransformRepeated { times: 2 },
        12 => ParametricFault::WindowOffset { x: chance.between(-1.5, 1.5), y: chance.between(-1.5, 1.5) },
        13 => ParametricFault::GridBits { bits: chance.pick(&[1, 3]) },
        14 => ParametricFault::MipBias { levels: chance.between(-2.0, 2.0) },
        15 => ParametricFault::Gamma { gamma: chance.between(1.3, 3.0) },
        16 => ParametricFault::Exposure { factor: chance.between(0.3, 3.2) },
        17 => ParametricFault::Channels { order: chance.pick(&[[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1]]) },
        18 => ParametricFault::DepthTest {
            function: chance.pick(&[
                DepthFunction::Never,
                DepthFunction::Equal,
                DepthFunction::NotEqual,
                DepthFunction::GreaterEqual,
            ]),
        },
        19 => ParametricFault::DepthClear { depth: chance.between(0.05, 1.0) },
        20 => return Some(("output-truncated", Fault::OutputTruncated.into())),
        21 => {
            let fault = Fault::ALL[chance.below(Fault::ALL.len() as u64) as usize];
            return Some(("of the list", fault.into()));
        }
        _ => return None,
    };
    Some((parametric.family(), parametric.into()))
}

/// Whether a named cause is the true one, but for a tenth of its number.
fn is_close(named: &Cause, truth: &Cause) -> bool {
    use ParametricFault as P;
    let near = |a: f32, b: f32| (a - b).abs() <= 0.1 * b.abs().max(0.5);
    let apart = |a: f32, b: f32, most: f32| (a - b).abs() <= most;
    match (named, truth) {
        (Cause::Parametric(named), Cause::Parametric(truth)) => match (named, truth) {
            (P::TexcoordsMoved { scale, offset, swapped }, P::TexcoordsMoved { scale: s, offset: o, swapped: w }) => {
                // Whole textures further is the same where they repeat.
                let whole = |a: f32, b: f32| apart(a - b, (a - b).round(), 0.03);
                swapped == w && (0..2).all(|i| near(scale[i], s[i]) && whole(offset[i], o[i]))
            }
            (P::MipBias { levels }, P::MipBias { levels: l }) => apart(*levels, *l, 0.1),
            (P::Gamma { gamma }, P::Gamma { gamma: g }) => near(*gamma, *g),
            (P::Exposure { factor }, P::Exposure { factor: f }) => near(*factor, *f),
            (P::DepthClear { .. }, P::DepthClear { .. }) => true,
            (P::WindowOffset { x, y }, P::WindowOffset { x: u, y: v }) => apart(*x, *u, 0.1) && apart(*y, *v, 0.1),
            (P::TimeRounded { .. }, P::TimeRounded { .. }) => true,
            (named, truth) => named == truth,
        },
        (Cause::Undeclared { .. }, Cause::Undeclared { .. }) => option(named) == option(truth),
        // Members that the list has.
        (Cause::Fault(Fault::MipBias), Cause::Parametric(P::MipBias { levels })) => apart(*levels, 1.0, 0.1),
        (Cause::Fault(Fault::GammaEncode22), Cause::Parametric(P::Gamma { gamma })) => near(2.2, *gamma),
        (Cause::Fault(Fault::ViewportHalfPixel), Cause::Parametric(P::WindowOffset { x, y })) => {
            apart(*x, 0.5, 0.1) && apart(*y, 0.0, 0.1)
        }
        (named, truth) => named == truth,
    }
}

/// Something that nobody meant.
fn nonsense(
    chance: &mut Chance,
    scenes: &[Named],
    place: usize,
    right: &[u8],
) -> Result<(String, Vec<u8>), Box<dyn Error>> {
    let pixels = right.len() / 4;
    Ok(match chance.below(5) {
        0 => {
            let noise = (0..pixels).flat_map(|_| {
                let bits = chance.next();
                [bits as u8, (bits >> 8) as u8, (bits >> 16) as u8, 255]
            });
            ("noise".to_owned(), noise.collect())
        }
        1 => ("black".to_owned(), [0, 0, 0, 255].repeat(pixels)),
        2 => {
            let most = 4.0 + chance.below(30) as f32;
            let noisy = right.iter().enumerate().map(|(index, byte)| match index % 4 {
                3 => *byte,
                _ => (f32::from(*byte) + chance.between(-most, most)).clamp(0.0, 255.0) as u8,
            });
            ("a noisy picture".to_owned(), noisy.collect())
        }
        3 => {
            let (length, height) = (f64::from(chance.between(8.0, 60.0)), f64::from(chance.between(10.0, 60.0)));
            let waved = right.iter().enumerate().map(|(index, byte)| match index % 4 {
                3 => *byte,
                _ => {
                    let x = (index / 4 % SIZE[0] as usize) as f64;
                    (f64::from(*byte) + height * libm::sin(x / length)).clamp(0.0, 255.0) as u8
                }
            });
            ("a wave over the picture".to_owned(), waved.collect())
        }
        _ => {
            let other = (place + 1 + chance.below(scenes.len() as u64 - 1) as usize) % scenes.len();
            let scene = &scenes[other].scene;
            let settings = RenderSettings { width: SIZE[0], height: SIZE[1], ..RenderSettings::default() };
            let pose = Moment::Rest.pose(scene)?;
            let camera = CameraSettings::default().camera(scene, None, &pose, &settings)?;
            let shot = Shot { moment: Moment::Rest, camera: &camera, settings: &settings };
            let frame = Simulator::new(scene)?.draw(&shot, &Variation::default(), &[])?;
            (format!("the model {}", scenes[other].name), frame.rgba)
        }
    })
}

/// Candidates by row and grade.
#[derive(Default)]
struct Table(BTreeMap<String, Row>);

#[derive(Default)]
struct Row {
    grades: BTreeMap<Grade, usize>,
    /// Candidates whose stage has a right answer, and those that got it.
    placed: usize,
    located: usize,
}

impl Table {
    fn add(&mut self, row: &str, answer: &Answer) {
        let row = self.0.entry(row.to_owned()).or_default();
        *row.grades.entry(answer.grade).or_default() += 1;
        row.placed += usize::from(answer.is_located.is_some());
        row.located += usize::from(answer.is_located == Some(true));
    }

    fn print(&self) {
        println!(
            "| family | candidates | named | one of several | one of two | no name | a wrong name | only wrong names | right stage |"
        );
        println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
        for (row, Row { grades, placed, located }) in &self.0 {
            let all = [Grade::Named, Grade::OneOf, Grade::Half, Grade::Unknown, Grade::Wrong, Grade::WrongSet];
            let counts = all.map(|grade| grades.get(&grade).copied().unwrap_or(0));
            let cells: Vec<String> = counts.iter().map(ToString::to_string).collect();
            let stage = if *placed == 0 { "–".to_owned() } else { format!("{located} of {placed}") };
            println!("| {row} | {} | {} | {stage} |", counts.iter().sum::<usize>(), cells.join(" | "));
        }
    }
}

/// The command line.
struct Arguments {
    seed: u64,
    singles: usize,
    pairs: usize,
    undeclared: usize,
    nonsense: usize,
    scenes: Vec<String>,
}

impl Arguments {
    fn read(mut given: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut own = Self { seed: 1, singles: 0, pairs: 0, undeclared: 0, nonsense: 0, scenes: Vec::new() };
        while let Some(argument) = given.next() {
            let mut number =
                || given.next().ok_or("a number is missing")?.parse::<u64>().map_err(|error| error.to_string());
            match argument.as_str() {
                "--seed" => own.seed = number()?,
                "--singles" => own.singles = number()? as usize,
                "--pairs" => own.pairs = number()? as usize,
                "--undeclared" => own.undeclared = number()? as usize,
                "--nonsense" => own.nonsense = number()? as usize,
                _ => own.scenes.push(argument),
            }
        }
        if own.scenes.len() < 2 { Err("name two scenes or more".into()) } else { Ok(own) }
    }
}
