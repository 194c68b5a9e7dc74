//! The rules of an episode of meta-referential games, which both environments share.
//!
//! An episode is a list of games: first those of the support phase, then those of the query phase. In each the speaker
//! is shown a target; it speaks for some rounds; the listener says which of its stimuli has the target's meaning, if any
//! has; then, with feedback, it is shown what the speaker saw. Every game follows from the episode's seed and its number
//! alone, so what agents do never changes what they are given.

use heldout_core::check::{all_within, below, count, that, within};
use heldout_core::{Rng, Seed, Spec, Start, Status};
use serde::{Deserialize, Serialize};

use crate::codec::{Act, Codec, EOS, MAX_LENGTH, Message, Role, regular};
use crate::config::{Actions, MAX_DISTRACTORS, Pool, QueryBalance, Settings};
use crate::observe::Layout;
use crate::space::{MAX_DIMS, Meaning, Space};
use crate::speaker::{MAX_UTTERANCE, SpeakerRule, Tongue, Utterance, window};
use crate::split::{Halves, QueryRule, Sampler, SupportRule, longest_list, make_room};

/// Most stimuli of the listener.
const MAX_SLOTS: usize = MAX_DISTRACTORS as usize + 1;
/// Length of the vector that names a partner (public code).
pub(crate) const PARTNER: usize = 10;
/// Games that an episode remembers for its picture.
pub(crate) const HISTORY: usize = 12;
/// Tokens that it remembers of each.
pub(crate) const REMEMBERED: usize = 16;

/// One stimulus: a meaning in one of its looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stimulus {
    pub(crate) meaning: Meaning,
    /// Which of the frozen samples shows it.
    pub(crate) sample: u8,
}

/// One game, as it is prepared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Game {
    /// What the speaker is shown.
    pub(crate) target: Stimulus,
    /// The target in another look or its stand-in, then the distractors.
    slots: [Stimulus; MAX_SLOTS],
    /// Which slot stands at each position of the listener's stimuli.
    order: [u8; MAX_SLOTS],
    /// The right decision.
    pub(crate) answer: u8,
    /// Whether it belongs to the query phase.
    pub(crate) query: bool,
    /// Whether the support phase had too few meanings for its distractors, so that held-out ones were used.
    pub(crate) pool_widened: bool,
}

impl Game {
    /// The stimulus at `position` of the listener's.
    pub(crate) fn stimulus(&self, position: usize) -> Stimulus {
        self.slots[usize::from(self.order[position])]
    }
}

/// What was done in one game, for the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Turn {
    pub(crate) decision: Option<u8>,
    pub(crate) decided: bool,
    pub(crate) right: bool,
    /// The first tokens said, in the speaker's view.
    pub(crate) said: [u8; REMEMBERED],
}

/// Games of one phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) games: u32,
    pub(crate) right: u32,
}

impl Tally {
    pub(crate) fn accuracy(self) -> f32 {
        self.right as f32 / self.games.max(1) as f32
    }

    fn count(&mut self, right: bool) {
        self.games += 1;
        self.right += u32::from(right);
    }
}

/// The query games, by what the listener was shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Breakdown {
    /// The target.
    pub(crate) present: Tally,
    /// A stand-in that is itself held out.
    pub(crate) absent_held_out: Tally,
    /// A stand-in that differs from the target in one dimension, in two, and so on.
    pub(crate) absent_by_difference: [Tally; MAX_DIMS],
}

impl Breakdown {
    /// Games whose stand-in differs in `difference` dimensions, in an episode that also shows a target to compare with.
    pub(crate) fn games(&self, difference: usize) -> u32 {
        if self.present.games == 0 { 0 } else { self.absent_by_difference[difference - 1].games }
    }

    /// Mean of hits where the target was there and rejections where a stand-in with that difference was.
    pub(crate) fn balanced_accuracy(&self, difference: usize) -> f32 {
        match self.games(difference) {
            0 => 0.0,
            _ => 0.5 * (self.present.accuracy() + self.absent_by_difference[difference - 1].accuracy()),
        }
    }
}

