//! [`diagnostician`]: who says in the window which mistake a picture shows.
//!
//! Why it exists: the window knows of no mistakes, and the diagnosis of no window. Here the answer of one becomes something that
//! can be clicked in the other: a mistake is the picture that a backend draws which makes it, and an option is taken as if it had
//! been written on the command line.

use std::{num::NonZeroUsize, sync::Arc, thread};

use clap::Parser;
use refrast_scene::Scene;
use refrast_shading::{ShadingMode, ShadowSettings};
use refrast_simulator::Moment;
use refrast_skinning::{NormalMode, SkinningMethod};
use refrast_verify::{
    Profile,
    diagnose::{Cause, Diagnosis, Finding, Step, diagnose_setup, hypothesis_picture},
    setup::{Change, Question, Setup, Source},
};
use refrast_window::{Diagnostician, Effect, Hypothesis, PictureAnswer, PictureQuestion, State, Told};

use super::{arguments::DeclaredArguments, words::word};
use refrast_draw::SampleCount;

/// Mistakes whose pictures can be looked at.
const SHOWN: usize = 6;

/// Who answers as `refrast diagnose` does.
pub(super) fn diagnostician() -> Diagnostician {
    Diagnostician::new(|scene, question, tell| {
        // One core stays with the window.
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(cores.saturating_sub(1).max(1)).build();
        pool.map_err(|error| error.to_string())?.install(|| answer(scene, question, tell))
    })
}

fn answer(scene: &Scene, asked: &PictureQuestion, tell: &(dyn Fn(Told) + Sync)) -> Result<PictureAnswer, String> {
    let question = Question {
        scene,
        camera: &asked.camera,
        rules: asked.rules,
        source: Source::FILE,
        candidate: &asked.candidate,
        images: None,
    };
    let moment = asked.moment.map_or(Moment::Rest, |(animation, seconds)| Moment::Clip { animation, seconds });
    let setup = Setup { moment, settings: asked.settings };
    let progress = |step: Step<'_>| {
        tell(match step {
            Step::Tried { done, of } => Told::Tried { done, of },
            known => Told::Known(known.to_string()),
        });
    };
    let diagnosis = diagnose_setup(&question, &setup, &progress).map_err(|error| error.to_string())?;
    let mut hypotheses = Vec::new();
    hypotheses.extend(changed(scene, &diagnosis.right_with));
    hypotheses.extend(diagnosis.right_if.iter().filter_map(|options| declared(options)));
    for finding in diagnosis.likely().take(SHOWN) {
        hypotheses.push(match finding.cause {
            Cause::Undeclared { .. } => match declared(&finding.cause.to_string()) {
                Some(choice) => choice,
                None => continue,
            },
            _ => mistake(&question, &setup, finding)?,
        });
    }
    Ok(PictureAnswer { text: lines(&diagnosis), hypotheses })
}

