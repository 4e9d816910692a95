//! Every opcode and every program of the library, over 16,384 random vertices, on refrast's machine and on softpipe.
//!
//! The differences are counted by the rule that explains them and printed as a table; one that no rule explains fails. A
//! machine without the driver skips this by name, unless `REFRAST_REQUIRE` names `softpipe`.

mod comparison;
mod inputs;

use std::process::ExitCode;

use comparison::{Comparison, Difference, OwnRule, Rules};
use refrast::vertex_program::{
    ConstantFile, Dialect, LIBRARY, NumericModel, Program, ScalarMachine, Settings, Target, assemble, translate,
};
use refrast_arb_driver::{Context, PROBED, SIDE, probe};

/// An opcode in a program of its own, and how the driver's results may differ.
struct Case {
    name: &'static str,
    body: &'static str,
    rules: Rules,
}

/// The driver's results are these bits.
const fn exact(name: &'static str, body: &'static str) -> Case {
    Case { name, body, rules: Rules::EXACT }
}

/// The operand of a scalar function: result n is that of component n of `A`. The other results have none.
fn operand(difference: &Difference<'_>) -> f32 {
    difference.attributes[0].get(difference.result).copied().unwrap_or(1.0)
}

/// FRC, and y of EXP.
const FRACTION: OwnRule = (
    "a fraction is below 1 (section 2.14.5.11); just below an integer softpipe rounds x - floor(x) up to 1",
    |difference| difference.theirs == 1.0 && difference.ours == 1.0 - f32::EPSILON / 2.0,
);

/// LG2.
const NO_LOGARITHM: OwnRule = (
    "the logarithm of a negative number is undefined (section 2.14.5.12), and that of a denormal one is -150",
    |difference| operand(difference) < 0.0 && difference.theirs.is_nan() || operand(difference).is_subnormal(),
);

/// LOG.
const PARTS_OF_A_LOGARITHM: OwnRule = (
    "from l = log2 |x|, floor(l) and |x| / 2^floor(l): no number for 0 and infinity, one too many where l rounds up",
    |difference| {
        let x = operand(difference).abs();
        let mantissa = f32::from_bits(x.to_bits() & 0x7f_ffff | 1.0_f32.to_bits());
        !x.is_normal() || difference.component < 2 && mantissa > 2.0 - 1.0 / 65_536.0
    },
);

/// POW.
const NEGATIVE_BASE: OwnRule = (
    "a power of a negative number is undefined (section 2.14.5.20), -0 counts as one, and LG2's rule for denormal numbers",
    |difference| operand(difference).is_sign_negative() || operand(difference).is_subnormal(),
);

/// LIT.
const EXPONENT_CLAMP: OwnRule =
    ("the exponent is clamped to 128 - 1/256 at most (section 2.14.5.13); softpipe clamps to 128", |difference| {
        difference.component == 2 && difference.attributes[0][3].abs() > 128.0 - 1.0 / 256.0
    });

/// `A`, `B` and `C` stand for the operands, `R` for a result.
const CASES: [Case; 27] = [
    exact("ABS", "ABS R0, A;"),
    exact("ADD", "ADD R0, A, B;"),
    exact("ARL", "ARL address.x, A.x; MOV R0, c[address.x + 40]; ARL address.x, A.y; MOV R1, c[address.x + 32];"),
    exact("DP3", "DP3 R0, A, B;"),
    exact("DP4", "DP4 R0, A, B;"),
    exact("DPH", "DPH R0, A, B;"),
    exact("DST", "DST R0, A, B;"),
    Case { name: "EX2", body: "EX2 R0, A.x; EX2 R1, A.y; EX2 R2, A.z;", rules: Rules { units: 1.0, own: None } },
    Case {
        name: "EXP",
        body: "EXP R0, A.x; EXP R1, A.y; EXP R2, A.z;",
        rules: Rules { units: 1.0, own: Some(FRACTION) },
    },
    exact("FLR", "FLR R0, A;"),
    Case { name: "FRC", body: "FRC R0, A;", rules: Rules { units: 0.0, own: Some(FRACTION) } },
    Case {
        name: "LG2",
        body: "LG2 R0, A.x; LG2 R1, A.y; LG2 R2, A.z;",
        rules: Rules { units: 2.0, own: Some(NO_LOGARITHM) },
    },
    Case { name: "LIT", body: "LIT R0, A;", rules: Rules { units: 1.0, own: Some(EXPONENT_CLAMP) } },
    Case {
        name: "LOG",
        body: "LOG R0, A.x; LOG R1, A.y; LOG R2, A.z;",
        rules: Rules { units: 2.0, own: Some(PARTS_OF_A_LOGARITHM) },
    },
    exact("MAD", "MAD R0, A, B, C;"),
    exact("MAX", "MAX R0, A, B;"),
    exact("MIN", "MIN R0, A, B;"),
    exact("MOV", "MOV R0, -A.wzyx;"),
    exact("MUL", "MUL R0, A, B;"),
    Case {
        name: "POW",
        body: "POW R0, A.x, B.x; POW R1, A.y, B.y;",
        rules: Rules { units: 1.0, own: Some(NEGATIVE_BASE) },
    },
    exact("RCP", "RCP R0, A.x; RCP R1, A.y; RCP R2, A.z;"),
    exact("RSQ", "RSQ R0, A.x; RSQ R1, A.y; RSQ R2, A.z;"),
    exact("SGE", "SGE R0, A, B;"),
    exact("SLT", "SLT R0, A, B;"),
    exact("SUB", "SUB R0, A, B;"),
    exact("SWZ", "SWZ R0, A, -z, 0, 1, -x;"),
    exact("XPD", "XPD R0.xyz, A, B;"),
];

