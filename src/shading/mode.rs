//! [`ShadingMode`]: what a picture shows.

use refrast_words::{UnknownWord, words};

use super::srgb::ColorSpace;
use refrast_scene::Material;

words! {
    /// What a picture shows of its surfaces; the formulas stand in the [shading model](super).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum ShadingMode: "shading mode" = Lambert {
        /// Base colour and emission under lights, by Lambert's law alone.
        Lambert = "lambert",
        /// The file's own material under lights: metal, roughness, normal maps, occlusion.
        Lit = "lit",
        /// Base colours without light.
        Unlit = "unlit",
        /// World-space normals, −1 … 1 stored as 0 … 255.
        Normals = "normals",
        /// The same with normal maps.
        ShadingNormals = "shading-normals",
        /// World-space tangents, −1 … 1 stored as 0 … 255.
        Tangents = "tangents",
        /// World-space bitangents, −1 … 1 stored as 0 … 255.
        Bitangents = "bitangents",
        /// Base colours, blended or not.
        BaseColor = "base-color",
        /// How much of a metal a surface is, as grey.
        Metallic = "metallic",
        /// Perceptual roughness, as grey.
        Roughness = "roughness",
        /// What is left of ambient light, as grey.
        Occlusion = "occlusion",
        /// What surfaces send out themselves.
        Emissive = "emissive",
        /// Texture coordinates, the fractions of u and v as red and green.
        Uv = "uv",
        /// Window depth, near bright and far dark.
        Depth = "depth",
        /// The joints that move a vertex, each in a colour of its own.
        Joints = "joints",
        /// Triangle edges over lit clay.
        Wireframe = "wireframe",
        /// Lit clay, coloured by the split of the view that it is in.
        Splits = "splits",
    }
}

/// The parts of a material that a mode reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reads {
    /// Base colour: factor, texture, vertex colours.
    pub base_color: bool,
    /// Emission: factor and texture.
    pub emission: bool,
    /// The normal map.
    pub normal_map: bool,
    /// Metal, roughness and occlusion.
    pub measures: bool,
    /// The textures of KHR_materials_specular, anisotropy, sheen and clearcoat.
    pub specular: bool,
}

/// The name is not that of a shading mode.
pub type ParseShadingModeError = UnknownWord;

impl ShadingMode {
    /// Whether surfaces with [`AlphaMode::Blend`](refrast_scene::AlphaMode::Blend) let through what is behind them; in
    /// the other modes they are drawn like opaque ones.
    #[must_use]
    pub const fn blends(self) -> bool {
        matches!(self, Self::Lambert | Self::Lit | Self::Unlit)
    }

    /// How the mode's colours become bytes: pictures of light are sRGB, pictures of numbers are linear, so that a
    /// byte ÷ 255 is the number.
    #[must_use]
    pub const fn color_space(self) -> ColorSpace {
        match self {
            Self::Lambert
            | Self::Lit
            | Self::Unlit
            | Self::BaseColor
            | Self::Emissive
            | Self::Joints
            | Self::Wireframe
            | Self::Splits => ColorSpace::Srgb,
            Self::Normals
            | Self::ShadingNormals
            | Self::Tangents
            | Self::Bitangents
            | Self::Metallic
            | Self::Roughness
            | Self::Occlusion
            | Self::Uv
            | Self::Depth => ColorSpace::Linear,
        }
    }

    /// What of a material the mode shows, besides what an alpha mask needs.
    #[must_use]
    pub const fn reads(self, material: &Material) -> Reads {
        const NOTHING: Reads =
            Reads { base_color: false, emission: false, normal_map: false, measures: false, specular: false };
        match self {
            Self::Lambert => Reads { base_color: true, emission: !material.unlit, ..NOTHING },
            Self::Lit if material.unlit => Reads { base_color: true, ..NOTHING },
            Self::Lit => Reads { base_color: true, emission: true, normal_map: true, measures: true, specular: true },
            Self::Unlit | Self::BaseColor => Reads { base_color: true, ..NOTHING },
            Self::Emissive => Reads { emission: true, ..NOTHING },
            Self::ShadingNormals => Reads { normal_map: true, ..NOTHING },
            Self::Metallic | Self::Roughness | Self::Occlusion => Reads { measures: true, ..NOTHING },
            Self::Normals
            | Self::Tangents
            | Self::Bitangents
            | Self::Uv
            | Self::Depth
            | Self::Joints
            | Self::Wireframe
            | Self::Splits => NOTHING,
        }
    }

    /// Whether fragments need their normal, as a material has it in this mode.
    #[must_use]
    pub const fn reads_normals(self, material: &Material) -> bool {
        match self {
            Self::Lambert | Self::Lit => !material.unlit,
            Self::Wireframe
            | Self::Splits
            | Self::Normals
            | Self::ShadingNormals
            | Self::Tangents
            | Self::Bitangents => true,
            Self::Unlit
            | Self::BaseColor
            | Self::Metallic
            | Self::Roughness
            | Self::Occlusion
            | Self::Emissive
            | Self::Uv
            | Self::Depth
            | Self::Joints => false,
        }
    }

    /// Whether fragments need their tangent, as a material has it in this mode.
    #[must_use]
    pub fn reads_tangents(self, material: &Material) -> bool {
        match self {
            Self::Lit => !material.unlit && (material.mapped_normals().is_some() || material.anisotropy.is_some()),
            Self::ShadingNormals => material.normal_texture.is_some(),
            _ => matches!(self, Self::Tangents | Self::Bitangents),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_parses_by_its_own_name_and_errors_list_them_all() {
        for mode in ShadingMode::ALL {
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        let error = "Lambert".parse::<ShadingMode>().unwrap_err().to_string();
        assert!(ShadingMode::ALL.iter().all(|mode| error.contains(mode.name())), "{error}");
    }
}
