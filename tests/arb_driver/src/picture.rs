//! [`picture`]: a whole scene on the driver, with an ARB vertex program as its vertex stage.
//!
//! Everything after the program's registers is OpenGL's own: the driver runs the program, clips, rasterises, samples the
//! textures, blends and encodes. The registers are those that `refrast render --skinning program:` fills.

use std::collections::{BTreeMap, btree_map::Entry};

use glow::HasContext;
use refrast::{
    golden::Picture,
    raster::{AlphaMode, Convention, CullMode, DrawState, FrontFace, PrimitiveTopology, SampleCount},
    render::{Renderer, program::ProgramDraw},
    scene::TextureReference,
    shading::{ColorSpace, ShadingMode, TextureSet},
};

use crate::{
    context::{Context, FRAGMENT_PROGRAM, VERTEX_PROGRAM},
    mistake::Mistake,
    texture,
};

/// Draws what `renderer` drew last, by a program that takes the same registers, rightly or with a mistake.
///
/// # Errors
///
/// When the driver refuses the program, or the renderer's settings are not for OpenGL.
pub fn picture(
    context: &Context,
    renderer: &Renderer<'_>,
    program: &str,
    mistake: Option<Mistake>,
) -> Result<Picture, String> {
    let settings = renderer.settings();
    if settings.convention != Convention::OpenGl || settings.samples != SampleCount::One {
        return Err("this backend draws in OpenGL's convention, with one sample a pixel".to_owned());
    }
    context.load(VERTEX_PROGRAM, &mistake.map_or(program.into(), |mistake| mistake.program(program)))?;
    let scene = renderer.scene();
    // Base colours, and normal maps.
    let prepared = TextureSet::new(scene, ShadingMode::ShadingNormals).map_err(|error| error.to_string())?;
    let mut textures = Textures { gl: &context.gl, prepared: &prepared, uploaded: BTreeMap::new() };
    let mut draws: Vec<ProgramDraw<'_>> = renderer.stage().program_draws().collect();
    // A stable sort: what is blended comes last, and all else stays in order.
    draws.sort_by_key(|draw| draw.state.alpha == AlphaMode::Blend);
    let target = Target::new(context, settings.width, settings.height)?;
    target.clear(settings.background);
    for draw in &draws {
        let material = &scene.materials[draw.primitive.material];
        let texture = textures.of(material.base_color_texture, ColorSpace::Srgb)?;
        let map = match draw.ambient {
            Some(_) => textures.of(material.normal_texture, ColorSpace::Linear)?,
            None => None,
        };
        let scale = map.is_some().then_some(material.normal_scale);
        let colors = match draw.ambient {
            Some(ambient) => combiners(texture.is_some(), scale, ambient),
            None => modulate(texture.is_some()),
        };
        let fragments = fragment_program(&colors, draw.state);
        let fragments = mistake.map_or(fragments.as_str().into(), |mistake| mistake.fragment_program(&fragments));
        context.load(FRAGMENT_PROGRAM, &fragments)?;
        set_state(context, draw.state);
        set_constants(context, &draws, draw, mistake);
        draw_elements(context, draw, [texture, map], mistake)?;
    }
    let picture = target.read()?;
    for texture in textures.uploaded.into_values() {
        // SAFETY: the context is current, and nothing is drawn with the texture any more.
        unsafe { context.gl.delete_texture(texture) };
    }
    Ok(picture)
}

/// The textures of a scene that the driver has.
struct Textures<'a> {
    gl: &'a glow::Context,
    prepared: &'a TextureSet,
    uploaded: BTreeMap<(usize, bool), glow::Texture>,
}

impl Textures<'_> {
    fn of(&mut self, reference: Option<TextureReference>, space: ColorSpace) -> Result<Option<glow::Texture>, String> {
        let Some(TextureReference { texture, .. }) = reference else { return Ok(None) };
        let is_color = space == ColorSpace::Srgb;
        let prepared = if is_color { self.prepared.color(texture) } else { self.prepared.data(texture) };
        let Some(prepared) = prepared else { return Ok(None) };
        let known = match self.uploaded.entry((texture, is_color)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => *place.insert(texture::upload(self.gl, prepared, space)?),
        };
        Ok(Some(known))
    }
}

/// COL0 × TEX0.
fn modulate(textured: bool) -> String {
    let texel = if textured { "TEX color, fragment.texcoord[0], texture[0], 2D;\n" } else { "MOV color, 1.0;\n" };
    format!("{texel}MUL color, color, fragment.color;\n")
}

