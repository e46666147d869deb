#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_glibc.py VERSION FOLDER: no program or library below the folder asks for a newer glibc than VERSION, and each
loads only what is in the folder or what the rules of manylinux (PEP 600) allow of the system. So the tag
manylinux_VERSION is true."""
import pathlib
import re
import subprocess
import sys

OF_THE_SYSTEM = re.compile(
    r"^(libc|libm|libdl|librt|libpthread|libresolv|libutil|libnsl|ld-linux[-\w]*|libgcc_s|libstdc\+\+)\.so"
)


def main():
    newest, folder = tuple(map(int, sys.argv[1].split("."))), pathlib.Path(sys.argv[2])
    files = [path for path in folder.rglob("*") if path.is_file() and path.open("rb").read(4) == b"\x7fELF"]
    names, wrong = {path.name for path in files}, []
    for path in files:
        said = subprocess.run(["objdump", "-p", path], capture_output=True, text=True, check=True).stdout
        for version in set(re.findall(r"\bGLIBC_(\d+)\.(\d+)", said)):
            if tuple(map(int, version)) > newest:
                wrong.append(f"{path.name} needs glibc {'.'.join(version)}")
        for needed in re.findall(r"NEEDED\s+(\S+)", said):
            if needed not in names and not OF_THE_SYSTEM.match(needed):
                wrong.append(f"{path.name} loads {needed}, which does not come along")
    print(
        "\n".join(wrong)
        or f"ok: {len(files)} programs and libraries need glibc {sys.argv[1]} or older, and "
        "nothing else of the system"
    )
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
