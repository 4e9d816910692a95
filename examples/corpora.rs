//! Reads every glTF file of some folders with `refrast`, and tells what comes of it: the table of `docs/evidence/corpora.md`.
//!
//! ```sh
//! cargo run --release --example corpora -- glTF-Validator/test assimp/models
//! ```
//!
//! Each file is linted and drawn by processes of their own, which are watched: no panic, no hang, no more than half a
//! gigabyte, and an exit code of the contract. Beside a file may lie `FILE.report.json`, as Khronos's validator writes it.
//! Then a file without errors must be drawn, unless the reason is listed here; and of a file with errors that is drawn
//! without a warning each error must be listed as harmless. Anything else ends the program with 1.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

/// A process that takes longer is taken for hanging.
const PATIENCE: Duration = Duration::from_secs(60);
/// More memory is told, in KiB.
const MEMORY: u64 = 500 << 10;

/// Why a file that a validator finds right is refused: words of the error, and the reason.
const REFUSED: [(&str, &str); 8] = [
    ("is not 2.x", "another version of glTF, or a minimum version that does not exist yet"),
    ("requires the extension", "an extension that is required and not read"),
    ("neither a data URI nor a relative path", "nothing is fetched from a network"),
    ("its uri", "what is drawn needs a buffer that the file does not hold"),
    ("does not follow key", "key times from an accessor without data are all 0, which the validator does not look at"),
    (
        "the handedness of vertex",
        "tangents from an accessor without data are all 0, which the validator does not look at",
    ),
    (
        "has the last row 0, 0, 0, 0",
        "matrices from an accessor without data are all 0, which the validator does not look at",
    ),
    ("must be between 0 and π", "a field of view of half a turn and more shows nothing"),
];

