//! [`Context`]: OpenGL with GL_ARB_vertex_program, where a driver has it with GL_NV_vertex_program, and their calls, which glow does
//! not know.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    ffi::{CStr, c_char, c_void},
};

use glow::HasContext;
use khronos_egl as egl;

/// `EGL_PLATFORM_SURFACELESS_MESA`
const SURFACELESS: egl::Enum = 0x31DD;
/// `EGL_PLATFORM_DEVICE_EXT`
const DEVICE: egl::Enum = 0x313F;
pub(crate) const VERTEX_PROGRAM: u32 = 0x8620;
pub(crate) const FRAGMENT_PROGRAM: u32 = 0x8804;
const PROGRAM_FORMAT_ASCII: u32 = 0x8875;
const PROGRAM_ERROR_POSITION: u32 = 0x864B;
const PROGRAM_ERROR_STRING: u32 = 0x8874;

type BindProgram = unsafe extern "system" fn(target: u32, program: u32);
type ProgramString = unsafe extern "system" fn(target: u32, format: u32, length: i32, text: *const c_void);
type LoadProgram = unsafe extern "system" fn(target: u32, program: u32, length: i32, text: *const u8);
/// `glProgramEnvParameter4fvARB` and `glProgramParameter4fvNV`.
type Parameter = unsafe extern "system" fn(target: u32, index: u32, value: *const f32);
type QueryDevices = unsafe extern "system" fn(most: i32, devices: *mut *mut c_void, count: *mut i32) -> u32;
type GetString = unsafe extern "system" fn(name: u32) -> *const c_char;

/// GL_NV_vertex_program. Its target is that of GL_ARB_vertex_program, and so are the errors.
struct Nvidia {
    bind_program: BindProgram,
    load_program: LoadProgram,
    parameter: Parameter,
}

/// A current OpenGL context without a window. It is never torn down: the process ends with it.
pub struct Context {
    pub(crate) gl: glow::Context,
    bind_program: BindProgram,
    program_string: ProgramString,
    environment_parameter: Parameter,
    nvidia: Option<Nvidia>,
    get_string: GetString,
    /// The name of the last program object.
    programs: Cell<u32>,
    /// The programs that were loaded, by target and text.
    loaded: RefCell<BTreeMap<(u32, String), u32>>,
    /// What the driver calls itself.
    pub renderer: String,
}

impl Context {
    /// A context on whatever driver the environment chooses.
    ///
    /// # Errors
    ///
    /// What is missing on this machine.
    pub fn new() -> Result<Self, String> {
        let said = |step: &'static str| move |error: egl::Error| format!("{step}: {error}");
        // SAFETY: libEGL's initialisation routines are those of the system's vendor library.
        let instance = unsafe { egl::DynamicInstance::<egl::EGL1_5>::load_required() }
            .map_err(|error| format!("libEGL can not be loaded: {error}"))?;
        let display = display(&instance)?;
        instance.initialize(display).map_err(said("the display does not start"))?;
        instance.bind_api(egl::OPENGL_API).map_err(said("no desktop OpenGL"))?;
        let wanted = [egl::SURFACE_TYPE, egl::PBUFFER_BIT, egl::RENDERABLE_TYPE, egl::OPENGL_BIT, egl::NONE];
        let config = instance
            .choose_first_config(display, &wanted)
            .map_err(said("no configuration"))?
            .ok_or("no configuration for OpenGL")?;
        // Without attributes this is a compatibility context.
        let context =
            instance.create_context(display, config, None, &[egl::NONE]).map_err(said("no OpenGL context"))?;
        instance.make_current(display, None, None, Some(context)).map_err(said("no current context"))?;

        let address = |name: &str| instance.get_proc_address(name).map_or(std::ptr::null(), |f| f as *const c_void);
        // SAFETY: the context is current, and these are its own functions.
        let gl = unsafe { glow::Context::from_loader_function(|name| address(name)) };
        if !gl.supported_extensions().contains("GL_ARB_vertex_program") {
            return Err("the driver has no GL_ARB_vertex_program".to_owned());
        }
        let find = |name: &str| Some(address(name)).filter(|f| !f.is_null()).ok_or(format!("the driver has no {name}"));
        let nvidia = if gl.supported_extensions().contains("GL_NV_vertex_program") {
            let [bind, load, parameter] = ["glBindProgramNV", "glLoadProgramNV", "glProgramParameter4fvNV"].map(&find);
            // SAFETY: the types are those of the extension's specification.
            Some(unsafe {
                Nvidia {
                    bind_program: std::mem::transmute::<*const c_void, BindProgram>(bind?),
                    load_program: std::mem::transmute::<*const c_void, LoadProgram>(load?),
                    parameter: std::mem::transmute::<*const c_void, Parameter>(parameter?),
                }
            })
        } else {
            None
        };
        // SAFETY: the types are those of the extension's specification and of OpenGL 1.0.
        let context = unsafe {
            Self {
                nvidia,
                renderer: gl.get_parameter_string(glow::RENDERER),
                gl,
                bind_program: std::mem::transmute::<*const c_void, BindProgram>(find("glBindProgramARB")?),
                program_string: std::mem::transmute::<*const c_void, ProgramString>(find("glProgramStringARB")?),
                environment_parameter: std::mem::transmute::<*const c_void, Parameter>(find(
                    "glProgramEnvParameter4fvARB",
                )?),
                get_string: std::mem::transmute::<*const c_void, GetString>(find("glGetString")?),
                programs: Cell::new(0),
                loaded: RefCell::default(),
            }
        };
        // The functions that were found live in the library.
        std::mem::forget(instance);
        Ok(context)
    }

