//! [`Backend`]: a driver's device, and the pictures that it draws.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use glam::{Mat4, Vec3};
use refrast::{
    animation::Pose,
    golden::Picture,
    raster::{Convention, SampleCount},
    render::Camera,
    scene::Scene,
    shading::ShadingMode,
    verify::Fault,
};
use wgpu::BufferUsages;

use crate::{
    BackendError, Driver, Faults, Settings, UploadedScene,
    faults::is_srgb,
    layouts::{Layouts, bind, filled},
    lights::Lights,
    resolve,
    target::{Target, depth_state, reversed_axes, sample_count},
    upload::{Draw, PosedDraw},
};

/// The text of the shader that draws pictures.
pub(crate) const PICTURE_SHADER: &str =
    concat!(include_str!("shader/deform.wgsl"), include_str!("shader/picture.wgsl"));

/// A device of one driver.
pub struct Backend {
    pub(crate) driver: Driver,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) layouts: Layouts,
    adapter: wgpu::AdapterInfo,
    /// Kept from picture to picture: a driver on the processor takes longer to compile one than to draw with it.
    pipelines: Mutex<HashMap<PipelineKey, wgpu::RenderPipeline>>,
    /// Those that write vertices, by the mistakes in them.
    pub(crate) captures: Mutex<HashMap<Faults, wgpu::ComputePipeline>>,
}

/// What only mistakes need.
const MISTAKEN_FEATURES: wgpu::Features =
    wgpu::Features::DEPTH_CLIP_CONTROL.union(wgpu::Features::CONSERVATIVE_RASTERIZATION);

/// In the shader's layout.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
struct GpuFrame {
    view_projection: [f32; 16],
    ambient: [f32; 4],
    mode: u32,
    light_count: u32,
    depth_scale: f32,
    depth_offset: f32,
    size: [f32; 2],
    is_srgb: u32,
    padding: u32,
    view: [f32; 16],
    eye: [f32; 4],
}

/// The switches that make a pipeline of its own.
#[derive(Clone, PartialEq, Eq, Hash)]
struct PipelineKey {
    faults: Faults,
    format: wgpu::TextureFormat,
    samples: u32,
    topology: wgpu::PrimitiveTopology,
    clockwise: bool,
    culled: bool,
    blended: bool,
}

