//! [`Declared`]: what an API or an engine has chosen where the picture shows it and no profile leaves it open.
//!
//! Why it exists: a canvas averages stored bytes where others average light, and engines of yesterday blend so. None of
//! that is a mistake of precision, and none of it may pass unasked. Who knows what an engine does declares it; then pictures
//! made so are right as well, and everything else is held as before.

use std::fmt;

use refrast_words::words;
use serde::{Deserialize, Serialize};

words! {
    /// What the samples of a pixel are averaged as.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(into = "&'static str", try_from = "String")]
    pub enum Resolve: "way to resolve" = Linear {
        /// Light: stored bytes are decoded, averaged and encoded again (sRGB targets of Direct3D, Vulkan, OpenGL).
        Linear = "linear",
        /// The stored bytes as they are, as a browser's canvas does, and targets that hold encoded colours as numbers.
        Stored = "stored",
    }
}

words! {
    /// What blending mixes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(into = "&'static str", try_from = "String")]
    pub enum Blend: "way to blend" = Linear {
        /// Light, as sRGB targets do.
        Linear = "linear",
        /// Encoded values: the shader encodes, and the target holds numbers.
        Stored = "stored",
    }
}

words! {
    /// What is added before colours are rounded to bytes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(into = "&'static str", try_from = "String")]
    pub enum Dither: "dither" = None {
        /// Nothing.
        None = "none",
        /// A pattern of less than half a step either way (GL_DITHER, and engines against banding).
        Ordered1Lsb = "ordered-1lsb",
    }
}

words! {
    /// How colours become stored values.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(into = "&'static str", try_from = "String")]
    pub enum Encode: "encoding" = Srgb {
        /// The curve of sRGB (IEC 61966-2-1).
        Srgb = "srgb",
        /// The power 1/2.2, in a shader.
        Gamma22 = "gamma-2.2",
    }
}

words! {
    /// Where the mip levels of textures come from.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(into = "&'static str", try_from = "String")]
    pub enum Mips: "origin of mip levels" = Linear {
        /// The reference's own bytes: means of light over areas, as a pack carries them.
        Linear = "linear",
        /// Means of stored bytes over the same areas, as of textures that are filtered without decoding them.
        Stored = "stored",
        /// None: a texture has its file's level alone.
        None = "none",
        /// A driver's own filter, which OpenGL and Direct3D leave open: anything between the texels that it may reach.
        Given = "given",
    }
}

words! {
    /// Whose texels the images are that are stored as JPEG.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(into = "&'static str", try_from = "String")]
    pub enum Jpeg: "decoder of JPEG" = Reference {
        /// The reference's own bytes, as a pack carries them.
        Reference = "reference",
        /// Those of another decoder that is as precise and fills in colour differences likewise: a step or two of 255 in each component.
        Rounded = "rounded",
        /// Those of any decoder: two steps in each component, and colour differences that lie anywhere between those around a texel.
        Any = "any",
    }
}

words! {
    /// What is left for the diffuse light of a surface that reflects as well.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(into = "&'static str", try_from = "String")]
    pub enum Diffuse: "diffuse light" = Beneath {
        /// What the reflection lets through, 1 − F (glTF 2.0, appendix B).
        Beneath = "beneath",
        /// What it lets through head-on, 1 − F₀, from wherever light comes.
        HeadOn = "head-on",
        /// All of it, beside the reflection.
        Whole = "whole",
        /// All of it, scattered as Burley has it, by roughness as a file states it.
        Burley = "burley",
        /// The same, by the square of roughness.
        BurleySquared = "burley-squared",
    }
}

words! {
    /// Where the third number of a normal map comes from.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(into = "&'static str", try_from = "String")]
    pub enum NormalMaps: "channels of normal maps" = Three {
        /// Its blue channel, as glTF 2.0 has it.
        Three = "three",
        /// Red and green: z = √(1 − x² − y²), of what the filter gives, as of textures with two channels.
        Two = "two",
    }
}

words! {
    /// What frame a normal map stands in.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(into = "&'static str", try_from = "String")]
    pub enum Tangents: "frame of normal maps" = Interpolated {
        /// Normal and tangent as they are interpolated (MikkTSpace).
        Interpolated = "interpolated",
        /// Both of unit length in the pixel, the tangent at right angles to the normal.
        Orthogonal = "orthogonal",
    }
}

