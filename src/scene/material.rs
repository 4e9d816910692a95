//! Reads materials, textures and samplers.
//!
//! Why it exists: defaults are filled in here, once: REPEAT where a wrap mode is missing (glTF#2316 is about loaders
//! that clamp), trilinear where a filter is left open, the set of texture coordinates that KHR_texture_transform
//! overrides.

use gltf::{
    json,
    json::{
        extensions::texture::TextureTransform as JsonTransform,
        material::{AlphaMode as JsonAlphaMode, NormalTexture as JsonNormalTexture},
        texture::{MagFilter, MinFilter, WrappingMode},
    },
};

use serde::{Deserialize, de::DeserializeOwned};

use super::{
    document::Document,
    error::{Problem, Result},
    misfit,
    model::{
        AlphaMode, Anisotropy, Clearcoat, Filter, Material, Sampler, Sheen, Texture, TextureReference,
        TextureTransform, Wrap,
    },
    texture_use,
};

/// The name of the extension and of its object in the file.
const TEXTURE_TRANSFORM: &str = "KHR_texture_transform";
const ANISOTROPY: &str = "KHR_materials_anisotropy";
const CLEARCOAT: &str = "KHR_materials_clearcoat";
const SHEEN: &str = "KHR_materials_sheen";

/// The object of the extension, which the `gltf` crate does not know.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct JsonAnisotropy {
    anisotropy_strength: f32,
    anisotropy_rotation: f32,
    anisotropy_texture: Option<json::texture::Info>,
}

/// The object of the extension, which the `gltf` crate does not know.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct JsonClearcoat {
    clearcoat_factor: f32,
    clearcoat_texture: Option<json::texture::Info>,
    clearcoat_roughness_factor: f32,
    clearcoat_roughness_texture: Option<json::texture::Info>,
    clearcoat_normal_texture: Option<JsonNormalTexture>,
}

/// The object of the extension, which the `gltf` crate does not know.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct JsonSheen {
    sheen_color_factor: [f32; 3],
    sheen_color_texture: Option<json::texture::Info>,
    sheen_roughness_factor: f32,
    sheen_roughness_texture: Option<json::texture::Info>,
}

/// Reads all materials and appends the default material.
pub(super) fn read_materials(document: &Document) -> Result<Vec<Material>> {
    let read = |(index, material): (usize, &json::Material)| read_material(document, index, material);
    let mut materials: Vec<Material> = document.root.materials.iter().enumerate().map(read).collect::<Result<_>>()?;
    materials.push(Material::default());
    Ok(materials)
}

