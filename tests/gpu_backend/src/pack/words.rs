//! What the words of a pack mean: lights, materials, samplers.

use glam::Mat4;
use refrast::{
    scene::{
        AlphaMode, Anisotropy, Clearcoat, Filter, Light, LightKind, Material, Sampler, Sheen, TextureReference,
        TextureTransform, Wrap,
    },
    shading::{CastingLight, MapPlan, ShadowPlan, ShadowSettings, Split},
};

use super::files::{
    AnisotropyFile, CastingFile, CoatFile, LightFile, MapFile, MaterialFile, ShadowsFile, SheenFile, TextureFile,
    TextureUse,
};

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
    let anisotropy = |anisotropy: &AnisotropyFile| Anisotropy {
        strength: anisotropy.strength,
        rotation: anisotropy.rotation,
        texture: anisotropy.texture.as_ref().map(texture),
    };
    let sheen = |sheen: &SheenFile| Sheen {
        color_factor: sheen.color_factor,
        color_texture: sheen.color_texture.as_ref().map(texture),
        roughness_factor: sheen.roughness_factor,
        roughness_texture: sheen.roughness_texture.as_ref().map(texture),
    };
    let coat = |coat: &CoatFile| Clearcoat {
        factor: coat.factor,
        texture: coat.texture.as_ref().map(texture),
        roughness_factor: coat.roughness_factor,
        roughness_texture: coat.roughness_texture.as_ref().map(texture),
        normal_texture: coat.normal_texture.as_ref().map(texture),
        normal_scale: coat.normal_scale,
    };
    Ok(Material {
        name: None,
        base_color_factor: material.base_color_factor,
        base_color_texture: material.base_color_texture.as_ref().map(texture),
        emissive_factor: material.emissive_factor,
        emissive_texture: material.emissive_texture.as_ref().map(texture),
        metallic_factor: material.metallic_factor,
        roughness_factor: material.roughness_factor,
        metallic_roughness_texture: material.metallic_roughness_texture.as_ref().map(texture),
        normal_scale: material.normal_scale,
        normal_texture: material.normal_texture.as_ref().map(texture),
        occlusion_strength: material.occlusion_strength,
        occlusion_texture: material.occlusion_texture.as_ref().map(texture),
        ior: material.ior,
        specular_factor: material.specular_factor,
        specular_texture: material.specular_texture.as_ref().map(texture),
        specular_color_factor: material.specular_color_factor,
        specular_color_texture: material.specular_color_texture.as_ref().map(texture),
        anisotropy: material.anisotropy.as_ref().map(anisotropy),
        sheen: material.sheen.as_ref().map(sheen),
        clearcoat: material.clearcoat.as_ref().map(coat),
        alpha_mode: match (material.alpha_mode.as_str(), material.cutoff) {
            ("opaque", _) => AlphaMode::Opaque,
            ("mask", Some(cutoff)) => AlphaMode::Mask { cutoff },
            ("blend", _) => AlphaMode::Blend,
            (other, _) => return Err(format!("`{other}` is no alpha mode, or lacks its cutoff")),
        },
        double_sided: material.double_sided,
        unlit: material.unlit,
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

/// How shadows are made, with all splits and matrices.
pub(super) fn shadows(file: &ShadowsFile) -> Result<ShadowPlan, String> {
    let mut settings = ShadowSettings::default();
    for (name, word) in &file.settings {
        settings.set(name, word).map_err(|error| error.to_string())?;
    }
    settings.check().map_err(|error| error.to_string())?;
    let splits = file.splits.iter().map(|split| Split { near: split.near, far: split.far, corners: split.corners });
    let map = |map: &MapFile| MapPlan {
        view_projection: Mat4::from_cols_array(&map.view_projection),
        lookup: Mat4::from_cols_array(&map.lookup),
    };
    let light = |light: &CastingFile| {
        let cascaded = match light.kind.as_str() {
            "directional" => true,
            "spot" => false,
            other => return Err(format!("a `{other}` light casts no shadow")),
        };
        Ok(CastingLight { light: light.light, cascaded, maps: light.maps.iter().map(map).collect() })
    };
    Ok(ShadowPlan {
        settings,
        splits: splits.collect(),
        depth_row: file.depth_row,
        lights: file.lights.iter().map(light).collect::<Result<_, _>>()?,
    })
}
