# SPDX-License-Identifier: Apache-2.0
"""A second implementation of the NICs that a GPU prefers and of the channels for transfers (docs/nccl/connect.md,
"Point-to-point channels")."""
from twin_facts import f32, log2, number, power_up

# GB/s of one NVLink from this capability on (docs/nccl/graph.md, "NVLink bandwidth per link")
NVLINK = {
    "2.12.12": [(100, 22), (90, 22), (87, 22), (86, 12), (80, 22), (70, 22), (60, 18), (0, 22)],
    "2.21.5": [(100, 20.6), (90, 20.6), (87, 20), (86, 12), (80, 20), (70, 20), (60, 18), (0, 20)],
    "2.27.7": [(100, 40.1), (90, 20.6), (87, 20), (86, 12), (80, 20), (70, 20), (60, 18), (0, 20)],
}
NVLINK["2.30.7"] = NVLINK["2.27.7"]


def brick(joined, sm):
    if joined.release == "2.7.8":
        return 18 if sm < 70 else 21
    return f32(next(rate for low, rate in NVLINK[joined.release] if sm >= low))


def cpu_link(s, gpu):
    rates = [f32(bw) for a, b, _, bw in s.links if a == gpu["id"] and s.nodes[b]["type"] == "CPU"]
    return rates[-1] if rates else 0.0


def local_net(joined, s, gpu, c):
    """03, 3.8 (2.30.7)"""
    nets = s.locals(gpu, s.nets)
    k, m = len(nets), len(s.locals(nets[0], s.gpus))
    x = gpu["dev"] % m
    if k & (k - 1) == 0:
        x = int(format(x % k, f"0{log2(k)}b")[::-1], 2) if k > 1 else 0
    policy = joined.settings.get("NCCL_NETDEVS_POLICY", "AUTO").upper()
    q = -(-k // m)
    if policy == "ALL":
        q = k
    elif policy.startswith("MAX:"):
        q = min(int(policy[4:]), k)
    return nets[(x + c % q) % k]


def closest_cpu(s, gpu):
    best = None
    for cpu in s.cpus:
        kind, rate, hops = s.path(gpu, cpu)
        if best is None or (rate, -kind, -hops) > best:
            best = (rate, -kind, -hops)
    return best[0] if best else 0.0


def preferred(joined, s, gpu):
    """Section 10: how many NICs, and their rate."""
    enough, count, rate, first = closest_cpu(s, gpu), 0, 0.0, None
    for c in range(joined.maximum):
        if not s.nets:
            break
        net = local_net(joined, s, gpu, c)
        if first is None:
            first = net
        elif net is first:
            break
        count, rate = count + 1, f32(rate + s.path(gpu, net)[1])
        if rate >= enough:
            break
    return count, rate


def net_rate(joined, s, gpu):
    """The smallest rate of a GPU to the NICs it prefers."""
    rates, first = [], None
    for c in range(joined.maximum):
        net = local_net(joined, s, gpu, c)
        if net is first:
            break
        first = first or net
        rates.append(s.path(gpu, net)[1])
    return min(rates)


def per_peer(joined, s, gpu, other, p2p):
    """W of section 9; other is a GPU of the same system or None."""
    if other is not None:
        kind, rate, _ = s.path(other, gpu)
        near = [s.types["NVL"]] + ([s.types["NVB"]] if joined.release == "2.30.7" else [])
        return 2 * max(1, int(f32(rate / brick(joined, gpu["sm"])))) if kind in near else 2
    if joined.release == "2.7.8":
        return 1
    asked = number(joined.settings, "NCCL_NCHANNELS_PER_NET_PEER", None)
    if joined.release == "2.12.12":
        return 2 if asked is None else asked
    if joined.release == "2.30.7":
        if asked is not None:
            return asked
        count, rate = preferred(joined, s, gpu)
        each = number(joined.settings, "NCCL_P2P_PER_CHANNEL_NET_BW", 14)
        return max(count, -(-int(rate) // each)) if count else 2
    if asked is not None and asked != -1:
        return asked
    x = 2
    while x * joined.ranks > 4 * p2p and x > 1:
        x //= 2
    enough, y, total = cpu_link(s, gpu), 0, 0.0
    for net in s.locals(gpu, s.nets):
        if total >= enough:
            break
        total, y = f32(total + s.path(gpu, net)[1]), y + 1
    return max(x, y)


def p2p(joined):
    settings, top = joined.settings, joined.maximum
    p2p = min(joined.count, number(settings, "NCCL_MAX_P2P_NCHANNELS", top))
    p2p = max(p2p, number(settings, "NCCL_MIN_P2P_NCHANNELS", 1))
    remote = joined.ranks > len(joined.own.ranks)
    values = []
    newest = joined.release == "2.30.7"
    for s in joined.systems if newest else [joined.own]:
        for gpu in s.gpus:
            values += [per_peer(joined, s, gpu, other, p2p) for other in s.gpus if other is not gpu]
            if remote:
                values.append(per_peer(joined, s, gpu, None, p2p))
    per = min([64 if newest else p2p] + [v for v in values if v >= 0])
    per, p2p = power_up(per), power_up(p2p)
    if joined.since("2.27.7"):
        down = 1
        while down * 2 <= joined.work_limit:
            down *= 2
        p2p = min(p2p, down)
    if newest:
        user = number(settings, "NCCL_NCHANNELS_PER_NET_PEER", None) is not None
        if joined.nodes > 1 and not user:
            peers = min(number(settings, "NCCL_P2P_MAX_PEERS", joined.ranks), joined.ranks)
            while per * -(-peers // 8) > p2p and per > 1:
                per //= 2
        else:
            per = min(per, p2p)
    elif joined.release == "2.27.7":
        per = min(per, p2p)
    return p2p, per
