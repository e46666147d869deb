/* SPDX-License-Identifier: Apache-2.0 */
/* docs/findings.md is written from the rows of engine/findings, and from those of engine/compare for sets of hosts.
 * ORR_UPDATE_GOLDEN=1 writes the file anew. */
#include "engine/base/text.h"
#include "engine/compare/majority.h"
#include "engine/findings/finder.h"
#include "tests/support/golden_text.h"

#define CATALOGUE "docs/findings.md"

static const char *const opening =
    "# Catalogue of findings\n"
    "\n"
    "This page answers: what can Orrery find wrong or remarkable, how does each finding help, and what can it not "
    "decide?\n"
    "\n"
    "* A finding names something in a topology dump, a prediction or an NCCL log that a user should know.\n"
    "* Each finding has an id, such as `slow-link`, which never changes. Scripts may rely on it.\n"
    "* Most findings also have a number, such as L20. Related findings share a number.\n"
    "* A finding in an answer carries the values that were compared and the devices concerned.\n"
    "* The commands of a finding run on the machine that the dump describes; Orrery never runs them itself.\n"
    "\n"
    "| severity | meaning |\n"
    "|---|---|\n"
    "| error | NCCL refuses the input, or the machine cannot work as described |\n"
    "| warning | NCCL is likely to be slower than the machine allows |\n"
    "| info | worth knowing; often harmless |\n"
    "\n"
    "A finding looks at the dump alone, at the dump and the prediction, or at an NCCL log beside a prediction.\n"
    "Orrery compares equal devices with one another. What all equal devices share counts as how the machine was "
    "built, unless the machine fits a known type in everything else.\n"
    "`orrery analyze --section findings DUMP` prints the findings of a dump, and `GET /v1/topologies/{id}/findings` "
    "returns them.\n"
    "\n"
    "This file is generated from the tables in `engine/findings` and `engine/compare/majority.c`. Do not edit it; run\n"
    "`ORR_UPDATE_GOLDEN=1 ctest --test-dir build-dev -R test_findings_catalogue` after a change there.\n";

struct family {
    const char *heading;
    const struct orr_finding_row *(*row)(size_t i); /* NULL ends */
};

#define FAMILY(name)                                                                                                   \
    static const struct orr_finding_row *row_of_##name(size_t i)                                                       \
    {                                                                                                                  \
        return orr_findings_##name[i].id ? &orr_findings_##name[i] : NULL;                                             \
    }
FAMILY(ranks)
FAMILY(input)
FAMILY(machine)
FAMILY(type)
FAMILY(pci)
FAMILY(slots)
FAMILY(nvlink)
FAMILY(groups)
FAMILY(p2p)
FAMILY(gdr)
FAMILY(net)
FAMILY(graph)
FAMILY(routes)
FAMILY(cpu)
FAMILY(log)
FAMILY(hosts)
FAMILY(cluster)
FAMILY(rails)
FAMILY(fabric)

static const struct family families[] = {
    {"GPUs, ranks and identifiers", row_of_ranks},
    {"The topology file", row_of_input},
    {"What the machine should be", row_of_machine},
    {"What its machine type has", row_of_type},
    {"PCIe links and switches", row_of_pci},
    {"PCIe slots and uplinks", row_of_slots},
    {"NVLinks of a GPU", row_of_nvlink},
    {"NVLink between GPUs", row_of_groups},
    {"Peer-to-peer between GPUs", row_of_p2p},
    {"GPUDirect RDMA and the distance of NICs", row_of_gdr},
    {"NICs", row_of_net},
    {"Graphs, channels and NVLS", row_of_graph},
    {"Paths that the graphs take", row_of_routes},
    {"CPUs", row_of_cpu},
    {"NCCL logs", row_of_log},
    {"Hosts that differ from most of a communicator", row_of_hosts},
    {"Different hosts in one communicator", row_of_cluster},
    {"Rails of hosts", row_of_rails},
    {"NVLink domains of several hosts", row_of_fabric},
    {"Sets of dumps compared with their majority", orr_set_finding_row},
};
enum { FAMILY_COUNT = sizeof families / sizeof families[0] };

