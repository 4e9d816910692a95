//! Candidates: what is drawn, of what, and by which backend.

use std::{error::Error, path::Path};

use refrast::{
    golden::Picture,
    render::{CameraSettings, Orbit, RenderSettings},
    scene::Scene,
    verify::{
        Declared, Dither, Fault,
        diagnose::Cause,
        setup::Setup,
        simulator::{Moment, ParametricFault, Shot},
    },
};

use super::{
    PATIENCE, SIZE, cause::cause, chance::Chance, nonsense::nonsense, object::ObjectMistake, painter::Painter,
};

/// Pixels in which a mistake about one object has to show, of all 19,200.
const FEW: usize = 8;

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Single,
    Pair,
    Undeclared,
    /// A mistake about one node, material or joint.
    Object,
    Nonsense,
}

pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) scene: Scene,
}

impl Named {
    pub(crate) fn load(path: &str) -> Result<Self, Box<dyn Error>> {
        let scene = if path == "mannequin" { Scene::mannequin()? } else { Scene::load(Path::new(path))? };
        let name = Path::new(path).file_stem().map_or_else(|| path.to_owned(), |name| name.display().to_string());
        Ok(Self { name, scene })
    }
}

/// A candidate and what it was made with.
pub(crate) struct Case {
    pub(crate) row: String,
    pub(crate) told: String,
    pub(crate) truth: Vec<Cause>,
    /// What the mistake is about, where that is not the whole scene.
    pub(crate) object: Option<ObjectMistake>,
    pub(crate) camera: CameraSettings,
    pub(crate) setup: Setup,
    pub(crate) picture: Picture,
}

impl Case {
    /// `None` where what was drawn does not show.
    pub(crate) fn draw(
        chance: &mut Chance,
        scenes: &[Named],
        place: usize,
        kind: Kind,
        mut painter: Painter<'_>,
    ) -> Result<Option<Self>, Box<dyn Error>> {
        let scene = &scenes[place].scene;
        let settings = RenderSettings { width: SIZE[0], height: SIZE[1], ..RenderSettings::default() };
        let moment = match scene.animations.len() as u64 {
            0 => Moment::Rest,
            count => {
                let animation = chance.below(count) as usize;
                let seconds = chance.between(0.0, scene.animations[animation].duration);
                Moment::Clip { animation, seconds }
            }
        };
        let orbit = Orbit {
            yaw: f64::from(chance.below(360) as u32),
            pitch: f64::from(chance.below(50) as u32) - 15.0,
            distance: None,
        };
        let camera = CameraSettings::from(refrast::render::CameraChoice::Orbit(orbit));
        let view = camera.camera(scene, moment.clip(), &moment.pose(scene)?, &settings)?;
        let shot = Shot { moment, camera: &view, settings: &settings };
        let setup = Setup { moment, settings };
        let Some(right) = painter.draw(&shot, &[]) else { return Ok(None) };
        // Of what is out of sight nothing can be told.
        if right.as_chunks::<4>().0.iter().all(|pixel| *pixel == right.as_chunks::<4>().0[0]) {
            return Ok(None);
        }
        let as_picture = |rgba: Vec<u8>| Picture::from_rgba8(SIZE[0], SIZE[1], rgba);
        for _ in 0..PATIENCE {
            let mut object = None;
            let (row, truth, drawn) = match kind {
                Kind::Single => {
                    let Some((row, cause)) = cause(chance, scene) else { continue };
                    (row.to_owned(), vec![cause], painter.draw(&shot, &[cause]))
                }
                Kind::Pair => {
                    let (Some(one), Some(other)) = (cause(chance, scene), cause(chance, scene)) else { continue };
                    let causes = vec![one.1, other.1];
                    let alone = causes.iter().map(|cause| painter.draw(&shot, &[*cause]));
                    let alone: Vec<Vec<u8>> = alone.flatten().filter(|rgba| *rgba != right).collect();
                    let both = painter.draw(&shot, &causes);
                    let shows = |rgba: &Vec<u8>| alone.len() == 2 && alone.iter().all(|own| is_far(own, rgba, 20));
                    // A texture that is flipped and moved is one that is moved.
                    let are_one = causes.iter().all(|cause| moves_texcoords(*cause));
                    if one.0 == other.0 || are_one || !both.as_ref().is_some_and(shows) {
                        continue;
                    }
                    ("two at once".to_owned(), causes, both)
                }
                Kind::Undeclared => {
                    let declared = match chance.below(2) {
                        0 => Declared { dither: Dither::Ordered1Lsb, ..Declared::default() },
                        _ => Declared { anisotropy: chance.pick(&[2, 4, 8, 16]), ..Declared::default() },
                    };
                    painter.variation.anisotropy = declared.anisotropy;
                    if declared.dither == Dither::Ordered1Lsb {
                        (painter.variation.dither_steps, painter.variation.eight_bit_target) = (1, false);
                    }
                    let cause = Cause::Undeclared { declared, beside: Declared::default() };
                    (format!("undeclared {}", option(&cause)), vec![cause], painter.draw(&shot, &[]))
                }
                Kind::Object => {
                    let Some(mistake) = ObjectMistake::at_random(chance, scene) else { return Ok(None) };
                    let Some(read) = mistake.read(scene) else { continue };
                    object = Some(mistake);
                    (mistake.row().to_owned(), mistake.alike(scene), painter.of(&read)?.draw(&shot, &[]))
                }
                Kind::Nonsense => {
                    let (what, rgba) = nonsense(chance, scenes, place, &right)?;
                    return Ok(Some(Self {
                        row: "nonsense".to_owned(),
                        told: what,
                        truth: Vec::new(),
                        object: None,
                        camera,
                        setup,
                        picture: as_picture(rgba)?,
                    }));
                }
            };
            let Some(drawn) = drawn else { continue };
            // Where a mistake about one thing shows in a handful of pixels, they tell nothing of it.
            let shows = match object {
                Some(_) => is_far(&drawn, &right, FEW),
                None => drawn != right,
            };
            if shows {
                let causes: Vec<String> = truth.iter().map(Cause::to_string).collect();
                let told = object.map_or_else(|| causes.join(" and "), |object| object.told(scene));
                let picture = as_picture(drawn)?;
                return Ok(Some(Self { row, told, truth, object, camera, setup, picture }));
            }
        }
        Ok(None)
    }
}

fn moves_texcoords(cause: Cause) -> bool {
    matches!(cause, Cause::Fault(Fault::TextureFlipped) | Cause::Parametric(ParametricFault::TexcoordsMoved { .. }))
}

/// Whether two pictures differ by more than roundings in so many pixels: two mistakes of which one hides the other are one.
fn is_far(one: &[u8], other: &[u8], pixels_apart: usize) -> bool {
    let pixels = one.as_chunks::<4>().0.iter().zip(other.as_chunks::<4>().0);
    pixels.filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 4)).count() >= pixels_apart
}

pub(crate) fn option(cause: &Cause) -> String {
    cause.to_string().split_whitespace().next().unwrap_or_default().to_owned()
}
