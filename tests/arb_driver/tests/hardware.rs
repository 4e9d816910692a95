//! Every opcode and every program of the library on the machine's own graphics processor, whichever it is.
//!
//! Its driver does not compute as the reference does, to the bit, as softpipe does: sums are fused or in another order, and functions are
//! approximated by hardware. Each result has to lie where Vulkan's "Precision and Operation of SPIR-V Instructions" leaves room for it, which the
//! same hardware keeps; OpenGL states nothing. Where the driver has GL_NV_vertex_program, every program runs a second time in that dialect, as the
//! library has it or as the translator writes it, and has to give the bits of the ARB form.
//!
//! `cargo test -p refrast-arb-driver --test hardware`, with `REFRAST_REQUIRE=hardware` where a missing driver shall be a failure.

mod difference;
mod inputs;
mod opcodes;

use std::{env, fmt, process::ExitCode};

use difference::{Difference, flush, unit_in_last_place};
use inputs::Inputs;
use opcodes::{EXPONENT_CLAMP, FRACTION, NEGATIVE_BASE, NO_LOGARITHM, OPCODES, PARTS_OF_A_LOGARITHM, operand};
use refrast::vertex_program::{
    Dialect, LIBRARY, NumericModel, Program, ScalarMachine, Settings, Target, assemble, translate,
};
use refrast_arb_driver::{Context, PROBED, SIDE, probe};

/// Drivers that run on the processor; two of them are held by other tests.
const SOFTWARE: [&str; 4] = ["llvmpipe", "softpipe", "SWR", "swrast"];

