//! [`Painter`]: who draws a candidate.

use std::error::Error;

use refrast::{
    scene::Scene,
    verify::{
        Fault, Mips,
        diagnose::Cause,
        simulator::{Derivatives, Faults, OutputRounding, Scale, Shot, Simulator, Snapping, Variation, as_read},
    },
};
use refrast_gpu_backend::{Backend, Settings};

use super::chance::Chance;

/// A driver, or the simulator as a backend with choices of its own.
pub(crate) struct Painter<'a> {
    pub(crate) simulator: Simulator<'a>,
    pub(crate) variation: Variation,
    backend: Option<&'a Backend>,
}

impl<'a> Painter<'a> {
    pub(crate) fn at_random(
        scene: &'a Scene,
        backend: Option<&'a Backend>,
        chance: &mut Chance,
    ) -> Result<Self, Box<dyn Error>> {
        Ok(Self { simulator: Simulator::new(scene)?, variation: variation(chance), backend })
    }

    /// The same backend before another scene.
    pub(crate) fn of<'b>(&self, scene: &'b Scene) -> Result<Painter<'b>, Box<dyn Error>>
    where
        'a: 'b,
    {
        Ok(Painter { simulator: Simulator::new(scene)?, variation: self.variation, backend: self.backend })
    }

    /// R G B A of a shot with these mistakes; `None` where they can not be made or drawn here.
    pub(crate) fn draw(&self, shot: &Shot<'_>, causes: &[Cause]) -> Option<Vec<u8>> {
        let Some(backend) = self.backend else {
            return self.simulator.draw(shot, &self.variation, faults(causes)).ok().map(|frame| frame.rgba);
        };
        let listed: Vec<Fault> = causes.iter().filter_map(|cause| cause.fault()).collect();
        let with_numbers = causes.iter().filter_map(|cause| match cause {
            Cause::Parametric(fault) => Some(*fault),
            Cause::Fault(_) | Cause::Undeclared { .. } => None,
        });
        let with_numbers: Vec<_> = with_numbers.collect();
        // What stays from the frame before can not be seen in one.
        let lasts = |fault: &Fault| matches!(fault, Fault::JointPaletteStale | Fault::CascadeMatrixStale);
        let can_make = listed.iter().all(|fault| backend.can_make(*fault))
            && with_numbers.iter().all(|fault| backend.can_make_number(fault));
        if !can_make || listed.iter().any(lasts) {
            return None;
        }
        let (scene, pose) = as_read(self.simulator.scene(), shot.moment, faults(causes)).ok()?;
        let made = refrast_gpu_backend::Faults::of(&listed).and(&with_numbers);
        let uploaded = backend.upload_with(&scene, Settings::from(shot.settings), made).ok()?;
        let picture = backend.draw(&uploaded, &pose, shot.camera).ok();
        backend.forget_mistakes();
        picture.map(|picture| picture.samples8().into_owned())
    }
}

fn faults(causes: &[Cause]) -> Faults {
    causes.iter().fold(Faults::default(), |faults, cause| match cause {
        Cause::Fault(fault) => faults.and(*fault),
        Cause::Parametric(fault) => faults.and(*fault),
        Cause::Undeclared { .. } => faults,
    })
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
        coarse_filters: false,
        texels_by_powers: false,
        derivatives: chance.pick(&[Derivatives::Exact, Derivatives::Fine, Derivatives::Coarse]),
        scale: Scale::Longer,
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
