//! [`InterfacePainter`]: egui's meshes → a layer of pixels.

use std::collections::HashMap;

use egui::{ClippedPrimitive, TextureId, TexturesDelta, epaint::Primitive};

use super::shader::{COLOR, InterfaceShader, Layer, STRIDE, TEXCOORD};
use super::texture::{InterfaceTexture, update};
use crate::{
    raster::{
        AlphaMode, Convention, DepthTest, Draw, DrawState, PrimitiveTopology, RasterError, RasterSettings, Rasteriser,
        SampleCount, Target, VertexStream,
    },
    simd::SimdLevel,
};

/// Paints egui's meshes, and keeps the layer and all buffers.
#[derive(Debug, Default)]
pub(in crate::window) struct InterfacePainter {
    rasteriser: Rasteriser,
    textures: HashMap<TextureId, InterfaceTexture>,
    stream: VertexStream,
    indices: Vec<u32>,
    layer: Target<[u8; 4]>,
}

impl InterfacePainter {
    /// Takes over what egui says of its textures.
    pub(in crate::window) fn set_textures(&mut self, delta: &TexturesDelta) {
        update(&mut self.textures, delta);
    }

    /// Forgets the textures that egui no longer draws with.
    pub(in crate::window) fn free_textures(&mut self, delta: &TexturesDelta) {
        for id in &delta.free {
            self.textures.remove(id);
        }
    }

    /// Paints a frame of egui's on an empty layer.
    ///
    /// # Errors
    ///
    /// When the window is larger than the rasteriser's pictures.
    pub(in crate::window) fn paint(
        &mut self,
        meshes: &[ClippedPrimitive],
        pixels_per_point: f32,
        [width, height]: [u32; 2],
        simd: SimdLevel,
    ) -> Result<(), RasterError> {
        let Self { rasteriser, textures, stream, indices, layer } = self;
        let vertices = meshes.iter().map(|mesh| match &mesh.primitive {
            Primitive::Mesh(mesh) => mesh.vertices.len(),
            Primitive::Callback(_) => 0,
        });
        stream.resize(vertices.sum(), STRIDE);
        indices.clear();
        let VertexStream { x, y, z, w, varyings, .. } = stream;
        z.fill(0.0);
        w.fill(1.0);
        // Pixels → clip space of a picture of this size, y down.
        let scale = [2.0 * pixels_per_point / width as f32, 2.0 * pixels_per_point / height as f32];
        let (mut ranges, mut first) = (Vec::with_capacity(meshes.len()), 0);
        for ClippedPrimitive { clip_rect, primitive } in meshes {
            let Primitive::Mesh(mesh) = primitive else { continue };
            let Some(texture) = textures.get(&mesh.texture_id) else { continue };
            let rows = varyings[first * STRIDE..].as_chunks_mut::<STRIDE>().0;
            for (index, (vertex, row)) in mesh.vertices.iter().zip(rows).enumerate() {
                x[first + index] = vertex.pos.x * scale[0] - 1.0;
                y[first + index] = vertex.pos.y * scale[1] - 1.0;
                row[TEXCOORD..TEXCOORD + 2].copy_from_slice(&[vertex.uv.x, vertex.uv.y]);
                let color = vertex.color.to_array().map(|byte| f32::from(byte) * (1.0 / 255.0));
                row[COLOR..COLOR + 4].copy_from_slice(&color);
            }
            let start = indices.len();
            indices.extend(mesh.indices.iter().map(|index| index + first as u32));
            let pixel = |points: f32, most: u32| (points * pixels_per_point).round().clamp(0.0, most as f32) as u32;
            let clip = [
                pixel(clip_rect.min.x, width),
                pixel(clip_rect.max.x, width),
                pixel(clip_rect.min.y, height),
                pixel(clip_rect.max.y, height),
            ];
            ranges.push((start..indices.len(), InterfaceShader { texture, clip }));
            first += mesh.vertices.len();
        }
        let state = DrawState {
            alpha: AlphaMode::Blend,
            depth_test: DepthTest::Always,
            depth_write: false,
            ..DrawState::default()
        };
        let (stream, indices) = (&*stream, &*indices);
        let draws: Vec<_> = ranges
            .into_iter()
            .map(|(range, shader)| Draw {
                stream,
                topology: PrimitiveTopology::Triangles,
                indices: &indices[range],
                state,
                shader,
            })
            .collect();
        let settings = RasterSettings {
            width,
            height,
            samples: SampleCount::One,
            subpixel_bits: 8,
            convention: Convention::Vulkan,
            background: [0.0; 4],
            keep_depth: false,
            simd,
        };
        rasteriser.draw(&settings, &draws, &Layer, layer)?;
        Ok(())
    }

    /// The painted layer, alpha multiplied in.
    pub(in crate::window) fn layer(&self) -> &[[u8; 4]] {
        self.layer.pixels()
    }
}
