/* SPDX-License-Identifier: Apache-2.0 */
/* The NCCL_* settings that change what Orrery computes: one row each (settings.def), and the values of one request.
 *
 * Values are read like in NCCL: an integer is read by strtoll() with base 0, so "yes" is 0; an empty text is the
 * default. A name without a row is an error, so that a typing mistake does not go unnoticed.
 */
#ifndef ORR_RELEASE_SETTINGS_H
#define ORR_RELEASE_SETTINGS_H

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/release/release.h"

/* ORR_SET_ALGO is NCCL_ALGO; the rows are in settings.def. */
enum orr_setting {
#define ORR_SETTING_ROW(symbol, ...) ORR_SET_##symbol,
#include "engine/release/settings.def"
    ORR_SETTING_COUNT
};

enum orr_setting_kind {
    ORR_SETTING_INT,
    ORR_SETTING_LEVEL, /* a path type's name, or the old scale 0..5 */
    ORR_SETTING_TEXT
};

/* "Not set" for an integer whose default NCCL takes from elsewhere (documented in the row's default_text). */
#define ORR_SETTING_UNSET INT64_MIN

struct orr_setting_info {
    enum orr_setting id;
    const char *name;
    enum orr_setting_kind kind;
    uint32_t since;        /* first release that has it (a version number); 0 means all */
    int64_t default_value; /* INT: at `since` */
    uint32_t changed;      /* version from which another default holds, 0 if there is none */
    int64_t changed_default;
    /* Texts, with words in braces for differences between releases, which orr_setting_words() fills in. */
    const char *default_text; /* the default in words, if a number says too little; may be NULL */
    const char *values;       /* accepted values */
    const char *outside;      /* how NCCL treats other values: clamps, wraps, ignores */
    bool empty_is_value;      /* NCCL compares an empty text with the beginnings of its words; else it is the default */
    const char *meaning;      /* one sentence */
    unsigned bears;           /* parts of an analysis that it affects: ORR_BEARS_* (behaviours.h) */
};

/* Whether NICs are fused before the analysis (engine/nics/used.h). X(symbol, word) */
#define ORR_FUSE_MAP(X)                                                                                                \
    X(AUTO, "auto")     /* NCCL's own XML is taken unchanged; from other inputs NICs are fused, as by ALWAYS */        \
    X(NEVER, "never")   /* as the input lists them */                                                                  \
    X(ALWAYS, "always") /* as the release fuses them when a job runs, and as Amazon's plugin groups EFA NICs */

/* Which sides of a call use registered windows (ncclCommWindowRegister). X(symbol, word) */
#define ORR_WINDOWS_MAP(X)                                                                                             \
    X(NONE, "none")                                                                                                    \
    X(SEND, "send")                                                                                                    \
    X(RECV, "recv")                                                                                                    \
    X(BOTH, "both")

enum orr_windows {
#define X(symbol, word) ORR_WINDOWS_##symbol,
    ORR_WINDOWS_MAP(X)
#undef X
        ORR_WINDOWS_COUNT
};
/* A list of words (engine/base/words.h). */
const char *orr_windows_word(size_t windows);

enum orr_fuse_mode {
#define X(symbol, word) ORR_FUSE_##symbol,
    ORR_FUSE_MAP(X)
#undef X
        ORR_FUSE_COUNT
};
/* A list of words (engine/base/words.h). */
const char *orr_fuse_word(size_t mode);

/* Bytes for the text of a value with its terminating zero: for a number, a word or a policy, and for a list of
 * names. */
enum { ORR_ROOM_FOR_WORD = 80, ORR_ROOM_FOR_LIST = 512 };

struct orr_setting_value {
    bool given;     /* the request gives a text that is not empty */
    bool emptied;   /* the request gives an empty text: the default holds, whatever the input's own text says */
    int64_t number; /* INT: the value in force; LEVEL: an orr_path_type, or -1 if not given */
};

/* The texts as given, one after the other: orr_setting_text(). */
struct orr_setting_texts {
#define ORR_SETTING_ROW(symbol, room, ...) char symbol[ORR_ROOM_FOR_##room];
#include "engine/release/settings.def"
};

