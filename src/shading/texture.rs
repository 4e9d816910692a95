//! [`PreparedTexture`]: an image made ready to be sampled.
//!
//! Why it exists: a backend uploads bytes, so the reference samples exactly what those bytes decode to. Every level
//! of the mip chain is computed without rounding from the unrounded level before and rounded once to R G B A bytes,
//! which golden packs carry ([`PreparedTexture::level_bytes`]).
//!
//! The levels that fit into the processor's caches are kept decoded too, at 16 bytes a texel: loading one takes a
//! single instruction instead of a dozen. Larger levels are decoded tap by tap, because there the memory would cost
//! more than the decoding. The numbers are the same either way.

use std::sync::Arc;

use super::{
    mipmap::{self, Level, Texel},
    mode::ShadingMode,
    srgb::ColorSpace,
};
use refrast_scene::{Image, Sampler, Scene, TextureReference};
use refrast_threads as threads;

/// An image can not be made a texture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextureError {
    /// The pixels do not fill the image.
    #[error(
        "{place}: {width}×{height} pixels need {expected} bytes of RGBA, at least four, but {actual} are there; \
         check how the image was decoded"
    )]
    Incomplete {
        /// The file and the place in it, or what the image is called.
        place: String,
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
        /// `4 · width · height`.
        expected: usize,
        /// The bytes that are there.
        actual: usize,
    },
    /// A side is too long for texel positions to keep their fraction in f32.
    #[error("{place}: {width}×{height} pixels are too many; make each side at most {limit}", limit = MAX_SIDE)]
    TooLarge {
        /// The file and the place in it, or what the image is called.
        place: String,
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
    },
}

/// The longest side of a texture, in texels: what GPUs take, and small enough that f32 texel positions keep nine
/// bits of fraction.
pub const MAX_SIDE: u32 = 16_384;

/// Levels with at most this many texels are kept decoded: 4 MiB each.
const DECODED_TEXELS: usize = 512 * 512;

/// The size of a mip level and where its texels begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MipLevel {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Number of the level's first texel; texels are numbered through all levels.
    pub(super) offset: u32,
}

/// A texture with its mip chain and its sampler state.
pub struct PreparedTexture {
    pub(super) sampler: Sampler,
    pub(super) color_space: ColorSpace,
    /// Level 0 first; only level 0 where the sampler uses no mip levels.
    pub(super) levels: Vec<MipLevel>,
    /// R G B A of the texels of all levels.
    pub(super) bytes: Vec<[u8; 4]>,
    /// The texels of the level [`first_decoded`](Self::first_decoded) and of those after it.
    pub(super) decoded: Vec<Texel>,
    /// May be the number of levels.
    pub(super) first_decoded: usize,
    /// The image's file, where it is a JPEG whose texels hang on who decodes it.
    jpeg: Option<Arc<[u8]>>,
}

impl PreparedTexture {
    /// Decodes an image and builds its mip chain where the sampler uses one.
    ///
    /// # Errors
    ///
    /// When the image is empty, incomplete or larger than [`MAX_SIDE`].
    pub fn new(image: &Image, sampler: Sampler, color_space: ColorSpace) -> Result<Self, TextureError> {
        let place =
            || image.name.as_ref().map_or("an image without a name".to_owned(), |name| format!("image '{name}'"));
        Self::placed(image, sampler, color_space, place)
    }

