//! The table of the built-in corpus: how it is made, and that it is what it says.

use std::collections::{BTreeMap, BTreeSet};

use heldout_core::{Seed, shuffled};

use super::{Action, Appearance, Begin, Config, Holdout, LilGym, Scene, Split, Task, rules};
use crate::builtin::{Draft, Kept, drafts, scene};
use crate::corpus::{Corpus, Statement};
use crate::language::Program;
use crate::planner::{self, edits};
use crate::reader::words;
use crate::scene::{BOXES, Color, Item};

const APPEARANCES: [Appearance; 2] = [Appearance::Tower, Appearance::Scatter];
/// Longest sentence, that of the public data.
const LONGEST: usize = 118;
/// Scenes that a statement may begin with.
const STARTS: u16 = 400;
/// Of how many hundredths of SCATTER's drafts there are statements.
const SCATTER_SHARE: usize = 45;

/// Scenes that tell meanings apart: of every fullness, with empty boxes among them.
fn samples(appearance: Appearance) -> Vec<Scene> {
    let sample = |number: u64| {
        let full = scene(appearance, 1_000_000 + number as usize, 0);
        let mut rng = Seed(number).stream("sample").rng();
        let mut some = Scene::default();
        for owner in 0..BOXES {
            if rng.below(5) > 0 {
                for item in full.of(owner) {
                    assert!(some.push(owner, *item));
                }
            }
        }
        some
    };
    (0..2000).map(sample).collect()
}

/// The values of `program` in `scenes`, or those of its opposite: the same for both.
fn meaning(program: &Program, scenes: &[Scene]) -> Vec<bool> {
    let values: Vec<_> = scenes.iter().map(|scene| program.truth(scene) == Ok(true)).collect();
    let first = values[0];
    values.into_iter().map(|value| value != first).collect()
}

fn after(rules: &LilGym, scene: &Scene, actions: &[Action]) -> Scene {
    actions.iter().fold(*scene, |mut scene, &action| {
        rules.judge(&scene, action).unwrap().unwrap().apply(&mut scene);
        scene
    })
}

/// The scene that the planner makes of empty boxes to give `program` the value `target`.
fn solution(rules: &LilGym, program: &Program, target: bool) -> Option<Scene> {
    let plan = planner::plan(rules, program, &Scene::default(), target, &|| false).unwrap();
    plan.edits.map(|edits| after(rules, &Scene::default(), &edits))
}

/// What a statement is put together from: its words, and the names in its program.
pub(super) fn parts(sentence: &str, program: &str) -> BTreeSet<String> {
    let names = program.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|name| name.len() > 1);
    words(sentence).chain(names.map(|name| format!("{name}()"))).collect()
}

