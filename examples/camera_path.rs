//! A camera of one's own, as matrices: it flies past the walking character while its field of view narrows.
//! `cargo run --release --example camera_path [FOLDER]`.

use std::{env, error::Error, fs, path::PathBuf};

use glam::DVec3;
use refrast::{
    animation::Pose,
    golden::Picture,
    render::{Camera, RenderSettings, Renderer},
    scene::{Projection, Scene},
};

const FRAMES: u32 = 33;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::args().nth(1).unwrap_or_else(|| "camera_path".to_owned()));
    fs::create_dir_all(&folder)?;
    let scene = Scene::mannequin()?;
    let walk = scene.find_animation("Walk")?;
    let settings = RenderSettings { width: 640, height: 360, ..RenderSettings::default() };
    let mut renderer = Renderer::new(&scene, settings)?;
    let mut pose = Pose::rest(&scene);

    for frame in 0..FRAMES {
        pose.sample_into(&scene, walk, frame as f32 / 30.0)?;
        let part = frame as f32 / (FRAMES - 1) as f32;
        let eye = DVec3::new(-1.5 + 3.0 * f64::from(part), 1.2, 2.5);
        let yfov = (55.0 - 20.0 * part).to_radians();
        let projection = Projection::Perspective { yfov, aspect_ratio: None, znear: 0.1, zfar: Some(10.0) };
        let camera = Camera::look_at(eye, DVec3::Y, DVec3::Y, &projection, 640.0 / 360.0, settings.convention);
        let picture = renderer.render(&pose, &camera)?;
        let path = folder.join(format!("frame_{frame:05}.png"));
        Picture::from_rgba8(picture.width(), picture.height(), picture.rgba())?.write(&path)?;
    }
    println!("{FRAMES} frames in {}", folder.display());
    Ok(())
}
