//! The tables of `refrast-gpu matrix`, in Markdown.

use std::fmt::Write;

use refrast::verify::Profile;
use refrast_gpu_backend::Driver;

use crate::packed::CaseResult;

/// What all drivers did.
#[derive(Default)]
pub(crate) struct Tables(Vec<Column>);

struct Column {
    driver: Driver,
    description: String,
    profile: Profile,
    results: Vec<CaseResult>,
}

impl Tables {
    pub(crate) fn add(&mut self, driver: Driver, description: &str, profile: Profile, results: Vec<CaseResult>) {
        self.0.push(Column { driver, description: description.to_owned(), profile, results });
    }

    /// Whether every pixel and every vertex is right, or wrong by a mistake of the driver that was shown to be one.
    pub(crate) fn right(&self) -> bool {
        let mut results = self.0.iter().flat_map(|column| &column.results);
        results.all(|result| result.outside == result.explained && result.vertices_outside == 0)
    }

    /// A row a driver and number of samples.
    pub(crate) fn summary(&self) -> String {
        let mut text = String::from(
            "| driver | profile | samples | pictures | pixels | pixels outside | undecided | vertices | vertices outside | \
             largest error ÷ bound |\n|---|---|---|---|---|---|---|---|---|---|\n",
        );
        let mut notes = Vec::new();
        for Column { driver, profile, results, .. } in &self.0 {
            for samples in [1, 4] {
                let own: Vec<_> = results.iter().filter(|result| result.samples == samples).collect();
                if own.is_empty() {
                    continue;
                }
                if let Some(reason) = own.iter().find_map(|result| result.skipped.as_ref()) {
                    write_row(&mut text, &[driver.name(), &profile.to_string(), &samples.to_string(), reason]);
                    continue;
                }
                let sum = |count: &dyn Fn(&CaseResult) -> u64| own.iter().map(|result| count(result)).sum::<u64>();
                let (outside, explained) = (sum(&|result| result.outside), sum(&|result| result.explained));
                let unexplained = outside - explained;
                let mark =
                    if explained > 0 { format!(" ({} unexplained ¹)", grouped(unexplained)) } else { String::new() };
                notes.extend(own.iter().filter_map(|result| result.explanation.as_ref()).take(1));
                let ratio = own.iter().map(|result| result.largest_ratio).fold(0.0, f64::max);
                write_row(
                    &mut text,
                    &[
                        driver.name(),
                        &profile.to_string(),
                        &samples.to_string(),
                        &own.len().to_string(),
                        &grouped(sum(&|result| result.pixels)),
                        &format!("{}{mark}", grouped(outside)),
                        &grouped(sum(&|result| result.undecided)),
                        &grouped(sum(&|result| result.vertices)),
                        &grouped(sum(&|result| result.vertices_outside)),
                        &format!("{ratio:.2}"),
                    ],
                );
            }
        }
        text.push('\n');
        for note in notes {
            // A sink of text takes everything.
            let _ = writeln!(text, "¹ {note}\n");
        }
        for Column { driver, description, .. } in &self.0 {
            let _ = writeln!(text, "- {driver}: {description}");
        }
        for Column { driver, results, .. } in &self.0 {
            for result in results {
                let named = result.outside > result.explained || result.vertices_outside > 0;
                for remark in result.remarks.iter().filter(|_| named) {
                    let _ = writeln!(text, "- {driver}, {}: {remark}", result.name);
                }
            }
        }
        text
    }

    /// A row a picture, a column a driver: the pixels outside.
    pub(crate) fn each(&self) -> String {
        let mut text = String::new();
        let head: Vec<&str> = self.0.iter().map(|column| column.driver.name()).collect();
        write_row(&mut text, &[&["picture", "pixels"], head.as_slice()].concat());
        write_row(&mut text, &vec!["---"; head.len() + 2]);
        let mut names: Vec<&str> = Vec::new();
        for result in self.0.iter().flat_map(|column| &column.results) {
            if !names.contains(&result.name.as_str()) {
                names.push(&result.name);
            }
        }
        for name in names {
            let of = |column: &Column| column.results.iter().find(|result| result.name == name).cloned();
            let results: Vec<Option<CaseResult>> = self.0.iter().map(of).collect();
            let pixels = results.iter().flatten().map(|result| result.pixels).max().unwrap_or_default();
            let cell = |result: &Option<CaseResult>| match result {
                Some(CaseResult { skipped: None, outside, .. }) => grouped(*outside),
                _ => "–".to_owned(),
            };
            let cells: Vec<String> = results.iter().map(cell).collect();
            let mut row = vec![name.to_owned(), grouped(pixels)];
            row.extend(cells);
            write_row(&mut text, &row.iter().map(String::as_str).collect::<Vec<_>>());
        }
        text
    }
}

fn write_row(text: &mut String, cells: &[&str]) {
    text.push_str("| ");
    text.push_str(&cells.join(" | "));
    text.push_str(" |\n");
}

/// 1,234,567.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(name: &str, samples: u32, outside: u64, explained: u64) -> CaseResult {
        CaseResult { name: name.to_owned(), samples, pixels: 1_234_567, outside, explained, ..CaseResult::default() }
    }

    #[test]
    fn pixels_outside_are_counted_and_only_what_is_explained_is_forgiven() {
        let mut tables = Tables::default();
        tables.add(Driver::Lavapipe, "it", Profile::Vulkan14, vec![result("a", 1, 0, 0), result("b", 4, 3, 3)]);
        assert!(tables.right());
        let summary = tables.summary();
        assert!(summary.contains("| lavapipe | vulkan14 | 1 | 1 | 1,234,567 | 0 |"), "{summary}");
        assert!(summary.contains("| lavapipe | vulkan14 | 4 | 1 | 1,234,567 | 3 (0 unexplained ¹) |"), "{summary}");
        tables.add(Driver::Llvmpipe, "it", Profile::Vulkan14, vec![result("a", 1, 2, 0)]);
        assert!(!tables.right());
        assert!(tables.each().contains("| a | 1,234,567 | 0 | 2 |"), "{}", tables.each());
        assert!(tables.each().contains("| b | 1,234,567 | 3 | – |"), "{}", tables.each());
    }
}
