# SPDX-License-Identifier: Apache-2.0
"""The twin's merged NICs: what a running job uses as one (docs/nccl/detection.md, "Merged NICs"), in the document of
one rank."""
import itertools

import twin
import twin_nics

LEVELS = ["LOC", "PORT", "PIX", "PXB", "P2C", "PXN", "PHB", "SYS"]
APART, MOST = len(LEVELS), 4


def ancestors(element):
    """From the root down to the element."""
    chain = []
    while element is not None:
        chain.append(element)
        element = element.parent
    return chain[::-1]


def shared(elements):
    """The nearest element around all, and for each the first one of its own below that."""
    chains = [ancestors(e) for e in elements]
    depth = 0
    while all(len(c) > depth and c[depth] is chains[0][depth] for c in chains):
        depth += 1
    return chains[0][depth - 1], [c[depth] for c in chains]


def distance(a, b):
    if a is b:  # two ports of one device are one element
        return LEVELS.index("PORT")
    at, (own_a, own_b) = shared([a, b])
    one, other = own_a.get("busid"), own_b.get("busid")
    if at.name == "nic" or one and other and one[:-1] == other[:-1] and len(one) == len(other):
        return LEVELS.index("PORT")
    if at.name == "pci":
        # Both <pci> of the NICs right below it: net, nic, pci.
        near = own_a is a.parent.parent and own_b is b.parent.parent
        return LEVELS.index("PIX" if near else "PXB")
    return LEVELS.index("PHB" if at.name == "cpu" else "SYS")


def level_of(d):
    text = d.settings.get("NCCL_NET_MERGE_LEVEL")
    if not text:
        return LEVELS.index("PORT")
    return next((i for i, name in enumerate(LEVELS) if text.startswith(name)), 0)


def next_bus_id(d, bus_id):
    domain, bus, rest = bus_id.split(":")
    device, function = rest.split(".")
    number = int(domain, 16) << 20 | int(bus, 16) << 12 | int(device, 16) << 4 | int(function, 16)
    for number in itertools.count(number + 1):
        made = f"{number >> 20:04x}:{number >> 12 & 255:02x}:{number >> 4 & 255:02x}.{number & 15:x}"
        if not d.find("pci", "busid", made):
            return made


def lanes(place, members):
    """For the members below a place, each branch no wider than its own link."""
    total = 0
    for branch in place.children:
        inside = [m for m in members if branch in ancestors(m)]
        if branch.name == "pci" and inside:
            own, below = twin.integer(branch.get("link_width") or ""), lanes(branch, inside)
            total += below if below > 0 and (own <= 0 or below < own) else own
    return total


def widen(d, place, card, members):
    """Members in different slots are as wide together as the sum of their ways."""
    branches = [next(a for a in ancestors(m) if a.parent is place) for m in members]
    ids = {(b.get("busid") or "")[:-1] for b in branches}
    one_card = len({id(b) for b in branches}) == 1 or len(ids) == 1 and ids != {""}
    wide = lanes(place, members)
    if d.release < (2, 28, 3) or one_card or place.name not in ("pci", "cpu") or not wide:
        return
    changed = [place, card]
    if d.release < (2, 30, 7):
        for member in members:
            chain = ancestors(member)
            changed += chain[chain.index(place) + 1 :]
    for element in changed:
        if element.name == "pci":
            element.set("link_width", wide)


def make(d, nets, elements, group, dev):
    """False: the plugin does not merge them."""
    members = [nets[i] for i in group]
    if d.number("NCCL_IB_MERGE_NICS", 1) == 0 or len({m.layer for m in members}) > 1:
        return False
    different = {id(elements[i]): elements[i] for i in group}.values()
    place = shared(different)[0] if len(different) > 1 else elements[group[0]].parent
    if place.name == "system" and d.release >= (2, 30, 7):
        raise twin.Refused
    if place.name == "nic" and d.release < (2, 27, 3):
        return True  # a <nic> in a <nic>, where the graph does not look; the ports stay
    bridge = place.name == "pci" and place.get("class") == "0x060400"
    card = elements[group[0]].parent.parent
    common = place
    if (bridge or d.release >= (2, 28, 3) and place.name == "cpu") and card.name == "pci":
        made = twin.Element("pci", place)
        made.attributes.update(card.attributes)
        made.set("busid", next_bus_id(d, card.get("busid")))
        place = made
    widen(d, common, place, [elements[i] for i in group])
    if place.name != "nic":
        place = place.child("nic") or twin.Element("nic", place)
    first = members[0]
    net = twin_nics.Net(
        "+".join(m.name for m in members),
        None,
        sum(m.speed for m in members),
        first.port,
        first.guid,
        first.maxconn,
        first.gdr,
    )
    net.rail, net.plane = first.rail, first.plane
    for i in group:
        kept = d.release >= (2, 30, 7) and "1" in (elements[i].get("gin"), elements[i].get("rma"))
        elements[i].marked = kept
        if kept:
            elements[i].set("net", 0)
    element = twin.Element("net", place)
    element.set("name", net.name)
    twin_nics.describe(d, element, dev, net)
    return True


def alone(d, elements, i, dev):
    """Up to 2.26.6 a device that is merged with none gets a new number; how many were given."""
    if d.release >= (2, 27, 3):
        return 0
    elements[i].set("dev", dev)
    return 1


def forced(d, nets):
    """Groups by name, and whether as many devices matched as are listed."""
    for text in d.settings.get("NCCL_NET_FORCE_MERGE", "").split(";"):
        names = [word for word in text.split(",") if word]
        group = []
        for word in names:
            name, _, port = word.partition(":")
            group += [
                i
                for i, n in enumerate(nets)
                if n.name == name and (not port or int(port) == n.verbs_port) and i not in group
            ]
        if names:
            yield sorted(group), len(group) == len(names)


def merge(d, nets, elements):
    count, placed, made = len(nets), set(), 0
    rails = d.release >= (2, 30, 7) and d.settings.get("NCCL_NET_MERGE_POLICY") == "RAIL"
    far = {}
    for i in range(count):
        for j in range(count):
            met = not rails or nets[i].rail is not None and nets[i].rail == nets[j].rail
            far[i, j] = 0 if i == j else distance(elements[i], elements[j]) if met else APART
    for group, whole in forced(d, nets):
        if not whole or placed.intersection(group):
            raise twin.Refused
        placed.update(group)
        if len(group) == 1:
            made += alone(d, elements, group[0], count + made)
            continue
        if not make(d, nets, elements, group, count + made):
            raise twin.Refused
        made += 1
    i, level = 0, level_of(d)
    while i < count:
        if i not in placed:
            group = [i] + [j for j in range(count) if j != i and j not in placed and far[i, j] <= level][: MOST - 1]
            placed.update(group)
            if len(group) == 1:
                made += alone(d, elements, i, count + made)
            else:
                if make(d, nets, elements, group, count + made):
                    made += 1
                elif d.release < (2, 26, 2):
                    raise twin.Refused
                else:
                    placed.difference_update(group)
                    for j in group:
                        far[i, j] = far[j, i] = APART
                    i = 0
        i += 1
