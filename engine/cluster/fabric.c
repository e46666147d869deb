/* SPDX-License-Identifier: Apache-2.0 */
/* docs/nccl/connect.md, "NVLink domains of several hosts". */
#include "engine/cluster/fabric.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/hash.h"
#include "engine/base/hex.h"
#include "engine/cluster/cluster.h"

static const struct {
    const char *name, *text;
} rules[] = {
#define X(name, text) {#name, text},
    ORR_MNNVL_MAP(X)
#undef X
};

const char *orr_mnnvl_rule_name(enum orr_mnnvl_rule rule)
{
    return rules[rule].name;
}

const char *orr_mnnvl_rule_text(enum orr_mnnvl_rule rule)
{
    return rules[rule].text;
}

const char *orr_fabric_state_name(enum orr_fabric_state state)
{
    static const char *const names[ORR_FABRIC_STATE_COUNT] = {
        [ORR_FABRIC_NOT_SUPPORTED] = "not-supported",
        [ORR_FABRIC_NOT_STARTED] = "not-started",
        [ORR_FABRIC_IN_PROGRESS] = "in-progress",
        [ORR_FABRIC_COMPLETED] = "completed",
    };
    return names[state];
}

char *orr_uuid_format(const uint64_t uuid[2], char *text)
{
    snprintf(text, ORR_UUID_SIZE, "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64, uuid[0] >> 32,
             uuid[0] >> 16 & 0xffff, uuid[0] & 0xffff, uuid[1] >> 48, uuid[1] & 0xffffffffffff);
    return text;
}

bool orr_uuid_parse(const char *text, uint64_t ret_uuid[2])
{
    uint64_t uuid[2] = {0, 0};
    unsigned digits = 0;
    for (; *text; text++) {
        if (*text == '-')
            continue;
        int digit = orr_hex_digit(*text);
        if (digit < 0 || digits == 32)
            return false;
        uint64_t *half = &uuid[digits++ / 16];
        *half = *half << 4 | (uint64_t)digit;
    }
    memcpy(ret_uuid, uuid, sizeof uuid);
    return digits == 32;
}

/* Derives a UUID from a domain's name, for domains whose real UUID is not known: FNV-1a, twice. */
static void uuid_of_name(const char *name, uint64_t ret_uuid[2])
{
    ret_uuid[0] = orr_hash_text(ORR_HASH_START, name);
    ret_uuid[1] = orr_hash_number(ret_uuid[0], 1);
}

static bool same_domain(const struct orr_cluster_line *a, const struct orr_cluster_line *b)
{
    return a->domain && b->domain && !strcmp(a->domain, b->domain);
}

/* If a dump contains several hosts, their fabric worked when the dump was made. */
static bool is_fused(const struct orr_dump *dump)
{
    const char *first = NULL;
    for (uint32_t e = 0; e < dump->element_count; e++) {
        const char *hash =
            dump->elements[e].kind == ORR_ELEMENT_CPU ? orr_element_text(dump, e, ORR_ATTR_HOST_HASH) : NULL;
        if (hash && first && strcmp(hash, first) != 0)
            return true;
        first = hash ? hash : first;
    }
    return false;
}

/* What the hosts of a line report. If a fact is missing for a host in a domain, it comes from the first line of the
 * domain that has it. Returns whether anything is known about the fabric. */
static bool state_fabric(const struct orr_cluster *c, uint32_t l, struct orr_fabric *fabric)
{
    const struct orr_cluster_line *line = &c->lines[l];
    if (!line->fabric && !line->domain) {
        bool fused = is_fused(line->dump);
        *fabric = (struct orr_fabric){.state = fused ? ORR_FABRIC_COMPLETED : ORR_FABRIC_NOT_SUPPORTED,
                                      .has_uuid = fused,
                                      .uuid = {0x66757365, l + 1}}; /* a UUID that no other host has */
        return false;
    }
    *fabric = line->fabric ? *line->fabric : (struct orr_fabric){.state = ORR_FABRIC_COMPLETED};
    for (uint32_t o = 0; o < c->line_count; o++) {
        const struct orr_fabric *other = c->lines[o].fabric;
        if (!other || !other->has_uuid || !same_domain(line, &c->lines[o]))
            continue;
        if (!line->fabric)
            fabric->clique = other->clique;
        if (!fabric->has_uuid)
            memcpy(fabric->uuid, other->uuid, sizeof fabric->uuid);
        fabric->has_uuid = true;
        break;
    }
    if (!fabric->has_uuid && line->domain)
        uuid_of_name(line->domain, fabric->uuid);
    fabric->has_uuid = true;
    return true;
}

/* The settings of every process override the values of the fabric, but not whether there is a fabric. */
static struct orr_fabric in_force(const struct orr_settings *settings, struct orr_fabric fabric)
{
    int64_t uuid = orr_setting_int(settings, ORR_SET_MNNVL_UUID);
    int64_t clique = orr_setting_int(settings, ORR_SET_MNNVL_CLIQUE_ID);
    bool by_chassis = clique == -2 && settings->release->clique_by_chassis;
    if (uuid != -1)
        fabric.uuid[0] = fabric.uuid[1] = (uint64_t)uuid;
    if (clique != -1 && !by_chassis)
        fabric.clique = (uint32_t)clique;
    return fabric;
}

