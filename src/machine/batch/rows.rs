//! Sums of products that belong together: a matrix times a vector, a vector times a number.
//!
//! Why: a program multiplies a vector by a matrix row by row, and by a number component by component. Each row is an
//! operation, and all of them read the same vector. Run together, they widen it once and are looked at once.

use std::mem::discriminant;

use super::{action::Action, decode::LaneOperation};

/// The most operations that are run together.
pub(super) const ROWS: usize = 4;

/// Finds operations that can be run together: the same sum of products, with the same right-hand operands, one after the
/// other, none of which reads what another one before it writes.
pub(super) fn find(operations: &mut [LaneOperation]) {
    let mut start = 0;
    while start < operations.len() {
        let mut members = run(operations, start, 1);
        let left = run(operations, start, 0);
        if left.len() > members.len() {
            // A product's sign is that of its first operand whichever that is.
            for &member in &left {
                let operation = &mut operations[member];
                for product in 0..operation.action.products() {
                    let [a, b] = [2 * product, 2 * product + 1];
                    let plane = operation.operands[a].plane;
                    operation.operands[a].plane = operation.operands[b].plane;
                    operation.operands[b].plane = plane;
                }
            }
            members = left;
        }
        for (index, &member) in members.iter().enumerate() {
            operations[member].rows = members.len() - index;
        }
        let last = members.last().copied().unwrap_or(start);
        start = last + 1 + operations[last].alternative;
    }
}

/// As [`find`], of the dot products that read their own constants alone: what else is run together takes longer where sums need no
/// care.
pub(super) fn find_row_dots(operations: &mut [LaneOperation]) {
    let mut start = 0;
    while start < operations.len() {
        let members = match operations[start].action {
            Action::RowDot3(_) | Action::RowDot4(_) => run(operations, start, 1).len(),
            _ => 1,
        };
        for index in 0..members {
            operations[start + index].rows = members - index;
        }
        start += members;
    }
}

/// The operations from `start` on that have the same planes on one side of their products: 0 for the left, 1 for the right.
fn run(operations: &[LaneOperation], start: usize, side: usize) -> Vec<usize> {
    let first = &operations[start];
    let products = first.action.products();
    let mut members = vec![start];
    if products == 0 {
        return members;
    }
    let mut next = start + 1 + first.alternative;
    while members.len() < ROWS
        && let Some(operation) = operations.get(next)
    {
        let shared = |p: usize| operation.operands[2 * p + side].plane == first.operands[2 * p + side].plane;
        let read = &operation.operands[..operation.action.operands()];
        let written = |member: &usize| {
            let member = &operations[*member];
            member.mask.components().any(|c| read.iter().any(|operand| operand.plane == member.destinations[c]))
        };
        if discriminant(&operation.action) != discriminant(&first.action)
            || !(0..products).all(shared)
            || members.iter().any(written)
        {
            break;
        }
        members.push(next);
        next += 1 + operation.alternative;
    }
    members
}

#[cfg(test)]
mod tests {
    use super::super::{action::Action, decode::decode};
    use crate::{
        AddressRounding, Destination, DestinationRegister, Dialect, Instruction, Mask, Opcode, Output, Program, Source,
        SourceRegister,
    };

    /// Instructions as the tests need them; the assembler for texts is a room above.
    fn program(dialect: Dialect, body: &str) -> Program {
        let lines = body.split(';').map(str::trim).filter(|line| !line.is_empty());
        Program { instructions: lines.map(instruction).collect(), ..Program::empty(dialect) }
    }

    fn instruction(line: &str) -> Instruction {
        let (opcode, operands) = line.split_once(' ').expect("an opcode and its operands");
        let mut operands = operands.split(", ");
        let (register, mask) = parts(operands.next().expect("a destination"));
        let mask =
            Mask::from_components(['x', 'y', 'z', 'w'].map(|component| mask.is_empty() || mask.contains(component)));
        let register = match register {
            "A0" => DestinationRegister::Address,
            "o[HPOS]" => DestinationRegister::Output(Output::Position),
            temporary => DestinationRegister::Temporary(number(&temporary[1..])),
        };
        let sources: Vec<Source> = operands.map(source).collect();
        Instruction::new(Opcode::from_name(opcode).expect("an opcode"), Destination { register, mask }, &sources)
    }

    fn source(text: &str) -> Source {
        let (register, swizzle) = parts(text.trim_start_matches('-'));
        let index = register.trim_start_matches(['R', 'v', 'c', '[']).trim_end_matches(']');
        let register = match (register.as_bytes()[0], index.strip_prefix("A0.x")) {
            (b'c', Some(offset)) => {
                let offset = offset.trim_start_matches(" + ").parse().unwrap_or(0);
                SourceRegister::Relative { base: 0, offset }
            }
            (b'c', None) => SourceRegister::Constant(number(index)),
            (b'v', _) => SourceRegister::Attribute(number(index)),
            _ => SourceRegister::Temporary(number(index)),
        };
        let component = |place: usize| match swizzle.as_bytes() {
            [] => place as u8,
            [one] => place_of(*one),
            four => place_of(four[place]),
        };
        Source::swizzled(register, [0, 1, 2, 3].map(component), text.starts_with('-'))
    }

