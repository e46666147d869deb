# SPDX-License-Identifier: Apache-2.0
"""For the twin (twin.py): elements of a document, a folder that stands for /, and how NCCL reads and hashes what is in
it."""
import os
import re
import struct

MASK = (1 << 64) - 1


class Element:
    def __init__(self, name, parent=None, at=None):
        self.name, self.attributes, self.children, self.parent, self.marked = name, {}, [], None, False
        if parent is not None:
            self.put_below(parent, at)

    def put_below(self, parent, at=None):
        self.parent = parent
        parent.children.insert(len(parent.children) if at is None else at, self)

    def get(self, key):
        return self.attributes.get(key)

    def set(self, key, value):
        self.attributes[key] = str(value)

    def fill(self, key, value):
        self.attributes.setdefault(key, str(value))

    def child(self, name, key=None, value=None):
        return next((c for c in self.children if c.name == name and (key is None or c.get(key) == value)), None)

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def write(self, depth=0):
        head = "  " * depth + "<" + self.name + "".join(f' {k}="{v}"' for k, v in self.attributes.items())
        if not self.children:
            return head + "/>\n"
        return head + ">\n" + "".join(c.write(depth + 1) for c in self.children) + "  " * depth + f"</{self.name}>\n"

    def copy(self, parent=None):
        other = Element(self.name, parent)
        other.attributes, other.marked = dict(self.attributes), self.marked
        for child in self.children:
            child.copy(other)
        return other


class Sys:
    """A folder that stands for /."""

    def __init__(self, root):
        self.root = os.path.realpath(root)

    def resolve(self, path):
        """The path with all links followed, None if something is missing."""
        real = os.path.realpath(self.root + path)
        return real[len(self.root) :] if os.path.exists(real) and real.startswith(self.root + "/") else None

    def text(self, path, limit=255):
        """What a file of /sys gives: at most 255 bytes, without the last one."""
        try:
            with open(self.root + path, "rb") as file:
                return file.read(limit)[:-1].decode("latin-1")
        except OSError:
            return ""

    def whole(self, path):
        try:
            with open(self.root + path, "rb") as file:
                return file.read().decode("latin-1")
        except OSError:
            return None

    def there(self, path):
        return os.path.exists(self.root + path)

    def names(self, path):
        try:
            return sorted(os.listdir(self.root + path))
        except OSError:
            return []

    def pci(self, bus_id):
        """The folder of a PCI function, through the folder of its bus."""
        bus_id = bus_id.lower()
        if not self.there(f"/sys/class/pci_bus/{bus_id[:7]}") or len(bus_id) < 12:
            return None
        return self.resolve(f"/sys/class/pci_bus/{bus_id[:7]}/../../{bus_id[:12]}")


BUS_ID = re.compile(r"[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-9a-fA-F]")


def looks_like_bus_id(name):
    return len(name) == 12 and BUS_ID.fullmatch(name) is not None


def integer(text):
    """strtol with base 0, as far as files of /sys need it."""
    found = re.match(r"\s*([+-]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)", text)
    if not found:
        return 0
    digits = found[2]
    value = int(digits, 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" and len(digits) > 1 else 10)
    return -value if found[1] == "-" else value


def speed(text):
    """GT/s; what cannot be read is infinitely fast."""
    found = re.match(r"\s*([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*GT/s", text)
    return float(found[1]) if found else float("inf")


def hash_wide(data):
    a = b = 1
    a ^= len(data)
    for at in range(0, len(data), 8):
        x = struct.unpack("<Q", data[at : at + 8].ljust(8, b"\0"))[0]
        a = (a + b) & MASK
        b ^= a
        a ^= a >> 31
        a = a * 0x9DE62BBC8CEF3CE3 & MASK
        b ^= b >> 32
        b = b * 0x485CD6311B599E79 & MASK
        a = (a + x) & MASK
    h = a ^ a >> 31
    h = h * 0xBAC3BD562846DE6B & MASK
    h = (h + b) & MASK
    h ^= h >> 32
    return h * 0x995A187A14E7B445 & MASK


def hash_bytewise(data):
    value = 5381
    for byte in data:
        signed = byte - 256 if byte > 127 else byte
        value = (value * 33 & MASK) ^ (signed & MASK)
    return value
