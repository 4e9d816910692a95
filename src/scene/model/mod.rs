//! The data model: what a scene is after the file has been read and checked.
//!
//! Spaces and units are glTF's: right-handed, +Y up, metres, radians, seconds; matrices are column-major and act on
//! column vectors. All cross references are indices into the vectors of [`Scene`], in the order of the file.

mod material;

use glam::{Mat4, Quat, Vec3};

pub use self::material::{
    AlphaMode, Anisotropy, Clearcoat, Filter, Image, Material, Sampler, Sheen, Texture, TextureReference,
    TextureTransform, Wrap,
};
use super::remark::Remark;

/// A validated scene.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// Facts about the file.
    pub source: Source,
    /// All nodes of the file, whether or not the chosen scene reaches them.
    pub nodes: Vec<Node>,
    /// Every node index once, parents before children.
    pub parents_first: Vec<usize>,
    /// The nodes that the chosen scene draws, in depth-first order (children in file order): the draw order.
    pub drawn: Vec<usize>,
    /// Meshes, by file index.
    pub meshes: Vec<Mesh>,
    /// Skins, by file index.
    pub skins: Vec<Skin>,
    /// Animations, by file index.
    pub animations: Vec<Animation>,
    /// Materials by file index; the last one is glTF's default material, which the file does not list.
    pub materials: Vec<Material>,
    /// Textures, by file index.
    pub textures: Vec<Texture>,
    /// Images, by file index.
    pub images: Vec<Image>,
    /// Cameras, by file index.
    pub cameras: Vec<Camera>,
    /// Lights of KHR_lights_punctual, in the order of the file; those of unknown types are left out.
    pub lights: Vec<Light>,
}

/// Facts about the file that a scene came from; no stage needs them, but people do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The path, or the name given to [`Scene::from_bytes`].
    pub file: String,
    /// `asset.generator`: the program that wrote the file.
    pub generator: Option<String>,
    /// `extensionsUsed`.
    pub extensions_used: Vec<String>,
    /// `extensionsRequired`; refrast supports all of them.
    pub extensions_required: Vec<String>,
    /// The format of each image in the file, such as `PNG Rgb 8 bit`, beside [`Scene::images`]; empty where it was not read.
    pub image_formats: Vec<String>,
    /// Where each image is in the file, for messages: `images[3] 'hat' (bufferViews[7])`; beside [`Scene::images`].
    pub image_places: Vec<String>,
    /// What was noticed about the file.
    pub remarks: Vec<Remark>,
}

/// A node of the hierarchy.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The name in the file.
    pub name: Option<String>,
    /// The parent's index; `None` for a root.
    pub parent: Option<usize>,
    /// The children's indices, in file order.
    pub children: Vec<usize>,
    /// Node space → parent space, at rest.
    pub transform: Transform,
    /// The mesh that this node draws.
    pub mesh: Option<usize>,
    /// The skin that deforms the mesh; then the node's own transform places nothing.
    pub skin: Option<usize>,
    /// A camera looking along the node's −Z with +Y up.
    pub camera: Option<usize>,
    /// A light shining along the node's −Z.
    pub light: Option<usize>,
    /// Morph weights that override the mesh's.
    pub weights: Option<Vec<f32>>,
}

/// A local transform as the file gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Transform {
    /// A matrix; such a node can not be animated.
    Matrix(Mat4),
    /// Translation · rotation · scale.
    Decomposed {
        /// In metres.
        translation: Vec3,
        /// A unit quaternion.
        rotation: Quat,
        /// Per axis; may be negative or zero.
        scale: Vec3,
    },
}

impl Default for Transform {
    fn default() -> Self {
        Self::Decomposed { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE }
    }
}

/// A mesh: primitives that share morph weights.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// The name in the file.
    pub name: Option<String>,
    /// In file order.
    pub primitives: Vec<Primitive>,
    /// Default morph weights, one a target; zeros where the file gives none.
    pub weights: Vec<f32>,
    /// Names of the morph targets (from `extras.targetNames`), empty where the file gives none.
    pub target_names: Vec<String>,
}

/// What the indices of a primitive form; strips, fans and loops are expanded when a file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Topology {
    /// One index a point.
    Points,
    /// Two indices a line.
    Lines,
    /// Three indices a triangle; counter-clockwise is the front.
    #[default]
    Triangles,
}

/// Vertices and indices that share a material.
///
/// All vertex arrays have the length of `positions`. Where normals or tangents had to be generated, vertices were
/// split, and `source_vertices` tells which vertex of the file each one came from.
#[derive(Clone, Debug, Default)]
pub struct Primitive {
    /// What the indices form.
    pub topology: Topology,
    /// A list, always (the file's strips and fans are expanded, its missing indices counted up).
    pub indices: Vec<u32>,
    /// For each vertex the index that it has in the file.
    pub source_vertices: Vec<u32>,
    /// The number of vertices in the file (accessor count).
    pub source_vertex_count: usize,
    /// Mesh space.
    pub positions: Vec<[f32; 3]>,
    /// Mesh space, as the file stores them: the specification asks for unit length, but they are to be normalised only
    /// after morphing and skinning. `None` where the file gives none: triangles are then `flat`, points and lines
    /// unlit.
    pub normals: Option<Vec<[f32; 3]>>,
    /// The file has no normals: each triangle has three vertices of its own, and its normal is the direction of
    /// cross(p1 − p0, p2 − p0) of the deformed positions.
    pub flat: bool,
    /// Mesh space; w is the handedness ±1. Given by the file, or MikkTSpace's where the material needs them.
    pub tangents: Option<Vec<[f32; 4]>>,
    /// TEXCOORD_0, TEXCOORD_1, …
    pub texcoords: Vec<Vec<[f32; 2]>>,
    /// COLOR_0, linear; alpha 1 where the file has RGB.
    pub colors: Option<Vec<[f32; 4]>>,
    /// `_OCCLUSION`: the part of the ambient light that arrives, 0 to 1 once targets have moved it.
    pub occlusion: Option<Vec<f32>>,
    /// Joints and weights; `None` for an unskinned primitive.
    pub influences: Option<Influences>,
    /// Morph targets, in file order.
    pub targets: Vec<MorphTarget>,
    /// Index into [`Scene::materials`].
    pub material: usize,
}

