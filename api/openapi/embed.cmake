# SPDX-License-Identifier: Apache-2.0
# Writes the bytes of INPUT as a C array to OUTPUT.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "#include \"api/handlers/openapi_yaml.h\"\nconst unsigned char orr_openapi_yaml[] = {${bytes}};\nconst size_t orr_openapi_yaml_length = sizeof orr_openapi_yaml;\n")
