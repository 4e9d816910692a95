//! Random programs, valid in the dialect that they claim, for tests that need many.

#![allow(dead_code, reason = "each test that includes this file uses a part of it")]

use proptest::prelude::*;
use refrast::vertex_program::{
    Destination, DestinationRegister, Dialect, Instruction, Mask, Opcode, Output, Pick, Program, Select, Source,
    SourceRegister,
};

/// Numbers that arithmetic stumbles over.
pub(crate) const SPECIAL: [f32; 26] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    16.9995,
    127.996_09,
    128.0,
    -126.0,
    -126.5,
    -150.0,
    1.0e-20,
    -1.0e-20,
    f32::MIN_POSITIVE,
    -f32::MIN_POSITIVE,
    1.0e-40,
    -1.0e-40,
    1.0e-45,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::from_bits(0xffc0_0001),
    1.000_000_1,
];

/// A number: special, small, or any bits.
pub(crate) fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        2 => prop::sample::select(SPECIAL.to_vec()),
        3 => -4.0_f32..4.0,
        1 => any::<u32>().prop_map(f32::from_bits),
    ]
}

/// Four numbers.
pub(crate) fn vector() -> impl Strategy<Value = [f32; 4]> {
    [number(), number(), number(), number()]
}

fn picks(opcode: Opcode) -> BoxedStrategy<[Pick; 4]> {
    let component = (0_u8..4, any::<bool>());
    if opcode == Opcode::Swz {
        let select = prop_oneof![Just(Select::Zero), Just(Select::One), (0_u8..4).prop_map(Select::Component),];
        let pick = (select, any::<bool>()).prop_map(|(select, negate)| Pick { select, negate });
        return prop::array::uniform4(pick).boxed();
    }
    if opcode.takes_scalars() {
        return component.prop_map(|(c, negate)| [Pick { select: Select::Component(c), negate }; 4]).boxed();
    }
    (prop::array::uniform4(0_u8..4), any::<bool>())
        .prop_map(|(swizzle, negate)| swizzle.map(|c| Pick { select: Select::Component(c), negate }))
        .boxed()
}

fn source(opcode: Opcode, relative: bool) -> impl Strategy<Value = Source> {
    let register = prop_oneof![
        2 => (0_u8..16).prop_map(SourceRegister::Attribute),
        4 => (0_u8..12).prop_map(SourceRegister::Temporary),
        2 => (0_u8..96).prop_map(SourceRegister::Constant),
        2 => (-64_i8..=63).prop_map(move |offset| {
            if relative { SourceRegister::Relative { base: 0, offset } } else { SourceRegister::Constant(7) }
        }),
    ];
    (register, picks(opcode)).prop_map(|(register, picks)| Source { register, picks })
}

fn destination() -> impl Strategy<Value = Destination> {
    let register = prop_oneof![
        3 => (0_u8..12).prop_map(DestinationRegister::Temporary),
        1 => prop::sample::select(Output::ALL.to_vec()).prop_map(DestinationRegister::Output),
    ];
    (register, 1_u8..16).prop_map(|(register, bits)| Destination { register, mask: Mask::from_bits(bits) })
}

/// An instruction with one of these opcodes.
pub(crate) fn instruction(opcodes: Vec<Opcode>) -> impl Strategy<Value = Instruction> {
    prop::sample::select(opcodes).prop_flat_map(|opcode| {
        let operand = || source(opcode, true);
        (destination(), [operand(), operand(), operand()]).prop_map(move |(destination, mut sources)| {
            let destination = match opcode {
                Opcode::Arl => Destination { register: DestinationRegister::Address, mask: Mask::X },
                _ => destination,
            };
            // One constant and one attribute an instruction.
            let (mut constant, mut attribute) = (None, None);
            for source in &mut sources {
                let port = match source.register {
                    SourceRegister::Attribute(_) => &mut attribute,
                    SourceRegister::Temporary(_) => continue,
                    _ => &mut constant,
                };
                source.register = *port.get_or_insert(source.register);
            }
            Instruction::new(opcode, destination, &sources[..opcode.operands().max(1)])
        })
    })
}

/// The opcodes that a dialect has.
pub(crate) fn opcodes(dialect: Dialect) -> Vec<Opcode> {
    use Opcode::*;
    let first = [Arl, Mov, Mul, Add, Mad, Rcp, Rsq, Dp3, Dp4, Dst, Min, Max, Slt, Sge, Exp, Log, Lit];
    let more: &[Opcode] = match dialect {
        Dialect::Vp11 => &[Abs, Dph, Rcc, Sub],
        Dialect::Arb10 => &[Abs, Dph, Sub, Ex2, Flr, Frc, Lg2, Pow, Swz, Xpd],
        Dialect::Vp10 | Dialect::Vsp10 | Dialect::Vs11 => &[],
    };
    first.into_iter().chain(more.iter().copied()).collect()
}

/// A program of up to `most` instructions that writes the position last.
pub(crate) fn program(dialect: Dialect, most: usize) -> impl Strategy<Value = Program> {
    prop::collection::vec(instruction(opcodes(dialect)), 0..most).prop_map(move |mut instructions| {
        let register = DestinationRegister::Output(Output::Position);
        let position = Destination { register, mask: Mask::XYZW };
        let value = Source::plain(SourceRegister::Temporary(1));
        instructions.push(Instruction::new(Opcode::Mov, position, &[value]));
        Program { instructions, ..Program::empty(dialect) }
    })
}
