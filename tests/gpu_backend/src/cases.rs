//! [`Case`]: the scenes that drivers are held against the reference with.

use std::path::{Path, PathBuf};

use refrast::{
    animation::Pose,
    raster::{Convention, SampleCount},
    render::{Camera, Orbit, RenderSettings, Renderer},
    scene::Scene,
    shading::ShadingMode,
    verify::{
        cases::{GoldenFolder, PreparedCase},
        showcase::{Showcase, showcases},
        simulator::Moment,
    },
};

use crate::surfaces::surfaces;

/// A picture of a scene.
#[derive(Clone, Debug)]
pub struct Case {
    /// Names the picture.
    pub name: String,
    /// How the picture is made.
    pub settings: RenderSettings,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    /// A file, or the built-in character, seen from an orbit.
    File { scene: PathBuf, animation: &'static str, seconds: f32, orbit: Orbit },
    /// A small scene that shows something.
    Showcase(Box<Showcase>),
    /// A golden's entry in its manifest.
    Golden(Box<PreparedCase>),
}

/// A case that is ready to be drawn.
#[derive(Debug)]
pub struct Prepared {
    /// What is drawn.
    pub scene: Scene,
    /// When.
    pub moment: Moment,
    /// The pose of that moment.
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
            settings,
            source: Source::File { scene: MANNEQUIN.into(), animation, seconds, orbit },
        };
        let small = RenderSettings { width: 160, height: 200, ..RenderSettings::default() };
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
        cases.extend(ShadingMode::ALL.into_iter().map(|shading| {
            let settings = RenderSettings { shading, ..small };
            case(&format!("view-{shading}"), "Walk", 0.3, Orbit::default(), settings)
        }));
        cases
    }

    /// The library's small scenes, in which every known mistake shows.
    #[must_use]
    pub fn showcases() -> Vec<Self> {
        showcases().into_iter().map(Self::of_showcase).collect()
    }

    /// The scenes of [`surfaces`].
    #[must_use]
    pub fn surfaces() -> Vec<Self> {
        surfaces().into_iter().map(Self::of_showcase).collect()
    }

    fn of_showcase(showcase: Showcase) -> Self {
        Self {
            name: showcase.name.to_owned(),
            settings: showcase.settings,
            source: Source::Showcase(Box::new(showcase)),
        }
    }

    /// The first file of each folder in `models`, in five views; nothing where the folder is not there.
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
            for (shading, yaw) in [
                (ShadingMode::Lambert, 25.0),
                (ShadingMode::Lit, 25.0),
                (ShadingMode::ShadingNormals, 110.0),
                (ShadingMode::Normals, 200.0),
                (ShadingMode::Joints, 300.0),
            ] {
                let scene = scene.clone();
                cases.push(Self {
                    name: format!("{name}-{shading}"),
                    settings: RenderSettings { shading, ..settings },
                    source: Source::File { scene, animation: "0", seconds: 0.4, orbit: orbit(yaw, 8.0) },
                });
            }
        }
        cases
    }

    /// A scene in its first animation, or at rest.
    #[must_use]
    pub fn of_scene(scene: &Path, [width, height]: [u32; 2], seconds: f32) -> Self {
        let name = scene.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let settings = RenderSettings { width, height, ..RenderSettings::default() };
        let source = Source::File { scene: scene.to_owned(), animation: "0", seconds, orbit: orbit(25.0, 8.0) };
        Self { name, settings, source }
    }

    /// The goldens of a folder, with sides that are `smaller` times smaller.
    ///
    /// # Errors
    ///
    /// When the manifest or a scene can not be read.
    pub fn goldens(folder: &Path, smaller: u32) -> Result<Vec<Self>, Box<dyn std::error::Error>> {
        let mut goldens = GoldenFolder::open(folder)?;
        // Those are another backend's, tests/arb_driver.
        goldens.leave_out_programs();
        let entries = goldens.cases().to_vec();
        let case = |entry| {
            let mut prepared = goldens.prepare(entry)?;
            let settings = &mut prepared.settings;
            [settings.width, settings.height] = [settings.width, settings.height].map(|side| (side / smaller).max(1));
            let (name, settings) = (prepared.entry.name.clone(), prepared.settings);
            Ok(Self { name, settings, source: Source::Golden(Box::new(prepared)) })
        };
        entries.iter().map(case).collect()
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
        let (scene, animation, seconds, orbit) = match &self.source {
            Source::Showcase(showcase) => {
                let Showcase { scene, moment, camera, .. } = (**showcase).clone();
                return Ok(Prepared { pose: moment.pose(&scene)?, scene, moment, camera });
            }
            Source::Golden(golden) => {
                let PreparedCase { scene, moment, pose, camera, .. } = (**golden).clone();
                return Ok(Prepared { scene: (*scene).clone(), moment, pose, camera });
            }
            Source::File { scene, animation, seconds, orbit } => (scene, animation, *seconds, *orbit),
        };
        let scene = if scene.as_os_str() == MANNEQUIN { Scene::mannequin()? } else { Scene::load(scene)? };
        let moment = match scene.find_animation(animation) {
            Ok(animation) => Moment::Clip { animation, seconds },
            Err(_) => Moment::Rest,
        };
        let pose = moment.pose(&scene)?;
        let bounds = Renderer::new(&scene, self.settings)?.bounds(&pose)?;
        let aspect_ratio = f64::from(self.settings.width) / f64::from(self.settings.height);
        let camera = Camera::orbit(&bounds, orbit, aspect_ratio, self.settings.convention);
        Ok(Prepared { scene, moment, pose, camera })
    }
}

/// Names the built-in character.
const MANNEQUIN: &str = "mannequin";
