//! The choices with which a hypothesis is played.
//!
//! Why it exists: the candidate comes from a backend whose grid and roundings nobody told. A fault that moves pixels less
//! than these do is recognised only when it is played with about the same ones.

use refrast_range::{Mips, Profile, Rules};
use refrast_simulator::{Derivatives, OutputRounding, Scale, Snapping, Variation};

/// Backends that these rules let be right, the most usual first.
pub(super) fn variations(Rules { profile, declared }: Rules) -> Vec<Variation> {
    let usual = Variation::default();
    let own = Variation::REFERENCE;
    if profile == Profile::Exact {
        return vec![own];
    }
    let mut all = vec![
        usual,
        own,
        Variation { derivatives: Derivatives::Fine, snapping: Snapping::Floor, fused: false, ..usual },
        Variation {
            derivatives: Derivatives::Exact,
            snapping: Snapping::Ceiling,
            reversed: true,
            snapped_attributes: false,
            level_bits: None,
            ..usual
        },
        Variation {
            fused: true,
            derivatives: Derivatives::Fine,
            output: OutputRounding::HalfUp,
            single_precision_window: true,
            depth_24_bits: true,
            ..own
        },
    ];
    // A graphics processor's levels and filters.
    let coarse = Variation { coarse_filters: true, scale: Scale::Axis, ..usual };
    match profile {
        Profile::Vulkan14 => {
            all.extend([Variation { subpixel_bits: Some(4), level_bits: Some(6), ..usual }, coarse]);
        }
        Profile::VulkanMin => {
            let bits = Variation { subpixel_bits: Some(4), texel_bits: Some(4), level_bits: Some(4), ..usual };
            all.extend([bits, coarse]);
        }
        Profile::Vulkan(bits) => {
            let Variation { coarse_filters, scale, .. } = coarse;
            all.push(Variation { coarse_filters, scale, ..Variation::stating(bits) });
        }
        Profile::D3d11 => all.push(Variation { scale: Scale::Axis, ..usual }),
        Profile::Exact => {}
    }
    if declared.mips != Mips::Linear {
        all.push(Variation { mips: declared.mips, ..usual });
    }
    all
}
