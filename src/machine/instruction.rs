//! The one instruction set that every dialect is assembled to.
//!
//! Why it exists: five languages of the early 2000s describe one machine. The interpreters, the translators and the
//! checks know this set only; the dialects differ in spelling, limits and a few numeric rules.
//!
//! Opcodes are those of NV_vertex_program (section 2.14.1.10), NV_vertex_program1_1 and ARB_vertex_program (section
//! 2.14.5). Direct3D's `vs_1_1` maps onto them: `mov a0` is [`Opcode::Arl`], `expp`/`logp` are [`Opcode::Exp`] and
//! [`Opcode::Log`], `exp`/`log` are [`Opcode::Ex2`] and [`Opcode::Lg2`], and the matrix macros are their dot products.

use refrast_words::names;
use std::fmt;

/// Attribute registers `v[0..15]`.
pub const ATTRIBUTES: usize = 16;
/// Constant registers `c[0..95]`.
pub const CONSTANTS: usize = 96;
/// Temporary registers `R0..R11`.
pub const TEMPORARIES: usize = 12;
/// Instructions (for `vs_1_1`: instruction slots) in a program.
pub const INSTRUCTIONS: usize = 128;

names! {
    /// What an instruction does.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Opcode: "opcode" {
        /// Does nothing, but takes a slot (`vs_1_1` only).
        Nop = "NOP",
        /// Loads the address register.
        Arl = "ARL",
        /// Moves.
        Mov = "MOV",
        /// Multiplies.
        Mul = "MUL",
        /// Adds.
        Add = "ADD",
        /// Multiplies, then adds.
        Mad = "MAD",
        /// Reciprocal of a scalar.
        Rcp = "RCP",
        /// Reciprocal square root of the absolute value of a scalar.
        Rsq = "RSQ",
        /// Dot product of three components.
        Dp3 = "DP3",
        /// Dot product of four components.
        Dp4 = "DP4",
        /// Distance vector.
        Dst = "DST",
        /// Minimum.
        Min = "MIN",
        /// Maximum.
        Max = "MAX",
        /// 1 where less than, 0 elsewhere.
        Slt = "SLT",
        /// 1 where greater or equal, 0 elsewhere.
        Sge = "SGE",
        /// Partial exponential: (2^floor x, fraction of x, 2^x, 1).
        Exp = "EXP",
        /// Partial logarithm: (exponent, mantissa, log2, 1) of the absolute value.
        Log = "LOG",
        /// Lighting coefficients.
        Lit = "LIT",
        /// Absolute value.
        Abs = "ABS",
        /// Dot product of three components plus the fourth of the second operand.
        Dph = "DPH",
        /// Reciprocal, clamped to [2^-64, 2^64] in magnitude.
        Rcc = "RCC",
        /// Subtracts.
        Sub = "SUB",
        /// 2^x of a scalar.
        Ex2 = "EX2",
        /// Floor.
        Flr = "FLR",
        /// Fraction.
        Frc = "FRC",
        /// log2 of the absolute value of a scalar.
        Lg2 = "LG2",
        /// First scalar to the power of the second.
        Pow = "POW",
        /// Extended swizzle.
        Swz = "SWZ",
        /// Cross product; the destination's w is left as it was.
        Xpd = "XPD",
    }
}

impl Opcode {
    /// The opcode of this name, in capitals.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|opcode| opcode.name() == name)
    }

    /// How many operands it reads.
    #[must_use]
    pub const fn operands(self) -> usize {
        match self {
            Self::Nop => 0,
            Self::Mad => 3,
            Self::Mul
            | Self::Add
            | Self::Dp3
            | Self::Dp4
            | Self::Dst
            | Self::Min
            | Self::Max
            | Self::Slt
            | Self::Sge
            | Self::Dph
            | Self::Sub
            | Self::Pow
            | Self::Xpd => 2,
            _ => 1,
        }
    }

    /// Whether its operands are scalars (one component each).
    #[must_use]
    pub const fn takes_scalars(self) -> bool {
        matches!(
            self,
            Self::Arl | Self::Rcp | Self::Rsq | Self::Exp | Self::Log | Self::Rcc | Self::Ex2 | Self::Lg2 | Self::Pow
        )
    }

    /// Which components of operand `index` (after its swizzle) are used to make the components in `written`.
    #[must_use]
    pub fn components_read(self, index: usize, written: Mask) -> Mask {
        if written == Mask::NONE && self != Self::Arl {
            return Mask::NONE;
        }
        match self {
            Self::Nop => Mask::NONE,
            _ if self.takes_scalars() => Mask::X,
            Self::Dp3 => Mask::XYZ,
            Self::Dph if index == 0 => Mask::XYZ,
            Self::Dp4 | Self::Dph => Mask::XYZW,
            Self::Dst => {
                let used = if index == 0 { [false, true, true, false] } else { [false, true, false, true] };
                Mask::from_components(std::array::from_fn(|c| used[c] && written.has(c)))
            }
            Self::Lit => {
                let specular = written.has(2);
                Mask::from_components([specular || written.has(1), specular, false, specular])
            }
            Self::Xpd => Mask::from_components([
                written.has(1) || written.has(2),
                written.has(0) || written.has(2),
                written.has(0) || written.has(1),
                false,
            ]),
            _ => written,
        }
    }
}

