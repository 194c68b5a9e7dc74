//! Evaluations that others play: the records are those of one process, whatever order parts come back in and whoever is lost.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use heldout_eval::away::{Away, Ended, Part, Played, Stage};
use heldout_eval::records::Failure;
use heldout_eval::runner::{EvalError, Evaluation, Outcome};

use crate::common::{Folder, tree};
use crate::runner::{ALL_KINDS, evaluation, run};

/// Others who play nearby: parts come back in the opposite order.
struct Nearby<'a> {
    evaluation: &'a Evaluation,
    folder: &'a Path,
    room: usize,
    begun: RefCell<Vec<(usize, Part)>>,
    /// Parts that have been begun in all.
    parts: Cell<usize>,
    /// Tasks whose parts are lost.
    lost: &'a [&'a str],
    /// Asks to stop after so many parts.
    stop_after: Option<(usize, &'a AtomicBool)>,
}

impl<'a> Nearby<'a> {
    fn new(evaluation: &'a Evaluation, folder: &'a Path, room: usize) -> Self {
        let (begun, parts) = (RefCell::new(Vec::new()), Cell::new(0));
        Self { evaluation, folder, room, begun, parts, lost: &[], stop_after: None }
    }
}

/// Where the file of a part is.
fn place(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("part-{number}"))
}

fn play(evaluation: &Evaluation, part: &Part, folder: &Path, number: usize) -> Played {
    let go_on = AtomicBool::new(false);
    let stage = Stage::of(evaluation, part, &folder.join(format!("plan-{number}")), &go_on).unwrap();
    stage.play(part, &place(folder, number), &go_on).unwrap()
}

impl Away for Nearby<'_> {
    fn room(&self) -> Result<usize, String> {
        Ok(self.room)
    }

    fn begin(&self, number: usize, part: &Part) -> Result<(), String> {
        self.parts.set(self.parts.get() + 1);
        self.begun.borrow_mut().push((number, part.clone()));
        Ok(())
    }

    fn ended(&self) -> Result<Vec<Ended>, String> {
        let Some((number, part)) = self.begun.borrow_mut().pop() else { return Ok(Vec::new()) };
        if let Some((after, stop)) = self.stop_after
            && self.parts.get() >= after
        {
            stop.store(true, Ordering::Relaxed);
        }
        if self.lost.contains(&part.task.as_str()) {
            return Ok(vec![(number, Err("nobody came back".to_owned()))]);
        }
        Ok(vec![(number, Ok(play(self.evaluation, &part, self.folder, number)))])
    }
}

fn run_away(evaluation: &Evaluation, away: &Nearby<'_>, stop: &AtomicBool) -> Result<Outcome, EvalError> {
    evaluation.hold()?.run_away(away, stop, &|_| ())
}

const WHO: [&str; 2] = ["random", "oracle"];

#[test]
fn records_are_those_of_one_process_for_any_room_and_order() {
    let here = Folder::new("here");
    run(&evaluation(ALL_KINDS, &WHO, &here.0, 1));
    for room in [1, 3, 40] {
        let (there, scratch) = (Folder::new("there"), Folder::new("scratch"));
        let own = evaluation(ALL_KINDS, &WHO, &there.0, 1);
        let nearby = Nearby::new(&own, &scratch.0, room);
        let outcome = run_away(&own, &nearby, &AtomicBool::new(false)).unwrap();
        assert!(outcome.failures.is_empty(), "{:?}", outcome.failures);
        assert_eq!((outcome.done, outcome.interrupted), (outcome.total, false));
        assert!(tree(&here.0) == tree(&there.0), "room for {room}");
        // The more room, the smaller the parts; never less than a cell's own.
        assert!(nearby.parts.get() >= 16 && (room > 1 || nearby.parts.get() < 30), "{}", nearby.parts.get());
        let left: Vec<PathBuf> = (0..nearby.parts.get()).map(|n| place(&scratch.0, n)).filter(|p| p.exists()).collect();
        assert!(left.is_empty(), "files of parts are left behind");
    }
}

