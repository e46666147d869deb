/* SPDX-License-Identifier: Apache-2.0 */
/* Compares figures that a person lists, one for each pair of hosts or for each rank of a host, and matrices of GPUs. A
 * host that is slow with every partner, although its partners are fast with others, is the slow one; ranks that are
 * slow on every host share something that the others do not. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/symptoms/finding.h"

enum { TOKENS = 24, PAIRS = 64, HOSTS = 2 * PAIRS, RANKS = 16, LEAST = 3, NAME = 64 };
static const double APART = 1.25; /* slow and fast figures differ at least by this factor */

struct token {
    const char *at;
    size_t length;
};

static uint32_t cut(const char *words, struct token tokens[TOKENS])
{
    uint32_t count = 0;
    while (*words && count < TOKENS) {
        words += *words == ' ';
        const size_t length = strcspn(words, " ");
        if (length)
            tokens[count++] = (struct token){words, length};
        words += length;
    }
    return count;
}

static bool same(struct token a, struct token b)
{
    return a.length == b.length && !memcmp(a.at, b.at, a.length);
}

static bool is_number(struct token token)
{
    return strspn(token.at, "0123456789") == token.length;
}

static bool is_word(struct token token, const char *words)
{
    char text[NAME];
    if (token.length >= sizeof text)
        return false;
    memcpy(text, token.at, token.length);
    text[token.length] = '\0';
    return orr_symptom_is_one(text, words);
}

/* "49 36" is 49.36: the words of a person have no points. *at moves on. */
static double figure(const struct token *tokens, uint32_t count, uint32_t *at)
{
    double value = strtod(tokens[(*at)++].at, NULL), scale = 1;
    if (*at < count && is_number(tokens[*at])) {
        for (size_t i = 0; i < tokens[*at].length; i++)
            scale *= 10;
        value += strtod(tokens[(*at)++].at, NULL) / scale;
    }
    return value;
}

/* The number of tokens of each of two names at the start of a line, "gpu01 gpu02" or "node 1 node 2"; 0 if there are no
 * such names. */
static uint32_t names_at(const struct token *tokens, uint32_t count)
{
    enum { LONGEST = 4 };
    for (uint32_t k = 2; k <= LONGEST && 2 * k < count; k++)
        if (same(tokens[0], tokens[k]) && !is_number(tokens[0]) && !same(tokens[k - 1], tokens[2 * k - 1]))
            return k;
    const size_t stem = strcspn(tokens[0].at, "0123456789"), other = strcspn(tokens[1].at, "0123456789");
    return count > 2 && stem && stem < tokens[0].length && stem == other && other < tokens[1].length &&
                   !memcmp(tokens[0].at, tokens[1].at, stem) && !same(tokens[0], tokens[1])
               ? 1
               : 0;
}

struct pair {
    uint32_t hosts[2], line;
    double bw;
    bool slow;
};

struct pairs {
    struct pair rows[PAIRS];
    char names[HOSTS][NAME];
    uint32_t slow[HOSTS], fast[HOSTS]; /* pairs of each host */
    uint32_t count, hosts;
};

static uint32_t host_of(struct pairs *pairs, const struct token *tokens, uint32_t count)
{
    char name[NAME] = "";
    const size_t length = (size_t)(tokens[count - 1].at - tokens[0].at) + tokens[count - 1].length;
    memcpy(name, tokens[0].at, length < NAME ? length : NAME - 1);
    for (size_t i = 0; name[i]; i++)
        name[i] = name[i] == ' ' ? '-' : name[i];
    for (uint32_t i = 0; i < pairs->hosts; i++)
        if (!strcmp(pairs->names[i], name))
            return i;
    strcpy(pairs->names[pairs->hosts], name);
    return pairs->hosts++;
}

static void take_pair(struct pairs *pairs, const struct orr_log_said *said)
{
    struct token tokens[TOKENS];
    const uint32_t count = cut(said->words, tokens), k = count > 2 ? names_at(tokens, count) : 0;
    uint32_t at = 2 * k;
    if (!k || pairs->count == PAIRS || at >= count || !is_number(tokens[at]))
        return;
    const double bw = figure(tokens, count, &at);
    if (bw <= 0 || (at < count && is_number(tokens[at])))
        return; /* several figures: which one counts is not known */
    pairs->rows[pairs->count++] = (struct pair){
        .hosts = {host_of(pairs, tokens, k), host_of(pairs, tokens + k, k)}, .line = said->line, .bw = bw};
}

/* Splits the pairs at the middle of the lowest and the highest figure; false if they do not differ much. */
static bool split(struct pairs *pairs, double *ret_slow, double *ret_fast)
{
    double least = pairs->rows[0].bw, most = least, slow = 0, fast = 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        least = pairs->rows[i].bw < least ? pairs->rows[i].bw : least;
        most = pairs->rows[i].bw > most ? pairs->rows[i].bw : most;
    }
    for (uint32_t i = 0; i < pairs->count; i++) {
        struct pair *pair = &pairs->rows[i];
        pair->slow = pair->bw * 2 < least + most;
        slow = pair->slow && pair->bw > slow ? pair->bw : slow;
        fast = !pair->slow && (fast <= 0 || pair->bw < fast) ? pair->bw : fast;
        for (int side = 0; side < 2; side++)
            ++(pair->slow ? pairs->slow : pairs->fast)[pair->hosts[side]];
    }
    *ret_slow = slow;
    *ret_fast = fast;
    return slow > 0 && fast > APART * slow;
}

