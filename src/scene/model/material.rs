//! What surfaces look like: materials, and the textures and images that they draw.

use std::sync::Arc;

/// Surface properties: glTF's metallic-roughness model, with KHR_materials_emissive_strength, ior, specular,
/// anisotropy, sheen, clearcoat and unlit.
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
    /// The fibres that stand on it; `None` where there are none.
    pub sheen: Option<Sheen>,
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

/// What fibres that stand on a surface send back, as those of velvet (KHR_materials_sheen).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sheen {
    /// Linear RGB, 0 to 1, and above 0 in one of them.
    pub color_factor: [f32; 3],
    /// sRGB colour: the same.
    pub color_texture: Option<TextureReference>,
    /// How far the fibres lean, perceptual, 0 to 1.
    pub roughness_factor: f32,
    /// Linear data: the same, in alpha.
    pub roughness_texture: Option<TextureReference>,
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
            sheen: None,
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
    pub(crate) fn named_textures(&self) -> impl Iterator<Item = (&'static str, TextureReference)> {
        let coat = self.clearcoat.unwrap_or_default();
        let anisotropy = self.anisotropy.unwrap_or_default();
        let sheen = self.sheen.unwrap_or_default();
        let all = [
            (".base_color_texture", self.base_color_texture),
            (".metallic_roughness_texture", self.metallic_roughness_texture),
            (".normal_texture", self.normal_texture),
            (".occlusion_texture", self.occlusion_texture),
            (".emissive_texture", self.emissive_texture),
            (".specular_texture", self.specular_texture),
            (".specular_color_texture", self.specular_color_texture),
            (".anisotropy.texture", anisotropy.texture),
            (".sheen.color_texture", sheen.color_texture),
            (".sheen.roughness_texture", sheen.roughness_texture),
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
    /// Index into [`Scene::textures`](super::Scene::textures).
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
    /// Index into [`Scene::images`](super::Scene::images).
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
    /// The file, where it is a JPEG whose texels hang on who decodes it ([`JpegComponents`](crate::JpegComponents)).
    pub jpeg: Option<Arc<[u8]>>,
}
