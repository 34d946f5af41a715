//! The VDIF header, words 0 to 7, each little-endian.

use super::{Error, HEADER_OCTETS};
use nicforge_layout::wire::vdif::{LENGTH_UNIT_OCTETS, VERSION};

/// Largest frame in octets: the length field has 24 bits.
const FRAME_MAX: u32 = ((1 << 24) - 1) * LENGTH_UNIT_OCTETS as u32;

/// What a VDIF header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Header {
    /// The data array is not valid.
    pub invalid: bool,
    /// Whole seconds since the reference epoch, 30 bits.
    pub seconds: u32,
    /// Reference epoch in half years since 2000-01-01 00:00 UTC, 6 bits.
    pub epoch: u8,
    /// Number of the frame within its second, 24 bits.
    pub frame: u32,
    /// Version of VDIF, 3 bits.
    pub version: u8,
    /// Binary logarithm of the number of channels, 5 bits.
    pub log2_channels: u8,
    /// Octets of the whole frame: a multiple of 8, at least the header's 32.
    pub frame_octets: u32,
    /// Samples are complex.
    pub complex: bool,
    /// Bits of a sample, or of one component of a complex one: 1..=32.
    pub bits: u8,
    /// Thread, 10 bits.
    pub thread: u16,
    /// Station: two ASCII characters, the first in bits 15..8, or a number.
    pub station: u16,
}

impl Default for Header {
    /// An empty valid frame of one real 8-bit channel at time zero.
    fn default() -> Self {
        Self {
            invalid: false,
            seconds: 0,
            epoch: 0,
            frame: 0,
            version: VERSION,
            log2_channels: 0,
            frame_octets: HEADER_OCTETS as u32,
            complex: false,
            bits: 8,
            thread: 0,
            station: 0,
        }
    }
}

impl Header {
    /// Octets of data behind the header.
    pub fn data_octets(&self) -> usize {
        self.frame_octets as usize - HEADER_OCTETS
    }

    /// The station as its two characters, or `None` where it is a number: by custom of VDIF
    /// readers that is decided by the first character, which must be `0` or above.
    pub fn station_name(&self) -> Option<String> {
        let octets = self.station.to_be_bytes();
        let ascii = (48..128).contains(&octets[0]) && octets[1].is_ascii();
        ascii.then(|| octets.iter().map(|&octet| char::from(octet)).collect())
    }

    /// Names the first field that no frame can have.
    fn check(&self) -> Result<(), Error> {
        let wrong = |field, wanted, found| Err(Error::Field { field, wanted, found });
        if self.seconds >> 30 != 0 {
            return wrong("seconds", "less than 2^30", self.seconds.into());
        }
        if self.epoch >> 6 != 0 {
            return wrong("reference epoch", "0 to 63", self.epoch.into());
        }
        if self.frame >> 24 != 0 {
            return wrong("frame number", "less than 2^24", self.frame.into());
        }
        if self.version >> 3 != 0 {
            return wrong("version", "0 to 7", self.version.into());
        }
        if self.log2_channels >> 5 != 0 {
            return wrong("log2 of the channels", "0 to 31", self.log2_channels.into());
        }
        let length = HEADER_OCTETS as u32..=FRAME_MAX;
        if !length.contains(&self.frame_octets)
            || !self.frame_octets.is_multiple_of(LENGTH_UNIT_OCTETS as u32)
        {
            return wrong("frame length", "a multiple of 8, 32 to 134217720", self.frame_octets.into());
        }
        self.check_sample()
    }

    fn check_sample(&self) -> Result<(), Error> {
        let wrong = |field, wanted, found| Err(Error::Field { field, wanted, found });
        // A complex sample has to fit a 32-bit word as a pair (clause "data array").
        let (most, wanted) = if self.complex { (16, "1 to 16, as complex") } else { (32, "1 to 32") };
        if !(1..=most).contains(&self.bits) {
            return wrong("bits per sample", wanted, self.bits.into());
        }
        if self.log2_channels > 0 && !self.bits.is_power_of_two() {
            return wrong(
                "bits per sample",
                "a power of two, as there are several channels",
                self.bits.into(),
            );
        }
        if self.thread >> 10 != 0 {
            return wrong("thread", "0 to 1023", self.thread.into());
        }
        Ok(())
    }

