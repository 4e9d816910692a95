//! Bevy: refrast-bevy CASE.json OUT.png, by Vulkan and without a window, or OUT.npy for its vertices in world space.

mod mends;
mod vertices;

use std::{env, fs, process::exit};

use bevy::{
    app::PluginsState,
    asset::{AssetPlugin, RenderAssetUsages, UnapprovedPathMode, uuid_handle},
    camera::{Exposure, Hdr, RenderTarget},
    core_pipeline::tonemapping::Tonemapping,
    gltf::Gltf,
    pbr::{ExtendedMaterial, MaterialExtension},
    prelude::*,
    render::{
        render_resource::{AsBindGroup, TextureFormat, TextureUsages},
        view::screenshot::{Screenshot, ScreenshotCaptured},
    },
    shader::ShaderRef,
    tasks::tick_global_task_pools_on_main_thread,
    window::ExitCondition,
};
use serde_json::Value;

const SHADER: Handle<Shader> = uuid_handle!("6b3a3b0e-9a0f-4c3c-8a53-4f5d3d2c9a01");
const WGSL: &str = "#import bevy_pbr::forward_io::VertexOutput
@group(#{MATERIAL_BIND_GROUP}) @binding(100) var<uniform> has_two_sides: f32;
@fragment fn fragment(in: VertexOutput, @builtin(front_facing) is_front: bool) -> @location(0) vec4<f32> {
    let normal = normalize(select(in.world_normal, -in.world_normal, has_two_sides > 0.0 && !is_front));
    return vec4(normal * 0.5 + 0.5, 1.0);
}";

/// Normals in the world for colours; which sides are drawn is the file's material's.
#[derive(Asset, AsBindGroup, TypePath, Clone)]
struct Normals {
    #[uniform(100)]
    has_two_sides: f32,
}

impl MaterialExtension for Normals {
    fn fragment_shader() -> ShaderRef {
        SHADER.into()
    }
}

type WithNormals = ExtendedMaterial<StandardMaterial, Normals>;

/// The bytes of the picture, once they are there.
#[derive(Resource)]
struct Captured(Vec<u8>);

fn main() {
    if env::args().nth(1).as_deref() == Some("--version") {
        let (_, rest) =
            include_str!("../Cargo.lock").split_once("name = \"bevy\"\nversion = \"").expect("Bevy is locked");
        return println!("{}", rest.split('"').next().expect("a version"));
    }
    let [_, case, out] = env::args().collect::<Vec<_>>().try_into().expect("refrast-bevy CASE.json OUT.png");
    let case: Value = serde_json::from_slice(&fs::read(case).expect("a case")).expect("JSON");
    let mut app = App::new();
    app.add_plugins((
        DefaultPlugins
            .set(WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() })
            .set(AssetPlugin {
                file_path: "/".to_owned(),
                unapproved_path_mode: UnapprovedPathMode::Allow,
                ..default()
            }),
        MaterialPlugin::<WithNormals>::default(),
    ));
    while app.plugins_state() == PluginsState::Adding {
        tick_global_task_pools_on_main_thread();
    }
    app.finish();
    app.cleanup();
    app.world_mut()
        .resource_mut::<Assets<Shader>>()
        .insert(&SHADER, Shader::from_wgsl(WGSL, "normals.wgsl"))
        .expect("a shader");

    let path = case["scene_file"].as_str().expect("a file").to_owned();
    let gltf: Handle<Gltf> = app.world().resource::<AssetServer>().load(path);
    while !app.world().resource::<AssetServer>().is_loaded_with_dependencies(&gltf) {
        app.update();
        if app.world().resource::<AssetServer>().load_state(&gltf).is_failed() {
            exit(1); // The log says why.
        }
    }
    mends::mend(app.world_mut(), &case);
    let gltf = app.world_mut().resource_mut::<Assets<Gltf>>().remove(&gltf).expect("it is loaded");
    let scene = gltf.default_scene.clone().unwrap_or_else(|| gltf.scenes[0].clone());
    // In this order: morph targets of a scene that is there before a camera are not drawn.
    let target = look(app.world_mut(), &case);
    app.world_mut().spawn(WorldAssetRoot(scene));
    app.update();
    app.update();
    pose(app.world_mut(), &gltf, &case);
    dress(app.world_mut(), &case);
    // The clip is bound, pipelines are made and textures uploaded within these.
    for _ in 0..8 {
        app.update();
    }
    if out.ends_with(".npy") {
        let points = vertices::vertices(app.world_mut(), &gltf);
        return fs::write(out, vertices::npy(&points)).expect("the vertices can be written");
    }
    app.world_mut().spawn(Screenshot::image(target)).observe(
        |captured: On<ScreenshotCaptured>, mut commands: Commands| {
            commands.insert_resource(Captured(captured.image.data.clone().expect("pixels")));
        },
    );
    while !app.world().contains_resource::<Captured>() {
        app.update();
    }
    let Captured(bytes) = app.world_mut().remove_resource().expect("it is there");
    let [width, height] = size(&case);
    let bytes = if mends::keeps_light(&case) { mends::encoded(&bytes) } else { bytes };
    let picture = image::RgbaImage::from_raw(width, height, bytes).expect("four bytes a pixel");
    image::DynamicImage::from(picture).to_rgb8().save(out).expect("the picture can be written");
}

