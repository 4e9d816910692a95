//! `refrast compare`: two files or two folders, is the candidate the golden?

use std::{
    cell::OnceCell,
    error::Error,
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::atomic::{AtomicU64, Ordering},
};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use refrast_golden::{
    CandidateOptions, Case, CasePictures, CompareError, Comparison, DEFAULT_PIXELS_PER_DEGREE, Judge, Layout,
    MANIFEST_NAME, ManifestError, MeasureOptions, Metric, OtherEnvelope, Rectangle, Report, Space, Verdict,
    VertexCompareOptions, VertexComparison, compare_by, compare_observed,
};
use refrast_range::Rules;
use refrast_scene::LoadOptions;
use refrast_simd::SimdLevel;
use refrast_verify::cases::{GoldenFolder, OtherRules};

use super::{
    CommandResult,
    arguments::{DeclaredArguments, bounded_threads, threads},
    diagnose::diagnose_cases,
    output::{note, write_file},
    own_folder::OwnFolder,
    print_verdict, progress_bar,
    words::{offered, word},
};

/// Compare a candidate with its golden: two PNG files, two folders file by file, or vertices.
///
/// Pixels are compared, never bytes; vertices by the bounds that `refrast vertices` wrote beside them. A candidate's vertices
/// are an .npy file (a structured array, or positions alone), a .csv file (refrast's, or what RenderDoc's mesh view exports),
/// or a raw buffer with --layout. What an engine has chosen (--resolve, --blend and so on) or another --profile may be declared
/// where the golden lies in a folder whose manifest says what it shows. Exit status: 0 the same, 1 different, 2 an error.
#[derive(Args, Debug)]
pub(super) struct CompareArguments {
    /// The golden: the picture that is right, or a folder of them.
    pub golden: PathBuf,

    /// The candidate: the picture under test, or a folder of them.
    pub candidate: PathBuf,

    /// How to compare. Without it the envelope is used where GOLDEN.envelope lies beside GOLDEN.png, else flip.
    #[arg(long, value_parser = word::<Metric>())]
    pub metric: Option<Metric>,

    /// What the metric accepts. envelope: steps of 255 outside of the boxes [0]; threshold: steps of 255 a channel may
    /// differ [2]; flip: error of a pixel [0.05]; psnr: decibels at least [40]; ssim: similarity at least [0.99]; fuzzy: error [0.05]; yiq: share [0.1];
    /// vertices: the distance that is accepted where the golden has no bound.
    #[arg(long, allow_negative_numbers = true)]
    pub threshold: Option<f64>,

    /// How many pixels of a picture the metric may blame; none by default, but any number for psnr, ssim and fuzzy.
    #[arg(long, value_name = "N")]
    pub max_differing: Option<u64>,

    /// A rectangle of pixels that do not count; may be given several times.
    #[arg(long, value_name = "X,Y,W,H")]
    pub ignore: Vec<Rectangle>,

    /// For flip: how many pixels the viewer sees in a degree [default: 67.02, a 4K screen 0.7 m wide, seen from 0.7 m]
    #[arg(long, value_name = "N")]
    pub pixels_per_degree: Option<f32>,

    /// What the backend may do differently [default: what the golden's case says]
    #[arg(long, value_name = "NAME", value_parser = offered::<Rules>(Rules::offers()))]
    pub profile: Option<Rules>,

    #[command(flatten)]
    pub(super) declared: DeclaredArguments,

    /// Read buffers and images outside of the folder of a golden's scene too, as in ../textures/skin.png
    #[arg(long)]
    pub allow_outside: bool,

    /// Refuse a golden whose scene uses an extension which would be seen and is not drawn
    #[arg(long)]
    pub strict: bool,

    /// What a row of a raw little-endian buffer holds: NAME:TYPExCOUNT@OFFSET between commas, as in
    /// position:f32x3@0,normal:f32x3@12
    #[arg(long, value_name = "FIELDS")]
    pub layout: Option<Layout>,

    /// Bytes from row to row of a raw buffer [default: as many as --layout takes]
    #[arg(long, value_name = "BYTES", requires = "layout")]
    pub stride: Option<usize>,

    /// The space that the candidate's vertices are in [default: world]
    #[arg(long, value_name = "SPACE", value_parser = word::<Space>())]
    pub space: Option<Space>,

    /// The matrices that lead to that space, as `refrast vertices --matrices` writes them
    #[arg(long, value_name = "FILE.json", requires = "space")]
    pub matrices: Option<PathBuf>,

    /// Say which known mistake, or which other options, explain each picture that is different: of goldens in a folder with a
    /// manifest, and in seconds a picture.
    #[arg(long)]
    pub diagnose: bool,

    /// Write a report to this folder: a page that any browser opens, without a network.
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,

    /// Print the result as JSON on standard output.
    #[arg(long)]
    pub json: bool,

    /// Write the result as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Memory that a comparison of two pictures may take, counted before it is taken [default: 4096]
    #[arg(long, value_name = "MIB")]
    pub memory: Option<u64>,

    /// Threads [default: one a core]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,