/// Joints and weights of all vertices of a primitive, every JOINTS_n/WEIGHTS_n set side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Influences {
    /// Influences a vertex: four times the number of sets.
    pub per_vertex: usize,
    /// `per_vertex` joint indices a vertex, into [`Skin::joints`]; 0 where the weight is 0. In range for every skin
    /// that a node puts on the mesh.
    pub joints: Vec<u16>,
    /// `per_vertex` weights a vertex, summing to 1.
    pub weights: Vec<f32>,
}

/// Differences to the base attributes; an absent attribute is not displaced.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// Mesh-space displacements.
    pub positions: Option<Vec<[f32; 3]>>,
    /// Displacements of the normal, before normalisation.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Displacements of the tangent's direction; the handedness does not change.
    pub tangents: Option<Vec<[f32; 3]>>,
    /// Displacements of each texture coordinate set; as many entries as the primitive has sets.
    pub texcoords: Vec<Option<Vec<[f32; 2]>>>,
    /// Displacements of COLOR_0.
    pub colors: Option<Vec<[f32; 4]>>,
    /// Displacements of `_OCCLUSION`.
    pub occlusion: Option<Vec<f32>>,
}

/// Joints and their inverse bind matrices.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    /// The name in the file.
    pub name: Option<String>,
    /// Node indices, in the order in which vertices refer to them.
    pub joints: Vec<usize>,
    /// Mesh space → joint space at binding, one a joint; identities where the file gives none.
    pub inverse_bind_matrices: Vec<Mat4>,
    /// The common root that the file names: a hint that changes nothing.
    pub skeleton: Option<usize>,
}

/// Key frames for several targets.
#[derive(Clone, Debug, Default)]
pub struct Animation {
    /// The name in the file.
    pub name: Option<String>,
    /// What moves.
    pub channels: Vec<Channel>,
    /// The last key time of all channels, in seconds.
    pub duration: f32,
}

/// The key frames of one property of one node.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The node that is animated.
    pub node: usize,
    /// The property that is animated.
    pub target: ChannelTarget,
    /// How to get from key to key.
    pub interpolation: Interpolation,
    /// Strictly increasing key times in seconds, at least one.
    pub times: Vec<f32>,
    /// `components` numbers a key; three times as many for [`Interpolation::CubicSpline`]: in-tangent, value,
    /// out-tangent.
    pub values: Vec<f32>,
    /// Numbers a value: 3, 4 (quaternion x y z w), or the number of morph targets.
    pub components: usize,
}

/// The property that a channel moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelTarget {
    /// Translation, three components.
    Translation,
    /// Rotation, a quaternion x y z w.
    Rotation,
    /// Scale, three components.
    Scale,
    /// Morph weights, one a target.
    Weights,
}

/// How a channel runs between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Linear; spherical for rotations.
    #[default]
    Linear,
    /// Holds the left key.
    Step,
    /// Hermite spline with tangents per second.
    CubicSpline,
}

/// A camera of the file, looking along −Z of its node.
#[derive(Clone, Debug)]
pub struct Camera {
    /// The name in the file.
    pub name: Option<String>,
    /// How it projects.
    pub projection: Projection,
}

/// A projection's parameters; the matrix depends on the convention.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Perspective.
    Perspective {
        /// Vertical field of view, radians.
        yfov: f32,
        /// Width ÷ height; `None` takes the picture's.
        aspect_ratio: Option<f32>,
        /// Distance of the near plane, > 0.
        znear: f32,
        /// Distance of the far plane; `None` is infinitely far.
        zfar: Option<f32>,
    },
    /// Orthographic.
    Orthographic {
        /// Half the width.
        xmag: f32,
        /// Half the height.
        ymag: f32,
        /// Distance of the near plane, ≥ 0.
        znear: f32,
        /// Distance of the far plane.
        zfar: f32,
    },
}

/// A light of KHR_lights_punctual, shining along −Z of its node.
#[derive(Clone, Debug)]
pub struct Light {
    /// The name in the file.
    pub name: Option<String>,
    /// Linear RGB.
    pub color: [f32; 3],
    /// Lux for directional lights, candela for the others.
    pub intensity: f32,
    /// Where a point or spot light ends, in metres; `None` is never.
    pub range: Option<f32>,
    /// The shape.
    pub kind: LightKind,
}

/// The shape of a light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightKind {
    /// Parallel rays.
    Directional,
    /// From the node's origin in all directions.
    Point,
    /// From the node's origin in a cone.
    Spot {
        /// Where the fall-off begins, radians from the axis.
        inner_cone_angle: f32,
        /// Where it ends.
        outer_cone_angle: f32,
    },
}
