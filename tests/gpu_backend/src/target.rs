//! What is drawn into, and the way back to the processor.

use refrast::{
    golden::Picture,
    raster::SampleCount,
    verify::{
        Fault,
        simulator::{DepthFunction, ParametricFault},
    },
};

use crate::{BackendError, Faults, Settings, faults::is_srgb};

/// Colour and depth of a picture.
pub(crate) struct Target {
    size: [u32; 2],
    /// One sample a pixel: what is read back.
    resolved: wgpu::Texture,
    multisampled: Option<wgpu::TextureView>,
    depth: wgpu::TextureView,
    /// Samples are not averaged by the API but by a pass of the backend's own.
    resolves_itself: bool,
    /// Columns and rows come back in the reverse order.
    reversed: [bool; 2],
    /// Which channels are taken for red, green and blue when the bytes come back.
    order: [u8; 3],
}

/// How many samples the target has.
pub(crate) fn sample_count(settings: &Settings, faults: &Faults) -> u32 {
    // Four samples at one place are one.
    let samples = if faults.has(Fault::SamplesAtCentre) { SampleCount::One } else { settings.samples };
    samples.count() as u32
}

/// Which axes of the picture are drawn the other way round and turned back afterwards: what the standard fixes in one
/// direction, the fill rule and the sample positions, is so in the other.
pub(crate) fn reversed_axes(faults: &Faults) -> [bool; 2] {
    let both = faults.has(Fault::FillRuleBottomRight);
    [both || faults.has(Fault::SamplesMirrored), both]
}

fn depth_format(faults: &Faults) -> wgpu::TextureFormat {
    if faults.has(Fault::Depth16Bits) { wgpu::TextureFormat::Depth16Unorm } else { wgpu::TextureFormat::Depth32Float }
}

/// The depth state of opaque or of blended draws.
pub(crate) fn depth_state(blended: bool, faults: &Faults) -> wgpu::DepthStencilState {
    let compare = if faults.has(Fault::DepthTestOff) {
        wgpu::CompareFunction::Always
    } else if faults.has(Fault::DepthTestLessEqual) {
        wgpu::CompareFunction::LessEqual
    } else if faults.has(Fault::ReversedDepthTest) {
        wgpu::CompareFunction::Greater
    } else {
        let functions = faults.parametric().filter_map(|fault| match fault {
            ParametricFault::DepthTest { function } => Some(function),
            _ => None,
        });
        match functions.last() {
            None => wgpu::CompareFunction::Less,
            Some(DepthFunction::Never) => wgpu::CompareFunction::Never,
            Some(DepthFunction::Equal) => wgpu::CompareFunction::Equal,
            Some(DepthFunction::NotEqual) => wgpu::CompareFunction::NotEqual,
            Some(DepthFunction::GreaterEqual) => wgpu::CompareFunction::GreaterEqual,
        }
    };
    let slopes = faults.parametric().map(|fault| match fault {
        ParametricFault::DepthSlopeBias { factor } => factor,
        _ => 0.0,
    });
    let write = !faults.has(Fault::DepthWriteOff) && (!blended || faults.has(Fault::BlendDepthWrite));
    wgpu::DepthStencilState {
        format: depth_format(faults),
        depth_write_enabled: Some(write),
        depth_compare: Some(compare),
        stencil: wgpu::StencilState::default(),
        bias: wgpu::DepthBiasState { slope_scale: slopes.sum(), ..wgpu::DepthBiasState::default() },
    }
}

