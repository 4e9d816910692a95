//! Primitives → set-up triangles → bins, one chunk of primitives at a time.
//!
//! Why it exists: chunks are the unit of parallel geometry work. A chunk always holds the same primitives, whoever
//! works on it, and keeps them in order, so that a tile that reads the chunks one after the other sees its triangles
//! in submission order.
//!
//! Lines and points become triangles here.
//!
//! A **line** is the parallelogram that the Vulkan specification draws where `strictLines` is not claimed ("Basic Line
//! Segment Rasterization"): one pixel wide along its minor axis, its ends along that axis through the end points, x as
//! the major axis where both are equal, samples on an edge by the rule of polygons, attributes as of the two triangles.
//! Of an x-major line those are the pixels of the columns whose centres lie between the ends, one a column. They differ
//! from those of OpenGL's diamond-exit rule (4.6 core profile, 14.5.1; "Bresenham Line Segment Rasterization" in Vulkan)
//! by at most one pixel at each end and by at most one in number, as both specifications allow. Segments of one
//! direction that share an end hit no pixel twice and skip none between them; where the major axis changes, or a line
//! turns back, they may, as theirs may. Strict lines (rectangles) are not drawn, and Direct3D, which asks for diamond
//! exit itself, may differ by those pixels.
//!
//! A **point** is the square of one pixel around its vertex (Vulkan, "Basic Point Rasterization"; OpenGL 14.4.1), made
//! of two triangles as Direct3D says, so that the top-left rule gives it exactly one pixel. A point whose vertex is
//! outside of the clip volume is dropped as a whole (`VK_POINT_CLIPPING_BEHAVIOR_ALL_CLIP_PLANES`).

use super::{
    Statistics,
    clip::{ClipVertex, Clipper, Piece},
    grid::Grid,
    project::{CLIP, FRUSTUM, NOT_FINITE, WindowVertex},
    triangle::{SetupTriangle, WHOLE, doubled_area, pixel_bounds},
};
use refrast_draw::{CullMode, DrawState, FrontFace, PrimitiveTopology, VertexStream};
use refrast_simd::unroll;

/// Primitives a chunk. Clipping makes at most eight triangles of one, so that a triangle's number in its chunk has 16 bits
/// at most.
const CHUNK: usize = 4096;

/// Draws with fewer primitives share chunks: a tile looks at every chunk, and must not have to look at every draw.
const SMALL_DRAW: usize = 512;

/// Parts of draws, and what became of them.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// What the chunk holds, in order.
    spans: Vec<Span>,
    pub(super) triangles: Vec<SetupTriangle>,
    /// For each triangle clip-space w of its corners, and a zero: shading reads them together.
    pub(super) corner_w: Vec<[f32; 4]>,
    pub(super) pieces: Vec<Piece>,
    pub(super) statistics: Statistics,
    clipper: Clipper,
    /// (tile, triangle) in order of triangles.
    pairs: Vec<(u32, u16)>,
    /// `items[offsets[t]..offsets[t + 1]]`: the triangles that may touch tile t, in order.
    offsets: Vec<u32>,
    items: Vec<u16>,
}

/// Some primitives of one draw that follow each other.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// Position in the list of draws.
    draw: usize,
    /// Of the draw's primitives the first.
    first: usize,
    /// How many primitives.
    count: usize,
    /// Number of the first triangle that they became, in the chunk.
    start: usize,
}

/// Divides draws with these numbers of primitives among chunks, in order, and returns how many chunks they fill. Those
/// that are there are used again.
pub(super) fn divide(primitives: impl Iterator<Item = usize>, chunks: &mut Vec<Chunk>) -> usize {
    let (mut used, mut room) = (0, 0);
    for (draw, primitives) in primitives.enumerate() {
        let alone = primitives >= SMALL_DRAW;
        let mut first = 0;
        while first < primitives {
            if room == 0 || (alone && first == 0) {
                if used == chunks.len() {
                    chunks.push(Chunk::default());
                }
                chunks[used].spans.clear();
                (used, room) = (used + 1, CHUNK);
            }
            let count = room.min(primitives - first);
            chunks[used - 1].spans.push(Span { draw, first, count, start: 0 });
            (first, room) = (first + count, room - count);
        }
        if alone {
            room = 0;
        }
    }
    used
}

/// What a span of a chunk reads.
pub(super) struct Geometry<'a> {
    pub(super) grid: &'a Grid,
    pub(super) stream: &'a VertexStream,
    pub(super) window: &'a [WindowVertex],
    pub(super) topology: PrimitiveTopology,
    pub(super) indices: &'a [u32],
    pub(super) state: DrawState,
}

