// A plain C++ test bench around a verilated card, to compare our own harness with.
//
// harness STIMULUS CYCLES [ADDRESS=VALUE ...]
//
// Resets the card, writes the registers, then runs CYCLES clock cycles with the XGMII words of the
// file STIMULUS (per cycle 8 octets of data and one of control) and counts the frames that the card
// sends. Prints the frames counted and the seconds of processor time of the last part.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "Vloaded.h"
#include "verilated.h"

static constexpr uint64_t IDLE = 0x0707070707070707;

static void cycle(Vloaded& top) {
    top.clk = 0;
    top.eval();
    top.clk = 1;
    top.eval();
}

// One AXI4-Lite write with everything ready at once; false if the card does not answer.
static bool write(Vloaded& top, uint32_t address, uint32_t value) {
    top.s_axil_awaddr = address;
    top.s_axil_wdata = value;
    top.s_axil_wstrb = 0xf;
    top.s_axil_awvalid = 1;
    top.s_axil_wvalid = 1;
    top.s_axil_bready = 1;
    for (int i = 0; i < 1000; ++i) {
        top.clk = 0;
        top.eval();
        const bool address_taken = top.s_axil_awvalid && top.s_axil_awready;
        const bool value_taken = top.s_axil_wvalid && top.s_axil_wready;
        const bool answered = top.s_axil_bvalid;
        top.clk = 1;
        top.eval();
        if (address_taken) top.s_axil_awvalid = 0;
        if (value_taken) top.s_axil_wvalid = 0;
        if (answered) return top.s_axil_bresp == 0;
    }
    return false;
}

// Counts a start code in lane 0 or 4.
static uint64_t starts(uint64_t data, uint8_t control) {
    return ((control & 1) && (data & 0xff) == 0xfb) + ((control & 16) && (data >> 32 & 0xff) == 0xfb);
}

static std::vector<uint8_t> contents(const char* path) {
    std::vector<uint8_t> octets;
    if (FILE* file = std::fopen(path, "rb")) {
        uint8_t buffer[1 << 16];
        for (size_t got; (got = std::fread(buffer, 1, sizeof buffer, file)) > 0;)
            octets.insert(octets.end(), buffer, buffer + got);
        std::fclose(file);
    }
    return octets;
}

static double processor_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(int argc, char** argv) {
    if (argc < 3) return std::fprintf(stderr, "harness STIMULUS CYCLES [ADDRESS=VALUE ...]\n"), 2;
    const std::vector<uint8_t> stimulus = contents(argv[1]);
    const uint64_t cycles = std::strtoull(argv[2], nullptr, 0);
    if (stimulus.size() < 9 * cycles) return std::fprintf(stderr, "%s is too short\n", argv[1]), 2;

    VerilatedContext context;
    Vloaded top{&context, "top"};
    top.xgmii_rxd = IDLE;
    top.xgmii_rxc = 0xff;
    top.rst = 1;
    for (int i = 0; i < 8; ++i) cycle(top);
    top.rst = 0;
    for (int i = 3; i < argc; ++i) {
        char* end = nullptr;
        const uint32_t address = std::strtoul(argv[i], &end, 0);
        if (*end != '=' || !write(top, address, std::strtoul(end + 1, nullptr, 0)))
            return std::fprintf(stderr, "%s was not taken\n", argv[i]), 1;
    }

    const double begin = processor_seconds();
    uint64_t frames = 0;
    const uint8_t* word = stimulus.data();
    for (uint64_t i = 0; i < cycles; ++i, word += 9) {
        uint64_t data;
        std::memcpy(&data, word, sizeof data);
        top.xgmii_rxd = data;
        top.xgmii_rxc = word[8];
        top.clk = 0;
        top.eval();
        frames += starts(top.xgmii_txd, top.xgmii_txc);
        top.clk = 1;
        top.eval();
    }
    const double spent = processor_seconds() - begin;
    top.final();
    std::printf("%llu %.9f\n", static_cast<unsigned long long>(frames), spent);
    return 0;
}
