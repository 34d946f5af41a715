//! What a card shows without being asked.
use crate::stream::EventSink;
use nicforge_layout::counters;
use rust_hdl::prelude::*;

/// Milliseconds of each half of the heartbeat.
const BEAT: u64 = 500;
/// Milliseconds for which an event is shown.
const SHOWN: u64 = 100;

/// Events made long enough to be seen.
///
/// Time is counted in ticks of a millisecond. An event is on its lamp in the next cycle and for 99 to
/// 100 ticks; events that come more often keep the lamp lit.
#[derive(LogicBlock)]
pub struct Lamps {
    /// The core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// There is a link.
    pub link: Signal<In, Bit>,
    /// Verdicts on frames received.
    pub received: EventSink,
    /// What became of frames sent.
    pub sent: EventSink,
    /// Packets of the sampler.
    pub packets: EventSink,
    /// 0 half a second on, half a second off; 1 link; 2 a good frame was received or sent; 3 the
    /// sampler made a packet.
    pub status: Signal<Out, Bits<4>>,

    cycles: DFF<Bits<18>>,
    tick: Signal<Local, Bit>,
    beat: DFF<Bits<9>>,
    lit: DFF<Bit>,
    activity: DFF<Bits<7>>,
    stream: DFF<Bits<7>>,
    linked: DFF<Bit>,
    good: Signal<Local, Bit>,
    cycles_end: Constant<Bits<18>>,
    beat_end: Constant<Bits<9>>,
    shown: Constant<Bits<7>>,
    rx_good: Constant<Bits<6>>,
    tx_good: Constant<Bits<6>>,
}

impl Lamps {
    /// Lamps with so many cycles of the core clock in a tick, at most 2^18.
    pub fn new(tick_cycles: u64) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            link: Default::default(),
            received: Default::default(),
            sent: Default::default(),
            packets: Default::default(),
            status: Default::default(),
            cycles: Default::default(),
            tick: Default::default(),
            beat: Default::default(),
            lit: Default::default(),
            activity: Default::default(),
            stream: Default::default(),
            linked: Default::default(),
            good: Default::default(),
            cycles_end: Constant::new((tick_cycles - 1).to_bits()),
            beat_end: Constant::new((BEAT - 1).to_bits()),
            shown: Constant::new(SHOWN.to_bits()),
            rx_good: Constant::new(counters::RX_GOOD.code.to_bits()),
            tx_good: Constant::new(counters::TX_GOOD.code.to_bits()),
        }
    }
}

impl Logic for Lamps {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: lamps - events long enough to be seen");
        dff_setup!(self, clock, cycles, beat, lit, activity, stream, linked);
        self.tick.next = self.cycles.q.val() == self.cycles_end.val();
        self.cycles.d.next = self.cycles.q.val() + 1;
        if self.tick.val() {
            self.cycles.d.next = 0.into();
            self.beat.d.next = self.beat.q.val() + 1;
            if self.beat.q.val() == self.beat_end.val() {
                self.beat.d.next = 0.into();
                self.lit.d.next = !self.lit.q.val();
            }
            if self.activity.q.val().any() {
                self.activity.d.next = self.activity.q.val() - 1;
            }
            if self.stream.q.val().any() {
                self.stream.d.next = self.stream.q.val() - 1;
            }
        }
        self.good.next = (self.received.valid.val() & (self.received.code.val() == self.rx_good.val()))
            | (self.sent.valid.val() & (self.sent.code.val() == self.tx_good.val()));
        if self.good.val() {
            self.activity.d.next = self.shown.val();
        }
        if self.packets.valid.val() {
            self.stream.d.next = self.shown.val();
        }
        self.linked.d.next = self.link.val();
        self.status.next = (bit_cast::<4, 1>(self.stream.q.val().any().into()) << 3)
            | (bit_cast::<4, 1>(self.activity.q.val().any().into()) << 2)
            | (bit_cast::<4, 1>(self.linked.q.val().into()) << 1)
            | bit_cast::<4, 1>(self.lit.q.val().into());

        if self.reset.val() {
            self.cycles.d.next = 0.into();
            self.beat.d.next = 0.into();
            self.lit.d.next = true;
            self.activity.d.next = 0.into();
            self.stream.d.next = 0.into();
        }
    }
}
