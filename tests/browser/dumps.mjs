/* A dump written for these tests: two GPUs with NVLink behind one CPU, a third behind another, one NIC. */
const gpu = (bus, rank, links = "") => `
      <pci busid="0000:${bus}:00.0" class="0x030200" vendor="0x10de" device="0x20b0" subsystem_vendor="0x10de" subsystem_device="0x134f" link_speed="16.0 GT/s PCIe" link_width="16">
        <gpu dev="${rank}" sm="80" rank="${rank}" gdr="1">${links}</gpu>
      </pci>`;
const nvlink = (bus) => `<nvlink target="0000:${bus}:00.0" count="4" tclass="0x030200"/>`;
const cpu = (numa, inside) => `
  <cpu host_hash="0x1" numaid="${numa}" affinity="0000ffff" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85">
    <pci busid="0000:${numa}0:00.0" class="0x060400" vendor="0x10b5" device="0x8747" subsystem_vendor="0x10b5" subsystem_device="0x8747" link_speed="16.0 GT/s PCIe" link_width="16">${inside}
    </pci>
  </cpu>`;

export const dump = `<system version="1">${cpu(0, gpu("1b", 0, nvlink("1c")) + gpu("1c", 1, nvlink("1b")) + `
      <pci busid="0000:1d:00.0" class="0x020000" vendor="0x15b3" device="0x101b" subsystem_vendor="0x15b3" subsystem_device="0x0007" link_speed="16.0 GT/s PCIe" link_width="16">
        <nic><net name="mlx5_0" dev="0" speed="200000" port="1" latency="0.000000" guid="0x1" maxconn="131072" gdr="1"/></nic>
      </pci>`)}${cpu(1, gpu("9b", 2))}
</system>
`;

export const ids = { gpu0: "GPU/0-1b000", gpu1: "GPU/0-1c000", gpu2: "GPU/0-9b000", net: "NET/0-0" };

/* Line 4 ends an element that is not open. */
export const malformed = `<system version="1">
  <cpu numaid="0" arch="x86_64">
    <pci busid="0000:1b:00.0">
  </cpu>
</system>
`;
