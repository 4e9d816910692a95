//! Shadow maps: depth-only passes from the lights, and what a lookup needs.
//!
//! Splits and matrices are handed over: this backend draws and looks up.

use refrast::{
    raster::{Convention, DepthBias, DepthFormat},
    shading::{Casters, ShadowFilter, ShadowPlan, SplitSelection},
    verify::Fault,
};
use wgpu::BufferUsages;

use crate::{
    Backend, BackendError, Faults, Settings,
    frame::BiasByHand,
    layouts::{bind, filled},
    lights::Lights,
    pipeline::CastKey,
    upload::{Draw, PosedDraw},
};

/// In the shader's layout.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
struct GpuShadows {
    depth_row: [f32; 4],
    /// Where each begins and ends.
    splits: [[f32; 4]; 8],
    split_count: u32,
    lookups: u32,
    is_by_containment: u32,
    blend: f32,
    side: f32,
    is_symmetric: u32,
    has_border: u32,
    padding: u32,
}

/// The maps of a frame.
pub(crate) struct ShadowMaps {
    bindings: wgpu::BindGroup,
    /// What is drawn into, and by which frame.
    passes: Vec<(wgpu::TextureView, wgpu::BindGroup)>,
    format: DepthFormat,
    unclipped: bool,
    /// In steps, slopes and depths.
    bias: (i32, f32, f32),
}

impl ShadowMaps {
    /// The maps of a plan, and that by which they are looked up; a map that nothing looks at where there is none. Each light is told
    /// which maps are its own.
    pub(crate) fn new(
        backend: &Backend,
        plans: Option<(&ShadowPlan, &ShadowPlan)>,
        convention: Convention,
        lights: &mut Lights,
        settings: &Settings,
        faults: &Faults,
    ) -> Result<Self, BackendError> {
        let device = &backend.device;
        let nothing = ShadowPlan::default();
        let (drawn, looked_up) = plans.unwrap_or((&nothing, &nothing));
        let own = if plans.is_some() { drawn.settings } else { settings.shadows };
        let count = drawn.lights.iter().map(|light| light.maps.len()).sum::<usize>() as u32;
        let side = if plans.is_some() { own.side } else { 1 };
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: side, height: side, depth_or_array_layers: layers(count) },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: backend.map_format(own.format),
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let bias = bias(own.bias, own.format, faults)?;
        let (constant, slope, clamp) = bias;
        let rounds = own.format == DepthFormat::Bits24 && !backend.driver.has_24_bits_of_depth();
        let by_hand = BiasByHand {
            bias: [constant as f32, slope, clamp],
            step: match own.format {
                DepthFormat::Bits16 => 1.0 / 65_536.0,
                DepthFormat::Bits24 => 1.0 / 16_777_216.0,
                DepthFormat::Float => 0.0,
            },
            steps: if rounds { 16_777_215.0 } else { 0.0 },
        };
        let maps = drawn.lights.iter().flat_map(|light| &light.maps);
        let passes = maps.zip(0..).map(|(map, layer)| {
            let view = texture.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(wgpu::TextureViewDimension::D2),
                base_array_layer: layer,
                array_layer_count: Some(1),
                ..wgpu::TextureViewDescriptor::default()
            });
            (view, backend.map_frame(&map.view_projection, convention, side, by_hand))
        });
        let passes = passes.collect();

        let mut first = 0;
        let mut firsts = Vec::new();
        for light in &drawn.lights {
            firsts.push([first, light.maps.len() as u32]);
            first += light.maps.len() as u32;
        }
        // Each light looks into the maps of the one before it, with matrices of its own.
        let swapped = faults.has(Fault::LightMapSwapped) && firsts.len() > 1;
        let mut lookups = Vec::new();
        for (number, light) in looked_up.lights.iter().enumerate() {
            if let Some(shining) = lights.lights.get_mut(light.light) {
                shining.maps = [lookups.len() as u32, light.maps.len() as u32, u32::from(light.cascaded), 0];
            }
            let [first, count] =
                if swapped { firsts[(number + firsts.len() - 1) % firsts.len()] } else { firsts[number] };
            lookups.extend((0..).zip(&light.maps).map(|(place, map)| GpuLookup {
                matrix: map.lookup.to_cols_array(),
                layer: [first + u32::min(place, count - 1), 0, 0, 0],
            }));
        }
        let has_border = device.features().contains(wgpu::Features::ADDRESS_MODE_CLAMP_TO_BORDER);
        let mut splits = [[0.0; 4]; 8];
        for (own, split) in splits.iter_mut().zip(&looked_up.splits) {
            *own = [split.near, split.far, 0.0, 0.0];
        }
        let uniform = GpuShadows {
            depth_row: looked_up.depth_row,
            splits,
            split_count: looked_up.splits.len() as u32,
            lookups: own.filter.lookups() as u32,
            is_by_containment: u32::from(own.selection == SplitSelection::Containment),
            blend: own.blend,
            side: side as f32,
            is_symmetric: u32::from(convention == Convention::OpenGl),
            has_border: u32::from(has_border),
            padding: 0,
        };
        let uniform = filled(device, BufferUsages::UNIFORM, &[uniform]);
        let lookups = filled(device, BufferUsages::STORAGE, &lookups);
        let view = texture.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2Array),
            ..wgpu::TextureViewDescriptor::default()
        });
        let sampler = sampler(device, own.filter, has_border, faults);
        let bindings = bind(
            device,
            &backend.layouts.shadows,
            &[
                uniform.as_entire_binding(),
                lookups.as_entire_binding(),
                wgpu::BindingResource::TextureView(&view),
                wgpu::BindingResource::Sampler(&sampler),
            ],
        );
        let unclipped = own.casters == Casters::Clamp && !faults.has(Fault::CastersClipped);
        Ok(Self { bindings, passes, format: own.format, unclipped, bias })
    }

    /// Group 3 of a picture.
    pub(crate) fn bindings(&self) -> &wgpu::BindGroup {
        &self.bindings
    }

    /// Draws all casters into all maps.
    pub(crate) fn draw(
        &self,
        backend: &Backend,
        encoder: &mut wgpu::CommandEncoder,
        draws: &[(&Draw<'_>, PosedDraw)],
        faults: &Faults,
    ) {
        let (constant, slope, clamp) = self.bias;
        let farthest = if faults.has(Fault::MapClearedToZero) { 0.0 } else { 1.0 };
        for (view, frame) in &self.passes {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: None,
                color_attachments: &[],
                depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                    view,
                    depth_ops: Some(wgpu::Operations {
                        load: wgpu::LoadOp::Clear(farthest),
                        store: wgpu::StoreOp::Store,
                    }),
                    stencil_ops: None,
                }),
                timestamp_writes: None,
                occlusion_query_set: None,
                multiview_mask: None,
            });
            pass.set_bind_group(0, frame, &[]);
            for (draw, posed) in draws.iter().filter(|(draw, _)| draw.casts) {
                pass.set_pipeline(&backend.cast_pipeline(CastKey {
                    faults: faults.in_pipelines(),
                    format: self.format,
                    masked: draw.masked,
                    unclipped: self.unclipped,
                    bias: (constant, slope.to_bits(), clamp.to_bits()),
                }));
                pass.set_bind_group(1, &posed.bindings, &[]);
                pass.set_bind_group(2, &draw.material, &[]);
                pass.set_index_buffer(draw.indices.slice(..), wgpu::IndexFormat::Uint32);
                pass.draw_indexed(0..draw.index_count, 0, 0..1);
            }
        }
    }
}

