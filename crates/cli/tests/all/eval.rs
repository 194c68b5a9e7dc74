//! `heldout eval` and `heldout records` as people use them.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{Folder, LONG, SHORT, begin, fails, heldout, protocol, recorded, stdout, tree};

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_to_go_on() {
    let folder = Folder::new();
    let long = protocol(&folder, "long.toml", LONG);
    let (whole, part) = (folder.path("whole"), folder.path("part"));
    let arguments = ["eval", &long, "--policy", "a b@random", "--out", &part, "--threads", "1"];
    let child = begin(&arguments);
    while !recorded(&part) {
        std::thread::yield_now();
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let command = format!("eval {long} --policy 'a b@random' --out {part} --threads 1 --resume");
    fails(&output, 1, &["heldout: stopped after", "episodes; to go on:", &command]);
    stdout(&[&arguments[..], &["--resume"]].concat());
    stdout(&["eval", &long, "--policy", "a b@random", "--out", &whole]);
    assert!(tree(&whole) == tree(&part));
}

#[test]
fn results_are_shown_and_written_as_tables() {
    let folder = Folder::new();
    let short = protocol(&folder, "short.toml", SHORT);
    let out = folder.path("out");
    let text = stdout(&["eval", &short, "--policy", "random", "--policy", "best@oracle", "--out", &out]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 5, "{text}");
    assert!(lines[0].starts_with("task") && lines[0].ends_with("95 % interval"), "{text}");
    assert!(
        lines[2].contains("train") && lines[2].contains("best") && lines[2].contains("1.0000  0.8632 to 1.0000"),
        "{text}"
    );
    assert!(lines[4].contains("test (held out)"), "{text}");

    let one = ["eval", &short, "--policy", "best@oracle", "--out", &folder.path("json"), "--episodes", "3", "--json"];
    let value: Value = serde_json::from_str(&stdout(&one)).unwrap();
    assert_eq!((&value["episodes"], &value["of"], &value["interrupted"]), (&6.into(), &6.into(), &false.into()));
    assert_eq!(value["results"][1]["estimate"]["mean"], 1.0);
    assert_eq!(value["failures"], Value::Array(Vec::new()));

    let csv = stdout(&["records", &out, "--csv", "-"]);
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows.len(), 1 + 4 * 40);
    assert!(rows[0].starts_with(
        "protocol,task,condition,held_out,agent,policy,player,id,heldout,build,seed,episode,problem,status,metric,score,\
         weight,weighed_by,length,return,metric_"
    ));
    let start = format!("short,grid,test,true,best,oracle,oracle,example/grid-v1,{},\"", env!("CARGO_PKG_VERSION"));
    assert!(rows[1].starts_with(&start), "what holds commas is quoted: {}", rows[1]);
    assert!(rows[1].contains("\",0,0,") && rows[1].contains(",terminated,success,1,1,,"), "{}", rows[1]);
    let (file, parquet) = (folder.path("r.csv"), folder.path("r.parquet"));
    stdout(&["records", &out, "--csv", &file, "--parquet", &parquet]);
    assert_eq!(std::fs::read_to_string(file).unwrap(), csv);
    let bytes = std::fs::read(parquet).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    fails(&heldout(&["records", &folder.path("none"), "--csv", "-"]), 2, &["holds no records"]);
    fails(&heldout(&["records", &out]), 2, &["--csv"]);
}

