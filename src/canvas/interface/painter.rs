//! [`InterfacePainter`]: egui's meshes → a layer of pixels.

use std::{collections::HashMap, ops::Range};

use egui::{
    ClippedPrimitive, Rect, TextureId, TexturesDelta,
    epaint::{Mesh, Primitive},
};

use super::{
    damage::{Damage, Grid, PixelBounds},
    shader::{COLOR, InterfaceShader, Layer, STRIDE, TEXCOORD},
    texture::{InterfaceTexture, update},
};
use crate::PixelRect;
use refrast_draw::{
    AlphaMode, Convention, DepthTest, Draw, DrawState, PrimitiveTopology, RasterError, RasterSettings, SampleCount,
    VertexStream,
};
use refrast_raster::{Rasteriser, Target};
use refrast_simd::SimdLevel;

/// Paints egui's meshes, and keeps the layer and all buffers.
#[derive(Debug, Default)]
pub struct InterfacePainter {
    rasteriser: Rasteriser,
    textures: HashMap<TextureId, InterfaceTexture>,
    stream: VertexStream,
    indices: Vec<u32>,
    painted: Target<[u8; 4]>,
    layer: Vec<[u8; 4]>,
    /// What the layer shows, and how; `None` where it shows nothing that could be kept.
    shown: Option<(Grid, SimdLevel, Vec<ClippedPrimitive>)>,
    /// Where textures are others than when that was painted.
    changed: Vec<(TextureId, Rect)>,
    /// What of the layer is new since somebody asked.
    fresh: Damage,
}

/// What of a mesh is painted.
struct Part<'a> {
    mesh: &'a Mesh,
    first: usize,
    indices: Range<usize>,
    texture: &'a InterfaceTexture,
    clip: PixelBounds,
}

impl InterfacePainter {
    /// Takes over what egui says of its textures.
    pub fn set_textures(&mut self, delta: &TexturesDelta) {
        self.changed.extend(update(&mut self.textures, delta));
    }

    /// Forgets the textures that egui no longer draws with.
    pub fn free_textures(&mut self, delta: &TexturesDelta) {
        for id in &delta.free {
            self.textures.remove(id);
        }
    }

    /// Paints a frame of egui's on an empty layer: of the last frame's what has changed.
    ///
    /// # Errors
    ///
    /// When the window is larger than the rasteriser's pictures.
    pub fn paint(
        &mut self,
        meshes: Vec<ClippedPrimitive>,
        pixels_per_point: f32,
        size: [u32; 2],
        simd: SimdLevel,
    ) -> Result<(), RasterError> {
        let grid = Grid { pixels_per_point, size };
        let mut damage = match self.shown.take() {
            Some((shown, level, old)) if (shown, level) == (grid, simd) => Damage::between(&old, &meshes, grid),
            _ => Damage::all(size),
        };
        for (id, area) in self.changed.drain(..) {
            damage.add_texels(&meshes, id, area, grid);
        }
        if let Some(bounds) = damage.bounds() {
            self.draw(&meshes, grid, simd, (&damage, &bounds))?;
            self.take(grid, &damage);
            self.fresh.join(damage);
        }
        self.shown = Some((grid, simd, meshes));
        Ok(())
    }

    /// Paints all triangles that touch damaged pixels. What comes out elsewhere is of no use.
    fn draw(
        &mut self,
        meshes: &[ClippedPrimitive],
        grid: Grid,
        simd: SimdLevel,
        (damage, bounds): (&Damage, &PixelBounds),
    ) -> Result<(), RasterError> {
        let Self { rasteriser, textures, stream, indices, painted, .. } = self;
        indices.clear();
        let (mut parts, mut first) = (Vec::with_capacity(meshes.len()), 0);
        for ClippedPrimitive { clip_rect, primitive } in meshes {
            let Primitive::Mesh(mesh) = primitive else { continue };
            let Some(texture) = textures.get(&mesh.texture_id) else { continue };
            let clip = grid.clip(*clip_rect).and(bounds);
            let start = indices.len();
            for triangle in mesh.indices.as_chunks::<3>().0 {
                let corners = triangle.map(|index| mesh.vertices.get(index as usize).map(|vertex| vertex.pos));
                let [Some(a), Some(b), Some(c)] = corners else { continue };
                if damage.touches(&grid.triangle([a, b, c]).and(&clip)) {
                    indices.extend(triangle.map(|index| index + first as u32));
                }
            }
            if indices.len() > start {
                parts.push(Part { mesh, first, indices: start..indices.len(), texture, clip });
                first += mesh.vertices.len();
            }
        }
        stream.resize(first, STRIDE);
        fill(stream, &parts, grid);
        let state = DrawState {
            alpha: AlphaMode::Blend,
            depth_test: DepthTest::Always,
            depth_write: false,
            ..DrawState::default()
        };
        let (stream, indices) = (&*stream, &*indices);
        let draws: Vec<_> = parts
            .into_iter()
            .map(|part| Draw {
                stream,
                topology: PrimitiveTopology::Triangles,
                indices: &indices[part.indices],
                state,
                shader: InterfaceShader { texture: part.texture, clip: part.clip },
            })
            .collect();
        let settings = RasterSettings {
            width: grid.size[0],
            height: grid.size[1],
            samples: SampleCount::One,
            subpixel_bits: 8,
            convention: Convention::Vulkan,
            background: [0.0; 4],
            keep_depth: false,
            simd,
        };
        // Most of a window is not damaged, and there is nothing to do there.
        let wanted = |[columns, rows]: [Range<usize>; 2]| {
            let pixels = |range: Range<usize>| range.start as u32..range.end as u32;
            damage.touches(&PixelBounds { columns: pixels(columns), rows: pixels(rows) })
        };
        rasteriser.draw_tiles(&settings, &draws, &Layer, painted, &wanted)?;
        Ok(())
    }

