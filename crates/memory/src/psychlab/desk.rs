//! The widgets on the screen: timers, hovering, and the order of what happens in a tick.
//!
//! A task reacts to *events*. Within a tick they come in this order: timers that have run out, then what the gaze has left,
//! then what it is on, each in the order in which widgets were put there. A widget that an earlier event of the tick has
//! removed has no further event.

use heldout_core::check::{all_within, that, within};
use serde::{Deserialize, Serialize};

use super::gaze::Gaze;

/// Consecutive ticks off the screen that an episode survives.
pub(crate) const MOST_OFF_SCREEN: u32 = 300;
/// Side of the area in the middle that the gaze must meet to begin a trial, as a share of the screen.
pub(crate) const TRIGGER: f64 = 0.05;
/// Side of the fixation cross.
pub(crate) const CROSS: f64 = 0.1;
/// Side of a button.
pub(crate) const BUTTON: f64 = 0.1;
/// Diameter of the disk that must be looked at before a response: 21 of 256 pixels.
pub(crate) const DISK: f64 = 21.0 / 256.0;

/// What the gaze can be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Widget {
    /// The middle of the fixation cross.
    Trigger,
    /// The disk before a response.
    Disk,
    /// A button.
    Button(Side),
}

/// Which of the buttons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Side {
    /// At the upper edge.
    Top,
    /// At the lower edge.
    Bottom,
    /// At the left edge, or left of the other one.
    Left,
    /// At the right edge, or right of the other one.
    Right,
}

impl Side {
    /// All of them, in their order.
    pub(crate) const ALL: [Self; 4] = [Self::Top, Self::Bottom, Self::Left, Self::Right];

    pub(crate) fn name(self) -> &'static str {
        ["top", "bottom", "left", "right"][self as usize]
    }
}

/// The colour of a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Paint {
    /// Black on a white screen, white on a black one.
    Plain,
    /// Right.
    Green,
    /// Wrong.
    Red,
    /// To be chosen.
    CueGreen,
    /// Not to be chosen.
    CueRed,
}

/// Why a task waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Timer {
    /// Between two trials.
    Interval,
    /// While something to remember is shown, or while nothing is.
    Phase,
}

/// What a task reacts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A timer has run out.
    Elapsed(Timer),
    /// The gaze has left a widget.
    Left(Widget),
    /// The gaze is on a widget, for this many ticks.
    Hovers(Widget, u32),
}

/// A part of the screen, its border included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Area {
    /// The square of this side around a place.
    pub(crate) const fn around(u: f64, v: f64, side: f64) -> Self {
        Self { left: u - side / 2.0, top: v - side / 2.0, right: u + side / 2.0, bottom: v + side / 2.0 }
    }

    /// Whether it holds a place.
    pub(crate) fn holds(&self, (u, v): (f64, f64)) -> bool {
        self.left <= u && u <= self.right && self.top <= v && v <= self.bottom
    }

    pub(crate) fn middle(&self) -> (f64, f64) {
        (f64::midpoint(self.left, self.right), f64::midpoint(self.top, self.bottom))
    }
}

/// Where the four buttons are.
pub(crate) type Places = [Area; 4];

/// Buttons in the middle of the four edges.
pub(crate) const EDGES: Places = [
    Area { left: 0.45, top: 0.0, right: 0.55, bottom: BUTTON },
    Area { left: 0.45, top: 1.0 - BUTTON, right: 0.55, bottom: 1.0 },
    Area { left: 0.0, top: 0.45, right: BUTTON, bottom: 0.55 },
    Area { left: 1.0 - BUTTON, top: 0.45, right: 1.0, bottom: 0.55 },
];

/// Where a widget is.
pub(crate) fn place(widget: Widget, buttons: &Places) -> Area {
    match widget {
        Widget::Trigger => Area::around(0.5, 0.5, TRIGGER),
        Widget::Disk => Area::around(0.5, 0.5, DISK),
        Widget::Button(side) => buttons[side as usize],
    }
}

/// Most widgets at a time.
const MOST_WIDGETS: usize = 6;
/// Most timers at a time.
const MOST_TIMERS: usize = 2;

/// A widget on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Put {
    widget: Widget,
    /// Ticks that the gaze has been on it.
    hover: u32,
}

/// Widgets and timers, and how long the gaze has been off the screen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Desk {
    /// In the order in which they were put there.
    widgets: [Option<Put>; MOST_WIDGETS],
    timers: [Option<(Timer, u32)>; MOST_TIMERS],
    paints: [Paint; 4],
    off_screen: u32,
}

/// The events of one pass over the widgets.
#[derive(Debug)]
pub(crate) struct Pass {
    left: [Option<Widget>; MOST_WIDGETS],
    hovers: [Option<(Widget, u32)>; MOST_WIDGETS],
}

impl Default for Desk {
    fn default() -> Self {
        Self { widgets: [None; MOST_WIDGETS], timers: [None; MOST_TIMERS], paints: [Paint::Plain; 4], off_screen: 0 }
    }
}

