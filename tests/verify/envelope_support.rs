//! Small scenes for envelopes: squares whose pixels can be worked out by hand, and random heaps of everything.
#![allow(dead_code, reason = "each test file uses its own part")]

use glam::{DVec3, Mat4};
use refrast::{
    animation::Pose,
    golden::{
        Picture,
        envelope::{CheckOptions, Envelope, EnvelopeVerdict},
    },
    raster::{Convention, SampleCount},
    render::{Camera, RenderSettings, Renderer},
    scene::{
        AlphaMode, Filter, Image, Material, Mesh, Node, Primitive, Projection, Sampler, Scene, Texture,
        TextureReference, TextureTransform, Topology, Wrap,
    },
    shading::{Development, ShadingMode, ToneMapping},
    verify::{
        Declared, Profile,
        envelope::{EnvelopeSettings, FrameEnvelope, frame_envelope},
    },
};

/// The profiles that grant freedoms.
pub(crate) const PROFILES: [Profile; 3] = [Profile::D3d11, Profile::Vulkan14, Profile::VulkanMin];

/// A scene of primitives that stand still, each with a material of its own.
pub(crate) fn still(parts: Vec<(Primitive, Material)>) -> Scene {
    let mut scene = Scene::default();
    for (number, (primitive, material)) in parts.into_iter().enumerate() {
        let count = primitive.positions.len();
        let primitive = Primitive {
            source_vertices: (0..count as u32).collect(),
            source_vertex_count: count,
            material: number,
            ..primitive
        };
        scene.materials.push(material);
        scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
        scene.nodes.push(Node { mesh: Some(number), ..Node::default() });
        scene.drawn.push(number);
        scene.parents_first.push(number);
    }
    scene
}

/// Everything that makes a picture.
pub(crate) struct Shot {
    pub(crate) scene: Scene,
    pub(crate) pose: Pose,
    pub(crate) camera: Camera,
    pub(crate) settings: RenderSettings,
}

impl Shot {
    pub(crate) fn envelope(&self, profile: Profile) -> FrameEnvelope {
        let mut renderer = Renderer::new(&self.scene, self.settings).expect("valid settings");
        frame_envelope(&mut renderer, &self.pose, &self.camera, EnvelopeSettings::of(profile)).expect("an envelope")
    }

    /// For backends that have declared choices.
    pub(crate) fn declared_envelope(&self, profile: Profile, declared: Declared) -> Envelope {
        let mut renderer = Renderer::new(&self.scene, self.settings).expect("valid settings");
        let settings = EnvelopeSettings { declared, ..EnvelopeSettings::of(profile) };
        frame_envelope(&mut renderer, &self.pose, &self.camera, settings).expect("an envelope").envelope
    }

    pub(crate) fn picture(&self) -> Picture {
        self.picture_with(&self.settings, &self.camera)
    }

    pub(crate) fn picture_with(&self, settings: &RenderSettings, camera: &Camera) -> Picture {
        let mut renderer = Renderer::new(&self.scene, *settings).expect("valid settings");
        let frame = renderer.render(&self.pose, camera).expect("the pose fits the scene");
        Picture::from_rgba8(frame.width(), frame.height(), frame.rgba()).expect("a frame is a picture")
    }

    /// The picture of a backend whose grid has so many bits.
    pub(crate) fn picture_on_grid(&self, subpixel_bits: u32) -> Picture {
        self.picture_with(&RenderSettings { subpixel_bits, ..self.settings }, &self.camera)
    }
}

pub(crate) fn check(envelope: &Envelope, candidate: &Picture) -> EnvelopeVerdict {
    envelope.check(candidate, &CheckOptions::default()).expect("sizes agree")
}

/// Side of the pictures of squares, in pixels.
pub(crate) const SIDE: u32 = 16;

/// A camera that takes pixels (y down, z in the middle of the range of depth) to themselves.
pub(crate) fn pixel_camera() -> Camera {
    let scale = 2.0 / SIDE as f32;
    let projection =
        Mat4::from_cols_array(&[scale, 0.0, 0.0, 0.0, 0.0, -scale, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 1.0, 0.0, 1.0]);
    Camera { view: Mat4::IDENTITY, projection, convention: Convention::D3d }
}

/// Two triangles with a common diagonal from the upper left corner to the lower right one, in pixels.
pub(crate) fn square([x0, y0, x1, y1]: [f32; 4], depth: f32) -> Primitive {
    Primitive {
        indices: vec![0, 2, 1, 0, 3, 2],
        positions: [[x0, y0], [x1, y0], [x1, y1], [x0, y1]].map(|[x, y]| [x, y, depth]).to_vec(),
        ..Primitive::default()
    }
}

