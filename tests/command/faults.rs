//! The known mistakes: all of them are here by name, and each shows in a scene.

use rayon::prelude::*;
use refrast::{
    render::RenderSettings,
    scene::Scene,
    verify::{
        Fault,
        showcase::{Showcase, showcases},
        simulator::{Moment, Shot, Simulator, Variation},
    },
};

/// The published list of mistakes that real renderers made. Missing are those that only a machine for vertex programs can make.
const KNOWN: &str = "
    skinned-node-transform-applied inverse-bind-missing inverse-bind-recomputed non-joint-ancestor-dropped
    joints-1-ignored influences-truncated-unscaled weights-l2-normalised last-weight-reconstructed weight-integer-scale
    joint-index-off-by-one joint-palette-stale joint-index-width zero-weight-joint-dereferenced shared-mesh-second-skin
    matrix-transposed matrix-order-swapped normal-not-inverse-transposed normal-inverse-transpose-per-joint
    normal-not-renormalised normal-flipped-by-negative-scale winding-not-flipped weights-applied-before-bind
    dual-quaternion-antipodal dual-quaternion-dual-part-unscaled dual-quaternion-scale-lost
    cubic-tangent-unscaled cubic-tangent-index rotation-not-normalised slerp-long-way slerp-both-negated rotation-lerped
    step-as-linear time-not-clamped node-weights-ignored morph-after-skin morph-normal-dropped sparse-ignored
    accessor-without-view interleaved-stride snorm-minus-128
    missing-normals-smooth tangent-not-mikktspace tangent-handedness double-sided-normal mask-ignores-factor
    opaque-uses-alpha base-color-linear factor-srgb texture-transform-order texture-transform-rotation
    wrap-default-clamp vertex-color-ignored mip-bias mip-none filter-nearest
    normal-map-green-flipped normal-map-srgb normal-scale-on-z two-channel-z-missing normal-map-z-rebuilt tangent-reorthogonalised bitangent-sign-lost
    tangent-not-skinned tangent-not-orthogonalised bitangent-interpolated roughness-not-squared roughness-squared-twice
    roughness-by-curvature metal-rough-swapped f0-of-metal-0.04 diffuse-without-pi diffuse-without-fresnel occlusion-on-direct emissive-tinted
    anisotropy-ignored anisotropy-direction-ignored anisotropy-rotation-sign anisotropy-not-squared
    sheen-ignored sheen-albedo-missing sheen-roughness-not-squared clearcoat-energy-added
    vertex-occlusion-ignored vertex-occlusion-not-morphed
    shadow-bias-sign shadow-bias-units split-by-distance map-y-flipped map-depth-range map-border filter-half-texel
    casters-clipped map-cleared-to-zero cascade-matrix-stale light-map-swapped
    pixel-centre-integer fill-rule-missing fill-rule-bottom-right affine-interpolation depth-perspective
    near-clip-missing guard-band-overflow depth-test-less-equal depth-range-gl strip-parity cull-front y-flipped
    srgb-encode-missing srgb-encode-twice blend-order
    palette-stride-four palette-split-wrong-remap address-rounding";

/// These move tangents, and so vertex buffers.
const IN_TANGENTS: [Fault; 5] = [
    Fault::TangentNotMikktspace,
    Fault::TangentHandedness,
    Fault::TangentNotSkinned,
    Fault::TangentNotOrthogonalised,
    Fault::BitangentSignLost,
];

#[test]
fn every_known_mistake_has_a_fault() {
    let missing: Vec<&str> = KNOWN.split_whitespace().filter(|name| name.parse::<Fault>().is_err()).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(Fault::ALL.len() > 150, "{}", Fault::ALL.len());
}

fn draw(simulator: &Simulator<'_>, showcase: &Showcase, faults: &[Fault]) -> Vec<u8> {
    let shot = Shot { moment: showcase.moment, camera: &showcase.camera, settings: &showcase.settings };
    simulator.draw(&shot, &Variation::default(), faults).expect("a showcase can be drawn").rgba
}

#[test]
fn every_fault_shows_in_a_showcase() {
    let showcases = showcases();
    let prepared: Vec<(Simulator<'_>, &Showcase, Vec<u8>)> = showcases
        .iter()
        .map(|showcase| {
            let simulator = Simulator::new(&showcase.scene).expect("complete textures");
            let right = draw(&simulator, showcase, &[]);
            (simulator, showcase, right)
        })
        .collect();
    let hidden: Vec<&str> = Fault::ALL
        .into_par_iter()
        .filter(|fault| {
            prepared.iter().all(|(simulator, showcase, right)| draw(simulator, showcase, &[*fault]) == *right)
        })
        .map(Fault::name)
        .collect();
    assert!(hidden.is_empty(), "no showcase shows {hidden:?}");
}

#[test]
fn mistakes_in_tangents_show_in_vertices() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let scene = with_tangents(scene);
    let simulator = Simulator::new(&scene).expect("complete textures");
    let settings = RenderSettings::default();
    let tangents = |faults: &[Fault]| -> Vec<Vec<[f32; 4]>> {
        let vertices = simulator.vertices(Moment::Rest, &settings, &Variation::default(), faults);
        vertices.expect("the rest pose").into_iter().map(|primitive| primitive.tangents).collect()
    };
    for fault in IN_TANGENTS.into_iter().filter(|fault| *fault != Fault::BitangentSignLost) {
        assert_ne!(tangents(&[fault]), tangents(&[]), "{fault}");
    }
}

/// The scene with a tangent along x at every vertex.
fn with_tangents(mut scene: Scene) -> Scene {
    for primitive in scene.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        primitive.tangents = Some(vec![[0.6, 0.0, 0.8, 1.0]; primitive.positions.len()]);
    }
    scene
}

#[test]
fn the_command_says_what_a_mistake_is() {
    let refrast = |arguments: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_refrast")).args(arguments).output();
        output.expect("the program is built before its tests")
    };
    let listed = refrast(&["faults", "--list"]);
    let text = String::from_utf8(listed.stdout).expect("names are text");
    assert_eq!(text.lines().count(), Fault::ALL.len());
    let unknown = refrast(&["faults", "matrix-inverted"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("matrix-transposed"));
}
