//! [`Table`]: the numbers of a draw's vertices, and the rows that are left of them in their order.

use std::fmt::Write as _;

use super::{
    Column, TableColumns, TableView,
    filter::{Facts, Filter},
};
use crate::{deform::Deformer, stage::Stage, state::State, subject::VertexChoice};
use refrast_canvas::{Cells, Row, place_of};
use refrast_draw::Convention;
use refrast_render::Renderer;
use refrast_scene::{Primitive, Scene};
use refrast_skinning::DeformedVertices;
use refrast_stage::RenderSettings;

const AXES: [&str; 4] = ["x", "y", "z", "w"];
const IN_MESH: &str = "as the file has it, in mesh space";
const IN_WORLD: &str = "in world space, as the frame uses it; positions in metres";

/// The vertices of a draw.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// The node, and the primitive of its mesh.
    pub(crate) draw: (usize, usize),
    /// All that is drawn.
    pub(crate) draws: Vec<(usize, usize)>,
    pub(crate) columns: Vec<Column>,
    /// The vertices that are left, in their order; where rows are corners, with the place in the indices.
    pub(crate) rows: Vec<Row>,
    /// Rows before anything was filtered.
    pub(crate) total: usize,
    /// Why something is missing, or what the filter does not mean.
    pub(crate) error: Option<String>,
}

impl Table {
    /// The table that a view asks for; `None` where nothing is drawn.
    pub(crate) fn of(stage: &Stage<'_>, state: &State, view: &TableView, deformer: &mut Deformer) -> Option<Self> {
        let (scene, renderer) = (stage.scene(), stage.renderer());
        let mut draws: Vec<(usize, usize)> = renderer
            .stage()
            .drawn_vertices()
            .filter_map(|drawn| Some((drawn.node, place_of(scene, &drawn)?)))
            .collect();
        draws.dedup();
        let selected = state.selected.map(|choice| (choice.node, choice.primitive));
        let wanted = [selected, view.draw].into_iter().flatten().find(|draw| draws.contains(draw));
        let draw = wanted.or_else(|| draws.first().copied())?;
        let primitive = crate::deform::primitive(scene, draw.0, draw.1)?;
        let deformed = match state.active_program() {
            Some(_) => Ok(None),
            None => deformer.run(scene, stage.pose(), state, state.method, draw).map(Some),
        };
        let error = deformed.as_ref().err().map(ToString::to_string);
        let clip = clip_positions(renderer, draw, primitive.positions.len());
        let columns = columns(primitive, deformed.ok().flatten(), &clip, renderer.settings());
        let total = if view.corners { primitive.indices.len() } else { primitive.positions.len() };
        let mut table = Self { draw, draws, columns, rows: Vec::new(), total, error };
        match table.left(scene, primitive, &clip, renderer.settings().convention, view) {
            Ok(rows) => table.rows = rows,
            Err(error) => table.error = Some(error),
        }
        table.sort(view);
        let Self { columns, rows, .. } = &mut table;
        columns.iter_mut().for_each(|column| column.bounds = column.cells.bounds(rows));
        Some(table)
    }

    /// The rows that the filter leaves.
    fn left(
        &self,
        scene: &Scene,
        primitive: &Primitive,
        clip: &[[f32; 4]],
        convention: Convention,
        view: &TableView,
    ) -> Result<Vec<Row>, String> {
        let skin = scene.nodes[self.draw.0].skin.map(|skin| &scene.skins[skin]);
        let name = |&node: &usize| scene.nodes[node].name.clone().unwrap_or_else(|| format!("node {node}"));
        let joints: Vec<String> = skin.map(|skin| skin.joints.iter().map(name).collect()).unwrap_or_default();
        let influences = |vertex: usize| {
            let Some(influences) = &primitive.influences else { return Vec::new() };
            let own = vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex;
            let pairs = influences.joints[own.clone()].iter().zip(&influences.weights[own]);
            pairs.filter(|&(_, &weight)| weight != 0.0).map(|(&joint, _)| usize::from(joint)).collect()
        };
        let is_inside = |vertex: usize| is_inside(clip[vertex], convention);
        let facts = Facts { columns: &self.columns, joints: &joints, influences: &influences, is_inside: &is_inside };
        let filter = Filter::parse(&view.filter, &facts)?;
        let holds: Vec<bool> = (0..primitive.positions.len()).map(|vertex| filter.holds(vertex, &facts)).collect();
        let is_left = |row: &Row| holds.get(row.vertex as usize).copied().unwrap_or(false);
        Ok(match view.corners {
            true => {
                let corners = (0..).zip(&primitive.indices);
                corners.map(|(corner, &vertex)| Row { corner: Some(corner), vertex }).filter(is_left).collect()
            }
            false => {
                let vertices = 0..primitive.positions.len() as u32;
                vertices.map(|vertex| Row { corner: None, vertex }).filter(is_left).collect()
            }
        })
    }

