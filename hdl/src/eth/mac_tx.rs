//! The sending half of the MAC: frames to 64-bit XGMII (IEEE 802.3 clauses 4 and 46).
//!
//! Promise: each frame leaves with preamble, padding to 64 octets (zeros) and FCS. Frames that wait
//! leave at the full rate of the line from the shortest one on: the gaps between them are those of
//! the deficit idle count (clause 46.3.1.4), 9 to 15 octets and 12 on average, with START in lane 0
//! or 4. On an idle line START is at the pins two cycles after the cycle in which the frame is there,
//! always in lane 0, and the first word one cycle later.
//!
//! A frame whose words come too late, that is longer than the limit or that its source marks bad is
//! ended with an error code, so that no receiver takes it for good; the rest of it is swallowed and
//! the next one is sent. `hold` keeps frames from beginning, and never cuts one.
use crate::eth::{DeficitIdle, FrameCheck, Lanes};
use crate::stream::{EventSource, StreamSink};
use nicforge_layout::counters::{self, Counter};
use nicforge_layout::wire::{ethernet, xgmii};
use rust_hdl::prelude::*;

/// What the feeding stage does in this cycle.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum State {
    /// Waits for a frame, and takes its first word in the cycle in which it is there.
    Idle,
    /// Takes the words of a frame.
    Data,
    /// Adds words of zeros.
    Pad,
    /// First cycle behind a frame's last word.
    Tail,
    /// Second cycle: the next frame could be taken in the third at the earliest.
    Rest,
    /// Third cycle, if the gap needs one more word.
    Wait,
    /// Takes the rest of a frame that was given up.
    Swallow,
}

/// Sends frames.
///
/// A word is taken, then is in `word` with its octets in `span`, then in [`Lanes`], then at the pins.
#[derive(LogicBlock)]
pub struct MacTx {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: ends a frame in progress at once, without TERMINATE.
    pub reset: Signal<In, Bit>,
    /// Destination address to end of data. Once a frame began its words must come without a pause.
    pub frames: StreamSink<64, 8>,
    /// Longest frame in octets, FCS included, at least 64; taken over before the start of each frame.
    pub max_frame: Signal<In, Bits<15>>,
    /// No frame begins. One that has begun goes on.
    pub hold: Signal<In, Bit>,
    /// While no frame is being sent: remote fault ordered sets instead of idle (clause 46.3.4).
    pub answer: Signal<In, Bit>,
    /// XGMII data, lane 0 in bits 7..0 and first on the wire.
    pub txd: Signal<Out, Bits<64>>,
    /// XGMII control bits, one a lane.
    pub txc: Signal<Out, Bits<8>>,
    /// `tx_good`, `tx_underrun`, `tx_error` or `tx_oversize`, once a frame.
    pub event: EventSource,

    state: DFF<State>,
    place: DFF<Bits<3>>,
    short: DFF<Bit>,
    fills: DFF<Bit>,
    padding: DFF<Bit>,
    left: DFF<Bits<12>>,
    word: [DFF<Bits<8>>; 8],
    span: DFF<Bits<8>>,
    broken: DFF<Bit>,
    ended: DFF<Bit>,
    ended_code: DFF<Bits<6>>,

    gap: DeficitIdle,
    check: FrameCheck,
    lanes: Lanes,

    begins: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    late: Signal<Local, Bit>,
    feeds: Signal<Local, Bit>,
    half: Signal<Local, Bit>,
    tail: Signal<Local, Bits<3>>,
    exceeds: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    bad: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    ends_padded: Signal<Local, Bit>,
    clean: [Signal<Local, Bits<8>>; 8],

    preamble: [Constant<Bits<8>>; 8],
    error: Constant<Bits<8>>,
    last_short: Constant<Bits<3>>,
    short_span: Constant<Bits<8>>,
    good_code: Constant<Bits<6>>,
    underrun_code: Constant<Bits<6>>,
    error_code: Constant<Bits<6>>,
    oversize_code: Constant<Bits<6>>,
}

fn code(counter: Counter) -> Constant<Bits<6>> {
    Constant::new(counter.code.to_bits())
}

/// START, preamble and SFD.
fn preamble() -> [u8; xgmii::PREAMBLE_OCTETS] {
    let mut octets = [xgmii::PREAMBLE; xgmii::PREAMBLE_OCTETS];
    octets[0] = xgmii::START;
    octets[7] = xgmii::SFD;
    octets
}

