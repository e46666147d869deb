/* SPDX-License-Identifier: Apache-2.0 */
/* Writes findings and further questions. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "engine/report/report.h"

/* The report should fit two screens; `orrery show --findings` has all findings. */
enum { IN_FULL = 2, IN_BRIEF = 4, FOLLOWING_NAMED = 1, NOTES_SHOWN = 3, QUESTIONS = 3 };

/* Assumptions have a section of their own. */
static bool is_left_out(const struct orr_diagnosed *row)
{
    return !strcmp(row->finding->row->id, "input-assumed");
}

static bool is_note(const struct orr_diagnosed *row)
{
    return row->severity == ORR_SEVERITY_INFO;
}

/* The headline says what is wrong, where, and what its repair gains, so no two findings have the same headline. */
static void write_headline(struct orr_page *page, const struct orr_diagnosed *row, uint32_t number, bool brief)
{
    const enum orr_style style = row->severity == ORR_SEVERITY_ERROR ? ORR_STYLE_BAD : ORR_STYLE_CAREFUL;
    char lead[16], gain[64];
    ORR_LOCAL_TEXT(text, 4096);
    snprintf(lead, sizeof lead, "  %u. ", number);
    orr_cost_gain_text(&row->cost, gain);
    orr_text_printf(&text, "%s (%s).", row->finding->title, orr_severity_name(row->severity));
    if (*gain)
        orr_text_printf(&text, " %c%s.", toupper((unsigned char)gain[0]), gain + 1);
    else if (orr_diagnosed_costs(row)) {
        orr_text_puts(&text, " ");
        orr_cost_clause(&row->cost, &text);
        orr_text_puts(&text, ".");
    }
    if (brief)
        orr_text_printf(&text, " %s.", row->finding->detail);
    orr_page_printf(page, brief ? ORR_STYLE_PLAIN : style, lead, "%s", orr_text_data(&text));
}

/* Writes the headline, then the cause, then the remedy. */
static void write_finding(struct orr_page *page, const struct orr_diagnosed *row, uint32_t number)
{
    const struct orr_finding_row *finding = row->finding->row;
    write_headline(page, row, number, false);
    if (orr_diagnosed_costs(row))
        orr_page_printf(page, ORR_STYLE_PLAIN, "     ", "Cause: %s.", row->finding->detail);
    else {
        ORR_LOCAL_TEXT(supposed, 200);
        const bool supposes = orr_supposed_clause(row, &supposed);
        orr_page_printf(page, ORR_STYLE_PLAIN, "     ", "Cause: %s. %s %s", row->finding->detail, finding->why,
                        supposes        ? orr_text_data(&supposed)
                        : row->has_cost ? "A repair changes none of the figures that Orrery compares."
                                        : "What it costs is not known.");
    }
    orr_page_printf(page, ORR_STYLE_PLAIN, "     ", "Remedy: %s", row->finding->advice);
    if (row->finding->commands[0])
        orr_page_printf(page, ORR_STYLE_PLAIN, "     ", "Check: %s", row->finding->commands[0]);
}

/* Writes the titles of the consequences of a finding in one paragraph. */
static void write_following(struct orr_page *page, const struct orr_diagnosis *d, uint32_t of, bool all)
{
    ORR_LOCAL_TEXT(text, 8192);
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->count; i++)
        if (d->rows[i].follows == of && (count++ < FOLLOWING_NAMED || all))
            orr_text_printf(&text, "%s%s", text.length ? "; " : "", d->rows[i].finding->title);
    if (count > FOLLOWING_NAMED && !all)
        orr_text_printf(&text, "; and %u more", count - FOLLOWING_NAMED);
    if (text.data)
        orr_page_printf(page, ORR_STYLE_PLAIN, "     ", "It also explains: %s.", text.data);
}

/* Writes errors and warnings; returns their number. */
static uint32_t write_faults(struct orr_page *page, const struct orr_diagnosis *d, bool all)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        if (d->rows[i].follows != UINT32_MAX || is_note(&d->rows[i]))
            continue;
        if (!count++)
            orr_page_heading(page, "Findings, the most expensive first");
        if (count <= IN_FULL || all) {
            write_finding(page, &d->rows[i], count);
            write_following(page, d, i, all);
        } else if (count <= IN_FULL + IN_BRIEF) {
            write_headline(page, &d->rows[i], count, true);
        }
    }
    return count;
}

/* Writes at most `most` notes; if that is 0, only their number. */
static void write_notes(struct orr_page *page, const struct orr_diagnosis *d, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        const struct orr_diagnosed *row = &d->rows[i];
        if (row->follows != UINT32_MAX || !is_note(row) || is_left_out(row) || count++ >= most)
            continue;
        if (count == 1)
            orr_page_heading(page, "Notes");
        orr_page_printf(page, ORR_STYLE_PLAIN, "  - ", "%s: %s.", row->finding->title, row->finding->detail);
    }
    if (count > most)
        orr_page_printf(page, ORR_STYLE_PLAIN, most ? "  - " : "  ", "%u %s%s: `orrery show --findings` lists all.",
                        count - most, most ? "more" : "note", most || count == 1 ? "" : "s");
}

void orr_report_findings(struct orr_page *page, const struct orr_diagnosis *d, bool all)
{
    const uint32_t faults = write_faults(page, d, all);
    if (faults > IN_FULL + IN_BRIEF && !all)
        orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "%u more: `orrery show --findings` lists all.",
                        faults - IN_FULL - IN_BRIEF);
    write_notes(page, d, all ? UINT32_MAX : faults > 1 ? 0 : NOTES_SHOWN);
}

