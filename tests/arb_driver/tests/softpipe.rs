//! Every opcode and every program of the library, over 16,384 random vertices, on refrast's machine and on softpipe.
//!
//! The differences are counted by the rule that explains them and printed as a table; one that no rule explains fails. A
//! machine without the driver skips this by name, unless `REFRAST_REQUIRE` names `softpipe`.

mod comparison;
mod difference;
mod inputs;
mod opcodes;

use std::process::ExitCode;

use comparison::{Comparison, Rules};
use difference::{Difference, flush};
use opcodes::{EXPONENT_CLAMP, FRACTION, NEGATIVE_BASE, NO_LOGARITHM, PARTS_OF_A_LOGARITHM};
use refrast::vertex_program::{
    ConstantFile, Dialect, LIBRARY, NumericModel, Program, ScalarMachine, Settings, Target, assemble, translate,
};
use refrast_arb_driver::{Context, PROBED, SIDE, probe};

/// An opcode in a program of its own, and how the driver's results may differ.
struct Case {
    name: &'static str,
    rules: Rules,
}

/// The driver's results are these bits.
const fn exact(name: &'static str) -> Case {
    Case { name, rules: Rules::EXACT }
}

const CASES: [Case; 27] = [
    exact("ABS"),
    exact("ADD"),
    exact("ARL"),
    exact("DP3"),
    exact("DP4"),
    exact("DPH"),
    exact("DST"),
    Case { name: "EX2", rules: Rules { units: 1.0, own: None } },
    Case { name: "EXP", rules: Rules { units: 1.0, own: Some(FRACTION) } },
    exact("FLR"),
    Case { name: "FRC", rules: Rules { units: 0.0, own: Some(FRACTION) } },
    Case { name: "LG2", rules: Rules { units: 2.0, own: Some(NO_LOGARITHM) } },
    Case { name: "LIT", rules: Rules { units: 1.0, own: Some(EXPONENT_CLAMP) } },
    Case { name: "LOG", rules: Rules { units: 2.0, own: Some(PARTS_OF_A_LOGARITHM) } },
    exact("MAD"),
    exact("MAX"),
    exact("MIN"),
    exact("MOV"),
    exact("MUL"),
    Case { name: "POW", rules: Rules { units: 1.0, own: Some(NEGATIVE_BASE) } },
    exact("RCP"),
    exact("RSQ"),
    exact("SGE"),
    exact("SLT"),
    exact("SUB"),
    exact("SWZ"),
    exact("XPD"),
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
    let text = opcodes::program(case.name);
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
