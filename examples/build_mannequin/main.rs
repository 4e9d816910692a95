//! Builds the built-in character: `cargo run --release --example build_mannequin [FILE]`.
//!
//! refrast needs a character that it may ship: one that is skinned the way real ones are, has every attribute that the
//! renderer reads, and belongs to nobody else. So it is made by a program: a solid is modelled as a signed field
//! (`shapes`, `head`, `hand`, `body`), its surface is taken (`surface`, `remesh`), bound to a skeleton (`skeleton`,
//! `weights`), cut into charts and painted (`charts`, `atlas`; what is where: `details`, `colors`, `relief`, `finish`;
//! `maps`, `paint`), shaded (`occlusion`), given expressions and clips (`morphs`, `pose`, `clips`), and written as a
//! standard .glb (`figure`, `glb`, `document`).
//!
//! The same bytes come out on every machine: f64 arithmetic with `libm`, no order that depends on threads or hashes.
//! The file is checked in and embedded in the binary; this program is run when the character is to change.

mod atlas;
mod body;
mod charts;
mod clips;
mod colors;
mod details;
mod document;
mod eyes;
mod figure;
mod finish;
mod glb;
mod hand;
mod head;
mod maps;
mod morphs;
mod noise;
mod occlusion;
mod paint;
mod pose;
mod relief;
mod remesh;
mod shapes;
mod skeleton;
mod surface;
mod weights;

use crate::{
    body::Body,
    charts::{Chart, Material},
    eyes::Eyeball,
    figure::{Primitive, Surface},
    maps::{Maps, Painter},
    occlusion::Obstacles,
    skeleton::{Side, Skeleton},
    surface::Mesh,
};
use glam::DVec3;
use std::{error::Error, path::PathBuf};

/// Edge length of the cubes that the surface is taken with: half the finest detail.
const CELL: f64 = 0.002;
/// A place inside the figure, below its crown.
const INSIDE: DVec3 = DVec3::new(0.0, 1.2, 0.0);
/// Rounds of coarsening.
const ROUNDS: usize = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/scene/mannequin.glb");
    let path = std::env::args_os().nth(1).map_or(default, PathBuf::from);
    let body = Body::new();
    let skeleton = Skeleton::new();
    let mesh = skin_mesh(&body)?;
    let eyes = Side::BOTH.map(Eyeball::new);
    let mut charts = charts::cut(&mesh, &body);
    let surface = assemble(&mesh, &body, &skeleton, &eyes, &mut charts);
    eprintln!(
        "{} triangles, {} vertices before seams, {} charts",
        surface.triangles.len(),
        surface.positions.len(),
        charts.len()
    );
    let painter = Painter { surface: &surface, body: &body, eyes: &eyes };
    let mut dress = |material| -> Result<(Primitive, Maps), Box<dyn Error>> {
        let scale = atlas::pack(&mut charts, material);
        let primitive = figure::primitive(&surface, &charts, material)?;
        let own: Vec<&Chart> = charts.iter().filter(|chart| chart.material == material).collect();
        let maps = painter.paint(&own, &primitive, scale)?;
        Ok((primitive, maps))
    };
    let ((skin, skin_maps), (suit, suit_maps)) = (dress(Material::Skin)?, dress(Material::Suit)?);
    let (primitives, maps) = ([skin, suit], [skin_maps, suit_maps]);
    let clips = clips::clips(&skeleton);
    let contents = document::Contents { skeleton: &skeleton, primitives: &primitives, maps: &maps, clips: &clips };
    let file = document::write(&contents);
    std::fs::write(&path, &file).map_err(|error| format!("{}: cannot be written: {error}", path.display()))?;
    eprintln!("wrote {} ({} bytes)", path.display(), file.len());
    Ok(())
}

/// The body's surface: closed, with triangles as large as the detail allows.
fn skin_mesh(body: &Body) -> Result<Mesh, String> {
    let fine = surface::extract(&|point| body.field(point), INSIDE, CELL);
    let target = remesh::Target {
        edge_length: &body::edge_length,
        project: &|point| body.project(point),
        normal: &|point| body.normal(point),
    };
    let mesh = remesh::remesh(fine, &target, ROUNDS);
    match surface::open_edge(&mesh.triangles) {
        None => Ok(mesh),
        Some([from, to]) => Err(format!("the surface is not closed at the edge from vertex {from} to {to}")),
    }
}

/// Joins body and eyeballs, and adds the eyeballs' charts.
fn assemble(mesh: &Mesh, body: &Body, skeleton: &Skeleton, eyes: &[Eyeball; 2], charts: &mut Vec<Chart>) -> Surface {
    let mut surface = Surface {
        positions: mesh.positions.clone(),
        normals: mesh.positions.iter().map(|&position| body.normal(position)).collect(),
        influences: weights::bind(mesh, body, skeleton),
        occlusion: Vec::new(),
        occlusion_changes: Default::default(),
        triangles: mesh.triangles.clone(),
        first_eye_vertex: mesh.positions.len(),
    };
    for eye in eyes {
        charts.extend(eye.charts(surface.triangles.len() as u32));
        let first = surface.positions.len() as u32;
        surface.triangles.extend(eye.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + first)));
        surface.normals.extend(eye.positions.iter().map(|&position| (position - eye.center).normalize()));
        surface.positions.extend(&eye.positions);
        let joint = skeleton.find_on(eye.side, "eye");
        surface.influences.resize(surface.positions.len(), weights::rigid(joint));
    }
    shade(&mut surface);
    surface
}

/// Adds how much light arrives at each vertex, at rest and in each expression.
fn shade(surface: &mut Surface) {
    let openness = |positions: &[DVec3], normals: &[DVec3], is_asked: &dyn Fn(usize) -> bool| -> Vec<Option<f64>> {
        let obstacles = Obstacles::new(positions, &surface.triangles);
        let vertices = positions.iter().zip(normals).enumerate();
        vertices.map(|(vertex, (&p, &n))| is_asked(vertex).then(|| obstacles.openness(p, n))).collect()
    };
    let rest: Vec<f64> =
        openness(&surface.positions, &surface.normals, &|_| true).into_iter().map(Option::unwrap_or_default).collect();
    let changes = std::array::from_fn(|target| {
        let is_skin = |vertex: usize| vertex < surface.first_eye_vertex;
        let vertices = || surface.positions.iter().copied().zip(surface.normals.iter().copied()).enumerate();
        let positions: Vec<DVec3> = vertices()
            .map(|(vertex, (p, _))| if is_skin(vertex) { p + morphs::displacement(target, p) } else { p })
            .collect();
        let normals: Vec<DVec3> = vertices()
            .map(|(vertex, (p, n))| if is_skin(vertex) { n + morphs::normal_change(target, p, n) } else { n })
            .collect();
        // Expressions stay on the head, and their shade near it.
        let found = openness(&positions, &normals, &|vertex| surface.positions[vertex].y > 1.5);
        found.into_iter().zip(&rest).map(|(open, rest)| open.map_or(0.0, |open| open - rest)).collect()
    });
    surface.occlusion = rest;
    surface.occlusion_changes = changes;
}
