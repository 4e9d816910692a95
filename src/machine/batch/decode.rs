//! From instructions to lane operations: what is done once a program, so that it is not done for every vertex.
//!
//! A register of four components becomes four *planes*: the values of one component for all vertices of a block. An
//! instruction becomes one operation a written component (MUL, ADD, …) or one operation for all of them (dot products,
//! scalar functions). Swizzles are then nothing but a choice of planes, and cost nothing at run time.

use std::collections::{BTreeMap, BTreeSet};

use super::{action::Action, arena::PlaneKey, rows};
use crate::{
    arithmetic::AddressRounding,
    instruction::{
        DestinationRegister, Instruction, Mask, OUTPUTS, Opcode, Pick, Select, Source, SourceRegister, TEMPORARIES,
    },
    program::Program,
};

/// An operand: a plane of the arena and a sign.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    /// The plane.
    pub(super) plane: usize,
    /// Flips signs when it is the sign bit, does nothing when 0.
    pub(super) sign: u32,
}

/// An operation on all vertices of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneOperation {
    pub(super) action: Action,
    /// Planes that the result goes to: component c of the result to entry c, where `mask` has c.
    pub(super) destinations: [usize; 4],
    pub(super) mask: Mask,
    /// In a product the first operand has the sign.
    pub(super) operands: [Operand; 8],
    /// How many operations from this one on can be run together, left-out ones not counted: see [`rows`].
    pub(super) rows: usize,
    /// How many of the operations that follow do the same step by step, and are left out where this one can be run.
    pub(super) alternative: usize,
    /// Whether somebody sees the bits of a result that is no number: see [`find_seen`].
    pub(super) seen: bool,
}

/// The planes of a register's components, as far as the program has to do with them.
pub(super) type Planes = [Option<usize>; 4];

/// A program as lane operations, and the planes they work on.
#[derive(Clone, Debug)]
pub(super) struct Decoded {
    pub(super) operations: Vec<LaneOperation>,
    /// Where each plane is in the arena.
    pub(super) places: BTreeMap<PlaneKey, usize>,
    /// How many planes there are.
    pub(super) planes: usize,
    /// The attribute registers that are read, and the first of the four planes of each.
    pub(super) attributes: Vec<(u8, usize)>,
    /// The planes of each result register.
    pub(super) outputs: [Planes; OUTPUTS],
    /// Planes that have to be 0 when a block starts: temporaries that are read before they are written.
    pub(super) zeroed: Vec<usize>,
}

/// A term of a sum: an operand or the product of two, perhaps negated afterwards.
struct Term {
    first: Operand,
    second: Option<Operand>,
    negate: bool,
}

impl Term {
    fn single(operand: Operand) -> Self {
        Self { first: operand, second: None, negate: false }
    }

    fn product(first: Operand, second: Operand) -> Self {
        Self { first, second: Some(second), negate: false }
    }
}

/// Decodes a program. `rounding` is how its address loads round. With `stepwise`, each sum of products is followed by
/// multiplications and additions of their own, for where it can not be computed as one: in `nv-spec`.
pub(super) fn decode(program: &Program, rounding: AddressRounding, stepwise: bool) -> Decoded {
    let mut decoder = Decoder {
        decoded: Decoded {
            operations: Vec::new(),
            places: BTreeMap::new(),
            planes: 0,
            attributes: Vec::new(),
            outputs: [[None; 4]; OUTPUTS],
            zeroed: Vec::new(),
        },
        gathered: Vec::new(),
        lone: Vec::new(),
        rounding,
        stepwise,
        written: [Mask::NONE; TEMPORARIES],
    };
    decoder.gather_ahead(&program.instructions);
    for (index, instruction) in program.instructions.iter().enumerate() {
        decoder.instruction(instruction);
        if instruction.opcode == Opcode::Arl {
            decoder.gather_ahead(&program.instructions[index + 1..]);
        }
    }
    let attributes_read: Vec<u8> = program.usage().attributes_read().collect();
    let attributes = attributes_read
        .into_iter()
        .map(|register| (register, decoder.four_planes(&|c| PlaneKey::Attribute(register, c))));
    decoder.decoded.attributes = attributes.collect();
    let mut decoded = decoder.decoded;
    if stepwise {
        rows::find(&mut decoded.operations);
    } else {
        rows::find_row_dots(&mut decoded.operations);
    }
    let planes = |key: &dyn Fn(u8) -> PlaneKey| -> Planes {
        std::array::from_fn(|c| decoded.places.get(&key(c as u8)).copied())
    };
    decoded.outputs = std::array::from_fn(|index| planes(&|c| PlaneKey::Output(index as u8, c)));
    let results = decoded.outputs.iter().flatten().flatten();
    find_seen(&mut decoded.operations, results.copied().collect());
    decoded
}

