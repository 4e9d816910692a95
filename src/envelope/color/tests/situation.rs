//! Random fragments: a triangle seen in perspective, with a random material, texture, sampler and lights.

use proptest::{prelude::*, sample::select};

use crate::{Fragment, Interval, color::MaterialInputs};
use refrast_draw::VertexStream;
use refrast_scene::{
    AlphaMode, Anisotropy, Clearcoat, Filter, Image, Material, Sampler, Scene, Sheen, Texture, TextureReference,
    TextureTransform, Wrap,
};
use refrast_shading::{
    Cone, Development, Eye, Light, LightSource, Lighting, ShadingMode, TextureSet, ToneMapping, VaryingBlock,
    VaryingLayout, VertexAttributes,
};

/// A fragment and everything that its colour depends on.
pub(super) struct Situation {
    pub(super) stream: VertexStream,
    pub(super) layout: VaryingLayout,
    pub(super) material: Material,
    pub(super) scene: Scene,
    pub(super) textures: TextureSet,
    pub(super) lighting: Lighting,
    pub(super) mode: ShadingMode,
    pub(super) development: Development,
    pub(super) fragment: Fragment,
    /// Exact ∂w/∂x and ∂w/∂y of the weights.
    pub(super) slopes: [[f64; 3]; 2],
}

impl std::fmt::Debug for Situation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { stream, material, scene, lighting, mode, fragment, .. } = self;
        let sizes: Vec<_> = scene.images.iter().map(|image| (image.width, image.height)).collect();
        let texture = (&scene.textures, sizes);
        write!(formatter, "{mode}\n{material:?}\n{texture:?}\n{lighting:?}\n{fragment:?}\n{:?}", stream.varyings)
    }
}

impl Situation {
    /// Exposure and Khronos PBR Neutral in f64.
    pub(super) fn developed(&self, color: [f64; 3]) -> [f64; 3] {
        let color = color.map(|channel| channel * f64::from(self.development.exposure));
        if self.development.tone == ToneMapping::None {
            return color;
        }
        let least = color.iter().copied().fold(f64::INFINITY, f64::min);
        let offset = if least < 0.08 { least - 6.25 * least * least } else { 0.04 };
        let color = color.map(|channel| channel - offset);
        let peak = color.iter().copied().fold(0.0, f64::max);
        if peak < 0.76 {
            return color;
        }
        let new_peak = 1.0 - 0.24 * 0.24 / (peak + 0.24 - 0.76);
        let grey = 1.0 - 1.0 / (0.15 * (peak - new_peak) + 1.0);
        color.map(|channel| {
            let channel = channel * new_peak / peak;
            channel * (1.0 - grey) + new_peak * grey
        })
    }

    pub(super) fn inputs(&self) -> MaterialInputs<'_> {
        MaterialInputs {
            material: &self.material,
            layout: &self.layout,
            textures: &self.textures,
            lighting: &self.lighting,
            shadows: None,
            mode: self.mode,
            development: self.development,
            depth_range: [0.0, 1.0],
        }
    }
}

/// Corners in pixels around the fragment, and w.
#[derive(Clone, Copy, Debug)]
struct Corners {
    x: [f64; 3],
    y: [f64; 3],
    w: [f64; 3],
}

impl Corners {
    /// Perspective-correct weights at a place: edge values over w, divided by their sum.
    fn weights(&self, x: f64, y: f64) -> [f64; 3] {
        let parts = self.parts(x, y);
        let sum: f64 = parts.iter().sum();
        parts.map(|part| part / sum)
    }

    fn parts(&self, x: f64, y: f64) -> [f64; 3] {
        [0, 1, 2].map(|i: usize| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let edge = (self.x[j] - x) * (self.y[k] - y) - (self.y[j] - y) * (self.x[k] - x);
            edge / self.w[i]
        })
    }

    /// Derivatives of the weights by the rule for quotients.
    fn slopes(&self) -> [[f64; 3]; 2] {
        let parts = self.parts(0.0, 0.0);
        let sum: f64 = parts.iter().sum();
        [[1.0, 0.0], [0.0, 1.0]].map(|[x, y]| {
            // The parts are linear in the place.
            let ahead = self.parts(x, y);
            let changes = [0, 1, 2].map(|i: usize| ahead[i] - parts[i]);
            let change: f64 = changes.iter().sum();
            [0, 1, 2].map(|i: usize| (changes[i] - parts[i] / sum * change) / sum)
        })
    }
}

fn corners() -> impl Strategy<Value = Corners> {
    let coordinates = || prop::array::uniform3(-60.0f64..60.0);
    let part = || prop::array::uniform3(0.05f64..1.0);
    (coordinates(), coordinates(), part(), prop::array::uniform3(1.0f64..3.0)).prop_filter_map(
        "too slim",
        |(x, y, part, w)| {
            // The fragment is at the origin, inside.
            let total: f64 = part.iter().sum();
            let center = |at: [f64; 3]| (at[0] * part[0] + at[1] * part[1] + at[2] * part[2]) / total;
            let (center_x, center_y) = (center(x), center(y));
            let corners = Corners { x: x.map(|x| x - center_x), y: y.map(|y| y - center_y), w };
            let area = (corners.x[1] - corners.x[0]) * (corners.y[2] - corners.y[0])
                - (corners.x[2] - corners.x[0]) * (corners.y[1] - corners.y[0]);
            (area.abs() > 50.0).then_some(corners)
        },
    )
}

