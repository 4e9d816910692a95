//! How often the right mistake is named first, on scenes given on the command line.
//!
//! Plays every fault on every scene as a backend whose choices the diagnosis does not try, holds the pictures against
//! `diagnose_picture` and the vertex buffers against `diagnose_vertices`, and prints a row a scene in Markdown, with what
//! was named wrongly on standard error:
//!
//! ```sh
//! cargo run --release --example diagnosis_table -- fox.glb mannequin
//! cargo run --release --example diagnosis_table -- showcases
//! ```
//!
//! `showcases` are no scene: each fault is played on the one of them that it changes most (in steps of all bytes), and there is a row for each part of a
//! backend that faults lie in.

use std::{error::Error, path::Path};

use refrast::{
    golden::{Attribute, Picture, VertexBuffer, VertexId},
    render::{Camera, Orbit, RenderSettings, Renderer},
    scene::{Primitive, Scene},
    verify::{
        Fault, Mips, Profile, Section,
        diagnose::{Cause, Conclusion, Diagnosis, diagnose_picture, diagnose_vertices},
        showcase::{Showcase, showcases},
        simulator::{
            Derivatives, Moment, OutputRounding, Scale, Shot, SimulatedFrame, SimulatedVertices, Simulator, Snapping,
            Variation,
        },
        vertex::Rounding,
    },
};

/// A conformant backend's choices, none of which the diagnosis tries together.
const OTHER: Variation = Variation {
    subpixel_bits: Some(8),
    snapping: Snapping::Nearest,
    single_precision_window: true,
    fused: false,
    reversed: true,
    snapped_attributes: true,
    texel_bits: Some(8),
    coarse_filters: false,
    texels_by_powers: false,
    level_bits: Some(8),
    derivatives: Derivatives::Fine,
    scale: Scale::Longer,
    output: OutputRounding::HalfUp,
    eight_bit_target: true,
    depth_24_bits: false,
    dither_steps: 0,
    anisotropy: 1,
    mips: Mips::Linear,
    bias_slope_by_length: true,
};

/// What became of the candidates.
#[derive(Default)]
struct Tally {
    /// With a mistake that changes something and that the check found wrong.
    wrong: usize,
    /// Of those, named first, alone or with others that give the same here.
    first: usize,
    /// Of those, named: nothing else explains as much.
    named: usize,
    /// With a mistake that changes something, but only what a right backend may change.
    allowed: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "| scene | pictures | right one first | named | one of several | vertex buffers | right one first | named | one of several |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    let (mut all_pictures, mut all_vertices) = (Tally::default(), Tally::default());
    for path in std::env::args().skip(1) {
        if path == "showcases" {
            all_pictures = all_pictures.with(&of_showcases()?);
            continue;
        }
        let scene = if path == "mannequin" { Scene::mannequin()? } else { Scene::load(Path::new(&path))? };
        let (mut pictures, mut vertices) = (Tally::default(), Tally::default());
        of_pictures(&path, &scene, &mut pictures)?;
        of_vertices(&path, &scene, &mut vertices)?;
        let name = Path::new(&path).file_stem().map_or_else(|| path.clone(), |name| name.display().to_string());
        println!("| {name} | {} | {} |", pictures.cells(), vertices.cells());
        all_pictures = all_pictures.with(&pictures);
        all_vertices = all_vertices.with(&vertices);
    }
    println!("| **all** | {} | {} |", all_pictures.cells(), all_vertices.cells());
    let allowed = all_pictures.allowed + all_vertices.allowed;
    eprintln!("{allowed} more lie within what a right backend may do");
    Ok(())
}

fn moment(scene: &Scene) -> Moment {
    match scene.animations.first() {
        Some(animation) => Moment::Clip { animation: 0, seconds: animation.duration * 0.37 },
        None => Moment::Rest,
    }
}

fn of_pictures(path: &str, scene: &Scene, tally: &mut Tally) -> Result<(), Box<dyn Error>> {
    let settings = RenderSettings { width: 160, height: 120, ..RenderSettings::default() };
    let moment = moment(scene);
    let mut renderer = Renderer::new(scene, settings)?;
    let bounds = renderer.bounds(&moment.pose(scene)?)?;
    let camera = Camera::orbit(&bounds, Orbit::default(), 4.0 / 3.0, settings.convention);
    let shot = Shot { moment, camera: &camera, settings: &settings };
    let simulator = Simulator::new(scene)?;
    let right = simulator.draw(&shot, &OTHER, &[])?;
    for fault in Fault::ALL {
        let Ok(frame) = simulator.draw(&shot, &OTHER, &[fault]) else { continue };
        if frame != right {
            tally.add(path, fault, &of_frame(scene, &shot, frame)?);
        }
    }
    Ok(())
}

fn of_frame(scene: &Scene, shot: &Shot<'_>, frame: SimulatedFrame) -> Result<Diagnosis, Box<dyn Error>> {
    let candidate = Picture::from_rgba8(frame.width, frame.height, frame.rgba)?;
    Ok(diagnose_picture(scene, shot, Profile::D3d11, &candidate, &|_| {})?)
}

