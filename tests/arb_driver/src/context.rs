//! [`Context`]: OpenGL with GL_ARB_vertex_program, and the calls of it that glow does not know.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    ffi::{CStr, c_char, c_void},
};

use glow::HasContext;
use khronos_egl as egl;

/// `EGL_PLATFORM_SURFACELESS_MESA`
const SURFACELESS: egl::Enum = 0x31DD;
pub(crate) const VERTEX_PROGRAM: u32 = 0x8620;
pub(crate) const FRAGMENT_PROGRAM: u32 = 0x8804;
const PROGRAM_FORMAT_ASCII: u32 = 0x8875;
const PROGRAM_ERROR_POSITION: u32 = 0x864B;
const PROGRAM_ERROR_STRING: u32 = 0x8874;

type BindProgram = unsafe extern "system" fn(target: u32, program: u32);
type ProgramString = unsafe extern "system" fn(target: u32, format: u32, length: i32, text: *const c_void);
type EnvironmentParameter = unsafe extern "system" fn(target: u32, index: u32, value: *const f32);
type GetString = unsafe extern "system" fn(name: u32) -> *const c_char;

/// A current OpenGL context without a window. It is never torn down: the process ends with it.
pub struct Context {
    pub(crate) gl: glow::Context,
    bind_program: BindProgram,
    program_string: ProgramString,
    environment_parameter: EnvironmentParameter,
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
        // SAFETY: the surfaceless platform takes the default display, which is a null pointer.
        let display = unsafe { instance.get_platform_display(SURFACELESS, egl::DEFAULT_DISPLAY, &[egl::ATTRIB_NONE]) }
            .map_err(said("no surfaceless display"))?;
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
        // SAFETY: the types are those of the extension's specification and of OpenGL 1.0.
        let context = unsafe {
            Self {
                renderer: gl.get_parameter_string(glow::RENDERER),
                gl,
                bind_program: std::mem::transmute::<*const c_void, BindProgram>(find("glBindProgramARB")?),
                program_string: std::mem::transmute::<*const c_void, ProgramString>(find("glProgramStringARB")?),
                environment_parameter: std::mem::transmute::<*const c_void, EnvironmentParameter>(find(
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

    /// Loads a program text and enables it.
    ///
    /// The objects are kept, one for each text: when Mesa 22.3 frees a program, the next one may be allocated in its
    /// place, and softpipe, which knows programs by their address, then runs the old one.
    ///
    /// # Errors
    ///
    /// The driver's message with the place in the text.
    pub(crate) fn load(&self, target: u32, text: &str) -> Result<(), String> {
        let key = (target, text.to_owned());
        if let Some(&program) = self.loaded.borrow().get(&key) {
            // SAFETY: the context is current, and the object is one of its programs.
            unsafe {
                (self.bind_program)(target, program);
                self.gl.enable(target);
            }
            return Ok(());
        }
        let program = self.programs.get() + 1;
        self.programs.set(program);
        // SAFETY: the context is current; text and length belong together.
        unsafe {
            (self.bind_program)(target, program);
            (self.program_string)(target, PROGRAM_FORMAT_ASCII, text.len() as i32, text.as_ptr().cast());
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

    /// Sets `program.env[index]` of vertex programs.
    pub(crate) fn set_environment(&self, index: u32, value: &[f32; 4]) {
        // SAFETY: the context is current; four floats are read.
        unsafe { (self.environment_parameter)(VERTEX_PROGRAM, index, value.as_ptr()) };
    }
}
