// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import {
    changes,
    DEFAULTS,
    format,
    parse,
    question,
    sectionOf,
    shownPanel,
    VIEWS,
} from "../../static/js/state.js";

test("an empty fragment is the default state, and the default state an empty fragment", () => {
    assert.deepEqual(parse(""), { ...DEFAULTS, settings: {} });
    assert.deepEqual(parse("#"), { ...DEFAULTS, settings: {} });
    assert.equal(format(DEFAULTS), "");
});

test("everything that the page shows survives the address", () => {
    const state = {
        id: "0123abcd",
        machine: "hgx-h100",
        release: "2.21.5",
        hosts: 4,
        gpus: "1,0",
        nics: "^mlx5_4",
        fuse_nics: "always",
        tuner: "allreduce,0,65536,tree,ll,2,-1,-1\n",
        assume: "p4d.24xlarge",
        settings: { NCCL_P2P_LEVEL: "SYS", NCCL_ALGO: "^NVLS,Tree & more" },
        view: "channels",
        panel: "selection",
        from: "GPU/0-1b000",
        to: "NET/0-3",
        cell: "verdict",
        why: "p2p:GPU/0-1b000:GPU/0-1c000",
        graph: "tree",
        channel: 7,
        layout: "alone",
        collective: "AllGather",
        against: ["2.7.8", "NCCL_ALGO=Ring,Tree", "NCCL_PXN_DISABLE="],
        side: "both",
        change: "paths.3",
        topic: "paths",
        size: 2 ** 33,
        host: 511,
        line: 1200,
        detail: "less",
        place: "library",
        q: "rack 7 & more",
        log: "H4sI_-8",
        results: "H4sIAA",
        with: "89abcdef",
        row: "hardware.2",
        beside: "side",
        set: "label:rack=7",
        verdict: "slower",
        days: 7,
        expect: "hgx-h100",
        node: "node7",
        cluster: "abc",
        groups: "tp=8,pp=4",
        group: "dp:3",
        tab: "order",
        rank: 131071,
        round: 70,
        axes: "linear",
        program: "alltoall",
        count: 4,
        free: "0,1,4",
        rival: "0,1",
        pick: "0,2",
        assume_nics: "400-no-gdr",
        assume_cpu: "amd",
        domain: "18",
        trays: "3,5",
        finding: "slow-link",
        repair: "slow-link,gdr-off",
    };
    assert.deepEqual(Object.keys(state).sort(), Object.keys(DEFAULTS).sort());
    assert.deepEqual(parse(format(state)), state);
    assert.deepEqual(parse(`#${format(state)}`), state);
});

test("device ids stay readable in the address", () => {
    assert.match(format({ ...DEFAULTS, from: "GPU/0-1b000" }), /from=GPU\/0-1b000/);
});

test("nonsense in the address falls back to the defaults", () => {
    const state = parse(
        "hosts=-3&channel=x&view=<script>&panel=&cell=9&nccl_debug=1&NCCL_=1&PATH=/bin&NCCL_P2P_LEVEL=",
    );
    assert.equal(state.hosts, 1);
    assert.equal(state.channel, 0);
    assert.equal(state.view, DEFAULTS.view);
    assert.equal(state.panel, DEFAULTS.panel);
    assert.equal(state.cell, DEFAULTS.cell);
    assert.deepEqual(state.settings, {});
    assert.equal(parse("hosts=0").hosts, 1);
    assert.equal(parse("hosts=999999").hosts, 65536);
});

test("the question holds what decides an analysis, in one order, and nothing else", () => {
    const state = {
        ...DEFAULTS,
        id: "x",
        view: "tuning",
        hosts: 2,
        release: "2.27.7",
        settings: { NCCL_B: "2", NCCL_A: "1" },
    };
    assert.equal(question(state).toString(), "release=2.27.7&hosts=2&NCCL_A=1&NCCL_B=2");
    assert.equal(question(DEFAULTS).toString(), "");
    assert.equal(
        question({ ...DEFAULTS, fuse_nics: "never", tuner: "a,b\n", gpus: "0" }).toString(),
        "gpus=0&fuse_nics=never&tuner=a%2Cb%0A",
    );
    assert.equal(
        question({ ...DEFAULTS, repair: "slow-link,gdr-off" }).toString(),
        "repair=slow-link&repair=gdr-off",
    );
    assert.equal(parse("fuse_nics=sometimes").fuse_nics, "");
});

test("every view is in one section, and panels of old addresses lead to the inspector", () => {
    assert.equal(new Set(VIEWS).size, VIEWS.length);
    for (const view of VIEWS)
        assert.ok(
            sectionOf(view)[2].some(([name]) => name === view),
            view,
        );
    assert.equal(sectionOf("hosts")[0], "communication");
    assert.equal(shownPanel(parse("panel=summary&view=log")), "selection");
    assert.equal(shownPanel(parse("panel=settings")), "settings");
    assert.equal(shownPanel(parse("panel=none")), "none");
});

test("changes names what differs", () => {
    assert.deepEqual([...changes(DEFAULTS, { ...DEFAULTS, settings: {} })], []);
    assert.deepEqual(
        [...changes(DEFAULTS, { ...DEFAULTS, hosts: 2, settings: { NCCL_A: "1" } })].sort(),
        ["hosts", "settings"],
    );
    assert.deepEqual(
        [...changes({ ...DEFAULTS, hosts: 2 }, { ...DEFAULTS, hosts: 2, channel: 1 })],
        ["channel"],
    );
});
