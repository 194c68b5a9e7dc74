//! Agents in the order of what they score over all tasks, and tasks by agents in shades.

use std::collections::{BTreeMap, BTreeSet};

use super::document::{Figure, NOTHING, Table, plain};
use super::plots::{self, HeatRow, Square};
use super::words::{number, percent, points, unsigned_zero};
use crate::aggregate::average;
use crate::published;
use crate::results::{Place, Scale, Suite, scripted};
use crate::stratum::{self, Contrast, Stratum, contrast};

/// Most agents of one heat map: squares must have room for an interval.
const MOST_ABREAST: usize = 5;

/// By what a report says how sure a score is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sure {
    /// Its 95 % interval.
    Interval,
    /// Its standard error, as papers print it.
    Error,
}

impl Sure {
    /// In the caption of a table.
    fn words(self) -> &'static str {
        match self {
            Self::Interval => "with 95 % intervals",
            Self::Error => "± the standard error over seeds",
        }
    }

    /// A share in percent.
    pub(super) fn percent(self, found: Option<Contrast>) -> String {
        match (self, found) {
            (_, None) => NOTHING.to_owned(),
            (Self::Interval, Some(found)) => percent(Some(found.measured())),
            (Self::Error, Some(found)) => {
                with_error(100.0 * found.value, found.error.map(|e| 100.0 * e), |x| unsigned_zero(format!("{x:.1}")))
            }
        }
    }

    /// The same in a square: the number, and below it how sure it is.
    fn square(self, found: Contrast) -> Square {
        let below = match self {
            Self::Interval => {
                let end = |share: f64| unsigned_zero(format!("{:.0}", 100.0 * share));
                found.measured().interval.map(|i| format!("{} to {}", end(i.low), end(i.high)))
            }
            Self::Error => found.error.map(|error| format!("± {:.1}", 100.0 * error)),
        };
        Square { share: found.value, text: points(found.value), below: below.unwrap_or_default() }
    }
}

/// A number and its standard error.
pub(super) fn with_error(value: f64, error: Option<f64>, format: impl Fn(f64) -> String) -> String {
    let error = error.map_or("(one seed)".to_owned(), |error| format!("± {}", format(error)));
    format!("{} {error}", format(value))
}

/// What a heat map is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Training, or all that is held out.
    Half(bool),
    /// The condition of this name.
    Level(String),
}

impl Part {
    fn name(&self) -> &str {
        match self {
            Self::Half(false) => "training",
            Self::Half(true) => "held out",
            Self::Level(name) => name,
        }
    }

    fn holds(&self, suite: &Suite, task: usize, condition: usize) -> bool {
        let condition = &suite.protocol.tasks[task].conditions[condition];
        match self {
            Self::Half(held_out) => condition.held_out == *held_out,
            Self::Level(name) => condition.name == *name,
        }
    }
}

/// What agents scored under the conditions of the tasks of a suite, on one scale.
pub(super) struct Board<'a> {
    pub(super) suite: &'a Suite,
    pub(super) agents: Vec<String>,
    /// Which of them are scripted: they stand beside a ranking, not in it.
    pub(super) scripted: Vec<bool>,
    /// On the scale.
    pub(super) strata: BTreeMap<Place, Stratum>,
    pub(super) scale: Scale,
    pub(super) sure: Sure,
}

impl<'a> Board<'a> {
    /// Of the records of a suite.
    pub(super) fn of_records(suite: &'a Suite, scale: Scale) -> Self {
        let is_scripted = |agent: usize| {
            let mut own = suite.cells.iter().filter(|((_, _, a), _)| *a == agent);
            own.all(|(_, cell)| scripted(&cell.recorded.header))
        };
        let agents = 0..suite.agents.len();
        let places = agents.clone().flat_map(|agent| suite.places(agent, scale, |_, _| true));
        let strata = places.filter_map(|place| Some((place, suite.stratum(place, scale)?))).collect();
        let scripted = agents.map(is_scripted).collect();
        Self { suite, agents: suite.agents.clone(), scripted, strata, scale, sure: Sure::Interval }
    }

