//! Cuts the surface into charts and lays them out in two texture atlases.
//!
//! Limbs, fingers, neck, head and trunk are unrolled like labels off a bottle; their ends, the palms and the feet are
//! projected flat. Where a triangle leans too far away from its part's unrolling (under the nose, behind the ears), it
//! gets a flat chart of its own. Neighbouring charts never overlap, so a texture can be painted by place (see
//! `paint`) and seams do not show.

use crate::{
    body::{self, Body, Part, SLEEVE_ALONG},
    head,
    skeleton::{from_hand, hand_direction},
    surface::Mesh,
};
use glam::{DVec2, DVec3};
use std::collections::{BTreeMap, HashMap};

/// The mannequin's two materials, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Material {
    Skin,
    Suit,
}

/// A part of one side that is unrolled as one.
type Group = (Material, Part, bool);

/// How a triangle gets its texture coordinates: unrolled about its part's axis, or projected along ± one of the three
/// axes of the part's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mapping {
    Unrolled,
    Flat(usize, bool),
}

type Label = (Group, Mapping);

/// Triangles whose texture coordinates hang together.
pub(crate) struct Chart {
    pub(crate) material: Material,
    /// Indices into the mesh's triangles.
    pub(crate) triangles: Vec<u32>,
    /// Texture coordinates of each triangle's corners: first in metres, after packing in [0, 1].
    pub(crate) corners: Vec<[DVec2; 3]>,
    /// Texels a metre relative to other charts.
    pub(crate) density: f64,
}

/// A part's frame: an origin on its axis, the axis, and two directions across it; the seam is at −`front`.
struct Frame {
    origin: DVec3,
    axes: [DVec3; 3],
}

impl Frame {
    fn new(origin: DVec3, axis: DVec3, front: DVec3) -> Self {
        let front = (front - axis * front.dot(axis)).normalize();
        Self { origin, axes: [axis, axis.cross(front), front] }
    }

    fn mirrored(self) -> Self {
        let mirror = |v: DVec3| DVec3::new(-v.x, v.y, v.z);
        let [axis, lateral, front] = self.axes.map(mirror);
        // The mirrored lateral direction would make texture coordinates left-handed.
        Self { origin: mirror(self.origin), axes: [axis, -lateral, front] }
    }

    fn local(&self, point: DVec3) -> DVec3 {
        let offset = point - self.origin;
        DVec3::new(offset.dot(self.axes[0]), offset.dot(self.axes[1]), offset.dot(self.axes[2]))
    }

    fn angle(&self, point: DVec3) -> f64 {
        let local = self.local(point);
        libm::atan2(local.y, local.z)
    }

    /// The direction that a mapping looks along at a point: triangles that face it are stretched least.
    fn facing(&self, mapping: Mapping, point: DVec3) -> DVec3 {
        match mapping {
            Mapping::Unrolled => {
                let local = self.local(point);
                (self.axes[1] * local.y + self.axes[2] * local.z).normalize_or(self.axes[2])
            }
            Mapping::Flat(axis, positive) => self.axes[axis] * if positive { 1.0 } else { -1.0 },
        }
    }
}

/// The material at a place: bare skin above the collar and beyond the sleeves.
///
/// Triangles are sorted by their middles, so the border between the materials is ragged; but each texel of either
/// texture is painted by its own place, so the border that is seen is a clean line.
pub(crate) fn material(body: &Body, place: DVec3) -> Material {
    let p = body::fold(place);
    let bare = body::above_collar(p) > 0.0 || (p.x > 0.25 && body.arm.local(p).x > SLEEVE_ALONG);
    if bare { Material::Skin } else { Material::Suit }
}