    /// Takes the damaged pixels into the layer.
    fn take(&mut self, grid: Grid, damage: &Damage) {
        let [width, height] = grid.size.map(|side| side as usize);
        self.layer.resize(width * height, [0; 4]);
        for PixelBounds { columns, rows } in damage.rectangles() {
            let columns = columns.start as usize..columns.end as usize;
            for row in rows.start as usize..rows.end as usize {
                let place = row * width + columns.start..row * width + columns.end;
                self.layer[place.clone()].copy_from_slice(&self.painted.pixels()[place]);
            }
        }
    }

    /// The rectangles of the layer that are new since the last time.
    pub fn take_fresh(&mut self) -> Vec<PixelRect> {
        let fresh = std::mem::take(&mut self.fresh);
        fresh.rectangles().iter().map(PixelRect::from).collect()
    }

    /// The painted layer, alpha multiplied in.
    #[must_use]
    pub fn layer(&self) -> &[[u8; 4]] {
        &self.layer
    }
}

/// Writes the vertices of meshes.
fn fill(stream: &mut VertexStream, parts: &[Part<'_>], grid: Grid) {
    let VertexStream { x, y, z, w, varyings, .. } = stream;
    z.fill(0.0);
    w.fill(1.0);
    // Pixels → clip space of a picture of this size, y down.
    let [width, height] = grid.size;
    let scale = [2.0 * grid.pixels_per_point / width as f32, 2.0 * grid.pixels_per_point / height as f32];
    for part in parts {
        let rows = varyings[part.first * STRIDE..].as_chunks_mut::<STRIDE>().0;
        for (index, (vertex, row)) in part.mesh.vertices.iter().zip(rows).enumerate() {
            x[part.first + index] = vertex.pos.x * scale[0] - 1.0;
            y[part.first + index] = vertex.pos.y * scale[1] - 1.0;
            row[TEXCOORD..TEXCOORD + 2].copy_from_slice(&[vertex.uv.x, vertex.uv.y]);
            let color = vertex.color.to_array().map(|byte| f32::from(byte) * (1.0 / 255.0));
            row[COLOR..COLOR + 4].copy_from_slice(&color);
        }
    }
}

#[cfg(test)]
mod tests {
    use egui::{
        CentralPanel, Color32, ColorImage, Context, Event, Pos2, RawInput, SidePanel, TextureHandle, TextureOptions,
        TopBottomPanel, vec2,
    };

    use super::*;

    /// A frame of panels with a time that runs, a slider that moves, a picture, and now and then a line more.
    fn frame(context: &Context, picture: &TextureHandle, number: usize) -> egui::FullOutput {
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, vec2(320.0, 200.0))),
            time: Some(number as f64 / 60.0),
            events: vec![Event::PointerMoved(Pos2::new(20.0 * number as f32, 30.0))],
            ..RawInput::default()
        };
        context.run(input, |context| {
            let mut time = number as f32 * 0.37;
            TopBottomPanel::bottom("time").show(context, |ui| {
                ui.label(format!("{time:.2} s"));
                ui.add(egui::Slider::new(&mut time, 0.0..=10.0));
            });
            SidePanel::left("left").exact_width(120.0).show(context, |ui| {
                ui.image((picture.id(), vec2(64.0, 64.0)));
                for line in 0..6 + usize::from(number % 3 == 1) {
                    let _ = ui.button(format!("Button {line}"));
                }
            });
            CentralPanel::default().show(context, |ui| {
                let at = ui.max_rect().center() + vec2(5.0 * number as f32, 0.0);
                ui.painter().circle_stroke(at, 30.0, (2.0, Color32::RED));
            });
        })
    }

    #[test]
    fn what_is_kept_is_what_would_be_painted() {
        let context = Context::default();
        let (mut keeping, mut anew) = (InterfacePainter::default(), InterfacePainter::default());
        let mut kept = 0;
        let picture = ColorImage::filled([16, 16], Color32::BLUE);
        let mut picture = context.load_texture("picture", picture, TextureOptions::LINEAR);
        for number in 0..12 {
            if number % 4 == 2 {
                // The same triangles with other texels.
                let part = ColorImage::filled([3, 2], Color32::from_gray(20 * number as u8));
                picture.set_partial([number, 5], part, TextureOptions::LINEAR);
            }
            let output = frame(&context, &picture, number);
            let meshes = context.tessellate(output.shapes, output.pixels_per_point);
            for painter in [&mut keeping, &mut anew] {
                painter.set_textures(&output.textures_delta);
            }
            anew.shown = None;
            kept += usize::from(keeping.shown.is_some());
            for painter in [&mut keeping, &mut anew] {
                let painted = painter.paint(meshes.clone(), 1.5, [480, 300], SimdLevel::Scalar);
                painted.expect("it is small");
                painter.free_textures(&output.textures_delta);
            }
            assert!(keeping.layer() == anew.layer(), "frame {number}");
        }
        assert!(kept > 6, "only {kept} frames were built on the one before");
    }
}
