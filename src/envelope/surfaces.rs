//! Draws → [`Surface`]s, in submission order, for as many rows of the picture as are asked for.
//!
//! Why it exists: a surface is most of a kilobyte, and a mesh may have millions of triangles. What is kept of all draws is
//! their vertices; surfaces are made for a strip of rows and forgotten with it.

use std::{collections::HashMap, ops::Range};

use super::{
    clip::{Polygon, clip},
    repeats::{PositionInputs, repeats},
    surface::Surface,
    thin::Thin,
    vertices::{ClipVertex, Window},
};
use refrast_draw::{AlphaMode, DrawState, PrimitiveTopology, VertexStream};
use refrast_threads as threads;

/// Primitives that a thread looks at at once.
const TASK_PRIMITIVES: usize = 1 << 8;

/// What surfaces are made from.
pub(super) struct Geometry<'a> {
    /// Position in the list of draws.
    draw: u32,
    /// Which draws belong to the same surface: sections of one primitive.
    group: u32,
    topology: PrimitiveTopology,
    indices: &'a [u32],
    pub(super) state: DrawState,
    vertices: Vec<ClipVertex>,
    /// For each vertex the name that vertices at the same place share.
    welded: Vec<u32>,
    /// The primitives that are never seen; `None` where that is not known of any.
    repeats: Option<Vec<bool>>,
}

/// Where a [`Geometry`] belongs, and what it draws.
pub(super) struct Drawn<'a> {
    pub(super) draw: u32,
    pub(super) group: u32,
    pub(super) topology: PrimitiveTopology,
    pub(super) indices: &'a [u32],
    pub(super) state: DrawState,
}

/// Gives vertices at the same place (to the bit, as the reference computes them) the same name.
#[derive(Debug, Default)]
pub(super) struct Weld {
    group: u32,
    names: HashMap<[u32; 4], u32>,
}

impl Weld {
    /// The names of a draw's vertices; draws of a group come one after the other.
    pub(super) fn names(&mut self, group: u32, stream: &VertexStream) -> Vec<u32> {
        if group != self.group {
            // A name means something inside its group alone.
            *self = Self { group, names: HashMap::new() };
        }
        let name = |vertex: usize| {
            // +0 makes both zeros one.
            let key = stream.position(vertex).map(|coordinate| (coordinate + 0.0).to_bits());
            let next = self.names.len() as u32;
            *self.names.entry(key).or_insert(next)
        };
        (0..stream.len()).map(name).collect()
    }
}

impl<'a> Geometry<'a> {
    /// `inputs` is what decides the places of vertices; `None` where a program does.
    pub(super) fn new(
        Drawn { draw, group, topology, indices, state }: Drawn<'a>,
        (vertices, welded): (Vec<ClipVertex>, Vec<u32>),
        inputs: Option<PositionInputs<'_>>,
    ) -> Self {
        let inputs = inputs.filter(|_| topology == PrimitiveTopology::Triangles && state.alpha == AlphaMode::Opaque);
        let repeats = inputs.map(|inputs| repeats(indices, &welded, &inputs));
        Self { draw, group, topology, indices, state, vertices, welded, repeats }
    }

    /// How many primitives it has.
    pub(super) fn len(&self) -> usize {
        let each = match self.topology {
            PrimitiveTopology::Triangles => 3,
            PrimitiveTopology::Lines => 2,
            PrimitiveTopology::Points => 1,
        };
        self.indices.len() / each
    }

    /// Appends the surfaces of its primitives, those that `wanted` says.
    ///
    /// In pieces, so that beside all that are asked for there are never more than a few.
    pub(super) fn surfaces(&self, window: &Window, wanted: impl Fn(usize) -> bool + Sync, surfaces: &mut Vec<Surface>) {
        /// Primitives of a piece.
        const PIECE: usize = 1 << 12;
        let own = |range: Range<usize>| range.filter(|&primitive| wanted(primitive)).collect::<Vec<_>>();
        let wanted = threads::ranges(self.len(), PIECE, own).concat();
        // A buffer that grows by doubling is twice as large as it need be. Where it grows to more than the double anyway, as large
        // as it must be is enough.
        if wanted.len() > surfaces.len() {
            surfaces.reserve_exact(wanted.len());
        }
        for piece in wanted.chunks(PIECE) {
            let made = threads::ranges(piece.len(), TASK_PRIMITIVES, |range| {
                let made = piece[range].iter().filter_map(|&primitive| self.surface(window, primitive));
                made.collect::<Vec<_>>()
            });
            made.into_iter().for_each(|mut own| surfaces.append(&mut own));
        }
    }

    /// The rows of the picture that each primitive may touch: none where the range is empty.
    pub(super) fn rows(&self, window: &Window) -> Vec<Range<u16>> {
        let rows = |primitive| self.outline(window, primitive).map_or(0..0, |outline| outline.rows(window.height));
        threads::filled(self.len(), TASK_PRIMITIVES, rows)
    }

    fn surface(&self, window: &Window, primitive: usize) -> Option<Surface> {
        match self.topology {
            PrimitiveTopology::Triangles => {
                let (vertices, corners) = self.triangle(primitive)?;
                let outline = self.outline(window, primitive)?;
                Some(Surface::new(window, self.names(primitive, vertices), &corners, outline, self.state))
            }
            PrimitiveTopology::Lines => {
                let [from, to] = self.line(primitive);
                let shape = Thin::line(window, &self.corners([from, to])?)?;
                Some(Surface::thin(window, self.names(primitive, [from, to, to]), shape))
            }
            PrimitiveTopology::Points => {
                let vertex = self.indices[primitive];
                let [corner] = self.corners([vertex])?;
                Some(Surface::thin(window, self.names(primitive, [vertex; 3]), Thin::point(window, &corner)?))
            }
        }
    }

    /// What is left of a primitive between the near and the far plane.
    fn outline(&self, window: &Window, primitive: usize) -> Option<Polygon> {
        match self.topology {
            PrimitiveTopology::Triangles => {
                let (vertices, corners) = self.triangle(primitive)?;
                clip(window, &corners, vertices.map(|vertex| self.welded[vertex as usize]))
            }
            PrimitiveTopology::Lines => Some(Thin::line(window, &self.corners(self.line(primitive))?)?.1),
            PrimitiveTopology::Points => {
                let [corner] = self.corners([self.indices[primitive]])?;
                Some(Thin::point(window, &corner)?.1)
            }
        }
    }

    /// A triangle that may be seen.
    fn triangle(&self, primitive: usize) -> Option<([u32; 3], [ClipVertex; 3])> {
        let is_seen = self.repeats.as_ref().is_none_or(|repeats| !repeats[primitive]);
        let vertices = std::array::from_fn(|corner| self.indices[3 * primitive + corner]);
        let corners = self.corners(vertices).filter(|corners| is_seen && !outside(corners))?;
        Some((vertices, corners))
    }

    fn line(&self, primitive: usize) -> [u32; 2] {
        [self.indices[2 * primitive], self.indices[2 * primitive + 1]]
    }

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