/// Its base colour and nothing else, both sides.
pub(crate) fn plain(base_color_factor: [f32; 4], alpha_mode: AlphaMode) -> Material {
    Material { base_color_factor, alpha_mode, unlit: true, double_sided: true, ..Material::default() }
}

pub(crate) fn flat_shot(parts: Vec<(Primitive, Material)>) -> Shot {
    let settings = RenderSettings {
        width: SIDE,
        height: SIDE,
        convention: Convention::D3d,
        background: [0; 3],
        ..RenderSettings::default()
    };
    let scene = still(parts);
    Shot { pose: Pose::rest(&scene), scene, camera: pixel_camera(), settings }
}

/// The same picture with other pixels.
pub(crate) fn painted(picture: &Picture, pixels: &[(u32, u32, [u8; 4])]) -> Picture {
    let mut bytes = picture.samples8().into_owned();
    for &(x, y, color) in pixels {
        let start = (y * picture.width() + x) as usize * 4;
        bytes[start..start + 4].copy_from_slice(&color);
    }
    Picture::from_rgba8(picture.width(), picture.height(), bytes).expect("the same size")
}

/// Numbers that look random, the same on every machine (SplitMix64).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [low, high).
    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.next() >> 40) as f32 / (1u64 << 24) as f32)
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    fn chance(&mut self, part: f32) -> bool {
        self.between(0.0, 1.0) < part
    }
}

/// A random scene: bent sheets, heaps of triangles that reach through the near plane, lines and points; opaque, cut out and
/// blended; textured and not; seen from close by.
pub(crate) fn random_shot(seed: u64) -> Shot {
    let mut dice = Dice::new(seed);
    let mut parts = Vec::new();
    for _ in 0..2 + dice.below(3) {
        let primitive = match dice.below(6) {
            0..=2 => sheet(&mut dice),
            3 => heap(&mut dice),
            4 => scattered(&mut dice, Topology::Lines),
            _ => scattered(&mut dice, Topology::Points),
        };
        let material = material(&mut dice);
        parts.push((primitive, material));
    }
    let mut scene = still(parts);
    scene.images.push(checks(&mut dice));
    scene.textures.push(Texture { image: 0, sampler: sampler(&mut dice) });
    let convention = [Convention::OpenGl, Convention::D3d, Convention::Vulkan][dice.below(3)];
    let samples = if dice.chance(0.4) { SampleCount::Four } else { SampleCount::One };
    let shading = match dice.below(10) {
        0..4 => ShadingMode::Lambert,
        4..7 => ShadingMode::Lit,
        _ => ShadingMode::ALL[dice.below(ShadingMode::ALL.len())],
    };
    let (width, height) = (48 + dice.below(40) as u32, 40 + dice.below(24) as u32);
    let mut settings = RenderSettings { width, height, samples, convention, shading, ..RenderSettings::default() };
    // Dice of their own: scenes of a seed stay what they were.
    let mut more = Dice::new(!seed);
    if more.chance(0.5) {
        let tone = if more.chance(0.7) { ToneMapping::Neutral } else { ToneMapping::None };
        settings.development = Development { exposure: more.between(0.3, 3.0), tone };
    }
    // At the edges of pictures with four samples a pixel such a number is less than 0.
    for primitive in scene.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        let occlusion = primitive.positions.iter().map(|_| more.between(0.0, 1.0)).collect();
        primitive.occlusion = more.chance(0.5).then_some(occlusion);
    }
    let eye = DVec3::new(dice.between(-1.5, 1.5).into(), dice.between(-1.0, 1.0).into(), dice.between(1.2, 4.0).into());
    let projection = Projection::Perspective { yfov: 0.9, aspect_ratio: None, znear: 0.4, zfar: Some(6.0) };
    let aspect_ratio = f64::from(width) / f64::from(height);
    let camera = Camera::look_at(eye, DVec3::ZERO, DVec3::Y, &projection, aspect_ratio, convention);
    Shot { pose: Pose::rest(&scene), scene, camera, settings }
}

fn point(dice: &mut Dice, size: f32) -> [f32; 3] {
    std::array::from_fn(|_| dice.between(-size, size))
}