struct orr_settings {
    const struct orr_release *release;
    uint32_t asked; /* the requested version, if another release's row is used; otherwise 0 */
    /* Facts of a job besides its NCCL_* variables: */
    unsigned fuse_nics; /* enum orr_fuse_mode */
    unsigned windows;   /* enum orr_windows: of the buffers of collectives */
    const char *tuner;  /* text of a tuner plugin's file (engine/tuning/tuner.h), borrowed; NULL if there is none */
    const char *gpus;   /* GPUs that take part: numbers or bus ids (engine/nics/gpus.h), borrowed; NULL means all */
    const char *nics;   /* NICs that take part, as NCCL_IB_HCA writes them, borrowed; NULL means all */
    bool pasted;        /* the settings in the input's text were already added (engine/analysis/pasted.h) */
    unsigned widened;   /* only in trials: kinds of links that carry twice as much, bits by enum orr_link_kind
                         * (engine/topology/system.h) */
    struct orr_setting_value values[ORR_SETTING_COUNT];
    struct orr_setting_texts texts;
};

/* The row of a setting. */
const struct orr_setting_info *orr_setting_info(enum orr_setting setting);
/* "NCCL_ALGO" */
const char *orr_setting_name(enum orr_setting setting);
/* The setting of a name; false if there is none. */
bool orr_setting_find(const char *name, enum orr_setting *ret_setting);
/* The default of a setting in a release; ORR_SETTING_UNSET where NCCL decides by itself. */
int64_t orr_setting_default(enum orr_setting setting, const struct orr_release *release);
/* Texts about a setting in one release; "" if there is nothing to say. */
struct orr_setting_words {
    char standard[160], values[200], outside[160]; /* standard: the default */
};
struct orr_setting_words orr_setting_words(enum orr_setting setting, const struct orr_release *release);
/* Whether the release has it. */
bool orr_setting_in(enum orr_setting setting, const struct orr_release *release);

/* Asks the same question of another release: sets the given settings again. SETTING: see orr_settings_set(). */
enum orr_code orr_settings_for(struct orr_settings *settings, const struct orr_release *release,
                               const struct orr_settings *given, struct orr_error *err) ORR_NO_DISCARD;
/* Copies the borrowed texts into arena, for an owner that outlives the question. */
enum orr_code orr_settings_keep(struct orr_settings *settings, struct orr_arena *arena,
                                struct orr_error *err) ORR_NO_DISCARD;
/* All defaults of a release. */
void orr_settings_init(struct orr_settings *settings, const struct orr_release *release);
/* Sets one value from text. A setting that the release does not have (orr_setting_in()) is kept as given and changes
 * nothing, like in NCCL. SETTING if the name is unknown (err suggests a similar one) or the text is too long. */
enum orr_code orr_settings_set(struct orr_settings *settings, const char *name, const char *value,
                               struct orr_error *err) ORR_NO_DISCARD;
/* Gives one setting the value and the text that it has in `from`. */
void orr_settings_take(struct orr_settings *settings, enum orr_setting setting, const struct orr_settings *from);

/* The value in force; ORR_SETTING_UNSET if nothing was given and NCCL decides by itself. */
static inline int64_t orr_setting_int(const struct orr_settings *settings, enum orr_setting setting)
{
    return settings->values[setting].number;
}
/* The same for a setting that NCCL stores in an int: the lowest 32 bits. */
static inline int32_t orr_setting_int32(const struct orr_settings *settings, enum orr_setting setting)
{
    return (int32_t)(uint32_t)(uint64_t)settings->values[setting].number;
}
/* (a + b - 1) / b in ints, which wrap around: NCCL rounds up in this way, even if the sum overflows. b is not 0. */
static inline int32_t orr_wrapping_div_up(int32_t a, int32_t b)
{
    int64_t quotient = (int64_t)(int32_t)((uint32_t)a + (uint32_t)b - 1u) / b;
    return (int32_t)quotient;
}
/* The text as given, NULL if not given. */
const char *orr_setting_text(const struct orr_settings *settings, enum orr_setting setting);
/* Do two questions give the same text, or no text? */
bool orr_setting_texts_equal(const struct orr_settings *a, const struct orr_settings *b, enum orr_setting setting);

#endif