    fn sort(&mut self, view: &TableView) {
        let Some((name, descending)) = &view.sort else { return };
        let Some(column) = self.columns.iter().find(|column| column.name == *name) else { return };
        column.cells.order(&mut self.rows, *descending);
    }

    /// The columns that a view shows.
    pub(crate) fn shown<'a>(&'a self, view: &'a TableView) -> impl Iterator<Item = &'a Column> {
        self.columns.iter().filter(|column| column.group.is_none_or(|group| view.columns.contains(&group)))
    }

    /// What a row stands for.
    pub(crate) fn choice(&self, row: usize) -> Option<VertexChoice> {
        let vertex = self.rows.get(row)?.vertex as usize;
        Some(VertexChoice { node: self.draw.0, primitive: self.draw.1, vertex })
    }

    /// The first row of a vertex, if it is left.
    pub(crate) fn row_of(&self, choice: VertexChoice) -> Option<usize> {
        let own = (choice.node, choice.primitive) == self.draw;
        self.rows.iter().position(|row| own && row.vertex as usize == choice.vertex)
    }

    /// The first row whose vertex has this index in the file.
    pub(crate) fn row_of_file_vertex(&self, vertex: u32) -> Option<usize> {
        let column = self.columns.iter().find(|column| column.name == "vertex")?;
        self.rows.iter().position(|row| column.number(row.vertex as usize) == f64::from(vertex))
    }

    /// Where a row's vertex is in world space; `None` where a vertex program makes it.
    pub(crate) fn place(&self, row: usize) -> Option<[f64; 3]> {
        let vertex = self.rows.get(row)?.vertex as usize;
        let axis = |name: &str| Some(self.columns.iter().find(|column| column.name == name)?.number(vertex));
        Some([axis("position_x")?, axis("position_y")?, axis("position_z")?])
    }

    /// The rows that are left with the columns that are shown, as CSV with a heading.
    pub(crate) fn csv(&self, view: &TableView) -> String {
        let columns: Vec<&Column> = self.shown(view).collect();
        let mut text = "node,primitive".to_owned();
        if view.corners {
            text.push_str(",corner");
        }
        columns.iter().for_each(|column| text.extend([",", &column.name]));
        text.push('\n');
        for row in &self.rows {
            // Writing to a string does not fail.
            let _ = write!(text, "{},{}", self.draw.0, self.draw.1);
            if let Some(corner) = row.corner {
                let _ = write!(text, ",{corner}");
            }
            columns.iter().for_each(|column| text.extend([",", &column.exact_text(row.vertex as usize)]));
            text.push('\n');
        }
        text
    }
}

/// Where the frame has the vertices of a draw in clip space; NaN for one that it does not use.
fn clip_positions(renderer: &Renderer<'_>, draw: (usize, usize), count: usize) -> Vec<[f32; 4]> {
    let mut clip = vec![[f32::NAN; 4]; count];
    // A mesh that is drawn in sections has several, each with some of its vertices.
    for drawn in renderer.stage().drawn_vertices() {
        if place_of(renderer.scene(), &drawn).map(|primitive| (drawn.node, primitive)) != Some(draw) {
            continue;
        }
        for row in 0..drawn.stream.len() {
            let vertex = drawn.source_vertices.map_or(row, |vertices| vertices[row] as usize);
            if let Some(place) = clip.get_mut(vertex) {
                *place = drawn.stream.position(row);
            }
        }
    }
    clip
}

/// Whether a point is in the view: glTF's convention for OpenGL is −w ≤ z ≤ w, that of the others 0 ≤ z ≤ w.
fn is_inside([x, y, z, w]: [f32; 4], convention: Convention) -> bool {
    let nearest = if convention == Convention::OpenGl { -w } else { 0.0 };
    x.abs() <= w && y.abs() <= w && z >= nearest && z <= w
}

/// Pixels from the left, pixels from the top, depth 0 to 1; NaN behind the eye.
fn window([x, y, z, w]: [f32; 4], settings: &RenderSettings) -> [f32; 3] {
    let [x, y, z, w] = [x, y, z, w].map(f64::from);
    if w.is_nan() || w <= 0.0 {
        return [f32::NAN; 3];
    }
    let down = if settings.convention == Convention::Vulkan { y / w } else { -y / w };
    let depth = if settings.convention == Convention::OpenGl { z / w * 0.5 + 0.5 } else { z / w };
    let pixels = |part: f64, size: u32| (part * 0.5 + 0.5) * f64::from(size);
    [pixels(x / w, settings.width), pixels(down, settings.height), depth].map(|number| number as f32)
}