/// The choices of an engine; by default those of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Declared {
    /// What the samples of a pixel are averaged as.
    pub resolve: Resolve,
    /// What blending mixes.
    pub blend: Blend,
    /// What is added before colours are rounded.
    pub dither: Dither,
    /// How colours become stored values.
    pub encode: Encode,
    /// The most samples along a pixel's longer axis in a minified texture: 1 to 16.
    pub anisotropy: u8,
    /// Where mip levels come from.
    pub mips: Mips,
    /// Whose texels JPEG images have.
    pub jpeg: Jpeg,
    /// What is left for diffuse light.
    pub diffuse: Diffuse,
    /// Where z of normal maps comes from.
    pub normal_maps: NormalMaps,
    /// What frame they stand in.
    pub tangents: Tangents,
}

impl Default for Declared {
    fn default() -> Self {
        Self::NOTHING
    }
}

impl Declared {
    /// The reference's own choices.
    pub const NOTHING: Self = Self {
        resolve: Resolve::Linear,
        blend: Blend::Linear,
        dither: Dither::None,
        encode: Encode::Srgb,
        anisotropy: 1,
        mips: Mips::Linear,
        jpeg: Jpeg::Reference,
        diffuse: Diffuse::Beneath,
        normal_maps: NormalMaps::Three,
        tangents: Tangents::Interpolated,
    };

    /// The most that samplers offer.
    pub const MOST_ANISOTROPY: u8 = 16;

    /// Whether nothing is declared.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// These, and those of `others` where these are the reference's.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        fn either<T: PartialEq>(own: T, other: T, nothing: T) -> T {
            if own == nothing { other } else { own }
        }
        let nothing = Self::NOTHING;
        Self {
            resolve: either(self.resolve, others.resolve, nothing.resolve),
            blend: either(self.blend, others.blend, nothing.blend),
            dither: either(self.dither, others.dither, nothing.dither),
            encode: either(self.encode, others.encode, nothing.encode),
            anisotropy: either(self.anisotropy, others.anisotropy, nothing.anisotropy),
            mips: either(self.mips, others.mips, nothing.mips),
            jpeg: either(self.jpeg, others.jpeg, nothing.jpeg),
            diffuse: either(self.diffuse, others.diffuse, nothing.diffuse),
            normal_maps: either(self.normal_maps, others.normal_maps, nothing.normal_maps),
            tangents: either(self.tangents, others.tangents, nothing.tangents),
        }
    }

    /// Each choice that can be declared beside these, alone; of one option, what allows less comes first.
    pub fn one_more(&self) -> impl Iterator<Item = Self> {
        let own = *self;
        let all = [
            Self { resolve: Resolve::Stored, ..own },
            Self { blend: Blend::Stored, ..own },
            Self { dither: Dither::Ordered1Lsb, ..own },
            Self { encode: Encode::Gamma22, ..own },
            Self { anisotropy: Self::MOST_ANISOTROPY, ..own },
            Self { mips: Mips::Stored, ..own },
            Self { mips: Mips::None, ..own },
            Self { mips: Mips::Given, ..own },
            Self { jpeg: Jpeg::Rounded, ..own },
            Self { jpeg: Jpeg::Any, ..own },
            Self { diffuse: Diffuse::HeadOn, ..own },
            Self { diffuse: Diffuse::Whole, ..own },
            Self { diffuse: Diffuse::Burley, ..own },
            Self { diffuse: Diffuse::BurleySquared, ..own },
            Self { normal_maps: NormalMaps::Two, ..own },
            Self { tangents: Tangents::Orthogonal, ..own },
        ];
        // Means of stored bytes are one of all the chains that a driver may give, and so with decoders.
        let is_more = move |other: &Self| {
            let is_one_of_all = own.mips == Mips::Given && other.mips == Mips::Stored;
            *other != own && !is_one_of_all && (own.jpeg != Jpeg::Any || other.jpeg == own.jpeg)
        };
        all.into_iter().filter(is_more)
    }

    /// These with some choices taken back, but not all of them; what takes back fewest comes first.
    #[must_use]
    pub fn fewer(&self) -> Vec<Self> {
        let nothing = Self::NOTHING;
        let take_back: [fn(&mut Self, Self); 10] = [
            |own, nothing| own.resolve = nothing.resolve,
            |own, nothing| own.blend = nothing.blend,
            |own, nothing| own.dither = nothing.dither,
            |own, nothing| own.encode = nothing.encode,
            |own, nothing| own.anisotropy = nothing.anisotropy,
            |own, nothing| own.mips = nothing.mips,
            |own, nothing| own.jpeg = nothing.jpeg,
            |own, nothing| own.diffuse = nothing.diffuse,
            |own, nothing| own.normal_maps = nothing.normal_maps,
            |own, nothing| own.tangents = nothing.tangents,
        ];
        let without = |take_back: &fn(&mut Self, Self)| {
            let mut fewer = *self;
            take_back(&mut fewer, nothing);
            fewer
        };
        let declared: Vec<_> = take_back.into_iter().filter(|take_back| without(take_back) != *self).collect();
        let all = (1u32 << declared.len()) - 1;
        let mut taken: Vec<u32> = (1..all).collect();
        taken.sort_by_key(|taken| taken.count_ones());
        let left = |taken: u32| {
            let mut left = *self;
            let taken_back = declared.iter().enumerate().filter(|(place, _)| taken >> place & 1 == 1);
            taken_back.for_each(|(_, take_back)| take_back(&mut left, nothing));
            left
        };
        taken.into_iter().map(left).collect()
    }

    /// What of these is not among `others`, as options.
    #[must_use]
    pub fn beside(&self, others: &Self) -> String {
        let pairs = [
            ("--resolve", self.resolve.name().to_owned(), self.resolve == others.resolve),
            ("--blend", self.blend.name().to_owned(), self.blend == others.blend),
            ("--dither", self.dither.name().to_owned(), self.dither == others.dither),
            ("--encode", self.encode.name().to_owned(), self.encode == others.encode),
            ("--anisotropy", self.anisotropy.to_string(), self.anisotropy == others.anisotropy),
            ("--mips", self.mips.name().to_owned(), self.mips == others.mips),
            ("--jpeg", self.jpeg.name().to_owned(), self.jpeg == others.jpeg),
            ("--diffuse", self.diffuse.name().to_owned(), self.diffuse == others.diffuse),
            ("--normal-maps", self.normal_maps.name().to_owned(), self.normal_maps == others.normal_maps),
            ("--tangents", self.tangents.name().to_owned(), self.tangents == others.tangents),
        ];
        let said = pairs.into_iter().filter(|(.., same)| !same).map(|(option, value, _)| format!("{option} {value}"));
        said.collect::<Vec<_>>().join(" ")
    }
}

