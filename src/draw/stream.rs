//! [`VertexStream`]: what a maker of vertices hands to the rasteriser.

/// Vertices after the vertex stage: clip-space positions and rows of varyings.
///
/// Native skinning and vertex programs both make it; nothing after it can tell which one ran. The buffers are kept
/// from frame to frame, so that only the first frame allocates.
#[derive(Clone, Debug, Default)]
pub struct VertexStream {
    /// Clip-space x of each vertex.
    pub x: Vec<f32>,
    /// Clip-space y of each vertex.
    pub y: Vec<f32>,
    /// Clip-space z of each vertex.
    pub z: Vec<f32>,
    /// Clip-space w of each vertex.
    pub w: Vec<f32>,
    /// `stride` floats a vertex, row after row.
    pub varyings: Vec<f32>,
    /// Floats in a row of `varyings`: a multiple of four.
    pub stride: usize,
}

impl VertexStream {
    /// The number of vertices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there are no vertices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// Clip-space position of a vertex: x, y, z, w.
    ///
    /// # Panics
    ///
    /// When there is no such vertex.
    #[must_use]
    pub fn position(&self, vertex: usize) -> [f32; 4] {
        [&self.x, &self.y, &self.z, &self.w].map(|plane| plane[vertex])
    }

    /// Makes room for `vertices` vertices with rows of `stride` varyings; what was there is not kept in any order.
    ///
    /// # Panics
    ///
    /// When `stride` is not a multiple of four.
    pub fn resize(&mut self, vertices: usize, stride: usize) {
        assert!(stride.is_multiple_of(4), "rows of varyings are loaded four floats at a time");
        for plane in [&mut self.x, &mut self.y, &mut self.z, &mut self.w] {
            plane.resize(vertices, 0.0);
        }
        self.varyings.resize(vertices * stride, 0.0);
        self.stride = stride;
    }
}
