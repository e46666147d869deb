/* SPDX-License-Identifier: Apache-2.0 */
/* orrery: one program, a table of commands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/http/api.h"
#include "cli/describe.h"
#include "cli/service.h"
#include "cli/terminal.h"
#include "engine/base/version.h"

#define NONE ORR_TOPICS(ORR_TOPIC_END)

static const struct orr_command commands[] = {
    {"serve", "", "the HTTP service with its page",
     "Serves the page and the API under /v1 (GET /openapi.yaml describes it). Prints the address once it is ready.\n"
     "SIGTERM lets requests under way finish and ends with status 0; SIGHUP reads tokens and certificate again.\n\n"
     "Each setting can be an environment variable, which a flag overrides: --max-body as ORRERY_MAX_BODY.\n"
     "Times are seconds, or 500ms, 5m, 2h; bytes may be written 64K, 16M, 1G.\n"
     "`orrery serve --check-config ...` prints what is in force and where it comes from.\n\n"
     "  orrery serve --listen 127.0.0.1:8080\n",
     ORR_CMD_SERVE, NONE, ORR_NO_FILE, orr_command_serve},
    {"show", "[FILE|-]", "a report on a machine for people; `orrery FILE` prints it too",
     "Prints a report: what the machine is, the verdict, and findings with what they cost. Then comes what NCCL does "
     "on it\n"
     "(channels, rings, NVLS, bandwidths), the bus bandwidth to expect of AllReduce, the paths between GPUs and NICs, "
     "and\n"
     "the NIC of each GPU. It ends with what is assumed, and with commands that answer further questions. --against "
     "adds\n"
     "what changes with another release or setting, or what differs from another file or machine type.\n"
     "Long text goes to $PAGER on a terminal. The text is as wide as the terminal, or as COLUMNS says.\n\n"
     "  orrery show topo.xml\n"
     "  orrery show --hosts 4 --release 2.27.7 topo.xml\n"
     "  orrery show --machine hgx-h100\n"
     "  orrery show --tree topo.xml            (what is connected to what)\n"
     "  nvidia-smi topo -m | orrery show --matrix -\n"
     "  orrery show --against dgx-h100 topo.xml\n",
     ORR_CMD_ASKING | ORR_CMD_TEXT | ORR_CMD_SHOW,
     ORR_TOPICS(ORR_TOPICS_ANALYSIS, ORR_TOPIC_MACHINE, ORR_TOPIC_AGAINST), ORR_ONE_FILE, orr_command_show},
    {"analyze", "[FILE|-]", "what NCCL makes of a topology dump, as JSON",
     "Reads a topology dump (NCCL_TOPO_DUMP_FILE) from FILE or standard input and prints the whole analysis as "
     "JSON.\nOn a terminal it prints the report of `orrery show`; --json prints JSON there too.\n\n"
     "  orrery analyze --hosts 2 --set NCCL_CROSS_NIC=1 topo.xml\n"
     "  orrery analyze --section paths --pretty topo.xml\n"
     "  orrery analyze --release 2.21.5 --against 2.30.7 --against NCCL_NVLS_ENABLE=0 topo.xml\n",
     ORR_CMD_ASKING | ORR_CMD_ANALYZE | ORR_CMD_TEXT,
     ORR_TOPICS(ORR_TOPICS_ANALYSIS, ORR_TOPIC_MACHINE, ORR_TOPIC_AGAINST, ORR_TOPIC_SECTION), ORR_ONE_FILE,
     orr_command_analyze},
    {"channels", "[FILE|-]", "rings and trees of any number of ranks, written as they are made",
     "Writes the rings and trees of a communicator as JSON while they are made, for up to 131072 ranks.\n\n"
     "  orrery channels --hosts 16384 topo.xml > channels.json\n"
     "  orrery channels --cluster cluster.json --lines | head -2\n",
     ORR_CMD_ASKING | ORR_CMD_STREAMING | ORR_CMD_TEXT, ORR_TOPICS(ORR_TOPICS_PLAN, ORR_TOPIC_MACHINE), ORR_ONE_FILE,
     orr_command_channels},
    {"p2p", "[FILE|-]", "the point-to-point schedule: who sends to whom in which round, over what",
     "Writes the rounds in which ranks send to and receive from each other, as JSON while they are made. Each has the "
     "peers,\n"
     "the channels, and what they use: P2P (with the path), SHM, or NET with the NIC and the rank that drives it "
     "(another\n"
     "one by PXN).\n\n"
     "  orrery p2p topo.xml\n"
     "  orrery p2p --hosts 16384 --ranks 0-1 --lines topo.xml | head -3\n"
     "  orrery p2p --cluster cluster.json --layout tp=4,dp=8,ep=4 --group ep:0\n",
     ORR_CMD_ASKING | ORR_CMD_STREAMING | ORR_CMD_TEXT,
     ORR_TOPICS(ORR_TOPICS_PLAN, ORR_TOPIC_MACHINE, ORR_TOPIC_LAYOUT, ORR_TOPIC_GROUP, ORR_TOPIC_SCHEDULE),
     ORR_ONE_FILE, orr_command_p2p},
    {"groups", "[FILE|-]", "tensor, pipeline, data and expert parallel groups on a cluster",
     "Analyses the groups into which training frameworks split a communicator: each kind of group with its "
     "channels,\nand the traffic that its rings cause on the hosts' NICs. Ranks are numbered through tp, cp, dp, pp in "
     "this order,\nor as order=... says. One size may be *; dp may be left out.\n\n"
     "  orrery groups --hosts 64 --layout tp=8,pp=4 topo.xml\n"
     "  orrery groups --cluster cluster.json --layout tp=4,pp=2,dp=8,ep=4,order=tp-pp-dp\n",
     ORR_CMD_ASKING | ORR_CMD_GROUPS | ORR_CMD_TEXT, ORR_TOPICS(ORR_TOPICS_PLAN, ORR_TOPIC_MACHINE, ORR_TOPIC_LAYOUT),
     ORR_ONE_FILE, orr_command_groups},
    {"order", "[FILE|-]", "the order of hosts and ranks with the best prediction",
     "Tries orders of the hosts, and of the GPUs within them, and prints the one with the highest predicted busbw. "
     "With\n"
     "--layout it is the one in which the groups load the busiest NIC least. It says what the present order gets, and "
     "whether\n"
     "the answer is proven or the best of those tried. Leaf switches count where the cluster file has them "
     "(\"switch\").\n"
     "Text on a terminal and JSON elsewhere; --format chooses. Hosts are called as \"names\" in the cluster file "
     "says,\n"
     "else after their topology files.\n\n"
     "  orrery order --cluster cluster.json --layout tp=8,pp=4,dp=16\n"
     "  orrery order --cluster cluster.json --collective sendrecv --size 64M\n"
     "  orrery order --cluster cluster.json --layout tp=8 --format slurm > hosts\n"
     "  SLURM_HOSTFILE=hosts srun --distribution=arbitrary ./train\n"
     "  orrery order --cluster cluster.json --format rankfile > ranks      (Open MPI: mpirun --rankfile ranks)\n",
     ORR_CMD_ASKING | ORR_CMD_LIST, ORR_TOPICS(ORR_TOPICS_PLAN, ORR_TOPIC_MACHINE, ORR_TOPIC_ORDER), ORR_ONE_FILE,
     orr_command_order},
    {"predict", "[FILE|-]", "the table that nccl-tests should print: time, algbw and busbw of each size",
     "Prints what nccl-tests should print on a machine, in nccl-tests' own layout, so that it can be put beside a "
     "run.\nCollective operations use NCCL's tuning model; alltoall, sendrecv, gather, scatter and hypercube use a "
     "model of\nthe links that their transfers share. Lines that start with # say which algorithm, protocol and "
     "channels NCCL\nuses from there on, and what limits large messages. The table is printed to pipes as well; "
     "--json prints JSON.\n\n"
     "  orrery predict --machine hgx-h100 --hosts 2\n"
     "  orrery predict --machine hgx-h100 --hosts 2 --collective alltoall --sizes 1M:8G:4\n"
     "  orrery predict --release 2.27.7 --collective AllGather --sizes 1G topo.xml\n"
     "  orrery predict --set NCCL_ALGO=Ring --json topo.xml\n",
     ORR_CMD_ASKING | ORR_CMD_LIST, ORR_TOPICS(ORR_TOPICS_PREDICT, ORR_TOPIC_MACHINE), ORR_ONE_FILE,
     orr_command_predict},
    {"place", "[FILE|-]", "which GPUs of a host a job should take, by predicted bandwidth",
     "Compares sets of GPUs by the bus bandwidth that NCCL's own model predicts for them, and prints the best ones "
     "with the\n"
     "NICs that NCCL would use. GPUs are numbers from 0, in the order of their ranks in the dump. Sets with the same "
     "figures\n"
     "are listed once, with their number. Of equally fast sets, the one comes first that leaves the most to other "
     "jobs. That is\n"
     "the bandwidth of the best further job of the same size, then that of all GPUs that stay free.\n"
     "Hosts are taken to be the same, and the job to take the same GPUs on each.\n"
     "Prints text on a terminal and JSON elsewhere; --text and --json choose.\n\n"
     "  orrery place --count 4 --hosts 2 topo.xml                          (four GPUs on each of two hosts)\n"
     "  orrery place --count 2 --free 0,1,4,5,6,7 --machine dgx-1v          (the others are taken)\n"
     "  orrery place --compare 0,1,2,3 --hosts 2 topo.xml                  (what a scheduler's choice costs)\n"
     "  orrery place --count 4 --nics 2 --hosts 2 topo.xml                 (which two NICs to give the job)\n"
     "  orrery place --jobs 4,2,2 --pack worst topo.xml                    (three jobs at once)\n"
     "  orrery place --count 4 --hosts 1:3,16:1 --collective alltoall topo.xml\n",
     ORR_CMD_PLACE, ORR_TOPICS(ORR_TOPICS_PLACE, ORR_TOPIC_MACHINE), ORR_ONE_FILE, orr_command_place},
    {"explain", "[FILE|-]", "why NCCL made a decision, and which settings would change it",
     "Explains one decision. First comes the answer in two or three sentences. Then comes the evidence: the release's "
     "rule,\n"
     "the values that it compares and their origin, the limiting link, which settings would change the decision, and "
     "what is\n"
     "assumed. Orrery analyses the machine with each of these settings to find out.\n\n"
     "  orrery explain --why p2p --from 0 --to 3 topo.xml          (ranks; or ids: --from GPU/0-1b000)\n"
     "  orrery explain --hosts 2 --why gdr --from rank:0 --to NET/0-0 topo.xml   (sending; the other way: receiving)\n"
     "  orrery explain --why path --from 0 --to CPU/0-1 topo.xml\n"
     "  orrery explain --hosts 2 --why nic --from 0 --channel 1 topo.xml\n"
     "  orrery explain --hosts 2 --why pxn --from 0 --to NET/0-3 topo.xml\n"
     "  orrery explain --why graph --graph tree topo.xml           (channels and bandwidth)\n"
     "  orrery explain --why tree topo.xml                         (also: channels, nvls)\n"
     "  orrery explain --why algorithm --collective AllGather --bytes 64M --json topo.xml\n",
     ORR_CMD_ASKING | ORR_CMD_LIST | ORR_CMD_EXPLAIN, ORR_TOPICS(ORR_TOPICS_ANALYSIS, ORR_TOPIC_MACHINE, ORR_TOPIC_WHY),
     ORR_ONE_FILE, orr_command_explain},
    {"render", "[FILE|-]", "a drawing of the machine, a ring, a tree or a path",
     "Draws the topology as NCCL sees it, or one ring, tree or path in it.\n\n"
     "  orrery render --output machine.svg topo.xml\n"
     "  orrery render --hosts 2 --view ring --channel 3 --format png --output ring.png topo.xml\n"
     "  orrery render --view path --from rank:0 --to rank:5 topo.xml > path.svg\n",
     ORR_CMD_ASKING | ORR_CMD_RENDER,
     ORR_TOPICS(ORR_TOPICS_ANALYSIS, ORR_TOPIC_MACHINE, ORR_TOPIC_DRAWING, ORR_TOPIC_RENDER), ORR_ONE_FILE,
     orr_command_render},
    {"compare", "FILE_A FILE_B | --machine TYPE FILE | --majority FILE...",
     "what differs between two dumps, or between one and most others",
     "Compares two topology dumps. Devices are matched by their role in the machine, not by bus id. Reports "
     "which\nhardware differs and which of NCCL's decisions change. With --majority, reports which of several dumps "
     "differ from\nthe majority, and how; equal dumps are read once.\nPrints text on a terminal and JSON elsewhere; "
     "--text and --json choose. The status is 0 even if they differ.\n\n"
     "  orrery compare good.xml bad.xml\n"
     "  orrery compare --hosts 16 --json good.xml bad.xml\n"
     "  orrery compare --machine dgx-h100 topo.xml     (with what that machine type should have)\n"
     "  orrery compare --majority rack7/*.xml\n",
     ORR_CMD_COMPARE, ORR_TOPICS(ORR_TOPICS_ANALYSIS, ORR_TOPIC_MACHINE), ORR_FILES, orr_command_compare},
    {"detect", "[FILE|-]", "this machine's topology, as NCCL would dump it",
     "Writes the topology XML that NCCL would dump on this machine (NCCL_TOPO_DUMP_FILE): from /sys, /proc and the "
     "NVIDIA\n"
     "driver; it also works if some of them are missing. What is missing or assumed is printed to standard error, "
     "with\nadvice. FILE is a tar of `orrery gather`. NCCL_* settings come from --set, the environment and "
     "nccl.conf.\n\n"
     "  orrery detect --output machine.xml\n"
     "  orrery detect --release 2.21.5 --running | orrery analyze\n"
     "  orrery detect --post https://hub.example:8080 --token-file token --label rack=12\n",
     ORR_CMD_DETECT, ORR_TOPICS(ORR_TOPIC_RELEASE, ORR_TOPIC_RECORD), ORR_ONE_FILE, orr_command_detect},
    {"gather", "[FILE|-]", "packs what detect reads on a machine, so that you can send it",
     "Packs the part of /sys and /proc that `orrery detect` reads, and the answers of the NVIDIA driver, into a small "
     "tar "
     "(gzip).\n"
     "Host name, boot id, addresses and serial numbers are left out. GUIDs of RDMA devices are included, as in "
     "NCCL's\nown dump. The file has at most 8 MiB.\n\n"
     "  orrery gather machine.tar.gz\n"
     "  orrery detect machine.tar.gz > machine.xml\n",
     ORR_CMD_GATHER, NONE, ORR_ONE_FILE, orr_command_gather},
    {"gate", "[FILE|-]", "whether this node is fit, compared with what it should be",
     "Compares this node with what it should be: a file (another node's dump), a machine type, or the normal host of "
     "those\nthat a service keeps. Without FILE it detects the node, with PCIe links as they run; no CUDA context is "
     "made, and a\njob may run beside it. The node is fit where no finding with a cost makes it worse, no GPU or NIC "
     "is missing, and AllReduce gets "
     "at least\n--min-busbw of the expected bus bandwidth. One line says what it costs and why. The exit status is 0 "
     "where the node is\nfit, 3 where it is degraded, 4 where it cannot be judged: detection failed, time is up, "
     "another kind of machine.\n\n"
     "  orrery gate --expect dgx-h100\n"
     "  orrery gate --expect good.xml --min-busbw 0.95 --allow slow-link --json\n"
     "  orrery gate --expect fleet:label=rack%3D7 --server https://hub.example:8080 --token-file token\n"
     "  orrery gate --expect hgx-h100 topo.xml\n",
     ORR_CMD_GATE, ORR_TOPICS(ORR_TOPICS_GATE, ORR_TOPIC_MACHINE), ORR_ONE_FILE, orr_command_gate},
    {"check-log", "[LOG|-]", "compares an NCCL debug log with the prediction",
     "Reads an NCCL debug log as people paste it (several ranks, prefixes of launchers, colours, wrapped lines), or a "
     "file of\n"
     "NCCL_GRAPH_DUMP_FILE. It compares the log with what is predicted for the machine, and prints what agrees, what "
     "differs,\n"
     "the first difference and its likely causes. Release and settings are the log's unless given here. Without "
     "--topology\n"
     "or --machine, the machine is the tree that the log prints, or the machine type that its lines imply.\n\n"
     "  orrery check-log --topology topo.xml job.log\n"
     "  orrery check-log --topology provider.xml --assume p4d.24xlarge job.log\n"
     "  orrery check-log --json job.log           (the machine is the one that the log prints or implies)\n"
     "  orrery check-log --machine dgx-h100 job.log\n"
     "  orrery check-log --extract job.log > topo.xml\n",
     ORR_CMD_CHECK_LOG, ORR_TOPICS(ORR_TOPICS_LOG, ORR_TOPIC_MACHINE), ORR_ONE_FILE, orr_command_check_log},
    {"check-perf", "[RESULTS|-]", "compares results of nccl-tests with the bandwidth to expect",
     "Reads what nccl-tests printed: any version, several tables, with NCCL's own lines and prefixes of launchers, "
     "CSV,\n"
     "Markdown, or the JSON of -J. It says for each row whether the machine should give this bandwidth, within the "
     "range\n"
     "that published results have. Low results are explained by configurations whose predictions fit them.\n"
     "The machine is --topology FILE or --machine TYPE, else what NCCL's own lines or the GPUs' names show.\n"
     "The exit status is 0 where the results are as expected or higher, 3 where they are low, 4 where they cannot be "
     "judged.\n\n"
     "  ./all_reduce_perf -b 8 -e 8G -f 2 -g 8 | orrery check-perf --machine hgx-h100\n"
     "  orrery check-perf --topology topo.xml --hosts 2 results.txt\n"
     "  orrery check-perf --machine p5.48xlarge --hosts 4 --collective all_reduce rows.txt\n",
     ORR_CMD_CHECK_PERF, ORR_TOPICS(ORR_TOPICS_PERF, ORR_TOPIC_MACHINE), ORR_ONE_FILE, orr_command_check_perf},
    {"facts", "[FILE...|-]", "facts about machines, in the formats of other programs",
     "Writes facts about machines in the format of another program. nfd: labels of a Kubernetes node, as a feature "
     "file of\nNode Feature Discovery. topograph: the NICs closest to each GPU on each rail. slurm-tree, slurm-block "
     "and "
     "slurm-yaml:\nleaf switches and NVLink domains of the hosts of a cluster file, as Slurm's topology.conf and "
     "topology.yaml.\nWhat is not known is not claimed.\n\n"
     "  orrery detect | orrery facts --format nfd --output /etc/kubernetes/node-feature-discovery/features.d/orrery\n"
     "  orrery facts --machine hgx-h100 --release 2.27.7\n"
     "  orrery facts --format topograph topo.xml\n"
     "  orrery facts --format slurm-block --cluster cluster.json --output topology.conf\n",
     ORR_CMD_COPY | ORR_CMD_FACTS,
     ORR_TOPICS(ORR_TOPICS_CLUSTER, ORR_TOPIC_READING, ORR_TOPIC_MACHINE, ORR_TOPIC_FACTS), ORR_FILES,
     orr_command_facts},
    {"releases", "", "the NCCL releases that Orrery knows",
     "Lists the NCCL releases that Orrery knows, by minor release, with what distinguishes each and which tags "
     "behave alike.\n\n"
     "  orrery releases --release 2.30.7      (that one, with all that differs from the one before)\n",
     ORR_CMD_LIST, ORR_TOPICS(ORR_TOPIC_RELEASE), ORR_NO_FILE, orr_command_releases},
    {"settings", "", "the NCCL settings that can be given, with defaults and meaning",
     "Lists the NCCL_* settings that change what is computed.\n", ORR_CMD_LIST, ORR_TOPICS(ORR_TOPIC_RELEASE),
     ORR_NO_FILE, orr_command_settings},
    {"convert", "[FILE|-]", "converts any input to NCCL's topology XML",
     "Reads a description of a machine in any supported format and prints it as NCCL would write it. Formats are "
     "NCCL's\n"
     "topology XML (also with text around it), hwloc XML, the output of nvidia-smi topo -m, "
     "an NCCL\n"
     "log with its tree, and a tar of orrery gather. What was assumed or is missing is printed to standard error.\n\n"
     "  nvidia-smi topo -m | orrery convert > topo.xml\n"
     "  orrery convert --assume p4d.24xlarge provider.xml > topo.xml\n",
     ORR_CMD_COPY, ORR_TOPICS(ORR_TOPIC_READING, ORR_TOPIC_MACHINE, ORR_TOPIC_RELEASE), ORR_ONE_FILE,
     orr_command_convert},
    {"vm-file", "[FILE|-]", "a topology file for a virtual machine from a dump of the real one",
     "Keeps CPUs, switches, and the places and links of GPUs and NICs. Removes the GPUs and NICs themselves, which "
     "NCCL\nfills in, and uses the bus ids of the virtual machine. Set NCCL_TOPO_FILE to the result there.\n\n"
     "  orrery vm-file --gpus 0000:00:05.0,0000:00:06.0 --nics 0000:00:07.0 metal.xml > vm.xml\n"
     "  orrery vm-file --gpus 0000:1b:00.0=0000:00:05.0 metal.xml > vm.xml      (one GPU of many)\n",
     ORR_CMD_COPY, ORR_TOPICS(ORR_TOPIC_VM, ORR_TOPIC_MACHINE), ORR_ONE_FILE, orr_command_vm_file},
    {"anonymise", "[FILE|-]", "a copy of a dump or log without names of hosts and people, which analyses the same",
     "Replaces each host name, GUID, hash, address, serial number and user name by the same substitute everywhere. "
     "Bus\nids, device names, models and numbers are kept, because the analysis depends on them.\n\n"
     "  orrery anonymise job.log > public.log\n",
     ORR_CMD_COPY, NONE, ORR_ONE_FILE, orr_command_anonymise},
    {"machines", "", "the machine types that --machine and --assume know",
     "Lists well-known machines from public data sheets. --machine takes one in place of a file; --assume fills in "
     "what an\ninput does not contain.\n",
     ORR_CMD_LIST, NONE, ORR_NO_FILE, orr_command_machines},
    {"token", "NAME", "a new token for those who may use the service",
     "Creates a random token. The token itself is printed to standard error, for its owner, and stored nowhere. The "
     "line\nfor the token file, with the token's SHA-256 only, is printed to standard output. `orrery serve` reads the "
     "token\nfile again on SIGHUP.\n\n"
     "  orrery token ci --scope read,write >> tokens\n"
     "  orrery serve --token-file tokens\n"
     "  curl -H \"Authorization: Bearer TOKEN\" http://127.0.0.1:8080/v1/topologies\n",
     ORR_CMD_TOKEN, NONE, ORR_ONE_FILE, orr_command_token},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static const struct orr_command *find_command(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}

/* `orrery FILE` and `orrery --hosts 2 FILE` are `orrery show`: a file, a path, or an option. */
static bool is_to_show(const char *name)
{
    return !access(name, F_OK) || name[0] == '-' || strpbrk(name, "./");
}

