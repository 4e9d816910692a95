//! The fragment stage behind a vertex program: COL0 × TEX0.

use crate::fragments::Fragment;
use refrast::{
    scene::{Image, Sampler},
    shading::{ColorSpace, Dot3, FixedFunctionShader, PreparedTexture},
};

#[test]
fn the_primary_color_is_multiplied_by_the_texture() {
    // Two linear texels, 0.2 and 1 (bytes 51 and 255); TEX0 looks at the centre of the first.
    let image = Image { name: None, width: 2, height: 1, rgba: vec![51, 51, 51, 51, 255, 255, 255, 255], jpeg: None };
    let sampler = Sampler { mip: None, ..Sampler::default() };
    let texture = PreparedTexture::new(&image, sampler, ColorSpace::Linear).expect("a complete image");
    // A row holds TEX0, then COL0.
    let fragment = Fragment::constant(&[0.25, 0.5, 7.0, 9.0, 1.0, 0.5, 0.25, 0.5]);

    let plain = FixedFunctionShader { color: 4, texture: None, dot3: None, blended: false };
    assert_eq!(fragment.shaded(&plain), ([1.0, 0.5, 0.25, 1.0], 0.5));
    let textured = FixedFunctionShader { color: 4, texture: Some((&texture, 0)), dot3: None, blended: true };
    let fifth = 51.0_f32 / 255.0;
    assert_eq!(fragment.shaded(&textured), ([fifth, 0.5 * fifth, 0.25 * fifth, 0.5 * fifth], 0.5 * fifth));
}

#[test]
fn combiners_light_by_the_normal_map() {
    let texture = |rgba: [u8; 4], space| {
        let image = Image { name: None, width: 1, height: 1, rgba: rgba.to_vec(), jpeg: None };
        PreparedTexture::new(&image, Sampler::default(), space).expect("a complete image")
    };
    // 0.2 as base colour; 1, 0.4 and 1 as normal: (1, -0.2, 1), which combiners do not shorten.
    let (base, map) = (texture([51; 4], ColorSpace::Linear), texture([255, 102, 255, 255], ColorSpace::Linear));
    // COL0, TEX0, COL1, TEX1 = 10·(0.6, 0, 0.8), TEX2 = (0, 0, 0.5).
    let row = |light: [f32; 3]| {
        let [x, y, z] = light;
        [[0.5, 0.25, 0.0, 0.5, 0.3, 0.3, 0.0, 1.0, 1.0, 0.5, 0.0, 1.0].as_slice(), &[x, y, z, 1.0, 0.0, 0.0, 0.5, 1.0]]
            .concat()
    };
    let dot3 = Dot3 { secondary: 8, light: 12, half: 16, map: Some((&map, 4)), scale: 0.5, ambient: [0.1; 3] };
    let shader = FixedFunctionShader { color: 0, texture: Some((&base, 4)), dot3: Some(dot3), blended: true };
    let close = |found: [f32; 4], expected: [f32; 4]| {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}, and not {expected:?}");
    };
    // N = (0.5, -0.1, 1): N·L = 0.3 + 0.8, saturated to 1; N·H = 1: 0.2·(COL0 + 0.1) + COL1.
    let (lit, alpha) = Fragment::constant(&row([6.0, 0.0, 8.0])).shaded(&shader);
    close(lit, [1.12, 0.57, 0.02, 0.1]);
    assert!((alpha - 0.1).abs() < 1e-7);
    // Light that grazes the surface: 8·0.1 of it is left, of a light at (0, 0.99499, 0.1) N·L = 0.000501.
    let (lit, _) = Fragment::constant(&row([0.0, 0.994_987_4, 0.1])).shaded(&shader);
    let left = 0.8 * (0.1 - 0.099_498_74);
    close(lit, [0.2 * (0.5 * left + 0.1) + 0.8, 0.2 * (0.25 * left + 0.1) + 0.4, 0.02, 0.1]);
    // From behind only ambient light is left, whatever the bumps say.
    let (lit, _) = Fragment::constant(&row([1.0, 0.0, -0.1])).shaded(&shader);
    close(lit, [0.02, 0.02, 0.02, 0.1]);
}
