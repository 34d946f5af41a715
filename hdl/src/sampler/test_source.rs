//! Samples to test with: a counter or a tone.
use super::SampleSource;
use super::pace::Pace;
use super::tone::ToneLane;
use crate::stream::Slice;
use rust_hdl::prelude::*;

/// Gives sample `n` = `n` modulo 256 or a tone, from `n` = 0 at a reset or `load`.
///
/// The tone is `(S * amplitude + 2^14) >> 15`, where `S` = round(32767 sin(2 pi p / 1024)) and `p`
/// are the upper ten bits of `n * tone_step` modulo 2^32. One word of eight samples a clock, as
/// the pace allows; the first comes seven cycles after a load.
#[derive(LogicBlock)]
pub struct TestSource {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: begins with sample 0.
    pub reset: Signal<In, Bit>,
    /// High: the pace is kept. Low: whoever takes samples gets them at once, so that a packet that
    /// is under way ends.
    pub enable: Signal<In, Bit>,
    /// 1: tone; otherwise: counter.
    pub source: Signal<In, Bits<2>>,
    /// High for one cycle: begin again with sample 0, dropping what was ready.
    pub load: Signal<In, Bit>,
    /// Words of eight samples ...
    pub numerator: Signal<In, Bits<16>>,
    /// ... in so many cycles.
    pub denominator: Signal<In, Bits<16>>,
    /// Phase step a sample in units of 2^-32 turns. To be changed before a load; a change without
    /// one moves the phase on from where it is.
    pub tone_step: Signal<In, Bits<32>>,
    /// Peak value of the tone.
    pub tone_amplitude: Signal<In, Bits<7>>,
    /// The samples.
    pub samples: SampleSource,

    pace: Pace,
    lanes: [ToneLane; 8],
    buffer: Slice<64, 8>,
    /// One to seven steps, for lanes 1 to 7.
    multiple: [DFF<Bits<32>>; 7],
    eight_steps: DFF<Bits<32>>,
    /// Phase of lane 0 of the word that enters the stages next.
    base: DFF<Bits<32>>,
    phase: [DFF<Bits<10>>; 8],
    /// Which stages hold a word; the last one goes to the buffer next.
    stages: DFF<Bits<5>>,
    /// Words since sample 0, modulo 32, of the word in the last stage.
    count: DFF<Bits<5>>,

    first_lanes: Constant<Bits<64>>,
    all_octets: Constant<Bits<8>>,
    advances: Signal<Local, Bit>,
    restarts: Signal<Local, Bit>,
    angle: [Signal<Local, Bits<32>>; 8],
    counter: Signal<Local, Bits<8>>,
    counter2: Signal<Local, Bits<16>>,
    counter4: Signal<Local, Bits<32>>,
    counters: Signal<Local, Bits<64>>,
    tones: Signal<Local, Bits<64>>,
}

impl Default for TestSource {
    fn default() -> Self {
        Self {
            clock: Signal::default(),
            reset: Signal::default(),
            enable: Signal::default(),
            source: Signal::default(),
            load: Signal::default(),
            numerator: Signal::default(),
            denominator: Signal::default(),
            tone_step: Signal::default(),
            tone_amplitude: Signal::default(),
            samples: SampleSource::default(),
            pace: Pace::default(),
            lanes: Default::default(),
            buffer: Slice::default(),
            multiple: Default::default(),
            eight_steps: DFF::default(),
            base: DFF::default(),
            phase: Default::default(),
            stages: DFF::default(),
            count: DFF::default(),
            first_lanes: Constant::new(0x0706_0504_0302_0100_u64.to_bits()),
            all_octets: Constant::new(0xff_u8.to_bits()),
            advances: Signal::default(),
            restarts: Signal::default(),
            angle: Default::default(),
            counter: Signal::default(),
            counter2: Signal::default(),
            counter4: Signal::default(),
            counters: Signal::default(),
            tones: Signal::default(),
        }
    }
}

impl Logic for TestSource {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: test_source");
        dff_setup!(self, clock, eight_steps, base, stages, count);
        clock!(self, clock, pace, buffer);
        for k in 0..8 {
            self.phase[k].clock.next = self.clock.val();
            self.phase[k].d.next = self.phase[k].q.val();
            self.lanes[k].clock.next = self.clock.val();
        }
        for k in 0..7 {
            self.multiple[k].clock.next = self.clock.val();
        }
        self.pace.reset.next = self.reset.val();
        self.pace.enable.next = self.enable.val();
        self.pace.numerator.next = self.numerator.val();
        self.pace.denominator.next = self.denominator.val();

