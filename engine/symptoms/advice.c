/* SPDX-License-Identifier: Apache-2.0 */
/* Advice for the text at hand. If the cause is not proven, each sentence of advice stands for one possible cause.
 * This leaves out the sentences that the text has answered: it has set the same ("run once with NCCL_P2P_DISABLE=1"),
 * or it says that the subject is in order ("the IOMMU is off").
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/symptoms/finding.h"

/* Words that make a statement doubtful: a question, a wish. */
#define DOUBTED "|not sure|unsure|not know|should i|what if|whether|do i need|can i|how do|how to|would "

/* Subjects of advice, how people say that they are in order, and messages that show it or the contrary, which is
 * stronger than words. A sentence that begins with "If" and has one of the first words is left out. */
static const struct {
    const char *subjects;
    const char *words;          /* orr_log_says() */
    const char *shows, *denies; /* messages "A|B" */
} in_order[] = {
    {"IOMMU|iommu=",
     "iommu off|iommu disabled|iommu is off|iommu is disabled|iommu are off|disabled iommu|disabled the iommu|iommu pt "
     "|iommu passthrough|no iommu&!not pass" DOUBTED,
     "iommu-passthrough", "iommu-translated|iommu-on|iommu-fault|rccl-iommu"},
    {"ACS|acsctl",
     "acs off|acs disabled|acs is off|acs is disabled|disabled acs|acs already off|acs already "
     "disabled&!override" DOUBTED,
     "acs-off", "acs-on|acs-source"},
    {"BAR 1|BAR1|Resizable BAR",
     "rebar on|rebar enabled|rebar is on|rebar is enabled|resizable bar on|resizable bar enabled|resizable bar is on|"
     "resizable bar is enabled|resize bar on|resize bar enabled|enabled rebar|enabled resizable bar&!nothing" DOUBTED,
     "", ""},
    {"peermem", "peermem is loaded|peermem loaded|loaded nvidia_peermem|with nvidia_peermem&!not loaded" DOUBTED, "",
     "peermem-absent|peermem-insert|peermem-not-found|peermem-missing"},
    {"ulimit|memlock|locked memory",
     "memlock unlimited|memlock is unlimited|ulimit l unlimited|ulimit l is unlimited|ulimit l says unlimited|memlock "
     "1 "
     "1&!not" DOUBTED,
     "memlock-free", "memlock|memlock-mpi|memlock-limit"},
    {"/dev/shm",
     " ipc host |shm_size 16|shm size 16|shm_size 32|shm size 32|shm_size 64|shm size 64|shm size 1 t&!without "
     "ipc" DOUBTED,
     "", "shm-df-full|shm-df-64m|shm-torch|shm-torch-write"},
    {"firewall|iptables",
     "no firewall|firewall off|firewall is off|firewall disabled|firewall is disabled|firewalls are off|firewalld "
     "stopped|disabled the firewall|disabled firewall|ufw inactive|ufw is inactive|ufw disabled&!not" DOUBTED,
     "", ""},
    {"Fabric Manager|fabricmanager",
     "fabricmanager is running|fabric manager is running|fabricmanager active|fabric manager active|fabricmanager is "
     "active|fabric manager is active|fabric manager runs&!not" DOUBTED,
     "", "fabric-manager-version|fabric-manager-none|fabric-manager-unit|fabric-manager-failed"},
    {"LOCAL_RANK|local rank", "set_device local_rank|set_device args local_rank|set_device int os environ local_rank",
     "", ""},
    {"earlier error",
     "no rank died|no rank dies|none died|processes are alive|ranks are alive|no other error|no earlier error", "", ""},
};

static bool is_refuted(const struct orr_log *log, const char *sentence, size_t length)
{
    for (size_t i = 0; i < sizeof in_order / sizeof in_order[0]; i++)
        if (orr_log_has_word(sentence, length, in_order[i].subjects) && !orr_log_event_of(log, in_order[i].denies) &&
            (orr_symptom_said(log, in_order[i].words, true) || orr_log_event_of(log, in_order[i].shows)))
            return true;
    return false;
}

