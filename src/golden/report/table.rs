//! The cases of a report as a table in Markdown, for the comment that a pipeline writes.
//!
//! Why it exists: who reviews a change reads its page, not the log of a job. Names come from files of whoever proposes the
//! change, so nothing in them is Markdown, HTML or somebody's name.

use std::fmt::Write as _;

use super::page::Row;
use refrast_measure::Verdict;

/// More rows than that nobody reads, and places for comments have an end (GitHub's is 65536 characters).
const MOST_ROWS: usize = 50;
/// Bytes of a cell as it is written, for the same reason.
const LONGEST_CELL: usize = 500;

/// One line with the counts, and a row for each case that is not the same; they come first in `rows`.
pub(super) fn table(rows: &[Row]) -> String {
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let [different, errors, same] = [Verdict::Different, Verdict::Error, Verdict::Same].map(count);
    let verdict = rows.iter().map(|row| row.verdict).max().unwrap_or(Verdict::Same);
    let mut text =
        format!("**{}**: {different} different, {errors} with errors, {same} same\n", verdict.name().to_uppercase());
    let failing: Vec<&Row> = rows.iter().filter(|row| row.verdict != Verdict::Same).collect();
    if failing.is_empty() {
        return text;
    }
    text += "\n| case | verdict | how |\n|---|---|---|\n";
    for Row { name, verdict, summary, .. } in failing.iter().take(MOST_ROWS) {
        // A string takes everything.
        let _ = writeln!(text, "| {} | {} | {} |", cell(name), verdict.name(), cell(summary));
    }
    if failing.len() > MOST_ROWS {
        let _ = writeln!(text, "\n… and {} more in the report.", failing.len() - MOST_ROWS);
    }
    text
}

/// Text without any meaning in Markdown: ASCII punctuation as character references, and no line ends.
fn cell(text: &str) -> String {
    let plain = |character: char| match character {
        ' ' | ',' | '.' | ':' | ';' | '/' | '-' | '%' => false,
        other => other.is_ascii_punctuation(),
    };
    let mut cell = String::new();
    for character in text.chars() {
        if cell.len() > LONGEST_CELL {
            return cell + "…";
        }
        match character {
            control if control.is_control() => cell.push(' '),
            special if plain(special) => cell += &format!("&#{};", u32::from(special)),
            other => cell.push(other),
        }
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, verdict: Verdict) -> Row {
        let summary = "exact: 1 of 9 pixels differ".to_owned();
        Row {
            name: name.to_owned(),
            verdict,
            summary,
            pictures: vec![],
            worst: vec![],
            notes: vec![],
            hypotheses: vec![],
            hash: None,
            words: None,
        }
    }

    #[test]
    fn what_fails_has_a_row_and_names_are_no_markdown() {
        let rows = [row("a|b @you <img> [x](y)\n#", Verdict::Different), row("c", Verdict::Same)];
        let table = table(&rows);
        assert_eq!(
            table,
            "**DIFFERENT**: 1 different, 0 with errors, 1 same\n\n| case | verdict | how |\n|---|---|---|\n\
             | a&#124;b &#64;you &#60;img&#62; &#91;x&#93;&#40;y&#41; &#35; | different | exact: 1 of 9 pixels differ |\n"
        );
        assert_eq!(super::table(&[row("c", Verdict::Same)]), "**SAME**: 0 different, 0 with errors, 1 same\n");
    }

    #[test]
    fn a_comment_has_room_for_any_number_of_cases() {
        let name = "<".repeat(1000);
        let rows: Vec<Row> = (0..200).map(|_| row(&name, Verdict::Error)).collect();
        let table = table(&rows);
        assert!(table.len() < 65_536 && table.ends_with("… and 150 more in the report.\n"), "{}", table.len());
    }
}
