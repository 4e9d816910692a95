//! [`Table`]: everybody's times, in Markdown.

use std::{collections::HashMap, fmt, num::NonZeroUsize};

use refrast_gpu_backend::Driver;

use super::{Times, jobs::Job};

/// Who drew: a driver, or without one the reference.
type Drawer = Option<Driver>;

/// A row a job and number of threads, a column a drawer.
pub(super) struct Table<'a> {
    jobs: &'a [Job],
    threads: &'a [NonZeroUsize],
    drivers: Vec<Driver>,
    /// By the job's place, the place of the number of threads, and who drew.
    times: HashMap<(usize, usize, Drawer), Times>,
}

impl<'a> Table<'a> {
    pub(super) fn new(jobs: &'a [Job], threads: &'a [NonZeroUsize], drivers: Vec<Driver>) -> Self {
        Self { jobs, threads, drivers, times: HashMap::new() }
    }

    /// Adds a turn: the times of all jobs.
    pub(super) fn add(&mut self, threads: usize, drawer: Drawer, turn: Vec<Times>) {
        for (job, times) in turn.into_iter().enumerate() {
            let all = self.times.entry((job, threads, drawer)).or_default();
            all.drawn.extend(times.drawn);
            all.read_back.extend(times.read_back);
        }
    }
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| frame | samples | size | threads | refrast |")?;
        self.drivers.iter().try_for_each(|driver| write!(f, " {driver} | its reading back |"))?;
        writeln!(f, " fastest driver ÷ refrast |")?;
        writeln!(f, "|---|---:|---:|---:|---:|{}---:|", "---:|---:|".repeat(self.drivers.len()))?;
        for (number, Job { subject, look, samples, size }) in self.jobs.iter().enumerate() {
            for (place, threads) in self.threads.iter().enumerate() {
                let times = |drawer| self.times.get(&(number, place, drawer));
                write!(f, "| {subject}, {look} | {} | {}x{} | {threads} |", samples.count(), size.width, size.height)?;
                let own = times(None).and_then(|times| best(&times.drawn));
                write!(f, " {} |", cell(times(None).map_or(&[], |times| &times.drawn)))?;
                let mut fastest: Option<f64> = None;
                for &driver in &self.drivers {
                    let (drawn, read_back) =
                        times(Some(driver)).map_or((&[][..], &[][..]), |times| (&times.drawn, &times.read_back));
                    write!(f, " {} | {} |", cell(drawn), cell(read_back))?;
                    fastest = fastest.into_iter().chain(best(drawn)).reduce(f64::min);
                }
                match own.zip(fastest) {
                    Some((own, fastest)) => writeln!(f, " {:.2} |", fastest / own)?,
                    None => writeln!(f, " – |")?,
                }
            }
        }
        Ok(())
    }
}

fn best(times: &[f64]) -> Option<f64> {
    times.iter().copied().reduce(f64::min)
}

/// The best and the median.
fn cell(times: &[f64]) -> String {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.first(), sorted.get(sorted.len() / 2)) {
        (Some(best), Some(median)) => format!("{best:.1} ({median:.1})"),
        _ => "–".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use refrast::{raster::SampleCount, render::Size};

    use super::{
        super::jobs::{Look, Subject},
        *,
    };

    #[test]
    fn the_ratio_is_that_of_the_best_frames_to_the_fastest_driver() {
        let size = Size { width: 64, height: 36 };
        let jobs = [Job { subject: Subject::Torus, look: Look::Unlit, samples: SampleCount::One, size }];
        let threads = [NonZeroUsize::MIN];
        let mut table = Table::new(&jobs, &threads, vec![Driver::Lavapipe, Driver::Llvmpipe]);
        let times =
            |drawn: &[f64], read_back: &[f64]| vec![Times { drawn: drawn.to_vec(), read_back: read_back.to_vec() }];
        table.add(0, None, times(&[4.0, 2.0, 3.0], &[]));
        table.add(0, Some(Driver::Lavapipe), times(&[9.0, 8.0], &[1.0]));
        table.add(0, Some(Driver::Lavapipe), times(&[7.0], &[0.5, 2.0]));
        let row = "| torus, unlit | 1 | 64x36 | 1 | 2.0 (3.0) | 7.0 (8.0) | 0.5 (1.0) | – | – | 3.50 |";
        assert_eq!(table.to_string().lines().nth(2), Some(row), "{table}");
    }
}