/// Makes the table of one appearance.
fn table(appearance: Appearance) -> String {
    let rules = rules(&Config::default(), Task { appearance, begin: Begin::Scratch });
    let mut sentences = BTreeSet::new();
    let mut all: Vec<(usize, &Draft, Program)> = Vec::new();
    let mut scenes = samples(appearance);
    for (number, (draft, _)) in drafts(appearance).iter().enumerate() {
        let program = Program::parse(&draft.program).unwrap_or_else(|e| panic!("{}: {e}", draft.program));
        let of_a_frame = drafts(appearance).iter().filter(|(other, _)| other.frame == draft.frame).count() > 20;
        let share = Seed(7).stream(&draft.sentence).0 % 100;
        let chosen = appearance == Appearance::Tower || !of_a_frame || share < SCATTER_SHARE as u64;
        if !chosen || draft.sentence.len() > LONGEST || !sentences.insert(draft.sentence.as_str()) {
            continue;
        }
        let (Some(yes), Some(_)) = (solution(&rules, &program, true), solution(&rules, &program, false)) else {
            println!("never: {}", draft.sentence);
            continue;
        };
        scenes.push(yes);
        all.push((number, draft, program));
    }
    println!("{appearance:?}: {} statements", all.len());
    // Statements of one meaning are in one split.
    let mut classes = BTreeMap::<_, Vec<usize>>::new();
    for (place, (_, _, program)) in all.iter().enumerate() {
        classes.entry(meaning(program, &scenes)).or_default().push(place);
    }
    println!("{appearance:?}: {} meanings", classes.len());
    let mut splits = vec![Split::Train; all.len()];
    for class in classes.values() {
        let split = match Seed(34).stream(&all[class[0]].1.sentence).0 % 100 {
            0..68 => Split::Train,
            68..79 => Split::Dev,
            _ => Split::Test,
        };
        for &place in class {
            splits[place] = split;
        }
    }
    // All parts of what is held out are trained.
    let own: Vec<_> = all.iter().map(|(_, draft, _)| parts(&draft.sentence, &draft.program)).collect();
    loop {
        let trained = own.iter().zip(&splits).filter(|(_, split)| **split == Split::Train);
        let trained: BTreeSet<_> = trained.flat_map(|(parts, _)| parts.iter().cloned()).collect();
        let strange = |class: &&Vec<usize>| {
            splits[class[0]] != Split::Train && class.iter().any(|&place| !own[place].is_subset(&trained))
        };
        let Some(class) = classes.values().find(strange) else { break };
        println!("trained for its parts: {}", all[class[0]].1.sentence);
        for &place in class {
            splits[place] = Split::Train;
        }
    }
    // What cannot be told from a training statement near its own solutions is trained too.
    for split in [Split::Dev, Split::Test] {
        let of = |wanted: Split| -> Vec<Statement> {
            let own = all.iter().zip(&splits).filter(|(_, split)| **split == wanted);
            let statement = |(_, draft, program): &(usize, &Draft, Program)| Statement {
                key: String::new(),
                sentence: draft.sentence.clone(),
                program: program.clone(),
                categories: 0,
            };
            own.map(|(one, _)| statement(one)).collect()
        };
        for [sentence, _] in equal_everywhere(&rules, (&of(Split::Train), &of(split)), usize::MAX) {
            let place = all.iter().position(|(_, draft, _)| draft.sentence == sentence).unwrap();
            splits[place] = Split::Train;
        }
    }
    let mut lines = vec![Kept::line(None); drafts(appearance).len()];
    let mut used = BTreeSet::new();
    for ((number, draft, program), split) in all.iter().zip(splits) {
        let mut starts = [None; 2];
        let mut failures = 0;
        for start in 0..STARTS {
            let begin = scene(appearance, *number, start);
            let Ok(truth) = program.truth(&begin) else { continue };
            let slot = &mut starts[usize::from(truth)];
            if slot.is_some() || failures > 6 || used.contains(&format!("{begin:?}")) {
                continue;
            }
            if planner::plan(&rules, program, &begin, !truth, &|| false).unwrap().edits.is_none() {
                failures += 1;
                continue;
            }
            used.insert(format!("{begin:?}"));
            *slot = Some(start);
        }
        if starts == [None; 2] {
            println!("no start: {}", draft.sentence);
        }
        lines[*number] = Kept::line(Some(&Kept { split, starts }));
    }
    lines.join("\n") + "\n"
}

/// To be run after a change of the grammar.
#[test]
#[ignore = "writes the table of the built-in corpus, which takes minutes"]
fn write_the_table() {
    for (appearance, name) in APPEARANCES.into_iter().zip(["tower.txt", "scatter.txt"]) {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/builtin").join(name);
        std::fs::write(path, table(appearance)).unwrap();
    }
}

/// All scenes of TOWER, in an order drawn at random, so that a difference shows soon.
fn towers() -> impl Iterator<Item = Scene> {
    let mut stacks = vec![Vec::new()];
    for height in 0..4 {
        let lower: Vec<Vec<Color>> = stacks.iter().filter(|stack| stack.len() == height).cloned().collect();
        stacks.extend(lower.iter().flat_map(|stack| Color::ALL.map(|color| [stack.as_slice(), &[color]].concat())));
    }
    let kinds = stacks.len() as u32;
    (0..kinds.pow(3)).map(move |number| {
        let number = shuffled(Seed(34), number, kinds.pow(3));
        let mut scene = Scene::default();
        for (owner, at) in [number % kinds, number / kinds % kinds, number / kinds / kinds].into_iter().enumerate() {
            for &color in &stacks[at as usize] {
                let block: Item = crate::rules::block(scene.of(owner), color);
                assert!(scene.push(owner, block));
            }
        }
        scene
    })
}