    /// As [`new`](Self::new); errors say that the image is at `place`.
    fn placed(
        image: &Image,
        sampler: Sampler,
        color_space: ColorSpace,
        place: impl Fn() -> String,
    ) -> Result<Self, TextureError> {
        let (width, height) = (image.width, image.height);
        if width > MAX_SIDE || height > MAX_SIDE {
            return Err(TextureError::TooLarge { place: place(), width, height });
        }
        let expected = 4 * width as usize * height as usize;
        if expected == 0 || image.rgba.len() != expected {
            let actual = image.rgba.len();
            return Err(TextureError::Incomplete { place: place(), width, height, expected, actual });
        }

        let (levels, bytes) =
            chain([width, height], image.rgba.as_chunks().0.to_vec(), sampler.mip.is_some(), color_space);

        let small = |level: &MipLevel| level.width as usize * level.height as usize <= DECODED_TEXELS;
        let first_decoded = levels.iter().position(small).unwrap_or(levels.len());
        let first_texel = levels.get(first_decoded).map_or(bytes.len(), |level| level.offset as usize);
        let decoded = bytes[first_texel..].iter().map(|&texel| color_space.decode(texel)).collect();
        let jpeg = image.jpeg.clone();
        Ok(Self { sampler, color_space, levels, bytes, decoded, first_decoded, jpeg })
    }

    /// How the bytes relate to light.
    #[must_use]
    pub fn color_space(&self) -> ColorSpace {
        self.color_space
    }

    /// The sampler state.
    #[must_use]
    pub fn sampler(&self) -> Sampler {
        self.sampler
    }

    /// The number of mip levels that are sampled: 1 where the sampler uses none.
    #[must_use]
    pub fn level_count(&self) -> usize {
        self.levels.len()
    }

    /// Width and height of a level in texels, or `None` past the last level.
    #[must_use]
    pub fn level_size(&self, level: usize) -> Option<[u32; 2]> {
        self.levels.get(level).map(|level| [level.width, level.height])
    }

    /// The R G B A bytes of a level, rows from the top: what a backend uploads. `None` past the last level.
    #[must_use]
    pub fn level_bytes(&self, level: usize) -> Option<&[u8]> {
        let level = self.levels.get(level)?;
        let texels = &self.bytes[level.offset as usize..][..level.width as usize * level.height as usize];
        Some(texels.as_flattened())
    }

    /// The image's file, where it is a JPEG whose texels hang on who decodes it.
    #[must_use]
    pub fn jpeg(&self) -> Option<&[u8]> {
        self.jpeg.as_deref()
    }

    /// The levels that it would have with other texels, as many as it has, in level 0.
    #[must_use]
    pub fn levels_of(&self, texels: Vec<[u8; 4]>) -> Vec<Vec<[u8; 4]>> {
        let [width, height] = self.level_size(0).unwrap_or_default();
        let (levels, bytes) = chain([width, height], texels, self.sampler.mip.is_some(), self.color_space);
        let texels = |level: &MipLevel| &bytes[level.offset as usize..][..level.width as usize * level.height as usize];
        levels.iter().map(|level| texels(level).to_vec()).collect()
    }
}

/// Texels that a thread decodes or encodes at once.
const TASK_TEXELS: usize = 1 << 12;

/// The levels of a texture and the texels of all of them.
fn chain(
    [width, height]: [u32; 2],
    texels: Vec<[u8; 4]>,
    has_mips: bool,
    color_space: ColorSpace,
) -> (Vec<MipLevel>, Vec<[u8; 4]>) {
    let mut levels = vec![MipLevel { width, height, offset: 0 }];
    let mut bytes = texels;
    if has_mips {
        let decoded = threads::filled(bytes.len(), TASK_TEXELS, |texel| color_space.decode(bytes[texel]));
        let mut level = Level { width: width as usize, height: height as usize, texels: decoded };
        for _ in 1..mipmap::level_count(level.width, level.height) {
            level = level.halved();
            let [width, height] = [level.width, level.height].map(|side| side as u32);
            levels.push(MipLevel { width, height, offset: bytes.len() as u32 });
            let texels = &level.texels;
            bytes.extend(threads::filled(texels.len(), TASK_TEXELS, |texel| color_space.encode(texels[texel])));
        }
    }
    (levels, bytes)
}

/// The textures of a scene that a shading mode samples, by their index in [`Scene::textures`]. Sets may share them.
pub struct TextureSet {
    color: Vec<Option<Arc<PreparedTexture>>>,
    data: Vec<Option<Arc<PreparedTexture>>>,
}

