//! Draws → [`Surface`]s, in submission order.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{
    clip::clip,
    repeats::{PositionInputs, repeats},
    surface::Surface,
    thin::Thin,
    vertices::{ClipVertex, Window},
};
use refrast_raster::{AlphaMode, DrawState, PrimitiveTopology, VertexStream};

/// What surfaces are made from.
pub(super) struct Geometry<'a> {
    /// Position in the list of draws.
    pub(super) draw: u32,
    /// Which draws belong to the same surface: sections of one primitive.
    pub(super) group: u32,
    pub(super) topology: PrimitiveTopology,
    pub(super) indices: &'a [u32],
    pub(super) state: DrawState,
    pub(super) vertices: &'a [ClipVertex],
    /// For each vertex the name that vertices at the same place share.
    pub(super) welded: &'a [u32],
    /// What decides the places; `None` where a program does.
    pub(super) inputs: Option<PositionInputs<'a>>,
}

/// Gives vertices at the same place (to the bit, as the reference computes them) the same name.
#[derive(Debug, Default)]
pub(super) struct Weld {
    names: HashMap<(u32, [u32; 4]), u32>,
}

impl Weld {
    pub(super) fn names(&mut self, group: u32, stream: &VertexStream) -> Vec<u32> {
        let name = |vertex: usize| {
            // +0 makes both zeros one.
            let key = (group, stream.position(vertex).map(|coordinate| (coordinate + 0.0).to_bits()));
            let next = self.names.len() as u32;
            *self.names.entry(key).or_insert(next)
        };
        (0..stream.len()).map(name).collect()
    }
}

/// Appends the surfaces of a draw.
pub(super) fn add(window: &Window, geometry: &Geometry<'_>, surfaces: &mut Vec<Surface>) {
    match geometry.topology {
        PrimitiveTopology::Triangles => {
            let triangles = geometry.indices.as_chunks::<3>().0;
            let inputs = geometry.inputs.filter(|_| geometry.state.alpha == AlphaMode::Opaque);
            let repeats = inputs.map(|inputs| repeats(geometry.indices, geometry.welded, &inputs));
            let is_seen = |primitive: usize| repeats.as_ref().is_none_or(|repeats| !repeats[primitive]);
            surfaces.par_extend(
                triangles
                    .par_iter()
                    .enumerate()
                    .with_min_len(256)
                    .filter(|(primitive, _)| is_seen(*primitive))
                    .filter_map(|(primitive, vertices)| triangle(window, geometry, primitive, *vertices)),
            );
        }
        PrimitiveTopology::Lines => {
            let lines = geometry.indices.as_chunks::<2>().0.iter().enumerate();
            surfaces.extend(lines.filter_map(|(primitive, &[from, to])| {
                let shape = Thin::line(window, &geometry.corners([from, to])?)?;
                Some(Surface::thin(window, geometry.names(primitive, [from, to, to]), shape))
            }));
        }
        PrimitiveTopology::Points => {
            let points = geometry.indices.iter().enumerate();
            surfaces.extend(points.filter_map(|(primitive, &vertex)| {
                let [corner] = geometry.corners([vertex])?;
                let shape = Thin::point(window, &corner)?;
                Some(Surface::thin(window, geometry.names(primitive, [vertex; 3]), shape))
            }));
        }
    }
}

impl Geometry<'_> {
    /// The vertices of a primitive; `None` where one of them has no finite place.
    fn corners<const N: usize>(&self, vertices: [u32; N]) -> Option<[ClipVertex; N]> {
        let corners = vertices.map(|vertex| self.vertices[vertex as usize]);
        let mut numbers = corners.iter().flat_map(|corner| corner.position.iter().chain(&corner.radius));
        numbers.all(|number| number.is_finite()).then_some(corners)
    }

    fn names(&self, primitive: usize, vertices: [u32; 3]) -> (u32, u32, u32, [u32; 3]) {
        (self.draw, self.group, primitive as u32, vertices)
    }
}

fn triangle(window: &Window, geometry: &Geometry<'_>, primitive: usize, vertices: [u32; 3]) -> Option<Surface> {
    let corners = geometry.corners(vertices).filter(|corners| !outside(corners))?;
    let outline = clip(window, &corners, vertices.map(|vertex| geometry.welded[vertex as usize]))?;
    Some(Surface::new(window, geometry.names(primitive, vertices), &corners, outline, geometry.state))
}

/// Whether all corners are surely outside of the same side of the picture, by more than any freedom moves them.
fn outside(corners: &[ClipVertex; 3]) -> bool {
    const MARGIN: f64 = 1.5;
    [0, 1].into_iter().any(|axis| {
        let past = |sign: f64| {
            corners.iter().all(|ClipVertex { position, radius }| {
                let w = (position[3].abs() + radius[3]) * MARGIN;
                sign * position[axis] - radius[axis] > w
            })
        };
        past(1.0) || past(-1.0)
    })
}