    /// The register, and what stands after the point behind it.
    fn parts(text: &str) -> (&str, &str) {
        let end = text.find(']').map_or_else(|| text.find('.').unwrap_or(text.len()), |bracket| bracket + 1);
        (&text[..end], text[end..].trim_start_matches('.'))
    }

    fn place_of(component: u8) -> u8 {
        b"xyzw".iter().position(|own| *own == component).expect("a component") as u8
    }

    fn number(text: &str) -> u8 {
        text.parse().expect("the number of a register")
    }

    /// How many operations are run together from each one on that no other is left out for.
    fn rows(body: &str) -> Vec<usize> {
        let program = program(Dialect::Vp10, &format!("{body};MOV o[HPOS], v[0]"));
        let operations = decode(&program, AddressRounding::Floor, true).operations;
        let mut rows = Vec::new();
        let mut next = 0;
        while let Some(operation) = operations.get(next) {
            if operation.action.products() > 0 {
                rows.push(operation.rows);
            }
            next += 1 + operation.alternative;
        }
        rows
    }

    #[test]
    fn a_matrix_times_a_vector_is_one_group_whichever_side_it_is_on() {
        let matrix = |row: &dyn Fn(usize) -> String| (0..4).map(row).collect::<String>();
        let left = matrix(&|c| format!("DP4 R0.{}, c[{c}], v[0];", &"xyzw"[c..=c]).replace("v[0]", "R1"));
        // One constant an instruction, but the same vector.
        assert_eq!(rows(&format!("MOV R1, v[0]; {left}")), [4, 3, 2, 1]);
        let right = matrix(&|c| format!("DP4 R0.{}, R1, c[{c}];", &"xyzw"[c..=c]));
        assert_eq!(rows(&format!("MOV R1, v[0]; {right}")), [4, 3, 2, 1]);
        // Relative rows are gathered first.
        assert_eq!(rows("ARL A0.x, v[1].x; DP3 R0.x, c[A0.x], v[0]; DP3 R0.y, c[A0.x + 1], v[0];"), [2, 1]);
    }

    #[test]
    fn what_reads_an_earlier_result_is_on_its_own() {
        assert_eq!(rows("DP4 R0.x, c[0], R0; DP4 R0.y, c[1], R0;"), [1, 1]);
        assert_eq!(rows("MUL R0.xy, R1, R2.x; MUL R0.zw, R1, R2.y;"), [2, 1, 2, 1]);
        assert_eq!(rows("MAD R0.x, R1.x, v[0].x, R3; MAD R1.x, R2.x, v[0].x, R0.x;"), [1, 1]);
    }

    /// What reads through the address register where sums need no care, and how much of it runs together.
    fn relative(body: &str) -> Vec<(Action, usize)> {
        let program = program(Dialect::Vp11, &format!("{body};MOV o[HPOS], R0"));
        let operations = decode(&program, AddressRounding::Floor, false).operations;
        operations.iter().filter(|own| own.action.offset().is_some()).map(|own| (own.action, own.rows)).collect()
    }

    #[test]
    fn a_row_that_one_dot_product_reads_is_not_put_down() {
        let matrix = "DP4 R0.x, c[A0.x + 4], v[0]; DP4 R0.y, v[0], -c[A0.x + 5]; DP4 R0.z, c[A0.x + 6], v[0];";
        let rows = [(Action::RowDot4(4), 3), (Action::RowDot4(5), 2), (Action::RowDot4(6), 1)];
        assert_eq!(relative(&format!("ARL A0.x, v[1].x; {matrix}")), rows);
        // Another address is another row.
        let twice = format!("ARL A0.x, v[1].x; {matrix} MOV R1, R0; ARL A0.x, v[1].y; {matrix}");
        assert_eq!(relative(&twice), [rows, rows].concat());
        // The second reads what the first has written.
        let chain = "ARL A0.x, v[1].x; DP3 R0.x, c[A0.x], R0; DP3 R0.y, c[A0.x + 1], R0;";
        assert_eq!(relative(chain), [(Action::RowDot3(0), 1), (Action::RowDot3(1), 1)]);
    }

    #[test]
    fn a_row_that_is_read_otherwise_or_twice_is_put_down_once() {
        let gather = |offset: i32| (Action::Gather(offset), 1);
        assert_eq!(relative("ARL A0.x, v[1].x; DP4 R0.x, c[A0.x], v[0]; DP3 R0.y, c[A0.x], v[2];"), [gather(0)]);
        assert_eq!(relative("ARL A0.x, v[1].x; DP3 R0.x, c[A0.x].yxzw, v[0];"), [gather(0)]);
        assert_eq!(relative("ARL A0.x, v[1].x; MAD R0, c[A0.x + 3], v[0], R0;"), [gather(3)]);
        // The next address comes from the row.
        let through = "ARL A0.x, v[1].x; DP4 R0.x, c[A0.x], v[0]; ARL A0.x, c[A0.x].x; DP4 R0.y, c[A0.x], v[0];";
        assert_eq!(relative(through), [gather(0), (Action::RowDot4(0), 1)]);
    }
}