/// A set of the components x, y, z, w: bit `c` stands for component `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mask(u8);

impl Mask {
    /// No component.
    pub const NONE: Self = Self(0);
    /// x only.
    pub const X: Self = Self(0b0001);
    /// x, y and z.
    pub const XYZ: Self = Self(0b0111);
    /// All four.
    pub const XYZW: Self = Self(0b1111);

    /// The mask of the components that are `true`.
    #[must_use]
    pub fn from_components(components: [bool; 4]) -> Self {
        Self((0..4).map(|c| u8::from(components[c]) << c).sum())
    }

    /// The four lowest bits of `bits`.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & 0b1111)
    }

    /// The mask as bits, x lowest.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether component `c` (0 = x) is in the set.
    #[must_use]
    pub const fn has(self, c: usize) -> bool {
        self.0 >> c & 1 == 1
    }

    /// The components in the set, x first.
    pub fn components(self) -> impl Iterator<Item = usize> {
        (0..4).filter(move |&c| self.has(c))
    }

    /// How many components are in the set.
    #[must_use]
    pub const fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The components in both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The components in either set.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The components of this set that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl fmt::Display for Mask {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.components().try_for_each(|c| write!(formatter, "{}", COMPONENT_NAMES[c]))
    }
}

/// The names of the components.
pub const COMPONENT_NAMES: [char; 4] = ['x', 'y', 'z', 'w'];

/// Where one component of an operand comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Select {
    /// A component of the register, 0 = x.
    Component(u8),
    /// The constant 0 (`SWZ` only).
    Zero,
    /// The constant 1 (`SWZ` only).
    One,
}

/// One component of an operand: what is selected, and whether it is negated afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pick {
    /// Where the value comes from.
    pub select: Select,
    /// Whether its sign is flipped.
    pub negate: bool,
}

/// A register that an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceRegister {
    /// `v[n]`.
    Attribute(u8),
    /// `Rn`.
    Temporary(u8),
    /// `c[n]`.
    Constant(u8),
    /// `c[base + A0.x + offset]`; `base` is where the parameter array starts (0 outside ARB).
    Relative {
        /// First register of the array.
        base: u8,
        /// The offset written in the program, −64..=63 (0..=95 in `vs_1_1`).
        offset: i8,
    },
}

/// An operand: a register, and how its components are picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// The register.
    pub register: SourceRegister,
    /// The four components, after swizzle and negation. A scalar operand has the same pick four times.
    pub picks: [Pick; 4],
}

impl Source {
    /// The register as it is.
    #[must_use]
    pub fn plain(register: SourceRegister) -> Self {
        Self::swizzled(register, [0, 1, 2, 3], false)
    }

    /// The register with its components rearranged and perhaps negated.
    #[must_use]
    pub fn swizzled(register: SourceRegister, components: [u8; 4], negate: bool) -> Self {
        Self { register, picks: components.map(|c| Pick { select: Select::Component(c), negate }) }
    }

    /// The components of the register when this is an ordinary operand: no 0 or 1, one sign for all.
    #[must_use]
    pub fn swizzle(&self) -> Option<([u8; 4], bool)> {
        let negate = self.picks[0].negate;
        let mut components = [0; 4];
        for (component, pick) in components.iter_mut().zip(self.picks) {
            match pick.select {
                Select::Component(c) if pick.negate == negate => *component = c,
                _ => return None,
            }
        }
        Some((components, negate))
    }

    /// The components of the register that the picks in `used` take.
    #[must_use]
    pub fn register_components(&self, used: Mask) -> Mask {
        let mut bits = 0;
        for c in used.components() {
            if let Select::Component(component) = self.picks[c].select {
                bits |= 1 << component;
            }
        }
        Mask::from_bits(bits)
    }
}

