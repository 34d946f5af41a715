//! ARP, IPv4, ICMP and UDP.
