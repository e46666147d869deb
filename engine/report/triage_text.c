/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a triage that can be pasted into a ticket: the verdict in sentences, then tables. */
#include "engine/report/answers_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MOST = 1 << 20 };

/* Names the first hosts. */
static void put_hosts(struct orr_text *text, const char *const *hosts, uint32_t count)
{
    enum { SHOWN = 6 };
    for (uint32_t i = 0; i < count && i < SHOWN; i++)
        orr_text_printf(text, "%s%s", i ? ", " : "", hosts[i]);
    if (count > SHOWN)
        orr_text_printf(text, " and %u more", count - SHOWN);
}

/* Writes " (hosts a, b)" after a value that only some hosts have. */
static void put_whose(struct orr_text *text, const struct orr_ran_value *value, uint32_t value_count)
{
    if (value_count < 2 || !value->host_count)
        return;
    orr_text_printf(text, " (host%s ", orr_plural(value->host_count));
    put_hosts(text, value->hosts, value->host_count);
    orr_text_puts(text, ")");
}

static void write_event(struct orr_page *page, const struct orr_log *log, const struct orr_log_event *event)
{
    ORR_LOCAL_TEXT(text, TEXT_MOST);
    orr_text_printf(&text, "line %u, %s, %u time%s", event->line, orr_event_severity(event), event->count,
                    orr_plural(event->count));
    const char *ranks = event->rank_count ? orr_ranks_text(event->ranks, event->rank_count, log->arena) : NULL;
    if (ranks)
        orr_text_printf(&text, ", rank%s %s", orr_plural(event->rank_count), ranks);
    if (event->host_count) {
        orr_text_printf(&text, ", host%s ", orr_plural(event->host_count));
        put_hosts(&text, event->hosts, event->host_count);
    }
    orr_page_line(page, "  ", "%s:", orr_text_data(&text));
    orr_page_line(page, "    ", "%s", event->text);
    if (event->message) {
        orr_page_say(page, ORR_STYLE_PLAIN, "      ", event->message->means);
        orr_page_say(page, ORR_STYLE_PLAIN, "      ", orr_symptom_advice(log, event->message->advice));
    } else {
        orr_page_say(page, ORR_STYLE_PLAIN, "      ", "Orrery does not know this message.");
    }
}

static void write_events(struct orr_page *page, const struct orr_log *log)
{
    enum { SHOWN = 40 };
    uint32_t shown = 0, count = 0;
    for (uint32_t i = 0; i < log->event_count; i++)
        count += strcmp(orr_event_severity(&log->events[i]), "note") != 0;
    if (count)
        orr_page_heading(page, "Errors and warnings, in order of appearance:");
    for (uint32_t i = 0; i < log->event_count && shown < SHOWN; i++)
        if (strcmp(orr_event_severity(&log->events[i]), "note") != 0) {
            write_event(page, log, &log->events[i]);
            shown++;
        }
    if (count > shown)
        orr_page_line(page, "  ", "and %u more kinds (--json lists them)", count - shown);
    if (log->events_left_out)
        orr_page_line(page, "  ", "and %u lines of further kinds, which are not kept", log->events_left_out);
}

/* Symptoms in the lines that were not named at the top. */
static void write_symptoms(struct orr_page *page, const struct orr_triage *triage)
{
    bool any = false;
    for (uint32_t i = 0; i < triage->symptoms.count; i++) {
        const struct orr_symptom *symptom = &triage->symptoms.rows[i];
        bool said = false;
        for (uint32_t s = 0; s < triage->sentence_count; s++)
            said |= triage->sentences[s] == symptom->cause;
        if (said)
            continue;
        if (!any)
            orr_page_heading(page, "Worth checking if the job is slow:");
        any = true;
        orr_page_say(page, ORR_STYLE_PLAIN, "  - ", symptom->cause);
        const bool last = i + 1 == triage->symptoms.count || triage->symptoms.rows[i + 1].weight != symptom->weight;
        if (symptom->weight == ORR_SYMPTOM_SETTING && !last)
            continue; /* what to do is the same for all settings */
        orr_page_say(page, ORR_STYLE_PLAIN, "    ", symptom->check);
        orr_page_say(page, ORR_STYLE_PLAIN, "    ", symptom->cure);
    }
}

