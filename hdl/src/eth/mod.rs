//! Ethernet: frames to and from 64-bit XGMII.
