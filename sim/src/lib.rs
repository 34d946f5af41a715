//! Models and verilated boards.
