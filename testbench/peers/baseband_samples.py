"""Reads a VDIF recording with the package baseband, as an astronomer would.

Writes the code of every sample (one octet each, offset binary) to a file and prints what the
reader says of the recording as JSON.
"""

import argparse
import json
import pathlib

import numpy as np
from astropy import units as u
from astropy.utils import iers
from baseband import vdif

# How baseband turns a code of 8 bits into a number: (code - ZERO) / SCALE.
ZERO = 127.5
SCALE = 35.5


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording", help="VDIF file without serial numbers")
    parser.add_argument("codes", type=pathlib.Path, help="file for the codes")
    parser.add_argument("--sample-rate", type=float, required=True, help="samples a second")
    arguments = parser.parse_args()

    # Only UTC and whole seconds are asked for, and tests do not wait for a network.
    iers.conf.auto_download = False
    with vdif.open(arguments.recording, "rs", sample_rate=arguments.sample_rate * u.Hz) as stream:
        samples = stream.read()
        report = {
            "samples": int(samples.shape[0]),
            "start": stream.start_time.isot,
            "station": stream.header0.station,
            "thread": int(stream.header0["thread_id"]),
            "bits": int(stream.bps),
            "complex": bool(stream.complex_data),
            "samples_per_frame": int(stream.samples_per_frame),
        }
    codes = np.rint(samples * SCALE + ZERO)
    arguments.codes.write_bytes(codes.astype(np.uint8).tobytes())
    print(json.dumps(report))


if __name__ == "__main__":
    main()