    /// Instruction set to use; every one gives the same answer [default: auto]
    #[arg(long, value_name = "LEVEL", value_parser = offered::<SimdLevel>(SimdLevel::offers()))]
    pub simd: Option<SimdLevel>,
}

impl CompareArguments {
    /// An option that was given and says nothing of vertices.
    fn for_pictures_alone(&self) -> Option<String> {
        let options = [
            (self.metric.is_some(), "--metric"),
            (self.max_differing.is_some(), "--max-differing"),
            (!self.ignore.is_empty(), "--ignore"),
            (self.pixels_per_degree.is_some(), "--pixels-per-degree"),
            (self.diagnose, "--diagnose"),
            (self.report.is_some(), "--report"),
            (self.junit.is_some(), "--junit"),
            (self.memory.is_some(), "--memory"),
            (self.threads.is_some(), "--threads"),
            (self.simd.is_some(), "--simd"),
            (self.profile.is_some(), "--profile"),
            (self.allow_outside, "--allow-outside"),
            (self.strict, "--strict"),
        ];
        let declared = self.declared.declared();
        let choice = (!declared.is_nothing()).then(|| declared.to_string());
        options.into_iter().find_map(|(given, option)| given.then(|| option.to_owned())).or(choice)
    }

    /// What is said beside the cases of the goldens.
    fn rules(&self) -> OtherRules {
        OtherRules { profile: self.profile, declared: self.declared.declared() }
    }

    /// The same as options.
    fn rules_in_words(&self) -> String {
        let profile = self.profile.map(|rules| format!("--profile {rules}"));
        let declared = Some(self.declared.declared().to_string()).filter(|declared| !declared.is_empty());
        profile.into_iter().chain(declared).collect::<Vec<_>>().join(" ")
    }

    /// The folder with the cases of the goldens, if there is one.
    fn goldens(&self, memory: u64) -> Result<Option<GoldenFolder>, ManifestError> {
        let mut goldens = GoldenFolder::around(&self.golden)?;
        if let Some(goldens) = &mut goldens {
            let (allow_outside, strict) = (self.allow_outside, self.strict);
            goldens.read_scenes(LoadOptions { allow_outside, memory, strict, ..LoadOptions::default() });
            goldens.judge_by(self.rules());
        }
        Ok(goldens)
    }

    /// Where no manifest says what a golden shows, and so what else would be right for it.
    fn unknown(&self, golden: &Path, why: &str) -> String {
        let (golden, candidate, words) = (golden.display(), self.candidate.display(), self.rules_in_words());
        format!(
            "{golden}: {why}, so nobody knows what else is right for it with {words}; name the scene: `refrast check SCENE \
             {candidate} {words}`, with the options that it was drawn with"
        )
    }
}

/// Runs the comparison and prints the result.
pub(super) fn run(arguments: &CompareArguments, judge: Option<Judge>) -> CommandResult {
    let of_vertices = arguments.layout.is_some() || arguments.space.is_some();
    let verdict = if of_vertices || is_table(&arguments.golden) || is_table(&arguments.candidate) {
        compare_vertices(arguments)?
    } else {
        compare_pictures(arguments, judge)?
    };
    Ok(ExitCode::from(verdict.exit_status()))
}

/// Whether a file holds vertices, by its name.
pub(super) fn is_table(path: &Path) -> bool {
    let is = |wanted: &str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted));
    is("npy") || is("csv")
}

fn compare_pictures(arguments: &CompareArguments, judge: Option<Judge>) -> Result<Verdict, Box<dyn Error>> {
    if arguments.metric.is_none() && arguments.threshold.is_some() {
        return Err("--threshold means something else to every metric; add --metric, for example --metric flip".into());
    }
    let options = MeasureOptions {
        metric: arguments.metric.unwrap_or(Metric::Flip),
        prefer_envelope: arguments.metric.is_none(),
        threshold: arguments.threshold,
        maximum_differing: arguments.max_differing,
        ignored: arguments.ignore.clone(),
        pixels_per_degree: arguments.pixels_per_degree.unwrap_or(DEFAULT_PIXELS_PER_DEGREE),
        level: arguments.simd.unwrap_or_default(),
        memory: arguments.memory.map_or(MeasureOptions::DEFAULT_MEMORY, |memory| memory.saturating_mul(1 << 20)),
    };
    let threads = arguments.threads.map_or(0, |threads| bounded_threads(threads).get());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let report = arguments.report.as_deref().map(|folder| Report::new(folder, &options)).transpose()?;
    let report = report.map(|report| report.judged_by(judge));
    let comparison = pool.install(|| compare_judged(arguments, &options, report.as_ref()));
    let comparison = comparison.map_err(|error| -> Box<dyn Error> { error })?;
    // First of all the result: a report that can not be written must not hide it.
    print_verdict(&comparison, arguments.json.then(|| comparison.to_json()).transpose()?)?;
    if let Some(report) = report {
        let page = report.finish(&comparison)?;
        note!("report: {}", page.display());
    }
    if let Some(path) = &arguments.junit {
        write_file(path, comparison.to_junit()?.as_bytes())?;
    }
    Ok(comparison.verdict)
}

