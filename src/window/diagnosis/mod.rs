//! [`Diagnostician`]: which mistake it is, said beside the pixels that are wrong.
//!
//! Why it exists: who sees a thousand pixels light up wants the name of the mistake there, and to see what a backend draws that
//! makes it. The window holds pictures against envelopes and knows of no mistakes; who opens it brings somebody who does. He is asked
//! on a thread of its own: an answer takes as long as hundreds of frames.

mod consultation;
mod question;

use std::{fmt, sync::Arc};

pub(super) use self::consultation::{Consultation, Said};
pub use self::question::PictureQuestion;
use crate::state::State;
use refrast_measure::Picture;
use refrast_scene::Scene;

/// What is heard before there is an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// Something that is known already, in a sentence.
    Known(String),
    /// How much has been tried.
    Tried {
        /// So many hypotheses.
        done: usize,
        /// Of so many.
        of: usize,
    },
}

/// What is known in the end.
#[derive(Clone, Debug, Default)]
pub struct PictureAnswer {
    /// A line each.
    pub text: Vec<String>,
    /// What may be the case, the likeliest first.
    pub hypotheses: Vec<Hypothesis>,
}

/// Something that may be the case.
#[derive(Clone, Debug)]
pub struct Hypothesis {
    /// The mistake's name, or the options to give.
    pub name: String,
    /// What it means, in a sentence or two.
    pub about: String,
    /// What is seen of it.
    pub effect: Effect,
}

/// What becomes of the window where a hypothesis holds.
#[derive(Clone)]
pub enum Effect {
    /// A backend that makes this mistake draws this picture.
    Picture(Arc<Picture>),
    /// The window shows another moment, method or rule, under which the candidate is right.
    Options(Arc<dyn Fn(&mut State) + Send + Sync>),
}

impl fmt::Debug for Effect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Picture(_) => "Picture",
            Self::Options(_) => "Options",
        })
    }
}

/// Answers a question about a scene, and tells meanwhile what is known; an error is a sentence.
type Answering =
    dyn Fn(&Scene, &PictureQuestion, &(dyn Fn(Told) + Sync)) -> Result<PictureAnswer, String> + Send + Sync;

/// Somebody who knows mistakes.
#[derive(Clone)]
pub struct Diagnostician(Arc<Answering>);

impl Diagnostician {
    /// Who answers so.
    pub fn new(
        answer: impl Fn(&Scene, &PictureQuestion, &(dyn Fn(Told) + Sync)) -> Result<PictureAnswer, String>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self(Arc::new(answer))
    }

    fn ask(
        &self,
        scene: &Scene,
        question: &PictureQuestion,
        tell: &(dyn Fn(Told) + Sync),
    ) -> Result<PictureAnswer, String> {
        (self.0)(scene, question, tell)
    }
}

impl fmt::Debug for Diagnostician {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Diagnostician")
    }
}