/// Everything that changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Episode {
    seed: Seed,
    pub(crate) space: Space,
    pub(crate) halves: Halves,
    /// The support list, then the query list.
    targets: Vec<Meaning>,
    /// Length of the support list.
    listed: u32,
    /// The listener's view of each token of the speaker's, and the reverse.
    pub(crate) permutation: Vec<u8>,
    inverse: Vec<u8>,
    pub(crate) partner: [f32; PARTNER],
    pub(crate) game: u32,
    /// Communication round, then the decision, then the feedback.
    round: u8,
    /// Whether the last game was decided and nothing follows.
    pub(crate) over: bool,
    pub(crate) now: Game,
    pub(crate) speaker_sees: Vec<f32>,
    pub(crate) listener_sees: Vec<f32>,
    utterance: Utterance,
    /// What the speaker said last, in its own view.
    heard: Message,
    /// What the listener said last, in its own view.
    asked: Message,
    /// What the speaker and the listener did last, if anything yet.
    previous: [Option<Act>; 2],
    pub(crate) reward: f32,
    pub(crate) last_right: Option<bool>,
    pub(crate) last_game_reward: f32,
    pub(crate) support: Tally,
    pub(crate) query: Tally,
    pub(crate) breakdown: Breakdown,
    turns: [Turn; HISTORY],
    /// Under `skip_idle`, the observations since the last decision.
    pub(crate) block: Vec<f32>,
}

impl Episode {
    /// The targets of the support phase, in order; one pass.
    pub(crate) fn support_targets(&self) -> &[Meaning] {
        &self.targets[..self.listed as usize]
    }

    /// The targets of the query phase, in order.
    pub(crate) fn query_targets(&self) -> &[Meaning] {
        &self.targets[self.listed as usize..]
    }

    /// Round of the game: communication rounds, then the decision, then the feedback.
    pub(crate) fn round(&self) -> u32 {
        u32::from(self.round)
    }

    pub(crate) fn turn(&self, game: u32) -> &Turn {
        &self.turns[game as usize % HISTORY]
    }

    fn turn_mut(&mut self) -> &mut Turn {
        &mut self.turns[self.game as usize % HISTORY]
    }

    pub(crate) fn previous(&self, role: Role) -> Option<&Act> {
        self.previous[role as usize].as_ref()
    }
}

/// The rules that both environments share.
#[derive(Debug)]
pub(crate) struct Rulebook {
    pub(crate) settings: Settings,
    pub(crate) tongue: Tongue,
    /// The speaker's and the listener's.
    codecs: [Codec; 2],
    pub(crate) layout: Layout,
    pub(crate) spec: Spec,
}

impl Rulebook {
    pub(crate) fn new(settings: Settings, roles: &'static [Role]) -> Self {
        let codecs = [Codec::new(&settings, Role::Speaker), Codec::new(&settings, Role::Listener)];
        let layout = Layout::new(&settings, &codecs, roles);
        let spec = crate::observe::spec(&settings, &codecs, &layout, roles);
        Self { tongue: Tongue::new(&settings), codecs, layout, spec, settings }
    }

    pub(crate) fn codec(&self, role: Role) -> &Codec {
        &self.codecs[role as usize]
    }

    /// Whether `role` may decide, and whether it may speak, as the episode stands.
    pub(crate) fn may(&self, ep: &Episode, role: Role) -> (bool, bool) {
        if ep.over {
            return (false, false);
        }
        let rounds = self.settings.rounds as u8;
        match role {
            Role::Speaker => (false, ep.round < rounds || self.settings.speak_any_time),
            Role::Listener => (ep.round == rounds, self.settings.listener_query && ep.round < rounds),
        }
    }

    /// Games of the episode.
    pub(crate) fn games(&self, ep: &Episode) -> u32 {
        ep.listed * self.settings.support_passes + (ep.targets.len() as u32 - ep.listed)
    }

    /// Makes room for the longest lists.
    pub(crate) fn reserve(&self, ep: &mut Episode) {
        let s = &self.settings;
        let most_values = s.space.dims as u32 * u32::from(s.space.max_values);
        let meanings = u32::from(s.space.max_values).pow(s.space.dims as u32);
        let sampled = longest_list(most_values, s.shots);
        let support = if s.support_rule == SupportRule::All { meanings as usize } else { sampled };
        let query = match s.query_rule {
            QueryRule::All => meanings as usize,
            QueryRule::Original => sampled.max((meanings * s.space.samples) as usize),
        };
        make_room(&mut ep.targets, support + query);
        ep.halves.grow(meanings);
    }

