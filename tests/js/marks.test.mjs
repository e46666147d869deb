/* Where findings are marked: on a channel's picture by its own ids, on a cluster's drawing by its hosts. */
import assert from "node:assert/strict";
import test from "node:test";
import { index } from "../../static/js/model.js";
import { marksOfChannel, marksOfCluster, marksOfMachine } from "../../static/js/marks.js";

const nodes = ["GPU/0-1000", "GPU/0-2000", "NIC/0-3000", "NET/0-0", "PCI/0-9000", "CPU/0-0"].map((id, i) => ({ id, ...(i < 2 ? { rank: i } : {}) }));
const links = [["CPU/0-0", "PCI/0-9000", "PCI"], ["PCI/0-9000", "GPU/0-1000", "PCI"], ["PCI/0-9000", "NIC/0-3000", "PCI"], ["NIC/0-3000", "NET/0-0", "NET"], ["CPU/0-0", "GPU/0-2000", "PCI"]]
    .flatMap(([a, b, type]) => [[a, b, type, 24], [b, a, type, 24]]);
const slow = { id: "slow-link", severity: "warning", title: "slow", places: [{ node: "NIC/0-3000" }] };
const path = { from: "GPU/0-1000", to: "NET/0-0", type: "PIX", bw: 12, hops: ["PCI/0-9000", "NIC/0-3000", "NET/0-0"] };
const model = index({ system: { nodes, links }, paths: [path], findings: [slow, { ...slow, id: "note", severity: "info" }], ranks: 2, hosts: 2 });

test("the drawing of the machine marks the device and its link, and no note", () => {
    assert.deepEqual(marksOfMachine(model).map((row) => [row.node ?? row.link.join(" "), row.severity, row.findings.length]), [["NIC/0-3000", "warning", 1], ["NIC/0-3000 PCI/0-9000 PCI", "warning", 1]]);
});

test("a channel's picture marks the port of the NIC on every host, and paths over the link", () => {
    const drawn = ["GPU/0-1000", "NET/0-0", "host1/NET/0-0", "GPU/0-2000~out", "GPU/0-1000--NET/0-0", "NET/0-0--host1/NET/0-0"];
    assert.deepEqual(marksOfChannel(model, drawn).map((row) => row.node ?? row.link.join(" ").trim()), ["NET/0-0", "host1/NET/0-0", "GPU/0-1000 NET/0-0"]);
    assert.deepEqual(marksOfChannel(model, drawn)[2].findings, [slow]);
});

test("a cluster's drawing marks hosts that differ from most, where a finding says so", () => {
    const view = { kinds: [{ hosts: [[0, 4], [6, 9]], odd: false }, { hosts: [[5, 5]], odd: true }] }, odd = { id: "cluster-odd-host", severity: "warning", title: "odd" };
    const stations = [{ id: "station:0", title: "Host 0: 0 1 of the ring" }, { id: "station:1", title: "▼ Host 5: slowest, unlike most: 8 9 of the ring" }, { id: "station:2", title: "4 hosts alike, 6…9" }];
    assert.deepEqual(marksOfCluster(view, [odd, { ...odd, id: "uneven-hosts" }], stations), [{ node: "station:1", severity: "warning", findings: [odd] }]);
    assert.deepEqual(marksOfCluster(view, [{ ...odd, severity: "info" }], stations), [], "notes carry no mark");
});