/// A result register `o[…]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Output {
    /// Clip-space position.
    Position,
    /// Front primary colour.
    FrontPrimary,
    /// Front secondary colour.
    FrontSecondary,
    /// Back primary colour.
    BackPrimary,
    /// Back secondary colour.
    BackSecondary,
    /// Fog coordinate, in x.
    Fog,
    /// Point size, in x.
    PointSize,
    /// Texture coordinate set 0..=7.
    Texture(u8),
}

/// Result registers `o[…]`.
pub const OUTPUTS: usize = 15;

impl Output {
    /// Every result register, in the order of table X.1 of NV_vertex_program.
    pub const ALL: [Self; OUTPUTS] = [
        Self::Position,
        Self::FrontPrimary,
        Self::FrontSecondary,
        Self::BackPrimary,
        Self::BackSecondary,
        Self::Fog,
        Self::PointSize,
        Self::Texture(0),
        Self::Texture(1),
        Self::Texture(2),
        Self::Texture(3),
        Self::Texture(4),
        Self::Texture(5),
        Self::Texture(6),
        Self::Texture(7),
    ];

    /// Its place in [`ALL`](Self::ALL).
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Self::Position => 0,
            Self::FrontPrimary => 1,
            Self::FrontSecondary => 2,
            Self::BackPrimary => 3,
            Self::BackSecondary => 4,
            Self::Fog => 5,
            Self::PointSize => 6,
            Self::Texture(set) => 7 + (set & 7) as usize,
        }
    }

    /// The mnemonic of NV_vertex_program.
    #[must_use]
    pub const fn name(self) -> &'static str {
        const NAMES: [&str; OUTPUTS] = [
            "HPOS", "COL0", "COL1", "BFC0", "BFC1", "FOGC", "PSIZ", "TEX0", "TEX1", "TEX2", "TEX3", "TEX4", "TEX5",
            "TEX6", "TEX7",
        ];
        NAMES[self.index()]
    }

    /// The register of this mnemonic.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|output| output.name() == name)
    }

    /// Whether it is one of the four colours, which are clamped to [0, 1] after the program.
    #[must_use]
    pub const fn is_color(self) -> bool {
        matches!(self, Self::FrontPrimary | Self::FrontSecondary | Self::BackPrimary | Self::BackSecondary)
    }
}

/// A register that an instruction writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DestinationRegister {
    /// `Rn`.
    Temporary(u8),
    /// `o[…]`.
    Output(Output),
    /// `c[n]` (state programs only).
    Constant(u8),
    /// `A0`.
    Address,
}

/// The destination: a register and the components that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Destination {
    /// The register.
    pub register: DestinationRegister,
    /// The components.
    pub mask: Mask,
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// What it does.
    pub opcode: Opcode,
    /// Where the result goes. `NOP` has an empty mask.
    pub destination: Destination,
    /// The operands; only the first [`Opcode::operands`] count, the others repeat the first.
    pub sources: [Source; 3],
}

impl Instruction {
    /// An instruction of these parts; missing operands repeat the first.
    ///
    /// # Panics
    ///
    /// When `sources` is empty or longer than three.
    #[must_use]
    pub fn new(opcode: Opcode, destination: Destination, sources: &[Source]) -> Self {
        assert!((1..=3).contains(&sources.len()), "an instruction has one to three operands");
        let operand = |index: usize| sources.get(index).copied().unwrap_or(sources[0]);
        Self { opcode, destination, sources: [operand(0), operand(1), operand(2)] }
    }

    /// `NOP`.
    #[must_use]
    pub fn nop() -> Self {
        let register = DestinationRegister::Temporary(0);
        let nothing = Destination { register, mask: Mask::NONE };
        Self::new(Opcode::Nop, nothing, &[Source::plain(SourceRegister::Temporary(0))])
    }

    /// The operands that count.
    #[must_use]
    pub fn operands(&self) -> &[Source] {
        &self.sources[..self.opcode.operands()]
    }

    /// The components that are really written: `XPD` leaves w alone.
    #[must_use]
    pub fn written(&self) -> Mask {
        match self.opcode {
            Opcode::Xpd => self.destination.mask.and(Mask::XYZ),
            _ => self.destination.mask,
        }
    }

    /// Each operand with the components of its register that the instruction needs.
    pub fn reads(&self) -> impl Iterator<Item = (SourceRegister, Mask)> + '_ {
        self.operands().iter().enumerate().map(|(index, source)| {
            let used = self.opcode.components_read(index, self.written());
            (source.register, source.register_components(used))
        })
    }
}
