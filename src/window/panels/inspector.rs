//! The inspector: every number that made the clicked vertex and pixel.

use egui::{CollapsingHeader, Color32, FontFamily, FontId, Grid, RichText, Ui};
use glam::Mat4;

use super::style::ACCENT;
use crate::{
    candidate::PixelVerdict,
    command_line::node_name,
    inspection::{Attribute, InfluenceView, PixelView, VertexView},
    state::State,
    subject::{VertexChoice, is_picture},
};
use refrast_scene::Scene;

/// Small enough for a name and four numbers in a row.
const NUMBERS: FontId = FontId::new(11.0, FontFamily::Monospace);
/// Letters of a joint's name in a row of numbers, the least and the most; the hint has all.
const NAMES: [f32; 2] = [6.0, 15.0];
/// Points: what is narrower has a digit less in the rows of joints.
const NARROW: f32 = 290.0;
/// Points of a letter, of a digit, and of what stands between them in a row of joints.
const LETTER: f32 = 6.8;
const DIGIT: f32 = 6.63;
const GAPS: f32 = 46.0;
/// More than a correct backend may be off.
const OUTSIDE: Color32 = Color32::from_rgb(0xff, 0x70, 0x60);

/// The panel on the right.
pub(crate) fn inspector(
    ui: &mut Ui,
    state: &mut State,
    scene: &Scene,
    pose: &refrast_animation::Pose,
    vertex: Option<&VertexView>,
    pixel: Option<&PixelView>,
) {
    if vertex.is_none() && pixel.is_none() {
        nothing(ui, state, scene);
    }
    if let Some(vertex) = vertex {
        if state.active_program().is_some() {
            weak(
                ui,
                &format!("Numbers of {} skinning; those of the program are in its registers (Shift R).", state.method),
            );
        }
        self::vertex(ui, state, vertex);
        ui.separator();
        chain(ui, state, scene, pose, vertex);
    }
    if let Some(pixel) = pixel {
        if vertex.is_some() {
            ui.separator();
        }
        self::pixel(ui, state, scene, pixel);
    }
}

/// What is in the scene, and how to go on.
fn nothing(ui: &mut Ui, state: &State, scene: &Scene) {
    heading(ui, scene.source.file.clone());
    let meshes = scene.drawn.iter().filter_map(|&node| scene.nodes[node].mesh);
    let primitives = meshes.flat_map(|mesh| &scene.meshes[mesh].primitives);
    let (vertices, indices) = primitives.fold((0, 0), |(vertices, indices), primitive| {
        (vertices + primitive.positions.len(), indices + primitive.indices.len())
    });
    let joints: usize = scene.skins.iter().map(|skin| skin.joints.len()).sum();
    weak(ui, &format!("{vertices} vertices, {} triangles, {joints} joints", indices / 3));
    ui.add_space(8.0);
    ui.label("Click the surface to see what made a vertex and a pixel: joints, weights, matrices, exact values.");
    if state.candidate.as_deref().is_some_and(is_picture) {
        ui.label("Drag to move the picture, wheel to magnify it, F to see all of it.");
        ui.label("1 goes to the pixel that is farthest outside, then to the next; 2 flips candidate and reference; 3 asks which mistake \
                  explains it.");
    } else {
        ui.label("Drag to turn, right drag to shift, wheel to come nearer, F to see all.");
        if state.candidate.is_some() {
            ui.label("1 goes to the vertex that is farthest out of bounds, then to the next.");
        }
    }
}

fn heading(ui: &mut Ui, text: impl Into<String>) {
    ui.label(RichText::new(text).strong());
}

fn number(ui: &mut Ui, text: impl Into<String>) {
    ui.label(RichText::new(text).font(NUMBERS));
}

fn weak(ui: &mut Ui, text: &str) {
    ui.label(RichText::new(text).weak());
}

fn vertex(ui: &mut Ui, state: &mut State, view: &VertexView) {
    ui.label(RichText::new(format!("Vertex {}", view.file_vertex)).heading().color(ACCENT));
    weak(ui, &format!("node {} ({}), primitive {}", view.choice.node, view.node_name, view.choice.primitive));
    if let Some(error) = &view.error {
        ui.colored_label(OUTSIDE, error);
    }
    ui.add_space(4.0);
    heading(ui, "Position in metres");
    attribute(ui, "position", &view.position);
    if let Some(candidate) = view.candidate {
        self::candidate(ui, view, candidate);
    }
    ui.add_space(4.0);
    if view.influences.is_empty() {
        weak(ui, "placed by its node, not by a skin");
    } else {
        influences(ui, state, view);
    }
    if let Some(normal) = &view.normal {
        CollapsingHeader::new("Normal").default_open(false).show_unindented(ui, |ui| attribute(ui, "normal", normal));
    }
    if let Some(tangent) = &view.tangent {
        CollapsingHeader::new("Tangent")
            .default_open(false)
            .show_unindented(ui, |ui| attribute(ui, "tangent", tangent));
    }
    if let Some([u, v]) = view.texcoord {
        weak(ui, &format!("texture coordinates {u:.5}, {v:.5}"));
    }
}

