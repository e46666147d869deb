/* SPDX-License-Identifier: Apache-2.0 */
/* libxml2's SAX interface: no tree is built, nothing is fetched, and libxml2 writes nothing to standard error. */
#ifndef ORR_DUMP_XML_H
#define ORR_DUMP_XML_H

#include <stdbool.h>
#include <stddef.h>

#include <libxml/parser.h>

/* Parses the bytes, at most INT_MAX of them. The handlers get the parser as their context, and `reader` as its
 * _private. *ret_parser is set before the first handler runs; afterwards it says whether the document was well-formed
 * and where the parser is: xmlFreeParserCtxt() it; false if memory ran out, nothing was parsed and there is no parser.
 */
bool orr_xml_parse(const char *bytes, size_t length, const xmlSAXHandler *handlers, void *reader,
                   xmlParserCtxtPtr *ret_parser);

#endif
