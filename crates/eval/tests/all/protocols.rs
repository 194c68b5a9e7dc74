//! The built-in protocols are sound, and what is wrong in a protocol is said with file, key, value and what is allowed.

use heldout_envs::FAMILIES;
use heldout_eval::protocol::{Protocol, built_in, names};

#[test]
fn every_file_is_built_in_and_read() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = FAMILIES.iter().map(|family| root.join(family.folder)).chain([root.join("eval")]);
    let files = folders.filter_map(|folder| std::fs::read_dir(folder.join("protocols")).ok()).flatten();
    let files = files.map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned());
    let (scales, mut files): (Vec<String>, Vec<String>) = files.partition(|stem| stem.ends_with(".scales"));
    files.sort();
    for name in scales.iter().filter_map(|stem| stem.strip_suffix(".scales")) {
        assert!(Protocol::find(name).unwrap().scales.is_some(), "the scales of {name} are not built in");
    }
    let mut known: Vec<&str> = names().collect();
    known.sort_unstable();
    assert_eq!(files, known);
    for (name, _) in built_in() {
        let protocol = Protocol::find(name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(protocol.name, name);
        // Every family but those of one condition asks for something held out.
        assert!(protocol.tasks.iter().flat_map(|t| &t.conditions).any(|c| c.held_out), "{name}");
    }
    for name in ["quick", "smoke"] {
        let protocol = Protocol::find(name).unwrap();
        assert_eq!(protocol.paper, None);
        for family in FAMILIES.iter().filter(|family| !family.published.is_empty()) {
            let own = |id: &str| family.entry(id).is_some();
            assert!(protocol.tasks.iter().any(|t| own(&t.id)), "{name} lacks {}", family.name);
        }
    }
}

/// A protocol with all that a test may break.
const SOUND: &str = r#"
title = "A title"
summary = "A summary."
seeds = 2
[[task]]
name = "grid"
id = "example/grid-v1"
episodes = 3
metric = "success"
set = { levels = 4 }
tags = ["plain"]
[[task.condition]]
name = "train"
held_out = false
[[task.condition]]
name = "test"
held_out = true
set = { levels = 5 }
[[claim]]
text = "It falls"
source = "Table 1"
[[claim.comparison]]
test = "falls"
agent = "A"
task = "grid"
over = ["train", "test"]
[[claim]]
text = "A above B"
source = "Table 1"
[[claim.comparison]]
test = "above"
condition = "train"
left = { agent = "A", tag = "plain" }
right = { agent = ["B", "C"], task = "*" }
"#;

#[test]
fn a_condition_lies_over_its_task() {
    let protocol = Protocol::parse("mine", "mine.toml", SOUND).unwrap();
    let task = protocol.task("grid").unwrap();
    let levels = |name: &str| task.overrides(task.condition(name).unwrap())["levels"].clone();
    assert_eq!((levels("train"), levels("test")), (4.into(), 5.into()));
}

