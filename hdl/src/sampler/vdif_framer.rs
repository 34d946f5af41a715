//! Puts samples into VDIF frames with a VTP serial number.
use super::{Pack8, SampleSink};
use crate::stream::{EventSource, Slice, StreamSource};
use nicforge_layout::counters;
use nicforge_layout::wire::vdif;
use rust_hdl::prelude::*;

/// Frames samples: VTP serial number, VDIF header, `data_words` words of eight samples.
///
/// Data frames of VDIF 1.1.1 with the full header and no extension (EDV 0): valid, one channel,
/// real, 8 bits a sample. One word a clock, also from packet to packet. A packet once begun is
/// finished; whether another begins is decided between packets. The frame number runs from 0 to
/// `frames_per_second` less one, then the second advances; the serial number never starts over.
#[derive(LogicBlock)]
pub struct VdifFramer {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: forgets a packet under way and loads.
    pub reset: Signal<In, Bit>,
    /// Begin packets.
    pub enable: Signal<In, Bit>,
    /// High for one cycle: take over seconds, epoch, frame and serial number and count packets
    /// from zero, as soon as no packet is under way.
    pub load: Signal<In, Bit>,
    /// The cycle in which they are taken over.
    pub loaded: Signal<Out, Bit>,
    /// Packets after which no other begins, counted from the last load; 0: no limit.
    pub limit: Signal<In, Bits<32>>,
    /// To take over: seconds from the reference epoch.
    pub seconds: Signal<In, Bits<30>>,
    /// To take over: reference epoch in half years from 2000.
    pub epoch: Signal<In, Bits<6>>,
    /// To take over: frame number within the second.
    pub frame: Signal<In, Bits<24>>,
    /// To take over: VTP serial number.
    pub serial: Signal<In, Bits<64>>,
    /// Frames a second.
    pub frames_per_second: Signal<In, Bits<24>>,
    /// Words of samples in a packet; taken over when a packet begins.
    pub data_words: Signal<In, Bits<12>>,
    /// Station identifier.
    pub station: Signal<In, Bits<16>>,
    /// Thread identifier.
    pub thread: Signal<In, Bits<10>>,
    /// The samples.
    pub samples: SampleSink,
    /// The packets.
    pub packets: StreamSource<64, 8>,
    /// Packets finished since the last load, modulo 2^32.
    pub sent: Signal<Out, Bits<32>>,
    /// A packet was finished.
    pub event: EventSource,

    pack: Pack8,
    buffer: Slice<64, 8>,
    loading: DFF<Bit>,
    allowed: DFF<Bit>,
    begun: DFF<Bits<32>>,
    finished: DFF<Bits<32>>,
    finishes: DFF<Bit>,
    serial_now: DFF<Bits<64>>,
    seconds_now: DFF<Bits<30>>,
    epoch_now: DFF<Bits<6>>,
    frame_now: DFF<Bits<24>>,
    frame_is_last: DFF<Bit>,
    /// Word of the packet that is next: 0 to 4 serial number and header, 5 samples.
    position: DFF<Bits<3>>,
    /// Words of samples in this packet, and those of them that are still to come.
    words: DFF<Bits<12>>,
    left: DFF<Bits<12>>,

    header_words: Constant<Bits<24>>,
    version: Constant<Bits<3>>,
    bits_less_one: Constant<Bits<5>>,
    event_code: Constant<Bits<6>>,
    all_octets: Constant<Bits<8>>,
    at_start: Signal<Local, Bit>,
    in_samples: Signal<Local, Bit>,
    takes_over: Signal<Local, Bit>,
    below_limit: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    frame_length: Signal<Local, Bits<24>>,
    first_half: Signal<Local, Bits<64>>,
    second_half: Signal<Local, Bits<64>>,
    word: Signal<Local, Bits<64>>,
}

impl Default for VdifFramer {
    fn default() -> Self {
        let header_words = vdif::HEADER_OCTETS / vdif::LENGTH_UNIT_OCTETS;
        Self {
            clock: Signal::default(),
            reset: Signal::default(),
            enable: Signal::default(),
            load: Signal::default(),
            loaded: Signal::default(),
            limit: Signal::default(),
            seconds: Signal::default(),
            epoch: Signal::default(),
            frame: Signal::default(),
            serial: Signal::default(),
            frames_per_second: Signal::default(),
            data_words: Signal::default(),
            station: Signal::default(),
            thread: Signal::default(),
            samples: SampleSink::default(),
            packets: StreamSource::default(),
            sent: Signal::default(),
            event: EventSource::default(),
            pack: Pack8::default(),
            buffer: Slice::default(),
            loading: DFF::default(),
            allowed: DFF::default(),
            begun: DFF::default(),
            finished: DFF::default(),
            finishes: DFF::default(),
            serial_now: DFF::default(),
            seconds_now: DFF::default(),
            epoch_now: DFF::default(),
            frame_now: DFF::default(),
            frame_is_last: DFF::default(),
            position: DFF::default(),
            words: DFF::default(),
            left: DFF::default(),
            header_words: Constant::new(header_words.to_bits()),
            version: Constant::new(vdif::VERSION.to_bits()),
            bits_less_one: Constant::new((8_u8 - 1).to_bits()),
            event_code: Constant::new(counters::SAMPLER_PACKETS.code.to_bits()),
            all_octets: Constant::new(0xff_u8.to_bits()),
            at_start: Signal::default(),
            in_samples: Signal::default(),
            takes_over: Signal::default(),
            below_limit: Signal::default(),
            offers: Signal::default(),
            moves: Signal::default(),
            last: Signal::default(),
            frame_length: Signal::default(),
            first_half: Signal::default(),
            second_half: Signal::default(),
            word: Signal::default(),
        }
    }
}

