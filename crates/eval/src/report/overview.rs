//! The picture that comes first: families by agents, training above what is held out.

use super::document::{Document, Figure, plain};
use super::overall::{Field, families};
use super::plots::{self, Standing};
use super::words::count;
use crate::results::{Results, Scale, Suite};
use crate::stratum::{self, Contrast, Stratum};

/// Writes it: a panel for each family, all on one scale.
pub(super) fn write(document: &mut Document, results: &Results, agents: &[String]) {
    let standings = |family: String| {
        let field = Field { results, family: Some(&family), scale: Scale::Task };
        let all: Vec<Standing> = agents.iter().flat_map(|agent| standings(&field, agent)).collect();
        (family, all)
    };
    let panels: Vec<(String, Vec<Standing>)> =
        families(results).into_iter().map(standings).filter(|(_, all)| !all.is_empty()).collect();
    let span = plots::span(panels.iter().flat_map(|(_, all)| all));
    let panel = |(family, all): &(String, Vec<Standing>)| {
        let title = format!("{family}: training and held out");
        let caption = format!("**{}**, {}", plain(family), count(tasks(results, family), "task"));
        Figure { caption, svg: plots::standings(&title, span, all) }
    };
    if panels.is_empty() {
        return;
    }
    document.paragraph(
        "Families and agents at a glance: means over tasks, in training (rings) and on what is held out (squares), between \
         floor and ceiling. Lines are 95 % intervals; an arrow says that one goes on.",
    );
    document.figures(panels.iter().map(panel).collect());
}

/// How many tasks of a family were played.
fn tasks(results: &Results, family: &str) -> usize {
    let of = |suite: &Suite| {
        let mut played: Vec<usize> = suite.cells.keys().map(|(task, ..)| *task).collect();
        played.dedup();
        played.into_iter().filter(|&task| suite.family(task) == family).count()
    };
    results.suites.iter().map(of).sum()
}

/// What an agent scores in a family: over the tasks that have both halves, and over those that have one alone.
fn standings(field: &Field<'_>, agent: &str) -> Vec<Standing> {
    let mut found = Vec::new();
    if let Some((gap, _)) = field.gap(agent) {
        found.push(Standing { name: agent.to_owned(), train: Some(gap.train), held_out: Some(gap.held_out) });
    }
    let both = |suite: &Suite, task: usize, number: usize| !suite.halves(number, field.scale, |t| t == task).is_empty();
    let half = |held_out: bool| -> Vec<Stratum> {
        let of = |(suite, number): (&Suite, usize)| {
            let keep = |t, c| suite.held_out(t, c) == held_out && field.keeps(suite, t) && !both(suite, t, number);
            let places = suite.places(number, field.scale, keep).into_iter();
            places.filter_map(|place| suite.stratum(place, field.scale)).collect::<Vec<_>>()
        };
        field.suites(agent).flat_map(of).collect()
    };
    let [train, held_out] = [false, true].map(|held_out| stratum::mean(&half(held_out)).map(Contrast::measured));
    if train.is_some() || held_out.is_some() {
        let half = if train.is_none() { "held out" } else { "training" };
        let name = if found.is_empty() { agent.to_owned() } else { format!("{agent}, where there is {half} alone") };
        found.push(Standing { name, train, held_out });
    }
    found
}
