//! What only HALMA has: experience, the tests made from it, concepts, and statistics of panels.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use heldout_core::{Argument, Call, Command, CommandError, Said, Seed};
use serde_json::{Map, Value, json};

use crate::concepts::{LARGEST_DIGIT, afforded, caused, seen};
use crate::config::{Settings, SymbolicConfig};
use crate::dynamic_tests::{Candidates, Knowledge, TestConfig, dynamic_tests};
use crate::experience::{CountRules, Experience};
use crate::generate::maze_set;
use crate::kind::{EXPLORER, Gathering, MOST_EPISODES, MOST_MAZES};
use crate::maze::{Cell, Direction, Maze, written};
use crate::observation::{DIGITS, Entries};
use crate::option::{Move, parses};
use crate::problems::MOST_TARGETS;
use crate::stats::{PanelCounts, log_linearity, mean_and_deviation};
use crate::trials::Trials;

/// The id that commands take unless told.
const ID: &str = "halma/symbolic-v1";
const fn seed(about: &'static str) -> Argument {
    Argument::option("seed", "SEED", about).or("0")
}
const fn out(value: &'static str, about: &'static str) -> Argument {
    Argument::option("out", value, about).required()
}

pub(crate) static COMMANDS: [Command; 4] = [
    Command {
        path: ["halma", "experience"],
        about: "Plays a policy and writes what it experienced",
        arguments: &[
            Argument::positional("id", "ID", "Which environment").or(ID),
            Argument::option("policy", "POLICY", "Which policy").or(EXPLORER),
            Argument::option("episodes", "N", "How many episodes: by default 20 passes over 100 mazes").or("2000"),
            seed("Root of every episode's seed"),
            Argument::option("add", "FILE", "Experience to begin with"),
            out("FILE", "The file to write"),
        ],
        settings: true,
        run: gather,
    },
    Command {
        path: ["halma", "tests"],
        about: "Makes the dynamic tests that an experience leads to: one file of problems for each that is not empty",
        arguments: &[
            Argument::option("experience", "FILE", "Experience of one agent; several files are added up")
                .many()
                .required(),
            out("FOLDER", "The folder to write to"),
            seed("Chooses among the problems that fit"),
            Argument::option("n-test-mazes", "N", "Mazes of each test").or("150"),
            Argument::option("th-s", "N", "Sightings from which on a relation is known").or("20"),
            Argument::option("th-c", "N", "Occurrences from which on a caused relation is known").or("20"),
            Argument::option("th-a", "N", "Consumptions from which on a digit's affordance is known").or("5"),
            Argument::option("strict-novelty", "BOOL", "Whether a relation is new only if it was never acted on")
                .or("true"),
            Argument::option("st1-max-count", "N", "How often the company of a relation in ST-1 may have been met")
                .or("0"),
            Argument::option("targets", "N", "How many relations one maze asks for, if they fit").or("1"),
        ],
        settings: false,
        run: tests,
    },
    Command {
        path: ["halma", "concepts"],
        about: "Lists the parses of a displacement and the relations in a panel",
        arguments: &[
            Argument::option("moves", "K", "A displacement, whose parses are listed"),
            Argument::option("maze", "NUMBER", "A maze, the relations in one of whose panels are listed"),
            Argument::option("cell", "X,Y", "The cell of the panel, from the lower left corner; by default the start"),
        ],
        settings: true,
        run: concepts,
    },
    Command {
        path: ["halma", "stats"],
        about: "Prints the statistics of panels (Fig. S5)",
        arguments: &[Argument::option("sets", "N", "Number of sets, each of a seed of its own").or("10")],
        settings: true,
        run: stats,
    },
];

fn read(path: &Path) -> Result<Vec<u8>, CommandError> {
    heldout_files::read(path, heldout_files::DATA)
        .map_err(|error| format!("cannot read `{}`: {error}", path.display()).into())
}