/* Writes a name in its column, and the value, which wraps in its own column. */
static void write_fact(struct orr_page *page, const char *name, const char *value)
{
    char lead[24];
    snprintf(lead, sizeof lead, "  %-20.20s ", name);
    orr_page_line(page, lead, "%s", value);
}

static void write_values(struct orr_page *page, const struct orr_log *log, const struct orr_ran *ran)
{
    for (int what = 0; what < ORR_RAN_COUNT; what++)
        for (uint32_t i = 0; i < ran->counts[what]; i++) {
            ORR_LOCAL_TEXT(text, TEXT_MOST);
            orr_text_puts(&text, ran->values[what][i].value);
            put_whose(&text, &ran->values[what][i], ran->counts[what]);
            write_fact(page, i ? "" : orr_ran_text((enum orr_ran_what)what), orr_text_data(&text));
        }
    if (log->host_count) {
        ORR_LOCAL_TEXT(text, TEXT_MOST);
        put_hosts(&text, log->hosts, log->host_count);
        write_fact(page, log->host_count == 1 ? "Host" : "Hosts", orr_text_data(&text));
    }
}

/* Whether any line says what ran. */
static bool has_run(const struct orr_log *log, const struct orr_ran *ran)
{
    uint32_t values = log->host_count + ran->p2p + ran->shm + ran->net;
    for (int what = 0; what < ORR_RAN_COUNT; what++)
        values += ran->counts[what];
    return values || ran->nvls >= 0 || ran->coll_channels >= 0;
}

static void write_ran(struct orr_page *page, const struct orr_log *log, const struct orr_ran *ran)
{
    ORR_LOCAL_TEXT(channels, TEXT_MOST);
    if (!has_run(log, ran))
        return;
    orr_page_heading(page, "What ran:");
    write_values(page, log, ran);
    if (ran->p2p + ran->shm + ran->net) {
        ORR_LOCAL_TEXT(text, TEXT_MOST);
        orr_text_printf(&text,
                        "%u P2P, %u shared memory, %u network (%u with GPUDirect RDMA, %u through another rank's NIC)",
                        ran->p2p, ran->shm, ran->net, ran->net_gdr, ran->net_pxn);
        write_fact(page, "Connections", orr_text_data(&text));
    }
    if (ran->nvls >= 0)
        write_fact(page, "NVLS multicast", ran->nvls ? "available" : "not available");
    if (ran->coll_channels < 0)
        return;
    orr_text_printf(&channels, "%d for collectives", ran->coll_channels);
    if (ran->nvls_channels >= 0)
        orr_text_printf(&channels, ", %d for NVLS", ran->nvls_channels);
    orr_text_printf(&channels, ", %d for point-to-point", ran->p2p_channels);
    write_fact(page, "Channels", orr_text_data(&channels));
}

static void write_settings(struct orr_page *page, const struct orr_ran *ran)
{
    if (ran->setting_count)
        orr_page_heading(page, "Settings:");
    for (uint32_t i = 0; i < ran->setting_count; i++) {
        const struct orr_ran_setting *setting = &ran->settings[i];
        for (uint32_t v = 0; v < setting->value_count; v++) {
            ORR_LOCAL_TEXT(text, TEXT_MOST);
            put_whose(&text, &setting->values[v], setting->value_count);
            orr_page_line(page, "  ", "%s=%s%s", setting->name, setting->values[v].value, orr_text_data(&text));
        }
        if (setting->ignored)
            orr_page_line(page, "      ", "NCCL ignored it: %s", setting->ignored);
        if (setting->effect)
            orr_page_say(page, ORR_STYLE_PLAIN, "      ", setting->effect);
    }
}