impl Backend {
    /// Opens a driver's device.
    ///
    /// # Errors
    ///
    /// When the process was not started for the driver ([`Driver::command`]), or the driver is not there.
    pub fn new(driver: Driver) -> Result<Self, BackendError> {
        if !driver.is_chosen() {
            return Err(BackendError::Environment { driver });
        }
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: driver.api(),
            flags: wgpu::InstanceFlags::empty(),
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapters = pollster::block_on(instance.enumerate_adapters(driver.api()));
        let names: Vec<String> = adapters.iter().map(|adapter| adapter.get_info().name).collect();
        let fits = |adapter: &wgpu::Adapter| {
            let info = adapter.get_info();
            match driver {
                Driver::Hardware => info.device_type != wgpu::DeviceType::Cpu,
                _ => info.name.contains(driver.adapter_name()),
            }
        };
        let adapter = adapters.into_iter().find(fits).ok_or_else(|| BackendError::Missing {
            driver,
            found: if names.is_empty() { "no device at all".to_owned() } else { names.join(", ") },
        })?;
        let limits = adapter.limits();
        let features = adapter.features() & MISTAKEN_FEATURES;
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            required_limits: limits,
            required_features: features,
            ..wgpu::DeviceDescriptor::default()
        }))
        .map_err(|error| BackendError::Device { driver, reason: error.to_string() })?;
        Ok(Self {
            driver,
            layouts: Layouts::new(&device),
            device,
            queue,
            adapter: adapter.get_info(),
            pipelines: Mutex::default(),
            captures: Mutex::default(),
        })
    }

    /// The driver.
    #[must_use]
    pub fn driver(&self) -> Driver {
        self.driver
    }

    /// What the driver says about itself: its device and its version.
    #[must_use]
    pub fn description(&self) -> String {
        [&self.adapter.name, &self.adapter.driver, &self.adapter.driver_info].map(String::as_str).join(" ")
    }

    /// Brings a scene to the device.
    ///
    /// # Errors
    ///
    /// When a texture can not be used or the API refuses something.
    pub fn upload<'scene>(
        &self,
        scene: &'scene Scene,
        settings: Settings,
    ) -> Result<UploadedScene<'scene>, BackendError> {
        self.upload_with(scene, settings, Faults::NONE)
    }

    /// As [`upload`](Self::upload), for a backend that makes mistakes.
    ///
    /// # Errors
    ///
    /// As [`upload`](Self::upload).
    pub fn upload_with<'scene>(
        &self,
        scene: &'scene Scene,
        settings: Settings,
        faults: Faults,
    ) -> Result<UploadedScene<'scene>, BackendError> {
        self.checked(|| UploadedScene::new(self, scene, settings, faults))
    }

    /// Whether the backend can make a mistake on this driver.
    #[must_use]
    pub fn can_make(&self, fault: Fault) -> bool {
        let feature = match fault {
            Fault::NearClipMissing => wgpu::Features::DEPTH_CLIP_CONTROL,
            Fault::ConservativeCoverage => wgpu::Features::CONSERVATIVE_RASTERIZATION,
            _ => wgpu::Features::empty(),
        };
        Faults::can_make(fault) && self.device.features().contains(feature)
    }

    /// Forgets the pipelines of mistakes, which nobody will ask for again.
    pub fn forget_mistakes(&self) {
        let mut pipelines = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        pipelines.retain(|key, _| key.faults == Faults::NONE);
        let mut captures = self.captures.lock().unwrap_or_else(PoisonError::into_inner);
        captures.retain(|faults, _| *faults == Faults::NONE);
    }

    /// Draws a scene in a pose.
    ///
    /// # Errors
    ///
    /// When the driver can not draw such a picture.
    pub fn draw(&self, uploaded: &UploadedScene<'_>, pose: &Pose, camera: &Camera) -> Result<Picture, BackendError> {
        let UploadedScene { scene, settings, faults, .. } = uploaded;
        self.checked(|| {
            let lights = Lights::new(scene, pose, &camera.view, faults);
            let posed = uploaded.draws.iter().map(|draw| Ok((draw, draw.pose(self, uploaded, pose)?)));
            let posed = posed.collect::<Result<Vec<_>, BackendError>>()?;
            let picture = self.submit(camera, &lights, &posed, settings, faults);
            uploaded.remember(pose);
            picture
        })
    }

    /// Draws what is on the device.
    pub(crate) fn submit(
        &self,
        camera: &Camera,
        lights: &Lights,
        draws: &[(&Draw<'_>, PosedDraw)],
        settings: &Settings,
        faults: &Faults,
    ) -> Result<Picture, BackendError> {
        if settings.samples != SampleCount::One && !self.driver.multisamples() {
            return Err(BackendError::Multisampling { driver: self.driver });
        }
        let frame = self.frame(camera, lights, settings, faults)?;
        let pipeline_faults = faults.in_pipelines();
        let target = Target::new(&self.device, settings, faults);
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = target.begin(&mut encoder, settings, faults);
        self.place(&mut pass, settings, faults);
        pass.set_bind_group(0, &frame, &[]);
        // Opaque and cut-out surfaces first, then blended ones; each in the order of the scene.
        let (opaque, mut blended): (Vec<_>, Vec<_>) = draws.iter().partition(|(draw, _)| !draw.blended);
        if faults.has(Fault::BlendOrder) {
            blended.reverse();
        }
        for (draw, posed) in opaque.into_iter().chain(blended) {
            let pipeline = self.pipeline(PipelineKey {
                faults: pipeline_faults.clone(),
                format: faults.target_format(settings),
                samples: sample_count(settings, faults),
                topology: draw.topology(),
                clockwise: posed.mirrored,
                culled: !draw.double_sided,
                blended: draw.blended,
            });
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(1, &posed.bindings, &[]);
            pass.set_bind_group(2, &draw.material, &[]);
            pass.set_index_buffer(draw.indices.slice(..), wgpu::IndexFormat::Uint32);
            pass.draw_indexed(0..draw.index_count, 0, 0..1);
        }
        drop(pass);
        if let Some((samples, resolved)) = target.unresolved() {
            let format = faults.target_format(settings);
            resolve::resolve(self, &mut encoder, [samples, &resolved], format, faults);
        }
        let read_back = target.copy(&self.device, &mut encoder);
        self.queue.submit([encoder.finish()]);
        target.picture(&read_back.bytes(&self.device)?)
    }

    /// Uploads and draws at once.
    ///
    /// # Errors
    ///
    /// As [`upload`](Self::upload) and [`draw`](Self::draw).
    pub fn render(
        &self,
        scene: &Scene,
        pose: &Pose,
        camera: &Camera,
        settings: Settings,
    ) -> Result<Picture, BackendError> {
        self.draw(&self.upload(scene, settings)?, pose, camera)
    }

    /// Mistakes in viewport and scissor.
    fn place(&self, pass: &mut wgpu::RenderPass<'_>, settings: &Settings, faults: &Faults) {
        let (width, height) = (settings.width as f32, settings.height as f32);
        let moved = [
            (Fault::ViewportHalfPixel, [0.5, 0.0]),
            (Fault::ViewportOffByOneRow, [0.0, 1.0]),
            (Fault::PixelCentreInteger, [0.5, 0.5]),
        ];
        for (_, [x, y]) in moved.into_iter().filter(|(fault, _)| faults.has(*fault)) {
            pass.set_viewport(x, y, width, height, 0.0, 1.0);
        }
        if faults.has(Fault::ScissorOffByOne) {
            pass.set_scissor_rect(0, 0, settings.width, settings.height - 1);
        }
    }

    fn frame(
        &self,
        camera: &Camera,
        lights: &Lights,
        settings: &Settings,
        faults: &Faults,
    ) -> Result<wgpu::BindGroup, BackendError> {
        let Lights { ambient, lights } = lights;
        // WebGPU's clip space: depth 0 to w, y up.
        let symmetric = (camera.convention == Convention::OpenGl) != faults.has(Fault::DepthRangeGl);
        let (depth_scale, depth_offset) = if symmetric { (0.5, 0.5) } else { (1.0, 0.0) };
        let mut turned = Vec3::ONE;
        if camera.convention == Convention::Vulkan {
            turned.y = -turned.y;
        }
        if faults.has(Fault::YFlipped) {
            turned.y = -turned.y;
        }
        let [columns_reversed, rows_reversed] = reversed_axes(faults);
        turned.x *= if columns_reversed { -1.0 } else { 1.0 };
        turned.y *= if rows_reversed { -1.0 } else { 1.0 };
        if faults.has(Fault::AspectRatioInverted) {
            let aspect_ratio = settings.width as f32 / settings.height as f32;
            turned.x *= aspect_ratio * aspect_ratio;
        }
        let view_projection = Mat4::from_scale(turned) * camera.view_projection();
        let uniform = GpuFrame {
            view_projection: view_projection.to_cols_array(),
            ambient: [*ambient; 4],
            mode: mode_number(settings.shading).ok_or(BackendError::Mode { mode: settings.shading })?,
            light_count: lights.len() as u32,
            depth_scale,
            depth_offset,
            size: [settings.width as f32, settings.height as f32],
            is_srgb: u32::from(is_srgb(settings.shading)),
            padding: 0,
            view: camera.view.to_cols_array(),
            eye: camera.view.inverse().w_axis.to_array(),
        };
        let uniform = filled(&self.device, BufferUsages::UNIFORM, &[uniform]);
        let lights = filled(&self.device, BufferUsages::STORAGE, lights);
        Ok(bind(&self.device, &self.layouts.frame, &[uniform.as_entire_binding(), lights.as_entire_binding()]))
    }

    pub(crate) fn module(&self, text: String) -> wgpu::ShaderModule {
        self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(text.into()),
        })
    }

    fn pipeline(&self, key: PipelineKey) -> wgpu::RenderPipeline {
        let mut pipelines = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        pipelines.entry(key.clone()).or_insert_with(|| self.new_pipeline(&key)).clone()
    }

    fn new_pipeline(&self, key: &PipelineKey) -> wgpu::RenderPipeline {
        let faults = &key.faults;
        let module = &self.module(faults.shader(PICTURE_SHADER, self.driver.api()));
        let Layouts { frame, draw, material, .. } = &self.layouts;
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(frame), Some(draw), Some(material)],
            immediate_size: 0,
        });
        let constants = faults.constants(PICTURE_SHADER);
        let constants: Vec<_> = constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let options = || wgpu::PipelineCompilationOptions {
            constants: &constants,
            ..wgpu::PipelineCompilationOptions::default()
        };
        let [columns_reversed, rows_reversed] = reversed_axes(faults);
        let turned = columns_reversed != rows_reversed || faults.has(Fault::YFlipped);
        let cull_mode = if faults.has(Fault::CullFront) {
            Some(wgpu::Face::Front)
        } else {
            (key.culled && !faults.has(Fault::CullOff)).then_some(wgpu::Face::Back)
        };
        let fragment_stage =
            if faults.has(Fault::DepthPerspective) { "fragment_stage_with_depth" } else { "fragment_stage" };
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module,
                entry_point: Some("vertex_stage"),
                compilation_options: options(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState {
                topology: key.topology,
                front_face: if key.clockwise != turned { wgpu::FrontFace::Cw } else { wgpu::FrontFace::Ccw },
                cull_mode,
                unclipped_depth: faults.has(Fault::NearClipMissing),
                conservative: faults.has(Fault::ConservativeCoverage),
                ..wgpu::PrimitiveState::default()
            },
            depth_stencil: Some(depth_state(key.blended, faults)),
            multisample: wgpu::MultisampleState { count: key.samples, ..wgpu::MultisampleState::default() },
            fragment: Some(wgpu::FragmentState {
                module,
                entry_point: Some(fragment_stage),
                compilation_options: options(),
                targets: &[Some(wgpu::ColorTargetState {
                    format: key.format,
                    blend: key.blended.then(|| blend_state(faults)),
                    write_mask: wgpu::ColorWrites::ALL,
                })],
            }),
            multiview_mask: None,
            cache: None,
        })
    }

    /// Turns what the API finds wrong into an error.
    pub(crate) fn checked<T>(&self, work: impl FnOnce() -> Result<T, BackendError>) -> Result<T, BackendError> {
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let internal = self.device.push_error_scope(wgpu::ErrorFilter::Internal);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let result = work();
        let errors = [validation.pop(), internal.pop(), memory.pop()].map(pollster::block_on);
        match errors.into_iter().flatten().next() {
            Some(error) => Err(BackendError::Refused(error.to_string())),
            None => result,
        }
    }
}