fn main() -> ExitCode {
    // SAFETY: this is the first thread, and no other runs yet.
    unsafe {
        for (name, value) in [
            ("GALLIUM_DRIVER", "softpipe"),
            ("LIBGL_ALWAYS_SOFTWARE", "1"),
            ("EGL_PLATFORM", "surfaceless"),
            ("DRAW_USE_LLVM", "0"),
        ] {
            std::env::set_var(name, value);
        }
    }
    let context = Context::new().and_then(|context| {
        let found = context.renderer.contains("softpipe");
        if found { Ok(context) } else { Err(format!("the driver is {}", context.renderer)) }
    });
    let context = match context {
        Ok(context) => context,
        Err(reason) => {
            let required = std::env::var("REFRAST_REQUIRE").unwrap_or_default();
            if required.split(',').any(|name| name.trim() == "softpipe") {
                eprintln!("FAILED: softpipe is required (REFRAST_REQUIRE), but {reason}");
                return ExitCode::FAILURE;
            }
            println!("SKIPPED: softpipe: {reason}; install libgl1-mesa-dri and libegl1");
            return ExitCode::SUCCESS;
        }
    };
    let mut failures = Vec::new();
    println!("{}", Comparison::heading());
    for case in &CASES {
        run_case(&context, case).unwrap_or_else(|failure| failures.push(failure));
    }
    for library in LIBRARY {
        for (form, text) in ["vp", "arb", "vs"].into_iter().zip(library.texts()) {
            let name = format!("{}.{form}", library.name);
            run_library(&context, &name, text).unwrap_or_else(|failure| failures.push(failure));
        }
    }
    println!("{}", comparison::LEGEND);
    for Case { name, rules, .. } in &CASES {
        if let Some((rule, _)) = rules.own {
            println!("own, {name:4} {rule}");
        }
    }
    for failure in &failures {
        eprintln!("FAILED: {failure}");
    }
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run_case(context: &Context, case: &Case) -> Result<(), String> {
    let mut body = case.body.to_owned();
    for (operand, register) in [("A", 0), ("B", 1), ("C", 2)] {
        for end in [",", ";", "."] {
            body = body.replace(&format!(" {operand}{end}"), &format!(" vertex.attrib[{register}]{end}"));
        }
        body = body.replace(&format!("-{operand}."), &format!("-vertex.attrib[{register}]."));
    }
    for result in 0..3 {
        body = body.replace(&format!("R{result}"), &format!("result.texcoord[{result}]"));
    }
    let text = format!(
        "!!ARBvp1.0\nPARAM c[96] = {{ program.env[0..95] }};\nADDRESS address;\n{body}\nMOV result.position, vertex.attrib[0];\nEND"
    );
    let inputs = inputs::for_opcode(case.name);
    compare(context, case.name, &text, &inputs, case.rules)
}

fn run_library(context: &Context, name: &str, text: &str) -> Result<(), String> {
    let program = assemble(text).map_err(|error| error.render(name, text))?.program;
    let arb = if program.dialect == Dialect::Arb10 {
        text.to_owned()
    } else {
        translate(&program, Target::Arb).map_err(|error| format!("{name}: {error}"))?
    };
    compare(context, name, &arb, &inputs::for_library(name), Rules::EXACT)
}

fn compare(context: &Context, name: &str, text: &str, inputs: &inputs::Inputs, rules: Rules) -> Result<(), String> {
    let program: Program = assemble(text).map_err(|error| error.render(name, text))?.program;
    let probe =
        probe(context, &program, &inputs.constants, &inputs.vertices).map_err(|error| format!("{name}: {error}"))?;
    let settings = Settings { model: NumericModel::Ieee, clamp_colors: false, ..Settings::default() };
    let machine = ScalarMachine::new(settings);
    let constants: ConstantFile =
        program.constant_file_from(&inputs.constants).map_err(|error| format!("{name}: {error}"))?;
    let usage = program.usage();
    let mut comparison = Comparison::new(name, rules);
    for (attributes, found) in inputs.vertices.iter().zip(&probe.results) {
        let registers = machine.run(&program, &constants, attributes);
        let flushed = machine.run(&program, &constants, &attributes.map(|register| register.map(flush)));
        for (result, (output, found)) in PROBED.into_iter().zip(found).enumerate() {
            for c in usage.outputs[output.index()].components() {
                comparison.add(&Difference {
                    attributes,
                    result,
                    component: c,
                    ours: registers.output(output)[c],
                    flushed: flush(flushed.output(output)[c]),
                    theirs: found[c],
                });
            }
        }
    }
    println!("{comparison}");
    let expected = SIDE * SIDE;
    if comparison.compared() < expected {
        return Err(format!("{name}: {} results compared, {expected} vertices were run", comparison.compared()));
    }
    comparison.verdict().map_err(|failure| format!("{failure}\n{}", probe.text))
}

/// 0 for a denormal number.
fn flush(value: f32) -> f32 {
    if value.is_subnormal() { 0.0_f32.copysign(value) } else { value }
}
