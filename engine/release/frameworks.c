/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/release/frameworks.h"

#include "engine/release/release_names.h"

/* PyTorch's wheels for Linux, by their requirement nvidia-nccl-cuNN. Each row has a source that names the framework's
 * version and NCCL's; versions without such a source are left out. */
static const struct orr_framework frameworks[] = {
    /* pip's output: "Collecting nvidia-nccl-cu11==2.14.3 (from torch==2.0.0)", the same from torch==2.0.1. */
    {"PyTorch", "2.0", "CUDA 11", "2.14.3"},
    /* pip's output: "torch 2.1.2 requires nvidia-nccl-cu12==2.18.1", the same of torch 2.1.0. */
    {"PyTorch", "2.1.0 and 2.1.2", "CUDA 12", "2.18.1"},
    /* 2.2.0: github.com/pytorch/builder/issues/1713. 2.2.1: github.com/vllm-project/vllm/pull/4211.
     * 2.2.2: github.com/Vision-CAIR/MiniGPT4-video/issues/45. */
    {"PyTorch", "2.2", "CUDA 12", "2.19.3"},
    /* pip's output: "Collecting nvidia-nccl-cu12==2.20.5 (from torch==2.3.0+cu121)", the same from torch==2.3.1. */
    {"PyTorch", "2.3", "CUDA 12", "2.20.5"},
    /* pip's output: "Collecting nvidia-nccl-cu12==2.20.5 (from torch==2.4.1)". */
    {"PyTorch", "2.4.1", "CUDA 12", "2.20.5"},
    /* pip's output: "Collecting nvidia-nccl-cu12==2.21.5 (from torch==2.5.0)", the same from torch==2.5.1. */
    {"PyTorch", "2.5", "CUDA 12", "2.21.5"},
    /* github.com/pytorch/pytorch/issues/153960, and pip's output "nvidia-nccl-cu12==2.21.5 (from torch==2.6.0)". */
    {"PyTorch", "2.6", "CUDA 12", "2.21.5"},
    /* The release branch: github.com/pytorch/pytorch/pull/149546. 2.7.1:
       github.com/Lightning-AI/lightning-thunder/pull/2224. */
    {"PyTorch", "2.7", "CUDA 12", "2.26.2"},
    /* pip's output for torch-2.8.0: "Collecting nvidia-nccl-cu12==2.27.3 (from torch)". */
    {"PyTorch", "2.8.0", "CUDA 12", "2.27.3"},
    /* pip's output for torch-2.9.0: "Collecting nvidia-nccl-cu12==2.27.5 (from torch)". */
    {"PyTorch", "2.9.0", "CUDA 12", "2.27.5"},
    /* The pins of the release branches, by CUDA: github.com/pytorch/pytorch/pull/190386. */
    {"PyTorch", "2.10", "CUDA 12", "2.27.5"},
    {"PyTorch", "2.10", "CUDA 13", "2.28.9"},
    {"PyTorch", "2.11", "CUDA 12 or 13", "2.28.9"},
    {"PyTorch", "2.12", "CUDA 12", "2.29.3"},
    {"PyTorch", "2.12", "CUDA 13", "2.29.7"},
    {"PyTorch", "2.13", "CUDA 12", "2.29.3"},
    {"PyTorch", "2.13", "CUDA 13", "2.29.7"},
};

const struct orr_framework *orr_frameworks(uint32_t *ret_count)
{
    *ret_count = sizeof frameworks / sizeof frameworks[0];
    return frameworks;
}

bool orr_framework_brings(const struct orr_framework *framework, const struct orr_release *release)
{
    bool exact;
    return orr_release_of(orr_release_version_of(framework->nccl, &exact)) == release;
}
