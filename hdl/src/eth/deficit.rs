//! The deficit idle count (IEEE 802.3 clause 46.3.1.4).
use rust_hdl::prelude::*;

/// Says where the frame behind a frame may start.
///
/// A frame of L octets, of which r = L mod 4 stand beyond a column, is followed by 12 - r octets of
/// gap while the octets lost in this way come to less than four, else by 16 - r, which gives four back.
#[derive(LogicBlock, Default)]
pub struct DeficitIdle {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: the line is idle.
    pub reset: Signal<In, Bit>,
    /// A frame has ended, with `octets` in its last word of data.
    pub ends: Signal<In, Bit>,
    /// With `ends`: the last word of data, ones from bit 0 on, as many as octets.
    pub span: Signal<In, Bits<8>>,
    /// Two cycles behind `ends`: `lane_four` turns to the next frame.
    pub turns: Signal<In, Bit>,
    /// No frame begins in this cycle although one could: the gap is longer than it had to be.
    pub passes: Signal<In, Bit>,
    /// The current frame, or from `turns` on the next one, starts in lane 4, else in lane 0.
    pub lane_four: Signal<Out, Bit>,
    /// From the cycle behind `ends` on: the next frame may start one word later than the earliest.
    pub later: Signal<Out, Bit>,
    /// With `ends`: octets of the frame modulo 4.
    pub beyond: Signal<Out, Bits<2>>,

    lane: DFF<Bit>,
    count: DFF<Bits<2>>,
    place: DFF<Bits<2>>,
    odd: Signal<Local, Bit>,
    upper: Signal<Local, Bit>,
    rest: Signal<Local, Bits<2>>,
    total: Signal<Local, Bits<3>>,
}

impl Logic for DeficitIdle {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: deficit_idle - where the next frame may start");
        dff_setup!(self, clock, lane, count, place);

        self.odd.next = (self.span.val().get_bit(0) & !self.span.val().get_bit(1))
            | (self.span.val().get_bit(2) & !self.span.val().get_bit(3))
            | (self.span.val().get_bit(4) & !self.span.val().get_bit(5))
            | (self.span.val().get_bit(6) & !self.span.val().get_bit(7));
        self.upper.next = (self.span.val().get_bit(1) & !self.span.val().get_bit(3))
            | (self.span.val().get_bit(5) & !self.span.val().get_bit(7));
        self.rest.next = 0.into();
        if self.upper.val() {
            self.rest.next = 2.into();
            if self.odd.val() {
                self.rest.next = 3.into();
            }
        } else if self.odd.val() {
            self.rest.next = 1.into();
        }
        self.total.next = bit_cast::<3, 2>(self.count.q.val()) + bit_cast::<3, 2>(self.rest.val());

        // Preamble and least gap leave the next START two words behind, and one more column for each
        // of: this frame started in lane 4, the last word is half full, it is full, the count is.
        if self.ends.val() {
            self.count.d.next = self.total.val().get_bits::<2>(0);
            self.place.d.next = bit_cast::<2, 1>(self.span.val().get_bits::<1>(3))
                + bit_cast::<2, 1>(self.span.val().get_bits::<1>(7))
                + bit_cast::<2, 1>(self.total.val().get_bits::<1>(2))
                + self.lane.q.val();
        }
        if self.turns.val() {
            self.lane.d.next = self.place.q.val().get_bit(0);
        }
        if self.passes.val() {
            self.lane.d.next = false;
            self.count.d.next = 0.into();
        }

        self.lane_four.next = self.lane.q.val();
        self.later.next = self.place.q.val().get_bit(1);
        self.beyond.next = self.rest.val();

        if self.reset.val() {
            self.lane.d.next = false;
            self.count.d.next = 0.into();
        }
    }
}
