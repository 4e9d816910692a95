//! The fragment stage behind a vertex program: COL0 × TEX0.

use crate::fragments::Fragment;
use refrast::{
    scene::{Image, Sampler},
    shading::{ColorSpace, FixedFunctionShader, PreparedTexture},
};

#[test]
fn the_primary_color_is_multiplied_by_the_texture() {
    // Two linear texels, 0.2 and 1 (bytes 51 and 255); TEX0 looks at the centre of the first.
    let image = Image { name: None, width: 2, height: 1, rgba: vec![51, 51, 51, 51, 255, 255, 255, 255], jpeg: None };
    let sampler = Sampler { mip: None, ..Sampler::default() };
    let texture = PreparedTexture::new(&image, sampler, ColorSpace::Linear).expect("a complete image");
    // A row holds TEX0, then COL0.
    let fragment = Fragment::constant(&[0.25, 0.5, 7.0, 9.0, 1.0, 0.5, 0.25, 0.5]);

    let plain = FixedFunctionShader { color: 4, texture: None, blended: false };
    assert_eq!(fragment.shaded(&plain), ([1.0, 0.5, 0.25, 1.0], 0.5));
    let textured = FixedFunctionShader { color: 4, texture: Some((&texture, 0)), blended: true };
    let fifth = 51.0_f32 / 255.0;
    assert_eq!(fragment.shaded(&textured), ([fifth, 0.5 * fifth, 0.25 * fifth, 0.5 * fifth], 0.5 * fifth));
}
