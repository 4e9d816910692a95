//! The vertex table: every number of every vertex of a draw, as the mesh viewer of a frame debugger has them.
//!
//! Why it exists: the inspector tells all of one vertex. Which vertex it should be is often a question about all of them: the
//! lowest, those of one joint, those outside of the view. So they stand in rows that can be sorted, filtered and copied, and the
//! picture goes where the row is.

mod column;
mod filter;
mod rows;

pub(crate) use self::{
    column::{Column, short},
    rows::Table,
};
use refrast_words::words;

words! {
    /// Numbers of a vertex that stand side by side in the table.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TableColumns: "group of columns" {
        /// As the file has them, in mesh space: position, normal, tangent, texture coordinates, colour, joints and weights.
        Rest = "rest",
        /// Position and normal in world space, in metres, as the frame uses them.
        World = "world",
        /// The four numbers that the rasteriser is given, in the clip space of the convention.
        Clip = "clip",
        /// Pixels from the left and from the top before they are snapped to the grid, and depth 0 to 1.
        Window = "window",
    }
}

/// What the vertex table shows.
#[derive(Clone, Debug, PartialEq)]
pub struct TableView {
    /// The node and the primitive of its mesh; `None` is that of the inspected vertex, or the first that is drawn.
    pub draw: Option<(usize, usize)>,
    /// The groups of columns, in the order of [`TableColumns`].
    pub columns: Vec<TableColumns>,
    /// A row for each corner of each triangle, as the indices have them, and not one for each vertex.
    pub corners: bool,
    /// The column whose numbers the rows are ordered by, and whether the largest comes first; `None` is the file's order.
    pub sort: Option<(String, bool)>,
    /// Which rows are left: words that all must hold, `COLUMN<NUMBER` (or `<=`, `>`, `>=`, `=`, `!=`), a part of a joint's
    /// name for vertices that it moves, or `outside` for those that are not in the view.
    pub filter: String,
    /// Whether the camera goes to the row that is chosen.
    pub follow: bool,
    /// Points that the table is high, where the window has room.
    pub height: f32,
}

impl Default for TableView {
    fn default() -> Self {
        Self {
            draw: None,
            columns: TableColumns::ALL.to_vec(),
            corners: false,
            sort: None,
            filter: String::new(),
            follow: true,
            height: Self::HEIGHT,
        }
    }
}

impl TableView {
    /// Points: nine rows under the headings.
    pub const HEIGHT: f32 = 210.0;

    /// Shows or hides a group of columns.
    pub(crate) fn toggle(&mut self, group: TableColumns) {
        let shown = |one: TableColumns| self.columns.contains(&one) != (one == group);
        self.columns = TableColumns::ALL.into_iter().filter(|&one| shown(one)).collect();
    }

    /// Orders by a column: smallest first, then largest first, then as the file has them.
    pub(crate) fn sort_by(&mut self, column: &str) {
        self.sort = match &self.sort {
            Some((own, false)) if own == column => Some((column.to_owned(), true)),
            Some((own, true)) if own == column => None,
            _ => Some((column.to_owned(), false)),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clicks_on_a_heading_go_round_and_groups_keep_their_order() {
        let mut view = TableView::default();
        view.sort_by("clip_w");
        assert_eq!(view.sort, Some(("clip_w".to_owned(), false)));
        view.sort_by("clip_w");
        assert_eq!(view.sort, Some(("clip_w".to_owned(), true)));
        view.sort_by("clip_w");
        assert_eq!(view.sort, None);
        view.toggle(TableColumns::World);
        view.toggle(TableColumns::Rest);
        view.toggle(TableColumns::Rest);
        assert_eq!(view.columns, [TableColumns::Rest, TableColumns::Clip, TableColumns::Window]);
    }
}
