//! The counters: 64 of 64 bits, all moved by events, frozen together for reading.
use super::{BusSink, Gather};
use crate::stream::{EventSink, Memory};
use nicforge_layout::registers::COUNTER_WINDOW;
use rust_hdl::prelude::*;

/// Counts the events of `N` sources and answers the counter window on the bus.
///
/// Events wait in a queue of 256; one a cycle is added to its counter. A snapshot copies all
/// counters within about 80 cycles, as they stood between two cycles: of events raised in the same
/// cycle it has all or none. Meanwhile events wait in the queue. After a reset all counters and
/// the snapshot are cleared in the same time.
///
/// The counters live in one block RAM, the snapshot in another. An event passes these stages:
/// fetch from the queue, decode (`code0`), memory (`code1`), choice of the old value (`code2`),
/// sum (`code3`), store. Up to three events before it may still be on their way to the memory;
/// where one of them moves the same counter its sum is taken instead of the memory's word. Copying
/// and clearing go through the same stages: copying adds nothing and stores twice.
#[derive(LogicBlock)]
pub struct Statistics<const N: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: all counters become zero.
    pub reset: Signal<In, Bit>,
    /// The sources of events. None raises events in two cycles that follow each other; what they
    /// may raise without a loss is said at [`Gather`].
    pub events: [EventSink; N],
    /// The register bus, for the counter window.
    pub bus: BusSink,
    /// Not zero for one cycle: copy all counters to the window. Ignored while `busy`.
    pub snapshot: Signal<In, Bits<1>>,
    /// Not zero for one cycle: load counter `code` with `preset_value`. Ignored while `busy`. A
    /// snapshot asked for in the same cycle comes after it.
    pub preset: Signal<In, Bits<1>>,
    /// The counter to load.
    pub code: Signal<In, Bits<6>>,
    /// What to load; must stay while `busy`.
    pub preset_value: Signal<In, Bits<64>>,
    /// A snapshot, a preset or the clearing after a reset is under way.
    pub busy: Signal<Out, Bits<1>>,
    /// An event was lost since the reset.
    pub lost: Signal<Out, Bits<1>>,

    gather: Gather<N>,
    queue: Memory<7, 8>,
    counters: Memory<64, 6>,
    frozen: Memory<64, 6>,

    preset_wanted: DFF<Bit>,
    preset_busy: DFF<Bit>,
    preset_code: DFF<Bits<6>>,
    snapshot_wanted: DFF<Bit>,
    snapshot_busy: DFF<Bit>,
    marks1: DFF<Bit>,
    marks2: DFF<Bit>,
    /// The sweep over all counters comes before the entry at `mark`.
    marked: DFF<Bit>,
    mark: DFF<Bits<8>>,
    write: DFF<Bits<8>>,
    read: DFF<Bits<8>>,
    level: DFF<Bits<8>>,

    sweeping: DFF<Bit>,
    clearing: DFF<Bit>,
    place: DFF<Bits<6>>,
    fetched: DFF<Bit>,
    swept: DFF<Bit>,
    swept_clears: DFF<Bit>,
    swept_place: DFF<Bits<6>>,

    valid0: DFF<Bit>,
    code0: DFF<Bits<6>>,
    load0: DFF<Bit>,
    copy0: DFF<Bit>,
    valid1: DFF<Bit>,
    code1: DFF<Bits<6>>,
    load1: DFF<Bit>,
    copy1: DFF<Bit>,
    /// The event one, two, three before this one moves the same counter.
    same_as_first1: DFF<Bit>,
    same_as_second1: DFF<Bit>,
    same_as_third1: DFF<Bit>,
    valid2: DFF<Bit>,
    code2: DFF<Bits<6>>,
    load2: DFF<Bit>,
    copy2: DFF<Bit>,
    same_as_first2: DFF<Bit>,
    old2: DFF<Bits<64>>,
    step2: DFF<Bits<1>>,
    valid3: DFF<Bit>,
    code3: DFF<Bits<6>>,
    load3: DFF<Bit>,
    copy3: DFF<Bit>,
    sum3: DFF<Bits<64>>,
    sum4: DFF<Bits<64>>,

    here: DFF<Bit>,
    reads: DFF<Bit>,
    upper: DFF<Bit>,
    answer: DFF<Bits<32>>,
    hit: DFF<Bit>,

    window: Constant<Bits<3>>,
    loads: Signal<Local, Bit>,
    marks: Signal<Local, Bit>,
    pushes: Signal<Local, Bit>,
    reached: Signal<Local, Bit>,
    fetches: Signal<Local, Bit>,
    base: Signal<Local, Bits<64>>,
}

