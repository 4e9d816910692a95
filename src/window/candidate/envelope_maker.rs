//! [`EnvelopeMaker`]: envelopes, made while the window goes on.
//!
//! Why it exists: the envelope of a frame takes as long as dozens of frames. A person who moves through a clip wants the
//! picture at once and the verdict when it is there, and of all moments on the way only the last one's.

use std::{
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, TryRecvError},
    thread,
    time::Duration,
};

use crate::registers::ProgramKey;
use refrast_animation::Pose;
use refrast_envelope::{EnvelopeSettings, FrameEnvelope, FrameEnvelopeError, frame_envelope, vertex::Chain};
use refrast_range::{Declared, Profile};
use refrast_render::Renderer;
use refrast_scene::Scene;
use refrast_stage::{Camera, RenderSettings, program::ProgramSettings};

/// What an envelope is made of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EnvelopeJob {
    pub(crate) settings: RenderSettings,
    pub(crate) pose: Pose,
    pub(crate) camera: Camera,
    pub(crate) profile: Profile,
    pub(crate) declared: Declared,
    /// The moment of the file, where the pose is what the file says and backends read that.
    pub(crate) file: Option<Chain>,
    pub(crate) program: Option<JobProgram>,
}

/// The vertex program that makes the vertices; equal to another by its name and its changed constants.
#[derive(Clone, Debug)]
pub(crate) struct JobProgram {
    pub(crate) key: ProgramKey,
    pub(crate) settings: ProgramSettings,
}

impl PartialEq for JobProgram {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

/// An envelope, or why there is none.
pub(super) type Made = Result<Box<FrameEnvelope>, String>;

/// Makes envelopes on a thread of its own, which ends with it.
#[derive(Debug)]
pub(super) struct EnvelopeMaker {
    jobs: Sender<EnvelopeJob>,
    made: Receiver<(EnvelopeJob, Made)>,
    /// What was asked for last, until it is there.
    asked: Option<EnvelopeJob>,
}

impl EnvelopeMaker {
    /// A maker for a scene, of which it keeps a copy.
    pub(super) fn new(scene: &Scene) -> Self {
        let ((jobs, orders), (finished, made)) = (mpsc::channel::<EnvelopeJob>(), mpsc::channel());
        let scene = scene.clone();
        thread::spawn(move || {
            while let Ok(job) = orders.recv() {
                // What is no longer wanted is not made.
                let job = orders.try_iter().last().unwrap_or(job);
                let envelope = make(&scene, &job).map(Box::new).map_err(|error| error.to_string());
                if finished.send((job, envelope)).is_err() {
                    return;
                }
            }
        });
        Self { jobs, made, asked: None }
    }

    /// Asks for an envelope, unless it is being made.
    pub(super) fn ask(&mut self, job: &EnvelopeJob) {
        if self.asked.as_ref() != Some(job) {
            // A thread that is gone is noticed where its answers are taken.
            let _ = self.jobs.send(job.clone());
            self.asked = Some(job.clone());
        }
    }

    /// Forgets what was asked for.
    pub(super) fn forget(&mut self) {
        self.asked = None;
    }

    /// Whether something is being made.
    pub(super) fn is_busy(&self) -> bool {
        self.asked.is_some()
    }

    /// What was asked for, if it is there; waits for it up to `patience`.
    pub(super) fn take(&mut self, patience: Duration) -> Option<(EnvelopeJob, Made)> {
        while self.asked.is_some() {
            let answer = match patience.is_zero() {
                true => self.made.try_recv().map_err(|error| error == TryRecvError::Disconnected),
                false => self.made.recv_timeout(patience).map_err(|error| error == RecvTimeoutError::Disconnected),
            };
            match answer {
                Ok((job, made)) if self.asked.as_ref() == Some(&job) => {
                    self.asked = None;
                    return Some((job, made));
                }
                // The answer to an older question.
                Ok(_) => {}
                Err(false) => return None,
                Err(true) => {
                    let job = self.asked.take()?;
                    return Some((job, Err("the envelope could not be made".to_owned())));
                }
            }
        }
        None
    }
}

fn make(scene: &Scene, job: &EnvelopeJob) -> Result<FrameEnvelope, FrameEnvelopeError> {
    let mut renderer = match &job.program {
        Some(program) => Renderer::with_program(scene, job.settings, program.settings.clone())?,
        None => Renderer::new(scene, job.settings)?,
    };
    let judged_by = EnvelopeSettings { declared: job.declared, file: job.file, ..EnvelopeSettings::of(job.profile) };
    frame_envelope(&mut renderer, &job.pose, &job.camera, judged_by)
}
