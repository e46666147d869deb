// SPDX-License-Identifier: Apache-2.0
/* A small chart: bus bandwidth of AllReduce and AlltoAll at 1 GiB over the number of hosts, each number a switch. */
import { h, s } from "../dom.js";
import { bandwidth, plural } from "../model.js";

const W = 300,
    H = 124,
    LEFT = 34,
    TOP = 22,
    BOTTOM = 20;

/** scaling: {hosts: [n], lines: [{name, values: [GB/s or null]}]}, what is known so far; pending: there will be more.
 * asked: the number of hosts in view. actions: hosts(n). */
export function scalingChart({ hosts, lines, pending }, asked, actions) {
    const most = Math.max(...lines.flatMap(({ values }) => values.filter((v) => v !== null)), 1);
    const step = (W - LEFT - 12) / (hosts.length - 1),
        x = (i) => LEFT + i * step,
        y = (value) => TOP + (1 - value / most) * (H - TOP - BOTTOM),
        at = hosts.indexOf(asked);
    const place = ({ values }) =>
        values.flatMap((value, i) => (value === null ? [] : [[x(i), y(value)]]));
    const called = (n, i) => {
        const known = lines.filter(({ values }) => values[i] !== null),
            said = known.map(({ name, values }) => `${name} ${bandwidth(values[i])} GB/s`);
        return `${plural(n, "host")}: ${said.join(", ") || "computing"}`;
    };
    return h("figure.scaling", { id: "scaling", "aria-busy": pending ? "true" : null }, [
        s(
            "svg",
            {
                viewBox: `0 0 ${W} ${H}`,
                role: "group",
                "aria-label": "Bus bandwidth at 1 GiB over the number of hosts",
            },
            s("text", { class: "axis", x: 0, y: 11 }, "GB/s at 1 GiB"),
            lines.map(({ name }, i) => [
                s("path", { class: `line l${i}`, d: `M${W - 168 + i * 92},7h14` }),
                s("text", { x: W - 150 + i * 92, y: 11 }, name),
            ]),
            [0, most].map((value) => [
                s("path", { class: "grid", d: `M${LEFT},${y(value)}H${W - 4}` }),
                s("text", { class: "y", x: LEFT - 6, y: y(value) + 4 }, [
                    bandwidth(Math.round(value)),
                ]),
            ]),
            at >= 0 && s("path", { class: "here", d: `M${x(at)},${TOP}V${H - BOTTOM}` }),
            lines.map((line, i) => [
                s("path", {
                    class: `line l${i}`,
                    d: place(line)
                        .map(([px, py], k) => `${k ? "L" : "M"}${px.toFixed(1)},${py.toFixed(1)}`)
                        .join(""),
                }),
                at >= 0 &&
                    line.values[at] !== null &&
                    s("circle", { class: `l${i}`, cx: x(at), cy: y(line.values[at]), r: 3 }),
            ]),
            hosts.map((n, i) =>
                s(
                    "g",
                    {
                        role: "button",
                        tabindex: "0",
                        "data-key": `scale:${n}`,
                        "aria-pressed": String(n === asked),
                        "aria-label": called(n, i),
                        onclick: () => actions.hosts(n),
                        onkeydown: (event) => {
                            if (event.key !== "Enter" && event.key !== " ") return;
                            event.preventDefault();
                            actions.hosts(n);
                        },
                    },
                    s("title", null, called(n, i)),
                    s("rect", { x: x(i) - step / 2, y: TOP - 4, width: step, height: H - TOP + 4 }),
                    s("text", { class: "x", x: x(i), y: H - 6 }, String(n)),
                ),
            ),
        ),
    ]);
}
