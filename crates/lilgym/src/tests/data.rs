//! The public data and the recordings of the public implementation, where `HELDOUT_LILGYM_DATA` names their directory.

use std::path::PathBuf;

use super::{Appearance, Begin, Config, LilGym, Split, Task};
use crate::corpus::Corpus;
use crate::recording::Replay;
use heldout_core::Environment as _;

fn data(what: &str) -> Option<PathBuf> {
    let data = std::env::var_os("HELDOUT_LILGYM_DATA").map(PathBuf::from);
    if data.is_none() {
        println!("lilGym: {what} left out, because `HELDOUT_LILGYM_DATA` names no directory");
    }
    data
}

fn config(split: Split) -> Config {
    Config { split, data: "public".to_owned(), ..Config::default() }
}

fn corpus(appearance: Appearance, begin: Begin, split: Split) -> std::sync::Arc<Corpus> {
    Corpus::load(&config(split), Task { appearance, begin }).unwrap()
}

#[test]
fn recordings_are_reproduced() {
    let Some(data) = data("replaying recordings") else { return };
    let mut replay = Replay::new(&data);
    let mut traces: Vec<_> = std::fs::read_dir(data.join("traces")).unwrap().map(|f| f.unwrap().path()).collect();
    traces.sort();
    for trace in traces {
        replay.file(&trace).unwrap();
    }
    let parity = &replay.parity;
    println!("lilGym: rollouts {}, steps {}, mismatches {}", parity.rollouts, parity.steps, parity.mismatches);
    assert!(parity.mismatches == 0, "{:#?}", parity.shown);
    assert!(parity.rollouts >= 2213 && parity.steps >= 15_349);
}

#[test]
fn programs_agree_with_labels() {
    if data("checking labels").is_none() {
        return;
    }
    let mut rows = 0;
    for appearance in [Appearance::Tower, Appearance::Scatter] {
        for split in [Split::Dev, Split::Test] {
            let corpus = corpus(appearance, Begin::Flipit, split);
            for row in &corpus.problems {
                let program = &corpus.statements[row.statement as usize].program;
                assert_eq!(program.truth(&row.scene), Ok(!row.target), "{}", row.key);
                rows += 1;
            }
        }
    }
    assert_eq!(rows, 2963);
}

/// The counts of the paper's Table 1 that the files at hand allow: problems and, for FLIPIT, starts.
#[test]
fn table_1() {
    if data("Table 1").is_none() {
        return;
    }
    for (appearance, split, scratch, flipit) in [
        (Appearance::Tower, Split::Train, 989, None),
        (Appearance::Tower, Split::Dev, 163, Some((317, 676))),
        (Appearance::Tower, Split::Test, 324, Some((619, 1383))),
        (Appearance::Scatter, Split::Train, 1241, None),
        (Appearance::Scatter, Split::Dev, 87, Some((164, 313))),
        (Appearance::Scatter, Split::Test, 155, Some((285, 591))),
    ] {
        assert_eq!(corpus(appearance, Begin::Scratch, split).problems.len(), scratch, "{appearance:?} {split:?}");
        if let Some(expected) = flipit {
            let corpus = corpus(appearance, Begin::Flipit, split);
            let mut contexts: Vec<_> = corpus.problems.iter().map(|row| (row.statement, row.target)).collect();
            contexts.sort_unstable();
            contexts.dedup();
            assert_eq!((contexts.len(), corpus.problems.len()), expected, "{appearance:?} {split:?}");
        }
    }
}

/// Statements that occur in training can be dropped from what is held out: 117 and 56 of the tests, 67 and 29 of the devs.
#[test]
fn disjoint_drops_what_is_trained() {
    if data("repeated statements").is_none() {
        return;
    }
    for (appearance, split, left) in [
        (Appearance::Tower, Split::Test, 324 - 117),
        (Appearance::Scatter, Split::Test, 155 - 56),
        (Appearance::Tower, Split::Dev, 163 - 67),
        (Appearance::Scatter, Split::Dev, 87 - 29),
    ] {
        let config = Config { disjoint: true, ..config(split) };
        let corpus = Corpus::load(&config, Task { appearance, begin: Begin::Scratch }).unwrap();
        assert_eq!(corpus.problems.len(), left, "{appearance:?} {split:?}");
        let train = self::corpus(appearance, Begin::Scratch, Split::Train);
        assert!(corpus.statements.iter().all(|s| train.statements.iter().all(|t| t.key != s.key)));
    }
}

/// Training starts recovered from the pictures stand in for the missing files.
#[test]
fn recovered_training_rows_load() {
    if data("recovered rows").is_none() {
        return;
    }
    let rows = |appearance| corpus(appearance, Begin::Flipit, Split::Train).problems.len();
    assert_eq!((rows(Appearance::Tower), rows(Appearance::Scatter)), (1656, 1866));
}

/// A recovered training row that takes one edit, where a beam alone made seven.
#[test]
fn amendment_31_known_public_miss_is_solved() {
    if data("a recovered row").is_none() {
        return;
    }
    let rules = LilGym::new(&config(Split::Train), Task::SCATTER_FLIPIT).unwrap();
    let plan = rules.solve(rules.corpus.find("1663-2-0").unwrap());
    assert_eq!((plan.edits.unwrap().len(), plan.proven), (1, true));
}

/// An independent search found the same optima of TOWER; all of SCATTER is solved.
#[test]
fn dev_problems_are_solved() {
    if data("solving the dev problems").is_none() {
        return;
    }
    for (appearance, begin, least, mean) in [
        (Appearance::Tower, Begin::Scratch, 1.0, Some("0.7865")),
        (Appearance::Tower, Begin::Flipit, 1.0, Some("0.8490")),
        (Appearance::Scatter, Begin::Scratch, 1.0, None),
        (Appearance::Scatter, Begin::Flipit, 1.0, None),
    ] {
        let rules = LilGym::new(&config(Split::Dev), Task { appearance, begin }).unwrap();
        let plans: Vec<_> = (0..rules.corpus.problems.len() as u32).map(|row| rules.solve(row)).collect();
        let solved = plans.iter().filter(|p| p.edits.is_some()).count() as f64 / plans.len() as f64;
        let found = plans.iter().map(|p| p.value(0.1)).sum::<f64>() / plans.len() as f64;
        println!("lilGym: {appearance:?} {begin:?} solved {solved:.4}, mean return {found:.4}");
        assert!(solved >= least, "{appearance:?} {begin:?}: {solved}");
        if let Some(mean) = mean {
            assert!(plans.iter().all(|p| p.proven));
            assert_eq!(format!("{found:.4}"), mean, "{appearance:?} {begin:?}");
        }
    }
}