fn main() -> ExitCode {
    let context = Context::new().and_then(|context| {
        let software = SOFTWARE.iter().any(|name| context.renderer.contains(name));
        if software { Err(format!("the driver is {}", context.renderer)) } else { Ok(context) }
    });
    let context = match context {
        Ok(context) => context,
        Err(reason) => {
            let required = env::var("REFRAST_REQUIRE").unwrap_or_default();
            if required.split(',').any(|name| name.trim() == "hardware") {
                eprintln!("FAILED: a graphics processor is required (REFRAST_REQUIRE), but {reason}");
                return ExitCode::FAILURE;
            }
            println!("SKIPPED: vertex programs on a graphics processor: {reason}");
            return ExitCode::SUCCESS;
        }
    };
    println!("{}", context.renderer);
    println!("{}", Counts::heading());
    let opcodes = OPCODES.iter().map(|(name, _)| (*name, opcodes::program(name), None));
    let library = LIBRARY.iter().map(|library| {
        let [vp, arb, _] = library.texts();
        (library.name, arb.to_owned(), Some(vp.to_owned()))
    });
    let mut failed = false;
    for (name, arb, native) in opcodes.chain(library) {
        match run(&context, name, &arb, native) {
            Ok(counts) => {
                println!("{name:24}{counts}");
                failed |= counts.beyond > 0 || counts.native_differs.is_some_and(|differing| differing > 0);
            }
            Err(failure) => {
                println!("FAILED: {name}: {failure}");
                failed = true;
            }
        }
    }
    println!("{LEGEND}");
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

const LEGEND: &str = "\
same      the bits of refrast's `ieee` model, or a NaN on both sides
open      what ARB_vertex_program leaves open: denormals, the sign of 0, operands that are infinite or no numbers, and what the rules of
          single opcodes name; an infinite result reaches a fragment as NaN, because it is interpolated
within    as far off as Vulkan lets it be; `farthest` in parts of that. Programs of the library have no bound of their own here: pictures do
beyond    none of these
native    results in which the program of NV_vertex_program has other bits than the ARB form on the same driver";

/// Counts of one program.
#[derive(Default)]
struct Counts {
    compared: usize,
    same: usize,
    open: usize,
    within: usize,
    farthest: f64,
    beyond: usize,
    example: String,
    /// Where the driver has the other extension.
    native_differs: Option<usize>,
}

impl Counts {
    fn heading() -> String {
        let [program, rest] = ["program", "compared     same     open   within farthest   beyond   native"];
        format!("{program:24} {rest}")
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { compared, same, open, within, farthest, beyond, example, native_differs } = self;
        let native = native_differs.map_or("-".to_owned(), |differing| differing.to_string());
        write!(formatter, "{compared:9}{same:9}{open:9}{within:9}{farthest:9.2}{beyond:9}{native:>9}")?;
        if *beyond > 0 { write!(formatter, "\n    {example}") } else { Ok(()) }
    }
}

/// Runs an ARB program and, where the driver can, its counterpart.
fn run(context: &Context, name: &str, arb: &str, native: Option<String>) -> Result<Counts, String> {
    let is_opcode = native.is_none();
    let program = assembled(name, arb)?;
    let inputs = if is_opcode { inputs::for_opcode(name) } else { inputs::for_library(name) };
    let found = probe(context, &program, &inputs.constants, &inputs.vertices)?;
    let opcode = is_opcode.then_some(name);
    let mut counts = compare(opcode, &program, &inputs, &found.results)?;
    if context.has_nvidia_programs() {
        let native = match native {
            Some(native) => native,
            None => translate(&program, Target::Vp11).map_err(|error| error.to_string())?,
        };
        let native = assembled(name, &native)?;
        assert!(matches!(native.dialect, Dialect::Vp10 | Dialect::Vp11));
        let other = probe(context, &native, &inputs.constants, &inputs.vertices)?;
        counts.native_differs = Some(differing(opcode, &inputs, &found.results, &other.results));
    }
    Ok(counts)
}

/// How many results of two forms differ, but for those that are open.
fn differing(opcode: Option<&str>, inputs: &Inputs, arb: &[[[f32; 4]; 8]], native: &[[[f32; 4]; 8]]) -> usize {
    let mut differing = 0;
    for ((attributes, arb), native) in inputs.vertices.iter().zip(arb).zip(native) {
        for (result, (arb, native)) in arb.iter().zip(native).enumerate() {
            for component in 0..4 {
                let [ours, theirs] = [arb[component], native[component]];
                let own = Difference { attributes, result, component, ours, flushed: ours, theirs };
                let other = Difference { ours: theirs, flushed: theirs, theirs: ours, ..own };
                let is_open = is_open(opcode, &own) || is_open(opcode, &other);
                differing += usize::from(!own.is_identical() && !is_open);
            }
        }
    }
    differing
}

/// Whether ARB_vertex_program leaves a difference open.
fn is_open(opcode: Option<&str>, difference: &Difference<'_>) -> bool {
    let &Difference { attributes, flushed, theirs, .. } = difference;
    let is_special = !attributes[..3].as_flattened().iter().all(|value| value.is_finite());
    let is_lost = flushed.is_infinite() && theirs.is_nan();
    let own = opcode.and_then(own_rule).is_some_and(|explains| explains(difference));
    is_special || is_lost || own || difference.is_denormal()
}

fn assembled(name: &str, text: &str) -> Result<Program, String> {
    Ok(assemble(text).map_err(|error| error.render(name, text))?.program)
}

/// Holds a driver's results against the reference's; `opcode` where there is just one.
fn compare(
    opcode: Option<&str>,
    program: &Program,
    inputs: &Inputs,
    results: &[[[f32; 4]; 8]],
) -> Result<Counts, String> {
    let machine =
        ScalarMachine::new(Settings { model: NumericModel::Ieee, clamp_colors: false, ..Settings::default() });
    let constants = program.constant_file_from(&inputs.constants).map_err(|error| error.to_string())?;
    let usage = program.usage();
    let mut counts = Counts::default();
    for (attributes, found) in inputs.vertices.iter().zip(results) {
        let registers = machine.run(program, &constants, attributes);
        let flushed = machine.run(program, &constants, &attributes.map(|register| register.map(flush)));
        for (result, (output, found)) in PROBED.into_iter().zip(found).enumerate() {
            for component in usage.outputs[output.index()].components() {
                let difference = Difference {
                    attributes,
                    result,
                    component,
                    ours: registers.output(output)[component],
                    flushed: flush(flushed.output(output)[component]),
                    theirs: found[component],
                };
                counts.add(opcode, &difference);
            }
        }
    }
    let expected = SIDE * SIDE;
    if counts.compared < expected {
        return Err(format!("{} results compared, {expected} vertices were run", counts.compared));
    }
    Ok(counts)
}

impl Counts {
    fn add(&mut self, opcode: Option<&str>, difference: &Difference<'_>) {
        let &Difference { attributes, result, component, ours, flushed, theirs } = difference;
        self.compared += 1;
        if difference.is_identical() {
            self.same += 1;
            return;
        }
        if is_open(opcode, difference) {
            self.open += 1;
            return;
        }
        let Some(opcode) = opcode else {
            self.within += 1;
            return;
        };
        let distance = (f64::from(flushed) - f64::from(theirs)).abs();
        let parts = distance / allowed(opcode, difference);
        if parts <= 1.0 {
            self.within += 1;
            self.farthest = self.farthest.max(parts);
        } else {
            self.beyond += 1;
            let operands = &attributes[..3];
            self.example =
                format!("result {result}, component {component}: refrast {ours:e}, driver {theirs:e} for {operands:?}");
        }
    }
}

/// Besides what other drivers do, 0 to the power of 0, which is 2^(0 · -infinity).
fn own_rule(opcode: &str) -> Option<fn(&Difference<'_>) -> bool> {
    if opcode == "POW" {
        return Some(|difference| NEGATIVE_BASE.1(difference) || is_nothing_to_nothing(difference));
    }
    let (_, explains) = match opcode {
        "EXP" | "FRC" => FRACTION,
        "LG2" => NO_LOGARITHM,
        "LIT" => EXPONENT_CLAMP,
        "LOG" => PARTS_OF_A_LOGARITHM,
        _ => return None,
    };
    Some(explains)
}

fn is_nothing_to_nothing(difference: &Difference<'_>) -> bool {
    // Results beyond the two that the program has are of its first operands.
    let exponent = difference.attributes[1].get(difference.result).copied().unwrap_or(1.0);
    flush(operand(difference)) == 0.0 && flush(exponent) == 0.0
}

/// How far from the reference's result a driver's may be. What the reference itself is off, at most one unit in the last place, is in it.
fn allowed(opcode: &str, difference: &Difference<'_>) -> f64 {
    let [a, b, c] = [0, 1, 2].map(|index: usize| difference.attributes[index].map(f64::from));
    let (component, unit) = (difference.component, unit_in_last_place(difference.ours));
    let x = f64::from(operand(difference));
    // Half a unit of 2^-24 for each product and for each sum of magnitudes, on both sides.
    let sum = |products: &[f64]| {
        2.0 * products.len() as f64 / 16_777_216.0 * products.iter().map(|product| product.abs()).sum::<f64>()
    };
    let exp2 = |x: f64| 3.0 + 2.0 * x.abs() + 1.0;
    let log2 = |x: f64| {
        let own = unit_in_last_place(libm::log2(x) as f32);
        own + if (0.5..=2.0).contains(&x) { 1.0 / 2_097_152.0 } else { 3.0 * own }
    };
    // exp2(y · log2(x)): what the exponent is off is a factor.
    let power = |x: f64, y: f64| {
        let exponent = y * libm::log2(x);
        let off = y.abs() * log2(x) + unit_in_last_place(exponent as f32);
        f64::from(difference.ours) * (libm::exp2(off) - 1.0) + exp2(exponent) * unit
    };
    match opcode {
        "DP3" => sum(&[a[0] * b[0], a[1] * b[1], a[2] * b[2]]),
        "DP4" => sum(&[a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]]),
        "DPH" => sum(&[a[0] * b[0], a[1] * b[1], a[2] * b[2], b[3]]),
        "MAD" => sum(&[a[component] * b[component], c[component]]),
        "XPD" => {
            let [next, last] = [(component + 1) % 3, (component + 2) % 3];
            sum(&[a[next] * b[last], a[last] * b[next]])
        }
        "RCP" => 3.5 * unit,
        "RSQ" => 3.0 * unit,
        "EX2" => exp2(x) * unit,
        "EXP" if component == 2 => exp2(x) * unit,
        "LG2" => log2(x),
        "LOG" if component == 2 => log2(x.abs()),
        "POW" => power(x, b[difference.result]),
        "LIT" if component == 2 => power(a[1].max(0.0), a[3]),
        _ => 0.0,
    }
}