    /// The header as sent, with zeros where nothing is assigned.
    ///
    /// # Errors
    /// [`Error::Field`] for the first field out of range.
    pub fn encode(&self) -> Result<[u8; HEADER_OCTETS], Error> {
        self.check()?;
        let words = [
            u32::from(self.invalid) << 31 | self.seconds,
            u32::from(self.epoch) << 24 | self.frame,
            u32::from(self.version) << 29
                | u32::from(self.log2_channels) << 24
                | (self.frame_octets / LENGTH_UNIT_OCTETS as u32),
            u32::from(self.complex) << 31
                | u32::from(self.bits - 1) << 26
                | u32::from(self.thread) << 16
                | u32::from(self.station),
        ];
        let mut octets = [0; HEADER_OCTETS];
        for (place, word) in octets.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        Ok(octets)
    }

    /// Reads the header at the start of `octets`. The two unassigned bits of word 1 are ignored,
    /// as VDIF demands.
    ///
    /// # Errors
    /// [`Error::Short`], [`Error::Legacy`], [`Error::Extension`], [`Error::Reserved`],
    /// [`Error::Field`].
    pub fn decode(octets: &[u8]) -> Result<Self, Error> {
        let Some(octets) = octets.get(..HEADER_OCTETS) else {
            return Err(Error::Short { found: octets.len() });
        };
        let mut words = [0u32; HEADER_OCTETS / 4];
        for (word, octets) in words.iter_mut().zip(octets.chunks_exact(4)) {
            *word = u32::from_le_bytes(octets.try_into().expect("chunks of four octets"));
        }
        if words[0] >> 30 & 1 == 1 {
            return Err(Error::Legacy);
        }
        if words[4] >> 24 != 0 {
            return Err(Error::Extension { found: (words[4] >> 24) as u8 });
        }
        if let Some(word) = (4..words.len()).find(|&word| words[word] != 0) {
            return Err(Error::Reserved { word, found: words[word] });
        }
        let field = |word: usize, lsb: u32, width: u32| words[word] >> lsb & (u32::MAX >> (32 - width));
        let header = Self {
            invalid: field(0, 31, 1) == 1,
            seconds: field(0, 0, 30),
            epoch: field(1, 24, 6) as u8,
            frame: field(1, 0, 24),
            version: field(2, 29, 3) as u8,
            log2_channels: field(2, 24, 5) as u8,
            frame_octets: field(2, 0, 24) * LENGTH_UNIT_OCTETS as u32,
            complex: field(3, 31, 1) == 1,
            bits: field(3, 26, 5) as u8 + 1,
            thread: field(3, 16, 10) as u16,
            station: field(3, 0, 16) as u16,
        };
        header.check()?;
        Ok(header)
    }

    /// Reads the header of a frame that is wholly there.
    ///
    /// # Errors
    /// As for [`Header::decode`], and [`Error::Length`].
    pub fn of_frame(frame: &[u8]) -> Result<Self, Error> {
        let header = Self::decode(frame)?;
        if frame.len() != header.frame_octets as usize {
            return Err(Error::Length { wanted: header.frame_octets as usize, found: frame.len() });
        }
        Ok(header)
    }