/// Each fault on the showcase that it changes most, a row for each section.
fn of_showcases() -> Result<Tally, Box<dyn Error>> {
    let showcases = showcases();
    let mut right = Vec::new();
    for showcase in &showcases {
        let simulator = Simulator::new(&showcase.scene)?;
        let frame = simulator.draw(&shot_of(showcase), &OTHER, &[])?;
        right.push((simulator, frame));
    }
    let mut all = Tally::default();
    for section in Section::ALL {
        let mut tally = Tally::default();
        for fault in Fault::ALL.into_iter().filter(|fault| fault.section() == section) {
            let changed = |(showcase, (simulator, right)): (&Showcase, &(Simulator<'_>, SimulatedFrame))| {
                let frame = simulator.draw(&shot_of(showcase), &OTHER, &[fault]).ok()?;
                // In steps: a pixel that is one of them off is hardly changed.
                let apart: u64 =
                    std::iter::zip(&right.rgba, &frame.rgba).map(|(one, other)| u64::from(one.abs_diff(*other))).sum();
                Some((apart, frame))
            };
            let played = showcases.iter().zip(&right);
            let played = played.enumerate().filter_map(|(place, own)| changed(own).map(|own| (place, own)));
            let Some((place, (_, frame))) = played.max_by_key(|(_, (apart, _))| *apart).filter(|own| own.1.0 > 0)
            else {
                eprintln!("{fault} changes no showcase");
                continue;
            };
            let showcase = &showcases[place];
            tally.add(showcase.name, fault, &of_frame(&showcase.scene, &shot_of(showcase), frame)?);
        }
        println!("| showcases: {section} | {} | | | | |", tally.cells());
        all = all.with(&tally);
    }
    Ok(all)
}

fn shot_of(showcase: &Showcase) -> Shot<'_> {
    Shot { moment: showcase.moment, camera: &showcase.camera, settings: &showcase.settings }
}

fn of_vertices(path: &str, scene: &Scene, tally: &mut Tally) -> Result<(), Box<dyn Error>> {
    let (settings, moment) = (RenderSettings::default(), moment(scene));
    let simulator = Simulator::new(scene)?;
    let right = simulator.vertices(moment, &settings, &OTHER, &[])?;
    for fault in Fault::ALL {
        let Ok(made) = simulator.vertices(moment, &settings, &OTHER, &[fault]) else { continue };
        if made != right {
            let candidate = buffer(scene, &made);
            let diagnosis = diagnose_vertices(scene, moment, &settings, Rounding::Nearest, &candidate, &|_| {})?;
            tally.add(path, fault, &diagnosis);
        }
    }
    Ok(())
}

impl Tally {
    fn cells(&self) -> String {
        let Self { wrong, first, named, .. } = self;
        format!("{wrong} | {first} | {named} | {}", first - named)
    }

    fn with(&self, other: &Self) -> Self {
        Self {
            wrong: self.wrong + other.wrong,
            first: self.first + other.first,
            named: self.named + other.named,
            allowed: self.allowed + other.allowed,
        }
    }

    fn add(&mut self, path: &str, fault: Fault, diagnosis: &Diagnosis) {
        if diagnosis.conclusion == Conclusion::NothingToExplain {
            self.allowed += 1;
            return;
        }
        self.wrong += 1;
        let best: Vec<Cause> = diagnosis.best().collect();
        if best.iter().any(|best| *best == fault) {
            self.first += 1;
            self.named += usize::from(diagnosis.conclusion == Conclusion::Named);
            return;
        }
        let unit = diagnosis.unit.name();
        eprintln!("{path}: {fault}, {} {unit} wrong, was taken for {best:?}", diagnosis.wrong);
        for finding in diagnosis.findings.iter().take(4) {
            let (also, left) = (finding.same.len(), finding.unexplained);
            eprintln!("    {} and {also} others: {left} left, distance {:.6}", finding.cause, finding.distance);
        }
    }
}

/// The buffer as a backend writes it: a row for each vertex of the file, by node, primitive and vertex.
fn buffer(scene: &Scene, made: &[SimulatedVertices]) -> VertexBuffer {
    let mut made: Vec<&SimulatedVertices> = made.iter().collect();
    made.sort_by_key(|made| (made.node, made.primitive));
    let (mut ids, mut position, mut normal, mut tangent) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for made in made {
        let mesh = scene.nodes[made.node].mesh.expect("a drawn node has a mesh");
        let primitive = &scene.meshes[mesh].primitives[made.primitive];
        for (vertex, row) in rows(primitive).into_iter().enumerate() {
            ids.push(VertexId { node: made.node as u32, primitive: made.primitive as u32, vertex: vertex as u32 });
            position.push(row.map_or([f64::NAN; 3], |row| made.positions[row].map(f64::from)));
            normal.push(row.map_or([f64::NAN; 3], |row| made.normals[row].map(f64::from)));
            tangent.push(row.map_or([f64::NAN; 4], |row| made.tangents[row].map(f64::from)));
        }
    }
    VertexBuffer {
        ids: Some(ids),
        position: Attribute::without_bounds(position),
        normal: Some(Attribute::without_bounds(normal)),
        tangent: Some(Attribute::without_bounds(tangent)),
        ..VertexBuffer::default()
    }
}

/// For each vertex of the file the first vertex of the primitive that came from it.
fn rows(primitive: &Primitive) -> Vec<Option<usize>> {
    let mut rows = vec![None; primitive.source_vertex_count];
    for (vertex, source) in primitive.source_vertices.iter().enumerate() {
        rows[*source as usize].get_or_insert(vertex);
    }
    rows
}
