//! What the pages say: links lead somewhere, quoted commands exist, and figures are those that the commands print.

#[path = "../../examples/evidence/blocks.rs"]
mod blocks;

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Component, Path, PathBuf},
    process::Command,
};

use blocks::{Block, blocks};
use refrast::verify::{Fault, Section, cases::GoldenFolder};

/// Folders without pages of ours.
const LEFT_OUT: [&str; 5] = ["target", "refrast-out", "corpus", "artifacts", "node_modules"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every page of the repository, by its path from the root.
fn pages() -> BTreeMap<PathBuf, String> {
    fn find(folder: &Path, found: &mut BTreeMap<PathBuf, String>) {
        for entry in fs::read_dir(folder).expect("a folder of the repository can be read") {
            let path = entry.expect("an entry can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') && !LEFT_OUT.contains(&name.as_str()) {
                find(&path, found);
            } else if name.ends_with(".md") {
                let text = fs::read_to_string(&path).expect("a page is text");
                found.insert(path.strip_prefix(root()).expect("below the root").to_owned(), text);
            }
        }
    }
    let mut found = BTreeMap::new();
    find(root(), &mut found);
    assert!(found.len() > 20, "{:?}", found.keys());
    found
}

/// The page without blocks of code.
fn prose(page: &str) -> String {
    let mut in_code = false;
    let kept = page.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    });
    kept.collect::<Vec<_>>().join("\n")
}

/// What stands between single backticks.
fn inline_code(page: &str) -> Vec<String> {
    prose(page)
        .split('`')
        .skip(1)
        .step_by(2)
        .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

/// The targets of `[text](target)`.
fn links(page: &str) -> Vec<String> {
    // A link's text may hold code, but code holds no links.
    let outside: String = prose(page).split('`').step_by(2).collect::<Vec<_>>().join("code");
    let targets = outside.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).collect()
}

/// The names by which the headings of a page can be linked to.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = prose(page);
    let headings =
        headings.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let slug = |heading: &str| -> String {
        let kept = heading.to_lowercase();
        let kept = kept.chars().filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter));
        kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
    };
    headings.map(slug).collect()
}