impl TextureSet {
    /// Prepares every texture that a material has for what the mode reads, and the base colours of all materials.
    ///
    /// # Errors
    ///
    /// As [`PreparedTexture::new`].
    pub fn new(scene: &Scene, mode: ShadingMode) -> Result<Self, TextureError> {
        let none = || vec![None; scene.textures.len()];
        Self { color: none(), data: none() }.of_mode(scene, mode)
    }

    /// The set of another mode of the same scene, which shares what both sample.
    ///
    /// # Errors
    ///
    /// As [`PreparedTexture::new`].
    pub fn of_mode(&self, scene: &Scene, mode: ShadingMode) -> Result<Self, TextureError> {
        let none = || vec![None; scene.textures.len()];
        let mut set = Self { color: none(), data: none() };
        for material in &scene.materials {
            let reads = mode.reads(material);
            let read = |reference: Option<TextureReference>, read: bool| reference.filter(|_| read);
            set.prepare((scene, self), material.base_color_texture, ColorSpace::Srgb)?;
            set.prepare((scene, self), read(material.emissive_texture, reads.emission), ColorSpace::Srgb)?;
            set.prepare((scene, self), read(material.specular_color_texture, reads.specular), ColorSpace::Srgb)?;
            set.prepare((scene, self), read(material.specular_texture, reads.specular), ColorSpace::Linear)?;
            let (coat, anisotropy) = (material.clearcoat.unwrap_or_default(), material.anisotropy.unwrap_or_default());
            for reference in [anisotropy.texture, coat.texture, coat.roughness_texture, coat.normal_texture] {
                set.prepare((scene, self), read(reference, reads.specular), ColorSpace::Linear)?;
            }
            let sheen = material.sheen.unwrap_or_default();
            set.prepare((scene, self), read(sheen.color_texture, reads.specular), ColorSpace::Srgb)?;
            set.prepare((scene, self), read(sheen.roughness_texture, reads.specular), ColorSpace::Linear)?;
            set.prepare((scene, self), read(material.normal_texture, reads.normal_map), ColorSpace::Linear)?;
            set.prepare((scene, self), read(material.metallic_roughness_texture, reads.measures), ColorSpace::Linear)?;
            set.prepare((scene, self), read(material.occlusion_texture, reads.measures), ColorSpace::Linear)?;
        }
        Ok(set)
    }

    fn prepare(
        &mut self,
        (scene, known): (&Scene, &Self),
        reference: Option<TextureReference>,
        color_space: ColorSpace,
    ) -> Result<(), TextureError> {
        let Some(TextureReference { texture, .. }) = reference else { return Ok(()) };
        let (prepared, known) = match color_space {
            ColorSpace::Srgb => (&mut self.color[texture], known.color.get(texture)),
            ColorSpace::Linear => (&mut self.data[texture], known.data.get(texture)),
        };
        if prepared.is_none() {
            *prepared = known.cloned().flatten();
        }
        if prepared.is_none() {
            let source = &scene.textures[texture];
            let place = || place(scene, source.image);
            let image = &scene.images[source.image];
            *prepared = Some(Arc::new(PreparedTexture::placed(image, source.sampler, color_space, place)?));
        }
        Ok(())
    }

    /// A colour texture by its index in [`Scene::textures`]; `None` where nobody samples it as a colour.
    #[must_use]
    pub fn color(&self, texture: usize) -> Option<&PreparedTexture> {
        self.color.get(texture)?.as_deref()
    }

    /// A texture of plain numbers (normals, metal, roughness, occlusion) by its index in [`Scene::textures`]; `None` where
    /// nobody samples it as such.
    #[must_use]
    pub fn data(&self, texture: usize) -> Option<&PreparedTexture> {
        self.data.get(texture)?.as_deref()
    }
}

