//! The camera walks once around the character: `cargo run --release --example turntable [SCENE] [FOLDER]`.

use std::{env, error::Error, fs, path::PathBuf};

use refrast::{
    animation::Pose,
    golden::Picture,
    render::{Bounds, Camera, Orbit, RenderSettings, Renderer},
    scene::Scene,
};

const FRAMES: u32 = 36;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let scene = match arguments.next() {
        Some(file) => Scene::load(file)?,
        None => Scene::mannequin()?,
    };
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| "turntable".to_owned()));
    fs::create_dir_all(&folder)?;

    let settings = RenderSettings { width: 480, height: 640, ..RenderSettings::default() };
    let mut renderer = Renderer::new(&scene, settings)?;
    let pose = Pose::rest(&scene);
    let bounds = Bounds::of(&scene, None)?;
    for frame in 0..FRAMES {
        let orbit = Orbit { yaw: f64::from(frame) * 360.0 / f64::from(FRAMES), ..Orbit::default() };
        let camera = Camera::orbit(&bounds, orbit, 480.0 / 640.0, settings.convention);
        let picture = renderer.render(&pose, &camera)?;
        let path = folder.join(format!("frame_{frame:05}.png"));
        Picture::from_rgba8(picture.width(), picture.height(), picture.rgba())?.write(&path)?;
    }
    println!("{FRAMES} frames in {}", folder.display());
    Ok(())
}
