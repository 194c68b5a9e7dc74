//! What the report says first: each agent over all that was played.

use super::document::{Document, Figure, Table, plain};
use super::overview;
use super::plots::{self, Cloud, Profile};
use super::ranking::Board;
use super::story::{Drop, Story};
use super::words::{count, in_points, measured, percent};
use crate::aggregate;
use crate::bootstrap::{RESAMPLES, scaled};
use crate::claims::{self, Judged};
use crate::results::{Aggregates, Measured, Results, Scale, Suite, scripted, seed};
use crate::stratum::{self, Interval, Stratum, contrast};
use crate::verdict::{Gap, Halves, Position, Sample, Verdict};

/// Thresholds of a performance profile: hundredths from below 0 to above 1.
const THRESHOLDS: std::ops::RangeInclusive<i32> = -10..=120;
/// Most agents of which every pair is compared.
const MOST_PAIRED: usize = 8;

/// All agents of all suites, in the order of the first suite that has them.
pub(super) fn agents(results: &Results) -> Vec<String> {
    let mut agents: Vec<String> = Vec::new();
    for agent in results.suites.iter().flat_map(|s| &s.agents) {
        if !agents.contains(agent) {
            agents.push(agent.clone());
        }
    }
    // As within a suite.
    let rank = |a: &String| match a.as_str() {
        crate::results::RANDOM => 0,
        crate::results::ORACLE => 2,
        _ => 1,
    };
    agents.sort_by_key(rank);
    agents
}

/// A condition of a task in words; the protocol is named where there are several.
pub(super) fn place(results: &Results, suite: &Suite, task: usize, condition: Option<usize>) -> String {
    let of = &suite.protocol.tasks[task];
    let mut text = plain(&of.name);
    if results.suites.len() > 1 {
        text = format!("{} of {}", text, plain(&suite.protocol.name));
    }
    match condition {
        Some(condition) => format!("{text} under {}", plain(&of.conditions[condition].name)),
        None => text,
    }
}

/// The scores of the runs of each stratum.
fn scores_of(strata: &[Stratum]) -> Vec<Vec<f64>> {
    strata.iter().map(Stratum::scores).collect()
}

/// The runs of an agent over several suites.
pub(super) struct Field<'a> {
    pub(super) results: &'a Results,
    pub(super) family: Option<&'a str>,
    pub(super) scale: Scale,
}

impl Field<'_> {
    pub(super) fn suites<'s>(&'s self, agent: &'s str) -> impl Iterator<Item = (&'s Suite, usize)> {
        self.results.suites.iter().filter_map(move |suite| Some((suite, suite.agent(agent)?)))
    }

    pub(super) fn keeps(&self, suite: &Suite, task: usize) -> bool {
        self.family.is_none_or(|family| suite.family(task) == family)
    }

    fn strata(&self, agent: &str, held_out: bool) -> Vec<Stratum> {
        let of = |(suite, agent): (&Suite, usize)| {
            let keep = |t, c| suite.held_out(t, c) == held_out && self.keeps(suite, t);
            let places = suite.places(agent, self.scale, keep).into_iter();
            places.filter_map(|place| suite.stratum(place, self.scale)).collect::<Vec<_>>()
        };
        self.suites(agent).flat_map(of).collect()
    }

    fn halves(&self, agent: &str) -> Halves {
        self.suites(agent).flat_map(|(suite, a)| suite.halves(a, self.scale, |t| self.keeps(suite, t))).collect()
    }

    fn purpose<'p>(&'p self, agent: &'p str, what: &'p str) -> [&'p str; 4] {
        let scale = match self.scale {
            Scale::Human => "human",
            _ => "overall",
        };
        [scale, self.family.unwrap_or("*"), agent, what]
    }

    pub(super) fn gap(&self, agent: &str) -> Option<(Gap, usize)> {
        let halves = self.halves(agent);
        Some((Gap::of(&halves)?, halves.len()))
    }

    fn aggregates(&self, agent: &str, held_out: bool) -> Option<Aggregates> {
        let what = if held_out { "held-out" } else { "train" };
        Aggregates::of(&self.strata(agent, held_out), &self.purpose(agent, what))
    }
}

