//! A comparison of vertex buffers in words.

use std::fmt;

use super::{AttributeComparison, Given, VertexComparison, VertexId, WorstVertex};
use crate::Verdict;

impl fmt::Display for VertexId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "node {}, primitive {}, vertex {}", self.node, self.primitive, self.vertex)
    }
}

impl VertexComparison {
    /// As it is displayed, in the words of a check: not whether two buffers are the same, but whether the one is right.
    #[must_use]
    pub fn to_check(&self) -> String {
        let text = self.to_string();
        let (_, findings) = text.split_once('\n').unwrap_or_default();
        let verdict = match self.verdict {
            Verdict::Same => "RIGHT: a conformant backend may give all",
            Verdict::Different | Verdict::Error => "WRONG: no conformant backend gives these",
        };
        format!("{verdict} {} vertices\n{findings}", self.vertices)
    }
}

impl fmt::Display for VertexComparison {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}: {} vertices", self.verdict.name().to_uppercase(), self.vertices)?;
        if let Some(mismatch) = &self.mismatch {
            return writeln!(formatter, "  {mismatch}");
        }
        match self.given {
            Some(Given::File) => writeln!(formatter, "  bounds for backends that read the scene's file")?,
            Some(Given::Palette) => writeln!(formatter, "  bounds for backends that are given the palette")?,
            None => {}
        }
        if self.alternatives > 1 {
            let by = self.alternative.as_deref().unwrap_or("keys-as-stored+nodes-as-stored");
            writeln!(
                formatter,
                "  judged by {by}, one of {} ways to use what the file leaves open",
                self.alternatives
            )?;
        }
        for attribute in &self.attributes {
            attribute.fmt(formatter)?;
        }
        for attribute in &self.missing {
            writeln!(formatter, "  {attribute}: not compared, the candidate has no such field")?;
        }
        Ok(())
    }
}

impl fmt::Display for AttributeComparison {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { attribute, compared, outside, without_bound, .. } = self;
        writeln!(formatter, "  {attribute}: {outside} of {compared} vertices outside of their bounds")?;
        writeln!(
            formatter,
            "    largest error {} (mean {}), {} ULPs, {} bounds",
            Number(self.largest_error),
            Number(self.mean_error),
            Number(self.largest_ulps),
            Number(self.largest_ratio)
        )?;
        if *without_bound > 0 {
            writeln!(formatter, "    {without_bound} vertices have a component that nothing bounds")?;
        }
        if *outside == 0 {
            return Ok(());
        }
        writeln!(formatter, "    worst vertices: golden -> candidate, error, bound")?;
        self.worst.iter().filter(|vertex| vertex.outside).try_for_each(|vertex| writeln!(formatter, "      {vertex}"))
    }
}

impl fmt::Display for WorstVertex {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = ["x", "y", "z", "w"].get(self.component).unwrap_or(&"?");
        write!(
            formatter,
            "{}: {} -> {}, {axis} by {}, bound {}",
            self.id,
            Vector(&self.golden),
            Vector(&self.candidate),
            Number(Some(self.error)),
            Number(self.bound)
        )
    }
}

struct Vector<'a>(&'a [f64]);

impl fmt::Display for Vector<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(|number| (*number as f32).to_string()).collect();
        write!(formatter, "({})", numbers.join(" "))
    }
}

/// Three digits are enough to judge an error by; `None` is one that is not finite or not there.
struct Number(Option<f64>);

impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => write!(formatter, "-"),
            Some(number) if number == 0.0 || (0.01..1e5).contains(&number) => write!(formatter, "{number:.3}"),
            Some(number) => write!(formatter, "{number:.2e}"),
        }
    }
}
