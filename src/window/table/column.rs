//! [`Column`]: one number of every vertex, with its name and what it is.

use super::TableColumns;
use refrast_canvas::Cells;

/// One number of every vertex.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// As the heading, the filter and the CSV file have it. Those of world space are called as `refrast vertices` calls them, so
    /// that `refrast compare` reads what was copied.
    pub(crate) name: String,
    /// Which space and unit.
    pub(crate) about: &'static str,
    /// The group that it is shown with; `None` is always shown.
    pub(crate) group: Option<TableColumns>,
    pub(crate) cells: Cells,
    /// The smallest and the largest number of the rows that are left; `None` where none has one.
    pub(crate) bounds: Option<[f64; 2]>,
}

impl Column {
    pub(super) fn new(name: String, about: &'static str, group: TableColumns, cells: Cells) -> Self {
        Self { name, about, group: Some(group), cells, bounds: None }
    }

    /// The number of a vertex; NaN where it has none.
    pub(crate) fn number(&self, vertex: usize) -> f64 {
        self.cells.number(vertex)
    }

    /// As the table shows it.
    pub(crate) fn text(&self, vertex: usize) -> String {
        let number = self.number(vertex);
        match &self.cells {
            _ if number.is_nan() => "-".to_owned(),
            Cells::Index(_) => format!("{number}"),
            Cells::Number(_) => short(number),
        }
    }

    /// As a CSV file has it: the digits that give the same f32 back, and nothing where there is no number.
    pub(super) fn exact_text(&self, vertex: usize) -> String {
        match &self.cells {
            Cells::Index(indices) => indices.get(vertex).map_or_else(String::new, u32::to_string),
            Cells::Number(numbers) => match numbers.get(vertex) {
                Some(number) if !number.is_nan() => number.to_string(),
                _ => String::new(),
            },
        }
    }
}

/// A number in at most ten letters.
pub(crate) fn short(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || (1e-3..1e4).contains(&size) { format!("{number:.5}") } else { format!("{number:.2e}") }
}
