//! A material in the shader's layout, its textures by their numbers, and its samplers.

use refrast::{
    scene::{AlphaMode, Filter, Material, Primitive, Sampler, TextureReference, TextureTransform, Topology, Wrap},
    shading::ShadingMode,
};
use wgpu::{AddressMode, FilterMode, MipmapFilterMode};

/// How many textures a material may have.
pub(crate) const TEXTURES: usize = 13;

/// What a texture's bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TextureKind {
    /// sRGB, alpha linear.
    Color,
    /// Plain numbers.
    Numbers,
    /// Plain numbers that are directions.
    Normals,
}

/// What the textures are, by their numbers in `bindings.wgsl`.
pub(crate) const KINDS: [TextureKind; TEXTURES] = [
    TextureKind::Color,
    TextureKind::Color,
    TextureKind::Numbers,
    TextureKind::Normals,
    TextureKind::Numbers,
    TextureKind::Numbers,
    TextureKind::Color,
    TextureKind::Numbers,
    TextureKind::Numbers,
    TextureKind::Normals,
    TextureKind::Numbers,
    TextureKind::Color,
    TextureKind::Numbers,
];

/// The textures that a mode looks at, by their numbers.
pub(crate) fn textures(material: &Material, shading: ShadingMode) -> [Option<TextureReference>; TEXTURES] {
    use ShadingMode::{BaseColor, Emissive, Lambert, Lit, Metallic, Occlusion, Roughness, ShadingNormals, Unlit};
    let shown =
        |modes: &[ShadingMode], reference: Option<TextureReference>| reference.filter(|_| modes.contains(&shading));
    let masked = matches!(material.alpha_mode, AlphaMode::Mask { .. });
    let (coat, anisotropy) = (material.clearcoat.unwrap_or_default(), material.anisotropy.unwrap_or_default());
    let sheen = material.sheen.unwrap_or_default();
    [
        // Views that show no colour look at alpha where something is cut out.
        material.base_color_texture.filter(|_| masked || matches!(shading, Lambert | Lit | Unlit | BaseColor)),
        shown(&[Lambert, Lit, Emissive], material.emissive_texture),
        shown(&[Lit, Metallic, Roughness], material.metallic_roughness_texture),
        shown(&[Lit, ShadingNormals], material.normal_texture),
        shown(&[Lit, Occlusion], material.occlusion_texture),
        shown(&[Lit], material.specular_texture),
        shown(&[Lit], material.specular_color_texture),
        shown(&[Lit], coat.texture),
        shown(&[Lit], coat.roughness_texture),
        shown(&[Lit], coat.normal_texture),
        shown(&[Lit], anisotropy.texture),
        shown(&[Lit], sheen.color_texture),
        shown(&[Lit], sheen.roughness_texture),
    ]
}

/// Sets of texture coordinates that a draw carries to its fragments.
const SETS: usize = 4;

/// The sets of texture coordinates that a draw reads, each once; `None` where there are more than four.
pub(crate) fn texcoord_sets(material: &Material, shading: ShadingMode) -> Option<[usize; SETS]> {
    // The `uv` view shows the first one.
    let mut sets = if shading == ShadingMode::Uv { vec![0] } else { Vec::new() };
    for reference in textures(material, shading).iter().flatten() {
        if !sets.contains(&reference.texcoord) {
            sets.push(reference.texcoord);
        }
    }
    let fits = sets.len() <= SETS;
    sets.resize(SETS, sets.first().copied().unwrap_or_default());
    sets.try_into().ok().filter(|_| fits)
}

/// In the shader's layout.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(crate) struct GpuMaterial {
    base_color_factor: [f32; 4],
    emissive_factor: [f32; 4],
    /// Reflectance of what is not metal, head-on, and its weight.
    specular: [f32; 4],
    /// Colour of the sheen, 0 without, and its roughness.
    sheen: [f32; 4],
    metallic: f32,
    roughness: f32,
    normal_scale: f32,
    occlusion_strength: f32,
    coat: f32,
    coat_roughness: f32,
    coat_normal_scale: f32,
    alpha_cutoff: f32,
    /// A bit a texture, then those of [`flag`].
    flags: u32,
    /// Strength of the anisotropy, 0 without, and the cosine and the sine of its rotation.
    anisotropy: f32,
    turn: [f32; 2],
    transforms: [[[f32; 4]; 2]; TEXTURES],
}

