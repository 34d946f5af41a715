//! A board: one model under one clock, and the actors around it.
//!
//! A clock cycle is: every actor sets inputs, the design settles, every actor looks at outputs, the
//! clock rises. An actor therefore sees in `sample` combinational answers to the inputs of this
//! cycle, and registers as the rising edge before left them.
use crate::Error;
use crate::model::{Input, Model, Output};
use std::path::Path;

/// Half a period of the 156.25 MHz core clock in picoseconds.
const HALF_PERIOD: u64 = 3_200;
/// How long a reset lasts, in cycles.
const RESET_CYCLES: u64 = 8;

/// Something that is connected to pins of the board and acts once a clock cycle.
pub trait Actor {
    /// Sets inputs for this cycle.
    fn drive(&mut self, pins: &mut Pins);
    /// Looks at the settled outputs, just before the rising edge that ends this cycle.
    fn sample(&mut self, pins: &Pins);
}

/// The pins of a board as an actor sees them.
#[derive(Debug)]
pub struct Pins {
    model: Model,
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

    /// The number of this cycle, counted from the end of the first reset.
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
    clk: Input,
    rst: Option<Input>,
    started: bool,
    /// Time in picoseconds since power-up, for waveforms.
    time: u64,
}

impl Board {
    /// Powers up a board. The clock is the input `clk` (in a single block: `clock`), the active-high
    /// synchronous reset, if there is one, `rst` or `reset`. The first cycle is preceded by a reset.
    pub fn new(model: Model) -> Result<Self, Error> {
        let pins = Pins { model, cycle: 0 };
        let clk = pins.input_of(&["clk".into(), "clock".into()])?;
        let rst = pins.input_of(&["rst".into(), "reset".into()]).ok();
        Ok(Self { pins, clk, rst, started: false, time: 0 })
    }

    /// Holds the reset for some cycles, in which no actor acts and all other inputs stay.
    pub fn reset(&mut self) {
        self.started = true;
        let Some(rst) = self.rst else { return };
        self.pins.set(rst, 1);
        for _ in 0..RESET_CYCLES {
            self.settle();
            self.rise();
        }
        self.pins.set(rst, 0);
    }

    /// One clock cycle.
    pub fn step(&mut self, actors: &mut [&mut dyn Actor]) {
        self.step_with(actors);
    }

    /// One clock cycle with actors whose types are known, for inner loops; a tuple of actors is one too.
    #[inline]
    pub fn step_with<A: Actor + ?Sized>(&mut self, actors: &mut A) {
        if !self.started {
            self.reset();
        }
        actors.drive(&mut self.pins);
        self.settle();
        actors.sample(&self.pins);
        self.rise();
        self.pins.cycle += 1;
    }

    /// A number of clock cycles.
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

    /// The number of cycles since the end of the first reset.
    pub fn cycle(&self) -> u64 {
        self.pins.cycle
    }

    /// The pins, to set or read between cycles and to look up ports.
    pub fn pins(&mut self) -> &mut Pins {
        &mut self.pins
    }

    /// Starts a VCD file; times are those of a 156.25 MHz clock.
    pub fn trace(&mut self, path: &Path) -> Result<(), Error> {
        self.pins.model.trace(path)
    }

    #[inline]
    fn settle(&mut self) {
        self.clock(0);
    }

    #[inline]
    fn rise(&mut self) {
        self.clock(1);
    }

    #[inline]
    fn clock(&mut self, level: u64) {
        self.pins.set(self.clk, level);
        self.pins.model.eval();
        self.pins.model.dump(self.time);
        self.time += HALF_PERIOD;
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
        }
    };
}
tuple_actors!(A 0);
tuple_actors!(A 0, B 1);
tuple_actors!(A 0, B 1, C 2);
tuple_actors!(A 0, B 1, C 2, D 3);
tuple_actors!(A 0, B 1, C 2, D 3, E 4);
tuple_actors!(A 0, B 1, C 2, D 3, E 4, F 5);
