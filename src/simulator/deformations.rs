//! [`Deformation`]: what deformed vertices follow from.
//!
//! Why it exists: most mistakes lie behind skinning, and a diagnosis plays hundreds of them in one pose. What a backend makes of the
//! vertices is the same in all pictures that agree in this.

use std::num::NonZeroUsize;

use super::{Faults, Moment, Variation, arithmetic::Arithmetic};
use refrast_skinning::{NormalMode, SkinningMethod};
use refrast_stage::RenderSettings;

/// All that a backend's vertices follow from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Deformation {
    /// Those that may move a vertex. First, because they are what most deformations differ in.
    faults: Faults,
    moment: Moment,
    method: SkinningMethod,
    normals: NormalMode,
    max_influences: Option<NonZeroUsize>,
    arithmetic: Arithmetic,
}

impl Deformation {
    pub(super) fn of(moment: Moment, settings: &RenderSettings, variation: &Variation, faults: Faults) -> Self {
        Self {
            moment,
            method: settings.skinning,
            normals: settings.normals,
            max_influences: settings.max_influences,
            arithmetic: variation.arithmetic(),
            faults: faults.moving_vertices(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::*, SkinningMethod};

    /// A mistake that skinning makes, and whose part says that it does not, would go unseen.
    #[test]
    fn mistakes_that_may_move_no_vertex_move_none() {
        let scene = Scene::mannequin().unwrap();
        let moment = Moment::Clip { animation: scene.find_animation("Flex").unwrap(), seconds: 0.7 };
        let settings = RenderSettings::default();
        let vertices = |faults: Faults| {
            let posed = posed(&scene, moment, faults).unwrap();
            let deformed = posed.stage(&settings, &Variation::default(), faults).deform(None).unwrap();
            deformed.iter().map(Deformed::vertices).collect::<Vec<_>>()
        };
        let right = vertices(Faults::default());
        let still =
            Fault::ALL.into_iter().map(Faults::from).filter(|faults| faults.moving_vertices() == Faults::default());
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
        assert_eq!(moved, numbers.map(|fault| Faults::from(fault).moving_vertices() != Faults::default()));
        assert_eq!(moved, [false, false, true, true]);
    }

    /// Of a mistake about single joints only what follows them is made anew.
    #[test]
    fn what_follows_no_wrong_joint_is_where_it_would_be_made() {
        let scene = Scene::mannequin().unwrap();
        let moment = Moment::Clip { animation: scene.find_animation("Flex").unwrap(), seconds: 0.7 };
        let mistakes = [
            ParametricFault::JointsSwapped { joints: [0, 5] },
            ParametricFault::JointsSwapped { joints: [2, 900] },
            ParametricFault::JointTakenFor { joint: 3, other: 0 },
            ParametricFault::JointTurned { joint: 4, by: [10.0, 0.0, 30.0] },
        ];
        let mistakes = mistakes.map(Faults::from);
        let others = [Fault::ZeroWeightJointDereferenced, Fault::MorphAfterSkin, Fault::PaletteStrideFour];
        let all = mistakes.into_iter().chain(others.into_iter().map(|fault| mistakes[0].and(fault)));
        for skinning in SkinningMethod::ALL {
            let settings = RenderSettings { skinning, ..RenderSettings::default() };
            let simulator = Simulator::new(&scene).unwrap();
            let variation = Variation::default();
            let made = |faults: Faults| {
                let posed = posed(&scene, moment, faults).unwrap();
                let deformed = posed.stage(&settings, &variation, faults).deform(None).unwrap();
                deformed.iter().map(|own| format!("{:?}", own.points)).collect::<Vec<_>>()
            };
            let right = made(Faults::default());
            for faults in all.clone() {
                let posed = posed(&scene, moment, faults).unwrap();
                let own = simulator.deformed(moment, &posed.stage(&settings, &variation, faults), &variation).unwrap();
                let own: Vec<String> = own.iter().map(|own| format!("{:?}", own.points)).collect();
                assert!(own == made(faults) && own != right, "{skinning:?}, {faults:?}");
            }
        }
    }

    #[test]
    fn what_is_known_is_not_made_again() {
        let scene = Scene::mannequin().unwrap();
        let settings = RenderSettings::default();
        let bounds = refrast_stage::Bounds::of(&scene, None).unwrap();
        let camera = Camera::orbit(&bounds, refrast_stage::Orbit::default(), 4.0 / 3.0, settings.convention);
        let simulator = Simulator::new(&scene).unwrap();
        let fused = Variation::default();
        for variation in [fused, Variation { fused: false, ..fused }, fused] {
            let shot = Shot { moment: Moment::Rest, camera: &camera, settings: &settings };
            let both = Faults::of(&[Fault::CullOff, Fault::MipBias]);
            for faults in [Faults::default(), Fault::MipBias.into(), both, Fault::MatrixTransposed.into()] {
                simulator.draw_bands(&shot, &variation, faults, &[]).unwrap();
            }
        }
        // Two ways of arithmetic; right vertices and wrong ones, and right ones in triangles with and without their backs.
        let [deformations, projections] = [simulator.deformations.len(), simulator.projections.len()];
        assert_eq!((deformations, projections, simulator.geometries.len()), (4, 4, 6));
    }

    /// A mistake that is made before anything is drawn, and whose part says that it is made afterwards, would go unseen.
    #[test]
    fn mistakes_of_drawing_change_no_triangle() {
        let scene = Scene::mannequin().unwrap();
        let settings = RenderSettings { width: 64, height: 48, ..RenderSettings::default() };
        let bounds = refrast_stage::Bounds::of(&scene, None).unwrap();
        let camera = Camera::orbit(&bounds, refrast_stage::Orbit::default(), 4.0 / 3.0, settings.convention);
        let shot = Shot { moment: Moment::Rest, camera: &camera, settings: &settings };
        let variation = Variation::default();
        let together = Simulator::new(&scene).unwrap();
        let mut alone = Simulator::new(&scene).unwrap();
        let all = Fault::ALL.into_iter().filter(|fault| fault.part() >= Part::Assembly).map(Faults::from);
        let numbers = [
            ParametricFault::WindowOffset { x: 0.5, y: 0.0 },
            ParametricFault::GridBits { bits: 1 },
            ParametricFault::Exposure { factor: 0.5 },
        ];
        let all: Vec<Faults> = all.chain(numbers.map(Faults::from)).collect();
        assert!(all.len() > 100);
        for faults in all {
            // What it knows of other mistakes' triangles is forgotten.
            (alone.projections, alone.geometries) = (Recent::within(KEPT_BYTES), Recent::within(KEPT_BYTES));
            let [own, other] = [&together, &alone].map(|own| own.draw(&shot, &variation, faults).unwrap().rgba);
            assert!(own == other, "{faults:?}");
        }
    }
}
