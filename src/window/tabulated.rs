//! What the viewer does for the vertex table: fills it when its numbers may have changed, and goes where its rows are.

use glam::DVec3;

use super::{
    Viewer,
    candidate::Candidate,
    keys::Request,
    panels::TableRequest,
    subject::VertexChoice,
    table::{Table, TableView},
};

/// What a vertex table is made for: the view, the number of the picture, and the draw that is looked at.
type TableKey = (TableView, u64, Option<(usize, usize)>);

/// The vertex table, and what it was made for.
#[derive(Default)]
pub(super) struct Tabulated {
    pub(super) table: Option<Table>,
    of: Option<TableKey>,
    /// The vertex whose row is in view.
    shown: Option<VertexChoice>,
}

impl Viewer<'_> {
    /// The rows of the vertex table as CSV; `None` where it is not shown.
    #[must_use]
    pub fn table_csv(&self) -> Option<String> {
        Some(self.tabulated.table.as_ref()?.csv(self.state.table.as_ref()?))
    }

    /// Fills the vertex table where its numbers may have changed; the panel shows it the next time.
    pub(super) fn tabulate(&mut self) {
        let Some(view) = &self.state.table else {
            self.tabulated = Tabulated::default();
            return;
        };
        let draw = self.state.selected.map(|choice| (choice.node, choice.primitive));
        let key = (view.clone(), self.pictures, draw);
        if self.tabulated.of.as_ref() != Some(&key) {
            self.tabulated.table = Table::of(&self.stage, &self.state, view, &mut self.deformer);
            self.tabulated.of = Some(key);
            self.clock.look_now();
        }
    }

    /// The row that has to be brought into view: that of a vertex which was chosen elsewhere.
    pub(super) fn row_to_show(&mut self) -> Option<usize> {
        let selected = self.state.selected.filter(|_| self.state.selected != self.tabulated.shown)?;
        let row = self.tabulated.table.as_ref()?.row_of(selected);
        self.tabulated.shown = Some(selected);
        row
    }

    /// Does what was asked of the vertex table.
    pub(super) fn ask_table(&mut self, request: TableRequest) {
        match request {
            TableRequest::Copy => self.requests.push(Request::CopyTable),
            TableRequest::Row(row) => {
                self.go_to_row(row);
                self.tabulated.shown = self.state.selected;
            }
        }
        self.clock.look_now();
    }

    /// Chooses the vertex of a row, and looks at it where the camera follows.
    fn go_to_row(&mut self, row: usize) {
        let Some(table) = &self.tabulated.table else { return };
        let Some(choice) = table.choice(row) else { return };
        (self.state.selected, self.state.pixel) = (Some(choice), None);
        let follows = self.state.table.as_ref().is_some_and(|view| view.follow);
        // A candidate's picture has the camera that it has.
        let free = follows && self.candidate.as_ref().and_then(Candidate::picture).is_none();
        let place = table.place(row).map(DVec3::from).filter(|place| place.is_finite());
        if let (Some(at), Some(placed)) = (place.filter(|_| free), self.stage.placed()) {
            self.state.camera.look_at(at, placed.distance());
        }
    }

    /// Goes so many rows on from the chosen one; from nowhere to the first.
    pub(super) fn step_row(&mut self, by: isize) {
        let Some(table) = &self.tabulated.table else { return };
        let own = self.state.selected.and_then(|choice| table.row_of(choice));
        let row = own.map_or(0, |row| row.saturating_add_signed(by).min(table.rows.len().saturating_sub(1)));
        self.go_to_row(row);
    }
}
