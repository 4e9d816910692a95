//! Vertex programs as the vertex stage: positions within the bound of theory, the same picture however it is made.
//!
//! Real models are found as in `scene_loading.rs`; where they are missing the tests say so and use the built-in character.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

use refrast::{
    animation::Pose,
    golden::Picture,
    raster::{CullMode, Draw, DrawState, LinearRgba, RasterSettings, Rasteriser, Target, VertexStream},
    render::{
        Camera, DrawnVertices, Orbit, RenderSettings, Renderer,
        program::{Bindings, Preset, ProgramSettings},
    },
    scene::{Influences, Scene},
    shading::{ColorSpace, FixedFunctionShader, LightSource, Lighting, ShadingMode, TextureSet},
    simd::SimdLevel,
    skinning::{
        Deformation, DeformedVertices, NormalMode, Palette, Placement, PreparedPrimitive, SkinningMethod,
        limit_influences,
    },
    vertex_program::{LibraryProgram, NumericModel, Settings, assemble},
};

/// A character in mid-movement.
struct Shot {
    name: &'static str,
    scene: Scene,
    pose: Pose,
    camera: Camera,
    settings: RenderSettings,
}

fn models() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models");
    let folder = std::env::var_os("REFRAST_MODELS").map_or(default, PathBuf::from);
    let found = folder.is_dir();
    if !found {
        eprintln!("SKIPPED in part: no models in {} (set REFRAST_MODELS to their folder)", folder.display());
    }
    found.then_some(folder)
}

impl Shot {
    fn of(name: &'static str, scene: Scene, animation: usize, seconds: f32) -> Self {
        let settings = RenderSettings { width: 200, height: 320, ..RenderSettings::default() };
        let pose = Pose::sample(&scene, animation, seconds).unwrap();
        let bounds = Renderer::new(&scene, settings).unwrap().bounds(&pose).unwrap();
        let camera = Camera::orbit(&bounds, Orbit::default(), 200.0 / 320.0, settings.convention);
        Self { name, scene, pose, camera, settings }
    }

    fn mannequin() -> Self {
        let scene = Scene::mannequin().unwrap();
        let walk = scene.find_animation("Walk").unwrap();
        Self::of("mannequin", scene, walk, 0.3)
    }

    fn model(name: &'static str, file: &str, seconds: f32) -> Option<Self> {
        let scene = Scene::load(models()?.join(file)).unwrap_or_else(|error| panic!("{error}"));
        Some(Self::of(name, scene, 0, seconds))
    }

    fn all() -> Vec<Self> {
        let mut shots = vec![Self::mannequin()];
        shots.extend(Self::model("CesiumMan", "CesiumMan/CesiumMan.glb", 0.7));
        shots
    }

    fn renderer(&self, program: ProgramSettings) -> Renderer<'_> {
        let mut renderer = Renderer::with_program(&self.scene, self.settings, program)
            .unwrap_or_else(|error| panic!("{}: {error}", self.name));
        renderer.render(&self.pose, &self.camera).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        renderer
    }

    fn picture(&self, program: ProgramSettings) -> Vec<u8> {
        self.renderer(program).render(&self.pose, &self.camera).unwrap().rgba().to_vec()
    }
}

/// The program of the library in its form number 0 (VP1.0), 1 (ARB) or 2 (vs_1_1).
fn library(name: &str, form: usize, model: NumericModel) -> ProgramSettings {
    let text = LibraryProgram::named(name).unwrap().texts()[form];
    let program = assemble(text).unwrap().program;
    ProgramSettings {
        bindings: Bindings::from(Preset::of_library_program(name)),
        machine: Settings { model, ..Settings::default() },
        ..ProgramSettings::new(program)
    }
}

/// The unit of rounding: to nearest for `ieee`, toward zero for `nv-spec`.
fn unit(model: NumericModel) -> f64 {
    match model {
        NumericModel::Ieee => 0.5 * f64::from(f32::EPSILON),
        NumericModel::NvSpec => f64::from(f32::EPSILON),
    }
}

