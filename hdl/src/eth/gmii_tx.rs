//! The sending half of the 1 GbE MAC: frames of the core's clock to GMII (IEEE 802.3 clauses 4 and 35).
//!
//! Promise: what [`GmiiSend`] says of each frame, at 1 Gbit/s back to back with a core clock of 31.25 MHz or
//! more: a word a cycle is then at least twice what the line takes, so that a frame may begin with its
//! first word and only a source that pauses inside a frame can leave it short. That frame is counted as
//! `tx_underrun`. Frames wait through `ready` while the line is busy, and while the transmit clock
//! stands still.
use crate::eth::GmiiSend;
use crate::stream::{AsyncFifo, DomainReset, EventSource, StreamSink};
use rust_hdl::prelude::*;

/// Sends frames: an [`AsyncFifo`] of sixteen words to the transmit clock, and one of events back.
#[derive(LogicBlock, Default)]
pub struct GmiiTx {
    /// The core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high; resets the side of the transmit clock too.
    pub reset: Signal<In, Bit>,
    /// Destination address to end of data. Once a frame began its words must come without a pause.
    pub frames: StreamSink<64, 8>,
    /// The transmit clock, 125 MHz.
    pub tx_clk: Signal<In, Clock>,
    /// GMII transmit data.
    pub txd: Signal<Out, Bits<8>>,
    /// GMII transmit enable.
    pub tx_en: Signal<Out, Bit>,
    /// GMII transmit error.
    pub tx_er: Signal<Out, Bit>,
    /// `tx_good`, `tx_underrun` or `tx_error`, once a frame.
    pub event: EventSource,

    resets: DomainReset,
    words: AsyncFifo<69, 4, 5>,
    send: GmiiSend,
    events: AsyncFifo<6, 2, 3>,
    highest: Signal<Local, Bits<8>>,
    number: Signal<Local, Bits<3>>,
    raised: DFF<Bit>,
    raised_code: DFF<Bits<6>>,
}

impl Logic for GmiiTx {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: gmii_tx - frames of the core clock to GMII");
        dff_setup!(self, clock, raised, raised_code);
        self.resets.clock.next = self.clock.val();
        self.resets.reset.next = self.reset.val();
        self.resets.far_clock.next = self.tx_clk.val();

        // There: the number of octets, less one, is the place of the highest of them.
        self.highest.next = self.frames.keep.val() & !(self.frames.keep.val() >> 1);
        self.number.next = 0.into();
        for i in 1..8 {
            if self.highest.val().get_bit(i) {
                self.number.next = i.to_bits();
            }
        }
        self.words.write_clock.next = self.clock.val();
        self.words.write_reset.next = self.resets.near_reset.val();
        self.words.write_data.next = bit_cast::<69, 1>(self.frames.error.val().into()) << 68
            | bit_cast::<69, 1>(self.frames.last.val().into()) << 67
            | bit_cast::<69, 3>(self.number.val()) << 64
            | bit_cast::<69, 64>(self.frames.data.val());
        self.words.write_valid.next = self.frames.valid.val();
        self.frames.ready.next = self.words.write_ready.val();

        self.words.read_clock.next = self.tx_clk.val();
        self.words.read_reset.next = self.resets.far_reset.val();
        self.send.clock.next = self.tx_clk.val();
        self.send.reset.next = self.resets.far_reset.val();
        self.send.entry.next = self.words.read_data.val();
        self.send.valid.next = self.words.read_valid.val();
        self.words.read_ready.next = self.send.ready.val();
        self.txd.next = self.send.txd.val();
        self.tx_en.next = self.send.tx_en.val();
        self.tx_er.next = self.send.tx_er.val();

        // And back: events must not be neighbours.
        self.events.write_clock.next = self.tx_clk.val();
        self.events.write_reset.next = self.resets.far_reset.val();
        self.events.write_data.next = self.send.event.code.val();
        self.events.write_valid.next = self.send.event.valid.val();
        self.send.event_taken.next = self.events.write_ready.val();
        self.events.read_clock.next = self.clock.val();
        self.events.read_reset.next = self.resets.near_reset.val();
        self.events.read_ready.next = !self.raised.q.val();
        self.raised.d.next = self.events.read_valid.val() & !self.raised.q.val();
        self.raised_code.d.next = self.events.read_data.val();
        self.event.valid.next = self.raised.q.val();
        self.event.code.next = self.raised_code.q.val();

        if self.reset.val() {
            self.raised.d.next = false;
        }
    }
}
