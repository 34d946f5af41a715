//! Captures as ends of a line: frames from a file into the board, and from the board into a file.
use super::{FrameSink, FrameSource};
use crate::Error;
use crate::board::{Actor, Pins};
use crate::clock::Clock;
use crate::pcap::{Reader, Writer, time_of_cycle};
use std::io::{Read, Write};

/// Frames kept ready, so that the line never waits for the file.
const AHEAD: usize = 4;

/// Sends the frames of a capture as they stand, one after the other at the pacing of the source.
#[derive(Debug)]
pub struct PcapSource<S, R> {
    source: S,
    reader: Option<Reader<R>>,
    failure: Option<Error>,
    sent: u64,
}

impl<S: FrameSource, R: Read> PcapSource<S, R> {
    /// Feeds `source` from `reader`.
    pub fn new(source: S, reader: Reader<R>) -> Self {
        Self { source, reader: Some(reader), failure: None, sent: 0 }
    }

    /// Whether every frame is on the line, or the file turned out to be damaged.
    pub fn is_done(&self) -> bool {
        self.reader.is_none() && self.source.is_empty()
    }

    /// How many frames came from the file, or what is wrong with it.
    pub fn finish(self) -> Result<u64, Error> {
        self.failure.map_or(Ok(self.sent), Err)
    }

    fn refill(&mut self) {
        while let Some(reader) = self.reader.as_mut().filter(|_| self.source.queued() < AHEAD) {
            match reader.next() {
                Some(Ok(record)) => {
                    self.sent += 1;
                    self.source.push_frame(record.octets);
                }
                Some(Err(failure)) => (self.failure, self.reader) = (Some(failure), None),
                None => self.reader = None,
            }
        }
    }
}

impl<S: FrameSource, R: Read> Actor for PcapSource<S, R> {
    fn drive(&mut self, pins: &mut Pins) {
        self.refill();
        self.source.drive(pins);
    }

    fn sample(&mut self, pins: &Pins) {
        self.source.sample(pins);
    }

    fn clock(&self) -> Clock {
        self.source.clock()
    }
}

/// Writes every frame of the board to a capture, stamped with the cycle of its start.
#[derive(Debug)]
pub struct PcapSink<K, W: Write> {
    /// Where the frames come from; they are fetched here, violations stay.
    pub sink: K,
    writer: Writer<W>,
    failure: Option<Error>,
    written: u64,
}

impl<K: FrameSink, W: Write> PcapSink<K, W> {
    /// Writes what `sink` receives to `writer`.
    pub fn new(sink: K, writer: Writer<W>) -> Self {
        Self { sink, writer, failure: None, written: 0 }
    }

    /// Frames written so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Ends the file, or says why it could not be written.
    pub fn finish(self) -> Result<(u64, W), Error> {
        let target = self.writer.finish()?;
        self.failure.map_or(Ok((self.written, target)), Err)
    }
}

impl<K: FrameSink, W: Write> Actor for PcapSink<K, W> {
    fn drive(&mut self, pins: &mut Pins) {
        self.sink.drive(pins);
    }

    fn sample(&mut self, pins: &Pins) {
        self.sink.sample(pins);
        while let Some(frame) = self.sink.pop() {
            match self.writer.write(time_of_cycle(frame.cycle, K::PERIOD), &frame.octets) {
                Ok(()) => self.written += 1,
                Err(failure) => self.failure = self.failure.take().or(Some(failure)),
            }
        }
    }

    fn clock(&self) -> Clock {
        self.sink.clock()
    }
}
