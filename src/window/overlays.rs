//! Overlays that egui draws over the picture: skeleton, joint axes and names, the chosen vertex.

use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Stroke};
use glam::{Mat4, Vec3};

use super::{
    compose::{pixel_map, shows_other},
    heat::{HeatMap, color},
    panels::ACCENT,
    projection::Projection,
    stage::Stage,
    state::{Comparison, State},
};
use crate::scene::Scene;

const BONE: Color32 = Color32::from_rgb(0x6f, 0xd0, 0xff);
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
    if state.overlays.names {
        let named = joints.iter().filter_map(|&joint| Some((projection.point(place(joint))?, joint)));
        names(painter, scene, named.collect(), state.joint);
    }
}

/// What the colours of a heat map stand for, in the lower left of the picture.
pub(super) fn color_bar(painter: &Painter, area: Rect, map: &HeatMap) {
    const STEPS: usize = 64;
    let left = area.left_bottom() + egui::vec2(12.0, -30.0);
    let size = egui::vec2((area.width() - 24.0).min(256.0), 10.0);
    let font = FontId::proportional(12.0);
    let white = Color32::from_gray(0xf0);
    let title = painter.layout_no_wrap(map.title.clone(), font.clone(), white);
    let back = egui::vec2(title.size().x.max(size.x) + 14.0, 50.0);
    painter.rect_filled(Rect::from_min_size(left - egui::vec2(7.0, 22.0), back), 3.0, Color32::from_black_alpha(170));
    painter.galley(left - egui::vec2(0.0, 18.0), title, white);
    for step in 0..STEPS {
        let place = |step: usize| left.x + size.x * step as f32 / STEPS as f32;
        let [red, green, blue] = color((step as f32 + 0.5) / STEPS as f32);
        let cell = Rect::from_min_max(Pos2::new(place(step), left.y), Pos2::new(place(step + 1), left.y + size.y));
        painter.rect_filled(cell, 0.0, Color32::from_rgb(red, green, blue));
    }
    for (part, align) in [(0.0, Align2::LEFT_TOP), (0.5, Align2::CENTER_TOP), (1.0, Align2::RIGHT_TOP)] {
        let [low, high] = map.range;
        let at = left + egui::vec2(size.x * part, size.y + 1.0);
        painter.text(at, align, number(low + (high - low) * part), font.clone(), white);
    }
}

/// Which method is where while two are compared.
pub(super) fn comparison(painter: &Painter, area: Rect, state: &State, seconds: f64) {
    let method = state.method_name();
    let (own, other) = (method.as_str(), state.other_method.name());
    let label = |at: Pos2, align: Align2, text: &str| {
        let galley = painter.layout_no_wrap(text.to_owned(), FontId::proportional(13.0), Color32::from_gray(0xf0));
        let rect = align.anchor_size(at, galley.size());
        painter.rect_filled(rect.expand2(egui::vec2(5.0, 2.0)), 3.0, Color32::from_black_alpha(170));
        painter.galley(rect.min, galley, Color32::WHITE);
    };
    let top = area.top() + 8.0;
    match state.comparison {
        Comparison::Off => {}
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

/// A number in few letters.
fn number(value: f32) -> String {
    if value == 0.0 || (0.01..10_000.0).contains(&value.abs()) { format!("{value:.3}") } else { format!("{value:.2e}") }
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
