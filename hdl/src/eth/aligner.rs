//! Words of frames from words of the wire.
//!
//! A frame may start in lane 0 or in lane 4. Promise: whatever the lane, the preamble comes out as
//! one word with `begins`, and the frame's octet 0 in lane 0 of the word behind it.
use crate::eth::Column;
use rust_hdl::prelude::*;

/// Puts columns together again so that each frame begins a word; three cycles of latency.
///
/// Two kinds of damaged start are told apart here:
/// * less than five octets behind a TERMINATE (IEEE 802.3 clause 4.4.2 lets the gap shrink to five,
///   not further), which is `crowded`: its preamble is never `intact`, and it leaves the alignment
///   alone, because the frame before it may end in the same word;
/// * less than 16 octets behind another START, which may be no start at all but a part of the
///   damage of the first one. `begins` is therefore never raised twice in a row, whatever comes in.
#[derive(LogicBlock, Default)]
pub struct Aligner {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// XGMII data, lane 0 in bits 7..0.
    pub rxd: Signal<In, Bits<64>>,
    /// XGMII control bits.
    pub rxc: Signal<In, Bits<8>>,
    /// The data octets before the first control code of the word; zeros from there on.
    pub data: Signal<Out, Bits<64>>,
    /// Which octets these are, contiguous from bit 0.
    pub keep: Signal<Out, Bits<8>>,
    /// The first control code is TERMINATE.
    pub terminates: Signal<Out, Bit>,
    /// A frame begins with this word.
    pub begins: Signal<Out, Bit>,
    /// With `begins`: the word is a whole, undamaged preamble at a legal distance.
    pub intact: Signal<Out, Bit>,
    /// With `begins`: too close behind a TERMINATE; the word still belongs to the frame before.
    pub crowded: Signal<Out, Bit>,

    early: Column,
    late: Column,
    held_data: DFF<Bits<32>>,
    held_keep: DFF<Bits<4>>,
    held_terminates: DFF<Bit>,
    held_ended: DFF<Bit>,
    held_starts: DFF<Bit>,
    held_opens: DFF<Bit>,
    held_crowded: DFF<Bit>,
    shifted: DFF<Bit>,
    shifts: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    presses: Signal<Local, Bit>,
    first_data: Signal<Local, Bits<32>>,
    first_keep: Signal<Local, Bits<4>>,
    first_terminates: Signal<Local, Bit>,
    first_opens: Signal<Local, Bit>,
    second_data: Signal<Local, Bits<32>>,
    second_keep: Signal<Local, Bits<4>>,
    second_terminates: Signal<Local, Bit>,
    second_closes: Signal<Local, Bit>,
    data_q: DFF<Bits<64>>,
    keep_q: DFF<Bits<8>>,
    terminates_q: DFF<Bit>,
    begins_q: DFF<Bit>,
    intact_q: DFF<Bit>,
    crowded_q: DFF<Bit>,
}

impl Logic for Aligner {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: xgmii_aligner - frames that start in lane 0 or 4 begin a word");
        dff_setup!(
            self,
            clock,
            held_data,
            held_keep,
            held_terminates,
            held_ended,
            held_starts,
            held_opens,
            held_crowded
        );
        dff_setup!(self, clock, shifted, data_q, keep_q, terminates_q, begins_q, intact_q, crowded_q);

        self.early.clock.next = self.clock.val();
        self.early.octets.next = self.rxd.val().get_bits::<32>(0);
        self.early.controls.next = self.rxc.val().get_bits::<4>(0);
        self.late.clock.next = self.clock.val();
        self.late.octets.next = self.rxd.val().get_bits::<32>(32);
        self.late.controls.next = self.rxc.val().get_bits::<4>(4);

        self.held_data.d.next = self.late.data.val();
        self.held_keep.d.next = self.late.keep.val();
        self.held_terminates.d.next = self.late.terminates.val();
        self.held_ended.d.next = self.late.ended.val();
        self.held_starts.d.next = self.late.starts.val();
        self.held_opens.d.next = self.late.opens.val();
        self.held_crowded.d.next = self.late.starts.val() & self.early.ended.val();

        // A START in lane 4 is acted on one word later, when the second half of its preamble is here.
        self.starts.next = (self.held_starts.q.val() | self.early.starts.val()) & !self.begins_q.q.val();
        self.presses.next = self.early.starts.val() & self.held_ended.q.val();
        if self.held_starts.q.val() {
            self.presses.next = self.held_crowded.q.val();
        }
        self.shifts.next = self.shifted.q.val();
        if self.starts.val() & !self.presses.val() {
            self.shifts.next = self.held_starts.q.val();
        }
        self.shifted.d.next = self.shifts.val();

        self.first_data.next = self.early.data.val();
        self.first_keep.next = self.early.keep.val();
        self.first_terminates.next = self.early.terminates.val();
        self.first_opens.next = self.early.opens.val();
        self.second_data.next = self.late.data.val();
        self.second_keep.next = self.late.keep.val();
        self.second_terminates.next = self.late.terminates.val();
        self.second_closes.next = self.late.closes.val();
        if self.shifts.val() {
            self.first_data.next = self.held_data.q.val();
            self.first_keep.next = self.held_keep.q.val();
            self.first_terminates.next = self.held_terminates.q.val();
            self.first_opens.next = self.held_opens.q.val();
            self.second_data.next = self.early.data.val();
            self.second_keep.next = self.early.keep.val();
            self.second_terminates.next = self.early.terminates.val();
            self.second_closes.next = self.early.closes.val();
        }

        // The second column counts only while the first one is all data.
        self.data_q.d.next = bit_cast::<64, 32>(self.first_data.val());
        self.keep_q.d.next = bit_cast::<8, 4>(self.first_keep.val());
        self.terminates_q.d.next = self.first_terminates.val();
        if self.first_keep.val().get_bit(3) {
            self.data_q.d.next =
                bit_cast::<64, 32>(self.second_data.val()) << 32 | bit_cast::<64, 32>(self.first_data.val());
            self.keep_q.d.next =
                bit_cast::<8, 4>(self.second_keep.val()) << 4 | bit_cast::<8, 4>(self.first_keep.val());
            self.terminates_q.d.next = self.second_terminates.val();
        }
        self.begins_q.d.next = self.starts.val();
        self.intact_q.d.next = self.first_opens.val() & self.second_closes.val() & !self.presses.val();
        self.crowded_q.d.next = self.presses.val();

        self.data.next = self.data_q.q.val();
        self.keep.next = self.keep_q.q.val();
        self.terminates.next = self.terminates_q.q.val();
        self.begins.next = self.begins_q.q.val();
        self.intact.next = self.intact_q.q.val();
        self.crowded.next = self.crowded_q.q.val();

        if self.reset.val() {
            self.shifted.d.next = false;
            self.begins_q.d.next = false;
        }
    }
}
