//! [`Cells`]: a number of every vertex, with the order and the bounds of those that a table shows.

use std::cmp::Ordering;

/// The numbers of a column, one a vertex of the primitive.
#[derive(Clone, Debug)]
pub enum Cells {
    /// Counted.
    Index(Vec<u32>),
    /// Measured; NaN where a vertex has none.
    Number(Vec<f32>),
}

/// A line of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The place in the indices; `None` where rows are vertices.
    pub corner: Option<u32>,
    /// In the primitive of the scene.
    pub vertex: u32,
}

impl Cells {
    /// Each `stride`-th of some numbers, from `first` on.
    #[must_use]
    pub fn every(stride: usize, first: usize, numbers: &[f32]) -> Self {
        Self::Number(numbers.iter().skip(first).step_by(stride.max(1)).copied().collect())
    }

    /// The number of a vertex; NaN where it has none.
    #[must_use]
    pub fn number(&self, vertex: usize) -> f64 {
        match self {
            Self::Index(indices) => indices.get(vertex).map_or(f64::NAN, |&index| f64::from(index)),
            Self::Number(numbers) => numbers.get(vertex).map_or(f64::NAN, |&number| f64::from(number)),
        }
    }

    /// The smallest and the largest number of some rows; `None` where none has one.
    #[must_use]
    pub fn bounds(&self, rows: &[Row]) -> Option<[f64; 2]> {
        let numbers = rows.iter().map(|row| self.number(row.vertex as usize)).filter(|number| number.is_finite());
        numbers.fold(None, |bounds, number| {
            let [low, high] = bounds.unwrap_or([number; 2]);
            Some([low.min(number), high.max(number)])
        })
    }

    /// Orders rows by their numbers: of equals the first stays first, and what has no number is last either way.
    pub fn order(&self, rows: &mut [Row], descending: bool) {
        rows.sort_by(|a, b| {
            let (a, b) = (self.number(a.vertex as usize), self.number(b.vertex as usize));
            match (a.is_nan(), b.is_nan()) {
                (false, false) if descending => b.total_cmp(&a),
                (false, false) => a.total_cmp(&b),
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_ordered_and_bounded_by_their_numbers() {
        let cells = Cells::every(2, 1, &[9.0, 3.0, 9.0, f32::NAN, 9.0, 1.0, 9.0, 3.0]);
        let mut rows: Vec<Row> = (0..4).map(|vertex| Row { corner: None, vertex }).collect();
        let mut ordered = |descending| {
            cells.order(&mut rows, descending);
            rows.iter().map(|row| row.vertex).collect::<Vec<u32>>()
        };
        assert_eq!((ordered(false), ordered(true)), (vec![2, 0, 3, 1], vec![0, 3, 2, 1]));
        assert_eq!((cells.bounds(&rows), cells.bounds(&rows[3..])), (Some([1.0, 3.0]), None));
        assert!(cells.number(7).is_nan() && Cells::Index(vec![5]).number(0) == 5.0);
    }
}
