//! What frames take on a driver.
//!
//! Why it exists: a driver on the processor does the work that the reference does, so their times can be held against each other. To
//! the driver's advantage everything is on the device before the clock starts: targets, pipelines, palettes and the matrices of shadows.

use std::time::{Duration, Instant};

use refrast::{animation::Pose, golden::Picture, render::Camera};

use crate::{Backend, BackendError, PlainScene, UploadedScene, lights::Lights, target::Target};

/// What a frame took, by the clock on the wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameTime {
    /// From the first command to the last pixel on the device.
    pub drawn: Duration,
    /// From there until the bytes are the program's.
    pub read_back: Duration,
}

/// The times of frames, and the last one's picture.
pub type TimedFrames = (Vec<FrameTime>, Option<Picture>);

impl Backend {
    /// Draws every frame once without a clock and then with one.
    ///
    /// # Errors
    ///
    /// When the driver can not draw such a picture.
    pub fn frame_times(
        &self,
        uploaded: &UploadedScene<'_>,
        frames: &[(Pose, Camera)],
    ) -> Result<TimedFrames, BackendError> {
        self.checked(|| {
            let UploadedScene { scene, settings, faults, .. } = uploaded;
            let target = self.target(settings, faults)?;
            let ready = frames.iter().map(|(pose, camera)| {
                let lights = Lights::new(scene, pose, settings.ambient, &camera.view, faults);
                let plan = settings.shadow_plan(scene, pose, camera)?;
                let plans = plan.as_ref().map(|plan| (plan, plan));
                let frame = self.bound_frame(camera, (lights, plans), settings, faults)?;
                let draws = uploaded.draws.iter().map(|draw| Ok((draw, draw.pose(self, uploaded, pose)?)));
                Ok((frame, draws.collect::<Result<Vec<_>, BackendError>>()?))
            });
            let ready = ready.collect::<Result<Vec<_>, BackendError>>()?;
            self.timed(&target, &ready, |encoder, (frame, draws)| {
                self.record(encoder, &target, frame, draws, (settings, faults));
            })
        })
    }

    /// The same by plain shaders.
    ///
    /// # Errors
    ///
    /// As [`frame_times`](Self::frame_times), and when they can not draw such a frame.
    pub fn plain_frame_times(
        &self,
        uploaded: &PlainScene<'_>,
        frames: &[(Pose, Camera)],
    ) -> Result<TimedFrames, BackendError> {
        self.checked(|| {
            let target = uploaded.target(self)?;
            let ready = frames.iter().map(|(pose, camera)| uploaded.frame(self, pose, camera));
            let ready = ready.collect::<Result<Vec<_>, BackendError>>()?;
            self.timed(&target, &ready, |encoder, frame| uploaded.record(encoder, &target, frame))
        })
    }

    fn timed<Frame>(
        &self,
        target: &Target,
        frames: &[Frame],
        record: impl Fn(&mut wgpu::CommandEncoder, &Frame),
    ) -> Result<TimedFrames, BackendError> {
        let encoder = || self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let (mut times, mut picture) = (Vec::new(), None);
        for is_timed in [false, true] {
            for frame in frames {
                let start = Instant::now();
                let mut drawing = encoder();
                record(&mut drawing, frame);
                self.queue.submit([drawing.finish()]);
                let waited = self.device.poll(wgpu::PollType::wait_indefinitely());
                waited.map_err(|error| BackendError::ReadBack(error.to_string()))?;
                let drawn = start.elapsed();
                let mut copying = encoder();
                let read_back = target.copy(&self.device, &mut copying);
                self.queue.submit([copying.finish()]);
                let bytes = read_back.bytes(&self.device)?;
                if is_timed {
                    times.push(FrameTime { drawn, read_back: start.elapsed() - drawn });
                    picture = Some(bytes);
                }
            }
        }
        let picture = picture.map(|bytes| target.picture(&bytes)).transpose()?;
        Ok((times, picture))
    }
}