fn read_material(document: &Document, index: usize, json: &json::Material) -> Result<Material> {
    let place = |property: &str| format!("materials[{index}].{property}");
    let number = |value: f32, minimum: f32, maximum: f32, property: &str| {
        let [value] = document.finite([value], &place(property))?;
        if (minimum..=maximum).contains(&value) {
            return Ok(value);
        }
        let reason = format!("is {value}, but must lie between {minimum} and {maximum}");
        Err(document.error(place(property), Problem::Value(reason)))
    };
    let info = |info: &Option<json::texture::Info>, property: &str| {
        let reference = |info: &json::texture::Info| {
            let transform = info.extensions.as_ref().and_then(|extensions| extensions.texture_transform.as_ref());
            read_reference(document, info.index.value(), info.tex_coord, transform, &place(property))
        };
        Ok(info.as_ref().map(reference).transpose()?.flatten())
    };

    let normal = |normal: &Option<JsonNormalTexture>, property: &str| -> Result<Option<TextureReference>> {
        let reference = |normal: &JsonNormalTexture| {
            let others = normal.extensions.as_ref().map(|extensions| &extensions.others);
            read_other_reference(document, (normal.index.value(), normal.tex_coord), others, &place(property))
        };
        Ok(normal.as_ref().map(reference).transpose()?.flatten())
    };

    let base = &json.pbr_metallic_roughness;
    let extensions = json.extensions.as_ref();
    let strength = extensions
        .and_then(|extensions| extensions.emissive_strength.as_ref())
        .map_or(1.0, |strength| strength.emissive_strength.0);
    let strength = number(strength, 0.0, f32::MAX, "extensions.KHR_materials_emissive_strength.emissiveStrength")?;
    let mut emissive_factor = json.emissive_factor.0;
    for factor in &mut emissive_factor {
        let value = number(*factor, 0.0, f32::MAX, "emissiveFactor")? * strength;
        *factor = document.finite([value], &place("emissiveFactor"))?[0];
    }
    for factor in base.base_color_factor.0 {
        number(factor, 0.0, 1.0, "pbrMetallicRoughness.baseColorFactor")?;
    }
    let alpha_mode = match document.valid(&json.alpha_mode, &place("alphaMode"))? {
        JsonAlphaMode::Opaque => AlphaMode::Opaque,
        JsonAlphaMode::Blend => AlphaMode::Blend,
        JsonAlphaMode::Mask => {
            let cutoff = json.alpha_cutoff.unwrap_or_default().0;
            AlphaMode::Mask { cutoff: number(cutoff, 0.0, f32::MAX, "alphaCutoff")? }
        }
    };
    let specular = extensions.and_then(|extensions| extensions.specular.as_ref());
    let specular_place = "extensions.KHR_materials_specular";
    let specular_color_factor = specular.map_or([1.0; 3], |specular| specular.specular_color_factor.0);
    for factor in specular_color_factor {
        number(factor, 0.0, f32::MAX, &format!("{specular_place}.specularColorFactor"))?;
    }
    let ior = extensions.and_then(|extensions| extensions.ior.as_ref()).map_or(1.5, |ior| ior.ior.0);
    if ior != 0.0 {
        // 0 stands for infinity.
        number(ior, 1.0, f32::MAX, "extensions.KHR_materials_ior.ior")?;
    }
    let others = extensions.map(|extensions| &extensions.others);
    let grain: Option<JsonAnisotropy> = other_extension(document, others, ANISOTROPY, &place("extensions"))?;
    let anisotropy = match grain.filter(|grain| grain.anisotropy_strength != 0.0) {
        None => None,
        Some(grain) => {
            let place = |property: &str| format!("extensions.{ANISOTROPY}.{property}");
            Some(Anisotropy {
                strength: number(grain.anisotropy_strength, 0.0, 1.0, &place("anisotropyStrength"))?,
                rotation: number(grain.anisotropy_rotation, f32::MIN, f32::MAX, &place("anisotropyRotation"))?,
                texture: info(&grain.anisotropy_texture, &place("anisotropyTexture"))?,
            })
        }
    };
    let velvet: Option<JsonSheen> = other_extension(document, others, SHEEN, &place("extensions"))?;
    let sheen = match velvet.filter(|velvet| velvet.sheen_color_factor != [0.0; 3]) {
        None => None,
        Some(velvet) => {
            let place = |property: &str| format!("extensions.{SHEEN}.{property}");
            for factor in velvet.sheen_color_factor {
                number(factor, 0.0, 1.0, &place("sheenColorFactor"))?;
            }
            Some(Sheen {
                color_factor: velvet.sheen_color_factor,
                color_texture: info(&velvet.sheen_color_texture, &place("sheenColorTexture"))?,
                roughness_factor: number(velvet.sheen_roughness_factor, 0.0, 1.0, &place("sheenRoughnessFactor"))?,
                roughness_texture: info(&velvet.sheen_roughness_texture, &place("sheenRoughnessTexture"))?,
            })
        }
    };
    let coat: Option<JsonClearcoat> = other_extension(document, others, CLEARCOAT, &place("extensions"))?;
    let clearcoat = match coat.filter(|coat| coat.clearcoat_factor != 0.0) {
        None => None,
        Some(coat) => {
            let place = |property: &str| format!("extensions.{CLEARCOAT}.{property}");
            let scale = coat.clearcoat_normal_texture.as_ref().map_or(1.0, |normal| normal.scale);
            Some(Clearcoat {
                factor: number(coat.clearcoat_factor, 0.0, 1.0, &place("clearcoatFactor"))?,
                texture: info(&coat.clearcoat_texture, &place("clearcoatTexture"))?,
                roughness_factor: number(
                    coat.clearcoat_roughness_factor,
                    0.0,
                    1.0,
                    &place("clearcoatRoughnessFactor"),
                )?,
                roughness_texture: info(&coat.clearcoat_roughness_texture, &place("clearcoatRoughnessTexture"))?,
                normal_texture: normal(&coat.clearcoat_normal_texture, &place("clearcoatNormalTexture"))?,
                normal_scale: number(scale, f32::MIN, f32::MAX, &place("clearcoatNormalTexture.scale"))?,
            })
        }
    };
    let strength = json.occlusion_texture.as_ref().map_or(1.0, |occlusion| occlusion.strength.0);
    let normal_scale = json.normal_texture.as_ref().map_or(1.0, |normal| normal.scale);
    Ok(Material {
        name: json.name.clone(),
        base_color_factor: base.base_color_factor.0,
        base_color_texture: info(&base.base_color_texture, "pbrMetallicRoughness.baseColorTexture")?,
        metallic_factor: number(base.metallic_factor.0, 0.0, 1.0, "pbrMetallicRoughness.metallicFactor")?,
        roughness_factor: number(base.roughness_factor.0, 0.0, 1.0, "pbrMetallicRoughness.roughnessFactor")?,
        metallic_roughness_texture: info(
            &base.metallic_roughness_texture,
            "pbrMetallicRoughness.metallicRoughnessTexture",
        )?,
        occlusion_texture: match &json.occlusion_texture {
            Some(occlusion) => {
                let others = occlusion.extensions.as_ref().map(|extensions| &extensions.others);
                let named = (occlusion.index.value(), occlusion.tex_coord);
                read_other_reference(document, named, others, &place("occlusionTexture"))?
            }
            None => None,
        },
        occlusion_strength: number(strength, 0.0, 1.0, "occlusionTexture.strength")?,
        ior,
        specular_factor: number(
            specular.map_or(1.0, |specular| specular.specular_factor.0),
            0.0,
            1.0,
            &format!("{specular_place}.specularFactor"),
        )?,
        specular_texture: match specular {
            Some(specular) => info(&specular.specular_texture, &format!("{specular_place}.specularTexture"))?,
            None => None,
        },
        specular_color_factor,
        specular_color_texture: match specular {
            Some(specular) => {
                info(&specular.specular_color_texture, &format!("{specular_place}.specularColorTexture"))?
            }
            None => None,
        },
        emissive_factor,
        emissive_texture: info(&json.emissive_texture, "emissiveTexture")?,
        normal_texture: normal(&json.normal_texture, "normalTexture")?,
        normal_scale: number(normal_scale, f32::MIN, f32::MAX, "normalTexture.scale")?,
        anisotropy,
        sheen,
        clearcoat,
        alpha_mode,
        double_sided: json.double_sided,
        unlit: extensions.is_some_and(|extensions| extensions.unlit.is_some()),
    })
}