/// Layers of an array that holds so many maps. On OpenGL wgpu takes a single layer for no array, and six for the faces of a cube.
fn layers(maps: u32) -> u32 {
    if maps.is_multiple_of(6) { maps + 1 } else { maps.max(2) }
}

/// World to a map, and which one that is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
struct GpuLookup {
    matrix: [f32; 16],
    layer: [u32; 4],
}

/// The bias as the API takes it: whole steps, slopes, and depths.
fn bias(own: DepthBias, format: DepthFormat, faults: &Faults) -> Result<(i32, f32, f32), BackendError> {
    let DepthBias { mut constant, slope, clamp } = own;
    if constant.fract() != 0.0 {
        return Err(BackendError::Bias { constant });
    }
    if faults.has(Fault::ShadowBiasUnits) {
        // As for another format.
        constant *= if format == DepthFormat::Bits16 { 1.0 / 256.0 } else { 256.0 };
    }
    let sign = if faults.has(Fault::ShadowBiasSign) { -1.0 } else { 1.0 };
    Ok(((sign * constant) as i32, sign * slope, sign * clamp))
}

/// Compares with what is stored: nearer or equal is lit. Outside of a map nothing was drawn; where the API can not say that, the shader
/// asks for one texel at a time.
fn sampler(device: &wgpu::Device, filter: ShadowFilter, has_border: bool, faults: &Faults) -> wgpu::Sampler {
    let by_texel = filter == ShadowFilter::None || !has_border;
    let within = if by_texel { wgpu::FilterMode::Nearest } else { wgpu::FilterMode::Linear };
    let beyond = if has_border { wgpu::AddressMode::ClampToBorder } else { wgpu::AddressMode::ClampToEdge };
    let dark = faults.has(Fault::MapBorder);
    let border = if dark { wgpu::SamplerBorderColor::TransparentBlack } else { wgpu::SamplerBorderColor::OpaqueWhite };
    device.create_sampler(&wgpu::SamplerDescriptor {
        address_mode_u: beyond,
        address_mode_v: beyond,
        mag_filter: within,
        min_filter: within,
        compare: Some(wgpu::CompareFunction::LessEqual),
        border_color: has_border.then_some(border),
        ..wgpu::SamplerDescriptor::default()
    })
}
