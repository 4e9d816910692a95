//! `refrast-gpu pack`: the cases of a golden pack, each held against the envelope and the vertex bounds in the pack.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use refrast::golden::{
    VertexBuffer, VertexCompareOptions, VertexComparison,
    envelope::{CheckOptions, EnvelopeFile},
};
use refrast_gpu_backend::{
    Backend,
    pack::{ListedCase, Pack},
};
use serde::{Deserialize, Serialize};

use crate::CommandResult;

/// `refrast golden pack` writes packs; nothing but the pack is read
#[derive(Args)]
pub(crate) struct PackArguments {
    /// The folder with pack.json
    folder: PathBuf,
    /// Only cases whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Keep the pictures and the vertices in this folder
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Print a line of JSON a case
    #[arg(long)]
    json: bool,
}

/// What became of a case.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct CaseResult {
    pub(crate) name: String,
    pub(crate) samples: u32,
    pub(crate) pixels: u64,
    /// Pixels that no conformant backend writes.
    pub(crate) outside: u64,
    /// Those that a known mistake of the driver explains.
    pub(crate) explained: u64,
    /// Which mistake that is.
    pub(crate) explanation: Option<String>,
    /// Pixels of which the envelope does not know.
    pub(crate) undecided: u64,
    /// The largest distance from an envelope, in steps of 255.
    pub(crate) farthest: u8,
    pub(crate) vertices: u64,
    /// Positions and normals that f32 can not give.
    pub(crate) vertices_outside: u64,
    /// The largest distance of a component, in bounds.
    pub(crate) largest_ratio: f64,
    /// Why it was not drawn.
    pub(crate) skipped: Option<String>,
    /// The worst pixels and vertices, in words.
    pub(crate) remarks: Vec<String>,
}

pub(crate) fn run(arguments: &PackArguments, backend: &Backend) -> CommandResult {
    let pack = Pack::open(&arguments.folder)?;
    let mut right = true;
    if !pack.cases().iter().any(|case| case.name.contains(&arguments.only)) {
        return Err(format!("no case of {} is called `{}`", arguments.folder.display(), arguments.only).into());
    }
    if !arguments.json {
        println!("{} ({})", backend.driver(), backend.description());
    }
    for case in pack.cases().iter().filter(|case| case.name.contains(&arguments.only)) {
        let result = check(&pack, case, backend, arguments.output.as_deref())?;
        right &= result.outside == result.explained && result.vertices_outside == 0;
        if arguments.json {
            println!("{}", serde_json::to_string(&result)?);
        } else {
            tell(&result);
        }
    }
    Ok(if right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn check(
    pack: &Pack,
    case: &ListedCase,
    backend: &Backend,
    output: Option<&std::path::Path>,
) -> Result<CaseResult, Box<dyn std::error::Error>> {
    let read = pack.read(case)?;
    let samples = read.settings.samples.count() as u32;
    let mut result = CaseResult { name: case.name.clone(), samples, ..CaseResult::default() };
    if samples > 1 && !backend.driver().multisamples() {
        result.skipped = Some("the driver has no working multisampling".to_owned());
        return Ok(result);
    }
    let picture = backend.draw_packed(&read)?;
    let vertices = backend.packed_vertices(&read)?;
    if let Some(folder) = output {
        let path = folder.join(&case.name);
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        picture.write(&path.with_extension("png"))?;
        vertices.write_npy(&path.with_extension("npy"))?;
    }
    result.pixels = u64::from(picture.width()) * u64::from(picture.height());
    if let Some(place) = &case.envelope {
        let golden = pack.golden(case)?;
        let envelope = EnvelopeFile::open(&pack.path(place))?.unpack(&golden)?;
        // On the grid that all profiles know of the reference is a right backend itself.
        let own = envelope.check(&golden, &CheckOptions::default())?;
        if read.subpixel_bits == 8 && own.wrong() > 0 {
            let (name, wrong, first) = (&case.name, own.wrong(), own.worst.first());
            return Err(format!(
                "{name}: the envelope refuses {wrong} pixels of the reference's own picture: {first:?}"
            )
            .into());
        }
        let verdict = envelope.check(&picture, &CheckOptions::default())?;
        (result.outside, result.undecided) = (verdict.wrong(), verdict.undecided);
        result.farthest = verdict.farthest;
        result.remarks.extend(verdict.worst.iter().take(3).map(|pixel| format!("{pixel:?}")));
    }
    let bounds = VertexBuffer::read_npy(&pack.path(&case.vertices))?;
    let comparison = VertexComparison::of(&bounds, &vertices, &VertexCompareOptions::default());
    result.vertices = vertices.len() as u64;
    if let Some(mismatch) = comparison.mismatch {
        return Err(format!("{}: the vertices can not be compared: {mismatch}", case.name).into());
    }
    for attribute in &comparison.attributes {
        result.vertices_outside += attribute.outside as u64;
        result.largest_ratio = result.largest_ratio.max(attribute.largest_ratio.unwrap_or(f64::MAX));
        let worst = attribute.worst.iter().filter(|vertex| vertex.outside).take(3);
        result.remarks.extend(worst.map(|vertex| format!("{} {vertex:?}", attribute.attribute)));
    }
    Ok(result)
}

fn tell(result: &CaseResult) {
    let CaseResult { name, pixels, outside, undecided, farthest, vertices, vertices_outside, largest_ratio, .. } =
        result;
    if let Some(reason) = &result.skipped {
        return println!("{name:36} skipped: {reason}");
    }
    println!(
        "{name:36} {pixels:7} pixels {outside:6} outside {undecided:5} undecided, farthest {farthest:3}; {vertices:6} \
         vertices {vertices_outside:5} outside, at most {largest_ratio:.2} of the bound"
    );
    if let Some(explanation) = &result.explanation {
        println!("    {explanation}");
    }
    for remark in &result.remarks {
        println!("    {remark}");
    }
}
