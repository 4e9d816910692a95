//! Lines in the scene, drawn into the finished picture and hidden by what lies before them: edges, normals, tangents,
//! the ghost of the bind pose and the grid.
//!
//! Why not egui's lines: a character has a hundred thousand edges, and each of egui's lines is eight triangles. These are
//! one pixel wide and have no part in any comparison.

use glam::{Mat4, Vec3, Vec4};

use super::{deform::Deformer, pick::place_of, stage::Stage, state::State, surface::Surface};
use refrast_animation::Pose;
use refrast_raster::Convention;
use refrast_skinning::DeformedVertices;

/// Red, green, blue and how much of it covers what is there, of 255.
type Ink = [u8; 4];

const EDGE: Ink = [0, 0, 0, 150];
const NORMAL: Ink = [90, 200, 255, 220];
const TANGENT: Ink = [255, 130, 200, 220];
const GHOST: Ink = [255, 255, 255, 40];
const GRID: Ink = [255, 255, 255, 48];
const AXIS: Ink = [255, 255, 255, 120];
/// Lines lie on the surface: they are seen when they are behind it by less than this part of the depth range's end.
const BIAS: f32 = 2e-4;

/// Draws what the state asks for over R G B A bytes.
///
/// # Errors
///
/// Why the method can not follow a joint.
pub(super) fn draw(
    stage: &Stage<'_>,
    state: &State,
    deformer: &mut Deformer,
    surface: &Surface,
    rgba: &mut [u8],
) -> Result<(), String> {
    let Some(placed) = stage.placed() else { return Ok(()) };
    let renderer = stage.renderer();
    let settings = renderer.settings();
    let mut pen = Pen {
        rgba,
        width: settings.width as usize,
        height: settings.height as usize,
        matrix: placed.camera.view_projection(),
        convention: settings.convention,
        depths: Some(surface.depths()),
    };
    if state.overlays.grid {
        grid(&mut pen, stage);
    }
    let scene = stage.scene();
    let rest = Pose::rest(scene);
    let length = stage.bounds().radius() as f32 * 0.02;
    for drawn in renderer.drawn_vertices() {
        let Some(index) = place_of(scene, &drawn) else { continue };
        let key = (drawn.node, index);
        let triangles = drawn.primitive.indices.as_chunks::<3>().0;
        if state.overlays.ghost {
            let ghost = deformer.run(scene, &rest, state, state.method, key).map_err(|error| error.to_string())?;
            pen.depths = None;
            edges(&mut pen, triangles, ghost, GHOST);
            pen.depths = Some(surface.depths());
        }
        let posed = deformer.run(scene, stage.pose(), state, state.method, key).map_err(|error| error.to_string())?;
        if state.overlays.wireframe {
            edges(&mut pen, triangles, posed, EDGE);
        }
        let vectors = [
            (state.overlays.normals, NORMAL, posed.normals()),
            (state.overlays.tangents, TANGENT, posed.tangents().map(|[x, y, z, _]| [x, y, z])),
        ];
        for (on, ink, planes) in vectors {
            let Some([x, y, z]) = planes.filter(|_| on) else { continue };
            for vertex in 0..posed.len() {
                let from = Vec3::from(posed.position(vertex));
                pen.line(from, from + Vec3::new(x[vertex], y[vertex], z[vertex]) * length, ink);
            }
        }
    }
    Ok(())
}

/// The plane y = 0 around what is drawn.
fn grid(pen: &mut Pen<'_>, stage: &Stage<'_>) {
    let (middle, radius) = (stage.bounds().center().as_vec3(), stage.bounds().radius() as f32);
    if !(radius.is_finite() && radius > 0.0) {
        return;
    }
    let spacing = libm::powf(10.0, libm::floorf(libm::log10f(radius)));
    let count = libm::ceilf(2.0 * radius / spacing) as i32;
    let line = |at: f32| libm::roundf(at / spacing) as i32;
    let [x, z] = [line(middle.x), line(middle.z)];
    for step in -count..=count {
        let at = |x: i32, z: i32| Vec3::new(x as f32, 0.0, z as f32) * spacing;
        // The lines through the origin stand out.
        let ink = |place: i32| if place == 0 { AXIS } else { GRID };
        pen.line(at(x + step, z - count), at(x + step, z + count), ink(x + step));
        pen.line(at(x - count, z + step), at(x + count, z + step), ink(z + step));
    }
}

/// Every edge once, where triangles that share it run round in the same sense.
fn edges(pen: &mut Pen<'_>, triangles: &[[u32; 3]], vertices: &DeformedVertices, ink: Ink) {
    for &[a, b, c] in triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            if from < to {
                pen.line(vertices.position(from as usize).into(), vertices.position(to as usize).into(), ink);
            }
        }
    }
}

/// Draws lines of the world into a picture.
struct Pen<'a> {
    rgba: &'a mut [u8],
    width: usize,
    height: usize,
    matrix: Mat4,
    convention: Convention,
    depths: Option<&'a [f32]>,
}