impl Target {
    pub(crate) fn new(device: &wgpu::Device, settings: &Settings, faults: &Faults) -> Self {
        let samples = sample_count(settings, faults);
        let texture = |format, sample_count, usage| {
            device.create_texture(&wgpu::TextureDescriptor {
                label: None,
                size: wgpu::Extent3d { width: settings.width, height: settings.height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage,
                view_formats: &[],
            })
        };
        let view = |texture: wgpu::Texture| texture.create_view(&wgpu::TextureViewDescriptor::default());
        let attachment = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let format = faults.target_format(settings);
        let resolves_itself = samples > 1 && faults.resolves_itself(settings);
        // On llvmpipe's OpenGL a picture resolves to black where its samples may be looked at.
        let looked_at =
            if resolves_itself { wgpu::TextureUsages::TEXTURE_BINDING } else { wgpu::TextureUsages::empty() };
        Self {
            size: [settings.width, settings.height],
            resolved: texture(format, 1, attachment | wgpu::TextureUsages::COPY_SRC),
            multisampled: (samples > 1).then(|| view(texture(format, samples, attachment | looked_at))),
            resolves_itself,
            depth: view(texture(depth_format(faults), samples, attachment)),
            reversed: reversed_axes(faults),
            order: order(faults),
        }
    }

    /// A pass that begins with the background, infinitely far away.
    pub(crate) fn begin(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        settings: &Settings,
        faults: &Faults,
    ) -> wgpu::RenderPass<'static> {
        let resolved = self.resolved.create_view(&wgpu::TextureViewDescriptor::default());
        let (view, resolve_target) = match &self.multisampled {
            Some(samples) => (samples, (!self.resolves_itself).then_some(&resolved)),
            None => (&resolved, None),
        };
        let store = wgpu::StoreOp::Store;
        let nearest_first = faults.has_any(&[Fault::DepthClearedToZero, Fault::ReversedDepthTest]);
        let farthest = faults.parametric().fold(if nearest_first { 0.0 } else { 1.0 }, |cleared, fault| match fault {
            ParametricFault::DepthClear { depth } => depth,
            _ => cleared,
        });
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: None,
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(background(settings, faults)), store },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(farthest), store }),
                stencil_ops: None,
            }),
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        pass.forget_lifetime()
    }

    /// The samples, and where their averages go, if the backend itself makes these.
    pub(crate) fn unresolved(&self) -> Option<(&wgpu::TextureView, wgpu::TextureView)> {
        let samples = self.multisampled.as_ref().filter(|_| self.resolves_itself)?;
        Some((samples, self.resolved.create_view(&wgpu::TextureViewDescriptor::default())))
    }

    /// Copies the picture to a buffer, whose rows are as long as the API wants them.
    pub(crate) fn copy(&self, device: &wgpu::Device, encoder: &mut wgpu::CommandEncoder) -> ReadBack {
        let [width, height] = self.size;
        let row = (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let read_back = ReadBack::new(device, u64::from(row) * u64::from(height));
        encoder.copy_texture_to_buffer(
            self.resolved.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &read_back.0,
                layout: wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None },
            },
            self.resolved.size(),
        );
        read_back
    }

    /// The picture out of the bytes that [`copy`](Self::copy) asked for.
    pub(crate) fn picture(&self, bytes: &[u8]) -> Result<Picture, BackendError> {
        let [width, height] = self.size;
        let row = (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT) as usize;
        let rows = bytes.chunks(row).map(|bytes| bytes[..4 * width as usize].as_chunks::<4>().0);
        let mut pixels: Vec<[u8; 4]> = rows.flatten().copied().collect();
        let [columns_reversed, rows_reversed] = self.reversed;
        if rows_reversed {
            pixels.reverse();
        }
        // Reversing everything reversed the columns too.
        if columns_reversed != rows_reversed {
            pixels.chunks_mut(width as usize).for_each(<[_]>::reverse);
        }
        for [red, green, blue, _] in &mut pixels {
            [*red, *green, *blue] = self.order.map(|channel| [*red, *green, *blue][usize::from(channel)]);
        }
        Picture::from_rgba8(width, height, pixels.into_flattened()).map_err(|error| BackendError::Picture {
            width,
            height,
            reason: error.to_string(),
        })
    }
}

/// Which channels a backend takes for red, green and blue.
fn order(faults: &Faults) -> [u8; 3] {
    faults.parametric().fold([0, 1, 2], |own, fault| match fault {
        ParametricFault::Channels { order } => order.map(|channel| own[usize::from(channel.min(2))]),
        _ => own,
    })
}

/// The background as the clear value takes it: linear where the target encodes.
fn background(settings: &Settings, faults: &Faults) -> wgpu::Color {
    let power = faults.parametric().find_map(|fault| match fault {
        ParametricFault::Gamma { gamma, in_shader } => Some((gamma, in_shader)),
        _ => None,
    });
    let stored_as_is = faults.has_any(&[Fault::BackgroundLinear, Fault::BlendInSrgb, Fault::OutputTruncated])
        || power.is_some_and(|(_, in_shader)| in_shader);
    let clear = |byte: u8| {
        let stored = f64::from(byte) / 255.0;
        if !is_srgb(settings.shading) || stored_as_is {
            return stored;
        }
        let linear = if stored <= 0.04045 { stored / 12.92 } else { libm::pow((stored + 0.055) / 1.055, 2.4) };
        let gamma =
            if faults.has(Fault::GammaEncode22) { 2.2 } else { power.map_or(1.0, |(gamma, _)| f64::from(gamma)) };
        libm::pow(linear, 1.0 / gamma)
    };
    let [r, g, b] = settings.background.map(clear);
    wgpu::Color { r, g, b, a: 1.0 }
}

/// A buffer that the processor can read.
pub(crate) struct ReadBack(pub(crate) wgpu::Buffer);

impl ReadBack {
    pub(crate) fn new(device: &wgpu::Device, size: u64) -> Self {
        Self(device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        }))
    }

    /// Waits until the device has written it.
    pub(crate) fn bytes(&self, device: &wgpu::Device) -> Result<Vec<u8>, BackendError> {
        let slice = self.0.slice(..);
        let (sender, receiver) = std::sync::mpsc::channel();
        slice.map_async(wgpu::MapMode::Read, move |result| {
            // Whoever waits is gone only after an error of its own.
            drop(sender.send(result));
        });
        device.poll(wgpu::PollType::wait_indefinitely()).map_err(|error| BackendError::ReadBack(error.to_string()))?;
        let mapped = receiver.recv().map_err(|error| BackendError::ReadBack(error.to_string()))?;
        mapped.map_err(|error| BackendError::ReadBack(error.to_string()))?;
        let view = slice.get_mapped_range().map_err(|error| BackendError::ReadBack(error.to_string()))?;
        Ok(view.to_vec())
    }
}
