//! Captures of Ethernet frames with their FCS (pcap, LINKTYPE_ETHERNET).
//!
//! Files of either byte order, with microseconds or nanoseconds, are read; nanoseconds in little-endian
//! order are written. A file that is cut or contradicts itself is refused with the octet at which the
//! fault begins. Times are simulated times, so that the same run gives the same file.
use crate::Error;
use pcap_file::pcap::{PcapHeader, PcapPacket, PcapParser, PcapWriter, RawPcapPacket};
use pcap_file::{DataLink, Endianness, PcapError, TsResolution};
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A frame of a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// When it was captured, from the epoch of the file.
    pub time: Duration,
    /// From the destination address; through the FCS, if the capture kept it.
    pub octets: Vec<u8>,
}

/// The simulated time at which a cycle of a clock begins whose period is `period` picoseconds.
pub fn time_of_cycle(cycle: u64, period: u64) -> Duration {
    Duration::from_nanos((u128::from(cycle) * u128::from(period) / 1000) as u64)
}

/// What is wrong with a capture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PcapFault {
    /// The file ends inside a header or a frame.
    #[error("{what} is cut: wanted {wanted} octets, found {found}")]
    Cut {
        /// `the file header`, `a record header` or `a frame`.
        what: &'static str,
        /// Octets it should have.
        wanted: usize,
        /// Octets up to the end of the file.
        found: usize,
    },
    /// It is a pcapng file.
    #[error("this is a pcapng file, wanted pcap; convert it with `editcap -F pcap IN OUT`")]
    NextGeneration,
    /// It is no capture.
    #[error("wanted the magic number of a pcap file, found {found:02x?}")]
    Magic {
        /// The first four octets.
        found: [u8; 4],
    },
    /// The version is not 2.
    #[error("wanted pcap version 2, found {found}")]
    Version {
        /// The major version.
        found: u16,
    },
    /// The frames are not Ethernet frames.
    #[error("wanted link type 1 (Ethernet), found {found}")]
    LinkType {
        /// The link type.
        found: u32,
    },
    /// A record claims more than a frame or the file's own limit can hold.
    #[error("a frame of {found} octets, wanted at most {wanted}")]
    Length {
        /// The limit in octets.
        wanted: u32,
        /// The length in the record header.
        found: u32,
    },
    /// Only a part of the frame was captured.
    #[error("the capture kept {found} of {wanted} octets of a frame; capture whole frames")]
    Snapped {
        /// Octets on the wire.
        wanted: u32,
        /// Octets in the file.
        found: u32,
    },
    /// The fraction of a second is a second or more.
    #[error("the fraction of a second is {found}, wanted less than {wanted}")]
    Time {
        /// Units in a second.
        wanted: u32,
        /// The fraction in the record header.
        found: u32,
    },
}

const FILE_HEADER: usize = 24;
const RECORD_HEADER: usize = 16;
/// The longest record that libpcap takes; more is a sign of damage.
const LONGEST: u32 = 262_144;
/// The link type is in the low half; the bits above may give the length of the FCS.
const LINK_TYPE_MASK: u32 = 0xffff;
const CHUNK: usize = 1 << 16;

/// Reads a capture frame by frame, with a bounded buffer.
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    path: PathBuf,
    parser: PcapParser,
    buffer: Vec<u8>,
    /// Octets of the buffer that were used up.
    used: usize,
    /// Place in the file of the first octet of the buffer.
    base: u64,
    failed: bool,
}

impl Reader<File> {
    /// Opens a capture and checks its header.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let failed = |cause| Error::File { action: "open", path: path.into(), cause };
        Self::new(File::open(path).map_err(failed)?, path)
    }
}

impl<R: Read> Reader<R> {
    /// Reads from `source`; `path` is what errors call it.
    pub fn new(mut source: R, path: &Path) -> Result<Self, Error> {
        let mut buffer = Vec::new();
        fill(&mut source, path, &mut buffer, FILE_HEADER)?;
        let parser = header(&buffer).map_err(|fault| Error::Pcap { path: path.into(), offset: 0, fault })?;
        Ok(Self { source, path: path.into(), parser, buffer, used: FILE_HEADER, base: 0, failed: false })
    }

