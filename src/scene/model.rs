//! The data model: what a scene is after the file has been read and checked.
//!
//! Spaces and units are glTF's: right-handed, +Y up, metres, radians, seconds; matrices are column-major and act on
//! column vectors. All cross references are indices into the vectors of [`Scene`], in the order of the file.

use glam::{Mat4, Quat, Vec3};

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

/// Surface properties: glTF's metallic-roughness model, with KHR_materials_emissive_strength, ior, specular,
/// anisotropy, clearcoat and unlit.
#[derive(Clone, Debug)]
pub struct Material {
    /// The name in the file; `None` for the default material.
    pub name: Option<String>,
    /// Linear RGBA.
    pub base_color_factor: [f32; 4],
    /// sRGB colour, linear alpha.
    pub base_color_texture: Option<TextureReference>,
    /// The share of metal.
    pub metallic_factor: f32,
    /// Perceptual roughness.
    pub roughness_factor: f32,
    /// Linear data: roughness in green, metal in blue.
    pub metallic_roughness_texture: Option<TextureReference>,
    /// Linear data: the part of the ambient light that arrives, in red.
    pub occlusion_texture: Option<TextureReference>,
    /// How much of the occlusion texture counts.
    pub occlusion_strength: f32,
    /// Index of refraction of what is not metal (KHR_materials_ior).
    pub ior: f32,
    /// Strength of the reflection of what is not metal (KHR_materials_specular).
    pub specular_factor: f32,
    /// Linear data: the same, in alpha.
    pub specular_texture: Option<TextureReference>,
    /// Linear RGB: the colour of that reflection at normal incidence; may be more than 1.
    pub specular_color_factor: [f32; 3],
    /// sRGB colour: the same.
    pub specular_color_texture: Option<TextureReference>,
    /// Linear RGB, with the strength of KHR_materials_emissive_strength multiplied in.
    pub emissive_factor: [f32; 3],
    /// sRGB colour.
    pub emissive_texture: Option<TextureReference>,
    /// Linear data, tangent space, +Y up.
    pub normal_texture: Option<TextureReference>,
    /// Scale of the normal texture's x and y.
    pub normal_scale: f32,
    /// How highlights are stretched; `None` where they are not.
    pub anisotropy: Option<Anisotropy>,
    /// The clear coat over it all; `None` where there is none.
    pub clearcoat: Option<Clearcoat>,
    /// What alpha means.
    pub alpha_mode: AlphaMode,
    /// Back faces are drawn, with the normal turned round.
    pub double_sided: bool,
    /// KHR_materials_unlit: the base colour is the colour.
    pub unlit: bool,
}

/// Highlights that are stretched along one direction, as those of brushed metal (KHR_materials_anisotropy).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Anisotropy {
    /// How far, above 0 and at most 1.
    pub strength: f32,
    /// Radians, counter-clockwise from the tangent, or from the texture's direction.
    pub rotation: f32,
    /// Linear data: in red and green the direction along tangent and bitangent, 0 to 1 for −1 to 1, in blue the strength.
    pub texture: Option<TextureReference>,
}

impl Anisotropy {
    /// Cosine and sine of the rotation.
    #[must_use]
    pub fn turn(&self) -> [f32; 2] {
        let (sine, cosine) = libm::sincosf(self.rotation);
        [cosine, sine]
    }
}

/// A clear coat (KHR_materials_clearcoat): a layer of lacquer with a reflection of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clearcoat {
    /// How strong it is, above 0.
    pub factor: f32,
    /// Linear data: the same, in red.
    pub texture: Option<TextureReference>,
    /// Its perceptual roughness.
    pub roughness_factor: f32,
    /// Linear data: the same, in green.
    pub roughness_texture: Option<TextureReference>,
    /// Linear data, tangent space, +Y up; the coat is smooth without, whatever lies below.
    pub normal_texture: Option<TextureReference>,
    /// Scale of the normal texture's x and y.
    pub normal_scale: f32,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: None,
            base_color_factor: [1.0; 4],
            base_color_texture: None,
            metallic_factor: 1.0,
            roughness_factor: 1.0,
            metallic_roughness_texture: None,
            occlusion_texture: None,
            occlusion_strength: 1.0,
            ior: 1.5,
            specular_factor: 1.0,
            specular_texture: None,
            specular_color_factor: [1.0; 3],
            specular_color_texture: None,
            emissive_factor: [0.0; 3],
            emissive_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
            anisotropy: None,
            clearcoat: None,
            alpha_mode: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
        }
    }
}

