/* SPDX-License-Identifier: Apache-2.0 */
/* The table of GPU models: facts about a GPU by its product name or PCI device id. Detection without NVML, the readers
 * of hwloc exports, matrices and logs, and the machine types all look here, so one GPU is the same in all of them. */
#ifndef ORR_HARDWARE_GPU_MODELS_H
#define ORR_HARDWARE_GPU_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/known.h"

enum orr_gpu_form {
    ORR_GPU_PCIE,           /* a card in a PCIe slot, or the same chip soldered into a laptop */
    ORR_GPU_SXM,            /* a module on a board with NVLink */
    ORR_GPU_SUPERCHIP,      /* on one board with its CPU, over C2C */
    ORR_GPU_SUPERCHIP_PAIR, /* two of them on one board with their CPU, over C2C */
    ORR_GPU_FORM_UNKNOWN
};

enum { ORR_GPU_MODEL_IDS = 6 };

struct orr_gpu_model {
    const char *names; /* "A|B": A is the model's own name; tools may print A or B among other words,
                        * and people say the last */
    int16_t sm;        /* compute capability: 10 * major + minor */
    int8_t nvlink;     /* generation of NVLink, 0 for none, -1 if unknown */
    int8_t nvlinks;    /* NVLinks of one GPU if all are connected, 0 for none, -1 if unknown */
    enum orr_gpu_form form;
    enum orr_known p2p; /* whether NVIDIA's driver offers P2P over PCIe between two of them */
    const char *source; /* source of NVLink, form and P2P */
    struct {
        uint16_t device; /* PCI device id of vendor 10de; 0 ends */
        uint16_t gb;     /* memory as NVIDIA states it, 0 if unknown, or the id is shared */
    } ids[ORR_GPU_MODEL_IDS];
};

/* Row i of the table, NULL if there are no more. */
const struct orr_gpu_model *orr_gpu_model(size_t i);
/* The model of a PCI device id of vendor 10de; NULL if unknown. */
const struct orr_gpu_model *orr_gpu_model_of_device(uint32_t device);
/* The model of a product name, such as "NVIDIA A100-SXM4-80GB" or "Tesla T4". A row fits if the product's name has one
 * of its names as whole words; the name with the most words wins; NULL if unknown. */
const struct orr_gpu_model *orr_gpu_model_of_name(const char *product);
/* Whether that is the model's own name. */
bool orr_gpu_model_is(const struct orr_gpu_model *model, const char *name);
/* The name that people say, such as "H100": the last of the row. */
const char *orr_gpu_model_said(const struct orr_gpu_model *model);
/* Whether a PCIe card is called by that name too, as "H100 PCIe" is. */
bool orr_gpu_model_has_card(const struct orr_gpu_model *model);

/* Compute capabilities by the same rules; 0 if unknown. */
int32_t orr_gpu_sm_of_device(uint32_t device);
int32_t orr_gpu_sm_of_name(const char *product);
/* The newest PCIe generation of GPUs of a compute capability; 0 if it is not known. */
int orr_gpu_pcie_generation(int32_t sm);
/* The most NVLinks that a GPU of a compute capability has; 0 if it has none, or none is known. */
int32_t orr_gpu_most_nvlinks(int32_t sm);

/* GB/s that one NVLink of GPUs of a compute capability carries in each direction, headers included; 0 if unknown. */
double orr_gpu_nvlink_line_rate(int32_t sm);

/* Whether a text has words as whole words next to each other, ignoring case and separators: "NVIDIA A100-SXM4-80GB" has
 * "A100 SXM4"; "RTX A1000" does not have "A100". `length` bytes of `words` count. */
bool orr_name_has_words(const char *name, const char *words, size_t length);

#endif
