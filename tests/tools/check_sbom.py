#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The SBOM names every library that the programs load, with the version that pkg-config knows: check_sbom.py SBOM
PROGRAM..."""
import json
import re
import subprocess
import sys

C_LIBRARY = {"c", "m", "pthread", "dl", "rt", "asan", "ubsan", "tsan", "gcc_s", "ld-linux-x86-64", "ld-linux-aarch64"}


def said(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    bom = json.load(open(sys.argv[1]))
    assert (bom["bomFormat"], bom["specVersion"]) == ("CycloneDX", "1.5")
    named = set()
    for component in bom["components"]:
        name = component["name"]
        assert component["version"] == said("pkg-config", "--modversion", name).strip(), component
        assert component["licenses"][0]["expression"], component
        named.update(re.findall(r"-l(\S+)", said("pkg-config", "--libs-only-l", name)))
    needed = set()
    for program in sys.argv[2:]:
        needed.update(re.findall(r"NEEDED.*\[(?:lib)?(.*?)(?:-gnutls)?\.so", said("readelf", "-d", program)))
    needed -= C_LIBRARY
    assert len(needed) > 5 and needed <= named, f"not in the SBOM: {sorted(needed - named)}"
    print(f"{len(bom['components'])} libraries, all that {len(sys.argv) - 2} programs load among them")


main()