    pub(crate) fn start(&self, start: Start) -> Episode {
        let s = &self.settings;
        let width = s.space.width();
        let seen = if s.full_observation { s.slots() } else { 1 };
        let block = if s.skip_idle { s.observations() * self.layout.width(Role::Listener) } else { 0 };
        let mut ep = Episode {
            seed: start.seed,
            space: Space::reserve(&s.space),
            halves: Halves::default(),
            targets: Vec::new(),
            listed: 0,
            permutation: vec![0; s.vocabulary as usize + 1],
            inverse: vec![0; s.vocabulary as usize + 1],
            partner: [0.0; PARTNER],
            game: 0,
            round: 0,
            over: false,
            now: Game::default(),
            speaker_sees: vec![0.0; seen * width],
            listener_sees: vec![0.0; s.slots() * width],
            utterance: [EOS; MAX_UTTERANCE],
            heard: [EOS; MAX_LENGTH],
            asked: [EOS; MAX_LENGTH],
            previous: [None; 2],
            reward: 0.0,
            last_right: None,
            last_game_reward: 0.0,
            support: Tally::default(),
            query: Tally::default(),
            breakdown: Breakdown::default(),
            turns: [Turn::default(); HISTORY],
            block: vec![0.0; block],
        };
        self.reserve(&mut ep);
        self.restart(&mut ep, start);
        ep
    }

    pub(crate) fn restart(&self, ep: &mut Episode, start: Start) {
        let (s, seed) = (&self.settings, start.seed);
        ep.seed = seed;
        ep.space.redraw(&s.space, seed);
        ep.halves.redraw(s.split, ep.space.structure(), seed);
        self.list_targets(ep);
        for (i, token) in ep.permutation.iter_mut().enumerate() {
            *token = i as u8;
        }
        if s.permute {
            seed.stream("permutation").rng().shuffle(&mut ep.permutation[1..]);
        }
        for (i, &token) in ep.permutation.iter().enumerate() {
            ep.inverse[usize::from(token)] = i as u8;
        }
        if s.partner_id {
            let mut rng = seed.stream("partner").rng();
            ep.partner.fill_with(|| rng.unit() as f32);
        }
        ep.previous = [None; 2];
        (ep.reward, ep.last_right, ep.last_game_reward) = (0.0, None, 0.0);
        (ep.support, ep.query, ep.over) = (Tally::default(), Tally::default(), false);
        ep.breakdown = Breakdown::default();
        ep.turns = [Turn::default(); HISTORY];
        self.begin_game(ep, 0);
        if s.skip_idle {
            ep.block.fill(0.0);
            self.skip(ep);
        }
    }

    fn list_targets(&self, ep: &mut Episode) {
        let s = &self.settings;
        let (structure, halves) = (ep.space.structure(), &ep.halves);
        let sampler = |set| Sampler { structure, set, halves, shots: s.shots, samples: s.space.samples };
        ep.targets.clear();
        let mut rng = ep.seed.stream("support").rng();
        match s.support_rule {
            SupportRule::Weighted => sampler(halves.support()).weighted(&mut rng, &mut ep.targets),
            SupportRule::Compact => sampler(halves.support()).compact(&mut rng, &mut ep.targets),
            SupportRule::All => ep.targets.extend_from_slice(halves.support()),
        }
        ep.listed = ep.targets.len() as u32;
        let mut rng = ep.seed.stream("query").rng();
        let few = s.shots * structure.total_values() > halves.query().len() as u32 * s.space.samples;
        match s.query_rule {
            QueryRule::All => {
                ep.targets.extend_from_slice(halves.query());
                rng.shuffle(&mut ep.targets[ep.listed as usize..]);
            }
            // On two dimensions the held-out meanings lack some values: the sampler could never finish.
            QueryRule::Original if few || s.space.dims == 2 => {
                let copies = s.space.samples as usize;
                ep.targets.extend(halves.query().iter().flat_map(|&m| std::iter::repeat_n(m, copies)));
            }
            QueryRule::Original => sampler(halves.query()).weighted(&mut rng, &mut ep.targets),
        }
        if s.query_balance == QueryBalance::Balanced {
            let (mut rng, held_out) = (ep.seed.stream("query-balance").rng(), halves.query());
            for target in &mut ep.targets[ep.listed as usize..] {
                *target = held_out[rng.below(held_out.len() as u32) as usize];
            }
        }
    }

