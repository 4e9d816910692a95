//! The benchmarks of two commits, run in turns: what has become slower?
//!
//! ```sh
//! cargo run --release --example against -- main                     # every job; ends with 1 where one is slower
//! cargo run --release --example against -- v0.1.0 --job frame --job skinning --rounds 9 --least 0.97
//! cargo run --release --example against -- HEAD~5 --bench skinning --job 32k    # builds no other benchmark
//! cargo run --release --example against -- HEAD~5 --profile release             # with what `cargo test --release` has built of this one
//! cargo run --release --example against -- HEAD~5 --profile release --workspace # with what `cargo test --release --workspace` has built
//! ```
//!
//! Why it exists: a time means nothing on another machine, and little a minute later on the same one; but two programs that
//! take turns meet the same minutes. The other commit is cloned beside the build and built into a folder of its own: cargo names
//! what it makes by paths within a workspace, so that in one folder the rooms of one commit are taken for those of the other.
//! Each has its own benchmarks, so that only jobs that both have are compared. Of each job the best time of all rounds counts
//! (what is slower than the best was disturbed), and beside it stands the median. A commit that can not be built ends with 2.

use std::{
    collections::BTreeMap,
    error::Error,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use serde_json::Value;

/// What is asked for on the command line.
struct Arguments {
    commit: String,
    /// The benchmarks that are built; empty for all.
    benches: Vec<String>,
    /// Parts of the names of jobs; empty for all.
    jobs: Vec<String>,
    /// Cargo's.
    profile: String,
    /// Whether crates have the features that all members of the workspace ask of them.
    workspace: bool,
    rounds: usize,
    /// The least ratio, old time by new time, that is no failure.
    least: f64,
}

impl Arguments {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let (benches, jobs, profile) = (Vec::new(), Vec::new(), "bench".to_owned());
        let (workspace, rounds, least) = (false, 5, 0.95);
        let mut own = Self { commit: String::new(), benches, jobs, profile, workspace, rounds, least };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--bench" => own.benches.push(value()?),
                "--job" => own.jobs.push(value()?),
                "--profile" => own.profile = value()?,
                "--workspace" => own.workspace = true,
                "--rounds" => own.rounds = value()?.parse()?,
                "--least" => own.least = value()?.parse()?,
                _ if word.starts_with('-') || !own.commit.is_empty() => return Err(format!("unexpected {word}").into()),
                _ => own.commit = word,
            }
        }
        if own.commit.is_empty() || own.rounds == 0 {
            let usage = "against COMMIT [--bench NAME]... [--job PART]... [--profile bench] [--workspace] [--rounds 5] [--least 0.95]";
            return Err(format!("usage: {usage}").into());
        }
        Ok(own)
    }

    fn wants(&self, job: &str) -> bool {
        self.jobs.is_empty() || self.jobs.iter().any(|part| job.contains(part.as_str()))
    }
}

/// The built benchmarks of a checkout, by name.
type Benches = BTreeMap<String, PathBuf>;

/// Clones a commit of this repository, without copying its objects.
fn check_out(commit: &str, to: &Path) -> Result<(), Box<dyn Error>> {
    if !to.exists() {
        run(Command::new("git").args(["clone", "--quiet", "--shared", "--no-checkout", "."]).arg(to))?;
    }
    run(Command::new("git").arg("-C").arg(to).args(["checkout", "--quiet", "--detach", commit]))
}

fn run(command: &mut Command) -> Result<(), Box<dyn Error>> {
    match command.status()? {
        status if status.success() => Ok(()),
        status => Err(format!("{command:?} ended with {status}").into()),
    }
}

