// What a FIFO promises. Words are numbered modulo 16, which tells all those inside apart as long as the
// memory holds no more than 8.
reg  [3:0] f_taken = 4'd0;
reg  [3:0] f_given = 4'd0;
wire [3:0] f_inside = f_taken - f_given;
wire       f_in = sink_valid & sink_ready & !reset;
wire       f_out = source_valid & source_ready & !reset;
wire [3:0] f_places = 4'd1 << $bits(write);

// Any one number, and the word that has it.
(* anyconst *) reg [3:0] f_number;
reg [$bits({sink_error, sink_last, sink_keep, sink_data}) - 1:0] f_word;

// What the output held in the cycle before, and whether it had to stay; cycles without a word at the output
// although one is inside.
reg        f_stays = 1'b0;
reg [$bits({sink_error, sink_last, sink_keep, sink_data}) - 1:0] f_before;
reg  [1:0] f_waits = 2'd0;

always @(posedge clock) begin
    if (f_in) begin
        f_taken <= f_taken + 4'd1;
        if (f_taken == f_number) f_word <= {sink_error, sink_last, sink_keep, sink_data};
    end
    if (f_out) f_given <= f_given + 4'd1;
    if (source_valid || f_inside == 4'd0) f_waits <= 2'd0;
    else f_waits <= f_waits + 2'd1;
    if (reset) begin
        f_taken <= 4'd0;
        f_given <= 4'd0;
        f_waits <= 2'd0;
    end
    f_stays <= source_valid & !source_ready & !reset;
    f_before <= {source_error, source_last, source_keep, source_data};
end

always @* begin
    two_more_than_the_memory_holds: assert (f_inside <= f_places + 4'd2);
    takes_what_the_memory_holds: assert (sink_ready || f_inside >= f_places);
    nothing_invented: assert (!source_valid || f_inside != 4'd0);
    nothing_lost: assert (f_waits <= 2'd2);
    in_order: assert (!f_out || f_given != f_number
        || {source_error, source_last, source_keep, source_data} == f_word);
    stays_until_taken: assert (!f_stays
        || source_valid && {source_error, source_last, source_keep, source_data} == f_before);
    level_never_above_its_places: assert (level <= f_places);
    never_reads_the_word_being_written: assert (!(stores && takes && write == read));
end

`ifdef REACH
always @* can_fill: assert (f_inside != f_places + 4'd2);
`endif
