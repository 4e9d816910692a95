//! The programs of the library draw whole scenes through GL_ARB_vertex_program, and no pixel is outside the reference's
//! envelope of the same scene with the same program.
//!
//! A driver is chosen by the environment of a process, so each is a run of this file with its name. One that is missing is
//! skipped by name, unless `REFRAST_REQUIRE` names it. With REFRAST_MODELS set, real characters are drawn too; the
//! pictures are kept in the folder REFRAST_PICTURES, where that is set.

mod cases;

use std::{
    env,
    process::{Command, ExitCode},
};

use cases::Case;
use refrast::{
    golden::envelope::CheckOptions,
    render::{
        Renderer,
        program::{Bindings, Preset, ProgramSettings},
    },
    verify::{
        Profile,
        envelope::{EnvelopeSettings, FrameEnvelope, frame_envelope},
    },
    vertex_program::{Dialect, LIBRARY, LibraryProgram, NumericModel, Program, Settings, Target, assemble, translate},
};
use refrast_arb_driver::{Context, picture};

/// Their names are those that they give to themselves.
const DRIVERS: [&str; 2] = ["softpipe", "llvmpipe"];
/// Both have 8 bits of a position and of a texel, but 4 of a mip level: the first profile does not fit where levels are
/// blended.
const PROFILES: [Profile; 2] = [Profile::D3d11, Profile::VulkanMin];
/// What a run exits with where its driver is missing.
const MISSING: u8 = 3;
/// Programs that are drawn in every form, on every scene. The others are drawn in one form, on scenes in turn.
const THOROUGH: [&str; 2] = ["bone_offset_4", "dual_quaternion_4"];

fn main() -> ExitCode {
    if let Some(driver) = env::args().nth(1).filter(|argument| DRIVERS.contains(&argument.as_str())) {
        return run(&driver);
    }
    let required = env::var("REFRAST_REQUIRE").unwrap_or_default();
    let mut code = ExitCode::SUCCESS;
    for driver in DRIVERS {
        let status = Command::new(env::current_exe().expect("this program is a file"))
            .arg(driver)
            .envs([("GALLIUM_DRIVER", driver), ("LIBGL_ALWAYS_SOFTWARE", "1"), ("EGL_PLATFORM", "surfaceless")])
            // Softpipe's vertices are then interpreted, as its pixels are.
            .env("DRAW_USE_LLVM", if driver == "softpipe" { "0" } else { "1" })
            .status()
            .expect("this program can be started");
        match status.code() {
            Some(0) => {}
            Some(code) if code == i32::from(MISSING) && !required.split(',').any(|name| name.trim() == driver) => {}
            _ => {
                println!("FAILED: {driver}: {status}");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

fn run(driver: &str) -> ExitCode {
    let context = Context::new().and_then(|context| {
        let found = context.renderer.contains(driver);
        if found { Ok(context) } else { Err(format!("the driver is {}", context.renderer)) }
    });
    let context = match context {
        Ok(context) => context,
        Err(reason) => {
            println!("SKIPPED: pictures on {driver}: {reason}; install libgl1-mesa-dri and libegl1");
            return ExitCode::from(MISSING);
        }
    };
    println!(
        "{:10}{:24}{:28}{:12}{:>8}{:>9}{:>11}{:>12}",
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
                match draw(&context, &case, library, text, None) {
                    Ok(None) => {}
                    Ok(Some(row)) => {
                        println!("{:10}{:24}{:28}{row}", "", case.name, format!("{}.{form}", library.name));
                        failed |= row.outside > 0;
                        drawn += 1;
                    }
                    Err(failure) => {
                        println!("FAILED: {driver}, {}, {}.{form}: {failure}", case.name, library.name);
                        failed = true;
                    }
                }
            }
        }
        if case.every_program {
            let mistaken = only_one_influence(&context, &case);
            println!("{driver}: with one influence of four {mistaken:?} pixels are outside");
            failed |= !mistaken.is_ok_and(|outside| outside > 100);
        }
    }
    println!("{driver}: {drawn} pictures");
    if failed || drawn < THOROUGH.len() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// How many pixels are outside where the driver runs a program that forgets three influences of four.
fn only_one_influence(context: &Context, case: &Case) -> Result<u64, String> {
    let [four, one] = ["bone_offset_4", "bone_offset_1"].map(LibraryProgram::named);
    let (four, one) = (four.ok_or("no such program")?, one.ok_or("no such program")?);
    Ok(draw(context, case, four, four.arb, Some(one.arb))?.map_or(0, |row| row.outside))
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
        write!(formatter, "{:12}{pixels:8}{outside:9}{undecided:11}{mean_width:12.2}", profile.to_string())
    }
}

/// Draws a case by a program on the driver, or by another ARB program with the same registers, and holds the picture against
/// the reference's; `None` where the program does not fit the scene. The row is of the first profile that fits.
fn draw(
    context: &Context,
    case: &Case,
    library: &LibraryProgram,
    text: &str,
    another: Option<&str>,
) -> Result<Option<Row>, String> {
    let program = assemble(text).map_err(|error| error.render(library.name, text))?.program;
    let arb = arb_form(&program, text)?;
    let settings = ProgramSettings {
        bindings: Bindings::from(Preset::of_library_program(library.name)),
        machine: Settings { model: NumericModel::Ieee, ..Settings::default() },
        ..ProgramSettings::new(program)
    };
    // A palette program does not draw what has no joints, and so on: the reference says so.
    let Ok(mut renderer) = Renderer::with_program(&case.scene, case.settings, settings) else { return Ok(None) };
    if renderer.render(&case.pose, &case.camera).is_err() {
        return Ok(None);
    }
    let candidate = picture(context, &renderer, another.unwrap_or(&arb))?;
    if let Some(folder) = env::var_os("REFRAST_PICTURES") {
        let name =
            format!("{}-{}-{}.png", case.name, library.name, context.renderer.split(' ').next().unwrap_or_default());
        candidate.write(&std::path::Path::new(&folder).join(name)).map_err(|error| error.to_string())?;
    }
    let mut row = None;
    for profile in PROFILES {
        let settings = EnvelopeSettings::of(profile);
        let made =
            frame_envelope(&mut renderer, &case.pose, &case.camera, settings).map_err(|error| error.to_string())?;
        let FrameEnvelope { golden, envelope, causes } = &made;
        let verdict = envelope.check(&candidate, &CheckOptions::default()).map_err(|error| error.to_string())?;
        let outside = verdict.wrong();
        row = Some(Row {
            profile,
            pixels: golden.width() * golden.height(),
            outside,
            undecided: verdict.undecided,
            mean_width: envelope.statistics().mean_width(),
        });
        if outside == 0 {
            break;
        }
        let told = if another.is_none() && Some(&profile) == PROFILES.last() { 3 } else { 0 };
        for pixel in verdict.worst.iter().take(told) {
            println!("    {profile}: {pixel:?} {:?}", causes.of(pixel.x, pixel.y));
        }
    }
    Ok(row)
}

fn arb_form(program: &Program, text: &str) -> Result<String, String> {
    if program.dialect == Dialect::Arb10 {
        return Ok(text.to_owned());
    }
    translate(program, Target::Arb).map_err(|error| error.to_string())
}