    /// The octet of the file at which the next record begins.
    pub fn offset(&self) -> u64 {
        self.base + self.used as u64
    }

    fn record(&mut self) -> Result<Option<Record>, Error> {
        self.want(RECORD_HEADER)?;
        if self.buffer.len() == self.used {
            return Ok(None);
        }
        let length = self.check_header().map_err(|fault| self.fault(fault))?;
        self.want(RECORD_HEADER + length)?;
        let rest = &self.buffer[self.used..];
        let cut = PcapFault::Cut { what: "a frame", wanted: length, found: rest.len() - RECORD_HEADER };
        let (_, raw) = self.parser.next_raw_packet(rest).map_err(|_| self.fault(cut))?;
        let record = Record { time: self.time(&raw), octets: raw.data.into_owned() };
        self.used += RECORD_HEADER + length;
        Ok(Some(record))
    }

    /// Checks the header of the next record, which gives the length of its frame.
    fn check_header(&self) -> Result<usize, PcapFault> {
        let rest = &self.buffer[self.used..];
        let Some(first) = rest.get(..RECORD_HEADER) else {
            let what = "a record header";
            return Err(PcapFault::Cut { what, wanted: RECORD_HEADER, found: rest.len() });
        };
        let word = |index: usize| {
            let octets = [0, 1, 2, 3].map(|octet| first[4 * index + octet]);
            match self.parser.header().endianness {
                Endianness::Big => u32::from_be_bytes(octets),
                Endianness::Little => u32::from_le_bytes(octets),
            }
        };
        let (fraction, kept, original) = (word(1), word(2), word(3));
        let snapped = self.parser.header().snaplen;
        let limit = if snapped == 0 { LONGEST } else { snapped.min(LONGEST) };
        if kept > limit {
            return Err(PcapFault::Length { wanted: limit, found: kept });
        }
        if kept != original {
            return Err(PcapFault::Snapped { wanted: original, found: kept });
        }
        let units = Duration::from_secs(1).as_nanos() as u32 / self.nanoseconds();
        if fraction >= units {
            return Err(PcapFault::Time { wanted: units, found: fraction });
        }
        Ok(kept as usize)
    }

    fn nanoseconds(&self) -> u32 {
        match self.parser.header().ts_resolution {
            TsResolution::MicroSecond => 1_000,
            TsResolution::NanoSecond => 1,
        }
    }

    fn time(&self, raw: &RawPcapPacket) -> Duration {
        Duration::new(raw.ts_sec.into(), raw.ts_frac * self.nanoseconds())
    }

    /// Reads on until `octets` unused ones are there, or the file ends.
    fn want(&mut self, octets: usize) -> Result<(), Error> {
        if self.buffer.len() - self.used >= octets {
            return Ok(());
        }
        self.buffer.drain(..self.used);
        self.base += self.used as u64;
        self.used = 0;
        fill(&mut self.source, &self.path, &mut self.buffer, octets)
    }

    fn fault(&self, fault: PcapFault) -> Error {
        Error::Pcap { path: self.path.clone(), offset: self.offset(), fault }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Record, Error>;

    /// The next frame; after a fault there are none.
    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let record = self.record().transpose();
        self.failed = matches!(record, Some(Err(_)));
        record
    }
}

/// Reads a whole capture, or says what is wrong with it.
pub fn read(path: &Path) -> Result<Vec<Record>, Error> {
    Reader::open(path)?.collect()
}

fn fill(source: &mut impl Read, path: &Path, buffer: &mut Vec<u8>, wanted: usize) -> Result<(), Error> {
    let missing = wanted.saturating_sub(buffer.len()).max(CHUNK) as u64;
    let failed = |cause| Error::File { action: "read", path: path.into(), cause };
    source.take(missing).read_to_end(buffer).map_err(failed)?;
    Ok(())
}

