/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about sockets, the first connection of the ranks (bootstrap), the proxy and RAS. */
#include <stddef.h>

#include "engine/log_messages/messages.h"

/* Sentences that several rows say. */
#define ORR_TRY_PORT                                                                                                   \
    "If `nc -l 12345` on the other host and `nc ADDRESS 12345` here do not connect, a firewall or another network "    \
    "is between them."
#define ORR_SHARE_NETWORK                                                                                              \
    "If the address is of an interface whose network the hosts do not share, such as docker0 (`ip -br addr`), set "    \
    "NCCL_SOCKET_IFNAME to one whose network they share."
#define ORR_INTERFACE_UP                                                                                               \
    "If NCCL_SOCKET_IFNAME is set, it must name an interface that is up on this host (`ip -br addr`); names differ "   \
    "between hosts. If the container has no interface but lo, it needs a network, such as --network=host."
#define ORR_SCANNER "If a port scanner or a monitor reaches the hosts, keep it away from the job's ports."

const struct orr_log_message orr_log_messages_socket[] = {
    {"socket-refused", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "onnect",
     "Connection refused, exceeded error retry count|failed : Connection refused|: exceeded retries (",
     "A rank could not connect to another one: that address answered, but nothing listened there.",
     "Look first at what the rank at that address printed, with NCCL_DEBUG=INFO on all hosts. If several hosts have "
     "that address, or the other rank's host lacks it (`ip -br addr`), set NCCL_SOCKET_IFNAME to an interface on a "
     "network that the hosts share.",
     "socketPollConnect: connect to 10.0.0.2<37857> returned Connection refused, exceeded error retry count after 35 "
     "attempts"},
    {"socket-timed-out", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "onnect",
     "Connection timed out, exceeded error retry count|failed : Connection timed out|: exceeded timeouts (",
     "A rank got no answer from the address of another one.",
     "If `ping ADDRESS` works and `nc ADDRESS 12345` does not reach `nc -l 12345` on that host, a firewall drops the "
     "packets: open all ports between the hosts. " ORR_SHARE_NETWORK,
     "socketPollConnect: connect to 10.0.0.2<37857> returned Connection timed out, exceeded error retry count after 35 "
     "attempts"},
    {"socket-no-route", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "onnect", "No route to host|Network is unreachable",
     "A rank cannot reach the address of another one.",
     ORR_SHARE_NETWORK
     " If `ping ADDRESS` works, a firewall on that host rejects the ports, as firewalld does: open all ports between "
     "the hosts. If `ping ADDRESS` fails on a network that both hosts have, the other host or its link is down.",
     "socketStartConnect: Connect to 172.17.0.1<39275> failed : No route to host"},
    {"socket-retries", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "exceeded error retry count", NULL,
     "A rank gave up connecting to another one, for the reason that ends the line.",
     "Look for an earlier error of the other rank. " ORR_TRY_PORT,
     "socketTryAccept: exceeded error retry count after 35 attempts, Connection aborted"},
    {"socket-abort", ORR_FROM_WARN_OTHER, ORR_WEIGHT_AFTERMATH, "onnect to %t failed",
     "Software caused connection abort",
     "A rank could not connect to another one. The words at the end come from NCCL's own code for errors, and do not "
     "say why it failed at first.",
     "Look for the first error of all hosts, above all of the rank at this address. " ORR_TRY_PORT,
     "Net : Connect to 10.0.0.2<41235> failed : Software caused connection abort"},
    {"socket-connect", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "onnect to %t failed", NULL,
     "A rank could not connect to another one, for the reason that ends the line.",
     "Look at what the rank at that address printed. " ORR_TRY_PORT " " ORR_SHARE_NETWORK,
     "Net : Connect to 10.0.0.2<41235> failed : Invalid argument"},
    {"socket-poll", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "no POLLOUT events", NULL,
     "A connection to another rank failed while NCCL waited for it.",
     "Look for an earlier error of the other ranks. If `nstat -az TcpExtListenOverflows TcpExtListenDrops` grows on "
     "the host that listens, too many ranks connect at once: raise net.core.somaxconn and net.ipv4.tcp_max_syn_backlog "
     "there. " ORR_TRY_PORT,
     "socketPollConnect poll() returned 1, no POLLOUT events"},
    {"socket-retry", ORR_FROM_INFO, ORR_WEIGHT_WARNING, "connect ", "retrying",
     "A rank could not connect to another one at once and tried again. Some of these lines are normal while ranks "
     "start.",
     "If they go on until the end of the log and say \"refused\", nothing listens at that port: look at the output of "
     "the rank there. If they go on until the end of the log and say \"timed out\", nothing answers: look for a "
     "firewall, and whether both hosts have that network (`ip -br addr`).",
     "Call to connect returned Connection refused, retrying"},
    {"socket-closed", ORR_FROM_WARN_OTHER, ORR_WEIGHT_AFTERMATH, "Connection closed by remote peer", NULL,
     "The other end closed its connection, as a rank does when it ends or fails.",
     "Look for the first error of the other ranks, above all on the host that the line names. If no rank failed and "
     "the address is not one of the job's hosts, something else had connected, such as a port scanner, which NCCL "
     "before 2.27.3 does not survive at its start.",
     "socketProgress: Connection closed by remote peer node2.example.com<42918>"},
    {"socket-reset", ORR_FROM_WARN_OTHER, ORR_WEIGHT_AFTERMATH, "Call to %w %w %t failed",
     "Connection reset by peer|Broken pipe",
     "The connection to another rank broke: its process, its host or the network between them failed.",
     "Look for the first error of the other ranks. If dmesg on the host that the line names says \"Out of memory: "
     "Killed process\", that process was killed. If a port there went down (`ibstat`, `ip -s link`), look at that "
     "link.",
     "socketProgressOpt: Call to recv from 10.0.0.2<42918> failed : Connection reset by peer"},
    {"socket-no-answer", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Call to ", "failed : Connection timed out",
     "An open connection to another rank got no answer for 15 minutes or more.",
     "If the process at the address that the line names no longer runs, or its host does not answer `ping`, look for "
     "the error there. If process and host are well and the connection had carried nothing for long, a firewall, NAT "
     "or load balancer with a shorter idle time limit dropped it.",
     "socketProgressOpt: Call to recv from 10.0.0.2<42918> failed : Connection timed out"},
    {"socket-transfer", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Call to %w %w %t failed", NULL,
     "Receiving or sending over a socket failed, for the reason that ends the line.",
     "Look for an earlier error of the host that the line names, then at the network between the two hosts.",
     "Net : Call to recv from 10.0.0.2<42918> failed : No buffer space available"},
    {"socket-truncated", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "essage truncated", NULL,
     "A rank received a message of another size than it expected.", ORR_LOG_SAME_CALLS,
     "NET/Socket : peer 10.0.0.2<42918> message truncated : receiving 4194304 bytes instead of 1048576. If you believe "
     "your socket network is in healthy state, there may be a mismatch in collective sizes"},
    {"socket-no-subnet", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "No interface found in the same subnet", NULL,
     "No interface of this host is in the subnet of the address that NCCL_COMM_ID names.",
     "Give an address in NCCL_COMM_ID that every host reaches directly, or set NCCL_SOCKET_IFNAME.",
     "No interface found in the same subnet as remote address 10.0.0.2<42918>"},
    {"socket-none", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "socket interface found", NULL,
     "NCCL found no network interface that it may use.", ORR_INTERFACE_UP, "Bootstrap : no socket interface found"},
    {"socket-usable", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/Socket~: no interface found", NULL,
     "The socket network found no interface that it may use.", ORR_INTERFACE_UP, "NET/Socket : no interface found"},
    {"socket-listen", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "No usable listening interface found", NULL,
     "NCCL_COMM_ID names an address that no interface of this host shares a network with.",
     "Set NCCL_COMM_ID to an address of rank 0's host that all hosts reach, or unset it: PyTorch and MPI programs hand "
     "the address round themselves.",
     "NET/Socket : No usable listening interface found"},
    {"socket-many", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "number of sockets is greater than the maximum", NULL,
     "NCCL_SOCKET_NTHREADS times NCCL_NSOCKS_PERTHREAD is more than the 64 sockets of a connection that NCCL allows, "
     "so it uses fewer.",
     "Choose values whose product is at most 64.",
     "NET/Socket : the total number of sockets is greater than the maximum allowed, setting NCCL_NSOCKS_PERTHREAD to "
     "4"},
    {"socket-family", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "is neither AF_INET(2) nor AF_INET6", NULL,
     "A rank got something else than an address from another one.",
     "If a host lacks the interface that NCCL_SOCKET_IFNAME names (`ip -br addr`), name one that all have. If the "
     "lines \"Using network\" or \"NCCL version\" differ between the hosts, make them the same.",
     "ncclSocketInit: connecting to address  with family 59936 is neither AF_INET(2) nor AF_INET6(10)"},
    {"socket-type", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "wrong type",
     "!=", "Two connections of NCCL met that were not meant for each other.",
     "If the hosts differ in \"NCCL version\" or in settings (`env | grep NCCL_`), make them the same. If two hosts "
     "have one address on the interface that NCCL uses (`ip -br addr`), choose another with NCCL_SOCKET_IFNAME.",
     "socketFinalizeAccept: wrong type 4 != 3"},
    {"proxy-poll", ORR_FROM_WARN_OTHER, ORR_WEIGHT_AFTERMATH, "Socket recv failed while polling", NULL,
     "A rank lost the connection to its proxy thread.", "Look for the first warning on this host.",
     "Socket recv failed while polling for opId=0x7f6f18cb7f40"},
    {"service-closed", ORR_FROM_INFO, ORR_WEIGHT_NOTE, "[Service thread] Connection closed by localRank", NULL,
     "A rank of this host closed its connection to NCCL's service thread, as each does at its end.",
     "Nothing, unless the job ended too early: then look for the first error of that rank.",
     "[Service thread] Connection closed by localRank 0"},
    {"socket-magic", ORR_FROM_WARN_OTHER, ORR_WEIGHT_ERROR, "wrong magic", NULL,
     "Something that is not a rank of this job connected to NCCL's port.",
     "If two jobs share NCCL_COMM_ID, give each its own. " ORR_SCANNER,
     "socketFinalizeAccept: wrong magic 1234 != 5678"},
    {"socket-gone", ORR_FROM_WARN_OTHER, ORR_WEIGHT_AFTERMATH, "Accept failed: Bad file descriptor", NULL,
     "A thread of this process had closed the socket on which this one waits for a rank: the start of a communicator "
     "had failed before, or was aborted.",
     "Look for the first error of the other GPUs of this process.",
     "socketTryAccept: Accept failed: Bad file descriptor"},
    {"service-stranger", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "[Service thread] Unknown command",
     "from localRank -1",
     "Something that does not name itself as a rank of this job connected to NCCL's port. NCCL only closes that "
     "connection.",
     "If the job failed, look for another error. " ORR_SCANNER,
     "[Service thread] Unknown command 790 from localRank -1"},
    {"uds-in-use", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "UDS: Binding to socket", "Address already in use",
     "The name that NCCL chose for a local socket was in use already.",
     "Run once with a newer NCCL: if the job then works, two communicators of a process had got one name.",
     "UDS: Binding to socket /tmp/nccl-socket-2-e647f8d8e15809a1 failed : Address already in use (98)"},
    {"socket-ports", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Call to bind failed", "Address already in use",
     "NCCL got no TCP port: the one that NCCL_COMM_ID names is taken, or no free one is left.",
     "If NCCL_COMM_ID is set, choose a port that `ss -ltn` does not list. If `ss -s` shows tens of thousands of "
     "connections while the job starts, widen net.ipv4.ip_local_port_range, leave PXN on, and use NCCL 2.19.4 or "
     "newer, which connects 128 peers at a time.",
     "Call to bind failed : Address already in use"},
    {"socket-files", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Too many open files", NULL,
     "The process has no more file descriptors. Over TCP, each connection takes NCCL_SOCKET_NTHREADS x "
     "NCCL_NSOCKS_PERTHREAD of them, and alltoall connects every rank with all others.",
     "Check `ulimit -n` in the job itself and in its container: it may differ from that of a login. Raise it: `ulimit "
     "-n 65536`, docker --ulimit nofile=1048576, LimitNOFILE of the service that starts it; or use fewer sockets.",
     "Call to socket failed : Too many open files"},
    {"comm-id", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Invalid NCCL_COMM_ID", NULL, "NCCL_COMM_ID is not an address.",
     "Write NCCL_COMM_ID as <ipv4>:<port>, [<ipv6>]:<port> or <hostname>:<port>.",
     "Invalid NCCL_COMM_ID, please use format: <ipv4>:<port> or [<ipv6>]:<port> or <hostname>:<port>"},
    {"bootstrap-ranks", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Bootstrap Root : mismatch in rank count", NULL,
     "Processes of one communicator were started with different numbers of ranks.",
     "Check WORLD_SIZE, --nnodes and --nproc-per-node on every host.",
     "Bootstrap Root : mismatch in rank count from procs 16 : 8"},
    {"bootstrap-twice", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL,
     "Bootstrap Root : rank %d of %d ranks has already checked in", NULL, "Two processes have the same rank.",
     "Check RANK, LOCAL_RANK and --node-rank on every host.",
     "Bootstrap Root : rank 3 of 8 ranks has already checked in"},
    {"proxy-operation", ORR_FROM_WARN_OTHER, ORR_WEIGHT_AFTERMATH, "Failed to execute operation", NULL,
     "NCCL's proxy thread could not set up a connection for a rank.",
     "Look for the warning just before it, on this host and on the peer.",
     "[Proxy Service 3] Failed to execute operation Connect from rank 3, retcode 2"},
    {"proxy-call", ORR_FROM_WARN_OTHER, ORR_WEIGHT_AFTERMATH, "Proxy Call to rank", "failed",
     "NCCL could not set up a connection of this rank: over the network, shared memory or P2P.",
     "Look for the first NCCL WARN on the host of that rank; if there is none, run again with NCCL_DEBUG=INFO.",
     "Proxy Call to rank 3 failed (Setup)"},
    {"proxy-progress", ORR_FROM_WARN_OTHER, ORR_WEIGHT_AFTERMATH, "Error encountered progressing operation", NULL,
     "NCCL's proxy thread stopped a connection after an error.", "Look for the first warning on this host.",
     "[Proxy Service] Error encountered progressing operation=Connect, res=3, closing connection"},
    {"proxy-service", ORR_FROM_WARN_OTHER, ORR_WEIGHT_AFTERMATH, "[Service thread]", NULL,
     "NCCL's service thread lost the connection to a rank.",
     "Look for the first warning of the other ranks on this host.",
     "[Service thread] Could not receive type from localRank 2, res=2, closed=0"},
    {"ras-report", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "(total) per node per process", NULL,
     "The text is an answer of NCCL's RAS about a job that runs.", "Ask again after some seconds to see what changes.",
     "(total)   per node  per process    (total)  (total)"},
    {"ras-mismatch", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "Communicator ranks have different", NULL,
     "RAS shows that ranks of a communicator are not at the same operation. That is normal while a job runs, and a "
     "hang if it stays.",
     "Ask RAS again (ncclras, three times in half a minute). If the numbers stay, the ranks that launched fewer "
     "operations hold the job up: look at their process with py-spy or gdb, and at their host.",
     "  Communicator ranks have different AllGather operation counts"},
    {"ras-missing", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "Missing communicator data from", NULL,
     "RAS gets no answer from ranks of a communicator: their process ended, hangs, or its host is unreachable.",
     "Look at the processes that RAS lists: their own log, dmesg on their host, and the job's scheduler.",
     "  Missing communicator data from 1 rank"},
    {"ras-lost", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "considered dead", NULL,
     "RAS lost a process of the job: it ended, or its host is unreachable.",
     "Look at the process that RAS lists: its own log, dmesg on its host, and the job's scheduler.",
     "  1 job process is considered dead (unreachable via the RAS network)"},
    {"ras-timeout", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "communicator-gathering timeout", NULL,
     "RAS did not get answers of all processes in time.",
     "Ask RAS again with a longer limit (ncclras -t 30); processes that never answer hang or are gone.",
     "  Encountered 2 communicator-gathering timeouts"},
    {"ras-dead", ORR_FROM_ALL, ORR_WEIGHT_ERROR, "RAS declaring peer", NULL,
     "NCCL's monitoring (RAS) lost a process of the job: it ended, or its host is unreachable.",
     "Look for that process: its own log, dmesg on its host, and the job's scheduler.",
     "RAS declaring peer 10.0.0.2<42918> as DEAD; rasDeadPeersHash 0x12"},
};
ORR_LOG_FAMILY(socket);
