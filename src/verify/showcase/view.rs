//! Edges, depth, samples and the planes of the frustum.

use glam::Quat;

use super::{
    Showcase,
    build::{Builder, moved, node, perspective, pixels, turn},
    shapes::{grid, quad, sphere},
};
use refrast_draw::{Convention, SampleCount};
use refrast_scene::{AlphaMode, Material, Sampler};
use refrast_shading::ShadingMode;

pub(super) fn showcases() -> Vec<Showcase> {
    let mut edges = edges().shot("edges", [0.0, 0.0, 1.0]);
    edges.camera = pixels(edges.settings.convention);
    let mut far = far_off().shot("far-off", [0.0, 0.0, 1.0]);
    far.camera = pixels(far.settings.convention);
    let mut near = ground().shot("near-plane", [0.0, 0.4, 1.5]);
    (near.settings.width, near.settings.height) = (128, 80);
    let mut depth = planes().shot("depth", [0.7, 0.9, 3.0]);
    depth.settings.convention = Convention::D3d;
    depth.camera = perspective([0.7, 0.9, 3.0], Convention::D3d);
    let mut picture = depth.clone();
    (picture.name, picture.settings.shading) = ("depth-view", ShadingMode::Depth);
    let mut samples = shapes().shot("samples", [0.4, 0.6, 3.0]);
    samples.settings.samples = SampleCount::Four;
    let mut vulkan = shapes().shot("vulkan", [0.4, 0.6, 3.0]);
    vulkan.settings.convention = Convention::Vulkan;
    vulkan.camera = perspective([0.4, 0.6, 3.0], Convention::Vulkan);
    let mut many = many().shot("many-vertices", [0.0, 0.0, 1.0]);
    many.camera = pixels(many.settings.convention);
    let mut step = step().shot("depth-step", [0.0, 0.0, 1.0]);
    step.camera = pixels(step.settings.convention);
    let twice = drawn_twice().shot("drawn-twice", [0.7, 0.5, 2.6]);
    vec![edges, far, near, depth, picture, step, samples, vulkan, many, twice]
}

fn plain(base_color_factor: [f32; 4]) -> Material {
    Material { base_color_factor, unlit: true, ..Material::default() }
}

/// Quads whose sides and diagonals run through pixel centres, blended, so that a double hit shows.
fn edges() -> Builder {
    let mut builder = Builder::default();
    let pane = |color| Material { alpha_mode: AlphaMode::Blend, ..plain(color) };
    let cells = grid([10.5, 10.5, 0.5], [40.0, 40.0], [[0.0; 2], [1.0; 2]], [4, 4]);
    builder.surface(moved(0.0, 0.0, 0.0), cells, pane([0.9, 0.3, 0.2, 0.5]));
    let odd = quad([0.0; 3], [30.0, 20.0], [[0.0; 2], [1.0; 2]]);
    let turned = node([60.25, 40.75, 0.4], turn([0.0, 0.0, 1.0], 0.4), [1.0; 3]);
    builder.surface(turned, odd, pane([0.2, 0.6, 0.9, 0.6]));
    builder
}

/// A sheet whose lower left corner is thousands of pixels away, and a strip that runs through the picture from far off.
fn far_off() -> Builder {
    let mut builder = Builder::default();
    let whole = [[0.0; 2], [1.0; 2]];
    let sheet = quad([-5000.0, -5000.0, 0.3], [5040.3, 5060.7], whole);
    builder.surface(moved(0.0, 0.0, 0.0), sheet, plain([0.3, 0.6, 0.8, 1.0]));
    let strip = quad([-6000.0, 70.2, 0.6], [12000.0, 12.4], whole);
    builder.surface(moved(0.0, 0.0, 0.0), strip, plain([0.8, 0.5, 0.2, 1.0]));
    builder
}

/// A checked floor and wall that begin behind the camera.
fn ground() -> Builder {
    let mut builder = Builder::default();
    let checks = builder.texture([8, 8], Sampler::default(), |x, y| {
        if (x + y) % 2 == 0 { [230, 220, 180, 255] } else { [40, 60, 110, 255] }
    });
    let floor = quad([-60.0, -12.0, 0.0], [120.0, 24.0], [[0.0; 2], [30.0, 6.0]]);
    let checked = Material { base_color_texture: Some(checks), ..Material::default() };
    let lying = node([0.0, -0.4, 0.0], turn([1.0, 0.0, 0.0], -std::f32::consts::FRAC_PI_2), [1.0; 3]);
    builder.surface(lying, floor, checked.clone());
    builder.surface(moved(0.2, 0.2, 0.0), sphere(0.4, [14, 9]), checked);
    // Nearer to the eye than the near plane.
    let speck = quad([-0.02, 0.37, 1.44], [0.04, 0.04], [[0.0; 2], [1.0; 2]]);
    builder.surface(moved(0.0, 0.0, 0.0), speck, plain([1.0, 0.1, 0.1, 1.0]));
    builder
}