/// As options: `--resolve stored --blend stored`; empty where nothing is declared.
impl fmt::Display for Declared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.beside(&Self::default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_declared_is_said_as_options() {
        assert_eq!(Declared::default().to_string(), "");
        let canvas = Declared { resolve: Resolve::Stored, encode: Encode::Gamma22, ..Declared::default() };
        assert_eq!(canvas.to_string(), "--resolve stored --encode gamma-2.2");
        assert!(!canvas.is_nothing() && Declared::default().is_nothing());
        let more: Vec<String> = canvas.one_more().map(|more| more.beside(&canvas)).collect();
        assert_eq!(
            more,
            [
                "--blend stored",
                "--dither ordered-1lsb",
                "--anisotropy 16",
                "--mips stored",
                "--mips none",
                "--mips given",
                "--jpeg rounded",
                "--jpeg any",
                "--diffuse head-on",
                "--diffuse whole",
                "--diffuse burley",
                "--diffuse burley-squared",
                "--normal-maps two",
                "--tangents orthogonal"
            ]
        );
        assert!(Declared::default().fewer().is_empty());
        let fewer: Vec<String> = canvas.fewer().iter().map(Declared::to_string).collect();
        assert_eq!(fewer, ["--encode gamma-2.2", "--resolve stored"]);
        let three = Declared { diffuse: Diffuse::Whole, ..canvas }.fewer();
        assert_eq!((three.len(), three[0].to_string().as_str()), (6, "--encode gamma-2.2 --diffuse whole"));
        let any = Declared { jpeg: Jpeg::Any, ..Declared::default() };
        assert!(any.one_more().all(|more| more.jpeg == Jpeg::Any && more != any));
        let given = Declared { mips: Mips::Given, ..Declared::default() };
        assert!(given.one_more().all(|more| more.mips != Mips::Stored && more != given));
    }
}
