//! The traps of shading and materials: mistakes that shipped renderers made, one test each, with values worked out
//! from the specifications.

use std::f32::consts::FRAC_PI_2;

use crate::fragments::Fragment;
use glam::Mat4;
use refrast::{
    scene::{AlphaMode, Filter, Image, Material, Sampler, Scene, Texture, TextureReference, TextureTransform, Wrap},
    shading::{
        ColorSpace, Lighting, MaterialShader, ShadingMode, TextureSet, VaryingBlock, VaryingLayout, VertexAttributes,
    },
};

const ATTRIBUTES: VertexAttributes =
    VertexAttributes { normals: true, tangents: false, colors: true, occlusion: false, influences: false };
const NEAREST: Sampler = Sampler {
    magnification: Filter::Nearest,
    minification: Filter::Nearest,
    mip: None,
    wrap_u: Wrap::Repeat,
    wrap_v: Wrap::Repeat,
};

/// The standard's decoding of a byte, in f64.
fn light(byte: u8) -> f64 {
    let stored = f64::from(byte) / 255.0;
    if stored <= 0.04045 { stored / 12.92 } else { libm::pow((stored + 0.055) / 1.055, 2.4) }
}

fn assert_near(actual: f32, expected: f64) {
    assert!((f64::from(actual) - expected).abs() < 2e-7, "{actual} is not {expected}");
}

/// A surface and one look at it.
struct Look {
    material: Material,
    mode: ShadingMode,
    texture: (u32, u32, Vec<u8>),
    sampler: Sampler,
    normal: [f32; 3],
    texcoord: [f32; 2],
    /// Change of u for one pixel to the right.
    du_dx: f32,
    color: [f32; 4],
    front: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            material: Material::default(),
            mode: ShadingMode::Unlit,
            texture: (1, 1, vec![255; 4]),
            sampler: Sampler::default(),
            normal: [0.0, 0.0, 1.0],
            texcoord: [0.0; 2],
            du_dx: 0.0,
            color: [1.0; 4],
            front: true,
        }
    }
}

impl Look {
    /// With a texture of these pixels as the base colour.
    fn textured(width: u32, height: u32, pixels: &[[u8; 4]]) -> Self {
        let reference = TextureReference { texture: 0, texcoord: 0, transform: TextureTransform::default() };
        Self {
            material: Material { base_color_texture: Some(reference), ..Material::default() },
            texture: (width, height, pixels.concat()),
            ..Self::default()
        }
    }

    /// Linear RGBA and the alpha that is compared with a cutoff.
    fn result(&self) -> ([f32; 4], f32) {
        let (width, height, rgba) = self.texture.clone();
        let scene = Scene {
            materials: vec![self.material.clone()],
            textures: vec![Texture { image: 0, sampler: self.sampler }],
            images: vec![Image { name: None, width, height, rgba, jpeg: None }],
            ..Scene::default()
        };
        let textures = TextureSet::new(&scene, self.mode).expect("a complete image");
        let lighting = Lighting::headlight(Mat4::IDENTITY);
        let layout = VaryingLayout::new(&self.material, ATTRIBUTES, self.mode, &lighting);
        let shader = MaterialShader::new(&self.material, &layout, &textures, &lighting, self.mode, [0.0, 1.0]);

        let row = |u: f32| -> Vec<f32> {
            let [x, y, z] = self.normal;
            let block = |block: &VaryingBlock| match block {
                VaryingBlock::Normal => [x, y, z, 0.0],
                VaryingBlock::Texcoords(_) => [u, self.texcoord[1], 0.0, 0.0],
                VaryingBlock::Color => self.color,
                VaryingBlock::Position => [0.0, 0.0, -2.0, 0.0],
                other => panic!("no test asks for {other:?}"),
            };
            layout.blocks().iter().flat_map(block).collect()
        };
        // Vertex 1 lies one texture further along u; the fragment lies at vertex 0.
        let [u, _] = self.texcoord;
        let mut fragment = Fragment::constant(&row(u));
        fragment.rows[1] = row(u + 1.0);
        fragment.barycentrics = [0.0, 0.0];
        fragment.dx = [self.du_dx, 0.0];
        fragment.front = self.front;
        fragment.shaded(&shader)
    }

    fn red(&self) -> f32 {
        self.result().0[0]
    }
}

