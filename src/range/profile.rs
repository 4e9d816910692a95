//! [`Profile`]: what a specification lets a backend do differently.
//!
//! Why it exists: a tolerance is only as good as the sentence that allows it. Each freedom is a number here, with the
//! section that gives it, and everything that decides whether a picture is right reads it from here.

use std::{fmt, str::FromStr};

use refrast_words::{Offer, UnknownWord};
use serde::{Deserialize, Serialize};

use crate::{Diffuse, Jpeg, Mips, NormalMaps, Rounding, Tangents};

/// The sets of freedoms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Profile {
    /// Direct3D 11 and later, hardware tier: 8 bits of everything.
    D3d11,
    /// Vulkan 1.4: at least 4 bits of position, 8 of a texel, 6 of a level. The default everywhere: the least that every
    /// backend of today keeps to.
    #[default]
    Vulkan14,
    /// The least that Vulkan 1.0 asks for.
    VulkanMin,
    /// Vulkan with the bits that a device states of itself.
    Vulkan(StatedBits),
    /// The reference's own bytes and nothing else.
    Exact,
}

/// How precise a Vulkan device says it is (`VkPhysicalDeviceLimits`); at least 4 bits each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StatedBits {
    /// `subPixelPrecisionBits`: of a vertex's window position.
    pub subpixel: u8,
    /// `subTexelPrecisionBits`: of a texture coordinate between two texels.
    pub subtexel: u8,
    /// `mipmapPrecisionBits`: of a level of detail between two levels.
    pub mip: u8,
}

impl StatedBits {
    /// What Vulkan asks for, and what f32 can hold.
    const RANGE: std::ops::RangeInclusive<u8> = 4..=23;

    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('-').map(|number| number.parse().ok().filter(|bits| Self::RANGE.contains(bits)));
        let bits = Self { subpixel: numbers.next()??, subtexel: numbers.next()??, mip: numbers.next()?? };
        numbers.next().is_none().then_some(bits)
    }

    /// Bits of a weight, where a device has no more of a coordinate: none that is known has fewer.
    const WEIGHTS: u8 = 8;
    /// Bits after the leading one of the largest texel.
    const MANTISSA: u8 = 7;

    /// The size of a step with this many bits after the point.
    fn step(bits: u8) -> f64 {
        1.0 / (1u64 << bits) as f64
    }

    /// What Vulkan allows a device with these bits and not one more.
    ///
    /// Of the grid it says ("Controlling the Viewport") that a vertex's framebuffer coordinates have limited precision, and
    /// that subPixelPrecisionBits is the number of fractional bits which are retained; the words are the same from 1.0 to 1.4.
    /// No rounding is named, and to retain bits may well mean to cut off the others, so a coordinate may be a whole step off.
    /// (Where the specification wants the nearest it says so: "Conversion From Floating-Point to Normalized Fixed-Point".)
    /// Texel coordinates and levels "snap" to steps ("Limits"), in no stated way either.
    ///
    /// The arithmetic is that of "Precision and Operation of SPIR-V Instructions". Nothing is said of how precisely sRGB is
    /// decoded and how precisely filters compute. Direct3D's rules stand in, with three more freedoms that drivers take
    /// (`refrast-gpu filters` samples floats): NVIDIA's H200 rounds the products of a filter's weights to steps of their own, and gives
    /// sRGB texels that it mixes no more than eight bits, counted from the leading one of the largest; Mesa's llvmpipe rounds each
    /// interpolation of linear bytes to a byte.
    fn freedoms(self) -> Freedoms {
        Freedoms {
            snap: Self::step(self.subpixel),
            grid_bits: None,
            attributes_off_grid: true,
            arithmetic: ULP,
            division: 2.5 * ULP,
            inverse_square_root: 2.0 * ULP,
            texel: Self::step(self.subtexel),
            level: Self::step(self.mip),
            scale_factor: ScaleFactor::Magnitudes,
            decode: 0.5,
            filter: 0.5,
            interpolation: 0.5,
            weights: Self::step(self.subtexel.max(Self::WEIGHTS)),
            cut: Self::step(Self::MANTISSA),
            output: 1.0,
            depth: ULP,
            anisotropy: 1.0,
            mips: Mips::Linear,
            jpeg: Jpeg::Reference,
            diffuse: Diffuse::Beneath,
            normal_maps: NormalMaps::Three,
            tangents: Tangents::Interpolated,
        }
    }
}

