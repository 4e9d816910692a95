//! The diagnosis: what is known of a wrong picture, and what may be tried on.

use egui::{Button, ProgressBar, RichText, Ui};

use super::style::ACCENT;
use crate::{
    diagnosis::{Effect, Hypothesis, Said},
    state::{Comparison, State},
};

/// What there is to be told of a candidate's picture.
pub(crate) struct DiagnosisView<'a> {
    /// What has been said; `None` before anybody was asked.
    pub(crate) said: Option<&'a Said>,
    /// Whether it was said of the picture as it is asked for now.
    pub(crate) is_of_this: bool,
    /// Whether the candidate is known to be wrong now.
    pub(crate) is_wrong: bool,
}

/// The top of the panel on the right; tells whether somebody wants to know.
pub(crate) fn diagnosis(ui: &mut Ui, state: &mut State, view: &DiagnosisView<'_>) -> bool {
    let can_ask = view.is_wrong && (view.said.is_none() || !view.is_of_this);
    if view.said.is_none() && !can_ask {
        return false;
    }
    ui.label(RichText::new("Diagnosis").heading().color(ACCENT));
    let mut is_asked = false;
    if can_ask {
        let hint = "which known mistake, or which other option, explains what is wrong: takes some seconds (key 3)";
        is_asked = ui.button("what explains it?").on_hover_text(hint).clicked();
    }
    if let Some(said) = view.said {
        if !view.is_of_this {
            weak(ui, "Of the picture before other options were taken:");
        }
        self::said(ui, state, said);
    }
    ui.separator();
    is_asked
}

fn said(ui: &mut Ui, state: &mut State, said: &Said) {
    match &said.answer {
        None => {
            said.known.iter().for_each(|line| weak(ui, line));
            match said.tried {
                Some([done, of]) => {
                    let part = done as f32 / of.max(1) as f32;
                    ui.add(ProgressBar::new(part).text(format!("{done} of {of} hypotheses")));
                }
                None => weak(ui, "asked; some seconds ..."),
            }
        }
        Some(Err(error)) => {
            ui.label(RichText::new(error).color(ACCENT));
        }
        Some(Ok(answer)) => {
            if !answer.hypotheses.is_empty() {
                ui.label("Try:");
            }
            for (number, hypothesis) in answer.hypotheses.iter().enumerate() {
                self::hypothesis(ui, state, (number, hypothesis));
            }
            answer.text.iter().for_each(|line| weak(ui, line));
        }
    }
}

/// A line that puts on what a hypothesis says, or takes it off again.
fn hypothesis(ui: &mut Ui, state: &mut State, (number, hypothesis): (usize, &Hypothesis)) {
    let Hypothesis { name, about, effect } = hypothesis;
    match effect {
        Effect::Picture(_) => {
            let is_on = state.hypothesis == Some(number);
            let hint = format!(
                "{about}\n\nA click shows what a backend draws that makes this mistake; 2 flips it with the candidate."
            );
            if ui.add(Button::new(name).selected(is_on).wrap()).on_hover_text(hint).clicked() {
                state.try_on((!is_on).then_some(number));
            }
        }
        Effect::Options(apply) => {
            let hint = format!("{about}\n\nA click takes these options.");
            if ui.add(Button::new(name).wrap()).on_hover_text(hint).clicked() {
                state.try_on(None);
                apply(state);
            }
        }
    }
}

impl State {
    /// Shows what a hypothesis draws in place of the reference, without the candidate; or the reference again, with it.
    pub(crate) fn try_on(&mut self, hypothesis: Option<usize>) {
        self.comparison = match hypothesis {
            Some(_) => Comparison::Off,
            None if self.hypothesis.is_some() => Comparison::Other,
            None => self.comparison,
        };
        self.hypothesis = hypothesis;
    }
}

fn weak(ui: &mut Ui, text: &str) {
    ui.label(RichText::new(text).weak());
}