impl Material {
    /// Reflectance of what is not metal at normal incidence, red, green and blue, before a texture: with
    /// q = (ior − 1)/(ior + 1), q·q times the specular colour. (An index of 0 stands for infinity, and gives 1 too.)
    #[must_use]
    pub fn reflectance(&self) -> [f32; 3] {
        let q = (self.ior - 1.0) / (self.ior + 1.0);
        self.specular_color_factor.map(|color| q * q * color)
    }

    /// The map whose coordinates tangents are made for: that of the surface, or that of its coat.
    pub fn mapped_normals(&self) -> Option<TextureReference> {
        self.normal_texture.or(self.clearcoat.and_then(|coat| coat.normal_texture))
    }

    /// Every texture with the field that names it, in the order of the specification.
    pub(super) fn named_textures(&self) -> impl Iterator<Item = (&'static str, TextureReference)> {
        let coat = self.clearcoat.unwrap_or_default();
        let anisotropy = self.anisotropy.unwrap_or_default();
        let all = [
            (".base_color_texture", self.base_color_texture),
            (".metallic_roughness_texture", self.metallic_roughness_texture),
            (".normal_texture", self.normal_texture),
            (".occlusion_texture", self.occlusion_texture),
            (".emissive_texture", self.emissive_texture),
            (".specular_texture", self.specular_texture),
            (".specular_color_texture", self.specular_color_texture),
            (".anisotropy.texture", anisotropy.texture),
            (".clearcoat.texture", coat.texture),
            (".clearcoat.roughness_texture", coat.roughness_texture),
            (".clearcoat.normal_texture", coat.normal_texture),
        ];
        all.into_iter().filter_map(|(field, reference)| Some((field, reference?)))
    }
}

/// What a material's alpha means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// A fragment is drawn, opaque, where alpha ≥ the cutoff.
    Mask {
        /// `alphaCutoff`.
        cutoff: f32,
    },
    /// Source over destination.
    Blend,
}

/// A texture as a material uses it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureReference {
    /// Index into [`Scene::textures`].
    pub texture: usize,
    /// Which TEXCOORD_n.
    pub texcoord: usize,
    /// KHR_texture_transform.
    pub transform: TextureTransform,
}

/// KHR_texture_transform: uv' = translation(offset) · rotation · scale · uv.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureTransform {
    /// In texture sizes.
    pub offset: [f32; 2],
    /// Radians, counter-clockwise as the extension defines it (v points down).
    pub rotation: f32,
    /// Per axis.
    pub scale: [f32; 2],
}

impl Default for TextureTransform {
    fn default() -> Self {
        Self { offset: [0.0; 2], rotation: 0.0, scale: [1.0; 2] }
    }
}

/// An image with the way it is sampled.
#[derive(Clone, Debug, Default)]
pub struct Texture {
    /// Index into [`Scene::images`].
    pub image: usize,
    /// The sampler state.
    pub sampler: Sampler,
}

/// Sampler state; the default is glTF's: REPEAT, and where the file leaves the filters open trilinear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// Used where the texture is magnified.
    pub magnification: Filter,
    /// Used within a mip level where the texture is minified.
    pub minification: Filter,
    /// Between mip levels; `None` uses level 0 only.
    pub mip: Option<Filter>,
    /// Along u.
    pub wrap_u: Wrap,
    /// Along v.
    pub wrap_v: Wrap,
}

impl Default for Sampler {
    fn default() -> Self {
        Self {
            magnification: Filter::Linear,
            minification: Filter::Linear,
            mip: Some(Filter::Linear),
            wrap_u: Wrap::Repeat,
            wrap_v: Wrap::Repeat,
        }
    }
}

/// A texture filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The nearest texel or level.
    Nearest,
    /// Weighted by distance.
    Linear,
}

/// What lies outside [0, 1].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The texture again.
    Repeat,
    /// The texture and its mirror image in turn.
    MirroredRepeat,
    /// The border texel.
    ClampToEdge,
}

/// Decoded pixels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// The name or URI in the file.
    pub name: Option<String>,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Rows from the top, R G B A bytes as stored in the file (not linearised, alpha not multiplied in). None where no
    /// material uses the image.
    pub rgba: Vec<u8>,
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
