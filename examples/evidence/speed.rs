//! What `cargo bench` measured last, as a table in Markdown.

use std::{
    env,
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
};

use serde::Deserialize;

/// A benchmark's `new/benchmark.json`.
#[derive(Deserialize)]
struct Benchmark {
    full_id: String,
    throughput: Option<Throughput>,
}

/// What a run of it goes through.
#[derive(Deserialize)]
enum Throughput {
    Bytes(u64),
    BytesDecimal(u64),
    Bits(u64),
    Elements(u64),
    ElementsAndBytes { elements: u64 },
}

/// Its `new/estimates.json`.
#[derive(Deserialize)]
struct Estimates {
    mean: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    /// Nanoseconds.
    point_estimate: f64,
}

/// A row a benchmark, in the order of their names.
pub(crate) fn table() -> Result<String, String> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(target).join("criterion");
    let mut measured = Vec::new();
    find(&folder, &mut measured).map_err(|error| format!("{}: {error}; run cargo bench first", folder.display()))?;
    measured.sort();
    let mut text = String::from("| bench | mean | a second |\n|---|---:|---:|\n");
    for file in measured {
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let read = |name: &str| fs::read(file.with_file_name(name)).map_err(|error| wrong(&error));
        let benchmark: Benchmark = serde_json::from_slice(&read("benchmark.json")?).map_err(|error| wrong(&error))?;
        let estimates: Estimates = serde_json::from_slice(&read("estimates.json")?).map_err(|error| wrong(&error))?;
        let nanoseconds = estimates.mean.point_estimate;
        let rate = benchmark.throughput.map_or_else(String::new, |throughput| throughput.in_a_second(nanoseconds));
        let time = scaled(nanoseconds * 1e-9, "s");
        // A sink of text takes everything.
        let _ = writeln!(text, "| {} | {time} | {rate} |", benchmark.full_id);
    }
    Ok(text)
}

fn find(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, found)?;
        } else if path.ends_with("new/benchmark.json") {
            found.push(path);
        }
    }
    Ok(())
}

impl Throughput {
    fn in_a_second(&self, nanoseconds: f64) -> String {
        let (count, unit) = match self {
            Self::Bytes(count) | Self::BytesDecimal(count) => (count, "B"),
            Self::Bits(count) => (count, "bit"),
            Self::Elements(count) | Self::ElementsAndBytes { elements: count } => (count, ""),
        };
        scaled(*count as f64 / (nanoseconds * 1e-9), unit)
    }
}

/// Three digits with a unit's prefix.
fn scaled(value: f64, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 6] = [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ")];
    let (factor, prefix) = PREFIXES.into_iter().find(|(factor, _)| value >= *factor).unwrap_or((1e-9, "n"));
    let number = value / factor;
    let digits = if number >= 99.95 {
        0
    } else if number >= 9.995 {
        1
    } else {
        2
    };
    format!("{number:.digits$} {prefix}{unit}").trim_end().to_owned()
}