static void print_help(FILE *stream)
{
    fprintf(stream,
            "Orrery %s shows how NCCL sees a machine.\n\nusage: orrery COMMAND [options]\n       orrery FILE\n\n",
            orr_version());
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fprintf(stream, "\n`orrery COMMAND --help` says more. A first try:\n\n"
                    "  NCCL_TOPO_DUMP_FILE=topo.xml your-job     (NCCL writes the file when it starts)\n"
                    "  orrery show topo.xml                      (a report; `orrery analyze` prints it as JSON)\n"
                    "  orrery serve                              (then open http://127.0.0.1:8080)\n\n"
                    "Exit status: " ORR_EXIT_TEXT ".\n");
}

/* Their text is paged on a terminal. Those of ORR_CMD_TEXT page it themselves; output of the others is a file, or
 * short. */
enum { PAGED = ORR_CMD_LIST | ORR_CMD_COMPARE | ORR_CMD_PLACE | ORR_CMD_EXPLAIN };

/* The arguments of the program as they came; reading options puts them into another order. */
static char **as_given;

static int run(const struct orr_command *command, int count, char **arguments)
{
    struct orr_options options = {0};
    struct orr_config config;
    struct orr_option_row row;
    const char *group = NULL;
    if (command->bits & ORR_CMD_SERVE) {
        orr_config_init(&config);
        options.config = &config;
    }
    int status = orr_options_read(count, arguments, command, &options);
    if (status)
        return status;
    if (!options.help && orr_goes_to_service(&options))
        return orr_go_to_service(as_given);
    if (!options.help) {
        status = command->bits & ORR_CMD_LIMITED ? orr_budget_of_options(&options) : ORR_EXIT_OK;
        if (!status)
            status = command->bits & PAGED && !options.json ? orr_terminal_run(command->run, &options)
                                                            : command->run(&options);
        orr_progress_end();
        if (status)
            orr_budget_interrupted();
        free(options.tuner);
        return status;
    }
    printf("usage: orrery %s [options] %s\n\n%s\n", command->name, command->arguments, command->help);
    for (size_t i = 0; orr_option_row(command, i, &row); i++) {
        char name[64];
        if (row.group && row.group != group)
            printf("\n%s:\n", row.group);
        group = row.group;
        snprintf(name, sizeof name, "--%s%s%s", row.name, row.value ? " " : "", row.value ? row.value : "");
        printf("  %-26s %s\n", name, row.help);
    }
    return ORR_EXIT_OK;
}

