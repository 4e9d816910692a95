//! What comparing pictures takes of memory: strips of any picture, and what is counted before it is taken.
#![cfg(unix)]

use std::process::{Command, Output};

use crate::folder::Folder;
use refrast::golden::{Picture, Samples};

/// What the program, its libraries and the stacks of two threads take, in KiB of addresses.
const PROGRAM: u64 = 150 << 10;

/// Runs a comparison in a shell that gives it so many KiB of addresses.
fn compare_within(folder: &Folder, kibibytes: u64, arguments: &str) -> Output {
    let line = format!("ulimit -v {kibibytes}; exec \"$0\" compare --threads 1 {arguments}");
    let mut command = Command::new("sh");
    command.args(["-c", &line, env!("CARGO_BIN_EXE_refrast")]).current_dir(&folder.0);
    command.output().expect("there is a shell")
}

#[track_caller]
fn expect(output: &Output, status: i32) -> String {
    let said = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
    assert_eq!(output.status.code(), Some(status), "{said}");
    said
}

/// A striped picture; the last row is brighter by `more` steps.
fn write(folder: &Folder, name: &str, (width, height): (u32, u32), bits: u32, more: u8) {
    let row = |step: u8| (0..width).flat_map(move |x| [(x as u8 & 63) + step, 90, 120, 255]);
    let samples: Vec<u8> = (0..height).flat_map(|y| row(if y + 1 == height { more } else { 0 })).collect();
    let samples = match bits {
        8 => Samples::Eight(samples),
        _ => Samples::Sixteen(samples.into_iter().map(|sample| u16::from(sample) * 257).collect()),
    };
    Picture::new(width, height, samples).unwrap().write(&folder.0.join(name)).unwrap();
}

#[test]
fn strips_are_enough_for_metrics_of_channels_whatever_the_bits() {
    let folder = Folder::new("picture-memory");
    // 12 million pixels: 47 MiB of 8 bits, 94 of 16.
    let size = (512, 24_000);
    write(&folder, "eight.png", size, 8, 0);
    write(&folder, "other.png", size, 8, 40);
    write(&folder, "sixteen.png", size, 16, 40);
    for arguments in [
        "eight.png other.png --metric exact",
        "eight.png sixteen.png --metric exact",
        "sixteen.png eight.png --metric threshold --ignore 0,0,9,9",
        "eight.png sixteen.png --metric psnr --threshold 90",
    ] {
        let said = expect(&compare_within(&folder, PROGRAM, arguments), 1);
        // Wherever the rest was looked at, it was the last row.
        assert!(said.contains("23999"), "{arguments}: {said}");
    }
    expect(&compare_within(&folder, PROGRAM, "eight.png sixteen.png --metric threshold --ignore 0,23999,512,1"), 0);
}

#[test]
fn metrics_of_neighbourhoods_are_counted_before_they_begin() {
    let folder = Folder::new("picture-memory");
    write(&folder, "a.png", (1000, 1000), 8, 0);
    write(&folder, "b.png", (1000, 1000), 16, 40);
    for (metric, threshold, needed) in [("flip", "1", 48), ("ssim", "0", 41), ("fuzzy", "9", 41), ("yiq", "1", 29)] {
        let arguments =
            |memory: u64| format!("a.png b.png --metric {metric} --threshold {threshold} --memory {memory}");
        let said = expect(&compare_within(&folder, PROGRAM, &arguments(needed - 1)), 2);
        let expected = format!("comparing by {metric} takes some {needed} MiB, and {} are allowed", needed - 1);
        assert!(said.contains(&expected), "{said}");
        // And that is enough.
        let output = compare_within(&folder, PROGRAM + (needed << 10), &arguments(needed));
        assert!(matches!(output.status.code(), Some(0 | 1)), "{metric}: {output:?}");
    }
}

#[test]
fn pictures_that_are_held_against_a_scene_count_before_they_are_unpacked() {
    let folder = Folder::new("picture-memory");
    write(&folder, "large.png", (1000, 1000), 8, 0);
    let run = |arguments: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_refrast"));
        command.args(arguments.split(' ')).current_dir(&folder.0).output().expect("the program runs")
    };
    // Four bytes a pixel of its own, and what the reference and its envelope take beside it.
    let said = expect(&run("check mannequin large.png --memory 118"), 2);
    assert!(said.contains("large.png: the picture of 1000x1000 pixels takes 119 MiB, and 118 are allowed"), "{said}");
    assert!(said.contains("--memory"), "{said}");
    let said = expect(&run("diagnose mannequin --candidate large.png --size 1000x1000 --memory 3"), 2);
    assert!(said.contains("large.png: the picture of 1000x1000 pixels takes 4 MiB, and 3 are allowed"), "{said}");
}

#[test]
fn a_report_says_which_picture_it_could_not_show_and_why() {
    let folder = Folder::new("picture-memory");
    write(&folder, "a.png", (1000, 1000), 8, 0);
    write(&folder, "b.png", (1000, 1000), 16, 40);
    // Strips are enough to compare by, and not to show what differs.
    let output = compare_within(&folder, PROGRAM + (80 << 10), "a.png b.png --metric exact --memory 6 --report page");
    expect(&output, 1);
    let page = std::fs::read_to_string(folder.0.join("page/index.html")).unwrap();
    assert!(page.contains("not shown: b.png: the picture of 1000x1000 pixels takes 8 MiB, and 6 are allowed"));
    assert!(!page.contains("not shown: a.png"));
}