impl Chunk {
    /// One whose triangles belong to these draws, ten to each.
    #[cfg(test)]
    pub(super) fn of_ten(draws: &[usize]) -> Self {
        let span = |(number, &draw)| Span { draw, first: 0, count: 10, start: 10 * number };
        Self { spans: draws.iter().enumerate().map(span).collect(), ..Self::default() }
    }

    /// The triangles that may touch a tile, in order.
    #[inline(always)]
    pub(super) fn bin(&self, tile: usize) -> &[u16] {
        &self.items[self.offsets[tile] as usize..self.offsets[tile + 1] as usize]
    }

    /// The draw that a triangle belongs to.
    #[inline(always)]
    pub(super) fn draw(&self, triangle: usize) -> usize {
        match &self.spans[..] {
            [only] => only.draw,
            spans => spans[self.span(triangle)].draw,
        }
    }

    /// The span that a triangle belongs to. Of several that begin with it all but the last are empty.
    fn span(&self, triangle: usize) -> usize {
        self.spans.partition_point(|span| span.start <= triangle) - 1
    }

    /// The triangles that may touch a tile, in order, by draw: those of one draw together, with its number.
    pub(super) fn runs(&self, tile: usize) -> impl Iterator<Item = (usize, &[u16])> {
        let mut rest = self.bin(tile);
        std::iter::from_fn(move || {
            let first = usize::from(*rest.first()?);
            let span = self.span(first);
            let end = self
                .spans
                .get(span + 1)
                .map_or(rest.len(), |next| rest.partition_point(|&triangle| usize::from(triangle) < next.start));
            let (run, others) = rest.split_at(end);
            rest = others;
            Some((self.spans[span].draw, run))
        })
    }

    /// The triangles with the number of their draw, in order.
    pub(super) fn triangles(&self) -> impl Iterator<Item = (usize, &SetupTriangle)> {
        self.spans.iter().enumerate().flat_map(|(number, span)| {
            let end = self.spans.get(number + 1).map_or(self.triangles.len(), |next| next.start);
            self.triangles[span.start..end].iter().map(|triangle| (span.draw, triangle))
        })
    }

