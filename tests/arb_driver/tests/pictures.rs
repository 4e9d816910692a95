//! The programs of the library draw whole scenes through GL_ARB_vertex_program, and no pixel is outside the reference's
//! envelope of the same scene with the same program.
//!
//! With REFRAST_MODELS set, real characters are drawn too; the pictures are kept in the folder REFRAST_PICTURES, where that is set.

mod cases;
mod drivers;

use std::{env, process::ExitCode};

use cases::Case;
use refrast::{
    golden::envelope::CheckOptions,
    render::{
        Renderer,
        program::{Bindings, Combiners, Preset, ProgramSettings},
    },
    verify::{
        Profile,
        envelope::{EnvelopeSettings, FrameEnvelope, frame_envelope},
    },
    vertex_program::{Dialect, LIBRARY, LibraryProgram, NumericModel, Program, Settings, Target, assemble, translate},
};
use refrast_arb_driver::{Context, picture};

/// Programs that are drawn in every form, on every scene. The others are drawn in one form, on scenes in turn.
const THOROUGH: [&str; 2] = ["bone_offset_4", "dual_quaternion_4"];

fn main() -> ExitCode {
    drivers::each(run)
}

fn run(context: &Context, driver: &str) -> ExitCode {
    println!(
        "{:10}{:24}{:36}{:16}{:>8}{:>9}{:>11}{:>12}",
        driver, "scene", "program", "profile", "pixels", "outside", "undecided", "mean width"
    );
    let (mut failed, mut drawn) = (false, 0);
    for (index, case) in cases::all().into_iter().enumerate() {
        for (turn, library) in LIBRARY.iter().enumerate() {
            let thorough = THOROUGH.contains(&library.name);
            if !thorough && !case.every_program && (turn + index) % 4 != 0 {
                continue;
            }
            for (form, text) in ["vp", "arb", "vs"].into_iter().zip(library.texts()) {
                if form != "vp" && !thorough {
                    continue;
                }
                // Where the driver has NV_vertex_program too, such a program is drawn as it is as well.
                let native = (form == "vp" && context.has_nvidia_programs()).then_some(text);
                for (kind, another) in [("", None)].into_iter().chain(native.map(|text| (", native", Some(text)))) {
                    match draw((context, driver), &case, library, text, another) {
                        Ok(None) => {}
                        Ok(Some(row)) => {
                            println!("{:10}{:24}{:36}{row}", "", case.name, format!("{}.{form}{kind}", library.name));
                            failed |= row.outside > 0;
                            drawn += 1;
                        }
                        Err(failure) => {
                            println!("FAILED: {driver}, {}, {}.{form}{kind}: {failure}", case.name, library.name);
                            failed = true;
                        }
                    }
                }
            }
        }
        if case.every_program {
            let mistaken = only_one_influence((context, driver), &case);
            println!("{driver}: with one influence of four {mistaken:?} pixels are outside");
            failed |= !mistaken.is_ok_and(|outside| outside > 100);
        }
    }
    println!("{driver}: {drawn} pictures");
    if failed || drawn < THOROUGH.len() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// How many pixels are outside where the driver runs a program that forgets three influences of four.
fn only_one_influence(on: (&Context, &str), case: &Case) -> Result<u64, String> {
    let [four, one] = ["bone_offset_4", "bone_offset_1"].map(LibraryProgram::named);
    let (four, one) = (four.ok_or("no such program")?, one.ok_or("no such program")?);
    Ok(draw(on, case, four, four.arb, Some(one.arb))?.map_or(0, |row| row.outside))
}

/// A picture and its envelope.
struct Row {
    profile: Profile,
    pixels: u32,
    outside: u64,
    undecided: u64,
    mean_width: f64,
}

impl std::fmt::Display for Row {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { profile, pixels, outside, undecided, mean_width } = self;
        write!(formatter, "{:16}{pixels:8}{outside:9}{undecided:11}{mean_width:12.2}", profile.to_string())
    }
}

/// Draws a case by a program on the driver, or by another ARB program with the same registers, and holds the picture against
/// the reference's; `None` where the program does not fit the scene.
fn draw(
    (context, driver): (&Context, &str),
    case: &Case,
    library: &LibraryProgram,
    text: &str,
    another: Option<&str>,
) -> Result<Option<Row>, String> {
    let program = assemble(text).map_err(|error| error.render(library.name, text))?.program;
    let arb = arb_form(&program, text)?;
    let settings = ProgramSettings {
        bindings: Bindings::from(Preset::of_library_program(library.name)),
        combiners: Combiners::of_library_program(library.name),
        machine: Settings { model: NumericModel::Ieee, ..Settings::default() },
        ..ProgramSettings::new(program)
    };
    // A palette program does not draw what has no joints, and so on: the reference says so.
    let Ok(mut renderer) = Renderer::with_program(&case.scene, case.settings, settings) else { return Ok(None) };
    if renderer.render(&case.pose, &case.camera).is_err() {
        return Ok(None);
    }
    let candidate = picture(context, &renderer, another.unwrap_or(&arb), None)?;
    if let Some(folder) = env::var_os("REFRAST_PICTURES") {
        let name =
            format!("{}-{}-{}.png", case.name, library.name, context.renderer.split(' ').next().unwrap_or_default());
        candidate.write(&std::path::Path::new(&folder).join(name)).map_err(|error| error.to_string())?;
    }
    let profile = drivers::profile(driver);
    let made = frame_envelope(&mut renderer, &case.pose, &case.camera, EnvelopeSettings::of(profile))
        .map_err(|error| error.to_string())?;
    let FrameEnvelope { golden, envelope, causes } = &made;
    let verdict = envelope.check(&candidate, &CheckOptions::default()).map_err(|error| error.to_string())?;
    for pixel in verdict.worst.iter().take(if another.is_none() { 3 } else { 0 }) {
        println!("    {profile}: {pixel:?} {:?}", causes.of(pixel.x, pixel.y));
    }
    Ok(Some(Row {
        profile,
        pixels: golden.width() * golden.height(),
        outside: verdict.wrong(),
        undecided: verdict.undecided,
        mean_width: envelope.statistics().mean_width(),
    }))
}

fn arb_form(program: &Program, text: &str) -> Result<String, String> {
    if program.dialect == Dialect::Arb10 {
        return Ok(text.to_owned());
    }
    translate(program, Target::Arb).map_err(|error| error.to_string())
}
