//! A material in the shader's layout, and its samplers.

use refrast::{
    scene::{AlphaMode, Filter, Material, Primitive, Sampler, TextureTransform, Topology, Wrap},
    shading::ShadingMode,
};
use wgpu::{AddressMode, FilterMode, MipmapFilterMode};

/// In the shader's layout.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(crate) struct GpuMaterial {
    pub(crate) base_color_factor: [f32; 4],
    pub(crate) emissive_factor: [f32; 4],
    pub(crate) base_color_transform: [[f32; 4]; 2],
    pub(crate) emissive_transform: [[f32; 4]; 2],
    pub(crate) alpha_cutoff: f32,
    pub(crate) flags: u32,
    pub(crate) padding: [u32; 2],
}

/// The bits of [`GpuMaterial::flags`], as in `picture.wgsl`.
pub(crate) mod flag {
    pub(crate) const HAS_BASE_COLOR_TEXTURE: u32 = 1;
    pub(crate) const HAS_EMISSIVE_TEXTURE: u32 = 2;
    pub(crate) const IS_MASKED: u32 = 4;
    pub(crate) const IS_BLENDED: u32 = 8;
    pub(crate) const IS_DOUBLE_SIDED: u32 = 16;
    pub(crate) const IS_UNLIT: u32 = 32;
    pub(crate) const HAS_NORMALS: u32 = 64;
    pub(crate) const HAS_JOINTS: u32 = 128;
    pub(crate) const IS_TRIANGLES: u32 = 256;
    pub(crate) const HAS_SHOWN_TEXCOORDS: u32 = 512;
}

impl GpuMaterial {
    pub(crate) fn new(material: &Material, primitive: &Primitive, shading: ShadingMode) -> Self {
        let triangles = primitive.topology == Topology::Triangles;
        let cutoff = if let AlphaMode::Mask { cutoff } = material.alpha_mode { Some(cutoff) } else { None };
        // Views that show no colour sample none, but for what is cut out.
        let colored = matches!(shading, ShadingMode::Lambert | ShadingMode::Unlit) || cutoff.is_some();
        let flags = [
            (flag::HAS_BASE_COLOR_TEXTURE, colored && material.base_color_texture.is_some()),
            (flag::HAS_EMISSIVE_TEXTURE, shading == ShadingMode::Lambert && material.emissive_texture.is_some()),
            (flag::IS_MASKED, cutoff.is_some()),
            (flag::IS_BLENDED, material.alpha_mode == AlphaMode::Blend && shading.blends()),
            (flag::IS_DOUBLE_SIDED, material.double_sided),
            (flag::IS_UNLIT, material.unlit),
            (flag::HAS_NORMALS, primitive.normals.is_some() || (triangles && primitive.flat)),
            (flag::HAS_JOINTS, primitive.influences.is_some()),
            (flag::IS_TRIANGLES, triangles),
            (flag::HAS_SHOWN_TEXCOORDS, !primitive.texcoords.is_empty()),
        ];
        let transform = |reference: Option<refrast::scene::TextureReference>| {
            transform_rows(&reference.map(|reference| reference.transform).unwrap_or_default())
        };
        let [red, green, blue] = material.emissive_factor;
        Self {
            base_color_factor: material.base_color_factor,
            emissive_factor: [red, green, blue, 0.0],
            base_color_transform: transform(material.base_color_texture),
            emissive_transform: transform(material.emissive_texture),
            alpha_cutoff: cutoff.unwrap_or(0.0),
            flags: flags.iter().filter(|(_, set)| *set).map(|(flag, _)| flag).sum(),
            padding: [0; 2],
        }
    }
}

/// translation · rotation · scale as two rows, the offset third.
fn transform_rows(transform: &TextureTransform) -> [[f32; 4]; 2] {
    let (sine, cosine) = libm::sincosf(transform.rotation);
    let ([scale_u, scale_v], [offset_u, offset_v]) = (transform.scale, transform.offset);
    [
        [cosine * scale_u, sine * scale_v, offset_u, 0.0], //
        [-sine * scale_u, cosine * scale_v, offset_v, 0.0],
    ]
}

/// The API's sampler for a glTF one.
pub(crate) fn sampler(device: &wgpu::Device, sampler: Sampler) -> wgpu::Sampler {
    let wrap = |wrap| match wrap {
        Wrap::Repeat => AddressMode::Repeat,
        Wrap::MirroredRepeat => AddressMode::MirrorRepeat,
        Wrap::ClampToEdge => AddressMode::ClampToEdge,
    };
    let filter = |filter| match filter {
        Filter::Nearest => FilterMode::Nearest,
        Filter::Linear => FilterMode::Linear,
    };
    device.create_sampler(&wgpu::SamplerDescriptor {
        address_mode_u: wrap(sampler.wrap_u),
        address_mode_v: wrap(sampler.wrap_v),
        mag_filter: filter(sampler.magnification),
        min_filter: filter(sampler.minification),
        mipmap_filter: match sampler.mip {
            Some(Filter::Linear) => MipmapFilterMode::Linear,
            Some(Filter::Nearest) | None => MipmapFilterMode::Nearest,
        },
        // Without mip levels: the level rounds to 0, but the minification filter is still told apart (Vulkan 1.3,
        // VkSamplerCreateInfo, note on OpenGL's filters).
        lod_max_clamp: if sampler.mip.is_some() { 32.0 } else { 0.25 },
        ..wgpu::SamplerDescriptor::default()
    })
}
