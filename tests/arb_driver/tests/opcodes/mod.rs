//! Every opcode of GL_ARB_vertex_program in a program of its own, and what drivers may make of some of them.

use crate::difference::{Difference, OwnRule};

/// Names and bodies. `A`, `B` and `C` stand for the operands, `R` for a result.
pub(crate) const OPCODES: [(&str, &str); 27] = [
    ("ABS", "ABS R0, A;"),
    ("ADD", "ADD R0, A, B;"),
    ("ARL", "ARL address.x, A.x; MOV R0, c[address.x + 40]; ARL address.x, A.y; MOV R1, c[address.x + 32];"),
    ("DP3", "DP3 R0, A, B;"),
    ("DP4", "DP4 R0, A, B;"),
    ("DPH", "DPH R0, A, B;"),
    ("DST", "DST R0, A, B;"),
    ("EX2", "EX2 R0, A.x; EX2 R1, A.y; EX2 R2, A.z;"),
    ("EXP", "EXP R0, A.x; EXP R1, A.y; EXP R2, A.z;"),
    ("FLR", "FLR R0, A;"),
    ("FRC", "FRC R0, A;"),
    ("LG2", "LG2 R0, A.x; LG2 R1, A.y; LG2 R2, A.z;"),
    ("LIT", "LIT R0, A;"),
    ("LOG", "LOG R0, A.x; LOG R1, A.y; LOG R2, A.z;"),
    ("MAD", "MAD R0, A, B, C;"),
    ("MAX", "MAX R0, A, B;"),
    ("MIN", "MIN R0, A, B;"),
    ("MOV", "MOV R0, -A.wzyx;"),
    ("MUL", "MUL R0, A, B;"),
    ("POW", "POW R0, A.x, B.x; POW R1, A.y, B.y;"),
    ("RCP", "RCP R0, A.x; RCP R1, A.y; RCP R2, A.z;"),
    ("RSQ", "RSQ R0, A.x; RSQ R1, A.y; RSQ R2, A.z;"),
    ("SGE", "SGE R0, A, B;"),
    ("SLT", "SLT R0, A, B;"),
    ("SUB", "SUB R0, A, B;"),
    ("SWZ", "SWZ R0, A, -z, 0, 1, -x;"),
    ("XPD", "XPD R0.xyz, A, B;"),
];

/// The program of an opcode: its operands are the first three attributes, its results the texture coordinates.
pub(crate) fn program(name: &str) -> String {
    let (_, body) = OPCODES.iter().find(|(opcode, _)| *opcode == name).expect("an opcode of the list");
    let mut body = (*body).to_owned();
    for (operand, register) in [("A", 0), ("B", 1), ("C", 2)] {
        for end in [",", ";", "."] {
            body = body.replace(&format!(" {operand}{end}"), &format!(" vertex.attrib[{register}]{end}"));
        }
        body = body.replace(&format!("-{operand}."), &format!("-vertex.attrib[{register}]."));
    }
    for result in 0..3 {
        body = body.replace(&format!("R{result}"), &format!("result.texcoord[{result}]"));
    }
    format!(
        "!!ARBvp1.0\nPARAM c[96] = {{ program.env[0..95] }};\nADDRESS address;\n{body}\nMOV result.position, vertex.attrib[0];\nEND"
    )
}

/// The operand of a scalar function: result n is that of component n of `A`. The other results have none.
pub(crate) fn operand(difference: &Difference<'_>) -> f32 {
    difference.attributes[0].get(difference.result).copied().unwrap_or(1.0)
}

/// FRC, and y of EXP.
pub(crate) const FRACTION: OwnRule = (
    "a fraction is below 1 (section 2.14.5.11); just below an integer drivers round x - floor(x) up to 1",
    |difference| difference.theirs == 1.0 && difference.ours == 1.0 - f32::EPSILON / 2.0,
);

/// LG2.
pub(crate) const NO_LOGARITHM: OwnRule = (
    "the logarithm of a negative number is undefined (section 2.14.5.12), and that of a denormal one is -150",
    |difference| operand(difference) < 0.0 && difference.theirs.is_nan() || operand(difference).is_subnormal(),
);

/// LOG.
pub(crate) const PARTS_OF_A_LOGARITHM: OwnRule = (
    "from l = log2 |x|, floor(l) and |x| / 2^floor(l): no number for 0 and infinity, one too many where l rounds up",
    |difference| {
        let x = operand(difference).abs();
        let mantissa = f32::from_bits(x.to_bits() & 0x7f_ffff | 1.0_f32.to_bits());
        !x.is_normal() || difference.component < 2 && mantissa > 2.0 - 1.0 / 65_536.0
    },
);

/// POW.
pub(crate) const NEGATIVE_BASE: OwnRule = (
    "a power of a negative number is undefined (section 2.14.5.20), -0 counts as one, and LG2's rule for denormal numbers",
    |difference| operand(difference).is_sign_negative() || operand(difference).is_subnormal(),
);

/// LIT.
pub(crate) const EXPONENT_CLAMP: OwnRule =
    ("the exponent is clamped to 128 - 1/256 at most (section 2.14.5.13); drivers clamp to 128", |difference| {
        difference.component == 2 && difference.attributes[0][3].abs() > 128.0 - 1.0 / 256.0
    });