/// Why an error of the validator may pass without a warning.
const HARMLESS: [(&str, &str); 51] = [
    ("ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND", "min and max are not read"),
    ("ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND", "min and max are not read"),
    ("ACCESSOR_MAX_MISMATCH", "min and max are not read"),
    ("ACCESSOR_MIN_MISMATCH", "min and max are not read"),
    ("ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS", "min and max are not read"),
    ("MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS", "min and max are not read"),
    ("ACCESSOR_MATRIX_ALIGNMENT", "bytes are put together one by one, so alignment changes nothing"),
    ("ACCESSOR_OFFSET_ALIGNMENT", "bytes are put together one by one, so alignment changes nothing"),
    ("ACCESSOR_TOTAL_OFFSET_ALIGNMENT", "bytes are put together one by one, so alignment changes nothing"),
    ("GLB_CHUNK_LENGTH_UNALIGNED", "bytes are put together one by one, so alignment changes nothing"),
    ("ACCESSOR_INVALID_FLOAT", "nothing drawn uses the accessor"),
    ("ACCESSOR_NORMALIZED_INVALID", "nothing drawn uses the accessor"),
    ("ACCESSOR_SMALL_BYTESTRIDE", "nothing drawn uses the accessor"),
    ("ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE", "nothing drawn uses the accessor"),
    ("ACCESSOR_TOO_LONG", "nothing drawn uses the accessor"),
    ("BUFFER_VIEW_INVALID_BYTE_STRIDE", "nothing drawn uses the view"),
    ("BUFFER_VIEW_TOO_BIG_BYTE_STRIDE", "nothing drawn uses the view"),
    ("BUFFER_VIEW_TOO_LONG", "nothing drawn uses the view"),
    ("BUFFER_MISSING_GLB_DATA", "nothing drawn uses the buffer"),
    ("BUFFER_DATA_URI_MIME_TYPE_INVALID", "the bytes are the same, whatever they are called"),
    ("IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE", "an image is all bytes of its view"),
    ("IMAGE_DATA_INVALID", "nothing drawn uses the image"),
    ("IMAGE_UNEXPECTED_EOS", "nothing drawn uses the image"),
    ("IO_ERROR", "nothing drawn uses the image"),
    ("INVALID_URI", "nothing drawn uses the image"),
    ("ONE_OF_MISMATCH", "nothing drawn uses the image"),
    ("IMAGE_MIME_TYPE_INVALID", "an image is told by its content"),
    ("IMAGE_NON_ENABLED_MIME_TYPE", "an image is told by its content"),
    ("TEXTURE_INVALID_IMAGE_MIME_TYPE", "an image is told by its content"),
    ("INVALID_JSON", "a byte order mark before the JSON means nothing"),
    ("GLB_DUPLICATE_CHUNK", "the first binary chunk is the buffer; others are skipped"),
    ("GLB_UNEXPECTED_BIN_CHUNK", "the second chunk is the buffer, and nothing drawn uses one"),
    ("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT", "nothing drawn uses the attribute"),
    ("MESH_PRIMITIVE_INVALID_ATTRIBUTE", "an attribute that glTF does not know means nothing"),
    ("MESH_PRIMITIVE_NO_TANGENT_SPACE", "the extension's normal map is not drawn"),
    ("SKIN_NO_COMMON_ROOT", "nothing drawn wears the skin"),
    ("UNDECLARED_EXTENSION", "extensions are read where they stand, listed or not"),
    ("DUPLICATE_ELEMENTS", "an extension that is named twice is used"),
    ("NON_REQUIRED_EXTENSION", "the extension is read, whether it is required or not"),
    ("UNEXPECTED_EXTENSION_OBJECT", "extensions are read where they belong"),
    ("EMPTY_ENTITY", "an empty list is none"),
    ("UNDEFINED_PROPERTY", "nothing drawn uses the object"),
    ("UNRESOLVED_REFERENCE", "nothing drawn follows the reference"),
    ("UNSATISFIED_DEPENDENCY", "nothing is drawn with what lacks its other half"),
    ("VALUE_NOT_IN_RANGE", "nothing drawn uses the value"),
    ("VALUE_MULTIPLE_OF", "nothing drawn uses the view"),
    ("TYPE_MISMATCH", "nothing drawn uses the property"),
    ("PATTERN_MISMATCH", "the extension is not read"),
    ("KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_PATH", "the extension is not read"),
    ("KHR_MATERIALS_VARIANTS_NON_UNIQUE_VARIANT", "the extension is not read"),
    ("SKIN_SKELETON_INVALID", "skeleton is a hint that moves nothing"),
];

/// What came of one process.
struct Run {
    code: Option<i32>,
    notes: String,
    hangs: bool,
    /// The most memory, in KiB, as far as it could be watched.
    memory: u64,
}

fn run(program: &Path, arguments: &[&str]) -> Result<Run, Box<dyn Error>> {
    let folder = env::temp_dir();
    let notes = folder.join(format!("refrast-corpora-{}.txt", std::process::id()));
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(&notes)?)
        .spawn()?;
    let started = Instant::now();
    let (mut memory, mut hangs) = (0, false);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        memory = memory.max(high_water(child.id()).unwrap_or(0));
        if started.elapsed() > PATIENCE {
            hangs = true;
            child.kill()?;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let text = String::from_utf8_lossy(&fs::read(&notes)?).into_owned();
    fs::remove_file(&notes)?;
    Ok(Run { code: status.code(), notes: text, hangs, memory })
}

/// The high-water mark of a process, where the system tells it.
fn high_water(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}

fn find(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, found)?;
        } else if path
            .extension()
            .is_some_and(|own| own.eq_ignore_ascii_case("gltf") || own.eq_ignore_ascii_case("glb"))
        {
            found.push(path);
        }
    }
    Ok(())
}