/// Finds the operations whose results have to be the canonical NaN where they are none: those that leave the program, or are handed
/// on as they are. To arithmetic one NaN is like another.
fn find_seen(operations: &mut [LaneOperation], mut seen: BTreeSet<usize>) {
    for operation in operations.iter_mut().rev() {
        let destinations = operation.mask.components().map(|c| operation.destinations[c]);
        operation.seen = destinations.fold(false, |any, plane| any | seen.remove(&plane));
        if operation.action.hands_on() {
            seen.extend(operation.operands.iter().map(|operand| operand.plane));
        }
    }
}

struct Decoder {
    decoded: Decoded,
    /// The offsets that were read since the address register was loaded: entry n is in the planes `Gathered(n, …)`.
    gathered: Vec<i32>,
    /// The offsets that a single dot product reads until the address register is loaded again: it reads them itself.
    lone: Vec<i32>,
    rounding: AddressRounding,
    stepwise: bool,
    written: [Mask; TEMPORARIES],
}

impl Decoder {
    fn instruction(&mut self, instruction: &Instruction) {
        self.note_undefined_reads(instruction);
        if self.row_dot(instruction) {
            self.note_written(instruction);
            return;
        }
        let [a, b, c] = instruction.sources.map(|source| self.operands(&source));
        let negated = |operand: Operand| Operand { sign: operand.sign ^ SIGN, ..operand };
        match instruction.opcode {
            Opcode::Nop => {}
            Opcode::Arl => {
                self.push(Action::Address(self.rounding), [0; 4], Mask::NONE, &[a[0]]);
                self.gathered.clear();
            }
            Opcode::Mov | Opcode::Swz => self.each(instruction, Action::Move, |i| vec![a[i]]),
            Opcode::Abs => self.each(instruction, Action::Absolute, |i| vec![a[i]]),
            Opcode::Mul => self.each(instruction, Action::Multiply, |i| vec![a[i], b[i]]),
            Opcode::Add => self.each(instruction, Action::Add, |i| vec![a[i], b[i]]),
            Opcode::Sub => self.each(instruction, Action::Add, |i| vec![a[i], negated(b[i])]),
            Opcode::Mad => self.each(instruction, Action::MultiplyAdd, |i| vec![a[i], b[i], c[i]]),
            Opcode::Min => self.each(instruction, Action::Minimum, |i| vec![a[i], b[i]]),
            Opcode::Max => self.each(instruction, Action::Maximum, |i| vec![a[i], b[i]]),
            Opcode::Slt => self.each(instruction, Action::Less, |i| vec![a[i], b[i]]),
            Opcode::Sge => self.each(instruction, Action::GreaterOrEqual, |i| vec![a[i], b[i]]),
            Opcode::Xpd => self.each(instruction, Action::Cross, |i| {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                vec![a[j], b[k], a[k], b[j]]
            }),
            Opcode::Dst => self.distance(instruction, a, b),
            Opcode::Dp3 => self.all(instruction, Action::Dot3, &[a[0], b[0], a[1], b[1], a[2], b[2]]),
            Opcode::Dph => {
                self.all(instruction, Action::DotHomogeneous, &[a[0], b[0], a[1], b[1], a[2], b[2], b[3]]);
            }
            Opcode::Dp4 => {
                self.all(instruction, Action::Dot4, &[a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3]]);
            }
            Opcode::Rcp => self.all(instruction, Action::Reciprocal, &[a[0]]),
            Opcode::Rsq => self.all(instruction, Action::ReciprocalSquareRoot, &[a[0]]),
            opcode @ (Opcode::Exp
            | Opcode::Log
            | Opcode::Lit
            | Opcode::Rcc
            | Opcode::Ex2
            | Opcode::Flr
            | Opcode::Frc
            | Opcode::Lg2
            | Opcode::Pow) => {
                let operands = [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]];
                self.all(instruction, Action::PerLane(opcode), &operands);
            }
        }
        self.note_written(instruction);
    }

    fn note_written(&mut self, instruction: &Instruction) {
        if let DestinationRegister::Temporary(index) = instruction.destination.register {
            let mask = &mut self.written[usize::from(index)];
            *mask = mask.or(instruction.written());
        }
    }

    /// A dot product that reads its constants through the address register itself. Whether it was one.
    fn row_dot(&mut self, instruction: &Instruction) -> bool {
        let Some((offset, row, other)) = row_of(instruction).filter(|(offset, ..)| self.lone.contains(offset)) else {
            return false;
        };
        let action = if instruction.opcode == Opcode::Dp3 { Action::RowDot3(offset) } else { Action::RowDot4(offset) };
        let vector = self.operands(&instruction.sources[other]);
        let none = self.plane(PlaneKey::Literal(0));
        let mut operands = Vec::new();
        for (pick, component) in instruction.sources[row].picks.iter().zip(vector).take(action.products()) {
            operands.extend([Operand { plane: none, sign: if pick.negate { SIGN } else { 0 } }, component]);
        }
        self.all(instruction, action, &operands);
        true
    }

    /// Temporaries start at 0; planes that would show what the last block left there are cleared.
    fn note_undefined_reads(&mut self, instruction: &Instruction) {
        for (register, components) in instruction.reads() {
            let SourceRegister::Temporary(index) = register else { continue };
            for c in components.without(self.written[usize::from(index)]).components() {
                let plane = self.plane(PlaneKey::Temporary(index, c as u8));
                if !self.decoded.zeroed.contains(&plane) {
                    self.decoded.zeroed.push(plane);
                }
            }
        }
    }

    /// Emits the gathers for all instructions that read through the address register as it is: together, so that they do not
    /// stand between operations that can be run together.
    fn gather_ahead(&mut self, instructions: &[Instruction]) {
        // An address load may read through the register itself.
        let end = instructions.iter().position(|instruction| instruction.opcode == Opcode::Arl);
        let together = &instructions[..end.map_or(instructions.len(), |end| end + 1)];
        let reads = |offset: i32| together.iter().flat_map(relative_reads).filter(move |&read| read == offset).count();
        self.lone.clear();
        if !self.stepwise {
            let rows = together.iter().filter_map(row_of).map(|(offset, ..)| offset);
            self.lone = rows.filter(|&offset| reads(offset) == 1).collect();
        }
        for instruction in together {
            self.gather_relative_operands(instruction);
        }
    }

    /// Emits the gathers that the operands need, unless the same constants are at hand already.
    fn gather_relative_operands(&mut self, instruction: &Instruction) {
        for offset in relative_reads(instruction) {
            if self.gathered.contains(&offset) || self.lone.contains(&offset) {
                continue;
            }
            let slot = self.gathered.len() as u8;
            self.gathered.push(offset);
            let first = self.four_planes(&|c| PlaneKey::Gathered(slot, c));
            let planes = std::array::from_fn(|c| first + c);
            self.push(Action::Gather(offset), planes, Mask::XYZW, &[]);
        }
    }

    /// The place of a plane.
    fn plane(&mut self, key: PlaneKey) -> usize {
        let decoded = &mut self.decoded;
        *decoded.places.entry(key).or_insert_with(|| {
            decoded.planes += 1;
            decoded.planes - 1
        })
    }

    /// The place of the first of four planes that follow each other. They have to be asked for together from the start.
    fn four_planes(&mut self, key: &dyn Fn(u8) -> PlaneKey) -> usize {
        let [first, ..] = [0, 1, 2, 3].map(|c| self.plane(key(c)));
        first
    }

    /// The four components of an operand.
    fn operands(&mut self, source: &Source) -> [Operand; 4] {
        if let SourceRegister::Attribute(index) = source.register {
            self.four_planes(&|c| PlaneKey::Attribute(index, c));
        }
        source.picks.map(|Pick { select, negate }| {
            let sign = if negate { SIGN } else { 0 };
            let component = match select {
                Select::Zero => return Operand { plane: self.plane(PlaneKey::Literal(0)), sign },
                Select::One => return Operand { plane: self.plane(PlaneKey::Literal(1)), sign },
                Select::Component(c) => c,
            };
            let key = match source.register {
                SourceRegister::Constant(index) => PlaneKey::Constant(index, component),
                SourceRegister::Attribute(index) => PlaneKey::Attribute(index, component),
                SourceRegister::Temporary(index) => PlaneKey::Temporary(index, component),
                SourceRegister::Relative { base, offset } => {
                    let offset = i32::from(base) + i32::from(offset);
                    // An operand that does not count repeats one that was gathered.
                    let slot = self.gathered.iter().position(|&known| known == offset).unwrap_or(0);
                    PlaneKey::Gathered(slot as u8, component)
                }
            };
            Operand { plane: self.plane(key), sign }
        })
    }

    fn destination_plane(&mut self, register: DestinationRegister, c: usize) -> usize {
        let c = c as u8;
        self.plane(match register {
            DestinationRegister::Output(output) => PlaneKey::Output(output.index() as u8, c),
            DestinationRegister::Temporary(index) => PlaneKey::Temporary(index, c),
            // Address loads have no plane, and state programs are not decoded.
            DestinationRegister::Constant(_) | DestinationRegister::Address => PlaneKey::Scratch(c),
        })
    }

    fn push(&mut self, action: Action, destinations: [usize; 4], mask: Mask, operands: &[Operand]) {
        let unused = Operand { plane: 0, sign: 0 };
        let operand = |index: usize| operands.get(index).copied().unwrap_or(unused);
        let mut operands: [Operand; 8] = std::array::from_fn(operand);
        for product in 0..action.products() {
            operands[2 * product].sign ^= operands[2 * product + 1].sign;
            operands[2 * product + 1].sign = 0;
        }
        let index = self.decoded.operations.len();
        self.decoded.operations.push(LaneOperation {
            action,
            destinations,
            mask,
            operands,
            rows: 1,
            alternative: 0,
            seen: true,
        });
        if self.stepwise
            && let Some(terms) = terms(action, &operands)
        {
            self.add_up(terms, destinations, mask);
            self.decoded.operations[index].alternative = self.decoded.operations.len() - index - 1;
        }
    }

    /// One operation for all components: it reads everything before it writes.
    fn all(&mut self, instruction: &Instruction, action: Action, operands: &[Operand]) {
        let mask = instruction.written();
        let mut destinations = [0; 4];
        for c in mask.components() {
            destinations[c] = self.destination_plane(instruction.destination.register, c);
        }
        self.push(action, destinations, mask, operands);
    }

    /// One operation a component.
    fn each(&mut self, instruction: &Instruction, action: Action, operands: impl Fn(usize) -> Vec<Operand>) {
        let parts = instruction.written().components().map(|c| (c, action, operands(c))).collect();
        self.parts(instruction, parts);
    }

    /// Adds terms, the first of which is a product, and rounds after each step.
    fn add_up(&mut self, terms: Vec<Term>, destinations: [usize; 4], mask: Mask) {
        let product = self.plane(PlaneKey::Product);
        let total = self.plane(PlaneKey::Total);
        let count = terms.len();
        for (index, Term { first, second, negate }) in terms.into_iter().enumerate() {
            let target = if index == 0 { total } else { product };
            let mut operand = first;
            if let Some(second) = second {
                self.push(Action::Multiply, [target; 4], Mask::X, &[first, second]);
                operand = Operand { plane: target, sign: if negate { SIGN } else { 0 } };
            }
            if index > 0 {
                let (targets, mask) = if index + 1 == count { (destinations, mask) } else { ([total; 4], Mask::X) };
                self.push(Action::Add, targets, mask, &[Operand { plane: total, sign: 0 }, operand]);
            }
        }
    }

    /// `DST`: (1, y·y, z, w).
    fn distance(&mut self, instruction: &Instruction, a: [Operand; 4], b: [Operand; 4]) {
        let one = Operand { plane: self.plane(PlaneKey::Literal(1)), sign: 0 };
        let part = |c: usize| match c {
            0 => (c, Action::Move, vec![one]),
            1 => (c, Action::Multiply, vec![a[1], b[1]]),
            2 => (c, Action::Move, vec![a[2]]),
            _ => (c, Action::Move, vec![b[3]]),
        };
        let parts = instruction.written().components().map(part).collect();
        self.parts(instruction, parts);
    }

    /// Operations on single components. One whose destination a later one reads waits in a scratch plane.
    fn parts(&mut self, instruction: &Instruction, parts: Vec<(usize, Action, Vec<Operand>)>) {
        let mut late = Vec::new();
        for (index, (c, action, operands)) in parts.iter().enumerate() {
            let plane = self.destination_plane(instruction.destination.register, *c);
            let read_later = parts[index + 1..].iter().any(|(.., later)| later.iter().any(|o| o.plane == plane));
            let target = if read_later { self.plane(PlaneKey::Scratch(*c as u8)) } else { plane };
            if read_later {
                late.push((target, plane));
            }
            self.push(*action, [target; 4], Mask::X, operands);
        }
        for (scratch, plane) in late {
            self.push(Action::Move, [plane; 4], Mask::X, &[Operand { plane: scratch, sign: 0 }]);
        }
    }
}