    /// Game number `game` of the episode: a function of the seed alone.
    pub(crate) fn prepare(&self, ep: &Episode, game: u32) -> Game {
        let s = &self.settings;
        let mut rng = ep.seed.stream("games").derive(u64::from(game)).rng();
        let support_games = ep.listed * s.support_passes;
        let query = game >= support_games;
        let at = if query { ep.listed + game - support_games } else { game % ep.listed };
        let meaning = ep.targets[at as usize];
        let look = |rng: &mut Rng| rng.below(s.space.samples) as u8;
        let target = Stimulus { meaning, sample: look(&mut rng) };
        let present = !s.descriptive || rng.chance(s.target_ratio);
        let mut pick = Pick { rulebook: self, ep, query, widened: false, taken: [meaning; MAX_SLOTS + 1], count: 1 };
        // Whether or not the target is there: a widened pool must not tell.
        pick.widen_if_short(s.slots() - usize::from(!s.descriptive));
        let mut slots = [Stimulus::default(); MAX_SLOTS];
        for (i, slot) in slots[..s.slots()].iter_mut().enumerate() {
            let meaning = if i == 0 && present { meaning } else { pick.next(&mut rng) };
            *slot = Stimulus { meaning, sample: look(&mut rng) };
        }
        let mut order: [u8; MAX_SLOTS] = std::array::from_fn(|i| i as u8);
        rng.shuffle(&mut order[..s.slots()]);
        let position = order.iter().position(|&slot| slot == 0).unwrap_or(0);
        let answer = if present { position } else { s.slots() } as u8;
        Game { target, slots, order, answer, query, pool_widened: pick.widened }
    }

    fn begin_game(&self, ep: &mut Episode, game: u32) {
        let s = &self.settings;
        let now = self.prepare(ep, game);
        (ep.game, ep.round, ep.now) = (game, 0, now);
        ep.heard = [EOS; MAX_LENGTH];
        ep.asked = [EOS; MAX_LENGTH];
        *ep.turn_mut() = Turn::default();
        let width = s.space.width();
        for (i, out) in ep.speaker_sees.chunks_exact_mut(width).enumerate() {
            let shown = if i == 0 { now.target } else { now.slots[i] };
            ep.space.show(&s.space, shown.meaning, shown.sample, out);
        }
        for (i, out) in ep.listener_sees.chunks_exact_mut(width).enumerate() {
            let shown = now.stimulus(i);
            ep.space.show(&s.space, shown.meaning, shown.sample, out);
        }
        if let Some(rule) = s.speaker {
            ep.utterance = self.utterance(ep, rule, &now);
        }
    }

    /// What the rule-based speaker says of the target of `game`.
    fn utterance(&self, ep: &Episode, rule: SpeakerRule, game: &Game) -> Utterance {
        let words = ep.seed.stream("speaker");
        let mut rng = words.derive(u64::from(ep.game)).rng();
        self.tongue.utter(rule, ep.space.structure(), game.target.meaning, words, &mut rng)
    }

    /// What of `act` counts for an agent that may decide, may speak, or neither: the rest is ignored.
    fn effective(&self, act: &Act, (decides, speaks): (bool, bool)) -> Act {
        if self.settings.actions == Actions::Combined {
            return if decides || speaks { *act } else { Act::NOTHING };
        }
        Act {
            decision: act.decision.filter(|_| decides),
            message: if speaks { act.message } else { [EOS; MAX_LENGTH] },
        }
    }

    /// One step in which the rule-based speaker speaks.
    pub(crate) fn step_with_speaker(&self, ep: &mut Episode, listener: &Act) -> (f32, Status) {
        if !self.settings.skip_idle {
            let said = self.scripted(ep);
            return self.step(ep, &said, listener);
        }
        ep.block.fill(0.0);
        let said = self.scripted(ep);
        let (reward, status) = self.step(ep, &said, listener);
        if status == Status::Running {
            self.skip(ep);
        } else {
            self.record(ep);
        }
        (reward, status)
    }

