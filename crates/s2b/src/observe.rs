//! What the agents see: the fields of the paper's Appendix B, by name or as one vector.

use heldout_core::{ActionSpace, AgentSpec, Dtype, Field, Metric, Row, RowRef, Spec};

use crate::codec::{Codec, EOS, MAX_LENGTH, Message, Role};
use crate::config::Settings;
use crate::episode::{Episode, PARTNER, Rulebook};
use crate::space::MAX_DIMS;

/// One part of an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Stimulus,
    Message,
    PreviousReward,
    PreviousAction,
    Round,
    Role,
    Phase,
    PreviousResult,
    PreviousGameReward,
    /// The mask of an agent that acts with several integers.
    LegalActions,
    /// The mask of an agent that acts with one.
    ActionMask,
    PartnerId,
}

impl Part {
    const COUNT: usize = Self::PartnerId as usize + 1;

    /// Whether it says what the agent may do now: of stacked observations the last one's is shown alone.
    const fn is_mask(self) -> bool {
        matches!(self, Self::LegalActions | Self::ActionMask)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Stimulus => "stimulus",
            Self::Message => "message",
            Self::PreviousReward => "previous_reward",
            Self::PreviousAction => "previous_action",
            Self::Round => "round",
            Self::Role => "role",
            Self::Phase => "phase",
            Self::PreviousResult => "previous_result",
            Self::PreviousGameReward => "previous_game_reward",
            Self::LegalActions => "legal_actions",
            Self::ActionMask => "action_mask",
            Self::PartnerId => "partner_id",
        }
    }
}

/// Where a part lies in the vector of each role.
#[derive(Clone, Copy, Debug)]
struct Place {
    part: Part,
    /// Elements, for the speaker and the listener.
    widths: [usize; 2],
    /// Elements before it.
    offsets: [usize; 2],
}

/// The parts of an observation, and how they are laid out.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    places: Vec<Place>,
    /// Which place each part has, if any agent has that part.
    field_of: [Option<usize>; Part::COUNT],
    roles: &'static [Role],
    /// Most elements of a part that any agent has, in the order of the parts.
    fields: Vec<usize>,
    flat: bool,
    /// Observations stacked in one; one unless idle steps are skipped.
    blocks: usize,
    vocabulary: usize,
    length: usize,
    rounds: usize,
    stimulus: usize,
}

/// Numbers of the round's one-hot vector.
fn round_width(settings: &Settings) -> usize {
    settings.rounds as usize + 1 + usize::from(settings.feedback && settings.round_shows_feedback)
}

impl Layout {
    pub(crate) fn new(settings: &Settings, codecs: &[Codec; 2], roles: &'static [Role]) -> Self {
        let stimulus = settings.space.width();
        let slots = settings.slots();
        let seen = if settings.full_observation { slots } else { 1 };
        let message = settings.message_length as usize * (settings.vocabulary as usize + 1);
        let actions = [codecs[0].width(), codecs[1].width()];
        let one = codecs.each_ref().map(|codec| codec.sizes().len() == 1);
        let mask = |discrete| std::array::from_fn(|role| if one[role] == discrete { actions[role] } else { 0 });
        let mut parts = vec![
            (Part::Stimulus, [seen * stimulus, slots * stimulus]),
            (Part::Message, [message; 2]),
            (Part::PreviousReward, [1; 2]),
            (Part::PreviousAction, actions),
            (Part::Round, [round_width(settings); 2]),
            (Part::Role, [2; 2]),
            (Part::Phase, [2; 2]),
            (Part::PreviousResult, [2; 2]),
            (Part::PreviousGameReward, [1; 2]),
            (Part::LegalActions, mask(false)),
            (Part::ActionMask, mask(true)),
        ];
        if settings.partner_id {
            parts.push((Part::PartnerId, [PARTNER; 2]));
        }
        parts.retain(|(_, widths)| roles.iter().any(|&r| widths[r as usize] > 0));
        let mut offsets = [0; 2];
        let place = |(part, widths): (Part, [usize; 2])| {
            let place = Place { part, widths, offsets };
            offsets = [offsets[0] + widths[0], offsets[1] + widths[1]];
            place
        };
        let places: Vec<Place> = parts.into_iter().map(place).collect();
        let mut field_of = [None; Part::COUNT];
        places.iter().enumerate().for_each(|(index, place)| field_of[place.part as usize] = Some(index));
        let widest = |p: &Place| roles.iter().map(|&r| p.widths[r as usize]).max().unwrap_or(0);
        Self {
            fields: places.iter().map(widest).collect(),
            places,
            field_of,
            roles,
            flat: settings.flat,
            blocks: if settings.skip_idle { settings.observations() } else { 1 },
            vocabulary: settings.vocabulary as usize,
            length: settings.message_length as usize,
            rounds: settings.rounds as usize,
            stimulus,
        }
    }

