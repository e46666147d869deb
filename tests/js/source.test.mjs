// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { deviceAt, devicesIn, localOf, placeOf } from "../../static/js/source.js";

const text = `<system version="1">
<!-- <gpu> of no account
-->
  <cpu host_hash="0x1" numaid="0">
    <pci busid="0000:1a:00.0" class="0x060400">
      <pci busid="0000:1b:00.0"
           class="0x030200">
        <gpu dev="0" rank="0"><nvlink target="0000:1c:00.0"/></gpu>
      </pci>
      <pci busid="0000:1d:00.0"><nic>
          <net name="a > b" dev="11"/></nic></pci>
      <pci busid="0001:1e:00.0"/>
    </pci>
  </cpu>
  <cpu numaid="1" host_hash='0x2'><pci busid="0000:9b:00.1"><gpu dev="0"/></pci></cpu>
</system>`;
const devices = devicesIn(text);

test("bus ids as node ids have them", () =>
    assert.deepEqual(
        ["0000:1b:00.0", "0001:1E:00.1", "0000:00:00.0", "nonsense", undefined].map(localOf),
        ["1b000", "11e001", "0", "", ""],
    ));

test("each device has its lines; comments and quoted brackets mislead nobody", () => {
    assert.deepEqual(
        Object.fromEntries([...devices].map(([id, { line, last }]) => [id, [line, last]])),
        {
            "CPU/0-0": [4, 4],
            "GPU/0-1b000": [6, 8],
            "NIC/0-1d000": [10, 10],
            "NET/0-b": [11, 11],
            "PCI/0-11e000": [12, 12],
            "PCI/0-1a000": [5, 5],
            "CPU/1-1": [15, 15],
            "GPU/1-9b001": [15, 15],
        },
    );
});

test("a device is found by its id, a physical GPU by its bus id, and a line tells its device", () => {
    assert.equal(placeOf(devices, "GPU/0-1b000").line, 6);
    assert.equal(placeOf(devices, "DEV/0-1b000").line, 6);
    assert.equal(placeOf(devices, "NET/7-b").line, 11);
    assert.equal(placeOf(devices, "NVS/0-0"), null);
    assert.equal(deviceAt(devices, 7), "GPU/0-1b000");
    assert.equal(deviceAt(devices, 1), "");
});

test("text that is not XML gives what it has", () => {
    assert.equal(devicesIn("").size, 0);
    assert.equal(devicesIn('</cpu></pci><pci busid="0000:01:00.0"><gpu').size, 0);
    assert.equal(devicesIn("<".repeat(10000)).size, 0);
});
