//! Pipelines of pictures and of shadow maps, each made once.

use std::sync::PoisonError;

use refrast::{raster::DepthFormat, verify::Fault};

use crate::{
    Backend, Faults,
    layouts::Layouts,
    target::{depth_state, reversed_axes},
};

/// The text of the shader that draws pictures, and maps of their shadows.
pub(crate) const PICTURE_SHADER: &str = concat!(
    include_str!("shader/deform.wgsl"),
    include_str!("shader/bindings.wgsl"),
    include_str!("shader/surface.wgsl"),
    include_str!("shader/shadow.wgsl"),
    include_str!("shader/light.wgsl"),
    include_str!("shader/physical.wgsl"),
    include_str!("shader/picture.wgsl"),
);

/// The switches that make a pipeline of its own.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PipelineKey {
    pub(crate) faults: Faults,
    pub(crate) format: wgpu::TextureFormat,
    pub(crate) samples: u32,
    pub(crate) topology: wgpu::PrimitiveTopology,
    pub(crate) clockwise: bool,
    pub(crate) culled: bool,
    pub(crate) blended: bool,
}

/// The same for what draws casters into shadow maps.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct CastKey {
    pub(crate) faults: Faults,
    pub(crate) format: DepthFormat,
    pub(crate) masked: bool,
    /// Nothing is cut at the near and the far plane.
    pub(crate) unclipped: bool,
    /// Constant, in steps; then the bits of slope and clamp.
    pub(crate) bias: (i32, u32, u32),
}

impl Backend {
    pub(crate) fn pipeline(&self, key: PipelineKey) -> wgpu::RenderPipeline {
        let mut pipelines = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        pipelines.entry(key.clone()).or_insert_with(|| self.new_pipeline(&key)).clone()
    }

    fn new_pipeline(&self, key: &PipelineKey) -> wgpu::RenderPipeline {
        let faults = &key.faults;
        let module = &self.module(faults.shader(PICTURE_SHADER, self.driver.api()));
        let Layouts { frame, draw, material, shadows, .. } = &self.layouts;
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(frame), Some(draw), Some(material), Some(shadows)],
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

    /// In which format maps of these depths are drawn. An API that has no 24 bits is given floats, and the shader rounds.
    pub(crate) fn map_format(&self, depth: DepthFormat) -> wgpu::TextureFormat {
        match depth {
            DepthFormat::Bits16 => wgpu::TextureFormat::Depth16Unorm,
            DepthFormat::Bits24 if self.driver.has_24_bits_of_depth() => wgpu::TextureFormat::Depth24Plus,
            DepthFormat::Bits24 | DepthFormat::Float => wgpu::TextureFormat::Depth32Float,
        }
    }

    pub(crate) fn cast_pipeline(&self, key: CastKey) -> wgpu::RenderPipeline {
        let mut pipelines = self.cast_pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        pipelines.entry(key.clone()).or_insert_with(|| self.new_cast_pipeline(&key)).clone()
    }

    fn new_cast_pipeline(&self, key: &CastKey) -> wgpu::RenderPipeline {
        let module = &self.module(PICTURE_SHADER.to_owned());
        let Layouts { frame, draw, material, .. } = &self.layouts;
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(frame), Some(draw), Some(material)],
            immediate_size: 0,
        });
        let constants = key.faults.constants(PICTURE_SHADER);
        let constants: Vec<_> = constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let options = || wgpu::PipelineCompilationOptions {
            constants: &constants,
            ..wgpu::PipelineCompilationOptions::default()
        };
        let rounds = key.format == DepthFormat::Bits24 && !self.driver.has_24_bits_of_depth();
        let by_hand = rounds || !self.driver.biases_cut_triangles();
        let (constant, slope, clamp) = if by_hand { (0, 0, 0) } else { key.bias };
        let entry_point = match (by_hand, key.masked) {
            (true, _) => Some("cast_stage_by_hand"),
            (false, true) => Some("cast_stage"),
            (false, false) => None,
        };
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module,
                entry_point: Some("vertex_stage"),
                compilation_options: options(),
                buffers: &[],
            },
            // Both sides of a surface cast a shadow.
            primitive: wgpu::PrimitiveState { unclipped_depth: key.unclipped, ..wgpu::PrimitiveState::default() },
            depth_stencil: Some(wgpu::DepthStencilState {
                format: self.map_format(key.format),
                depth_write_enabled: Some(true),
                depth_compare: Some(wgpu::CompareFunction::Less),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState {
                    constant,
                    slope_scale: f32::from_bits(slope),
                    clamp: f32::from_bits(clamp),
                },
            }),
            multisample: wgpu::MultisampleState::default(),
            fragment: entry_point.map(|entry_point| wgpu::FragmentState {
                module,
                entry_point: Some(entry_point),
                compilation_options: options(),
                targets: &[],
            }),
            multiview_mask: None,
            cache: None,
        })
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