/// A 4×4 image whose texel in column x and row y has the red value 16·x + y.
fn numbered() -> Look {
    let pixels: Vec<[u8; 4]> = (0..16).map(|index| [16 * (index % 4) + index / 4, 0, 0, 255]).collect();
    Look { sampler: NEAREST, ..Look::textured(4, 4, &pixels) }
}

/// Column and row of the texel of [`numbered`] that a look shows.
fn texel_seen(look: &Look) -> (u8, u8) {
    let [byte, ..] = ColorSpace::Srgb.encode(look.result().0);
    (byte / 16, byte % 16)
}

#[test]
fn base_color_linear() {
    // The texture's byte is sRGB: 188 is half the light (0.5029), and not 188/255 = 0.737 of it.
    assert_near(Look::textured(1, 1, &[[188, 10, 255, 255]]).red(), light(188));
    let ([_, green, blue, _], _) = Look::textured(1, 1, &[[188, 10, 255, 255]]).result();
    assert_near(green, light(10));
    assert_eq!(blue, 1.0);
}

#[test]
fn factor_srgb() {
    // The factor is linear: 0.5 is half the light.
    let material = Material { base_color_factor: [0.5, 0.25, 0.0, 1.0], ..Material::default() };
    let ([red, green, blue, _], _) = Look { material, ..Look::default() }.result();
    assert_eq!([red, green, blue], [0.5, 0.25, 0.0]);
}

#[test]
fn texture_transform_order() {
    // (0.1, 0.3) is scaled to (0.2, 0.3), turned by 90° to (0.3, −0.2), moved to (0.8, 0.05): column 3, row 0.
    // Turned before it is scaled it would be (1.1, 0.15): column 0.
    let mut look = numbered();
    let reference = look.material.base_color_texture.as_mut().expect("a texture");
    reference.transform = TextureTransform { offset: [0.5, 0.25], rotation: FRAC_PI_2, scale: [2.0, 1.0] };
    look.texcoord = [0.1, 0.3];
    assert_eq!(texel_seen(&look), (3, 0));
}

#[test]
fn texture_transform_rotation() {
    // The extension's example: offset (0, 1), a quarter turn and half the size show the lower left quadrant. Its upper
    // left corner (0.1, 0.1) looks at (0.05, 0.95), its upper right (0.9, 0.1) at (0.05, 0.55).
    let mut look = numbered();
    let reference = look.material.base_color_texture.as_mut().expect("a texture");
    reference.transform = TextureTransform { offset: [0.0, 1.0], rotation: FRAC_PI_2, scale: [0.5, 0.5] };
    for (texcoord, texel) in [([0.1, 0.1], (0, 3)), ([0.9, 0.1], (0, 2)), ([0.1, 0.9], (1, 3)), ([0.9, 0.9], (1, 2))] {
        look.texcoord = texcoord;
        assert_eq!(texel_seen(&look), texel, "{texcoord:?}");
    }
}

#[test]
fn wrap_default_clamp() {
    // u = 1.125 is the first texel's centre once more; clamped it would be the last one's colour.
    let pixels = [[10, 0, 0, 255], [20, 0, 0, 255], [30, 0, 0, 255], [40, 0, 0, 255]];
    let mut look = Look::textured(4, 1, &pixels);
    look.sampler = Sampler { mip: None, ..Sampler::default() };
    look.texcoord = [1.125, 0.5];
    assert_near(look.red(), light(10));
    look.texcoord = [-0.125, 7.5];
    assert_near(look.red(), light(40));
}

#[test]
fn vertex_color_ignored() {
    // 0.5 (factor) · light(188) · 0.25 (vertex), all linear.
    let mut look = Look::textured(1, 1, &[[188, 188, 188, 255]]);
    look.material.base_color_factor = [0.5, 0.5, 0.5, 1.0];
    look.color = [0.25, 1.0, 0.5, 1.0];
    let ([red, green, blue, _], _) = look.result();
    assert_near(red, 0.5 * light(188) * 0.25);
    assert_near(green, 0.5 * light(188));
    assert_near(blue, 0.5 * light(188) * 0.5);
}

/// Four columns black, white, white, white; level 1 is half (byte 188) and white, level 2 three quarters (byte 225).
fn stepped() -> Look {
    let pixels = [[0, 0, 0, 255], [255; 4], [255; 4], [255; 4]];
    let mut look = Look::textured(4, 1, &pixels);
    look.sampler.wrap_u = Wrap::ClampToEdge;
    look.texcoord = [0.125, 0.5];
    look
}