    /// What the rule-based speaker does now.
    fn scripted(&self, ep: &Episode) -> Act {
        let rounds = self.settings.rounds as usize;
        let round = usize::from(ep.round).min(rounds - 1);
        Act { decision: None, message: window(&ep.utterance, round, &self.settings) }
    }

    /// Goes on to the next decision, recording what is seen on the way.
    fn skip(&self, ep: &mut Episode) {
        self.record(ep);
        // The feedback and the rounds, and no more: after the last game there is no decision to come to.
        for _ in 0..=self.settings.rounds {
            if u32::from(ep.round) == self.settings.rounds {
                break;
            }
            let said = self.scripted(ep);
            self.step(ep, &said, &Act::NOTHING);
            self.record(ep);
        }
    }

    /// Keeps what the listener sees: the feedback first, then the rounds, then the decision.
    fn record(&self, ep: &mut Episode) {
        let width = self.layout.width(Role::Listener);
        let after = u32::from(ep.round) > self.settings.rounds;
        let row = if after { 0 } else { usize::from(ep.round) + usize::from(self.settings.feedback) };
        let mut block = std::mem::take(&mut ep.block);
        self.layout.write(self, ep, Role::Listener, &mut block[row * width..(row + 1) * width]);
        ep.block = block;
    }

    /// One step of both agents.
    pub(crate) fn step(&self, ep: &mut Episode, speaker: &Act, listener: &Act) -> (f32, Status) {
        let s = &self.settings;
        if ep.over {
            return (0.0, Status::Terminated);
        }
        let speaker = self.effective(speaker, self.may(ep, Role::Speaker));
        let listener = self.effective(listener, self.may(ep, Role::Listener));
        ep.previous = [Some(speaker), Some(listener)];
        ep.reward = 0.0;
        let round = u32::from(ep.round);
        if round < s.rounds {
            ep.heard = speaker.message;
            if s.listener_query {
                ep.asked = listener.message;
            }
            let (from, length) = ((round * s.message_length) as usize, s.message_length as usize);
            let turn = ep.turn_mut();
            for (kept, &token) in turn.said.iter_mut().skip(from).take(length).zip(&speaker.message) {
                *kept = token;
            }
            ep.round += 1;
            return (0.0, Status::Running);
        }
        if round > s.rounds {
            if ep.game + 1 == self.games(ep) {
                return (0.0, Status::Terminated);
            }
            self.begin_game(ep, ep.game + 1);
            return (0.0, Status::Running);
        }
        self.decide(ep, listener.decision);
        if !s.latch_message {
            ep.heard = speaker.message;
            ep.asked = [EOS; MAX_LENGTH];
        }
        let last = ep.game + 1 == self.games(ep);
        if s.feedback {
            ep.round += 1;
        } else if last {
            ep.over = true;
        } else {
            self.begin_game(ep, ep.game + 1);
        }
        (ep.reward, if last { Status::Terminated } else { Status::Running })
    }

    fn decide(&self, ep: &mut Episode, decision: Option<u8>) {
        let right = decision == Some(ep.now.answer);
        let rewards = &self.settings.rewards;
        let (tally, reward) = match (ep.now.query, right) {
            (false, true) => (&mut ep.support, rewards.support_right),
            (false, false) => (&mut ep.support, rewards.support_wrong),
            (true, true) => (&mut ep.query, rewards.query_right),
            (true, false) => (&mut ep.query, rewards.query_wrong),
        };
        tally.count(right);
        if ep.now.query {
            self.break_down(ep, right);
        }
        (ep.reward, ep.last_game_reward, ep.last_right) = (reward, reward, Some(right));
        let turn = ep.turn_mut();
        (turn.decision, turn.decided, turn.right) = (decision, true, right);
    }

    /// Counts a query game by what the listener was shown.
    fn break_down(&self, ep: &mut Episode, right: bool) {
        let (now, slots, dims) = (&ep.now, self.settings.slots(), self.settings.space.dims);
        let breakdown = &mut ep.breakdown;
        if usize::from(now.answer) < slots {
            return breakdown.present.count(right);
        }
        let (target, stand_in) = (now.target.meaning, now.slots[0].meaning);
        let difference = (0..dims).filter(|&i| target.value(i) != stand_in.value(i)).count();
        // A stand-in is never the target's meaning, so they differ somewhere.
        breakdown.absent_by_difference[difference - 1].count(right);
        if ep.halves.held_out(stand_in) {
            breakdown.absent_held_out.count(right);
        }
    }

