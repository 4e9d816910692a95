//! [`Deformations`]: vertices that were skinned before.
//!
//! Why it exists: most mistakes lie behind skinning, and a diagnosis plays hundreds of them in one pose. What a backend without a
//! mistake makes of the vertices is the same in all of their pictures.

use std::{
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError},
};

use super::{Moment, Shot, Variation, arithmetic::Arithmetic, vertices::Deformed};
use refrast_render::RenderError;
use refrast_skinning::{NormalMode, SkinningMethod};

/// As many are kept as there are ways of arithmetic, twice.
const KEPT: usize = 8;

/// What the vertices of a backend without a mistake follow from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Deformation {
    moment: Moment,
    method: SkinningMethod,
    normals: NormalMode,
    max_influences: Option<NonZeroUsize>,
    arithmetic: Arithmetic,
}

impl Deformation {
    pub(super) fn of(shot: &Shot<'_>, variation: &Variation) -> Self {
        Self {
            moment: shot.moment,
            method: shot.settings.skinning,
            normals: shot.settings.normals,
            max_influences: shot.settings.max_influences,
            arithmetic: variation.arithmetic(),
        }
    }
}

/// The last few deformations, the latest last.
#[derive(Default)]
pub(super) struct Deformations(Mutex<Vec<(Deformation, Arc<Vec<Deformed>>)>>);

impl Deformations {
    /// The vertices of one of them, as they are known or as they are made now.
    pub(super) fn of(
        &self,
        deformation: Deformation,
        make: impl FnOnce() -> Result<Vec<Deformed>, RenderError>,
    ) -> Result<Arc<Vec<Deformed>>, RenderError> {
        // Whoever panicked had nothing half done in here.
        let known = |own: &Self| {
            let all = own.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.iter().find(|(known, _)| *known == deformation).map(|(_, deformed)| Arc::clone(deformed))
        };
        if let Some(deformed) = known(self) {
            return Ok(deformed);
        }
        // Not under the lock: whoever waits in a pool of threads may be given work that needs it.
        let made = Arc::new(make()?);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() == KEPT {
            all.remove(0);
        }
        all.push((deformation, Arc::clone(&made)));
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;

    /// A mistake that skinning makes, and whose part says that it does not, would go unseen.
    #[test]
    fn mistakes_that_may_move_no_vertex_move_none() {
        let scene = Scene::mannequin().unwrap();
        let moment = Moment::Clip { animation: scene.find_animation("Flex").unwrap(), seconds: 0.7 };
        let settings = RenderSettings::default();
        let vertices = |faults: Faults| {
            let posed = posed(&scene, moment, faults).unwrap();
            vertices_of(&posed, &settings, &Variation::default(), faults).unwrap()
        };
        let right = vertices(Faults::default());
        let still = Fault::ALL.into_iter().map(Faults::from).filter(|faults| !faults.may_move_vertices());
        assert!(still.clone().count() > 50);
        for faults in still {
            assert!(vertices(faults) == right, "{faults:?}");
        }
        let numbers = [
            ParametricFault::WindowOffset { x: 0.5, y: 0.0 },
            ParametricFault::TexcoordsMoved { scale: [2.0; 2], offset: [0.0; 2], swapped: false },
            ParametricFault::JointsShifted { by: 1 },
            ParametricFault::InfluencesKept { count: 1, choice: InfluenceChoice::First },
        ];
        let moved = numbers.map(|fault| vertices(fault.into()) != right);
        assert_eq!(moved, numbers.map(|fault| Faults::from(fault).may_move_vertices()));
        assert_eq!(moved, [false, false, true, true]);
    }

    #[test]
    fn what_is_known_is_not_made_again() {
        let scene = Scene::mannequin().unwrap();
        let settings = RenderSettings::default();
        let bounds = refrast_render::Bounds::of(&scene, None).unwrap();
        let camera = Camera::orbit(&bounds, refrast_render::Orbit::default(), 4.0 / 3.0, settings.convention);
        let simulator = Simulator::new(&scene).unwrap();
        let fused = Variation::default();
        for variation in [fused, Variation { fused: false, ..fused }, fused] {
            let shot = Shot { moment: Moment::Rest, camera: &camera, settings: &settings };
            for faults in [Faults::default(), Fault::CullOff.into(), Fault::MatrixTransposed.into()] {
                simulator.draw_bands(&shot, &variation, faults, &[]).unwrap();
            }
        }
        // One for each way of arithmetic.
        assert_eq!(simulator.deformations.0.lock().unwrap().len(), 2);
    }
}
