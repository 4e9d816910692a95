//! `refrast render`: frames of a scene as pictures, animations or bytes.

use std::{error::Error, num::NonZeroUsize, path::PathBuf, process::ExitCode};

use clap::Args;
use refrast_animation::Pose;
use refrast_golden::Picture;
use refrast_render::bounds_with_shadows;
use refrast_scene::Scene;
use refrast_stage::{Bounds, Camera, CameraChoice, CameraSettings, Orbit, RenderError, shadow_plan};
use refrast_verify::cases::describe_shadows;

use super::{
    CommandResult,
    arguments::{PictureArguments, SceneArguments, TimeRange, no_clip, seconds},
    frames::{SheetSize, Target},
    output::{note, print, print_json, say},
    skinning_choice::SkinningArguments,
};

#[derive(Args)]
pub(super) struct RenderArguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// NAME.png: one frame, of several an animated PNG; NAME.webp: the same, smaller; NAME.gif: with 256 colours; a folder: numbered frames; -:
    /// raw RGBA to standard output
    #[arg(short, long, value_name = "OUT", allow_hyphen_values = true, required_unless_present_any = ["print_camera", "print_splits"])]
    output: Option<PathBuf>,
    /// Time within the clip, in seconds; before its first key that one holds, after its last the last
    #[arg(long, value_name = "SECONDS", default_value = "0", conflicts_with = "fps", allow_negative_numbers = true, value_parser = seconds)]
    time: f32,
    /// Render the whole clip with N frames a second
    #[arg(long, value_name = "N")]
    fps: Option<f32>,
    /// Only from A on and before B, in seconds
    #[arg(long, value_name = "A..B", requires = "fps")]
    range: Option<TimeRange>,
    /// Go once around in N frames
    #[arg(long, value_name = "N", conflicts_with = "fps")]
    turntable: Option<NonZeroUsize>,
    /// Frames of the whole clip (or of a turntable) side by side in one picture
    #[arg(long, value_name = "COLSxROWS", conflicts_with = "fps")]
    contact_sheet: Option<SheetSize>,
    #[command(flatten)]
    picture: PictureArguments,
    #[command(flatten)]
    skinning: SkinningArguments,
    /// Write the camera in use to standard output, as a file that --camera takes
    #[arg(long)]
    print_camera: bool,
    /// Show the camera's splits and the boxes of the shadow maps as lines, from an orbit around them
    #[arg(long, value_name = "orbit:YAW,PITCH[,DISTANCE]")]
    show_frusta: Option<CameraChoice>,
    /// Write the splits of the view and the matrices of the shadow maps to standard output, as JSON
    #[arg(long)]
    print_splits: bool,
    /// Print a content hash of each frame's pixels to standard output
    #[arg(long)]
    hash: bool,
}

/// The most frames that one command writes.
const MOST_FRAMES: usize = 100_000;

/// Frames a second of a turntable that plays.
const TURNTABLE_RATE: f32 = 24.0;

