/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/log_comparing/values.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int write_words(const struct orr_log_value *v, char *text, size_t room)
{
    return snprintf(text, room, "%s", v->text);
}

static bool agree_words(const struct orr_log_value *logged, const struct orr_log_value *predicted)
{
    return !strcmp(logged->text, predicted->text);
}

static int write_count(const struct orr_log_value *v, char *text, size_t room)
{
    return snprintf(text, room, "%" PRId64, v->count);
}

static bool agree_count(const struct orr_log_value *logged, const struct orr_log_value *predicted)
{
    return logged->count == predicted->count;
}

/* Whether a rate equals a logged one, which has one digit after the point. */
static bool prints_as(double logged, double predicted, double share)
{
    return fabs(logged - predicted) <= 0.051 + predicted * share;
}
static const double rounding = 1e-5, tuning_rounding = 1e-4;

static int write_rate(const struct orr_log_value *v, char *text, size_t room)
{
    return snprintf(text, room, "%.1f GB/s", v->rate);
}

static bool agree_rate(const struct orr_log_value *logged, const struct orr_log_value *predicted)
{
    return prints_as(logged->rate, predicted->rate, rounding);
}

static int write_link(const struct orr_log_value *v, char *text, size_t room)
{
    return snprintf(text, room, "%.8s %.1f GB/s", v->link.type, v->link.bw);
}

static bool agree_link(const struct orr_log_value *logged, const struct orr_log_value *predicted)
{
    return !strcmp(logged->link.type, predicted->link.type) && prints_as(logged->link.bw, predicted->link.bw, rounding);
}

static int write_path(const struct orr_log_value *v, char *text, size_t room)
{
    return snprintf(text, room, "%.7s %.1f GB/s, %d %s", v->path.type, v->path.bw, v->path.hops,
                    v->path.hops == 1 ? "hop" : "hops");
}

static bool agree_path(const struct orr_log_value *logged, const struct orr_log_value *predicted)
{
    return !strcmp(logged->path.type, predicted->path.type) && logged->path.hops == predicted->path.hops &&
           prints_as(logged->path.bw, predicted->path.bw, rounding);
}

static int write_transport(const struct orr_log_value *v, char *text, size_t room)
{
    return snprintf(text, room, "%s", orr_log_transport_text(v->transport));
}

static bool agree_transport(const struct orr_log_value *logged, const struct orr_log_value *predicted)
{
    return logged->transport == predicted->transport;
}

static int write_p2p(const struct orr_log_value *v, char *text, size_t room)
{
    if (!v->p2p.distance)
        return snprintf(text, room, "refused by the driver");
    return snprintf(text, room, "%s by the topology, path %s", v->p2p.possible ? "possible" : "not used",
                    v->p2p.distance);
}

static bool agree_p2p(const struct orr_log_value *logged, const struct orr_log_value *predicted)
{
    return logged->p2p.possible == predicted->p2p.possible;
}

static int write_nic(const struct orr_log_value *v, char *text, size_t room)
{
    return snprintf(text, room, "NIC %d%s%s", v->nic.number, v->nic.by_other_gpu ? " of another GPU (PXN)" : "",
                    v->nic.gdr ? ", GPUDirect RDMA" : "");
}

static bool agree_nic(const struct orr_log_value *logged, const struct orr_log_value *predicted)
{
    return logged->nic.number == predicted->nic.number && logged->nic.by_other_gpu == predicted->nic.by_other_gpu &&
           logged->nic.gdr == predicted->nic.gdr;
}

static int write_gdr(const struct orr_log_value *v, char *text, size_t room)
{
    return v->gdr.distance ? snprintf(text, room, "%s at distance %s", v->gdr.on ? "on" : "off", v->gdr.distance)
                           : snprintf(text, room, "%s: %s", v->gdr.on ? "on" : "off", v->gdr.rule);
}

static bool agree_gdr(const struct orr_log_value *logged, const struct orr_log_value *predicted)
{
    return logged->gdr.on == predicted->gdr.on &&
           (!predicted->gdr.distance || !strcmp(logged->gdr.distance, predicted->gdr.distance));
}

static int write_tuning(const struct orr_log_value *v, char *text, size_t room)
{
    return snprintf(text, room, "%.1f us, %.1f GB/s", v->tuning.latency, v->tuning.bw);
}

/* The latency of an unavailable combination does not matter. */
static bool agree_tuning(const struct orr_log_value *logged, const struct orr_log_value *predicted)
{
    return prints_as(logged->tuning.bw, predicted->tuning.bw, tuning_rounding) &&
           (prints_as(logged->tuning.latency, predicted->tuning.latency, tuning_rounding) ||
            (predicted->tuning.bw <= 0 && logged->tuning.bw <= 0));
}

static const struct {
    int (*write)(const struct orr_log_value *v, char *text, size_t room);
    bool (*agree)(const struct orr_log_value *logged, const struct orr_log_value *predicted);
} shapes[] = {
    [ORR_SHAPE_WORDS] = {write_words, agree_words}, [ORR_SHAPE_COUNT] = {write_count, agree_count},
    [ORR_SHAPE_RATE] = {write_rate, agree_rate},    [ORR_SHAPE_LINK] = {write_link, agree_link},
    [ORR_SHAPE_PATH] = {write_path, agree_path},    [ORR_SHAPE_TRANSPORT] = {write_transport, agree_transport},
    [ORR_SHAPE_P2P] = {write_p2p, agree_p2p},       [ORR_SHAPE_NIC] = {write_nic, agree_nic},
    [ORR_SHAPE_GDR] = {write_gdr, agree_gdr},       [ORR_SHAPE_TUNING] = {write_tuning, agree_tuning},
};

void orr_log_value_write(const struct orr_log_value *value, char text[ORR_LOG_FACT_TEXT])
{
    (void)shapes[value->shape].write(value, text, ORR_LOG_FACT_TEXT);
}

bool orr_log_value_agrees(const struct orr_log_value *logged, const struct orr_log_value *predicted)
{
    return logged->shape == predicted->shape && shapes[logged->shape].agree(logged, predicted);
}
