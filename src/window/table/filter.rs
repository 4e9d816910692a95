//! [`Filter`]: which vertices are left.

use super::Column;

/// Whether a column's number stands so to the one that was written.
type Compare = fn(f64, f64) -> bool;

/// How a number is compared.
const OPERATORS: [(&str, Compare); 6] = [
    // The longer ones first: `<=` is no `<` with a `=` behind it.
    ("<=", |a, b| a <= b),
    (">=", |a, b| a >= b),
    ("!=", |a, b| a != b),
    ("<", |a, b| a < b),
    (">", |a, b| a > b),
    ("=", |a, b| a == b),
];

/// One word of a filter.
enum Term<'a> {
    /// A column, how it is compared, and with what.
    Number(&'a Column, Compare, f64),
    /// Influenced by one of these joints of the skin.
    Joint(Vec<usize>),
    /// Outside of the view.
    Outside,
}

/// Words that all must hold.
pub(super) struct Filter<'a>(Vec<Term<'a>>);

/// What of the vertices a filter asks for beside their numbers.
pub(super) struct Facts<'a> {
    pub(super) columns: &'a [Column],
    /// The names of the skin's joints; none where there is no skin.
    pub(super) joints: &'a [String],
    /// The joints of a vertex whose weight is not 0.
    pub(super) influences: &'a dyn Fn(usize) -> Vec<usize>,
    /// Whether a vertex is in the view.
    pub(super) is_inside: &'a dyn Fn(usize) -> bool,
}

impl<'a> Filter<'a> {
    /// Reads a filter.
    ///
    /// # Errors
    /// The word that has no meaning, and what would have one.
    pub(super) fn parse(text: &str, facts: &Facts<'a>) -> Result<Self, String> {
        text.split_whitespace().map(|word| Term::parse(word, facts)).collect::<Result<_, _>>().map(Self)
    }

    /// Whether a vertex is left.
    pub(super) fn holds(&self, vertex: usize, facts: &Facts<'_>) -> bool {
        self.0.iter().all(|term| match term {
            Term::Number(column, compare, number) => compare(column.number(vertex), *number),
            Term::Joint(joints) => (facts.influences)(vertex).iter().any(|joint| joints.contains(joint)),
            Term::Outside => !(facts.is_inside)(vertex),
        })
    }
}

impl<'a> Term<'a> {
    fn parse(word: &str, facts: &Facts<'a>) -> Result<Self, String> {
        if word == "outside" {
            return Ok(Self::Outside);
        }
        let split = OPERATORS.iter().find_map(|&(sign, compare)| Some((word.split_once(sign)?, compare)));
        if let Some(((name, number), compare)) = split {
            let column = facts.columns.iter().find(|column| column.name == name);
            let column = column.ok_or_else(|| format!("no column is called `{name}`: take the name from a heading"))?;
            let number = number.parse().map_err(|_| format!("`{number}` is no number, as in {name}<0.5"))?;
            return Ok(Self::Number(column, compare, number));
        }
        let lower = word.to_lowercase();
        let joints = (0..facts.joints.len()).filter(|&joint| facts.joints[joint].to_lowercase().contains(&lower));
        let joints: Vec<usize> = joints.collect();
        match joints.is_empty() {
            true => Err(format!("no joint has `{word}` in its name; write COLUMN<NUMBER, a joint, or outside")),
            false => Ok(Self::Joint(joints)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::TableColumns, *};
    use refrast_canvas::Cells;

    #[test]
    fn words_all_hold_and_those_without_a_meaning_are_named() {
        let numbers = vec![-1.0, 0.5, f32::NAN, 2.0];
        let columns = [Column::new("clip_w".to_owned(), "", TableColumns::Clip, Cells::Number(numbers))];
        let facts = Facts {
            columns: &columns,
            joints: &["Hips".to_owned(), "forearm_left".to_owned()],
            influences: &|vertex| if vertex == 3 { vec![0, 1] } else { vec![0] },
            is_inside: &|vertex| vertex > 0,
        };
        let left = |text: &str| -> Result<Vec<usize>, String> {
            let filter = Filter::parse(text, &facts)?;
            Ok((0..4).filter(|&vertex| filter.holds(vertex, &facts)).collect())
        };
        assert_eq!(left(""), Ok(vec![0, 1, 2, 3]));
        assert_eq!(left("clip_w>=0.5"), Ok(vec![1, 3]));
        assert_eq!(left("clip_w!=2 clip_w<1"), Ok(vec![0, 1]));
        assert_eq!(left("FOREARM"), Ok(vec![3]));
        assert_eq!(left("outside hips"), Ok(vec![0]));
        for (text, expected) in [("x<1", "`x`"), ("clip_w<far", "`far`"), ("elbow", "`elbow`")] {
            let error = left(text).expect_err(text);
            assert!(error.contains(expected), "{error}");
        }
    }
}