#[test]
fn a_report_is_written_beside_the_records_and_again_on_demand() {
    let folder = Folder::new();
    let short = protocol(&folder, "short.toml", SHORT);
    let out = folder.path("out");
    let arguments = ["eval", &short, "--policy", "random", "--policy", "oracle", "--out", &out, "--threads"];
    stdout(&[&arguments[..], &["1"]].concat());
    let written = std::fs::read_to_string(Path::new(&out).join("report.html")).unwrap();
    assert!(written.contains("cannot be placed between floor and ceiling"), "without a scale nobody is judged");
    assert!(Path::new(&out).join("report.md").exists());
    // The user's own protocol may go: the directory remembers it.
    std::fs::remove_file(&short).unwrap();
    let (html, markdown) = (folder.path("again.html"), folder.path("again.md"));
    stdout(&["report", &out, "--out", &html, "--markdown", &markdown]);
    assert_eq!(std::fs::read_to_string(&html).unwrap(), written);
    assert!(std::fs::read_to_string(&markdown).unwrap().contains("One task, two conditions."));
    let short = protocol(&folder, "short.toml", SHORT);
    let other = folder.path("threads");
    stdout(&["eval", &short, "--policy", "random", "--policy", "oracle", "--out", &other, "--threads", "2"]);
    assert!(tree(&out) == tree(&other), "the same with two threads, to the byte");
    fails(&heldout(&["report", &out, "--out", &folder.path("x.txt")]), 2, &["must end in `.html`"]);
    fails(&heldout(&["report", &folder.path("none"), "--out", &html]), 2, &["holds no records"]);
    fails(&heldout(&["report", &out]), 2, &["--out"]);
    fails(&heldout(&["report", &out, "--out", &folder.path("no/such/x.html")]), 2, &["cannot write"]);
}

