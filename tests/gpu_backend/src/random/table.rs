//! The table by family.

use std::collections::BTreeMap;

use super::judge::{Answer, Grade};

/// Candidates by row and grade.
#[derive(Default)]
pub(crate) struct Table(BTreeMap<String, Row>);

#[derive(Default)]
struct Row {
    grades: BTreeMap<Grade, usize>,
    /// Candidates whose stage has a right answer, and those that got it.
    placed: usize,
    located: usize,
    /// Candidates whose mistake is about one object, those that got it, and those that got the stage as well.
    objects: usize,
    told: usize,
    both: usize,
    /// Those of which it was told what they look like, and what they are.
    likened: usize,
    likened_right: usize,
}

impl Table {
    pub(crate) fn add(&mut self, row: &str, answer: &Answer) {
        let row = self.0.entry(row.to_owned()).or_default();
        *row.grades.entry(answer.grade).or_default() += 1;
        row.placed += usize::from(answer.is_located.is_some());
        row.located += usize::from(answer.is_located == Some(true));
        row.objects += usize::from(answer.is_object_right.is_some());
        row.told += usize::from(answer.is_object_right == Some(true));
        row.likened += usize::from(answer.is_likeness_right.is_some());
        row.likened_right += usize::from(answer.is_likeness_right == Some(true));
        row.both += usize::from((answer.is_located, answer.is_object_right) == (Some(true), Some(true)));
    }

    pub(crate) fn print(&self) {
        println!(
            "| family | candidates | named | one of several | one of two | no name | a wrong name | only wrong names | right stage | right object | both | looks as it is |"
        );
        println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
        for (row, Row { grades, placed, located, objects, told, both, likened, likened_right }) in &self.0 {
            let all = [Grade::Named, Grade::OneOf, Grade::Half, Grade::Unknown, Grade::Wrong, Grade::WrongSet];
            let counts = all.map(|grade| grades.get(&grade).copied().unwrap_or(0));
            let cells: Vec<String> = counts.iter().map(ToString::to_string).collect();
            let part = |of: usize, all: usize| if all == 0 { "–".to_owned() } else { format!("{of} of {all}") };
            let places =
                [part(*located, *placed), part(*told, *objects), part(*both, *objects), part(*likened_right, *likened)]
                    .join(" | ");
            println!("| {row} | {} | {} | {places} |", counts.iter().sum::<usize>(), cells.join(" | "));
        }
    }
}
