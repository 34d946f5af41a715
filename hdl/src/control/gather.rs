//! Gathers the events of several sources into one stream of event codes.
use crate::stream::{EventSink, EventSource};
use rust_hdl::prelude::*;

/// From `N` event sources to one event a cycle.
///
/// Every source has a place for one event. All occupied places are emptied together into a batch,
/// and the batch is served in the order of the sources, one event a cycle, the next batch following
/// without a gap. So events of one cycle are always in the same batch, and who looks where a batch
/// begins sees all of them or none.
///
/// An event is lost, and said to be, if it finds its place occupied: if its source raised the one
/// before while a batch was under way, and that batch is still not served. A batch lasts as many
/// cycles as sources had an event, so nothing is ever lost of sources whose events are more than
/// `N` cycles apart; two sources may speak every second cycle while the others are quiet.
#[derive(LogicBlock)]
pub struct Gather<const N: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: forgets every event.
    pub reset: Signal<In, Bit>,
    /// The sources.
    pub events: [EventSink; N],
    /// An event may come in the next cycle.
    pub room: Signal<In, Bit>,
    /// The events, one after the other.
    pub gathered: EventSource,
    /// A batch begins: its events come from the second cycle after this one on, and all events of
    /// batches before it in the next cycle at the latest.
    pub begins: Signal<Out, Bit>,
    /// An event was lost since the reset.
    pub lost: Signal<Out, Bit>,

    held: [DFF<Bit>; N],
    held_code: [DFF<Bits<6>>; N],
    batch: [DFF<Bit>; N],
    batch_code: [DFF<Bits<6>>; N],
    valid: DFF<Bit>,
    code: DFF<Bits<6>>,
    missed: DFF<Bit>,

    /// One of the sources before this one is in the batch.
    preceded: [Signal<Local, Bit>; N],
    /// Two of the sources up to this one are in the batch.
    crowded: [Signal<Local, Bit>; N],
    /// The code to serve, if its source is among those up to this one.
    chosen: [Signal<Local, Bits<6>>; N],
    offered: [Signal<Local, Bits<6>>; N],
    any: Signal<Local, Bit>,
    several: Signal<Local, Bit>,
    choice: Signal<Local, Bits<6>>,
    empties: Signal<Local, Bit>,
}

impl<const N: usize> Default for Gather<N> {
    fn default() -> Self {
        Self {
            clock: Signal::default(),
            reset: Signal::default(),
            events: array_init::array_init(|_| EventSink::default()),
            room: Signal::default(),
            gathered: EventSource::default(),
            begins: Signal::default(),
            lost: Signal::default(),
            held: array_init::array_init(|_| DFF::default()),
            held_code: array_init::array_init(|_| DFF::default()),
            batch: array_init::array_init(|_| DFF::default()),
            batch_code: array_init::array_init(|_| DFF::default()),
            valid: DFF::default(),
            code: DFF::default(),
            missed: DFF::default(),
            preceded: array_init::array_init(|_| Signal::default()),
            crowded: array_init::array_init(|_| Signal::default()),
            chosen: array_init::array_init(|_| Signal::default()),
            offered: array_init::array_init(|_| Signal::default()),
            any: Signal::default(),
            several: Signal::default(),
            choice: Signal::default(),
            empties: Signal::default(),
        }
    }
}

impl<const N: usize> Logic for Gather<N> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: gather");
        dff_setup!(self, clock, valid, code, missed);
        for i in 0..N {
            self.held[i].clock.next = self.clock.val();
            self.held[i].d.next = self.held[i].q.val();
            self.held_code[i].clock.next = self.clock.val();
            self.held_code[i].d.next = self.held_code[i].q.val();
            self.batch[i].clock.next = self.clock.val();
            self.batch[i].d.next = self.batch[i].q.val();
            self.batch_code[i].clock.next = self.clock.val();
            self.batch_code[i].d.next = self.batch_code[i].q.val();
        }

        self.preceded[0].next = false;
        for i in 1..N {
            self.preceded[i].next = self.preceded[i - 1].val() | self.batch[i - 1].q.val();
        }
        for i in 0..N {
            self.offered[i].next = 0.into();
            if self.batch[i].q.val() & !self.preceded[i].val() {
                self.offered[i].next = self.batch_code[i].q.val();
            }
        }
        self.crowded[0].next = false;
        self.chosen[0].next = self.offered[0].val();
        for i in 1..N {
            self.crowded[i].next =
                self.crowded[i - 1].val() | (self.batch[i].q.val() & self.preceded[i].val());
            self.chosen[i].next = self.chosen[i - 1].val() | self.offered[i].val();
        }
        // The last of these assignments stands, and with it what holds for all sources.
        for i in 0..N {
            self.any.next = self.preceded[i].val() | self.batch[i].q.val();
            self.several.next = self.crowded[i].val();
            self.choice.next = self.chosen[i].val();
        }
        self.empties.next = !self.any.val() | (self.room.val() & !self.several.val());
        self.begins.next = self.empties.val();
        self.code.d.next = self.choice.val();
        self.valid.d.next = self.any.val() & self.room.val();
        self.gathered.valid.next = self.valid.q.val();
        self.gathered.code.next = self.code.q.val();
        self.lost.next = self.missed.q.val();

        for i in 0..N {
            if self.room.val() & !self.preceded[i].val() {
                self.batch[i].d.next = false;
            }
            if self.empties.val() {
                self.batch[i].d.next = self.held[i].q.val();
                self.batch_code[i].d.next = self.held_code[i].q.val();
                self.held[i].d.next = false;
            }
            if self.events[i].valid.val() {
                self.held[i].d.next = true;
                self.held_code[i].d.next = self.events[i].code.val();
                if self.held[i].q.val() & !self.empties.val() {
                    self.held_code[i].d.next = self.held_code[i].q.val();
                    self.missed.d.next = true;
                }
            }
        }

        if self.reset.val() {
            for i in 0..N {
                self.held[i].d.next = false;
                self.batch[i].d.next = false;
            }
            self.valid.d.next = false;
            self.missed.d.next = false;
        }
    }
}
