//! Shadows: suns with cascades and a spot, over ground.

use glam::Quat;

use super::{
    Showcase,
    build::{Builder, moved, node, turn},
    shapes::{bar, grid, quad, sphere},
};
use refrast_draw::{DepthBias, DepthFormat};
use refrast_scene::{
    AlphaMode, Animation, Channel, ChannelTarget, Interpolation, Light, LightKind, Material, Node, Sampler,
};
use refrast_shading::{
    Casters, ShadingMode, ShadowCasting, ShadowFilter, ShadowFit, ShadowSettings, ShadowShape, SplitScheme,
    SplitSelection, Steadiness,
};
use refrast_simulator::Moment;

pub(super) fn showcases() -> Vec<Showcase> {
    let clip = Moment::Clip { animation: 0, seconds: 0.6 };
    let base = ShadowSettings { side: 256, ..ShadowSettings::default() };
    let cast = |cascades, spots| ShadowCasting { cascades, spots };
    let mut cascades = suns().shot("cascades", EYE);
    cascades.moment = clip;
    cascades.settings.shadows = ShadowSettings {
        casting: cast(3, false),
        splits: SplitScheme::Given { ends: [3.4, 4.4, 9.0, 0.0, 0.0, 0.0, 0.0, 0.0], count: 3 },
        format: DepthFormat::Bits16,
        bias: DepthBias { constant: 40.0, slope: 2.5, clamp: 0.0 },
        blend: 0.2,
        ..base
    };
    // A map that ends with the scene, so that filters reach past its sides.
    let mut fitted = suns().shot("cascades-fitted", EYE);
    fitted.moment = clip;
    fitted.settings.shading = ShadingMode::Lit;
    fitted.settings.shadows = ShadowSettings {
        casting: cast(2, false),
        fit: ShadowFit::Scene,
        shape: ShadowShape::Box,
        filter: ShadowFilter::Five,
        casters: Casters::Pull,
        bias: DepthBias { constant: 4000.0, slope: 4.0, clamp: 0.0 },
        ..base
    };
    let mut contained = noon().shot("cascades-contained", EYE);
    contained.settings.shadows = ShadowSettings {
        casting: cast(2, false),
        splits: SplitScheme::Given { ends: [4.0, 12.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], count: 2 },
        selection: SplitSelection::Containment,
        filter: ShadowFilter::None,
        format: DepthFormat::Float,
        ..base
    };
    // The sides of its map are those of the ground.
    let mut ends = noon().shot("cascade-ends", EYE);
    ends.settings.shadows = ShadowSettings {
        casting: cast(1, false),
        fit: ShadowFit::Scene,
        shape: ShadowShape::Box,
        steadiness: Steadiness::Free,
        filter: ShadowFilter::Five,
        bias: DepthBias { constant: 1000.0, slope: 6.0, clamp: 0.0 },
        ..base
    };
    let mut splits = cascades.clone();
    (splits.name, splits.settings.shading) = ("cascade-splits", ShadingMode::Splits);
    let mut spots = lamps().shot("spot-shadows", EYE);
    spots.settings.shadows = ShadowSettings { casting: cast(0, true), filter: ShadowFilter::Three, ..base };
    vec![cascades, fitted, contained, ends, splits, spots]
}

const EYE: [f64; 3] = [0.9, 1.5, 3.6];

fn color(red: f32, green: f32, blue: f32) -> Material {
    Material {
        base_color_factor: [red, green, blue, 1.0],
        metallic_factor: 0.0,
        double_sided: true,
        ..Material::default()
    }
}

