//! The order in which a board comes up.
//!
//! Promise: the core is in reset from power-up until 16 cycles after the clocks are sound and the
//! button is up, and whenever one of these ceases to hold; its end is synchronous to the core clock. The
//! PHY is in reset meanwhile and for 15 ms more, longer than the 10 ms that PHYs ask for.
use crate::stream::Synchronizer;
use rust_hdl::prelude::*;

/// Milliseconds for which the PHY stays in reset when the core has left it.
const PHY_RESET_MS: u64 = 15;

/// The resets of core and PHY.
#[derive(LogicBlock)]
pub struct StartUp {
    /// The core clock.
    pub clock: Signal<In, Clock>,
    /// The clocks are sound; of no clock.
    pub locked: Signal<In, Bit>,
    /// Low: the button is pressed; of no clock.
    pub button_n: Signal<In, Bit>,
    /// Reset of the core, active high.
    pub reset: Signal<Out, Bit>,
    /// Reset of the PHY, active low.
    pub phy_reset_n: Signal<Out, Bit>,

    sound: Synchronizer,
    up: Synchronizer,
    count: DFF<Bits<4>>,
    ready: DFF<Bit>,
    phy_count: DFF<Bits<22>>,
    phy_ready: DFF<Bit>,
    phy_end: Constant<Bits<22>>,
}

impl StartUp {
    /// For a core clock of this frequency in Hz, at most 279 MHz.
    pub fn new(core_hertz: u64) -> Self {
        Self::with_phy_cycles(core_hertz * PHY_RESET_MS / 1000)
    }

    /// With a reset of the PHY of so many cycles, below 2^22.
    pub fn with_phy_cycles(cycles: u64) -> Self {
        Self {
            clock: Default::default(),
            locked: Default::default(),
            button_n: Default::default(),
            reset: Default::default(),
            phy_reset_n: Default::default(),
            sound: Default::default(),
            up: Default::default(),
            count: Default::default(),
            ready: Default::default(),
            phy_count: Default::default(),
            phy_ready: Default::default(),
            phy_end: Constant::new(cycles.to_bits()),
        }
    }
}

impl Logic for StartUp {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: start_up - resets of core and PHY");
        dff_setup!(self, clock, count, ready, phy_count, phy_ready);
        self.sound.clock.next = self.clock.val();
        self.sound.from.next = self.locked.val();
        self.up.clock.next = self.clock.val();
        self.up.from.next = self.button_n.val();

        self.count.d.next = self.count.q.val() + 1;
        if self.count.q.val().all() {
            self.ready.d.next = true;
            self.count.d.next = self.count.q.val();
        }
        self.phy_count.d.next = self.phy_count.q.val() + 1;
        if self.phy_count.q.val() == self.phy_end.val() {
            self.phy_ready.d.next = true;
            self.phy_count.d.next = self.phy_count.q.val();
        }
        if !self.ready.q.val() {
            self.phy_count.d.next = 0.into();
            self.phy_ready.d.next = false;
        }
        if !self.sound.level.val() | !self.up.level.val() {
            self.count.d.next = 0.into();
            self.ready.d.next = false;
            self.phy_ready.d.next = false;
        }
        self.reset.next = !self.ready.q.val();
        self.phy_reset_n.next = self.phy_ready.q.val();
    }
}