/// A bent sheet of triangles that share their vertices.
fn sheet(dice: &mut Dice) -> Primitive {
    let cells = 2 + dice.below(9) as u32;
    let (origin, right, down) = (point(dice, 1.0), point(dice, 1.5), point(dice, 1.5));
    let bend = dice.between(0.0, 0.2);
    let (mut positions, mut texcoords, mut colors) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..=cells {
        for column in 0..=cells {
            let (s, t) = (column as f32 / cells as f32 - 0.5, row as f32 / cells as f32 - 0.5);
            let own = point(dice, bend);
            positions.push(std::array::from_fn(|i| origin[i] + s * right[i] + t * down[i] + own[i]));
            texcoords.push([s * 2.0 + own[0], t * 2.0 + own[1]]);
            colors.push(std::array::from_fn(|_| dice.between(0.2, 1.0)));
        }
    }
    let mut indices = Vec::new();
    for row in 0..cells {
        for column in 0..cells {
            let a = row * (cells + 1) + column;
            let (b, c, d) = (a + 1, a + cells + 1, a + cells + 2);
            indices.extend([a, c, b, b, c, d]);
        }
    }
    let normals = Some(positions.iter().map(|_| point(dice, 1.0)).collect());
    let tangents = Some(tangents(dice, positions.len()));
    let (texcoords, colors) = (vec![texcoords], Some(colors));
    Primitive { indices, positions, normals, tangents, texcoords, colors, ..Primitive::default() }
}

/// Triangles that share nothing, with flat normals.
fn heap(dice: &mut Dice) -> Primitive {
    let corners = 3 * (3 + dice.below(30));
    let positions: Vec<_> = (0..corners).map(|_| point(dice, 2.0)).collect();
    let texcoords = positions.iter().map(|_| [dice.between(-1.0, 2.0), dice.between(-1.0, 2.0)]).collect();
    let tangents = Some(tangents(dice, positions.len()));
    Primitive {
        indices: (0..corners as u32).collect(),
        positions,
        flat: true,
        tangents,
        texcoords: vec![texcoords],
        ..Primitive::default()
    }
}

/// Directions of any kind, all of one handedness.
fn tangents(dice: &mut Dice, count: usize) -> Vec<[f32; 4]> {
    let handedness = if dice.chance(0.5) { 1.0 } else { -1.0 };
    let mut tangent = || {
        let [x, y, z] = glam::Vec3::from(point(dice, 1.0)).normalize_or(glam::Vec3::X).to_array();
        [x, y, z, handedness]
    };
    (0..count).map(|_| tangent()).collect()
}

fn scattered(dice: &mut Dice, topology: Topology) -> Primitive {
    let positions: Vec<_> = (0..16).map(|_| point(dice, 1.5)).collect();
    let colors = positions.iter().map(|_| std::array::from_fn(|_| dice.between(0.2, 1.0))).collect();
    Primitive { topology, indices: (0..16).collect(), positions, colors: Some(colors), ..Primitive::default() }
}

fn material(dice: &mut Dice) -> Material {
    let texture = TextureReference { texture: 0, texcoord: 0, transform: TextureTransform::default() };
    let alpha_mode = match dice.below(5) {
        0 => AlphaMode::Mask { cutoff: 0.5 },
        1 => AlphaMode::Blend,
        _ => AlphaMode::Opaque,
    };
    Material {
        base_color_factor: std::array::from_fn(|_| dice.between(0.3, 1.0)),
        base_color_texture: dice.chance(0.6).then_some(texture),
        metallic_factor: dice.between(0.0, 1.0),
        roughness_factor: dice.between(0.0, 1.0),
        metallic_roughness_texture: dice.chance(0.4).then_some(texture),
        normal_texture: dice.chance(0.6).then_some(texture),
        normal_scale: dice.between(-1.0, 1.0),
        occlusion_texture: dice.chance(0.4).then_some(texture),
        occlusion_strength: dice.between(0.0, 1.0),
        ior: dice.between(1.0, 2.0),
        emissive_factor: std::array::from_fn(|_| dice.between(0.0, 0.2)),
        emissive_texture: dice.chance(0.3).then_some(texture),
        alpha_mode,
        double_sided: dice.chance(0.5),
        unlit: dice.chance(0.3),
        ..Material::default()
    }
}

fn checks(dice: &mut Dice) -> Image {
    let (width, height) = (4 + dice.below(13) as u32, 4 + dice.below(13) as u32);
    let rgba = (0..width * height * 4).map(|_| dice.below(256) as u8).collect();
    Image { name: None, width, height, rgba, jpeg: None }
}

fn sampler(dice: &mut Dice) -> Sampler {
    let filter = |dice: &mut Dice| if dice.chance(0.7) { Filter::Linear } else { Filter::Nearest };
    let wrap = |dice: &mut Dice| [Wrap::Repeat, Wrap::ClampToEdge, Wrap::MirroredRepeat][dice.below(3)];
    Sampler {
        magnification: filter(dice),
        minification: filter(dice),
        mip: [None, Some(Filter::Nearest), Some(Filter::Linear), Some(Filter::Linear)][dice.below(4)],
        wrap_u: wrap(dice),
        wrap_v: wrap(dice),
    }
}