impl Pen<'_> {
    fn line(&mut self, from: Vec3, to: Vec3, ink: Ink) {
        let Some((from, to)) = before_the_eye(self.matrix * from.extend(1.0), self.matrix * to.extend(1.0)) else {
            return;
        };
        let (from, to) = (self.window(from), self.window(to));
        let along = to - from;
        let steps = along.x.abs().max(along.y.abs());
        let Some((first, last)) = self.visible(from, along) else { return };
        let count = (steps * (last - first)).max(0.0) as usize;
        for step in 0..=count {
            let at = from + along * (first + (last - first) * step as f32 / count.max(1) as f32);
            self.dot(at, ink);
        }
    }

    /// Pixels from the left, pixels from the top, window depth.
    fn window(&self, clip: Vec4) -> Vec3 {
        let ndc = clip.truncate() / clip.w;
        let y = if self.convention == Convention::Vulkan { ndc.y } else { -ndc.y };
        let z = if self.convention == Convention::OpenGl { ndc.z * 0.5 + 0.5 } else { ndc.z };
        Vec3::new((ndc.x * 0.5 + 0.5) * self.width as f32, (y * 0.5 + 0.5) * self.height as f32, z)
    }

    /// Between which parts of its length a line is in the picture (Liang and Barsky, 1984).
    fn visible(&self, from: Vec3, along: Vec3) -> Option<(f32, f32)> {
        let (mut first, mut last) = (0.0f32, 1.0f32);
        for (start, step, size) in [(from.x, along.x, self.width), (from.y, along.y, self.height)] {
            for (distance, speed) in [(start, -step), (size as f32 - start, step)] {
                if speed > 0.0 {
                    last = last.min(distance / speed);
                } else if speed < 0.0 {
                    first = first.max(distance / speed);
                } else if distance < 0.0 {
                    return None;
                }
            }
        }
        (first <= last).then_some((first, last))
    }

    fn dot(&mut self, at: Vec3, [red, green, blue, cover]: Ink) {
        let (x, y) = (at.x as usize, at.y as usize);
        if at.x < 0.0 || at.y < 0.0 || x >= self.width || y >= self.height {
            return;
        }
        let place = y * self.width + x;
        // Depth crowds at the far end: what is left to it tells how much a step means.
        // The grid goes on behind the far plane, where nothing else is.
        let depth = at.z.min(1.0);
        if self.depths.is_some_and(|depths| depth > depths[place] + BIAS + (1.0 - depths[place]) * 0.01) {
            return;
        }
        for (byte, ink) in self.rgba[4 * place..4 * place + 3].iter_mut().zip([red, green, blue]) {
            let (under, ink, cover) = (u32::from(*byte), u32::from(ink), u32::from(cover));
            *byte = ((under * (255 - cover) + ink * cover + 127) / 255) as u8;
        }
    }
}

/// The part of a line that the eye can see, in clip space; `None` where all of it is behind.
fn before_the_eye(from: Vec4, to: Vec4) -> Option<(Vec4, Vec4)> {
    const NEAREST: f32 = 1e-5;
    let cut = |behind: Vec4, before: Vec4| behind + (before - behind) * ((NEAREST - behind.w) / (before.w - behind.w));
    match (from.w > NEAREST, to.w > NEAREST) {
        (true, true) => Some((from, to)),
        (true, false) => Some((from, cut(to, from))),
        (false, true) => Some((cut(from, to), to)),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_at_the_picture_and_hidden_by_depth() {
        let mut rgba = vec![0; 4 * 8 * 4];
        // Row 1 is covered by something nearer than the line.
        let depths: Vec<f32> = (0..32).map(|place| if place / 8 == 1 { 0.1 } else { 1.0 }).collect();
        let mut pen = Pen {
            rgba: &mut rgba,
            width: 8,
            height: 4,
            matrix: Mat4::IDENTITY,
            convention: Convention::Vulkan,
            depths: Some(&depths),
        };
        // Down the column 2, from far above to far below, at depth 0.5.
        pen.line(Vec3::new(-0.4, -9.0, 0.5), Vec3::new(-0.4, 9.0, 0.5), [255, 0, 0, 255]);
        let drawn: Vec<usize> = (0..32).filter(|place| rgba[4 * place] == 255).collect();
        assert_eq!(drawn, [2, 18, 26]);
    }

    #[test]
    fn what_is_behind_the_eye_is_cut_off() {
        let (near, far) = (Vec4::new(0.0, 0.0, 0.0, 1.0), Vec4::new(2.0, 0.0, 0.0, -1.0));
        let (from, to) = before_the_eye(far, near).expect("half of it is seen");
        assert!((from.x - 1.0).abs() < 1e-4 && from.w > 0.0);
        assert_eq!(to, near);
        assert_eq!(before_the_eye(far, far), None);
    }
}