static const char *number_of(const struct orr_finding_row *row)
{
    return row->catalogue ? row->catalogue : "–";
}

/* "NVIDIA/nccl#439" as a link to the issue. */
static void write_reference(struct orr_text *text, const char *reference)
{
    const char *hash = strchr(reference, '#');
    assert_non_null(hash);
    orr_text_printf(text, "[%s](https://github.com/%.*s/issues/%s)", reference, (int)(hash - reference), reference,
                    hash + 1);
}

static void write_row(struct orr_text *text, const struct orr_finding_row *row)
{
    const char *reads = row->of == ORR_OF_LOG        ? "an NCCL log"
                        : row->of == ORR_OF_ANALYSIS ? "the dump and the prediction"
                                                     : "the dump";
    if (!row->find)
        reads = "several dumps";
    orr_text_printf(text, "\n### %s\n\n**%s.**\n\n", row->id, row->title);
    orr_text_printf(text, "Number %s · severity %s · reads %s\n\n", number_of(row), orr_severity_name(row->severity),
                    reads);
    orr_text_printf(text, "*Why it matters:* %s\n\n*What to do:* %s\n", row->why, row->advice);
    if (row->commands[0]) {
        orr_text_printf(text, "\n```sh\n");
        for (size_t i = 0; i < 4 && row->commands[i]; i++)
            orr_text_printf(text, "%s\n", row->commands[i]);
        orr_text_printf(text, "```\n");
    }
    for (size_t i = 0; i < ORR_MOST_CAUSES && row->follows_from[i]; i++)
        orr_text_printf(text, "%s[%s](#%s)", i ? ", " : "\n*Explained, if it is also found, by:* ",
                        row->follows_from[i], row->follows_from[i]);
    if (row->follows_from[0])
        orr_text_printf(text, ".\n");
    for (size_t i = 0; i < 4 && row->references[i]; i++) {
        orr_text_printf(text, i ? ", " : "\nReported in ");
        write_reference(text, row->references[i]);
    }
    if (row->references[0])
        orr_text_printf(text, ".\n");
}

static void write_overview(struct orr_text *text)
{
    orr_text_printf(text, "\n## All findings at a glance\n\n| id | number | severity | title |\n|---|---|---|---|\n");
    for (size_t f = 0; f < FAMILY_COUNT; f++) {
        const struct orr_finding_row *row;
        for (size_t i = 0; (row = families[f].row(i)); i++)
            orr_text_printf(text, "| [%s](#%s) | %s | %s | %s |\n", row->id, row->id, number_of(row),
                            orr_severity_name(row->severity), row->title);
    }
}

static void write_undecided(struct orr_text *text)
{
    const struct orr_undecided *row;
    orr_text_printf(text, "\n## Findings that cannot be decided\n\n"
                          "These belong to the catalogue, but the inputs that Orrery reads do not show them.\n\n"
                          "| number | title | why it cannot be decided |\n|---|---|---|\n");
    for (size_t i = 0; (row = orr_undecided(i)); i++)
        orr_text_printf(text, "| %s | %s | %s |\n", row->catalogue, row->title, row->why);
}

TEST(catalogue_is_written_from_the_rows)
{
    ORR_LOCAL_TEXT(text, GOLDEN_MOST_BYTES);
    orr_text_puts(&text, opening);
    write_overview(&text);
    for (size_t f = 0; f < FAMILY_COUNT; f++) {
        orr_text_printf(&text, "\n## %s\n", families[f].heading);
        const struct orr_finding_row *row;
        for (size_t i = 0; (row = families[f].row(i)); i++)
            write_row(&text, row);
    }
    write_undecided(&text);
    assert_false(orr_text_failed(&text));
    assert_golden(CATALOGUE, text.data);
}

/* Each row is in a family above. */
TEST(no_family_is_left_out)
{
    size_t listed = 0, known = 0;
    for (size_t f = 0; f < FAMILY_COUNT; f++)
        for (size_t i = 0; families[f].row(i); i++)
            listed += families[f].row != orr_set_finding_row;
    while (orr_finding_row(known))
        known++;
    assert_int_equal(listed, known);
}
