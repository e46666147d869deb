/* A triage as text that can be pasted into a ticket: the verdict in sentences, then tables. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/print_triage.h"

enum { WIDTH = 110 };

/* Words of a text, wrapped, each line indented. */
static void print_wrapped(const char *text, int indent)
{
    int column = 0;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column && column + 1 + length > WIDTH) {
            printf("\n");
            column = 0;
        }
        if (!column) {
            printf("%*s", indent, "");
            column = indent;
        } else {
            printf(" ");
            column++;
        }
        printf("%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    printf("\n");
}

static void print_hosts(const char *const *hosts, uint32_t count)
{
    enum { SHOWN = 6 };
    for (uint32_t i = 0; i < count && i < SHOWN; i++)
        printf("%s%s", i ? ", " : "", hosts[i]);
    if (count > SHOWN)
        printf(" and %u more", count - SHOWN);
}

static void print_event(const struct orr_log *log, const struct orr_log_event *event)
{
    printf("  line %u, %s, %u time%s", event->line, orr_event_severity(event), event->count,
           event->count == 1 ? "" : "s");
    const char *ranks = event->rank_count ? orr_ranks_text(event->ranks, event->rank_count, log->arena) : NULL;
    if (ranks)
        printf(", rank%s %s", event->rank_count == 1 ? "" : "s", ranks);
    if (event->host_count) {
        printf(", host%s ", event->host_count == 1 ? "" : "s");
        print_hosts(event->hosts, event->host_count);
    }
    printf(":\n    %s\n", event->text);
    if (event->message) {
        print_wrapped(event->message->means, 6);
        print_wrapped(event->message->advice, 6);
    } else {
        print_wrapped("Orrery does not know this message.", 6);
    }
}

static void print_events(const struct orr_log *log)
{
    enum { SHOWN = 40 };
    uint32_t shown = 0, count = 0;
    for (uint32_t i = 0; i < log->event_count; i++)
        count += strcmp(orr_event_severity(&log->events[i]), "note") != 0;
    if (count)
        printf("\nErrors and warnings, in order of appearance:\n");
    for (uint32_t i = 0; i < log->event_count && shown < SHOWN; i++)
        if (strcmp(orr_event_severity(&log->events[i]), "note") != 0) {
            print_event(log, &log->events[i]);
            shown++;
        }
    if (count > shown)
        printf("  and %u more kinds (--json lists them)\n", count - shown);
    if (log->events_left_out)
        printf("  and %u lines of further kinds, which are not kept\n", log->events_left_out);
}

static void print_values(const struct orr_log *log, const struct orr_ran *ran)
{
    for (int what = 0; what < ORR_RAN_COUNT; what++)
        for (uint32_t i = 0; i < ran->counts[what]; i++) {
            const struct orr_ran_value *value = &ran->values[what][i];
            printf("  %-20s %s", i ? "" : orr_ran_text((enum orr_ran_what)what), value->value);
            if (ran->counts[what] > 1 && value->host_count) {
                printf(" (host%s ", value->host_count == 1 ? "" : "s");
                print_hosts(value->hosts, value->host_count);
                printf(")");
            }
            printf("\n");
        }
    if (log->host_count) {
        printf("  %-20s ", log->host_count == 1 ? "Host" : "Hosts");
        print_hosts(log->hosts, log->host_count);
        printf("\n");
    }
}

static void print_ran(const struct orr_log *log, const struct orr_ran *ran)
{
    printf("\nWhat ran:\n");
    print_values(log, ran);
    if (ran->p2p + ran->shm + ran->net)
        printf("  %-20s %u P2P, %u shared memory, %u network (%u with GPUDirect RDMA, %u through another rank's NIC)\n",
               "Connections", ran->p2p, ran->shm, ran->net, ran->net_gdr, ran->net_pxn);
    if (ran->nvls >= 0)
        printf("  %-20s %s\n", "NVLS multicast", ran->nvls ? "available" : "not available");
    if (ran->coll_channels >= 0) {
        printf("  %-20s %d for collectives", "Channels", ran->coll_channels);
        if (ran->nvls_channels >= 0)
            printf(", %d for NVLS", ran->nvls_channels);
        printf(", %d for point-to-point\n", ran->p2p_channels);
    }
}

static void print_settings(const struct orr_ran *ran)
{
    if (ran->setting_count)
        printf("\nSettings:\n");
    for (uint32_t i = 0; i < ran->setting_count; i++) {
        const struct orr_ran_setting *setting = &ran->settings[i];
        for (uint32_t v = 0; v < setting->value_count; v++) {
            printf("  %s=%s", setting->name, setting->values[v].value);
            if (setting->value_count > 1 && setting->values[v].host_count) {
                printf(" (host%s ", setting->values[v].host_count == 1 ? "" : "s");
                print_hosts(setting->values[v].hosts, setting->values[v].host_count);
                printf(")");
            }
            printf("\n");
        }
        if (setting->ignored)
            printf("      NCCL ignored it: %s\n", setting->ignored);
        if (setting->effect)
            print_wrapped(setting->effect, 6);
    }
}

static void print_choices(const struct orr_log *log, const struct orr_triage *triage)
{
    if (!triage->choice_count)
        return;
    printf("\nAlgorithms that NCCL chose");
    if (triage->choice_agree + triage->choice_differ)
        printf(": %u of %u sizes as predicted", triage->choice_agree, triage->choice_agree + triage->choice_differ);
    if (triage->choice_not_compared)
        printf("%s%u not compared", triage->choice_agree + triage->choice_differ ? ", " : ": ",
               triage->choice_not_compared);
    if (triage->choice_not_compared && log->communicator_count > 1)
        printf(" (other communicators, or the line does not say which)");
    printf("\n  %-14s %14s %14s %8s  %-20s %s\n", "", "from bytes", "to bytes", "lines", "log", "predicted");
    for (uint32_t i = 0; i < triage->choice_count; i++) {
        const struct orr_triage_choice *row = &triage->choices[i];
        printf("  %-14s %14" PRIu64 " %14" PRIu64 " %8u  %-20s %s%s\n", row->function, row->from, row->to, row->lines,
               row->logged, row->predicted ? row->predicted : "-", row->predicted && !row->agrees ? "  differs" : "");
    }
    if (triage->choice_why)
        print_wrapped(triage->choice_why, 2);
}

static void print_last_calls(const struct orr_log *log, const struct orr_triage *triage)
{
    enum { SHOWN = 20 };
    if (triage->last_call_count)
        printf("\nThe last collective of each rank of communicator %u:\n", triage->last_calls[0].communicator);
    for (uint32_t i = 0; i < triage->last_call_count && i < SHOWN; i++) {
        const struct orr_triage_call *call = &triage->last_calls[i];
        const char *ranks = orr_ranks_text(call->ranks, call->rank_count, log->arena);
        printf("  line %u: %s, opCount %" PRIx64 ", rank%s %s\n", call->line, call->function, call->op_count,
               call->rank_count == 1 ? "" : "s", ranks ? ranks : "");
    }
    if (triage->last_call_count > SHOWN)
        printf("  and %u more (--json lists them)\n", triage->last_call_count - SHOWN);
}

void orr_print_triage(const struct orr_log *log, const struct orr_triage *triage)
{
    printf("Verdict: %s\n\n", orr_triage_word(triage->verdict));
    for (uint32_t i = 0; i < triage->sentence_count; i++)
        print_wrapped(triage->sentences[i], 0);
    print_last_calls(log, triage);
    print_events(log);
    print_ran(log, &triage->ran);
    print_settings(&triage->ran);
    print_choices(log, triage);
}