    /// Numbers of one observation of `role`.
    pub(crate) fn width(&self, role: Role) -> usize {
        self.places.iter().map(|p| p.widths[role as usize]).sum()
    }

    /// Numbers of a vector of `role` before the mask of the last observation.
    fn before_mask(&self, role: Role) -> usize {
        let own = |place: &&Place| place.part.is_mask() && place.widths[role as usize] > 0;
        let mask = self.places.iter().find(own).expect("every agent has a mask");
        (self.blocks - 1) * self.width(role) + mask.offsets[role as usize]
    }

    /// Number of stacked observations.
    pub(crate) fn blocks(&self) -> usize {
        self.blocks
    }

    /// Numbers of one stimulus.
    pub(crate) fn stimulus_width(&self) -> usize {
        self.stimulus
    }

    /// Writes one observation of `role` as a vector.
    pub(crate) fn write(&self, rulebook: &Rulebook, ep: &Episode, role: Role, out: &mut [f32]) {
        let heard = rulebook.channel(ep, role);
        for place in &self.places {
            let (at, width) = (place.offsets[role as usize], place.widths[role as usize]);
            self.write_part(rulebook, ep, role, place.part, heard, &mut out[at..at + width]);
        }
    }

    #[expect(clippy::inline_always, reason = "with a constant part, only that part's branch is left")]
    #[inline(always)]
    fn write_part(&self, rulebook: &Rulebook, ep: &Episode, role: Role, part: Part, heard: Message, out: &mut [f32]) {
        if out.is_empty() {
            return;
        }
        match part {
            Part::Stimulus => {
                let feedback = ep.round() as usize > self.rounds;
                if role == Role::Speaker || feedback {
                    let (seen, rest) = out.split_at_mut(ep.speaker_sees.len());
                    seen.copy_from_slice(&ep.speaker_sees);
                    if !rest.is_empty() {
                        rest.fill(0.0);
                    }
                } else {
                    out.copy_from_slice(&ep.listener_sees);
                }
            }
            Part::Message => {
                out.fill(0.0);
                for (position, &token) in heard[..self.length].iter().enumerate() {
                    out[position * (self.vocabulary + 1) + usize::from(token)] = 1.0;
                }
            }
            Part::PreviousReward => out[0] = ep.reward,
            Part::PreviousAction => match ep.previous(role) {
                Some(act) => rulebook.codec(role).write(act, out),
                None => out.fill(0.0),
            },
            Part::Round => {
                out.fill(0.0);
                if let Some(unit) = out.get_mut(ep.round() as usize).filter(|_| !ep.over) {
                    *unit = 1.0;
                }
            }
            Part::Role => pair(out, role == Role::Listener),
            Part::Phase => pair(out, ep.now.query),
            Part::PreviousResult => match ep.last_right {
                Some(right) => pair(out, right),
                None => out.fill(0.0),
            },
            Part::PreviousGameReward => out[0] = ep.last_game_reward,
            Part::LegalActions | Part::ActionMask => {
                let (decides, speaks) = rulebook.may(ep, role);
                rulebook.codec(role).mask(decides, speaks, out);
            }
            Part::PartnerId => out.copy_from_slice(&ep.partner),
        }
    }

