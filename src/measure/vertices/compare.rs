//! Is a vertex buffer what the golden allows?
//!
//! Every component counts by itself: it is accepted when its distance to the golden is within the golden's bound.

use std::{cmp::Ordering, iter, ops::Range, path::Path};

use serde::Serialize;

use super::{
    Attribute, CandidateBuffer, CandidateOptions, Given, Space, SpaceMatrices, VertexBuffer, VertexFileError, VertexId,
    spaces::Placed,
};
use crate::Verdict;

/// How vertex buffers are compared.
#[derive(Clone, Copy, Debug)]
pub struct VertexCompareOptions {
    /// The distance that is accepted where the golden claims no bound; without it, such numbers are only counted.
    pub accepted: Option<f64>,
    /// How many of the worst vertices are listed for each attribute.
    pub worst: usize,
}

impl VertexCompareOptions {
    /// [`accepted`](Self::accepted), after it has been checked: everything is within NaN or infinity.
    ///
    /// # Errors
    /// [`VertexFileError::Threshold`] unless it is finite and at least 0.
    pub fn checked_accepted(&self) -> Result<Option<f64>, VertexFileError> {
        match self.accepted {
            Some(accepted) if !(accepted.is_finite() && accepted >= 0.0) => Err(VertexFileError::Threshold(accepted)),
            accepted => Ok(accepted),
        }
    }

    /// Whether there is anything to judge by: bounds of the golden, or a distance that is accepted.
    fn can_judge(&self, golden: &VertexBuffer, name: &Path) -> Result<(), VertexFileError> {
        let claims =
            |bounds: &Vec<[f64; 3]>| bounds.is_empty() || bounds.iter().flatten().any(|bound| bound.is_finite());
        match self.accepted.is_some() || golden.position.bounds.as_ref().is_some_and(claims) {
            true => Ok(()),
            false => Err(VertexFileError::NoBounds { path: name.to_owned() }),
        }
    }
}

impl Default for VertexCompareOptions {
    fn default() -> Self {
        Self { accepted: None, worst: 5 }
    }
}

/// Where a candidate's vertices come from, and how the golden is brought beside them.
#[derive(Clone, Copy, Debug)]
pub struct CandidatePlace<'a> {
    /// What they are called in messages: their file.
    pub name: &'a Path,
    /// The space that they are in.
    pub space: Space,
    /// What leads from world space to that one.
    pub matrices: &'a SpaceMatrices,
}

/// The result of comparing two vertex buffers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VertexComparison {
    /// Same where every number that can be judged is within its bound.
    pub verdict: Verdict,
    /// Rows of the golden.
    pub vertices: usize,
    /// Why rows could not be put side by side, where they could not.
    pub mismatch: Option<String>,
    /// Position, normal and tangent, as far as both files have them.
    pub attributes: Vec<AttributeComparison>,
    /// Attributes that the golden has and the candidate lacks: not compared.
    pub missing: Vec<&'static str>,
    /// The distance that was accepted where there was no bound.
    pub accepted: Option<f64>,
    /// What the backends are given that the golden's bounds are for; `None` where it does not say.
    pub given: Option<Given>,
    /// How many results the golden has, each of which is right for a whole buffer.
    pub alternatives: usize,
    /// By which of them the candidate is judged: one that it follows, or the one of which the fewest vertices are outside;
    /// `None` is the golden's first.
    pub alternative: Option<String>,
}

/// How far an attribute of all vertices is from the golden.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AttributeComparison {
    /// `position`, `normal` or `tangent`.
    pub attribute: &'static str,
    /// Vertices for which the golden has a value.
    pub compared: usize,
    /// Vertices of which a component is outside of its bound.
    pub outside: usize,
    /// Vertices of which a component could not be judged, because nothing bounds it.
    pub without_bound: usize,
    /// The largest distance of any component; `None` (in JSON `null`) where a candidate is not finite.
    pub largest_error: Option<f64>,
    /// The mean over the vertices of the largest distance of a component; `None` where a candidate is not finite.
    pub mean_error: Option<f64>,
    /// The largest distance in steps of the golden's f32.
    pub largest_ulps: Option<f64>,
    /// The largest distance in bounds: up to 1 is accepted.
    pub largest_ratio: Option<f64>,
    /// The vertices with the largest distance in bounds, worst first; without those that are exact.
    pub worst: Vec<WorstVertex>,
}