impl Desk {
    /// Puts a widget on the screen, after those that are there.
    pub(crate) fn put(&mut self, widget: Widget) {
        let free = self.widgets.iter_mut().find(|put| put.is_none()).expect("a task has at most six widgets");
        *free = Some(Put { widget, hover: 0 });
    }

    /// Puts a button on the screen, in a colour.
    pub(crate) fn put_button(&mut self, side: Side, paint: Paint) {
        self.paints[side as usize] = paint;
        self.put(Widget::Button(side));
    }

    /// Takes a widget off the screen.
    pub(crate) fn remove(&mut self, widget: Widget) {
        if let Some(at) = self.widgets.iter().position(|put| put.is_some_and(|put| put.widget == widget)) {
            self.widgets[at] = None;
            self.widgets[at..].rotate_left(1);
        }
    }

    /// Takes everything off the screen.
    pub(crate) fn clear(&mut self) {
        self.widgets = [None; MOST_WIDGETS];
    }

    /// Whether a widget is on the screen.
    pub(crate) fn has(&self, widget: Widget) -> bool {
        self.widgets.iter().flatten().any(|put| put.widget == widget)
    }

    /// The colour of a button, if it is on the screen.
    pub(crate) fn paint(&self, side: Side) -> Option<Paint> {
        self.has(Widget::Button(side)).then_some(self.paints[side as usize])
    }

    /// Colours a button.
    pub(crate) fn recolour(&mut self, side: Side, paint: Paint) {
        self.paints[side as usize] = paint;
    }

    /// Has a timer run out after `ticks` ticks.
    pub(crate) fn set(&mut self, timer: Timer, ticks: u32) {
        let free = self.timers.iter_mut().find(|slot| slot.is_none()).expect("a task has at most two timers");
        *free = Some((timer, ticks));
    }

    /// Counts a tick of all timers; `None` after the last that has run out. Timers that are set meanwhile do not count.
    pub(crate) fn elapsed(&mut self) -> [Option<Timer>; MOST_TIMERS] {
        let mut out = [None; MOST_TIMERS];
        for (slot, out) in self.timers.iter_mut().zip(&mut out) {
            if let Some((timer, left)) = slot {
                *left = left.saturating_sub(1);
                if *left == 0 {
                    *out = Some(*timer);
                    *slot = None;
                }
            }
        }
        out
    }

    /// Finds what the gaze is on and what it has left.
    pub(crate) fn scan(&mut self, gaze: &Gaze, buttons: &Places) -> Pass {
        let at = gaze.on_screen();
        let mut pass = Pass { left: [None; MOST_WIDGETS], hovers: [None; MOST_WIDGETS] };
        for (i, put) in self.widgets.iter_mut().flatten().enumerate() {
            if at.is_some_and(|at| place(put.widget, buttons).holds(at)) {
                put.hover += 1;
                pass.hovers[i] = Some((put.widget, put.hover));
            } else if put.hover > 0 {
                put.hover = 0;
                pass.left[i] = Some(put.widget);
            }
        }
        pass
    }

    /// Checks that it could hold these `widgets`, in this order, and no timer but `timer`, within so many `ticks`.
    pub(crate) fn check(
        &self,
        widgets: impl IntoIterator<Item = Widget>,
        timer: Option<(Timer, u32)>,
        ticks: u32,
    ) -> Result<(), String> {
        let put = self.widgets.iter().flatten().map(|put| put.widget);
        let expected: Vec<Widget> = widgets.into_iter().collect();
        let shown = format!("{:?}", put.clone().collect::<Vec<_>>());
        that("widgets", shown, put.eq(expected.iter().copied()), &format!("{expected:?}, as the phase of the trial"))?;
        all_within("hover", self.widgets.iter().flatten().map(|put| put.hover), &(0..=ticks))?;
        let set: Vec<_> = self.timers.iter().flatten().collect();
        let fits = match (&*set, timer) {
            ([], None) => true,
            ([(own, left)], Some((other, most))) => *own == other && (1..=most).contains(left),
            _ => false,
        };
        that("timers", format!("{set:?}"), fits, &format!("{timer:?} at the most, as the phase of the trial"))?;
        within("off_screen", self.off_screen, 0..=MOST_OFF_SCREEN + 1)
    }

    /// Counts a tick on or off the screen; whether the agent has looked away for too long.
    pub(crate) fn away(&mut self, gaze: &Gaze) -> bool {
        self.off_screen = if gaze.on_screen().is_some() { 0 } else { self.off_screen + 1 };
        self.off_screen > MOST_OFF_SCREEN
    }
}

impl Pass {
    /// The events, in order: what the gaze has left, then what it is on.
    pub(crate) fn events(self) -> impl Iterator<Item = (Widget, Event)> {
        let left = self.left.into_iter().flatten().map(|widget| (widget, Event::Left(widget)));
        let hovers = self.hovers.into_iter().flatten().map(|(widget, ticks)| (widget, Event::Hovers(widget, ticks)));
        left.chain(hovers)
    }
}