pub(super) fn run(arguments: &RenderArguments) -> CommandResult {
    let scene = arguments.scene.load()?;
    let shots = arguments.shots(&scene)?;
    let rate = arguments.fps.unwrap_or(if arguments.turntable.is_some() { TURNTABLE_RATE } else { 1.0 });
    let output = arguments.output.as_deref();
    let target = output.map(|output| Target::named(output, shots.len(), rate, arguments.contact_sheet)).transpose()?;
    if target == Some(Target::Raw) && (arguments.hash || arguments.print_camera || arguments.print_splits) {
        return Err(
            "--hash, --print-camera and --print-splits write to standard output, and so does -o -; leave out one of them".into()
        );
    }
    let moment = arguments.scene.moment(&scene, shots[0].seconds)?;
    let animation = moment.clip();
    let mut renderer = arguments.skinning.renderer(&scene, arguments.picture.settings())?;
    let mut pose = moment.pose(&scene)?;
    let mut camera = arguments.picture.camera(&scene, moment)?;
    if arguments.print_camera {
        print(camera.to_json())?;
    }
    if arguments.print_splits {
        let plan = shadow_plan(&scene, &pose, &camera, &arguments.picture.settings())?;
        let plan =
            plan.ok_or("--print-splits shows how the view is split for shadows: add --shadows cascades:N or spot")?;
        print_json(&describe_shadows(&plan))?;
    }

    let (Some(output), Some(target)) = (output, target) else { return Ok(ExitCode::SUCCESS) };
    target.begin()?;
    let (mut kept, mut empty) = (Vec::new(), 0);
    let progress = super::progress_bar(shots.len(), "frames");
    for (index, shot) in shots.iter().enumerate() {
        if let Some(animation) = animation {
            pose.sample_into(&scene, animation, shot.seconds)?;
        }
        if arguments.turntable.is_some() {
            camera = arguments.turned(shot.degrees)?.camera(&scene, animation, &pose, &arguments.picture.settings())?;
        }
        let frame = match arguments.observer(&scene, animation, (&pose, &camera))? {
            None => renderer.render(&pose, &camera)?,
            Some(observer) => renderer.render_frusta(&pose, &camera, &observer)?,
        };
        let picture = Picture::from_rgba8(frame.width(), frame.height(), frame.rgba())?;
        let hash = arguments.hash.then(|| picture.content_hash());
        empty += usize::from(picture.is_one_color());
        target.add(index, picture, &mut kept)?;
        if let Some(hash) = hash {
            say!("{hash:016x}  {}", target.place(index).display())?;
        }
        progress.inc(1);
    }
    target.finish(&kept)?;
    progress.finish_and_clear();
    let what = if shots.len() == 1 { "1 frame".to_owned() } else { format!("{} frames", shots.len()) };
    note!("{what} written to {}", output.display());
    if empty > 0 {
        let which = if empty == shots.len() { what } else { format!("{empty} of {what}") };
        note!(
            "warning: {which} of one colour: nothing that is drawn is in view, or nothing that differs from the background"
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// What a frame shows.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FrameShot {
    /// Within the clip.
    seconds: f32,
    /// How far the camera has gone around.
    degrees: f64,
}

impl RenderArguments {
    /// What the frames show.
    fn shots(&self, scene: &Scene) -> Result<Vec<FrameShot>, Box<dyn Error>> {
        let animation = self.scene.find_animation(scene)?;
        let still = |seconds| FrameShot { seconds, degrees: 0.0 };
        if let Some(frames) = self.turntable {
            if let Some(sheet) = self.contact_sheet.filter(|sheet| sheet.count() < frames.get()) {
                return Err(format!("a sheet of {sheet} does not hold the {frames} frames of --turntable").into());
            }
            let degrees = |frame: usize| frame as f64 * 360.0 / frames.get() as f64;
            return Ok((0..frames.get())
                .map(|frame| FrameShot { degrees: degrees(frame), ..still(self.time) })
                .collect());
        }
        let duration = |animation: usize| scene.animations[animation].duration;
        if let Some(sheet) = self.contact_sheet {
            let duration = duration(animation.ok_or_else(|| no_clip(scene, "--contact-sheet"))?);
            let times = (0..sheet.count()).map(|frame| frame as f32 * duration / sheet.count() as f32);
            return Ok(times.map(still).collect());
        }
        let Some(fps) = self.fps else { return Ok(vec![still(self.time)]) };
        let duration = duration(animation.ok_or_else(|| no_clip(scene, "--fps"))?);
        let range = self.range.as_ref().map_or(0.0..duration, |TimeRange(range)| range.clone());
        Ok(frame_times(fps, range.start, range.end)?.into_iter().map(still).collect())
    }

    /// The camera that sees the frusta from outside.
    fn observer(
        &self,
        scene: &Scene,
        clip: Option<usize>,
        (pose, camera): (&Pose, &Camera),
    ) -> Result<Option<Camera>, Box<dyn Error>> {
        let Some(choice) = &self.show_frusta else { return Ok(None) };
        let CameraChoice::Orbit(orbit) = choice else {
            return Err("--show-frusta is an orbit around the frusta: write orbit:YAW,PITCH".into());
        };
        let settings = self.picture.settings();
        let plan = shadow_plan(scene, pose, camera, &settings)?.ok_or(RenderError::NoFrusta)?;
        let bounds = bounds_with_shadows(Bounds::of(scene, clip)?, &plan, camera);
        let aspect_ratio = f64::from(settings.width) / f64::from(settings.height);
        Ok(Some(Camera::orbit(&bounds, *orbit, aspect_ratio, settings.convention)))
    }

    /// The camera that was asked for, so many degrees further around.
    fn turned(&self, degrees: f64) -> Result<CameraSettings, Box<dyn Error>> {
        let settings = self.picture.view.camera.settings();
        match (&settings.choice, settings.eye) {
            (CameraChoice::Orbit(orbit), None) => {
                let orbit = Orbit { yaw: orbit.yaw + degrees, ..*orbit };
                Ok(CameraSettings { choice: CameraChoice::Orbit(orbit), ..settings })
            }
            _ => Err("--turntable goes around what is drawn; take --camera orbit:YAW,PITCH, without --eye".into()),
        }
    }
}

/// Times from `start`, `fps` a second, before `end`; at least one.
fn frame_times(fps: f32, start: f32, end: f32) -> Result<Vec<f32>, String> {
    if !(fps.is_finite() && fps > 0.0) {
        return Err("--fps must be a positive number".to_owned());
    }
    let (fps, start, end) = (f64::from(fps), f64::from(start), f64::from(end));
    if (end - start) * fps > MOST_FRAMES as f64 {
        return Err(format!("that would be over {MOST_FRAMES} frames; narrow it with --range or a lower --fps"));
    }
    let times = (0..=MOST_FRAMES).map(|index| start + index as f64 / fps);
    // 0.3 is no f32: the third tenth of a second is not before it, though its f64 is.
    let times: Vec<f32> = times.map(|time| time as f32).take_while(|&time| time < end as f32).collect();
    Ok(if times.is_empty() { vec![start as f32] } else { times })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_half_open_and_never_empty() {
        assert_eq!(frame_times(4.0, 0.0, 1.0), Ok(vec![0.0, 0.25, 0.5, 0.75]));
        assert_eq!(frame_times(30.0, 2.0, 2.0), Ok(vec![2.0]));
        assert_eq!(frame_times(10.0, 0.0, 0.3), Ok(vec![0.0, 0.1, 0.2]));
        assert!(frame_times(0.0, 0.0, 1.0).is_err());
        assert!(frame_times(1e9, 0.0, 1e6).is_err());
    }
}
