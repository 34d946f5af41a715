//! The register bus as the driver sees it.

use crate::Error;

/// Anything that answers register accesses: a simulated board, or a window of a real one.
pub trait Bar {
    /// Reads the 32-bit register at byte `offset`, a multiple of four.
    ///
    /// # Errors
    /// [`Error::Bus`] when the access is refused or gets no answer.
    fn read(&mut self, offset: u32) -> Result<u32, Error>;

    /// Writes the 32-bit register at byte `offset`, a multiple of four.
    ///
    /// # Errors
    /// [`Error::Bus`] when the access is refused or gets no answer.
    fn write(&mut self, offset: u32, value: u32) -> Result<(), Error>;
}

impl<B: Bar + ?Sized> Bar for &mut B {
    fn read(&mut self, offset: u32) -> Result<u32, Error> {
        (**self).read(offset)
    }

    fn write(&mut self, offset: u32, value: u32) -> Result<(), Error> {
        (**self).write(offset, value)
    }
}

impl<B: Bar + ?Sized> Bar for Box<B> {
    fn read(&mut self, offset: u32) -> Result<u32, Error> {
        (**self).read(offset)
    }

    fn write(&mut self, offset: u32, value: u32) -> Result<(), Error> {
        (**self).write(offset, value)
    }
}