/// A number with its sign, and as many digits behind the point as there is room for.
fn nine_letters(number: f64) -> String {
    let digits = match number.abs() {
        size if size < 10.0 => 6,
        size if size < 100.0 => 5,
        size if size < 1000.0 => 4,
        _ => 3,
    };
    format!("{number:>+9.digits$}")
}

/// Rest, f32, exact, error and bound of an attribute, a column a component.
fn attribute<const N: usize>(ui: &mut Ui, id: &str, attribute: &Attribute<N>) {
    let (error, ratio) = (attribute.error(), attribute.ratio());
    Grid::new(id).num_columns(N + 1).spacing([5.0, 1.0]).show(ui, |ui| {
        let mut row = |name: &str, hint: &str, cells: [(String, Option<Color32>); N]| {
            ui.label(RichText::new(name).weak()).on_hover_text(hint);
            for (text, color) in cells {
                let text = RichText::new(text).font(NUMBERS);
                ui.label(color.map_or(text.clone(), |color| text.color(color)));
            }
            ui.end_row();
        };
        let index: [usize; N] = std::array::from_fn(|i| i);
        let names = ["x", "y", "z", "w"];
        row("", "", index.map(|i| (format!("{:>9}", names[i]), None)));
        row(
            "rest",
            "as the file has it, in mesh space",
            index.map(|i| (nine_letters(f64::from(attribute.rest[i])), None)),
        );
        row(
            "f32",
            "as the picture uses it, in world space",
            index.map(|i| (nine_letters(f64::from(attribute.posed[i])), None)),
        );
        row("exact", "in f64, in world space", index.map(|i| (nine_letters(attribute.exact[i]), None)));
        row("error", "the distance of f32 from exact", index.map(|i| (format!("{:>9.2e}", error[i]), None)));
        row(
            "bound",
            "what a correct backend may be off",
            index.map(|i| (format!("{:>9.2e}", attribute.bound[i]), None)),
        );
        row(
            "÷ bound",
            "error ÷ bound: up to 1 is right",
            index.map(|i| (format!("{:>9.4}", ratio[i]), (ratio[i] > 1.0).then_some(OUTSIDE))),
        );
    });
}

/// How many triangles that may be seen in a pixel are listed.
const MOST_CAUSES: usize = 6;
/// How many explanations are shown, and at most where they are equally good.
const EXPLANATIONS: usize = 3;
const MOST_EXPLANATIONS: usize = 8;
/// Explanations that leave no more than so many times the least are as good as the first.
const EQUAL_PART: f64 = 1.01;

/// Where the candidate has the vertex, and what would explain that.
fn candidate(ui: &mut Ui, view: &VertexView, candidate: [f64; 3]) {
    let ratios = view.position.judge(candidate);
    heading(ui, "Candidate");
    Grid::new("candidate").num_columns(4).spacing([5.0, 1.0]).show(ui, |ui| {
        weak(ui, "position");
        candidate.iter().for_each(|number| self::number(ui, nine_letters(*number)));
        ui.end_row();
        weak(ui, "÷ bound");
        for ratio in ratios {
            let text = RichText::new(format!("{ratio:>9.3e}")).font(NUMBERS);
            ui.label(if ratio > 1.0 { text.color(OUTSIDE) } else { text });
        }
        ui.end_row();
    });
    if view.explanations.is_empty() {
        weak(ui, "within the bound of a correct backend");
        return;
    }
    let nearest = view.explanations.first().map_or(0.0, |explanation| explanation.left);
    // What two explanations leave differs by rounding where the joints they name move the vertex alike.
    let is_equal = |left: f64| left <= nearest * EQUAL_PART + view.position.bound.iter().copied().fold(0.0, f64::max);
    let equals = view.explanations.iter().filter(|explanation| is_equal(explanation.left)).count();
    ui.label("Nearest explanations, and what they leave in metres:");
    if equals > 1 {
        weak(ui, &format!("the first {equals} explain it equally well"));
    }
    for explanation in view.explanations.iter().take(equals.clamp(EXPLANATIONS, MOST_EXPLANATIONS)) {
        let text = RichText::new(format!("{:.1e}  {}", explanation.left, explanation.text));
        ui.label(if is_equal(explanation.left) { text.color(ACCENT) } else { text });
    }
}

