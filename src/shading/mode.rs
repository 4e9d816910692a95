//! [`ShadingMode`]: what a picture shows.

use refrast_words::{UnknownWord, words};

use super::srgb::ColorSpace;

words! {
    /// What a picture shows of its surfaces; the formulas stand in the [shading model](super).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum ShadingMode: "shading mode" = Lambert {
        /// Base colour and emission under lights, by Lambert's law alone.
        Lambert = "lambert",
        /// Base colours without light.
        Unlit = "unlit",
        /// World-space normals, −1 … 1 stored as 0 … 255.
        Normals = "normals",
        /// Texture coordinates, the fractions of u and v as red and green.
        Uv = "uv",
        /// Window depth, near bright and far dark.
        Depth = "depth",
        /// The joints that move a vertex, each in a colour of its own.
        Joints = "joints",
        /// Triangle edges over lit clay.
        Wireframe = "wireframe",
    }
}

/// The name is not that of a shading mode.
pub type ParseShadingModeError = UnknownWord;

impl ShadingMode {
    /// Whether surfaces with [`AlphaMode::Blend`](refrast_scene::AlphaMode::Blend) let through what is behind them; in
    /// the other modes they are drawn like opaque ones.
    #[must_use]
    pub const fn blends(self) -> bool {
        matches!(self, Self::Lambert | Self::Unlit)
    }

    /// How the mode's colours become bytes: pictures of light are sRGB, pictures of numbers are linear, so that a
    /// byte ÷ 255 is the number.
    #[must_use]
    pub const fn color_space(self) -> ColorSpace {
        match self {
            Self::Lambert | Self::Unlit | Self::Joints | Self::Wireframe => ColorSpace::Srgb,
            Self::Normals | Self::Uv | Self::Depth => ColorSpace::Linear,
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
