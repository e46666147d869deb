/* SPDX-License-Identifier: Apache-2.0 */
/* Logs and dumped graphs: whatever the bytes, they are read or refused, the tree that a log prints makes XML that our
 * own reader takes, triage and the search for a machine type end, and comparing ends. */
#include "engine/log_comparing/survey.h"
#include "engine/log_machine/log_machine.h"
#include "engine/triage/triage.h"
#include "tests/fuzz/fuzz.h"

static const char machine[] =
    "<system version=\"1\"><cpu numaid=\"0\" affinity=\"ff\" arch=\"x86_64\" vendor=\"AuthenticAMD\" familyid=\"23\" "
    "modelid=\"49\"><pci busid=\"0000:21:00.0\" class=\"0x030200\" link_speed=\"16 GT/s\" link_width=\"16\">"
    "<gpu dev=\"0\" sm=\"86\" rank=\"0\" gdr=\"1\"/></pci><pci busid=\"0000:61:00.0\" class=\"0x030200\" "
    "link_speed=\"16 GT/s\" link_width=\"16\"><gpu dev=\"1\" sm=\"86\" rank=\"1\" gdr=\"1\"/></pci>"
    "<pci busid=\"0000:a1:00.0\" class=\"0x020000\" link_speed=\"8 GT/s\" link_width=\"8\"><nic><net name=\"eth0\" "
    "dev=\"0\" speed=\"10000\" port=\"1\" guid=\"0x1\" maxconn=\"65536\" gdr=\"0\"/></nic></pci></cpu></system>";

static void look_through(const struct orr_log *log)
{
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        FUZZ_REQUIRE(record->kind < ORR_LOG_KIND_COUNT, "kind %d", (int)record->kind);
        FUZZ_REQUIRE(record->line >= 1 && record->line <= log->line_count, "line %u of %u", record->line,
                     log->line_count);
        FUZZ_REQUIRE(record->session < log->session_count, "session %u", record->session);
    }
    for (uint32_t i = 0; i < log->communicator_count; i++)
        FUZZ_REQUIRE((int64_t)log->communicators[i].seen <= log->communicators[i].rank_count, "communicator %u", i);
    for (uint32_t i = 0; i < log->call_count; i++)
        FUZZ_REQUIRE(log->calls[i].rank < 0 ||
                         log->calls[i].rank < log->communicators[log->calls[i].communicator].rank_count,
                     "rank %d of a call", log->calls[i].rank);
}

/* Every record is of one communicator or of none, and every member of its own one. */
static void look_at_communicators(const struct orr_log *log)
{
    uint32_t records = 0;
    for (uint32_t c = 0; c <= log->communicator_count; c++) {
        records += orr_log_records_of(log, c < log->communicator_count ? c : UINT32_MAX).count;
        for (int32_t r = 0; c < log->communicator_count && r < log->communicators[c].rank_count; r++) {
            const uint32_t session = log->communicators[c].members[r].session;
            FUZZ_REQUIRE(session == UINT32_MAX ||
                             (log->sessions[session].communicator == c && log->sessions[session].rank == r),
                         "rank %d of communicator %u", r, c);
        }
    }
    FUZZ_REQUIRE(records == log->record_count, "%u records are of communicators", records);
}

static void judge(const struct orr_log *log)
{
    struct orr_log_machine implied;
    struct orr_triage triage;
    struct orr_error err = {0};
    if (orr_log_machine_find(log, &implied, &err) == ORR_OK)
        FUZZ_REQUIRE(implied.type ? implied.fits[0] == implied.type && implied.assumed_count >= 2
                                  : implied.fit_count <= implied.fits_in_all,
                     "%u types fit", implied.fit_count);
    if (orr_triage_make(log, NULL, log->arena, &triage, &err) == ORR_OK)
        FUZZ_REQUIRE(triage.sentence_count >= 1 && triage.sentence_count <= 7, "%u sentences", triage.sentence_count);
}

static void compare(const struct orr_log *log, const struct orr_dump *dump)
{
    const struct orr_log_question question = {.communicator = UINT32_MAX};
    struct orr_error err = {0};
    struct orr_log_check *check;
    if (orr_log_compare(log, dump, &question, &check, &err) != ORR_OK)
        return;
    uint32_t differ = 0;
    for (uint32_t i = 0; i < check->fact_count; i++)
        differ += check->facts[i].verdict == ORR_FACT_DIFFERS;
    FUZZ_REQUIRE(differ == check->differ, "%u differ, not %u", differ, check->differ);
    FUZZ_REQUIRE((check->first < check->fact_count) == (differ > 0), "the first difference");
    if (orr_log_survey(check, dump, &question, &err) == ORR_OK) {
        const struct orr_log_survey *survey = check->survey;
        uint32_t facts = 0;
        for (uint32_t i = 0; i < survey->row_count; i++) {
            facts += survey->rows[i].agree + survey->rows[i].differ;
            FUZZ_REQUIRE(survey->rows[i].like < log->communicator_count, "a communicator is like none");
            FUZZ_REQUIRE(!survey->rows[i].differ || survey->rows[i].what, "no first difference");
        }
        FUZZ_REQUIRE(!survey->row_count || facts == survey->agree + survey->differ, "%u facts", facts);
    }
    orr_log_check_free(check);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orr_error err = {0};
    struct orr_log *log;
    const char *bytes = size ? (const char *)data : "";
    (void)orr_log_is_one(bytes, size);
    if (orr_log_read_any(bytes, size, &log, &err) != ORR_OK) {
        FUZZ_REQUIRE(err.text[0], "no reason is given");
        return 0;
    }
    look_through(log);
    look_at_communicators(log);
    judge(log);
    struct orr_dump *dump;
    if (orr_dump_read(machine, sizeof machine - 1, NULL, &dump, NULL) == ORR_OK) {
        compare(log, dump);
        orr_dump_free(dump);
    }
    const char *why;
    if (orr_log_tree_dump(log, 0, &dump, &why, &err) == ORR_OK && dump) {
        compare(log, dump);
        orr_dump_free(dump);
    }
    orr_log_free(log);
    return 0;
}
