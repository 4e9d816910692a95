//! [`Rules`]: what a backend may do, by one name: how precise it is, and what it has chosen.
//!
//! Why it exists: who draws on a browser's canvas thinks of WebGL 2, and not of four options. A named set of rules is a
//! profile's freedoms together with the choices that such a target makes.

use std::{fmt, str::FromStr};

use refrast_words::{Offer, UnknownWord};

use crate::{Blend, Declared, Profile, Resolve};

/// A profile and what is declared beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// How precise backends are.
    pub profile: Profile,
    /// What they have chosen.
    pub declared: Declared,
}

/// Targets of encoded colours whose API states few bits: the least that Vulkan 1.0 asks for stands in for those that it does not
/// state. Their colours are encoded by a shader and are numbers to everything after it: blending, and the mean of samples.
const TARGETS: [Offer; 3] = [
    Offer::new("webgl2", "A canvas of WebGL 2: 4 bits each; blends and resolves stored bytes"),
    Offer::new("webgpu", "A canvas of WebGPU: 4 bits each; blends and resolves stored bytes"),
    Offer::new(
        "opengl33",
        "A window of OpenGL 3.3 without GL_FRAMEBUFFER_SRGB: 4 bits each; blends and resolves stored bytes",
    ),
];

impl Rules {
    /// What such a target has chosen.
    const OF_TARGETS: Self = Self {
        profile: Profile::VulkanMin,
        declared: Declared { resolve: Resolve::Stored, blend: Blend::Stored, ..Declared::NOTHING },
    };

    /// What can be written for them.
    pub fn offers() -> impl Iterator<Item = Offer> {
        Profile::offers().chain(TARGETS)
    }

    /// These, with what somebody has declared beside them.
    #[must_use]
    pub fn with(self, declared: Declared) -> Self {
        Self { declared: declared.or(self.declared), ..self }
    }
}

impl From<Profile> for Rules {
    fn from(profile: Profile) -> Self {
        Self { profile, declared: Declared::default() }
    }
}

/// The profile, and what is declared as options.
impl fmt::Display for Rules {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.declared.is_nothing() {
            true => self.profile.fmt(formatter),
            false => write!(formatter, "{} {}", self.profile, self.declared),
        }
    }
}

/// No rules have this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}; SUBPIXEL, SUBTEXEL and MIP are the bits that a device states, 4 to 23 each, as in vulkan-8-8-4")]
pub struct UnknownRulesError(UnknownWord);

impl FromStr for Rules {
    type Err = UnknownRulesError;

    fn from_str(name: &str) -> Result<Self, UnknownRulesError> {
        if TARGETS.iter().any(|target| target.name == name) {
            return Ok(Self::OF_TARGETS);
        }
        let known = || Self::offers().map(|offer| offer.name);
        let unknown = |_| UnknownRulesError(UnknownWord::new(Profile::KIND, name, known()));
        name.parse().map(|profile: Profile| profile.into()).map_err(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_profile_and_its_choices() {
        let canvas: Rules = "webgl2".parse().unwrap();
        assert_eq!(canvas.to_string(), "vulkan-min --resolve stored --blend stored");
        assert_eq!("d3d11".parse(), Ok(Rules::from(Profile::D3d11)));
        assert_eq!(Rules::from(Profile::D3d11).to_string(), "d3d11");
        let stretched = Declared { anisotropy: 8, ..Declared::default() };
        assert_eq!(canvas.with(stretched).declared, Declared { anisotropy: 8, ..canvas.declared });
        for offer in Rules::offers().filter(|offer| !offer.name.contains("SUBPIXEL")) {
            offer.name.parse::<Rules>().unwrap();
        }
        let said = "dx9".parse::<Rules>().unwrap_err().to_string();
        assert!(Rules::offers().all(|offer| said.contains(offer.name)), "{said}");
    }
}