/// The first section: what there is to know, in words.
pub(super) fn summary(document: &mut Document, results: &Results, judged: &[Judged], incomplete: usize) {
    let field = Field { results, family: None, scale: Scale::Task };
    document.heading(2, "Summary");
    let agents = agents(results);
    overview::write(document, results, &agents);
    let names: Vec<String> = results.suites.iter().map(|s| plain(&s.protocol.title)).collect();
    let margins: Vec<f64> = results.suites.iter().map(|s| s.protocol.margin()).collect();
    let margin = margins.iter().copied().fold(f64::INFINITY, f64::min);
    document.paragraph(format!(
        "Does it generalise beyond what it was trained on? {} played {}: {}. Scores are percent of the way from the floor \
         (the best player without the ability) to the ceiling, with 95 % intervals; a gap of at most {} counts as \
         none. {}",
        count(agents.len(), "agent"),
        count(results.suites.len(), "protocol"),
        names.join("; "),
        in_points(margin),
        chance(results, &agents),
    ));
    if !results.notes.is_empty() {
        document.warning("These records do not fit together as they should:");
        document.list(results.notes.clone());
    }
    let mut table = Table::new(
        "Each agent over all tasks that have both halves: percent of the way from floor to ceiling, with 95 % intervals",
        1,
        &["agent", "verdict", "training", "held out", "generalisation gap", "gap, families alike", "tasks"],
    );
    table.words = vec![1];
    let mut stories = Vec::new();
    for agent in &agents {
        let story = story(&field, agent, margin);
        stories.push(story.tell());
        let mut row = vec![plain(agent)];
        if let Some((gap, tasks)) = story.gap {
            row.push(Verdict::of(&gap, margin).name().to_owned());
            row.extend([gap.train, gap.held_out, gap.gap].map(|m| percent(Some(m))));
            row.push(percent(story.alike.map(|gap| gap.gap)));
            row.push(tasks.to_string());
            table.rows.push(row);
        } else if let Some((score, conditions, _)) = story.apart {
            let none = || "–".to_owned();
            row.extend([Position::of(score, margin).name().to_owned(), none(), percent(Some(score)), none(), none()]);
            row.push(count(conditions, "condition"));
            table.rows.push(row);
        }
    }
    document.list(stories);
    if !judged.is_empty() {
        let of = |verdict: claims::Verdict| judged.iter().filter(|c| c.verdict == verdict).count();
        let absent = judged.iter().filter(|c| c.verdict == claims::Verdict::Undecided && !c.absent.is_empty()).count();
        let because = match absent {
            0 => String::new(),
            n => format!(", {n} of them because an agent that they speak of was not run"),
        };
        document.paragraph(format!(
            "Of {} about these agents, these records agree with {}, disagree with {}, and leave {} \
             undecided{because}.",
            count(judged.len(), "claim"),
            of(claims::Verdict::Agree),
            of(claims::Verdict::Disagree),
            of(claims::Verdict::Undecided)
        ));
    }
    if !results.failures.is_empty() || incomplete > 0 {
        let mut said = Vec::new();
        if !results.failures.is_empty() {
            said.push(format!("{} could not be played", count(results.failures.len(), "combination")));
        }
        if incomplete > 0 {
            said.push(format!("{} not played to the end", count(incomplete, "combination")));
        }
        document.warning(format!(
            "{} (of a task, a condition and an agent): see Failures. The numbers are of what was recorded.",
            said.join(", ")
        ));
    }
    document.table(table);
}

/// Which chances the intervals speak of.
fn chance(results: &Results, agents: &[String]) -> String {
    let runs = |agent: &String| {
        let cells = results.suites.iter().flat_map(|suite| {
            let own = suite.agent(agent);
            suite.cells.iter().filter(move |((_, _, a), _)| Some(*a) == own).map(|(_, cell)| cell.policies().len())
        });
        cells.max().unwrap_or(0)
    };
    let (several, one): (Vec<&String>, Vec<&String>) = agents.iter().partition(|agent| runs(agent) > 1);
    let named = |names: &[&String]| names.iter().map(|n| plain(n)).collect::<Vec<_>>().join(", ");
    match (several.is_empty(), one.is_empty()) {
        (true, _) => {
            "Each agent is one policy, and its intervals are over episodes: they say nothing of other training \
                      seeds."
                .to_owned()
        }
        (false, true) => "Each agent was trained several times, and intervals are over those runs.".to_owned(),
        (false, false) => format!(
            "Intervals of {} are over runs, each a training seed; those of {} are over the episodes of one policy, and \
             say nothing of other training seeds.",
            named(&several),
            named(&one)
        ),
    }
}

/// Whether an agent is something else than scripted policies.
fn trained(results: &Results, agent: &str) -> bool {
    let headers = results.suites.iter().flat_map(|suite| suite.cells.values()).map(|cell| &cell.recorded.header);
    headers.filter(|header| header.agent == agent).any(|header| !scripted(header))
}