/// Source over destination in linear light.
fn blend_state(faults: &Faults) -> wgpu::BlendState {
    let mut state = wgpu::BlendState::ALPHA_BLENDING;
    if faults.has(Fault::BlendPremultiplied) {
        state.color.src_factor = wgpu::BlendFactor::One;
    }
    if faults.has(Fault::BlendAdditive) {
        state.color.dst_factor = wgpu::BlendFactor::One;
    }
    if faults.has(Fault::BlendAlphaSquared) {
        state.alpha.src_factor = wgpu::BlendFactor::SrcAlpha;
    }
    state
}

/// Whether this backend has a shader for the mode.
#[must_use]
pub const fn has_shader(shading: ShadingMode) -> bool {
    mode_number(shading).is_some()
}

/// The modes as `picture.wgsl` numbers them; `None` for those that it does not draw.
pub(crate) const fn mode_number(shading: ShadingMode) -> Option<u32> {
    match shading {
        ShadingMode::Lambert => Some(0),
        ShadingMode::Unlit => Some(1),
        ShadingMode::Normals => Some(2),
        ShadingMode::Uv => Some(3),
        ShadingMode::Depth => Some(4),
        ShadingMode::Joints => Some(5),
        ShadingMode::Wireframe => Some(6),
        ShadingMode::Lit
        | ShadingMode::ShadingNormals
        | ShadingMode::Tangents
        | ShadingMode::Bitangents
        | ShadingMode::BaseColor
        | ShadingMode::Metallic
        | ShadingMode::Roughness
        | ShadingMode::Occlusion
        | ShadingMode::Emissive
        | ShadingMode::Splits => None,
    }
}