/// The largest error of all clip positions ÷ its bound. The exact value is Σ w·P·M·v in f64 of the numbers that go in; the bound
/// is that of Higham's gamma with `roundings` roundings in the longest chain, on Σ |P||w||M||v|.
///
/// With `apart`, M is the product of world matrix and inverse bind matrix, both of which are rounded with.
fn worst_share(shot: &Shot, renderer: &Renderer<'_>, unit: f64, roundings: i32, apart: bool) -> f64 {
    let projection = shot.camera.view_projection().as_dmat4();
    let gamma = f64::from(roundings) * unit / (1.0 - f64::from(roundings) * unit);
    let mut worst = 0.0f64;
    for DrawnVertices { node, primitive, source_vertices, stream } in renderer.stage().drawn_vertices() {
        assert!(shot.pose.weights[node].iter().all(|&weight| weight == 0.0), "the bound is that of skinning alone");
        let skin = shot.scene.nodes[node].skin.map(|skin| &shot.scene.skins[skin]);
        let skin = skin.filter(|_| primitive.influences.is_some());
        let palette = skin.map(|skin| Palette::of_skin(skin, &shot.pose));
        for own in 0..stream.len() {
            let vertex = source_vertices.map_or(own, |vertices| vertices[own] as usize);
            let influences = match (skin, &primitive.influences) {
                (Some(_), Some(influences)) => {
                    let range = vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex;
                    let joints = influences.joints[range.clone()].iter().map(|&joint| Some(usize::from(joint)));
                    joints.zip(influences.weights[range].iter().copied()).collect()
                }
                _ => vec![(None, 1.0)],
            };
            let [x, y, z] = primitive.positions[vertex].map(f64::from);
            let rest = [x, y, z, 1.0];
            let (mut exact, mut magnitude) = ([0.0; 4], [0.0; 4]);
            for (joint, weight) in influences {
                let chain = match (joint, skin, &palette) {
                    (Some(joint), Some(skin), _) if apart => {
                        vec![skin.inverse_bind_matrices[joint], shot.pose.worlds[skin.joints[joint]]]
                    }
                    (Some(joint), _, Some(palette)) => vec![palette.matrix(joint)],
                    _ => vec![shot.pose.worlds[node]],
                };
                let (mut v, mut size) = (rest, rest.map(f64::abs));
                for matrix in chain.iter().map(glam::Mat4::as_dmat4).chain([projection]) {
                    let row = |r: usize| matrix.row(r).to_array();
                    let (before, sizes) = (v, size);
                    v = std::array::from_fn(|r| (0..4).map(|c| row(r)[c] * before[c]).sum());
                    size = std::array::from_fn(|r| (0..4).map(|c| row(r)[c].abs() * sizes[c]).sum());
                }
                for r in 0..4 {
                    exact[r] += f64::from(weight) * v[r];
                    magnitude[r] += f64::from(weight).abs() * size[r];
                }
            }
            for (r, found) in stream.position(own).into_iter().enumerate() {
                let share = (f64::from(found) - exact[r]).abs() / (gamma * magnitude[r]);
                assert!(share <= 1.0, "{} vertex {vertex}: component {r} is {share} bounds off", shot.name);
                worst = worst.max(share);
            }
        }
    }
    worst
}

/// Joint row · vertex, weight, sum of four, projection row · vertex: 4 + 1 + 3 + 4 roundings.
const SKINNING_ROUNDINGS: i32 = 12;

#[test]
fn bone_offset_and_native_skinning_stay_within_one_bound() {
    for shot in Shot::all() {
        for name in ["bone_offset_4", "accumulated_matrix"] {
            for model in [NumericModel::Ieee, NumericModel::NvSpec] {
                let renderer = shot.renderer(library(name, 0, model));
                let worst = worst_share(&shot, &renderer, unit(model), SKINNING_ROUNDINGS, false);
                eprintln!("{}: {name}, {model:?}: {worst:.3} of the bound", shot.name);
                // Rounding shows, or the test looked at nothing.
                assert!(worst > 0.01, "{}: {name} {worst}", shot.name);
            }
        }
        let mut native = Renderer::new(&shot.scene, shot.settings).unwrap();
        native.render(&shot.pose, &shot.camera).unwrap();
        let worst = worst_share(&shot, &native, unit(NumericModel::Ieee), SKINNING_ROUNDINGS, false);
        eprintln!("{}: native: {worst:.3} of the bound", shot.name);
        assert!(worst > 0.01, "{}: native {worst}", shot.name);
    }
}

