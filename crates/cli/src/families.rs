//! The subcommands that families bring: their descriptions become arguments here, and their work is called.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches};
use heldout_agents::eoa::{Language, Lesson};
use heldout_core::{Acquired, Argument, Call, Command, CommandError, Entry, Family, Host, Playing, Said, Speaker};
use heldout_envs::FAMILIES;
use heldout_eval::entrant::{Entrant, Place};
use heldout_eval::{Episodes, Run, settings};
use indicatif::ProgressBar;
use serde_json::{Map, Value};

use crate::{Failed, files, progress, run};

const SET: &str = "set";
const JSON: &str = "json";

/// Every subcommand with its family.
fn all() -> impl Iterator<Item = (&'static Family, &'static Command)> {
    FAMILIES.iter().flat_map(|family| family.commands.iter().map(|command| (*family, command)))
}

/// What a word before several subcommands stands for.
fn about(group: &str) -> &'static str {
    let family = FAMILIES.iter().find(|family| family.name == group).map(|family| family.about);
    // A word that is no family's stands before a command of one: what that says.
    family.or_else(|| all().find(|(_, command)| command.path[0] == group).map(|(_, c)| c.about)).unwrap_or_default()
}

/// Adds the families' subcommands to the command line.
pub(crate) fn add(mut line: clap::Command) -> clap::Command {
    let groups: BTreeSet<&str> = all().map(|(_, command)| command.path[0]).collect();
    for group in groups {
        let own = all().filter(|(_, command)| command.path[0] == group).map(|(_, command)| described(command));
        let group = clap::Command::new(group).about(about(group)).subcommand_required(true).subcommands(own);
        line = line.subcommand(group.arg_required_else_help(true));
    }
    line
}

/// A subcommand as clap describes it.
fn described(command: &Command) -> clap::Command {
    let mut line = clap::Command::new(command.path[1]).about(command.about);
    for argument in command.arguments {
        line = line.arg(arg(argument));
    }
    if command.settings {
        let set = Arg::new(SET).long(SET).value_name("KEY=VALUE").action(ArgAction::Append);
        line = line.arg(set.help("Sets a key of the config: a TOML value, else a string; `preset=NAME` applies first"));
    }
    line.arg(Arg::new(JSON).long(JSON).action(ArgAction::SetTrue).help("Prints one JSON value"))
}

fn arg(argument: &Argument) -> Arg {
    let mut arg = Arg::new(argument.name).help(argument.about).required(argument.required);
    if !argument.positional {
        arg = arg.long(argument.name);
    }
    let Some(value) = argument.value else { return arg.action(ArgAction::SetTrue) };
    arg = arg.value_name(value).action(if argument.many { ArgAction::Append } else { ArgAction::Set });
    if argument.many && argument.positional {
        arg = arg.num_args(1..);
    }
    if let Some(default) = argument.default {
        arg = arg.default_value(default);
    }
    match argument.variable {
        Some(variable) => arg.env(variable),
        None => arg,
    }
}

/// Runs the family's subcommand that was called; `None` if none was.
pub(crate) fn run(matches: &ArgMatches) -> Option<anyhow::Result<()>> {
    let (group, inner) = matches.subcommand()?;
    let (name, given) = inner.subcommand()?;
    let (_, command) = all().find(|(_, command)| command.path == [group, name])?;
    Some(execute(command, given))
}

fn execute(command: &Command, given: &ArgMatches) -> anyhow::Result<()> {
    let mut values = BTreeMap::new();
    for argument in command.arguments {
        let of: Vec<String> = if argument.value.is_none() {
            if !given.get_flag(argument.name) {
                continue;
            }
            vec![String::new()]
        } else {
            given.get_many::<String>(argument.name).into_iter().flatten().cloned().collect()
        };
        if !of.is_empty() {
            values.insert(argument.name, of);
        }
    }
    let overrides = if command.settings {
        let set: Vec<String> = given.get_many(SET).into_iter().flatten().cloned().collect();
        settings::overrides(&set)?
    } else {
        Map::new()
    };
    let mut host = Terminal::default();
    let mut call = Call { values, overrides, find: heldout_envs::find, host: &mut host };
    let said = (command.run)(&mut call);
    host.end();
    let Said { text, json, failed } = said.map_err(|error| anyhow::anyhow!("{error}"))?;
    if given.get_flag(JSON) {
        crate::print_json(&json)?;
    } else {
        crate::print(&text)?;
    }
    if failed { Err(Failed.into()) } else { Ok(()) }
}

/// The terminal, as families' commands use it.
#[derive(Default)]
struct Terminal {
    bar: Option<ProgressBar>,
}

impl Host for Terminal {
    fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
        files::write(path, bytes).map_err(|error| format!("{error:#}").into())
    }

    fn begin(&mut self, total: u64, unit: &'static str) {
        self.bar = Some(progress::bar(total, unit));
    }

    fn tick(&mut self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn speakers(
        &mut self,
        path: &Path,
        entry: &'static Entry,
        config: &Value,
    ) -> Result<Vec<Arc<dyn Speaker>>, CommandError> {
        let told = |problem: String| format!("`{}`: {problem}", path.display());
        let agent = crate::trained::open(path).map_err(told)?;
        let place = |run| Place { entry, protocol: "", task: "", set: config.as_object(), run, seed: 0 };
        if !agent.enters(&place(0)) {
            let other = crate::trained::set_otherwise(path, entry, config).map_err(told)?;
            let none = || format!("holds no one policy, or several seeds of one, for `{}`", entry.id());
            return Err(told(other.unwrap_or_else(none)).into());
        }
        let found: Option<Vec<_>> = (0..agent.runs(&place(0))).map(|run| agent.speaker(&place(run))).collect();
        Ok(found.ok_or_else(|| format!("`{}` holds no agent that speaks", path.display()))?)
    }

    fn acquire(&mut self, language: &Acquired<'_>) -> Result<f64, CommandError> {
        let &Acquired { stimuli, width, messages, length, vocabulary, meanings, held_out, epochs, seed } = language;
        let language = Language { stimuli, width, messages, length, vocabulary, meanings, held_out };
        Ok(language.ease_of_acquisition(&Lesson { epochs, ..Lesson::default() }, seed)?)
    }

    fn play(&mut self, playing: &Playing<'_>) -> Result<Vec<f32>, CommandError> {
        let &Playing { entry, overrides, policy, seed, metric } = playing;
        let entrant = &Entrant::unchecked(policy, &crate::trained::open)?;
        let run = Run { entry, overrides, entrant, episodes: Episodes::All, seed, threads: run::cores() };
        let bar = progress::bar(0, "episodes");
        let played = run.play(|done, total| {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        });
        bar.finish_and_clear();
        let played = played?;
        let known = played.names.iter().position(|name| name == metric);
        let at = known.ok_or_else(|| format!("`{}` has no metric `{metric}`", entry.id()))?;
        Ok(played.episodes.iter().map(|episode| episode.metrics[at]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clap refuses a description that contradicts itself.
    #[test]
    fn descriptions_are_sound() {
        add(clap::Command::new("heldout")).debug_assert();
    }

    #[test]
    fn no_two_commands_share_their_words() {
        let paths: BTreeSet<_> = all().map(|(_, command)| command.path).collect();
        assert_eq!(paths.len(), all().count());
        assert!(all().all(|(family, command)| command.path.contains(&family.name)));
    }
}