    /// What the listener hears of a message that was sent in `round` of game number `game`.
    pub(crate) fn overheard(&self, ep: &Episode, game: u32, query: bool, round: u32, mut message: Message) -> Message {
        if query && self.settings.scramble_query {
            let mut rng = ep.seed.stream("scramble").derive(u64::from(game)).derive(u64::from(round)).rng();
            for token in message.iter_mut().filter(|token| **token != EOS) {
                *token = rng.below(self.settings.vocabulary) as u8 + 1;
            }
        }
        self.through(&ep.permutation, message)
    }

    /// The message that `role` sees: the other's, in its own view.
    pub(crate) fn channel(&self, ep: &Episode, role: Role) -> Message {
        match role {
            // Feedback shows what was said: only decisions are to lack it.
            Role::Listener if ep.round() <= self.settings.rounds => {
                self.overheard(ep, ep.game, ep.now.query, ep.round().saturating_sub(1), ep.heard)
            }
            Role::Listener => self.through(&ep.permutation, ep.heard),
            Role::Speaker if self.settings.listener_query => self.through(&ep.inverse, ep.asked),
            // Nobody else speaks: the channel shows the speaker its own message, as in the public code.
            Role::Speaker => ep.heard,
        }
    }

    /// `message` with its tokens renamed; what follows the message stays empty.
    fn through(&self, names: &[u8], mut message: Message) -> Message {
        for token in &mut message[..self.settings.message_length as usize] {
            *token = names[usize::from(*token)];
        }
        message
    }
}

/// Draws distinct meanings beside the target's.
struct Pick<'a> {
    rulebook: &'a Rulebook,
    ep: &'a Episode,
    query: bool,
    widened: bool,
    taken: [Meaning; MAX_SLOTS + 1],
    count: usize,
}

impl Pick<'_> {
    fn listed(&self) -> &[Meaning] {
        if self.query { &self.ep.targets } else { self.ep.support_targets() }
    }

    /// Takes the whole space as pool if the pool has fewer than `needed` meanings beside the target's.
    fn widen_if_short(&mut self, needed: usize) {
        let balanced = self.rulebook.settings.query_balance == QueryBalance::Balanced;
        if self.query && (balanced || self.rulebook.settings.distractor_pool == Pool::Space) {
            return;
        }
        let enough = match self.rulebook.settings.distractor_pool {
            Pool::Space => self.ep.halves.support().len() > needed,
            Pool::Listed => {
                let mut found = [self.taken[0]; MAX_SLOTS + 1];
                let mut count = 1;
                for &m in self.listed() {
                    if count <= needed && !found[..count].contains(&m) {
                        found[count] = m;
                        count += 1;
                    }
                }
                count > needed
            }
        };
        self.widened = !enough;
    }

    fn next(&mut self, rng: &mut Rng) -> Meaning {
        let structure = self.ep.space.structure();
        let taken = &self.taken[..self.count];
        let balanced = self.query && self.rulebook.settings.query_balance == QueryBalance::Balanced;
        let meaning = if balanced {
            self.one_of(self.ep.halves.query(), rng)
        } else if self.rulebook.settings.distractor_pool == Pool::Listed && !self.widened {
            let free = || self.listed().iter().filter(|m| !taken.contains(m));
            let at = rng.below(free().count() as u32);
            *free().nth(at as usize).expect("the pool was not short")
        } else if self.query || self.widened {
            structure.meaning(skip_taken(structure.meanings(), taken, |m| structure.index(m), rng))
        } else {
            self.one_of(self.ep.halves.support(), rng)
        };
        self.taken[self.count] = meaning;
        self.count += 1;
        meaning
    }

    /// Uniform among those of one `half` of the space that are not taken; all that are taken belong to it.
    fn one_of(&self, half: &[Meaning], rng: &mut Rng) -> Meaning {
        let structure = self.ep.space.structure();
        let place = |m| {
            let index = structure.index(m);
            half.partition_point(|&other| structure.index(other) < index) as u32
        };
        half[skip_taken(half.len() as u32, &self.taken[..self.count], place, rng) as usize]
    }
}