#[test]
fn vertex_offset_needs_no_inverse_bind_matrices_in_the_palette() {
    for shot in Shot::all() {
        for model in [NumericModel::Ieee, NumericModel::NvSpec] {
            let renderer = shot.renderer(library("vertex_offset_4", 0, model));
            // The inverse bind matrix costs four more.
            worst_share(&shot, &renderer, unit(model), SKINNING_ROUNDINGS + 4, true);
        }
    }
}

#[test]
fn all_dialects_draw_the_same_picture() {
    let shot = Shot::mannequin();
    for name in ["bone_offset_4", "bone_offset_tangent_4", "vertex_offset_4", "dual_quaternion_4"] {
        let [nvidia, arb, direct3d] = [0, 1, 2].map(|form| shot.picture(library(name, form, NumericModel::Ieee)));
        assert!(nvidia == arb, "{name}: the ARB form differs");
        assert!(nvidia == direct3d, "{name}: the vs_1_1 form differs");
    }
}

#[test]
fn a_mesh_in_sections_gives_the_same_picture() {
    for shot in Shot::all() {
        let whole = shot.renderer(library("bone_offset_4", 0, NumericModel::NvSpec));
        let picture = shot.picture(library("bone_offset_4", 0, NumericModel::NvSpec));
        for constants in [96, 12 + 3 * 12, 12 + 3 * 10] {
            let program = ProgramSettings { constants, ..library("bone_offset_4", 0, NumericModel::NvSpec) };
            let split = shot.renderer(program.clone());
            let count = |renderer: &Renderer<'_>| renderer.stage().drawn_vertices().count();
            if constants < 96 {
                assert!(count(&split) > count(&whole), "{}: nothing was split", shot.name);
            }
            assert!(shot.picture(program) == picture, "{}: {constants} constants change the picture", shot.name);
        }
    }
}

#[test]
fn simd_levels_and_threads_change_nothing() {
    let shot = Shot::mannequin();
    let program = || ProgramSettings { constants: 48, ..library("bone_offset_4", 0, NumericModel::NvSpec) };
    let expected = shot.picture(program());
    for simd in SimdLevel::available() {
        for threads in [1, 3] {
            let settings = RenderSettings { simd, threads: NonZeroUsize::new(threads), ..shot.settings };
            let mut renderer = Renderer::with_program(&shot.scene, settings, program()).unwrap();
            let frame = renderer.render(&shot.pose, &shot.camera).unwrap();
            assert!(frame.rgba() == expected, "{simd}, {threads} threads");
        }
    }
}