int main(int count, char **arguments)
{
    const char *name = count > 1 ? arguments[1] : "";
    if (!strcmp(name, "render-worker")) /* for the program itself: see cli/service.h */
        return orr_work_for_service(arguments);
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        print_help(stdout);
        return ORR_EXIT_OK;
    }
    if (!strcmp(name, "--version")) {
        printf("orrery %s\n", orr_version());
        return ORR_EXIT_OK;
    }
    if (!strcmp(name, "man")) { /* for the build: see describe.h */
        orr_man_page(commands, COMMAND_COUNT, count > 2 ? arguments[2] : "", stdout);
        return fflush(stdout) ? ORR_EXIT_INPUT : ORR_EXIT_OK;
    }
    if (!strcmp(name, "reference") && count > 2) { /* for docs/reference */
        if (!strcmp(arguments[2], "settings"))
            orr_reference_settings(stdout);
        else
            orr_reference_commands(commands, COMMAND_COUNT, stdout);
        return fflush(stdout) ? ORR_EXIT_INPUT : ORR_EXIT_OK;
    }
    if (!strcmp(name, "completion") && count > 2 && !strcmp(arguments[2], "bash")) {
        orr_bash_completion(commands, COMMAND_COUNT, stdout);
        return fflush(stdout) ? ORR_EXIT_INPUT : ORR_EXIT_OK;
    }
    as_given = calloc((size_t)count + 1, sizeof *as_given);
    if (!as_given)
        return ORR_EXIT_INPUT;
    memcpy(as_given, arguments, (size_t)count * sizeof *as_given);
    const struct orr_command *command = find_command(name);
    if (command)
        return run(command, count - 2, arguments + 2);
    if (*name && is_to_show(name))
        return run(find_command("show"), count - 1, arguments + 1);
    if (*name)
        fprintf(stderr, "orrery: there is no command \"%s\"\n\n", name);
    print_help(stderr);
    return ORR_EXIT_USAGE;
}
