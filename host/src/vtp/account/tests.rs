use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The verdicts, everything settled, and the figures of a whole stream.
fn run(
    window: usize,
    start: Option<u64>,
    serials: &[u64],
    end: Option<u64>,
) -> (Vec<Verdict>, Vec<Outcome>, Counts) {
    let mut account = Account::new(window, start).unwrap();
    let mut outcomes = Vec::new();
    let mut verdicts = Vec::new();
    for &serial in serials {
        let settled = &mut |outcome| outcomes.push(outcome);
        verdicts.push(account.take(serial, settled));
        account.settle(settled);
    }
    let counts = account.finish(end, &mut |outcome| outcomes.push(outcome));
    (verdicts, outcomes, counts)
}

#[test]
fn an_orderly_stream_is_released_at_once() {
    let (verdicts, outcomes, counts) = run(4, None, &[7, 8, 9], None);
    assert_eq!(verdicts, [Verdict::Next; 3]);
    assert_eq!(outcomes, [7, 8, 9].map(Outcome::Release));
    assert_eq!(counts, Counts { received: 3, ..Counts::default() });
}

#[test]
fn a_late_neighbour_is_put_in_order() {
    let (verdicts, outcomes, counts) = run(4, None, &[0, 2, 3, 1], None);
    assert_eq!(verdicts[3], Verdict::Reordered);
    assert_eq!(outcomes, [0, 1, 2, 3].map(Outcome::Release));
    assert_eq!((counts.received, counts.reordered, counts.lost), (4, 1, 0));
}

#[test]
fn a_number_is_lost_once_another_lies_a_window_ahead() {
    let (_, outcomes, counts) = run(4, None, &[0, 2, 3, 4, 5], None);
    assert_eq!(outcomes[..2], [Outcome::Release(0), Outcome::Lost(1, 1)]);
    assert_eq!(outcomes[2..], [2, 3, 4, 5].map(Outcome::Release));
    assert_eq!((counts.received, counts.lost), (5, 1));
}

#[test]
fn one_that_comes_after_it_was_given_up_is_late_and_stays_lost() {
    let (verdicts, outcomes, counts) = run(4, None, &[0, 2, 3, 4, 5, 1], None);
    assert_eq!(verdicts[5], Verdict::Late);
    assert!(!outcomes.contains(&Outcome::Release(1)));
    assert_eq!((counts.lost, counts.late, counts.duplicate), (1, 1, 0));
}

#[test]
fn doubles_are_known_before_and_after_release() {
    let (verdicts, _, counts) = run(4, None, &[0, 2, 2, 0, 1, 1], None);
    let wanted = [Verdict::Duplicate; 3];
    assert_eq!([verdicts[2], verdicts[3], verdicts[5]], wanted);
    assert_eq!((counts.received, counts.duplicate), (3, 3));
}

#[test]
fn the_ends_count_where_they_are_known() {
    let (_, outcomes, counts) = run(8, Some(10), &[12, 13], Some(20));
    assert_eq!(
        outcomes,
        [Outcome::Lost(10, 2), Outcome::Release(12), Outcome::Release(13), Outcome::Lost(14, 6)]
    );
    assert_eq!((counts.received, counts.lost), (2, 8));
    let (_, outcomes, counts) = run(8, Some(10), &[], Some(13));
    assert_eq!((outcomes, counts.lost), (vec![Outcome::Lost(10, 3)], 3));
}

#[test]
fn numbers_wrap_without_a_trace() {
    let (_, outcomes, counts) = run(4, Some(u64::MAX - 1), &[u64::MAX, u64::MAX - 1, 1, 0, 2], None);
    assert_eq!(outcomes, [u64::MAX - 1, u64::MAX, 0, 1, 2].map(Outcome::Release));
    assert_eq!((counts.received, counts.reordered, counts.lost), (5, 2, 0));
}

#[test]
fn a_stray_number_changes_nothing() {
    for stray in [1 << 40, u64::MAX / 2, 1 << 63, u64::MAX - 5] {
        let (verdicts, outcomes, counts) = run(4, Some(0), &[0, 1, stray, 2, 3], None);
        assert!(matches!(verdicts[2], Verdict::Strange | Verdict::Late), "{stray}: {verdicts:?}");
        assert_eq!(outcomes, [0, 1, 2, 3].map(Outcome::Release), "{stray}");
        assert_eq!((counts.late + counts.strange, counts.lost), (1, 0), "{stray}");
    }
}

#[test]
fn an_outage_within_reach_is_a_loss_of_that_length() {
    for jump in [5, 100, REACH - 1, REACH + 3] {
        let (verdicts, outcomes, counts) = run(4, Some(0), &[0, jump, 1, jump + 1], None);
        assert_eq!(verdicts[1], Verdict::Next, "{jump}");
        assert_eq!(verdicts[2], Verdict::Late, "{jump}");
        assert_eq!(counts.lost, jump - 1, "{jump}");
        assert_eq!(outcomes.last(), Some(&Outcome::Release(jump + 1)));
    }
}