    /// The names of the conditions, if those of all tasks are the same and some of them, but not all, are held out.
    pub(super) fn levels(&self) -> Option<Vec<String>> {
        let conditions = |task: usize| &self.suite.protocol.tasks[task].conditions;
        let names = |task: usize| conditions(task).iter().map(|c| c.name.clone()).collect::<Vec<_>>();
        let first = self.strata.keys().next()?.0;
        let held_out = conditions(first).iter().filter(|c| c.held_out).count();
        let both = held_out > 0 && held_out < conditions(first).len();
        let alike = self.strata.keys().all(|place| names(place.0) == names(first));
        (both && alike).then(|| names(first))
    }

    /// What heat maps are of: each condition, if those of all tasks are the same, else training and what is held out.
    pub(super) fn parts(&self) -> Vec<Part> {
        let levels = self.levels().map(|names| names.into_iter().map(Part::Level).collect());
        levels.unwrap_or_else(|| vec![Part::Half(false), Part::Half(true)])
    }

    /// The mean of an agent over the tasks of `places` under each condition, and over the conditions; `None` where it has
    /// nothing.
    fn means(
        &self,
        agent: usize,
        places: &BTreeSet<(usize, usize)>,
        levels: usize,
    ) -> (Vec<Option<Contrast>>, Option<Contrast>) {
        let own = |level: usize| -> Vec<Stratum> {
            let at = places.iter().filter(|(_, condition)| *condition == level);
            at.filter_map(|&(t, c)| self.strata.get(&(t, c, agent)).cloned()).collect()
        };
        let all: Vec<Vec<Stratum>> = (0..levels).map(own).collect();
        let told = all.iter().filter(|level| !level.is_empty()).count() as f64;
        let terms = all.iter().flat_map(|level| level.iter().map(|s| (1.0 / (told * level.len() as f64), s)));
        let overall = contrast(&terms.collect::<Vec<_>>());
        (all.iter().map(|level| stratum::mean(level)).collect(), overall)
    }

    /// Agents by the mean over the conditions of their means over tasks, in the manner of papers that rank by it. Only who
    /// was scored on all that any learner was scored on is ranked.
    pub(super) fn ranking(&self, what: &str) -> Table {
        let learnt = |place: &&Place| !self.scripted[place.2];
        let places: BTreeSet<(usize, usize)> = self.strata.keys().filter(learnt).map(|p| (p.0, p.1)).collect();
        let (Some(levels), false) = (self.levels(), places.is_empty()) else { return Table::default() };
        let unit = match self.scale {
            Scale::Human => "percent of the way from published random play to people",
            _ => "percent of the way from floor to ceiling",
        };
        let caption = format!(
            "Ranking by {what}: mean over tasks under each condition, {unit}, {}; ranked by the mean of the conditions. Who was \
             not scored on every task, or is scripted, has no rank",
            self.sure.words()
        );
        let printed = published_ranks(self.suite, &levels);
        let beside =
            printed.as_ref().map_or("published rank".to_owned(), |(table, _)| format!("published rank ({table})"));
        let mut columns = vec!["agent", "rank"];
        columns.extend(levels.iter().map(String::as_str));
        columns.extend(["all", "tasks", beside.as_str()]);
        let columns: Vec<String> = columns.into_iter().map(plain).collect();
        let mut table = Table { caption, headers: 1, columns, ..Table::default() };
        let mut rows = Vec::new();
        for (agent, name) in self.agents.iter().enumerate() {
            let (means, overall) = self.means(agent, &places, levels.len());
            let Some(overall) = overall else { continue };
            let own: BTreeSet<usize> = places
                .iter()
                .filter(|(t, c)| self.strata.contains_key(&(*t, *c, agent)))
                .map(|place| place.0)
                .collect();
            let whole = places.iter().all(|&(t, c)| self.strata.contains_key(&(t, c, agent)));
            let ranked = whole && !self.scripted[agent];
            let mut cells: Vec<String> = means.into_iter().map(|mean| self.sure.percent(mean)).collect();
            cells.push(self.sure.percent(Some(overall)));
            cells.push(own.len().to_string());
            let place = printed.as_ref().and_then(|(_, models)| {
                let at = models.iter().position(|model| model == name)?;
                Some(format!("{} of {}", at + 1, models.len()))
            });
            cells.push(place.unwrap_or_else(|| NOTHING.to_owned()));
            rows.push((ranked, overall.value, name, cells));
        }
        // Whoever is ranked, the best first; then the others.
        rows.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
        for (i, (ranked, _, name, cells)) in rows.into_iter().enumerate() {
            let rank = if ranked { (i + 1).to_string() } else { NOTHING.to_owned() };
            table.rows.push([vec![plain(name), rank], cells].concat());
        }
        table
    }