/// Planes through each other, in each other and just over each other.
fn planes() -> Builder {
    let mut builder = Builder::default();
    let square = |size: f32| quad([-size, -size, 0.0], [2.0 * size, 2.0 * size], [[0.0; 2], [1.0; 2]]);
    let slanted = |axis, angle, z| node([0.0, 0.0, z], turn(axis, angle), [1.0; 3]);
    builder.surface(slanted([1.0, 0.3, 0.0], 0.9, 0.0), square(1.2), plain([0.9, 0.5, 0.2, 1.0]));
    builder.surface(slanted([0.2, 1.0, 0.0], -0.8, 0.1), square(1.2), plain([0.2, 0.5, 0.9, 1.0]));
    // Equal depths: the first stays. And a step that 16 bits do not show, from aside.
    let badge = node([-0.5, -0.5, 0.9], Quat::IDENTITY, [1.0; 3]);
    builder.surface(badge.clone(), square(0.25), plain([0.1, 0.8, 0.1, 1.0]));
    builder.surface(badge, square(0.25), plain([0.8, 0.1, 0.8, 1.0]));
    for (step, color) in [[0.9, 0.9, 0.2, 1.0], [0.1, 0.2, 0.2, 1.0]].into_iter().enumerate() {
        let place = node([1.29, -1.32, -1.0 + 0.0004 * step as f32], Quat::IDENTITY, [1.0; 3]);
        builder.surface(place, square(0.25), plain(color));
    }
    // In front of the half of the depth range that lies before the eye.
    let near = node([0.6, 0.8, 2.8], Quat::IDENTITY, [1.0; 3]);
    builder.surface(near, square(0.02), plain([1.0, 1.0, 1.0, 1.0]));
    builder
}

/// Two sheets that face the eye, the nearer one drawn last. 16 bits of depth do not tell them apart, whether they are
/// rounded or cut: the depths are (26214 + 0.37) / 65535 and (26214 + 0.13) / 65535.
fn step() -> Builder {
    let mut builder = Builder::default();
    let sheet = |z: f32| quad([0.0, 0.0, z], [48.0, 40.0], [[0.0; 2], [1.0; 2]]);
    builder.surface(moved(12.3, 14.6, 0.0), sheet(0.599_994_4), plain([0.2, 0.3, 0.7, 1.0]));
    builder.surface(moved(36.7, 38.2, 0.0), sheet(0.599_998), plain([0.9, 0.7, 0.2, 1.0]));
    builder
}

/// A sheet of which a part is drawn again in other colours, in the same draw: the first ones stay.
fn drawn_twice() -> Builder {
    let mut builder = Builder::default();
    let mut sheet = grid([-0.9, -0.9, 0.0], [1.8, 1.8], [[0.0; 2], [1.0; 2]], [4, 4]);
    let count = sheet.positions.len();
    sheet.positions.extend_from_within(..);
    sheet.normals.get_or_insert_default().extend_from_within(..);
    sheet.texcoords[0].extend_from_within(..);
    sheet.colors = Some([vec![[0.2, 0.7, 0.3, 1.0]; count], vec![[0.9, 0.3, 0.7, 1.0]; count]].concat());
    let again: Vec<u32> = sheet.indices[24..72].iter().map(|vertex| vertex + count as u32).collect();
    sheet.indices.extend(again);
    sheet.source_vertex_count = 2 * count;
    sheet.source_vertices = (0..2 * count as u32).collect();
    let place = node([0.0; 3], turn([0.4, 1.0, 0.2], 0.3), [1.0; 3]);
    builder.surface(place, sheet, plain([1.0; 4]));
    builder
}

/// Slanted edges, thin slivers and a textured sphere.
fn shapes() -> Builder {
    let mut builder = Builder::default();
    let fine =
        builder.texture([32, 32], Sampler::default(), |x, y| [(x * 8) as u8, (y * 8) as u8, ((x ^ y) * 8) as u8, 255]);
    let textured = Material { base_color_texture: Some(fine), ..Material::default() };
    builder.surface(
        node([-0.4, 0.2, 0.0], turn([0.3, 1.0, 0.0], 0.5), [1.0; 3]),
        sphere(0.7, [16, 10]),
        textured.clone(),
    );
    let sliver = quad([-1.0, 0.0, 0.0], [2.0, 0.03], [[0.0; 2], [1.0; 2]]);
    for angle in [0.3, 1.1, 1.9, 2.7] {
        let place = node([0.4, -0.4, 0.4], turn([0.0, 0.0, 1.0], angle), [1.0; 3]);
        builder.surface(place, sliver.clone(), Material { double_sided: true, ..plain([0.9, 0.8, 0.3, 1.0]) });
    }
    let pane = quad([-0.3, -0.9, 0.8], [1.0, 0.7], [[0.0; 2], [1.0; 2]]);
    let faded = Material { alpha_mode: AlphaMode::Blend, base_color_factor: [0.6, 0.9, 0.9, 0.5], ..textured };
    builder.surface(node([0.0; 3], turn([0.0, 1.0, 1.0], 0.4), [1.0; 3]), pane, faded);
    builder
}

/// More vertices than 16 bits count.
fn many() -> Builder {
    let mut builder = Builder::default();
    let colors = builder.texture([16, 16], Sampler::default(), |x, y| [(x * 16) as u8, (y * 16) as u8, 128, 255]);
    let sheet = grid([3.0, 3.0, 0.5], [90.0, 90.0], [[0.0; 2], [1.0; 2]], [260, 260]);
    let material = Material { base_color_texture: Some(colors), unlit: true, ..Material::default() };
    builder.surface(moved(0.0, 0.0, 0.0), sheet, material);
    builder
}
