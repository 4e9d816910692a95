//! The pipelines of `docs/ci/`: their shell steps run here, in a repository of their own, as their machines run them.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Output},
};

use saphyr::{LoadableYamlNode, Yaml};

use super::golden_folder::{Folder, invert};

/// A renderer that draws the case `side` as if it were `front`, and every other one right.
const RENDERER: &str = r#"#!/bin/sh
name=$(sed -n 's/^ *"name": "\(.*\)",\{0,1\}$/\1/p' "$1")
test "$name" = side && name=front
cp "$GOLDENS_OF_THE_TEST/$name.png" "$2"
"#;

/// GitHub's own command, as far as it is asked: it notes its words and the text that it is handed.
const GH: &str = r#"#!/bin/sh
echo "$@" >> "$LOG_OF_THE_TEST"
while test $# -gt 1; do test "$1" = --body-file && cat "$2" >> "$LOG_OF_THE_TEST"; shift; done
exit 0
"#;

/// A repository with four goldens, where it is pushed to, and the programs that its machines have.
struct Project {
    folder: Folder,
    variables: BTreeMap<String, String>,
}

impl Project {
    fn new() -> Self {
        let folder = Folder::with_goldens();
        folder.expect("golden new uv mannequin --size 48x64 --shading uv", 0);
        folder.expect("golden bless --yes", 0);
        let programs = folder.path("programs");
        fs::create_dir_all(&programs).unwrap();
        for (name, text) in [("my-renderer", RENDERER), ("gh", GH)] {
            fs::write(programs.join(name), text).unwrap();
            fs::set_permissions(programs.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        symlink(env!("CARGO_BIN_EXE_refrast"), programs.join("refrast")).unwrap();
        // What the machines are handed is not what is checked.
        let copy = Command::new("cp").arg("-r").arg(folder.path("golden")).arg(folder.path("programs/drawn")).status();
        assert!(copy.unwrap().success());
        let path = std::env::var("PATH").unwrap_or_default();
        let variables = [
            ("PATH", format!("{}:{path}", programs.display())),
            ("GOLDENS_OF_THE_TEST", programs.join("drawn").display().to_string()),
            ("LOG_OF_THE_TEST", folder.path("programs/log").display().to_string()),
            ("HOME", folder.path("programs").display().to_string()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value)).into();
        let project = Self { folder, variables };
        fs::write(
            project.folder.path(".gitignore"),
            "/programs\n/refrast-out\n/origin.git\n/shard*\n/report\n/table.md\n",
        )
        .unwrap();
        project.succeed(
            "git init -q -b topic . && git init -q --bare origin.git && git config user.name a && \
             git config user.email a@example.com && git remote add origin \"$PWD/origin.git\" && git add . && \
             git commit -q -m 'Goldens' && git push -q -u origin topic",
        );
        project
    }

    fn shell(&self, script: &str, variables: &BTreeMap<String, String>) -> Output {
        // As both services start it.
        let mut shell = Command::new("bash");
        shell.args(["-eo", "pipefail", "-c", script]).current_dir(self.folder.path("."));
        shell.env_clear().envs(&self.variables).envs(variables).output().expect("bash starts")
    }

    #[track_caller]
    fn succeed(&self, script: &str) -> String {
        let output = self.shell(script, &BTreeMap::new());
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}: {text}");
        text
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path("programs/log")).unwrap_or_default()
    }
}

fn root(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci").join(name)
}

fn pipeline(text: &str) -> Yaml<'_> {
    Yaml::load_from_str(text).expect("it is YAML").remove(0)
}

/// The names and values of a mapping of words; nothing where there is none.
fn words(mapping: &Yaml<'_>) -> BTreeMap<String, String> {
    let entries = mapping.as_mapping().into_iter().flatten();
    entries.map(|(name, value)| (word(name), word(value))).collect()
}

fn word(value: &Yaml<'_>) -> String {
    value.as_str().map_or_else(|| panic!("{value:?} is no word"), str::to_owned)
}

/// A mapping's value, or nothing.
fn at<'a>(mapping: &'a Yaml<'a>, name: &str) -> Option<&'a Yaml<'a>> {
    mapping.as_mapping_get(name)
}