/// The scenes in which a statement of SCATTER is compared with others beside the samples: its solutions, for true and for
/// false, and what one edit makes of them.
fn neighbours(rules: &LilGym, program: &Program) -> Vec<Scene> {
    let mut all = Vec::new();
    for scene in [true, false].into_iter().filter_map(|target| solution(rules, program, target)) {
        all.push(scene);
        for owner in 0..BOXES {
            for edit in edits(rules, &program.looks(), &scene, owner, false) {
                let mut after = scene;
                edit.change.apply(&mut after);
                all.push(after);
            }
        }
    }
    all
}

/// Groups of statements that no sample tells apart, each with one of `trained` and one of `held_out` at least: a statement
/// is not looked at any more once it is alone.
fn alike<'a>(scenes: &[Scene], trained: &'a [Statement], held_out: &'a [Statement]) -> Vec<[Vec<&'a Statement>; 2]> {
    let value = |statement: &Statement, scene: &Scene| statement.program.truth(scene) == Ok(true);
    let mut groups = vec![[trained.iter().collect::<Vec<_>>(), held_out.iter().collect()]];
    let mut begin = 0;
    for length in [100, 300, 600, 1000] {
        let now = &scenes[begin..begin + length];
        let split = |group: &[Vec<&'a Statement>; 2]| {
            let mut parts = BTreeMap::<Vec<bool>, [Vec<&'a Statement>; 2]>::new();
            for (half, statements) in group.iter().enumerate() {
                for &statement in statements {
                    let first = value(statement, &scenes[0]);
                    let values = now.iter().map(|scene| value(statement, scene) != first).collect();
                    parts.entry(values).or_default()[half].push(statement);
                }
            }
            parts.into_values().filter(|part| part.iter().all(|half| !half.is_empty())).collect::<Vec<_>>()
        };
        groups = groups.iter().flat_map(split).collect();
        begin += length;
    }
    assert_eq!(begin, scenes.len());
    groups
}

/// Pairs of `trained` and `held_out` of one meaning, or of opposite meanings, `most` of them at the most: in all scenes of
/// TOWER; in the samples of SCATTER and in the neighbourhoods of both statements' solutions.
pub(super) fn equal_everywhere(
    rules: &LilGym,
    (trained, held_out): (&[Statement], &[Statement]),
    most: usize,
) -> Vec<[String; 2]> {
    let appearance = rules.task.appearance;
    let scenes = samples(appearance);
    let mut near = BTreeMap::<&str, Vec<Scene>>::new();
    let mut same = Vec::new();
    for [trained, held_out] in alike(&scenes, trained, held_out) {
        for (one, other) in held_out.iter().flat_map(|one| trained.iter().map(move |other| (one, other))) {
            let programs = [&one.program, &other.program];
            let opposite = programs[0].truth(&scenes[0]) != programs[1].truth(&scenes[0]);
            let differs = |scene: &Scene| (programs[0].truth(scene) != programs[1].truth(scene)) != opposite;
            let told = if appearance == Appearance::Tower {
                towers().any(|scene| differs(&scene))
            } else {
                [one, other].into_iter().any(|own| {
                    let near = near.entry(&own.sentence).or_insert_with(|| neighbours(rules, &own.program));
                    near.iter().any(differs)
                })
            };
            if !told {
                same.push([one.sentence.clone(), other.sentence.clone()]);
            }
            if same.len() == most {
                return same;
            }
        }
    }
    same
}

/// The table belongs to the grammar: it has a line for every draft, and no draft that is left out could tell.
#[test]
fn the_table_has_a_line_for_every_draft() {
    for (appearance, table) in
        APPEARANCES.into_iter().zip([include_str!("../builtin/tower.txt"), include_str!("../builtin/scatter.txt")])
    {
        assert_eq!(table.lines().count(), drafts(appearance).len(), "{appearance:?}");
        for (line, (_, kept)) in table.lines().zip(drafts(appearance)) {
            assert_eq!(line, Kept::line(kept.as_ref()));
        }
    }
    let of = |appearance| Corpus::load(&Config::default(), Task { appearance, begin: Begin::Scratch }).unwrap();
    assert!(APPEARANCES.into_iter().all(|appearance| of(appearance).statements.len() > 1000));
    assert_eq!(Config::default().holdout, Holdout::Compositional);
}
