//! What grows with a scene, and how fast: draws, triangles, joints, pixels, textures, each from few to very many.
//!
//! ```sh
//! cargo run --release --example growth                          # everything: up to 40 million triangles, some 20 GB in all
//! cargo run --release --example growth -- draws --most 100000   # one of them, up to a size
//! ```
//!
//! Why it exists: what takes a second for a thousand may take an hour for a million, and no benchmark of one size shows it. A cost
//! that is linear stays the same in every row of its column "a unit"; what rises there is what to mend. Every row is a process of its
//! own, on one thread at AVX2 where the machine has it, so that its memory is its own too. Seconds are the processor's, where
//! the system tells them (Linux).

use std::{
    error::Error,
    num::NonZeroUsize,
    process::{Command, ExitCode},
    time::Instant,
};

use glam::{Mat4, Vec3};
use refrast::{
    animation::Pose,
    render::{Bounds, Camera, Orbit, RenderSettings, Renderer},
    scene::Scene,
    simd::SimdLevel,
};
use serde_json::{Value, json};

/// What grows, and the sizes that are measured.
const KINDS: [(&str, &[usize]); 5] = [
    ("draws", &[1_000, 10_000, 100_000, 1_000_000]),
    ("triangles", &[40_000, 400_000, 4_000_000, 40_000_000]),
    ("joints", &[100, 1_000, 10_000]),
    ("pixels", &[1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28]),
    ("textures", &[10, 100, 1_000]),
];

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["one", kind, size] => {
            println!("{}", measure(kind, size.parse()?)?);
            return Ok(ExitCode::SUCCESS);
        }
        [] => KINDS.iter().try_for_each(|(kind, _)| table(kind, usize::MAX))?,
        ["--most", most] => {
            let most = most.parse()?;
            KINDS.iter().try_for_each(|(kind, _)| table(kind, most))?;
        }
        [kind] => table(kind, usize::MAX)?,
        [kind, "--most", most] => table(kind, most.parse()?)?,
        _ => return Err("usage: growth [draws|triangles|joints|pixels|textures] [--most NUMBER]".into()),
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the rows of a kind.
fn table(kind: &str, most: usize) -> Result<(), Box<dyn Error>> {
    let known = KINDS.iter().find(|(name, _)| *name == kind);
    let (_, sizes) =
        known.ok_or_else(|| format!("nothing grows by {kind}; there are: {}", KINDS.map(|kind| kind.0).join(", ")))?;
    println!(
        "| {kind} | load, s | prepare, s | first frame, s | next frame, s | all of it a unit, µs | peak, MB | a unit, bytes |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|---:|");
    for &size in sizes.iter().filter(|&&size| size <= most) {
        let output = Command::new(std::env::current_exe()?).args(["one", kind, &size.to_string()]).output()?;
        let row = String::from_utf8(output.stdout)?;
        if !output.status.success() {
            return Err(format!("{kind} {size}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        print!("{row}");
    }
    println!();
    Ok(())
}

/// Triangles of a mesh; more are drawn by several nodes. Of a file of ten times as many the numbers alone would pass what refrast
/// reads from one.
const MESH: usize = 4_000_000;

/// The row of one size.
fn measure(kind: &str, size: usize) -> Result<String, Box<dyn Error>> {
    let mut settings =
        RenderSettings { width: 1920, height: 1080, threads: NonZeroUsize::new(1), ..RenderSettings::default() };
    if SimdLevel::available().any(|level| level == SimdLevel::Avx2) {
        settings.simd = SimdLevel::Avx2;
    }
    let file = match kind {
        "draws" => cubes(size),
        "triangles" => tube(size.min(MESH), 32, size.div_ceil(MESH)),
        "joints" => tube(200_000, size, 1),
        "textures" => textured(size)?,
        _ => {
            let side = size.isqrt() as u32;
            (settings.width, settings.height) = (side, side);
            Vec::new()
        }
    };
    let mut watch = Watch::start();
    let scene = if file.is_empty() { Scene::mannequin()? } else { Scene::from_bytes(&file, "growth.glb")? };
    drop(file);
    let load = watch.lap();
    let pose = Pose::rest(&scene);
    let mut renderer = Renderer::new(&scene, settings)?;
    let aspect_ratio = f64::from(settings.width) / f64::from(settings.height);
    let camera = Camera::orbit(&Bounds::of(&scene, None)?, Orbit::default(), aspect_ratio, settings.convention);
    let prepare = watch.lap();
    renderer.render(&pose, &camera)?;
    let first = watch.lap();
    renderer.render(&pose, &camera)?;
    let next = watch.lap();
    let unit = 1e6 * (load + prepare + first + next) / size as f64;
    let memory = match peak() {
        Some(bytes) => format!("{:.0} | {:.0}", bytes as f64 * 1e-6, bytes as f64 / size as f64),
        None => "– | –".to_owned(),
    };
    Ok(format!("| {size} | {load:.2} | {prepare:.2} | {first:.2} | {next:.2} | {unit:.3} | {memory} |"))
}

/// Seconds of the processor since the last look; of the clock where the system does not tell them.
struct Watch {
    clock: Instant,
    last: f64,
}

impl Watch {
    fn start() -> Self {
        let mut watch = Self { clock: Instant::now(), last: 0.0 };
        watch.lap();
        watch
    }

    fn lap(&mut self) -> f64 {
        let now = processor_seconds().unwrap_or_else(|| self.clock.elapsed().as_secs_f64());
        now - std::mem::replace(&mut self.last, now)
    }
}

/// What the process has used: fields 14 and 15 of proc_pid_stat(5), in hundredths of a second.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is a name in brackets, which may hold anything.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: f64 =
        [11, 12].map(|field| fields.get(field).and_then(|ticks| ticks.parse().ok()).unwrap_or(0.0)).iter().sum();
    Some(ticks / 100.0)
}

/// The most memory that the process has held, in bytes.
fn peak() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(1024 * line.split_whitespace().next()?.parse::<u64>().ok()?)
}

/// A binary glTF file in the making.
#[derive(Default)]
struct File {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl File {
    fn view(&mut self, bytes: impl IntoIterator<Item = u8>) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        self.views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": self.bytes.len() - start }));
        self.views.len() - 1
    }

    fn accessor(&mut self, component: u32, kind: &str, count: usize, bytes: impl IntoIterator<Item = u8>) -> usize {
        let view = self.view(bytes);
        self.accessors.push(json!({ "bufferView": view, "componentType": component, "type": kind, "count": count }));
        self.accessors.len() - 1
    }

    fn floats<const N: usize>(&mut self, kind: &str, values: impl ExactSizeIterator<Item = [f32; N]>) -> usize {
        let count = values.len();
        self.accessor(5126, kind, count, values.flatten().flat_map(f32::to_le_bytes))
    }

    /// Positions must say between which they lie.
    fn positions(&mut self, values: &[[f32; 3]]) -> usize {
        let bound = |pick: fn(f32, f32) -> f32| [0, 1, 2].map(|axis| values.iter().map(|own| own[axis]).reduce(pick));
        let (least, most) = (bound(f32::min), bound(f32::max));
        let accessor = self.floats("VEC3", values.iter().copied());
        (self.accessors[accessor]["min"], self.accessors[accessor]["max"]) = (json!(least), json!(most));
        accessor
    }

    fn indices(&mut self, values: &[u32]) -> usize {
        self.accessor(5125, "SCALAR", values.len(), values.iter().copied().flat_map(u32::to_le_bytes))
    }

    /// The file, with what else its document says.
    fn finish(mut self, mut document: Value) -> Vec<u8> {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        document["asset"] = json!({ "version": "2.0" });
        document["scene"] = json!(0);
        document["buffers"] = json!([{ "byteLength": self.bytes.len() }]);
        document["bufferViews"] = Value::Array(self.views);
        document["accessors"] = Value::Array(self.accessors);
        let mut text = document.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut file = b"glTF".to_vec();
        let length = |bytes: &[u8]| (bytes.len() as u32).to_le_bytes();
        file.extend(2u32.to_le_bytes());
        file.extend((28 + text.len() as u32 + self.bytes.len() as u32).to_le_bytes());
        file.extend(length(&text).into_iter().chain(*b"JSON").chain(text));
        file.extend(length(&self.bytes).into_iter().chain(*b"BIN\0").chain(self.bytes));
        file
    }
}

/// Nodes that each draw the same cube, side by side in a square.
fn cubes(count: usize) -> Vec<u8> {
    let mut file = File::default();
    let corners: Vec<[f32; 3]> = (0..8).map(|corner| [0, 1, 2].map(|axis| (corner >> axis & 1) as f32)).collect();
    let position = file.positions(&corners);
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let indices: Vec<u32> = faces.iter().flat_map(|[a, b, c, d]| [*a, *b, *c, *a, *c, *d]).collect();
    let indices = file.indices(&indices);
    let side = count.isqrt().max(1);
    let nodes = (0..count).map(|node| json!({ "mesh": 0, "translation": [2 * (node % side), 0, 2 * (node / side)] }));
    file.finish(json!({
        "scenes": [{ "nodes": (0..count).collect::<Vec<_>>() }],
        "nodes": nodes.collect::<Vec<_>>(),
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": position }, "indices": indices }] }],
    }))
}

/// A tube along a chain of joints, two of which each vertex follows, as closely woven as the number of triangles asks for, drawn
/// by one node or several.
fn tube(triangles: usize, joints: usize, draws: usize) -> Vec<u8> {
    let around = (triangles / 4).isqrt().max(3);
    let along = (triangles / 2 / around).max(1);
    let place = |vertex: usize| (vertex % (around + 1), vertex / (around + 1));
    let vertices = (around + 1) * (along + 1);
    let normal = |vertex: usize| {
        let angle = place(vertex).0 as f32 / around as f32 * std::f32::consts::TAU;
        [libm::cosf(angle), 0.0, libm::sinf(angle)]
    };
    let height = |vertex: usize| place(vertex).1 as f32 / along as f32;
    let positions: Vec<[f32; 3]> = (0..vertices)
        .map(|vertex| {
            let [x, _, z] = normal(vertex);
            [0.3 * x, 2.0 * height(vertex), 0.3 * z]
        })
        .collect();
    // Between which two joints, and how far.
    let follows = |vertex: usize| {
        let at = height(vertex) * (joints - 1) as f32;
        let joint = (at as usize).min(joints - 2);
        (joint as u16, at - joint as f32)
    };
    let mut file = File::default();
    let position = file.positions(&positions);
    drop(positions);
    let normal = file.floats("VEC3", (0..vertices).map(normal));
    let names =
        (0..vertices).flat_map(|vertex| [follows(vertex).0, follows(vertex).0 + 1, 0, 0]).flat_map(u16::to_le_bytes);
    let names = file.accessor(5123, "VEC4", vertices, names);
    let weights =
        file.floats("VEC4", (0..vertices).map(|vertex| [1.0 - follows(vertex).1, follows(vertex).1, 0.0, 0.0]));
    let indices: Vec<u32> = (0..along * around)
        .flat_map(|cell| {
            let corner = cell / around * (around + 1) + cell % around;
            let above = corner + around + 1;
            [corner, above, corner + 1, corner + 1, above, above + 1].map(|vertex| vertex as u32)
        })
        .collect();
    let indices = file.indices(&indices);
    let step = 2.0 / (joints - 1) as f32;
    let binds =
        (0..joints).map(|joint| Mat4::from_translation(Vec3::new(0.0, -step * joint as f32, 0.0)).to_cols_array());
    let binds = file.floats("MAT4", binds);
    let joint = |joint: usize| {
        let translation = json!([0.0, if joint == 0 { 0.0 } else { step }, 0.3 / joints as f32]);
        if joint + 1 < joints {
            json!({ "translation": translation, "children": [draws + joint + 1] })
        } else {
            json!({ "translation": translation })
        }
    };
    let mut nodes = vec![json!({ "mesh": 0, "skin": 0 }); draws];
    nodes.extend((0..joints).map(joint));
    file.finish(json!({
        "scenes": [{ "nodes": (0..=draws).collect::<Vec<_>>() }],
        "nodes": nodes,
        "skins": [{ "joints": (draws..draws + joints).collect::<Vec<_>>(), "inverseBindMatrices": binds }],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": position, "NORMAL": normal, "JOINTS_0": names, "WEIGHTS_0": weights },
            "indices": indices,
        }] }],
    }))
}