/// Reads experience from files, added up.
fn read_experience(paths: &[String]) -> Result<Experience, CommandError> {
    let named = |path: &str, error: &dyn std::fmt::Display| format!("`{path}`: {error}");
    let one = |path: &String| -> Result<Experience, CommandError> {
        Ok(Experience::from_bytes(&read(Path::new(path))?).map_err(|e| named(path, &e))?)
    };
    let [first, rest @ ..] = paths else { return Err("no experience is named".into()) };
    let mut sum = one(first)?;
    for path in rest {
        sum.merge(&one(path)?).map_err(|e| named(path, &e))?;
    }
    Ok(sum)
}

fn gather(call: &mut Call<'_>) -> Result<Said, CommandError> {
    let entry = (call.find)(call.needed("id")?)?;
    let episodes = call.count("episodes", 0..=MOST_EPISODES)?;
    let seed = call.count("seed", 0..=u64::MAX)?;
    let before = call.text("add").map(|path| read(Path::new(path))).transpose()?;
    let out = PathBuf::from(call.needed("out")?);
    let policy = call.needed("policy")?.to_owned();
    call.host.begin(episodes, "episodes");
    let (overrides, before) = (&call.overrides, before.as_deref());
    let gathering = Gathering { entry, overrides, policy: &policy, episodes, seed, before, stop: &|| false };
    let experience = gathering.play(|| call.host.tick());
    call.host.end();
    call.host.write(&out, &experience?)?;
    let (id, file) = (entry.id(), out.display().to_string());
    let json = json!({"id": id, "policy": policy, "episodes": episodes, "seed": seed, "file": file});
    Ok(Said { text: String::new(), json, failed: false })
}

fn tests(call: &mut Call<'_>) -> Result<Said, CommandError> {
    let count = |name: &str| call.count(name, 0..=u64::from(u32::MAX)).map(|n| n as u32);
    let config = TestConfig {
        th_s: count("th-s")?,
        th_c: count("th-c")?,
        th_a: count("th-a")?,
        strict_novelty: match call.needed("strict-novelty")? {
            "true" => true,
            "false" => false,
            other => return Err(format!("`--strict-novelty` is `{other}`, must be `true` or `false`").into()),
        },
        st1_max_count: count("st1-max-count")?,
        n_test_mazes: call.count("n-test-mazes", 1..=MOST_MAZES)? as u32,
        targets: call.count("targets", 1..=MOST_TARGETS as u64)? as u32,
    };
    let seed = call.count("seed", 0..=u64::MAX)?;
    let experience = read_experience(call.all("experience"))?;
    let out = PathBuf::from(call.needed("out")?);
    let knowledge = Knowledge::of(&experience, &config);
    let candidates = Candidates::of(&knowledge);
    std::fs::create_dir_all(&out).map_err(|error| format!("cannot make `{}`: {error}", out.display()))?;
    let mut rows = Vec::new();
    for (class, set) in dynamic_tests(&experience, &config, Seed(seed)) {
        let path = out.join(format!("{}.json", class.name()));
        let foreign =
            set.as_ref().map_or(0, |set| set.problems.iter().map(|problem| u64::from(problem.foreign)).sum::<u64>());
        if let Some(set) = &set {
            call.host.write(&path, set.to_json().as_bytes())?;
        } else if path.exists() {
            // A file of an earlier run would be taken for a test of this experience.
            std::fs::remove_file(&path).map_err(|error| format!("cannot remove `{}`: {error}", path.display()))?;
        }
        let mazes = set.as_ref().map(|set| set.problems.len());
        let file = mazes.map(|_| path.display().to_string());
        rows.push((class, candidates.of_class(class), mazes, foreign, file));
    }
    let tests: Map<String, Value> = rows
        .iter()
        .map(|(class, relations, mazes, foreign, file)| {
            let relations: Vec<String> = relations.iter().map(ToString::to_string).collect();
            let row = json!({"relations": relations, "mazes": mazes, "foreign": foreign, "file": file});
            (class.name().to_owned(), row)
        })
        .collect();
    let mut text = format!(
        "known: {} relations seen, {} caused, {} afforded\n\n{:6} {:>9} {:>10} {:>8}  file\n",
        knowledge.seen.len(),
        knowledge.caused.len(),
        knowledge.afforded.len(),
        "test",
        "relations",
        "mazes",
        "foreign"
    );
    for (class, relations, mazes, foreign, file) in rows {
        let or_dash = |known: Option<String>| known.unwrap_or_else(|| "-".to_owned());
        // Where there is something to ask for, mazes that could not be built are missing, not left out.
        let built = (!relations.is_empty()).then(|| match (mazes.unwrap_or(0), config.n_test_mazes) {
            (n, asked) if n < asked as usize => format!("{n} of {asked}"),
            (n, _) => n.to_string(),
        });
        let _ = writeln!(
            text,
            "{:6} {:>9} {:>10} {:>8}  {}",
            class.name(),
            relations.len(),
            or_dash(built),
            or_dash(mazes.map(|_| foreign.to_string())),
            or_dash(file)
        );
    }
    let json = json!({"seed": seed, "config": config, "tests": tests});
    Ok(Said { text, json, failed: false })
}