/// The freedoms of a profile, as numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Freedoms {
    /// How far a vertex may end from its exact window position, along each axis, in pixels: half a step of the
    /// coarsest grid where it rounds to nearest, a whole step where rounding is free.
    pub snap: f64,
    /// Fraction bits of the grid, where the specification leaves no choice of them: most vertices then have one place only.
    pub grid_bits: Option<u32>,
    /// Whether attributes and depth may be interpolated from the positions before they were rounded to the grid.
    pub attributes_off_grid: bool,
    /// Relative error of a sum, a difference or a product (u = 2^-24 is half a ULP).
    pub arithmetic: f64,
    /// Relative error of a division.
    pub division: f64,
    /// Relative error of an inverse square root.
    pub inverse_square_root: f64,
    /// How far a texture coordinate may be off when the filter takes its fraction, in texels.
    pub texel: f64,
    /// How far a level of detail may be off when the filter takes its fraction, in levels.
    pub level: f64,
    /// How the scale factor follows from derivatives.
    pub scale_factor: ScaleFactor,
    /// How far the decoding of an sRGB texel may be off, in steps of its byte, above 0; the bytes 0 and 255 are exact.
    pub decode: f64,
    /// How far a texture filter's result may be off, in steps of a byte of the texture, between the smallest and the
    /// largest texel.
    pub filter: f64,
    /// How far each interpolation of texels that are no sRGB may be off, in steps of a byte: across, down, and between levels.
    pub interpolation: f64,
    /// How far the weights of a linear filter's four texels may be off together, as a part of what lies between the smallest
    /// and the largest of them; between two levels, of eight texels, twice as much.
    pub weights: f64,
    /// How much of an sRGB texel may be cut off where it is mixed with larger ones, as a part of the power of two that is
    /// at or below the largest.
    pub cut: f64,
    /// How far a stored byte may be from the exact value, in steps of 1/255 of the encoded value.
    pub output: f64,
    /// How far a stored depth may be from the exact value.
    pub depth: f64,
    /// The most samples along a pixel's longer axis in a minified texture: 1 unless somebody declares it.
    pub anisotropy: f64,
    /// Where mip levels come from: the reference's bytes unless somebody declares it.
    pub mips: Mips,
    /// Whose texels JPEG images have: the reference's unless somebody declares it.
    pub jpeg: Jpeg,
    /// What is left for diffuse light: what the reflection lets through unless somebody declares it.
    pub diffuse: Diffuse,
    /// Where z of normal maps comes from: blue unless somebody declares it.
    pub normal_maps: NormalMaps,
    /// What frame they stand in: the interpolated one unless somebody declares it.
    pub tangents: Tangents,
}

/// How a sampler finds the scale factor ρ from the derivatives of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaleFactor {
    /// Between the longer of the two derivatives and the longer axis of the pixel's ellipse (Direct3D 11.3 Functional
    /// Specification, 7.18.11).
    Axes,
    /// Between the largest component and √2 times the sum of the components (Vulkan, "Scale Factor Operation").
    Magnitudes,
}

const ULP: f64 = 1.0 / (1u64 << 23) as f64;

impl Profile {
    /// What a profile is called, in words that follow "there is no".
    pub(crate) const KIND: &str = "profile";

    /// The profiles without parameters, and what is said of them.
    const NAMED: [(Self, Offer); 4] = [
        (Self::D3d11, Offer::new("d3d11", "Direct3D 11 and later, hardware tier: 8 bits of everything")),
        (Self::Vulkan14, Offer::new("vulkan14", "Vulkan 1.4: 4 bits of position, 8 of a texel, 6 of a level")),
        (Self::VulkanMin, Offer::new("vulkan-min", "The least that Vulkan 1.0 asks for: 4 bits each")),
        (Self::Exact, Offer::new("exact", "The bytes of the reference and nothing else")),
    ];

    /// How [`Profile::Vulkan`] is written.
    const STATED: Offer =
        Offer::new("vulkan-SUBPIXEL-SUBTEXEL-MIP", "Vulkan with the bits that the device states, as in vulkan-8-8-4");

    /// All profiles that have a name.
    pub const ALL: [Self; 4] = [Self::NAMED[0].0, Self::NAMED[1].0, Self::NAMED[2].0, Self::NAMED[3].0];

    /// What can be written for a profile.
    pub fn offers() -> impl Iterator<Item = Offer> {
        Self::NAMED.iter().map(|&(_, offer)| offer).chain([Self::STATED])
    }

