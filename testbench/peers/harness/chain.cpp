// A test bench around one verilated chain (testbench/src/chain.rs), to compare ways of writing it.
//
// chain CYCLES
//
// Sends pseudo-random words with random pauses on both sides. Prints a digest of all outputs and the
// seconds of processor time that the cycles took.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "Vloaded.h"
#include "verilated.h"

// Inputs of one cycle.
struct Stimulus {
    uint64_t data;
    uint8_t keep, last, valid, ready;
};

// Made beforehand and used over and over, so that the time measured is the model's.
static std::vector<Stimulus> stimuli() {
    std::vector<Stimulus> all(4096);
    uint64_t state = 0x9e3779b97f4a7c15;
    const auto random = [&state] {
        state ^= state << 13;
        state ^= state >> 7;
        return state ^= state << 17;
    };
    for (Stimulus& one : all) {
        const uint64_t data = random(), choice = random();
        const bool last = (choice & 15) == 0;
        const uint8_t keep = last ? 0xff >> (choice >> 8 & 7) : 0xff;
        one = {data, keep, last, (choice >> 16 & 7) != 0, (choice >> 24 & 7) != 0};
    }
    return all;
}

static double processor_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

static void rise(Vloaded& top) {
    top.clk = 1;
    top.eval();
}

static void settle(Vloaded& top) {
    top.clk = 0;
    top.eval();
}

// Registers of data are not reset: what they hold counts only beside `valid`.
static uint64_t outputs(const Vloaded& top) {
    uint64_t word = static_cast<uint64_t>(top.sum) << 2 | top.s_ready << 1 | top.m_valid;
    if (top.m_valid) word ^= top.m_data ^ static_cast<uint64_t>(top.m_keep) << 24 ^ static_cast<uint64_t>(top.m_last) << 32;
    return word;
}

int main(int argc, char** argv) {
    if (argc != 2) return std::fprintf(stderr, "chain CYCLES\n"), 2;
    const uint64_t cycles = std::strtoull(argv[1], nullptr, 0);
    const std::vector<Stimulus> all = stimuli();
    VerilatedContext context;
    Vloaded top{&context, "top"};
    top.rst = 1;
    for (int i = 0; i < 8; ++i) {
        settle(top);
        rise(top);
    }
    top.rst = 0;

    const double begin = processor_seconds();
    uint64_t digest = 0, taken = 0;
    for (uint64_t i = 0; i < cycles; ++i) {
        const Stimulus& now = all[i % all.size()];
        top.s_data = now.data;
        top.s_keep = now.keep;
        top.s_last = now.last;
        top.s_valid = now.valid;
        top.m_ready = now.ready;
        settle(top);
        // FNV-1a over words: an odd factor loses nothing, and the order counts.
        digest = (digest ^ outputs(top)) * 0x100000001b3;
        taken += top.m_valid & top.m_ready;
        rise(top);
    }
    const double seconds = processor_seconds() - begin;
    top.final();
    if (taken < cycles / 2) return std::fprintf(stderr, "only %" PRIu64 " words came through\n", taken), 1;
    std::printf("%016" PRIx64 " %.9f\n", digest, seconds);
    return 0;
}