/// Native linear skinning with the light of the programs, computed here: max(n·l, 0)·diffuse + ambient in f32.
fn natively_lit(shot: &Shot, normals: NormalMode) -> Vec<u8> {
    let (scene, pose) = (&shot.scene, &shot.pose);
    let textures = TextureSet::new(scene, ShadingMode::Lambert).unwrap();
    let lighting = Lighting::new(scene, &pose.worlds, shot.camera.view, shot.camera.projection);
    let LightSource::Directional { to_light } = lighting.lights[0].source else { panic!("a directional light") };
    let clip = shot.camera.view_projection();
    let mut streams = Vec::new();
    for &node in &scene.drawn {
        let Some(mesh) = scene.nodes[node].mesh else { continue };
        for primitive in &scene.meshes[mesh].primitives {
            let skin = scene.nodes[node].skin.filter(|_| primitive.influences.is_some());
            let palette = skin.map(|skin| Palette::of_skin(&scene.skins[skin], pose));
            let mut vertices = DeformedVertices::default();
            let placement = palette.as_ref().map_or(Placement::Node(pose.worlds[node]), Placement::Skin);
            let deformation = Deformation {
                primitive: &PreparedPrimitive::new(primitive),
                placement,
                morph_weights: &pose.weights[node],
                method: SkinningMethod::Linear,
                normals,
                level: SimdLevel::best(),
            };
            deformation.run(&mut vertices).unwrap();
            let material = &scene.materials[primitive.material];
            let mut stream = VertexStream::default();
            stream.resize(vertices.len(), 8);
            for vertex in 0..vertices.len() {
                let position = clip * glam::Vec3::from(vertices.position(vertex)).extend(1.0);
                [stream.x[vertex], stream.y[vertex], stream.z[vertex], stream.w[vertex]] = position.to_array();
                let normal = vertices.normal(vertex).unwrap();
                let lambert = (0..3).map(|i| normal[i] * to_light[i]).sum::<f32>().max(0.0);
                let row = &mut stream.varyings[8 * vertex..8 * vertex + 8];
                for (i, channel) in row.iter_mut().enumerate().take(3) {
                    let light = lighting.lights[0].radiance[i] * lambert + lighting.ambient[i];
                    *channel = (material.base_color_factor[i] * light).clamp(0.0, 1.0);
                }
                row[3] = material.base_color_factor[3];
                let texture = material.base_color_texture.map_or(0, |reference| reference.texcoord);
                let texcoord = primitive.texcoords.get(texture).map_or([0.0; 2], |set| set[vertex]);
                row[4..6].copy_from_slice(&texcoord);
            }
            streams.push((primitive, material, stream));
        }
    }
    let draws: Vec<_> = streams
        .iter()
        .map(|(primitive, material, stream)| {
            let texture = material.base_color_texture.and_then(|reference| textures.color(reference.texture));
            Draw {
                stream,
                topology: refrast::raster::PrimitiveTopology::Triangles,
                indices: &primitive.indices,
                state: DrawState {
                    cull: if material.double_sided { CullMode::None } else { CullMode::Back },
                    ..DrawState::default()
                },
                shader: FixedFunctionShader {
                    color: 0,
                    texture: texture.map(|texture| (texture, 4)),
                    dot3: None,
                    blended: false,
                },
            }
        })
        .collect();
    let RenderSettings { width, height, samples, convention, subpixel_bits, simd, .. } = shot.settings;
    let background = ColorSpace::Srgb.decode([
        shot.settings.background[0],
        shot.settings.background[1],
        shot.settings.background[2],
        255,
    ]);
    let settings =
        RasterSettings { width, height, samples, convention, subpixel_bits, background, keep_depth: false, simd };
    let mut target = Target::new();
    Rasteriser::new().draw(&settings, &draws, &LinearRgba, &mut target).unwrap();
    target.pixels().iter().flat_map(|&pixel| ColorSpace::Srgb.encode(pixel)).collect()
}

/// The largest difference of a channel, pixel by pixel.
fn steps<'a>(a: &'a [u8], b: &'a [u8]) -> impl Iterator<Item = u8> {
    let pixels = a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0);
    pixels.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0))
}

/// How many pixels show the character.
fn drawn(shot: &Shot, picture: &[u8]) -> usize {
    picture.as_chunks::<4>().0.iter().filter(|pixel| pixel[..3] != shot.settings.background).count()
}

/// The programs turn normals by the blended matrix itself, as the talk does. By that rule too, native skinning rounds at
/// other places and nothing else is different: a colour may fall to the other side of a step, and no further.
#[test]
fn the_program_and_native_skinning_under_the_same_light_look_the_same() {
    for shot in Shot::all() {
        let native = natively_lit(&shot, NormalMode::RotationOnly);
        for model in [NumericModel::Ieee, NumericModel::NvSpec] {
            let program = shot.picture(library("bone_offset_4", 0, model));
            let drawn = drawn(&shot, &program);
            assert!(drawn > 4000, "{}: {drawn} pixels show the character", shot.name);
            let off = steps(&program, &native).filter(|&step| step > 0).count();
            let worst = steps(&program, &native).max().unwrap();
            eprintln!("{}, {model:?}: {off} of {drawn} pixels are off, by at most {worst}", shot.name);
            assert!(worst <= 1, "{}, {model:?}: a pixel is off by {worst}", shot.name);
            assert!(off * 200 < drawn, "{}, {model:?}: {off} of {drawn} pixels are off", shot.name);
            side_by_side(&shot, &program, &native);
        }
    }
}

