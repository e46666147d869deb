// SPDX-License-Identifier: Apache-2.0
/* A dump written for these tests: two GPUs with NVLink behind one CPU, a third after another, one NIC. */
const gpu = (bus, rank, links = "") =>
    `
      <pci busid="0000:${bus}:00.0" class="0x030200" vendor="0x10de" device="0x20b0" ` +
    `subsystem_vendor="0x10de" ` +
    `subsystem_device="0x134f" link_speed="16.0 GT/s PCIe" link_width="16">
        <gpu dev="${rank}" sm="80" rank="${rank}" gdr="1">${links}</gpu>
      </pci>`;
const nvlink = (bus) => `<nvlink target="0000:${bus}:00.0" count="4" tclass="0x030200"/>`;
const cpu = (numa, inside) =>
    `
  <cpu host_hash="0x1" numaid="${numa}" affinity="0000ffff" arch="x86_64" vendor="GenuineIntel" familyid="6" ` +
    `modelid="85">
    <pci busid="0000:${numa}0:00.0" class="0x060400" vendor="0x10b5" device="0x8747" ` +
    `subsystem_vendor="0x10b5" ` +
    `subsystem_device="0x8747" link_speed="16.0 GT/s PCIe" link_width="16">${inside}
    </pci>
  </cpu>`;

export const dump = `<system version="1">${cpu(
    0,
    gpu("1b", 0, nvlink("1c")) +
        gpu("1c", 1, nvlink("1b")) +
        `
      <pci busid="0000:1d:00.0" class="0x020000" vendor="0x15b3" device="0x101b" subsystem_vendor="0x15b3" ` +
        `subsystem_device="0x0007" link_speed="16.0 GT/s PCIe" link_width="16">
        <nic><net name="mlx5_0" dev="0" speed="200000" port="1" latency="0.000000" guid="0x1" ` +
        `maxconn="131072" ` +
        `gdr="1"/></nic>
      </pci>`,
)}${cpu(1, gpu("9b", 2))}
</system>
`;

export const ids = {
    gpu0: "GPU/0-1b000",
    gpu1: "GPU/0-1c000",
    gpu2: "GPU/0-9b000",
    net: "NET/0-0",
};

/* Line 4 ends an element that is not open. */
export const malformed = `<system version="1">
  <cpu numaid="0" arch="x86_64">
    <pci busid="0000:1b:00.0">
  </cpu>
</system>
`;

/** A machine with NVSwitches of this many GPUs and NICs, shared out evenly over PCIe switches, CPUs and hosts of
 * one
 * NVLink domain. */
export function machine({ gpus, nics, cpus = 1, switches = 1, hosts = 1 }) {
    const hex = (n, digits) => n.toString(16).padStart(digits, "0"),
        even = (all, parts, part) =>
            Array.from({ length: all }, (_, i) => i).filter(
                (i) => Math.floor((i * parts) / all) === part,
            );
    const bus = (kind, i) => `${hex(i >> 5, 4)}:${hex((i & 31) * 8 + kind, 2)}:00.0`;
    const device = (kind, i, type, rest) =>
        `<pci busid="${bus(kind, i)}" class="${type}" vendor="0x10de" device="0x2330" ` +
        `subsystem_vendor="0x10de" subsystem_device="0x16c1" link_speed="32.0 GT/s PCIe" link_width="16">
${rest}
</pci>`;
    const gpu = (i) =>
        device(
            1,
            i,
            "0x030200",
            `<gpu dev="${i}" sm="90" rank="${i}" gdr="1">
${gpus > 1 ? '<nvlink target="ffffffff:ff:ff.f" count="18" tclass="0x068000"/>' : ""}</gpu>`,
        );
    const nic = (i) =>
        device(
            4,
            i,
            "0x020000",
            `<nic>
<net name="mlx5_${i}" dev="${i}" speed="400000" port="1" latency="0.000000" guid="${hex(i + 1, 4)}" ` +
                `maxconn="131072" gdr="1"/></nic>`,
        );
    const bridge = (i) =>
        device(
            0,
            i,
            "0x060400",
            [...even(gpus, switches, i).map(gpu), ...even(nics, switches, i).map(nic)].join("\n"),
        );
    return `<system version="1">${even(cpus, 1, 0)
        .map(
            (numa) =>
                `<cpu host_hash="0x${hex(Math.floor((numa * hosts) / cpus) + 1, 1)}" ` +
                `numaid="${numa % Math.ceil(cpus / hosts)}" affinity="0000ffff" arch="x86_64" ` +
                `vendor="GenuineIntel" ` +
                `familyid="6" modelid="143">
${even(switches, cpus, numa).map(bridge).join("\n")}</cpu>`,
        )
        .join("\n")}</system>\n`;
}

/** A rack of 18 trays in one NVLink domain, each with two CPUs, and at each of them two GPUs and two NICs, as
 * GB200
 * NVL72 has them. */
const tray = (t) =>
    [0, 1]
        .map(
            (numa) =>
                `<cpu host_hash="0x${(t + 1).toString(16)}" numaid="${numa}" affinity="0000ffff" ` +
                `arch="arm64">${[0, 1]
                    .map((i) => {
                        const own = 2 * numa + i,
                            rank = 4 * t + own,
                            at = (kind, number, rest) =>
                                `<pci busid="000${numa}:${number}${i + 1}:00.0" class="${kind}" ` +
                                `vendor="0x10de" ` +
                                `device="0x2941" subsystem_vendor="0x10de" subsystem_device="0x1463" ` +
                                `link_speed="32.0 GT/s PCIe" ` +
                                `link_width="16">${rest}</pci>`;
                        return (
                            at(
                                "0x030200",
                                "0",
                                `<gpu dev="${own}" sm="100" rank="${rank}" gdr="1"><nvlink ` +
                                    `target="fffffff:ffff:ff" count="18" tclass="0x068000"/><c2c ` +
                                    `bw="44712" count="5"/></gpu>`,
                            ) +
                            at(
                                "0x020700",
                                "1",
                                `<nic><net name="mlx5_${own}" dev="${rank}" latency="0.000000" ` +
                                    `speed="400000" ` +
                                    `port="1" guid="0x${(rank + 16).toString(16)}" maxconn="131072" ` +
                                    `gdr="1"/></nic>`,
                            )
                        );
                    })
                    .join("")}</cpu>`,
        )
        .join("");
export const nvl72 =
    `<system version="1">${Array.from({ length: 18 }, (_, t) => tray(t)).join("\n")}` +
    `</system>\n`;
