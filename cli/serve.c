/* SPDX-License-Identifier: Apache-2.0 */
/* `orrery serve`. */
#include "server/serve.h"

#include "cli/options.h"

static void report(const struct orr_error *err)
{
    (void)orr_report(NULL, err);
}

int orr_command_serve(const struct orr_options *options)
{
    return orr_exit_of(orr_serve(options->config, options->check_config, report));
}
