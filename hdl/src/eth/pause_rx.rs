//! PAUSE, received (IEEE 802.3 annex 31B).
//!
//! Promise: a good PAUSE frame to the group address of annex 31B or to the own address sets the
//! timer to its parameter one clock behind its verdict, whatever the timer was; zero ends the pause.
//! While the timer runs and `enable` is high, `paused` is high. Every such frame is counted.
use crate::stream::{EventSource, MacFlowSink};
use nicforge_layout::counters;
use nicforge_layout::wire::{ethernet, pause};
use rust_hdl::prelude::*;

/// Reads every frame beside its other readers.
///
/// One quantum is 512 bit times: eight words of 64 bits, so eight clocks of the 10GbE core.
#[derive(LogicBlock)]
pub struct PauseRx {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: no pause.
    pub reset: Signal<In, Bit>,
    /// Frames from the MAC.
    pub frames: MacFlowSink,
    /// Own MAC address, octet 0 in bits 7..0.
    pub own_mac: Signal<In, Bits<48>>,
    /// 0: PAUSE frames are only counted.
    pub enable: Signal<In, Bit>,
    /// No frame but MAC control may begin.
    pub paused: Signal<Out, Bit>,
    /// `rx_pause`.
    pub event: EventSource,

    place: DFF<Bits<2>>,
    for_us: DFF<Bit>,
    asks: DFF<Bit>,
    parameter: DFF<Bits<16>>,
    timer: DFF<Bits<19>>,
    runs: DFF<Bit>,
    raised: DFF<Bit>,
    loads: Signal<Local, Bit>,

    group: Constant<Bits<48>>,
    control: Constant<Bits<32>>,
    code: Constant<Bits<6>>,
}

/// Type and operation as they stand in the second half of a frame's second word.
pub(crate) fn control_word() -> u32 {
    let [kind, operation] = [ethernet::TYPE_MAC_CONTROL, pause::OPCODE].map(u16::to_be_bytes);
    u32::from_le_bytes([kind[0], kind[1], operation[0], operation[1]])
}

/// An address with octet 0 in bits 7..0.
pub(crate) fn address(octets: [u8; 6]) -> u64 {
    octets.iter().rev().fold(0, |address, octet| address << 8 | u64::from(*octet))
}

impl Default for PauseRx {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            frames: Default::default(),
            own_mac: Default::default(),
            enable: Default::default(),
            paused: Default::default(),
            event: Default::default(),
            place: Default::default(),
            for_us: Default::default(),
            asks: Default::default(),
            parameter: Default::default(),
            timer: Default::default(),
            runs: Default::default(),
            raised: Default::default(),
            loads: Default::default(),
            group: Constant::new(address(pause::DESTINATION).to_bits()),
            control: Constant::new(control_word().to_bits()),
            code: Constant::new(counters::RX_PAUSE.code.to_bits()),
        }
    }
}

impl Logic for PauseRx {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: pause_rx - obeys PAUSE frames");
        dff_setup!(self, clock, place, for_us, asks, parameter, timer, runs, raised);

        if self.frames.valid.val() {
            if !self.place.q.val().all() {
                self.place.d.next = self.place.q.val() + 1;
            }
            if self.place.q.val() == 0 {
                self.for_us.d.next = (self.frames.data.val().get_bits::<48>(0) == self.group.val())
                    | (self.frames.data.val().get_bits::<48>(0) == self.own_mac.val());
            }
            if self.place.q.val() == 1 {
                self.asks.d.next =
                    self.for_us.q.val() & (self.frames.data.val().get_bits::<32>(32) == self.control.val());
            }
            if self.place.q.val() == 2 {
                self.parameter.d.next = bit_cast::<16, 8>(self.frames.data.val().get_bits::<8>(0)) << 8
                    | bit_cast::<16, 8>(self.frames.data.val().get_bits::<8>(8));
            }
            if self.frames.last.val() {
                self.place.d.next = 0.into();
            }
        }

        // A good frame has more than three words, so what it asks is known, and the next one's is not yet.
        self.loads.next = self.frames.judged.val() & self.frames.good.val() & self.asks.q.val();
        self.raised.d.next = self.loads.val();
        self.runs.d.next = self.timer.q.val().any();
        if self.timer.q.val().any() {
            self.timer.d.next = self.timer.q.val() - 1;
        }
        if self.loads.val() {
            self.timer.d.next = bit_cast::<19, 16>(self.parameter.q.val()) << 3;
        }
        self.paused.next = self.runs.q.val() & self.enable.val();
        self.event.valid.next = self.raised.q.val();
        self.event.code.next = self.code.val();

        if self.reset.val() {
            self.place.d.next = 0.into();
            self.asks.d.next = false;
            self.timer.d.next = 0.into();
            self.raised.d.next = false;
        }
    }
}
