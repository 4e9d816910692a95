//! Which image a texture has, and which images are drawn.
//!
//! Why it exists: an extension may give a texture an image of its own beside, or instead of, the one that every renderer
//! reads; and a file may hold images for extensions that are not drawn, in formats that are not read. Only images that a
//! material draws are decoded; of the others nothing is asked.

use gltf::json::texture::Texture as JsonTexture;

use super::{
    compressed::{self, BASISU},
    document::Document,
    error::{Problem, Result},
    model::{Material, Texture, TextureReference},
    remark::RemarkKind,
};

/// The extension whose images are drawn.
const WEBP: &str = "EXT_texture_webp";

/// The image of a texture, by its index; `None` where it has none. A KTX2 file is taken where there is no other: builds that
/// can not read it draw the same picture.
pub(super) fn image_of(document: &Document, index: usize) -> Result<Option<usize>> {
    let place = format!("textures[{index}]");
    let image = match extension_source(document, index, WEBP) {
        Some(source) => Some((source, format!("{place}.extensions.{WEBP}.source"))),
        None => match own_source(&document.root.textures[index]) {
            Some(source) => Some((source, format!("{place}.source"))),
            None => extension_source(document, index, BASISU)
                .filter(|_| compressed::is_read(BASISU))
                .map(|source| (source, format!("{place}.extensions.{BASISU}.source"))),
        },
    };
    let count = document.root.images.len();
    image.map(|(image, place)| document.check_index("image", image, count, &place)).transpose()
}

/// Whether a material can draw with a texture. One without any image, which the specification leaves undefined, is left out
/// with a remark.
///
/// # Errors
/// The image is only there for an extension that is not read.
pub(super) fn has_image(document: &Document, index: usize) -> Result<bool> {
    if image_of(document, index)?.is_some() {
        return Ok(true);
    }
    let place = format!("textures[{index}]");
    let extensions = document.raw["textures"][index]["extensions"].as_object();
    match extensions.and_then(|own| own.iter().find(|(_, inner)| inner.get("source").is_some())) {
        Some((extension, _)) => Err(document.error(place, Problem::Compressed(extension.clone()))),
        None => {
            document.warn(RemarkKind::TextureWithoutImage, place, "names no image; materials are drawn without it");
            Ok(false)
        }
    }
}

/// The image that the specification names; it leaves a texture without one to extensions.
fn own_source(texture: &JsonTexture) -> Option<usize> {
    // The schema's mark for an absent source.
    Some(texture.source.value()).filter(|source| *source != u32::MAX as usize)
}

fn extension_source(document: &Document, index: usize, extension: &str) -> Option<usize> {
    document.raw["textures"][index]["extensions"][extension]["source"].as_u64().map(|source| source as usize)
}

impl Material {
    /// The textures that it draws with, in no order that means anything.
    pub fn textures(&self) -> impl Iterator<Item = TextureReference> {
        self.named_textures().map(|(_, reference)| reference)
    }
}

/// Whether each image of the file is drawn by a material.
pub(super) fn drawn_images(document: &Document, materials: &[Material], textures: &[Texture]) -> Vec<bool> {
    let mut drawn = vec![false; document.root.images.len()];
    for texture in drawn_textures(materials, textures.len()) {
        if let Some(drawn) = drawn.get_mut(textures[texture].image) {
            *drawn = true;
        }
    }
    drawn
}

/// The textures that materials draw, each once.
fn drawn_textures(materials: &[Material], count: usize) -> Vec<usize> {
    let mut drawn = vec![false; count];
    materials.iter().flat_map(Material::textures).for_each(|reference| drawn[reference.texture] = true);
    (0..count).filter(|texture| drawn[*texture]).collect()
}

/// Remarks on the textures that materials draw: what renderers are free to choose.
pub(super) fn remark_on_textures(document: &Document, materials: &[Material], textures: &[Texture]) {
    for index in drawn_textures(materials, textures.len()) {
        let json = &document.root.textures[index];
        let sampler = json.sampler.as_ref().and_then(|sampler| document.root.samplers.get(sampler.value()));
        let open: Vec<&str> = match sampler {
            None => vec!["minFilter", "magFilter"],
            Some(sampler) => {
                let stated = [("minFilter", sampler.min_filter.is_none()), ("magFilter", sampler.mag_filter.is_none())];
                stated.into_iter().filter(|(_, open)| *open).map(|(name, _)| name).collect()
            }
        };
        if !open.is_empty() {
            let place = match &json.sampler {
                None => format!("textures[{index}].sampler"),
                Some(sampler) => format!("samplers[{}]", sampler.value()),
            };
            let verb = if open.len() == 1 { "is" } else { "are" };
            let detail = format!("{} {verb} left open; drawn trilinear", open.join(" and "));
            document.note(RemarkKind::SamplerUnspecified, place, detail);
        }
        let extensions = document.raw["textures"][index]["extensions"].as_object().into_iter().flatten();
        for (name, _) in extensions.filter(|(_, own)| own.get("source").is_some()) {
            if own_source(json).is_some() {
                let drawn = if name == WEBP { "the extension's is drawn" } else { "the extension's is not drawn" };
                let detail = format!("has one image for everybody and one of {name}; {drawn}");
                document.note(RemarkKind::TextureWithTwoImages, format!("textures[{index}]"), detail);
            }
        }
    }
}