static void write_choices(struct orr_page *page, const struct orr_log *log, const struct orr_triage *triage)
{
    enum { COLUMNS = 6 };
    static const char *const heads[COLUMNS] = {"", "from bytes", "to bytes", "lines", "log", "predicted"};
    const uint32_t compared = triage->choice_agree + triage->choice_differ;
    struct orr_table table;
    ORR_LOCAL_TEXT(text, TEXT_MOST);
    if (!triage->choice_count)
        return;
    orr_text_puts(&text, "Algorithms that NCCL chose");
    if (compared)
        orr_text_printf(&text, ": %u of %u sizes as predicted", triage->choice_agree, compared);
    if (triage->choice_not_compared)
        orr_text_printf(&text, "%s%u not compared%s", compared ? ", " : ": ", triage->choice_not_compared,
                        log->communicator_count > 1 ? " (other communicators, or the line does not say which)" : "");
    orr_page_heading(page, orr_text_data(&text));
    orr_table_init(&table, log->arena, COLUMNS);
    table.right = 0xe;
    for (int i = 0; i < COLUMNS; i++)
        orr_table_add(&table, ORR_STYLE_PLAIN, "%s", heads[i]);
    for (uint32_t i = 0; i < triage->choice_count; i++) {
        const struct orr_triage_choice *row = &triage->choices[i];
        const bool differs = row->predicted && !row->agrees;
        orr_table_add(&table, ORR_STYLE_PLAIN, "%s", row->function);
        orr_table_add(&table, ORR_STYLE_PLAIN, "%" PRIu64, row->from);
        orr_table_add(&table, ORR_STYLE_PLAIN, "%" PRIu64, row->to);
        orr_table_add(&table, ORR_STYLE_PLAIN, "%u", row->lines);
        orr_table_add(&table, ORR_STYLE_PLAIN, "%s", row->logged);
        orr_table_add(&table, differs ? ORR_STYLE_CAREFUL : ORR_STYLE_PLAIN, "%s%s",
                      row->predicted ? row->predicted : "-", differs ? "  differs" : "");
    }
    orr_table_write(page, &table, "  ");
    if (triage->choice_why)
        orr_page_say(page, ORR_STYLE_PLAIN, "  ", triage->choice_why);
}

static void write_last_calls(struct orr_page *page, const struct orr_log *log, const struct orr_triage *triage)
{
    enum { SHOWN = 20 };
    ORR_LOCAL_TEXT(text, TEXT_MOST);
    if (!triage->last_call_count)
        return;
    orr_text_printf(&text, "The last collective of each rank of communicator %u:", triage->last_calls[0].communicator);
    orr_page_heading(page, orr_text_data(&text));
    for (uint32_t i = 0; i < triage->last_call_count && i < SHOWN; i++) {
        const struct orr_triage_call *call = &triage->last_calls[i];
        const char *ranks = orr_ranks_text(call->ranks, call->rank_count, log->arena);
        orr_page_line(page, "  ", "line %u: %s, opCount %" PRIx64 ", rank%s %s", call->line, call->function,
                      call->op_count, orr_plural(call->rank_count), ranks ? ranks : "");
    }
    if (triage->last_call_count > SHOWN)
        orr_page_line(page, "  ", "and %u more (--json lists them)", triage->last_call_count - SHOWN);
}

void orr_report_triage(struct orr_page *page, const struct orr_log *log, const struct orr_triage *triage)
{
    orr_page_line(page, "", "Verdict: %s", orr_triage_word(triage->verdict));
    orr_page_blank(page);
    for (uint32_t i = 0; i < triage->sentence_count; i++)
        orr_page_say(page, ORR_STYLE_PLAIN, "", triage->sentences[i]);
    write_last_calls(page, log, triage);
    write_symptoms(page, triage);
    write_events(page, log);
    write_ran(page, log, &triage->ran);
    write_settings(page, &triage->ran);
    write_choices(page, log, triage);
}
