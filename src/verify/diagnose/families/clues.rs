//! [`Clues`]: what is known of a candidate before any number is fitted.

use crate::diagnose::place::Stage;
use refrast_scene::Scene;
use refrast_shading::ShadingMode;
use refrast_simulator::{Faults, Moment, ParametricFault};

/// What the members of a family that are tried follow from.
pub(in crate::diagnose) struct Clues<'a> {
    pub(in crate::diagnose) scene: &'a Scene,
    pub(in crate::diagnose) moment: Moment,
    pub(in crate::diagnose) shading: ShadingMode,
    /// Other mistakes that are made as well.
    pub(in crate::diagnose) beside: Faults,
    /// Places in the palette whose vertices are wrong, or are seen where a picture is wrong; the most wrong first.
    pub(in crate::diagnose) joints: Vec<u16>,
    /// Nodes that are seen where a picture is wrong, the likeliest first; none where no other is seen.
    pub(in crate::diagnose) nodes: Vec<usize>,
    /// The same of materials.
    pub(in crate::diagnose) materials: Vec<usize>,
    /// Nodes that are drawn and seen nowhere, a few of them.
    pub(in crate::diagnose) unseen_nodes: Vec<usize>,
    /// Whether what is wrong may hang on one joint.
    pub(in crate::diagnose) may_hang_on_one_joint: bool,
    /// The first stage that must be wrong, as far as a picture tells.
    pub(in crate::diagnose) stage: Option<Stage>,
    /// The order of channels that the background is seen in, where it is another one.
    pub(in crate::diagnose) order: Option<ParametricFault>,
    /// Whether the background is seen as it should be, although any power would change it.
    pub(in crate::diagnose) ground_is_right: bool,
    /// Between which depths vertices are seen.
    pub(in crate::diagnose) depths: [f32; 2],
    /// Whether another mistake is made as well that nobody knows yet.
    pub(in crate::diagnose) is_one_of_two: bool,
    /// Whether other moments of the clip have been looked for in vain.
    pub(in crate::diagnose) moments_are_searched: bool,
    /// Whether there are outlines to see, and each of them is where it should be.
    pub(in crate::diagnose) outlines_are_right: bool,
}

impl<'a> Clues<'a> {
    /// Nothing but what was asked for.
    pub(in crate::diagnose) fn new(scene: &'a Scene, moment: Moment, shading: ShadingMode) -> Self {
        Self {
            scene,
            moment,
            shading,
            beside: Faults::default(),
            joints: Vec::new(),
            nodes: Vec::new(),
            materials: Vec::new(),
            unseen_nodes: Vec::new(),
            may_hang_on_one_joint: false,
            stage: None,
            order: None,
            ground_is_right: false,
            depths: [0.0, 1.0],
            is_one_of_two: false,
            moments_are_searched: false,
            outlines_are_right: false,
        }
    }

    /// Whether outlines are wrong, which no mistake of shading explains; unless there is another mistake beside it.
    pub(in crate::diagnose) fn outlines_are_wrong(&self) -> bool {
        let alone = self.beside == Faults::default() && !self.is_one_of_two;
        alone && matches!(self.stage, Some(Stage::Geometry | Stage::Coverage))
    }

    /// Whether vertices may be elsewhere, as far as a picture tells.
    pub(in crate::diagnose) fn may_move_vertices(&self) -> bool {
        self.may_hang_on_one_joint || matches!(self.stage, None | Some(Stage::Geometry | Stage::Coverage))
    }
}
