//! Echo requests to the board: by the system's `ping` where the kernel takes part, else by the
//! stack in this process; one report for both.

use super::command::{Ended, Running};
use super::stack::PeerPing;
use super::{Error, Namespace, Plan};
use std::net::Ipv4Addr;
use std::process::Command;
use std::time::{Duration, Instant};

/// IPv4 and ICMP echo header in octets (RFC 791, RFC 792).
const HEADERS: u16 = 28;

/// Allowance over the plan's own duration before a run counts as hanging.
const GRACE: Duration = Duration::from_secs(10);

/// What to send and how long to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PingPlan {
    /// Echo requests to send, 1..=10000.
    pub count: u16,
    /// From one request to the next, at least a millisecond.
    pub interval: Duration,
    /// Wait for the last reply, at least a millisecond.
    pub timeout: Duration,
    /// Octets of data in each request, at least 16 and no more than the MTU takes unfragmented.
    pub payload: u16,
}

impl Default for PingPlan {
    /// Five requests of 56 octets, a fifth of a second apart, five seconds for the last reply.
    fn default() -> Self {
        let (interval, timeout) = (Duration::from_millis(200), Duration::from_secs(5));
        Self { count: 5, interval, timeout, payload: 56 }
    }
}

impl PingPlan {
    /// Longest time a run may take: all intervals and the wait for the last reply.
    pub fn duration(&self) -> Duration {
        self.interval * u32::from(self.count) + self.timeout
    }

    fn check(&self, network: &Plan) -> Result<(), Error> {
        let bad = |field, wanted, found: String| Err(Error::Plan { field, wanted, found });
        let range = Duration::from_millis(1)..=Duration::from_secs(3600);
        if !(1..=10_000).contains(&self.count) {
            return bad("count", "1 to 10000 requests", self.count.to_string());
        }
        if !range.contains(&self.interval) {
            return bad("interval", "1 ms to 1 h", format!("{:?}", self.interval));
        }
        if !range.contains(&self.timeout) {
            return bad("timeout", "1 ms to 1 h", format!("{:?}", self.timeout));
        }
        if !(16..=network.mtu - HEADERS).contains(&self.payload) {
            return bad("payload", "16 octets to the MTU less 28", self.payload.to_string());
        }
        Ok(())
    }
}

/// Round-trip times in milliseconds of real time.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct RoundTrip {
    /// Shortest.
    pub min_ms: f64,
    /// Arithmetic mean.
    pub mean_ms: f64,
    /// Longest.
    pub max_ms: f64,
}

/// What became of the requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct PingReport {
    /// Requests sent.
    pub sent: u64,
    /// Requests answered, each counted once.
    pub received: u64,
    /// Further replies to requests already answered.
    pub duplicates: u64,
    /// Error messages that came back, such as "host unreachable".
    pub errors: u64,
    /// Round-trip times, if anything was received.
    pub round_trip: Option<RoundTrip>,
}

impl PingReport {
    /// Whether something was sent, and each request was answered once and without an error.
    pub fn complete(&self) -> bool {
        self.sent > 0 && self.received == self.sent && self.duplicates == 0 && self.errors == 0
    }

    /// Reads the closing statistics of `ping` (iputils or BusyBox, C locale).
    ///
    /// # Errors
    /// [`Error::Unreadable`] when the text holds none.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let unreadable = |wanted| Error::Unreadable { program: "ping", wanted, found: text.to_owned() };
        let line = text
            .lines()
            .find(|line| line.contains("packets transmitted"))
            .ok_or_else(|| unreadable("line of statistics"))?;
        let figure = |names: &[&str]| {
            line.split(',').find_map(|part| {
                let (number, what) = part.trim().split_once(' ')?;
                names.contains(&what).then(|| number.trim_start_matches('+').parse::<u64>().ok())?
            })
        };
        Ok(Self {
            sent: figure(&["packets transmitted"]).ok_or_else(|| unreadable("number sent"))?,
            received: figure(&["received", "packets received"])
                .ok_or_else(|| unreadable("number received"))?,
            duplicates: figure(&["duplicates"]).unwrap_or(0),
            errors: figure(&["errors"]).unwrap_or(0),
            round_trip: text.lines().find_map(round_trip),
        })
    }
}

/// Reads `rtt min/avg/max/mdev = 0.035/0.096/0.214/0.083 ms`.
fn round_trip(line: &str) -> Option<RoundTrip> {
    let (_, figures) = line.split_once("min/avg/max")?.1.split_once("= ")?;
    let mut figures = figures.trim_end_matches(" ms").split('/').map(|figure| figure.parse::<f64>().ok());
    Some(RoundTrip { min_ms: figures.next()??, mean_ms: figures.next()??, max_ms: figures.next()?? })
}

/// A run of echo requests under way; dropping it ends it.
pub struct Ping {
    run: Run,
    started: Instant,
    limit: Duration,
}

enum Run {
    System(Running),
    Peer(PeerPing),
}

