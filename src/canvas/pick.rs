//! What a pixel shows: the triangles under it, by the rasteriser's own edge functions.

use refrast_draw::Convention;
use refrast_raster::SetupTriangle;
use refrast_render::Renderer;
use refrast_scene::Scene;
use refrast_stage::{DrawnVertices, RenderSettings};

/// A triangle that covers a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The node that draws it.
    pub node: usize,
    /// The primitive within the node's mesh.
    pub primitive: usize,
    /// The triangle's number in its draw.
    pub triangle: u32,
    /// Its vertices in the primitive of the [`Scene`].
    pub vertices: [usize; 3],
    /// Perspective-correct weights of `vertices` at the sample.
    pub barycentrics: [f64; 3],
    /// Window depth, to the bit that the rasteriser compares.
    pub depth: f32,
    /// Whether the front is seen.
    pub front: bool,
}

/// A triangle's corners, as far as a point of it needs them.
#[derive(Clone, Copy, Debug)]
pub struct Corners {
    /// The draw: its place in [`FrameStage::drawn_vertices`](refrast_stage::FrameStage::drawn_vertices).
    pub draw: usize,
    /// In the primitive of the [`Scene`].
    pub vertices: [usize; 3],
    /// In clip space.
    clip: [[f32; 4]; 3],
}

impl Corners {
    /// The corners of a triangle of a draw.
    pub(super) fn of(drawn: &DrawnVertices<'_>, draw: usize, triangle: &SetupTriangle) -> Self {
        let rows = triangle.vertices().map(|row| row as usize);
        let source = |row: usize| drawn.source_vertices.map_or(row, |vertices| vertices[row] as usize);
        Self { draw, vertices: rows.map(source), clip: rows.map(|row| drawn.stream.position(row)) }
    }

    /// The weights of the corners at a point in normalised device coordinates.
    pub(super) fn weights(&self, at: [f64; 2]) -> Option<[f64; 3]> {
        barycentrics(self.clip, at)
    }
}

/// The triangles of the last frame that cover the first sample of a pixel, nearest first; of equal depths the first
/// drawn, as the depth test keeps it. What alpha lets through is among them.
#[must_use]
pub fn hits(renderer: &Renderer<'_>, pixel: [u32; 2]) -> Vec<Hit> {
    let at = on_grid(renderer.settings(), pixel);
    let draws: Vec<DrawnVertices<'_>> = renderer.stage().drawn_vertices().collect();
    let covers = |triangle: &SetupTriangle| near(triangle, at) && triangle.edges().covers(at[0], at[1]);
    let mut hits: Vec<Hit> = (renderer.triangles().filter(|(_, triangle)| covers(triangle)))
        .filter_map(|(draw, triangle)| {
            let drawn = draws.get(draw)?;
            let corners = Corners::of(drawn, draw, triangle);
            Some(Hit {
                node: drawn.node,
                primitive: place_of(renderer.scene(), drawn)?,
                triangle: triangle.primitive(),
                vertices: corners.vertices,
                barycentrics: corners.weights(ndc_of(renderer.settings(), pixel))?,
                depth: triangle.depth_at(at[0], at[1]),
                front: triangle.front(),
            })
        })
        .collect();
    // Stable: of equals the first stays first.
    hits.sort_by(|a, b| a.depth.total_cmp(&b.depth));
    hits
}

/// The first sample of a pixel on the grid: sample positions are in sixteenths of a pixel, the grid has 2^bits units.
fn on_grid(settings: &RenderSettings, [x, y]: [u32; 2]) -> [i64; 2] {
    let [sample_x, sample_y] = settings.samples.positions()[0];
    let place = |pixel: u32, sixteenths: i64| {
        (i64::from(pixel) << settings.subpixel_bits) + (sixteenths << (settings.subpixel_bits - 4))
    };
    [place(x, sample_x), place(y, sample_y)]
}

/// Whether a point lies in the box around a triangle.
fn near(triangle: &SetupTriangle, at: [i64; 2]) -> bool {
    let corners = [0, 1, 2].map(|i| triangle.corner(i));
    (0..2).all(|axis| {
        let sides = corners.map(|corner| i64::from(corner[axis]));
        let (low, high) = (sides[0].min(sides[1]).min(sides[2]), sides[0].max(sides[1]).max(sides[2]));
        (low..=high).contains(&at[axis])
    })
}

/// Which primitive of its node's mesh is drawn.
#[must_use]
pub fn place_of(scene: &Scene, drawn: &DrawnVertices<'_>) -> Option<usize> {
    let mesh = &scene.meshes[scene.nodes[drawn.node].mesh?];
    mesh.primitives.iter().position(|primitive| std::ptr::eq(primitive, drawn.primitive))
}

/// Normalised device coordinates of the first sample of a pixel.
pub(super) fn ndc_of(settings: &RenderSettings, pixel: [u32; 2]) -> [f64; 2] {
    let at = on_grid(settings, pixel);
    let one = f64::from(1u32 << settings.subpixel_bits);
    let x = at[0] as f64 / one * 2.0 / f64::from(settings.width) - 1.0;
    let y = at[1] as f64 / one * 2.0 / f64::from(settings.height) - 1.0;
    [x, if settings.convention == Convention::Vulkan { y } else { -y }]
}

/// The weights b with Σ bᵢ(xᵢ, yᵢ, wᵢ) ∝ (x, y, 1) and Σ bᵢ = 1: perspective-correct without any division by w (Olano and
/// Greer, *Triangle Scan Conversion using 2D Homogeneous Coordinates*, 1997), so that it holds for clipped triangles too.
fn barycentrics(clip: [[f32; 4]; 3], [x, y]: [f64; 2]) -> Option<[f64; 3]> {
    let [a, b, c] = clip.map(|[x, y, _, w]| glam::DVec3::new(f64::from(x), f64::from(y), f64::from(w)));
    let at = glam::DVec3::new(x, y, 1.0);
    let weights = [b.cross(c).dot(at), c.cross(a).dot(at), a.cross(b).dot(at)];
    let sum = weights[0] + weights[1] + weights[2];
    (sum != 0.0 && sum.is_finite()).then(|| weights.map(|weight| weight / sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_perspective_correct() {
        // The middle of the picture of an edge from w = 1 to w = 3 is a quarter of the way: (1·3 + 3·1)/(1 + 3) is the
        // depth 1.5 = 1 + 2·¼.
        let clip = [[-1.0, 0.0, 0.0, 1.0], [3.0, 0.0, 0.0, 3.0], [0.0, 1.0, 0.0, 1.0]];
        let [first, second, third] = barycentrics(clip, [0.0, 0.0]).expect("the triangle has an area");
        assert!((first - 0.75).abs() < 1e-12 && (second - 0.25).abs() < 1e-12 && third.abs() < 1e-12);
        assert_eq!(barycentrics([[0.0; 4]; 3], [0.0, 0.0]), None);
    }
}