/// Section 11 of the shading model: light by the normal map with this scale.
fn combiners(textured: bool, map: Option<f32>, [red, green, blue]: [f32; 3]) -> String {
    let normal = match map {
        Some(scale) => format!(
            "TEX normal, fragment.texcoord[0], texture[1], 2D;\nMAD normal, normal, 2.0, -1.0;\n\
             MUL normal.xy, normal, {scale:?};\n"
        ),
        None => "MOV normal, {0.0, 0.0, 1.0, 0.0};\n".to_owned(),
    };
    let texel = if textured { "TEX color, fragment.texcoord[0], texture[0], 2D;\n" } else { "MOV color, 1.0;\n" };
    let unit = |vector: &str, unit: usize| {
        format!(
            "MOV {vector}, fragment.texcoord[{unit}];\nDP3 {vector}.w, {vector}, {vector};\nRSQ {vector}.w, {vector}.w;\n\
             MUL {vector}.xyz, {vector}, {vector}.w;\n"
        )
    };
    let (light, half) = (unit("light", 1), unit("half", 2));
    format!(
        "TEMP normal, light, half, part;\n{normal}{light}{half}MUL_SAT part.z, light.z, 8.0;\n\
         DP3_SAT part.x, normal, light;\nMUL part.x, part.x, part.z;\n\
         DP3_SAT part.y, normal, half;\nMUL part.y, part.y, part.y;\nMUL part.y, part.y, part.y;\n\
         MUL part.y, part.y, part.y;\nMUL part.y, part.y, part.y;\nMUL part.y, part.y, part.z;\n\
         {texel}MUL light.xyz, fragment.color, part.x;\nADD light.xyz, light, {{{red:?}, {green:?}, {blue:?}, 0.0}};\n\
         MUL color.xyz, color, light;\nMAD color.xyz, fragment.color.secondary, part.y, color;\n\
         MUL color.w, color.w, fragment.color.w;\n"
    )
}

/// A fragment stage: alpha is opacity where it is blended, and 1 elsewhere.
fn fragment_program(color: &str, state: DrawState) -> String {
    let alpha = match state.alpha {
        AlphaMode::Blend => String::new(),
        AlphaMode::Opaque => "MOV color.a, 1.0;\n".to_owned(),
        // Kept where alpha is at least the cutoff.
        AlphaMode::Mask { cutoff } => format!("SUB color.a, color.a, {cutoff:?};\nKIL color.a;\nMOV color.a, 1.0;\n"),
    };
    format!("!!ARBfp1.0\nTEMP color;\n{color}{alpha}MOV result.color, color;\nEND\n")
}

fn set_state(context: &Context, state: DrawState) {
    let gl = &context.gl;
    // SAFETY: the context is current.
    unsafe {
        gl.enable(glow::DEPTH_TEST);
        gl.depth_func(glow::LESS);
        gl.depth_mask(state.depth_write);
        match state.cull {
            CullMode::None => gl.disable(glow::CULL_FACE),
            CullMode::Back => {
                gl.enable(glow::CULL_FACE);
                gl.cull_face(glow::BACK);
            }
            CullMode::Front => {
                gl.enable(glow::CULL_FACE);
                gl.cull_face(glow::FRONT);
            }
        }
        gl.front_face(match state.front_face {
            FrontFace::CounterClockwise => glow::CCW,
            FrontFace::Clockwise => glow::CW,
        });
        if state.alpha == AlphaMode::Blend {
            gl.enable(glow::BLEND);
            let (source, rest) = (glow::SRC_ALPHA, glow::ONE_MINUS_SRC_ALPHA);
            gl.blend_func_separate(source, rest, glow::ONE, rest);
        } else {
            gl.disable(glow::BLEND);
        }
    }
}

/// Sets the constants of a draw.
fn set_constants(context: &Context, draws: &[ProgramDraw<'_>], draw: &ProgramDraw<'_>, mistake: Option<Mistake>) {
    let holder = mistake.map_or(draw, |mistake| mistake.constants_of(draws, draw));
    for (index, value) in (0..).zip(holder.constants) {
        context.set_environment(index, value);
    }
    if let Some(mistake) = mistake {
        mistake.set_beyond(context, holder);
    }
}

/// Sets the attributes of a draw and draws its faces.
fn draw_elements(
    context: &Context,
    draw: &ProgramDraw<'_>,
    textures: [Option<glow::Texture>; 2],
    mistake: Option<Mistake>,
) -> Result<(), String> {
    let gl = &context.gl;
    // SAFETY: the context is current; the indices are those of rows that every array has, and each buffer is as long as its
    // data.
    unsafe {
        for (unit, texture) in [glow::TEXTURE0, glow::TEXTURE1].into_iter().zip(textures).rev() {
            gl.active_texture(unit);
            gl.bind_texture(glow::TEXTURE_2D, texture);
        }
        let mut buffers = Vec::new();
        for &(register, rows) in &draw.attributes {
            let buffer = gl.create_buffer()?;
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
            let right = || rows.as_flattened().iter().flat_map(|value| value.to_ne_bytes()).collect();
            let (bytes, halves): (Vec<u8>, bool) =
                mistake.and_then(|mistake| mistake.upload(register, rows)).unwrap_or_else(|| (right(), false));
            gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, &bytes, glow::STATIC_DRAW);
            gl.enable_vertex_attrib_array(u32::from(register));
            let (kind, stride) = if halves { (glow::HALF_FLOAT, 8) } else { (glow::FLOAT, 16) };
            gl.vertex_attrib_pointer_f32(u32::from(register), 4, kind, false, stride, 0);
            buffers.push(buffer);
        }
        let faces = gl.create_buffer()?;
        gl.bind_buffer(glow::ELEMENT_ARRAY_BUFFER, Some(faces));
        let bytes: Vec<u8> = draw.indices.iter().flat_map(|index| index.to_ne_bytes()).collect();
        gl.buffer_data_u8_slice(glow::ELEMENT_ARRAY_BUFFER, &bytes, glow::STATIC_DRAW);
        let mode = match draw.topology {
            PrimitiveTopology::Points => glow::POINTS,
            PrimitiveTopology::Lines => glow::LINES,
            PrimitiveTopology::Triangles => glow::TRIANGLES,
        };
        gl.draw_elements(mode, draw.indices.len() as i32, glow::UNSIGNED_INT, 0);
        for &(register, _) in &draw.attributes {
            gl.disable_vertex_attrib_array(u32::from(register));
        }
        buffers.push(faces);
        buffers.into_iter().for_each(|buffer| gl.delete_buffer(buffer));
    }
    Ok(())
}

