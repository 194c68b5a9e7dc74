//! The built-in corpus: large enough, divided as it says, and about something.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::table::{equal_everywhere, parts};
use super::{Appearance, Begin, Config, Holdout, LilGym, Scene, Split, Task, rules};
use crate::builtin::drafts;
use crate::corpus::{CATEGORIES, Corpus, Statement};
use crate::language::Function;
use crate::planner;
use crate::reader::words;

const APPEARANCES: [Appearance; 2] = [Appearance::Tower, Appearance::Scatter];
const HOLDOUTS: [Holdout; 2] = [Holdout::Compositional, Holdout::Random];

fn config(holdout: Holdout, split: Split) -> Config {
    Config { split, holdout, ..Config::default() }
}

fn corpus(appearance: Appearance, begin: Begin, holdout: Holdout, split: Split) -> Arc<Corpus> {
    Corpus::load(&config(holdout, split), Task { appearance, begin }).unwrap()
}

fn corpora(begin: Begin, holdout: Holdout) -> Vec<(Appearance, Split, Arc<Corpus>)> {
    let all = APPEARANCES.into_iter().flat_map(|a| Split::ALL.into_iter().map(move |s| (a, s)));
    all.map(|(a, s)| (a, s, corpus(a, begin, holdout, s))).collect()
}

fn statements(holdout: Holdout) -> Vec<Statement> {
    corpora(Begin::Scratch, holdout).iter().flat_map(|(_, _, corpus)| corpus.statements.clone()).collect()
}

#[test]
fn there_are_two_thousand_distinct_statements() {
    let all = statements(Holdout::Compositional);
    for statement in &all {
        assert!(statement.sentence.is_ascii() && statement.sentence.len() <= 118, "{}", statement.sentence);
    }
    let sentences: BTreeSet<_> = all.iter().map(|statement| &statement.sentence).collect();
    println!("{} statements", all.len());
    assert_eq!(sentences.len(), all.len(), "a sentence occurs twice");
    assert!(all.len() >= 2000);
}

/// A sentence without what it speaks of: colours, shapes, sizes, numbers and sides.
fn delexicalised(sentence: &str) -> String {
    let names = [
        "yellow black blue",
        "circle circles square squares triangle triangles",
        "small medium big",
        "one two three four",
        "left right top bottom upper lower",
    ];
    let slot = |word: String| {
        names.iter().position(|of| of.split(' ').any(|name| name == word)).map_or(word, |i| i.to_string())
    };
    words(sentence).map(slot).collect::<Vec<_>>().join(" ")
}

#[test]
fn amendment_33_sentences_are_varied() {
    let all = statements(Holdout::Compositional);
    let vocabulary: BTreeSet<_> = all.iter().flat_map(|statement| words(&statement.sentence)).collect();
    let templates: BTreeSet<_> = all.iter().map(|statement| delexicalised(&statement.sentence)).collect();
    let test = corpus(Appearance::Tower, Begin::Scratch, Holdout::Compositional, Split::Test).statements.len();
    println!("{} words, {} templates, TOWER test {test}", vocabulary.len(), templates.len());
    assert!(vocabulary.len() >= 200, "{}: {vocabulary:?}", vocabulary.len());
    assert!(templates.len() >= 1200, "{}", templates.len());
    assert!(test >= 300, "{test}");
}

#[test]
fn amendment_33_an_immediate_stop_solves_little() {
    for holdout in HOLDOUTS {
        for (appearance, split, corpus) in corpora(Begin::Scratch, holdout) {
            let empty = Scene::default();
            let holds = corpus.statements.iter().filter(|s| s.program.truth(&empty) == Ok(true)).count();
            let share = holds as f64 / corpus.statements.len() as f64;
            println!(
                "{appearance:?} {holdout:?} {split:?}: {holds} of {} hold of empty boxes",
                corpus.statements.len()
            );
            assert!(share <= 0.05, "{appearance:?} {holdout:?} {split:?}: {share}");
        }
    }
}

