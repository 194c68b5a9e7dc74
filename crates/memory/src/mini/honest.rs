//! Players that learn from what they see alone, with all of an episode to remember or with the last rows of it.

use heldout_core::{Environment, Policy, Rng, View};

/// Rows that [`Window`] remembers, the present one included.
pub(crate) const ROWS: usize = 6;

/// A player that takes notes of rows and of its own actions.
pub(crate) trait Learner<E: Environment>: Default + Send + Sync + 'static {
    type Notes: Send;

    /// Checks that it can read the observation, as [`Policy::check`] does.
    fn check(rules: &E) -> Result<(), String>;

    /// Notes at the start of an episode.
    fn blank(rules: &E) -> Self::Notes;

    /// Takes in a row.
    fn see(rules: &E, row: &[f32], notes: &mut Self::Notes);

    /// What to do after the row that was seen last.
    fn choose(rules: &E, row: &[f32], notes: &Self::Notes, rng: &mut Rng) -> E::Action;

    /// Takes note of what was done after that row.
    fn did(_rules: &E, _row: &[f32], _action: E::Action, _notes: &mut Self::Notes) {}
}

/// Remembers the whole episode.
#[derive(Debug, Default)]
pub(crate) struct Honest<L>(L);

impl<E: Environment, L: Learner<E>> Policy<E> for Honest<L>
where
    E::Action: Copy,
{
    type Memory = L::Notes;

    fn check(rules: &E) -> Result<(), String> {
        L::check(rules)
    }

    fn remember(&self, rules: &E) -> L::Notes {
        L::blank(rules)
    }

    fn act(&self, rules: &E, view: View<'_, E>, notes: &mut L::Notes, rng: &mut Rng) -> E::Action {
        let row = view.row.f32(0);
        L::see(rules, row, notes);
        let action = L::choose(rules, row, notes, rng);
        L::did(rules, row, action, notes);
        action
    }
}

/// The same player with a memory of the last six rows, and of what it did after them.
#[derive(Debug, Default)]
pub(crate) struct Window<L>(L);

impl<E: Environment, L: Learner<E>> Policy<E> for Window<L>
where
    E::Action: Copy + Send,
{
    type Memory = Vec<(Vec<f32>, E::Action)>;

    fn check(rules: &E) -> Result<(), String> {
        L::check(rules)
    }

    fn remember(&self, _: &E) -> Self::Memory {
        Vec::with_capacity(ROWS)
    }

    fn act(&self, rules: &E, view: View<'_, E>, last: &mut Self::Memory, rng: &mut Rng) -> E::Action {
        let row = view.row.f32(0);
        let mut notes = L::blank(rules);
        for (row, action) in &*last {
            L::see(rules, row, &mut notes);
            L::did(rules, row, *action, &mut notes);
        }
        L::see(rules, row, &mut notes);
        let action = L::choose(rules, row, &notes, rng);
        if last.len() + 1 == ROWS {
            last.remove(0);
        }
        last.push((row.to_vec(), action));
        action
    }
}