    /// Names the first field in which frames of one stream may not differ but these do.
    pub fn check_same_stream(&self, other: &Self) -> Result<(), Error> {
        let fields = |header: &Self| {
            [
                ("version", u64::from(header.version)),
                ("reference epoch", header.epoch.into()),
                ("log2 of the channels", header.log2_channels.into()),
                ("frame length", header.frame_octets.into()),
                ("complex flag", header.complex.into()),
                ("bits per sample", header.bits.into()),
                ("station", header.station.into()),
            ]
        };
        for ((field, wanted), (_, found)) in fields(self).into_iter().zip(fields(other)) {
            if wanted != found {
                return Err(Error::Changed { field, wanted, found });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A header whose octets were worked out by hand from the standard's tables.
    const WORKED: [u8; 32] = [
        0x10, 0x53, 0xc9, 0x00, 0x39, 0x30, 0x00, 0x35, 0xec, 0x03, 0x00, 0x20, 0x62, 0x49, 0x03, 0x04, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ];

    fn worked() -> Header {
        Header {
            seconds: 13_194_000,
            epoch: 53,
            frame: 12_345,
            frame_octets: 8032,
            bits: 2,
            thread: 3,
            station: u16::from_be_bytes(*b"Ib"),
            ..Header::default()
        }
    }

    #[test]
    fn the_worked_header_is_written_and_read() {
        assert_eq!(worked().encode().unwrap(), WORKED);
        assert_eq!(Header::decode(&WORKED).unwrap(), worked());
        assert_eq!(worked().station_name().as_deref(), Some("Ib"));
        assert_eq!(worked().data_octets(), 8000);
    }

    #[test]
    fn the_extremes_of_every_field_fit() {
        let top = Header {
            invalid: true,
            seconds: (1 << 30) - 1,
            epoch: 63,
            frame: (1 << 24) - 1,
            version: 7,
            log2_channels: 31,
            frame_octets: FRAME_MAX,
            complex: true,
            bits: 16,
            thread: 1023,
            station: 0xffff,
        };
        assert_eq!(Header::decode(&top.encode().unwrap()).unwrap(), top);
        assert_eq!(top.station_name(), None);
    }

    #[test]
    fn fields_out_of_range_are_named() {
        let good = Header::default();
        for (header, field) in [
            (Header { seconds: 1 << 30, ..good }, "seconds"),
            (Header { epoch: 64, ..good }, "epoch"),
            (Header { frame: 1 << 24, ..good }, "frame number"),
            (Header { version: 8, ..good }, "version"),
            (Header { log2_channels: 32, ..good }, "channels"),
            (Header { frame_octets: 24, ..good }, "length"),
            (Header { frame_octets: 36, ..good }, "length"),
            (Header { frame_octets: 1 << 27, ..good }, "length"),
            (Header { bits: 0, ..good }, "bits"),
            (Header { bits: 33, ..good }, "bits"),
            (Header { bits: 17, complex: true, ..good }, "bits"),
            (Header { bits: 3, log2_channels: 1, ..good }, "bits"),
            (Header { thread: 1024, ..good }, "thread"),
        ] {
            let error = header.encode().unwrap_err();
            assert!(matches!(error, Error::Field { .. }) && error.to_string().contains(field), "{error}");
        }
    }

    #[test]
    fn foreign_headers_are_told_apart() {
        let changed = |place: usize, value: u8| {
            let mut octets = WORKED;
            octets[place] = value;
            Header::decode(&octets)
        };
        assert!(matches!(changed(3, 0x40), Err(Error::Legacy)));
        assert!(matches!(changed(19, 3), Err(Error::Extension { found: 3 })));
        assert!(matches!(changed(28, 1), Err(Error::Reserved { word: 7, found: 1 })));
        // Three units are less than the header itself.
        let mut short = WORKED;
        short[8..11].copy_from_slice(&[3, 0, 0]);
        assert!(matches!(Header::decode(&short), Err(Error::Field { found: 24, .. })));
        // The two unassigned bits of word 1.
        assert_eq!(changed(7, 0x35 | 0xc0).unwrap(), worked());
    }

    #[test]
    fn a_frame_of_another_length_than_its_header_says_is_refused() {
        let mut frame = WORKED.to_vec();
        frame.resize(8031, 0);
        assert!(matches!(Header::of_frame(&frame), Err(Error::Length { wanted: 8032, found: 8031 })));
        frame.push(0);
        assert_eq!(Header::of_frame(&frame).unwrap(), worked());
    }

    proptest! {
        #[test]
        fn any_octets_are_read_or_refused(octets in proptest::collection::vec(any::<u8>(), 0..80)) {
            if let Ok(header) = Header::decode(&octets) {
                // What was read is written again, save for the unassigned bits.
                let mut wanted: [u8; 32] = octets[..32].try_into().unwrap();
                wanted[7] &= 0x3f;
                prop_assert_eq!(header.encode().unwrap(), wanted);
            }
        }

        #[test]
        fn any_first_half_is_read_or_refused(first in any::<[u8; 16]>()) {
            let octets = [first, [0; 16]].concat();
            let header = Header::decode(&octets);
            let legacy = first[3] & 0x40 != 0;
            prop_assert_eq!(matches!(header, Err(Error::Legacy)), legacy);
            if let Ok(header) = header {
                prop_assert_eq!(Header::decode(&header.encode().unwrap()).unwrap(), header);
            }
        }
    }

    #[test]
    fn a_header_cut_at_any_octet_is_refused() {
        for cut in 0..WORKED.len() {
            assert!(matches!(Header::decode(&WORKED[..cut]), Err(Error::Short { found }) if found == cut));
        }
    }
}