impl Default for MacTx {
    fn default() -> Self {
        let shortest = ethernet::MIN_FRAME_OCTETS - ethernet::FCS_OCTETS;
        Self {
            clock: Default::default(),
            reset: Default::default(),
            frames: Default::default(),
            max_frame: Default::default(),
            hold: Default::default(),
            answer: Default::default(),
            txd: Default::default(),
            txc: Default::default(),
            event: Default::default(),
            state: Default::default(),
            place: Default::default(),
            short: Default::default(),
            fills: Default::default(),
            padding: Default::default(),
            left: Default::default(),
            word: array_init::array_init(|_| Default::default()),
            span: Default::default(),
            broken: Default::default(),
            ended: Default::default(),
            ended_code: Default::default(),
            gap: Default::default(),
            check: Default::default(),
            lanes: Default::default(),
            begins: Default::default(),
            takes: Default::default(),
            late: Default::default(),
            feeds: Default::default(),
            half: Default::default(),
            tail: Default::default(),
            exceeds: Default::default(),
            over: Default::default(),
            bad: Default::default(),
            ends: Default::default(),
            ends_padded: Default::default(),
            clean: array_init::array_init(|_| Default::default()),
            preamble: std::array::from_fn(|i| Constant::new(preamble()[i].to_bits())),
            error: Constant::new(xgmii::ERROR.to_bits()),
            last_short: Constant::new((shortest / 8 - 1).to_bits()),
            short_span: Constant::new(((1u64 << (shortest % 8)) - 1).to_bits()),
            good_code: code(counters::TX_GOOD),
            underrun_code: code(counters::TX_UNDERRUN),
            error_code: code(counters::TX_ERROR),
            oversize_code: code(counters::TX_OVERSIZE),
        }
    }
}

impl Logic for MacTx {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: mac_tx - frames to 64-bit XGMII");
        dff_setup!(self, clock, state, place, short, fills, padding, left, span, broken);
        dff_setup!(self, clock, ended, ended_code);
        clock!(self, clock, gap, check, lanes);
        self.gap.reset.next = self.reset.val();
        self.check.reset.next = self.reset.val();
        self.lanes.reset.next = self.reset.val();

        // What happens to the stream.
        self.frames.ready.next = false;
        self.begins.next = false;
        self.takes.next = false;
        self.late.next = false;
        self.gap.turns.next = false;
        self.gap.passes.next = false;
        self.lanes.answers.next = false;
        match self.state.q.val() {
            State::Idle => {
                self.frames.ready.next = !self.hold.val();
                self.begins.next = self.frames.valid.val() & !self.hold.val();
                self.takes.next = self.frames.valid.val() & !self.hold.val();
                self.gap.passes.next = !self.frames.valid.val() | self.hold.val();
                self.lanes.answers.next = self.answer.val() & (!self.frames.valid.val() | self.hold.val());
            }
            State::Data => {
                self.frames.ready.next = true;
                self.takes.next = self.frames.valid.val();
                self.late.next = !self.frames.valid.val();
            }
            State::Pad => {}
            State::Tail => {
                self.state.d.next = State::Rest;
            }
            State::Rest => {
                self.gap.turns.next = true;
                self.state.d.next = State::Idle;
                if self.gap.later.val() {
                    self.state.d.next = State::Wait;
                }
            }
            State::Wait => {
                self.state.d.next = State::Idle;
            }
            State::Swallow => {
                self.frames.ready.next = true;
                if self.frames.valid.val() & self.frames.last.val() {
                    self.state.d.next = State::Tail;
                }
            }
        }

        // `left` is the number of words that the limit leaves, FCS included: the FCS reaches into the
        // word behind if this one has at least four octets, and ends it with `tail` octets.
        self.half.next = self.frames.keep.val().get_bit(3);
        self.tail.next = 0.into();
        if self.frames.keep.val().get_bit(7) {
            self.tail.next = 4.into();
        } else if self.frames.keep.val().get_bit(6) {
            self.tail.next = 3.into();
        } else if self.frames.keep.val().get_bit(5) {
            self.tail.next = 2.into();
        } else if self.frames.keep.val().get_bit(4) {
            self.tail.next = 1.into();
        } else if self.half.val() {
            self.tail.next = 0.into();
        } else if self.frames.keep.val().get_bit(2) {
            self.tail.next = 7.into();
        } else if self.frames.keep.val().get_bit(1) {
            self.tail.next = 6.into();
        } else {
            self.tail.next = 5.into();
        }
        self.exceeds.next = self.tail.val() > self.max_frame.val().get_bits::<3>(0);
        self.over.next = false;
        if !self.left.q.val().get_bits::<11>(1).any() {
            self.over.next = (self.half.val() & (self.exceeds.val() | !self.left.q.val().get_bit(0)))
                | (self.exceeds.val() & !self.left.q.val().get_bit(0));
        }
        self.left.d.next = self.max_frame.val().get_bits::<12>(3);
        if self.takes.val() {
            self.left.d.next = self.left.q.val() - 1;
        }

        self.bad.next = self.late.val()
            | (self.takes.val() & ((self.frames.last.val() & self.frames.error.val()) | self.over.val()));
        self.ends.next = self.takes.val() & self.frames.last.val() & !self.bad.val() & !self.short.q.val();
        self.ends_padded.next = self.padding.q.val() & self.fills.q.val();
        self.ended.d.next = self.bad.val() | self.ends.val() | self.ends_padded.val();

