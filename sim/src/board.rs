//! A board: one model, its clocks, and the actors around it.
//!
//! A clock cycle is: every actor sets inputs, the design settles, every actor looks at outputs, the
//! clock rises. An actor therefore sees in `sample` combinational answers to the inputs of this
//! cycle, and registers as the rising edge before left them.
//!
//! A board has a core clock, in which actors act by default, and any number of further clocks whose
//! periods and phases are free. Edges come in the order of time; of edges at the same time the rising
//! ones come first, all together, after every actor of those clocks has looked.
use crate::Error;
use crate::clock::{Clock, Ticker};
use crate::link::xgmii;
use crate::model::{Input, Model, Output};
use std::path::Path;

/// How long a reset lasts, in cycles of the core clock.
const RESET_CYCLES: u64 = 8;
/// How long the resets of other clocks, which follow that of the core by a handshake, take to end.
const SETTLE_CYCLES: u64 = 12;

/// Something that is connected to pins of the board and acts once a cycle of its clock.
pub trait Actor {
    /// Sets inputs for this cycle.
    fn drive(&mut self, pins: &mut Pins);

    /// Looks at the settled outputs, just before the rising edge that ends this cycle.
    fn sample(&mut self, pins: &Pins);

    /// The clock in whose cycles it acts.
    #[inline]
    fn clock(&self) -> Clock {
        Clock::CORE
    }

    /// [`drive`](Self::drive), if its clock is the one that acts; a group of actors asks each of them.
    #[inline]
    fn drive_due(&mut self, pins: &mut Pins) {
        if self.clock() == pins.acting {
            self.drive(pins);
        }
    }

    /// [`sample`](Self::sample), if its clock is the one that acts; a group of actors asks each of them.
    #[inline]
    fn sample_due(&mut self, pins: &Pins) {
        if self.clock() == pins.acting {
            self.sample(pins);
        }
    }
}

/// The pins of a board as an actor sees them.
#[derive(Debug)]
pub struct Pins {
    model: Model,
    /// The clock whose actors act now, and its cycle.
    acting: Clock,
    cycle: u64,
}

impl Pins {
    /// Sets an input of at most 64 bits.
    #[inline]
    pub fn set(&mut self, port: Input, value: u64) {
        self.model.set(port, value);
    }

    /// Reads an output of at most 64 bits.
    #[inline]
    pub fn get(&self, port: Output) -> u64 {
        self.model.get(port)
    }

    /// Reads a one-bit output.
    #[inline]
    pub fn is_set(&self, port: Output) -> bool {
        self.get(port) != 0
    }

    /// The number of this cycle of the clock that acts, counted from the end of the first reset.
    #[inline]
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// The model, to look up ports.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The first input of these names, for ports that may be called in two ways.
    pub(crate) fn input_of(&self, names: &[String]) -> Result<Input, Error> {
        let found = names.iter().find_map(|name| self.model.input(name).ok());
        found.map_or_else(|| self.model.input(&names[0]), Ok)
    }

    /// The first output of these names, for ports that may be called in two ways.
    pub(crate) fn output_of(&self, names: &[String]) -> Result<Output, Error> {
        let found = names.iter().find_map(|name| self.model.output(name).ok());
        found.map_or_else(|| self.model.output(&names[0]), Ok)
    }
}

/// One simulated board.
#[derive(Debug)]
pub struct Board {
    pins: Pins,
    core: Ticker,
    others: Vec<Ticker>,
    rst: Option<Input>,
    started: bool,
}

impl Board {
    /// Powers up a board with a core clock of 156.25 MHz. Its input is `clk` (in a single block:
    /// `clock`), the active-high synchronous reset, if there is one, `rst` or `reset`. The first cycle is
    /// preceded by a reset.
    pub fn new(model: Model) -> Result<Self, Error> {
        Self::with_core_period(model, xgmii::PERIOD)
    }

    /// As [`new`](Self::new), with a core clock of this period in picoseconds.
    pub fn with_core_period(model: Model, period: u64) -> Result<Self, Error> {
        let pins = Pins { model, acting: Clock::CORE, cycle: 0 };
        let clk = pins.input_of(&["clk".into(), "clock".into()])?;
        let rst = pins.input_of(&["rst".into(), "reset".into()]).ok();
        Ok(Self { pins, core: Ticker::new(clk, period, 0), others: Vec::new(), rst, started: false })
    }

    /// Adds a clock at the input `name`. It goes low for the first time `phase` picoseconds after
    /// power-up (or after now, if the board has run already), and has this period in picoseconds.
    ///
    /// # Errors
    /// The design has no such input.
    pub fn add_clock(&mut self, name: &str, period: u64, phase: u64) -> Result<Clock, Error> {
        let pin = self.pins.model.input(name)?;
        self.others.push(Ticker::new(pin, period, self.core.next + phase));
        Ok(Clock(self.others.len()))
    }

