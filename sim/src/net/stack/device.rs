//! The stack's link: one queue of frames a direction.

use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::time::Instant;
use std::collections::VecDeque;

/// Frames kept for a board that does not fetch them; further ones wait in the stack.
const QUEUE: usize = 256;

/// Two queues of frames without FCS.
pub(super) struct Link {
    pub to_stack: VecDeque<Vec<u8>>,
    pub to_board: VecDeque<Vec<u8>>,
    frame_max: usize,
}

impl Link {
    pub fn new(frame_max: usize) -> Self {
        Self { to_stack: VecDeque::new(), to_board: VecDeque::new(), frame_max }
    }
}

/// A frame the stack is about to read.
pub(super) struct Incoming(Vec<u8>);

/// Room for a frame the stack is about to write.
pub(super) struct Outgoing<'a>(&'a mut VecDeque<Vec<u8>>);

impl RxToken for Incoming {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, read: F) -> R {
        read(&self.0)
    }
}

impl TxToken for Outgoing<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, write: F) -> R {
        let mut frame = vec![0; length];
        let result = write(&mut frame);
        self.0.push_back(frame);
        result
    }
}

impl Device for Link {
    type RxToken<'a> = Incoming;
    type TxToken<'a> = Outgoing<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Incoming, Outgoing<'_>)> {
        let frame = self.to_stack.pop_front()?;
        Some((Incoming(frame), Outgoing(&mut self.to_board)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Outgoing<'_>> {
        (self.to_board.len() < QUEUE).then_some(Outgoing(&mut self.to_board))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = self.frame_max;
        capabilities
    }
}
