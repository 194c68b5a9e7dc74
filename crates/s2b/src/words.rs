//! The state for readers of a transcript.

use crate::codec::{EOS, MAX_LENGTH};
use crate::episode::{Episode, REMEMBERED, Rulebook};
use crate::space::Meaning;

/// The values of a meaning.
pub(crate) fn written(meaning: Meaning, dims: usize) -> String {
    joined((0..dims).map(|dim| meaning.value(dim).to_string()), "-")
}

fn joined(parts: impl Iterator<Item = String>, between: &str) -> String {
    parts.collect::<Vec<_>>().join(between)
}

impl Rulebook {
    /// What the listener heard of the tokens `said` in game number `game`.
    pub(crate) fn heard(&self, ep: &Episode, game: u32, query: bool, said: &[u8]) -> impl Iterator<Item = u8> {
        said.chunks(self.settings.message_length as usize).zip(0..).flat_map(move |(said, round)| {
            let mut message = [EOS; MAX_LENGTH];
            message[..said.len()].copy_from_slice(said);
            self.overheard(ep, game, query, round, message).into_iter().take(said.len())
        })
    }

    /// A line: the game and its moment, the target, what was said and heard, the listener's stimuli, what is right.
    pub(crate) fn words(&self, ep: &Episode) -> String {
        let settings = &self.settings;
        let (slots, dims, rounds) = (settings.slots(), settings.space.dims, settings.rounds);
        let (now, turn) = (&ep.now, ep.turn(ep.game));
        let moment = match ep.round() {
            _ if turn.decided => "decided",
            round if round < rounds => "the speaker speaks",
            _ => "the listener decides",
        };
        let choice = |decision: u8| match usize::from(decision) {
            absent if absent == slots => "none".to_owned(),
            position => format!("number {}", position + 1),
        };
        let messages = ep.round().min(rounds) * settings.message_length;
        let said = &turn.said[..(messages as usize).min(REMEMBERED)];
        let tokens = |tokens: &mut dyn Iterator<Item = u8>| {
            joined(tokens.map(|t| if t == EOS { ".".to_owned() } else { t.to_string() }), " ")
        };
        let spoken = if said.is_empty() {
            String::new()
        } else {
            let mut heard = self.heard(ep, ep.game, now.query, said);
            format!(", said {}, heard {}", tokens(&mut said.iter().copied()), tokens(&mut heard))
        };
        let verdict = match turn.decision {
            _ if !turn.decided => String::new(),
            decision => {
                let chosen = decision.map_or_else(|| "nothing".to_owned(), choice);
                format!(", chosen {chosen}: {}", if turn.right { "right" } else { "wrong" })
            }
        };
        format!(
            "{} game {} of {}, {moment}: target {}{spoken}, listener sees {}, right is {}{verdict}",
            if now.query { "query" } else { "support" },
            ep.game + 1,
            self.games(ep),
            written(now.target.meaning, dims),
            joined((0..slots).map(|position| written(now.stimulus(position).meaning, dims)), " "),
            choice(now.answer),
        )
    }
}