        // With `short` the word needs padding words behind it if it is the last one, with `fills`
        // padding in itself: these steer the sum, so they are known a cycle ahead.
        self.feeds.next = self.takes.val() | self.padding.q.val();
        if self.feeds.val() {
            self.fills.d.next = false;
            if self.short.q.val() {
                self.place.d.next = self.place.q.val() + 1;
                if self.place.q.val() == self.last_short.val() {
                    self.short.d.next = false;
                    self.fills.d.next = true;
                }
            }
        }
        if self.ended.q.val() {
            self.place.d.next = 0.into();
            self.short.d.next = true;
            self.fills.d.next = false;
        }
        if self.takes.val() {
            self.state.d.next = State::Data;
            if self.frames.last.val() {
                self.state.d.next = State::Tail;
                if self.short.q.val() & !self.bad.val() {
                    self.state.d.next = State::Pad;
                    self.padding.d.next = true;
                }
            } else if self.bad.val() {
                self.state.d.next = State::Swallow;
            }
        }
        if self.late.val() {
            self.state.d.next = State::Swallow;
        }
        if self.ends_padded.val() {
            self.state.d.next = State::Tail;
            self.padding.d.next = false;
        }

        // What is beyond `keep` may be left over from anything: it must not leak into the padding.
        // Without a word the preamble of the next frame waits where its words will follow it.
        for i in 0..8 {
            self.clean[i].next = 0.into();
            if self.frames.keep.val().get_bit(i) & !self.padding.q.val() {
                self.clean[i].next = self.frames.data.val().get_bits::<8>(8 * i);
            }
            self.word[i].clock.next = self.clock.val();
            self.word[i].d.next = self.clean[i].val();
            if !self.feeds.val() | self.reset.val() {
                self.word[i].d.next = self.preamble[i].val();
            }
        }
        self.broken.d.next = self.bad.val();
        self.span.d.next = 0.into();
        if self.feeds.val() {
            self.span.d.next = 0xff.into();
        }
        if self.ends.val() {
            self.span.d.next = self.frames.keep.val();
            if self.fills.q.val() {
                self.span.d.next = self.frames.keep.val() | self.short_span.val();
            }
        }
        if self.ends_padded.val() {
            self.span.d.next = self.short_span.val();
        }
        // One octet that is a code makes the frame bad; what follows ends it in the ordinary way.
        if self.bad.val() {
            self.span.d.next = 1.into();
            self.word[0].d.next = self.error.val();
        }

        self.check.data.next = bit_cast::<64, 8>(self.clean[7].val()) << 56
            | bit_cast::<64, 8>(self.clean[6].val()) << 48
            | bit_cast::<64, 8>(self.clean[5].val()) << 40
            | bit_cast::<64, 8>(self.clean[4].val()) << 32
            | bit_cast::<64, 8>(self.clean[3].val()) << 24
            | bit_cast::<64, 8>(self.clean[2].val()) << 16
            | bit_cast::<64, 8>(self.clean[1].val()) << 8
            | bit_cast::<64, 8>(self.clean[0].val());
        self.check.takes.next = self.feeds.val();
        // Whether the word is taken at all, or is bad, does not matter here and is known too late.
        self.check.halves.next = !self.short.q.val()
            & (self.padding.q.val() | (self.frames.last.val() & !self.frames.keep.val().get_bit(4)));
        self.check.ends.next = self.ended.q.val();
        self.check.beyond.next = self.gap.beyond.val();

        self.gap.ends.next = self.ended.q.val();
        self.gap.span.next = self.span.q.val();

        self.lanes.lane_four.next = self.gap.lane_four.val();
        self.lanes.data.next = bit_cast::<64, 8>(self.word[7].q.val()) << 56
            | bit_cast::<64, 8>(self.word[6].q.val()) << 48
            | bit_cast::<64, 8>(self.word[5].q.val()) << 40
            | bit_cast::<64, 8>(self.word[4].q.val()) << 32
            | bit_cast::<64, 8>(self.word[3].q.val()) << 24
            | bit_cast::<64, 8>(self.word[2].q.val()) << 16
            | bit_cast::<64, 8>(self.word[1].q.val()) << 8
            | bit_cast::<64, 8>(self.word[0].q.val());
        self.lanes.span.next = self.span.q.val();
        self.lanes.broken.next = self.broken.q.val() | self.begins.val();
        if self.begins.val() {
            self.lanes.span.next = 0xff.into();
        }
        self.lanes.check.next = self.check.check.val();
        self.txd.next = self.lanes.txd.val();
        self.txc.next = self.lanes.txc.val();

        self.ended_code.d.next = self.good_code.val();
        if self.late.val() {
            self.ended_code.d.next = self.underrun_code.val();
        } else if self.takes.val() & self.frames.last.val() & self.frames.error.val() {
            self.ended_code.d.next = self.error_code.val();
        } else if self.takes.val() & self.over.val() {
            self.ended_code.d.next = self.oversize_code.val();
        }
        self.event.valid.next = self.ended.q.val();
        self.event.code.next = self.ended_code.q.val();

        if self.reset.val() {
            self.state.d.next = State::Idle;
            self.place.d.next = 0.into();
            self.short.d.next = true;
            self.fills.d.next = false;
            self.padding.d.next = false;
            self.span.d.next = 0.into();
            self.broken.d.next = false;
            self.ended.d.next = false;
        }
    }
}