/// A vertex, judged by its worst component.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorstVertex {
    /// The row in both files.
    pub row: usize,
    /// Which vertex it is.
    pub id: VertexId,
    /// The golden's value.
    pub golden: Vec<f64>,
    /// The candidate's value.
    pub candidate: Vec<f64>,
    /// The component (0 is x) that is meant below.
    pub component: usize,
    /// Its distance; infinite (in JSON `null`) where the candidate is not finite.
    pub error: f64,
    /// The distance in steps of the golden's f32.
    pub ulps: f64,
    /// What is accepted; `None` where nothing bounds it.
    pub bound: Option<f64>,
    /// Distance over bound; infinite (in JSON `null`) where the bound is 0.
    pub ratio: Option<f64>,
    /// Whether it is outside of its bound.
    pub outside: bool,
}

/// The rows that indices may count: all of them, and those of each primitive of a node, as a capture of one draw has them.
fn draws(golden: &VertexBuffer) -> Vec<Range<usize>> {
    let of = |row: usize| (golden.id(row).node, golden.id(row).primitive);
    let starts = (1..golden.len()).filter(|&row| of(row) != of(row - 1));
    let starts: Vec<usize> = iter::once(0).chain(starts).chain([golden.len()]).collect();
    let parts = starts.windows(2).map(|ends| ends[0]..ends[1]);
    iter::once(0..golden.len()).chain(parts.filter(|part| part.len() < golden.len())).collect()
}

impl VertexComparison {
    /// Compares two vertex files.
    ///
    /// # Errors
    /// Where a file can not be read, nothing says how far a position may be from the golden, or a matrix is missing that
    /// leads to the candidate's space.
    pub fn of_files(
        golden: &Path,
        candidate: &Path,
        source: &CandidateOptions,
        options: &VertexCompareOptions,
    ) -> Result<Self, VertexFileError> {
        options.checked_accepted()?;
        let buffer = CandidateBuffer::read(golden, &CandidateOptions::default())?.points(golden)?;
        options.can_judge(&buffer, golden)?;
        Self::of_candidate(&buffer, candidate, source, &source.read_matrices()?, options)
    }

    /// Compares two NPY files that are at hand as bytes, both in world space.
    ///
    /// # Errors
    /// As [`of_files`](Self::of_files); the files are called `the golden` and `the candidate`.
    pub fn of_npy(golden: &[u8], candidate: &[u8], options: &VertexCompareOptions) -> Result<Self, VertexFileError> {
        options.checked_accepted()?;
        let (golden_name, candidate_name) = (Path::new("the golden"), Path::new("the candidate"));
        let golden = VertexBuffer::from_npy(golden, golden_name)?;
        options.can_judge(&golden, golden_name)?;
        let candidate = CandidateBuffer::from_npy(candidate, candidate_name)?;
        let place = CandidatePlace { name: candidate_name, space: Space::World, matrices: &SpaceMatrices::default() };
        Self::of_buffer(&golden, candidate, place, options)
    }

    /// Compares a file with vertices that are at hand; `matrices` lead from theirs to the candidate's space.
    ///
    /// # Errors
    /// Where the file can not be read, or a matrix is missing that leads to its space.
    pub fn of_candidate(
        golden: &VertexBuffer,
        candidate: &Path,
        source: &CandidateOptions,
        matrices: &SpaceMatrices,
        options: &VertexCompareOptions,
    ) -> Result<Self, VertexFileError> {
        options.checked_accepted()?;
        let theirs = CandidateBuffer::read(candidate, source)?;
        Self::of_buffer(golden, theirs, CandidatePlace { name: candidate, space: source.space, matrices }, options)
    }