/* Whether a text has at least the number that is advised, such as a longer time limit; 0 and 1 only say off and on. */
static bool is_at_least(const char *set, const char *advised)
{
    char *set_end, *advised_end;
    const long had = strtol(set, &set_end, 10), least = strtol(advised, &advised_end, 10);
    return set_end > set && advised_end > advised && least > 1 && had >= least;
}

/* Whether the text has "NCCL_X=1" or "--option", however it is written, or more than the number that is advised. */
static bool has_set(const struct orr_log *log, const char *assignment, size_t length)
{
    char words[96] = " ";
    bool found = false;
    size_t name = 0, at = 1; /* name: the length of " nccl_x " */
    for (uint32_t i = 0; i < log->setting_count && !found; i++) {
        const struct orr_log_setting *setting = &log->settings[i];
        const size_t own = strlen(setting->name), value = strlen(setting->value);
        found = !strncmp(setting->name, assignment, own) && assignment[own] == '=' &&
                ((own + 1 + value == length && !strncasecmp(setting->value, assignment + own + 1, value)) ||
                 is_at_least(setting->value, assignment + own + 1));
    }
    for (size_t i = 0; i < length && at < sizeof words - 3; i++) {
        if (isalnum((unsigned char)assignment[i]) || assignment[i] == '_')
            words[at++] = (char)tolower((unsigned char)assignment[i]);
        else if (words[at - 1] != ' ')
            words[at++] = ' '; /* as in struct orr_log_said */
        name = assignment[i] == '=' ? at : name;
    }
    strcat(words, " ");
    for (uint32_t i = 0; i < log->said_count && !found; i++) {
        const char *said = log->said[i].words, *number = name ? memmem(said, strlen(said), words, name) : NULL;
        found = strstr(said, words) || (number && is_at_least(number + name, words + name));
    }
    return found;
}

/* Whether the text has all that a sentence sets, and it sets something. */
static bool is_tried(const struct orr_log *log, const char *sentence, size_t length)
{
    static const char ends[] = " .,;:)`", shows[] = "NCCL_DEBUG"; /* which only prints more */
    bool any = false, all = true;
    for (const char *at = sentence; at < sentence + length; at += 1 + strcspn(at, " (`")) {
        const size_t word = strcspn(at, ends), name = strcspn(at, "=");
        const bool setting = !strncmp(at, "NCCL_", 5) && strncmp(at, shows, strlen(shows)) != 0;
        if (!setting && (strncmp(at, "--", 2) != 0 || !memchr(at + 2, '-', word - 2)))
            continue; /* an option of one word may be any word of the text */
        const bool whole = !setting || name < word;
        any |= whole;
        all &= whole && has_set(log, at, word);
    }
    return any && all;
}

static bool begins(const char *sentence, const char *word)
{
    return !strncmp(sentence, word, strlen(word));
}

/* orders: sentences that say what to do, without a condition, may be left out, too. */
static const char *unanswered(const struct orr_log *log, const char *advice, bool orders)
{
    static const char check[] = "Check: ", keeps[] = "nset |ithout |eave |emove ";
    const char *kept = "", *at = advice;
    bool all = true;
    while (*at) {
        const char *end = strstr(at, ". ");
        const size_t length = end ? (size_t)(end + 1 - at) : strlen(at);
        const bool run = orders || begins(at, "If ") || begins(at, "Run ");
        const bool answered = (run && !orr_log_has_word(at, length, keeps) && is_tried(log, at, length)) ||
                              (begins(at, "If ") && is_refuted(log, at, length));
        all &= !answered;
        if (!answered) /* "Check: " stands for all sentences after it */
            kept = orr_arena_text(log->arena, "%s%s%.*s", kept,
                                  kept[0]                                ? " "
                                  : at > advice && begins(advice, check) ? check
                                                                         : "",
                                  (int)length, at);
        at += length + (end != NULL);
    }
    return all ? advice : kept;
}

const char *orr_symptom_advice(const struct orr_log *log, const char *advice)
{
    return unanswered(log, advice, true);
}

const char *orr_symptom_remedy(const struct orr_log *log, const char *remedy)
{
    return unanswered(log, remedy, false);
}
