//! `refrast-gpu faults`: the backend with each known mistake built in, against what a conformant backend may draw.

use std::process::ExitCode;

use clap::Args;
use refrast::{
    golden::{
        Picture,
        envelope::{CheckOptions, Envelope},
    },
    render::Renderer,
    verify::{
        Fault, Profile,
        envelope::{EnvelopeSettings, frame_envelope},
    },
};
use refrast_gpu_backend::{Backend, Case, Faults, Prepared, Settings};

use crate::CommandResult;

/// A line a mistake: how many pixels it changes in the library's showcases, and how many are outside the envelope
#[derive(Args)]
pub(crate) struct FaultArguments {
    /// Only mistakes whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// d3d11 | vulkan14 | vulkan-min | exact [default: the strictest that the driver's stated bits fit]
    #[arg(long)]
    profile: Option<Profile>,
}

/// A showcase with what is right in it.
struct Shown {
    case: Case,
    prepared: Prepared,
    envelope: Envelope,
    right: Picture,
}

/// What a mistake did.
#[derive(Default)]
struct Effect {
    changed: u64,
    outside: u64,
    /// The showcase with the most pixels outside.
    shown_in: Option<(u64, String)>,
}

pub(crate) fn run(arguments: &FaultArguments, backend: &Backend) -> CommandResult {
    let profile = arguments.profile.unwrap_or(backend.driver().profile());
    println!("{} ({}), profile {profile}", backend.driver(), backend.description());
    let shown = Case::showcases().into_iter().map(|case| Shown::new(case, backend, profile));
    let shown: Vec<Shown> = shown.collect::<Result<_, _>>()?;
    let (mut made, mut visible, mut caught) = (0, 0, 0);
    for fault in Fault::ALL.into_iter().filter(|fault| fault.name().contains(&arguments.only)) {
        if !backend.can_make(fault) {
            continue;
        }
        let mut effect = Effect::default();
        for shown in &shown {
            shown.spoil(fault, backend, &mut effect)?;
        }
        let Effect { changed, outside, shown_in } = effect;
        let place = shown_in.map(|(_, name)| name).unwrap_or_default();
        println!("{:36} {changed:7} changed {outside:7} outside   {place}", fault.name());
        made += 1;
        visible += u32::from(changed > 0);
        caught += u32::from(outside > 0);
    }
    println!("{caught} of {visible} mistakes that change a pixel are caught; {made} can be made");
    Ok(if caught < visible { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

impl Shown {
    fn new(case: Case, backend: &Backend, profile: Profile) -> Result<Self, Box<dyn std::error::Error>> {
        let prepared = case.prepare()?;
        let mut renderer = Renderer::new(&prepared.scene, case.settings)?;
        let made = frame_envelope(&mut renderer, &prepared.pose, &prepared.camera, EnvelopeSettings { profile })?;
        drop(renderer);
        let settings = Settings::from(&case.settings);
        let right = backend.render(&prepared.scene, &prepared.pose, &prepared.camera, settings)?;
        Ok(Self { case, prepared, envelope: made.envelope, right })
    }

    fn spoil(&self, fault: Fault, backend: &Backend, effect: &mut Effect) -> Result<(), Box<dyn std::error::Error>> {
        let Prepared { scene, pose, camera, .. } = &self.prepared;
        let uploaded = backend.upload_with(scene, Settings::from(&self.case.settings), Faults::of(&[fault]))?;
        let wrong = backend.draw(&uploaded, pose, camera)?;
        let (before, after) = (self.right.samples8(), wrong.samples8());
        let pixels = before.as_chunks::<4>().0.iter().zip(after.as_chunks::<4>().0);
        effect.changed += pixels.filter(|(before, after)| before != after).count() as u64;
        let outside = self.envelope.check(&wrong, &CheckOptions::default())?.wrong();
        effect.outside += outside;
        if outside > effect.shown_in.as_ref().map_or(0, |(most, _)| *most) {
            effect.shown_in = Some((outside, self.case.name.clone()));
        }
        Ok(())
    }
}