/// The offsets that an instruction reads through the address register with, once for each operand that does.
fn relative_reads(instruction: &Instruction) -> impl Iterator<Item = i32> {
    instruction.operands().iter().filter_map(|source| match source.register {
        SourceRegister::Relative { base, offset } => Some(i32::from(base) + i32::from(offset)),
        _ => None,
    })
}

/// Of a dot product with a constant that is read through the address register as it stands: the offset, and which operands
/// are this row and the other vector.
fn row_of(instruction: &Instruction) -> Option<(i32, usize, usize)> {
    let components = match instruction.opcode {
        Opcode::Dp3 => 3,
        Opcode::Dp4 => 4,
        _ => return None,
    };
    let in_order = |source: &Source| {
        source.picks.iter().take(components).enumerate().all(|(c, pick)| pick.select == Select::Component(c as u8))
    };
    [(0, 1), (1, 0)].into_iter().find_map(|(row, other)| {
        let SourceRegister::Relative { base, offset } = instruction.sources[row].register else { return None };
        in_order(&instruction.sources[row]).then_some((i32::from(base) + i32::from(offset), row, other))
    })
}

/// The terms of a sum of products; other actions have none.
fn terms(action: Action, o: &[Operand; 8]) -> Option<Vec<Term>> {
    let product = |i: usize| Term::product(o[i], o[i + 1]);
    let dot3 = || vec![product(0), product(2), product(4)];
    Some(match action {
        Action::MultiplyAdd => vec![product(0), Term::single(o[2])],
        Action::Cross => vec![product(0), Term { negate: true, ..product(2) }],
        Action::Dot3 => dot3(),
        Action::DotHomogeneous => dot3().into_iter().chain([Term::single(o[6])]).collect(),
        Action::Dot4 => dot3().into_iter().chain([product(6)]).collect(),
        _ => return None,
    })
}

/// The sign bit of an f32.
pub(super) const SIGN: u32 = 1 << 31;
