//! The built-in character, so that the first command works without any file, and a stage for it.

use std::f32::consts::TAU;

use glam::{Quat, Vec3};

use super::{Light, LightKind, Material, Mesh, Node, Primitive, Scene, SceneError, Transform};

/// Made by `cargo run --release --example build_mannequin`; CC0.
const MANNEQUIN: &[u8] = include_bytes!("mannequin.glb");

/// Radius of the ground, and how thick it is, in metres.
const RADIUS: f32 = 1.4;
const THICKNESS: f32 = 0.05;
/// Corners of its edge.
const CORNERS: u32 = 96;
/// From a surface to the sun, before it is normalised: from the front on the character's right, high enough that the whole
/// shadow is on the ground.
const TO_SUN: Vec3 = Vec3::new(-0.6, 1.05, 0.55);

impl Scene {
    /// The built-in character: a mannequin of 85 joints with four influences a vertex, two materials with maps of colour, normals,
    /// occlusion, roughness and metal, `_OCCLUSION`, morph targets on the face, and the clips `Walk`, `Flex` and `Expression`.
    ///
    /// # Errors
    ///
    /// None that a released build can meet: the character is loaded as any other file, and tests load it.
    pub fn mannequin() -> Result<Self, SceneError> {
        Self::from_bytes(MANNEQUIN, "mannequin")
    }

    /// The same on a round ground under a sun, with a lamp that fills the shade: what shadows fall on.
    ///
    /// # Errors
    ///
    /// As [`mannequin`](Self::mannequin).
    pub fn stage() -> Result<Self, SceneError> {
        let mut scene = Self::from_bytes(MANNEQUIN, "stage")?;
        // The default material is the last one, and nothing of the character has it.
        let material = scene.materials.len() - 1;
        let clay = Material {
            name: Some("Ground".to_owned()),
            base_color_factor: [0.44, 0.43, 0.41, 1.0],
            metallic_factor: 0.0,
            roughness_factor: 0.9,
            ..Material::default()
        };
        scene.materials.insert(material, clay);
        let name = Some("Ground".to_owned());
        scene.meshes.push(Mesh {
            name: name.clone(),
            primitives: vec![Primitive { material, ..ground() }],
            ..Mesh::default()
        });
        scene.add_root(Node { name, mesh: Some(scene.meshes.len() - 1), ..Node::default() });
        let sun = Quat::from_rotation_arc(Vec3::NEG_Z, -TO_SUN.normalize());
        let lights = [
            ("Sun", [1.0, 0.96, 0.9], 3.6, LightKind::Directional, (Vec3::ZERO, sun)),
            ("Lamp", [0.7, 0.82, 1.0], 7.0, LightKind::Point, (Vec3::new(2.0, 1.7, 1.0), Quat::IDENTITY)),
        ];
        for (name, color, intensity, kind, (translation, rotation)) in lights {
            let name = Some(name.to_owned());
            scene.lights.push(Light { name: name.clone(), color, intensity, range: None, kind });
            let transform = Transform::Decomposed { translation, rotation, scale: Vec3::ONE };
            scene.add_root(Node { name, light: Some(scene.lights.len() - 1), transform, ..Node::default() });
        }
        Ok(scene)
    }

    /// Adds a root that is drawn.
    fn add_root(&mut self, node: Node) {
        self.parents_first.push(self.nodes.len());
        self.drawn.push(self.nodes.len());
        self.nodes.push(node);
    }
}

/// A disc at y = 0 with an edge that goes down.
fn ground() -> Primitive {
    let around = (0..CORNERS).map(|corner| {
        let (sine, cosine) = libm::sincosf(TAU * corner as f32 / CORNERS as f32);
        [sine, 0.0, cosine]
    });
    let ring = |height: f32| around.clone().map(move |[x, _, z]| [RADIUS * x, height, RADIUS * z]);
    let up = [0.0, 1.0, 0.0];
    let positions: Vec<[f32; 3]> =
        std::iter::once([0.0; 3]).chain(ring(0.0)).chain(ring(0.0)).chain(ring(-THICKNESS)).collect();
    let level = std::iter::repeat_n(up, 1 + CORNERS as usize);
    let triangles = |corner: u32| {
        let next = (corner + 1) % CORNERS;
        let [[top, other_top], [low, other_low]] = [1, 2].map(|ring| [corner, next].map(|at| 1 + ring * CORNERS + at));
        [0, 1 + corner, 1 + next, top, low, other_low, top, other_low, other_top]
    };
    Primitive {
        indices: (0..CORNERS).flat_map(triangles).collect(),
        source_vertices: (0..positions.len() as u32).collect(),
        source_vertex_count: positions.len(),
        normals: Some(level.chain(around.clone()).chain(around.clone()).collect()),
        positions,
        ..Primitive::default()
    }
}