    /// The clock at the input `name`, if it was added or is the core clock.
    pub fn clock(&self, name: &str) -> Option<Clock> {
        let pin = self.pins.model.input(name).ok()?;
        let tickers = std::iter::once(&self.core).chain(&self.others);
        tickers.map(|ticker| ticker.pin).position(|found| found == pin).map(Clock)
    }

    /// Stops a clock that was added, or lets it run again from now on.
    ///
    /// # Panics
    /// If it is the core clock, whose cycles are the steps of the board.
    pub fn run_clock(&mut self, clock: Clock, runs: bool) {
        let now = self.core.next;
        let index = clock.0.checked_sub(1).expect("the core clock never stops");
        self.others[index].run(runs, now);
    }

    /// The period of a clock in picoseconds.
    pub fn period(&self, clock: Clock) -> u64 {
        clock.0.checked_sub(1).map_or(&self.core, |index| &self.others[index]).period
    }

    /// Holds the reset for some cycles, in which no actor acts and all other inputs stay. Where there are
    /// several clocks a few more follow, in which the resets of the others end.
    pub fn reset(&mut self) {
        self.started = true;
        let Some(rst) = self.rst else { return };
        self.pins.set(rst, 1);
        if self.others.is_empty() {
            (0..RESET_CYCLES).for_each(|_| self.turn(&mut ()));
            return self.pins.set(rst, 0);
        }
        let cycles: Vec<u64> = self.others.iter().map(|ticker| ticker.cycle).collect();
        (0..RESET_CYCLES).for_each(|_| self.turn_all(&mut ()));
        self.pins.set(rst, 0);
        (0..SETTLE_CYCLES).for_each(|_| self.turn_all(&mut ()));
        // What no actor saw was no cycle.
        self.others.iter_mut().zip(cycles).for_each(|(ticker, cycle)| ticker.cycle = cycle);
    }

    /// One cycle of the core clock, and what the other clocks do meanwhile.
    pub fn step(&mut self, actors: &mut [&mut dyn Actor]) {
        self.step_with(actors);
    }

    /// [`step`](Self::step) with actors whose types are known, for inner loops; a tuple of actors is one too.
    #[inline]
    pub fn step_with<A: Actor + ?Sized>(&mut self, actors: &mut A) {
        if !self.started {
            self.reset();
        }
        if self.others.is_empty() {
            self.turn(actors);
        } else {
            self.turn_all(actors);
        }
        self.core.cycle += 1;
        (self.pins.acting, self.pins.cycle) = (Clock::CORE, self.core.cycle);
    }

    /// A number of cycles of the core clock.
    pub fn run<A: Actor + ?Sized>(&mut self, cycles: u64, actors: &mut A) {
        (0..cycles).for_each(|_| self.step_with(actors));
    }

    /// Steps until `done`, at most `limit` cycles; `what` names the aim in the error.
    pub fn run_until<A: Actor + ?Sized>(
        &mut self,
        what: &str,
        limit: u64,
        actors: &mut A,
        mut done: impl FnMut(&A) -> bool,
    ) -> Result<(), Error> {
        for _ in 0..limit {
            if done(actors) {
                return Ok(());
            }
            self.step_with(actors);
        }
        if done(actors) { Ok(()) } else { Err(Error::Timeout { what: what.into(), cycles: limit }) }
    }

    /// The number of cycles of the core clock since the end of the first reset.
    pub fn cycle(&self) -> u64 {
        self.core.cycle
    }

    /// The pins, to set or read between cycles and to look up ports.
    pub fn pins(&mut self) -> &mut Pins {
        &mut self.pins
    }

    /// Starts a VCD file; times are simulated picoseconds since power-up.
    pub fn trace(&mut self, path: &Path) -> Result<(), Error> {
        self.pins.model.trace(path)
    }

    /// A cycle of the core clock where there is no other.
    #[inline]
    fn turn<A: Actor + ?Sized>(&mut self, actors: &mut A) {
        actors.drive(&mut self.pins);
        self.toggle_core(0);
        actors.sample(&self.pins);
        self.toggle_core(1);
    }

    #[inline]
    fn toggle_core(&mut self, level: u64) {
        self.pins.set(self.core.pin, level);
        self.pins.model.eval();
        self.pins.model.dump(self.core.next);
        self.core.advance();
    }

    /// Edges of all clocks in the order of time, up to and including the rising edge of the core clock.
    fn turn_all<A: Actor + ?Sized>(&mut self, actors: &mut A) {
        loop {
            let others = self.others.iter().map(|ticker| ticker.next);
            let now = others.fold(self.core.next, u64::min);
            let ends_cycle = self.core.rises_at(now);
            self.rise(now, actors);
            self.fall(now, actors);
            self.pins.model.dump(now);
            if ends_cycle {
                return;
            }
        }
    }

