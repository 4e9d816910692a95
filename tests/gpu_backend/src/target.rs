//! What is drawn into, and the way back to the processor.

use refrast::golden::Picture;

use crate::{BackendError, Settings};

const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// Colour and depth of a picture.
pub(crate) struct Target {
    size: [u32; 2],
    /// One sample a pixel: what is read back.
    resolved: wgpu::Texture,
    multisampled: Option<wgpu::TextureView>,
    depth: wgpu::TextureView,
}

/// The format of the stored bytes: pictures of light are sRGB, pictures of numbers are linear.
pub(crate) fn color_format(settings: &Settings) -> wgpu::TextureFormat {
    match settings.shading.color_space() {
        refrast::shading::ColorSpace::Srgb => wgpu::TextureFormat::Rgba8UnormSrgb,
        refrast::shading::ColorSpace::Linear => wgpu::TextureFormat::Rgba8Unorm,
    }
}

/// The depth state of draws that write their depth, or that only test it.
pub(crate) fn depth_state(write: bool) -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: DEPTH,
        depth_write_enabled: Some(write),
        depth_compare: Some(wgpu::CompareFunction::Less),
        stencil: wgpu::StencilState::default(),
        bias: wgpu::DepthBiasState::default(),
    }
}

impl Target {
    pub(crate) fn new(device: &wgpu::Device, settings: &Settings) -> Self {
        let samples = settings.samples.count() as u32;
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
        let format = color_format(settings);
        Self {
            size: [settings.width, settings.height],
            resolved: texture(format, 1, attachment | wgpu::TextureUsages::COPY_SRC),
            multisampled: (samples > 1).then(|| view(texture(format, samples, attachment))),
            depth: view(texture(DEPTH, samples, attachment)),
        }
    }

    /// A pass that begins with the background, infinitely far away.
    pub(crate) fn begin(&self, encoder: &mut wgpu::CommandEncoder, settings: &Settings) -> wgpu::RenderPass<'static> {
        let resolved = self.resolved.create_view(&wgpu::TextureViewDescriptor::default());
        let (view, resolve_target) = match &self.multisampled {
            Some(samples) => (samples, Some(&resolved)),
            None => (&resolved, None),
        };
        let store = wgpu::StoreOp::Store;
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: None,
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(background(settings)), store },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store }),
                stencil_ops: None,
            }),
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        pass.forget_lifetime()
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
        let pixels: Vec<u8> = bytes.chunks(row).flat_map(|bytes| &bytes[..4 * width as usize]).copied().collect();
        Picture::from_rgba8(width, height, pixels).map_err(|error| BackendError::Picture {
            width,
            height,
            reason: error.to_string(),
        })
    }
}

/// The background as the clear value takes it: linear where the target encodes.
fn background(settings: &Settings) -> wgpu::Color {
    let decode = |byte: u8| {
        let stored = f64::from(byte) / 255.0;
        match color_format(settings) {
            wgpu::TextureFormat::Rgba8UnormSrgb if stored <= 0.04045 => stored / 12.92,
            wgpu::TextureFormat::Rgba8UnormSrgb => libm::pow((stored + 0.055) / 1.055, 2.4),
            _ => stored,
        }
    };
    let [r, g, b] = settings.background.map(decode);
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
