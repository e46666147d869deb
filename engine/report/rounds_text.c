/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/report/answers_text.h"

#include <stdio.h>

#include "engine/report/report.h"

enum { ROUNDS_SHOWN = 64, WAY = 96 };

static void describe_way(const struct orr_analysis *analysis, struct orr_transfers *transfers, uint32_t rank,
                         const struct orr_p2p_round *round, bool sending, char text[WAY])
{
    const int32_t peer = sending ? round->send : round->receive;
    const struct orr_transfer_way way = orr_transfer_way(transfers, peer, sending);
    const char *path = orr_path_type_name((enum orr_path_type)way.path);
    struct orr_transfer_nic nic;
    switch (way.transport) {
    case ORR_OVER_NET:
        break;
    case ORR_OVER_P2P:
        snprintf(text, WAY, way.via < 0 ? "P2P over %s" : "P2P over %s through rank %d", path, way.via);
        return;
    default:
        snprintf(text, WAY, "%s", way.transport == ORR_OVER_SELF ? "itself" : "shared memory");
        return;
    }
    if (!orr_transfer_nic(transfers, peer, sending, orr_p2p_channel(&analysis->communicator, round->channel, 0),
                          &nic)) {
        snprintf(text, WAY, "network");
        return;
    }
    const struct orr_system *system = &orr_transfer_seat(transfers, (int32_t)rank).part->system;
    char name[ORR_NIC_NAME_SIZE] = "?";
    for (uint32_t n = system->first[ORR_NET]; n < system->first[ORR_NET + 1]; n++)
        if (system->nodes[n].id == nic.net)
            orr_report_nic_name(system, n, name);
    if (nic.proxy != (int32_t)rank && nic.proxy >= 0)
        snprintf(text, WAY, "%s through rank %d (PXN)", name, nic.proxy);
    else
        snprintf(text, WAY, "%s%s", name, nic.gdr ? " with GDR" : "");
}

static void add_peer(struct orr_table *table, int32_t peer, const char *way)
{
    if (peer < 0) {
        orr_table_add(table, ORR_STYLE_PLAIN, "-");
        orr_table_add(table, ORR_STYLE_PLAIN, "%s", "");
        return;
    }
    orr_table_add(table, ORR_STYLE_PLAIN, "%d", peer);
    orr_table_add(table, ORR_STYLE_PLAIN, "%s", way);
}

void orr_rounds_write(struct orr_page *page, const struct orr_analysis *analysis, struct orr_transfers *transfers,
                      uint32_t rank, uint32_t first, uint32_t last, struct orr_arena *arena)
{
    static const char *const heads[] = {"Round", "Sends to", "by", "Receives from", "by"};
    uint32_t count, shown = 0;
    const struct orr_p2p_round *rounds = orr_transfers_turn(transfers, (int32_t)rank, &count);
    struct orr_table table;
    char way[WAY] = "";
    orr_table_init(&table, arena, 5);
    table.right = 0xb;
    for (int i = 0; i < 5; i++)
        orr_table_add(&table, ORR_STYLE_PLAIN, "%s", heads[i]);
    for (uint32_t i = first; i < count && i <= last && shown < ROUNDS_SHOWN; i++, shown++) {
        orr_table_add(&table, ORR_STYLE_PLAIN, "%u", i);
        if (rounds[i].send >= 0)
            describe_way(analysis, transfers, rank, &rounds[i], true, way);
        add_peer(&table, rounds[i].send, way);
        if (rounds[i].receive >= 0)
            describe_way(analysis, transfers, rank, &rounds[i], false, way);
        add_peer(&table, rounds[i].receive, way);
    }
    orr_page_printf(page, ORR_STYLE_HEADING, "", "Rank %u", rank);
    orr_table_write(page, &table, "  ");
    const uint32_t all = last < count ? last + 1 - first : count > first ? count - first : 0;
    if (all > shown)
        orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "%u further rounds: --rounds selects them, --json has all.",
                        all - shown);
}
