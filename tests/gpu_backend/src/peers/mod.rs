//! Programs that people compare pictures with, asked what they say about ours.
//!
//! Why it exists: a table that says what others miss has to ask the others themselves. odiff and pixelmatch are run as
//! their users run them, with nothing but a threshold; ꟻLIP, dEQP's fuzzy compare and the threshold are refrast's metrics.

use std::{
    error::Error,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use clap::Args;
use refrast::golden::{MeasureOptions, Metric, Picture, Score, measure};

refrast::words::names! {
    /// What compares pictures by one number.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Peer: "metric of others" {
        /// NVIDIA's ꟻLIP: the largest error of a pixel.
        Flip = "ꟻLIP",
        /// odiff, without its option for anti-aliasing, which is off by default.
        Odiff = "odiff",
        /// pixelmatch, which leaves out what it takes for anti-aliasing.
        Pixelmatch = "pixelmatch",
        /// dEQP's fuzzy compare.
        Fuzzy = "fuzzy",
        /// The largest difference of a channel.
        Threshold = "steps",
    }
}

impl Peer {
    /// The threshold that its users leave as it is.
    pub(crate) const fn usual(self) -> f64 {
        match self {
            Self::Flip | Self::Fuzzy => 0.05,
            Self::Odiff | Self::Pixelmatch => 0.1,
            Self::Threshold => 2.0,
        }
    }
}

/// Where the programs are; those that are not named are left out.
#[derive(Args, Clone, Default)]
pub(crate) struct PeerArguments {
    /// The program odiff (npm: odiff-bin)
    #[arg(long, value_name = "PROGRAM")]
    odiff: Option<PathBuf>,
    /// A node_modules folder with pixelmatch and pngjs
    #[arg(long, value_name = "FOLDER")]
    pixelmatch: Option<PathBuf>,
}

/// The programs, started.
pub(crate) struct Peers {
    odiff: Option<PathBuf>,
    pixelmatch: Option<Pixelmatch>,
}

/// A golden and a candidate, in memory and as files.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) golden: (&'a Picture, &'a Path),
    pub(crate) candidate: (&'a Picture, &'a Path),
}

/// Thresholds of programs are tried on this grid.
const STEPS: u32 = 1000;

impl Peers {
    pub(crate) fn start(arguments: &PeerArguments) -> Result<Self, Box<dyn Error>> {
        let pixelmatch = arguments.pixelmatch.as_deref().map(Pixelmatch::start).transpose()?;
        Ok(Self { odiff: arguments.odiff.clone(), pixelmatch })
    }

    /// Those that can be asked.
    pub(crate) fn asked(&self) -> Vec<Peer> {
        let can = |peer: &Peer| match peer {
            Peer::Odiff => self.odiff.is_some(),
            Peer::Pixelmatch => self.pixelmatch.is_some(),
            Peer::Flip | Peer::Fuzzy | Peer::Threshold => true,
        };
        Peer::ALL.into_iter().filter(can).collect()
    }

    /// Which of these thresholds refuse the candidate.
    pub(crate) fn refuse<const N: usize>(
        &mut self,
        peer: Peer,
        pair: Pair<'_>,
        thresholds: [f64; N],
    ) -> Result<[bool; N], Box<dyn Error>> {
        let mut refused = [false; N];
        if let Some(score) = score(peer, pair)? {
            refused = thresholds.map(|threshold| score > threshold);
        } else {
            for (refused, threshold) in refused.iter_mut().zip(thresholds) {
                *refused = self.program_refuses(peer, pair, threshold)?;
            }
        }
        Ok(refused)
    }

    /// The strictest threshold that accepts the candidate.
    pub(crate) fn strictest(&mut self, peer: Peer, pair: Pair<'_>) -> Result<f64, Box<dyn Error>> {
        if let Some(score) = score(peer, pair)? {
            return Ok(score);
        }
        let (mut low, mut high) = (0, STEPS);
        while low < high {
            let middle = low.midpoint(high);
            if self.program_refuses(peer, pair, f64::from(middle) / f64::from(STEPS))? {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(f64::from(low) / f64::from(STEPS))
    }

    fn program_refuses(&mut self, peer: Peer, pair: Pair<'_>, threshold: f64) -> Result<bool, Box<dyn Error>> {
        let paths = [pair.golden.1, pair.candidate.1];
        match (peer, &self.odiff, &mut self.pixelmatch) {
            (Peer::Odiff, Some(program), _) => odiff_refuses(program, paths, threshold),
            (Peer::Pixelmatch, _, Some(pixelmatch)) => pixelmatch.refuses(paths, threshold),
            _ => Ok(false),
        }
    }
}

/// The number by which one of refrast's metrics judges; `None` for programs.
fn score(peer: Peer, pair: Pair<'_>) -> Result<Option<f64>, Box<dyn Error>> {
    let metric = match peer {
        Peer::Flip => Metric::Flip,
        Peer::Fuzzy => Metric::Fuzzy,
        Peer::Threshold => Metric::Threshold,
        Peer::Odiff | Peer::Pixelmatch => return Ok(None),
    };
    let measurement = measure(pair.golden.0, pair.candidate.0, &MeasureOptions::new(metric))?;
    Ok(Some(match measurement.score {
        Score::Flip(score) => score.maximum,
        Score::Fuzzy { error } => error,
        _ => measurement.channels.largest.into_iter().map(f64::from).fold(0.0, f64::max),
    }))
}

/// odiff says by its exit code: 0 for a match, 22 for a difference.
fn odiff_refuses(program: &Path, [golden, candidate]: [&Path; 2], threshold: f64) -> Result<bool, Box<dyn Error>> {
    let mut command = Command::new(program);
    command.args([golden, candidate]).args(["--threshold", &threshold.to_string(), "--parsable-stdout"]);
    let output = command.output().map_err(|error| format!("{}: {error}", program.display()))?;
    match output.status.code() {
        Some(0) => Ok(false),
        Some(22) => Ok(true),
        _ => Err(format!("{}: {}", program.display(), String::from_utf8_lossy(&output.stderr)).into()),
    }
}

/// A Node process that asks pixelmatch.
struct Pixelmatch {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Pixelmatch {
    fn start(modules: &Path) -> Result<Self, Box<dyn Error>> {
        let modules = modules.canonicalize().map_err(|error| format!("{}: {error}", modules.display()))?;
        let mut command = Command::new("node");
        command.args(["--input-type=module", "--eval", include_str!("pixelmatch.mjs"), "--"]).arg(modules);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("node, which pixelmatch needs: {error}"))?;
        let questions = child.stdin.take();
        let answers = child.stdout.take().ok_or("node has no standard output")?;
        Ok(Self { child, questions, answers: BufReader::new(answers) })
    }

    fn refuses(&mut self, [golden, candidate]: [&Path; 2], threshold: f64) -> Result<bool, Box<dyn Error>> {
        let questions = self.questions.as_mut().ok_or("pixelmatch is not running")?;
        writeln!(questions, "{}\t{}\t{threshold}", golden.display(), candidate.display())?;
        questions.flush()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        let count: u64 = answer.trim().parse().map_err(|_| "pixelmatch gives no number; see above")?;
        Ok(count > 0)
    }
}

impl Drop for Pixelmatch {
    fn drop(&mut self) {
        // At the end of its input it ends by itself.
        self.questions = None;
        drop(self.child.wait());
    }
}