/// The `gltf` crate knows no texture transform on normal and occlusion textures, so it is read from the extensions that it
/// leaves. `named` is the texture and its set of coordinates.
fn read_other_reference(
    document: &Document,
    (texture, texcoord): (usize, u32),
    others: Option<&serde_json::Map<String, serde_json::Value>>,
    place: &str,
) -> Result<Option<TextureReference>> {
    let transform: Option<JsonTransform> =
        other_extension(document, others, TEXTURE_TRANSFORM, &format!("{place}.extensions"))?;
    read_reference(document, texture, texcoord, transform.as_ref(), place)
}

/// The object of an extension among those that the `gltf` crate leaves at `place`.
fn other_extension<T: DeserializeOwned>(
    document: &Document,
    others: Option<&serde_json::Map<String, serde_json::Value>>,
    name: &str,
    place: &str,
) -> Result<Option<T>> {
    let raw = others.and_then(|others| others.get(name));
    raw.map(|raw| {
        serde_json::from_str(&raw.to_string()).map_err(|error| {
            let place = format!("{place}.{name}.{}", misfit::place(raw, &error));
            document.error(place, Problem::Json(misfit::message(&error)))
        })
    })
    .transpose()
}

/// `None` where the texture has no image.
fn read_reference(
    document: &Document,
    texture: usize,
    texcoord: u32,
    transform: Option<&JsonTransform>,
    place: &str,
) -> Result<Option<TextureReference>> {
    let texture = document.check_index("texture", texture, document.root.textures.len(), &format!("{place}.index"))?;
    if !texture_use::has_image(document, texture)? {
        return Ok(None);
    }
    let texcoord = transform.and_then(|transform| transform.tex_coord).unwrap_or(texcoord) as usize;
    let transform = match transform {
        None => TextureTransform::default(),
        Some(json) => {
            let place = format!("{place}.extensions.{TEXTURE_TRANSFORM}");
            TextureTransform {
                offset: document.finite(json.offset.0, &format!("{place}.offset"))?,
                rotation: document.finite([json.rotation.0], &format!("{place}.rotation"))?[0],
                scale: document.finite(json.scale.0, &format!("{place}.scale"))?,
            }
        }
    };
    Ok(Some(TextureReference { texture, texcoord, transform }))
}

