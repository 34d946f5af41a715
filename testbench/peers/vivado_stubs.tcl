# Commands of Vivado (and of SDC) that check their arguments and tell what they were given.
#
# usage: tclsh vivado_stubs.tcl PORTS SCRIPT
#
# PORTS is a list of names of the top module's ports. SCRIPT runs; a command that is not known here, a file
# that is not there and a port that the module does not have are errors. Constraints that a script reads run too.

lassign $argv ports script

# The ports of these names, which may have an index and end in a star.
proc get_ports {names} {
    global ports
    set found {}
    foreach name $names {
        set plain [lindex [split $name {[}] 0]
        set hits [lsearch -all -inline -glob $ports $plain]
        if {![llength $hits]} { error "no port $name" }
        lappend found {*}$hits
    }
    return $found
}

proc get_cells {pattern} {
    if {![regexp {^[a-z0-9_/]+_reg(\[\*\]|\*)?$} $pattern]} { error "no register: $pattern" }
    return $pattern
}

proc need {value pattern} {
    if {![regexp $pattern $value]} { error "wanted $pattern, found $value" }
}

proc create_clock {args} {
    lassign $args -> name -> period port
    need $period {^[0-9]+\.[0-9]{3}$}
    puts "clock $name $period $port"
}

proc set_property {option settings ports} {
    need $option {^-dict$}
    if {[llength $settings] % 2 || ![llength $ports]} { error "no pairs for a port: $settings $ports" }
    puts "pin $ports $settings"
}

proc set_max_delay {args} { puts "max_delay $args" }
proc set_bus_skew {args} { puts "bus_skew $args" }
proc set_false_path {args} { puts "false_path $args" }

proc read_verilog {files} {
    foreach file $files {
        if {![file exists $file]} { error "no file $file" }
    }
    puts "read_verilog [llength $files]"
}
proc read_xdc {file} { uplevel #0 [list source $file] }

proc synth_design {args} { puts "synth_design $args" }
foreach step {opt_design place_design phys_opt_design route_design} {
    proc $step {} "puts $step"
}
foreach report {report_utilization report_timing_summary report_cdc} {
    proc $report {option file} { need $option {^-file$}; need $file {^build/} }
}
proc get_timing_paths {} { return path }
proc get_property {name object} { return [expr {[info exists ::env(SLACK)] ? $::env(SLACK) : 0.1}] }
proc write_bitstream {option file} { puts "write_bitstream $file" }
proc write_checkpoint {option file} { puts "write_checkpoint $file" }

source $script