/// Uniform among the `n` places that none of `taken` stands at.
fn skip_taken(n: u32, taken: &[Meaning], place: impl Fn(Meaning) -> u32, rng: &mut Rng) -> u32 {
    let mut places = [u32::MAX; MAX_SLOTS + 1];
    for (p, &m) in places.iter_mut().zip(taken) {
        *p = place(m);
    }
    let places = &mut places[..taken.len()];
    places.sort_unstable();
    let mut at = rng.below(n - places.len() as u32);
    for &p in &*places {
        at += u32::from(at >= p);
    }
    at
}

impl Rulebook {
    /// Checks that an episode could have come about: what follows from its seed does, and what was done was possible.
    pub(crate) fn check(&self, ep: &Episode) -> Result<(), String> {
        let s = &self.settings;
        let mut own = self.start(Start { seed: ep.seed, copy: ep.seed, episode: 0, problem: None });
        let follows = |what: &str, same: bool| if same { Ok(()) } else { Err(unlike(what)) };
        follows("space", ep.space == own.space)?;
        follows("halves", ep.halves == own.halves)?;
        follows("targets", ep.targets == own.targets && ep.listed == own.listed)?;
        follows("permutation", ep.permutation == own.permutation && ep.inverse == own.inverse)?;
        follows("partner", ep.partner == own.partner)?;
        below("game", ep.game, self.games(&own) as usize)?;
        self.begin_game(&mut own, ep.game);
        follows("now", ep.now == own.now && ep.utterance == own.utterance)?;
        follows("speaker_sees", ep.speaker_sees == own.speaker_sees)?;
        follows("listener_sees", ep.listener_sees == own.listener_sees)?;
        within("round", ep.round(), 0..=s.rounds + u32::from(s.feedback))?;
        let last = !s.feedback && ep.round() == s.rounds && ep.game + 1 == self.games(&own);
        that("over", ep.over, !ep.over || last, "false before the last decision")?;
        for message in [ep.heard, ep.asked] {
            self.check_message(message)?;
        }
        for act in ep.previous.iter().flatten() {
            act.decision.map_or(Ok(()), |d| below("decision", d, s.decisions() as usize))?;
            self.check_message(act.message)?;
        }
        for turn in &ep.turns {
            turn.decision.map_or(Ok(()), |d| below("decision", d, s.decisions() as usize))?;
            all_within("said", turn.said.map(u32::from), &(0..=s.vocabulary))?;
        }
        for reward in [ep.reward, ep.last_game_reward] {
            let paid = [s.rewards.support_right, s.rewards.support_wrong, s.rewards.query_right, s.rewards.query_wrong];
            that("reward", reward, reward == 0.0 || paid.contains(&reward), "one that a decision earns")?;
        }
        within("games", u64::from(ep.support.games) + u64::from(ep.query.games), 0..=u64::from(ep.game) + 1)?;
        let broken_down = &ep.breakdown;
        let parts = broken_down.absent_by_difference.iter().chain([&broken_down.present, &broken_down.absent_held_out]);
        for tally in parts.clone().chain([&ep.support, &ep.query]) {
            within("right", tally.right, 0..=tally.games)?;
        }
        all_within("games", parts.map(|tally| tally.games), &(0..=ep.query.games))?;
        count("block", ep.block.len(), own.block.len())?;
        ep.block.iter().try_for_each(|&x| that("block", x, x.is_finite(), "finite"))
    }

    /// Checks that a message is one of the language.
    fn check_message(&self, message: Message) -> Result<(), String> {
        let length = self.settings.message_length as usize;
        all_within("token", message.map(u32::from), &(0..=self.settings.vocabulary))?;
        let regular = message == regular(message) && message[length..].iter().all(|&token| token == EOS);
        that("message", format!("{message:?}"), regular, &format!("at most {length} tokens with nothing between"))
    }
}

/// What is said of a quantity that its seed does not make.
pub(crate) fn unlike(what: &str) -> String {
    format!("`{what}` is not what the seed of the episode makes it")
}

const _: () = assert!(MAX_DIMS <= REMEMBERED);