    /// The clocks that rise now: first all actors look, then all edges come at once.
    fn rise<A: Actor + ?Sized>(&mut self, now: u64, actors: &mut A) {
        let mut any = false;
        for (index, ticker) in Ticker::all(&self.core, &self.others) {
            if ticker.rises_at(now) {
                any = true;
                (self.pins.acting, self.pins.cycle) = (Clock(index), ticker.cycle);
                actors.sample_due(&self.pins);
            }
        }
        if !any {
            return;
        }
        for (index, ticker) in Ticker::all_mut(&mut self.core, &mut self.others) {
            if ticker.rises_at(now) {
                self.pins.model.set(ticker.pin, 1);
                ticker.advance();
                // Whoever steps the board counts the cycles of its core clock.
                ticker.cycle += u64::from(index > 0);
            }
        }
        self.pins.model.eval();
    }

    /// The clocks that fall now: their actors set inputs for the next cycle.
    fn fall<A: Actor + ?Sized>(&mut self, now: u64, actors: &mut A) {
        let mut any = false;
        for (index, ticker) in Ticker::all_mut(&mut self.core, &mut self.others) {
            if ticker.falls_at(now) {
                any = true;
                (self.pins.acting, self.pins.cycle) = (Clock(index), ticker.cycle);
                actors.drive_due(&mut self.pins);
                self.pins.model.set(ticker.pin, 0);
                ticker.advance();
            }
        }
        if any {
            self.pins.model.eval();
        }
    }
}

impl Actor for () {
    fn drive(&mut self, _: &mut Pins) {}
    fn sample(&mut self, _: &Pins) {}
}

impl<A: Actor + ?Sized> Actor for &mut A {
    #[inline]
    fn drive(&mut self, pins: &mut Pins) {
        (**self).drive(pins);
    }
    #[inline]
    fn sample(&mut self, pins: &Pins) {
        (**self).sample(pins);
    }
    #[inline]
    fn clock(&self) -> Clock {
        (**self).clock()
    }
    #[inline]
    fn drive_due(&mut self, pins: &mut Pins) {
        (**self).drive_due(pins);
    }
    #[inline]
    fn sample_due(&mut self, pins: &Pins) {
        (**self).sample_due(pins);
    }
}

/// What may be missing.
impl<A: Actor> Actor for Option<A> {
    #[inline]
    fn drive(&mut self, pins: &mut Pins) {
        self.iter_mut().for_each(|actor| actor.drive(pins));
    }
    #[inline]
    fn sample(&mut self, pins: &Pins) {
        self.iter_mut().for_each(|actor| actor.sample(pins));
    }
    #[inline]
    fn drive_due(&mut self, pins: &mut Pins) {
        self.iter_mut().for_each(|actor| actor.drive_due(pins));
    }
    #[inline]
    fn sample_due(&mut self, pins: &Pins) {
        self.iter_mut().for_each(|actor| actor.sample_due(pins));
    }
}

impl<A: Actor> Actor for [A] {
    #[inline]
    fn drive(&mut self, pins: &mut Pins) {
        self.iter_mut().for_each(|actor| actor.drive(pins));
    }
    #[inline]
    fn sample(&mut self, pins: &Pins) {
        self.iter_mut().for_each(|actor| actor.sample(pins));
    }
    #[inline]
    fn drive_due(&mut self, pins: &mut Pins) {
        self.iter_mut().for_each(|actor| actor.drive_due(pins));
    }
    #[inline]
    fn sample_due(&mut self, pins: &Pins) {
        self.iter_mut().for_each(|actor| actor.sample_due(pins));
    }
}

/// A tuple of actors is an actor.
macro_rules! tuple_actors {
    ($($name:ident $index:tt),+) => {
        impl<$($name: Actor),+> Actor for ($($name,)+) {
            #[inline]
            fn drive(&mut self, pins: &mut Pins) {
                $(self.$index.drive(pins);)+
            }
            #[inline]
            fn sample(&mut self, pins: &Pins) {
                $(self.$index.sample(pins);)+
            }
            #[inline]
            fn drive_due(&mut self, pins: &mut Pins) {
                $(self.$index.drive_due(pins);)+
            }
            #[inline]
            fn sample_due(&mut self, pins: &Pins) {
                $(self.$index.sample_due(pins);)+
            }
        }
    };
}
tuple_actors!(A 0);
tuple_actors!(A 0, B 1);
tuple_actors!(A 0, B 1, C 2);
tuple_actors!(A 0, B 1, C 2, D 3);
tuple_actors!(A 0, B 1, C 2, D 3, E 4);
tuple_actors!(A 0, B 1, C 2, D 3, E 4, F 5);
