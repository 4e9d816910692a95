//! Columns of text that line up.

/// Rows of cells, each column as wide as its widest cell; the last column is not padded.
pub(super) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// A number in the shortest spelling that reads back to the same bits.
pub(super) fn number(value: f32) -> String {
    let plain = value == 0.0 || !value.is_finite() || (1e-4..1e7).contains(&value.abs());
    if plain { value.to_string() } else { format!("{value:e}") }
}

/// Numbers with commas between them.
pub(super) fn vector(values: &[f32]) -> String {
    values.iter().map(|&value| number(value)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [vec!["a".to_owned(), "→ bc".to_owned(), "x".to_owned()], vec!["long".to_owned(), String::new()]];
        assert_eq!(table(&rows), "a     → bc  x\nlong\n");
    }

    #[test]
    fn numbers_are_short_and_exact() {
        assert_eq!(vector(&[0.1, -0.0, 3.0, f32::INFINITY]), "0.1, -0, 3, inf");
        assert_eq!(number(1e-38), "1e-38");
        assert_eq!(number(16_777_216.0), "1.6777216e7");
    }
}
