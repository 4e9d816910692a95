//! [`Geometry`]: a scene seen by a camera, as triangles on the grid, before any of them has a colour.
//!
//! Why it exists: most mistakes are made behind this, where fragments get their colours and bytes are stored. A diagnosis plays them
//! by the hundred on the same triangles, and makes those once.

use std::sync::Arc;

use super::{
    Shot,
    faults::Faults,
    raster::BAND,
    triangle::{Assembler, Sides, Triangle},
    variation::Variation,
    vertices::{Deformed, Draw, Stage, Vertex},
    viewport::Viewport,
};
use crate::Fault;
use refrast_stage::{Camera, RenderSettings};

/// Vertices as a camera sees them.
pub(super) struct Projection {
    pub(super) draws: Vec<Draw>,
    /// What was projected.
    pub(super) deformed: Arc<Vec<Deformed>>,
}

/// Triangles of a picture, and where in it they may be seen.
pub(super) struct Geometry {
    pub(super) triangles: Vec<Triangle>,
    /// Of each band of rows, the triangles that may be seen there, in order.
    pub(super) bins: Vec<Vec<u32>>,
}

/// What a projection or a geometry follows from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct View {
    /// Those that are made before that. First, because they are what most views differ in.
    faults: Faults,
    variation: Variation,
    moment: super::Moment,
    camera: Camera,
    settings: RenderSettings,
}

impl View {
    /// `faults` are those that are made before.
    pub(super) fn of(shot: &Shot<'_>, variation: &Variation, faults: Faults) -> Self {
        let Shot { moment, camera, settings } = *shot;
        Self { moment, camera: *camera, settings: *settings, variation: *variation, faults }
    }
}

impl Projection {
    pub(super) fn new(stage: &Stage<'_>, deformed: Arc<Vec<Deformed>>, camera: &Camera) -> Self {
        Self { draws: stage.project(&deformed, &stage.view_projection(camera)), deformed }
    }

    /// What it takes to keep it, without the vertices that it was made of.
    pub(super) fn bytes(&self) -> usize {
        let vertices: usize = self.draws.iter().map(|draw| draw.vertices.len()).sum();
        let indices: usize = self.draws.iter().map(|draw| draw.indices.len()).sum();
        let attributes: usize = self.draws.iter().map(|draw| draw.attributes.bytes()).sum();
        vertices * size_of::<Vertex>() + attributes + indices * size_of::<u32>()
    }
}

impl Geometry {
    /// The triangles of a projection.
    pub(super) fn new(stage: &Stage<'_>, draws: &[Draw], (viewport, variation): (&Viewport, &Variation)) -> Self {
        let faults = stage.faults;
        let mut triangles = Vec::new();
        let assembler = Assembler::new(viewport, variation, faults);
        for (number, draw) in draws.iter().enumerate() {
            let double_sided = stage.scene.materials[draw.material].double_sided;
            let front = !faults.has(Fault::CullFront);
            let back = double_sided || faults.has(Fault::CullOff) || faults.has(Fault::CullFront);
            let sides = Sides { mirrored: draw.mirrored, front, back };
            assembler.assemble(number, draw, sides, &mut triangles);
        }
        let mut bins = vec![Vec::new(); viewport.height.div_ceil(BAND)];
        for (number, triangle) in triangles.iter().enumerate() {
            let [_, _, top, bottom] = triangle.bounds.map(|place| place as usize);
            bins[top / BAND..=bottom / BAND].iter_mut().for_each(|bin: &mut Vec<u32>| bin.push(number as u32));
        }
        Self { triangles, bins }
    }

    /// What it takes to keep it.
    pub(super) fn bytes(&self) -> usize {
        let binned: usize = self.bins.iter().map(Vec::len).sum();
        binned * size_of::<u32>() + self.triangles.capacity() * size_of::<Triangle>()
    }
}