static void add_to_clique(struct orr_cluster *c, uint32_t l, struct orr_fabric fabric)
{
    struct orr_fabrics *f = &c->fabrics;
    uint32_t q = 0;
    f->clique_of_line[l] = UINT32_MAX;
    if (fabric.state != ORR_FABRIC_COMPLETED)
        return;
    while (q < f->clique_count && (memcmp(f->cliques[q].fabric.uuid, fabric.uuid, sizeof fabric.uuid) != 0 ||
                                   f->cliques[q].fabric.clique != fabric.clique))
        q++;
    if (q == f->clique_count)
        f->cliques[f->clique_count++] = (struct orr_clique){.fabric = fabric, .line = l};
    f->cliques[q].fabric.health |= fabric.health;
    f->clique_of_line[l] = q;
}

/* The first line whose fabric keeps all hosts apart. */
static enum orr_mnnvl_rule find_unfit(struct orr_cluster *c)
{
    struct orr_fabrics *f = &c->fabrics;
    for (f->line = 0; f->line < c->line_count; f->line++) {
        uint32_t q = f->clique_of_line[f->line];
        if (q == UINT32_MAX)
            return ORR_MNNVL_RULE_NOT_COMPLETED;
        if (!f->cliques[q].fabric.uuid[0] && !f->cliques[q].fabric.uuid[1])
            return ORR_MNNVL_RULE_NO_UUID;
    }
    f->line = 0;
    for (uint32_t q = 0; q < f->clique_count; q++)
        if (f->cliques[q].host_count > 1 || (c->host_count == 1 && f->cliques[q].rank_count > 1))
            return ORR_MNNVL_RULE_ON;
    return c->host_count == 1 ? ORR_MNNVL_RULE_ONE_HOST : ORR_MNNVL_RULE_APART;
}

static enum orr_mnnvl_rule decide(struct orr_cluster *c, bool stated)
{
    enum orr_mnnvl mnnvl = c->settings.release->mnnvl;
    int64_t enabled = orr_setting_int(&c->settings, ORR_SET_MNNVL_ENABLE);
    bool p2p_off = orr_setting_int(&c->settings, ORR_SET_P2P_DISABLE) == 1 ||
                   orr_setting_int(&c->settings, ORR_SET_P2P_LEVEL) == ORR_PATH_LOC;
    if (!stated)
        return ORR_MNNVL_RULE_NOT_STATED;
    if (mnnvl == ORR_MNNVL_NONE)
        return ORR_MNNVL_RULE_UNKNOWN;
    if (c->host_count == 1 && (enabled != 1 || mnnvl == ORR_MNNVL_MUST))
        return ORR_MNNVL_RULE_ONE_HOST;
    if (enabled == 0)
        return ORR_MNNVL_RULE_DISABLED;
    if (p2p_off && enabled != 1 && mnnvl == ORR_MNNVL_CLIQUES)
        return ORR_MNNVL_RULE_P2P_OFF;
    if (orr_setting_int(&c->settings, ORR_SET_CUMEM_ENABLE) == 0)
        return ORR_MNNVL_RULE_CUMEM_OFF;
    return find_unfit(c);
}

enum orr_code orr_fabrics_decide(struct orr_cluster *c, struct orr_error *err)
{
    struct orr_fabrics *f = &c->fabrics;
    bool stated = false;
    f->of_line = ORR_NEW(c->arena, struct orr_fabric, c->line_count);
    f->clique_of_line = ORR_NEW(c->arena, uint32_t, c->line_count);
    f->cliques = ORR_NEW(c->arena, struct orr_clique, c->line_count);
    ORR_NEED(f->of_line && f->clique_of_line && f->cliques, err);
    for (uint32_t l = 0; l < c->line_count; l++) {
        stated |= state_fabric(c, l, &f->of_line[l]);
        add_to_clique(c, l, in_force(&c->settings, f->of_line[l]));
    }
    for (uint32_t h = 0; h < c->host_count; h++) {
        uint32_t q = f->clique_of_line[c->hosts[h].line];
        if (q == UINT32_MAX)
            continue;
        f->cliques[q].host_count++;
        f->cliques[q].rank_count += c->hosts[h].rank_count;
    }
    f->rule = decide(c, stated);
    f->crosses_cliques = (f->rule == ORR_MNNVL_RULE_ON || f->rule == ORR_MNNVL_RULE_APART) &&
                         orr_setting_int(&c->settings, ORR_SET_MNNVL_CROSS_CLIQUE) == 1;
    bool fails = f->rule == ORR_MNNVL_RULE_CUMEM_OFF || f->rule == ORR_MNNVL_RULE_NOT_COMPLETED ||
                 f->rule == ORR_MNNVL_RULE_NO_UUID;
    if (!fails || c->settings.release->mnnvl != ORR_MNNVL_MUST ||
        orr_setting_int(&c->settings, ORR_SET_MNNVL_ENABLE) != 1)
        return ORR_OK;
    orr_fail(err, ORR_SETTING, "NCCL %s fails if NCCL_MNNVL_ENABLE=1 cannot be granted: %s", c->settings.release->name,
             rules[f->rule].text);
    if (f->rule != ORR_MNNVL_RULE_CUMEM_OFF)
        orr_error_where(err, "hosts[%u]", f->line);
    orr_error_advice(err, "leave NCCL_MNNVL_ENABLE at its default, 2, which uses a domain if it can");
    return ORR_SETTING;
}

bool orr_systems_share_nvlink(const struct orr_cluster *c, uint32_t a, uint32_t b)
{
    const struct orr_fabrics *f = &c->fabrics;
    if (!f->crosses_cliques || a == b)
        return false;
    const struct orr_clique *x = &f->cliques[f->clique_of_line[c->hosts[c->systems[a].hosts[0]].line]];
    const struct orr_clique *y = &f->cliques[f->clique_of_line[c->hosts[c->systems[b].hosts[0]].line]];
    return x != y && !memcmp(x->fabric.uuid, y->fabric.uuid, sizeof x->fabric.uuid);
}
