# SPDX-License-Identifier: Apache-2.0
"""A second implementation of docs/nccl/connect.md in Python: how all ranks join their graphs.

Written from a description of NCCL's rules, not from engine/connect; it keeps whole communicators in memory with a row
for every rank, and is slow in favour of clarity.
"""
from twin_facts import at_least, log2, number, power_up
from twin_p2p import net_rate, p2p

MAXCHANNELS = {"2.7.8": 32, "2.12.12": 32, "2.21.5": 32, "2.27.7": 64, "2.30.7": 64}
TREE, SPLIT = 3, 2  # patterns


# ---- trees over nodes (section 5) ----


def binary(n, r):
    """Parent, children and kind of child of node r of n in the first tree; -1 for none."""
    if r == 0:
        return -1, [-1, power_up(n) // 2 if n > 1 else -1], -1
    b = r & -r
    up = (r ^ b) | 2 * b
    if up >= n:
        up = r ^ b
    kind = 0 if r < up else 1
    half = b // 2
    if half == 0:
        return up, [-1, -1], kind
    low = half
    while low and r + low >= n:
        low //= 2
    return up, [r - half, r + low if low else -1], kind


def double_tree(release, n, r, second):
    old = release == "2.7.8"
    shift = (n % 2 == 1) != old
    if not second:
        up, down, kind = binary(n, r)
        if old and r == 0:
            down = [down[1], -1]
        return up, down, kind
    x = (r - 1) % n if shift else n - 1 - r
    back = (lambda y: -1 if y < 0 else (y + 1) % n) if shift else (lambda y: -1 if y < 0 else n - 1 - y)
    up, down, kind = binary(n, x)
    if old and x == 0:
        down = [down[1], -1]
    return back(up), [back(d) for d in down], kind


# ---- the communicator ----


class Joined:
    def __init__(self, release, settings, systems, hosts):
        self.release, self.settings, self.systems = release, settings, systems
        self.hosts = hosts
        self.maximum = MAXCHANNELS[release]
        self.ranks = sum(len(s.ranks) for s in systems)
        self.system_of = {r: s for s in systems for r in s.ranks}
        assert sorted(self.system_of) == list(range(self.ranks))
        self.own = self.system_of[0]
        self.number_nodes()
        self.align()
        self.cc_of = {r: self.system_of[r].gpu_of[r]["sm"] for r in range(self.ranks)}
        self.cc, self.cc_max = min(self.cc_of.values()), max(self.cc_of.values())
        self.collnet = self.collnet_on()
        self.connect()
        self.count_channels()
        self.roles()
        self.p2p_channels, self.p2p_per_peer = p2p(self)

    def since(self, release):
        return at_least(self.release, release)

    def number_nodes(self):
        """Section 2: a new first GPU of channel 0 makes a new node."""
        self.first, self.node_of, self.members = [], [0] * self.ranks, []
        seen = {}
        for r in range(self.ranks):
            key = self.system_of[r].graphs["ring"]["intra"][0][0]
            if key not in seen:
                seen[key] = len(self.first)
                self.first.append(key)
                self.members.append([])
            self.node_of[r] = seen[key]
            self.members[seen[key]].append(r)
        self.nodes = len(self.first)
        self.max_local = max(len(m) for m in self.members)
        self.min_local = min(len(m) for m in self.members)

    def align(self):
        """Section 3; a graph that any rank lacks has no channels for all."""
        names = {name for s in self.systems for name in s.graphs}
        self.graphs = {}
        least = ["channels", "same_channels", "bw_intra", "bw_inter"]
        most = ["type_intra", "type_inter", "cross_nic"]
        nothing = dict(
            channels=0,
            same_channels=0,
            bw_intra=0.0,
            bw_inter=0.0,
            type_intra=0,
            type_inter=0,
            cross_nic=0,
            pattern=0,
            latency_inter=0.0,
        )
        for name in names:
            rows = [s.graphs.get(name, nothing) for s in self.systems]
            own = dict(self.own.graphs.get(name, nothing))
            for field in least:
                own[field] = min(row[field] for row in rows)
            if self.release == "2.7.8":
                own["type_intra"] = min(row["type_intra"] for row in rows)
            else:
                for field in most if self.since("2.21.5") else most[:2]:
                    own[field] = max(row[field] for row in rows)
            self.graphs[name] = own
        for s in self.systems:
            s.k = min(s.graphs["tree"]["channels"], s.graphs["ring"]["channels"])
        self.k = min(s.k for s in self.systems)
        if self.release == "2.7.8":
            for name in ("ring", "tree"):
                self.graphs[name]["channels"] = self.k
        self.ring_channels = self.graphs["ring"]["channels"]
        self.k = min(self.graphs["tree"]["channels"], self.ring_channels)
        for name in ("ring", "tree"):
            self.graphs[name]["channels"] = self.k
        self.max_tree_pattern = max(s.graphs["tree"]["pattern"] for s in self.systems)
        self.empty = nothing

    def graph(self, name):
        return self.graphs.get(name, self.empty)

    def collnet_on(self):
        if number(self.settings, "NCCL_COLLNET_ENABLE", 0) != 1:
            return False
        if not all(any(net.get("coll") for net in s.nets) for s in self.systems):
            return False  # the plugin is there where a NIC says so
        if self.release == "2.7.8":
            return self.nodes > 1
        chain = self.graph("collnet_chain" if self.since("2.21.5") else "collnet")
        if chain["channels"] == 0 or self.nodes < number(self.settings, "NCCL_COLLNET_NODE_THRESHOLD", 2):
            return False
        return self.since("2.27.7") or self.max_local <= 8

    # ---- rings and trees: self.channels[c] = (next, up, down, depth) ----

    def connect(self):
        k, n = self.k, self.nodes
        self.rings, self.trees = [], []
        for c in range(k):
            self.rings.append(self.ring(c))
        self.rings = self.rings + [list(r) for r in self.rings]
        self.chains = [self.chain(c) for c in range(k)] * 2 if self.collnet and self.since("2.21.5") else []
        depth = self.ranks // n - 1 + log2(n)
        wire = self.loop_trees if self.release == "2.7.8" else self.tree
        for second in (False, True):
            for c in range(k):
                up, down = wire(c, second)
                self.trees.append({"up": up, "down": down, "depth": depth})

    def swapped(self, system, c):
        """Section 4.1: the channel whose contribution is at c after the rails alternate."""
        rule = {
            "2.21.5": self.graph("ring")["cross_nic"] != 0,
            "2.27.7": self.graph("ring")["cross_nic"] == 2,
            "2.30.7": system.graphs["ring"]["cross_nic"] == 2,
        }.get(self.release, False)
        odd = self.node_of[system.ranks[0]] % 2 == 1
        return c ^ 1 if rule and odd and self.k % 2 == 0 else c

    def ring(self, c):
        following, recv, send = [-1] * self.ranks, [], []
        for s in self.systems:
            order = s.graphs["ring"]["intra"][self.swapped(s, c)]
            for a, b in zip(order, order[1:]):
                following[a] = b
        for key in self.first:
            order = self.system_of[key].graphs["ring"]["intra"][self.swapped(self.system_of[key], c)]
            recv.append(order[0])
            send.append(order[-1])
        for j in range(self.nodes):
            following[send[j]] = recv[(j + 1) % self.nodes]
        ring = [0]
        while following[ring[-1]] != 0:
            ring.append(following[ring[-1]])
            assert len(ring) <= self.ranks, "ring does not loop back"
        assert len(ring) == self.ranks, "ring does not contain every rank"
        return ring

    def tree_ends(self, key, c):
        """treeToParent, treeToChild0, treeToChild1 of channel c by the rank that stands for a node."""
        graph = self.system_of[key].graphs["tree"]
        order, pattern = graph["intra"][c], graph["pattern"]
        second = order[1] if len(order) > 1 else None
        return order[0], order[0] if pattern == TREE else second, second if pattern == SPLIT else order[0]

    def tree(self, c, second):
        up, down = [-1] * self.ranks, [[-1, -1, -1] for _ in range(self.ranks)]
        for s in self.systems:
            order = s.graphs["tree"]["intra"][c]
            for a, b in zip(order, order[1:]):
                up[b], down[a][0] = a, b
        ends = [self.tree_ends(key, c) for key in self.first]

        def hang(parent, child):
            down[parent][down[parent].index(-1)] = child

        for j in range(self.nodes):
            above, below, kind = double_tree(self.release, self.nodes, j, second)
            if above >= 0:
                up[ends[j][0]] = ends[above][1 + kind]
            for side in (0, 1):
                if below[side] >= 0:
                    hang(ends[j][1 + side], ends[below[side]][0])
        return up, down

    def chain(self, c):
        """A CollNet chain; the number of ranks stands for the network's root."""
        up, down = [-1] * self.ranks, [-1] * self.ranks
        for s in self.systems:
            order = s.graphs["collnet_chain"]["intra"][c]
            up[order[0]] = self.ranks
            for a, b in zip(order, order[1:]):
                up[b], down[a] = a, b
        return {"up": up, "down": down, "depth": self.ranks // self.nodes}

    def loop_trees(self, c, second):
        """Section 5.4, the up tree: what documents show of 2.7.8."""
        up, down = [-1] * self.ranks, [[-1, -1, -1] for _ in range(self.ranks)]
        send, recv = [], []
        for s in self.systems:
            order = s.graphs["tree"]["intra"][c]
            for i, r in enumerate(order):
                up[r], down[r][0] = order[i - 1], order[(i + 1) % len(order)]
        for key in self.first:
            graph = self.system_of[key].graphs["tree"]
            order = graph["intra"][c]
            step = 0 if graph["pattern"] == TREE else 1
            send.append(order[0])
            recv.append(order[step])
        for j in range(self.nodes):
            above, below, _ = double_tree(self.release, self.nodes, j, second)
            q = send[j]
            for r in self.members[j]:
                if down[r][0] == q:
                    down[r][0] = -1
            up[q] = -1
            if above >= 0:
                up[q] = recv[above]
            slots = down[recv[j]]
            at = 1 if slots[0] != -1 else 0
            for d in below:
                if d >= 0:
                    slots[at] = send[d]
                    at += 1
        return up, down

    # ---- how many (section 6) ----

    def copy_to(self, count):
        have = len(self.rings)
        for c in range(have, count):
            self.rings.append(self.rings[c - have])
            self.trees.append(self.trees[c - have])
            self.chains += self.chains[c - have : c - have + 1]
        # copies of copies: the distance is what there was before

    def limits(self):
        s, top = self.settings, self.maximum
        clamp = lambda x, low: max(low, min(top, x))
        low = number(s, "NCCL_MIN_NCHANNELS", number(s, "NCCL_MIN_NRINGS", 0))
        high = number(s, "NCCL_MAX_NCHANNELS", number(s, "NCCL_MAX_NRINGS", top))
        self.work_limit = top
        if self.since("2.27.7") and "NCCL_WORK_ARGS_BYTES" in s:
            self.work_limit = max(0, (number(s, "NCCL_WORK_ARGS_BYTES", 0) - 32) // 16)
            high = min(high, self.work_limit)
        low, high = clamp(low, 0), clamp(high, 1)
        ctas_low, ctas_high = 1, top
        if self.since("2.21.5"):
            asked = number(s, "NCCL_MIN_CTAS", 0)
            ctas_low = min(asked, top) if asked > 0 else 1
            asked = number(s, "NCCL_MAX_CTAS", 0)
            ctas_high = min(asked, top) if asked > 0 else top
            ctas_low = min(ctas_low, ctas_high)
        return low, high, ctas_low, ctas_high

    def nvls_channels(self, ctas_low, ctas_high):
        """Section 8, as rank 0 counts them; 0 if NVLS is off."""
        graph = self.graph("nvls")
        if not self.since("2.21.5") or graph["channels"] == 0:
            return 0
        asked = number(self.settings, "NCCL_NVLS_NCHANNELS", 16 if self.release == "2.21.5" else -1)
        count = 16
        if self.release == "2.21.5":
            count = asked
        elif asked > 0:
            count = asked
        else:
            several = self.nodes > 1
            if self.cc_of[0] >= 100:  # 2.27.7 does not know of nodes yet and asks whether hosts differ
                count = 32 if (several if self.release == "2.30.7" else self.hosts > 1) else 24
            if self.release == "2.30.7" and self.cc >= 100 and several:
                w = min(net_rate(self, s, g) for s in self.systems for g in s.gpus)
                p = self.min_local
                if self.nodes == 2 and w >= 48:
                    count = 32
                elif w >= 96:
                    count = 24 if p <= 8 else 32
                elif w >= 48:
                    count = 24
        return max(ctas_low, min(ctas_high, count))

    def count_channels(self):
        del self.rings[self.maximum :], self.trees[self.maximum :], self.chains[self.maximum :]
        low, high, ctas_low, ctas_high = self.limits()
        C = lambda: len(self.rings)
        if self.since("2.12.12") and self.collnet and self.ranks > self.nodes:
            chain = self.graph("collnet_chain" if self.since("2.21.5") else "collnet")
            if chain["bw_intra"] > chain["bw_inter"]:
                self.copy_to(min(self.maximum, C() + C() // 2))
        hopper = self.cc == 90 if self.release == "2.21.5" else self.cc >= 90
        if self.since("2.21.5") and hopper and self.nodes > 1 and self.graph("ring")["bw_intra"] > 45 and C() < 16:
            self.copy_to(2 * C())
        high = min(high, ctas_high) if self.since("2.21.5") else high
        del self.rings[high:], self.trees[high:], self.chains[high:]
        self.copy_to(max(low, ctas_low) if self.since("2.21.5") else low)
        self.coll_channels = C()
        self.nvls = self.nvls_channels(ctas_low, ctas_high)
        self.heads = []
        if self.nvls:
            self.find_heads()
            if not self.heads[0]:
                self.nvls = 0
        if self.nvls and self.release != "2.30.7":
            self.copy_to(self.nvls)
        self.count = C()

    # ---- NVLS ----

    def as_read(self, system, heads):
        """2.21.5 takes all GPUs of fused hosts for the length of a row, even if trimming parts the hosts again."""
        before = system.document["system_before_trim"]["links"]
        hosts = {end.split("/")[1].split("-")[0] for link in before for end in link[:2]}
        if self.release != "2.21.5" or len(hosts) == 1:
            return heads
        length, read = len(system.gpus), len(system.renumber)
        table = {c * length: head for c, head in enumerate(heads)}
        return [table.get(c * read, 0) for c in range(len(heads))]

    def find_heads(self):
        """heads[node][h]"""
        found = []
        for key in self.first:
            rows = [channel[0] for channel in self.system_of[key].graphs["nvls"]["intra"]]
            found.append(list(dict.fromkeys(self.as_read(self.system_of[key], rows))))
        own = self.system_of[self.first[self.node_of[0]]].graphs["nvls"]["intra"]
        self.own_heads = list(dict.fromkeys(channel[0] for channel in own))  # what rank 0 found; trees may use fewer
        count = min(len(order) for order in found)
        self.heads = [order[:count] for order in found]

    def roles(self):
        self.nvls_trees = []
        if not self.nvls or self.nodes == 1:
            return
        at = {r: (j, h) for j, order in enumerate(self.heads) for h, r in enumerate(order) if self.node_of[r] == j}
        R = self.ranks
        for second in (False, True):
            up, down = [-1] * R, [[R, -1, -1] for _ in range(R)]
            for r, (j, h) in at.items():
                above, below, _ = double_tree(self.release, self.nodes, j, second)
                if above >= 0:
                    up[r] = self.heads[above][h]
                below = [self.heads[d][h] for d in below if d >= 0]
                down[r] = ([R + 1 + h] + below + [-1, -1])[:3]
            self.nvls_trees.append({"up": up, "down": down})

    def channels(self):
        """The same section as in an analysis."""
        found = {
            "count": self.count,
            "rings": self.rings,
            "trees": self.trees,
            "p2p_channels": self.p2p_channels,
            "p2p_channels_per_peer": self.p2p_per_peer,
        }
        if self.chains:
            found["collnet_chain"] = self.chains
        if self.nvls:
            found["nvls"] = {"channels": self.nvls, "heads": self.own_heads}
            if self.nvls_trees:
                found["nvls"]["tree"] = [
                    self.nvls_trees[c % 2] for c in range(self.nvls if self.release == "2.30.7" else self.count)
                ]
        return found