/// The codes of the errors that a validator has found; `None` without its report.
fn errors(path: &Path) -> Result<Option<Vec<String>>, Box<dyn Error>> {
    let mut report = path.as_os_str().to_owned();
    report.push(".report.json");
    let Ok(text) = fs::read_to_string(&report) else { return Ok(None) };
    let report: Value = serde_json::from_str(&text)?;
    let messages = report["issues"]["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let errors = messages.iter().filter(|message| message["severity"] == 0);
    Ok(Some(errors.filter_map(|message| message["code"].as_str().map(str::to_owned)).collect()))
}

/// What was counted of a folder.
#[derive(Default)]
struct Counts {
    files: usize,
    drawn: usize,
    warned: usize,
    refused: usize,
    panics: usize,
    hangs: usize,
    large: usize,
    /// Exit codes beside 0 and 2 (of lint 1).
    codes: usize,
    /// Right, and refused.
    strict: usize,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let folders: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    if folders.is_empty() {
        return Err("name folders of glTF files".into());
    }
    // The program lies beside the folder of the examples.
    let own = env::current_exe()?;
    let program = own.parent().and_then(Path::parent).ok_or("the example lies in a folder")?.join("refrast");
    let picture = env::temp_dir().join(format!("refrast-corpora-{}.png", std::process::id()));
    let picture = picture.display().to_string();
    let (mut strict, mut silent) = (BTreeMap::new(), BTreeMap::new());
    let mut wrong = Vec::new();
    println!(
        "| corpus | files | drawn | of these with a warning | refused | panics | hangs | above 500 MB | other exit codes | over-strict |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for folder in &folders {
        let mut counts = Counts::default();
        let mut files = Vec::new();
        find(folder, &mut files)?;
        files.sort();
        for path in &files {
            let file = path.display().to_string();
            let lint = run(&program, &["lint", &file])?;
            let render = run(&program, &["render", &file, "-o", &picture, "--size", "64x64"])?;
            counts.files += 1;
            for run in [&lint, &render] {
                counts.panics += usize::from(run.notes.contains("panicked"));
                counts.hangs += usize::from(run.hangs);
                counts.large += usize::from(run.memory > MEMORY);
            }
            counts.codes +=
                usize::from(!matches!(lint.code, Some(0..=2))) + usize::from(!matches!(render.code, Some(0 | 2)));
            let errors = errors(path)?;
            if render.code == Some(0) {
                counts.drawn += 1;
                // Of the file: that a picture shows nothing is a warning too, and says nothing about a broken rule.
                let warned = render.notes.contains(&format!("warning: {file}: "));
                counts.warned += usize::from(warned);
                for code in errors.unwrap_or_default().into_iter().filter(|_| !warned) {
                    let files: &mut BTreeSet<String> = silent.entry(code).or_default();
                    files.insert(file.clone());
                }
            } else {
                counts.refused += 1;
                if errors.is_some_and(|errors| errors.is_empty()) {
                    counts.strict += 1;
                    let known = REFUSED.iter().find(|(words, _)| render.notes.contains(words));
                    match known {
                        Some((_, reason)) => *strict.entry(*reason).or_insert(0) += 1,
                        None => wrong.push(format!("over-strict without a reason: {}", render.notes.trim())),
                    }
                }
            }
        }
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let Counts { files, drawn, warned, refused, panics, hangs, large, codes, strict } = counts;
        println!(
            "| {name} | {files} | {drawn} | {warned} | {refused} | {panics} | {hangs} | {large} | {codes} | {strict} |"
        );
        if panics + hangs + large + codes > 0 {
            wrong.push(format!("{name}: a panic, a hang, much memory or another exit code"));
        }
    }
    println!("\n| refused although the validator finds no error | files |\n|---|---:|");
    strict.iter().for_each(|(reason, files)| println!("| {reason} | {files} |"));
    println!(
        "\n| drawn without a warning although the validator finds this error | files | harmless, because |\n|---|---:|---|"
    );
    for (code, files) in &silent {
        match HARMLESS.iter().find(|(known, _)| known == code) {
            Some((_, reason)) => println!("| {code} | {} | {reason} |", files.len()),
            None => wrong.push(format!(
                "accepted without a word: {code} in {}",
                files.iter().cloned().collect::<Vec<_>>().join(", ")
            )),
        }
    }
    // There is none where nothing was drawn.
    let _ = fs::remove_file(&picture);
    wrong.iter().for_each(|line| eprintln!("{line}"));
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
