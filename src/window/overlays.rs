//! Overlays that egui draws over the picture: skeleton, joint axes and names, the chosen vertex.

use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Stroke};
use glam::{Mat4, Vec3};

use super::{
    compose::{pixel_map, shows_other},
    legend::color_bar,
    panels::ACCENT,
    projection::Projection,
    stage::Stage,
    state::{Comparison, State},
};
use refrast_scene::Scene;
use refrast_shading::{LightSource, Lighting};

const BONE: Color32 = Color32::from_rgb(0x6f, 0xd0, 0xff);
const LIGHT: Color32 = Color32::from_rgb(0xff, 0xe0, 0x70);
const AXES: [Color32; 3] =
    [Color32::from_rgb(0xff, 0x60, 0x60), Color32::from_rgb(0x70, 0xe0, 0x70), Color32::from_rgb(0x70, 0x90, 0xff)];

/// Draws what the state asks for.
pub(super) fn draw(painter: &Painter, projection: &Projection, stage: &Stage<'_>, state: &State) {
    let (scene, pose) = (stage.scene(), stage.pose());
    let joints = joints(scene);
    let place = |node: usize| pose.worlds[node].w_axis.truncate();
    let size = axis_length(scene, &joints, &pose.worlds);
    for &joint in &joints {
        let Some(at) = projection.point(place(joint)) else { continue };
        let chosen = state.joint == Some(joint);
        if state.overlays.skeleton {
            if let Some(parent) = parent_joint(scene, &joints, joint)
                && let Some(from) = projection.point(place(parent))
            {
                bone(painter, from, at, if state.joint == Some(parent) { ACCENT } else { BONE });
            }
            painter.circle_filled(at, if chosen { 4.0 } else { 2.5 }, if chosen { ACCENT } else { BONE });
        } else if chosen {
            painter.circle_stroke(at, 5.0, Stroke::new(1.5, ACCENT));
        }
        if state.overlays.axes || chosen {
            axes(painter, projection, &pose.worlds[joint], size);
        }
    }
    if state.overlays.light {
        light(painter, projection, stage);
    }
    if state.overlays.names {
        let named = joints.iter().filter_map(|&joint| Some((projection.point(place(joint))?, joint)));
        names(painter, scene, named.collect(), state.joint);
    }
}

/// The axes of the world in the upper right corner of an area, as the camera is turned.
pub(super) fn gizmo(painter: &Painter, area: Rect, view: &Mat4) {
    let length = (0.07 * area.width()).clamp(12.0, 28.0);
    let middle = area.right_top() + egui::vec2(-length - 20.0, length + 20.0);
    painter.circle_filled(middle, length + 14.0, Color32::from_black_alpha(110));
    let directions = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| view.transform_vector3(axis).normalize_or(Vec3::ZERO));
    let mut axes: Vec<(Vec3, Color32, &str)> =
        directions.into_iter().zip(AXES).zip(["x", "y", "z"]).map(|((to, color), name)| (to, color, name)).collect();
    // View space looks along -z: the nearest is drawn last.
    axes.sort_by(|a, b| a.0.z.total_cmp(&b.0.z));
    for (to, color, name) in axes {
        let end = middle + egui::vec2(to.x, -to.y) * length;
        painter.line_segment([middle, end], Stroke::new(2.0, color));
        painter.text(
            end + egui::vec2(to.x, -to.y) * 8.0,
            Align2::CENTER_CENTER,
            name,
            FontId::proportional(11.0),
            color,
        );
    }
}

/// Arrows along which the scene's light arrives at the middle of what is drawn, and rings where lamps are.
pub(super) fn light(painter: &Painter, projection: &Projection, stage: &Stage<'_>) {
    let Some(placed) = stage.placed() else { return };
    let camera = &placed.camera;
    let middle = stage.bounds().center().as_vec3();
    let far = stage.bounds().radius() as f32;
    let lighting = Lighting::new(stage.scene(), &stage.pose().worlds, camera.view, camera.projection);
    for light in &lighting.lights {
        let (from, to) = match light.source {
            LightSource::Directional { to_light } => {
                let to_light = Vec3::from(to_light);
                (middle + to_light * far, middle + to_light * (0.35 * far))
            }
            LightSource::Point { position, .. } => {
                let from = Vec3::from(position);
                (from, from + (middle - from) * 0.65)
            }
        };
        let (Some(from), Some(to)) = (projection.point(from), projection.point(to)) else { continue };
        let lamp = matches!(light.source, LightSource::Point { .. });
        if lamp {
            painter.circle_stroke(from, 6.0, Stroke::new(2.0, LIGHT));
        }
        painter.arrow(from, to - from, Stroke::new(2.0, LIGHT));
    }
}