/// An sRGB picture with depth.
struct Target<'a> {
    context: &'a Context,
    size: [u32; 2],
    framebuffer: glow::Framebuffer,
    attachments: [glow::Renderbuffer; 2],
}

impl<'a> Target<'a> {
    fn new(context: &'a Context, width: u32, height: u32) -> Result<Self, String> {
        let gl = &context.gl;
        // SAFETY: the context is current.
        let (framebuffer, attachments, status) = unsafe {
            let framebuffer = gl.create_framebuffer()?;
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            let attach = |format: u32, place: u32| -> Result<glow::Renderbuffer, String> {
                let buffer = gl.create_renderbuffer()?;
                gl.bind_renderbuffer(glow::RENDERBUFFER, Some(buffer));
                gl.renderbuffer_storage(glow::RENDERBUFFER, format, width as i32, height as i32);
                gl.framebuffer_renderbuffer(glow::FRAMEBUFFER, place, glow::RENDERBUFFER, Some(buffer));
                Ok(buffer)
            };
            let attachments = [
                attach(glow::SRGB8_ALPHA8, glow::COLOR_ATTACHMENT0)?,
                attach(glow::DEPTH_COMPONENT32F, glow::DEPTH_ATTACHMENT)?,
            ];
            (framebuffer, attachments, gl.check_framebuffer_status(glow::FRAMEBUFFER))
        };
        if status != glow::FRAMEBUFFER_COMPLETE {
            return Err(format!("the driver has no sRGB target with 32 bits of depth (status {status:#x})"));
        }
        Ok(Self { context, size: [width, height], framebuffer, attachments })
    }

    /// The background, infinitely far away. From here on what is written is encoded.
    fn clear(&self, background: [u8; 3]) {
        let [width, height] = self.size.map(|side| side as i32);
        let [red, green, blue] = background;
        let [red, green, blue, alpha] = ColorSpace::Srgb.decode([red, green, blue, u8::MAX]);
        let gl = &self.context.gl;
        // SAFETY: the context is current.
        unsafe {
            gl.viewport(0, 0, width, height);
            gl.enable(glow::FRAMEBUFFER_SRGB);
            gl.depth_mask(true);
            gl.clear_color(red, green, blue, alpha);
            gl.clear_depth(1.0);
            gl.clear(glow::COLOR_BUFFER_BIT | glow::DEPTH_BUFFER_BIT);
        }
    }

    /// The bytes, rows from the top.
    fn read(&self) -> Result<Picture, String> {
        let [width, height] = self.size;
        let row = 4 * width as usize;
        let mut pixels = vec![0; row * height as usize];
        let gl = &self.context.gl;
        // SAFETY: the context is current, and the memory holds the picture.
        let error = unsafe {
            let target = glow::PixelPackData::Slice(Some(&mut pixels));
            gl.read_pixels(0, 0, width as i32, height as i32, glow::RGBA, glow::UNSIGNED_BYTE, target);
            gl.get_error()
        };
        if error != glow::NO_ERROR {
            return Err(format!("OpenGL error {error:#x}"));
        }
        let rows: Vec<u8> = pixels.chunks(row).rev().flatten().copied().collect();
        Picture::from_rgba8(width, height, rows).map_err(|error| error.to_string())
    }
}

impl Drop for Target<'_> {
    fn drop(&mut self) {
        let gl = &self.context.gl;
        // SAFETY: the context is current, and these are its own objects.
        unsafe {
            gl.disable(glow::FRAMEBUFFER_SRGB);
            gl.delete_framebuffer(self.framebuffer);
            self.attachments.into_iter().for_each(|buffer| gl.delete_renderbuffer(buffer));
        }
    }
}