/* Hosts that are slow in all their pairs, with a partner that is fast elsewhere; other slow pairs leave it open. */
static void slow_host(struct orr_symptom_finder *f)
{
    struct pairs *pairs = ORR_NEW(f->arena, struct pairs, 1);
    double slow, fast;
    if (!pairs)
        return;
    memset(pairs, 0, sizeof *pairs);
    for (uint32_t i = 0; i < f->log->said_count; i++)
        take_pair(pairs, &f->log->said[i]);
    if (pairs->count < LEAST || !split(pairs, &slow, &fast))
        return;
    const char *found = "", *open = "";
    bool sound[HOSTS] = {false}, named[HOSTS] = {false};
    uint32_t hosts = 0, routes = 0, line = 0;
    for (uint32_t h = 0; h < pairs->hosts; h++)
        sound[h] = pairs->fast[h] > 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->rows[i];
        const uint32_t a = pair->hosts[0], b = pair->hosts[1];
        if (!pair->slow)
            continue;
        line = line ? line : pair->line;
        routes += sound[a] && sound[b];
        const uint32_t bad = sound[a] && !sound[b] ? b : sound[b] && !sound[a] ? a : HOSTS;
        if (bad < HOSTS && !named[bad]) {
            named[bad] = true;
            found = orr_symptom_text(f, "%s%s%s", found, hosts++ ? ", " : "", pairs->names[bad]);
        }
    }
    for (uint32_t i = 0; i < pairs->count && !*open; i++) {
        const uint32_t a = pairs->rows[i].hosts[0], b = pairs->rows[i].hosts[1];
        if (pairs->rows[i].slow && !sound[a] && !sound[b] && !named[a] && !named[b])
            open = orr_symptom_text(f, " %s and %s are slow together: test each of them with a fast host.",
                                    pairs->names[a], pairs->names[b]);
    }
    if (!hosts)
        return;
    ORR_SYMPTOM(f, "slow-host", ORR_SYMPTOM_CAUSE, line,
                .cause = orr_symptom_text(
                    f,
                    "%s %s slow with every partner (at most %.3g), while the partners reach %.3g or more with others. "
                    "So look at %s, not at the network or NCCL.%s%s",
                    found, hosts > 1 ? "are" : "is", slow, fast, hosts > 1 ? "these hosts" : "this host", open,
                    routes ? " Pairs of two fast hosts that are slow have a bad path between them." : ""),
                .check = "Check on a slow and on a fast host: `ibstat` (rate, state), LnkSta of NICs and GPUs in "
                         "`lspci -vv`, ACS, the BIOS, and NCCL_TOPO_DUMP_FILE: `orrery compare fast.xml slow.xml`.",
                .cure = "Leave that host out until it is like the others, and measure its pairs again.");
}

struct ranks {
    double least[RANKS], most[RANKS]; /* 0: none */
    uint32_t lines;
    bool time;
};

/* "local_rank 3 ... 0.277 sec", "GPU 3: 12.1 GB/s": a rank of a host and its figure, the last with a unit. */
static void take_rank(struct ranks *ranks, const struct orr_log_said *said)
{
    struct token tokens[TOKENS];
    const uint32_t count = cut(said->words, tokens);
    uint32_t rank = RANKS;
    double value = 0;
    bool time = false;
    for (uint32_t i = 0; i + 1 < count; i++)
        if (is_word(tokens[i], "rank|local_rank|localrank|gpu|device") && is_number(tokens[i + 1]) &&
            tokens[i + 1].length < 3 && rank == RANKS)
            rank = (uint32_t)strtoul(tokens[i + 1].at, NULL, 10);
    for (uint32_t i = 1; i < count; i++) {
        const bool of_time = is_word(tokens[i], "sec|secs|s|ms|us|seconds");
        const bool rate = is_word(tokens[i], "gbps|gbs") ||
                          (is_word(tokens[i], "gb") && i + 1 < count && is_word(tokens[i + 1], "s|sec"));
        uint32_t at = i;
        if ((!of_time && !rate) || !is_number(tokens[i - 1]))
            continue;
        while (at && is_number(tokens[at - 1]) && i - at < 2)
            at--;
        value = figure(tokens, i, &at);
        time = of_time;
    }
    if (rank >= RANKS || value <= 0 || (ranks->lines && ranks->time != time))
        return;
    ranks->time = time;
    ranks->lines++;
    ranks->least[rank] = ranks->least[rank] <= 0 || value < ranks->least[rank] ? value : ranks->least[rank];
    ranks->most[rank] = value > ranks->most[rank] ? value : ranks->most[rank];
}