#[test]
fn mip_bias() {
    // Two texels a pixel are λ = 1, exactly level 1; four are λ = 2; 2.828 are λ = 1.5, the mean of both.
    let mut look = stepped();
    look.du_dx = 0.5;
    assert_near(look.red(), light(188));
    look.du_dx = 1.0;
    assert_near(look.red(), light(225));
    look.du_dx = std::f32::consts::FRAC_1_SQRT_2;
    assert_near(look.red(), (light(188) + light(225)) / 2.0);
    // The same with the nearest level: λ = 1.5 − ε and 1.5 + ε part the levels.
    look.sampler.mip = Some(Filter::Nearest);
    look.du_dx = 0.70;
    assert_near(look.red(), light(188));
    look.du_dx = 0.71;
    assert_near(look.red(), light(225));
}

#[test]
fn mip_none() {
    // With mip levels the minified step is grey; without, level 0 is sampled whatever the scale.
    let mut look = stepped();
    look.du_dx = 0.5;
    assert!(look.red() > 0.4);
    look.sampler.mip = None;
    assert_eq!(look.red(), 0.0);
}

#[test]
fn filter_nearest() {
    // A quarter of the way from the black texel's centre to the white one's.
    let mut look = stepped();
    look.texcoord = [0.125 + 0.0625, 0.5];
    assert_eq!(look.red(), 0.25);
    look.sampler.magnification = Filter::Nearest;
    assert_eq!(look.red(), 0.0);
    // Minified, the other filter counts.
    look.sampler.mip = None;
    look.du_dx = 0.5;
    assert_eq!(look.red(), 0.25);
    look.sampler = Sampler { magnification: Filter::Linear, minification: Filter::Nearest, ..look.sampler };
    assert_eq!(look.red(), 0.0);
}

#[test]
fn mask_ignores_factor() {
    // 0.8 (texture, byte 204, linear) · 0.5 (factor) · 0.5 (vertex) = 0.2; what is drawn is opaque.
    let mut look = Look::textured(1, 1, &[[255, 255, 255, 204]]);
    look.material.alpha_mode = AlphaMode::Mask { cutoff: 0.5 };
    look.material.base_color_factor[3] = 0.5;
    look.color[3] = 0.5;
    for mode in ShadingMode::ALL {
        look.mode = mode;
        let (color, alpha) = look.result();
        assert_near(alpha, 0.2);
        assert_eq!(color[3], 1.0, "{mode}");
    }
}

#[test]
fn opaque_uses_alpha() {
    let mut look = Look::textured(1, 1, &[[255, 255, 255, 51]]);
    look.material.base_color_factor[3] = 0.5;
    assert_eq!(look.result().0, [1.0; 4]);
    look.material.alpha_mode = AlphaMode::Blend;
    let ([red, _, _, alpha], _) = look.result();
    assert_eq!(red, 1.0, "alpha is not multiplied into the colour");
    assert_near(alpha, 0.1);
}

#[test]
fn double_sided_normal() {
    // The headlight's direction is (0.35, 0.5, 1)/√1.3725; a surface that faces the camera is lit by 0.75·N·L + 0.25.
    let lit = 0.75 / 1.3725_f64.sqrt() + 0.25;
    let mut look = Look { mode: ShadingMode::Lambert, ..Look::default() };
    assert_near(look.red(), lit);
    // The back of the same surface: its normal points away from the camera, and is turned round only where both sides
    // are to be seen.
    look.normal = [0.0, 0.0, -1.0];
    look.front = false;
    assert_near(look.red(), 0.25);
    look.material.double_sided = true;
    assert_near(look.red(), lit);
    look.front = true;
    assert_near(look.red(), 0.25);
}

#[test]
fn srgb_encode_missing_and_srgb_encode_twice() {
    // Half the light is stored as 188; as 128 where encoding is missing, as 223 where it happens twice.
    let material = Material { base_color_factor: [0.5, 0.5, 0.5, 1.0], ..Material::default() };
    let look = Look { material, ..Look::default() };
    assert_eq!(look.mode.color_space().encode(look.result().0), [188, 188, 188, 255]);
    // Numbers are not light: a normal (0, 0, 1) is stored as (127.5, 127.5, 255), ties to even.
    let look = Look { mode: ShadingMode::Normals, ..Look::default() };
    assert_eq!(look.mode.color_space().encode(look.result().0), [128, 128, 255, 255]);
}