fn fragments() -> impl Strategy<Value = (Fragment, [[f64; 3]; 2])> {
    let radius = select(vec![0.0, 1e-6, 1e-4, 1e-3, 1e-2]);
    (corners(), radius, 0.0f64..1.0, select(vec![Some(true), Some(false), None])).prop_map(
        |(corners, radius, depth, front)| {
            let neighbours =
                std::array::from_fn(|pixel| corners.weights((pixel % 3) as f64 - 1.0, (pixel / 3) as f64 - 1.0));
            let fragment = Fragment {
                draw: 0,
                primitive: 0,
                vertices: [0, 1, 2],
                weights: neighbours[4],
                radius: [radius, 0.5 * radius, radius],
                neighbours,
                neighbour_radius: [radius, radius, 0.5 * radius],
                shift: None,
                neighbour_shift: None,
                depth: Interval::around(depth, 1e-6),
                front,
            };
            (fragment, corners.slopes())
        },
    )
}

fn samplers() -> impl Strategy<Value = Sampler> {
    let filter = || select(vec![Filter::Nearest, Filter::Linear]);
    let wrap = || select(vec![Wrap::Repeat, Wrap::MirroredRepeat, Wrap::ClampToEdge]);
    let mip = select(vec![None, Some(Filter::Nearest), Some(Filter::Linear), Some(Filter::Linear)]);
    (filter(), filter(), mip, wrap(), wrap()).prop_map(|(magnification, minification, mip, wrap_u, wrap_v)| Sampler {
        magnification,
        minification,
        mip,
        wrap_u,
        wrap_v,
    })
}

fn images() -> impl Strategy<Value = Image> {
    (1u32..20, 1u32..20).prop_flat_map(|(width, height)| {
        prop::collection::vec(any::<u8>(), 4 * (width * height) as usize).prop_map(move |rgba| Image {
            name: None,
            width,
            height,
            rgba,
            jpeg: None,
        })
    })
}

fn transforms() -> impl Strategy<Value = TextureTransform> {
    prop_oneof![
        Just(TextureTransform::default()),
        (prop::array::uniform2(-2.0f32..2.0), -4.0f32..4.0, prop::array::uniform2(-3.0f32..3.0))
            .prop_map(|(offset, rotation, scale)| TextureTransform { offset, rotation, scale }),
    ]
}

fn lights() -> impl Strategy<Value = Light> {
    let unit = prop::array::uniform3(-1.0f32..1.0).prop_map(|vector| {
        let vector = glam::Vec3::from_array(vector);
        vector.try_normalize().unwrap_or(glam::Vec3::Z).to_array()
    });
    let directional = unit.clone().prop_map(|to_light| LightSource::Directional { to_light });
    let cone = (unit, 0.1f32..0.7, 0.05f32..0.8).prop_map(|(axis, cos_outer, difference)| {
        let scale = 1.0 / difference.max(0.001);
        Cone { axis, scale, offset: -cos_outer * scale }
    });
    let point = (prop::array::uniform3(-4.0f32..4.0), select(vec![0.0, 0.04, 0.5]), prop::option::of(cone)).prop_map(
        |(position, inverse_range_squared, cone)| LightSource::Point { position, inverse_range_squared, cone },
    );
    (prop::array::uniform3(0.0f32..2.0), prop_oneof![directional, point])
        .prop_map(|(radiance, source)| Light { radiance, source })
}

fn lightings() -> impl Strategy<Value = Lighting> {
    prop::collection::vec(lights(), 0..3).prop_map(|lights| Lighting {
        ambient: [0.05, 0.1, 0.25],
        lights,
        eye: Eye::Point([0.0; 3]),
        shadowed: false,
    })
}

