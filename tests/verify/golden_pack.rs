//! A pack drawn again from nothing but the pack: its JSON and its raw files.

use std::{
    fs,
    path::{Path, PathBuf},
    process,
};

use glam::Mat4;
use refrast::{
    animation::Pose,
    golden::Picture,
    raster::SampleCount,
    render::{Camera, RenderSettings, Renderer},
    scene::{
        AlphaMode, Filter, Image, Influences, Material, Mesh, MorphTarget, Node, Primitive, Sampler, Scene, Skin,
        Texture, TextureReference, TextureTransform, Transform, Wrap,
    },
    shading::TextureSet,
    verify::cases::{GoldenFolder, PackSettings},
};
use serde_json::Value;

/// A pack that is being read.
struct Pack(PathBuf);

impl Pack {
    fn json(&self, place: &str) -> Value {
        serde_json::from_slice(&fs::read(self.0.join(place)).unwrap()).unwrap()
    }

    fn bytes(&self, data: &Value) -> Vec<u8> {
        fs::read(self.0.join(data["file"].as_str().unwrap())).unwrap()
    }

    fn floats<const N: usize>(&self, data: &Value) -> Option<Vec<[f32; N]>> {
        data.as_object()?;
        let bytes = self.bytes(data);
        let numbers: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|&number| f32::from_le_bytes(number)).collect();
        let elements = numbers.as_chunks::<N>().0.to_vec();
        assert_eq!(elements.len() as u64, data["count"].as_u64().unwrap());
        Some(elements)
    }

    fn matrices(&self, data: &Value) -> Vec<Mat4> {
        self.floats::<16>(data).unwrap().iter().map(Mat4::from_cols_array).collect()
    }
}

fn numbers<const N: usize>(value: &Value) -> [f32; N] {
    let numbers: Vec<f32> = value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap() as f32).collect();
    numbers.try_into().unwrap()
}

fn reference(value: &Value) -> Option<TextureReference> {
    value.as_object()?;
    Some(TextureReference {
        texture: value["texture"].as_u64()? as usize,
        texcoord: value["texcoord"].as_u64()? as usize,
        transform: TextureTransform {
            offset: numbers(&value["offset"]),
            rotation: value["rotation"].as_f64()? as f32,
            scale: numbers(&value["scale"]),
        },
    })
}

fn material(value: &Value) -> Material {
    Material {
        base_color_factor: numbers(&value["base-color-factor"]),
        base_color_texture: reference(&value["base-color-texture"]),
        emissive_factor: numbers(&value["emissive-factor"]),
        emissive_texture: reference(&value["emissive-texture"]),
        alpha_mode: match value["alpha-mode"].as_str().unwrap() {
            "mask" => AlphaMode::Mask { cutoff: value["cutoff"].as_f64().unwrap() as f32 },
            "blend" => AlphaMode::Blend,
            _ => AlphaMode::Opaque,
        },
        double_sided: value["double-sided"].as_bool().unwrap(),
        unlit: value["unlit"].as_bool().unwrap(),
        ..Material::default()
    }
}

fn sampler(value: &Value) -> Sampler {
    let filter = |value: &Value| match value.as_str() {
        Some("nearest") => Filter::Nearest,
        _ => Filter::Linear,
    };
    let wrap = |value: &Value| match value.as_str().unwrap() {
        "clamp-to-edge" => Wrap::ClampToEdge,
        "mirrored-repeat" => Wrap::MirroredRepeat,
        _ => Wrap::Repeat,
    };
    Sampler {
        magnification: filter(&value["magnification"]),
        minification: filter(&value["minification"]),
        mip: value["mip"].is_string().then(|| filter(&value["mip"])),
        wrap_u: wrap(&value["wrap-u"]),
        wrap_v: wrap(&value["wrap-v"]),
    }
}