/// Where joints bend a surface, a blend of rotations shears, and normals by its inverse transpose are others. So the light is,
/// by a little; the silhouette is not.
#[test]
fn normals_by_the_inverse_transpose_change_the_light_and_not_the_shape() {
    for shot in Shot::all() {
        let program = shot.picture(library("bone_offset_4", 0, NumericModel::Ieee));
        let native = natively_lit(&shot, NormalMode::InverseTranspose);
        assert_eq!(drawn(&shot, &program), drawn(&shot, &native), "{}", shot.name);
        let off = steps(&program, &native).filter(|&step| step > 1).count();
        let worst = steps(&program, &native).max().unwrap();
        eprintln!("{}: {off} pixels are lit otherwise, by at most {worst} steps", shot.name);
        assert!(off > 0 && worst <= 16, "{}: {off} pixels, {worst} steps", shot.name);
    }
}

/// Leaves a picture to look at: the program's on the left, native skinning's on the right.
fn side_by_side(shot: &Shot, left: &[u8], right: &[u8]) {
    let row = 4 * shot.settings.width as usize;
    let rows = left.chunks_exact(row).zip(right.chunks_exact(row));
    let both: Vec<u8> = rows.flat_map(|(left, right)| [left, right].concat()).collect();
    let picture = Picture::from_rgba8(2 * shot.settings.width, shot.settings.height, both).unwrap();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("program_{}.png", shot.name));
    picture.write(&path).unwrap();
    eprintln!("side by side: {}", path.display());
}

/// A program that reads fewer influences gets the largest ones, rescaled to a sum of 1: what native skinning makes of them.
#[test]
fn fewer_influences_are_the_largest_ones_rescaled() {
    for shot in Shot::all() {
        let four = shot.picture(library("bone_offset_4", 0, NumericModel::Ieee));
        for (name, most) in [("bone_offset_1", 1), ("bone_offset_2", 2), ("bone_offset_3", 3)] {
            let fewer = shot.picture(library(name, 0, NumericModel::Ieee));
            let most = NonZeroUsize::new(most).unwrap();
            let mut limited = Shot { scene: shot.scene.clone(), pose: shot.pose.clone(), ..shot };
            for primitive in limited.scene.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
                primitive.influences = primitive.influences.take().map(|all| limit_influences(&all, most));
                let Some(Influences { per_vertex, weights, .. }) = &primitive.influences else { continue };
                let sums = weights.chunks_exact(*per_vertex).map(|weights| weights.iter().sum::<f32>());
                assert!(sums.into_iter().all(|sum| (sum - 1.0).abs() < 1e-6), "{name}: weights that do not add up");
            }
            let native = natively_lit(&limited, NormalMode::RotationOnly);
            let worst = steps(&fewer, &native).max().unwrap();
            assert!(worst <= 1, "{}, {name}: a pixel is off by {worst}", shot.name);
            // The joints that are left out do show.
            assert!(fewer != four, "{}, {name}: as with four influences", shot.name);
            // Without rescaling, vertices are pulled to the origin, and the character apart.
            let (fewer, four) = (drawn(&shot, &fewer), drawn(&shot, &four));
            assert!(fewer.abs_diff(four) * 50 < four, "{}, {name}: {fewer} pixels, not {four}", shot.name);
        }
    }
}

#[test]
fn morph_targets_are_blended_by_the_program() {
    let Some(shot) = Shot::model("AnimatedMorphCube", "AnimatedMorphCube/AnimatedMorphCube.gltf", 1.3) else { return };
    let renderer = shot.renderer(library("morph_targets_5", 0, NumericModel::Ieee));
    let mut moved = 0;
    for DrawnVertices { node, primitive, stream, .. } in renderer.stage().drawn_vertices() {
        let matrix = shot.camera.view_projection().as_dmat4() * shot.pose.worlds[node].as_dmat4();
        for vertex in 0..stream.len() {
            let mut position = glam::DVec3::from(primitive.positions[vertex].map(f64::from));
            for (target, &weight) in primitive.targets.iter().zip(&shot.pose.weights[node]) {
                let displacement = target.positions.as_ref().map_or([0.0; 3], |positions| positions[vertex]);
                position += f64::from(weight) * glam::DVec3::from(displacement.map(f64::from));
                moved += usize::from(weight != 0.0 && displacement != [0.0; 3]);
            }
            let exact = (matrix * position.extend(1.0)).to_array();
            for (found, exact) in stream.position(vertex).into_iter().zip(exact) {
                assert!((f64::from(found) - exact).abs() < 1e-5 * (1.0 + exact.abs()), "vertex {vertex}");
            }
        }
    }
    assert!(moved > 0, "the pose has to morph something");
}

