//! [`Case`]: the scenes that drivers are held against the reference with.

use std::path::{Path, PathBuf};

use refrast::{
    animation::Pose,
    golden::Picture,
    raster::{Convention, SampleCount},
    render::{Camera, Orbit, RenderSettings, Renderer},
    scene::Scene,
    shading::ShadingMode,
};

/// A picture of a scene.
#[derive(Clone, Debug)]
pub struct Case {
    /// Names the picture.
    pub name: String,
    /// A file, or `mannequin`.
    pub scene: PathBuf,
    /// The clip by name or index; the rest pose without it.
    pub animation: Option<&'static str>,
    /// Within the clip.
    pub seconds: f32,
    /// Where the camera stands.
    pub orbit: Orbit,
    /// How the picture is made.
    pub settings: RenderSettings,
}

/// A case that is ready to be drawn.
#[derive(Debug)]
pub struct Prepared {
    /// What is drawn.
    pub scene: Scene,
    /// When.
    pub pose: Pose,
    /// From where.
    pub camera: Camera,
}

fn orbit(yaw: f64, pitch: f64) -> Orbit {
    Orbit { yaw, pitch, distance: None }
}

impl Case {
    /// The built-in character in several poses, views and conventions.
    #[must_use]
    pub fn built_in() -> Vec<Self> {
        let case = |name: &str, animation, seconds, orbit, settings| Self {
            name: name.to_owned(),
            scene: "mannequin".into(),
            animation: Some(animation),
            seconds,
            orbit,
            settings,
        };
        let small = RenderSettings { width: 320, height: 400, ..RenderSettings::default() };
        let close = Orbit { yaw: 15.0, pitch: 0.0, distance: Some(0.45) };
        let convention = |convention| RenderSettings { convention, ..small };
        let mut cases = vec![
            case("walk-side", "Walk", 0.55, orbit(90.0, 5.0), small),
            case("walk-above", "Walk", 0.2, orbit(45.0, 80.0), small),
            case("walk-near-plane", "Walk", 0.3, close, small),
            case("walk-d3d", "Walk", 0.3, Orbit::default(), convention(Convention::D3d)),
            case("walk-vulkan", "Walk", 0.3, Orbit::default(), convention(Convention::Vulkan)),
            case("flex", "Flex", 1.5, orbit(30.0, 10.0), small),
            case("expression", "Expression", 1.2, orbit(10.0, 5.0), small),
        ];
        cases.extend(ShadingMode::ALL.map(|shading| {
            let settings = RenderSettings { shading, ..small };
            case(&format!("view-{shading}"), "Walk", 0.3, Orbit::default(), settings)
        }));
        cases
    }

    /// The first file of each folder in `models`, in three views; nothing where the folder is not there.
    #[must_use]
    pub fn models(models: &Path) -> Vec<Self> {
        let entries = |folder: &Path| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
            paths.sort();
            paths
        };
        let is_scene = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "glb" || kind == "gltf");
        let settings = RenderSettings { width: 480, height: 360, ..RenderSettings::default() };
        let mut cases = Vec::new();
        for folder in entries(models) {
            let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let Some(scene) = entries(&folder).into_iter().find(is_scene).filter(|_| name != "malformed") else {
                continue;
            };
            for (shading, yaw) in
                [(ShadingMode::Lit, 25.0), (ShadingMode::Normals, 200.0), (ShadingMode::Joints, 300.0)]
            {
                cases.push(Self {
                    name: format!("{name}-{shading}"),
                    scene: scene.clone(),
                    animation: Some("0"),
                    seconds: 0.4,
                    orbit: orbit(yaw, 8.0),
                    settings: RenderSettings { shading, ..settings },
                });
            }
        }
        cases
    }

    /// The same with another number of samples.
    #[must_use]
    pub fn with_samples(mut self, samples: SampleCount) -> Self {
        self.settings.samples = samples;
        self
    }

    /// Loads the scene and poses it.
    ///
    /// # Errors
    ///
    /// When the scene can not be read.
    pub fn prepare(&self) -> Result<Prepared, Box<dyn std::error::Error>> {
        let built_in = self.scene.as_os_str() == "mannequin";
        let scene = if built_in { Scene::mannequin()? } else { Scene::load(&self.scene)? };
        let animation = self.animation.and_then(|animation| scene.find_animation(animation).ok());
        let pose = match animation {
            Some(animation) => Pose::sample(&scene, animation, self.seconds)?,
            None => Pose::rest(&scene),
        };
        let bounds = Renderer::new(&scene, self.settings)?.bounds(&pose)?;
        let aspect_ratio = f64::from(self.settings.width) / f64::from(self.settings.height);
        let camera = Camera::orbit(&bounds, self.orbit, aspect_ratio, self.settings.convention);
        Ok(Prepared { scene, pose, camera })
    }

    /// What the reference draws.
    ///
    /// # Errors
    ///
    /// When the reference can not draw it.
    pub fn golden(&self, prepared: &Prepared) -> Result<Picture, Box<dyn std::error::Error>> {
        let mut renderer = Renderer::new(&prepared.scene, self.settings)?;
        let frame = renderer.render(&prepared.pose, &prepared.camera)?;
        Ok(Picture::from_rgba8(frame.width(), frame.height(), frame.rgba())?)
    }
}