fn cell(text: &str) -> Result<Cell, CommandError> {
    let place = text.split_once(',').and_then(|(x, y)| Cell::new(x.trim().parse().ok()?, y.trim().parse().ok()?));
    place.ok_or_else(|| format!("`--cell` is `{text}`, must be `X,Y`, each 0 to 9").into())
}

/// The task that the overrides stand for in the symbolic environment.
fn settings(call: &Call<'_>) -> Result<Settings, CommandError> {
    let config: SymbolicConfig = serde_json::from_value((call.find)(ID)?.configure(&call.overrides)?)?;
    let settings = config.settings();
    settings.check()?;
    Ok(settings)
}

fn concepts(call: &mut Call<'_>) -> Result<Said, CommandError> {
    let settings = settings(call)?;
    let cell = call.text("cell").map(cell).transpose()?;
    let mut text = String::new();
    // Beyond the longest corridor a displacement has no use, and its parses no end.
    let moves = call.number("moves", 0..=u64::from(LARGEST_DIGIT))?;
    if let Some(moves) = moves {
        let all = parses(moves as u32, settings.max_opt_len);
        let _ = writeln!(text, "{moves} moves by at most {} primitives: {} parses", settings.max_opt_len, all.len());
        for parse in all {
            let parse: Vec<String> = parse.iter().map(ToString::to_string).collect();
            let _ = writeln!(text, "  {}", if parse.is_empty() { "0".to_owned() } else { parse.join(" ") });
        }
    }
    let number = call.number("maze", 0..=u64::from(u32::MAX))?;
    if let Some(number) = number {
        let rules = settings.count_rules();
        let mazes = Trials::new(settings)?.mazes;
        let maze = mazes
            .get(number as usize)
            .ok_or_else(|| format!("`--maze` is `{number}`, must be 0 to {}", mazes.len() - 1))?;
        let cell = cell.unwrap_or_else(|| maze.start());
        if !maze.is_open(cell) {
            return Err(format!("`--cell` is `{},{}`, must be a cell of maze {number}", cell.x(), cell.y()).into());
        }
        describe(&mut text, maze, cell, rules);
    }
    if moves.is_none() && number.is_none() {
        return Err("name a displacement by `--moves`, or a panel by `--maze`".into());
    }
    let json = json!({"lines": text.lines().collect::<Vec<_>>()});
    Ok(Said { text, json, failed: false })
}

