//! Candidates: what is drawn, of what, and by which backend.

use std::{error::Error, path::Path};

use refrast::{
    golden::Picture,
    render::{CameraSettings, Orbit, RenderSettings},
    scene::Scene,
    verify::{
        Declared, Dither, Fault, Mips,
        diagnose::Cause,
        setup::Setup,
        simulator::{
            Derivatives, Faults, Moment, OutputRounding, ParametricFault, Shot, Simulator, Snapping, Variation,
        },
    },
};

use super::{PATIENCE, SIZE, cause::cause, chance::Chance, nonsense::nonsense};

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Single,
    Pair,
    Undeclared,
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
        let simulator = Simulator::new(scene)?;
        let mut variation = variation(chance);
        let setup = Setup { moment, settings };
        let right = simulator.draw(&shot, &variation, Faults::default())?.rgba;
        // Of what is out of sight nothing can be told.
        if right.as_chunks::<4>().0.iter().all(|pixel| *pixel == right.as_chunks::<4>().0[0]) {
            return Ok(None);
        }
        let as_picture = |rgba: Vec<u8>| Picture::from_rgba8(SIZE[0], SIZE[1], rgba);
        for _ in 0..PATIENCE {
            let (row, truth, drawn) = match kind {
                Kind::Single => {
                    let Some((row, cause)) = cause(chance, scene) else { continue };
                    (row.to_owned(), vec![cause], simulator.draw(&shot, &variation, faults(&[cause])))
                }
                Kind::Pair => {
                    let (Some(one), Some(other)) = (cause(chance, scene), cause(chance, scene)) else { continue };
                    let causes = vec![one.1, other.1];
                    let alone = causes.iter().map(|cause| simulator.draw(&shot, &variation, faults(&[*cause])));
                    let alone: Vec<Vec<u8>> =
                        alone.filter_map(Result::ok).map(|frame| frame.rgba).filter(|rgba| *rgba != right).collect();
                    let both = simulator.draw(&shot, &variation, faults(&causes));
                    let shows = |rgba: &Vec<u8>| alone.len() == 2 && alone.iter().all(|own| is_far(own, rgba));
                    // A texture that is flipped and moved is one that is moved.
                    let are_one = causes.iter().all(|cause| moves_texcoords(*cause));
                    if one.0 == other.0 || are_one || !both.as_ref().is_ok_and(|both| shows(&both.rgba)) {
                        continue;
                    }
                    ("two at once".to_owned(), causes, both)
                }
                Kind::Undeclared => {
                    let declared = match chance.below(2) {
                        0 => Declared { dither: Dither::Ordered1Lsb, ..Declared::default() },
                        _ => Declared { anisotropy: chance.pick(&[2, 4, 8, 16]), ..Declared::default() },
                    };
                    variation.anisotropy = declared.anisotropy;
                    if declared.dither == Dither::Ordered1Lsb {
                        (variation.dither_steps, variation.eight_bit_target) = (1, false);
                    }
                    let cause = Cause::Undeclared { declared, beside: Declared::default() };
                    (format!("undeclared {}", option(&cause)), vec![cause], simulator.draw(&shot, &variation, &[]))
                }
                Kind::Nonsense => {
                    let (what, rgba) = nonsense(chance, scenes, place, &right)?;
                    return Ok(Some(Self {
                        row: "nonsense".to_owned(),
                        told: what,
                        truth: Vec::new(),
                        camera,
                        setup,
                        picture: as_picture(rgba)?,
                    }));
                }
            };
            let Ok(frame) = drawn else { continue };
            if frame.rgba != right {
                let told: Vec<String> = truth.iter().map(Cause::to_string).collect();
                let picture = as_picture(frame.rgba)?;
                return Ok(Some(Self { row, told: told.join(" and "), truth, camera, setup, picture }));
            }
        }
        Ok(None)
    }
}

fn moves_texcoords(cause: Cause) -> bool {
    matches!(cause, Cause::Fault(Fault::TextureFlipped) | Cause::Parametric(ParametricFault::TexcoordsMoved { .. }))
}

/// Whether two pictures differ by more than roundings: two mistakes of which one hides the other are one.
fn is_far(one: &[u8], other: &[u8]) -> bool {
    let pixels = one.as_chunks::<4>().0.iter().zip(other.as_chunks::<4>().0);
    pixels.filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 4)).count() >= 20
}

fn faults(causes: &[Cause]) -> Faults {
    causes.iter().fold(Faults::default(), |faults, cause| match cause {
        Cause::Fault(fault) => faults.and(*fault),
        Cause::Parametric(fault) => faults.and(*fault),
        Cause::Undeclared { .. } => faults,
    })
}

pub(crate) fn option(cause: &Cause) -> String {
    cause.to_string().split_whitespace().next().unwrap_or_default().to_owned()
}

/// A conformant backend.
fn variation(chance: &mut Chance) -> Variation {
    Variation {
        subpixel_bits: Some(8),
        snapping: Snapping::Nearest,
        single_precision_window: chance.is_heads(),
        fused: chance.is_heads(),
        reversed: chance.is_heads(),
        snapped_attributes: chance.is_heads(),
        texel_bits: Some(8),
        level_bits: chance.pick(&[None, Some(8)]),
        derivatives: chance.pick(&[Derivatives::Exact, Derivatives::Fine, Derivatives::Coarse]),
        output: chance.pick(&[OutputRounding::Nearest, OutputRounding::HalfUp]),
        eight_bit_target: chance.is_heads(),
        depth_24_bits: chance.is_heads(),
        // None of these scenes has shadows.
        bias_slope_by_length: false,
        dither_steps: 0,
        anisotropy: 1,
        mips: Mips::Linear,
    }
}