fn header(start: &[u8]) -> Result<PcapParser, PcapFault> {
    let cut = PcapFault::Cut { what: "the file header", wanted: FILE_HEADER, found: start.len() };
    if let Some(magic) = start.first_chunk::<4>() {
        match u32::from_be_bytes(*magic) {
            0x0a0d_0d0a => return Err(PcapFault::NextGeneration),
            0xa1b2_c3d4 | 0xa1b2_3c4d | 0xd4c3_b2a1 | 0x4d3c_b2a1 => {}
            _ => return Err(PcapFault::Magic { found: *magic }),
        }
    }
    let (_, parser) = PcapParser::new(start).map_err(|_| cut)?;
    let found = parser.header();
    let link = u32::from(found.datalink) & LINK_TYPE_MASK;
    if found.version_major != 2 {
        return Err(PcapFault::Version { found: found.version_major });
    }
    if link != u32::from(DataLink::ETHERNET) {
        return Err(PcapFault::LinkType { found: link });
    }
    Ok(parser)
}

/// Writes a capture.
#[derive(Debug)]
pub struct Writer<W: Write> {
    file: PcapWriter<W>,
    path: PathBuf,
}

impl Writer<BufWriter<File>> {
    /// Makes a file, or empties it.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let failed = |cause| Error::File { action: "create", path: path.into(), cause };
        Self::new(BufWriter::new(File::create(path).map_err(failed)?), path)
    }
}

impl<W: Write> Writer<W> {
    /// Writes to `target`; `path` is what errors call it.
    pub fn new(target: W, path: &Path) -> Result<Self, Error> {
        let header = PcapHeader {
            snaplen: LONGEST,
            datalink: DataLink::ETHERNET,
            ts_resolution: TsResolution::NanoSecond,
            endianness: Endianness::Little,
            ..PcapHeader::default()
        };
        let file = PcapWriter::with_header(target, header).map_err(|cause| write_failed(path, cause))?;
        Ok(Self { file, path: path.into() })
    }

    /// Adds a frame as it was on the wire, its FCS included.
    pub fn write(&mut self, time: Duration, octets: &[u8]) -> Result<(), Error> {
        let packet = PcapPacket::new(time, octets.len() as u32, octets);
        self.file.write_packet(&packet).map(drop).map_err(|cause| write_failed(&self.path, cause))
    }

    /// Writes out what is buffered and ends the file.
    pub fn finish(self) -> Result<W, Error> {
        let failed = |cause| Error::File { action: "write", path: self.path.clone(), cause };
        let mut target = self.file.into_writer();
        target.flush().map_err(failed)?;
        Ok(target)
    }
}