fn materials() -> impl Strategy<Value = Material> {
    let alpha = select(vec![AlphaMode::Opaque, AlphaMode::Mask { cutoff: 0.4 }, AlphaMode::Blend]);
    let reference = |texture: usize| {
        prop::option::weighted(0.7, transforms())
            .prop_map(move |transform| transform.map(|transform| TextureReference { texture, texcoord: 0, transform }))
    };
    (
        prop::array::uniform4(0.2f32..1.0),
        reference(0),
        prop::array::uniform3(0.0f32..2.0),
        reference(1),
        alpha,
        any::<bool>(),
        prop::bool::weighted(0.1),
        (reference(1), reference(0), reference(1), prop::array::uniform3(0.0f32..1.0), 1.0f32..2.5, -1.0f32..2.0),
        prop::option::of((0.1f32..1.0, reference(0), 0.0f32..1.0, reference(1), reference(0), -1.0f32..2.0)),
        prop::option::of((0.05f32..1.0, -3.0f32..3.0, reference(0))),
        prop::option::of((prop::array::uniform3(0.0f32..1.0), reference(0), 0.0f32..1.0, reference(1))),
    )
        .prop_map(
            |(
                factor,
                base,
                emissive_factor,
                emissive,
                alpha_mode,
                double_sided,
                unlit,
                surface,
                coat,
                grain,
                velvet,
            )| {
                Material {
                    anisotropy: grain.map(|(strength, rotation, texture)| Anisotropy { strength, rotation, texture }),
                    sheen: velvet.map(|(color_factor, color_texture, roughness_factor, roughness_texture)| Sheen {
                        color_factor,
                        color_texture,
                        roughness_factor,
                        roughness_texture,
                    }),
                    clearcoat: coat.map(|coat| Clearcoat {
                        factor: coat.0,
                        texture: coat.1,
                        roughness_factor: coat.2,
                        roughness_texture: coat.3,
                        normal_texture: coat.4,
                        normal_scale: coat.5,
                    }),
                    metallic_factor: surface.3[0],
                    roughness_factor: surface.3[1],
                    metallic_roughness_texture: surface.0,
                    normal_texture: surface.1,
                    normal_scale: surface.5,
                    occlusion_texture: surface.2,
                    occlusion_strength: surface.3[2],
                    specular_factor: surface.3[2],
                    ior: surface.4,
                    specular_color_factor: surface.3,
                    base_color_factor: factor,
                    base_color_texture: base,
                    emissive_factor,
                    emissive_texture: emissive,
                    alpha_mode,
                    double_sided,
                    unlit,
                    ..Material::default()
                }
            },
        )
}

/// A row for a vertex: what its blocks may hold, from numbers in [−1, 1].
fn row(layout: &VaryingLayout, numbers: &[f32], spread: f32) -> Vec<f32> {
    let blocks = layout.blocks().iter().zip(numbers.chunks(4));
    let blocks = blocks.flat_map(|(block, n)| match block {
        // Not too far from each other, so that they do not cancel.
        VaryingBlock::Normal => [0.3 * n[0] + 0.5, 0.3 * n[1], 0.3 * n[2] + 0.7, 0.0],
        VaryingBlock::Tangent => [0.3 * n[0] + 0.7, 0.3 * n[1] + 0.2, 0.3 * n[2] - 0.4, n[3].signum()],
        VaryingBlock::Position => [n[0], n[1], n[2], 0.0],
        VaryingBlock::Texcoords(_) => [n[0] * spread, n[1] * spread, n[2], n[3]],
        VaryingBlock::Color | VaryingBlock::Occlusion | VaryingBlock::JointColor => {
            [n[0], n[1], n[2], n[3]].map(|n| 0.5 * n + 0.5)
        }
    });
    blocks.collect()
}

pub(super) fn situations() -> impl Strategy<Value = Situation> {
    let modes = select(vec![
        ShadingMode::Lambert,
        ShadingMode::Lambert,
        ShadingMode::Lambert,
        ShadingMode::Lit,
        ShadingMode::Lit,
        ShadingMode::Lit,
        ShadingMode::Lit,
        ShadingMode::ShadingNormals,
        ShadingMode::Tangents,
        ShadingMode::Bitangents,
        ShadingMode::Metallic,
        ShadingMode::Roughness,
        ShadingMode::Occlusion,
        ShadingMode::Emissive,
        ShadingMode::BaseColor,
        ShadingMode::Unlit,
        ShadingMode::Normals,
        ShadingMode::Uv,
        ShadingMode::Depth,
        ShadingMode::Joints,
        ShadingMode::Wireframe,
        ShadingMode::Splits,
    ]);
    let rows = prop::array::uniform3(prop::collection::vec(-1.0f32..1.0, 28));
    let texture = || (images(), samplers());
    let spread = select(vec![0.1f32, 1.0, 8.0, 40.0]);
    let surface = (materials(), texture(), texture(), lightings(), modes);
    (surface, fragments(), rows, spread, any::<[bool; 5]>()).prop_map(
        |(
            (material, base, emissive, lighting, mode),
            (fragment, slopes),
            rows,
            spread,
            [normals, tangents, colors, influences, toned],
        )| {
            // Whatever has colours has this too: each is read where the other is not.
            let attributes = VertexAttributes { normals, tangents, colors, occlusion: colors, influences };
            let layout = VaryingLayout::new(&material, attributes, mode, &lighting);
            let mut stream = VertexStream::default();
            stream.resize(3, layout.stride());
            stream.varyings = rows.iter().flat_map(|numbers| row(&layout, numbers, spread)).collect();
            let textures = [base, emissive];
            let scene = Scene {
                textures: (0..2).map(|image| Texture { image, sampler: textures[image].1 }).collect(),
                images: textures.iter().map(|(image, _)| image.clone()).collect(),
                materials: vec![material.clone()],
                ..Scene::default()
            };
            let textures = TextureSet::new(&scene, mode).expect("complete images");
            let development = match toned {
                true => Development { exposure: 1.5, tone: ToneMapping::Neutral },
                false => Development::default(),
            };
            Situation { stream, layout, material, scene, textures, lighting, mode, development, fragment, slopes }
        },
    )
}
