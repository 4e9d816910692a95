//! Samples → pixels by a pass of the backend's own.
//!
//! Why it exists: backends that draw into textures of their own often average samples in a shader, and that is where it
//! goes wrong. A backend without such a mistake leaves it to the API.

use wgpu::{ShaderStages, TextureSampleType, TextureViewDimension};

use crate::{Backend, Faults, layouts::bind};

/// The text of the shader.
pub(crate) const RESOLVE_SHADER: &str = include_str!("shader/resolve.wgsl");

/// Encodes a pass from a view of samples to a view of pixels.
pub(crate) fn resolve(
    backend: &Backend,
    encoder: &mut wgpu::CommandEncoder,
    [samples, pixels]: [&wgpu::TextureView; 2],
    format: wgpu::TextureFormat,
    faults: &Faults,
) {
    let device = &backend.device;
    let bindings = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &[wgpu::BindGroupLayoutEntry {
            binding: 0,
            visibility: ShaderStages::FRAGMENT,
            ty: wgpu::BindingType::Texture {
                sample_type: TextureSampleType::Float { filterable: false },
                view_dimension: TextureViewDimension::D2,
                multisampled: true,
            },
            count: None,
        }],
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&bindings)],
        immediate_size: 0,
    });
    let module = backend.module(RESOLVE_SHADER.to_owned());
    let constants = faults.constants(RESOLVE_SHADER);
    let constants: Vec<_> = constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("whole_picture"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("average"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                ..wgpu::PipelineCompilationOptions::default()
            },
            targets: &[Some(format.into())],
        }),
        multiview_mask: None,
        cache: None,
    });
    let group = bind(device, &bindings, &[wgpu::BindingResource::TextureView(samples)]);
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: None,
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: pixels,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store },
        })],
        depth_stencil_attachment: None,
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    });
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.draw(0..3, 0..1);
}
