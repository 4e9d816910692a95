//! One frame of a scene as a PNG: `cargo run --release --example one_frame [SCENE] [OUT.png]`.

use std::{env, error::Error};

use refrast::{
    animation::Pose,
    golden::Picture,
    render::{Bounds, Camera, Orbit, RenderSettings, Renderer},
    scene::Scene,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let scene = match arguments.next() {
        Some(file) => Scene::load(file)?,
        None => Scene::mannequin()?,
    };
    let output = arguments.next().unwrap_or_else(|| "one_frame.png".to_owned());

    let pose = if scene.animations.is_empty() { Pose::rest(&scene) } else { Pose::sample(&scene, 0, 0.5)? };
    let settings = RenderSettings::default();
    let mut renderer = Renderer::new(&scene, settings)?;
    let bounds = Bounds::of(&scene, (!scene.animations.is_empty()).then_some(0))?;
    let aspect_ratio = f64::from(settings.width) / f64::from(settings.height);
    let camera = Camera::orbit(&bounds, Orbit::default(), aspect_ratio, settings.convention);
    let frame = renderer.render(&pose, &camera)?;
    Picture::from_rgba8(frame.width(), frame.height(), frame.rgba())?.write(output.as_ref())?;
    println!("{output}");
    Ok(())
}
