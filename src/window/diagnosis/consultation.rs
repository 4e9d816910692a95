//! [`Consultation`]: a question that was asked, and what has been heard of it.

use std::{
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

use super::{Diagnostician, Hypothesis, PictureAnswer, PictureQuestion, Told};
use refrast_scene::Scene;

/// What comes back from the other thread.
enum Heard {
    Told(Told),
    Answer(Result<PictureAnswer, String>),
}

/// What has been said until now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    /// What was known early, a sentence each.
    pub(crate) known: Vec<String>,
    /// How many hypotheses were tried, and of how many.
    pub(crate) tried: Option<[usize; 2]>,
    /// The answer, or why there is none.
    pub(crate) answer: Option<Result<PictureAnswer, String>>,
}

impl Said {
    /// The hypothesis of a number, where there is an answer that has it.
    pub(crate) fn hypothesis(&self, number: usize) -> Option<&Hypothesis> {
        self.answer.as_ref()?.as_ref().ok()?.hypotheses.get(number)
    }
}

/// A question, asked on a thread of its own.
#[derive(Debug)]
pub(crate) struct Consultation {
    question: PictureQuestion,
    heard: Receiver<Heard>,
    said: Said,
}

impl Consultation {
    /// Asks. The thread has a copy of the scene, and ends with its answer, heard or not.
    pub(crate) fn new(diagnostician: &Diagnostician, scene: &Scene, question: PictureQuestion) -> Self {
        let (to_window, heard) = mpsc::channel();
        let (diagnostician, scene, asked) = (diagnostician.clone(), scene.clone(), question.clone());
        thread::spawn(move || {
            // Who asked may be gone: then nobody hears it.
            let tell = |told| drop(to_window.send(Heard::Told(told)));
            let answer = diagnostician.ask(&scene, &asked, &tell);
            drop(to_window.send(Heard::Answer(answer)));
        });
        Self { question, heard, said: Said::default() }
    }

    /// What was asked.
    pub(crate) fn question(&self) -> &PictureQuestion {
        &self.question
    }

    /// What has been said.
    pub(crate) fn said(&self) -> &Said {
        &self.said
    }

    /// Whether there is no answer yet.
    pub(crate) fn is_busy(&self) -> bool {
        self.said.answer.is_none()
    }

    /// Takes what has come meanwhile; tells whether there was something.
    pub(crate) fn listen(&mut self) -> bool {
        let mut is_new = false;
        while self.is_busy() && self.take(Duration::ZERO) {
            is_new = true;
        }
        is_new
    }

    /// Waits for the answer; tells whether there was something to wait for.
    pub(crate) fn wait(&mut self, patience: Duration) -> bool {
        let was_busy = self.is_busy();
        while self.is_busy() {
            if !self.take(patience) {
                self.said.answer = Some(Err(format!("there was no answer within {} s", patience.as_secs())));
            }
        }
        was_busy
    }

    fn take(&mut self, patience: Duration) -> bool {
        match self.heard.recv_timeout(patience) {
            Ok(Heard::Told(Told::Known(text))) => self.said.known.push(text),
            Ok(Heard::Told(Told::Tried { done, of })) => self.said.tried = Some([done, of]),
            Ok(Heard::Answer(answer)) => self.said.answer = Some(answer),
            Err(RecvTimeoutError::Timeout) => return false,
            // The thread has panicked.
            Err(RecvTimeoutError::Disconnected) => {
                self.said.answer = Some(Err("the diagnosis has failed, which is a defect of refrast".to_owned()));
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use refrast_measure::Picture;
    use refrast_range::Rules;
    use refrast_stage::{CameraSettings, RenderSettings};

    fn asked(diagnostician: &Diagnostician) -> Consultation {
        let question = PictureQuestion {
            candidate: Arc::new(Picture::from_rgba8(1, 1, vec![0; 4]).expect("one pixel")),
            moment: None,
            camera: CameraSettings::default(),
            settings: RenderSettings::default(),
            rules: Rules::default(),
        };
        Consultation::new(diagnostician, &Scene::default(), question)
    }

    #[test]
    fn what_is_known_early_is_kept_beside_the_answer() {
        let mut consultation = asked(&Diagnostician::new(|_, _, tell| {
            tell(Told::Known("a pixel is wrong".to_owned()));
            tell(Told::Tried { done: 3, of: 4 });
            Ok(PictureAnswer { text: vec!["a fault".to_owned()], hypotheses: Vec::new() })
        }));
        assert!(consultation.wait(Duration::from_secs(10)));
        let said = consultation.said();
        assert_eq!((said.known.as_slice(), said.tried), (["a pixel is wrong".to_owned()].as_slice(), Some([3, 4])));
        assert!(matches!(&said.answer, Some(Ok(answer)) if answer.text == ["a fault"]));
        assert!(!consultation.listen() && !consultation.wait(Duration::ZERO));
    }

    #[test]
    fn who_panics_has_given_an_answer_too() {
        let mut consultation = asked(&Diagnostician::new(|_, _, _| panic!("on purpose")));
        assert!(consultation.wait(Duration::from_secs(10)));
        assert!(matches!(&consultation.said().answer, Some(Err(text)) if text.contains("defect")));
    }
}
