//! Shifts the payload of a UDP datagram to octet 0 and holds its last word until the verdict.
use crate::stream::FlowSource;
use rust_hdl::prelude::*;

/// Payload begins at octet 42 of the frame, octet 2 of the sixth word: each payload word is the
/// rest of one frame word and the first two octets of the next.
#[derive(LogicBlock, Default)]
pub struct Extract {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A word of the frame.
    pub data: Signal<In, Bits<64>>,
    /// It is there.
    pub valid: Signal<In, Bit>,
    /// The datagram is wanted, as far as its headers tell.
    pub accepts: Signal<In, Bit>,
    /// The present word has payload beyond its first two octets.
    pub fills: Signal<In, Bit>,
    /// The first two octets of the present word end a payload word.
    pub ends_word: Signal<In, Bit>,
    /// The frame ended with the present word.
    pub ends: Signal<In, Bit>,
    /// The octets of the payload's last word.
    pub last_keep: Signal<In, Bits<8>>,
    /// The verdict is there: the payload's last word may leave.
    pub closes: Signal<In, Bit>,
    /// With `closes`: the datagram is bad.
    pub closes_bad: Signal<In, Bit>,
    /// The payload. `last` comes in the cycle of the verdict.
    pub payload: FlowSource<64, 8>,

    start: DFF<Bits<48>>,
    end: DFF<Bits<16>>,
    unfinished: DFF<Bit>,
    keep: DFF<Bits<8>>,
    out_data: DFF<Bits<64>>,
    out_keep: DFF<Bits<8>>,
    out_last: DFF<Bit>,
    out_error: DFF<Bit>,
    out_valid: DFF<Bit>,
}

impl Logic for Extract {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: extract Payload shifted to octet 0");
        dff_setup!(self, clock, start, end, unfinished, keep);
        dff_setup!(self, clock, out_data, out_keep, out_last, out_error, out_valid);

        // The payload's last word stays in `start` and `end`: nothing behind it fills them.
        if self.valid.val() & self.fills.val() {
            self.start.d.next = self.data.val().get_bits::<48>(16);
            self.unfinished.d.next = true;
        }
        if self.valid.val() & self.ends_word.val() & !self.fills.val() {
            self.unfinished.d.next = false;
            if self.unfinished.q.val() {
                self.end.d.next = self.data.val().get_bits::<16>(0);
            }
        }
        if self.ends.val() {
            self.keep.d.next = self.last_keep.val();
        }

        self.out_data.d.next = (bit_cast::<64, 16>(self.data.val().get_bits::<16>(0)) << 48)
            | bit_cast::<64, 48>(self.start.q.val());
        self.out_keep.d.next = 0xff.into();
        self.out_last.d.next = self.closes.val();
        self.out_error.d.next = self.closes.val() & self.closes_bad.val();
        self.out_valid.d.next = self.closes.val()
            | (self.valid.val() & self.accepts.val() & self.fills.val() & self.ends_word.val());
        if self.closes.val() {
            self.out_data.d.next =
                (bit_cast::<64, 16>(self.end.q.val()) << 48) | bit_cast::<64, 48>(self.start.q.val());
            self.out_keep.d.next = self.keep.q.val();
        }

        self.payload.data.next = self.out_data.q.val();
        self.payload.keep.next = self.out_keep.q.val();
        self.payload.last.next = self.out_last.q.val();
        self.payload.error.next = self.out_error.q.val();
        self.payload.valid.next = self.out_valid.q.val();

        if self.reset.val() {
            self.unfinished.d.next = false;
            self.out_valid.d.next = false;
        }
    }
}
