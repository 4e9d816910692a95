//! [`Backend::sampled`]: what a driver's filter makes of known texels, as floats.
//!
//! Why it exists: a picture shows a filter's arithmetic through eight bits, and only where a texel is steep. Asked directly, a filter
//! shows every step of it.

use wgpu::{BufferUsages, TextureFormat, TextureUsages};

use crate::{Backend, BackendError, target::ReadBack};

/// Two by two texels and the one that is the level above: rows from the top.
pub type Texels = [[u8; 4]; 5];

/// Where a layer is sampled.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct SampledPlace {
    /// Across, the texture being from 0 to 1.
    pub u: f32,
    /// Down.
    pub v: f32,
    /// Level of detail, 0 to 1.
    pub level: f32,
    /// Which texels.
    pub layer: u32,
}

/// Layers that every driver has.
const MOST_LAYERS: usize = 256;
/// Places a workgroup, as the shader says.
const WORKGROUP: usize = 64;

impl Backend {
    /// Linear red, green, blue and alpha at each place, filtered linearly in and between levels, edges repeated.
    ///
    /// # Errors
    ///
    /// For more than 256 layers, and where the API refuses something.
    pub fn sampled(
        &self,
        layers: &[Texels],
        is_srgb: bool,
        places: &[SampledPlace],
    ) -> Result<Vec<[f32; 4]>, BackendError> {
        if layers.len() > MOST_LAYERS {
            return Err(BackendError::Refused(format!("{} layers, {MOST_LAYERS} can be sampled", layers.len())));
        }
        self.checked(|| self.sample(layers, is_srgb, places))
    }

    fn sample(&self, layers: &[Texels], is_srgb: bool, places: &[SampledPlace]) -> Result<Vec<[f32; 4]>, BackendError> {
        let (device, queue) = (&self.device, &self.queue);
        let size = |side: u32| wgpu::Extent3d { width: side, height: side, depth_or_array_layers: layers.len() as u32 };
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: size(2),
            mip_level_count: 2,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: if is_srgb { TextureFormat::Rgba8UnormSrgb } else { TextureFormat::Rgba8Unorm },
            usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
            view_formats: &[],
        });
        for (mip_level, side, texels) in [(0, 2, 0..4), (1, 1, 4..5)] {
            let bytes: Vec<u8> =
                layers.iter().flat_map(|layer| layer[texels.clone()].as_flattened()).copied().collect();
            let layout =
                wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * side), rows_per_image: Some(side) };
            queue.write_texture(
                wgpu::TexelCopyTextureInfo { mip_level, ..texture.as_image_copy() },
                &bytes,
                layout,
                size(side),
            );
        }
        let buffer = |size: usize, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: size as u64,
                usage,
                mapped_at_creation: false,
            })
        };
        let input = buffer(size_of_val(places), BufferUsages::STORAGE | BufferUsages::COPY_DST);
        queue.write_buffer(&input, 0, bytemuck::cast_slice(places));
        let length = places.len() * size_of::<[f32; 4]>();
        let output = buffer(length, BufferUsages::STORAGE | BufferUsages::COPY_SRC);
        let module = self.module(include_str!("shader/sampled.wgsl").to_owned());
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("sampled"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            mipmap_filter: wgpu::MipmapFilterMode::Linear,
            ..wgpu::SamplerDescriptor::default()
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2Array),
            ..wgpu::TextureViewDescriptor::default()
        });
        let resources = [
            wgpu::BindingResource::TextureView(&view),
            wgpu::BindingResource::Sampler(&sampler),
            input.as_entire_binding(),
            output.as_entire_binding(),
        ];
        let entries: Vec<_> =
            (0..).zip(resources).map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource }).collect();
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bindings, &[]);
        pass.dispatch_workgroups(places.len().div_ceil(WORKGROUP) as u32, 1, 1);
        drop(pass);
        let read_back = ReadBack::new(device, length as u64);
        encoder.copy_buffer_to_buffer(&output, 0, &read_back.0, 0, length as u64);
        queue.submit([encoder.finish()]);
        Ok(bytemuck::pod_collect_to_vec(&read_back.bytes(device)?))
    }
}
