//! The drivers that pictures are drawn on, each in a process of its own.
//!
//! Why it exists: a driver is chosen by the environment of a process. One that is missing is skipped by name, unless
//! `REFRAST_REQUIRE` names it.

use std::{
    env,
    process::{Command, ExitCode},
};

use refrast::verify::{Profile, StatedBits};
use refrast_arb_driver::Context;

/// Their names are those that they give to themselves.
const DRIVERS: [&str; 2] = ["softpipe", "llvmpipe"];
/// The argument that asks for the driver of the machine's own graphics processor, whatever it is. Nobody holds it otherwise.
const HARDWARE: &str = "hardware";
/// What a run exits with where its driver is missing.
const MISSING: u8 = 3;

/// Runs this program again on each driver, and there calls `run` with the driver's context and name.
pub(crate) fn each(run: fn(&Context, &str) -> ExitCode) -> ExitCode {
    if let Some(driver) = env::args().nth(1).filter(|name| name == HARDWARE || DRIVERS.contains(&name.as_str())) {
        return start(&driver, run);
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

fn start(driver: &str, run: fn(&Context, &str) -> ExitCode) -> ExitCode {
    let context = Context::new().and_then(|context| {
        let found = driver == HARDWARE || context.renderer.contains(driver);
        if found { Ok(context) } else { Err(format!("the driver is {}", context.renderer)) }
    });
    match context {
        Ok(context) => run(&context, driver),
        Err(reason) => {
            println!("SKIPPED: pictures on {driver}: {reason}; install libgl1-mesa-dri and libegl1");
            ExitCode::from(MISSING)
        }
    }
}

/// What a driver is held against. Llvmpipe has the bits that its Vulkan twin states. Softpipe computes positions, texels
/// and levels in f32, without a grid: that is no profile of Direct3D, which has a grid of 8 bits exactly, but one of many
/// bits. Graphics processors are held with the bits that they all state.
pub(crate) fn profile(driver: &str) -> Profile {
    let [subpixel, subtexel, mip] = match driver {
        "softpipe" => [16, 16, 16],
        HARDWARE => [8, 8, 8],
        _ => [8, 8, 4],
    };
    Profile::Vulkan(StatedBits { subpixel, subtexel, mip })
}
