//! What became of the serial numbers of a stream: arrived, lost, reordered, doubled.
//!
//! Numbers are put in order within a bounded window. A number that is missing holds its successors
//! back until it arrives or until one arrives that lies a whole window ahead; then it is lost. A
//! number that arrives later than that is `late`: it stays lost, because it is missing from what
//! was passed on. All arithmetic is modulo 2^64, so the numbers may wrap.
//!
//! A number without any relation to the window must not stop the account. One far ahead or behind
//! is refused; but when [`RESTART_RUN`] refused numbers follow each other, the sender has started
//! again, and so does the account.

use crate::Error;

/// Numbers this far ahead of the window are refused: 2^24 datagrams of 8 KiB take two minutes at
/// 10 Gb/s.
pub const REACH: u64 = 1 << 24;

/// Refused numbers in succession that mean a new start of the sender.
pub const RESTART_RUN: u32 = 16;

/// Figures of an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Numbers that arrived in time, each counted once.
    pub received: u64,
    /// Numbers given up.
    pub lost: u64,
    /// Received numbers that came after a higher one (RFC 4737, section 3.3).
    pub reordered: u64,
    /// Arrivals of a number that had arrived before.
    pub duplicate: u64,
    /// Arrivals of a number that had been given up, or older than anything remembered.
    pub late: u64,
    /// Arrivals of a number too far ahead to belong to the stream.
    pub strange: u64,
    /// New starts of the sender.
    pub restarts: u64,
}

/// What an arrival was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Higher than all before; to be kept.
    Next,
    /// Lower than one before, but awaited; to be kept.
    Reordered,
    /// Arrived before.
    Duplicate,
    /// Given up before.
    Late,
    /// Too far ahead.
    Strange,
}

impl Verdict {
    /// Whether the datagram belongs into the ordered stream.
    pub const fn keep(self) -> bool {
        matches!(self, Self::Next | Self::Reordered)
    }
}

/// What is now certain about the stream, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This number arrived, and everything before it is settled.
    Release(u64),
    /// These numbers are lost: the first, and how many.
    Lost(u64, u64),
}

/// The account of one stream.
#[derive(Debug)]
pub struct Account {
    /// Whether a number arrived, for the `window` numbers before `base` and those from it on.
    seen: Vec<bool>,
    window: u64,
    /// The lowest number that is not settled; `None` before the first arrival.
    base: Option<u64>,
    /// One more than the highest number that arrived.
    next: u64,
    counts: Counts,
    /// The refused number last seen, and how many followed each other.
    refused: Option<(u64, u32)>,
}

impl Account {
    /// An account that puts numbers in order over `window` places, a power of two up to 2^20.
    ///
    /// With `start`, that is the first number to expect; without, the first to arrive is.
    ///
    /// # Errors
    /// [`Error::Setting`] for another window.
    pub fn new(window: usize, start: Option<u64>) -> Result<Self, Error> {
        if !window.is_power_of_two() || window > 1 << 20 {
            let wanted = "a power of two, at most 1048576";
            return Err(Error::Setting { field: "reorder window", wanted, found: window as u64 });
        }
        Ok(Self {
            seen: vec![false; 2 * window],
            window: window as u64,
            base: start,
            next: start.unwrap_or(0),
            counts: Counts::default(),
            refused: None,
        })
    }

    /// The figures so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Enters an arrival. `settled` hears what this arrival pushes out of the window; keep the
    /// datagram only after that, then call [`Account::settle`].
    pub fn take(&mut self, serial: u64, settled: &mut dyn FnMut(Outcome)) -> Verdict {
        let base = *self.base.get_or_insert_with(|| {
            self.next = serial;
            serial
        });
        // Half of the circle lies ahead, the other half behind.
        let ahead = serial.wrapping_sub(base);
        let verdict = if ahead as i64 >= 0 && ahead < self.window + REACH {
            self.arrive(serial, ahead, settled)
        } else {
            self.refuse(serial, base, settled)
        };
        match verdict {
            Verdict::Next => self.counts.received += 1,
            Verdict::Reordered => {
                self.counts.received += 1;
                self.counts.reordered += 1;
            }
            Verdict::Duplicate => self.counts.duplicate += 1,
            Verdict::Late => self.counts.late += 1,
            Verdict::Strange => self.counts.strange += 1,
        }
        verdict
    }

