//! What the words of a pack mean: lights, materials, samplers.

use glam::Mat4;
use refrast::scene::{
    AlphaMode, Filter, Light, LightKind, Material, Sampler, TextureReference, TextureTransform, Wrap,
};

use super::files::{LightFile, MaterialFile, TextureFile, TextureUse};

/// A light and where it is.
pub(super) fn light(light: &LightFile) -> Result<(Light, Mat4), String> {
    let kind = match (light.kind.as_str(), light.inner_cone_angle, light.outer_cone_angle) {
        ("directional", ..) => LightKind::Directional,
        ("point", ..) => LightKind::Point,
        ("spot", Some(inner_cone_angle), Some(outer_cone_angle)) => {
            LightKind::Spot { inner_cone_angle, outer_cone_angle }
        }
        (other, ..) => return Err(format!("`{other}` is no light, or lacks its cone's angles")),
    };
    let LightFile { color, intensity, range, .. } = *light;
    Ok((Light { name: None, color, intensity, range, kind }, Mat4::from_cols_array(&light.world)))
}

pub(super) fn material(material: &MaterialFile) -> Result<Material, String> {
    let texture = |used: &TextureUse| TextureReference {
        texture: used.texture,
        texcoord: used.texcoord,
        transform: TextureTransform { offset: used.offset, rotation: used.rotation, scale: used.scale },
    };
    Ok(Material {
        base_color_factor: material.base_color_factor,
        base_color_texture: material.base_color_texture.as_ref().map(texture),
        emissive_factor: material.emissive_factor,
        emissive_texture: material.emissive_texture.as_ref().map(texture),
        alpha_mode: match (material.alpha_mode.as_str(), material.cutoff) {
            ("opaque", _) => AlphaMode::Opaque,
            ("mask", Some(cutoff)) => AlphaMode::Mask { cutoff },
            ("blend", _) => AlphaMode::Blend,
            (other, _) => return Err(format!("`{other}` is no alpha mode, or lacks its cutoff")),
        },
        double_sided: material.double_sided,
        unlit: material.unlit,
        ..Material::default()
    })
}

pub(super) fn sampler(texture: &TextureFile) -> Result<Sampler, String> {
    let filter = |word: &str| match word {
        "nearest" => Ok(Filter::Nearest),
        "linear" => Ok(Filter::Linear),
        other => Err(format!("`{other}` is no filter")),
    };
    let wrap = |word: &str| match word {
        "repeat" => Ok(Wrap::Repeat),
        "mirrored-repeat" => Ok(Wrap::MirroredRepeat),
        "clamp-to-edge" => Ok(Wrap::ClampToEdge),
        other => Err(format!("`{other}` wraps nothing")),
    };
    Ok(Sampler {
        magnification: filter(&texture.magnification)?,
        minification: filter(&texture.minification)?,
        mip: texture.mip.as_deref().map(filter).transpose()?,
        wrap_u: wrap(&texture.wrap_u)?,
        wrap_v: wrap(&texture.wrap_v)?,
    })
}
