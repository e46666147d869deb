/* SPDX-License-Identifier: Apache-2.0 */
/* Questions that people ask in words, whose answer is a fact about NCCL, and errors of what runs before it. A row is
 * said only if no line of the text shows an error, because then the question is why the job failed. */
#include <string.h>

#include "engine/hardware/gpu_models.h"
#include "engine/symptoms/finding.h"

static const struct asked {
    const char *id;    /* of the message */
    const char *with;  /* a line of the message that has one of these words is meant; NULL: every line */
    const char *cause; /* the answer */
    const char *check, *cure;
} rows[] = {
    {"ucx-error", NULL, "UCX, which MPI uses and NCCL does not, reports an error; NCCL may not have started.",
     "Check: with NCCL_DEBUG=INFO, a job that reached NCCL prints lines with \"NCCL INFO\".",
     "Let MPI use TCP: `mpirun --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include INTERFACE`, or UCX_TLS=tcp. "
     "NCCL chooses its network independently of MPI."},
    {"asked-link", "channel|threadblock|NCHANNELS",
     "The hardware spreads the data between two GPUs over all their NVLinks, and NCCL cannot choose one: a channel is "
     "not tied to an NVLink. A single channel cannot fill them all.",
     "Check: `nvidia-smi nvlink -gt d` before and after a run counts the data of each NVLink.",
     "Fewer channels only use less of the NVLinks' bandwidth."},
    {"asked-link", "GB",
     "Part of what an NVLink carries is not data, so NCCL counts 20 of the 25 GB/s of an A100's NVLink (12 of them: "
     "240, not 300 GB/s), 20.6 of an H100's (18: 370, not 450) and 40.1 of the 50 of a B200's (18: 722, not 900). Data "
     "sheets count both directions.",
     "Check: `orrery predict --machine dgx-a100` or dgx-h100 prints what nccl-tests should show.",
     "No setting changes this. On Hopper and newer, AllReduce with NVLink SHARP exceeds these figures."},
    {"asked-rails", NULL,
     "NCCL does not detect the network between hosts: NCCL_CROSS_NIC says what NCCL may do. With 0, rings and trees "
     "enter and leave a host by the same NIC, which usually keeps them on its rail but does not guarantee it. 1 lets "
     "them cross rails. 2, the default, lets them cross only if a search without crossing does not reach the full "
     "bandwidth. PXN sends through the GPU next to the NIC of the destination's rail, so Alltoall mostly stays on "
     "rails, too.",
     "Check: with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH, NCCL prints crossNic, and the NIC of each connection "
     "as \"via NET/IB/N\". With a cluster file that has \"rail\" for each NIC, Orrery names the rings that leave their "
     "rail.",
     "Communicators whose GPUs do not match on all hosts need connections between rails."},
    {"asked-nvls", NULL,
     "NVLink SHARP (NVLS) needs NVSwitches and GPUs of Hopper or newer. On A100 and older GPUs, and without "
     "NVSwitches, NCCL correctly has 0 NVLS channels and uses rings and trees over NVLink.",
     "Check: `nvidia-smi -L` names the GPUs; `nvidia-smi topo -m` must show NV# between all of them.",
     "If the GPUs are of Hopper or newer, check the Fabric Manager, and that NCCL_NVLS_ENABLE and NCCL_CUMEM_ENABLE "
     "are not 0."},
    {"asked-gid-index", NULL,
     "NCCL_IB_GID_INDEX is one number for all NICs of a process, and cannot differ between them. Since 2.21 NCCL finds "
     "the index of each NIC itself: leave NCCL_IB_GID_INDEX unset.",
     "Check: `show_gids` lists an IPv4 address with RoCE v2 for each NIC.",
     "If a NIC has several GIDs, NCCL_IB_ADDR_FAMILY, NCCL_IB_ADDR_RANGE (a subnet) and NCCL_IB_ROCE_VERSION_NUM "
     "choose among them."},
    {"asked-gid-pod", NULL,
     "RoCE makes its GIDs from the addresses of the NIC's own network interface, which must be in the same network "
     "namespace: a pod that has only the cluster's network (calico, cilium) gets the RDMA device without GIDs. "
     "InfiniBand needs no such interface.",
     "Check in the pod: `ip -br addr` must list an interface of the NIC with an address, `show_gids` a GID for it.",
     "Give the pod an interface of each NIC (Multus with macvlan, SR-IOV or host-device), or use hostNetwork: true."},
    {"asked-factor", NULL,
     "algbw is size / time. busbw is algbw times a factor, so that it can be compared with the speed of the links "
     "whatever the number of ranks n: 2(n-1)/n for AllReduce, (n-1)/n for AllGather, ReduceScatter and Alltoall, 1 for "
     "Broadcast and Reduce. With 8 ranks, an AllReduce of 100 GB/s algbw has 175 GB/s busbw.",
     "Check: PERFORMANCE.md of nccl-tests derives the factors.",
     "Compare busbw with the links; use algbw for the time that a collective takes."},
    {"asked-bus", NULL,
     "On 2 hosts the bus bandwidth of AllReduce may exceed that of the NICs: its factor 2(n-1)/n stands for a ring, "
     "and trees and NVLink SHARP send less over the network. From 3 hosts on, the NICs limit it.",
     "Check: with NCCL_ALGO=Ring, the bus bandwidth stays below the total of the NICs.",
     "Say how many GPUs each host has, and how many NICs of which speed. Orrery then computes what to expect."},
};

static bool has_one(const char *text, const char *words)
{
    while (*words) {
        const size_t length = strcspn(words, "|");
        if (memmem(text, strlen(text), words, length))
            return true;
        words += length + (words[length] == '|');
    }
    return false;
}

/* Whether the GPUs of the text have NVLink SHARP, by their names. */
static bool has_nvls(const struct orr_log *log)
{
    enum { HOPPER = 90 };
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->word_count && (record->kind == ORR_LOG_GPU_NAME || record->kind == ORR_LOG_DEVICE)) {
            const struct orr_gpu_model *model = orr_gpu_model_of_name(record->words[record->word_count - 1]);
            return model && model->sm >= HOPPER;
        }
    }
    return false;
}

void orr_symptoms_of_questions(struct orr_symptom_finder *f)
{
    static const struct {
        const char *id, *same; /* of messages that ask the same */
    } others[] = {
        {"asked-link", "asked-nvlink"}, {"asked-link", "asked-nvswitch"}, {"asked-rails", "asked-rails-words"}};
    const char *last = "";
    for (uint32_t i = 0; i < f->log->event_count; i++)
        if (!f->log->events[i].message || f->log->events[i].message->weight != ORR_WEIGHT_NOTE)
            return;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct asked *row = &rows[i];
        const struct orr_log_event *event = orr_log_event_of(f->log, row->id);
        for (size_t k = 0; !event && k < sizeof others / sizeof others[0]; k++)
            event = strcmp(others[k].id, row->id) != 0 ? NULL : orr_log_event_of(f->log, others[k].same);
        if (!event || !strcmp(last, row->id) || (row->with && !has_one(event->text, row->with)) ||
            (!strcmp(row->id, "asked-nvls") && has_nvls(f->log)))
            continue;
        last = row->id;
        ORR_SYMPTOM(f, row->id, ORR_SYMPTOM_CAUSE, event->line, .cause = row->cause, .check = row->check,
                    .cure = row->cure);
    }
}