#[test]
fn amendment_33_each_flipit_row_has_a_scene_of_its_own() {
    for appearance in APPEARANCES {
        let mut owners = BTreeMap::new();
        for split in Split::ALL {
            let corpus = corpus(appearance, Begin::Flipit, Holdout::Compositional, split);
            for row in &corpus.problems {
                let other = owners.insert(format!("{:?}", row.scene), row.key.clone());
                assert_eq!(other, None, "the scene of {}", row.key);
            }
        }
    }
}

/// Plans every row of FLIPIT, or of SCATTER's training rows every so many.
fn assert_flipit_rows_are_solvable(every: usize) {
    for appearance in APPEARANCES {
        for split in Split::ALL {
            let rules = rules(&config(Holdout::Compositional, split), Task { appearance, begin: Begin::Flipit });
            let step = if (appearance, split) == (Appearance::Scatter, Split::Train) { every } else { 1 };
            for row in (0..rules.corpus.problems.len()).step_by(step) {
                let edits = rules.solve(row as u32).edits;
                let edits = edits.unwrap_or_else(|| panic!("{} has no solution", rules.corpus.problems[row].key));
                assert!(edits.len() < rules.config.horizon as usize);
            }
        }
    }
}

/// Held-out rows, all of them, and of SCATTER's training rows, which take minutes, every tenth.
#[test]
fn amendment_33_every_flipit_row_is_solvable() {
    assert_flipit_rows_are_solvable(10);
}

#[test]
#[ignore = "takes minutes"]
fn amendment_33_every_flipit_row_is_solvable_and_none_is_left_out() {
    assert_flipit_rows_are_solvable(1);
}

#[test]
fn splits_share_no_statement() {
    for holdout in HOLDOUTS {
        for appearance in APPEARANCES {
            let mut seen = BTreeMap::new();
            for split in Split::ALL {
                let own = corpus(appearance, Begin::Scratch, holdout, split);
                assert!(own.statements.len() >= 100, "{appearance:?} {holdout:?} {split:?}: {}", own.statements.len());
                for statement in &own.statements {
                    assert_eq!(seen.insert(statement.sentence.clone(), split), None, "{}", statement.sentence);
                }
            }
        }
    }
}

/// What is held out is a meaning: words, attributes and relations that it is made of are all trained, in other company.
#[test]
fn held_out_compositions_are_made_of_trained_parts() {
    for appearance in APPEARANCES {
        let of = |split| corpus(appearance, Begin::Scratch, Holdout::Compositional, split);
        let own = |statement: &Statement| parts(&statement.sentence, &statement.program.to_string());
        let trained: BTreeSet<_> = of(Split::Train).statements.iter().flat_map(own).collect();
        let programs: BTreeSet<_> = of(Split::Train).statements.iter().map(|s| s.program.to_string()).collect();
        for split in [Split::Dev, Split::Test] {
            for statement in &of(split).statements {
                assert!(!programs.contains(&statement.program.to_string()), "{}", statement.sentence);
                let strange: Vec<_> = own(statement).difference(&trained).cloned().collect();
                assert!(strange.is_empty(), "{}: {strange:?} is not trained", statement.sentence);
            }
        }
    }
}

/// No held-out statement has the truth function of a training statement, nor the opposite one.
fn assert_held_out_meanings_are_not_trained(appearance: Appearance) {
    let rules = rules(&Config::default(), Task { appearance, begin: Begin::Scratch });
    let of = |split| corpus(appearance, Begin::Scratch, Holdout::Compositional, split).statements.clone();
    let held_out = [of(Split::Dev), of(Split::Test)].concat();
    // One such pair is enough: in a corpus that holds out sentences there are thousands, and each is gone through whole.
    let same = equal_everywhere(&rules, (&of(Split::Train), &held_out), 1);
    assert!(same.is_empty(), "{appearance:?}: {same:#?}");
    // The random split holds out statements, and so meanings are shared: the comparison sees them.
    let of = |split| corpus(appearance, Begin::Scratch, Holdout::Random, split).statements.clone();
    assert_eq!(equal_everywhere(&rules, (&of(Split::Train), &of(Split::Test)), 1).len(), 1);
}

