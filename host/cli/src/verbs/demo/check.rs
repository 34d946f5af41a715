//! The recording against the reference model.
use super::model_sample;
use crate::error::Error;
use nicforge_hdl::config::Config;
use nicforge_host::vdif::{Reader, samples_8};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Samples kept for the picture.
const SHOWN: usize = 8192;

/// What a comparison found.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Samples in the file.
    pub recorded: u64,
    /// Samples that differ from the model, and all samples of frames with an impossible time.
    pub wrong: u64,
    /// The first samples.
    pub first: Vec<i8>,
}

/// Compares every sample of a recording with the model.
///
/// A frame's time says which samples it holds, so a lost frame makes no other frame wrong.
///
/// # Errors
/// A file that cannot be read or is no VDIF.
pub fn compare(path: &Path, config: &Config) -> Result<Comparison, Error> {
    let file =
        File::open(path).map_err(|source| Error::File { action: "open", path: path.to_owned(), source })?;
    let mut reader = Reader::new(BufReader::new(file));
    let mut found = Comparison::default();
    let data_octets = u64::from(config.vdif.data_octets);
    while let Some(frame) = reader.next_frame().map_err(nicforge_host::Error::from)? {
        let samples = samples_8(frame.data);
        found.recorded += samples.len() as u64;
        let Some(number) = frame_number(config, frame.header.seconds, frame.header.frame) else {
            found.wrong += samples.len() as u64;
            continue;
        };
        for (n, sample) in (number * data_octets..).zip(samples) {
            found.wrong += u64::from(sample != model_sample(config, n));
            if found.first.len() < SHOWN {
                found.first.push(sample);
            }
        }
    }
    Ok(found)
}

/// How many frames lie between the start of the stream and a frame's time.
fn frame_number(config: &Config, seconds: u32, frame: u32) -> Option<u64> {
    let rate = config.frames_per_second();
    if u64::from(frame) >= rate {
        return None;
    }
    let whole = u64::from(seconds.checked_sub(config.vdif.seconds)?);
    (whole * rate + u64::from(frame)).checked_sub(u64::from(config.vdif.frame))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nicforge_host::vdif::{Header, Writer};

    fn config() -> Config {
        Config::parse("board = \"ibob\"\n[vdif]\ndata_octets = 8000\nframe = 124999", "test").unwrap()
    }

    fn write(path: &Path, config: &Config, times: &[(u32, u32)], spoil: impl Fn(u64) -> bool) {
        let mut writer = Writer::new(File::create(path).unwrap());
        for (number, (seconds, frame)) in times.iter().enumerate() {
            let header = Header { seconds: *seconds, frame: *frame, ..header(config) };
            let mut octets = header.encode().unwrap().to_vec();
            octets.extend((0..8000).map(|i| {
                let n = number as u64 * 8000 + i;
                let sample = model_sample(config, n) as u8 ^ 0x80;
                if spoil(n) { sample ^ 1 } else { sample }
            }));
            writer.write(&octets).unwrap();
        }
        writer.finish().unwrap();
    }

    fn header(config: &Config) -> Header {
        let mut stream = nicforge_sim::models::vdif::Stream {
            serial: 0,
            epoch: config.vdif.epoch,
            seconds: 0,
            frame: 0,
            frames_per_second: config.frames_per_second() as u32,
            data_octets: config.vdif.data_octets as usize,
            station: 0x4962,
            thread: 0,
            sample: 0,
        };
        Header::decode(&stream.packet(|_| 0)[8..]).unwrap()
    }

    #[test]
    fn a_right_recording_across_a_second_border_has_no_wrong_sample() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("right.vdif");
        write(&path, &config(), &[(0, 124_999), (1, 0), (1, 1)], |_| false);
        let found = compare(&path, &config()).unwrap();
        assert_eq!((found.recorded, found.wrong), (24_000, 0));
    }

    #[test]
    fn each_spoiled_sample_and_each_frame_at_a_wrong_time_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wrong.vdif");
        write(&path, &config(), &[(0, 124_999), (1, 0)], |n| n == 3 || n == 15_999);
        assert_eq!(compare(&path, &config()).unwrap().wrong, 2);
        write(&path, &config(), &[(0, 124_998), (0, 125_000)], |_| false);
        assert_eq!(compare(&path, &config()).unwrap().wrong, 16_000);
    }
}
