//! [`Table`]: who caught which mistake, in Markdown.

use refrast::verify::Fault;

use crate::peers::Peer;

/// Who judges besides the peers.
const OWN: [&str; 3] = ["envelope", "vertices", "envelope or vertices"];

/// What became of a mistake.
pub(super) struct Line {
    pub(super) fault: Fault,
    /// Pictures that it changes.
    pub(super) pictures: u32,
    /// Of these, those that the envelope refuses.
    pub(super) refused: u32,
    /// Pixels that it changes, and of these those outside of the envelope.
    pub(super) changed: u64,
    pub(super) outside: u64,
    /// Vertex files that it changes, and of these those that the bounds refuse.
    pub(super) files: u32,
    pub(super) files_refused: u32,
    /// The case with the most pixels outside.
    pub(super) shown_in: Option<(u64, String)>,
    /// For each peer the pictures that it refuses at its usual threshold, and at the strictest without false alarm.
    pub(super) peers: Vec<[u32; 2]>,
}

impl Line {
    pub(super) fn new(fault: Fault, peers: usize) -> Self {
        Self {
            fault,
            pictures: 0,
            refused: 0,
            changed: 0,
            outside: 0,
            files: 0,
            files_refused: 0,
            shown_in: None,
            peers: vec![[0; 2]; peers],
        }
    }

    /// Whether it changes anything.
    pub(super) fn is_shown(&self) -> bool {
        self.pictures > 0 || self.files > 0
    }

    /// Whether the envelope or the bounds say no.
    pub(super) fn is_caught(&self) -> bool {
        self.refused > 0 || self.files_refused > 0
    }
}

/// A peer with its thresholds, and how many right pictures it refuses at each.
pub(super) struct Column {
    pub(super) peer: Peer,
    pub(super) strictest: f64,
    pub(super) false_alarms: [u32; 2],
}

/// The whole table.
pub(super) struct Table {
    pub(super) columns: Vec<Column>,
    /// Right pictures, and those that the envelope refuses.
    pub(super) right_pictures: [u32; 2],
    /// Right vertex files, and those that the bounds refuse.
    pub(super) right_files: [u32; 2],
    pub(super) lines: Vec<Line>,
}

impl Table {
    /// Markdown: a line a section, or a line a mistake.
    pub(super) fn markdown(&self, each: bool) -> String {
        let peers = self
            .columns
            .iter()
            .map(|column| format!("{} {} / {}", column.peer.name(), column.peer.usual(), tidy(column.strictest)));
        let heads: Vec<String> = OWN.map(str::to_owned).into_iter().chain(peers).collect();
        let mut text = format!("| mistakes | shown | {} |\n|---|---:|", heads.join(" | "));
        text.push_str(&"---:|".repeat(heads.len()));
        text.push('\n');
        let shown: Vec<&Line> = self.lines.iter().filter(|line| line.is_shown()).collect();
        for section in shown.chunk_by(|a, b| a.fault.section() == b.fault.section()) {
            if each {
                section.iter().for_each(|line| text.push_str(&one(line)));
            } else {
                text.push_str(&sum(section[0].fault.section().name(), section));
            }
        }
        text.push_str(&sum("**all**", &shown));
        let alarms = self.columns.iter().map(|column| column.false_alarms.map(|count| count.to_string()).join(" / "));
        let [pictures, refused] = self.right_pictures;
        let [files, files_refused] = self.right_files;
        let own = [refused.to_string(), files_refused.to_string(), (refused + files_refused).to_string()];
        let cells: Vec<String> = own.into_iter().chain(alarms).collect();
        text.push_str(&format!(
            "| false alarms, of {pictures} right pictures and {files} vertex files | | {} |\n",
            cells.join(" | ")
        ));
        text
    }
}

/// How many of some mistakes each judge catches at all.
fn sum(heading: &str, lines: &[&Line]) -> String {
    let count = |caught: &dyn Fn(&Line) -> bool| lines.iter().filter(|line| caught(line)).count();
    let in_files = lines.iter().filter(|line| line.files > 0).count();
    let mut cells = vec![
        lines.len().to_string(),
        count(&|line| line.refused > 0).to_string(),
        format!("{} of {in_files}", count(&|line| line.files_refused > 0)),
        count(&Line::is_caught).to_string(),
    ];
    let peers = lines.first().map_or(0, |line| line.peers.len());
    cells.extend(
        (0..peers).map(|peer| [0, 1].map(|at| count(&|line| line.peers[peer][at] > 0).to_string()).join(" / ")),
    );
    format!("| {heading} | {} |\n", cells.join(" | "))
}

/// In how many pictures (files) each judge catches a mistake.
fn one(line: &Line) -> String {
    let vertices = if line.files == 0 { String::new() } else { format!("{} of {}", line.files_refused, line.files) };
    let caught = if line.is_caught() { "yes" } else { "no" };
    let mut cells = vec![line.pictures.to_string(), line.refused.to_string(), vertices, caught.to_owned()];
    cells.extend(line.peers.iter().map(|counts| counts.map(|count| count.to_string()).join(" / ")));
    format!("| {} | {} |\n", line.fault, cells.join(" | "))
}

/// Few digits after the point, and no zeros at the end.
fn tidy(number: f64) -> String {
    let text = if number < 0.01 { format!("{number:.6}") } else { format!("{number:.3}") };
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_that_nothing_shows_counts_nowhere_and_false_alarms_are_told() {
        let hidden = Line::new(Fault::CullOff, 1);
        let mut seen = Line::new(Fault::YFlipped, 1);
        (seen.pictures, seen.refused, seen.peers) = (3, 2, vec![[0, 3]]);
        let column = Column { peer: Peer::Flip, strictest: 0.7304, false_alarms: [5, 0] };
        let table =
            Table { columns: vec![column], right_pictures: [7, 0], right_files: [6, 1], lines: vec![hidden, seen] };
        let text = table.markdown(false);
        assert!(text.contains("ꟻLIP 0.05 / 0.73 |"), "{text}");
        assert!(text.contains("| rasterisation | 1 | 1 | 0 of 0 | 1 | 0 / 1 |"), "{text}");
        assert!(text.contains("of 7 right pictures and 6 vertex files | | 0 | 1 | 1 | 5 / 0 |"), "{text}");
        assert!(table.markdown(true).contains("| y-flipped | 3 | 2 |  | yes | 0 / 3 |"));
    }
}