/// A scene in which each draw has its own joints, placed where the pack says.
fn scene(pack: &Pack, case: &Value) -> Scene {
    let mut scene = Scene::default();
    scene.materials.clear();
    let placed = |matrix: Mat4| Node { transform: Transform::Matrix(matrix), ..Node::default() };
    for texture in case["textures"].as_array().unwrap() {
        let (mut image, mut own) =
            (Image { width: 1, height: 1, rgba: vec![255; 4], name: None, jpeg: None }, Sampler::default());
        if texture.is_object() {
            let level = &texture["levels"][0];
            let [width, height] = ["width", "height"].map(|side| level[side].as_u64().unwrap() as u32);
            image = Image { name: None, width, height, rgba: pack.bytes(&level["texels"]), jpeg: None };
            own = sampler(texture);
        }
        scene.textures.push(Texture { image: scene.images.len(), sampler: own });
        scene.images.push(image);
    }
    for draw in case["draws"].as_array().unwrap() {
        assert_eq!(draw["topology"], "triangles");
        let mut influences = None;
        let mut skin = None;
        let mut node = placed(Mat4::IDENTITY);
        if draw["influences"].is_object() {
            let own = &draw["influences"];
            let joints = pack.bytes(&own["joints"]);
            influences = Some(Influences {
                per_vertex: own["per-vertex"].as_u64().unwrap() as usize,
                joints: joints.as_chunks::<2>().0.iter().map(|&joint| u16::from_le_bytes(joint)).collect(),
                weights: pack.floats::<1>(&own["weights"]).unwrap().into_flattened(),
            });
            let worlds = pack.matrices(&draw["joint-worlds"]);
            let joints = (scene.nodes.len()..scene.nodes.len() + worlds.len()).collect();
            scene.nodes.extend(worlds.into_iter().map(placed));
            skin = Some(scene.skins.len());
            let inverse_bind_matrices = pack.matrices(&draw["inverse-binds"]);
            scene.skins.push(Skin { joints, inverse_bind_matrices, ..Skin::default() });
        } else {
            node = placed(Mat4::from_cols_array(&numbers(&draw["world"])));
        }
        let indices = pack.bytes(&draw["indices"]);
        let list = |value: &Value| value.as_array().unwrap().clone();
        let targets = list(&draw["targets"]);
        let targets: Vec<MorphTarget> = targets
            .iter()
            .map(|target| MorphTarget {
                positions: pack.floats(&target["positions"]),
                normals: pack.floats(&target["normals"]),
                tangents: pack.floats(&target["tangents"]),
                texcoords: list(&target["texcoords"]).iter().map(|set| pack.floats(set)).collect(),
                colors: pack.floats(&target["colors"]),
                occlusion: pack.floats::<1>(&target["occlusion"]).map(|own| own.into_flattened()),
            })
            .collect();
        let primitive = Primitive {
            indices: indices.as_chunks::<4>().0.iter().map(|&index| u32::from_le_bytes(index)).collect(),
            positions: pack.floats(&draw["positions"]).unwrap(),
            normals: pack.floats(&draw["normals"]),
            flat: draw["flat"].as_bool().unwrap(),
            tangents: pack.floats(&draw["tangents"]),
            texcoords: list(&draw["texcoords"]).iter().map(|set| pack.floats(set).unwrap()).collect(),
            colors: pack.floats(&draw["colors"]),
            occlusion: pack.floats::<1>(&draw["occlusion"]).map(|own| own.into_flattened()),
            influences,
            targets,
            material: scene.materials.len(),
            ..Primitive::default()
        };
        scene.materials.push(material(&draw["material"]));
        let weights: Vec<f32> =
            list(&draw["morph-weights"]).iter().map(|weight| weight.as_f64().unwrap() as f32).collect();
        scene.drawn.push(scene.nodes.len());
        scene.nodes.push(Node { mesh: Some(scene.meshes.len()), skin, ..node });
        scene.meshes.push(Mesh { primitives: vec![primitive], weights, ..Mesh::default() });
    }
    scene.parents_first = (0..scene.nodes.len()).collect();
    scene
}

