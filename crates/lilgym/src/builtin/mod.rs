//! The built-in corpus: English statements with their programs, made by a grammar, so that every task runs without a
//! download.
//!
//! A statement is a *frame* ("There are exactly two ...") filled with a *filler* ("black blocks at the top"), each in one of
//! several wordings, or has a form of its own. Which of them there are, which split holds a meaning out and which scenes
//! FLIPIT begins with takes long to find, and stands in a table (`tower.txt`, `scatter.txt`) that a test makes
//! (`tests/table.rs`): a statement can be made true and made false, statements of one meaning, or of opposite meanings, are in
//! one split, and every start can be flipped and has a scene of its own. Nothing here is taken from the public data.

mod frames;
mod phrases;
mod scenes;
mod statements;

use std::sync::{Arc, OnceLock};

use heldout_core::{Seed, Source};

use crate::config::{Appearance, Begin, Config, Holdout, Split, Task};
use crate::corpus::{Corpus, Problem, Statement};
use crate::language::Program;
use crate::scene::Scene;

/// Version of the corpus: part of what a saved state belongs to.
const VERSION: &str = "built-in corpus 3";

/// A statement before its program is parsed.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) sentence: String,
    /// All that it might be said by, with their categories.
    #[cfg(test)]
    pub(crate) wordings: Vec<(String, u16)>,
    pub(crate) program: String,
    pub(crate) categories: u16,
    /// Number of its frame.
    #[cfg(test)]
    pub(crate) frame: u16,
}

/// What the table says of a draft that it keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    /// Where its meaning is held out, or trained.
    pub(crate) split: Split,
    /// Numbers of the scenes in which it is false, and true.
    pub(crate) starts: [Option<u16>; 2],
}

impl Kept {
    /// A line of the table: the split's letter and the scenes; a lone `-` if the draft is left out.
    fn read(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let split = match words.next()? {
            "t" => Split::Train,
            "d" => Split::Dev,
            "e" => Split::Test,
            _ => return None,
        };
        let mut start = || words.next().and_then(|word| word.parse().ok());
        Some(Self { split, starts: [start(), start()] })
    }

    /// What [`Kept::read`] reads.
    #[cfg(test)]
    pub(crate) fn line(kept: Option<&Self>) -> String {
        let Some(Self { split, starts }) = kept else { return "-".to_owned() };
        let letter = ["t", "d", "e"][*split as usize];
        let [no, yes] = starts.map(|start| start.map_or("-".to_owned(), |number| number.to_string()));
        format!("{letter} {no} {yes}")
    }
}

/// A draft and what the table says of it; nothing if it is left out.
type Listed = (Draft, Option<Kept>);

/// All drafts of one appearance, in order.
pub(crate) fn drafts(appearance: Appearance) -> &'static [Listed] {
    static ALL: [OnceLock<Vec<Listed>>; 2] = [const { OnceLock::new() }; 2];
    let table = match appearance {
        Appearance::Tower => include_str!("tower.txt"),
        Appearance::Scatter => include_str!("scatter.txt"),
    };
    let lines = table.lines().map(Kept::read).chain(std::iter::repeat(None));
    ALL[appearance as usize].get_or_init(|| frames::drafts(appearance).into_iter().zip(lines).collect())
}

/// Scene `start` of statement `number`.
pub(crate) fn scene(appearance: Appearance, number: usize, start: u16) -> Scene {
    let seed = Seed(0).stream("lilgym").derive(appearance as u64).derive(number as u64);
    scenes::scene(appearance, seed.derive(start.into()))
}

/// The split of a statement.
fn split(draft: &Draft, kept: Kept, holdout: Holdout) -> Split {
    match holdout {
        Holdout::Compositional => kept.split,
        Holdout::Random => match Seed(0).stream("holdout").stream(&draft.sentence).0 % 10 {
            0 => Split::Dev,
            1 | 2 => Split::Test,
            _ => Split::Train,
        },
    }
}

/// The problems that `config` names.
pub(crate) fn corpus(config: &Config, task: Task) -> Arc<Corpus> {
    static ALL: [OnceLock<Arc<Corpus>>; 24] = [const { OnceLock::new() }; 24];
    let at = (task.number() * 2 + config.holdout as usize) * 3 + config.split as usize;
    let make = || Arc::new(make(task, config.holdout, config.split));
    ALL[at].get_or_init(make).clone()
}

fn make(Task { appearance, begin }: Task, holdout: Holdout, of: Split) -> Corpus {
    let mut corpus = Corpus {
        sources: vec![Source { name: "statements", content: VERSION.to_owned() }],
        categorised: true,
        ..Corpus::default()
    };
    let letter = if appearance == Appearance::Tower { 't' } else { 's' };
    for (number, (draft, kept)) in drafts(appearance).iter().enumerate() {
        let Some(kept) = kept.filter(|&kept| split(draft, kept, holdout) == of) else { continue };
        let program = Program::parse(&draft.program).expect("the grammar makes programs, which a test shows");
        let key = format!("{letter}{number}");
        let statement = corpus.statements.len() as u32;
        match begin {
            Begin::Scratch => {
                corpus.problems.push(Problem { key: key.clone(), statement, scene: Scene::default(), target: true });
            }
            Begin::Flipit => {
                for (start, truth) in kept.starts.into_iter().zip([false, true]) {
                    let Some(start) = start else { continue };
                    let (key, scene) = (format!("{key}-{start}"), scene(appearance, number, start));
                    corpus.problems.push(Problem { key, statement, scene, target: !truth });
                }
            }
        }
        let (sentence, categories) = (draft.sentence.clone(), draft.categories);
        corpus.statements.push(Statement { key, sentence, program, categories });
    }
    corpus.with_room_for_plans()
}
