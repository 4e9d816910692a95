//! Puts mesh, weights, charts and expressions together into the primitives of the file.
//!
//! A vertex of the closed surface becomes several where charts or tangent frames meet; all copies keep the same
//! position, normal and influences, so the surface stays closed when it is welded by position.

use crate::{
    charts::{Chart, Material},
    morphs,
    weights::{INFLUENCES, Influences},
};
use bevy_mikktspace::{GenerateTangentSpaceError, Geometry, Ops, TangentSpace, generate_tangents};
use glam::{DVec2, DVec3};
use std::collections::HashMap;

/// The whole surface: every vertex once, before charts split it.
pub(crate) struct Surface {
    pub(crate) positions: Vec<DVec3>,
    pub(crate) normals: Vec<DVec3>,
    pub(crate) influences: Vec<Influences>,
    /// The part of the ambient light that arrives, at rest.
    pub(crate) occlusion: Vec<f64>,
    /// What each expression adds to that.
    pub(crate) occlusion_changes: [Vec<f64>; morphs::NAMES.len()],
    pub(crate) triangles: Vec<[u32; 3]>,
    /// From here on vertices belong to the eyeballs, which no expression moves.
    pub(crate) first_eye_vertex: usize,
}

/// The vertices that a morph target moves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Target {
    /// Ascending vertex indices.
    pub(crate) indices: Vec<u32>,
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) normals: Vec<[f32; 3]>,
    pub(crate) occlusion: Occlusion,
}

/// What a target adds to `_OCCLUSION`: light may change where nothing moves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Occlusion {
    /// Ascending vertex indices.
    pub(crate) indices: Vec<u32>,
    pub(crate) values: Vec<[f32; 1]>,
}

/// Everything of one material.
#[derive(Clone, Debug, Default)]
pub(crate) struct Primitive {
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) normals: Vec<[f32; 3]>,
    pub(crate) tangents: Vec<[f32; 4]>,
    pub(crate) texcoords: Vec<[f32; 2]>,
    pub(crate) joints: Vec<[u8; INFLUENCES]>,
    pub(crate) weights: Vec<[u16; INFLUENCES]>,
    pub(crate) occlusion: Vec<[f32; 1]>,
    pub(crate) targets: Vec<Target>,
    pub(crate) indices: Vec<u32>,
    /// The tangents of the corners of each of the surface's triangles, for whoever paints on them.
    pub(crate) corner_tangents: HashMap<u32, [[f32; 4]; 3]>,
}

/// A corner before tangents: the surface's vertex and its texture coordinates.
#[derive(Clone, Copy)]
struct Corner {
    vertex: u32,
    texcoord: [f32; 2],
}

/// Makes the primitive of `material`.
pub(crate) fn primitive(
    surface: &Surface,
    charts: &[Chart],
    material: Material,
) -> Result<Primitive, GenerateTangentSpaceError> {
    let mut faces: Vec<(u32, [Corner; 3])> = Vec::new();
    for chart in charts.iter().filter(|chart| chart.material == material) {
        for (&triangle, texcoords) in chart.triangles.iter().zip(&chart.corners) {
            let vertices = surface.triangles[triangle as usize];
            let corner = |i: usize| Corner { vertex: vertices[i], texcoord: texcoords[i].as_vec2().to_array() };
            faces.push((triangle, [corner(0), corner(1), corner(2)]));
        }
    }
    // The order of the surface, not of the charts: nearby triangles stay together.
    faces.sort_by_key(|face| face.0);
    let (numbers_of_faces, faces): (Vec<u32>, Vec<[Corner; 3]>) = faces.into_iter().unzip();
    let tangents = tangents(surface, &faces)?;
    let mut numbers: HashMap<(u32, [u32; 2], [u32; 4]), u32> = HashMap::new();
    let mut sources = Vec::new();
    let corner_tangents = numbers_of_faces.into_iter().zip(tangents.iter().copied()).collect();
    let mut primitive = Primitive { corner_tangents, ..Primitive::default() };
    for (corners, tangents) in faces.iter().zip(&tangents) {
        for (corner, tangent) in corners.iter().zip(tangents) {
            let key = (corner.vertex, corner.texcoord.map(f32::to_bits), tangent.map(f32::to_bits));
            let index = *numbers.entry(key).or_insert_with(|| {
                let vertex = corner.vertex as usize;
                sources.push(vertex);
                primitive.positions.push(surface.positions[vertex].as_vec3().to_array());
                primitive.normals.push(unit(surface.normals[vertex]));
                primitive.tangents.push(*tangent);
                primitive.texcoords.push(corner.texcoord);
                primitive.joints.push(surface.influences[vertex].joints);
                primitive.weights.push(surface.influences[vertex].weights);
                primitive.occlusion.push([surface.occlusion[vertex] as f32]);
                sources.len() as u32 - 1
            });
            primitive.indices.push(index);
        }
    }
    primitive.targets = (0..morphs::NAMES.len()).map(|target| morph(surface, &sources, target)).collect();
    Ok(primitive)
}

