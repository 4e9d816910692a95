//! [`Backend`]: a driver's device, and the pictures that it draws.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use refrast::{
    animation::Pose,
    golden::Picture,
    raster::SampleCount,
    render::Camera,
    scene::Scene,
    shading::ShadowPlan,
    verify::{Fault, simulator::ParametricFault},
};

use crate::{
    BackendError, Driver, Faults, Settings, UploadedScene,
    layouts::Layouts,
    lights::Lights,
    pipeline::{CastKey, PipelineKey},
    resolve,
    shadow::ShadowMaps,
    target::{Target, sample_count},
    upload::{Draw, PosedDraw},
};

/// A device of one driver.
pub struct Backend {
    pub(crate) driver: Driver,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) layouts: Layouts,
    adapter: wgpu::AdapterInfo,
    /// Kept from picture to picture: a driver on the processor takes longer to compile one than to draw with it.
    pub(crate) pipelines: Mutex<HashMap<PipelineKey, wgpu::RenderPipeline>>,
    /// Those that draw shadow maps.
    pub(crate) cast_pipelines: Mutex<HashMap<CastKey, wgpu::RenderPipeline>>,
    /// Those that write vertices, by the mistakes in them.
    pub(crate) captures: Mutex<HashMap<Faults, wgpu::ComputePipeline>>,
}

/// Lights, and with shadows the plan by which maps are drawn and that by which they are looked up.
pub(crate) type Shining<'a> = (Lights, Option<(&'a ShadowPlan, &'a ShadowPlan)>);

/// Camera, lights and shadow maps on the device.
pub(crate) struct BoundFrame {
    bindings: wgpu::BindGroup,
    shadows: ShadowMaps,
}

/// What shadow maps need, and what mistakes do.
const WANTED_FEATURES: wgpu::Features = wgpu::Features::DEPTH_CLIP_CONTROL
    .union(wgpu::Features::ADDRESS_MODE_CLAMP_TO_BORDER)
    .union(wgpu::Features::CONSERVATIVE_RASTERIZATION);

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
        let features = adapter.features() & WANTED_FEATURES;
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
            cast_pipelines: Mutex::default(),
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

    /// Whether the backend can make a mistake with this number in it: OpenGL's viewports stand on whole pixels.
    #[must_use]
    pub fn can_make_number(&self, fault: &ParametricFault) -> bool {
        match fault {
            ParametricFault::WindowOffset { x, y } => {
                self.driver.api() != wgpu::Backends::GL || (x.fract(), y.fract()) == (0.0, 0.0)
            }
            _ => true,
        }
    }

    /// Forgets the pipelines of mistakes, which nobody will ask for again.
    pub fn forget_mistakes(&self) {
        let mut pipelines = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        pipelines.retain(|key, _| key.faults == Faults::NONE);
        let mut captures = self.captures.lock().unwrap_or_else(PoisonError::into_inner);
        captures.retain(|faults, _| *faults == Faults::NONE);
        let mut casts = self.cast_pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        casts.retain(|key, _| key.faults == Faults::NONE);
    }

    /// Draws a scene in a pose.
    ///
    /// # Errors
    ///
    /// When the driver can not draw such a picture.
    pub fn draw(&self, uploaded: &UploadedScene<'_>, pose: &Pose, camera: &Camera) -> Result<Picture, BackendError> {
        let UploadedScene { scene, settings, faults, .. } = uploaded;
        self.checked(|| {
            let lights = Lights::new(scene, pose, settings.ambient, &camera.view, faults);
            let plan = settings.shadow_plan(scene, pose, camera)?;
            let looked_up = match uploaded.before().filter(|_| faults.has(Fault::CascadeMatrixStale)) {
                Some(before) => settings.shadow_plan(scene, &before, camera)?,
                None => plan.clone(),
            };
            let posed = uploaded.draws.iter().map(|draw| Ok((draw, draw.pose(self, uploaded, pose)?)));
            let posed = posed.collect::<Result<Vec<_>, BackendError>>()?;
            let plans = plan.as_ref().zip(looked_up.as_ref());
            let picture = self.submit(camera, (lights, plans), &posed, settings, faults);
            uploaded.remember(pose);
            picture
        })
    }

    /// Draws what is on the device. The plans are that by which maps are drawn, and that by which they are looked up.
    pub(crate) fn submit(
        &self,
        camera: &Camera,
        shining: Shining<'_>,
        draws: &[(&Draw<'_>, PosedDraw)],
        settings: &Settings,
        faults: &Faults,
    ) -> Result<Picture, BackendError> {
        let target = self.target(settings, faults)?;
        let bound = self.bound_frame(camera, shining, settings, faults)?;
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.record(&mut encoder, &target, &bound, draws, (settings, faults));
        let read_back = target.copy(&self.device, &mut encoder);
        self.queue.submit([encoder.finish()]);
        target.picture(&read_back.bytes(&self.device)?)
    }

    /// What a picture is drawn into.
    pub(crate) fn target(&self, settings: &Settings, faults: &Faults) -> Result<Target, BackendError> {
        if settings.samples != SampleCount::One && !self.driver.multisamples() {
            return Err(BackendError::Multisampling { driver: self.driver });
        }
        Ok(Target::new(&self.device, settings, faults))
    }

    /// What camera and lights decide, on the device.
    pub(crate) fn bound_frame(
        &self,
        camera: &Camera,
        (mut lights, plans): Shining<'_>,
        settings: &Settings,
        faults: &Faults,
    ) -> Result<BoundFrame, BackendError> {
        let shadows = ShadowMaps::new(self, plans, camera.convention, &mut lights, settings, faults)?;
        Ok(BoundFrame { bindings: self.frame(camera, &lights, settings, faults), shadows })
    }

    /// Records a picture: its shadow maps, then its draws, then its resolve.
    pub(crate) fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        target: &Target,
        frame: &BoundFrame,
        draws: &[(&Draw<'_>, PosedDraw)],
        (settings, faults): (&Settings, &Faults),
    ) {
        let pipeline_faults = faults.in_pipelines();
        frame.shadows.draw(self, encoder, draws, faults);
        let mut pass = target.begin(encoder, settings, faults);
        self.place(&mut pass, settings, faults);
        pass.set_bind_group(0, &frame.bindings, &[]);
        pass.set_bind_group(3, frame.shadows.bindings(), &[]);
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
            resolve::resolve(self, encoder, [samples, &resolved], format, faults);
        }
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
        let moved = moved.into_iter().filter(|(fault, _)| faults.has(*fault)).map(|(_, offset)| offset);
        let by_numbers = faults.parametric().filter_map(|fault| match fault {
            ParametricFault::WindowOffset { x, y } => Some([x, y]),
            _ => None,
        });
        for [x, y] in moved.chain(by_numbers) {
            pass.set_viewport(x, y, width, height, 0.0, 1.0);
        }
        if faults.has(Fault::ScissorOffByOne) {
            pass.set_scissor_rect(0, 0, settings.width, settings.height - 1);
        }
    }

    pub(crate) fn module(&self, text: String) -> wgpu::ShaderModule {
        self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(text.into()),
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