#[test]
fn what_is_stopped_goes_on_and_comes_to_the_same_bytes() {
    let (here, there, scratch) = (Folder::new("here"), Folder::new("there"), Folder::new("scratch"));
    run(&evaluation(ALL_KINDS, &WHO, &here.0, 1));
    let stop = AtomicBool::new(false);
    let own = evaluation(ALL_KINDS, &WHO, &there.0, 1);
    let nearby = Nearby { stop_after: Some((6, &stop)), ..Nearby::new(&own, &scratch.0, 2) };
    let outcome = run_away(&own, &nearby, &stop).unwrap();
    assert!(outcome.interrupted && outcome.done < outcome.total);
    let again = Evaluation { resume: true, ..own.clone() };
    run_away(&again, &Nearby::new(&again, &scratch.0, 3), &AtomicBool::new(false)).unwrap();
    assert!(tree(&here.0) == tree(&there.0));
}

#[test]
fn a_lost_part_fails_its_cell_alone_and_is_made_up_for_later() {
    let (here, there, scratch) = (Folder::new("here"), Folder::new("there"), Folder::new("scratch"));
    run(&evaluation(ALL_KINDS, &WHO, &here.0, 1));
    let own = evaluation(ALL_KINDS, &WHO, &there.0, 1);
    let nearby = Nearby { lost: &["grid"], ..Nearby::new(&own, &scratch.0, 4) };
    let outcome = run_away(&own, &nearby, &AtomicBool::new(false)).unwrap();
    let problems: Vec<_> = outcome.failures.iter().map(|f| (f.task.as_str(), f.problem.as_str())).collect();
    assert_eq!(problems, [("grid", "nobody came back"); 2]);
    assert_eq!(Failure::read_all(&there.0).unwrap(), outcome.failures);
    assert_eq!(outcome.done, outcome.total - 2 * 2 * 70);
    let again = Evaluation { resume: true, ..own.clone() };
    run_away(&again, &Nearby::new(&again, &scratch.0, 2), &AtomicBool::new(false)).unwrap();
    assert!(tree(&here.0) == tree(&there.0));
}

#[test]
fn whoever_takes_over_a_part_keeps_the_whole_blocks_of_it() {
    let (out, scratch) = (Folder::new("out"), Folder::new("scratch"));
    let own = evaluation(ALL_KINDS, &["oracle"], &out.0, 1);
    let names = ["mine", "grid", "train", "oracle"].map(str::to_owned);
    let [protocol, task, condition, agent] = names;
    let blocks = vec![(0, 5), (1, 32), (3, 0)];
    let part = Part { protocol, task, condition, agent, scale_of: None, blocks };
    let whole = play(&own, &part, &scratch.0, 0);
    assert_eq!((whole.file.split(|&b| b == b'\n').count(), whole.problem), (1 + 27 + 32 + 32 + 1, None));
    // Killed at any moment: within the header, a block, a line; with nothing written at all.
    for cut in [0, 1, 500, whole.file.len() / 3, whole.file.len() / 2, whole.file.len() - 1, whole.file.len()] {
        std::fs::create_dir_all(place(&scratch.0, 1)).unwrap();
        std::fs::write(place(&scratch.0, 1).join("part.jsonl"), &whole.file[..cut]).unwrap();
        assert!(play(&own, &part, &scratch.0, 1).file == whole.file, "cut at {cut}");
    }
    // What another evaluation left there is none of it.
    let other = Evaluation { seed: 4, ..own.clone() };
    let theirs = play(&other, &Part { blocks: vec![(0, 0)], ..part.clone() }, &scratch.0, 2);
    std::fs::create_dir_all(place(&scratch.0, 1)).unwrap();
    std::fs::write(place(&scratch.0, 1).join("part.jsonl"), theirs.file).unwrap();
    assert!(play(&own, &part, &scratch.0, 1).file == whole.file);
    let nowhere = Part { blocks: vec![(99, 0)], ..part };
    assert_eq!(play(&own, &nowhere, &scratch.0, 1).problem.unwrap(), "it has no block 99 with an episode 0");
}

#[test]
fn a_part_of_another_evaluation_is_refused() {
    let (there, scratch) = (Folder::new("there"), Folder::new("scratch"));
    let own = evaluation(ALL_KINDS, &["random"], &there.0, 1);
    let other = Evaluation { episodes: Some(9), ..own.clone() };
    let error = run_away(&own, &Nearby::new(&other, &scratch.0, 1), &AtomicBool::new(false)).unwrap_err();
    assert!(matches!(&error, EvalError::OtherPart { key, .. } if key.starts_with("episodes")), "{error}");
    assert!(error.to_string().contains("a part of mine grid train by random was played with `episodes"), "{error}");
}