#[test]
fn a_sender_that_starts_again_is_followed() {
    let again: Vec<u64> = (1_000_000..1_000_010).chain(0..100).collect();
    let (_, outcomes, counts) = run(4, None, &again, None);
    let first = u64::from(RESTART_RUN) - 1;
    let wanted: Vec<_> = (1_000_000..1_000_010).chain(first..100).map(Outcome::Release).collect();
    assert_eq!(outcomes, wanted);
    assert_eq!((counts.restarts, counts.late, counts.lost), (1, first, 0));
}

#[test]
fn impossible_windows_are_refused() {
    for window in [0, 3, 1 << 21] {
        let error = Account::new(window, None).unwrap_err();
        assert!(error.to_string().contains("reorder window"), "{error}");
    }
}

/// The rules of the account over sets without any bound, written without a look at its ring.
struct Naive {
    window: i128,
    base: i128,
    highest: i128,
    kept: BTreeSet<i128>,
    counts: Counts,
    released: Vec<i128>,
}

impl Naive {
    fn take(&mut self, serial: i128) -> Verdict {
        if self.kept.contains(&serial) && serial >= self.base - self.window {
            self.counts.duplicate += 1;
            return Verdict::Duplicate;
        }
        if serial < self.base {
            self.counts.late += 1;
            return Verdict::Late;
        }
        while serial - self.base >= self.window {
            self.leave();
        }
        self.kept.insert(serial);
        self.counts.received += 1;
        let verdict = if serial < self.highest { Verdict::Reordered } else { Verdict::Next };
        self.counts.reordered += u64::from(verdict == Verdict::Reordered);
        self.highest = self.highest.max(serial);
        while self.kept.contains(&self.base) {
            self.leave();
        }
        verdict
    }

    fn leave(&mut self) {
        if self.kept.contains(&self.base) {
            self.released.push(self.base);
        } else {
            self.counts.lost += 1;
        }
        self.base += 1;
    }
}

proptest! {
    /// Numbers that mostly advance, with gaps, returns and doubles, from any start.
    #[test]
    fn the_account_agrees_with_unbounded_sets(
        start in prop_oneof![any::<u64>(), u64::MAX - 40..=u64::MAX],
        window in (0..6u32).prop_map(|log2| 1usize << log2),
        steps in proptest::collection::vec(prop_oneof![8 => Just(1i128), 3 => -6..6i128, 1 => -80..80i128], 0..200),
    ) {
        let mut naive = Naive {
            window: window as i128, base: 0, highest: -1, kept: BTreeSet::new(),
            counts: Counts::default(), released: Vec::new(),
        };
        let mut account = Account::new(window, Some(start)).unwrap();
        let mut released = Vec::new();
        let mut lost = 0;
        let mut settled = |outcome| match outcome {
            Outcome::Release(serial) => released.push(serial),
            Outcome::Lost(_, count) => lost += count,
        };
        let mut serial = -1i128;
        let mut refused = 0;
        for step in steps {
            serial += step;
            let wanted = naive.take(serial);
            // A run of late numbers may look like a new start, which the sets do not know.
            refused = if wanted == Verdict::Late { refused + 1 } else { 0 };
            prop_assume!(refused < RESTART_RUN);
            let found = account.take(start.wrapping_add(serial as u64), &mut settled);
            account.settle(&mut settled);
            prop_assert_eq!(found, wanted, "number {}", serial);
        }
        let end = naive.highest + 1;
        while naive.base < end {
            naive.leave();
        }
        let counts = account.finish(Some(start.wrapping_add(end as u64)), &mut settled);
        prop_assert_eq!(counts, naive.counts);
        prop_assert_eq!(counts.received + counts.lost, end as u64);
        prop_assert_eq!(lost, counts.lost);
        let wanted: Vec<u64> = naive.released.iter().map(|serial| start.wrapping_add(*serial as u64)).collect();
        prop_assert_eq!(released, wanted);
    }

    #[test]
    fn any_numbers_are_taken(serials in any::<Vec<u64>>(), near in proptest::collection::vec(0..2000u64, 0..100)) {
        let all: Vec<u64> = serials.into_iter().chain(near).collect();
        let (verdicts, outcomes, counts) = run(16, None, &all, None);
        let kept = verdicts.iter().filter(|verdict| verdict.keep()).count() as u64;
        prop_assert_eq!(counts.received, kept);
        let arrivals = counts.received + counts.duplicate + counts.late + counts.strange;
        prop_assert_eq!(arrivals, all.len() as u64);
        let released = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Release(_))).count() as u64;
        prop_assert_eq!(released, kept);
    }
}
