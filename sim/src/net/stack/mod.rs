//! A network inside this process: an IP stack answers the board when the kernel may not.

mod device;
mod echo;
mod peer;

pub(super) use echo::PeerPing;
pub(super) use peer::Peer;
pub use peer::PeerSocket;

use super::{Error, Kind, Plan, Wire, check_length, pad};

/// The board's end of the in-process network.
pub struct Smoltcp {
    peer: Peer,
    plan: Plan,
}

impl Smoltcp {
    /// Makes a host with the addresses of `plan`.
    ///
    /// # Errors
    /// [`Error::Plan`] when no network can have these.
    pub fn open(plan: &Plan) -> Result<(Peer, Self), Error> {
        plan.check()?;
        let peer = Peer::new(plan);
        Ok((peer.clone(), Self { peer, plan: *plan }))
    }
}

impl Wire for Smoltcp {
    fn receive(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, Error> {
        let Some(frame) = self.peer.next_frame() else { return Ok(None) };
        let Some(start) = buffer.get_mut(..frame.len()) else {
            return Err(Error::Buffer { wire: self.name(), wanted: frame.len(), found: buffer.len() });
        };
        start.copy_from_slice(&frame);
        pad(buffer, frame.len(), self.name()).map(Some)
    }

    fn send(&mut self, frame: &[u8]) -> Result<(), Error> {
        check_length(frame, &self.plan, self.name())?;
        self.peer.accept(frame);
        Ok(())
    }

    fn name(&self) -> &'static str {
        Kind::Smoltcp.name()
    }
}