impl Logic for VdifFramer {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: vdif_framer");
        dff_setup!(self, clock, loading, allowed, begun, finished, finishes, position, words, left);
        dff_setup!(self, clock, serial_now, seconds_now, epoch_now, frame_now, frame_is_last);
        clock!(self, clock, buffer);
        self.buffer.reset.next = self.reset.val();
        StreamSource::<64, 8>::link(&mut self.packets, &mut self.buffer.source);

        self.at_start.next = !self.position.q.val().any();
        self.in_samples.next = self.position.q.val() == 5;
        self.takes_over.next = self.loading.q.val() & self.at_start.val();
        self.below_limit.next = !self.limit.val().any() | (self.begun.q.val() < self.limit.val());
        self.allowed.d.next = self.enable.val() & self.below_limit.val();

        // The header, two of its 32-bit words in each of ours.
        self.frame_length.next = bit_cast::<24, 12>(self.words.q.val()) + self.header_words.val();
        self.first_half.next = bit_cast::<64, 30>(self.seconds_now.q.val())
            | (bit_cast::<64, 24>(self.frame_now.q.val()) << 32)
            | (bit_cast::<64, 6>(self.epoch_now.q.val()) << 56);
        self.second_half.next = bit_cast::<64, 24>(self.frame_length.val())
            | (bit_cast::<64, 3>(self.version.val()) << 29)
            | (bit_cast::<64, 16>(self.station.val()) << 32)
            | (bit_cast::<64, 10>(self.thread.val()) << 48)
            | (bit_cast::<64, 5>(self.bits_less_one.val()) << 58);
        self.pack.lanes.next = self.samples.lanes.val();
        self.word.next = 0.into();
        if self.at_start.val() {
            self.word.next = self.serial_now.q.val();
        }
        if self.position.q.val() == 1 {
            self.word.next = self.first_half.val();
        }
        if self.position.q.val() == 2 {
            self.word.next = self.second_half.val();
        }
        if self.in_samples.val() {
            self.word.next = self.pack.octets.val();
        }

        self.offers.next = true;
        if self.at_start.val() {
            self.offers.next = self.allowed.q.val() & !self.loading.q.val();
        }
        if self.in_samples.val() {
            self.offers.next = self.samples.valid.val();
        }
        self.last.next = (self.in_samples.val() & (self.left.q.val() == 1))
            | ((self.position.q.val() == 4) & !self.words.q.val().any());
        self.moves.next = self.offers.val() & self.buffer.sink.ready.val();
        self.samples.ready.next = self.in_samples.val() & self.buffer.sink.ready.val();
        self.buffer.sink.data.next = self.word.val();
        self.buffer.sink.keep.next = self.all_octets.val();
        self.buffer.sink.last.next = self.last.val();
        self.buffer.sink.error.next = false;
        self.buffer.sink.valid.next = self.offers.val();
        self.loaded.next = self.takes_over.val();
        self.sent.next = self.finished.q.val();
        self.event.valid.next = self.finishes.q.val();
        self.event.code.next = self.event_code.val();

        if self.moves.val() & !self.in_samples.val() {
            self.position.d.next = self.position.q.val() + 1;
        }
        if self.moves.val() & self.in_samples.val() {
            self.left.d.next = self.left.q.val() - 1;
        }
        if self.moves.val() & self.at_start.val() {
            self.words.d.next = self.data_words.val();
            self.left.d.next = self.data_words.val();
            self.begun.d.next = self.begun.q.val() + 1;
        }

        // Between two ends of packets there are at least four cycles to prepare this.
        self.frame_is_last.d.next = (bit_cast::<25, 24>(self.frame_now.q.val()) + 1)
            >= bit_cast::<25, 24>(self.frames_per_second.val());
        self.finishes.d.next = self.moves.val() & self.last.val();
        if self.moves.val() & self.last.val() {
            self.position.d.next = 0.into();
            self.finished.d.next = self.finished.q.val() + 1;
            self.serial_now.d.next = self.serial_now.q.val() + 1;
            self.frame_now.d.next = self.frame_now.q.val() + 1;
            if self.frame_is_last.q.val() {
                self.frame_now.d.next = 0.into();
                self.seconds_now.d.next = self.seconds_now.q.val() + 1;
            }
        }
        if self.takes_over.val() {
            self.loading.d.next = false;
            self.seconds_now.d.next = self.seconds.val();
            self.epoch_now.d.next = self.epoch.val();
            self.frame_now.d.next = self.frame.val();
            self.serial_now.d.next = self.serial.val();
            self.begun.d.next = 0.into();
            self.finished.d.next = 0.into();
        }
        if self.load.val() {
            self.loading.d.next = true;
        }

        if self.reset.val() {
            // What a load takes over is there once the registers have left their reset too.
            self.loading.d.next = true;
            self.allowed.d.next = false;
            self.finishes.d.next = false;
            self.position.d.next = 0.into();
        }
    }
}
