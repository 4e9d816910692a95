//! Which other camera a picture was taken with.
//!
//! Why it exists: backends make their own projection. The angle is taken from side to side, or was another one; the picture's
//! shape is left out, or stands upside down in the formula. Such a picture is another view of the right scene, and no mistake
//! of a renderer explains it.

use refrast_stage::{Camera, CameraChoice, CameraSettings, Lens};
use refrast_threads as threads;

use super::{Change, Question, Setup, SetupError, Trial};

/// Angles that are looked at, in degrees. Between them the distance is followed downhill.
const ANGLES: [f64; 14] = [15.0, 20.0, 25.0, 30.0, 35.0, 40.0, 45.0, 50.0, 60.0, 70.0, 80.0, 90.0, 105.0, 120.0];

/// Halvings of the step while an angle is followed: from eight degrees to less than a hundredth.
const HALVINGS: u32 = 10;

/// What angles are multiples of when somebody writes them; the roundest first.
const PARTS: [f64; 3] = [1.0, 10.0, 100.0];

/// Shapes of pictures, width to height, that a projection may have been made for.
const SHAPES: [(&str, f64); 4] = [("1:1", 1.0), ("4:3", 4.0 / 3.0), ("16:9", 16.0 / 9.0), ("16:10", 1.6)];

/// Cameras that come near to the candidate: by another field of view, and by a projection for another shape of picture.
pub(super) fn other_cameras(question: &Question<'_>, setup: &Setup) -> Result<Vec<Trial>, SetupError> {
    let own = question.camera_of(setup)?;
    let trial = |change: Change, camera: Camera| {
        let distance = question.distance(setup, &camera, question.candidate);
        Trial { change, setup: *setup, camera: Some(camera), distance }
    };
    let aspect_ratio = f64::from(setup.settings.width) / f64::from(setup.settings.height);
    let mut found = Vec::new();
    for (name, shape) in SHAPES.into_iter().chain([("height to width", 1.0 / aspect_ratio)]) {
        if (shape / aspect_ratio - 1.0).abs() > 1e-3 {
            let value = format!("a projection for the picture's shape: this one is for {name}");
            found.push(trial(Change::to_picture(value), scaled(&own, [aspect_ratio / shape, 1.0])));
        }
    }
    let value = "a field of view from bottom to top: this one is from side to side".to_owned();
    found.push(trial(Change::to_picture(value), scaled(&own, [aspect_ratio; 2])));
    found.extend(by_angle(question, setup, &trial));
    Ok(found)
}

/// Cameras of another field of view, in the same words else; none where the words are a camera with an angle of its own.
fn by_angle(question: &Question<'_>, setup: &Setup, trial: &(impl Fn(Change, Camera) -> Trial + Sync)) -> Vec<Trial> {
    if !matches!(question.camera.choice, CameraChoice::Orbit(_)) {
        return Vec::new();
    }
    let asked = question.camera.lens.field_of_view.unwrap_or(Lens::FIELD_OF_VIEW);
    let at = |angle: f64| {
        let lens = Lens { field_of_view: Some(angle), ..question.camera.lens };
        let camera = question.camera_by(&CameraSettings { lens, ..question.camera.clone() }, setup).ok()?;
        Some(trial(Change::option("--fov", angle), camera))
    };
    let look = |&angle: &f64| Some((angle, at(angle)?));
    let looks = threads::some_of(&ANGLES, look);
    let Some(mut nearest) = looks.into_iter().min_by_key(distance) else { return Vec::new() };
    for halving in 0..HALVINGS {
        let step = 8.0 / f64::from(1 << halving);
        let beside = [nearest.0 - step, nearest.0 + step].into_iter().filter(|angle| (1.0..=170.0).contains(angle));
        let beside: Vec<f64> = beside.collect();
        let best = threads::some_of(&beside, look).into_iter().min_by_key(distance);
        nearest = best.filter(|best| best.1.distance < nearest.1.distance).unwrap_or(nearest);
    }
    let round = PARTS.map(|part| (nearest.0 * part).round() / part);
    let other = |angle: &f64| (angle - asked).abs() > 1e-6;
    round.into_iter().filter(other).filter_map(at).chain(other(&nearest.0).then_some(nearest.1)).collect()
}

fn distance((_, trial): &(f64, Trial)) -> u64 {
    trial.distance
}

/// The camera with the picture wider and higher by these factors, about its middle.
fn scaled(camera: &Camera, [x, y]: [f64; 2]) -> Camera {
    let mut projection = camera.projection;
    for column in [&mut projection.x_axis, &mut projection.y_axis, &mut projection.z_axis, &mut projection.w_axis] {
        column.x = (f64::from(column.x) * x) as f32;
        column.y = (f64::from(column.y) * y) as f32;
    }
    Camera { projection, ..*camera }
}