/* Finds a pair of GPUs without P2P; false if every pair has it. */
static bool find_no_p2p(const struct orr_report *report, uint32_t *from, uint32_t *to)
{
    const struct orr_analysis *analysis = report->analysis;
    for (*from = 0; *from < analysis->local_ranks; ++*from)
        for (*to = 0; *to < analysis->local_ranks; ++*to)
            if (*from != *to && !analysis->p2p[(size_t)*from * analysis->local_ranks + *to].decision.verdict)
                return true;
    return false;
}

/* Finds a GPU that cannot use GPUDirect RDMA with its own NIC. */
static bool find_no_gdr(const struct orr_report *report, uint32_t *ret_rank, char net[ORR_NODE_ID_SIZE])
{
    for (uint32_t rank = 0; report->nics && rank < report->analysis->local_ranks; rank++) {
        const struct orr_report_nics *nics = &report->nics[rank];
        const struct orr_system *system = &nics->part->system;
        const uint32_t at = (nics->gpu - system->first[ORR_GPU]) * orr_system_count(system, ORR_NET);
        for (uint32_t i = 0; i < nics->net_count; i++) {
            const struct orr_gdr *gdr = &nics->part->gdr[at + nics->nets[i] - system->first[ORR_NET]];
            if (gdr->send.verdict && gdr->recv.verdict)
                continue;
            *ret_rank = rank;
            orr_system_node_id(system, nics->nets[i], net);
            return true;
        }
    }
    return false;
}

struct further {
    struct orr_page *page;
    const struct orr_report_asked *asked;
    uint32_t count; /* proposed so far, QUESTIONS at most */
};

/* Proposes a question with the command that answers it. hosts: number for --hosts, which is left out for 1. */
static void propose(struct further *further, const char *question, const char *command, uint32_t hosts)
{
    ORR_LOCAL_TEXT(text, 8192);
    if (further->count++ >= QUESTIONS)
        return;
    orr_text_printf(&text, "orrery %s %s", command, further->asked->options);
    if (hosts > 1)
        orr_text_printf(&text, "--hosts %u ", hosts);
    orr_text_puts(&text, further->asked->machine ? further->asked->machine : "FILE");
    orr_page_say(further->page, ORR_STYLE_PLAIN, "  ", question);
    orr_page_command(further->page, "    ", orr_text_data(&text));
}

/* Proposes a command that must first run on the machine. */
static void propose_run(struct further *further, const char *question, const char *command)
{
    ORR_LOCAL_TEXT(text, 8192);
    if (further->count++ >= QUESTIONS)
        return;
    orr_text_printf(&text, "%s%s", command, further->asked->machine ? further->asked->machine : "--topology FILE");
    orr_page_say(further->page, ORR_STYLE_PLAIN, "  ", question);
    orr_page_command(further->page, "    ", orr_text_data(&text));
}

void orr_report_next(struct orr_page *page, const struct orr_report *report, const struct orr_report_asked *asked)
{
    struct further further = {page, asked, 0};
    const struct orr_dump_notes *notes = report->analysis->given->notes;
    const bool degraded = report->diagnosis.state == ORR_VERDICT_DEGRADED;
    const uint32_t hosts = report->networked->cluster ? asked->hosts : report->networked->query.hosts;
    uint32_t from, to;
    char net[ORR_NODE_ID_SIZE], command[200];
    orr_page_heading(page, "What to ask next");
    for (uint32_t i = 0; notes && i < notes->missing_count; i++) {
        orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "The input does not show %s%s", notes->missing[i].what,
                        *notes->missing[i].command ? ". On the machine, run:" : ".");
        if (*notes->missing[i].command)
            orr_page_command(page, "    ", notes->missing[i].command);
    }
    if (degraded && asked->is_file && report->machine.type && report->machine.fitting == 1) {
        snprintf(command, sizeof command, "compare --machine %s", report->machine.type->name);
        propose(&further, "What differs from a sound machine of this type?", command, hosts);
    }
    if (find_no_p2p(report, &from, &to)) {
        snprintf(command, sizeof command, "explain --why p2p --from %u --to %u", from, to);
        propose(&further, "Why can these two GPUs not use P2P?", command, asked->hosts);
    }
    if (find_no_gdr(report, &from, net)) {
        snprintf(command, sizeof command, "explain --why gdr --from %u --to %s", from, net);
        propose(&further, "Why is GPUDirect RDMA off for this GPU?", command, hosts);
    }
    propose(&further, "Which bandwidth should nccl-tests show at every size?", "predict", hosts);
    if (!report->analysis->cluster && report->analysis->local_ranks > 1) {
        snprintf(command, sizeof command, "./all_reduce_perf -b 1M -e 8G -f 2 -g %u | orrery check-perf %s",
                 report->analysis->local_ranks, asked->is_file ? "--topology " : "");
        propose_run(&further, "Are the results of nccl-tests on this machine normal?", command);
    }
    propose(&further, "Why this number of channels, and which settings would change it?",
            "explain --why graph --graph ring", hosts);
    orr_page_say(page, ORR_STYLE_PLAIN, "  ", "`orrery show --tree`, --matrix and --findings show other parts.");
}