/// Ground, and what stands on it and above it: a ball, a post, a slab that leans, and a sheet with holes.
fn ground() -> Builder {
    let mut builder = Builder::default();
    let lying = node([0.0, -0.6, -1.0], turn([1.0, 0.0, 0.0], -std::f32::consts::FRAC_PI_2), [1.0; 3]);
    let floor = grid([-3.0, -3.0, 0.0], [6.0, 6.0], [[0.0; 2], [1.0; 2]], [3, 3]);
    builder.surface(lying, floor, color(0.7, 0.7, 0.65));
    builder.surface(moved(-0.7, -0.2, 0.3), sphere(0.4, [18, 12]), color(0.8, 0.4, 0.2));
    builder.surface(moved(0.6, -0.6, -0.4), bar(0.12, 1.2, [8, 2]), color(0.3, 0.5, 0.8));
    let leaning = node([0.1, 0.1, -2.2], turn([1.0, 0.2, 0.3], -0.7), [1.0; 3]);
    builder.surface(leaning, quad([-0.6, -0.4, 0.0], [1.2, 0.8], [[0.0; 2], [1.0; 2]]), color(0.5, 0.7, 0.3));
    let holes = builder
        .texture([8, 8], Sampler::default(), |x, y| [180, 160, 90, if (x / 2 + y / 2) % 2 == 0 { 255 } else { 0 }]);
    let cut = Material {
        base_color_texture: Some(holes),
        alpha_mode: AlphaMode::Mask { cutoff: 0.5 },
        ..color(1.0, 1.0, 1.0)
    };
    let hung = node([1.1, 0.1, 0.4], turn([0.0, 1.0, 0.0], 0.5), [1.0; 3]);
    builder.surface(hung, quad([-0.4, -0.4, 0.0], [0.8, 0.8], [[0.0; 2], [1.0; 2]]), cut);
    builder
}

/// Two suns, one of which an animation turns; far above hangs what the camera does not see, and its shadow.
fn suns() -> Builder {
    let mut builder = ground();
    let high = node([-3.5, 7.0, 4.2], turn([1.0, 0.0, 0.0], -std::f32::consts::FRAC_PI_2), [1.0; 3]);
    builder.surface(high, quad([-0.4, -0.4, 0.0], [0.8, 0.8], [[0.0; 2], [1.0; 2]]), color(0.5, 0.5, 0.5));
    let light = |color, intensity| Light { name: None, color, intensity, range: None, kind: LightKind::Directional };
    builder.scene.lights = vec![light([1.0, 0.9, 0.7], 2.0), light([0.5, 0.7, 1.0], 1.0)];
    let shone = |light, axis, angle| Node { light: Some(light), ..node([0.0; 3], turn(axis, angle), [1.0; 3]) };
    let first = builder.node(None, shone(0, [1.0, 0.55, 0.1], -1.0));
    builder.node(None, shone(1, [1.0, -0.9, 0.0], -1.1));
    let turned: Vec<Quat> = [-0.9, -1.25].map(|angle| turn([1.0, 0.55, 0.1], angle)).to_vec();
    let values = turned.iter().flat_map(|turn| turn.to_array()).collect();
    builder.scene.animations = vec![Animation {
        name: Some("Evening".to_owned()),
        channels: vec![Channel {
            node: first,
            target: ChannelTarget::Rotation,
            interpolation: Interpolation::Linear,
            times: vec![0.0, 1.0],
            components: 4,
            values,
        }],
        duration: 1.0,
    }];
    builder
}

/// A sun straight above.
fn noon() -> Builder {
    let mut builder = ground();
    let light = Light { name: None, color: [1.0; 3], intensity: 2.5, range: None, kind: LightKind::Directional };
    builder.scene.lights = vec![light];
    // Far to the right, out of sight: what is drawn is wide, and the ground ends where it does on the left.
    builder.surface(
        moved(18.0, 0.0, -1.0),
        quad([-0.5, -0.5, 0.0], [1.0, 1.0], [[0.0; 2], [1.0; 2]]),
        color(0.5, 0.5, 0.5),
    );
    let down = turn([1.0, 0.0, 0.0], -std::f32::consts::FRAC_PI_2);
    builder.node(None, Node { light: Some(0), ..node([0.0; 3], down, [1.0; 3]) });
    builder
}

/// Two spots: one from the side, one from above.
fn lamps() -> Builder {
    let mut builder = ground();
    let spot = |color, intensity, range| {
        let kind = LightKind::Spot { inner_cone_angle: 0.5, outer_cone_angle: 0.7 };
        Light { name: None, color, intensity, range, kind }
    };
    builder.scene.lights = vec![spot([1.0, 0.8, 0.5], 60.0, Some(12.0)), spot([0.5, 0.7, 1.0], 40.0, None)];
    let place = |light, at, axis, angle| Node { light: Some(light), ..node(at, turn(axis, angle), [1.0; 3]) };
    builder.node(None, place(0, [2.4, 2.4, 2.2], [-0.75, 1.0, 0.3], 0.95));
    builder.node(None, place(1, [-1.2, 3.0, 0.4], [1.0, 0.35, 0.0], -1.4));
    builder
}