    /// Writes what `agent` sees.
    pub(crate) fn observe(&self, rulebook: &Rulebook, ep: &Episode, agent: usize, mut row: Row<'_, '_>) {
        let role = self.roles[agent];
        if self.blocks > 1 {
            return self.observe_block(ep, role, row);
        }
        if self.flat {
            let own = self.width(role);
            let out = row.f32(0);
            self.write(rulebook, ep, role, &mut out[..own]);
            out[own..].fill(0.0);
            return;
        }
        let heard = rulebook.channel(ep, role);
        // One call a part, so that none is chosen at run time: this is the inner loop.
        self.write_field(rulebook, ep, role, Part::Stimulus, heard, &mut row);
        self.write_field(rulebook, ep, role, Part::Message, heard, &mut row);
        self.write_field(rulebook, ep, role, Part::PreviousReward, heard, &mut row);
        self.write_field(rulebook, ep, role, Part::PreviousAction, heard, &mut row);
        self.write_field(rulebook, ep, role, Part::Round, heard, &mut row);
        self.write_field(rulebook, ep, role, Part::Role, heard, &mut row);
        self.write_field(rulebook, ep, role, Part::Phase, heard, &mut row);
        self.write_field(rulebook, ep, role, Part::PreviousResult, heard, &mut row);
        self.write_field(rulebook, ep, role, Part::PreviousGameReward, heard, &mut row);
        self.write_field(rulebook, ep, role, Part::LegalActions, heard, &mut row);
        self.write_field(rulebook, ep, role, Part::ActionMask, heard, &mut row);
        self.write_field(rulebook, ep, role, Part::PartnerId, heard, &mut row);
        for (out, &token) in row.i32(self.places.len()).iter_mut().zip(&heard) {
            *out = i32::from(token);
        }
    }

    /// Writes the field of `part`, if there is one.
    #[expect(clippy::inline_always, reason = "with a constant part, only that part's branch is left")]
    #[inline(always)]
    fn write_field(
        &self,
        rulebook: &Rulebook,
        ep: &Episode,
        role: Role,
        part: Part,
        heard: Message,
        row: &mut Row<'_, '_>,
    ) {
        let Some(index) = self.field_of[part as usize] else { return };
        let (own, rest) = row.f32(index).split_at_mut(self.places[index].widths[role as usize]);
        self.write_part(rulebook, ep, role, part, heard, own);
        if !rest.is_empty() {
            rest.fill(0.0);
        }
    }

    /// Writes the observations of a whole game.
    fn observe_block(&self, ep: &Episode, role: Role, mut row: Row<'_, '_>) {
        if self.flat {
            return row.f32(0).copy_from_slice(&ep.block);
        }
        let width = self.width(role);
        for (index, place) in self.places.iter().enumerate() {
            let (at, own) = (place.offsets[role as usize], place.widths[role as usize]);
            let hidden = if place.part.is_mask() { self.blocks - 1 } else { 0 };
            for (out, whole) in row.f32(index).chunks_exact_mut(own).zip(ep.block.chunks_exact(width).skip(hidden)) {
                out.copy_from_slice(&whole[at..at + own]);
            }
        }
        let message = self.places.iter().find(|p| p.part == Part::Message).expect("it is always there");
        let (at, own) = (message.offsets[role as usize], message.widths[role as usize]);
        let tokens = row.i32(self.places.len()).chunks_exact_mut(self.length);
        for (out, whole) in tokens.zip(ep.block.chunks_exact(width)) {
            let message = self.tokens(&whole[at..at + own]);
            for (out, &token) in out.iter_mut().zip(&message) {
                *out = i32::from(token);
            }
        }
    }

