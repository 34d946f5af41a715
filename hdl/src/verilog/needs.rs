//! What a printed design takes of an FPGA before synthesis.

/// Resources that a design has in its text. Synthesis drops what has no effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Needs {
    /// Flip-flops, without those that a memory has at its read port.
    pub flip_flops: u64,
    /// Bits in memories.
    pub memory_bits: u64,
}

/// Bits of all memories that are declared in a block's own text, as `reg [7:0] words [0:15];`.
pub(super) fn memory_bits(text: &str) -> u64 {
    text.lines().filter_map(memory).sum()
}

fn memory(line: &str) -> Option<u64> {
    let (word, rest) = line.trim().strip_prefix("reg [")?.split_once(']')?;
    let (_, depth) = rest.split_once('[')?;
    let (depth, _) = depth.split_once("];")?;
    Some(length(word)? * length(depth)?)
}

/// Length of a range such as `7:0`.
fn length(range: &str) -> Option<u64> {
    let (from, to) = range.split_once(':')?;
    let (from, to): (u64, u64) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
    Some(from.abs_diff(to) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_memories_are_counted_and_those_of_registers_are_not() {
        let text =
            "reg [7:0] word;\n    reg [15:0] words [0:255];\nwords[at] <= word;\nreg [0:3] more[7:0];\n";
        assert_eq!(memory_bits(text), 16 * 256 + 4 * 8);
    }
}
