//! The bind groups of the shaders, group by group.

use crate::material::TEXTURES;
use wgpu::{BindGroupLayoutEntry, BindingType, BufferBindingType, ShaderStages};

/// What the shaders see: `frame` is group 0 of pictures and `captured` that of the vertex file, `draw` is group 1,
/// `material` group 2, `shadows` group 3.
pub(crate) struct Layouts {
    pub(crate) frame: wgpu::BindGroupLayout,
    pub(crate) captured: wgpu::BindGroupLayout,
    pub(crate) draw: wgpu::BindGroupLayout,
    pub(crate) material: wgpu::BindGroupLayout,
    pub(crate) shadows: wgpu::BindGroupLayout,
}

const UNIFORM: BufferBindingType = BufferBindingType::Uniform;
const READ: BufferBindingType = BufferBindingType::Storage { read_only: true };

impl Layouts {
    pub(crate) fn new(device: &wgpu::Device) -> Self {
        let deforming = ShaderStages::VERTEX | ShaderStages::COMPUTE;
        let drawing = ShaderStages::VERTEX | ShaderStages::FRAGMENT;
        let texture = BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: true },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        };
        let sampler = BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
        let maps = BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Depth,
            view_dimension: wgpu::TextureViewDimension::D2Array,
            multisampled: false,
        };
        let comparison = BindingType::Sampler(wgpu::SamplerBindingType::Comparison);
        let group = |entries: &[(ShaderStages, BindingType)]| {
            let entries: Vec<_> = (0u32..)
                .zip(entries)
                .map(|(binding, &(visibility, ty))| BindGroupLayoutEntry { binding, visibility, ty, count: None })
                .collect();
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
        };
        let write = BufferBindingType::Storage { read_only: false };
        Self {
            frame: group(&[(drawing, buffer(UNIFORM)), (ShaderStages::FRAGMENT, buffer(READ))]),
            captured: group(&[(ShaderStages::COMPUTE, buffer(write))]),
            draw: group(&[
                (deforming, buffer(UNIFORM)),
                (deforming, buffer(READ)),
                (deforming, buffer(READ)),
                (deforming, buffer(READ)),
                (deforming, buffer(READ)),
                (deforming, buffer(READ)),
            ]),
            material: {
                let of_texture = [(ShaderStages::FRAGMENT, texture), (ShaderStages::FRAGMENT, sampler)];
                let textures = std::iter::repeat_n(of_texture, TEXTURES).flatten();
                let entries: Vec<_> = std::iter::once((drawing, buffer(UNIFORM))).chain(textures).collect();
                group(&entries)
            },
            shadows: group(&[
                (ShaderStages::FRAGMENT, buffer(UNIFORM)),
                (ShaderStages::FRAGMENT, buffer(READ)),
                (ShaderStages::FRAGMENT, maps),
                (ShaderStages::FRAGMENT, comparison),
            ]),
        }
    }
}

fn buffer(ty: BufferBindingType) -> BindingType {
    BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None }
}

/// Binds resources to a layout, in the order of their numbers.
pub(crate) fn bind(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    resources: &[wgpu::BindingResource<'_>],
) -> wgpu::BindGroup {
    let entries: Vec<_> = (0u32..)
        .zip(resources)
        .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource: resource.clone() })
        .collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

/// A buffer with these contents, or with zeros of one element where there are none: a binding is never empty.
pub(crate) fn filled<T: bytemuck::Pod>(
    device: &wgpu::Device,
    usage: wgpu::BufferUsages,
    contents: &[T],
) -> wgpu::Buffer {
    use wgpu::util::DeviceExt;
    let zero = [T::zeroed()];
    let contents = if contents.is_empty() { &zero } else { contents };
    device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: None,
        contents: bytemuck::cast_slice(contents),
        usage,
    })
}
