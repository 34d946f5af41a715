//! The one's-complement sum of the internet checksums (RFC 1071), one word a clock.
//!
//! Half-words are added as they lie in the word, first octet in the low bits. RFC 1071 section
//! 2(B): that gives the sum of the big-endian half-words with its octets exchanged, and a sum of
//! all ones is one in either order.
use rust_hdl::prelude::*;

/// Sums the marked octets of the words of a packet. Latency: `total` contains a word from the
/// second cycle after it on.
#[derive(LogicBlock, Default)]
pub struct WordSum {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// The word.
    pub data: Signal<In, Bits<64>>,
    /// Its octets that count.
    pub mask: Signal<In, Bits<8>>,
    /// Octets 6 and 7 count twice: a length that stands in the header and in the pseudo header.
    pub twice: Signal<In, Bit>,
    /// The word is the first of a sum.
    pub first: Signal<In, Bit>,
    /// What a new sum starts with, octets in the order of the word.
    pub seed: Signal<In, Bits<16>>,
    /// The word is there.
    pub valid: Signal<In, Bit>,
    /// The sum so far: bits 29..16 still have to be added to bits 15..0.
    pub total: Signal<Out, Bits<30>>,
    /// The sum so far is all ones: what it is over data together with its checksum.
    pub all_ones: Signal<Out, Bit>,

    lower: DFF<Bits<18>>,
    upper: DFF<Bits<18>>,
    added_first: DFF<Bit>,
    added_seed: DFF<Bits<16>>,
    added_valid: DFF<Bit>,
    running: DFF<Bits<30>>,
    octets: [Signal<Local, Bits<8>>; 8],
    halves: [Signal<Local, Bits<18>>; 4],
    fourth: Signal<Local, Bits<18>>,
    base: Signal<Local, Bits<30>>,
    low: Signal<Local, Bits<16>>,
    high: Signal<Local, Bits<14>>,
    complement: Signal<Local, Bits<16>>,
}

impl Logic for WordSum {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: word_sum One's-complement sum, one word a clock");
        dff_setup!(self, clock, lower, upper, added_first, added_seed, added_valid, running);

        for i in 0..8 {
            self.octets[i].next = 0.into();
            if self.mask.val().get_bit(i) {
                self.octets[i].next = self.data.val().get_bits::<8>(8 * i);
            }
        }
        self.halves[0].next =
            bit_cast::<18, 8>(self.octets[0].val()) | (bit_cast::<18, 8>(self.octets[1].val()) << 8);
        self.halves[1].next =
            bit_cast::<18, 8>(self.octets[2].val()) | (bit_cast::<18, 8>(self.octets[3].val()) << 8);
        self.halves[2].next =
            bit_cast::<18, 8>(self.octets[4].val()) | (bit_cast::<18, 8>(self.octets[5].val()) << 8);
        self.halves[3].next =
            bit_cast::<18, 8>(self.octets[6].val()) | (bit_cast::<18, 8>(self.octets[7].val()) << 8);
        self.fourth.next = self.halves[3].val();
        if self.twice.val() {
            self.fourth.next = self.halves[3].val() << 1;
        }

        self.lower.d.next = self.halves[0].val() + self.halves[1].val();
        self.upper.d.next = self.halves[2].val() + self.fourth.val();
        self.added_first.d.next = self.first.val();
        self.added_seed.d.next = self.seed.val();
        self.added_valid.d.next = self.valid.val();

        // Carries are only collected: 30 bits hold them for 3276 words of five half-words.
        self.base.next = self.running.q.val();
        if self.added_first.q.val() {
            self.base.next = bit_cast::<30, 16>(self.added_seed.q.val());
        }
        if self.added_valid.q.val() {
            self.running.d.next = self.base.val()
                + (bit_cast::<30, 18>(self.lower.q.val()) + bit_cast::<30, 18>(self.upper.q.val()));
        }

        // low + high is all ones exactly when each is the other's complement.
        self.low.next = self.running.q.val().get_bits::<16>(0);
        self.high.next = self.running.q.val().get_bits::<14>(16);
        self.complement.next = self.low.val() ^ bit_cast::<16, 14>(self.high.val());
        self.all_ones.next = self.complement.val().all();
        self.total.next = self.running.q.val();
    }
}
