//! The built-in corpus: large enough, divided as it says, and about something.

use std::collections::{BTreeMap, BTreeSet};

use super::{Appearance, Begin, Config, Holdout, LilGym, Scene, Split, Task};
use crate::builtin::drafts;
use crate::corpus::{CATEGORIES, Corpus};
use crate::language::Function;
use crate::planner;
use heldout_core::Environment as _;

const APPEARANCES: [Appearance; 2] = [Appearance::Tower, Appearance::Scatter];
const HOLDOUTS: [Holdout; 2] = [Holdout::Compositional, Holdout::Random];

fn config(holdout: Holdout, split: Split) -> Config {
    Config { split, holdout, ..Config::default() }
}

fn corpora(begin: Begin, holdout: Holdout) -> Vec<(Appearance, Split, std::sync::Arc<Corpus>)> {
    let all = APPEARANCES.into_iter().flat_map(|a| Split::ALL.into_iter().map(move |s| (a, s)));
    let load = |appearance, split| Corpus::load(&config(holdout, split), Task { appearance, begin }).unwrap();
    all.map(|(a, s)| (a, s, load(a, s))).collect()
}

/// What the statements of one split are put together from, frame and filler, with their sentences.
fn compositions(appearance: Appearance, holdout: Holdout, split: Split) -> Vec<((u16, u16), &'static str)> {
    let own = drafts(appearance).iter().filter(|draft| draft.split(holdout) == split);
    own.map(|draft| ((draft.frame, draft.filler), draft.sentence.as_str())).collect()
}

#[test]
fn there_are_two_thousand_distinct_statements() {
    let mut sentences = BTreeSet::new();
    let mut total = 0;
    for (_, _, corpus) in corpora(Begin::Scratch, Holdout::Compositional) {
        for statement in &corpus.statements {
            assert!(statement.sentence.is_ascii() && statement.sentence.len() <= 118, "{}", statement.sentence);
            sentences.insert(statement.sentence.clone());
            total += 1;
        }
    }
    println!("{total} statements");
    assert_eq!(sentences.len(), total, "a sentence occurs twice");
    assert!(total >= 2000);
}

#[test]
fn splits_share_no_statement() {
    for holdout in HOLDOUTS {
        for appearance in APPEARANCES {
            let mut seen = BTreeMap::new();
            for split in Split::ALL {
                let own = compositions(appearance, holdout, split);
                assert!(own.len() >= 40, "{appearance:?} {holdout:?} {split:?}: {}", own.len());
                for (_, sentence) in own {
                    assert_eq!(seen.insert(sentence, split), None, "{sentence}");
                }
            }
        }
    }
}

/// What is held out is the pair: its frame and its filler are both trained, but apart.
#[test]
fn held_out_compositions_are_made_of_trained_parts() {
    for appearance in APPEARANCES {
        let of = |split| compositions(appearance, Holdout::Compositional, split);
        let train: BTreeSet<_> = of(Split::Train).into_iter().map(|(c, _)| c).collect();
        let frames: BTreeSet<_> = train.iter().map(|c| c.0).collect();
        let fillers: BTreeSet<_> = train.iter().map(|c| c.1).collect();
        for split in [Split::Dev, Split::Test] {
            for (composition, sentence) in of(split) {
                assert!(!train.contains(&composition), "{sentence}");
                assert!(frames.contains(&composition.0), "{sentence}: its frame is not trained");
                assert!(fillers.contains(&composition.1), "{sentence}: its filler is not trained");
            }
        }
    }
}

#[test]
fn every_function_is_used_somewhere() {
    let mut used = Vec::new();
    for (_, _, corpus) in corpora(Begin::Scratch, Holdout::Compositional) {
        used.extend(corpus.statements.iter().flat_map(|s| s.program.functions().collect::<Vec<_>>()));
    }
    let pythons = ["set", "len", "min", "max", "all", "any"];
    let api: Vec<_> = Function::ALL.iter().filter(|f| !pythons.contains(&f.name())).collect();
    let unused: Vec<_> = api.iter().filter(|f| !used.contains(f)).map(|f| f.name()).collect();
    assert!(unused.is_empty(), "{unused:?}");
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

/// Every statement can be made true and made false from empty boxes, within the horizon.
#[test]
fn every_statement_is_satisfiable_and_falsifiable() {
    for (appearance, split, corpus) in corpora(Begin::Scratch, Holdout::Compositional) {
        let rules =
            LilGym::new(&config(Holdout::Compositional, split), Task { appearance, begin: Begin::Scratch }).unwrap();
        let mut failures = Vec::new();
        for statement in &corpus.statements {
            for wanted in [true, false] {
                let plan = planner::plan(&rules, &statement.program, &Scene::default(), wanted);
                if plan.edits.is_none() {
                    failures.push(format!("`{}` is never {wanted}", statement.sentence));
                }
            }
        }
        assert!(failures.is_empty(), "{failures:#?}");
    }
}

/// Starts are scenes in which the statement has the value that is to be flipped, and most statements have both.
#[test]
fn flipit_starts_are_to_be_flipped() {
    for (appearance, split, corpus) in corpora(Begin::Flipit, Holdout::Compositional) {
        let mut both = BTreeMap::new();
        for row in &corpus.problems {
            let statement = &corpus.statements[row.statement as usize];
            assert_eq!(statement.program.truth(&row.scene), Ok(!row.target), "{}", row.key);
            *both.entry(row.statement).or_insert(0) |= 1 << u8::from(row.target);
        }
        let share = both.values().filter(|&&b| b == 3).count() as f64 / corpus.statements.len() as f64;
        assert!(share > 0.7, "{appearance:?} {split:?}: {share}");
    }
}
