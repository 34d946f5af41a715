//! From the test source to packets, with the registers of both.
use crate::control::{BusSink, SamplerRegisters};
use crate::sampler::{SampleSource, TestSource, VdifFramer};
use crate::stream::{EventSource, StreamSource};
use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// Test source, VDIF framer and the register group of the sampler. Wiring only.
#[derive(LogicBlock)]
pub struct TestSampler {
    /// The core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The register bus of the card.
    pub bus: BusSink,
    /// UDP payloads: VTP serial number, VDIF header, samples.
    pub packets: StreamSource<64, 8>,
    /// `sampler_packets`, once a packet.
    pub event: EventSource,

    registers: SamplerRegisters,
    test_source: TestSource,
    framer: VdifFramer,
}

impl TestSampler {
    /// The sampler with these reset values, by register name.
    pub fn new(words: &BTreeMap<&'static str, u32>) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            bus: Default::default(),
            packets: Default::default(),
            event: Default::default(),
            registers: SamplerRegisters::new(words),
            test_source: Default::default(),
            framer: Default::default(),
        }
    }
}

impl Logic for TestSampler {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: test_sampler - test source to VDIF packets");
        clock!(self, clock, registers, test_source, framer);
        self.registers.reset.next = self.reset.val();
        self.test_source.reset.next = self.reset.val();
        self.framer.reset.next = self.reset.val();
        BusSink::link(&mut self.bus, &mut self.registers.bus);

        self.test_source.enable.next = self.registers.sampler_control_enable.val().any();
        self.test_source.source.next = self.registers.sampler_control_source.val();
        self.test_source.load.next = self.framer.loaded.val();
        self.test_source.numerator.next = self.registers.sampler_pace_numerator.val();
        self.test_source.denominator.next = self.registers.sampler_pace_denominator.val();
        self.test_source.tone_step.next = self.registers.tone_step.val();
        self.test_source.tone_amplitude.next = self.registers.tone_amplitude.val();
        SampleSource::join(&mut self.test_source.samples, &mut self.framer.samples);

        self.framer.enable.next = self.registers.sampler_control_enable.val().any();
        self.framer.load.next = self.registers.sampler_control_load.val().any();
        self.framer.limit.next = self.registers.sampler_packets.val();
        self.framer.seconds.next = self.registers.vdif_seconds.val();
        self.framer.epoch.next = self.registers.vdif_frame_epoch.val();
        self.framer.frame.next = self.registers.vdif_frame.val();
        self.framer.frames_per_second.next = self.registers.vdif_rate.val();
        self.framer.data_words.next = self.registers.vdif_layout_data_words.val();
        self.framer.station.next = self.registers.vdif_station_station.val();
        self.framer.thread.next = self.registers.vdif_station_thread.val();
        self.framer.serial.next = bit_cast::<64, 32>(self.registers.vtp_serial_high.val()) << 32
            | bit_cast::<64, 32>(self.registers.vtp_serial_low.val());
        self.registers.sampler_sent.next = self.framer.sent.val();
        StreamSource::<64, 8>::link(&mut self.packets, &mut self.framer.packets);
        EventSource::link(&mut self.event, &mut self.framer.event);
    }
}