#[test]
fn amendment_34_held_out_meanings_are_not_trained_on_tower() {
    assert_held_out_meanings_are_not_trained(Appearance::Tower);
}

#[test]
fn amendment_34_held_out_meanings_are_not_trained_on_scatter() {
    assert_held_out_meanings_are_not_trained(Appearance::Scatter);
}

#[test]
fn every_function_is_used_somewhere() {
    let used: Vec<_> =
        statements(Holdout::Compositional).iter().flat_map(|s| s.program.functions().collect::<Vec<_>>()).collect();
    let pythons = ["set", "len", "min", "max", "all", "any"];
    let api: Vec<_> = Function::ALL.iter().filter(|f| !pythons.contains(&f.name())).collect();
    // What it tells of two objects, sides that line up within four pixels on either axis, nobody would say in English.
    let unsaid = ["is_closely_touching"];
    let unused: Vec<_> = api.iter().filter(|f| !used.contains(f)).map(|f| f.name()).collect();
    assert_eq!(unused, unsaid);
    assert_eq!(api.len(), 61 + 7, "61 that the public programs use, and 7");
    assert_eq!(Function::ALL.len(), api.len() + pythons.len());
}

#[test]
fn every_category_has_statements_in_every_split() {
    for holdout in HOLDOUTS {
        for (appearance, split, corpus) in corpora(Begin::Scratch, holdout) {
            assert!(corpus.categorised);
            for (bit, name) in CATEGORIES.iter().enumerate() {
                let count = corpus.statements.iter().filter(|s| s.categories >> bit & 1 == 1).count();
                assert!(count > 0, "{appearance:?} {split:?}: no statement of `{name}`");
            }
        }
    }
}

/// Every wording with its labels, a line each: of frames with the first filler and with one that is a prepositional phrase,
/// of fillers in the first frame. What differs by the names of colours, shapes, sizes and nouns alone is told once.
fn labels() -> String {
    let names = "yellow black blue circle circles square squares triangle triangles small medium big";
    let nouns = [("brick", "block"), ("cube", "block"), ("object", "item"), ("figure", "item")];
    let kind = |sentence: &str| {
        let plain = nouns.iter().fold(sentence.to_owned(), |text, (noun, plain)| text.replace(noun, plain));
        let rest =
            words(&plain).map(|word| if names.split(' ').any(|name| name == word) { "-".to_owned() } else { word });
        rest.collect::<Vec<_>>().join(" ")
    };
    let attached =
        ["block at the top", "blocks at the top", "item with a circle underneath", "items with a circle underneath"];
    let is_attached = |sentence: &str| attached.iter().any(|filler| sentence.contains(&format!("yellow {filler}")));
    let mut lines = Vec::new();
    for appearance in APPEARANCES {
        let (mut frames, mut kinds) = (BTreeSet::new(), BTreeSet::new());
        for (draft, _) in drafts(appearance) {
            let is_first = frames.insert(draft.frame);
            let listed = |sentence: &str| {
                let is_filler =
                    draft.frame == 0 && sentence.starts_with("There is a") && !sentence.contains("at least one");
                is_first || is_filler || is_attached(sentence)
            };
            for (sentence, categories) in draft.wordings.iter().filter(|(sentence, _)| listed(sentence)) {
                if kinds.insert((draft.frame, kind(sentence))) {
                    let labelled = CATEGORIES.iter().enumerate().filter(|(bit, _)| categories >> bit & 1 == 1);
                    let names: Vec<&str> = labelled.map(|(_, name)| *name).collect();
                    lines.push(format!("{appearance:?}: {sentence} {}\n", names.join(", ")));
                }
            }
        }
    }
    lines.concat()
}