/* Ranks that are slower than most, on every host. */
static void slow_ranks(struct orr_symptom_finder *f)
{
    static const double STEADY = 1.1;
    struct ranks ranks = {.lines = 0};
    uint32_t count = 0, slow = 0;
    const char *names = "";
    double usual = 0, worst = 0;
    for (uint32_t i = 0; i < f->log->said_count; i++)
        take_rank(&ranks, &f->log->said[i]);
    for (uint32_t r = 0; r < RANKS; r++) {
        if (ranks.most[r] <= 0)
            continue;
        if (ranks.most[r] > STEADY * ranks.least[r])
            return; /* hosts differ */
        const double value = ranks.time ? ranks.most[r] : 1 / ranks.most[r];
        usual = usual <= 0 || value < usual ? value : usual;
        count++;
    }
    for (uint32_t r = 0; r < RANKS; r++) {
        const double value = ranks.most[r] <= 0 ? 0 : ranks.time ? ranks.most[r] : 1 / ranks.most[r];
        if (value <= STEADY * usual)
            continue;
        if (value <= APART * usual)
            return; /* a slope, no two groups */
        names = orr_symptom_text(f, "%s%s%u", names, slow++ ? ", " : "", r);
        worst = value > worst ? value : worst;
    }
    if (count < LEAST + 1 || !slow || 2 * slow > count || ranks.lines < count)
        return;
    ORR_SYMPTOM(
        f, "slow-ranks", ORR_SYMPTOM_CAUSE, 0,
        .cause = orr_symptom_text(
            f,
            "GPU%s %s %s %.3g times slower than the %u others%s, so %s. NCCL gives each GPU the NIC that is nearest in "
            "the PCIe tree it sees; if a host's tree or order of NICs is wrong, two GPUs send through one NIC.",
            slow > 1 ? "s" : "", names, slow > 1 ? "are" : "is", worst / usual, count - slow,
            ranks.lines >= 2 * count ? ", on every host" : "",
            slow > 1 ? "they share something that the others do not, such as a NIC"
                     : "something of its own is slow, such as its NIC or a link"),
        .check = "Check: \"via NET/IB/N\" with NCCL_DEBUG=INFO names the NIC of each rank on each host. Compare "
                 "`nvidia-smi topo -m` and NCCL_TOPO_DUMP_FILE of the hosts: `orrery compare A.xml B.xml`.",
        .cure = "If the tree is wrong, correct it: firmware of the PCIe switches, the BIOS, or a topology file "
                "(NCCL_TOPO_FILE).");
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The middle of the rates between the other GPUs of a matrix; 0 if one of them is missing. *least gets the smallest. */
static double among_others(const struct orr_log_peer_rates *rates, uint32_t gpu, double *least)
{
    double values[ORR_PEERS_MOST * ORR_PEERS_MOST];
    uint32_t count = 0;
    for (uint32_t from = 0; from < rates->gpus; from++)
        for (uint32_t to = 0; to < rates->gpus; to++)
            if (from != to && from != gpu && to != gpu)
                values[count++] = rates->with[from][to];
    qsort(values, count, sizeof values[0], by_value);
    *least = count ? values[0] : 0;
    return *least > 0 ? values[count / 2] : 0;
}

/* A GPU that is slow with all others in a matrix of bandwidths, while these are alike. */
static void slow_gpu(struct orr_symptom_finder *f)
{
    static const double SLOW = 0.75, ALIKE = 0.85;
    const struct orr_log_peer_rates *rates = &f->log->peer_rates;
    for (uint32_t g = 0; rates->with && rates->gpus >= LEAST && g < rates->gpus; g++) {
        double least, most = 0;
        const double others = among_others(rates, g, &least);
        bool whole = others > 0;
        for (uint32_t i = 0; i < rates->gpus; i++) {
            const double out = rates->with[g][i], in = rates->with[i][g], more = out > in ? out : in;
            whole &= i == g || (out > 0 && in > 0);
            most = i != g && more > most ? more : most;
        }
        if (!whole || least < ALIKE * others || most > SLOW * others)
            continue;
        ORR_SYMPTOM(
            f, "slow-gpu", ORR_SYMPTOM_CAUSE, rates->fastest_line,
            .cause = orr_symptom_text(f,
                                      "GPU %u reaches at most %.3g GB/s with every other GPU, and these reach %.3g "
                                      "among themselves, so its own link is slow, or one that it shares (of the "
                                      "chipset, of a PCIe switch), and every ring over it is as slow.",
                                      g, most, others),
            .check = "If `nvidia-smi nvlink -s -i N` shows a link without a rate, reset the GPUs. If `lspci -tv` shows "
                     "the GPU below the chipset or a switch with a narrow uplink, use a slot of the CPU.",
            .cure =
                "If `nvidia-smi -q -i N | grep -A12 'PCI$'` shows a lower generation or width under load than for the "
                "others, seat card and riser again. Leave the GPU out of jobs until then (CUDA_VISIBLE_DEVICES).");
        return;
    }
}

void orr_symptoms_of_outliers(struct orr_symptom_finder *f)
{
    slow_gpu(f);
    slow_host(f);
    slow_ranks(f);
}
