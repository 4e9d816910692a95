//! [`Mistake`]: what emulators of vertex programs get wrong, built into the backend.
//!
//! Why it exists: a check that has never seen a wrong emulator may be blind. Each mistake is a small honest version of a
//! real one, at the place where emulators have it: in the program's text as it is carried over, in what is uploaded, or in
//! the fragment stage that takes the program's results.

use std::borrow::Cow;

use refrast::render::program::ProgramDraw;

use crate::context::Context;

/// Registers of the constant file.
const CONSTANTS: u32 = 96;
/// Registers that follow the file where nobody checks, and where the palette of these programs begins.
const BEYOND: u32 = 32;
const PALETTE: usize = 12;
/// The attribute register with the row of each influence's joint.
const ROWS: u8 = 6;

refrast::words::names! {
    /// A mistake of an emulator, named as in the list of known traps.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Mistake: "mistake" {
        /// A bone has three rows, and is looked up at four times its index.
        PaletteStrideFour = "palette-stride-four",
        /// All sections of a split mesh use the first one's palette.
        PaletteSplitWrongRemap = "palette-split-wrong-remap",
        /// Rows come as fractions of 255 in 16-bit floats, and lose one when the address register cuts them off.
        AddressRounding = "address-rounding",
        /// A relative read outside of the constant file finds what lies behind it: the palette goes on there.
        RelativeReadUnchecked = "relative-read-unchecked",
        /// The program is run as it is where zero times infinity is not zero.
        ZeroTimesInfinity = "zero-times-infinity",
        /// Colours leave the vertex stage as varyings do, and are clamped for each pixel only.
        LightNotClamped = "light-not-clamped",
    }
}

impl Mistake {
    /// The program as an emulator with this mistake carries it over.
    #[must_use]
    pub fn program(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::PaletteStrideFour | Self::PaletteSplitWrongRemap => text.into(),
            Self::AddressRounding => {
                let declared = text.replace("ADDRESS A0;", "ADDRESS A0;\nTEMP row;\nMUL row, vertex.attrib[6], 255.0;");
                declared.replace("ARL A0.x, vertex.attrib[6]", "ARL A0.x, row").into()
            }
            Self::RelativeReadUnchecked => {
                let all = CONSTANTS + BEYOND;
                let file = format!("c0[{all}] = {{ program.env[0..{}] }}", all - 1);
                text.replace("c0[96] = { program.env[0..95] }", &file).into()
            }
            Self::ZeroTimesInfinity => {
                let guarded = |line: &&str| !line.ends_with(ZERO_GUARD);
                text.lines().filter(guarded).collect::<Vec<_>>().join("\n").into()
            }
            Self::LightNotClamped => text.replace("result.color", "result.texcoord[1]").into(),
        }
    }

    /// The fragment program that takes its results.
    pub(crate) fn fragment_program(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::LightNotClamped => text.replace("fragment.color", "fragment.texcoord[1]").into(),
            _ => text.into(),
        }
    }

    /// The draw whose constants are set for a draw.
    pub(crate) fn constants_of<'d, 's>(
        self,
        draws: &'d [ProgramDraw<'s>],
        draw: &'d ProgramDraw<'s>,
    ) -> &'d ProgramDraw<'s> {
        let same = |other: &&ProgramDraw<'_>| other.node == draw.node && std::ptr::eq(other.primitive, draw.primitive);
        match self {
            Self::PaletteSplitWrongRemap => draws.iter().find(same).unwrap_or(draw),
            _ => draw,
        }
    }

    /// Sets what lies behind the constant file.
    pub(crate) fn set_beyond(self, context: &Context, draw: &ProgramDraw<'_>) {
        if self == Self::RelativeReadUnchecked {
            let palette = draw.constants.iter().skip(PALETTE);
            (CONSTANTS..CONSTANTS + BEYOND).zip(palette).for_each(|(index, row)| context.set_environment(index, row));
        }
    }

    /// The bytes of an attribute array, if not its floats, and whether they are 16-bit floats.
    pub(crate) fn upload(self, register: u8, rows: &[[f32; 4]]) -> Option<(Vec<u8>, bool)> {
        let rows = rows.as_flattened().iter();
        match self {
            Self::PaletteStrideFour if register == ROWS => {
                Some((rows.flat_map(|row| (row / 3.0 * 4.0).to_ne_bytes()).collect(), false))
            }
            Self::AddressRounding if register == ROWS => {
                Some((rows.flat_map(|row| half(row / 255.0).to_ne_bytes()).collect(), true))
            }
            _ => None,
        }
    }
}

/// What the lines of a program end with that keep a factor finite.
pub const ZERO_GUARD: &str = "# finite";

/// The nearest 16-bit float of 0 or of a number that is neither denormal nor too large for one.
fn half(value: f32) -> u16 {
    if value == 0.0 {
        return 0;
    }
    let bits = value.to_bits();
    let rounded = bits + 0xFFF + (bits >> 13 & 1);
    // The exponents' offsets are 127 and 15.
    ((rounded >> 13) - (112 << 10)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_those_of_the_format() {
        // By the definition of binary16.
        for (value, bits) in [(0.0, 0), (1.0, 0x3C00), (0.5, 0x3800), (1.0 / 3.0, 0x3555), (1.0 / 255.0, 0x1C04)] {
            assert_eq!(half(value), bits, "{value}");
        }
    }

    #[test]
    fn mistakes_change_texts_where_their_place_is() {
        let text = "PARAM c0[96] = { program.env[0..95] };\nADDRESS A0;\nMAX R0.x, R0.x, 1.0e-30; # finite\n\
                    ARL A0.x, vertex.attrib[6].x;\nMOV result.color, R0;";
        let changed = Mistake::ALL.map(|mistake| mistake.program(text) != text);
        assert_eq!(changed, [false, false, true, true, true, true]);
        assert!(!Mistake::ZeroTimesInfinity.program(text).contains("MAX"));
        assert!(Mistake::RelativeReadUnchecked.program(text).contains("c0[128] = { program.env[0..127] }"));
    }
}
