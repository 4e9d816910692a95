//! Builds the built-in character: `cargo run --release --example build_mannequin [FILE]`.
//!
//! refrast needs a character that it may ship: one that is skinned the way real ones are, has every attribute that the
//! renderer reads, and belongs to nobody else. So it is made by a program: a solid is modelled as a signed field
//! (`shapes`, `head`, `hand`, `body`), its surface is taken (`surface`, `remesh`), bound to a skeleton (`skeleton`,
//! `weights`), cut into charts and painted (`charts`, `atlas`, `colors`, `paint`), given expressions and clips
//! (`morphs`, `pose`, `clips`), and written as a standard .glb (`figure`, `glb`, `document`).
//!
//! The same bytes come out on every machine: f64 arithmetic with `libm`, no order that depends on threads or hashes.
//! The file is checked in and embedded in the binary; this program is run when the character is to change.

mod atlas;
mod body;
mod charts;
mod clips;
mod colors;
mod document;
mod eyes;
mod figure;
mod glb;
mod hand;
mod head;
mod morphs;
mod paint;
mod pose;
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
    paint::Picture,
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
    let mut textures = [Vec::new(), Vec::new()];
    for (texture, material) in textures.iter_mut().zip([Material::Skin, Material::Suit]) {
        let scale = atlas::pack(&mut charts, material);
        *texture = paint_atlas(&surface, &body, &eyes, &charts, material, scale)?;
    }
    let primitive = |material| figure::primitive(&surface, &charts, material);
    let primitives: [Primitive; 2] = [primitive(Material::Skin)?, primitive(Material::Suit)?];
    let clips = clips::clips(&skeleton);
    let contents =
        document::Contents { skeleton: &skeleton, primitives: &primitives, textures: &textures, clips: &clips };
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
    surface
}

/// Paints one material's texture and returns it as a PNG file.
fn paint_atlas(
    surface: &Surface,
    body: &Body,
    eyes: &[Eyeball; 2],
    charts: &[Chart],
    material: Material,
    scale: f64,
) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut picture = Picture::new();
    for chart in charts.iter().filter(|chart| chart.material == material) {
        for (texcoords, places, vertex) in figure::painted(surface, chart) {
            let eye = eyes.iter().find(|eye| (places[0] - eye.center).length() < head::EYE_RADIUS * 1.001);
            let eye = eye.filter(|_| vertex as usize >= surface.first_eye_vertex);
            picture.triangle(texcoords, |share| {
                let place = places[0] * share.x + places[1] * share.y + places[2] * share.z;
                match eye {
                    Some(eye) => colors::eyeball((place - eye.center).normalize()),
                    None => colors::color(body, place),
                }
            });
        }
    }
    eprintln!("{material:?}: {scale:.0} texels a metre, {:.0} % of the texture used", picture.coverage() * 100.0);
    picture.fill_gaps();
    Ok(picture.png()?)
}