fn story<'a>(field: &Field<'_>, agent: &'a str, margin: f64) -> Story<'a> {
    let (mut drops, mut above, mut apart) = (Vec::new(), Vec::new(), Vec::new());
    let (mut played, mut all): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for suite in &field.results.suites {
        for task in 0..suite.protocol.tasks.len() {
            let family = suite.family(task).to_owned();
            if suite.cells.keys().any(|(t, _, _)| *t == task) && !all.contains(&family) {
                all.push(family);
            }
        }
    }
    for (suite, number) in field.suites(agent) {
        for (task, condition, _) in suite.places(number, Scale::Task, |_, _| true) {
            let here = place(field.results, suite, task, Some(condition));
            let family = suite.family(task).to_owned();
            if !played.contains(&family) {
                played.push(family);
            }
            let Some(after) = suite.stratum((task, condition, number), Scale::Task) else { continue };
            let own = suite.protocol.margin();
            if let Some(score) = after.measured()
                && Position::of(score, own) == Position::AboveCeiling
            {
                above.push((here.clone(), score));
            }
            if !suite.held_out(task, condition) {
                continue;
            }
            let train = suite.places(number, Scale::Task, |t, c| t == task && !suite.held_out(t, c));
            let train: Vec<Stratum> = train.into_iter().filter_map(|p| suite.stratum(p, Scale::Task)).collect();
            if train.is_empty() {
                apart.push(after);
            } else if let Some(gap) = Gap::of(&vec![(train, vec![after])]) {
                drops.push(Drop { place: here, gap, margin: own });
            }
        }
    }
    let alone = (played.len() < all.len() && !played.is_empty()).then(|| played.join(" and "));
    let groups: Vec<Halves> = played
        .iter()
        .map(|family| Field { results: field.results, family: Some(family), scale: field.scale }.halves(agent))
        .filter(|halves| !halves.is_empty())
        .collect();
    let alike = if groups.len() > 1 { Gap::alike(&groups) } else { None };
    let sample = Sample::of(apart.iter());
    let apart = stratum::mean(&apart).map(|mean| (mean.measured(), apart.len(), sample));
    let trained = trained(field.results, agent);
    Story { agent, trained, alone, gap: field.gap(agent), alike, apart, drops, above, margin }
}

/// The families that were played, in the order of their first tasks.
pub(super) fn families(results: &Results) -> Vec<String> {
    let mut families: Vec<String> = Vec::new();
    for family in results.suites.iter().flat_map(Suite::families) {
        if !families.contains(&family) {
            families.push(family);
        }
    }
    families
}

/// The second section: aggregates, profiles and comparisons.
pub(super) fn aggregates(document: &mut Document, results: &Results) {
    let agents = agents(results);
    let field = Field { results, family: None, scale: Scale::Task };
    if agents.iter().all(|a| field.strata(a, true).is_empty() && field.strata(a, false).is_empty()) {
        return;
    }
    document.heading(2, "All tasks together");
    document.figures(figures(&field, &agents));
    let families = families(results);
    document.heading(3, "Training against held out, by family");
    // The summary has them all together.
    if families.len() > 1 {
        document.table(gaps(results, &families, &agents));
    }
    document.heading(3, "Aggregates");
    document.table(table(results, &families, &agents));
    document.table(human_by_condition(results));
    if agents.len() > 1 {
        document.heading(3, "Who is above whom");
        document.table(improvements(&field, &agents));
    }
    document.heading(3, "Tasks and agents");
    for suite in &results.suites {
        let board = Board::of_records(suite, Scale::Task);
        document.table(board.ranking(&format!("the records of {}", plain(&suite.protocol.title))));
        document.figures(board.heat(&board.parts(), "recorded"));
    }
}

fn gaps(results: &Results, families: &[String], agents: &[String]) -> Table {
    let mut table = Table::new(
        "Training, held out and the gap between them, over the tasks that have both: percent of the way from floor to \
         ceiling, with 95 % intervals",
        2,
        &["family", "agent", "verdict", "training", "held out", "generalisation gap", "tasks"],
    );
    table.words = vec![2];
    let margin = results.suites.iter().map(|s| s.protocol.margin()).fold(f64::INFINITY, f64::min);
    for family in families {
        let field = Field { results, family: Some(family), scale: Scale::Task };
        for agent in agents {
            let Some((gap, tasks)) = field.gap(agent) else {
                table.rows.extend(held_out_row(&field, family, agent, margin));
                continue;
            };
            table.rows.push(vec![
                plain(family),
                plain(agent),
                Verdict::of(&gap, margin).name().to_owned(),
                percent(Some(gap.train)),
                percent(Some(gap.held_out)),
                percent(Some(gap.gap)),
                tasks.to_string(),
            ]);
        }
    }
    table
}