    /// The mask of the observation number `block` in `row`, as `role` has it.
    pub(crate) fn mask<'a>(&self, row: RowRef<'a>, role: Role, block: usize) -> &'a [f32] {
        let several = self.read(row, role, block, Part::LegalActions);
        if several.is_empty() { self.read(row, role, block, Part::ActionMask) } else { several }
    }

    /// The part `part` of the observation number `block` in `row`, as `role` has it; empty if it has none. Masks are
    /// those of the last observation.
    pub(crate) fn read<'a>(&self, row: RowRef<'a>, role: Role, block: usize, part: Part) -> &'a [f32] {
        let Some(index) = self.field_of[part as usize] else { return &[] };
        let (at, own) = (self.places[index].offsets[role as usize], self.places[index].widths[role as usize]);
        if self.flat {
            &row.f32(0)[block * self.width(role) + at..][..own]
        } else if self.blocks > 1 && !part.is_mask() {
            &row.f32(index)[block * own..][..own]
        } else {
            &row.f32(index)[..own]
        }
    }

    /// The message whose one-hot tokens are `units`.
    pub(crate) fn tokens(&self, units: &[f32]) -> Message {
        let mut message = [EOS; MAX_LENGTH];
        for (token, units) in message.iter_mut().zip(units.chunks_exact(self.vocabulary + 1)) {
            *token = units.iter().position(|&x| x == 1.0).unwrap_or(0) as u8;
        }
        message
    }

    /// Which round the observation number `block` in `row` shows; `None` if that place is empty.
    pub(crate) fn round(&self, row: RowRef<'_>, role: Role, block: usize) -> Option<usize> {
        if self.read(row, role, block, Part::Role).iter().all(|&x| x == 0.0) {
            return None;
        }
        let units = self.read(row, role, block, Part::Round);
        Some(units.iter().position(|&x| x == 1.0).unwrap_or(self.rounds + 1))
    }
}

/// Writes one of two alternatives one-hot.
fn pair(out: &mut [f32], second: bool) {
    out[0] = f32::from(u8::from(!second));
    out[1] = f32::from(u8::from(second));
}

/// Accuracy on query games by the number of dimensions in which a stand-in differs from the target.
const BY_DIFFERENCE: [&str; MAX_DIMS] = [
    "zsct_by_difference_1",
    "zsct_by_difference_2",
    "zsct_by_difference_3",
    "zsct_by_difference_4",
    "zsct_by_difference_5",
    "zsct_by_difference_6",
    "zsct_by_difference_7",
    "zsct_by_difference_8",
];
/// How many games each of them is about.
const DIFFERENCE_GAMES: [&str; MAX_DIMS] = [
    "difference_1_games",
    "difference_2_games",
    "difference_3_games",
    "difference_4_games",
    "difference_5_games",
    "difference_6_games",
    "difference_7_games",
    "difference_8_games",
];