    /// As [`of_candidate`](Self::of_candidate), with a candidate that has been read. Where it has the indices of a draw (a capture
    /// tool's export), they count the golden's rows or those of one of its primitives: it is judged by what it fits best.
    ///
    /// # Errors
    /// Where a matrix is missing that leads to its space, or it has rows that the golden has not.
    pub fn of_buffer(
        golden: &VertexBuffer,
        candidate: CandidateBuffer,
        place: CandidatePlace<'_>,
        options: &VertexCompareOptions,
    ) -> Result<Self, VertexFileError> {
        options.checked_accepted()?;
        let CandidateBuffer { buffer, w, rows } = candidate;
        let judge = |golden: &VertexBuffer, buffer: VertexBuffer, w: Option<Vec<f64>>| {
            Self::of_rows(golden, CandidateBuffer { buffer, w, rows: None }, place, options)
        };
        let Some(rows) = rows else { return judge(golden, buffer, w) };
        let last = rows.iter().copied().max().unwrap_or(0);
        let reaches = |part: &Range<usize>| last < part.len();
        let mut best: Option<Self> = None;
        for part in draws(golden).into_iter().filter(reaches) {
            let rows: Vec<usize> = rows.iter().map(|row| part.start + row).collect();
            let judged = judge(&golden.rows(&rows), buffer.clone(), w.clone())?;
            if best.as_ref().is_none_or(|best| judged.outside() < best.outside()) {
                best = Some(judged);
            }
        }
        best.ok_or_else(|| {
            let reason = format!("it has a vertex {last}, and the golden {} vertices", golden.len());
            VertexFileError::NotVertices { path: place.name.to_owned(), reason }
        })
    }

    /// As [`of_buffer`](Self::of_buffer), by all rows of the golden.
    fn of_rows(
        golden: &VertexBuffer,
        candidate: CandidateBuffer,
        place: CandidatePlace<'_>,
        options: &VertexCompareOptions,
    ) -> Result<Self, VertexFileError> {
        let CandidateBuffer { buffer: theirs, w, .. } = candidate;
        let CandidatePlace { name, space, matrices } = place;
        let placed =
            |buffer: &VertexBuffer| matrices.place(buffer, space).map_err(|reason| VertexFileError::Space { reason });
        if space == Space::Clip {
            let w = w.ok_or_else(|| VertexFileError::NoW { path: name.to_owned() })?;
            let Placed { buffer, clip } = placed(golden)?;
            let four = theirs.position.values.iter().zip(&w).map(|(&[x, y, z], &w)| [x, y, z, w]).collect();
            return Ok(Self::of_clip(&buffer, &clip, &theirs, &Attribute::without_bounds(four), options));
        }
        let theirs = CandidateBuffer { buffer: theirs, w, rows: None }.points(name)?;
        Ok(Self::of(&placed(golden)?.buffer, &theirs, options))
    }

    /// As [`of`](Self::of), by positions of four numbers: the golden's first, and one for each of its alternatives.
    fn of_clip(
        golden: &VertexBuffer,
        clip: &[Attribute<4>],
        candidate: &VertexBuffer,
        position: &Attribute<4>,
        options: &VertexCompareOptions,
    ) -> Self {
        let judge = |clip: Option<&Attribute<4>>| {
            let mut comparison = Self::begin(golden, candidate, options);
            if comparison.mismatch.is_none() {
                comparison.add("position", &|row| golden.id(row), clip, Some(position), options);
                comparison.conclude();
            }
            comparison
        };
        let others = golden.alternatives.iter().zip(clip.iter().skip(1));
        Self::best(judge(clip.first()), others.map(|(other, clip)| (&other.label, move || judge(Some(clip)))))
    }