/// Aggregates on the tasks' own scales, and means on others where they say something else.
/// The row of an agent that was asked nothing but what is held out: its score is placed between floor and ceiling.
fn held_out_row(field: &Field<'_>, family: &str, agent: &str, margin: f64) -> Option<Vec<String>> {
    let strata = field.strata(agent, true);
    let score = stratum::mean(&strata)?.measured();
    let none = || "–".to_owned();
    let mut row = vec![plain(family), plain(agent)];
    row.extend([Position::of(score, margin).name().to_owned(), none(), percent(Some(score)), none()]);
    row.push(count(strata.len(), "condition"));
    Some(row)
}

fn table(results: &Results, families: &[String], agents: &[String]) -> Table {
    let human = Field { results, family: None, scale: Scale::Human };
    let human = agents.iter().any(|a| [false, true].iter().any(|held_out| !human.strata(a, *held_out).is_empty()));
    let mut columns = vec![
        "family",
        "problems",
        "agent",
        "mean",
        "median",
        "interquartile mean",
        "optimality gap",
        "tasks and conditions",
    ];
    let mut caption = "Aggregates over tasks and runs in percent of the way from floor to ceiling".to_owned();
    if human {
        columns.push("mean, human-normalised");
        caption += ", and the mean between published random play and people";
    }
    let mut table = Table::new(format!("{caption}, with 95 % intervals"), 3, &columns);
    for family in families.iter().map(Some).chain([None]) {
        if family.is_none() && families.len() < 2 {
            continue;
        }
        let field = |scale| Field { results, family: family.map(String::as_str), scale };
        for (held_out, problems) in [(false, "training"), (true, "held out")] {
            for agent in agents {
                let Some(a) = field(Scale::Task).aggregates(agent, held_out) else { continue };
                let mut row = vec![family.map_or("all".to_owned(), |f| plain(f)), problems.to_owned(), plain(agent)];
                row.extend([a.mean, a.median, a.iqm, a.optimality_gap].map(|m| percent(Some(m))));
                row.push(a.strata.to_string());
                if human {
                    let mean = stratum::mean(&field(Scale::Human).strata(agent, held_out));
                    row.push(percent(mean.map(stratum::Contrast::measured)));
                }
                table.rows.push(row);
            }
        }
    }
    table
}

/// Human-normalised scores by condition, as they are and cut to 0 to 100.
fn human_by_condition(results: &Results) -> Table {
    let mut table = Table::new(
        "Human-normalised score by condition, mean over tasks: as it is, and with each task cut to 0 to 100",
        3,
        &["protocol", "condition", "agent", "mean", "mean, cut", "tasks"],
    );
    for suite in &results.suites {
        let mut names: Vec<&String> = Vec::new();
        for condition in suite.protocol.tasks.iter().flat_map(|t| &t.conditions) {
            if condition.human.is_some() && !names.contains(&&condition.name) {
                names.push(&condition.name);
            }
        }
        for name in names {
            for (agent, label) in suite.agents.iter().enumerate() {
                let named = |t: usize, c: usize| suite.protocol.tasks[t].conditions[c].name == *name;
                let places = suite.places(agent, Scale::Human, named);
                let strata: Vec<Stratum> =
                    places.into_iter().filter_map(|place| suite.stratum(place, Scale::Human)).collect();
                let raw = |scores: &[Vec<f64>]| aggregate::mean(scores);
                let cut = |scores: &[Vec<f64>]| {
                    let means = scores.iter().map(|s| Some(aggregate::average(s)?.clamp(0.0, 1.0)));
                    aggregate::average(&means.collect::<Option<Vec<f64>>>()?)
                };
                let points = scores_of(&strata);
                let (Some(a), Some(b)) = (raw(&points), cut(&points)) else { continue };
                let purpose = [suite.protocol.name.as_str(), name, label, "human"];
                let Some(mean) = stratum::mean(&strata) else { continue };
                let found = scaled(&[&strata], mean, seed(&purpose), RESAMPLES, |drawn| {
                    Some(vec![raw(&drawn[0])?, cut(&drawn[0])?])
                });
                let one = |value, i: usize| Measured { value, interval: found.as_ref().map(|f| f[i]) };
                table.rows.push(vec![
                    plain(&suite.protocol.name),
                    plain(name),
                    plain(label),
                    percent(Some(one(a, 0))),
                    percent(Some(one(b, 1))),
                    strata.len().to_string(),
                ]);
            }
        }
    }
    table
}

