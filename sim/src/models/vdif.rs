//! VDIF 1.1.1 frames in VTP 1.0.0 packets, as the sampler frames its samples.
use nicforge_layout::wire::vdif;

/// What a stream of packets says of itself, and where it stands: the next packet's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// VTP serial number.
    pub serial: u64,
    /// Half years from 2000 to the reference epoch, 0 to 63.
    pub epoch: u8,
    /// Seconds from the reference epoch, 30 bits.
    pub seconds: u32,
    /// Frame number within the second, 24 bits.
    pub frame: u32,
    /// Frames of a second.
    pub frames_per_second: u32,
    /// Octets behind the header: a multiple of eight.
    pub data_octets: usize,
    /// Station identifier, its first character in bits 15..8.
    pub station: u16,
    /// Thread identifier, 10 bits.
    pub thread: u16,
    /// Number of the first sample of the next packet.
    pub sample: u64,
}

impl Stream {
    /// The header of the next frame: valid, one channel, real, 8 bits a sample, no extension.
    pub fn header(&self) -> [u8; vdif::HEADER_OCTETS] {
        let length = (vdif::HEADER_OCTETS + self.data_octets) / vdif::LENGTH_UNIT_OCTETS;
        let words = [
            self.seconds & 0x3fff_ffff,
            u32::from(self.epoch & 0x3f) << 24 | self.frame & 0xff_ffff,
            u32::from(vdif::VERSION) << 29 | length as u32,
            (8 - 1) << 26 | u32::from(self.thread & 0x3ff) << 16 | u32::from(self.station),
        ];
        let mut header = [0; vdif::HEADER_OCTETS];
        for (place, word) in header.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        header
    }

    /// The next packet: serial number, header, and its samples in offset binary. `sample` gives
    /// the samples by number.
    pub fn packet(&mut self, sample: impl Fn(u64) -> i8) -> Vec<u8> {
        let mut packet = self.serial.to_le_bytes().to_vec();
        packet.extend(self.header());
        let first = self.sample;
        packet.extend((first..first + self.data_octets as u64).map(|n| offset_binary(sample(n))));
        self.advance();
        packet
    }

    fn advance(&mut self) {
        self.serial = self.serial.wrapping_add(1);
        self.sample += self.data_octets as u64;
        self.frame += 1;
        if self.frame >= self.frames_per_second {
            self.frame = 0;
            self.seconds = (self.seconds + 1) & 0x3fff_ffff;
        }
    }
}

/// An 8-bit sample as VDIF writes it: all zeros is the most negative value.
pub fn offset_binary(sample: i8) -> u8 {
    sample as u8 ^ 0x80
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::{tone, worked};

    fn stream() -> Stream {
        Stream {
            serial: 1_000_000,
            epoch: 53,
            seconds: 13_194_000,
            frame: 12_345,
            frames_per_second: 32_000,
            data_octets: 8000,
            station: u16::from_be_bytes(*b"Ib"),
            thread: 3,
            sample: 0,
        }
    }

    #[test]
    fn the_header_is_the_worked_one_but_for_eight_bits_a_sample() {
        let wanted =
            worked::octets("1053c900 39300035 ec030020 6249031c 00000000 00000000 00000000 00000000");
        assert_eq!(stream().header()[..], wanted);
    }

    #[test]
    fn a_packet_begins_with_its_serial_number_in_little_endian() {
        assert_eq!(stream().packet(tone::counter)[..8], worked::octets("40420f0000000000"));
        let mut stream = Stream { serial: 0x0102_0304_0506_0708, ..stream() };
        assert_eq!(stream.packet(tone::counter)[..8], worked::octets("0807060504030201"));
    }

    #[test]
    fn the_samples_follow_in_offset_binary_and_go_on_in_the_next_packet() {
        let mut stream = Stream { data_octets: 16, ..stream() };
        let first: Vec<u8> = (0x80..0x90).collect();
        let second: Vec<u8> = (0x90..0xa0).collect();
        assert_eq!(stream.packet(tone::counter)[40..], first);
        assert_eq!(stream.packet(tone::counter)[40..], second);
    }

    #[test]
    fn the_frame_number_begins_again_with_each_second_and_the_serial_number_wraps() {
        let mut stream = Stream { frame: 31_999, serial: u64::MAX, ..stream() };
        stream.packet(tone::counter);
        assert_eq!((stream.frame, stream.seconds, stream.serial), (0, 13_194_001, 0));
    }

    #[test]
    fn the_extreme_samples_are_all_zeros_and_all_ones() {
        assert_eq!([-128, -1, 0, 127].map(offset_binary), [0x00, 0x7f, 0x80, 0xff]);
    }
}