/// What GitHub puts in the place of `${{ … }}`. An expression that is not foreseen fails the test.
fn filled(text: &str, expressions: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${{") {
        let (expression, after) = after.split_once("}}").expect("an expression ends");
        let value = expressions.iter().find(|(name, _)| *name == expression.trim());
        let (_, value) = value.unwrap_or_else(|| panic!("nobody knows {expression}"));
        filled += before;
        filled += value;
        rest = after;
    }
    filled + rest
}

/// Runs the shell steps of a job, with their names and exit codes: after a failure only those that always run.
fn run_github(project: &Project, workflow: &Yaml<'_>, job: &str, expressions: &[(&str, &str)]) -> Vec<(String, i32)> {
    let job = at(at(workflow, "jobs").expect("jobs"), job).expect("the job");
    let own = |place: &Yaml<'_>| at(place, "env").map(words).unwrap_or_default();
    let mut results = Vec::new();
    let mut failed = false;
    for step in at(job, "steps").and_then(Yaml::as_sequence).expect("steps") {
        let always = at(step, "if").is_some_and(|condition| word(condition).starts_with("always()"));
        let Some(script) = at(step, "run").filter(|_| always || !failed) else { continue };
        let mut variables = own(workflow);
        variables.extend(own(job));
        variables.extend(own(step));
        variables.values_mut().for_each(|value| *value = filled(value, expressions));
        let script = word(script);
        // Whatever a pull request calls itself stays a value, and never becomes a part of a script.
        assert!(!script.contains("${{"), "{script}");
        let output = project.shell(&script, &variables);
        let status = output.status.code().expect("it ends by itself");
        failed |= status != 0;
        let name = word(at(step, "name").expect("a step has a name"));
        println!("{name}: {status}: {}", String::from_utf8_lossy(&output.stderr));
        results.push((name, status));
    }
    results
}

fn named(results: &[(String, i32)]) -> Vec<(&str, i32)> {
    results.iter().map(|(name, status)| (name.as_str(), *status)).collect()
}

/// What is kept of a job and handed to the next.
fn keep(project: &Project, shard: usize, of: &str) {
    project.succeed(&format!("mkdir -p shards/shard-{shard} && mv {of}/report {of}/results.xml shards/shard-{shard}/"));
}

#[test]
fn the_workflow_of_github_checks_comments_and_blesses() {
    let text = fs::read_to_string(root("github.yml")).unwrap();
    let workflow = pipeline(&text);
    let project = Project::new();
    let shards = at(&workflow, "jobs").and_then(|jobs| at(at(jobs, "check")?, "strategy"));
    let shards = shards.and_then(|strategy| at(at(strategy, "matrix")?, "shard")?.as_sequence()).expect("shards");
    assert_eq!(shards.len(), 4);
    let mut statuses = Vec::new();
    for shard in 1..=4 {
        let results = run_github(&project, &workflow, "check", &[("matrix.shard", &shard.to_string())]);
        let [("Install refrast", 0), ("Build the renderer", 0), ("Check", status)] = named(&results)[..] else {
            panic!("{results:?}")
        };
        statuses.push(status);
        keep(&project, shard, "shard");
    }
    assert_eq!(statuses, [0, 1, 0, 0], "the second is side");
    let junit = fs::read_to_string(project.folder.path("shards/shard-2/results.xml")).unwrap();
    assert!(junit.contains("type=\"envelope\"") && junit.contains("name=\"metric\" value=\"envelope\""), "{junit}");

    let expressions = [
        ("github.token", "secret"),
        ("github.event.pull_request.number", "17"),
        ("github.repository", "us/it"),
        ("steps.report.outputs.artifact-url", "https://example.com/report"),
    ];
    let results = run_github(&project, &workflow, "report", &expressions);
    assert_eq!(named(&results), [("Merge", 1), ("Comment", 0)], "the check fails, and is told all the same");
    let log = project.log();
    assert!(log.starts_with("pr comment 17 --repo us/it --edit-last --create-if-none --body-file table.md\n"), "{log}");
    assert!(log.contains("**DIFFERENT**: 1 different, 0 with errors, 3 same\n"), "{log}");
    assert!(log.contains("\n| side | different | envelope: ") && log.contains("(https://example.com/report)"), "{log}");
    assert!(project.folder.path("report/index.html").exists() && !log.contains("secret"));

    // A golden that is not what is drawn, in a pull request.
    let golden = project.folder.path("golden/front.png");
    let right = fs::read(&golden).unwrap();
    invert(&golden, 1000);
    project.succeed("git commit -qam 'Another golden' && git push -q");
    let results = run_github(&project, &workflow, "bless", &expressions);
    assert_eq!(named(&results), [("Install refrast", 0), ("Bless", 0), ("Take the label back", 0)]);
    assert!(project.log().ends_with("pr edit 17 --repo us/it --remove-label bless\n"));
    assert_eq!(fs::read(&golden).unwrap(), right);
    let pushed = project.succeed("git log -1 --format=%an:%s origin/topic && git diff --stat origin/topic");
    assert_eq!(pushed, "goldens:Bless the goldens\n");
    let again = run_github(&project, &workflow, "bless", &expressions);
    assert_eq!(named(&again)[1], ("Bless", 0), "nothing to bless is no failure");
}

/// Runs the lines of a job of GitLab, those before it first, in one shell.
fn run_gitlab(project: &Project, pipeline: &Yaml<'_>, job: &str, more: &[(&str, &str)]) -> i32 {
    let lines = |place: &Yaml<'_>, name: &str| -> Vec<String> {
        at(place, name).and_then(Yaml::as_sequence).map(|lines| lines.iter().map(word).collect()).unwrap_or_default()
    };
    let mut script = lines(at(pipeline, ".refrast").expect("what jobs extend"), "before_script");
    script.extend(lines(at(pipeline, job).expect("the job"), "script"));
    let mut variables = words(at(pipeline, "variables").expect("variables"));
    variables.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let output = project.shell(&script.join("\n"), &variables);
    println!("{job}: {}", String::from_utf8_lossy(&output.stderr));
    output.status.code().expect("it ends by itself")
}