fn draw_again(pack: &Pack, case: &Value) -> Picture {
    let scene = scene(pack, case);
    let number = |key: &str| case[key].as_u64().unwrap() as u32;
    let word = |key: &str| case[key].as_str().unwrap();
    let settings = RenderSettings {
        width: number("width"),
        height: number("height"),
        samples: SampleCount::parse(&number("samples").to_string()).unwrap(),
        subpixel_bits: number("subpixel-bits"),
        convention: word("convention").parse().unwrap(),
        shading: word("shading").parse().unwrap(),
        skinning: word("skinning").parse().unwrap(),
        normals: word("normals").parse().unwrap(),
        background: numbers::<3>(&case["background"]).map(|byte| byte as u8),
        ..RenderSettings::default()
    };
    let camera = Camera {
        view: Mat4::from_cols_array(&numbers(&case["view"])),
        projection: Mat4::from_cols_array(&numbers(&case["projection"])),
        convention: settings.convention,
    };
    check_levels(pack, case, &scene);
    let mut renderer = Renderer::new(&scene, settings).unwrap();
    let frame = renderer.render(&Pose::rest(&scene), &camera).unwrap();
    Picture::from_rgba8(frame.width(), frame.height(), frame.rgba()).unwrap()
}

/// The mip levels in the pack are those that the reference samples.
fn check_levels(pack: &Pack, case: &Value, scene: &Scene) {
    let textures = TextureSet::new(scene, refrast::shading::ShadingMode::Lambert).unwrap();
    for (index, texture) in case["textures"].as_array().unwrap().iter().enumerate().filter(|(_, own)| own.is_object()) {
        let own = textures.color(index).unwrap();
        let levels = texture["levels"].as_array().unwrap();
        assert_eq!(levels.len(), own.level_count());
        for (number, level) in levels.iter().enumerate() {
            assert_eq!(pack.bytes(&level["texels"]), own.level_bytes(number).unwrap());
        }
    }
}

#[test]
fn a_pack_alone_gives_the_goldens_to_the_bit() {
    let root = std::env::temp_dir().join(format!("refrast-pack-{}", process::id()));
    let golden = root.join("golden");
    fs::create_dir_all(&golden).unwrap();
    let case = |name: &str, more: &str| {
        format!("[[case]]\nname = \"{name}\"\nscene = \"mannequin\"\nsize = \"80x100\"\nprofile = \"exact\"\n{more}\n")
    };
    let manifest = [
        case("walk", "animation = \"Walk\"\ntime = 0.3"),
        case("face/expression-4x", "animation = \"Expression\"\ntime = 1.2\nsamples = 4\nmax-influences = 2"),
        case("twist", "animation = \"Flex\"\ntime = 1.5\nskinning = \"dual-quaternion\"\nshading = \"normals\""),
    ];
    fs::write(golden.join("manifest.toml"), manifest.concat()).unwrap();
    let mut folder = GoldenFolder::open(&golden).unwrap();
    folder.draft(&root.join("drafts"), &|_| {}, &|_, _| Ok(())).unwrap().apply().unwrap();
    folder.pack(&root.join("pack"), &PackSettings::default(), &|_| {}).unwrap();

    let pack = Pack(root.join("pack"));
    let list = pack.json("pack.json");
    let cases = list["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 3);
    for entry in cases {
        let golden = Picture::read(&pack.0.join(entry["golden"].as_str().unwrap())).unwrap();
        assert!(Path::new(&pack.0.join(entry["envelope"].as_str().unwrap())).exists());
        let again = draw_again(&pack, &pack.json(entry["file"].as_str().unwrap()));
        assert!(again == golden, "{}", entry["name"]);
    }
    fs::remove_dir_all(&root).unwrap();
}