/// Writes the entries of a panel and the relations that hold in it.
fn describe(text: &mut String, maze: &Maze, cell: Cell, rules: CountRules) {
    let ways = maze.ways();
    let entries = Entries::of(maze, &ways, cell);
    let _ = writeln!(text, "path {} from {},{}", written(maze.shape()), maze.start().x(), maze.start().y());
    let _ = writeln!(text, "cell {},{}", cell.x(), cell.y());
    for d in Direction::ALL {
        let _ = writeln!(text, "  {} wall {}, crossing {}", d.letter(), entries.wall(d), entries.crossing(d));
    }
    let (right, up) = entries.goal();
    let hint = entries.hint().map_or('-', Direction::letter);
    let _ = writeln!(text, "  goal {right} right, {up} up; hint {hint}; {} of {DIGITS} digits shown", entries.digits());
    let relations = |all: Vec<String>| if all.is_empty() { "-".to_owned() } else { all.join(" ") };
    let _ = writeln!(text, "S, seen: {}", relations(seen(&entries).map(|r| r.to_string()).collect()));
    for direction in Direction::ALL {
        for length in 1..=entries.wall(direction) {
            let action = Move { direction, length: length as u8 };
            let Some(to) = cell.moved(direction, length) else { continue };
            let after = Entries::of(maze, &ways, to);
            let caused = caused(&entries, action, &after, rules.caused).map(|r| r.to_string()).collect();
            let consumed = afforded(&entries, action, &after, rules.afforded);
            let consumed = consumed.map(|(digit, d)| format!("{digit}{}", d.letter())).collect();
            let _ = writeln!(
                text,
                "{}{length}: A, consumed: {}; C, caused: {}",
                direction.letter(),
                relations(consumed),
                relations(caused)
            );
        }
    }
}

fn stats(call: &mut Call<'_>) -> Result<Said, CommandError> {
    let sets = call.count("sets", 1..=1_000)?;
    let settings = settings(call)?;
    if let Some(problems) = &settings.problems {
        let problem = format!("`problems` is `{problems}`, must be null: statistics are of sets of generated mazes");
        return Err(problem.into());
    }
    call.host.begin(sets, "sets");
    let all: Vec<PanelCounts> = (0..sets)
        .map(|i| {
            call.host.tick();
            let seed = Seed(settings.maze_seed.wrapping_add(i));
            PanelCounts::of(&maze_set(&settings.law(), settings.split, settings.mazes, seed))
        })
        .collect();
    call.host.end();
    let over = |count: &dyn Fn(&PanelCounts) -> f64| {
        let values: Vec<f64> = all.iter().map(count).collect();
        mean_and_deviation(values.iter().copied())
    };
    let colours = ["red", "orange", "yellow", "green", "cyan", "blue", "purple", "white"];
    let mut rows: Vec<(String, (f64, f64))> = vec![("panels".to_owned(), over(&|s| f64::from(s.panels)))];
    for (i, colour) in colours.into_iter().enumerate() {
        rows.push((format!("colour {colour}"), over(&|s| f64::from(s.colours[i / 4][i % 4]))));
    }
    for n in 0..=DIGITS {
        rows.push((format!("panels with {n} digits"), over(&|s| f64::from(s.digits_in_panel[n]))));
    }
    for digit in 1..10 {
        rows.push((format!("digit {digit}"), over(&|s| f64::from(s.digits[digit]))));
    }
    rows.push(("share of panels with 3 to 6 digits".to_owned(), over(&PanelCounts::share_of_three_to_six)));
    rows.push(("largest deviation of a colour".to_owned(), over(&PanelCounts::colour_deviation)));
    let means: Vec<f64> = (1..10).map(|d| over(&|s| f64::from(s.digits[d])).0).collect();
    // There is none where a digit never occurs.
    let linearity = Some(log_linearity(&means)).filter(|l| l.is_finite());
    let mut text =
        format!("{:36} {:>10} {:>10}\n", format!("{} sets of {} mazes", sets, settings.mazes), "mean", "deviation");
    for (name, (mean, deviation)) in &rows {
        let _ = writeln!(text, "{name:36} {mean:>10.4} {deviation:>10.4}");
    }
    let shown = linearity.map_or_else(|| "-".to_owned(), |l| format!("{l:.4}"));
    let _ = writeln!(text, "{:36} {shown:>10}", "log-linearity of digits 1 to 9");
    let rows: Map<String, Value> = rows
        .into_iter()
        .map(|(name, (mean, deviation))| (name, json!({"mean": mean, "deviation": deviation})))
        .collect();
    let json = json!({"sets": sets, "statistics": rows, "log_linearity": linearity});
    Ok(Said { text, json, failed: false })
}
