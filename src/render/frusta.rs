//! [`Frusta`]: the parts of a camera's view and the boxes of its lights, as lines that another camera sees.
//!
//! Why it exists: how a view is split, and what each map holds of it, is seen at once from outside and from no list of
//! numbers. The lines are drawn among everything else, so that they are hidden where something is before them.

use glam::{DVec3, Mat4};

use refrast_draw::{Convention, Draw, DrawState, PrimitiveTopology, VertexStream};
use refrast_scene::Material;
use refrast_shading::{Lighting, MaterialShader, SPLIT_COLORS, ShadingMode, ShadowPlan, TextureSet, VaryingLayout};
use refrast_stage::Bounds;

/// The edges of a box, by the numbers of its corners: around the near end, around the far end, and between the two.
const EDGES: [u32; 24] = [0, 1, 1, 2, 2, 3, 3, 0, 4, 5, 5, 6, 6, 7, 7, 4, 0, 4, 1, 5, 2, 6, 3, 7];

/// What lines of lights are mixed with, to be told from those of splits.
const PALE: f32 = 0.3;

/// Lines around boxes.
pub(super) struct Frusta {
    boxes: Vec<(Material, VertexStream)>,
    layout: VaryingLayout,
}

/// The corners of what a map holds, in the world: those of clip space.
fn corners(view_projection: &Mat4, convention: Convention) -> [DVec3; 8] {
    let near = if convention == Convention::OpenGl { -1.0 } else { 0.0 };
    let to_world = view_projection.as_dmat4().inverse();
    let flat = [[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]];
    std::array::from_fn(|number| {
        let [x, y] = flat[number % 4];
        to_world.project_point3(DVec3::new(x, y, if number < 4 { near } else { 1.0 }))
    })
}

/// Every box of a plan with its colour.
fn boxes(plan: &ShadowPlan, convention: Convention) -> Vec<([f32; 3], [DVec3; 8])> {
    let color = |split: usize| SPLIT_COLORS[split % SPLIT_COLORS.len()];
    let splits =
        plan.splits.iter().enumerate().map(|(number, split)| {
            (color(number), split.corners.map(|corner| DVec3::from_array(corner.map(f64::from))))
        });
    let maps = plan.lights.iter().flat_map(|light| light.maps.iter().enumerate()).map(|(number, map)| {
        let pale = color(number).map(|channel| channel + PALE * (1.0 - channel));
        (pale, corners(&map.view_projection, convention))
    });
    splits.chain(maps).collect()
}

/// The box around all of them, and around `scene`.
pub(super) fn bounds_with_frusta(mut scene: Bounds, plan: &ShadowPlan, convention: Convention) -> Bounds {
    for point in boxes(plan, convention).iter().flat_map(|(_, corners)| corners) {
        let [x, y, z] = point.as_vec3().to_array();
        scene.extend(&[x], &[y], &[z]);
    }
    scene
}

impl Frusta {
    /// The lines of a plan, as the camera with this matrix sees them.
    pub(super) fn new(plan: &ShadowPlan, view_projection: &Mat4, convention: Convention) -> Self {
        let seen = |(color, corners): ([f32; 3], [DVec3; 8])| {
            let [red, green, blue] = color;
            let material = Material { base_color_factor: [red, green, blue, 1.0], unlit: true, ..Material::default() };
            let mut stream = VertexStream::default();
            stream.resize(corners.len(), 0);
            for (vertex, corner) in corners.into_iter().enumerate() {
                let clip = *view_projection * corner.as_vec3().extend(1.0);
                (stream.x[vertex], stream.y[vertex]) = (clip.x, clip.y);
                (stream.z[vertex], stream.w[vertex]) = (clip.z, clip.w);
            }
            (material, stream)
        };
        Self { boxes: boxes(plan, convention).into_iter().map(seen).collect(), layout: VaryingLayout::default() }
    }

    /// The draws of the lines.
    pub(super) fn draws<'a>(
        &'a self,
        textures: &'a TextureSet,
        lighting: &'a Lighting,
    ) -> impl Iterator<Item = Draw<'a, MaterialShader<'a>>> {
        self.boxes.iter().map(move |(material, stream)| Draw {
            stream,
            topology: PrimitiveTopology::Lines,
            indices: &EDGES,
            state: DrawState::default(),
            shader: MaterialShader::new(material, &self.layout, textures, lighting, ShadingMode::Unlit, [0.0, 1.0]),
        })
    }
}