    /// Whether programs of NV_vertex_program run as they are.
    #[must_use]
    pub fn has_nvidia_programs(&self) -> bool {
        self.nvidia.is_some()
    }

    /// Loads a program text, of either extension by its header, and enables it.
    ///
    /// The objects are kept, one for each text: when Mesa 22.3 frees a program, the next one may be allocated in its
    /// place, and softpipe, which knows programs by their address, then runs the old one.
    ///
    /// # Errors
    ///
    /// The driver's message with the place in the text.
    pub(crate) fn load(&self, target: u32, text: &str) -> Result<(), String> {
        let nvidia = if text.starts_with("!!VP1.") {
            Some(self.nvidia.as_ref().ok_or("the driver has no GL_NV_vertex_program")?)
        } else {
            None
        };
        let bind = nvidia.map_or(self.bind_program, |nvidia| nvidia.bind_program);
        let key = (target, text.to_owned());
        if let Some(&program) = self.loaded.borrow().get(&key) {
            // SAFETY: the context is current, and the object is one of its programs.
            unsafe {
                bind(target, program);
                self.gl.enable(target);
            }
            return Ok(());
        }
        let program = self.programs.get() + 1;
        self.programs.set(program);
        // SAFETY: the context is current; text and length belong together.
        unsafe {
            bind(target, program);
            match nvidia {
                Some(nvidia) => (nvidia.load_program)(target, program, text.len() as i32, text.as_ptr()),
                None => (self.program_string)(target, PROGRAM_FORMAT_ASCII, text.len() as i32, text.as_ptr().cast()),
            }
            let position = self.gl.get_parameter_i32(PROGRAM_ERROR_POSITION);
            // Reading the error takes it away.
            self.gl.get_error();
            if position != -1 {
                let message = (self.get_string)(PROGRAM_ERROR_STRING);
                let message =
                    if message.is_null() { "no message".into() } else { CStr::from_ptr(message).to_string_lossy() };
                return Err(format!("byte {position}: {message}\n{text}"));
            }
            self.gl.enable(target);
        }
        self.loaded.borrow_mut().insert(key, program);
        Ok(())
    }

    /// Sets `program.env[index]` of vertex programs, and `c[index]` where it is another register.
    pub(crate) fn set_environment(&self, index: u32, value: &[f32; 4]) {
        // SAFETY: the context is current; four floats are read.
        unsafe {
            (self.environment_parameter)(VERTEX_PROGRAM, index, value.as_ptr());
            if let Some(nvidia) = &self.nvidia {
                (nvidia.parameter)(VERTEX_PROGRAM, index, value.as_ptr());
            }
        }
    }
}

/// Mesa's display without a window; where there is none, that of the first device, as the drivers of graphics processors have it.
fn display(instance: &egl::DynamicInstance<egl::EGL1_5>) -> Result<egl::Display, String> {
    // SAFETY: the surfaceless platform takes the default display, which is a null pointer.
    let surfaceless = unsafe { instance.get_platform_display(SURFACELESS, egl::DEFAULT_DISPLAY, &[egl::ATTRIB_NONE]) };
    let reason = match surfaceless {
        Ok(display) => return Ok(display),
        Err(error) => format!("no surfaceless display: {error}"),
    };
    let query = instance.get_proc_address("eglQueryDevicesEXT").ok_or_else(|| reason.clone())?;
    let (mut device, mut count) = (std::ptr::null_mut(), 0);
    // SAFETY: the type is that of EGL_EXT_device_enumeration, and there is room for the one device that is asked for.
    let found =
        unsafe { std::mem::transmute::<extern "system" fn(), QueryDevices>(query)(1, &raw mut device, &raw mut count) };
    if found == 0 || count < 1 {
        return Err(format!("{reason}, and no device"));
    }
    // SAFETY: the device was given by this library.
    unsafe { instance.get_platform_display(DEVICE, device, &[egl::ATTRIB_NONE]) }
        .map_err(|error| format!("{reason}, and no display of a device: {error}"))
}