/// What a report says makes its records again does.
#[test]
fn the_commands_of_a_report_make_its_records_again() {
    let folder = Folder::new();
    let short = protocol(&folder, "short.toml", SHORT);
    let (out, again) = (folder.path("out"), folder.path("again"));
    let asked = ["--episodes", "7", "--seeds", "2", "--seed", "3"];
    stdout(
        &[&["eval", &short, "--policy", "random", "--policy", "the best@oracle", "--out", &out], &asked[..]].concat(),
    );
    // Of a built-in protocol too, whose finite sets are cut.
    let cut = ["eval", "smoke", "--policy", "shortcut", "--policy", "random", "--episodes", "2", "--out"];
    stdout(&[&cut[..], &[&out]].concat());
    // And of one of its tasks alone.
    let alone = ["eval", "smoke", "--policy", "oracle", "--task", "s2b", "--resume", "--episodes", "2", "--out"];
    stdout(&[&alone[..], &[&out]].concat());
    std::fs::remove_file(&short).unwrap();
    let report = std::fs::read_to_string(Path::new(&out).join("report.md")).unwrap();
    let commands: Vec<&str> = report.lines().filter(|line| line.starts_with("heldout eval ")).collect();
    assert_eq!(commands.len(), 3, "{report}");
    for command in commands {
        let command = command.replace("DIR/", &format!("{out}/")).replace(" OUT", &format!(" {again}"));
        let binary = env!("CARGO_BIN_EXE_heldout");
        let script = command.replacen("heldout", binary, 1);
        let output = Command::new("sh").args(["-c", &script]).output().expect("a shell runs");
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let records = |out: &str| tree(Path::new(out).join("records"));
    assert!(records(&out) == records(&again));
}

#[test]
fn protocols_are_listed() {
    let text = stdout(&["eval", "--list"]);
    assert!(text.starts_with("quick") && text.contains("\nsmoke"), "{text}");
    let all: Value = serde_json::from_str(&stdout(&["eval", "--list", "--json"])).unwrap();
    // Lines that begin with a space mark the protocol above them.
    assert_eq!(all.as_array().unwrap().len(), text.lines().filter(|line| !line.starts_with(' ')).count());
    assert!(text.contains("(4 tasks, 1 seed)\n") && text.contains("  ! not to be had: the category labels"), "{text}");
    let lacking = |row: &&Value| row["lacks"].is_string();
    assert_eq!(all.as_array().unwrap().iter().filter(lacking).count(), 4);
    assert_eq!(all[0]["name"], "quick");
}

#[test]
fn a_failing_task_is_listed_and_the_rest_is_recorded() {
    let folder = Folder::new();
    let text = SHORT.replacen("[[task]]", "[[task]]\nname = \"none\"\nid = \"example/gird-v1\"\nepisodes = 1\n[[task.condition]]\nname = \"train\"\nheld_out = false\n[[task]]", 1);
    let short = protocol(&folder, "short.toml", &text);
    let out = folder.path("out");
    let output = heldout(&["eval", &short, "--policy", "oracle", "--out", &out]);
    let message = "heldout: short none train, policy oracle: there is no environment `example/gird-v1`";
    fails(&output, 1, &[message, "1 combination could not be played"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 3);
    let failures: Value =
        serde_json::from_slice(&std::fs::read(Path::new(&out).join("failures.json")).unwrap()).unwrap();
    assert_eq!(failures["failures"][0]["task"], "none");
}

const DYNAMIC: &str = r#"
title = "Dynamic"
summary = "Tests made from experience."
seeds = 1
[[task]]
name = "halma"
id = "halma/symbolic-v1"
kind = { name = "halma-dynamic", experience = 100 }
episodes = 5
metric = "rho_p"
set = { mazes = 20, max_steps = 100 }
[[task.condition]]
name = "T"
held_out = false
[[task.condition]]
name = "ST-1"
held_out = true
[[task.condition]]
name = "ST-2"
held_out = true
"#;

#[test]
fn amendment_20_tests_are_made_from_the_experience_that_is_brought() {
    let folder = Folder::new();
    let (dynamic, out) = (protocol(&folder, "dynamic.toml", DYNAMIC), folder.path("out"));
    let file = folder.path("experience");
    let experience = |set: &[&str], file: &str| {
        let gather = ["halma", "experience", "--policy", "half", "--episodes", "100", "--out", file];
        stdout(&[&gather[..], set].concat());
    };
    experience(&["--set", "mazes=20", "--set", "max_steps=100"], &file);
    stdout(&["eval", &dynamic, "--policy", "mine@oracle", "--experience", &file, "--out", &out]);
    let header = |out: &str, condition: &str, label: &str| -> Value {
        let path = Path::new(out).join(format!("records/dynamic/halma/{condition}/{label}.jsonl"));
        serde_json::from_str(std::fs::read_to_string(path).unwrap().lines().next().unwrap()).unwrap()
    };
    let brought = header(&out, "ST-1", "mine");
    assert!(brought["made_from"].as_str().unwrap().contains("came with the agent (CRC-32 "), "{brought}");
    assert!(header(&out, "T", "mine").get("made_from").is_none());
    // The same tests as those of the policy whose experience it was; the report says whose, and takes them together.
    let own = folder.path("own");
    stdout(&["eval", &dynamic, "--policy", "half", "--policy", "oracle", "--out", &own]);
    assert_eq!(brought["sources"], header(&own, "ST-1", "half")["sources"]);
    assert_ne!(brought["sources"], header(&own, "ST-1", "oracle")["sources"]);
    let report = std::fs::read_to_string(Path::new(&own).join("report.md")).unwrap();
    assert!(report.contains("half: the experience of half in 100 training episodes."), "{report}");
    assert!(report.contains("ST, AfT, AnT merged"), "{report}");
    // Experience of other mazes is refused for the tests made from it; the training mazes are played.
    let foreign = folder.path("foreign");
    experience(&["--set", "mazes=21", "--set", "max_steps=100"], &foreign);
    let bring = format!("mine={foreign}");
    let output =
        heldout(&["eval", &dynamic, "--policy", "mine@oracle", "--experience", &bring, "--out", &folder.path("no")]);
    fails(
        &output,
        1,
        &["dynamic halma ST-1, policy mine: ", "made in other mazes", "2 combinations could not be played"],
    );
}

/// Statements that nobody labelled cannot be broken down by category: the report says so rather than leaving it out.
#[test]
fn amendment_37_the_report_says_which_categories_are_left_out() {
    let folder = Folder::new();
    let data = folder.path("data");
    std::fs::create_dir(&data).unwrap();
    let row = |color: &str, label: &str| {
        serde_json::json!({
            "uid": "1", "sentence": "There is a black block.", "label": label,
            "lf": "exist(filter_obj(all_items, lambda y: is_black(y)))",
            "structured_rep": [[{"x_loc": 40, "y_loc": 80, "type": "square", "color": color, "size": 20}], [], []],
        })
    };
    let rows = serde_json::json!({"a": row("Black", "true"), "b": row("Yellow", "false")});
    std::fs::write(Path::new(&data).join("tower_flipit_dev.json"), rows.to_string()).unwrap();
    let text = format!(
        "title = \"Words\"\nsummary = \"By category.\"\nseeds = 1\n[[task]]\nname = \"flip\"\n\
         id = \"lilgym/tower-flipit-v1\"\nkind = \"problems\"\nmetric = \"success\"\ntags = [\"by-category\", \"by-target\"]\n\
         set = {{ data = '{data}', split = \"dev\", observation = \"objects\" }}\n\
         [[task.condition]]\nname = \"dev\"\nheld_out = true\n"
    );
    let (words, out) = (protocol(&folder, "words.toml", &text), folder.path("out"));
    stdout(&["eval", &words, "--policy", "oracle", "--out", &out]);
    let report = || std::fs::read_to_string(Path::new(&out).join("report.md")).unwrap();
    let told = report();
    let left_out = |text: &str| text.lines().filter(|line| line.contains("left out: ")).map(str::to_owned).collect();
    let lines: Vec<String> = left_out(&told);
    assert!(lines.len() == 1 && lines[0].contains("by-category") && lines[0].contains("no labels"), "{lines:?}");
    assert!(told.contains("target=true"), "{told}");
    // Nor can it be where the data have gone since.
    std::fs::remove_dir_all(&data).unwrap();
    let again = folder.path("again.html");
    stdout(&["report", &out, "--out", &again]);
    let page = std::fs::read_to_string(&again).unwrap();
    let lines: Vec<&str> = page.split("<tr>").filter(|row| row.contains("left out: ")).collect();
    assert!(lines.len() == 2 && lines.iter().all(|line| line.contains("the data are not at hand")), "{lines:?}");
}

#[test]
fn bad_input_is_refused_by_name() {
    let folder = Folder::new();
    let out = folder.path("out");
    let eval = |more: &[&str]| heldout(&[&["eval"], more, &["--out", &out]].concat());
    fails(&eval(&["quik", "--policy", "random"]), 2, &["there is no protocol `quik`; there are `quick`"]);
    fails(&eval(&["smoke", "--policy", "best"]), 2, &["no environment has a policy `best`"]);
    fails(
        &eval(&["smoke", "--policy", "x/y.mpk"]),
        2,
        &["cannot play the checkpoint `x/y.mpk`: `x/y.mpk`: holds no run", "`oracle`"],
    );
    fails(&eval(&["smoke", "--policy", "random", "--seeds", "0"]), 2, &["`seeds` is `0`, must be 1 to 1000"]);
    fails(&eval(&["smoke", "--policy", "random", "--threads", "0"]), 2, &["`threads` is `0`, must be 1 to 1024"]);
    fails(&eval(&["smoke", "smoke", "--policy", "random"]), 2, &["`smoke` and `smoke` would share their records"]);
    let bad = protocol(&folder, "bad.toml", &SHORT.replacen("metric", "metrik", 1));
    fails(
        &eval(&[&bad, "--policy", "random"]),
        2,
        &["bad.toml`: `task[0].metrik`: unknown field `metrik`, expected one of"],
    );
    let experience = |more: &[&str]| eval(&[&["smoke", "--policy", "random", "--policy", "a@oracle"], more].concat());
    let told = "must be `LABEL=FILE` with one of `random`, `a`";
    fails(&experience(&["--experience", "x"]), 2, &["`--experience` is `x`", told]);
    fails(&experience(&["--experience", "b=x"]), 2, &["`--experience` is `b=x`", told]);
    let missing = folder.path("missing");
    fails(&experience(&["--experience", &format!("a={missing}")]), 2, &["which cannot be read"]);
    let twice = format!("a={bad}");
    fails(&experience(&["--experience", &twice, "--experience", &twice]), 2, &["is told twice for `a`"]);
    assert!(!Path::new(&out).exists());

    // A directory that cannot be written: below a file, as nobody is stopped from by who they are.
    let file = protocol(&folder, "file", "mine");
    let short = protocol(&folder, "short.toml", SHORT);
    let below = format!("{file}/out");
    fails(&heldout(&["eval", &short, "--policy", "random", "--out", &below]), 2, &["cannot write", &below]);
    assert_eq!(std::fs::read(&file).unwrap(), b"mine");

    stdout(&["eval", &short, "--policy", "random", "--out", &out]);
    let before = tree(&out);
    fails(&eval(&[&short, "--policy", "random"]), 2, &["random.jsonl` is already there: continue it with `--resume`"]);
    let resume = |more: &[&str]| eval(&[&[short.as_str(), "--resume"], more].concat());
    fails(&resume(&["--policy", "random", "--seed", "9"]), 2, &["`seeds` = `[0]`, this evaluation has `[9]`"]);
    fails(&resume(&["--policy", "random@oracle"]), 2, &["`policy` = `\"random\"`, this evaluation has `\"oracle\"`"]);
    assert!(before == tree(&out));
    let path = Path::new(&out).join("records/short/grid/test/random.jsonl");
    for (bytes, message) in [
        (&b""[..], "is empty, must begin with a header"),
        (b"not,ours\n", "is not a file of records"),
        (
            &[before[Path::new("records/short/grid/test/random.jsonl")].as_slice(), b"x\n"].concat(),
            "is damaged in line 42",
        ),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let damaged = tree(&out);
        fails(&resume(&["--policy", "random"]), 2, &["test/random.jsonl`", message]);
        assert!(damaged == tree(&out), "{message}");
    }
}

/// Floors and ceilings are measured by the scripted policies themselves, the same with any number of threads.
#[test]
fn scales_are_measured_and_written() {
    let folder = Folder::new();
    let file = folder.path("mine.toml");
    let protocol = r#"
title = "Grid"
summary = "A walk."
seeds = 1
condition = [
  { name = "train", held_out = false, set = { split = "train" } },
  { name = "test", held_out = true, set = { split = "heldout" } },
]
[[task]]
name = "grid"
id = "example/grid-v1"
episodes = 10
metric = "success"
"#;
    std::fs::write(&file, protocol).unwrap();
    let measure = |out: &str, threads: &str| {
        let markdown = folder.path("table.md");
        let arguments = ["scales", &file, "--out", out, "--episodes", "40", "--threads", threads];
        let text = stdout(&[&arguments[..], &["--markdown", &markdown]].concat());
        assert_eq!(std::fs::read_to_string(markdown).unwrap(), text);
        (text, std::fs::read_to_string(Path::new(out).join("mine.scales.toml")).unwrap())
    };
    let (text, scales) = measure(&folder.path("one"), "1");
    assert_eq!((text.clone(), scales.clone()), measure(&folder.path("two"), "2"));
    assert!(text.contains("| task | condition | metric | `random` |"), "{text}");
    let oracle: Vec<&str> = text.lines().filter(|line| line.contains("| 1.0000 ± ")).collect();
    assert_eq!(oracle.len(), 2, "the oracle always arrives: {text}");
    assert!(scales.contains("protocol = \"mine\"") && scales.contains("episodes = 40"), "{scales}");
    let again = heldout(&["scales", &file, "--out", &folder.path("one"), "--episodes", "40"]);
    fails(&again, 2, &["already there", "--resume"]);
    // Another metric has a row below each, and no scale.
    let resumed = ["scales", &file, "--out", &folder.path("one"), "--episodes", "40", "--resume", "--also", "length"];
    let both = stdout(&resumed);
    let cells = |line: &str| line.split(" | ").take(3).map(str::to_owned).collect::<Vec<_>>();
    let rows: Vec<_> = both.lines().filter(|line| line.starts_with("| grid ")).map(cells).collect();
    let expected = [("train", "`success`"), ("train", "`length`"), ("test", "`success`"), ("test", "`length`")];
    assert_eq!(rows, expected.map(|(condition, metric)| ["| grid", condition, metric].map(str::to_owned).to_vec()));
    assert!(text.lines().all(|line| line.contains("Made by") || both.contains(line)), "{both}");
    assert!(both.contains("mine.toml --also length --episodes 40 --out DIR --markdown FILE`"), "{both}");
    assert_eq!(std::fs::read_to_string(Path::new(&folder.path("one")).join("mine.scales.toml")).unwrap(), scales);
    let unknown = heldout(&["scales", &file, "--out", &folder.path("three"), "--also", "lenght"]);
    fails(&unknown, 2, &["`--also` is `lenght`, must be a metric of a task: ", "length"]);
}

/// `--policy shortcut` is whoever the scale of the condition says the floor is, by name in the record.
#[test]
fn shortcut_plays_the_floor_of_each_condition() {
    let folder = Folder::new();
    let dynamic = protocol(&folder, "dynamic.toml", DYNAMIC);
    let (measured, out) = (folder.path("measured"), folder.path("out"));
    let refused = heldout(&["eval", &dynamic, "--policy", "shortcut", "--out", &folder.path("none")]);
    fails(&refused, 1, &["`shortcut` plays the floor of a scale", "`heldout scales` measures it"]);
    // Who names nobody is not refused for it.
    let unmeasured = folder.path("unmeasured");
    let said = heldout(&["eval", &dynamic, "--episodes", "2", "--out", &unmeasured]);
    assert_eq!(said.status.code(), Some(0), "{said:?}");
    let played =
        |out: &str, agent: &str| Path::new(out).join(format!("records/dynamic/halma/T/{agent}.jsonl")).exists();
    assert_eq!(["random", "shortcut", "oracle"].map(|agent| played(&unmeasured, agent)), [true, false, true]);
    stdout(&["scales", &dynamic, "--out", &measured, "--episodes", "12"]);
    std::fs::copy(Path::new(&measured).join("dynamic.scales.toml"), folder.path("dynamic.scales.toml")).unwrap();
    stdout(&["eval", &dynamic, "--policy", "shortcut", "--out", &out]);
    let policy = |out: &str, label: &str| -> Value {
        let path = Path::new(out).join(format!("records/dynamic/halma/T/{label}.jsonl"));
        let text = std::fs::read_to_string(path).unwrap();
        serde_json::from_str::<Value>(text.lines().next().unwrap()).unwrap()["policy"].clone()
    };
    // The best of those that lack the ability: on training mazes both shortcuts are far above random play.
    let floor = policy(&out, "shortcut");
    assert!(floor == "stepper" || floor == "ignorer", "{floor}");
    let text = std::fs::read_to_string(folder.path("dynamic.scales.toml")).unwrap();
    assert!(text.contains(&format!("policy = {floor}")), "{text}");
    std::fs::write(folder.path("dynamic.scales.toml"), "protocol = 3").unwrap();
    let broken = heldout(&["eval", &dynamic, "--policy", "shortcut", "--out", &folder.path("broken")]);
    fails(&broken, 2, &["dynamic.scales.toml`: "]);
}