    /// The first result that is the same, or the one with the fewest vertices outside; the golden's own is the first.
    fn best<'a>(own: Self, others: impl ExactSizeIterator<Item = (&'a String, impl FnOnce() -> Self)>) -> Self {
        let mut best = Self { alternatives: 1 + others.len(), ..own };
        for (label, judge) in others {
            if best.verdict == Verdict::Same || best.mismatch.is_some() {
                break;
            }
            let judged = judge();
            if judged.outside() < best.outside() {
                best = Self { alternative: Some(label.clone()), alternatives: best.alternatives, ..judged };
            }
        }
        best
    }

    /// Compares two buffers, row by row. A distance that can not be accepted (see
    /// [`checked_accepted`](VertexCompareOptions::checked_accepted)) accepts nothing but equal numbers.
    #[must_use]
    pub fn of(golden: &VertexBuffer, candidate: &VertexBuffer, options: &VertexCompareOptions) -> Self {
        let options =
            &VertexCompareOptions { accepted: options.checked_accepted().unwrap_or(Some(0.0)), worst: options.worst };
        let judge = |golden: &VertexBuffer| Self::of_one(golden, candidate, options);
        let others = golden.alternatives.iter();
        Self::best(judge(golden), others.map(|other| (&other.label, move || judge(&other.alone(golden)))))
    }

    /// As [`of`](Self::of), by the golden's first result.
    fn of_one(golden: &VertexBuffer, candidate: &VertexBuffer, options: &VertexCompareOptions) -> Self {
        let mut comparison = Self::begin(golden, candidate, options);
        if comparison.mismatch.is_some() {
            return comparison;
        }
        let ids = |row| golden.id(row);
        comparison.add("position", &ids, Some(&golden.position), Some(&candidate.position), options);
        comparison.add("normal", &ids, golden.normal.as_ref(), candidate.normal.as_ref(), options);
        comparison.add("tangent", &ids, golden.tangent.as_ref(), candidate.tangent.as_ref(), options);
        comparison.conclude();
        comparison
    }

    /// Vertices outside of their bounds, those of each attribute counted.
    fn outside(&self) -> usize {
        self.attributes.iter().map(|attribute| attribute.outside).sum()
    }

    fn begin(golden: &VertexBuffer, candidate: &VertexBuffer, options: &VertexCompareOptions) -> Self {
        Self {
            verdict: Verdict::Different,
            vertices: golden.len(),
            mismatch: mismatch(golden, candidate),
            attributes: Vec::new(),
            missing: Vec::new(),
            accepted: options.accepted,
            given: golden.given,
            alternatives: 1,
            alternative: None,
        }
    }

    fn conclude(&mut self) {
        if self.attributes.iter().all(|attribute| attribute.outside == 0) {
            self.verdict = Verdict::Same;
        }
    }

    fn add<const N: usize>(
        &mut self,
        attribute: &'static str,
        ids: &dyn Fn(usize) -> VertexId,
        golden: Option<&Attribute<N>>,
        candidate: Option<&Attribute<N>>,
        options: &VertexCompareOptions,
    ) {
        let Some(golden) = golden else { return };
        let judge = |row: usize, values: &[f64; N]| judge(row, ids(row), golden, values, options.accepted);
        let Some(candidate) = candidate else {
            if golden.values.iter().flatten().any(|value| !value.is_nan()) {
                self.missing.push(attribute);
            }
            return;
        };
        let mut result = AttributeComparison {
            attribute,
            compared: 0,
            outside: 0,
            without_bound: 0,
            largest_error: Some(0.0),
            mean_error: None,
            largest_ulps: Some(0.0),
            largest_ratio: Some(0.0),
            worst: Vec::new(),
        };
        let largest = |sum: &mut Option<f64>, number: f64| {
            *sum = sum.filter(|_| number.is_finite()).map(|sum| sum.max(number));
        };
        let mut worst = Vec::new();
        let mut sum = 0.0;
        for (row, values) in candidate.values.iter().enumerate() {
            let Some(Judged { vertex, without_bound, error, ulps }) = judge(row, values) else { continue };
            result.compared += 1;
            result.outside += usize::from(vertex.outside);
            result.without_bound += usize::from(without_bound);
            sum += error;
            largest(&mut result.largest_error, error);
            largest(&mut result.largest_ulps, ulps);
            if let Some(ratio) = vertex.ratio {
                largest(&mut result.largest_ratio, ratio);
            }
            if vertex.error > 0.0 {
                worst.push(vertex);
                // Half is thrown away at a time, so that a million vertices need no list of a million.
                if worst.len() >= 2 * options.worst.max(512) {
                    keep_worst(&mut worst, options.worst);
                }
            }
        }
        keep_worst(&mut worst, options.worst);
        result.worst = worst;
        if result.compared > 0 {
            result.mean_error = Some(sum / result.compared as f64).filter(|mean| mean.is_finite());
            self.attributes.push(result);
        }
    }

    /// The result as JSON.
    ///
    /// # Errors
    /// What the JSON writer says.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self)
    }
}