/// Every animated root of the scene at the moment of the case.
fn pose(world: &mut World, gltf: &Gltf, case: &Value) {
    let Some(name) = case["animation"].as_str() else { return };
    let clip = gltf
        .named_animations
        .get(name)
        .cloned()
        .unwrap_or_else(|| gltf.animations[name.parse::<usize>().expect("a clip")].clone());
    let (graph, node) = AnimationGraph::from_clip(clip);
    let graph = world.resource_mut::<Assets<AnimationGraph>>().add(graph);
    let mut players = world.query::<(Entity, &mut AnimationPlayer)>();
    let mut roots = Vec::new();
    for (root, mut player) in players.iter_mut(world) {
        player.play(node).set_speed(0.0).seek_to(case["time"].as_f64().expect("a time") as f32);
        roots.push(root);
    }
    for root in roots {
        world.entity_mut(root).insert(AnimationGraphHandle(graph.clone()));
    }
}

/// The camera and its target: of light for colours, of numbers for normals. A light of one lux is one there, and none comes from everywhere.
fn look(world: &mut World, case: &Value) -> Handle<Image> {
    let is_of_light = case["shading"] != "normals";
    let [width, height] = size(case);
    let format = match is_of_light {
        true if mends::keeps_light(case) => TextureFormat::Rgba32Float,
        true => TextureFormat::Rgba8UnormSrgb,
        false => TextureFormat::Rgba8Unorm,
    };
    let mut target = Image::new_target_texture(width, height, format, None);
    target.texture_descriptor.usage |= TextureUsages::COPY_SRC;
    target.asset_usage = RenderAssetUsages::default();
    let target = world.resource_mut::<Assets<Image>>().add(target);
    let matrix = |name: &str| {
        Mat4::from_cols_array(&std::array::from_fn(|place| case[name][place].as_f64().expect("a number") as f32))
    };
    let projection = matrix("projection").to_cols_array_2d();
    let [depth, from] = [projection[2][2], projection[3][2]];
    let perspective = PerspectiveProjection {
        fov: 2.0 * (1.0 / projection[1][1]).atan(),
        near: from / (depth - 1.0),
        far: from / (depth + 1.0),
        ..default()
    };
    let hexadecimal = case["background"].as_str().expect("a colour");
    let background = Srgba::hex(hexadecimal).expect("a colour");
    // A number, or the words of a pattern.
    let samples = case["samples"].to_string();
    world.insert_resource(GlobalAmbientLight::NONE);
    let mut camera = world.spawn((
        Camera3d::default(),
        Camera {
            clear_color: if is_of_light {
                Color::from(background)
            } else {
                Color::linear_rgb(background.red, background.green, background.blue)
            }
            .into(),
            ..default()
        },
        RenderTarget::Image(target.clone().into()),
        Projection::from(perspective),
        Transform::from_matrix(matrix("view").inverse()),
        Tonemapping::None,
        // Which divides by 1.2.
        Exposure { ev100: -1.2_f32.log2() },
        if samples == "1" { Msaa::Off } else { Msaa::Sample4 },
    ));
    if mends::keeps_light(case) {
        camera.insert(Hdr);
    }
    target
}

/// Materials that show normals, where the case asks for them.
fn dress(world: &mut World, case: &Value) {
    if case["shading"] != "normals" {
        return;
    }
    let mut drawn = world.query::<(Entity, &MeshMaterial3d<StandardMaterial>)>();
    let drawn: Vec<_> = drawn.iter(world).map(|(mesh, material)| (mesh, material.clone())).collect();
    for (mesh, material) in drawn {
        let base = world.resource::<Assets<StandardMaterial>>().get(&material).expect("it is loaded").clone();
        let extension = Normals { has_two_sides: f32::from(u8::from(base.double_sided)) };
        let own = world.resource_mut::<Assets<WithNormals>>().add(ExtendedMaterial { base, extension });
        world.entity_mut(mesh).remove::<MeshMaterial3d<StandardMaterial>>().insert(MeshMaterial3d(own));
    }
}

fn size(case: &Value) -> [u32; 2] {
    ["width", "height"].map(|name| case[name].as_u64().expect("a size") as u32)
}