impl<const N: usize> Default for Statistics<N> {
    fn default() -> Self {
        Self {
            clock: Signal::default(),
            reset: Signal::default(),
            events: array_init::array_init(|_| EventSink::default()),
            bus: BusSink::default(),
            snapshot: Signal::default(),
            preset: Signal::default(),
            code: Signal::default(),
            preset_value: Signal::default(),
            busy: Signal::default(),
            lost: Signal::default(),
            gather: Gather::default(),
            queue: Memory::default(),
            counters: Memory::default(),
            frozen: Memory::default(),
            preset_wanted: DFF::default(),
            preset_busy: DFF::default(),
            preset_code: DFF::default(),
            snapshot_wanted: DFF::default(),
            snapshot_busy: DFF::default(),
            marks1: DFF::default(),
            marks2: DFF::default(),
            marked: DFF::default(),
            mark: DFF::default(),
            write: DFF::default(),
            read: DFF::default(),
            level: DFF::default(),
            sweeping: DFF::default(),
            clearing: DFF::default(),
            place: DFF::default(),
            fetched: DFF::default(),
            swept: DFF::default(),
            swept_clears: DFF::default(),
            swept_place: DFF::default(),
            valid0: DFF::default(),
            code0: DFF::default(),
            load0: DFF::default(),
            copy0: DFF::default(),
            valid1: DFF::default(),
            code1: DFF::default(),
            load1: DFF::default(),
            copy1: DFF::default(),
            same_as_first1: DFF::default(),
            same_as_second1: DFF::default(),
            same_as_third1: DFF::default(),
            valid2: DFF::default(),
            code2: DFF::default(),
            load2: DFF::default(),
            copy2: DFF::default(),
            same_as_first2: DFF::default(),
            old2: DFF::default(),
            step2: DFF::default(),
            valid3: DFF::default(),
            code3: DFF::default(),
            load3: DFF::default(),
            copy3: DFF::default(),
            sum3: DFF::default(),
            sum4: DFF::default(),
            here: DFF::default(),
            reads: DFF::default(),
            upper: DFF::default(),
            answer: DFF::default(),
            hit: DFF::default(),
            window: Constant::new((COUNTER_WINDOW >> 9).to_bits()),
            loads: Signal::default(),
            marks: Signal::default(),
            pushes: Signal::default(),
            reached: Signal::default(),
            fetches: Signal::default(),
            base: Signal::default(),
        }
    }
}

