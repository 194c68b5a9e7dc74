//! What a trained speaker says of stimuli, outside any game.
//!
//! It plays an episode to its end first, as its words may come about only there; what it remembers then is held still, and every
//! stimulus is shown to it as the beginning of one more query game. Copies that all play the same episode are asked one stimulus
//! each, so nothing needs to be put back.

use heldout_agents::Checkpoint;
use heldout_agents::player::Moment;
use heldout_core::{Autoreset, Buffers, Dtype, Options, Reset, Seed, Seeding, Speaker, Spec, Stimuli};
use heldout_envs::find;
use serde_json::{Map, Value};

/// The agent that speaks.
const SPEAKER: &str = "speaker";
/// Fields that tell how far a game is: as at its beginning.
const OF_THE_GAME: [&str; 4] = ["message", "message_tokens", "round", "action_mask"];
/// The field of what is spoken of, and of what was said in the speaker's own words.
const STIMULUS: &str = "stimulus";
const SAID: &str = "message_tokens";

/// Whether agents of an environment with this spec can be asked.
pub(crate) fn speaks(spec: &Spec) -> bool {
    spec.agent(SPEAKER).is_some() && [STIMULUS, SAID].iter().all(|name| spec.field(name).is_some())
}

/// A trained speaker.
pub(crate) struct Speaking(pub(crate) Checkpoint);

/// The number of the speaker's row of a copy.
fn row(spec: &Spec, copy: usize) -> usize {
    copy * spec.agents.len() + spec.agent(SPEAKER).unwrap_or(0)
}

impl Speaker for Speaking {
    fn utter(&self, stimuli: &Stimuli<'_>) -> Result<Vec<u32>, String> {
        let run = &self.0.run;
        let mut config: Map<String, Value> = stimuli.config.as_object().cloned().unwrap_or_default();
        config.extend(run.view.clone());
        let copies = stimuli.numbers.len() / stimuli.width;
        let entry = find(&run.id).map_err(|error| error.to_string())?;
        let options = Options { autoreset: Autoreset::Disabled, ..Options::default() };
        let mut env = entry.make(&config, copies, options).map_err(|error| error.to_string())?;
        let spec = env.spec().clone();
        let mut player = self.0.player(&spec).map_err(|error| error.to_string())?;
        let seeds = vec![stimuli.seed; copies];
        let each: Vec<Option<Seed>> = seeds.iter().copied().map(Some).collect();
        let begin = Reset { seeds: Seeding::Copies(&each), ..Reset::default() };
        let mut first = Buffers::new(&spec, copies);
        env.reset(begin, first.output()).map_err(|error| error.to_string())?;
        let mut now = first.clone();
        let mut actions = vec![0; copies * spec.action_width()];
        let (mut rewards, mut starts) = (vec![0.0; now.rewards.len()], vec![true; copies]);
        let mut act = |now: &Buffers, rewards: &[f32], starts: &[bool], actions: &mut Vec<i32>| {
            let done = actions.clone();
            let (observation, metrics) = (now, &now.metrics[..]);
            let moment = Moment { observation, rewards, metrics, starts, seeds: &seeds, done: Some(&done) };
            player.act(&moment, actions).map_err(|error| error.to_string())
        };
        while !now.status[0].ended() {
            act(&now, &rewards, &starts, &mut actions)?;
            env.step(&actions, now.output()).map_err(|error| error.to_string())?;
            rewards.copy_from_slice(&now.rewards);
            starts.fill(false);
        }
        show(&mut now, &first, &spec, stimuli)?;
        act(&now, &rewards, &starts, &mut actions)?;
        // What was said in its own words is what it is shown after having said it.
        env.reset(begin, first.output()).map_err(|error| error.to_string())?;
        env.step(&actions, first.output()).map_err(|error| error.to_string())?;
        let said = spec.field(SAID).ok_or("there are no words")?;
        let rows = first.rows();
        let of =
            |copy: usize| rows.row(row(&spec, copy)).i32(said).iter().map(|&token| token as u32).collect::<Vec<_>>();
        Ok((0..copies).flat_map(of).collect())
    }
}