    /// Sets up and bins the chunk's primitives; `geometry` says what a draw's are.
    pub(super) fn run<'a>(&mut self, grid: &Grid, geometry: impl Fn(usize) -> Geometry<'a>) {
        self.triangles.clear();
        self.corner_w.clear();
        self.pieces.clear();
        self.pairs.clear();
        self.statistics = Statistics::default();
        for number in 0..self.spans.len() {
            self.spans[number].start = self.triangles.len();
            let Span { draw, first, count, .. } = self.spans[number];
            self.statistics.primitives += count;
            self.assemble(&geometry(draw), first, count);
        }
        self.sort(grid);
    }

    /// Sets up primitives of one draw.
    fn assemble(&mut self, geometry: &Geometry<'_>, first: usize, count: usize) {
        let arity = geometry.topology.arity();
        let indices = &geometry.indices[first * arity..(first + count) * arity];
        match geometry.topology {
            PrimitiveTopology::Triangles => {
                for (i, corners) in indices.as_chunks::<3>().0.iter().enumerate() {
                    self.triangle(geometry, (first + i) as u32, *corners);
                }
            }
            PrimitiveTopology::Lines => {
                for (i, ends) in indices.as_chunks::<2>().0.iter().enumerate() {
                    self.line(geometry, (first + i) as u32, *ends);
                }
            }
            PrimitiveTopology::Points => {
                for (i, &vertex) in indices.iter().enumerate() {
                    self.point(geometry, (first + i) as u32, vertex);
                }
            }
        }
    }

    /// Whether a primitive with these codes can be dropped unseen.
    #[inline(always)]
    fn reject(&mut self, any: u32, all: u32) -> bool {
        if any & NOT_FINITE != 0 {
            self.statistics.not_finite += 1;
            true
        } else if all & FRUSTUM != 0 {
            self.statistics.outside += 1;
            true
        } else {
            false
        }
    }

    #[inline(always)]
    fn triangle(&mut self, geometry: &Geometry<'_>, primitive: u32, vertices: [u32; 3]) {
        // Written out: `array::map` would be a call for each, and this is run for every triangle.
        let window = unroll!(i in [0, 1, 2] => geometry.window[vertices[i] as usize]);
        let [a, b, c] = unroll!(i in [0, 1, 2] => window[i].code);
        if a | b | c != 0 {
            if self.reject(a | b | c, a & b & c) {
                return;
            }
            if (a | b | c) & CLIP != 0 {
                self.clip_triangle(geometry, primitive, vertices, window);
                return;
            }
        }
        let area = doubled_area(unroll!(i in [0, 1, 2] => window[i].x), unroll!(i in [0, 1, 2] => window[i].y));
        let Some(front) = self.visible_side(geometry.state, area) else { return };
        // Clockwise order: a positive area.
        let [i, j, k] = if area < 0 { [0, 2, 1] } else { [0, 1, 2] };
        let (x, y) =
            (unroll!(corner in [i, j, k] => window[corner].x), unroll!(corner in [i, j, k] => window[corner].y));
        let Some(bounds) = pixel_bounds(geometry.grid, x, y) else {
            self.statistics.between_samples += 1;
            return;
        };
        let corners = (x, y, unroll!(corner in [i, j, k] => window[corner].z));
        let vertices = [vertices[i], vertices[j], vertices[k]];
        let triangle =
            SetupTriangle::new(geometry.grid, corners, area.abs(), bounds, vertices, primitive, (WHOLE, front));
        let w = unroll!(corner in [0, 1, 2] => geometry.stream.w[vertices[corner] as usize]);
        self.push(geometry.grid, triangle, w);
    }

    /// Whether the front is seen, or `None` when there is nothing to see.
    #[inline(always)]
    fn visible_side(&mut self, state: DrawState, area: i64) -> Option<bool> {
        if area == 0 {
            self.statistics.degenerate += 1;
            return None;
        }
        let front = (area > 0) == (state.front_face == FrontFace::Clockwise);
        let culled = match state.cull {
            CullMode::None => false,
            CullMode::Back => !front,
            CullMode::Front => front,
        };
        if culled {
            self.statistics.culled += 1;
            return None;
        }
        Some(front)
    }

    #[inline(never)]
    fn clip_triangle(
        &mut self,
        geometry: &Geometry<'_>,
        primitive: u32,
        vertices: [u32; 3],
        window: [WindowVertex; 3],
    ) {
        self.statistics.clipped += 1;
        let corners: [_; 3] =
            std::array::from_fn(|i| ClipVertex::original(i, geometry.stream.position(vertices[i] as usize), window[i]));
        let mut clipper = std::mem::take(&mut self.clipper);
        let polygon = clipper.clip(geometry.grid, &corners);
        for i in 1..polygon.len().saturating_sub(1) {
            let corners = [polygon[0], polygon[i], polygon[i + 1]];
            self.piece(geometry, primitive, vertices, &corners, [[0; 2]; 3]);
        }
        self.clipper = clipper;
    }

    /// A triangle whose corners are points of a primitive, moved by `offsets` on the grid.
    fn piece(
        &mut self,
        geometry: &Geometry<'_>,
        primitive: u32,
        vertices: [u32; 3],
        corners: &[ClipVertex; 3],
        offsets: [[i32; 2]; 3],
    ) {
        // A clipped vertex is always on the grid: `Clipper::clip` puts it there.
        let window = corners.map(|corner| corner.window.unwrap_or_default());
        let x: [i32; 3] = std::array::from_fn(|i| window[i].x + offsets[i][0]);
        let y: [i32; 3] = std::array::from_fn(|i| window[i].y + offsets[i][1]);
        let area = doubled_area(x, y);
        let front = if geometry.topology == PrimitiveTopology::Triangles {
            let Some(front) = self.visible_side(geometry.state, area) else { return };
            front
        } else if area == 0 {
            self.statistics.degenerate += 1;
            return;
        } else {
            true
        };
        let order = if area < 0 { [0, 2, 1] } else { [0, 1, 2] };
        let Some(bounds) = pixel_bounds(geometry.grid, order.map(|i| x[i]), order.map(|i| y[i])) else {
            self.statistics.between_samples += 1;
            return;
        };
        let number = self.pieces.len() as u32;
        self.pieces.push(Piece { weights: order.map(|i| corners[i].weights.map(|weight| weight as f32)) });
        let w = order.map(|i| corners[i].position[3] as f32);
        let corners = (order.map(|i| x[i]), order.map(|i| y[i]), order.map(|i| window[i].z));
        let triangle =
            SetupTriangle::new(geometry.grid, corners, area.abs(), bounds, vertices, primitive, (number, front));
        self.push(geometry.grid, triangle, w);
    }

    fn line(&mut self, geometry: &Geometry<'_>, primitive: u32, ends: [u32; 2]) {
        let window = ends.map(|vertex| geometry.window[vertex as usize]);
        let [a, b] = window.map(|vertex| vertex.code);
        if self.reject(a | b, a & b) {
            return;
        }
        let vertices = [ends[0], ends[1], ends[1]];
        let mut line: [_; 2] =
            std::array::from_fn(|i| ClipVertex::original(i, geometry.stream.position(ends[i] as usize), window[i]));
        if (a | b) & CLIP != 0 {
            self.statistics.clipped += 1;
            match self.clipper.clip(geometry.grid, &line) {
                &[from, to] => line = [from, to],
                _ => return,
            }
        }
        let [from, to] = line.map(|vertex| vertex.window.unwrap_or_default());
        let half = geometry.grid.one() / 2;
        let x_major = from.x.abs_diff(to.x) >= from.y.abs_diff(to.y);
        let side = if x_major { [0, half] } else { [half, 0] };
        self.parallelogram(geometry, primitive, vertices, line, [side, side]);
    }

    fn point(&mut self, geometry: &Geometry<'_>, primitive: u32, vertex: u32) {
        let window = geometry.window[vertex as usize];
        // A point is in or out as a whole.
        if self.reject(window.code, window.code) || window.code != 0 {
            return;
        }
        let centre = ClipVertex::original(0, geometry.stream.position(vertex as usize), window);
        let half = geometry.grid.one() / 2;
        self.parallelogram(geometry, primitive, [vertex; 3], [centre, centre], [[half, half], [half, -half]]);
    }

    /// The corners `a − s0`, `b − s1`, `b + s0`, `a + s1` for a line (s0 = s1) or a square (a = b) around its middle.
    fn parallelogram(
        &mut self,
        geometry: &Geometry<'_>,
        primitive: u32,
        vertices: [u32; 3],
        [a, b]: [ClipVertex; 2],
        [s0, s1]: [[i32; 2]; 2],
    ) {
        let minus = |side: [i32; 2]| side.map(|v| -v);
        self.piece(geometry, primitive, vertices, &[a, b, b], [minus(s0), minus(s1), s0]);
        self.piece(geometry, primitive, vertices, &[a, b, a], [minus(s0), s0, s1]);
    }

    /// Stores a triangle, its corners having this w, and lists it with the tiles of its bounds that it may touch.
    #[inline(always)]
    fn push(&mut self, grid: &Grid, triangle: SetupTriangle, w: [f32; 3]) {
        let number = self.triangles.len() as u16;
        let shift = grid.tile_size().trailing_zeros();
        let [x0, x1, y0, y1] = unroll!(i in [0, 1, 2, 3] => u32::from(triangle.bounds[i]) >> shift);
        let columns = grid.tiles()[0] as u32;
        if x0 == x1 && y0 == y1 {
            self.pairs.push((y0 * columns + x0, number));
        } else {
            self.push_many(grid, &triangle, number);
        }
        self.triangles.push(triangle);
        self.corner_w.push([w[0], w[1], w[2], 0.0]);
    }

    /// A triangle over several tiles skips those that one of its edges keeps out.
    fn push_many(&mut self, grid: &Grid, triangle: &SetupTriangle, number: u16) {
        let shift = grid.tile_size().trailing_zeros();
        let [x0, x1, y0, y1] = unroll!(i in [0, 1, 2, 3] => u32::from(triangle.bounds[i]) >> shift);
        let columns = grid.tiles()[0] as u32;
        let edges = triangle.edges();
        // The far corner of a tile may lie past the picture, but is still inside the guard band (see `MAX_SIZE`).
        let side = i64::from(grid.one()) << shift;
        for tile_y in y0..=y1 {
            for tile_x in x0..=x1 {
                let (left, top) = (i64::from(tile_x) * side, i64::from(tile_y) * side);
                let outside = (0..3).any(|edge| {
                    let x = left + if edges.a[edge] > 0 { side } else { 0 };
                    let y = top + if edges.b[edge] > 0 { side } else { 0 };
                    edges.value(edge, x, y) < 0
                });
                if !outside {
                    self.pairs.push((tile_y * columns + tile_x, number));
                }
            }
        }
    }

    /// Counting sort of the pairs by tile; order inside a tile stays.
    fn sort(&mut self, grid: &Grid) {
        let [columns, rows] = grid.tiles();
        self.offsets.clear();
        self.offsets.resize(columns * rows + 1, 0);
        for &(tile, _) in &self.pairs {
            self.offsets[tile as usize + 1] += 1;
        }
        let mut sum = 0;
        for offset in &mut self.offsets {
            sum += *offset;
            *offset = sum;
        }
        self.items.clear();
        self.items.resize(self.pairs.len(), 0);
        // Filling moves each tile's start to its end, which is the next tile's start: shift back by one tile after.
        for &(tile, number) in &self.pairs {
            let slot = &mut self.offsets[tile as usize];
            self.items[*slot as usize] = number;
            *slot += 1;
        }
        self.offsets.rotate_right(1);
        self.offsets[0] = 0;
    }
}
