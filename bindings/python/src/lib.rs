//! The inner module of the Python package: words in as JSON, arrays in and out as bytes.
//!
//! Why it exists: who checks pictures in Python has arrays and no files. What an array is, numpy knows, and
//! `package/refrast/__init__.py` makes them; here are the same calls that the command makes, so that hashes and verdicts are
//! the same.

use std::path::Path;

use pyo3::{exceptions::PyValueError, prelude::*, types::PyBytes};
use refrast::{
    golden::{CandidateBuffer, GoldenCase, Picture, Verdict, VertexCompareOptions, VertexComparison, measure_in_words},
    verify::{
        cases::{CaseError, GoldenFolder},
        vertex::Rounding,
    },
};

/// Whether it is right, the words of the command, and its JSON.
type Parts = (bool, String, String);

/// A picture from Python: width, height, RGBA bytes.
type Pixels<'a> = (u32, u32, &'a [u8]);

/// What goes wrong is a `ValueError` with the command's words.
fn wrong(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A case has no name here: its key and the reason are enough.
fn wrong_case(CaseError { key, reason, .. }: CaseError) -> PyErr {
    PyValueError::new_err(format!("{key}: {reason}"))
}

fn picture((width, height, samples): Pixels<'_>) -> PyResult<Picture> {
    Picture::from_rgba8(width, height, samples.to_vec()).map_err(wrong)
}

/// A case in the words of a manifest, as JSON, and a folder without others: its paths are seen from the working directory.
fn case(words: &str) -> PyResult<(GoldenFolder, GoldenCase)> {
    let case: GoldenCase = serde_json::from_str(words).map_err(wrong)?;
    Ok((GoldenFolder::empty(Path::new("")), case))
}

fn compared(comparison: &VertexComparison) -> PyResult<Parts> {
    Ok((comparison.verdict == Verdict::Same, comparison.to_string(), comparison.to_json().map_err(wrong)?))
}

/// Width, height and RGBA bytes of a case's picture.
#[pyfunction]
fn render<'py>(py: Python<'py>, words: &str) -> PyResult<(u32, u32, Bound<'py, PyBytes>)> {
    let picture = py.detach(|| {
        let (mut folder, case) = case(words)?;
        folder.prepare(&case).and_then(|case| case.render()).map_err(wrong_case)
    })?;
    Ok((picture.width(), picture.height(), PyBytes::new(py, &picture.samples8())))
}

/// The exact vertices with their bounds, as an NPY file.
#[pyfunction]
fn vertices<'py>(py: Python<'py>, words: &str, any_rounding: bool) -> PyResult<Bound<'py, PyBytes>> {
    let rounding = if any_rounding { Rounding::AnyDirection } else { Rounding::Nearest };
    let bytes = py.detach(|| {
        let (mut folder, case) = case(words)?;
        Ok::<_, PyErr>(folder.exact_vertices(&case, rounding).map_err(wrong_case)?.to_npy())
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// Holds a picture against the envelope of a case.
#[pyfunction]
fn check_picture(py: Python<'_>, words: &str, candidate: Pixels<'_>) -> PyResult<Parts> {
    py.detach(|| {
        let (mut folder, case) = case(words)?;
        let checked = folder.check_picture(&case, &picture(candidate)?).map_err(wrong_case)?;
        Ok((checked.right, checked.to_string(), serde_json::to_string(&checked).map_err(wrong)?))
    })
}

/// Holds vertices, an NPY file, against the exact ones of a case.
#[pyfunction]
fn check_vertices(py: Python<'_>, words: &str, npy: &[u8], space: &str) -> PyResult<Parts> {
    py.detach(|| {
        let (mut folder, case) = case(words)?;
        let candidate = CandidateBuffer::from_npy(npy, Path::new("the candidate")).map_err(wrong)?;
        let space = space.parse().map_err(wrong)?;
        let checked = folder.check_vertices(&case, candidate, space).map_err(wrong_case)?;
        Ok((checked.verdict == Verdict::Same, checked.to_check(), checked.to_json().map_err(wrong)?))
    })
}

/// Compares two pictures, by an envelope's bytes where there are any and no other metric is named.
#[pyfunction]
fn compare_pictures(
    py: Python<'_>,
    golden: Pixels<'_>,
    candidate: Pixels<'_>,
    words: &str,
    envelope: Option<Vec<u8>>,
) -> PyResult<Parts> {
    py.detach(|| {
        let (golden, candidate) = (picture(golden)?, picture(candidate)?);
        let measurement = measure_in_words(&golden, &candidate, words, envelope).map_err(wrong)?;
        let json = serde_json::to_string(&measurement).map_err(wrong)?;
        Ok((measurement.accepted, measurement.summary(), json))
    })
}

/// Compares two NPY files with vertices, by the golden's bounds, and where it has none by a distance.
#[pyfunction]
fn compare_vertices(py: Python<'_>, golden: &[u8], candidate: &[u8], accepted: Option<f64>) -> PyResult<Parts> {
    let options = VertexCompareOptions { accepted, ..VertexCompareOptions::default() };
    py.detach(|| compared(&VertexComparison::of_npy(golden, candidate, &options).map_err(wrong)?))
}

/// The content hash of a picture, in hexadecimal digits.
#[pyfunction]
fn content_hash(pixels: Pixels<'_>) -> PyResult<String> {
    Ok(format!("{:016x}", picture(pixels)?.content_hash()))
}

#[pymodule]
fn _refrast(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(render, module)?)?;
    module.add_function(wrap_pyfunction!(vertices, module)?)?;
    module.add_function(wrap_pyfunction!(check_picture, module)?)?;
    module.add_function(wrap_pyfunction!(check_vertices, module)?)?;
    module.add_function(wrap_pyfunction!(compare_pictures, module)?)?;
    module.add_function(wrap_pyfunction!(compare_vertices, module)?)?;
    module.add_function(wrap_pyfunction!(content_hash, module)?)
}