fn frame_of(body: &Body, (_, part, left): Group) -> Frame {
    let frame = match part {
        Part::Trunk => Frame::new(DVec3::new(0.0, 1.2, 0.0), DVec3::Y, DVec3::Z),
        Part::Neck => Frame::new(body.neck.origin, body.neck.axis, DVec3::Z),
        Part::Head => Frame::new(head::CENTER + DVec3::new(0.0, 0.0, -0.004), DVec3::Y, DVec3::Z),
        Part::Arm => Frame::new(body.arm.origin, body.arm.axis, body.arm.lateral),
        Part::Palm => Frame::new(from_hand(DVec3::ZERO), body.arm.axis, hand_direction(DVec3::Z)),
        Part::Finger(index) => {
            let finger = body.hand.bones(index);
            let axis = hand_direction((finger.knuckles[3] - finger.knuckles[0]).normalize());
            let middle = (finger.knuckles[0] + finger.knuckles[1] + finger.knuckles[2] + finger.knuckles[3]) * 0.25;
            Frame::new(from_hand(middle), axis, hand_direction(body.hand.back_of(index)))
        }
        // The seam of the trousers is on the inside of the leg.
        Part::Leg => Frame::new(body.leg.origin, body.leg.axis, body.leg.lateral),
        Part::Foot => Frame::new(body.foot.origin, body.foot.axis, DVec3::Y),
    };
    if left { frame } else { frame.mirrored() }
}

fn density((_, part, _): Group) -> f64 {
    match part {
        Part::Head => 2.0,
        Part::Palm | Part::Finger(_) => 1.4,
        _ => 1.0,
    }
}

/// Cuts the mesh into charts with coordinates in metres.
pub(crate) fn cut(mesh: &Mesh, body: &Body) -> Vec<Chart> {
    let middles: Vec<DVec3> = mesh.triangles.iter().map(|&triangle| middle(mesh, triangle)).collect();
    let normals: Vec<DVec3> = mesh.triangles.iter().map(|&triangle| normal(mesh, triangle)).collect();
    let groups: Vec<Group> = middles
        .iter()
        .map(|&place| {
            let part = body.part(place);
            let left = matches!(part, Part::Trunk | Part::Neck | Part::Head) || place.x >= 0.0;
            (material(body, place), part, left)
        })
        .collect();
    let frames: BTreeMap<Group, Frame> = groups.iter().map(|&group| (group, frame_of(body, group))).collect();
    let fit = |triangle: usize, (group, mapping): Label| {
        normals[triangle].dot(frames[&group].facing(mapping, middles[triangle]))
    };
    let mut labels: Vec<Label> = (0..mesh.triangles.len())
        .map(|triangle| {
            (groups[triangle], choose(groups[triangle], |mapping| fit(triangle, (groups[triangle], mapping))))
        })
        .collect();
    let neighbours = triangle_neighbours(&mesh.triangles);
    smooth_labels(&mut labels, &neighbours, &fit);
    let charts = components(&labels, &neighbours).into_iter().map(|triangles| {
        let (group, mapping) = labels[triangles[0] as usize];
        let corners = unfold(mesh, &frames[&group], mapping, &triangles);
        Chart { material: group.0, corners, density: density(group), triangles }
    });
    charts.collect()
}

fn middle(mesh: &Mesh, triangle: [u32; 3]) -> DVec3 {
    triangle.map(|vertex| mesh.positions[vertex as usize]).into_iter().sum::<DVec3>() / 3.0
}

fn normal(mesh: &Mesh, triangle: [u32; 3]) -> DVec3 {
    let [a, b, c] = triangle.map(|vertex| mesh.positions[vertex as usize]);
    (b - a).cross(c - a).normalize_or(DVec3::Y)
}

/// Unrolled where that is not too steep, else the flat projection that faces the triangle most.
fn choose((_, part, _): Group, fit: impl Fn(Mapping) -> f64) -> Mapping {
    let boxy = matches!(part, Part::Palm | Part::Foot);
    if !boxy && fit(Mapping::Unrolled) > 0.55 {
        return Mapping::Unrolled;
    }
    let flat = (0..6).map(|index| Mapping::Flat(index / 2, index % 2 == 0));
    let start = (f64::NEG_INFINITY, Mapping::Unrolled);
    flat.fold(start, |best, mapping| {
        // Hands and feet read best as a back and a palm, a top and a sole.
        let favour = if boxy && matches!(mapping, Mapping::Flat(2, _)) { 0.25 } else { 0.0 };
        let value = fit(mapping) + favour;
        if value > best.0 { (value, mapping) } else { best }
    })
    .1
}