fn improvements(field: &Field<'_>, agents: &[String]) -> Table {
    let mut table = Table::new(
        "Probability that a run of the first agent scores above a run of the second on the same held-out task and \
         condition, ties counting half, with 95 % intervals",
        2,
        &["agent", "above", "probability", "tasks and conditions"],
    );
    for (i, left) in agents.iter().enumerate().take(MOST_PAIRED) {
        for right in agents.iter().take(MOST_PAIRED).skip(i + 1) {
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            for suite in &field.results.suites {
                let (Some(a), Some(b)) = (suite.agent(left), suite.agent(right)) else { continue };
                for (t, c, _) in suite.places(a, Scale::Task, |t, c| suite.held_out(t, c)) {
                    let both = suite.stratum((t, c, a), Scale::Task).zip(suite.stratum((t, c, b), Scale::Task));
                    if let Some((mine, other)) = both {
                        ours.push(mine);
                        theirs.push(other);
                    }
                }
            }
            let statistic = |drawn: &[Vec<Vec<f64>>]| aggregate::probability_of_improvement(&drawn[1], &drawn[0]);
            let Some(value) = statistic(&[scores_of(&ours), scores_of(&theirs)]) else { continue };
            let purpose = ["improvement", left.as_str(), right];
            let sides = [(&ours, 1.0), (&theirs, -1.0)];
            let terms = sides.iter().flat_map(|(side, sign)| side.iter().map(move |s| (sign / side.len() as f64, s)));
            let statistic = |drawn: &[Vec<Vec<f64>>]| Some(vec![statistic(drawn)?]);
            let difference = contrast(&terms.collect::<Vec<_>>());
            let found = difference.and_then(|d| scaled(&[&ours, &theirs], d, seed(&purpose), RESAMPLES, statistic));
            let within = |i: Interval| Interval { low: i.low.max(0.0), high: i.high.min(1.0) };
            let interval = found.map(|found| within(found[0]));
            table.rows.push(vec![
                plain(right),
                plain(left),
                measured(Some(Measured { value, interval })),
                ours.len().to_string(),
            ]);
        }
    }
    table
}

fn figures(field: &Field<'_>, agents: &[String]) -> Vec<Figure> {
    let mut figures = Vec::new();
    let thresholds: Vec<f64> = THRESHOLDS.map(|t| f64::from(t) / 100.0).collect();
    for (held_out, what) in [(true, "held-out problems"), (false, "training problems")] {
        let mut profiles = Vec::new();
        for (agent, name) in agents.iter().enumerate() {
            let strata = field.strata(name, held_out);
            let Some(shares) = aggregate::profile(&scores_of(&strata), &thresholds) else { continue };
            let purpose = field.purpose(name, if held_out { "profile held-out" } else { "profile train" });
            let bands = stratum::mean(&strata).and_then(|mean| {
                scaled(&[&strata], mean, seed(&purpose), RESAMPLES, |drawn| aggregate::profile(&drawn[0], &thresholds))
            });
            let point = |(i, &share): (usize, &f64)| {
                let (low, high) = bands.as_ref().map_or((share, share), |b| (b[i].low.max(0.0), b[i].high.min(1.0)));
                (thresholds[i], share, low, high)
            };
            let points = shares.iter().enumerate().map(point).collect();
            profiles.push(Profile { agent, name: name.clone(), points });
        }
        if !profiles.is_empty() {
            let title = format!("Performance profiles on {what}");
            let caption = format!(
                "{title}: which share of runs scores above a threshold. Higher is better; bands are 95 % intervals."
            );
            figures.push(Figure { caption, svg: plots::profiles(&title, &profiles) });
        }
    }
    let mut clouds = Vec::new();
    for (agent, name) in agents.iter().enumerate() {
        let tasks: Vec<(f64, f64)> = field
            .halves(name)
            .iter()
            .filter_map(|(train, held_out)| {
                Some((aggregate::mean(&scores_of(train))?, aggregate::mean(&scores_of(held_out))?))
            })
            .collect();
        if !tasks.is_empty() {
            clouds.push(Cloud { agent, name: name.clone(), tasks });
        }
    }
    if !clouds.is_empty() {
        let title = "Held out against training";
        let caption =
            "Held out against training, a mark per task. Below the line, training promised more than was kept.";
        figures.push(Figure { caption: caption.to_owned(), svg: plots::scatter(title, &clouds) });
    }
    figures
}
