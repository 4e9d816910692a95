//! Mistakes of emulators of vertex programs, each built into the driver's backend: the reference's envelope refuses every
//! one, and nothing without.
//!
//! Each trial is a program that shows its mistake, drawn by the driver twice: rightly and with the mistake.

#[path = "drivers/mod.rs"]
mod drivers;

use std::{collections::BTreeMap, process::ExitCode};

use refrast::{
    animation::Pose,
    golden::envelope::CheckOptions,
    render::{
        Camera, Orbit, RenderSettings, Renderer,
        program::{Bindings, Preset, ProgramSettings},
    },
    scene::Scene,
    verify::{
        Fault, Section,
        envelope::{EnvelopeSettings, frame_envelope},
    },
    vertex_program::{LibraryProgram, NumericModel, Settings, assemble},
};
use refrast_arb_driver::{Context, Mistake, picture};

/// Pixels outside that a mistake must make to be called caught.
const ENOUGH: u64 = 20;

/// A program that shows a mistake.
struct Trial {
    mistake: Mistake,
    /// As the reference runs it.
    program: String,
    /// As it is carried over rightly.
    carried: String,
    /// Registers of the constant file.
    constants: u8,
    overrides: BTreeMap<u8, [f32; 4]>,
    model: NumericModel,
}

fn main() -> ExitCode {
    let known = Fault::ALL.into_iter().filter(|fault| fault.section() == Section::VertexPrograms);
    for fault in known {
        assert!(Mistake::ALL.iter().any(|mistake| mistake.name() == fault.name()), "{fault} has no trial");
    }
    drivers::each(run)
}

fn run(context: &Context, driver: &str) -> ExitCode {
    println!("{driver:10}{:28}{:>24}{:>24}", "mistake", "outside without it", "outside with it");
    let mut failed = false;
    for mistake in Mistake::ALL {
        match judge(context, driver, &trial(mistake)) {
            Ok([without, with]) => {
                println!("{:10}{:28}{without:24}{with:24}", "", mistake.name());
                failed |= without > 0 || with < ENOUGH;
            }
            Err(failure) => {
                println!("FAILED: {driver}, {}: {failure}", mistake.name());
                failed = true;
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Four influences a vertex, lit.
fn trial(mistake: Mistake) -> Trial {
    let library = LibraryProgram::named("bone_offset_4").expect("it is in the library").arb;
    let plain = Trial {
        mistake,
        program: library.to_owned(),
        carried: library.to_owned(),
        constants: 96,
        overrides: BTreeMap::new(),
        model: NumericModel::Ieee,
    };
    match mistake {
        Mistake::PaletteStrideFour | Mistake::AddressRounding => plain,
        // Room for twelve joints: the character is drawn in several sections.
        Mistake::PaletteSplitWrongRemap => Trial { constants: 48, ..plain },
        // A table of displacements from row 82 + 14 on, wholly outside of the file: zeros.
        Mistake::RelativeReadUnchecked => {
            let text = with_lines(
                library,
                "MOV R1.w, c0[7].y;",
                "ADD R6.x, vertex.attrib[6].x, c0[8].x;\nARL A0.x, R6.x;\nMAD R1.xyz, c0[A0.x + 14], c0[8].y, R1;",
            );
            let overrides = BTreeMap::from([(8, [82.0, 0.05, 0.0, 0.0])]);
            Trial { program: text.clone(), carried: text, overrides, ..plain }
        }
        // A tint for vertices with a second influence: w / w is 1 for them, and 0 · infinity for the others.
        Mistake::ZeroTimesInfinity => {
            let text = with_lines(
                library,
                "ADD result.color.xyz, R3, c0[6];",
                "MOV R6.x, vertex.attrib[1].y;\nMAX R6.x, R6.x, c0[8].w; # finite\nRCP R6.x, R6.x;\n\
                 MUL R6.x, R6.x, vertex.attrib[1].y;\nMAD R3.xyz, R6.x, c0[8], R3;",
            );
            Trial {
                program: mistake.program(&text).into_owned(),
                carried: text,
                overrides: BTreeMap::from([(8, [0.0, 0.1, 0.3, 1.0e-30])]),
                model: NumericModel::NvSpec,
                ..plain
            }
        }
        // More light than a colour can hold.
        Mistake::LightNotClamped => Trial { overrides: BTreeMap::from([(5, [4.0, 3.0, 2.0, 1.0])]), ..plain },
    }
}

/// A text with lines before one of its own, and a register for them.
fn with_lines(text: &str, before: &str, lines: &str) -> String {
    text.replace(before, &format!("{lines}\n{before}")).replace("TEMP R0,", "TEMP R6, R0,")
}

/// How many pixels are outside without the mistake, and with it.
fn judge(context: &Context, driver: &str, trial: &Trial) -> Result<[u64; 2], String> {
    let said = |error: &dyn std::fmt::Display| error.to_string();
    let program = assemble(&trial.program).map_err(|error| error.render(trial.mistake.name(), &trial.program))?;
    let program = ProgramSettings {
        bindings: Bindings::from(Preset::BoneOffset),
        machine: Settings { model: trial.model, ..Settings::default() },
        constants: trial.constants,
        overrides: trial.overrides.clone(),
        ..ProgramSettings::new(program.program)
    };
    let scene = Scene::mannequin().map_err(|error| said(&error))?;
    let settings = RenderSettings { width: 120, height: 150, ..RenderSettings::default() };
    let walk = scene.find_animation("Walk").map_err(|error| said(&error))?;
    let pose = Pose::sample(&scene, walk, 0.3).map_err(|error| said(&error))?;
    let mut renderer = Renderer::with_program(&scene, settings, program).map_err(|error| said(&error))?;
    let bounds = renderer.bounds(&pose).map_err(|error| said(&error))?;
    let camera = Camera::orbit(&bounds, Orbit::default(), 120.0 / 150.0, settings.convention);
    let envelope_settings = EnvelopeSettings::of(drivers::profile(driver));
    let made = frame_envelope(&mut renderer, &pose, &camera, envelope_settings).map_err(|error| said(&error))?;
    let outside = |mistake: Option<Mistake>| {
        let candidate = picture(context, &renderer, &trial.carried, mistake)?;
        let verdict = made.envelope.check(&candidate, &CheckOptions::default()).map_err(|error| said(&error))?;
        if mistake.is_none() {
            verdict.worst.iter().take(3).for_each(|pixel| println!("    {pixel:?}"));
        }
        Ok::<u64, String>(verdict.wrong())
    };
    Ok([outside(None)?, outside(Some(trial.mistake))?])
}
