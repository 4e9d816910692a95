//! [`desktop_scale`]: how large the desktop wants text to be.
//!
//! Why it exists: minifb counts in pixels, and X knows no scale factor. What desktops agree on is the resource `Xft.dpi`,
//! which `xrdb` prints; 96 stands for no scaling. Reading it otherwise would take a second X client of our own.

use std::{env, process::Command};

/// Dots per inch that text is not scaled at.
const UNSCALED: f32 = 96.0;
/// The least and the most pixels a point.
const RANGE: [f32; 2] = [0.75, 4.0];

/// Pixels a point as the desktop sets them, in quarters; `None` where it says nothing.
#[must_use]
pub fn desktop_scale() -> Option<f32> {
    let resources = || {
        let output = Command::new("xrdb").arg("-query").output().ok()?;
        dots_per_inch(&String::from_utf8_lossy(&output.stdout)).map(|dots| dots / UNSCALED)
    };
    let variable = |name: &str| env::var(name).ok()?.trim().parse().ok();
    resources().or_else(|| variable("GDK_SCALE")).or_else(|| variable("QT_SCALE_FACTOR")).and_then(in_quarters)
}

/// The value of `Xft.dpi` in lines of `NAME: VALUE`.
fn dots_per_inch(resources: &str) -> Option<f32> {
    let value = |line: &str| {
        line.split_once(':').filter(|(name, _)| name.trim() == "Xft.dpi").map(|(_, value)| value.trim().parse())
    };
    resources.lines().find_map(value)?.ok()
}

fn in_quarters(scale: f32) -> Option<f32> {
    let [least, most] = RANGE;
    (scale.is_finite() && scale > 0.0).then(|| ((scale * 4.0).round() / 4.0).clamp(least, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resource_is_found_among_others() {
        let resources = "Xcursor.size:\t24\nXft.antialias:\t1\nXft.dpi:\t168\n*dpi: 50\n";
        assert_eq!(dots_per_inch(resources), Some(168.0));
        assert_eq!(dots_per_inch("Xft.dpi: large"), None);
        assert_eq!(dots_per_inch(""), None);
    }

    #[test]
    fn odd_values_become_quarters_within_reason() {
        // 168 ÷ 96 = 1.75; 110 ÷ 96 = 1.146.
        assert_eq!((in_quarters(1.75), in_quarters(110.0 / 96.0)), (Some(1.75), Some(1.25)));
        assert_eq!((in_quarters(0.1), in_quarters(90.0)), (Some(0.75), Some(4.0)));
        assert_eq!((in_quarters(f32::NAN), in_quarters(0.0)), (None, None));
    }
}