impl Ping {
    /// Starts the system's `ping` inside `namespace`.
    pub(super) fn system(
        namespace: &Namespace,
        network: &Plan,
        target: Ipv4Addr,
        plan: &PingPlan,
    ) -> Result<Self, Error> {
        plan.check(network)?;
        let mut command = Command::new("ping");
        command.args(["-n", "-q"]);
        command.args(["-c", &plan.count.to_string(), "-s", &plan.payload.to_string()]);
        command.args(["-i", &seconds(plan.interval), "-W", &seconds(plan.timeout)]);
        command.arg(target.to_string());
        namespace.enclose(&mut command)?;
        let running = Running::start(command, "ping", "iputils-ping")?;
        Ok(Self::started(Run::System(running), plan))
    }

    /// Starts echo requests from the stack in this process.
    pub(super) fn peer(
        peer: &super::stack::Peer,
        network: &Plan,
        target: Ipv4Addr,
        plan: &PingPlan,
    ) -> Result<Self, Error> {
        plan.check(network)?;
        Ok(Self::started(Run::Peer(peer.ping(target, plan)), plan))
    }

    fn started(run: Run, plan: &PingPlan) -> Self {
        Self { run, started: Instant::now(), limit: plan.duration() + GRACE }
    }

    /// The report, once the run has ended; never blocks.
    ///
    /// # Errors
    /// [`Error::Failed`] when `ping` could not send, [`Error::Timeout`] when the run is far over
    /// the duration of its plan. Missing replies are no error: the report counts them.
    pub fn poll(&mut self) -> Result<Option<PingReport>, Error> {
        let report = match &mut self.run {
            Run::System(running) => running.poll()?.map(read).transpose()?,
            Run::Peer(ping) => ping.poll(),
        };
        if report.is_none() && self.started.elapsed() > self.limit {
            return Err(Error::Timeout { what: "ping".to_owned(), waited: self.limit });
        }
        Ok(report)
    }

    /// Waits for the report; somebody else must keep the wire moving meanwhile.
    ///
    /// # Errors
    /// As for [`Ping::poll`], which also bounds the wait.
    pub fn wait(mut self) -> Result<PingReport, Error> {
        loop {
            if let Some(report) = self.poll()? {
                return Ok(report);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Status 0 and 1 of `ping` mean "answered" and "not answered"; anything else is a failure.
fn read(ended: Ended) -> Result<PingReport, Error> {
    match ended.status.code() {
        Some(0 | 1) => PingReport::parse(&ended.output),
        _ => Err(ended.failure()),
    }
}

fn seconds(duration: Duration) -> String {
    format!("{:.3}", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const IPUTILS: &str = "PING 10.0.0.2 (10.0.0.2) 56(84) bytes of data.\n\n\
        --- 10.0.0.2 ping statistics ---\n\
        5 packets transmitted, 4 received, +2 duplicates, +1 errors, 20% packet loss, time 30ms\n\
        rtt min/avg/max/mdev = 0.035/0.096/0.214/0.083 ms";

    #[test]
    fn the_statistics_of_iputils_are_read() {
        let round_trip = Some(RoundTrip { min_ms: 0.035, mean_ms: 0.096, max_ms: 0.214 });
        let wanted = PingReport { sent: 5, received: 4, duplicates: 2, errors: 1, round_trip };
        assert_eq!(PingReport::parse(IPUTILS).unwrap(), wanted);
        assert!(!wanted.complete());
    }

    #[test]
    fn the_statistics_of_busybox_are_read() {
        let text = "3 packets transmitted, 3 packets received, 0% packet loss\n\
            round-trip min/avg/max = 0.1/0.2/0.3 ms";
        let report = PingReport::parse(text).unwrap();
        assert!(report.complete());
        assert_eq!(report.round_trip.unwrap().mean_ms, 0.2);
    }

    #[test]
    fn an_unanswered_run_has_no_round_trip_time() {
        let text = "2 packets transmitted, 0 received, 100% packet loss, time 1ms";
        let report = PingReport::parse(text).unwrap();
        assert_eq!(report, PingReport { sent: 2, ..PingReport::default() });
    }

    #[test]
    fn plans_out_of_range_are_refused_by_field() {
        let network = Plan::new(Ipv4Addr::new(10, 0, 0, 1), 24);
        let good = PingPlan::default();
        assert!(good.check(&network).is_ok());
        assert!(PingPlan { payload: 8972, ..good }.check(&network).is_ok());
        for (plan, field) in [
            (PingPlan { count: 0, ..good }, "count"),
            (PingPlan { count: 10_001, ..good }, "count"),
            (PingPlan { interval: Duration::ZERO, ..good }, "interval"),
            (PingPlan { timeout: Duration::from_secs(3601), ..good }, "timeout"),
            (PingPlan { payload: 8973, ..good }, "payload"),
        ] {
            let error = plan.check(&network).unwrap_err().to_string();
            assert!(error.contains(field), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC*") {
            let _ = PingReport::parse(&text);
        }

        #[test]
        fn a_cut_text_is_read_or_refused(cut in 0..IPUTILS.len()) {
            let _ = PingReport::parse(&IPUTILS[..cut]);
        }
    }
}
