//! Choices that an engine may declare, and that somebody forgot to declare.
//!
//! Why it exists: dither, or a filter with more samples than were asked for, is no mistake, and looks like several. So before
//! a mistake is believed, each choice is asked whether it makes everything right; and since a choice widens what is right, it is
//! played as well where it can be, and is a hypothesis beside the mistakes, with a score of its own.

use super::{Cause, Finding, trial::Trial};
use crate::{
    appeal::{Appeal, has_jpeg},
    setup::Source,
};
use refrast_envelope::EnvelopeSettings;
use refrast_golden::envelope::EnvelopeVerdict;
use refrast_range::{Declared, Diffuse, Mips, Profile};
use refrast_simulator::Fault;

/// The score of a choice that can not be played, because its pattern is each engine's own: a mistake that has been made leaves
/// less than a third of the distance, and one that has not leaves more than half.
const NOT_PLAYED: f64 = 0.7;

/// How far a dither may be from the set of right values: its pattern brings a byte to the next one, and so does rounding.
const MOST_STEPS: u8 = 2;

/// Samples along the longer axis that filters offer.
const ANISOTROPIES: [u8; 4] = [2, 4, 8, Declared::MOST_ANISOTROPY];

impl Trial<'_> {
    /// The choices that make the candidate right, as findings, where no mistake of the list is the same; and all of them as
    /// options. Of `findings`, only those that explain it count.
    pub(super) fn undeclared(
        &self,
        verdict: &EnvelopeVerdict,
        findings: &[Finding],
        appeal: &Appeal<'_, '_>,
    ) -> (Vec<Finding>, Vec<String>) {
        let own = self.judged_by.declared;
        let (mut found, mut options) = (Vec::new(), Vec::new());
        if self.judged_by.profile == Profile::Exact {
            return (found, options);
        }
        let file = Source::FILE.chain(self.shot.moment);
        let reads_file = || appeal.is_right(EnvelopeSettings { file, ..self.judged_by });
        if self.judged_by.file.is_none() && file.is_some() && reads_file() {
            options.push("--given file".to_owned());
        }
        let wider = ANISOTROPIES.into_iter().filter(|most| *most > own.anisotropy);
        let wider: Vec<Declared> = wider.map(|anisotropy| Declared { anisotropy, ..own }).collect();
        let hopeful = appeal.hopeful(self.judged_by, own.one_more().chain(wider.iter().copied()).collect());
        let is_right = |declared: Declared| {
            hopeful.contains(&declared) && appeal.is_accepted(EnvelopeSettings { declared, ..self.judged_by })
        };
        let known = |fault: Fault| findings.iter().any(|own| own.explains && own.causes().any(|cause| cause == fault));
        let played = |declared: Declared| {
            if !hopeful.contains(&declared) {
                return None;
            }
            let cause = Cause::Undeclared { declared, beside: own };
            let score = self.evidence.score(self.candidate, &self.pictures_of_hopeful(cause.into()).ok()?);
            (self.evidence.speaks_for(score) && is_right(declared)).then(|| finding(cause, score))
        };
        let mut has_mips = false;
        for declared in own.one_more() {
            if same_as(&declared, &own).iter().any(|fault| known(*fault)) {
                // Whoever is right with means of stored bytes needs no more room for a chain.
                if !has_mips && is_right(declared) {
                    has_mips = declared.mips != own.mips;
                    options.push(declared.beside(&own));
                }
            } else if declared.anisotropy != own.anisotropy {
                found.extend(wider.iter().copied().find_map(played));
            } else if declared.mips != own.mips {
                // Of the chains that drivers give, one is played; means of stored bytes are a mistake of the list.
                found.extend(Some(declared).filter(|declared| declared.mips == Mips::Given).and_then(played));
            } else if declared.jpeg != own.jpeg {
                // Whoever is right by rounding needs no more room.
                let has_decoder = found.iter().any(|finding: &Finding| finding.cause.is_decoder());
                if !has_decoder && has_jpeg(self.simulator.scene()) && is_right(declared) {
                    found.push(finding(Cause::Undeclared { declared, beside: own }, NOT_PLAYED));
                }
            } else if declared.dither != own.dither
                && verdict.farthest <= MOST_STEPS
                && self.looks_dithered
                && is_right(declared)
            {
                found.push(finding(Cause::Undeclared { declared, beside: own }, NOT_PLAYED));
            }
        }
        options.extend(found.iter().map(|finding| finding.cause.to_string()));
        (found, options)
    }
}

/// The mistakes of the list that are a choice where it is declared.
fn same_as(declared: &Declared, beside: &Declared) -> &'static [Fault] {
    match declared {
        Declared { resolve, .. } if *resolve != beside.resolve => &[Fault::ResolveInSrgb],
        Declared { blend, .. } if *blend != beside.blend => &[Fault::BlendInSrgb],
        Declared { diffuse: Diffuse::Whole, .. } if beside.diffuse != Diffuse::Whole => &[Fault::DiffuseWithoutFresnel],
        Declared { diffuse: Diffuse::HeadOn, .. } if beside.diffuse != Diffuse::HeadOn => {
            &[Fault::DiffuseFresnelHeadOn]
        }
        Declared { diffuse: Diffuse::Burley, .. } if beside.diffuse != Diffuse::Burley => &[Fault::DiffuseBurley],
        Declared { diffuse: Diffuse::BurleySquared, .. } if beside.diffuse != Diffuse::BurleySquared => {
            &[Fault::DiffuseBurleySquared]
        }
        Declared { normal_maps, .. } if *normal_maps != beside.normal_maps => &[Fault::NormalMapZRebuilt],
        Declared { tangents, .. } if *tangents != beside.tangents => &[Fault::TangentReorthogonalised],
        Declared { encode, .. } if *encode != beside.encode => &[Fault::GammaEncode22],
        Declared { mips: Mips::Stored, .. } if beside.mips != Mips::Stored => &[Fault::MipChainInSrgb],
        Declared { mips: Mips::None, .. } if beside.mips != Mips::None => &[Fault::MipNone],
        Declared { mips: Mips::Given, .. } if beside.mips != Mips::Given => {
            &[Fault::MipChainInSrgb, Fault::MipChainOddDropped]
        }
        _ => &[],
    }
}

/// A finding that leaves nothing.
fn finding(cause: Cause, score: f64) -> Finding {
    let (same, beside) = (Vec::new(), None);
    Finding { cause, beside, same, unexplained: 0, exact: true, distance: 0.0, score, explains: true }
}
