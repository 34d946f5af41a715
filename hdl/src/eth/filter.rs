//! The address filter: frames for this card, and nothing else.
//!
//! Promise: a frame whose destination is the own address or the broadcast address passes
//! unchanged, two cycles later; of any other nothing is seen. Group addresses other than broadcast
//! are filtered, whatever the own address is set to be: the group bit tells them.
use crate::stream::{EventSource, FlowSink, FlowSource};
use nicforge_layout::counters;
use rust_hdl::prelude::*;

/// Looks at the first six octets of each frame.
#[derive(LogicBlock)]
pub struct AddressFilter {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: the next word begins a frame.
    pub reset: Signal<In, Bit>,
    /// Frames from the MAC.
    pub frames_in: FlowSink<64, 8>,
    /// Own address, octet 0 in bits 7..0.
    pub own_mac: Signal<In, Bits<48>>,
    /// Frames for this card.
    pub frames_out: FlowSource<64, 8>,
    /// Beside every word of a frame: it came to the broadcast address.
    pub broadcast: Signal<Out, Bit>,
    /// `mac_filtered`, with the end of a good frame for somebody else.
    pub event: EventSource,

    data: DFF<Bits<64>>,
    keep: DFF<Bits<8>>,
    last: DFF<Bit>,
    error: DFF<Bit>,
    valid: DFF<Bit>,
    first: DFF<Bit>,
    for_own: DFF<Bit>,
    for_all: DFF<Bit>,
    inside: DFF<Bit>,
    passing: DFF<Bit>,
    flooding: DFF<Bit>,
    floods: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,

    out_data: DFF<Bits<64>>,
    out_keep: DFF<Bits<8>>,
    out_last: DFF<Bit>,
    out_error: DFF<Bit>,
    out_valid: DFF<Bit>,
    out_broadcast: DFF<Bit>,
    filtered: DFF<Bit>,
    filtered_code: Constant<Bits<6>>,
}

impl Default for AddressFilter {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            frames_in: Default::default(),
            own_mac: Default::default(),
            frames_out: Default::default(),
            broadcast: Default::default(),
            event: Default::default(),
            data: Default::default(),
            keep: Default::default(),
            last: Default::default(),
            error: Default::default(),
            valid: Default::default(),
            first: Default::default(),
            for_own: Default::default(),
            for_all: Default::default(),
            inside: Default::default(),
            passing: Default::default(),
            flooding: Default::default(),
            floods: Default::default(),
            passes: Default::default(),
            out_data: Default::default(),
            out_keep: Default::default(),
            out_last: Default::default(),
            out_error: Default::default(),
            out_valid: Default::default(),
            out_broadcast: Default::default(),
            filtered: Default::default(),
            filtered_code: Constant::new(counters::MAC_FILTERED.code.to_bits()),
        }
    }
}

impl Logic for AddressFilter {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: address_filter - frames for this card");
        dff_setup!(self, clock, data, keep, last, error, valid, first, for_own, for_all);
        dff_setup!(self, clock, inside, passing, flooding, filtered);
        dff_setup!(self, clock, out_data, out_keep, out_last, out_error, out_valid, out_broadcast);

        // Compare every word, since only the next stage knows what to make of it.
        self.data.d.next = self.frames_in.data.val();
        self.keep.d.next = self.frames_in.keep.val();
        self.last.d.next = self.frames_in.last.val();
        self.error.d.next = self.frames_in.error.val();
        self.valid.d.next = self.frames_in.valid.val();
        self.first.d.next = !self.inside.q.val();
        self.for_own.d.next = (self.frames_in.data.val().get_bits::<48>(0) == self.own_mac.val())
            & !self.frames_in.data.val().get_bit(0);
        self.for_all.d.next = self.frames_in.data.val().get_bits::<48>(0).all();
        if self.frames_in.valid.val() {
            self.inside.d.next = !self.frames_in.last.val();
        }

        self.floods.next = self.flooding.q.val();
        self.passes.next = self.passing.q.val();
        if self.first.q.val() {
            self.floods.next = self.for_all.q.val();
            self.passes.next = self.for_own.q.val() | self.for_all.q.val();
        }
        if self.valid.q.val() {
            self.flooding.d.next = self.floods.val();
            self.passing.d.next = self.passes.val();
        }

        self.out_data.d.next = self.data.q.val();
        self.out_keep.d.next = self.keep.q.val();
        self.out_last.d.next = self.last.q.val();
        self.out_error.d.next = self.error.q.val();
        self.out_valid.d.next = self.valid.q.val() & self.passes.val();
        self.out_broadcast.d.next = self.floods.val();
        self.filtered.d.next =
            self.valid.q.val() & self.last.q.val() & !self.error.q.val() & !self.passes.val();

        self.frames_out.data.next = self.out_data.q.val();
        self.frames_out.keep.next = self.out_keep.q.val();
        self.frames_out.last.next = self.out_last.q.val();
        self.frames_out.error.next = self.out_error.q.val();
        self.frames_out.valid.next = self.out_valid.q.val();
        self.broadcast.next = self.out_broadcast.q.val();
        self.event.valid.next = self.filtered.q.val();
        self.event.code.next = self.filtered_code.val();

        if self.reset.val() {
            self.inside.d.next = false;
            self.valid.d.next = false;
            self.out_valid.d.next = false;
            self.filtered.d.next = false;
        }
    }
}
