//! The check sequence of a frame that is being sent.
use crate::eth::{Crc32, CrcRewind, crc};
use rust_hdl::prelude::*;

/// Sums the words of a frame and puts the check sequence in the order of the lanes.
///
/// The last word of a frame is filled up with zeros, which must not count. If half of it or more is
/// missing, its octets are summed as the second half of a word without a first half. The one to
/// three zeros that remain are taken out again, two at a time and then one, and in doing so the
/// octets that stay are left where they are: what comes in for the octets taken out goes to their
/// places. That turns the sum by as many octets, just as the lanes are turned in which it is to go.
#[derive(LogicBlock)]
pub struct FrameCheck {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: forgets the frame in progress.
    pub reset: Signal<In, Bit>,
    /// A word of the frame, zeros behind the last octet.
    pub data: Signal<In, Bits<64>>,
    /// The word is there.
    pub takes: Signal<In, Bit>,
    /// With `takes`: the word is the last one and has at most four octets.
    pub halves: Signal<In, Bit>,
    /// One cycle behind the last word.
    pub ends: Signal<In, Bit>,
    /// With `ends`: octets of the frame modulo 4.
    pub beyond: Signal<In, Bits<2>>,
    /// From the cycle behind `ends` on, until the next one: octet i belongs to every lane whose
    /// number modulo 4 is i.
    pub check: Signal<Out, Bits<32>>,

    step: Crc32<64>,
    by_two: CrcRewind<2>,
    by_one: CrcRewind<1>,
    sum: DFF<Bits<32>>,
    folded: DFF<Bits<32>>,
    turned: DFF<Bit>,
    odd: DFF<Bit>,
    two: Signal<Local, Bit>,
    entering: Signal<Local, Bits<32>>,
    stays: Signal<Local, Bits<32>>,
    seed: Constant<Bits<32>>,
}

impl Default for FrameCheck {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            data: Default::default(),
            takes: Default::default(),
            halves: Default::default(),
            ends: Default::default(),
            beyond: Default::default(),
            check: Default::default(),
            step: Default::default(),
            by_two: Default::default(),
            by_one: Default::default(),
            sum: Default::default(),
            folded: Default::default(),
            turned: Default::default(),
            odd: Default::default(),
            two: Default::default(),
            entering: Default::default(),
            stays: Default::default(),
            seed: Constant::new(crc::SEED.to_bits()),
        }
    }
}

impl Logic for FrameCheck {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: frame_check - the check sequence of a frame that is sent");
        dff_setup!(self, clock, sum, folded, turned, odd);

        self.step.old_crc.next = self.sum.q.val();
        self.step.data.next = self.data.val();
        if self.halves.val() {
            self.step.old_crc.next = 0.into();
            self.step.data.next =
                bit_cast::<64, 32>(self.data.val().get_bits::<32>(0) ^ self.sum.q.val()) << 32;
        }
        if self.takes.val() {
            self.sum.d.next = self.step.new_crc.val();
        }
        if self.ends.val() | self.reset.val() {
            self.sum.d.next = self.seed.val();
        }

        // Two octets of zero are the upper half of the register; they and the lower half change places.
        self.two.next = self.beyond.val().get_bit(0) ^ self.beyond.val().get_bit(1);
        self.by_two.new_crc.next = self.sum.q.val() & 0xffff_0000_u64;
        if self.ends.val() {
            self.odd.d.next = self.beyond.val().get_bit(0);
            self.turned.d.next = self.two.val();
            self.folded.d.next = self.sum.q.val();
            if self.two.val() {
                self.folded.d.next = bit_cast::<32, 16>(self.by_two.old_crc.val().get_bits::<16>(0)) << 16
                    | bit_cast::<32, 16>(
                        self.by_two.old_crc.val().get_bits::<16>(16) ^ self.sum.q.val().get_bits::<16>(0),
                    );
            }
        }

        // The last octet of the register is now in place 3, or in place 1.
        self.entering.next = 0.into();
        self.stays.next = self.folded.q.val();
        if self.odd.q.val() {
            if self.turned.q.val() {
                self.entering.next = bit_cast::<32, 8>(self.folded.q.val().get_bits::<8>(8)) << 24;
                self.stays.next = self.folded.q.val() & 0xffff_00ff_u64;
            } else {
                self.entering.next = self.folded.q.val() & 0xff00_0000_u64;
                self.stays.next = self.folded.q.val() & 0x00ff_ffff_u64;
            }
        }
        self.by_one.new_crc.next = self.entering.val();
        self.check.next =
            !(self.stays.val() ^ (self.by_one.old_crc.val() >> 8 | self.by_one.old_crc.val() << 24));
        if self.turned.q.val() {
            self.check.next =
                !(self.stays.val() ^ (self.by_one.old_crc.val() << 8 | self.by_one.old_crc.val() >> 24));
        }
    }
}
