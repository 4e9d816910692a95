//! The value of a [`Channel`] at a time.

use super::transform::{normalize, slerp};
use refrast_scene::{Channel, ChannelTarget, Interpolation};

/// Where a time lies among the keys of a channel.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// On a key, before the first or after the last one: the value of this key, bit for bit.
    Key(usize),
    /// Between this key and the next one, `fraction` of the way, in an interval of `seconds`.
    Between { key: usize, fraction: f32, seconds: f32 },
}

fn place(times: &[f32], seconds: f32) -> Place {
    let after = times.partition_point(|&time| time <= seconds);
    if after == 0 {
        return Place::Key(0);
    }
    let key = after - 1;
    if after == times.len() || times[key] == seconds {
        return Place::Key(key);
    }
    let interval = times[after] - times[key];
    Place::Between { key, fraction: (seconds - times[key]) / interval, seconds: interval }
}

/// Writes the `components` numbers of the channel at `seconds` into `value`.
///
/// `value` has the length `channel.components`; the channel is as the scene room validates it.
pub(super) fn evaluate(channel: &Channel, seconds: f32, value: &mut [f32]) {
    match place(&channel.times, seconds) {
        Place::Key(key) => value.copy_from_slice(key_value(channel, key)),
        Place::Between { key, fraction, seconds } => match channel.interpolation {
            Interpolation::Step => value.copy_from_slice(key_value(channel, key)),
            Interpolation::Linear => linear(channel, key, fraction, value),
            Interpolation::CubicSpline => cubic(channel, key, fraction, seconds, value),
        },
    }
}

/// The value of a key without its tangents.
fn key_value(channel: &Channel, key: usize) -> &[f32] {
    match channel.interpolation {
        Interpolation::CubicSpline => part(channel, 3 * key + 1),
        Interpolation::Linear | Interpolation::Step => part(channel, key),
    }
}

/// The `index`-th group of `components` numbers.
fn part(channel: &Channel, index: usize) -> &[f32] {
    &channel.values[index * channel.components..][..channel.components]
}

fn linear(channel: &Channel, key: usize, t: f32, value: &mut [f32]) {
    let (left, right) = (part(channel, key), part(channel, key + 1));
    if channel.target == ChannelTarget::Rotation {
        value.copy_from_slice(&slerp(quaternion(left), quaternion(right), t));
        return;
    }
    for ((value, left), right) in value.iter_mut().zip(left).zip(right) {
        *value = (1.0 - t) * left + t * right;
    }
}

/// The Hermite spline of the specification, with the powers of `t` summed from the left:
/// (2t³ − 3t² + 1)·v_k + T(t³ − 2t² + t)·out_k + (−2t³ + 3t²)·v_{k+1} + T(t³ − t²)·in_{k+1}.
///
/// Tangents are per second, so they are multiplied by the interval T; the left key gives its out-tangent and the
/// right key its in-tangent. A rotation is brought to unit length after the sum.
fn cubic(channel: &Channel, key: usize, t: f32, seconds: f32, value: &mut [f32]) {
    let (left, out_tangent) = (part(channel, 3 * key + 1), part(channel, 3 * key + 2));
    let (in_tangent, right) = (part(channel, 3 * key + 3), part(channel, 3 * key + 4));
    let (t2, t3) = (t * t, t * t * t);
    let from_left = 2.0 * t3 - 3.0 * t2 + 1.0;
    let from_out = seconds * (t3 - 2.0 * t2 + t);
    let from_right = 3.0 * t2 - 2.0 * t3;
    let from_in = seconds * (t3 - t2);
    for (i, value) in value.iter_mut().enumerate() {
        *value = from_left * left[i] + from_out * out_tangent[i] + from_right * right[i] + from_in * in_tangent[i];
    }
    if channel.target == ChannelTarget::Rotation {
        value.copy_from_slice(&normalize(quaternion(value)));
    }
}

/// x, y, z, w of the four components that every rotation has.
fn quaternion(value: &[f32]) -> [f32; 4] {
    [value[0], value[1], value[2], value[3]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(target: ChannelTarget, interpolation: Interpolation, times: &[f32], values: &[f32]) -> Channel {
        let components = if target == ChannelTarget::Rotation { 4 } else { 3 };
        Channel { node: 0, target, interpolation, times: times.to_vec(), values: values.to_vec(), components }
    }

    #[test]
    fn a_time_on_a_key_is_that_key_and_one_outside_the_nearest() {
        let times = [0.1, 0.2, 0.7];
        for (key, &time) in times.iter().enumerate() {
            assert_eq!(place(&times, time), Place::Key(key));
        }
        assert_eq!(place(&times, -3.0), Place::Key(0));
        assert_eq!(place(&times, f32::NEG_INFINITY), Place::Key(0));
        assert_eq!(place(&times, 0.8), Place::Key(2));
        assert_eq!(place(&times, f32::INFINITY), Place::Key(2));
        assert_eq!(place(&[4.0], 4.5), Place::Key(0));
        assert_eq!(place(&[1.0, 3.0], 1.5), Place::Between { key: 0, fraction: 0.25, seconds: 2.0 });
    }

    #[test]
    fn keys_come_back_bit_for_bit_in_every_mode() {
        // A rotation that is not of unit length shows that nothing touched it; 0.1 and 0.7 are not dyadic.
        let (a, b) = ([0.1, 0.2, 0.3, 0.7], [-0.1, 0.0, -0.0, 0.9]);
        let plain = [a, b].concat();
        let spline = [[9.0; 4], a, [9.0; 4], [9.0; 4], b, [9.0; 4]].concat();
        for (interpolation, values) in
            [(Interpolation::Linear, &plain), (Interpolation::Step, &plain), (Interpolation::CubicSpline, &spline)]
        {
            let channel = channel(ChannelTarget::Rotation, interpolation, &[0.1, 0.7], values);
            for (time, key) in [(0.1, a), (0.7, b), (-1.0, a), (5.0, b)] {
                let mut value = [0.0; 4];
                evaluate(&channel, time, &mut value);
                assert_eq!(value.map(f32::to_bits), key.map(f32::to_bits), "{interpolation:?} at {time}");
            }
        }
    }

    #[test]
    fn a_linear_value_is_the_weighted_mean() {
        let channel =
            channel(ChannelTarget::Translation, Interpolation::Linear, &[1.0, 3.0], &[0.0, 8.0, -4.0, 4.0, 0.0, -4.0]);
        let mut value = [0.0; 3];
        evaluate(&channel, 1.5, &mut value);
        assert_eq!(value, [1.0, 6.0, -4.0]);
    }
}