/// What makes rows fit together.
const ORDER: &str = "write the rows in the order of node, primitive and vertex";

/// Why two buffers can not be put side by side.
fn mismatch(golden: &VertexBuffer, candidate: &VertexBuffer) -> Option<String> {
    let (rows, others) = (golden.len(), candidate.len());
    if rows != others {
        return Some(format!("the golden has {rows} vertices, the candidate {others}; {ORDER}"));
    }
    if rows > 0 && golden.position.values.iter().flatten().all(|value| value.is_nan()) {
        return Some(
            "the golden has no position that is a number, so there is nothing to compare with; write it again"
                .to_owned(),
        );
    }
    let (Some(ids), Some(other_ids)) = (&golden.ids, &candidate.ids) else { return None };
    let row = ids.iter().zip(other_ids).position(|(id, other)| id != other)?;
    Some(format!("row {row} is {} in the golden and {} in the candidate; {ORDER}", ids[row], other_ids[row]))
}

struct Judged {
    vertex: WorstVertex,
    without_bound: bool,
    /// The largest distance of any component, which need not be that of the worst one, and the same in steps of f32.
    error: f64,
    ulps: f64,
}

/// Judges a vertex; `None` where the golden has no value for it.
fn judge<const N: usize>(
    row: usize,
    id: VertexId,
    golden: &Attribute<N>,
    candidate: &[f64; N],
    accepted: Option<f64>,
) -> Option<Judged> {
    let values = golden.values[row];
    let mut without_bound = false;
    let (mut largest_error, mut largest_ulps) = (0.0_f64, 0.0_f64);
    let mut worst: Option<WorstVertex> = None;
    for (component, (&value, &other)) in values.iter().zip(candidate).enumerate() {
        if value.is_nan() {
            continue;
        }
        let claimed = golden.bounds.as_ref().map(|bounds| bounds[row][component]).filter(|bound| bound.is_finite());
        let bound = claimed.or(accepted);
        without_bound |= bound.is_none();
        let distance = (other - value).abs();
        let error = if distance.is_nan() { f64::INFINITY } else { distance };
        let ratio = bound.map(|bound| if error == 0.0 { 0.0 } else { error / bound });
        let ulps = error / step(value);
        (largest_error, largest_ulps) = (largest_error.max(error), largest_ulps.max(ulps));
        let judged = WorstVertex {
            row,
            id,
            golden: values.to_vec(),
            candidate: candidate.to_vec(),
            component,
            error,
            ulps,
            bound,
            ratio,
            outside: bound.is_some_and(|bound| error > bound),
        };
        if worst.as_ref().is_none_or(|worst| worse(&judged, worst) == Ordering::Less) {
            worst = Some(judged);
        }
    }
    worst.map(|vertex| Judged { vertex, without_bound, error: largest_error, ulps: largest_ulps })
}

/// Orders the worse one first: by distance in bounds, then by distance.
fn worse(a: &WorstVertex, b: &WorstVertex) -> Ordering {
    let ratio = |vertex: &WorstVertex| vertex.ratio.unwrap_or(0.0);
    ratio(b).total_cmp(&ratio(a)).then(b.error.total_cmp(&a.error))
}

fn keep_worst(vertices: &mut Vec<WorstVertex>, count: usize) {
    vertices.sort_by(worse);
    vertices.truncate(count);
}

/// The distance of the neighbours of a number in f32.
fn step(number: f64) -> f64 {
    let nearest = (number as f32).abs().min(f32::MAX.next_down());
    f64::from(nearest.next_up()) - f64::from(nearest)
}

#[cfg(test)]
mod tests;