fn compare_vertices(arguments: &CompareArguments) -> Result<Verdict, Box<dyn Error>> {
    if let Some(option) = arguments.for_pictures_alone() {
        let remedy = "leave it out: vertices are judged by the golden's bounds, and where it has none by --threshold";
        return Err(format!("{option} is for pictures; {remedy}").into());
    }
    let options = VertexCompareOptions { accepted: arguments.threshold, ..VertexCompareOptions::default() };
    let source = CandidateOptions {
        layout: arguments.layout.clone(),
        stride: arguments.stride,
        space: arguments.space.unwrap_or_default(),
        matrices: arguments.matrices.clone(),
    };
    let comparison = VertexComparison::of_files(&arguments.golden, &arguments.candidate, &source, &options)?;
    print_verdict(&comparison, arguments.json.then(|| comparison.to_json()).transpose()?)?;
    Ok(comparison.verdict)
}

/// Compares by the envelopes beside the goldens, or by others where something is declared beside what their cases say. Where cases are
/// known it tells what would make a refused picture right, and the report whose pixels are wrong.
fn compare_judged(
    arguments: &CompareArguments,
    options: &MeasureOptions,
    report: Option<&Report>,
) -> Result<Comparison, Box<dyn Error + Send + Sync>> {
    let (mut comparison, goldens) = if arguments.rules().is_nothing() {
        let comparison = compare_with_progress(arguments, options, report, None)?;
        // Any other program may have a file of that name.
        let goldens = (comparison.verdict != Verdict::Same).then(|| arguments.goldens(options.memory).ok()).flatten();
        (comparison, goldens.flatten())
    } else {
        if let Some(metric) = arguments.metric.filter(|metric| *metric != Metric::Envelope) {
            let words = arguments.rules_in_words();
            return Err(format!(
                "{words} says what an envelope holds, and --metric {metric} looks at none; leave one out"
            )
            .into());
        }
        let not_there = |source| CompareError::Path { path: arguments.golden.clone(), source };
        fs::metadata(&arguments.golden).map_err(not_there)?;
        let Some(mut goldens) = arguments.goldens(options.memory)? else {
            let why = format!("no {MANIFEST_NAME} above it says what it shows");
            return Err(arguments.unknown(&arguments.golden, &why).into());
        };
        let folder = OwnFolder::make("compare")?;
        let bar = OnceCell::new();
        let made = goldens.envelopes(&arguments.golden, &arguments.candidate, folder.path(), &|done, all| {
            bar.get_or_init(|| progress_bar(all, "envelopes")).set_position(done as u64);
        });
        let envelope = |golden: &Path| match made.of(golden) {
            Some(envelope) => envelope.clone(),
            None => {
                let manifest = goldens.path().join(MANIFEST_NAME);
                Err(arguments.unknown(golden, &format!("no case of {} draws it", manifest.display())))
            }
        };
        (compare_with_progress(arguments, options, report, Some(&envelope))?, Some(goldens))
    };
    if arguments.diagnose && goldens.is_none() && comparison.verdict == Verdict::Different {
        let (golden, candidate) = (arguments.golden.display(), arguments.candidate.display());
        note!(
            "{golden}: no {MANIFEST_NAME} above it says what it shows, so nothing is diagnosed; name the scene: `refrast diagnose \
             SCENE --candidate {candidate}`, with the options that it was drawn with"
        );
    }
    if let Some(mut goldens) = goldens {
        goldens.suggest(&mut comparison, options.memory);
        if let Some(report) = report {
            goldens.explain(&comparison).into_iter().for_each(|(name, causes)| report.explain(&name, causes));
        }
        if arguments.diagnose {
            diagnose_cases(&mut goldens, &mut comparison, options.memory, report)?;
        }
    }
    Ok(comparison)
}

/// Where the envelope of a golden is, if it is not the one beside it.
type EnvelopeOf<'a> = &'a dyn Fn(&Path) -> Result<OtherEnvelope, String>;

/// Shows a bar on a terminal once there is more than one case.
fn compare_with_progress(
    arguments: &CompareArguments,
    options: &MeasureOptions,
    report: Option<&Report>,
    envelope: Option<EnvelopeOf<'_>>,
) -> Result<Comparison, CompareError> {
    let bar = ProgressBar::no_length().with_style(ProgressStyle::default_spinner());
    let finished = AtomicU64::new(0);
    let observer = |case: &Case, pictures: CasePictures<'_>| {
        let count = finished.fetch_add(1, Ordering::Relaxed) + 1;
        if count > 1 {
            bar.set_message(format!("{count} compared, {}", case.name));
            bar.tick();
        }
        report.map_or(Ok(()), |report| report.add(case, pictures))
    };
    let result = match envelope {
        None => compare_observed(&arguments.golden, &arguments.candidate, options, &observer),
        Some(envelope) => compare_by(&arguments.golden, &arguments.candidate, envelope, options, &observer),
    };
    bar.finish_and_clear();
    result
}
