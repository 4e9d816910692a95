//! [`Probe`]: run a program on the driver over many vertices and read every result back.
//!
//! Transform feedback refuses ARB programs. So each vertex is a point on a pixel of its own, and a fragment program hands
//! eight texture coordinates through to eight float targets. What the program under test writes elsewhere is moved to
//! texture coordinates first, so that neither clipping nor the clamp of colours touches it.

use glow::HasContext;
use refrast::vertex_program::{
    ATTRIBUTES, Attributes, ConstantFile, Destination, DestinationRegister, Dialect, Instruction, Mask, Opcode, Output,
    Program, Source, SourceRegister, format,
};

use crate::context::{Context, FRAGMENT_PROGRAM, VERTEX_PROGRAM};

/// Pixels along a side of the targets: `SIDE²` vertices are run.
pub const SIDE: usize = 128;

/// The results that are read back, in the order of the targets.
pub const PROBED: [Output; TARGETS] = [
    Output::Texture(0),
    Output::Texture(1),
    Output::Texture(2),
    Output::Texture(3),
    Output::Texture(4),
    Output::Texture(5),
    Output::FrontPrimary,
    Output::Position,
];

const TARGETS: usize = 8;

/// What came back: for each vertex the results of [`PROBED`].
pub struct Probe {
    /// The results, vertex by vertex.
    pub results: Vec<[[f32; 4]; TARGETS]>,
    /// The text that ran on the driver.
    pub text: String,
}

/// Runs a program of OpenGL on the driver over `SIDE²` vertices.
///
/// # Errors
///
/// When it is no program of OpenGL, has no attribute left for the place of the pixel, or the driver refuses it.
pub fn probe(
    context: &Context,
    program: &Program,
    constants: &ConstantFile,
    vertices: &[Attributes],
) -> Result<Probe, String> {
    let is_gl = matches!(program.dialect, Dialect::Arb10 | Dialect::Vp10 | Dialect::Vp11);
    if !is_gl || vertices.len() != SIDE * SIDE {
        return Err(format!("the probe takes programs of OpenGL and {} vertices", SIDE * SIDE));
    }
    let usage = program.usage();
    let pixel = (0..ATTRIBUTES as u8).rev().find(|&index| usage.attributes[usize::from(index)] == Mask::NONE);
    let pixel = pixel.ok_or("the program reads all sixteen attributes")?;
    let text = format(&redirected(program, pixel));
    context.load(VERTEX_PROGRAM, &text)?;
    context.load(FRAGMENT_PROGRAM, &pass_through())?;
    for (index, value) in constants.iter().enumerate() {
        context.set_environment(index as u32, value);
    }
    let mut data: Vec<f32> = Vec::with_capacity(vertices.len() * ATTRIBUTES * 4);
    for (vertex, attributes) in vertices.iter().enumerate() {
        let mut attributes = *attributes;
        let place = |index: usize| (2 * index + 1) as f32 / SIDE as f32 - 1.0;
        attributes[usize::from(pixel)] = [place(vertex % SIDE), place(vertex / SIDE), 0.0, 1.0];
        data.extend(attributes.as_flattened());
    }
    let planes = draw(context, &data)?;
    let results = (0..vertices.len())
        .map(|vertex| std::array::from_fn(|target| std::array::from_fn(|c| planes[target][4 * vertex + c])));
    Ok(Probe { results: results.collect(), text })
}

/// The program with its position and primary colour written to texture coordinates, and the position from attribute
/// `pixel`.
fn redirected(program: &Program, pixel: u8) -> Program {
    let mut program = program.clone();
    for instruction in &mut program.instructions {
        if let DestinationRegister::Output(output) = &mut instruction.destination.register {
            *output = match *output {
                Output::Position => Output::Texture(7),
                Output::FrontPrimary => Output::Texture(6),
                other => other,
            };
        }
    }
    let register = DestinationRegister::Output(Output::Position);
    let source = Source::plain(SourceRegister::Attribute(pixel));
    program.instructions.push(Instruction::new(Opcode::Mov, Destination { register, mask: Mask::XYZW }, &[source]));
    // Conventional names and numbers of the same attribute can not be mixed.
    program.conventional_attributes = 0;
    program
}

fn pass_through() -> String {
    let moves = (0..TARGETS).map(|target| format!("MOV result.color[{target}], fragment.texcoord[{target}];\n"));
    format!("!!ARBfp1.0\nOPTION ARB_draw_buffers;\n{}END\n", moves.collect::<String>())
}

/// Draws the vertices, `ATTRIBUTES` vectors each, and reads the targets.
fn draw(context: &Context, data: &[f32]) -> Result<Vec<Vec<f32>>, String> {
    let gl = &context.gl;
    let size = SIDE as i32;
    // SAFETY: the context is current; every size below is that of the memory handed over.
    unsafe {
        let framebuffer = gl.create_framebuffer()?;
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
        let mut textures = Vec::new();
        let attachments: Vec<u32> = (0..TARGETS as u32).map(|target| glow::COLOR_ATTACHMENT0 + target).collect();
        for &attachment in &attachments {
            let texture = gl.create_texture()?;
            gl.bind_texture(glow::TEXTURE_2D, Some(texture));
            gl.tex_image_2d(
                glow::TEXTURE_2D,
                0,
                glow::RGBA32F as i32,
                size,
                size,
                0,
                glow::RGBA,
                glow::FLOAT,
                glow::PixelUnpackData::Slice(None),
            );
            gl.framebuffer_texture_2d(glow::FRAMEBUFFER, attachment, glow::TEXTURE_2D, Some(texture), 0);
            textures.push(texture);
        }
        let status = gl.check_framebuffer_status(glow::FRAMEBUFFER);
        if status != glow::FRAMEBUFFER_COMPLETE {
            return Err(format!("the driver has no eight float targets (status {status:#x})"));
        }
        gl.draw_buffers(&attachments);
        gl.viewport(0, 0, size, size);
        gl.clear_color(f32::NAN, f32::NAN, f32::NAN, f32::NAN);
        gl.clear(glow::COLOR_BUFFER_BIT);
        let buffer = gl.create_buffer()?;
        gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
        let bytes: Vec<u8> = data.iter().flat_map(|value| value.to_ne_bytes()).collect();
        gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, &bytes, glow::STATIC_DRAW);
        let stride = (ATTRIBUTES * 16) as i32;
        for index in 0..ATTRIBUTES as u32 {
            gl.enable_vertex_attrib_array(index);
            gl.vertex_attrib_pointer_f32(index, 4, glow::FLOAT, false, stride, 16 * index as i32);
        }
        gl.draw_arrays(glow::POINTS, 0, size * size);
        let mut planes = Vec::new();
        for &attachment in &attachments {
            let mut pixels = vec![0_u8; SIDE * SIDE * 16];
            gl.read_buffer(attachment);
            let target = glow::PixelPackData::Slice(Some(&mut pixels));
            gl.read_pixels(0, 0, size, size, glow::RGBA, glow::FLOAT, target);
            let (values, _) = pixels.as_chunks::<4>();
            planes.push(values.iter().map(|&bytes| f32::from_ne_bytes(bytes)).collect());
        }
        let error = gl.get_error();
        gl.delete_buffer(buffer);
        gl.delete_framebuffer(framebuffer);
        textures.into_iter().for_each(|texture| gl.delete_texture(texture));
        if error == glow::NO_ERROR { Ok(planes) } else { Err(format!("OpenGL error {error:#x}")) }
    }
}
