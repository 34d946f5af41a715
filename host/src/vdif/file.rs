//! Files of VDIF frames: one after the other, nothing in between.

use super::{Error, HEADER_OCTETS, Header};
use std::io::{Read, Write};

/// Writes frames to a file, and sees to it that they belong together.
#[derive(Debug)]
pub struct Writer<W: Write> {
    file: W,
    first: Option<Header>,
    frames: u64,
}

impl<W: Write> Writer<W> {
    /// Begins a file; `file` should be buffered.
    pub fn new(file: W) -> Self {
        Self { file, first: None, frames: 0 }
    }

    /// Appends one frame, header first.
    ///
    /// # Errors
    /// [`Error::Length`] and the faults of [`Header::decode`] for what is no frame,
    /// [`Error::Changed`] for one of another stream than the first, [`Error::Io`].
    pub fn write(&mut self, frame: &[u8]) -> Result<(), Error> {
        let header = Header::of_frame(frame)?;
        if let Some(first) = &self.first {
            first.check_same_stream(&header)?;
        }
        self.file.write_all(frame).map_err(|cause| Error::Io { action: "write", cause })?;
        self.first.get_or_insert(header);
        self.frames += 1;
        Ok(())
    }

    /// Frames written.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Writes what is buffered and gives the file back.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn finish(mut self) -> Result<W, Error> {
        self.file.flush().map_err(|cause| Error::Io { action: "write", cause })?;
        Ok(self.file)
    }
}

/// One frame of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Where the frame begins in the file, in octets.
    pub offset: u64,
    /// What its header says.
    pub header: Header,
    /// The data array.
    pub data: &'a [u8],
}

/// Reads frames from a file, one at a time; holds one frame in memory.
#[derive(Debug)]
pub struct Reader<R: Read> {
    file: R,
    first: Option<Header>,
    frame: Vec<u8>,
    offset: u64,
}

impl<R: Read> Reader<R> {
    /// Begins to read; `file` should be buffered.
    pub fn new(file: R) -> Self {
        Self { file, first: None, frame: Vec::new(), offset: 0 }
    }

    /// The next frame, or `None` at the end of the file.
    ///
    /// # Errors
    /// [`Error::At`] with the place in the file and what is wrong there; the reader stays at that
    /// place and is of no more use. [`Error::Io`].
    pub fn next_frame(&mut self) -> Result<Option<Frame<'_>>, Error> {
        let offset = self.offset;
        let at = |cause| Error::At { offset, cause: Box::new(cause) };
        self.frame.clear();
        self.fill(HEADER_OCTETS)?;
        if self.frame.is_empty() {
            return Ok(None);
        }
        if self.frame.len() < HEADER_OCTETS {
            return Err(at(Error::Short { found: self.frame.len() }));
        }
        let header = Header::decode(&self.frame).map_err(at)?;
        if let Some(first) = &self.first {
            first.check_same_stream(&header).map_err(at)?;
        }
        self.fill(header.data_octets())?;
        let (wanted, found) = (u64::from(header.frame_octets), self.frame.len() as u64);
        if found < wanted {
            return Err(at(Error::Truncated { wanted, found }));
        }
        self.first.get_or_insert(header);
        self.offset += wanted;
        Ok(Some(Frame { offset, header, data: &self.frame[HEADER_OCTETS..] }))
    }

    /// Appends up to `octets` from the file. Memory grows with what is there, not with what a
    /// damaged header promises.
    fn fill(&mut self, octets: usize) -> Result<(), Error> {
        let mut part = (&mut self.file).take(octets as u64);
        part.read_to_end(&mut self.frame).map_err(|cause| Error::Io { action: "read", cause })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frame(number: u32, data: &[u8]) -> Vec<u8> {
        let frame_octets = (HEADER_OCTETS + data.len()) as u32;
        let header = Header { frame: number, frame_octets, ..Header::default() };
        [&header.encode().unwrap()[..], data].concat()
    }

    /// A file of `frames` frames with 16 octets of data each.
    fn file(frames: u32) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new());
        for number in 0..frames {
            writer.write(&frame(number, &[number as u8; 16])).unwrap();
        }
        assert_eq!(writer.frames(), u64::from(frames));
        writer.finish().unwrap()
    }

    /// Frame numbers up to the end or the first fault.
    fn read(file: &[u8]) -> (Vec<u32>, Option<Error>) {
        let mut reader = Reader::new(file);
        let mut numbers = Vec::new();
        loop {
            match reader.next_frame() {
                Ok(None) => return (numbers, None),
                Err(error) => return (numbers, Some(error)),
                Ok(Some(frame)) => {
                    assert_eq!(frame.offset, 48 * u64::from(frame.header.frame));
                    assert_eq!(frame.data, [frame.header.frame as u8; 16]);
                    numbers.push(frame.header.frame);
                }
            }
        }
    }

    #[test]
    fn frames_are_read_as_written() {
        let (numbers, error) = read(&file(5));
        assert_eq!(numbers, [0, 1, 2, 3, 4]);
        assert!(error.is_none());
    }

    #[test]
    fn a_file_cut_anywhere_but_between_frames_is_refused_there() {
        let file = file(3);
        for cut in 0..=file.len() {
            let (numbers, error) = read(&file[..cut]);
            assert_eq!(numbers.len(), cut / 48, "cut at {cut}");
            match error {
                None => assert_eq!(cut % 48, 0, "cut at {cut}"),
                Some(Error::At { offset, .. }) => assert_eq!(offset, (cut / 48 * 48) as u64),
                Some(other) => panic!("cut at {cut}: {other}"),
            }
        }
    }

    #[test]
    fn a_frame_of_another_stream_is_neither_written_nor_read() {
        let mut writer = Writer::new(Vec::new());
        writer.write(&frame(0, &[0; 16])).unwrap();
        let error = writer.write(&frame(1, &[0; 24])).unwrap_err();
        assert!(matches!(error, Error::Changed { field: "frame length", wanted: 48, found: 56 }), "{error}");
        assert!(writer.write(&[0; 48][..47]).is_err());
        let mut file = writer.finish().unwrap();
        assert_eq!(file.len(), 48);
        file.extend(frame(1, &[0; 24]));
        let (numbers, error) = read(&file);
        assert_eq!(numbers, [0]);
        assert!(error.unwrap().to_string().starts_with("octet 48 "));
    }

    #[test]
    fn a_length_beyond_the_file_costs_no_memory() {
        let header = Header { frame_octets: ((1 << 24) - 1) * 8, ..Header::default() };
        let file = header.encode().unwrap();
        let mut reader = Reader::new(&file[..]);
        assert!(matches!(reader.next_frame(), Err(Error::At { offset: 0, .. })));
        assert!(reader.frame.capacity() < 1 << 20);
    }

    proptest! {
        #[test]
        fn any_octets_are_read_or_refused(octets in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut reader = Reader::new(&octets[..]);
            let mut frames = 0;
            while let Ok(Some(_)) = reader.next_frame() {
                frames += 1;
            }
            prop_assert!(frames <= octets.len() / HEADER_OCTETS);
        }

        #[test]
        fn a_damaged_octet_never_makes_more_frames(place in 0..144usize, value in any::<u8>()) {
            let mut file = file(3);
            file[place] = value;
            let mut reader = Reader::new(&file[..]);
            let mut octets = 0;
            while let Ok(Some(frame)) = reader.next_frame() {
                octets += HEADER_OCTETS + frame.data.len();
            }
            prop_assert!(octets <= file.len());
        }
    }
}