        // Steps of all lanes, from the same step in the same cycle.
        self.multiple[0].d.next = self.tone_step.val();
        self.multiple[1].d.next = self.tone_step.val() << 1;
        self.multiple[2].d.next = (self.tone_step.val() << 1) + self.tone_step.val();
        self.multiple[3].d.next = self.tone_step.val() << 2;
        self.multiple[4].d.next = (self.tone_step.val() << 2) + self.tone_step.val();
        self.multiple[5].d.next = (self.tone_step.val() << 2) + (self.tone_step.val() << 1);
        self.multiple[6].d.next = (self.tone_step.val() << 3) - self.tone_step.val();
        self.eight_steps.d.next = self.tone_step.val() << 3;

        // The stages: phase, table, its register, product, rounding.
        self.advances.next = self.buffer.sink.ready.val();
        self.restarts.next = self.reset.val() | self.load.val();
        self.angle[0].next = self.base.q.val();
        for k in 1..8 {
            self.angle[k].next = self.base.q.val() + self.multiple[k - 1].q.val();
        }
        for k in 0..8 {
            self.lanes[k].enable.next = self.advances.val();
            self.lanes[k].phase.next = self.phase[k].q.val();
            self.lanes[k].amplitude.next = self.tone_amplitude.val();
            if self.advances.val() {
                self.phase[k].d.next = self.angle[k].val().get_bits::<10>(22);
            }
        }
        if self.advances.val() {
            self.base.d.next = self.base.q.val() + self.eight_steps.q.val();
            self.stages.d.next = (self.stages.q.val() << 1) | 1;
            if self.stages.q.val().get_bit(4) {
                self.count.d.next = self.count.q.val() + 1;
            }
        }

        // Into the buffer.
        self.tones.next = bit_cast::<64, 8>(self.lanes[0].sample.val())
            | (bit_cast::<64, 8>(self.lanes[1].sample.val()) << 8)
            | (bit_cast::<64, 8>(self.lanes[2].sample.val()) << 16)
            | (bit_cast::<64, 8>(self.lanes[3].sample.val()) << 24)
            | (bit_cast::<64, 8>(self.lanes[4].sample.val()) << 32)
            | (bit_cast::<64, 8>(self.lanes[5].sample.val()) << 40)
            | (bit_cast::<64, 8>(self.lanes[6].sample.val()) << 48)
            | (bit_cast::<64, 8>(self.lanes[7].sample.val()) << 56);
        self.counter.next = bit_cast::<8, 5>(self.count.q.val()) << 3;
        self.counter2.next =
            bit_cast::<16, 8>(self.counter.val()) | (bit_cast::<16, 8>(self.counter.val()) << 8);
        self.counter4.next =
            bit_cast::<32, 16>(self.counter2.val()) | (bit_cast::<32, 16>(self.counter2.val()) << 16);
        self.counters.next = bit_cast::<64, 32>(self.counter4.val())
            | (bit_cast::<64, 32>(self.counter4.val()) << 32)
            | self.first_lanes.val();
        self.buffer.sink.data.next = self.counters.val();
        if self.source.val() == 1 {
            self.buffer.sink.data.next = self.tones.val();
        }
        self.buffer.sink.keep.next = self.all_octets.val();
        self.buffer.sink.last.next = false;
        self.buffer.sink.error.next = false;
        self.buffer.sink.valid.next = self.stages.q.val().get_bit(4);
        self.buffer.reset.next = self.restarts.val();

        // Out of it, when due.
        self.samples.lanes.next = self.buffer.source.data.val();
        self.samples.valid.next = self.buffer.source.valid.val() & self.pace.due.val();
        self.buffer.source.ready.next = self.samples.ready.val() & self.pace.due.val();
        self.pace.taken.next =
            self.samples.ready.val() & self.buffer.source.valid.val() & self.pace.due.val();

        if self.restarts.val() {
            self.base.d.next = 0.into();
            self.stages.d.next = 0.into();
            self.count.d.next = 0.into();
        }
    }
}
