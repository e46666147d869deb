/* SPDX-License-Identifier: Apache-2.0 */
/* Summarises a triage in a few sentences that can be pasted into a ticket: the verdict, the cause, how to confirm it,
 * and what to do. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/log_comparing/survey.h"
#include "engine/triage/building.h"

enum { NONE = UINT32_MAX, QUOTED_MOST = 260 };

enum { SENTENCES_MOST = sizeof((struct orr_triage *)NULL)->sentences / sizeof(const char *) };

static void say(struct orr_triaging *t, const char *text)
{
    struct orr_triage *triage = t->triage;
    if (triage->sentence_count < SENTENCES_MOST && text[0])
        triage->sentences[triage->sentence_count++] = text;
}

/* The same for sentences that may be left out: the last place is for the machine. */
static void say_more(struct orr_triaging *t, const char *text)
{
    if (t->triage->sentence_count + 1 < SENTENCES_MOST)
        say(t, text);
}

/* " on ranks 0-3 (host a, b)", or "" if the log does not say. */
static const char *where(struct orr_triaging *t, const int32_t *ranks, uint32_t rank_count, const char *const *hosts,
                         uint32_t host_count)
{
    enum { HOSTS_SHOWN = 4, SIZE = 300 };
    char names[SIZE] = "";
    for (uint32_t h = 0; h < host_count && h < HOSTS_SHOWN; h++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%.60s", h ? ", " : "", hosts[h]);
    if (host_count > HOSTS_SHOWN)
        snprintf(names + strlen(names), sizeof names - strlen(names), " and %u more", host_count - HOSTS_SHOWN);
    const char *list = rank_count ? orr_ranks_text(ranks, rank_count, t->arena) : "";
    if (rank_count && host_count)
        return orr_triage_text(t, " on rank%s %s (host%s %s)", orr_plural(rank_count), list, orr_plural(host_count),
                               names);
    if (rank_count)
        return orr_triage_text(t, " on rank%s %s", orr_plural(rank_count), list);
    return host_count ? orr_triage_text(t, " on host%s %s", orr_plural(host_count), names) : "";
}

static uint32_t ranks_of(const struct orr_log *log)
{
    uint32_t largest = orr_log_largest(log);
    return largest == NONE ? 0 : (uint32_t)log->communicators[largest].rank_count;
}

/* Whether ranks waited for one another until a time limit after the work was done. */
static bool hung_at_end(const struct orr_triaging *t)
{
    for (uint32_t i = 0; i < t->log->event_count && t->triage->finished; i++)
        if (t->log->events[i].line > t->triage->finished && orr_triage_weight(&t->log->events[i]) == ORR_WEIGHT_HANG)
            return true;
    return false;
}

static void say_verdict(struct orr_triaging *t)
{
    const struct orr_log *log = t->log;
    const struct orr_triage *triage = t->triage;
    const uint32_t ranks = ranks_of(log);
    const char *library = log->rccl ? "RCCL" : "NCCL";
    const char *missing = triage->missing_count ? orr_ranks_text(triage->missing, triage->missing_count, t->arena) : "";
    switch (triage->verdict) {
    case ORR_TRIAGE_FAILED:
        say(t, "The job failed.");
        break;
    case ORR_TRIAGE_HUNG:
        say(t, "The job hung: ranks waited for one another until a time limit ended it.");
        if (triage->all_waited)
            say(t, orr_triage_text(t, "All %u ranks had enqueued the same work, so every rank took part.", ranks));
        break;
    case ORR_TRIAGE_INCOMPLETE:
        if (triage->last_call_count) {
            say(t, "The job did not end: its ranks are at different collectives where the log ends. It hung, it was "
                   "stopped, or the log is cut.");
            break;
        }
        if (triage->ended_on_some) {
            say(t, orr_triage_text(t,
                                   "The communicator ended on other ranks, but not on rank%s %s of %u: %s stopped "
                                   "earlier, or the log is cut.",
                                   orr_plural(triage->missing_count), missing ? missing : "", ranks,
                                   triage->missing_count == 1 ? "its process" : "their processes"));
            return;
        }
        if (!triage->missing_count) {
            say(t, "The job did not end: nccl-tests started and printed no final result. It hung, it was stopped, or "
                   "the log is cut.");
            return;
        }
        say(t, orr_triage_text(t,
                               "%s's initialisation did not end on rank%s %s of %u. The job hung there, it was "
                               "stopped, or the log is cut.",
                               library, orr_plural(triage->missing_count), missing ? missing : "", ranks));
        return;
    case ORR_TRIAGE_WARNED:
        if (hung_at_end(t)) {
            say(t, orr_triage_text(t,
                                   "The job did its work and hung at its end: after line %u, when %s, ranks waited for "
                                   "one another in a collective until a time limit.",
                                   triage->finished, triage->finished_how));
            say(t, "If some ranks had left or did not call that collective (a barrier, saving, testing), call it on "
                   "every rank or on none.");
        } else if (triage->noise)
            say(t,
                orr_triage_text(
                    t,
                    "The job finished; noisy shutdown: %u kind%s of errors and warnings come%s after line %u, when %s.",
                    triage->noise, orr_plural(triage->noise), triage->noise == 1 ? "s" : "", triage->finished,
                    triage->finished_how));
        else
            say(t, "The job finished, with warnings.");
        break;
    case ORR_TRIAGE_WORKED:
        say(t, "The job finished, and the log has no errors or warnings.");
        break;
    case ORR_TRIAGE_UNKNOWN:
        say(t,
            log->test_rows && log->test_most && log->test_size >= log->test_most
                ? "nccl-tests measured all its sizes; the text does not show its last lines."
            : log->kinds[ORR_LOG_TEST_START] ? "The text has only a part of nccl-tests' output."
            : log->kinds[ORR_LOG_INIT_COMPLETE]
                ? orr_triage_text(t, "%s's initialisation ended; the log does not show whether the job did.", library)
                : "The log does not show whether the job worked: it has no line about the end of an initialisation.");
        break;
    }
    if (triage->sides)
        say(t, triage->sides);
    if (triage->missing_count && triage->missing_why)
        say(t, orr_triage_text(t, "Rank%s %s %s.", orr_plural(triage->missing_count), missing ? missing : "",
                               triage->missing_why));
    if (triage->missing_check && !orr_symptom_explaining(&triage->symptoms, "watchdog-timeout"))
        say(t, triage->missing_check);
}

/* Adds the meaning of a message and the advice, unless a symptom has explained it, then the line itself. */
static void say_event(struct orr_triaging *t, bool explained)
{
    const struct orr_triage *triage = t->triage;
    const struct orr_log_event *event = triage->cause == NONE ? NULL : &t->log->events[triage->cause];
    if (!event)
        return;
    const bool waited = triage->verdict == ORR_TRIAGE_HUNG && triage->all_waited;
    const bool meant = event->message && !explained;
    if (meant)
        say(t, event->message->means);
    if (meant && event->message->weight == ORR_WEIGHT_AFTERMATH)
        say(t, "This follows from another error that the log does not show: look at the logs of the other ranks.");
    if (waited && !explained)
        say(t, "Look at the network or P2P between the GPUs (links, plugin, settings), not for a missing rank.");
    else if (meant)
        say(t, orr_symptom_advice(t->log, event->message->advice));
    say(t, orr_triage_text(t, "First %s, line %u%s: %.*s", orr_event_severity(event), event->line,
                           where(t, event->ranks, event->rank_count, event->hosts, event->host_count), QUOTED_MOST,
                           event->text));
    if (!event->message)
        say(t, "Orrery does not know this message.");
}

static void say_symptom(struct orr_triaging *t, const struct orr_symptom *symptom)
{
    say(t, symptom->cause);
    say(t, symptom->check);
    say(t, symptom->cure);
    if (symptom->by_words)
        say(t, orr_triage_text(t, "This answers the words of line %u alone.", symptom->line));
}

/* The cause of differences from the prediction that a trial found; false if none explains most of them. */
static bool say_tried(struct orr_triaging *t)
{
    const struct orr_log_check *check = t->check;
    const struct orr_log_cause *cause = check && check->cause_count ? &check->causes[0] : NULL;
    enum { MOST_OF = 10 };
    if (!cause || !cause->tested || cause->left > check->differ / MOST_OF)
        return false;
    say(t, orr_triage_text(t, "This would explain the differences: %s. %s", cause->what, cause->why));
    say(t, orr_triage_text(t, "%c%s.", toupper((unsigned char)cause->advice[0]), cause->advice + 1));
    return true;
}

/* What NCCL's first note means, if the text says nothing else. */
static void say_note(struct orr_triaging *t)
{
    static const char about[] = "plugin|libnccl|libibverbs|warn|message|error|fail| log ";
    if (t->log->said_count && !orr_symptom_said(t->log, about, true)) /* somebody asks about something else */
        return;
    for (uint32_t i = 0; i < t->log->event_count; i++) {
        const struct orr_log_message *message = t->log->events[i].message;
        if (!message || !(message->from & ORR_FROM_INFO))
            continue;
        say(t, message->means);
        say(t, orr_symptom_advice(t->log, message->advice));
        return;
    }
}

/* The symptom that explains an error, or one before it that follows from others; NULL if none does. */
static const struct orr_symptom *explaining(const struct orr_triaging *t, const struct orr_log_event *error)
{
    const struct orr_symptom *found = orr_symptom_explaining(&t->triage->symptoms, error->message->id);
    for (const struct orr_log_event *event = t->log->events; event < error && !found; event++)
        if (event->message && orr_log_follows(event->message->weight) && event->line < error->line)
            found = orr_symptom_explaining(&t->triage->symptoms, event->message->id);
    return found;
}

/* An error that names its own cause comes before symptoms, except a symptom that explains this very error; an error
 * that follows from another comes after them. */
static void say_cause(struct orr_triaging *t)
{
    enum { CAUSES_SAID = 2 };
    const struct orr_triage *triage = t->triage;
    const struct orr_log_event *event = triage->cause == NONE ? NULL : &t->log->events[triage->cause];
    const enum orr_log_weight weight = event ? orr_triage_weight(event) : ORR_WEIGHT_NOTE;
    const bool first = event && event->message && (weight == ORR_WEIGHT_FATAL || weight == ORR_WEIGHT_ERROR);
    uint32_t said = 0;
    const struct orr_symptom *explains = event && event->message ? explaining(t, event) : NULL;
    if (explains) {
        say_symptom(t, explains);
        said++;
    }
    if (first)
        say_event(t, explains != NULL);
    for (uint32_t i = 0; i < triage->symptoms.count && said < CAUSES_SAID; i++)
        if (&triage->symptoms.rows[i] != explains && triage->symptoms.rows[i].weight <= ORR_SYMPTOM_OPEN) {
            say_symptom(t, &triage->symptoms.rows[i]);
            said++;
        }
    if (!said && !first)
        said += say_tried(t);
    if (!first)
        say_event(t, explains || triage->missing_check);
    if (!said && !event && triage->symptoms.count && triage->symptoms.rows[0].weight == ORR_SYMPTOM_SETTING &&
        !triage->symptoms.rows[0].slows) {
        say_more(t, triage->symptoms.rows[0].cause);
        say_more(t, triage->symptoms.rows[0].cure);
    }
    if (!said && !event && triage->verdict == ORR_TRIAGE_UNKNOWN && !t->log->communicator_count)
        say_note(t);
}

/* " with GPUDirect RDMA on 4 of 8 connections". */
static const char *gdr_words(struct orr_triaging *t, const struct orr_ran *ran)
{
    if (!ran->net)
        return "";
    if (!ran->net_gdr)
        return " without GPUDirect RDMA";
    return ran->net_gdr == ran->net
               ? " with GPUDirect RDMA"
               : orr_triage_text(t, " with GPUDirect RDMA on %u of %u connections", ran->net_gdr, ran->net);
}

static void say_ran(struct orr_triaging *t)
{
    const struct orr_log *log = t->log;
    const struct orr_ran *ran = &t->triage->ran;
    const uint32_t largest = orr_log_largest(log);
    const struct orr_log_communicator *of = largest == NONE ? NULL : &log->communicators[largest];
    const bool named = ran->counts[ORR_RAN_RELEASE];
    const char *what = named ? ran->values[ORR_RAN_RELEASE][0].value : log->rccl ? "RCCL" : "NCCL";
    const char *ranks = "";
    if (of) {
        /* For NCCL, an NVLink clique is one node. */
        const uint32_t hosts = of->host_count, said = of->node_count > 0 ? (uint32_t)of->node_count : hosts,
                       least = said > hosts ? said : hosts;
        /* Ranks that are not in the log may be on more hosts. */
        const uint32_t nodes = of->node_count > 0 || of->seen == (uint32_t)of->rank_count ? least : 0;
        ranks = orr_triage_text(t, " with %d rank%s%s", of->rank_count, orr_plural((uint64_t)of->rank_count),
                                nodes ? orr_triage_text(t, " on %u host%s", nodes, orr_plural(nodes)) : "");
        if (of->seen < (uint32_t)of->rank_count)
            ranks = orr_triage_text(t, "%s (%u of them in the log)", ranks, of->seen);
    }
    const char *network =
        ran->network && (ran->net || !of || of->host_count > 1 || of->node_count > 1) ? ran->network : NULL;
    if (named || log->rccl || *ranks || network)
        say(t, orr_triage_text(t, "%s ran%s%s%s%s%s.", what, ranks, network ? " over " : "", network ? network : "",
                               network ? gdr_words(t, ran) : "", named ? "" : "; the log does not name the release"));
    else if (log->nccl_count)
        say(t, "The log names neither NCCL's release nor the ranks.");
    if (ran->counts[ORR_RAN_RELEASE] > 1)
        say(t, orr_triage_text(t, "The log names %u releases: %s and %s.", ran->counts[ORR_RAN_RELEASE],
                               ran->values[ORR_RAN_RELEASE][0].value, ran->values[ORR_RAN_RELEASE][1].value));
    if (log->rccl)
        say(t, "This is RCCL, AMD's library: Orrery reads its log, and predicts nothing.");
    const bool across = ran->net || !of || of->host_count > 1 || of->node_count > 1;
    if (ran->ib_unused)
        say(t, orr_triage_text(t, "NCCL chose sockets although the hosts have InfiniBand or RoCE NICs (%s). %s",
                               ran->ib_evidence,
                               across ? "Sockets are much slower."
                                      : "This job ran on one host; jobs on several hosts would be much slower."));
    else if (ran->counts[ORR_RAN_NETWORK] > 1)
        say(t, orr_triage_text(t, "The log names different networks: %s and %s.", ran->values[ORR_RAN_NETWORK][0].value,
                               ran->values[ORR_RAN_NETWORK][1].value));
}

static bool share_hosts(const struct orr_ran_value *a, const struct orr_ran_value *b)
{
    for (uint32_t i = 0; i < a->host_count; i++)
        for (uint32_t k = 0; k < b->host_count; k++)
            if (!strcmp(a->hosts[i], b->hosts[k]))
                return true;
    return false;
}

/* "node1", "node1 and 7 more". */
static const char *hosts_text(struct orr_triaging *t, const struct orr_ran_value *value)
{
    return value->host_count == 1 ? value->hosts[0]
                                  : orr_triage_text(t, "%.60s and %u more", value->hosts[0], value->host_count - 1);
}

static void say_values(struct orr_triaging *t, const char *name, const struct orr_ran_value *values, uint32_t count)
{
    if (count == 2 && values[0].host_count && values[1].host_count && !share_hosts(&values[0], &values[1]))
        say_more(t, orr_triage_text(t, "Hosts differ in %s: %s on %s, %s on %s.", name, values[0].value,
                                    hosts_text(t, &values[0]), values[1].value, hosts_text(t, &values[1])));
}

/* Differences between hosts: a plugin, a driver, or a setting. */
static void say_differing(struct orr_triaging *t)
{
    const struct orr_ran *ran = &t->triage->ran;
    say_values(t, "the network plugin", ran->values[ORR_RAN_PLUGIN], ran->counts[ORR_RAN_PLUGIN]);
    say_values(t, "the libfabric provider", ran->values[ORR_RAN_PROVIDER], ran->counts[ORR_RAN_PROVIDER]);
    say_values(t, "the CUDA driver", ran->values[ORR_RAN_DRIVER], ran->counts[ORR_RAN_DRIVER]);
    for (uint32_t i = 0; i < ran->setting_count; i++)
        say_values(t, ran->settings[i].name, ran->settings[i].values, ran->settings[i].value_count);
}

/* " in 57 communicators"; if not all could be compared, " in 12 of 57 communicators"; " in communicator 3" if the
 * question chose it. */
static const char *communicators_text(struct orr_triaging *t, const struct orr_log_survey *survey)
{
    if (survey->row_count == 1 && t->log->communicator_count > 1)
        return orr_triage_text(t, " in communicator %u", survey->rows[0].communicator);
    if (survey->row_count < 2)
        return "";
    if (survey->compared < survey->row_count)
        return orr_triage_text(t, " in %u of %u communicators", survey->compared, survey->row_count);
    return orr_triage_text(t, " in %u communicators", survey->compared);
}

static void say_check(struct orr_triaging *t)
{
    const struct orr_log_check *check = t->check;
    const struct orr_log_survey *survey = check ? check->survey : NULL;
    const uint32_t agree = survey ? survey->agree : check ? check->agree : 0;
    const uint32_t differ = survey ? survey->differ : check ? check->differ : 0;
    const char *where = survey ? communicators_text(t, survey) : "";
    if (t->log->rccl)
        return;
    if (!check)
        say(t, "The machine is not known, so nothing was compared with a prediction.");
    else if (!agree && !differ)
        say(t, "Nothing that the log says about the machine can be compared with the prediction.");
    else if (!differ)
        say(t, orr_triage_text(t, "The machine is as predicted%s: all %u facts of the log about it%s agree.",
                               check->machine_implied ? " for the machine type that the log's lines imply" : "", agree,
                               where));
    else
        say(t, orr_triage_text(t, "%u of %u facts of the log about the machine%s differ from the prediction%s.", differ,
                               agree + differ, where,
                               check->machine_implied ? " for the machine type that its lines imply" : ""));
}

/* Whether the text has only output of tools, settings or an answer of RAS, and no line that a job printed. */
static bool is_of_tools(const struct orr_triaging *t)
{
    const struct orr_log *log = t->log;
    return t->triage->verdict == ORR_TRIAGE_UNKNOWN && !log->nccl_count && !log->communicator_count &&
           !log->kinds[ORR_LOG_TEST_START] && !log->kinds[ORR_LOG_DEVICE] &&
           (!log->kinds[ORR_LOG_VERSION] || orr_log_event_of(log, "ras-report"));
}

void orr_triage_sentences(struct orr_triaging *t)
{
    if (is_of_tools(t)) {
        say_cause(t);
        say(t, t->triage->sentence_count ? "The text has no lines of a job's log."
                                         : "The text has no lines of a job's log, and nothing in it shows a cause.");
        return;
    }
    say_verdict(t);
    say_cause(t);
    say_ran(t);
    say_differing(t);
    say_check(t);
}
