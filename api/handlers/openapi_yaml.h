/* SPDX-License-Identifier: Apache-2.0 */
/* openapi.yaml, put into the program by the build. */
#ifndef ORR_API_OPENAPI_YAML_H
#define ORR_API_OPENAPI_YAML_H

#include <stddef.h>

extern const unsigned char orr_openapi_yaml[];
extern const size_t orr_openapi_yaml_length;

#endif