fn resolve(commit: &str) -> Result<String, Box<dyn Error>> {
    let output = Command::new("git").args(["rev-parse", "--verify", &format!("{commit}^{{commit}}")]).output()?;
    if !output.status.success() {
        return Err(format!("there is no commit {commit} in this repository").into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// Builds the benchmarks of a checkout, and asks cargo where they are.
fn build(checkout: &Path, target: &Path, arguments: &Arguments) -> Result<Benches, Box<dyn Error>> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(checkout).env("CARGO_TARGET_DIR", target);
    cargo.args(["bench", "--no-run", "--message-format=json-render-diagnostics", "--profile", &arguments.profile]);
    cargo.args(arguments.workspace.then_some("--workspace"));
    let all = ["*".to_owned()];
    for bench in if arguments.benches.is_empty() { &all[..] } else { &arguments.benches } {
        cargo.args(["--bench", bench]);
    }
    let output = cargo.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("the benchmarks of {} can not be built", checkout.display()).into());
    }
    let mut benches = Benches::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let message: Value = serde_json::from_str(line)?;
        let is_bench =
            message["target"]["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "bench"));
        if let (true, Some(name), Some(path)) =
            (is_bench, message["target"]["name"].as_str(), message["executable"].as_str())
        {
            benches.insert(name.to_owned(), path.into());
        }
    }
    Ok(benches)
}

/// The names of a benchmark's jobs.
fn jobs(bench: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let output = Command::new(bench).args(["--bench", "--list"]).stderr(Stdio::inherit()).output()?;
    let text = String::from_utf8(output.stdout)?;
    Ok(text.lines().filter_map(|line| line.strip_suffix(": benchmark").map(str::to_owned)).collect())
}

/// Nanoseconds for one go at a job.
fn time(bench: &Path, job: &str, home: &Path) -> Result<f64, Box<dyn Error>> {
    let mut command = Command::new(bench);
    command.env("CRITERION_HOME", home).args(["--bench", "--exact", job, "--noplot", "--output-format", "bencher"]);
    command.args(["--sample-size", "10", "--warm-up-time", "0.2", "--measurement-time", "0.5"]);
    let output = command.stderr(Stdio::null()).output()?;
    let text = String::from_utf8(output.stdout)?;
    // "test NAME ... bench:   1,234 ns/iter (+/- 5)"
    let number = text.split_once("bench:").and_then(|(_, rest)| rest.split_whitespace().next());
    let number = number.ok_or_else(|| format!("{} told no time for {job}", bench.display()))?;
    Ok(number.replace(',', "").parse()?)
}

/// The times of a job, round by round.
#[derive(Default)]
struct Times(Vec<f64>);

impl Times {
    fn best(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    let target = PathBuf::from(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()));
    std::fs::create_dir_all(target.join("against"))?;
    let target = target.canonicalize()?;
    let root = target.join("against");
    let commit = resolve(&arguments.commit)?;
    let checkout = root.join("checkout");
    check_out(&commit, &checkout)?;
    let Ok(old) = build(&checkout, &root.join("target"), &arguments) else {
        eprintln!("there is nothing to compare with: the benchmarks of {commit} can not be built");
        return Ok(ExitCode::from(2));
    };
    let new = build(Path::new("."), &target, &arguments)?;
    println!("# {} against {commit}, best and median of {} rounds", resolve("HEAD")?, arguments.rounds);
    println!("\n| job | old, ns | new, ns | old/new, best | median |\n|---|---:|---:|---:|---:|");
    let (mut slower, mut compared) = (0, 0);
    for (name, new) in &new {
        let Some(old) = old.get(name) else { continue };
        let known = jobs(old)?;
        for job in jobs(new)?.into_iter().filter(|job| arguments.wants(job) && known.contains(job)) {
            let mut times = [Times::default(), Times::default()];
            for round in 0..arguments.rounds {
                // Who comes first changes, as caches and clocks remember who came before.
                for which in [round % 2, 1 - round % 2] {
                    times[which].0.push(time([old, new][which], &job, &root.join("criterion"))?);
                }
            }
            let [before, now] = times;
            let (best, median) = (before.best() / now.best(), before.median() / now.median());
            let mark = if best < arguments.least { " **slower**" } else { "" };
            println!("| {job} | {:.0} | {:.0} | {best:.2}{mark} | {median:.2} |", before.best(), now.best());
            compared += 1;
            slower += usize::from(best < arguments.least);
        }
    }
    if compared == 0 {
        return Err("no job of that name is in both commits".into());
    }
    println!("\n{slower} of {compared} jobs are below {}", arguments.least);
    Ok(if slower == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