/// A row a joint; a click chooses it.
fn influences(ui: &mut Ui, state: &mut State, view: &VertexView) {
    heading(ui, "Joints: weight · matrix · v");
    let width = ui.available_width();
    let digits = if width < NARROW { 3 } else { 4 };
    // A weight, and three numbers with their signs.
    let row = (4 * (digits + 2) + 3) as f32 * DIGIT + GAPS;
    let [least, most] = NAMES;
    let letters = ((width - row) / LETTER).clamp(least, most) as usize;
    Grid::new("influences").num_columns(5).spacing([5.0, 1.0]).show(ui, |ui| {
        for text in ["joint", "weight", "x", "y", "z"] {
            weak(ui, text);
        }
        ui.end_row();
        for influence in &view.influences {
            joint_name(ui, state, influence, letters);
            number(ui, format!("{:.digits$}", influence.weight));
            influence.contribution.iter().for_each(|part| number(ui, format!("{part:+.digits$}")));
            ui.end_row();
        }
        let sum = |axis: usize| view.influences.iter().map(|influence| influence.contribution[axis]).sum::<f32>();
        weak(ui, "sum");
        let weights: f32 = view.influences.iter().map(|influence| influence.weight).sum();
        number(ui, format!("{weights:.digits$}"));
        (0..3).for_each(|axis| number(ui, format!("{:+.digits$}", sum(axis))));
        ui.end_row();
    });
    if view.steps.is_empty() {
        weak(ui, "the sum is the position, but for rounding");
    } else {
        weak(ui, &format!("{} does not add them up:", state.method));
        Grid::new("steps").num_columns(2).spacing([5.0, 1.0]).show(ui, |ui| {
            for step in &view.steps {
                weak(ui, step.name);
                if width < NARROW {
                    ui.end_row();
                }
                let numbers: Vec<String> = step.numbers.iter().map(|number| format!("{number:+.4}")).collect();
                number(ui, numbers.join(" "));
                ui.end_row();
            }
        });
    }
    let [x, y, z] = view.morphed;
    weak(ui, &format!("v = {x:+.5}, {y:+.5}, {z:+.5} after morph targets"));
    CollapsingHeader::new("Matrices (world · inverse bind)").show_unindented(ui, |ui| {
        for influence in &view.influences {
            weak(ui, &format!("joint {}, {}", influence.joint, influence.name));
            matrix(ui, &influence.matrix);
        }
    });
}

fn joint_name(ui: &mut Ui, state: &mut State, influence: &InfluenceView, letters: usize) {
    let chosen = state.joint == Some(influence.node);
    let InfluenceView { joint, node, name, .. } = influence;
    let hint = format!("{name}: joint {joint}, node {node}; click to choose it");
    if ui.selectable_label(chosen, shortened(name, letters)).on_hover_text(hint).clicked() {
        state.joint = if chosen { None } else { Some(influence.node) };
    }
}

/// A name in at most so many letters, and a sign for what is left out. Both ends stay: neighbours are often told apart by the last
/// letters alone.
fn shortened(name: &str, letters: usize) -> String {
    let count = name.chars().count();
    if count <= letters {
        return name.to_owned();
    }
    let (first, last) = (letters.div_ceil(2), letters / 2);
    name.chars().take(first).chain(['…']).chain(name.chars().skip(count - last)).collect()
}

fn matrix(ui: &mut Ui, matrix: &Mat4) {
    for row in 0..3 {
        let numbers = matrix.row(row).to_array().map(|number| format!("{number:>+9.5}"));
        ui.label(RichText::new(numbers.join(" ")).font(NUMBERS));
    }
}

/// From the chosen joint (or the heaviest one of the vertex) up to the root.
fn chain(ui: &mut Ui, state: &mut State, scene: &Scene, pose: &refrast_animation::Pose, view: &VertexView) {
    let heaviest = view.influences.first().map_or(view.choice.node, |influence| influence.node);
    let start = state.joint.unwrap_or(heaviest);
    let title = format!("Chain of {}", node_name(scene, start));
    CollapsingHeader::new(title).id_salt("chain").show_unindented(ui, |ui| {
        let parents = std::iter::successors(Some(start), |&node| scene.nodes[node].parent);
        for node in parents {
            let at = pose.worlds[node].w_axis;
            CollapsingHeader::new(format!("{} at {:.3}, {:.3}, {:.3}", node_name(scene, node), at.x, at.y, at.z))
                .id_salt(node)
                .show(ui, |ui| {
                    weak(ui, "local");
                    matrix(ui, &pose.locals[node]);
                    weak(ui, "world");
                    matrix(ui, &pose.worlds[node]);
                });
        }
    });
}