fn columns(
    primitive: &Primitive,
    deformed: Option<&DeformedVertices>,
    clip: &[[f32; 4]],
    settings: &RenderSettings,
) -> Vec<Column> {
    let source = primitive.source_vertices.clone();
    let mut columns = vec![Column {
        name: "vertex".to_owned(),
        about: "the index in the file's accessors",
        group: None,
        cells: Cells::Index(source),
        bounds: None,
    }];
    let mut add = |name: &str, axes: &[&str], about, group, cells: &dyn Fn(usize) -> Cells| {
        for (axis, axis_name) in axes.iter().enumerate() {
            columns.push(Column::new(format!("{name}_{axis_name}"), about, group, cells(axis)));
        }
    };
    let rest = TableColumns::Rest;
    add("rest", &AXES[..3], IN_MESH, rest, &|axis| Cells::every(3, axis, primitive.positions.as_flattened()));
    if let Some(normals) = &primitive.normals {
        add("rest_normal", &AXES[..3], IN_MESH, rest, &|axis| Cells::every(3, axis, normals.as_flattened()));
    }
    if let Some(tangents) = &primitive.tangents {
        add("rest_tangent", &AXES, IN_MESH, rest, &|axis| Cells::every(4, axis, tangents.as_flattened()));
    }
    for (set, texcoords) in primitive.texcoords.iter().enumerate() {
        let (name, about) = (format!("texcoord{set}"), "texture coordinates of the file");
        add(&name, &["u", "v"], about, rest, &|axis| Cells::every(2, axis, texcoords.as_flattened()));
    }
    if let Some(colors) = &primitive.colors {
        let about = "linear, as the file has it";
        add("color", &["r", "g", "b", "a"], about, rest, &|axis| Cells::every(4, axis, colors.as_flattened()));
    }
    if let Some(influences) = &primitive.influences {
        let names: Vec<String> = (0..influences.per_vertex).map(|place| place.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        add("weight", &names, "of the joint of this number, as the file has it", rest, &|place| {
            Cells::every(influences.per_vertex, place, &influences.weights)
        });
    }
    if let Some(deformed) = deformed {
        let (world, count) = (TableColumns::World, deformed.len());
        let positions = deformed.positions();
        add("position", &AXES[..3], IN_WORLD, world, &|axis| Cells::every(1, 0, &positions[axis][..count]));
        if let Some(normals) = deformed.normals() {
            add("normal", &AXES[..3], IN_WORLD, world, &|axis| Cells::every(1, 0, &normals[axis][..count]));
        }
    }
    let about = "as the rasteriser is given it, in the clip space of the convention";
    add("clip", &AXES, about, TableColumns::Clip, &|axis| Cells::every(4, axis, clip.as_flattened()));
    let windows: Vec<[f32; 3]> = clip.iter().map(|&clip| window(clip, settings)).collect();
    let about = "pixels from the left and from the top before they are snapped, and depth 0 to 1";
    let axes = ["x", "y", "depth"];
    add("window", &axes, about, TableColumns::Window, &|axis| Cells::every(3, axis, windows.as_flattened()));
    // Before the weights.
    if let Some(influences) = &primitive.influences {
        let at = columns.iter().position(|column| column.name == "weight_0").unwrap_or(columns.len());
        let joints = (0..influences.per_vertex).map(|place| Column {
            name: format!("joint_{place}"),
            about: "index into the skin's joints",
            group: Some(rest),
            cells: Cells::Index(
                influences
                    .joints
                    .iter()
                    .skip(place)
                    .step_by(influences.per_vertex)
                    .map(|&joint| joint.into())
                    .collect(),
            ),
            bounds: None,
        });
        let joints: Vec<Column> = joints.collect();
        columns.splice(at..at, joints);
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_and_views_follow_the_convention() {
        let settings = |convention| RenderSettings { width: 200, height: 100, convention, ..RenderSettings::default() };
        // x/w = 0.5, y/w = 0.5, z/w = 0.5: three quarters of the width; up is a quarter from the top.
        let clip = [1.0, 1.0, 1.0, 2.0];
        assert_eq!(window(clip, &settings(Convention::OpenGl)), [150.0, 25.0, 0.75]);
        assert_eq!(window(clip, &settings(Convention::D3d)), [150.0, 25.0, 0.5]);
        assert_eq!(window(clip, &settings(Convention::Vulkan)), [150.0, 75.0, 0.5]);
        assert!(window([1.0, 1.0, 1.0, -2.0], &settings(Convention::D3d))[0].is_nan());
        assert!(is_inside([0.0, 0.0, -1.0, 1.0], Convention::OpenGl));
        assert!(!is_inside([0.0, 0.0, -1.0, 1.0], Convention::D3d));
        assert!(!is_inside([1.5, 0.0, 0.5, 1.0], Convention::D3d) && !is_inside([f32::NAN; 4], Convention::D3d));
    }
}
