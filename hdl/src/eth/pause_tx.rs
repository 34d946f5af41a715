//! PAUSE, sent, and the gate that a pause closes (IEEE 802.3 annex 31B).
//!
//! Promise: while `paused`, no frame of the stream begins, and one that has begun goes on. When the
//! receive buffer reaches its high mark a PAUSE frame leaves as the next frame, `paused` or not, and
//! again each time that half of its time has gone by; when the buffer is down to its low mark, one
//! with time zero. A word of the stream passes without delay.
use crate::eth::pause_rx::{address, control_word};
use crate::stream::{EventSource, StreamSink, StreamSource};
use nicforge_layout::counters;
use nicforge_layout::wire::pause;
use rust_hdl::prelude::*;

/// What leaves.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum PauseState {
    /// The stream.
    Stream,
    /// Destination, and the first octets of the source.
    First,
    /// The rest of the source, type and operation.
    Second,
    /// The time. The MAC pads.
    Third,
}

/// Stands between the arbiter and the MAC.
#[derive(LogicBlock)]
pub struct PauseTx {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Frames from the card.
    pub sink: StreamSink<64, 8>,
    /// Frames to the MAC.
    pub source: StreamSource<64, 8>,
    /// The other end asked for a pause.
    pub paused: Signal<In, Bit>,
    /// Own MAC address, octet 0 in bits 7..0.
    pub own_mac: Signal<In, Bits<48>>,
    /// 0: no PAUSE frame is sent.
    pub enable: Signal<In, Bit>,
    /// How full the receive buffer is, in any unit.
    pub level: Signal<In, Bits<16>>,
    /// The level from which on the other end shall pause.
    pub high: Signal<In, Bits<16>>,
    /// The level down to which it does. Below `high`.
    pub low: Signal<In, Bits<16>>,
    /// The time asked for, in quanta of 512 bit times.
    pub quanta: Signal<In, Bits<16>>,
    /// `tx_pause`, for each PAUSE frame.
    pub event: EventSource,

    state: DFF<PauseState>,
    inside: DFF<Bit>,
    offered: DFF<Bit>,
    full: DFF<Bit>,
    drained: DFF<Bit>,
    stopped: DFF<Bit>,
    wanted: DFF<Bit>,
    refresh: DFF<Bits<18>>,
    sent: DFF<Bits<16>>,
    raised: DFF<Bit>,
    passes: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,

    group: Constant<Bits<48>>,
    control: Constant<Bits<32>>,
    code: Constant<Bits<6>>,
}

impl Default for PauseTx {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            sink: Default::default(),
            source: Default::default(),
            paused: Default::default(),
            own_mac: Default::default(),
            enable: Default::default(),
            level: Default::default(),
            high: Default::default(),
            low: Default::default(),
            quanta: Default::default(),
            event: Default::default(),
            state: Default::default(),
            inside: Default::default(),
            offered: Default::default(),
            full: Default::default(),
            drained: Default::default(),
            stopped: Default::default(),
            wanted: Default::default(),
            refresh: Default::default(),
            sent: Default::default(),
            raised: Default::default(),
            passes: Default::default(),
            offers: Default::default(),
            moves: Default::default(),
            group: Constant::new(address(pause::DESTINATION).to_bits()),
            control: Constant::new(control_word().to_bits()),
            code: Constant::new(counters::TX_PAUSE.code.to_bits()),
        }
    }
}

impl Logic for PauseTx {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: pause_tx - sends PAUSE frames, and holds frames while paused");
        dff_setup!(self, clock, state, inside, offered, full, drained, stopped, wanted, refresh, sent);
        dff_setup!(self, clock, raised);

        // When to ask.
        self.full.d.next = self.level.val() >= self.high.val();
        self.drained.d.next = self.level.val() <= self.low.val();
        self.raised.d.next = false;
        if self.refresh.q.val().any() {
            self.refresh.d.next = self.refresh.q.val() - 1;
        }
        if !self.wanted.q.val() {
            if self.enable.val() & self.full.q.val() & !self.stopped.q.val() {
                self.wanted.d.next = true;
                self.stopped.d.next = true;
                self.sent.d.next = self.quanta.val();
            } else if self.stopped.q.val() & (self.drained.q.val() | !self.enable.val()) {
                self.wanted.d.next = true;
                self.stopped.d.next = false;
                self.sent.d.next = 0.into();
            } else if self.stopped.q.val() & !self.refresh.q.val().any() {
                self.wanted.d.next = true;
                self.sent.d.next = self.quanta.val();
            }
        }

        // The stream passes inside a frame, and once a word was offered it stays.
        self.passes.next =
            self.inside.q.val() | self.offered.q.val() | (!self.paused.val() & !self.wanted.q.val());
        self.offers.next = self.sink.valid.val() & self.passes.val();
        self.sink.ready.next = false;
        self.source.data.next = self.sink.data.val();
        self.source.keep.next = self.sink.keep.val();
        self.source.last.next = self.sink.last.val();
        self.source.error.next = self.sink.error.val();
        self.source.valid.next = true;
        self.moves.next = false;
        self.offered.d.next = false;
        match self.state.q.val() {
            PauseState::Stream => {
                self.source.valid.next = self.offers.val();
                self.sink.ready.next = self.source.ready.val() & self.passes.val();
                self.moves.next = self.offers.val() & self.source.ready.val();
                self.offered.d.next = self.offers.val() & !self.source.ready.val();
                if !self.passes.val() & self.wanted.q.val() {
                    self.state.d.next = PauseState::First;
                }
            }
            PauseState::First => {
                self.source.data.next = bit_cast::<64, 16>(self.own_mac.val().get_bits::<16>(0)) << 48
                    | bit_cast::<64, 48>(self.group.val());
                self.source.keep.next = 0xff.into();
                self.source.last.next = false;
                if self.source.ready.val() {
                    self.state.d.next = PauseState::Second;
                }
            }
            PauseState::Second => {
                self.source.data.next = bit_cast::<64, 32>(self.control.val()) << 32
                    | bit_cast::<64, 32>(self.own_mac.val().get_bits::<32>(16));
                self.source.keep.next = 0xff.into();
                self.source.last.next = false;
                if self.source.ready.val() {
                    self.state.d.next = PauseState::Third;
                }
            }
            PauseState::Third => {
                self.source.data.next = bit_cast::<64, 8>(self.sent.q.val().get_bits::<8>(0)) << 8
                    | bit_cast::<64, 8>(self.sent.q.val().get_bits::<8>(8));
                self.source.keep.next = 0x03.into();
                self.source.last.next = true;
                self.source.error.next = false;
                if self.source.ready.val() {
                    self.state.d.next = PauseState::Stream;
                    self.wanted.d.next = false;
                    self.raised.d.next = true;
                    self.refresh.d.next = bit_cast::<18, 16>(self.sent.q.val()) << 2;
                }
            }
        }
        if self.moves.val() {
            self.inside.d.next = !self.sink.last.val();
        }

        self.event.valid.next = self.raised.q.val();
        self.event.code.next = self.code.val();

        if self.reset.val() {
            self.state.d.next = PauseState::Stream;
            self.inside.d.next = false;
            self.offered.d.next = false;
            self.stopped.d.next = false;
            self.wanted.d.next = false;
            self.raised.d.next = false;
        }
    }
}