/// The upper bits of [`GpuMaterial::flags`], as in `bindings.wgsl`.
mod flag {
    pub(super) const IS_MASKED: u32 = 1 << 13;
    pub(super) const IS_BLENDED: u32 = 1 << 14;
    pub(super) const IS_DOUBLE_SIDED: u32 = 1 << 15;
    pub(super) const IS_UNLIT: u32 = 1 << 16;
    pub(super) const HAS_NORMALS: u32 = 1 << 17;
    pub(super) const HAS_TANGENTS: u32 = 1 << 18;
    pub(super) const HAS_JOINTS: u32 = 1 << 19;
    pub(super) const IS_TRIANGLES: u32 = 1 << 20;
    pub(super) const HAS_SHOWN_TEXCOORDS: u32 = 1 << 21;
}

impl GpuMaterial {
    /// `sets` are the sets of texture coordinates that the draw carries.
    pub(crate) fn new(material: &Material, primitive: &Primitive, shading: ShadingMode, sets: [usize; SETS]) -> Self {
        let triangles = primitive.topology == Topology::Triangles;
        let cutoff = if let AlphaMode::Mask { cutoff } = material.alpha_mode { Some(cutoff) } else { None };
        let flags = [
            (flag::IS_MASKED, cutoff.is_some()),
            (flag::IS_BLENDED, material.alpha_mode == AlphaMode::Blend && shading.blends()),
            (flag::IS_DOUBLE_SIDED, material.double_sided),
            (flag::IS_UNLIT, material.unlit),
            (flag::HAS_NORMALS, primitive.normals.is_some() || (triangles && primitive.flat)),
            (flag::HAS_TANGENTS, primitive.tangents.is_some()),
            (flag::HAS_JOINTS, primitive.influences.is_some()),
            (flag::IS_TRIANGLES, triangles),
            (flag::HAS_SHOWN_TEXCOORDS, !primitive.texcoords.is_empty()),
        ];
        let textures = textures(material, shading);
        let bits = (0..).zip(&textures).filter(|(_, used)| used.is_some()).map(|(number, _)| 1u32 << number);
        let transform = |reference: Option<TextureReference>| {
            let Some(reference) = reference else { return [[0.0; 4]; 2] };
            let place = sets.iter().position(|set| *set == reference.texcoord).unwrap_or_default();
            transform_rows(&reference.transform, place)
        };
        let [red, green, blue] = material.emissive_factor;
        let head_on = (material.ior - 1.0) / (material.ior + 1.0);
        let [f0_red, f0_green, f0_blue] = material.specular_color_factor.map(|factor| head_on * head_on * factor);
        let (coat, anisotropy) = (material.clearcoat.unwrap_or_default(), material.anisotropy.unwrap_or_default());
        let sheen = material.sheen.unwrap_or_default();
        let [sheen_red, sheen_green, sheen_blue] = sheen.color_factor;
        Self {
            base_color_factor: material.base_color_factor,
            emissive_factor: [red, green, blue, 0.0],
            sheen: [sheen_red, sheen_green, sheen_blue, sheen.roughness_factor],
            specular: [f0_red, f0_green, f0_blue, material.specular_factor],
            metallic: material.metallic_factor,
            roughness: material.roughness_factor,
            normal_scale: material.normal_scale,
            occlusion_strength: material.occlusion_strength,
            coat: coat.factor,
            coat_roughness: coat.roughness_factor,
            coat_normal_scale: coat.normal_scale,
            alpha_cutoff: cutoff.unwrap_or(0.0),
            flags: bits.sum::<u32>() + flags.iter().filter(|(_, set)| *set).map(|(flag, _)| flag).sum::<u32>(),
            anisotropy: anisotropy.strength,
            turn: anisotropy.turn(),
            transforms: textures.map(transform),
        }
    }
}

/// translation · rotation · scale as two rows, the offset third; the place of the coordinates that it moves is fourth.
fn transform_rows(transform: &TextureTransform, place: usize) -> [[f32; 4]; 2] {
    let (sine, cosine) = libm::sincosf(transform.rotation);
    let ([scale_u, scale_v], [offset_u, offset_v]) = (transform.scale, transform.offset);
    [[cosine * scale_u, sine * scale_v, offset_u, place as f32], [-sine * scale_u, cosine * scale_v, offset_v, 0.0]]
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