fn unit(direction: DVec3) -> [f32; 3] {
    direction.normalize().as_vec3().to_array()
}

fn morph(surface: &Surface, sources: &[usize], number: usize) -> Target {
    let mut target = Target::default();
    for (index, &vertex) in sources.iter().enumerate().filter(|&(_, &vertex)| vertex < surface.first_eye_vertex) {
        let (place, normal) = (surface.positions[vertex], surface.normals[vertex]);
        let moved = morphs::displacement(number, place);
        let turned = morphs::normal_change(number, place, normal);
        if moved.length() > 1e-6 || turned.length() > 1e-3 {
            target.indices.push(index as u32);
            target.positions.push(moved.as_vec3().to_array());
            target.normals.push(turned.as_vec3().to_array());
        }
    }
    for (index, &vertex) in sources.iter().enumerate() {
        let change = surface.occlusion_changes[number][vertex];
        // Less than a byte's step of white is not worth its place in the file.
        if change.abs() > 1.0 / 255.0 {
            target.occlusion.indices.push(index as u32);
            target.occlusion.values.push([change as f32]);
        }
    }
    target
}

/// Square roots and arc cosines that are the same on every machine.
struct PortableOps;

impl Ops for PortableOps {
    fn sqrt(x: f32) -> f32 {
        libm::sqrtf(x)
    }

    fn acos(x: f32) -> f32 {
        libm::acos(f64::from(x)) as f32
    }
}

struct Faces<'a> {
    surface: &'a Surface,
    corners: &'a [[Corner; 3]],
    tangents: Vec<[[f32; 4]; 3]>,
}

impl Geometry<PortableOps> for Faces<'_> {
    fn num_faces(&self) -> usize {
        self.corners.len()
    }

    fn num_vertices_of_face(&self, _face: usize) -> usize {
        3
    }

    fn position(&self, face: usize, vert: usize) -> [f32; 3] {
        self.surface.positions[self.corners[face][vert].vertex as usize].as_vec3().to_array()
    }

    fn normal(&self, face: usize, vert: usize) -> [f32; 3] {
        unit(self.surface.normals[self.corners[face][vert].vertex as usize])
    }

    fn tex_coord(&self, face: usize, vert: usize) -> [f32; 2] {
        self.corners[face][vert].texcoord
    }

    fn set_tangent(&mut self, tangent_space: Option<TangentSpace>, face: usize, vert: usize) {
        if let Some(space) = tangent_space {
            let [x, y, z, w] = space.tangent_encoded();
            // glTF's v points down, the other way than MikkTSpace's, so the handedness is the opposite.
            self.tangents[face][vert] = [x, y, z, -w];
        }
    }
}

/// A tangent for each corner (MikkTSpace).
fn tangents(surface: &Surface, corners: &[[Corner; 3]]) -> Result<Vec<[[f32; 4]; 3]>, GenerateTangentSpaceError> {
    let mut faces = Faces { surface, corners, tangents: vec![[[0.0; 4]; 3]; corners.len()] };
    generate_tangents(&mut faces)?;
    Ok(faces.tangents)
}

/// A triangle to paint on.
pub(crate) struct Facet {
    pub(crate) texcoords: [DVec2; 3],
    pub(crate) places: [DVec3; 3],
    pub(crate) normals: [DVec3; 3],
    pub(crate) tangents: [[f64; 4]; 3],
    /// The surface's number of the first corner.
    pub(crate) vertex: u32,
}

/// All triangles of a chart.
pub(crate) fn painted<'a>(
    surface: &'a Surface,
    chart: &'a Chart,
    primitive: &'a Primitive,
) -> impl Iterator<Item = Facet> + 'a {
    chart.triangles.iter().zip(&chart.corners).map(|(&triangle, &texcoords)| {
        let vertices = surface.triangles[triangle as usize];
        Facet {
            texcoords,
            places: vertices.map(|vertex| surface.positions[vertex as usize]),
            normals: vertices.map(|vertex| surface.normals[vertex as usize]),
            tangents: primitive.corner_tangents[&triangle].map(|tangent| tangent.map(f64::from)),
            vertex: vertices[0],
        }
    })
}