#[test]
fn the_pipeline_of_gitlab_checks_merges_and_blesses() {
    let text = fs::read_to_string(root("gitlab.yml")).unwrap();
    let pipeline = pipeline(&text);
    let project = Project::new();
    let total =
        at(at(&pipeline, "goldens").expect("the job"), "parallel").and_then(Yaml::as_integer).expect("a number");
    let statuses = (1..=total).map(|index| {
        let (index, total) = (index.to_string(), total.to_string());
        run_gitlab(&project, &pipeline, "goldens", &[("CI_NODE_INDEX", &index), ("CI_NODE_TOTAL", &total)])
    });
    assert_eq!(statuses.collect::<Vec<_>>(), [0, 1, 0, 0]);
    assert!(project.folder.path("shard-3/results.xml").exists());
    assert_eq!(run_gitlab(&project, &pipeline, "report", &[]), 1);
    let table = fs::read_to_string(project.folder.path("table.md")).unwrap();
    assert!(table.contains("\n| side | different | envelope: "), "{table}");

    let golden = project.folder.path("golden/front.png");
    let right = fs::read(&golden).unwrap();
    invert(&golden, 1000);
    project.succeed("git commit -qam 'Another golden' && git push -q");
    let head = project.succeed("git rev-parse HEAD");
    let variables = [
        ("BLESS_TOKEN", "secret"),
        ("CI_SERVER_HOST", "gitlab.example.com"),
        ("CI_PROJECT_PATH", "us/it"),
        ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "topic"),
        ("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", head.trim()),
        // The test's repository in the place of the server's.
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", &format!("url.{}.insteadOf", project.folder.path("origin.git").display())),
        ("GIT_CONFIG_VALUE_0", "https://goldens:secret@gitlab.example.com/us/it.git"),
    ];
    assert_eq!(run_gitlab(&project, &pipeline, "bless", &variables), 0);
    assert_eq!(fs::read(&golden).unwrap(), right);
    assert_eq!(project.succeed("git --git-dir origin.git log -1 --format=%an:%s topic"), "goldens:Bless the goldens\n");
}

#[test]
fn the_hook_refuses_goldens_that_are_not_what_is_drawn() {
    let project = Project::new();
    fs::copy(root("pre-commit"), project.folder.path(".git/hooks/pre-commit")).unwrap();
    let commit = |message: &str| project.shell(&format!("git commit -qm {message}"), &BTreeMap::new());
    let golden = project.folder.path("golden/front.png");
    let right = fs::read(&golden).unwrap();
    invert(&golden, 1000);
    project.succeed("git add golden");
    // What lies in the working tree is right again, but it is not what would be committed.
    fs::write(&golden, &right).unwrap();
    let refused = commit("wrong");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned() + &String::from_utf8_lossy(&refused.stdout);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("DIFFERENT: front") && said.contains("refrast golden bless --folder golden"), "{said}");
    // What it says of a report is there to be looked at.
    let page = said.lines().find_map(|line| line.strip_prefix("report: ")).expect("it names the report");
    assert!(project.folder.path(page).exists(), "{said}");
    fs::write(project.folder.path("notes.txt"), "about something else").unwrap();
    project.succeed("git add golden notes.txt");
    assert!(commit("right").status.success(), "nothing of the goldens has changed");
    project.succeed("refrast golden new joints mannequin --size 48x64 --shading joints && refrast golden bless --yes");
    project.succeed("git add golden");
    let accepted = commit("new");
    assert!(accepted.status.success(), "{}", String::from_utf8_lossy(&accepted.stderr));
    assert_eq!(project.succeed("git status --porcelain"), "");
}