/// Squares side by side, each with a picture of its own of 64x64 pixels.
fn textured(count: usize) -> Result<Vec<u8>, Box<dyn Error>> {
    const SIDE: u32 = 64;
    let mut file = File::default();
    let position = file.positions(&[[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
    let texcoord = file.floats("VEC2", [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]].into_iter());
    let indices = file.indices(&[0, 1, 2, 0, 2, 3]);
    let mut images = Vec::new();
    for number in 0..count {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, SIDE, SIDE);
        encoder.set_color(png::ColorType::Rgb);
        let pixel = |at: usize| [at * 4, at / SIDE as usize * 4, number * 7].map(|channel| channel as u8);
        let pixels: Vec<u8> = (0..(SIDE * SIDE) as usize).flat_map(pixel).collect();
        encoder.write_header()?.write_image_data(&pixels)?;
        images.push(json!({ "bufferView": file.view(bytes), "mimeType": "image/png" }));
    }
    let each = |value: &dyn Fn(usize) -> Value| Value::Array((0..count).map(value).collect());
    let side = count.isqrt().max(1);
    Ok(file.finish(json!({
        "scenes": [{ "nodes": (0..count).collect::<Vec<_>>() }],
        "nodes": each(&|node| json!({ "mesh": node, "translation": [1.1 * (node % side) as f32, 0.0, 1.1 * (node / side) as f32] })),
        "meshes": each(&|mesh| json!({ "primitives": [{
            "attributes": { "POSITION": position, "TEXCOORD_0": texcoord }, "indices": indices, "material": mesh,
        }] })),
        "materials": each(&|index| json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": index } } })),
        "textures": each(&|source| json!({ "source": source })),
        "images": images,
    })))
}