    /// What an agent scored in a part of a task: the mean over its conditions.
    fn score(&self, task: usize, agent: usize, part: &Part) -> Option<Contrast> {
        let own =
            self.strata.iter().filter(|((t, c, a), _)| *t == task && *a == agent && part.holds(self.suite, *t, *c));
        stratum::mean(&own.map(|(_, stratum)| stratum.clone()).collect::<Vec<_>>())
    }

    /// Tasks by agents, both sorted by their training scores, best first: one drawing per part, or more where there are many
    /// agents.
    pub(super) fn heat(&self, parts: &[Part], what: &str) -> Vec<Figure> {
        let (training, held_out) = (Part::Half(false), Part::Half(true));
        let agents = || 0..self.agents.len();
        let mut tasks: Vec<(usize, f64)> = Vec::new();
        for task in 0..self.suite.protocol.tasks.len() {
            let of = |part: &Part| {
                average(&agents().filter_map(|a| Some(self.score(task, a, part)?.value)).collect::<Vec<_>>())
            };
            tasks.extend(of(&training).or_else(|| of(&held_out)).map(|score| (task, score)));
        }
        tasks.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut order: Vec<(usize, f64)> = Vec::new();
        for agent in agents() {
            let of = |part: &Part| {
                average(&tasks.iter().filter_map(|(t, _)| Some(self.score(*t, agent, part)?.value)).collect::<Vec<_>>())
            };
            order.extend(of(&training).or_else(|| of(&held_out)).map(|score| (agent, score)));
        }
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let title = &self.suite.protocol.title;
        let mut figures = Vec::new();
        for part in parts {
            for abreast in order.chunks(MOST_ABREAST) {
                let rows: Vec<HeatRow> = tasks
                    .iter()
                    .map(|&(task, _)| HeatRow {
                        name: self.suite.protocol.tasks[task].name.clone(),
                        note: self.zero(task, part),
                        squares: abreast
                            .iter()
                            .map(|(agent, _)| Some(self.sure.square(self.score(task, *agent, part)?)))
                            .collect(),
                    })
                    .filter(|row| row.squares.iter().any(Option::is_some))
                    .collect();
                if rows.is_empty() {
                    continue;
                }
                let caption = format!(
                    "{}: {what}, {}, percent of the way from floor to ceiling, {}; tasks and agents sorted by training score. \
                     Below a task stands who scores 0 there, the best player without the ability, and after it the others.",
                    plain(title),
                    plain(part.name()),
                    self.sure.words()
                );
                let names: Vec<String> = abreast.iter().map(|(agent, _)| self.agents[*agent].clone()).collect();
                let title = format!("{title}: {what}, tasks by agents, {}", part.name());
                figures.push(Figure { caption, svg: plots::heat(&title, &names, &rows) });
            }
        }
        figures
    }

    /// Who scores 0 in a part of a task, and where that is one condition, what it and the task's other shortcuts score.
    fn zero(&self, task: usize, part: &Part) -> String {
        let conditions = 0..self.suite.protocol.tasks[task].conditions.len();
        let own = conditions.filter(|&c| part.holds(self.suite, task, c));
        let scales: Vec<_> = own.filter_map(|c| self.suite.kept_scale(task, c)).collect();
        if let [scale] = scales[..] {
            let floor = scale.floor();
            let others = scale.shortcuts.iter().filter(|other| other.policy != floor.policy);
            let each = std::iter::once(floor).chain(others);
            let each: Vec<String> = each.map(|score| format!("{} {}", score.policy, number(score.mean))).collect();
            return format!("0: {}", each.join(", "));
        }
        let mut names: Vec<&str> = scales.iter().map(|scale| scale.floor().policy.as_str()).collect();
        names.dedup();
        if names.is_empty() { String::new() } else { format!("0: {}", names.join(", ")) }
    }
}

/// The order in which a paper's table over all tasks has its models, by the mean over these conditions, with the table's name.
fn published_ranks(suite: &Suite, levels: &[String]) -> Option<(String, Vec<String>)> {
    let files = suite.families().into_iter().filter_map(|family| published::find(&family).ok());
    files.flat_map(|file| file.tables).find_map(|table| Some((table.name.clone(), table.ranking(levels)?)))
}
