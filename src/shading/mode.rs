//! [`ShadingMode`]: what a picture shows.

use std::{fmt, str::FromStr};

use super::srgb::ColorSpace;

/// What a picture shows of its surfaces; the formulas stand in the [shading model](super).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ShadingMode {
    /// Materials under lights.
    #[default]
    Lit,
    /// Base colours without light.
    Unlit,
    /// World-space normals, −1 … 1 stored as 0 … 255.
    Normals,
    /// Texture coordinates, the fractions of u and v as red and green.
    Uv,
    /// Window depth, near bright and far dark.
    Depth,
    /// The joints that move a vertex, each in a colour of its own.
    Joints,
    /// Triangle edges over lit clay.
    Wireframe,
}

/// The name is not that of a shading mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown shading mode `{0}`; choose one of: {names}", names = ShadingMode::ALL.map(ShadingMode::name).join(", "))]
pub struct ParseShadingModeError(String);

impl ShadingMode {
    /// Every mode.
    pub const ALL: [Self; 7] =
        [Self::Lit, Self::Unlit, Self::Normals, Self::Uv, Self::Depth, Self::Joints, Self::Wireframe];

    /// The mode's name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lit => "lit",
            Self::Unlit => "unlit",
            Self::Normals => "normals",
            Self::Uv => "uv",
            Self::Depth => "depth",
            Self::Joints => "joints",
            Self::Wireframe => "wireframe",
        }
    }

    /// Whether surfaces with [`AlphaMode::Blend`](refrast_scene::AlphaMode::Blend) let through what is behind them; in
    /// the other modes they are drawn like opaque ones.
    #[must_use]
    pub const fn blends(self) -> bool {
        matches!(self, Self::Lit | Self::Unlit)
    }

    /// How the mode's colours become bytes: pictures of light are sRGB, pictures of numbers are linear, so that a
    /// byte ÷ 255 is the number.
    #[must_use]
    pub const fn color_space(self) -> ColorSpace {
        match self {
            Self::Lit | Self::Unlit | Self::Joints | Self::Wireframe => ColorSpace::Srgb,
            Self::Normals | Self::Uv | Self::Depth => ColorSpace::Linear,
        }
    }
}

impl fmt::Display for ShadingMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for ShadingMode {
    type Err = ParseShadingModeError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|mode| mode.name() == name).ok_or_else(|| ParseShadingModeError(name.to_owned()))
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
        let error = "Lit".parse::<ShadingMode>().unwrap_err().to_string();
        assert!(ShadingMode::ALL.iter().all(|mode| error.contains(mode.name())), "{error}");
    }
}
