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
use refrast_render::{Camera, RenderSettings};

/// Vertices as a camera sees them.
pub(super) struct Projection {
    pub(super) draws: Vec<Draw>,
    /// What was projected.
    pub(super) deformed: Arc<Vec<Deformed>>,
}

/// Triangles of a picture, and where in it they may be seen.
pub(super) struct Geometry {
    pub(super) triangles: Vec<Triangle>,
    /// Of each triangle: first and last column, first and last row; `None` where it lies beside the picture.
    pub(super) bounds: Vec<Option<[u32; 4]>>,
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
        vertices * size_of::<Vertex>() + indices * size_of::<u32>()
    }
}

impl Geometry {
    /// The triangles of a projection.
    pub(super) fn new(stage: &Stage<'_>, draws: &[Draw], (viewport, variation): (&Viewport, &Variation)) -> Self {
        let faults = stage.faults;
        let indices: usize = draws.iter().map(|draw| draw.indices.len()).sum();
        let mut triangles = Vec::with_capacity(indices / 3);
        let assembler = Assembler { viewport, variation, faults };
        for (number, draw) in draws.iter().enumerate() {
            let double_sided = stage.scene.materials[draw.material].double_sided;
            let front = !faults.has(Fault::CullFront);
            let back = double_sided || faults.has(Fault::CullOff) || faults.has(Fault::CullFront);
            let sides = Sides { mirrored: draw.mirrored, front, back };
            assembler.assemble(number, draw, sides, &mut triangles);
        }
        let margin = if faults.has(Fault::ConservativeCoverage) { viewport.one as i64 } else { 0 };
        let bounds: Vec<Option<[u32; 4]>> =
            triangles.iter().map(|triangle| bounds(triangle, viewport, margin)).collect();
        let mut bins = vec![Vec::new(); viewport.height.div_ceil(BAND)];
        for (number, bounds) in bounds.iter().enumerate() {
            let Some([_, _, top, bottom]) = bounds.map(|bounds| bounds.map(|place| place as usize)) else { continue };
            bins[top / BAND..=bottom / BAND].iter_mut().for_each(|bin: &mut Vec<u32>| bin.push(number as u32));
        }
        Self { triangles, bounds, bins }
    }

    /// What it takes to keep it.
    pub(super) fn bytes(&self) -> usize {
        let triangle = size_of::<Triangle>() + size_of::<Option<[u32; 4]>>();
        let binned: usize = self.bins.iter().map(Vec::len).sum();
        binned * size_of::<u32>() + self.triangles.capacity() * triangle
    }
}

/// First and last column, first and last row.
fn bounds(triangle: &Triangle, viewport: &Viewport, margin: i64) -> Option<[u32; 4]> {
    let one = viewport.one as i64;
    let range = |values: [i64; 3], axis: usize, size: usize| {
        let offsets = viewport.samples.iter().map(|sample| sample[axis]);
        let (first, last) = (offsets.clone().min()?, offsets.max()?);
        let low = values.into_iter().min()? - last - margin;
        let high = values.into_iter().max()? - first + margin;
        let start = (low + one - 1).div_euclid(one).max(0);
        let end = high.div_euclid(one).min(size as i64 - 1);
        (start <= end).then_some([start as u32, end as u32])
    };
    let [left, right] = range(triangle.x, 0, viewport.width)?;
    let [top, bottom] = range(triangle.y, 1, viewport.height)?;
    Some([left, right, top, bottom])
}

/// The vertices of a pose take so many bytes.
pub(super) fn bytes_of(deformed: &[Deformed]) -> usize {
    deformed.iter().map(|deformed| size_of_val(deformed.points.as_slice())).sum()
}