/// Sizes and bounds of an environment with an agent for each of `roles`.
pub(crate) fn spec(settings: &Settings, codecs: &[Codec; 2], layout: &Layout, roles: &'static [Role]) -> Spec {
    let rewards = settings.rewards.all();
    let least = rewards.iter().copied().fold(0.0, f32::min);
    let most = rewards.iter().copied().fold(0.0, f32::max);
    let bounds = |part| match part {
        Part::Stimulus => settings.space.bounds(),
        Part::PreviousReward | Part::PreviousGameReward => (least, most),
        _ => (0.0, 1.0),
    };
    let width = layout.stimulus_width();
    // The stimuli stand below one another; everything else is a row.
    let shape = |part: Part, n: usize| {
        let own = if part == Part::Stimulus { vec![n / width, width] } else { vec![n] };
        if layout.blocks > 1 && !part.is_mask() { [vec![layout.blocks], own].concat() } else { own }
    };
    let mut observation = Vec::new();
    if layout.flat {
        let (low, high) = layout
            .places
            .iter()
            .map(|p| bounds(p.part))
            .fold((0.0_f32, 1.0_f32), |(a, b), (c, d)| (a.min(c), b.max(d)));
        let own: Vec<_> = roles.iter().map(|&r| Some(shape(Part::Round, layout.width(r)))).collect();
        let widest = own.iter().flatten().max().expect("there is an agent").clone();
        let masks = roles.iter().map(|&role| layout.before_mask(role)).collect();
        observation.push(fitted(Field::new("flat", Dtype::F32, &widest, low, high), own).with_masks(masks));
    } else {
        for (place, &most) in layout.places.iter().zip(&layout.fields) {
            let (low, high) = bounds(place.part);
            let field = Field::new(place.part.name(), Dtype::F32, &shape(place.part, most), low, high);
            let own = |&role: &Role| Some(place.widths[role as usize]).filter(|&n| n > 0).map(|n| shape(place.part, n));
            observation.push(fitted(field, roles.iter().map(own).collect()));
        }
        let tokens = shape(Part::Round, layout.length);
        observation.push(Field::new("message_tokens", Dtype::I32, &tokens, 0.0, settings.vocabulary as f32));
    }
    let steps = ["game", "round_index", "query_phase", "pool_widened", "n_support", "n_query"];
    let mut metrics: Vec<_> = steps.map(Metric::step).into();
    if settings.privileged {
        metrics.extend((0..settings.space.dims).map(|i| Metric::step(format!("values_{i}"))));
        metrics.extend((0..settings.space.dims).map(|i| Metric::step(format!("target_{i}"))));
        metrics.push(Metric::step("answer"));
    }
    metrics.push(Metric::share("zsct_present").weighed_by("present_games"));
    metrics.push(Metric::share("zsct_absent_held_out").weighed_by("absent_held_out_games"));
    let by_difference = BY_DIFFERENCE.iter().zip(DIFFERENCE_GAMES).take(settings.space.dims);
    metrics.extend(by_difference.map(|(&name, games)| Metric::share(name).weighed_by(games)));
    metrics.extend(["present_games", "absent_held_out_games"].map(Metric::episode));
    metrics.extend(DIFFERENCE_GAMES[..settings.space.dims].iter().map(|&name| Metric::episode(name)));
    metrics.push(Metric::share("support_accuracy").weighed_by("support_games"));
    metrics.push(Metric::share("zsct_accuracy").weighed_by("query_games"));
    metrics.extend(["support_accuracy_by_episode", "zsct_accuracy_by_episode"].map(Metric::share));
    metrics.extend(["support_games", "support_correct", "query_games", "query_correct"].map(Metric::episode));
    let agent = |&role: &Role| {
        let sizes = codecs[role as usize].sizes();
        let action = match sizes[..] {
            [n] => ActionSpace::Discrete(n),
            _ => ActionSpace::MultiDiscrete(sizes),
        };
        let name = match (roles.len(), role) {
            (1, _) => "agent",
            (_, Role::Speaker) => "speaker",
            (_, Role::Listener) => "listener",
        };
        AgentSpec { name, action }
    };
    Spec {
        observation,
        agents: roles.iter().map(agent).collect(),
        metrics,
        problems: None,
        max_steps: None,
        frame: crate::draw::size(settings),
        sources: Vec::new(),
    }
}

/// `field` with each agent's own shape, where these differ; `None` for an agent that lacks it.
fn fitted(field: Field, own: Vec<Option<Vec<usize>>>) -> Field {
    let same = own.iter().all(|shape| shape.as_ref() == Some(&field.shape));
    if same { field } else { field.for_agents(own) }
}

/// Writes the metrics in the order of [`spec`].
pub(crate) fn metrics(rulebook: &Rulebook, ep: &Episode, values: &mut [f32]) {
    let mut out = values.iter_mut();
    let mut put = |value: f32| {
        if let Some(slot) = out.next() {
            *slot = value;
        }
    };
    put(ep.game as f32);
    put(ep.round() as f32);
    put(f32::from(u8::from(ep.now.query)));
    put(f32::from(u8::from(ep.now.pool_widened)));
    put(ep.support_targets().len() as f32 * rulebook.settings.support_passes as f32);
    put(ep.query_targets().len() as f32);
    if rulebook.settings.privileged {
        let structure = ep.space.structure();
        (0..structure.dims()).for_each(|i| put(f32::from(structure.values(i))));
        (0..structure.dims()).for_each(|i| put(f32::from(ep.now.target.meaning.value(i))));
        put(f32::from(ep.now.answer));
    }
    let (by, dims) = (&ep.breakdown, rulebook.settings.space.dims);
    put(by.present.accuracy());
    put(by.absent_held_out.accuracy());
    (1..=dims).for_each(|difference| put(by.balanced_accuracy(difference)));
    put(by.present.games as f32);
    put(by.absent_held_out.games as f32);
    (1..=dims).for_each(|difference| put(by.games(difference) as f32));
    // Once to be weighed by the number of games in a mean over episodes, once to count each episode alike.
    for _ in 0..2 {
        put(ep.support.accuracy());
        put(ep.query.accuracy());
    }
    put(ep.support.games as f32);
    put(ep.support.right as f32);
    put(ep.query.games as f32);
    put(ep.query.right as f32);
}
