//! The state for readers of a transcript.

use crate::codec::EOS;
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
            let heard = &mut said.iter().map(|&token| ep.permutation[usize::from(token)]);
            format!(", said {}, heard {}", tokens(&mut said.iter().copied()), tokens(heard))
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
