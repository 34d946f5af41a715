`default_nettype none

// The one's-complement sum of the internet checksums (RFC 1071), one word a clock.
//
// Half-words are added as they lie in the word, first octet in the low bits. RFC 1071 section
// 2(B): that gives the sum of the big-endian half-words with its octets exchanged, and a sum of
// all ones is one in either order.
//
// Sums the marked octets of the words of a packet. Latency: `total` contains a word from the
// second cycle after it on.
//
// Source: WordSum in hdl/src/ip/sum.rs.
module word_sum (
    // The one clock.
    input  wire        clock,
    // The word.
    input  wire [63:0] data,
    // Its octets that count.
    input  wire [7:0]  mask,
    // Octets 6 and 7 count twice: a length that stands in the header and in the pseudo header.
    input  wire        twice,
    // The word is the first of a sum.
    input  wire        first,
    // What a new sum starts with, octets in the order of the word.
    input  wire [15:0] seed,
    // The word is there.
    input  wire        valid,
    // The sum so far: bits 29..16 still have to be added to bits 15..0.
    output wire [29:0] total,
    // The sum so far is all ones: what it is over data together with its checksum.
    output wire        all_ones
);
    reg  [17:0] lower;
    reg  [17:0] upper;
    reg         added_first;
    reg  [15:0] added_seed;
    reg         added_valid;
    reg  [29:0] running;

    wire [7:0]  octets_0;
    wire [7:0]  octets_1;
    wire [7:0]  octets_2;
    wire [7:0]  octets_3;
    wire [7:0]  octets_4;
    wire [7:0]  octets_5;
    wire [7:0]  octets_6;
    wire [7:0]  octets_7;
    wire [17:0] halves_0;
    wire [17:0] halves_1;
    wire [17:0] halves_2;
    wire [17:0] halves_3;
    wire [17:0] fourth;
    wire [29:0] base;
    wire [15:0] low;
    wire [13:0] high;
    wire [15:0] complement;

    assign octets_0 = mask[0] ? data[7:0] : 8'd0;
    assign octets_1 = mask[1] ? data[15:8] : 8'd0;
    assign octets_2 = mask[2] ? data[23:16] : 8'd0;
    assign octets_3 = mask[3] ? data[31:24] : 8'd0;
    assign octets_4 = mask[4] ? data[39:32] : 8'd0;
    assign octets_5 = mask[5] ? data[47:40] : 8'd0;
    assign octets_6 = mask[6] ? data[55:48] : 8'd0;
    assign octets_7 = mask[7] ? data[63:56] : 8'd0;
    assign halves_0 = {2'd0, octets_1, octets_0};
    assign halves_1 = {2'd0, octets_3, octets_2};
    assign halves_2 = {2'd0, octets_5, octets_4};
    assign halves_3 = {2'd0, octets_7, octets_6};
    assign fourth = twice ? halves_3 << 1 : halves_3;

    // Carries are only collected: 30 bits hold them for 3276 words of five half-words.
    assign base = added_first ? {14'd0, added_seed} : running;

    // low + high is all ones exactly when each is the other's complement.
    assign low = running[15:0];
    assign high = running[29:16];
    assign complement = low ^ {2'd0, high};
    assign all_ones = &complement;
    assign total = running;

    always @(posedge clock) begin
        lower <= halves_0 + halves_1;
        upper <= halves_2 + fourth;
        added_first <= first;
        added_seed <= seed;
        added_valid <= valid;
    end

    always @(posedge clock) begin
        if (added_valid) begin
            running <= base + ({12'd0, lower} + {12'd0, upper});
        end
    end

    // Values at power-up.
    initial begin
        lower = 18'd0;
        upper = 18'd0;
        added_first = 1'b0;
        added_seed = 16'd0;
        added_valid = 1'b0;
        running = 30'd0;
    end
endmodule

`default_nettype wire
