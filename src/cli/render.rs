//! `refrast render`: frames of a scene as PNG files.

use std::{fs, path::PathBuf, process::ExitCode};

use clap::Args;
use refrast_golden::Picture;

use super::{
    CommandResult,
    arguments::{PictureArguments, SceneArguments, TimeRange, no_clip},
    output::{note, print, say},
    skinning_choice::SkinningArguments,
};

#[derive(Args)]
pub(super) struct RenderArguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// A name ending in .png takes one frame, any other a folder of numbered frames
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Time within the clip, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0", conflicts_with = "fps")]
    time: f32,
    /// Render the whole clip with N frames a second
    #[arg(long, value_name = "N")]
    fps: Option<f32>,
    /// Only from A on and before B, in seconds
    #[arg(long, value_name = "A..B", requires = "fps")]
    range: Option<TimeRange>,
    #[command(flatten)]
    picture: PictureArguments,
    #[command(flatten)]
    skinning: SkinningArguments,
    /// Write the camera in use to standard output, as a file that --camera takes
    #[arg(long)]
    print_camera: bool,
    /// Print a content hash of each frame's pixels to standard output
    #[arg(long)]
    hash: bool,
}

/// The most frames that one command writes.
const MOST_FRAMES: usize = 100_000;

pub(super) fn run(arguments: &RenderArguments) -> CommandResult {
    let scene = arguments.scene.load()?;
    let animation = arguments.scene.find_animation(&scene)?;
    let single = arguments.output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"));
    let times = match (arguments.fps, animation) {
        (Some(_), None) => return Err(no_clip(&scene, "--fps").into()),
        (Some(fps), Some(animation)) => {
            if single {
                let output = arguments.output.display();
                return Err(format!("--fps writes many frames; name a folder instead of {output}").into());
            }
            let range = arguments
                .range
                .as_ref()
                .map_or(0.0..scene.animations[animation].duration, |TimeRange(range)| range.clone());
            frame_times(fps, range.start, range.end)?
        }
        (None, _) => vec![arguments.time],
    };
    let moment = arguments.scene.moment(&scene, times[0])?;
    let mut renderer = arguments.skinning.renderer(&scene, arguments.picture.settings())?;
    let mut pose = moment.pose(&scene)?;
    let camera = arguments.picture.camera(&scene, moment)?;
    if arguments.print_camera {
        print(camera.to_json())?;
    }

    if !single {
        fs::create_dir_all(&arguments.output)
            .map_err(|error| format!("{}: can not make the folder: {error}", arguments.output.display()))?;
    }
    let progress = super::progress_bar(times.len(), "frames");
    for (index, &time) in times.iter().enumerate() {
        if let Some(animation) = animation {
            pose.sample_into(&scene, animation, time)?;
        }
        let frame = renderer.render(&pose, &camera)?;
        let path =
            if single { arguments.output.clone() } else { arguments.output.join(format!("frame_{index:05}.png")) };
        let picture = Picture::from_rgba8(frame.width(), frame.height(), frame.rgba())?;
        picture.write(&path)?;
        if arguments.hash {
            say!("{:016x}  {}", picture.content_hash(), path.display())?;
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    let what = if times.len() == 1 { "1 frame".to_owned() } else { format!("{} frames", times.len()) };
    note!("{what} written to {}", arguments.output.display());
    Ok(ExitCode::SUCCESS)
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
    let times: Vec<f32> = times.take_while(|&time| time < end).map(|time| time as f32).collect();
    Ok(if times.is_empty() { vec![start as f32] } else { times })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_half_open_and_never_empty() {
        assert_eq!(frame_times(4.0, 0.0, 1.0), Ok(vec![0.0, 0.25, 0.5, 0.75]));
        assert_eq!(frame_times(30.0, 2.0, 2.0), Ok(vec![2.0]));
        assert!(frame_times(0.0, 0.0, 1.0).is_err());
        assert!(frame_times(1e9, 0.0, 1e6).is_err());
    }
}