/// The file of a scene and where an image is in it.
fn place(scene: &Scene, image: usize) -> String {
    let place = scene.source.image_places.get(image).cloned().unwrap_or_else(|| format!("images[{image}]"));
    format!("{}: {place}", scene.source.file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrast_scene::{Material, Texture, TextureTransform};

    fn image(width: u32, height: u32, rgba: Vec<u8>) -> Image {
        Image { name: Some("test".to_owned()), width, height, rgba, jpeg: None }
    }

    #[test]
    fn incomplete_images_are_refused() {
        for (width, height, bytes) in [(0, 4, 0), (2, 2, 15), (2, 2, 17)] {
            let error =
                PreparedTexture::new(&image(width, height, vec![0; bytes]), Sampler::default(), ColorSpace::Srgb);
            let error = error.err().expect("an incomplete image").to_string();
            assert!(error.contains("image 'test'") && error.contains(&bytes.to_string()), "{error}");
        }
    }

    #[test]
    fn errors_name_the_file_and_the_place_of_the_image() {
        let reference = TextureReference { texture: 0, texcoord: 0, transform: TextureTransform::default() };
        let mut scene = Scene {
            images: vec![image(1, 1, vec![0; 4]), image(MAX_SIDE + 1, 1, vec![0; 4])],
            textures: vec![Texture { image: 1, ..Texture::default() }],
            materials: vec![Material { base_color_texture: Some(reference), ..Material::default() }],
            ..Scene::default()
        };
        scene.source.file = "hero.glb".to_owned();
        let error = |scene: &Scene| TextureSet::new(scene, ShadingMode::Unlit).err().expect("a long image").to_string();
        assert!(error(&scene).starts_with("hero.glb: images[1]: 16385×1 pixels"), "{}", error(&scene));
        scene.source.image_places = vec![String::new(), "images[1] 'hat' (bufferViews[7])".to_owned()];
        assert!(error(&scene).starts_with("hero.glb: images[1] 'hat' (bufferViews[7]): 1"), "{}", error(&scene));
    }

    #[test]
    fn levels_are_averaged_in_linear_light_and_alpha_apart() {
        // Black and white average to half the light, which sRGB stores as 188; their alphas 0 and 255 to 127.5, which
        // is a tie in exact arithmetic and in f32, so it goes to the even 128.
        let texture = PreparedTexture::new(
            &image(2, 1, vec![0, 0, 0, 0, 255, 255, 255, 255]),
            Sampler::default(),
            ColorSpace::Srgb,
        )
        .expect("a complete image");
        assert_eq!(texture.level_bytes(1), Some([188, 188, 188, 128].as_slice()));
        assert_eq!(texture.level_bytes(2), None);
    }

    #[test]
    fn levels_come_from_the_unrounded_level_before() {
        // Linear data 0, 1, 1, 1 (of 255) in a row: level 1 is 0.5 and 1, level 2 is 0.75, stored as 1. From the
        // rounded level 1 (0, 1; a tie to even) it would be 0.5, stored as 0.
        let bytes = [0, 1, 1, 1].into_iter().flat_map(|value| [value; 4]).collect();
        let texture = PreparedTexture::new(&image(4, 1, bytes), Sampler::default(), ColorSpace::Linear);
        let texture = texture.expect("a complete image");
        assert_eq!(texture.level_bytes(1), Some([0, 0, 0, 0, 1, 1, 1, 1].as_slice()));
        assert_eq!(texture.level_bytes(2), Some([1; 4].as_slice()));
    }

    #[test]
    fn the_bytes_come_back() {
        let bytes: Vec<u8> = (0..=255).flat_map(|value: u8| [value, value ^ 0x55, 255 - value, value]).collect();
        for color_space in [ColorSpace::Srgb, ColorSpace::Linear] {
            let texture = PreparedTexture::new(&image(16, 16, bytes.clone()), Sampler::default(), color_space);
            assert_eq!(texture.expect("a complete image").level_bytes(0), Some(bytes.as_slice()));
        }
    }

    #[test]
    fn a_sampler_without_mip_levels_keeps_level_zero_only() {
        let sampler = Sampler { mip: None, ..Sampler::default() };
        let texture = PreparedTexture::new(&image(4, 4, vec![9; 64]), sampler, ColorSpace::Srgb);
        assert_eq!(texture.expect("a complete image").level_count(), 1);
    }
}
