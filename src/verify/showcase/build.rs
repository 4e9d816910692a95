//! What the showcases are put together from: nodes, quads, textures, cameras.

use glam::{DVec3, Mat4, Quat, Vec3};

use super::Showcase;
use refrast_draw::Convention;
use refrast_scene::{
    Image, Material, Mesh, Node, Primitive, Projection, Sampler, Scene, Texture, TextureReference, TextureTransform,
    Transform,
};
use refrast_simulator::Moment;
use refrast_stage::{Camera, RenderSettings};

/// Pixels along a side of a showcase.
pub(super) const SIDE: u32 = 96;

/// A node with a decomposed transform.
pub(super) fn node(translation: [f32; 3], rotation: Quat, scale: [f32; 3]) -> Node {
    let (translation, scale) = (translation.into(), scale.into());
    Node { transform: Transform::Decomposed { translation, rotation, scale }, ..Node::default() }
}

/// A node that is only moved.
pub(super) fn moved(x: f32, y: f32, z: f32) -> Node {
    node([x, y, z], Quat::IDENTITY, [1.0; 3])
}

/// A turn about an axis, which need not be of unit length.
pub(super) fn turn(axis: [f32; 3], angle: f32) -> Quat {
    let (sine, cosine) = libm::sincosf(angle * 0.5);
    let [x, y, z] = (Vec3::from(axis).normalize() * sine).to_array();
    Quat::from_xyzw(x, y, z, cosine)
}

/// A scene in the making.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) scene: Scene,
}

impl Builder {
    /// Adds a node under a parent; its index.
    pub(super) fn node(&mut self, parent: Option<usize>, node: Node) -> usize {
        let index = self.scene.nodes.len();
        self.scene.nodes.push(Node { parent, ..node });
        if let Some(parent) = parent {
            self.scene.nodes[parent].children.push(index);
        }
        self.scene.parents_first.push(index);
        self.scene.drawn.push(index);
        index
    }

    /// Adds a mesh; its index.
    pub(super) fn mesh(&mut self, primitives: Vec<Primitive>) -> usize {
        let targets = primitives.first().map_or(0, |primitive| primitive.targets.len());
        self.scene.meshes.push(Mesh { primitives, weights: vec![0.0; targets], ..Mesh::default() });
        self.scene.meshes.len() - 1
    }

    /// Adds a node at the root that draws one primitive in a material.
    pub(super) fn surface(&mut self, place: Node, primitive: Primitive, material: Material) -> usize {
        let material = self.material(material);
        let mesh = self.mesh(vec![Primitive { material, ..primitive }]);
        self.node(None, Node { mesh: Some(mesh), ..place })
    }

    /// Adds a material; its index.
    pub(super) fn material(&mut self, material: Material) -> usize {
        self.scene.materials.push(material);
        self.scene.materials.len() - 1
    }

    /// Adds a texture of pixels made by a function of column and row; how a material uses it.
    pub(super) fn texture(
        &mut self,
        [width, height]: [u32; 2],
        sampler: Sampler,
        pixel: impl Fn(u32, u32) -> [u8; 4],
    ) -> TextureReference {
        let mut rgba = Vec::with_capacity(4 * width as usize * height as usize);
        for y in 0..height {
            for x in 0..width {
                rgba.extend_from_slice(&pixel(x, y));
            }
        }
        self.scene.images.push(Image { name: None, width, height, rgba, jpeg: None });
        self.scene.textures.push(Texture { image: self.scene.images.len() - 1, sampler });
        let texture = self.scene.textures.len() - 1;
        TextureReference { texture, texcoord: 0, transform: TextureTransform::default() }
    }

    /// The scene as a camera sees it that stands at `eye` and looks at the origin.
    pub(super) fn shot(self, name: &'static str, eye: [f64; 3]) -> Showcase {
        let settings = RenderSettings { width: SIDE, height: SIDE, ..RenderSettings::default() };
        let camera = perspective(eye, settings.convention);
        Showcase { name, scene: self.scene, moment: Moment::Rest, camera, settings }
    }
}

/// A camera that looks at the origin, with a near plane at 0.1 and a far plane at 50.
pub(super) fn perspective(eye: [f64; 3], convention: Convention) -> Camera {
    let projection = Projection::Perspective { yfov: 0.8, aspect_ratio: None, znear: 0.1, zfar: Some(50.0) };
    Camera::look_at(eye.into(), DVec3::ZERO, DVec3::Y, &projection, 1.0, convention)
}

/// A camera whose pixels are whole numbers: (0, 0) is the lower left corner of the picture, (96, 96) the upper right,
/// and depth runs from z = 1 (near) to z = 0.
pub(super) fn pixels(convention: Convention) -> Camera {
    let half = SIDE as f32 / 2.0;
    let projection = Projection::Orthographic { xmag: half, ymag: half, znear: 0.0, zfar: 1.0 };
    let mut camera = Camera::look_at(DVec3::Z, DVec3::ZERO, DVec3::Y, &projection, 1.0, convention);
    camera.view = Mat4::from_translation(Vec3::new(-half, -half, -1.0));
    camera
}