fn write_failed(path: &Path, cause: PcapError) -> Error {
    let cause = match cause {
        PcapError::IoError(cause) => cause,
        other => std::io::Error::other(other),
    };
    Error::File { action: "write", path: path.into(), cause }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(records: &[Record]) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new(), Path::new("test")).unwrap();
        records.iter().for_each(|record| writer.write(record.time, &record.octets).unwrap());
        writer.finish().unwrap()
    }

    fn parsed(file: &[u8]) -> Result<Vec<Record>, Error> {
        Reader::new(file, Path::new("test.pcap"))?.collect()
    }

    fn fault(file: &[u8]) -> (u64, PcapFault) {
        match parsed(file).unwrap_err() {
            Error::Pcap { offset, fault, .. } => (offset, fault),
            other => panic!("{other}"),
        }
    }

    fn three() -> Vec<Record> {
        [(0, 64), (7, 9018), (1_000_000_001, 60)]
            .map(|(time, length)| Record { time: Duration::from_nanos(time), octets: vec![0x5a; length] })
            .into()
    }

    /// A file in another byte order or resolution, with one frame of four octets.
    fn other(words: [u32; 6], record: [u32; 4], big: bool) -> Vec<u8> {
        let octets = |word: &u32| if big { word.to_be_bytes() } else { word.to_le_bytes() };
        let mut file: Vec<u8> = words.iter().flat_map(octets).collect();
        if !big {
            // The version is two half words.
            file[4..8].copy_from_slice(&[2, 0, 4, 0]);
        }
        file.extend(record.iter().flat_map(octets));
        file.extend([1, 2, 3, 4]);
        file
    }

    const VERSION: u32 = 0x0002_0004;

    #[test]
    fn what_was_written_is_read_back() {
        assert_eq!(parsed(&written(&three())).unwrap(), three());
        assert_eq!(parsed(&written(&[])).unwrap(), []);
    }

    #[test]
    fn cycles_become_exact_nanoseconds() {
        assert_eq!(
            [0, 1, 4, 5, 156_250_000].map(|cycle| time_of_cycle(cycle, 6_400).as_nanos()),
            [0, 6, 25, 32, 1_000_000_000]
        );
    }

    #[test]
    fn both_byte_orders_and_both_resolutions_are_read() {
        for (magic, big, nanoseconds) in [
            (0xa1b2_c3d4, true, 5_000),
            (0xa1b2_c3d4, false, 5_000),
            (0xa1b2_3c4d, true, 5),
            (0xa1b2_3c4d, false, 5),
        ] {
            let file = other([magic, VERSION, 0, 0, 65_535, 1], [2, 5, 4, 4], big);
            let wanted = Record { time: Duration::new(2, nanoseconds), octets: vec![1, 2, 3, 4] };
            assert_eq!(parsed(&file).unwrap(), [wanted], "{magic:x} {big}");
        }
    }

    #[test]
    fn a_file_that_says_how_long_the_fcs_is_and_one_without_a_limit_are_read() {
        for (limit, link) in [(0, 1), (65_535, 0x2400_0001)] {
            assert_eq!(
                parsed(&other([0xa1b2_c3d4, VERSION, 0, 0, limit, link], [0, 0, 4, 4], true)).unwrap().len(),
                1
            );
        }
    }

    #[test]
    fn every_cut_is_refused_at_the_record_it_falls_into() {
        let records = three();
        let file = written(&records);
        let starts: Vec<usize> = (0..=3).map(|count| written(&records[..count]).len()).collect();
        for length in (0..file.len()).filter(|length| length % 7 == 0 || *length < 200) {
            if starts.contains(&length) {
                assert_eq!(
                    parsed(&file[..length]).unwrap().len(),
                    starts.iter().position(|start| *start == length).unwrap()
                );
                continue;
            }
            let (offset, found) = fault(&file[..length]);
            let begin = starts.iter().rfind(|start| **start < length).copied().unwrap_or(0);
            assert_eq!(offset, begin as u64, "cut at {length}");
            assert!(matches!(found, PcapFault::Cut { .. }), "{found}");
        }
    }

    #[test]
    fn each_damage_is_named_with_its_place() {
        let change = |at: usize, octets: &[u8]| {
            let mut file = written(&three());
            file[at..at + octets.len()].copy_from_slice(octets);
            fault(&file)
        };
        assert_eq!(change(0, &[1, 2, 3, 4]), (0, PcapFault::Magic { found: [1, 2, 3, 4] }));
        assert_eq!(change(0, &[0x0a, 0x0d, 0x0d, 0x0a]), (0, PcapFault::NextGeneration));
        assert_eq!(change(4, &[3, 0]), (0, PcapFault::Version { found: 3 }));
        assert_eq!(change(20, &[113]), (0, PcapFault::LinkType { found: 113 }));
        let second = (FILE_HEADER + RECORD_HEADER + 64) as u64;
        let at = second as usize;
        let too_long = PcapFault::Length { wanted: LONGEST, found: u32::MAX };
        assert_eq!(change(at + 8, &[0xff; 4]), (second, too_long));
        assert_eq!(
            change(at + 12, &[0, 0, 1]),
            (second, PcapFault::Snapped { wanted: 65_536, found: 9_018 })
        );
        let late = PcapFault::Time { wanted: 1_000_000_000, found: u32::MAX };
        assert_eq!(change(at + 4, &[0xff; 4]), (second, late));
    }

    #[test]
    fn the_message_names_file_octet_wanted_and_found() {
        let text = parsed(&written(&three())[..100]).unwrap_err().to_string();
        assert_eq!(text, "test.pcap, octet 24: a frame is cut: wanted 64 octets, found 60");
    }

    proptest! {
        #[test]
        fn any_octets_at_all_are_survived(mut file: Vec<u8>, keep_header: bool) {
            if keep_header {
                let mut whole = written(&[]);
                whole.append(&mut file);
                file = whole;
            }
            let _ = parsed(&file);
        }
    }
}