/// The triangles over each triangle's three edges.
fn triangle_neighbours(triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let mut by_edge: HashMap<[u32; 2], u32> = HashMap::new();
    let edges = |[a, b, c]: [u32; 3]| [[a, b], [b, c], [c, a]];
    for (index, &triangle) in triangles.iter().enumerate() {
        by_edge.extend(edges(triangle).map(|edge| (edge, index as u32)));
    }
    let across = |[a, b]: [u32; 2]| by_edge.get(&[b, a]).copied();
    triangles.iter().map(|&triangle| edges(triangle).into_iter().filter_map(across).collect()).collect()
}

/// Straightens borders and dissolves crumbs: a triangle takes a neighbour's mapping where most neighbours have it.
fn smooth_labels(labels: &mut [Label], neighbours: &[Vec<u32>], fit: &impl Fn(usize, Label) -> f64) {
    for _ in 0..8 {
        for triangle in 0..labels.len() {
            let near: Vec<Label> = neighbours[triangle].iter().map(|&other| labels[other as usize]).collect();
            let own = labels[triangle];
            let majority = near.iter().find(|&&label| near.iter().filter(|&&other| other == label).count() >= 2);
            if let Some(&label) = majority
                && label != own
                && label.0.0 == own.0.0
                && fit(triangle, label) > 0.30
            {
                labels[triangle] = label;
            }
        }
    }
    for _ in 0..3 {
        for crumb in components(labels, neighbours).into_iter().filter(|component| component.len() < 12) {
            let beside = crumb.iter().flat_map(|&triangle| neighbours[triangle as usize].iter().copied());
            let own = labels[crumb[0] as usize];
            let mut options: Vec<Label> =
                beside.map(|other| labels[other as usize]).filter(|&label| label != own).collect();
            options.sort_unstable();
            options.dedup();
            let worst = |label: Label| crumb.iter().map(|&triangle| fit(triangle as usize, label)).fold(1.0, f64::min);
            let best = options
                .into_iter()
                .filter(|label| label.0.0 == own.0.0)
                .map(|label| (worst(label), label))
                .fold((0.12, own), |best, next| if next.0 > best.0 { next } else { best });
            crumb.iter().for_each(|&triangle| labels[triangle as usize] = best.1);
        }
    }
}

/// Groups neighbouring triangles of one label, in ascending order of their first triangle.
fn components(labels: &[Label], neighbours: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut seen = vec![false; labels.len()];
    let mut found = Vec::new();
    for start in 0..labels.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut component = vec![start as u32];
        let mut next = 0;
        while next < component.len() {
            for &other in &neighbours[component[next] as usize] {
                if labels[other as usize] == labels[start] && !std::mem::replace(&mut seen[other as usize], true) {
                    component.push(other);
                }
            }
            next += 1;
        }
        found.push(component);
    }
    found
}

/// Texture coordinates in metres; u to the right and v down, seen from outside.
fn unfold(mesh: &Mesh, frame: &Frame, mapping: Mapping, triangles: &[u32]) -> Vec<[DVec2; 3]> {
    let corners =
        triangles.iter().map(|&triangle| mesh.triangles[triangle as usize].map(|v| mesh.positions[v as usize]));
    match mapping {
        Mapping::Flat(axis, positive) => {
            let sign = if positive { 1.0 } else { -1.0 };
            // The frame is left-handed in this order of its axes, hence the minus.
            let (right, up) = (-frame.axes[(axis + 1) % 3] * sign, frame.axes[(axis + 2) % 3]);
            corners.map(|corner| corner.map(|p| DVec2::new(p.dot(right), -p.dot(up)))).collect()
        }
        Mapping::Unrolled => {
            let corners: Vec<[DVec3; 3]> = corners.collect();
            let distances = corners.iter().flatten().map(|&p| frame.local(p).with_x(0.0).length());
            let radius = distances.sum::<f64>() / (3 * corners.len()) as f64;
            let unrolled = corners.iter().map(|corner| {
                let angles = corner.map(|p| frame.angle(p));
                // A triangle over the seam continues past half a turn, on the side where its middle is.
                let turn = std::f64::consts::TAU;
                let angles = angles.map(|angle| angle - ((angle - angles[0]) / turn).round() * turn);
                let shift = (angles.iter().sum::<f64>() / 3.0 / turn).round() * turn;
                std::array::from_fn(|i| DVec2::new((angles[i] - shift) * radius, -frame.local(corner[i]).x))
            });
            unrolled.collect()
        }
    }
}
