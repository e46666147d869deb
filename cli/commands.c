/* SPDX-License-Identifier: Apache-2.0 */
/* The commands. --help prints the first paragraph of a help text and the first two examples; `orrery help COMMAND`, the
 * manual pages and docs/reference have the whole text. */
#include <string.h>

#include "cli/options.h"

#define NONE ORR_TOPICS(ORR_TOPIC_END)

const struct orr_command orr_commands[] = {
    {"serve", "", "run the HTTP service with its web page",
     "Serves the page and the API under /v1, which GET /openapi.yaml describes. Prints the address once it is ready. "
     "SIGTERM ends the service with status 0 after it has finished the requests under way; SIGHUP makes it read tokens "
     "and certificate again.\n\n"
     "  orrery serve --listen 127.0.0.1:8080\n"
     "  orrery serve --check-config --token-file tokens    (prints the settings in force)\n\n"
     "Every setting is also an environment variable, which a flag overrides: --max-body is ORRERY_MAX_BODY. Times are "
     "seconds, or 500ms, 5m, 2h; bytes may be written 64K, 16M, 1G. --check-config prints what is in force and where "
     "it comes from.\n",
     ORR_CMD_SERVE, NONE, ORR_NO_FILE, orr_command_serve},
    {"show", "[FILE|-]", "print a report on a machine; `orrery FILE` does the same",
     "Prints what the machine is, the verdict, the findings with their costs, what NCCL does on it, and the bus "
     "bandwidth to expect. --against adds what changes with another release or setting, or what differs from another "
     "file or machine type. --verbose adds the settings that help.\n\n"
     "  orrery show --hosts 4 --release 2.27.7 topo.xml\n"
     "  nvidia-smi topo -m | orrery show --matrix -\n"
     "  orrery show --machine hgx-h100\n"
     "  orrery show --tree topo.xml            (what is connected to what)\n"
     "  orrery show --hosts 1,2,4 topo.xml     (the bandwidths on each number)\n"
     "  orrery show --against dgx-h100 topo.xml\n\n"
     "The report begins with the machine, the verdict and the findings. Then come channels, rings, NVLS and "
     "bandwidths, the paths between GPUs and NICs, and the NIC of each GPU. It ends with its assumptions and with "
     "commands that answer further questions. On a terminal, long text goes to $PAGER. COLUMNS overrides the "
     "terminal's width.\n",
     ORR_CMD_ASKING | ORR_CMD_TEXT | ORR_CMD_SHOW | ORR_CMD_VERBOSE | ORR_CMD_CAVEAT,
     ORR_TOPICS(ORR_TOPICS_CLUSTER, ORR_TOPIC_SHOWN, ORR_TOPIC_READING, ORR_TOPIC_DEVICE, ORR_TOPIC_MACHINE,
                ORR_TOPIC_RANKS, ORR_TOPIC_AGAINST),
     ORR_ONE_FILE, orr_command_show},
    {"analyze", "[FILE|-]", "print everything that NCCL decides on a machine, as JSON",
     "Reads a topology dump (NCCL_TOPO_DUMP_FILE) from FILE or standard input and prints the whole analysis as JSON. "
     "On a terminal it prints the report of `orrery show`, unless --json is given. A release that Orrery does not know "
     "needs --nearest here, because programs read the answer; other commands use the nearest and say so.\n\n"
     "  orrery analyze --hosts 2 --set NCCL_CROSS_NIC=1 topo.xml\n"
     "  orrery analyze --section paths --pretty topo.xml\n"
     "  orrery analyze --release 2.21.5 --against 2.30.7 --against NCCL_NVLS_ENABLE=0 topo.xml\n",
     ORR_CMD_ASKING | ORR_CMD_ANALYZE | ORR_CMD_TEXT | ORR_CMD_CAVEAT | ORR_CMD_EXACT,
     ORR_TOPICS(ORR_TOPICS_ANALYSIS, ORR_TOPIC_MACHINE, ORR_TOPIC_RANKS, ORR_TOPIC_AGAINST, ORR_TOPIC_SECTION),
     ORR_ONE_FILE, orr_command_analyze},
    {"channels", "[FILE|-]", "print the rings and trees of up to 131,072 ranks",
     "Writes the rings and trees of a communicator as JSON while it computes them, for up to 131072 ranks.\n\n"
     "  orrery channels --hosts 16384 topo.xml > channels.json\n"
     "  orrery channels --cluster cluster.json --lines | head -2\n",
     ORR_CMD_ASKING | ORR_CMD_STREAMING | ORR_CMD_TEXT, ORR_TOPICS(ORR_TOPICS_PLAN, ORR_TOPIC_MACHINE, ORR_TOPIC_RANKS),
     ORR_ONE_FILE, orr_command_channels},
    {"p2p", "[FILE|-]", "print the point-to-point schedule: who sends to whom in which round",
     "Writes the rounds in which ranks send to and receive from each other, as JSON, while it computes them. Each "
     "round lists the peers, the channels and the transport: P2P with its path, SHM, or NET with the NIC and the rank "
     "that drives it (another rank with PXN).\n\n"
     "  orrery p2p --hosts 16384 --ranks 0-1 --lines topo.xml | head -3\n"
     "  orrery p2p --cluster cluster.json --layout tp=4,dp=8,ep=4 --group ep:0\n"
     "  orrery p2p topo.xml\n",
     ORR_CMD_ASKING | ORR_CMD_STREAMING | ORR_CMD_TEXT,
     ORR_TOPICS(ORR_TOPICS_PLAN, ORR_TOPIC_MACHINE, ORR_TOPIC_RANKS, ORR_TOPIC_LAYOUT, ORR_TOPIC_GROUP,
                ORR_TOPIC_SCHEDULE),
     ORR_ONE_FILE, orr_command_p2p},
    {"groups", "[FILE|-]", "analyse tensor, pipeline, data and expert parallel groups",
     "Analyses the groups into which training frameworks split a communicator: the channels of each kind of group, and "
     "the traffic that its rings cause on the hosts' NICs. Ranks are numbered through tp, cp, dp, pp in this order, or "
     "as order=... says. One size may be *, and dp may be left out.\n\n"
     "  orrery groups --hosts 64 --layout tp=8,pp=4 topo.xml\n"
     "  orrery groups --cluster cluster.json --layout tp=4,pp=2,dp=8,ep=4,order=tp-pp-dp\n",
     ORR_CMD_ASKING | ORR_CMD_GROUPS | ORR_CMD_TEXT,
     ORR_TOPICS(ORR_TOPICS_PLAN, ORR_TOPIC_MACHINE, ORR_TOPIC_RANKS, ORR_TOPIC_LAYOUT), ORR_ONE_FILE,
     orr_command_groups},
    {"order", "[FILE|-]", "find the order of hosts and ranks with the highest bandwidth",
     "Tries orders of the hosts, and of the GPUs within them, and prints the one with the highest predicted busbw. "
     "With --layout it prints the order in which the groups load the busiest NIC least. It compares the answer with "
     "the present order, and says whether it is proven best or only the best of those tried.\n\n"
     "  orrery order --cluster cluster.json --layout tp=8,pp=4,dp=16\n"
     "  orrery order --cluster cluster.json --layout tp=8 --format slurm > hosts\n"
     "  orrery order --cluster cluster.json --collective sendrecv --size 64M\n"
     "  SLURM_HOSTFILE=hosts srun --distribution=arbitrary ./train\n"
     "  orrery order --cluster cluster.json --format rankfile > ranks      (Open MPI: mpirun --rankfile ranks)\n\n"
     "Leaf switches matter if the cluster file names them (\"switch\"). Host names come from \"names\" in the cluster "
     "file, or else from the names of the topology files. Prints text on a terminal and JSON elsewhere; --format "
     "chooses.\n",
     ORR_CMD_ASKING | ORR_CMD_LIST | ORR_CMD_COLOR,
     ORR_TOPICS(ORR_TOPICS_PLAN, ORR_TOPIC_MACHINE, ORR_TOPIC_RANKS, ORR_TOPIC_ORDER), ORR_ONE_FILE, orr_command_order},
    {"predict", "[FILE|-]", "print the table that nccl-tests should print on a machine",
     "Prints time, algbw and busbw of each size, in nccl-tests' own layout, and what limits large messages. A terminal "
     "of fewer than 116 columns gets a shorter table.\n\n"
     "  orrery predict --machine hgx-h100 --hosts 2\n"
     "  orrery predict --machine hgx-h100 --hosts 2 --collective alltoall --sizes 1M:8G:4\n"
     "  orrery predict --release 2.27.7 --collective AllGather --sizes 1G topo.xml\n"
     "  orrery predict --set NCCL_ALGO=Ring --json topo.xml\n\n"
     "Collective operations use NCCL's tuning model. alltoall, sendrecv, gather, scatter and hypercube use a model of "
     "the links that their transfers share. Lines that start with # name the algorithm, protocol and channels that "
     "NCCL uses from that size on.\n",
     ORR_CMD_ASKING | ORR_CMD_LIST | ORR_CMD_COLOR | ORR_CMD_CAVEAT,
     ORR_TOPICS(ORR_TOPICS_PREDICT, ORR_TOPIC_MACHINE, ORR_TOPIC_RANKS), ORR_ONE_FILE, orr_command_predict},
    {"scaling", "[FILE|-]", "print the bandwidths on 1, 2, 4 ... hosts, also against another release or setting",
     "Prints the predicted bus bandwidth of AllReduce, AllGather, ReduceScatter and AlltoAll at 1 MiB and 1 GiB for a "
     "job on 1, 2, 4 ... and all hosts. In a cluster, a smaller job takes the first hosts in the order of the ranks. "
     "--against puts another release or setting beside it.\n\n"
     "  orrery scaling --cluster cluster.json\n"
     "  orrery scaling --machine hgx-h100 --hosts 64 --release 2.21.5 --against 2.30.7\n"
     "  orrery scaling --machine hgx-h100 --hosts 1,2,12\n"
     "  orrery scaling --cluster cluster.json --rank-order switch --against NCCL_CROSS_NIC=1 --json\n",
     ORR_CMD_ASKING | ORR_CMD_LIST | ORR_CMD_COLOR,
     ORR_TOPICS(ORR_TOPICS_CLUSTER, ORR_TOPIC_READING, ORR_TOPIC_MACHINE, ORR_TOPIC_RANKS, ORR_TOPIC_SCALING),
     ORR_ONE_FILE, orr_command_scaling},
    {"place", "[FILE|-]", "find the GPUs of a host that a job should take",
     "Compares sets of GPUs by the bus bandwidth that NCCL's own model predicts for them. Prints the best sets, with "
     "the NICs that NCCL would use and what other jobs would still get.\n\n"
     "  orrery place --count 4 --hosts 2 topo.xml              (four GPUs on each of two hosts)\n"
     "  orrery place --compare 0,1,2,3 --hosts 2 topo.xml      (what a scheduler's choice costs)\n"
     "  orrery place --count 2 --free 0,1,4,5,6,7 --machine dgx-1v          (GPUs 2 and 3 are busy)\n"
     "  orrery place --count 4 --nics 2 --hosts 2 topo.xml                 (which two NICs to give the job)\n"
     "  orrery place --jobs 4,2,2 --pack worst topo.xml                    (three jobs at once)\n"
     "  orrery place --count 4 --hosts 1:3,16:1 --collective alltoall topo.xml\n\n"
     "GPUs are numbered from 0, in the order of their ranks in the dump. Sets with the same figures share a line, "
     "which says how many there are. Ties go to the set that leaves the most for other jobs: the bandwidth of the best "
     "further job of the same size, then that of all GPUs that stay free. All hosts are assumed to be identical, and "
     "the job to use the same GPUs on each. Prints text on a terminal and JSON elsewhere; --text and --json choose.\n",
     ORR_CMD_PLACE | ORR_CMD_COLOR | ORR_CMD_VERBOSE, ORR_TOPICS(ORR_TOPICS_PLACE, ORR_TOPIC_MACHINE), ORR_ONE_FILE,
     orr_command_place},
    {"explain", "[FILE|-]", "explain why NCCL made a decision, and which settings would change it",
     "Answers in two or three sentences. Then it gives the evidence: the release's rule, the values that the rule "
     "compares, the limiting link, the settings that would change the decision, and the assumptions. Orrery tries each "
     "of these settings in an analysis of its own.\n\n"
     "  orrery explain --why p2p --from 0 --to 3 topo.xml\n"
     "  orrery explain --why graph --graph tree topo.xml\n"
     "  orrery explain --why p2p --from GPU/0-1b000 --to GPU/0-5c000 topo.xml\n"
     "  orrery explain --hosts 2 --why gdr --from rank:0 --to NET/0-0 topo.xml   (sending; --from NET/0-0: receiving)\n"
     "  orrery explain --why path --from 0 --to CPU/0-1 topo.xml\n"
     "  orrery explain --hosts 2 --why nic --from 0 --channel 1 topo.xml\n"
     "  orrery explain --hosts 2 --why pxn --from 0 --to NET/0-3 topo.xml\n"
     "  orrery explain --why tree topo.xml                         (also: channels, nvls)\n"
     "  orrery explain --why algorithm --collective AllGather --bytes 64M --json topo.xml\n",
     ORR_CMD_ASKING | ORR_CMD_LIST | ORR_CMD_EXPLAIN | ORR_CMD_COLOR | ORR_CMD_VERBOSE | ORR_CMD_CAVEAT,
     ORR_TOPICS(ORR_TOPICS_ANALYSIS, ORR_TOPIC_MACHINE, ORR_TOPIC_RANKS, ORR_TOPIC_WHY), ORR_ONE_FILE,
     orr_command_explain},
    {"render", "[FILE|-]", "draw a machine, or a ring, tree or path in it",
     "Draws the topology as NCCL sees it, or one ring, tree or path in it, as SVG, PNG or PDF.\n\n"
     "  orrery render --output machine.svg topo.xml\n"
     "  orrery render --hosts 2 --view ring --channel 3 --format png --output ring.png topo.xml\n"
     "  orrery render --view path --from rank:0 --to rank:5 topo.xml > path.svg\n",
     ORR_CMD_ASKING | ORR_CMD_RENDER | ORR_CMD_CAVEAT,
     ORR_TOPICS(ORR_TOPICS_ANALYSIS, ORR_TOPIC_MACHINE, ORR_TOPIC_RANKS, ORR_TOPIC_DRAWING, ORR_TOPIC_RENDER),
     ORR_ONE_FILE, orr_command_render},
    {"compare", "FILE_A FILE_B | --machine TYPE FILE | --majority FILE...",
     "compare two machines, or find the ones that differ from most others",
     "Prints the bus bandwidth of both machines, the hardware that differs, and the decisions that NCCL makes "
     "differently. Devices are matched by their role in the machine, not by bus id. With --majority it finds which of "
     "several dumps differ from most, and how.\n\n"
     "  orrery compare good.xml bad.xml\n"
     "  orrery compare --majority rack7/*.xml\n"
     "  orrery compare --hosts 16 --json good.xml bad.xml\n"
     "  orrery compare --machine dgx-h100 topo.xml     (with what that machine type should have)\n\n"
     "Identical dumps are read once. Prints text on a terminal and JSON elsewhere; --text and --json choose. The exit "
     "status is 0 even if the machines differ.\n",
     ORR_CMD_COMPARE | ORR_CMD_COLOR | ORR_CMD_VERBOSE, ORR_TOPICS(ORR_TOPICS_COMPARED, ORR_TOPIC_MACHINE), ORR_FILES,
     orr_command_compare},
    {"detect", "[FILE|-]", "write this machine's topology, as NCCL would dump it",
     "Writes the topology XML that NCCL would dump on this machine, from /sys, /proc and the NVIDIA driver. It also "
     "works if some of them are missing; standard error then says what is missing or assumed, and what to do.\n\n"
     "  orrery detect --output machine.xml\n"
     "  orrery detect --release 2.21.5 --running | orrery analyze\n"
     "  orrery detect --post https://hub.example:8080 --token-file token --label rack=12\n\n"
     "FILE is an archive made by `orrery gather` on another machine. NCCL_* settings come from --set, the environment "
     "and nccl.conf.\n",
     ORR_CMD_DETECT, ORR_TOPICS(ORR_TOPIC_RELEASE, ORR_TOPIC_RECORD), ORR_ONE_FILE, orr_command_detect},
    {"gather", "[FILE|-]", "pack what detect reads on a machine, so that you can send it",
     "Packs the part of /sys and /proc that `orrery detect` reads, and the answers of the NVIDIA driver, into a small "
     "tar (gzip) of at most 8 MiB. It leaves out the host name, boot id, addresses and serial numbers. GUIDs of RDMA "
     "devices are included, as in NCCL's own dump.\n\n"
     "  orrery gather machine.tar.gz\n"
     "  orrery detect machine.tar.gz > machine.xml\n",
     ORR_CMD_GATHER, NONE, ORR_ONE_FILE, orr_command_gather},
    {"gate", "[FILE|-]", "check whether this node is fit for a job",
     "Compares this node with what it should be: a machine type, another node's dump, or a typical host of those in a "
     "service. One line says whether the node is fit, what a fault costs, and why. The exit status is 0 if the node is "
     "fit, 3 if it is degraded, and 4 if it cannot be judged.\n\n"
     "  orrery gate --expect dgx-h100\n"
     "  orrery gate --expect fleet:label=rack%3D7 --server https://hub.example:8080 --token-file token\n"
     "  orrery gate --expect good.xml --min-busbw 0.95 --allow slow-link --json\n"
     "  orrery gate --expect hgx-h100 topo.xml\n\n"
     "The node is fit if no finding with a cost makes it worse, no GPU or NIC is missing, and AllReduce gets at least "
     "--min-busbw of the expected bus bandwidth. It cannot be judged if detection fails, if time is up, or if it is "
     "another kind of machine. Without FILE, gate detects the node, with PCIe links as they run; it makes no CUDA "
     "context, so a job may run at the same time.\n",
     ORR_CMD_GATE | ORR_CMD_COLOR, ORR_TOPICS(ORR_TOPICS_GATE, ORR_TOPIC_MACHINE), ORR_ONE_FILE, orr_command_gate},
    {"check-log", "[LOG|-]", "say what an NCCL debug log shows, and compare it with the prediction",
     "Reads an NCCL debug log as people paste it, and says whether the job worked, which errors it had, and where the "
     "log differs from the prediction for the machine. Mixed ranks, launcher prefixes, colours and wrapped lines are "
     "fine. Release and settings come from the log unless you give them.\n\n"
     "  orrery check-log job.log\n"
     "  orrery check-log --topology topo.xml job.log\n"
     "  orrery check-log --topology provider.xml --assume p4d.24xlarge job.log\n"
     "  orrery check-log --machine dgx-h100 --json job.log\n"
     "  orrery check-log --extract job.log > topo.xml\n\n"
     "Without --topology or --machine, the machine is the one whose tree the log prints, or the machine type that its "
     "lines imply. A file of NCCL_GRAPH_DUMP_FILE can take the place of the log.\n",
     ORR_CMD_CHECK_LOG | ORR_CMD_COLOR | ORR_CMD_VERBOSE | ORR_CMD_CAVEAT,
     ORR_TOPICS(ORR_TOPICS_LOG, ORR_TOPIC_MACHINE), ORR_ONE_FILE, orr_command_check_log},
    {"check-perf", "[RESULTS|-]", "say whether results of nccl-tests are what the machine should give",
     "Reads what nccl-tests printed and judges each row by the prediction and by the range of published results. If "
     "the results are low, it names configurations that would explain them. The exit status is 0 if the results are as "
     "expected or higher, 3 if they are low, and 4 if they cannot be judged.\n\n"
     "  ./all_reduce_perf -b 8 -e 8G -f 2 -g 8 | orrery check-perf --machine hgx-h100\n"
     "  orrery check-perf --topology topo.xml --hosts 2 results.txt\n"
     "  orrery check-perf --machine p5.48xlarge --hosts 4 --collective all_reduce rows.txt\n\n"
     "Any version of nccl-tests will do, with several tables, NCCL's own lines and launcher prefixes; so will CSV, "
     "Markdown and the JSON of -J. The machine is --topology FILE or --machine TYPE, or else what NCCL's lines or the "
     "GPU names show.\n",
     ORR_CMD_CHECK_PERF | ORR_CMD_COLOR | ORR_CMD_VERBOSE, ORR_TOPICS(ORR_TOPICS_PERF, ORR_TOPIC_MACHINE), ORR_ONE_FILE,
     orr_command_check_perf},
    {"facts", "[FILE...|-]", "write facts about machines in the formats of other programs",
     "Writes what Orrery knows about machines in the format of another program, and claims nothing that it does not "
     "know.\n\n"
     "  orrery detect | orrery facts --format nfd --output /etc/kubernetes/node-feature-discovery/features.d/orrery\n"
     "  orrery facts --format slurm-block --cluster cluster.json --output topology.conf\n"
     "  orrery facts --machine hgx-h100 --release 2.27.7\n"
     "  orrery facts --format topograph topo.xml\n"
     "  orrery facts --format slurm-drain --cluster cluster.json\n\n"
     "nfd writes labels of a Kubernetes node, as a feature file of Node Feature Discovery. topograph writes the NICs "
     "closest to each GPU on each rail. slurm-tree, slurm-block and slurm-yaml write the leaf switches and NVLink "
     "domains of the hosts of a cluster file, as Slurm's topology.conf and topology.yaml. faults-csv, slurm-drain and "
     "kubernetes-cordon write the hosts of a cluster file that have faults, with the gain of each repair.\n",
     ORR_CMD_COPY | ORR_CMD_FACTS,
     ORR_TOPICS(ORR_TOPICS_CLUSTER, ORR_TOPIC_READING, ORR_TOPIC_MACHINE, ORR_TOPIC_RANKS, ORR_TOPIC_FACTS), ORR_FILES,
     orr_command_facts},
    {"releases", "", "list the NCCL releases that Orrery knows",
     "Lists the NCCL releases that Orrery knows, by minor release, with what is special about each and which tags "
     "behave alike.\n\n"
     "  orrery releases\n"
     "  orrery releases --release 2.30.7      (everything that differs from the release before)\n",
     ORR_CMD_LIST, ORR_TOPICS(ORR_TOPIC_RELEASE), ORR_NO_FILE, orr_command_releases},
    {"settings", "", "list the NCCL settings, or find those that help on a machine",
     "Lists the NCCL_* settings that change what Orrery computes, with defaults and meaning. With --for FILE or "
     "--machine TYPE it tries the settings that people change, and says which of them help on that machine.\n\n"
     "  orrery settings --release 2.21.5\n"
     "  orrery settings --for topo.xml --hosts 4\n",
     ORR_CMD_ASKING | ORR_CMD_LIST | ORR_CMD_SETTINGS, ORR_TOPICS(ORR_TOPICS_PLAN, ORR_TOPIC_MACHINE, ORR_TOPIC_RANKS),
     ORR_NO_FILE, orr_command_settings},
    {"convert", "[FILE|-]", "convert any description of a machine to NCCL's topology XML",
     "Reads a description of a machine in any supported format and prints it as NCCL would write it. Standard error "
     "says what was assumed or is missing.\n\n"
     "  nvidia-smi topo -m | orrery convert > topo.xml\n"
     "  orrery convert --assume p4d.24xlarge provider.xml > topo.xml\n\n"
     "The formats are NCCL's topology XML (also with text around it), hwloc XML, the output of nvidia-smi topo -m, an "
     "NCCL log with its tree, and an archive of `orrery gather`.\n",
     ORR_CMD_COPY, ORR_TOPICS(ORR_TOPIC_READING, ORR_TOPIC_MACHINE, ORR_TOPIC_RELEASE), ORR_ONE_FILE,
     orr_command_convert},
    {"vm-file", "[FILE|-]", "make a topology file for a virtual machine from a dump of the real one",
     "Keeps the CPUs, the switches, and the places and links of GPUs and NICs, with the bus ids of the virtual "
     "machine. Removes the GPUs and NICs themselves, which NCCL fills in. Set NCCL_TOPO_FILE to the result in the "
     "virtual machine.\n\n"
     "  orrery vm-file --gpus 0000:00:05.0,0000:00:06.0 --nics 0000:00:07.0 metal.xml > vm.xml\n"
     "  orrery vm-file --gpus 0000:1b:00.0=0000:00:05.0 metal.xml > vm.xml      (one GPU of many)\n",
     ORR_CMD_COPY, ORR_TOPICS(ORR_TOPIC_VM, ORR_TOPIC_MACHINE), ORR_ONE_FILE, orr_command_vm_file},
    {"anonymise", "[FILE|-]", "copy a dump or log without names of hosts and people",
     "Replaces each host name, GUID, hash, address, serial number and user name by the same substitute everywhere. "
     "Keeps bus ids, device names, models and numbers, because the analysis depends on them; the copy analyses the "
     "same.\n\n"
     "  orrery anonymise job.log > public.log\n"
     "  orrery anonymise --output public.xml topo.xml\n",
     ORR_CMD_COPY, NONE, ORR_ONE_FILE, orr_command_anonymise},
    {"machines", "", "list the machine types that --machine and --assume know",
     "Lists well-known machines from public data sheets. --machine uses one in place of a file; --assume fills in what "
     "an input does not contain.\n\n"
     "  orrery machines\n"
     "  orrery show --machine hgx-h100\n",
     ORR_CMD_LIST, NONE, ORR_NO_FILE, orr_command_machines},
    {"token", "NAME", "make a token for a user of the service",
     "Makes a random token. The token itself goes to standard error, for its owner, and is stored nowhere. The line "
     "for the token file, with only the token's SHA-256, goes to standard output. `orrery serve` reads the token file "
     "again on SIGHUP.\n\n"
     "  orrery token ci --scope read,write >> tokens\n"
     "  orrery serve --token-file tokens\n"
     "  curl -H \"Authorization: Bearer TOKEN\" http://127.0.0.1:8080/v1/topologies\n",
     ORR_CMD_TOKEN, NONE, ORR_ONE_FILE, orr_command_token},
};
const size_t orr_command_count = sizeof orr_commands / sizeof orr_commands[0];

const struct orr_command *orr_command_find(const char *name)
{
    for (size_t i = 0; i < orr_command_count; i++)
        if (!strcmp(orr_commands[i].name, name))
            return &orr_commands[i];
    return NULL;
}
