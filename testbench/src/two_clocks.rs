//! Blocks with two clocks and none that leads: both are free in period, phase and jitter.
use fastrand::Rng;
use nicforge_sim::Error;
use nicforge_sim::model::{Input, Model};

/// What works on one of the two clocks.
pub trait Side {
    /// Looks at the settled outputs, just before a rising edge of its clock.
    fn sample(&mut self, model: &Model);
    /// Sets inputs, just behind it.
    fn drive(&mut self, model: &mut Model);
}

impl Side for () {
    fn sample(&mut self, _: &Model) {}
    fn drive(&mut self, _: &mut Model) {}
}

/// A model under two clocks. Times are picoseconds.
#[derive(Debug)]
pub struct TwoClocks {
    /// The model, to set and read what no side does.
    pub model: Model,
    clocks: [Input; 2],
    periods: [u64; 2],
    next: [u64; 2],
    /// Largest deviation of an edge.
    jitter: u64,
    rng: Rng,
}

impl TwoClocks {
    /// Clocks at the inputs of these names; their phases, and a jitter of at most an eighth of the
    /// shorter period, come from the seed.
    ///
    /// # Errors
    /// Inputs that the model lacks.
    pub fn new(model: Model, names: [&str; 2], periods: [u64; 2], seed: u64) -> Result<Self, Error> {
        let clocks = [model.input(names[0])?, model.input(names[1])?];
        let mut rng = Rng::with_seed(seed);
        let next = periods.map(|period| rng.u64(0..period));
        let jitter = if rng.bool() { periods[0].min(periods[1]) / 8 } else { 0 };
        Ok(Self { model, clocks, periods, next, jitter, rng })
    }

    /// The next rising edge, or both of them where they come at the same time.
    pub fn step(&mut self, sides: [&mut dyn Side; 2]) {
        let now = self.next[0].min(self.next[1]);
        let due = self.next.map(|next| next == now);
        self.model.eval();
        let [first, second] = sides;
        let sides = [first, second];
        for side in 0..2 {
            if due[side] {
                sides[side].sample(&self.model);
                self.model.set(self.clocks[side], 1);
                self.next[side] += self.periods[side] + self.rng.u64(0..self.jitter + 1) - self.jitter / 2;
            }
        }
        self.model.eval();
        for side in 0..2 {
            if due[side] {
                self.model.set(self.clocks[side], 0);
                sides[side].drive(&mut self.model);
            }
        }
    }
}
