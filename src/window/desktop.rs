//! [`desktop_scale`]: how large the desktop wants text to be.
//!
//! Why it exists: minifb counts in pixels, and X knows no scale factor. What desktops agree on is the resource `Xft.dpi`
//! of the X server; 96 stands for no scaling.

use std::env;

/// Dots per inch that text is not scaled at.
const UNSCALED: f32 = 96.0;
/// The least and the most pixels a point.
const RANGE: [f32; 2] = [0.75, 4.0];

/// Pixels a point as the desktop sets them, in quarters; `None` where it says nothing.
#[must_use]
pub fn desktop_scale() -> Option<f32> {
    let resource = || dots_per_inch().map(|dots| dots / UNSCALED);
    let variable = |name: &str| env::var(name).ok()?.trim().parse().ok();
    resource().or_else(|| variable("GDK_SCALE")).or_else(|| variable("QT_SCALE_FACTOR")).and_then(in_quarters)
}

#[cfg(all(unix, not(target_os = "macos")))]
fn dots_per_inch() -> Option<f32> {
    super::x11::dots_per_inch()
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn dots_per_inch() -> Option<f32> {
    None
}

fn in_quarters(scale: f32) -> Option<f32> {
    let [least, most] = RANGE;
    (scale.is_finite() && scale > 0.0).then(|| ((scale * 4.0).round() / 4.0).clamp(least, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_values_become_quarters_within_reason() {
        // 168 ÷ 96 = 1.75; 110 ÷ 96 = 1.146.
        assert_eq!((in_quarters(1.75), in_quarters(110.0 / 96.0)), (Some(1.75), Some(1.25)));
        assert_eq!((in_quarters(0.1), in_quarters(90.0)), (Some(0.75), Some(4.0)));
        assert_eq!((in_quarters(f32::NAN), in_quarters(0.0)), (None, None));
    }
}