/// Labels follow the paper's definitions, wording by wording: `labels.txt` is where to read them, and no change goes unread.
#[test]
fn amendment_37_every_wording_has_the_labels_that_are_listed() {
    let listed = include_str!("labels.txt");
    for (own, read) in labels().lines().zip(listed.lines()) {
        assert_eq!(own, read);
    }
    assert_eq!(labels().lines().count(), listed.lines().count());
    // A statement has the labels of the wording that it is said by.
    for (draft, _) in APPEARANCES.into_iter().flat_map(drafts) {
        assert!(draft.wordings.contains(&(draft.sentence.clone(), draft.categories)), "{}", draft.sentence);
    }
}

/// To be run after a change of the grammar, and the outcome to be read.
#[test]
#[ignore = "writes the list of labels"]
fn write_the_labels() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/labels.txt");
    std::fs::write(path, labels()).unwrap();
}

/// A prepositional phrase is ambiguous about as often as the paper says: 44 of TOWER's 163 dev statements, 2 of SCATTER's 87.
#[test]
fn amendment_37_attachment_is_ambiguous_as_often_as_in_the_paper() {
    let bit = CATEGORIES.iter().position(|name| *name == "PP Attachment").unwrap();
    for (appearance, paper) in APPEARANCES.into_iter().zip([0.27, 0.02]) {
        let all = Split::ALL.map(|split| corpus(appearance, Begin::Scratch, Holdout::Compositional, split));
        let all: Vec<_> = all.iter().flat_map(|corpus| &corpus.statements).collect();
        let labelled: Vec<_> = all.iter().filter(|s| s.categories >> bit & 1 == 1).collect();
        let share = labelled.len() as f64 / all.len() as f64;
        println!("{appearance:?}: {share:.3}");
        assert!(share > 0.0 && (share - paper).abs() <= 0.05_f64.min(paper), "{appearance:?}: {share}");
        // A noun of the frame and one of the filler: the phrase could belong to either.
        for statement in labelled {
            let nouns = "box boxes tower towers stack pile block blocks brick bricks cube cubes item items object objects \
                         figure figures";
            let count = words(&statement.sentence).filter(|word| nouns.split(' ').any(|noun| noun == word)).count();
            assert!(count >= 2, "{}", statement.sentence);
        }
    }
}

/// Every statement can be made true and made false from empty boxes, within the horizon; of SCATTER's training statements
/// every tenth is tried.
#[test]
fn every_statement_is_satisfiable_and_falsifiable() {
    for (appearance, split, corpus) in corpora(Begin::Scratch, Holdout::Compositional) {
        let rules: LilGym = rules(&config(Holdout::Compositional, split), Task { appearance, begin: Begin::Scratch });
        let step = if (appearance, split) == (Appearance::Scatter, Split::Train) { 10 } else { 1 };
        let mut failures = Vec::new();
        for statement in corpus.statements.iter().step_by(step) {
            for wanted in [true, false] {
                let plan = planner::plan(&rules, &statement.program, &Scene::default(), wanted, &|| false).unwrap();
                if plan.edits.is_none() {
                    failures.push(format!("`{}` is never {wanted}", statement.sentence));
                }
            }
        }
        assert!(failures.is_empty(), "{failures:#?}");
    }
}

/// The table names scenes in which a statement is false and true; programs say whether that is so, and most statements
/// have both.
#[test]
fn flipit_starts_are_to_be_flipped() {
    for holdout in HOLDOUTS {
        for (appearance, split, corpus) in corpora(Begin::Flipit, holdout) {
            let mut both = BTreeMap::new();
            for row in &corpus.problems {
                let statement = &corpus.statements[row.statement as usize];
                assert_eq!(statement.program.truth(&row.scene), Ok(!row.target), "{}", row.key);
                assert!((0..3).all(|owner| !row.scene.of(owner).is_empty()), "{} has an empty box", row.key);
                *both.entry(row.statement).or_insert(0) |= 1 << u8::from(row.target);
            }
            let share = both.values().filter(|&&b| b == 3).count() as f64 / corpus.statements.len() as f64;
            assert!(share > 0.7, "{appearance:?} {split:?}: {share}");
        }
    }
}
