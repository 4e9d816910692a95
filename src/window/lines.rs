//! Which lines a [`Pen`] draws into the scene: edges, normals, tangents, the ghost of the bind pose and the grid.

use glam::Vec3;

use super::{deform::Deformer, stage::Stage, state::State};
use refrast_animation::Pose;
use refrast_canvas::{Ink, Pen, Surface, place_of};

const EDGE: Ink = [0, 0, 0, 150];
const NORMAL: Ink = [90, 200, 255, 220];
const TANGENT: Ink = [255, 130, 200, 220];
const GHOST: Ink = [255, 255, 255, 40];
const GRID: Ink = [255, 255, 255, 48];
const AXIS: Ink = [255, 255, 255, 120];

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
    for drawn in renderer.stage().drawn_vertices() {
        let Some(index) = place_of(scene, &drawn) else { continue };
        let key = (drawn.node, index);
        let triangles = drawn.primitive.indices.as_chunks::<3>().0;
        if state.overlays.ghost {
            let ghost = deformer.run(scene, &rest, state, state.method, key).map_err(|error| error.to_string())?;
            pen.depths = None;
            pen.edges(triangles, ghost, GHOST);
            pen.depths = Some(surface.depths());
        }
        let posed = deformer.run(scene, stage.pose(), state, state.method, key).map_err(|error| error.to_string())?;
        if state.overlays.wireframe {
            pen.edges(triangles, posed, EDGE);
        }
        let vectors = [
            (state.overlays.normals, NORMAL, posed.normals()),
            (state.overlays.tangents, TANGENT, posed.tangents().map(|[x, y, z, _]| [x, y, z])),
        ];
        for (on, ink, planes) in vectors {
            if let Some(planes) = planes.filter(|_| on) {
                pen.vectors(posed, planes, length, ink);
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