/// Shows each copy its own stimulus, at the beginning of one more game.
fn show(now: &mut Buffers, first: &Buffers, spec: &Spec, stimuli: &Stimuli<'_>) -> Result<(), String> {
    let field = spec.field(STIMULUS).ok_or("there are no stimuli")?;
    if spec.observation[field].dtype != Dtype::F32 || spec.observation[field].len() != stimuli.width {
        let len = spec.observation[field].len();
        return Err(format!(
            "a stimulus has {} numbers, and {len} are shown: one at a time can be asked",
            stimuli.width
        ));
    }
    let (begun, mut rows) = (first.rows(), now.output().rows);
    for (copy, numbers) in stimuli.numbers.chunks_exact(stimuli.width).enumerate() {
        let at = row(spec, copy);
        for of_game in OF_THE_GAME.iter().filter_map(|name| spec.field(name)) {
            match spec.observation[of_game].dtype {
                Dtype::F32 => rows.row(at).f32(of_game).copy_from_slice(begun.row(at).f32(of_game)),
                Dtype::I32 => rows.row(at).i32(of_game).copy_from_slice(begun.row(at).i32(of_game)),
                Dtype::U8 => rows.row(at).u8(of_game).copy_from_slice(begun.row(at).u8(of_game)),
            }
        }
        rows.row(at).f32(field).copy_from_slice(numbers);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of a field in a row.
    fn numbers(buffers: &Buffers, spec: &Spec, row: usize, field: &str) -> Vec<f32> {
        let field = spec.field(field).unwrap();
        let rows = buffers.rows();
        let row = rows.row(row);
        match spec.observation[field].dtype {
            Dtype::F32 => row.f32(field).to_vec(),
            Dtype::I32 => row.i32(field).iter().map(|&x| x as f32).collect(),
            Dtype::U8 => row.u8(field).iter().map(|&x| f32::from(x)).collect(),
        }
    }

    #[test]
    fn a_stimulus_is_shown_as_one_more_query_game_begins_after_the_episodes_end() {
        let entry = heldout_envs::entries().find(|entry| speaks(entry.default_batch().spec())).unwrap();
        let options = Options { autoreset: Autoreset::Disabled, ..Options::default() };
        let copies = 3;
        let mut env = entry.make(&Map::new(), copies, options).unwrap();
        let spec = env.spec().clone();
        let each = vec![Some(Seed(5)); copies];
        let mut first = Buffers::new(&spec, copies);
        env.reset(Reset { seeds: Seeding::Copies(&each), ..Reset::default() }, first.output()).unwrap();
        let mut end = first.clone();
        for agent in 0..spec.agents.len() {
            env.seat(agent, "random", Seed(1)).unwrap();
        }
        let mut actions = vec![0; copies * spec.action_width()];
        while !end.status[0].ended() {
            env.act(&end.rows(), &mut actions).unwrap();
            env.step(&actions, end.output()).unwrap();
        }
        let width = numbers(&first, &spec, 0, STIMULUS).len();
        let shown: Vec<f32> = (0..copies * width).map(|i| i as f32 / 100.0).collect();
        let stimuli = Stimuli { config: &Value::Null, seed: Seed(5), numbers: &shown, width, length: 3, vocabulary: 6 };
        let mut now = end.clone();
        show(&mut now, &first, &spec, &stimuli).unwrap();
        let mut changed = 0;
        for copy in 0..copies {
            let speaker = row(&spec, copy);
            for field in &spec.observation {
                let [now, begun, ended] =
                    [&now, &first, &end].map(|buffers| numbers(buffers, &spec, speaker, field.name));
                let name = field.name;
                if name == STIMULUS {
                    assert_eq!(now, shown[copy * width..][..width]);
                } else if OF_THE_GAME.contains(&name) {
                    // Nothing was said in this game, and it is in its first round.
                    assert_eq!(now, begun, "{name}");
                    changed += usize::from(begun != ended);
                } else {
                    // The phase is that of query games, and the last game is remembered.
                    assert_eq!(now, ended, "{name}");
                }
            }
        }
        assert!(changed > 0, "an episode ends elsewhere than games begin");
        // One number too few.
        let short = Stimuli { width: width - 1, numbers: &shown[..copies * (width - 1)], ..stimuli };
        assert!(show(&mut now, &first, &spec, &short).unwrap_err().contains("one at a time"));
    }
}