/// Which picture is where while two are compared: those by two methods, or the reference's and a candidate's.
pub(super) fn comparison(
    painter: &Painter,
    area: Rect,
    state: &State,
    candidate: Option<(&str, Option<&str>)>,
    seconds: f64,
) {
    let method = state.method_name();
    let reference = format!("reference ({method})");
    let (own, other) = match candidate {
        None => (method.as_str(), state.other_method.name()),
        Some((name, None)) => (reference.as_str(), name),
        Some((name, Some(mistake))) => (mistake, name),
    };
    let label = |at: Pos2, align: Align2, text: &str| {
        let galley = painter.layout_no_wrap(text.to_owned(), FontId::proportional(13.0), Color32::from_gray(0xf0));
        let rect = align.anchor_size(at, galley.size());
        painter.rect_filled(rect.expand2(egui::vec2(5.0, 2.0)), 3.0, Color32::from_black_alpha(170));
        painter.galley(rect.min, galley, Color32::WHITE);
    };
    let top = area.top() + 8.0;
    match state.comparison {
        Comparison::Off if candidate.is_none() => {}
        Comparison::Off => label(Pos2::new(area.center().x, top), Align2::CENTER_TOP, own),
        Comparison::Other => label(Pos2::new(area.center().x, top), Align2::CENTER_TOP, other),
        Comparison::Split => {
            let line = area.left() + state.split * area.width();
            painter.vline(line, area.y_range(), Stroke::new(1.5, ACCENT));
            painter.circle_filled(Pos2::new(line, area.center().y), 6.0, ACCENT);
            label(Pos2::new(line - 10.0, top), Align2::RIGHT_TOP, own);
            label(Pos2::new(line + 10.0, top), Align2::LEFT_TOP, other);
        }
        Comparison::Blink => {
            let shown = if shows_other(seconds) { other } else { own };
            label(Pos2::new(area.center().x, top), Align2::CENTER_TOP, shown);
        }
        Comparison::Pixels => {
            label(Pos2::new(area.center().x, top), Align2::CENTER_TOP, &format!("{own} against {other}"));
            color_bar(painter, area, &pixel_map());
        }
    }
}

/// Marks the inspected pixel of a picture, where pixels are large enough to be told apart.
pub(super) fn pixel(painter: &Painter, picture: Rect, [width, height]: [u32; 2], [x, y]: [u32; 2]) {
    const LARGE: f32 = 3.0;
    let side = egui::vec2(picture.width() / width as f32, picture.height() / height as f32);
    if side.x >= LARGE {
        let corner = picture.min + egui::vec2(x as f32 * side.x, y as f32 * side.y);
        let frame = Rect::from_min_size(corner, side).expand(1.0);
        painter.rect_stroke(frame, 0.0, Stroke::new(1.0, Color32::BLACK), egui::StrokeKind::Inside);
        painter.rect_stroke(frame, 0.0, Stroke::new(1.5, Color32::WHITE), egui::StrokeKind::Outside);
    }
}

/// Marks the inspected vertex.
pub(super) fn vertex(painter: &Painter, at: Option<Pos2>) {
    if let Some(at) = at {
        painter.circle_filled(at, 2.5, ACCENT);
        painter.circle_stroke(at, 7.0, Stroke::new(1.5, ACCENT));
    }
}

/// The nodes that are a joint of some skin, each once.
fn joints(scene: &Scene) -> Vec<usize> {
    let mut joints: Vec<usize> = scene.skins.iter().flat_map(|skin| skin.joints.iter().copied()).collect();
    joints.sort_unstable();
    joints.dedup();
    joints
}

/// The nearest ancestor that is a joint.
fn parent_joint(scene: &Scene, joints: &[usize], joint: usize) -> Option<usize> {
    let parents = std::iter::successors(scene.nodes[joint].parent, |&node| scene.nodes[node].parent);
    parents.into_iter().find(|parent| joints.binary_search(parent).is_ok())
}

/// A quarter of the mean bone, so that axes of neighbours do not overlap.
fn axis_length(scene: &Scene, joints: &[usize], worlds: &[Mat4]) -> f32 {
    let bones = joints.iter().filter_map(|&joint| {
        let parent = parent_joint(scene, joints, joint)?;
        Some((worlds[joint].w_axis - worlds[parent].w_axis).truncate().length())
    });
    let (sum, count) = bones.fold((0.0, 0), |(sum, count), bone| (sum + bone, count + 1));
    if count == 0 { 0.1 } else { (sum / count as f32 * 0.4).max(1e-6) }
}

/// A thin spindle, thick at the parent's end.
fn bone(painter: &Painter, from: Pos2, to: Pos2, color: Color32) {
    let along = to - from;
    let length = along.length();
    if length < 1.0 {
        return;
    }
    let across = along.rot90() / length * (length * 0.08).clamp(1.0, 5.0);
    let knee = from + along * 0.18;
    for corner in [knee + across, knee - across] {
        painter.line_segment([from, corner], Stroke::new(1.0, color));
        painter.line_segment([corner, to], Stroke::new(1.0, color));
    }
}

fn axes(painter: &Painter, projection: &Projection, world: &Mat4, length: f32) {
    let origin = world.w_axis.truncate();
    let Some(from) = projection.point(origin) else { return };
    for (axis, color) in [world.x_axis, world.y_axis, world.z_axis].into_iter().zip(AXES) {
        let direction = axis.truncate().normalize_or(Vec3::ZERO);
        if let Some(to) = projection.point(origin + direction * length) {
            painter.line_segment([from, to], Stroke::new(1.5, color));
        }
    }
}

/// Names beside their joints; one that would cover an earlier one is left out, the chosen one never is.
fn names(painter: &Painter, scene: &Scene, mut joints: Vec<(Pos2, usize)>, chosen: Option<usize>) {
    joints.sort_by_key(|&(_, joint)| Some(joint) != chosen);
    let mut taken: Vec<egui::Rect> = Vec::new();
    for (at, joint) in joints {
        let unnamed = || format!("node {joint}");
        let name = scene.nodes[joint].name.clone().unwrap_or_else(unnamed);
        let color = if chosen == Some(joint) { ACCENT } else { Color32::from_gray(0xf0) };
        let galley = painter.layout_no_wrap(name, FontId::proportional(11.0), color);
        let rect = Align2::LEFT_CENTER.anchor_size(at + egui::vec2(6.0, 0.0), galley.size());
        if taken.iter().any(|other| other.intersects(rect)) || !painter.clip_rect().contains_rect(rect) {
            continue;
        }
        painter.rect_filled(rect.expand2(egui::vec2(2.0, 0.0)), 2.0, Color32::from_black_alpha(150));
        painter.galley(rect.min, galley, color);
        taken.push(rect);
    }
}