/// Reads all textures with their samplers. Those without an image, which nothing uses, have an index past the last one.
pub(super) fn read_textures(document: &Document) -> Result<Vec<Texture>> {
    let root = &document.root;
    let read = |(index, texture): (usize, &json::Texture)| {
        let place = format!("textures[{index}]");
        // No material that is read uses one without an image.
        let image = texture_use::image_of(document, index)?.unwrap_or(root.images.len());
        let sampler = match texture.sampler {
            None => Sampler::default(),
            Some(sampler) => {
                let place = format!("{place}.sampler");
                let sampler = document.check_index("sampler", sampler.value(), root.samplers.len(), &place)?;
                read_sampler(document, sampler)?
            }
        };
        Ok(Texture { image, sampler })
    };
    root.textures.iter().enumerate().map(read).collect()
}

fn read_sampler(document: &Document, index: usize) -> Result<Sampler> {
    let json = &document.root.samplers[index];
    let place = |property: &str| format!("samplers[{index}].{property}");
    let default = Sampler::default();
    let magnification = match &json.mag_filter {
        None => default.magnification,
        Some(filter) => match document.valid(filter, &place("magFilter"))? {
            MagFilter::Nearest => Filter::Nearest,
            MagFilter::Linear => Filter::Linear,
        },
    };
    let (minification, mip) = match &json.min_filter {
        None => (default.minification, default.mip),
        Some(filter) => match document.valid(filter, &place("minFilter"))? {
            MinFilter::Nearest => (Filter::Nearest, None),
            MinFilter::Linear => (Filter::Linear, None),
            MinFilter::NearestMipmapNearest => (Filter::Nearest, Some(Filter::Nearest)),
            MinFilter::LinearMipmapNearest => (Filter::Linear, Some(Filter::Nearest)),
            MinFilter::NearestMipmapLinear => (Filter::Nearest, Some(Filter::Linear)),
            MinFilter::LinearMipmapLinear => (Filter::Linear, Some(Filter::Linear)),
        },
    };
    let wrap = |mode, property: &str| {
        Ok(match document.valid(mode, &place(property))? {
            WrappingMode::Repeat => Wrap::Repeat,
            WrappingMode::MirroredRepeat => Wrap::MirroredRepeat,
            WrappingMode::ClampToEdge => Wrap::ClampToEdge,
        })
    };
    Ok(Sampler {
        magnification,
        minification,
        mip,
        wrap_u: wrap(&json.wrap_s, "wrapS")?,
        wrap_v: wrap(&json.wrap_t, "wrapT")?,
    })
}