#[test]
fn what_a_program_can_not_draw_is_refused_with_a_reason() {
    let shot = Shot::mannequin();
    let refused = |program: ProgramSettings, settings: RenderSettings| {
        let renderer = Renderer::with_program(&shot.scene, settings, program);
        renderer.err().expect("a refusal").to_string()
    };
    let bone_offset = || library("bone_offset_4", 0, NumericModel::NvSpec);
    let few = ProgramSettings { constants: 18, ..bone_offset() };
    assert!(refused(few, shot.settings).contains("2 joints"));
    let none = ProgramSettings { constants: 13, ..bone_offset() };
    assert!(refused(none, shot.settings).contains("no joint fits"));
    let outside = ProgramSettings { constants: 4, ..bone_offset() };
    assert!(refused(outside, shot.settings).contains("no joint fits"));
    assert!(refused(library("two_matrix_blend", 0, NumericModel::NvSpec), shot.settings).contains("no palette"));
    let normals = RenderSettings { shading: ShadingMode::Normals, ..shot.settings };
    assert!(refused(bone_offset(), normals).contains("lambert or unlit"));
    let five = assemble("!!VP1.0\nARL A0.x, v[6].x;\nADD R0, c[A0.x + 12], v[0];\nADD o[HPOS], R0, c[A0.x + 16];\nEND");
    assert!(refused(ProgramSettings::new(five.unwrap().program), shot.settings).contains("5 registers"));
    let state = assemble(
        "!!ARBvp1.0\nPARAM c[90] = { program.env[0..89] };\nADDRESS a;\nARL a.x, vertex.attrib[6].x;\n\
        ADD result.position, c[a.x + 12], c[a.x + 14];\nMOV result.color, state.fog.color;\nEND",
    );
    let mut renderer =
        Renderer::with_program(&shot.scene, shot.settings, ProgramSettings::new(state.unwrap().program)).unwrap();
    let error = renderer.render(&shot.pose, &shot.camera).unwrap_err().to_string();
    assert!(error.contains("state.fog.color"), "{error}");
}

/// The program text that the talk prints between quotes, joined as a C compiler would.
fn talk_program() -> Option<String> {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/seeds");
    let entries = std::fs::read_dir(&seeds).ok()?;
    let texts = entries.filter_map(|entry| std::fs::read_to_string(entry.ok()?.path()).ok());
    let quoted = texts.filter_map(|talk| {
        let first = talk.find("\"!!VP1.0")?;
        let last = first + talk[first..].find("\"END\"")? + "\"END\"".len();
        let pieces = talk[first..last].lines().flat_map(|line| line.split('"').skip(1).step_by(2));
        Some(pieces.map(|piece| piece.replace("\\n", "\n")).collect())
    });
    quoted.collect::<Vec<_>>().pop()
}

#[test]
fn the_printed_program_of_the_talk_draws_a_gltf_character_unchanged() {
    let Some(text) = talk_program() else {
        eprintln!("SKIPPED: the talk is not in ../shared/seeds");
        return;
    };
    let mut bindings = Bindings::from(Preset::VertexOffset);
    // The talk has the light one register later than the library.
    bindings.add("c6=light").unwrap();
    for shot in Shot::all() {
        let program = assemble(&text).unwrap().program;
        let program = ProgramSettings { bindings: bindings.clone(), ..ProgramSettings::new(program) };
        let worst =
            worst_share(&shot, &shot.renderer(program), unit(NumericModel::NvSpec), SKINNING_ROUNDINGS + 4, true);
        assert!(worst > 0.01, "{}: {worst}", shot.name);
    }
}