#[test]
fn errors_name_file_key_value_and_what_is_allowed() {
    let broken = [
        ("seeds = 2", "seeds = 2\nscales = \"memry\"", "`mine.toml`: `scales` is `memry`, must be one of `quick`"),
        ("seeds = 2", "seeds = 0", "`mine.toml`: `seeds` is `0`, must be 1 to 1000"),
        ("seeds = 2", "seeds = 2\nseed = 3", "`mine.toml`: `seed`: unknown field `seed`, expected one of `title`"),
        ("episodes = 3", "episodes = \"3\"", "`mine.toml`: `task[0].episodes`: invalid type: string \"3\""),
        ("episodes = 3", "epsiodes = 3", "`task[0].epsiodes`: unknown field `epsiodes`, expected one of `name`, `id`"),
        ("episodes = 3", "", "`task `grid`: episodes` is `absent`, must be 1 to 10000000 of kind `episodes`"),
        (
            "episodes = 3",
            "episodes = 3\nkind = \"problems\"",
            "must be absent: kind `problems` plays every problem once",
        ),
        (
            "episodes = 3",
            "episodes = 3\nkind = \"all\"",
            "`task[0].kind`: must be one of `episodes`, `problems`, `halma-dynamic`, `s2b-language`",
        ),
        ("episodes = 3", "episodes = 3\nkind = { name = \"problems\", many = 1 }", "`task[0].kind`: must be one of"),
        (
            "episodes = 3",
            "kind = { name = \"halma-dynamic\", experience = 0 }",
            "`task `grid`: kind.experience` is `0`, must be 1 to 10000000",
        ),
        (
            "episodes = 3",
            "kind = \"halma-dynamic\"",
            "condition `train`: name` is `train`, must be one of `T`, `RT`, `ST-1`",
        ),
        ("episodes = 3", "episodes = 3\nfloor = 0.0", "`task[0].floor`: unknown field `floor`, expected one of `name`"),
        ("episodes = 3", "episodes = 3\nhuman_scale = true", "random, human` is `None, None`, must be two numbers"),
        (
            "held_out = true",
            "held_out = true\nrandom = 1.0\nhuman = 3.0",
            "random, human` is `there`, must be absent without `human_scale = true`",
        ),
        ("name = \"test\"", "name = \"train\"", "condition.name` is `train`, must not be the name of an earlier one"),
        (
            "name = \"test\"",
            "name = \"../x\"",
            "condition.name` is `../x`, must be 1 to 100 letters, digits, `-` or `_`",
        ),
        ("levels = 4", "levels = inf", "`task[0].set.levels`: `inf` is not a finite number"),
        ("held_out = true", "held_out = true\nhuman = 3.0", "random, human` is `None, Some(3.0)`, must be two numbers"),
        (
            "over = [\"train\", \"test\"]",
            "over = [\"train\"]",
            "`claim[0].comparison[0].over` is `[\"train\"]`, must list at least two conditions or tasks",
        ),
        (
            "over = [\"train\", \"test\"]",
            "over = [\"train\", \"x\"]",
            "`claim[0].comparison[0].condition` is `x`, must be one of `test`, `train`",
        ),
        (
            "over = [\"train\", \"test\"]",
            "over = [\"train\", \"test\"]\ncondition = \"train\"",
            "`claim[0].comparison[0].task` is `[\"grid\"]`, must be absent where `over` lists tasks",
        ),
        (
            "task = \"*\"",
            "task = \"gird\"",
            "`claim[1].comparison[0].right.task, tag` is `gird`, must be a task of the protocol",
        ),
        (
            "test = \"above\"",
            "test = \"near\"",
            "`claim[1].comparison[0].margin` is `None`, must be above 0 with `near`",
        ),
        ("test = \"above\"", "test = \"above\"\nmargin = 0.1", "margin` is `Some(0.1)`, must be above 0 with `near`"),
        ("test = \"above\"", "test = \"over\"", "`claim[1].comparison[0].test`: unknown variant `over`"),
        ("test = \"above\"", "test = \"rises\"", "`claim[1].comparison[0].left` is `there`, must be absent with this"),
        (
            "test = \"falls\"",
            "test = \"fails\"\nmargin = 0.1",
            "`claim[0].comparison[0].over` is `[\"train\", \"test\"]`, must be absent with this",
        ),
        (
            "condition = \"train\"\nleft",
            "condition = \"train\"\nagent = \"A\"\nleft",
            "`claim[1].comparison[0].agent` is `[\"A\"]`, must be absent where `left` has its own",
        ),
        ("condition = \"train\"\nleft", "left", "`claim[1].comparison[0].left.condition` is ``, must be one of"),
        ("agent = [\"B\", \"C\"], ", "", "`claim[1].comparison[0].right.agent` is `absent`, must be there"),
        ("agent = \"A\"\n", "agent = 3\n", "a string or a list of strings"),
        (
            "text = \"A above B\"",
            "text = \"It falls\"",
            "`claim[1].text` is `It falls`, must not be that of an earlier",
        ),
        ("seeds = 2", "seeds = 2\nneeds = \"all\"", "unknown field `needs`"),
        ("source = \"Table 1\"", "source = \"Table 1\"\nneeds = \"some\"", "one of `all`, `tested`, `most`, `any`"),
        ("title = \"A title\"", "title = ", "`mine.toml` is not TOML"),
    ];
    for (from, to, message) in broken {
        assert!(SOUND.contains(from), "{from}");
        let text = SOUND.replacen(from, to, 1);
        let error = Protocol::parse("mine", "mine.toml", &text).expect_err(to).to_string();
        assert!(error.contains(message), "{error}\n  must contain\n{message}");
    }
}

#[test]
fn names_and_paths_are_told_apart() {
    let unknown = Protocol::find("quik").unwrap_err().to_string();
    assert!(unknown.contains("there is no protocol `quik`; there are `quick`, `smoke`"), "{unknown}");
    let absent = Protocol::find("no/such.toml").unwrap_err().to_string();
    assert!(absent.contains("cannot read `no/such.toml`"), "{absent}");
}

#[test]
fn no_claim_stands_twice() {
    // A protocol that asks the claims of another names it and has no copy of them.
    const ASKED_AGAIN: [(&str, &[&str]); 1] = [("memory-mini", &["memory", "memory-jb"])];
    let mut seen: Vec<(String, &str)> = Vec::new();
    for (name, _) in built_in().filter(|(name, _)| !ASKED_AGAIN.iter().any(|(again, _)| again == name)) {
        for claim in Protocol::find(name).unwrap().claims {
            let before = seen.iter().find(|(text, _)| *text == claim.text);
            assert!(before.is_none(), "`{}` stands in {name} and in {}", claim.text, before.unwrap().1);
            assert!(
                claim.source.contains("ection")
                    || claim.source.contains("ppendix")
                    || claim.source.contains("A.")
                    || claim.source.contains("Table"),
                "{name}: `{}` says not where",
                claim.source
            );
            seen.push((claim.text, name));
        }
    }
    assert!(seen.len() > 50, "{} claims", seen.len());
    for (again, of) in ASKED_AGAIN {
        let claims: Vec<_> = of.iter().flat_map(|name| Protocol::find(name).unwrap().claims).collect();
        assert_eq!(Protocol::find(again).unwrap().claims, claims);
    }
    // Names and claims may stand in one list.
    let begin = SOUND.find("[[claim]]").unwrap();
    let list = format!("claim = [\"memory-jb\", {}]", r#"{ text = "own", source = "here", comparison = [] }"#);
    let mixed = SOUND[..begin].replace("seeds = 2", &format!("seeds = 2\n{list}"));
    let error = Protocol::parse("mine", "mine.toml", &mixed).unwrap_err().to_string();
    assert!(error.contains("claim[0]") || error.contains("claim[2]"), "{error}");
    let other = SOUND[..SOUND.find("[[claim]]").unwrap()].replace("seeds = 2", "seeds = 2\nclaim = \"memry\"");
    let error = Protocol::parse("mine", "mine.toml", &other).unwrap_err().to_string();
    assert!(error.contains("`claim`: is `memry`, must be a list of claims or one of `quick`"), "{error}");
}