fn pixel(ui: &mut Ui, state: &mut State, scene: &Scene, view: &PixelView) {
    let [x, y] = view.at;
    heading(ui, format!("Pixel {x}, {y}"));
    let [red, green, blue, alpha] = view.color;
    number(ui, format!("bytes {red} {green} {blue} {alpha}"));
    if let Some(verdict) = &view.verdict {
        self::verdict(ui, scene, verdict);
    }
    let Some(hit) = view.hits.first() else {
        weak(ui, "no triangle covers its sample");
        return;
    };
    let side = if hit.front { "front" } else { "back" };
    number(ui, format!("triangle {} of primitive {}, {side}", hit.triangle, hit.primitive));
    number(ui, format!("depth {:.8}, {} deep", hit.depth, view.hits.len()));
    Grid::new("corners").spacing([5.0, 1.0]).show(ui, |ui| {
        for (vertex, weight) in hit.vertices.into_iter().zip(hit.barycentrics) {
            let choice = VertexChoice { node: hit.node, primitive: hit.primitive, vertex };
            let chosen = state.selected == Some(choice);
            if ui.selectable_label(chosen, format!("vertex {vertex}")).on_hover_text("click to inspect").clicked() {
                state.selected = Some(choice);
            }
            number(ui, format!("{weight:.6}"));
            ui.end_row();
        }
    });
    if let Some(section) = view.section {
        number(ui, format!("palette section {section}"));
    }
    if let Some([u, v]) = view.texcoord {
        number(ui, format!("uv {u:.6}, {v:.6}"));
    }
    if let Some(([column, row], [red, green, blue, alpha])) = view.texel {
        number(ui, format!("texel {column}, {row}: {red} {green} {blue} {alpha}"));
    }
}

/// What the envelope says of a candidate's pixel.
fn verdict(ui: &mut Ui, scene: &Scene, verdict: &PixelVerdict) {
    let [red, green, blue, alpha] = verdict.color;
    let text = RichText::new(match verdict.class.is_wrong() {
        true => format!("{}, {} steps from the nearest box", verdict.class.name(), verdict.distance),
        false => verdict.class.name().to_owned(),
    });
    Grid::new("verdict").num_columns(2).spacing([5.0, 1.0]).show(ui, |ui| {
        weak(ui, "candidate");
        number(ui, format!("{red:>3}     {green:>3}     {blue:>3}     {alpha:>3}"));
        ui.end_row();
        weak(ui, "is");
        ui.label(if verdict.class.is_wrong() { text.color(OUTSIDE) } else { text });
        ui.end_row();
        for (place, one) in verdict.boxes.iter().enumerate() {
            weak(ui, if place == 0 { "right is" } else { "or" });
            let channels = one.low.iter().zip(one.high).map(|(low, high)| match *low == high {
                true => format!("{low:>3}    "),
                false => format!("{low:>3}-{high:<3}"),
            });
            let channels: Vec<String> = channels.collect();
            let loose = if one.loose { " (loose)" } else { "" };
            number(ui, format!("{}{loose}", channels.join(" ")));
            ui.end_row();
        }
        for (place, cause) in verdict.causes.iter().enumerate().take(MOST_CAUSES) {
            weak(ui, if place == 0 { "seen may be" } else { "" });
            number(ui, format!("triangle {} of draw {}: {}", cause.primitive, cause.draw, cause.kind.name()));
            ui.end_row();
        }
    });
    if verdict.causes.len() > MOST_CAUSES {
        weak(ui, &format!("and {} more", verdict.causes.len() - MOST_CAUSES));
    }
    if verdict.causes.is_empty() && !scene.drawn.is_empty() {
        weak(ui, "only the background may be seen here");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_fit_into_their_columns() {
        let numbers = [0.5, -9.25, 12.125, -123.5, 4096.0, 123_456.0].map(nine_letters);
        assert_eq!(numbers, ["+0.500000", "-9.250000", "+12.12500", "-123.5000", "+4096.000", "+123456.000"]);
        assert_eq!(shortened("neck_1", 6), "neck_1");
        assert_eq!(shortened("clavicle_right", 7), "clav…ght");
        // Letters, not bytes.
        assert_eq!(shortened("Schlüsselbein", 6), "Sch…ein");
    }
}
