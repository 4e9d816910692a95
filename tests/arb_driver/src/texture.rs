//! Textures on the driver: the levels that the reference samples, and its filters.

use glow::HasContext;
use refrast::{
    scene::{Filter, Wrap},
    shading::{ColorSpace, PreparedTexture},
};

/// Makes a texture of the bytes that the reference samples.
pub(crate) fn upload(
    gl: &glow::Context,
    prepared: &PreparedTexture,
    space: ColorSpace,
) -> Result<glow::Texture, String> {
    let format = match space {
        ColorSpace::Srgb => glow::SRGB8_ALPHA8,
        ColorSpace::Linear => glow::RGBA8,
    };
    let sampler = prepared.sampler();
    let minification = match (sampler.minification, sampler.mip) {
        (Filter::Nearest, None) => glow::NEAREST,
        (Filter::Linear, None) => glow::LINEAR,
        (Filter::Nearest, Some(Filter::Nearest)) => glow::NEAREST_MIPMAP_NEAREST,
        (Filter::Linear, Some(Filter::Nearest)) => glow::LINEAR_MIPMAP_NEAREST,
        (Filter::Nearest, Some(Filter::Linear)) => glow::NEAREST_MIPMAP_LINEAR,
        (Filter::Linear, Some(Filter::Linear)) => glow::LINEAR_MIPMAP_LINEAR,
    };
    let magnification = match sampler.magnification {
        Filter::Nearest => glow::NEAREST,
        Filter::Linear => glow::LINEAR,
    };
    let levels = prepared.level_count();
    let parameters = [
        (glow::TEXTURE_MIN_FILTER, minification),
        (glow::TEXTURE_MAG_FILTER, magnification),
        (glow::TEXTURE_WRAP_S, wrap(sampler.wrap_u)),
        (glow::TEXTURE_WRAP_T, wrap(sampler.wrap_v)),
        (glow::TEXTURE_MAX_LEVEL, levels.saturating_sub(1) as u32),
    ];
    // SAFETY: the context is current; a level's bytes are four for each of its texels.
    unsafe {
        let texture = gl.create_texture()?;
        gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        gl.pixel_store_i32(glow::UNPACK_ALIGNMENT, 4);
        for (name, value) in parameters {
            gl.tex_parameter_i32(glow::TEXTURE_2D, name, value as i32);
        }
        for level in 0..levels {
            let (Some([width, height]), Some(bytes)) = (prepared.level_size(level), prepared.level_bytes(level)) else {
                continue;
            };
            gl.tex_image_2d(
                glow::TEXTURE_2D,
                level as i32,
                format as i32,
                width as i32,
                height as i32,
                0,
                glow::RGBA,
                glow::UNSIGNED_BYTE,
                glow::PixelUnpackData::Slice(Some(bytes)),
            );
        }
        Ok(texture)
    }
}

fn wrap(wrap: Wrap) -> u32 {
    match wrap {
        Wrap::Repeat => glow::REPEAT,
        Wrap::MirroredRepeat => glow::MIRRORED_REPEAT,
        Wrap::ClampToEdge => glow::CLAMP_TO_EDGE,
    }
}