    fn arrive(&mut self, serial: u64, ahead: u64, settled: &mut dyn FnMut(Outcome)) -> Verdict {
        self.refused = None;
        if ahead >= self.window {
            self.advance(ahead - self.window + 1, settled);
        }
        let place = self.place(serial);
        if std::mem::replace(&mut self.seen[place], true) {
            return Verdict::Duplicate;
        }
        if (serial.wrapping_sub(self.next) as i64) < 0 {
            return Verdict::Reordered;
        }
        self.next = serial.wrapping_add(1);
        Verdict::Next
    }

    fn refuse(&mut self, serial: u64, base: u64, settled: &mut dyn FnMut(Outcome)) -> Verdict {
        let behind = base.wrapping_sub(serial);
        if behind <= self.window && self.seen[self.place(serial)] {
            return Verdict::Duplicate;
        }
        let run = match self.refused {
            Some((last, run)) if serial == last.wrapping_add(1) => run + 1,
            _ => 1,
        };
        self.refused = Some((serial, run));
        if run >= RESTART_RUN {
            self.restart(serial, settled);
            return Verdict::Next;
        }
        if behind as i64 > 0 { Verdict::Late } else { Verdict::Strange }
    }

    /// Closes the account of the old numbers and begins anew at `serial`.
    fn restart(&mut self, serial: u64, settled: &mut dyn FnMut(Outcome)) {
        self.close(settled);
        self.seen.fill(false);
        self.refused = None;
        self.counts.restarts += 1;
        self.base = Some(serial);
        self.next = serial.wrapping_add(1);
        let place = self.place(serial);
        self.seen[place] = true;
    }

    /// Releases what now follows without a gap. Call it after [`Account::take`] kept a datagram.
    pub fn settle(&mut self, settled: &mut dyn FnMut(Outcome)) {
        while let Some(base) = self.base
            && base != self.next
            && self.seen[self.place(base)]
        {
            self.advance(1, settled);
        }
    }

    /// Enters an arrival for the figures alone.
    pub fn count(&mut self, serial: u64) -> Verdict {
        let verdict = self.take(serial, &mut |_| {});
        self.settle(&mut |_| {});
        verdict
    }

    /// Ends the stream: what is still missing below the highest number is lost. With `end`, the
    /// first number that was never sent, so is everything from the highest to there.
    pub fn finish(mut self, end: Option<u64>, settled: &mut dyn FnMut(Outcome)) -> Counts {
        self.close(settled);
        if let (Some(base), Some(end)) = (self.base, end) {
            let missing = end.wrapping_sub(base);
            if missing as i64 > 0 {
                self.counts.lost += missing;
                settled(Outcome::Lost(base, missing));
            }
        }
        self.counts
    }

    /// Settles everything below `next`.
    fn close(&mut self, settled: &mut dyn FnMut(Outcome)) {
        if let Some(base) = self.base {
            self.advance(self.next.wrapping_sub(base), settled);
        }
    }

    /// Moves the window's start by `steps`, telling what becomes of each number left behind.
    fn advance(&mut self, steps: u64, settled: &mut dyn FnMut(Outcome)) {
        let Some(mut base) = self.base else { return };
        let mut gap = 0;
        let within = steps.min(self.window);
        for _ in 0..within {
            if self.seen[self.place(base)] {
                self.lose(base, &mut gap, settled);
                settled(Outcome::Release(base));
            } else {
                gap += 1;
            }
            self.forget(base);
            base = base.wrapping_add(1);
        }
        // Nothing beyond the window has arrived, so the rest needs no look at each number.
        let beyond = steps - within;
        for step in 0..beyond.min(self.window) {
            self.forget(base.wrapping_add(step));
        }
        if beyond > self.window {
            self.seen.fill(false);
        }
        gap += beyond;
        base = base.wrapping_add(beyond);
        self.lose(base, &mut gap, settled);
        self.base = Some(base);
    }

    /// Tells of the `gap` numbers just before `end`.
    fn lose(&mut self, end: u64, gap: &mut u64, settled: &mut dyn FnMut(Outcome)) {
        if *gap > 0 {
            self.counts.lost += *gap;
            settled(Outcome::Lost(end.wrapping_sub(*gap), *gap));
            *gap = 0;
        }
    }

    /// Makes room for the number a window ahead of `base`, whose place is that of the number a
    /// window behind.
    fn forget(&mut self, base: u64) {
        let place = self.place(base.wrapping_add(self.window));
        self.seen[place] = false;
    }

    /// The place of `serial`; 2^64 is a multiple of the length, so places are continuous where
    /// the numbers wrap.
    fn place(&self, serial: u64) -> usize {
        (serial & (2 * self.window - 1)) as usize
    }
}

#[cfg(test)]
mod tests;