fn lines(diagnosis: &Diagnosis) -> Vec<String> {
    diagnosis.to_string().lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// A mistake, by what a backend draws that makes it.
fn mistake(question: &Question<'_>, setup: &Setup, finding: &Finding) -> Result<Hypothesis, String> {
    let picture = hypothesis_picture(question, setup, finding).map_err(|error| error.to_string())?;
    Ok(Hypothesis { name: finding.name(), about: finding.about(), effect: Effect::Picture(Arc::new(picture)) })
}

/// Options that a window has, as they stand on the command line.
#[derive(Clone, Debug, Parser)]
#[command(no_binary_name = true)]
struct Options {
    #[arg(long, allow_negative_numbers = true)]
    time: Option<f32>,
    #[arg(long)]
    animation: Option<String>,
    #[arg(long, value_parser = word::<SkinningMethod>())]
    skinning: Option<SkinningMethod>,
    #[arg(long, value_parser = word::<NormalMode>())]
    normals: Option<NormalMode>,
    #[arg(long)]
    max_influences: Option<NonZeroUsize>,
    #[arg(long, value_parser = word::<ShadingMode>())]
    shading: Option<ShadingMode>,
    #[arg(long, value_parser = word::<SampleCount>())]
    samples: Option<SampleCount>,
    /// Shadows are only ever taken away.
    #[arg(long, value_parser = ["none"])]
    shadows: Option<String>,
    #[arg(long)]
    fov: Option<f64>,
    #[arg(long)]
    profile: Option<Profile>,
    #[command(flatten)]
    declared: DeclaredArguments,
}

impl Options {
    /// Takes them in a window that shows `scene`; `None` where there is no such clip.
    fn effect(self, scene: &Scene) -> Option<Effect> {
        let clip = match &self.animation {
            Some(name) => Some(scene.find_animation(name).ok()?),
            None => None,
        };
        Some(Effect::Options(Arc::new(move |state| self.take(state, clip))))
    }

    fn take(&self, state: &mut State, clip: Option<usize>) {
        state.clip = clip.or(state.clip);
        state.time = self.time.unwrap_or(state.time);
        state.method = self.skinning.unwrap_or(state.method);
        state.normals = self.normals.unwrap_or(state.normals);
        state.max_influences = self.max_influences.or(state.max_influences);
        state.shading = self.shading.unwrap_or(state.shading);
        state.samples = self.samples.unwrap_or(state.samples);
        if self.shadows.is_some() {
            state.shadows = ShadowSettings::default();
        }
        state.lens.field_of_view = self.fov.or(state.lens.field_of_view);
        state.profile = self.profile.unwrap_or(state.profile);
        state.declared = self.declared.declared().or(state.declared);
    }
}

/// The options under which a candidate is right, where a window has all of them.
fn changed(scene: &Scene, changes: &[Change]) -> Option<Hypothesis> {
    let words = changes.iter().map(|change| {
        let option = change.option?;
        // Another clip comes with its moment, and may be called anything.
        Some(match change.value.rsplit_once(" --time ") {
            Some((clip, seconds)) => vec![option, clip, "--time", seconds],
            None => vec![option, change.value.as_str()],
        })
    });
    let words: Vec<&str> = words.collect::<Option<Vec<_>>>()?.concat();
    let effect = Options::try_parse_from(&words).ok()?.effect(scene)?;
    let name = changes.iter().map(Change::to_string).collect::<Vec<_>>().join(" ");
    let notes: Vec<&str> = changes.iter().filter_map(|change| change.note.as_deref()).collect();
    let about = match notes.is_empty() {
        true => "The candidate is right with these options.".to_owned(),
        false => format!("The candidate is right with these options: {}.", notes.join(", ")),
    };
    (!words.is_empty()).then_some(Hypothesis { name, about, effect })
}

/// What makes a candidate right where it is declared.
fn declared(options: &str) -> Option<Hypothesis> {
    let effect = Options::try_parse_from(options.split_whitespace()).ok()?.effect(&Scene::default())?;
    let about = "The candidate is right where a backend declares this.".to_owned();
    Some(Hypothesis { name: options.to_owned(), about, effect })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use refrast_golden::Picture;
    use refrast_simulator::{Fault, Shot, Simulator, Variation};
    use refrast_stage::{CameraSettings, RenderSettings};
    use refrast_verify::Dither;

    /// The character with a mistake, at a time, asked about as it should be at half a second.
    fn asked(scene: &Scene, seconds: f32, faults: &[Fault]) -> (Vec<Told>, PictureAnswer) {
        let settings = RenderSettings { width: 96, height: 72, ..RenderSettings::default() };
        let animation = scene.find_animation("Flex").expect("a clip of the mannequin");
        let (camera, moment) = (CameraSettings::default(), Moment::Clip { animation, seconds });
        let pose = moment.pose(scene).expect("the clip is there");
        let view = camera.camera(scene, Some(animation), &pose, &settings).expect("a usual camera");
        let shot = Shot { moment, camera: &view, settings: &settings };
        let simulator = Simulator::new(scene).expect("complete textures");
        let frame = simulator.draw(&shot, &Variation::default(), faults).expect("the character can be drawn");
        let candidate = Picture::from_rgba8(96, 72, frame.rgba).expect("a frame is a picture");
        let question = PictureQuestion {
            candidate: Arc::new(candidate),
            moment: Some((animation, 0.5)),
            camera,
            settings,
            rules: Profile::D3d11.into(),
        };
        let heard = Mutex::new(Vec::new());
        let tell = |told| heard.lock().expect("nobody panics").push(told);
        let answer = answer(scene, &question, &tell).expect("there is an answer");
        (heard.into_inner().expect("nobody panics"), answer)
    }

    #[test]
    fn another_moment_is_an_option_and_a_mistake_is_a_picture() {
        let scene = Scene::mannequin().expect("the built-in character loads");
        let (heard, answer) = asked(&scene, 0.6, &[]);
        assert!(matches!(&heard[..], [Told::Known(wrong), ..] if wrong.contains("pixels are wrong")), "{heard:?}");
        let [time] = &answer.hypotheses[..] else { panic!("one answer: {answer:?}") };
        assert_eq!(taken(Some(time.clone())).time, 0.6, "{answer:?}");

        let (heard, answer) = asked(&scene, 0.5, &[Fault::TextureFlipped]);
        let known = |told: &Told| matches!(told, Told::Known(text) if text.contains("no other options"));
        assert!(heard.iter().any(known), "{heard:?}");
        let [flipped] = &answer.hypotheses[..] else { panic!("one answer: {answer:?}") };
        assert_eq!(flipped.name, "texture-flipped");
        let Effect::Picture(picture) = &flipped.effect else { panic!("a mistake is a picture") };
        assert_eq!(picture.size(), (96, 72));
    }

    fn change(option: &'static str, value: &str) -> Change {
        Change { option: Some(option), value: value.to_owned(), note: None }
    }

    fn taken(hypothesis: Option<Hypothesis>) -> State {
        let mut state = State::default();
        match hypothesis.expect("the window has these options").effect {
            Effect::Options(take) => take(&mut state),
            Effect::Picture(_) => unreachable!("options are no picture"),
        }
        state
    }

    #[test]
    fn options_are_taken_as_from_the_command_line() {
        let scene = Scene::mannequin().expect("the built-in character loads");
        let state = taken(changed(&scene, &[change("--time", "0.25"), change("--skinning", "dual-quaternion")]));
        assert_eq!((state.time, state.method), (0.25, SkinningMethod::DualQuaternion));
        let state = taken(changed(&scene, &[change("--animation", "Flex --time 0.5")]));
        assert_eq!((state.clip, state.time), (scene.find_animation("Flex").ok(), 0.5));
        let state = taken(declared("--dither ordered-1lsb --profile vulkan-min"));
        assert_eq!(state.declared.dither, Dither::Ordered1Lsb);
        assert_eq!(state.profile, Profile::VulkanMin);
    }

    #[test]
    fn what_a_window_has_not_is_not_offered() {
        let scene = Scene::default();
        assert!(changed(&scene, &[change("--background", "#102030")]).is_none());
        assert!(changed(&scene, &[change("--animation", "Run --time 0.5")]).is_none());
        assert!(changed(&scene, &[]).is_none());
        let turned = Change { option: None, value: "the picture upside down".to_owned(), note: None };
        assert!(changed(&scene, &[turned]).is_none());
    }
}
