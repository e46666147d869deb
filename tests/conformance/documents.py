# SPDX-License-Identifier: Apache-2.0
"""Compares two analysis documents in every section of NCCL's own results. Everything in the reference must be in the
answer; anything else is ignored. Numbers agree within one part in 10^6.
"""
SECTIONS = [
    "ranks",
    "local_ranks",
    "system_before_trim",
    "system",
    "paths",
    "p2p",
    "gdr",
    "net_devs",
    "graphs",
    "channels",
    "tuning",
]
# Lists whose rows are found by these members, whatever their order.
KEYED = {
    "paths": ("from", "to"),
    "p2p": ("a", "b"),
    "gdr": ("rank", "net"),
    "net_devs": ("rank", "channel"),
    "graphs": ("name",),
}


def differ(expected, got, at):
    """The first difference between two values as text, or None."""
    if isinstance(expected, dict):
        if not isinstance(got, dict):
            return f"{at}: expected an object, got {str(got)[:60]!r}"
        for key, value in expected.items():
            if key not in got:
                return f"{at}.{key}: missing"
            found = differ(value, got[key], f"{at}.{key}")
            if found:
                return found
        return None
    if isinstance(expected, list):
        if not isinstance(got, list):
            return f"{at}: expected an array, got {str(got)[:60]!r}"
        for i, (e, g) in enumerate(zip(expected, got)):
            found = differ(e, g, f"{at}[{i}]")
            if found:
                return found
        return None if len(expected) == len(got) else f"{at}: expected {len(expected)} entries, got {len(got)}"
    if isinstance(expected, (int, float)) and isinstance(got, (int, float)):  # True counts as 1
        agree = expected == got or abs(expected - got) <= 1e-6 * max(abs(expected), abs(got))
        return None if agree else f"{at}: expected {expected!r}, got {got!r}"
    return None if expected == got else f"{at}: expected {expected!r}, got {got!r}"


def differ_section(name, expected, got, more_channels=False):
    """The first difference between two values of a section as text, or None. more_channels: net_devs may have rows for
    channels beyond those of the reference, which not every part of a split host has."""
    if name in KEYED and isinstance(expected, list) and isinstance(got, list):

        def rows(values):
            return {tuple(row.get(key) for key in KEYED[name]): row for row in values if isinstance(row, dict)}

        theirs, ours = rows(expected), rows(got)
        for key, row in theirs.items():
            found = differ(row, ours[key], f"{name}{list(key)}") if key in ours else f"{name}{list(key)}: missing"
            if found:
                return found
        extra = set(ours) - set(theirs)
        if name == "graphs":  # a graph that was not searched may be listed without channels
            extra = {key for key in extra if ours[key].get("channels")}
        if name == "net_devs" and more_channels and theirs:
            extra = {key for key in extra if key[1] <= max(channel for _, channel in theirs)}
        return f"{name}: {len(extra)} unexpected, such as {list(min(extra, key=str))}" if extra else None
    if (
        name == "channels"
        and "nvls" not in expected
        and isinstance(got, dict)
        and (got.get("nvls") or {}).get("channels")
    ):
        return "channels.nvls: expected none"
    return differ(expected, got, name)
