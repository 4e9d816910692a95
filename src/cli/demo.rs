//! `refrast demo`: the built-in character, rendered, compared with its golden, and shown, in the end on its stage.

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use clap::Args;
use glam::DVec3;
use refrast_animation::Pose;
use refrast_draw::{DepthBias, SampleCount};
use refrast_golden::{MANIFEST_NAME, MeasureOptions, Metric, Picture, Report, Verdict, compare_observed, write_whole};
use refrast_render::Renderer;
use refrast_scene::Scene;
use refrast_shading::{Development, ShadingMode, ShadowCasting, ShadowFilter, ShadowSettings, ToneMapping};
use refrast_stage::{CameraChoice, CameraSettings, Lens, Orbit, RenderSettings};

use super::{
    Carried, CommandResult,
    output::{note, say},
};

#[derive(Args)]
pub(super) struct DemoArguments {
    /// Where the pictures go
    #[arg(short, long, value_name = "FOLDER", default_value = FOLDER)]
    output: PathBuf,
}

const FOLDER: &str = "refrast-out";

impl Default for DemoArguments {
    fn default() -> Self {
        Self { output: FOLDER.into() }
    }
}

/// Frames of the walk cycle.
const WALK_FRAMES: u32 = 33;

/// The golden that it carries is the picture that the demo must reproduce to the last bit; `refrast golden bless demo` writes it.
pub(super) fn run(arguments: &DemoArguments, carried: Carried) -> CommandResult {
    let folder = &arguments.output;
    if folder.join("golden").join(MANIFEST_NAME).exists() {
        return Err(format!(
            "{}: goldens are kept here, which the demo would replace; name another folder",
            folder.display()
        )
        .into());
    }
    for part in ["golden", "candidate", "views", "walk"] {
        let path = folder.join(part);
        fs::create_dir_all(&path).map_err(|error| format!("{}: can not make the folder: {error}", path.display()))?;
    }
    let scene = Scene::mannequin()?;
    let summary = scene.summary();
    let joints = summary.skins.first().map_or(0, |skin| skin.joints);
    note!("The built-in character: {} triangles, {joints} joints, four influences a vertex.", summary.triangles);

    let candidate = folder.join("candidate/demo.png");
    draw_golden(&scene, &candidate)?;
    draw_views(&scene, &folder.join("views"))?;
    draw_walk(&scene, &folder.join("walk"))?;
    draw_stage(&folder.join("stage.png"))?;

    let golden = folder.join("golden/demo.png");
    write_whole(&golden, carried.demo)?;
    let options = MeasureOptions::new(Metric::Exact);
    let report = Report::new(&folder.join("report"), &options)?.judged_by(carried.judge);
    // The two files and not their folders: `refrast golden check` leaves its candidates in refrast-out/golden.
    let comparison = compare_observed(&golden, &candidate, &options, &|case, pictures| report.add(case, pictures))?;
    let page = report.finish(&comparison)?;
    note!("  golden     {}", golden.display());
    match comparison.verdict {
        Verdict::Same => say!("The picture is its golden, bit for bit. The report: {}", page.display())?,
        _ => say!("The picture is NOT its golden; please report this. The report: {}\n{comparison}", page.display())?,
    }
    Ok(ExitCode::from(comparison.verdict.exit_status()))
}

/// The settings and the moment of the golden picture; the case `demo` of the manifest is the same.
fn draw_golden(scene: &Scene, path: &Path) -> Result<(), Box<dyn Error>> {
    let settings = RenderSettings { samples: SampleCount::Four, ..RenderSettings::default() };
    let started = Instant::now();
    draw(scene, settings, path, "Walk", &[0.3])?;
    note!("  picture    {} (1280×720, 4 samples, {} ms)", path.display(), started.elapsed().as_millis());
    Ok(())
}

fn draw_views(scene: &Scene, folder: &Path) -> Result<(), Box<dyn Error>> {
    let modes =
        [ShadingMode::Normals, ShadingMode::Uv, ShadingMode::Depth, ShadingMode::Joints, ShadingMode::Wireframe];
    for shading in modes {
        let settings = RenderSettings { width: 640, height: 640, shading, ..RenderSettings::default() };
        draw(scene, settings, &folder.join(format!("{shading}.png")), "Walk", &[0.3])?;
    }
    note!("  views      {}: normals, uv, depth, joints, wireframe", folder.display());
    Ok(())
}

fn draw_walk(scene: &Scene, folder: &Path) -> Result<(), Box<dyn Error>> {
    let settings = RenderSettings { width: 480, height: 640, ..RenderSettings::default() };
    let times: Vec<f32> = (0..WALK_FRAMES).map(|frame| frame as f32 / 30.0).collect();
    let started = Instant::now();
    draw(scene, settings, &folder.join("frame.png"), "Walk", &times)?;
    let milliseconds = started.elapsed().as_millis() as f64 / f64::from(WALK_FRAMES);
    note!(
        "  animation  {}: the walk cycle in {WALK_FRAMES} frames, {milliseconds:.1} ms each, PNG and all",
        folder.display()
    );
    Ok(())
}

/// The picture of the README: the file's own materials under a sun, with shadows.
fn draw_stage(path: &Path) -> Result<(), Box<dyn Error>> {
    let shadows = ShadowSettings {
        casting: ShadowCasting { cascades: 2, spots: false },
        filter: ShadowFilter::Five,
        bias: DepthBias { constant: 16.0, slope: 6.0, clamp: 0.0 },
        ..ShadowSettings::default()
    };
    let settings = RenderSettings {
        samples: SampleCount::Four,
        shading: ShadingMode::Lit,
        development: Development { exposure: 1.1, tone: ToneMapping::Neutral },
        shadows,
        ..RenderSettings::default()
    };
    let camera = CameraSettings {
        choice: CameraChoice::Orbit(Orbit { yaw: 28.0, pitch: 9.0, distance: Some(4.1) }),
        lens: Lens { field_of_view: Some(30.0), ..Lens::default() },
        target: Some(DVec3::new(0.0, 0.78, 0.0)),
        ..CameraSettings::default()
    };
    let started = Instant::now();
    draw_from(&Scene::stage()?, (settings, &camera), path, "Walk", &[0.3])?;
    note!("  stage      {} (lit, with shadows, {} ms)", path.display(), started.elapsed().as_millis());
    Ok(())
}

/// Draws moments of a clip; several moments get numbered files.
fn draw(scene: &Scene, settings: RenderSettings, path: &Path, clip: &str, times: &[f32]) -> Result<(), Box<dyn Error>> {
    draw_from(scene, (settings, &CameraSettings::default()), path, clip, times)
}

/// The same from a camera.
fn draw_from(
    scene: &Scene,
    (settings, camera): (RenderSettings, &CameraSettings),
    path: &Path,
    clip: &str,
    times: &[f32],
) -> Result<(), Box<dyn Error>> {
    let clip = scene.find_animation(clip)?;
    let mut renderer = Renderer::new(scene, settings)?;
    let mut pose = Pose::rest(scene);
    let camera = camera.camera(scene, Some(clip), &pose, &settings)?;
    for (number, &time) in times.iter().enumerate() {
        pose.sample_into(scene, clip, time)?;
        let frame = renderer.render(&pose, &camera)?;
        let numbered = path.with_file_name(format!("frame_{number:05}.png"));
        let path = if times.len() == 1 { path } else { &numbered };
        Picture::from_rgba8(frame.width(), frame.height(), frame.rgba())?.write(path)?;
    }
    Ok(())
}