    /// What it stands for, in one line.
    #[must_use]
    pub fn about(self) -> &'static str {
        self.offer().about
    }

    fn offer(self) -> Offer {
        Self::NAMED.iter().find(|(profile, _)| *profile == self).map_or(Self::STATED, |&(_, offer)| offer)
    }

    /// How it lets sums and products round.
    #[must_use]
    pub const fn rounding(self) -> Rounding {
        match self {
            Self::D3d11 | Self::Exact => Rounding::Nearest,
            Self::Vulkan14 | Self::VulkanMin | Self::Vulkan(_) => Rounding::AnyDirection,
        }
    }

    /// What it allows; `None` for [`Profile::Exact`], which allows nothing.
    #[must_use]
    pub fn freedoms(self) -> Option<Freedoms> {
        match self {
            // Direct3D 11.3 Functional Specification, 3.1 (arithmetic), 3.4.1 and 15.16 (rasterisation: "snapped to exactly
            // n.8 fixed point integers"; "the requirement is EXACTLY 8 bits"), 3.2.4.1 (FLOAT -> fixed: 0.6 ULP), 7.18
            // (sampling: 8 bits), 7.18.16.2 (filters as precise as the format, which is half a step), 3.2.3.7 (SRGB -> FLOAT:
            // half a step), 3.2.3.6 (FLOAT -> UNORM: 0.6 ULP).
            Self::D3d11 => Some(Freedoms {
                snap: 0.6 / 256.0,
                grid_bits: Some(8),
                attributes_off_grid: false,
                arithmetic: ULP / 2.0,
                division: 1.5 * ULP,
                inverse_square_root: 1.0 / (1u64 << 21) as f64,
                texel: 1.0 / 256.0,
                level: 1.0 / 256.0,
                scale_factor: ScaleFactor::Axes,
                decode: 0.5,
                filter: 0.5,
                interpolation: 0.0,
                weights: 0.0,
                cut: 0.0,
                output: 0.6,
                depth: ULP,
                anisotropy: 1.0,
                mips: Mips::Linear,
                jpeg: Jpeg::Reference,
                diffuse: Diffuse::Beneath,
                normal_maps: NormalMaps::Three,
                tangents: Tangents::Interpolated,
            }),
            // Vulkan 1.4, table "Required Limits": the least bits of position (8 are Roadmap 2026's), texel and level.
            Self::Vulkan14 => Some(StatedBits { subpixel: 4, subtexel: 8, mip: 6 }.freedoms()),
            // Vulkan 1.0: 4 bits each.
            Self::VulkanMin => Some(StatedBits { subpixel: 4, subtexel: 4, mip: 4 }.freedoms()),
            Self::Vulkan(bits) => Some(bits.freedoms()),
            Self::Exact => None,
        }
    }
}

impl fmt::Display for Profile {
    /// The name on the command line and in files.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vulkan(StatedBits { subpixel, subtexel, mip }) => {
                formatter.pad(&format!("vulkan-{subpixel}-{subtexel}-{mip}"))
            }
            named => formatter.pad(named.offer().name),
        }
    }
}

impl From<Profile> for String {
    fn from(profile: Profile) -> Self {
        profile.to_string()
    }
}

impl TryFrom<String> for Profile {
    type Error = UnknownProfileError;

    fn try_from(name: String) -> Result<Self, UnknownProfileError> {
        name.parse()
    }
}

/// No profile has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} with the bits that a device states, 4 to 23 each, as in vulkan-8-8-4")]
pub struct UnknownProfileError(UnknownWord);

impl FromStr for Profile {
    type Err = UnknownProfileError;

    fn from_str(name: &str) -> Result<Self, UnknownProfileError> {
        let named = Self::NAMED.iter().find(|(_, offer)| offer.name == name).map(|&(profile, _)| profile);
        let stated = || name.strip_prefix("vulkan-").and_then(StatedBits::parse).map(Self::Vulkan);
        let known = || Self::offers().map(|offer| offer.name);
        named.or_else(stated).ok_or_else(|| UnknownProfileError(UnknownWord::new(Self::KIND, name, known())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for profile in Profile::ALL {
            assert_eq!(profile.to_string().parse(), Ok(profile));
        }
        let lavapipe = Profile::Vulkan(StatedBits { subpixel: 8, subtexel: 8, mip: 4 });
        assert_eq!("vulkan-8-8-4".parse(), Ok(lavapipe));
        assert_eq!(lavapipe.to_string(), "vulkan-8-8-4");
        for wrong in ["dx9", "vulkan", "vulkan-8-8", "vulkan-8-8-4-4", "vulkan-8-3-4", "vulkan-8-8-24", "vulkan-8-8-+x"]
        {
            let error = wrong.parse::<Profile>().unwrap_err().to_string();
            assert!(Profile::offers().all(|offer| error.contains(offer.name)), "{error}");
        }
    }

    #[test]
    fn each_profile_allows_at_least_what_the_stricter_one_does() {
        let freedoms =
            [Profile::D3d11, Profile::Vulkan14, Profile::VulkanMin].map(|p| p.freedoms().expect("not exact"));
        for pair in freedoms.windows(2) {
            let [strict, free] = [pair[0], pair[1]];
            assert!(strict.snap <= free.snap && strict.texel <= free.texel && strict.level <= free.level);
            assert!(strict.division <= free.division && strict.output <= free.output);
        }
        assert_eq!(Profile::Exact.freedoms(), None);
    }

    /// A profile is no stricter than a device may be that states the least bits which the profile asks for.
    #[test]
    fn a_named_profile_allows_what_the_least_stated_bits_do() {
        for (named, stated) in [(Profile::Vulkan14, "vulkan-4-8-6"), (Profile::VulkanMin, "vulkan-4-4-4")] {
            assert_eq!(named.freedoms(), stated.parse::<Profile>().unwrap().freedoms(), "{named} and {stated}");
        }
    }

    #[test]
    fn stated_bits_are_steps_of_a_half_to_the_power_of_them() {
        let freedoms = "vulkan-8-6-4".parse::<Profile>().ok().and_then(Profile::freedoms).expect("it grants some");
        assert_eq!([freedoms.snap, freedoms.texel, freedoms.level], [1.0 / 256.0, 1.0 / 64.0, 1.0 / 16.0]);
    }
}
