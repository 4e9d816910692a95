//! Examples at the end of each command's help.
//!
//! Why it exists: an option says what it does, and an example what a person does with it. They stand in one list, so that a
//! test can read every one of them as the command line would.

use clap::Command;

/// Commands, and lines that somebody might type. A command of commands is written with a space.
const EXAMPLES: &[(&str, &[&str])] = &[
    ("demo", &["refrast demo -o out/"]),
    (
        "render",
        &[
            "refrast render fox.glb -o fox.png --animation Run --time 0.25",
            "refrast render fox.glb -o turn.webp --turntable 48 --size 480x480",
            "refrast render mannequin -o joints.png --shading joints",
        ],
    ),
    (
        "check",
        &[
            "refrast check fox.glb mine.png --animation Run --time 0.25",
            "refrast check fox.glb mine.png --camera orbit:90,0 --profile d3d11 --report report/",
            "refrast check fox.glb mine.npy --animation Run --time 0.25",
        ],
    ),
    (
        "compare",
        &[
            "refrast compare golden.png mine.png",
            "refrast compare goldens/ mine/ --metric threshold --threshold 2 --junit results.xml",
            "refrast compare golden/run.png mine.png --resolve stored",
            "refrast compare golden.npy mine.bin --layout position:f32x4@0 --space clip --matrices matrices.json",
        ],
    ),
    ("golden new", &["refrast golden new run-side fox.glb --animation Run --time 0.25 --camera orbit:90,0"]),
    (
        "golden check",
        &["refrast golden check", "refrast golden check --against 'my-renderer {case} {out}' --shard 1/4 -o shard-1"],
    ),
    ("golden bless", &["refrast golden bless", "refrast golden bless --from marks.txt"]),
    ("golden list", &["refrast golden list run"]),
    ("golden vary", &["refrast golden vary --profile d3d11"]),
    ("golden pack", &["refrast golden pack -o pack/"]),
    ("report merge", &["refrast report merge shard-1/report shard-2/report -o all --markdown all.md"]),
    (
        "vertices",
        &[
            "refrast vertices fox.glb -o golden.npy --animation Run --time 0.25",
            "refrast vertices fox.glb -o program.npy --skinning program:bones.vp --matrices matrices.json",
        ],
    ),
    (
        "diagnose",
        &[
            "refrast diagnose fox.glb --candidate mine.png --animation Run --time 0.25",
            "refrast diagnose fox.glb --candidate mine.png --candidate-view uv=mine-uv.png --animation Run --time 0.25",
            "refrast diagnose fox.glb --candidate mine.png --report answer/ --animation Run --time 0.25",
        ],
    ),
    ("skinning", &["refrast skinning fox.glb --animation Run --time 0.25"]),
    ("faults", &["refrast faults --profile d3d11"]),
    ("info", &["refrast info fox.glb --json"]),
    ("lint", &["refrast lint fox.glb"]),
    ("program check", &["refrast program check bones.vp", "refrast program check bone_offset_4"]),
    (
        "program run",
        &[
            "refrast program run bones.vp --constants 'c0=1,0,0,0; c12=1,0,0,5' --attributes 'v[OPOS]=1,2,3'",
            "refrast program run bones.vp --constants c.npy --batch in.npy -o out.npy",
        ],
    ),
    ("program trace", &["refrast program trace bones.vp --attributes 'v[OPOS]=1,2,3'"]),
    ("program translate", &["refrast program translate bones.vp --to wgsl -o bones.wgsl"]),
    ("program format", &["refrast program format bones.vp -o bones.vp"]),
    ("program library", &["refrast program library"]),
    ("completions", &["refrast completions bash > ~/.local/share/bash-completion/completions/refrast"]),
    ("man", &["refrast man man/"]),
    ("view", &["refrast view fox.glb --animation Run", "refrast view fox.glb --candidate mine.png"]),
];

/// The command with examples in its help, and in that of its commands.
pub(super) fn with_examples(command: Command) -> Command {
    EXAMPLES.iter().fold(command, |command, (path, lines)| {
        let text = lines.iter().fold(String::from("Examples:"), |text, line| text + "\n  " + line);
        let (first, rest) = path.split_once(' ').map_or((*path, None), |(first, rest)| (first, Some(rest)));
        // A build without the window has no `view`.
        if command.find_subcommand(first).is_none() {
            return command;
        }
        command.mut_subcommand(first, |own| match rest {
            Some(inner) => own.mut_subcommand(inner, |inner| inner.after_help(text)),
            None => own.after_help(text),
        })
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::CommandLine;

    /// Words of a line as a shell makes them: quotes hold words together.
    fn words(line: &str) -> Vec<String> {
        let line = line.split(" > ").next().unwrap_or_default();
        let parts = line.split('\'').enumerate();
        let words = parts.flat_map(|(index, part)| match index % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
            _ => vec![part.to_owned()],
        });
        words.collect()
    }

    #[test]
    fn every_command_has_examples_and_each_can_be_typed() {
        let mut command = with_examples(CommandLine::command());
        command.build();
        let leaves = |command: &Command| {
            let own = command.get_subcommands().filter(|own| own.get_name() != "help");
            own.map(|own| (own.get_name().to_owned(), own.clone())).collect::<Vec<_>>()
        };
        let mut seen = 0;
        for (name, own) in leaves(&command) {
            let inner = leaves(&own);
            let all = if inner.is_empty() { vec![(name.clone(), own)] } else { inner };
            for (inner, own) in all {
                let help = own.get_after_help().unwrap_or_else(|| panic!("{name} {inner} has no example")).to_string();
                for line in help.lines().skip(1).map(str::trim) {
                    let words = words(line);
                    assert!(words.contains(&inner), "{name} {inner}: {line}");
                    let read = command.clone().try_get_matches_from(&words);
                    assert!(read.is_ok(), "{line}: {}", read.err().map(|error| error.to_string()).unwrap_or_default());
                    seen += 1;
                }
            }
        }
        assert!(seen > 30, "{seen} examples");
    }
}
