//! Cameras that find their place themselves: nothing that is drawn is outside of the picture, whatever the model.

use std::path::{Path, PathBuf};

use refrast::{
    animation::Pose,
    raster::Convention,
    render::{Bounds, Camera, Orbit, RenderSettings, Renderer},
    scene::Scene,
};

/// Moments of a clip that are looked at: not those at which the camera looks.
const MOMENTS: u32 = 50;

/// Every glTF file below the folder of shared models.
fn models() -> Vec<PathBuf> {
    let Some(folder) = std::env::var_os("REFRAST_MODELS") else {
        eprintln!("skipped: REFRAST_MODELS names no folder with models; the built-in character alone is looked at");
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if matches!(extension, Some("gltf" | "glb")) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The farthest that a vertex is seen from the middle, in halves of the picture, for each camera; infinite where one is
/// behind the eye.
fn farthest(scene: &Scene, clip: Option<usize>, cameras: &[Camera]) -> Vec<f64> {
    let mut renderer = Renderer::new(scene, RenderSettings::default()).expect("the scene can be drawn");
    let mut farthest = vec![0.0f64; cameras.len()];
    for moment in 0..clip.map_or(1, |_| MOMENTS) {
        let pose = match clip {
            Some(clip) => {
                let seconds = scene.animations[clip].duration * moment as f32 / (MOMENTS - 1) as f32;
                Pose::sample(scene, clip, seconds).expect("the clip is there")
            }
            None => Pose::rest(scene),
        };
        let box_of_pose = renderer.bounds(&pose).expect("the scene can be posed");
        if box_of_pose.is_empty() {
            continue;
        }
        for (camera, farthest) in cameras.iter().zip(&mut farthest) {
            // The corners of the box of one moment reach farther than its vertices: what holds them holds those. Where it
            // does not, the vertices themselves are asked.
            let (matrix, corners) = (camera.view_projection().as_dmat4(), corners(&box_of_pose));
            let seen = corners.map(|corner| seen(&matrix, corner)).into_iter().fold(0.0, f64::max);
            *farthest = farthest.max(if seen < 1.0 { seen } else { of_vertices(scene, &pose, &matrix) });
        }
    }
    farthest
}

fn corners(bounds: &Bounds) -> [glam::DVec3; 8] {
    std::array::from_fn(|corner| {
        let side = |axis: usize| if corner >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] };
        glam::DVec3::new(side(0), side(1), side(2))
    })
}

fn seen(matrix: &glam::DMat4, point: glam::DVec3) -> f64 {
    let clip = *matrix * point.extend(1.0);
    if clip.w <= 0.0 { f64::INFINITY } else { (clip.x / clip.w).abs().max((clip.y / clip.w).abs()) }
}

/// Of the exact vertices, which are evaluated in f64 and not by what cameras are fitted with.
fn of_vertices(scene: &Scene, pose: &Pose, matrix: &glam::DMat4) -> f64 {
    use refrast::verify::vertex::{VertexSettings, scene_vertices};
    let buffer = scene_vertices(scene, pose, VertexSettings::default()).expect("it can be evaluated");
    let positions = buffer.position.values.iter().filter(|position| position.iter().all(|number| number.is_finite()));
    positions.map(|&position| seen(matrix, position.into())).fold(0.0, f64::max)
}

#[test]
fn no_vertex_of_any_shared_model_is_outside_of_the_picture() {
    let mut scenes = vec![("mannequin".to_owned(), Scene::mannequin().expect("the built-in character loads"))];
    for path in models() {
        // What is damaged on purpose is for the tests of loading.
        if let Ok(scene) = Scene::load(Path::new(&path)) {
            scenes.push((path.display().to_string(), scene));
        }
    }
    let orbits = [Orbit::default(), Orbit { yaw: 90.0, pitch: -30.0, distance: None }];
    let shapes = [4.0 / 3.0, 16.0 / 9.0, 1.0, 9.0 / 16.0];
    let mut outside = Vec::new();
    for (name, scene) in &scenes {
        for clip in (0..scene.animations.len()).map(Some).chain([None]) {
            let bounds = Bounds::of(scene, clip).expect("the scene can be posed");
            let camera = |orbit, shape| Camera::orbit(&bounds, orbit, shape, Convention::OpenGl);
            let cameras: Vec<Camera> =
                orbits.iter().flat_map(|&orbit| shapes.map(|shape| camera(orbit, shape))).collect();
            for (number, farthest) in farthest(scene, clip, &cameras).into_iter().enumerate() {
                if farthest > 1.0 {
                    outside.push(format!("{name}, clip {clip:?}, camera {number}: {farthest}"));
                }
            }
        }
    }
    assert!(outside.is_empty(), "{} pictures cut off what they show:\n{}", outside.len(), outside.join("\n"));
}
