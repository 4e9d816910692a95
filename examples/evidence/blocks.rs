//! The blocks of a page that a command writes:
//!
//! ```markdown
//! <!-- written by: refrast faults -->
//! | mistakes | shown | …
//! <!-- end -->
//! ```

const BEGIN: &str = "<!-- written by: ";
const BEGIN_ENDS: &str = " -->";
const END: &str = "<!-- end -->";

/// A block, and where it stands in its page.
#[derive(Debug)]
pub(crate) struct Block {
    /// The command whose standard output it holds.
    pub(crate) command: String,
    /// What stands between the two comments now.
    pub(crate) lines: Vec<String>,
    /// The line of the first comment, from 0.
    pub(crate) at: usize,
}

/// The blocks of a page, from the top.
///
/// # Errors
/// The line whose comment has no partner.
pub(crate) fn blocks(page: &str) -> Result<Vec<Block>, String> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    let mut in_code = false;
    for (at, line) in page.lines().enumerate() {
        in_code ^= line.starts_with("```");
        let begun = line.strip_prefix(BEGIN).filter(|_| !in_code);
        match (&mut open, begun) {
            (Some(_), Some(_)) => return Err(format!("line {}: the block above has no `{END}`", at + 1)),
            (None, Some(command)) => {
                let command = command.strip_suffix(BEGIN_ENDS);
                let command = command.ok_or_else(|| format!("line {}: the comment does not end here", at + 1))?;
                open = Some(Block { command: command.to_owned(), lines: Vec::new(), at });
            }
            (Some(_), None) if line == END => found.extend(open.take()),
            (Some(block), None) => block.lines.push(line.to_owned()),
            (None, None) if line == END && !in_code => return Err(format!("line {}: no block ends here", at + 1)),
            (None, None) => {}
        }
    }
    match open {
        Some(block) => Err(format!("line {}: the block has no `{END}`", block.at + 1)),
        None => Ok(found),
    }
}