/// `folder/../page` without the detour.
fn tidied(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => assert!(tidy.pop(), "{} leads out of the repository", path.display()),
            Component::CurDir => {}
            part => tidy.push(part),
        }
    }
    tidy
}

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let mut broken = Vec::new();
    let mut followed = 0;
    for (path, page) in &pages {
        for link in links(page).iter().filter(|link| !link.starts_with("http")) {
            followed += 1;
            let (file, anchor) =
                link.split_once('#').map_or((link.as_str(), None), |(file, anchor)| (file, Some(anchor)));
            let target = if file.is_empty() {
                path.clone()
            } else {
                tidied(&path.parent().expect("a file lies in a folder").join(file))
            };
            let leads = match anchor {
                None => root().join(&target).exists(),
                Some(anchor) => pages.get(&target).is_some_and(|page| anchors(page).contains(anchor)),
            };
            if !leads {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(followed > 150, "{followed} links");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_file_that_a_page_names_is_there() {
    const OURS: [&str; 8] = ["src/", "tests/", "docs/", "golden/", "examples/", "benches/", "fuzz/", ".ci/"];
    let mut missing = Vec::new();
    for (path, page) in pages() {
        // Pages in `src` name files beside themselves, and the changelog those of its day.
        if path.starts_with("src") || path.ends_with("CHANGELOG.md") {
            continue;
        }
        for name in inline_code(&page) {
            let is_path = OURS.iter().any(|folder| name.starts_with(folder)) && !name.contains([' ', '*', '…']);
            // `src/pack/read.rs` may be one of the backend's.
            let places = [root().to_owned(), root().join("tests/gpu_backend")];
            if is_path && !places.iter().any(|place| place.join(&name).exists()) {
                missing.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn newcomers_read_fewer_than_two_hundred_lines() {
    assert!(pages()[Path::new("README.md")].lines().count() < 200);
}

/// The rooms that a room's manifest lets it import, as the plan lists them.
fn imports(manifest: &str) -> String {
    let (_, dependencies) = manifest.split_once("\n[dependencies]\n").unwrap_or_default();
    let lines = dependencies.lines().take_while(|line| !line.starts_with('['));
    let rooms = lines.filter_map(|line| line.strip_prefix("refrast-")?.split(['.', ' ']).next());
    let rooms: BTreeSet<String> = rooms.map(|room| room.replace('-', "_")).collect();
    if rooms.is_empty() { "–".to_owned() } else { rooms.into_iter().collect::<Vec<_>>().join(", ") }
}

#[test]
fn the_plan_of_the_house_has_every_room_and_what_it_imports() {
    let plan = &pages()[Path::new("ARCHITECTURE.md")];
    for entry in fs::read_dir(root().join("src")).expect("src is there") {
        let path = entry.expect("an entry can be read").path();
        let Ok(manifest) = fs::read_to_string(path.join("Cargo.toml")) else { continue };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let row = plan.lines().find(|line| line.contains(&format!("| [`{name}`](src/{name}/lib.rs) |")));
        let row = row.unwrap_or_else(|| panic!("ARCHITECTURE.md: {name} is missing in the table of rooms"));
        assert_eq!(cells(row)[3], imports(&manifest), "ARCHITECTURE.md: what {name} imports");
    }
}

/// A command as somebody would type it: its words, up to where another program or a file begins.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut previous = ' ';
    for letter in line.chars() {
        match (quote, letter) {
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            (None, '#') if previous == ' ' => break,
            (None, '|' | '>' | '&' | ';') => break,
            (None, ' ') => words.push(String::new()),
            _ => words.last_mut().expect("there is always one").push(letter),
        }
        previous = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Every quoted command, with the page that quotes it.
fn commands() -> Vec<(PathBuf, Vec<String>)> {
    let mut found = Vec::new();
    for (path, page) in pages() {
        let mut lines = inline_code(&page);
        let mut in_shell = false;
        for line in page.replace("\\\n", " ").lines() {
            if line.starts_with("```") {
                in_shell = line == "```sh";
            } else if in_shell {
                lines.extend(line.split("&& ").map(str::to_owned));
            }
        }
        lines.extend(
            blocks(&page)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
                .into_iter()
                .map(|block| block.command),
        );
        found.extend(lines.iter().map(|line| (path.clone(), words(line))));
    }
    found
}

/// What `refrast SUBCOMMAND --help` says; `None` where there is no such subcommand.
fn help(subcommand: &[&str]) -> Option<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_refrast")).args(subcommand).arg("--help").output();
    let output = output.expect("the program is built before its tests");
    output.status.success().then(|| String::from_utf8(output.stdout).expect("help is text"))
}

fn has_option(help: &str, option: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '-');
    help.match_indices(option).any(|(at, _)| ends(&help[at + option.len()..]))
}

#[test]
fn every_quoted_command_has_its_subcommand_and_its_options() {
    let known: RefCell<BTreeMap<Vec<String>, Option<String>>> = RefCell::default();
    let asked = |subcommand: &[&str]| -> Option<String> {
        let key = subcommand.iter().map(|word| (*word).to_owned()).collect();
        known.borrow_mut().entry(key).or_insert_with(|| help(subcommand)).clone()
    };
    let mut wrong = Vec::new();
    let mut read = 0;
    for (path, words) in commands() {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let Some((&"refrast", [first, rest @ ..])) = words.split_first() else { continue };
        let first = *first;
        // `refrast view`'s own crate is not everywhere, and `refrast …` names no subcommand.
        if first.starts_with(['-', '…']) || (first == "view" && !cfg!(feature = "window")) {
            continue;
        }
        read += 1;
        let nested = matches!(first, "golden" | "program" | "report") && !rest.is_empty();
        let subcommand = if nested { vec![first, rest[0]] } else { vec![first] };
        let Some(help) = asked(&subcommand) else {
            wrong.push(format!("{}: there is no `refrast {}`", path.display(), subcommand.join(" ")));
            continue;
        };
        let options = rest.iter().filter(|word| word.starts_with('-') && word.len() > 1);
        for option in options.map(|word| word.split_once('=').map_or(*word, |(option, _)| option)) {
            if !has_option(&help, option) {
                wrong.push(format!("{}: `refrast {}` has no {option}", path.display(), subcommand.join(" ")));
            }
        }
    }
    assert!(read > 60, "{read} commands");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_quoted_example_test_and_feature_is_there() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the package has a manifest");
    let exists = |folder: &Path, name: &str| {
        folder.join(format!("{name}.rs")).exists() || folder.join(name).join("main.rs").exists()
    };
    let mut wrong = Vec::new();
    for (path, words) in commands().into_iter().filter(|(_, words)| words.first().is_some_and(|word| word == "cargo")) {
        let package = if words.iter().any(|word| word == "refrast-arb-driver") { "tests/arb_driver" } else { "." };
        for pair in words.windows(2) {
            let right = match pair[0].as_str() {
                "--example" => exists(&root().join("examples"), &pair[1]),
                "--test" => exists(&root().join(package).join("tests"), &pair[1]),
                "--features" => manifest.contains(&format!("\n{} = [", pair[1])),
                _ => true,
            };
            if !right {
                wrong.push(format!("{}: {} {}", path.display(), pair[0], pair[1]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The block of a page of the evidence that this command writes.
fn block(page: &str, command: &str) -> Block {
    let text = &pages()[&Path::new("docs/evidence").join(page)];
    let found = blocks(text).unwrap_or_else(|error| panic!("{page}: {error}"));
    let block = found.into_iter().find(|block| block.command == command);
    block.unwrap_or_else(|| panic!("{page} has no block that is written by: {command}"))
}

/// The cells of a row of a table.
fn cells(row: &str) -> Vec<&str> {
    row.trim_matches('|').split('|').map(str::trim).collect()
}

#[test]
fn the_fault_table_is_what_the_command_prints() {
    // One of each section, and what most checks miss; right backends are always drawn, so that the false alarms are all here.
    const DRAWN: [&str; 7] = [
        "joint-scale-ignored",
        "cubic-tangent-index",
        "mip-bias",
        "texture-transform-order",
        "fill-rule-missing",
        "depth-test-less-equal",
        "address-rounding",
    ];
    let output = Command::new(env!("CARGO_BIN_EXE_refrast"))
        .args(["faults", "--each", "--profile", "d3d11"])
        .args(DRAWN)
        .output();
    let printed =
        String::from_utf8(output.expect("the program is built before its tests").stdout).expect("a table is text");
    let table = block("faults.md", "refrast faults --each --profile d3d11").lines;
    let rows: Vec<&str> = printed.lines().filter(|row| !row.starts_with("| **all**")).collect();
    assert_eq!(rows.len(), DRAWN.len() + 3, "{printed}");
    for row in rows {
        assert!(table.iter().any(|line| line == row), "docs/evidence/faults.md has not: {row}");
    }
}

#[test]
fn the_fault_tables_agree_and_have_every_fault() {
    let each = block("faults.md", "refrast faults --each --profile d3d11").lines;
    let sums = block("faults.md", "refrast faults --profile d3d11").lines;
    let named = |line: &&String| cells(line)[0].parse::<Fault>().is_ok();
    let rows: BTreeMap<Fault, Vec<usize>> = each
        .iter()
        .filter(named)
        .map(|line| {
            let cells = cells(line);
            let counts = cells[1..].iter().map(|cell| cell.parse().expect("a count"));
            (cells[0].parse().expect("a fault"), counts.collect())
        })
        .collect();
    let missing: Vec<Fault> = Fault::ALL.into_iter().filter(|fault| !rows.contains_key(fault)).collect();
    assert_eq!(missing, [], "run the command of the block again");

    let summed = |heading: &str, section: Option<Section>| {
        let own = || rows.iter().filter(|(fault, _)| section.is_none_or(|section| fault.section() == section));
        let judges = rows.values().next().map_or(0, Vec::len);
        let caught = (1..judges).map(|judge| own().filter(|(_, counts)| counts[judge] > 0).count());
        let counts = std::iter::once(own().count()).chain(caught).map(|count| count.to_string()).collect::<Vec<_>>();
        format!("| {heading} | {} |", counts.join(" | "))
    };
    let sections: BTreeSet<Section> = rows.keys().map(|fault| fault.section()).collect();
    for section in sections {
        assert!(sums.contains(&summed(section.name(), Some(section))), "{}", summed(section.name(), Some(section)));
    }
    let all = summed("**all**", None);
    assert!(sums.contains(&all) && each.contains(&all), "{all}");
    assert_eq!(sums.last(), each.last(), "the false alarms");
}

#[test]
fn pages_know_how_many_mistakes_there_are() {
    let mut told = 0;
    for (path, page) in pages() {
        // What was in a version stays in it.
        if path.ends_with("CHANGELOG.md") {
            continue;
        }
        let text = prose(&page);
        let words: Vec<&str> = text.split_whitespace().collect();
        for (at, _) in words.iter().enumerate().filter(|(_, word)| word.starts_with("mistakes")) {
            let before = if at > 1 && words[at - 1] == "known" { at - 2 } else { at.saturating_sub(1) };
            if let Some(count) = words[before].parse::<usize>().ok().filter(|count| *count > 100) {
                assert_eq!(count, Fault::ALL.len(), "{}", path.display());
                told += 1;
            }
        }
    }
    assert!(told >= 4, "{told}");
}

#[test]
fn the_widths_of_the_goldens_are_those_of_their_envelopes() {
    let mut folder = GoldenFolder::open(&root().join("golden")).expect("the goldens of this repository");
    // As the command does.
    folder.leave_out_programs();
    let table = block("envelopes.md", "refrast golden vary --profile vulkan14 --profile vulkan-min").lines;
    for case in folder.cases().iter().filter(|case| ["vulkan14", "vulkan-min"].contains(&case.profile.as_str())) {
        let statistics = folder.statistics(case).expect("every golden here has an envelope");
        let row =
            table.iter().map(|row| cells(row)).find(|cells| cells[..2] == [case.name.as_str(), case.profile.as_str()]);
        let row = row.unwrap_or_else(|| panic!("docs/evidence/envelopes.md has no row for {}", case.name));
        let expected = [
            "0".to_owned(),
            format!("{:.2}", statistics.mean_boxes()),
            format!("{:.2}", statistics.mean_width()),
            format!("{:.2} %", statistics.loose_share() * 100.0),
        ];
        let [outside, boxes, width, spread, loose] = row[3..] else { panic!("eight columns: {row:?}") };
        assert_eq!([outside, boxes, width, loose], expected, "{}", case.name);
        let spread: f64 = spread.parse().expect("a number");
        assert!((0.0..=statistics.mean_width()).contains(&spread), "{}: {spread}", case.name);
    }
    assert!(table.len() > folder.cases().len());
}