impl<const N: usize> Logic for Statistics<N> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: statistics");
        dff_setup!(self, clock, preset_wanted, preset_busy, preset_code, snapshot_wanted, snapshot_busy);
        dff_setup!(self, clock, marks1, marks2, marked, mark, write, read, level, sweeping, clearing, place);
        dff_setup!(self, clock, fetched, swept, swept_clears, swept_place);
        dff_setup!(self, clock, valid0, code0, load0, copy0, valid1, code1, load1, copy1);
        dff_setup!(self, clock, same_as_first1, same_as_second1, same_as_third1, same_as_first2);
        dff_setup!(self, clock, valid2, code2, load2, copy2, old2, step2);
        dff_setup!(self, clock, valid3, code3, load3, copy3, sum3, sum4);
        dff_setup!(self, clock, here, reads, upper, answer, hit);
        clock!(self, clock, gather, queue, counters, frozen);
        self.gather.reset.next = self.reset.val();
        for i in 0..N {
            EventSink::link(&mut self.events[i], &mut self.gather.events[i]);
        }
        self.busy.next = (self.preset_busy.q.val() | self.snapshot_busy.q.val()).into();
        self.lost.next = self.gather.lost.val().into();

        // Into the queue: events, and where none comes a preset.
        self.level.d.next = self.write.q.val() - self.read.q.val();
        // What is on its way when `level` says "full" still finds room. A preset needs one gap.
        self.gather.room.next = !self.level.q.val().get_bits::<4>(4).all() & !self.preset_wanted.q.val();
        self.loads.next = self.preset_wanted.q.val() & !self.gather.gathered.valid.val();
        self.pushes.next = self.gather.gathered.valid.val() | self.loads.val();
        self.queue.write_enable.next = self.pushes.val();
        self.queue.write_address.next = self.write.q.val();
        self.queue.write_data.next = bit_cast::<7, 6>(self.gather.gathered.code.val());
        if self.loads.val() {
            self.queue.write_data.next = bit_cast::<7, 6>(self.preset_code.q.val()) | 0x40;
            self.preset_wanted.d.next = false;
        }
        if self.pushes.val() {
            self.write.d.next = self.write.q.val() + 1;
        }

        // The mark lies where the first event of a batch goes, two cycles after the batch began.
        self.marks.next =
            self.snapshot_wanted.q.val() & !self.preset_wanted.q.val() & self.gather.begins.val();
        if self.marks.val() {
            self.snapshot_wanted.d.next = false;
        }
        self.marks1.d.next = self.marks.val();
        self.marks2.d.next = self.marks1.q.val();
        if self.marks2.q.val() {
            self.marked.d.next = true;
            self.mark.d.next = self.write.q.val();
        }

        // Out of the queue, with a sweep over all places where the mark is.
        self.reached.next = self.marked.q.val() & (self.read.q.val() == self.mark.q.val());
        self.fetches.next =
            !self.sweeping.q.val() & !self.reached.val() & (self.read.q.val() != self.write.q.val());
        self.queue.read_enable.next = self.fetches.val();
        self.queue.read_address.next = self.read.q.val();
        if self.fetches.val() {
            self.read.d.next = self.read.q.val() + 1;
        }
        if self.sweeping.q.val() {
            self.place.d.next = self.place.q.val() + 1;
            if self.place.q.val().all() {
                self.sweeping.d.next = false;
                self.clearing.d.next = false;
            }
        } else if self.reached.val() {
            self.sweeping.d.next = true;
            self.marked.d.next = false;
        }
        self.fetched.d.next = self.fetches.val();
        self.swept.d.next = self.sweeping.q.val();
        self.swept_clears.d.next = self.clearing.q.val();
        self.swept_place.d.next = self.place.q.val();

        // Decode.
        self.valid0.d.next = self.fetched.q.val() | self.swept.q.val();
        self.copy0.d.next = self.swept.q.val();
        if self.swept.q.val() {
            self.code0.d.next = self.swept_place.q.val();
            self.load0.d.next = self.swept_clears.q.val();
        } else {
            self.code0.d.next = self.queue.read_data.val().get_bits::<6>(0);
            self.load0.d.next = self.queue.read_data.val().get_bit(6);
        }

        // Memory, and which of the events before are about the same counter.
        self.counters.read_enable.next = true;
        self.counters.read_address.next = self.code0.q.val();
        self.valid1.d.next = self.valid0.q.val();
        self.code1.d.next = self.code0.q.val();
        self.load1.d.next = self.load0.q.val();
        self.copy1.d.next = self.copy0.q.val();
        self.same_as_first1.d.next = self.valid1.q.val() & (self.code1.q.val() == self.code0.q.val());
        self.same_as_second1.d.next = self.valid2.q.val() & (self.code2.q.val() == self.code0.q.val());
        self.same_as_third1.d.next = self.valid3.q.val() & (self.code3.q.val() == self.code0.q.val());

        // The old value, as far as it is known by now.
        self.valid2.d.next = self.valid1.q.val();
        self.code2.d.next = self.code1.q.val();
        self.load2.d.next = self.load1.q.val();
        self.copy2.d.next = self.copy1.q.val();
        self.same_as_first2.d.next = self.same_as_first1.q.val() & !self.load1.q.val();
        self.step2.d.next = (!self.load1.q.val() & !self.copy1.q.val()).into();
        if self.load1.q.val() & self.copy1.q.val() {
            self.old2.d.next = 0.into();
        } else if self.load1.q.val() {
            self.old2.d.next = self.preset_value.val();
        } else if self.same_as_second1.q.val() {
            self.old2.d.next = self.sum3.q.val();
        } else if self.same_as_third1.q.val() {
            self.old2.d.next = self.sum4.q.val();
        } else {
            self.old2.d.next = self.counters.read_data.val();
        }

        // The sum.
        self.base.next = self.old2.q.val();
        if self.same_as_first2.q.val() {
            self.base.next = self.sum3.q.val();
        }
        self.valid3.d.next = self.valid2.q.val();
        self.code3.d.next = self.code2.q.val();
        self.load3.d.next = self.load2.q.val();
        self.copy3.d.next = self.copy2.q.val();
        self.sum3.d.next = self.base.val() + bit_cast::<64, 1>(self.step2.q.val());

        // Store.
        self.sum4.d.next = self.sum3.q.val();
        self.counters.write_enable.next = self.valid3.q.val();
        self.counters.write_address.next = self.code3.q.val();
        self.counters.write_data.next = self.sum3.q.val();
        self.frozen.write_enable.next = self.valid3.q.val() & self.copy3.q.val();
        self.frozen.write_address.next = self.code3.q.val();
        self.frozen.write_data.next = self.sum3.q.val();
        if self.valid3.q.val() & self.copy3.q.val() & self.code3.q.val().all() {
            self.snapshot_busy.d.next = false;
        }
        if self.valid3.q.val() & self.load3.q.val() & !self.copy3.q.val() {
            self.preset_busy.d.next = false;
        }

        // Wishes.
        if self.preset.val().any() & !self.preset_busy.q.val() & !self.snapshot_busy.q.val() {
            self.preset_busy.d.next = true;
            self.preset_wanted.d.next = true;
            self.preset_code.d.next = self.code.val();
        }
        if self.snapshot.val().any() & !self.preset_busy.q.val() & !self.snapshot_busy.q.val() {
            self.snapshot_busy.d.next = true;
            self.snapshot_wanted.d.next = true;
        }

        // The window.
        self.frozen.read_enable.next = true;
        self.frozen.read_address.next = self.bus.address.val().get_bits::<6>(3);
        self.here.d.next = (self.bus.read.val() | self.bus.write.val())
            & (self.bus.address.val().get_bits::<3>(9) == self.window.val());
        self.reads.d.next = self.bus.read.val();
        self.upper.d.next = self.bus.address.val().get_bit(2);
        self.hit.d.next = self.here.q.val();
        self.answer.d.next = 0.into();
        if self.here.q.val() & self.reads.q.val() {
            if self.upper.q.val() {
                self.answer.d.next = self.frozen.read_data.val().get_bits::<32>(32);
            } else {
                self.answer.d.next = self.frozen.read_data.val().get_bits::<32>(0);
            }
        }
        self.bus.answer.next = self.answer.q.val();
        self.bus.hit.next = self.hit.q.val();

        if self.reset.val() {
            self.preset_wanted.d.next = false;
            self.preset_busy.d.next = false;
            self.snapshot_wanted.d.next = false;
            self.snapshot_busy.d.next = true;
            self.marks1.d.next = false;
            self.marks2.d.next = false;
            self.marked.d.next = false;
            self.write.d.next = 0.into();
            self.read.d.next = 0.into();
            self.level.d.next = 0.into();
            self.sweeping.d.next = true;
            self.clearing.d.next = true;
            self.place.d.next = 0.into();
            self.fetched.d.next = false;
            self.swept.d.next = false;
            self.valid0.d.next = false;
            self.valid1.d.next = false;
            self.valid2.d.next = false;
            self.valid3.d.next = false;
            self.hit.d.next = false;
            self.here.d.next = false;
        }
    }
}
