/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/dump/xml.h"

#include <pthread.h>

#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>

static void initialise_libxml(void)
{
    xmlInitParser();
}

static void say_nothing(void *context, const char *format, ...)
{
    (void)context;
    (void)format;
}

static bool parse(const char *bytes, size_t length, const xmlSAXHandler *handlers, void *reader,
                  xmlParserCtxtPtr *ret_parser)
{
    xmlParserCtxtPtr parser = xmlCreateMemoryParserCtxt(bytes, (int)length);
    if (!parser)
        return false;
    *ret_parser = parser;
    *parser->sax = *handlers;
    parser->sax->initialized = XML_SAX2_MAGIC;
    parser->_private = reader;
    xmlCtxtUseOptions(parser, XML_PARSE_NONET | XML_PARSE_NOWARNING);
    parser->sax2 = 1;
    xmlParseDocument(parser);
    return true;
}

bool orr_xml_parse(const char *bytes, size_t length, const xmlSAXHandler *handlers, void *reader,
                   xmlParserCtxtPtr *ret_parser)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialise_libxml);
    /* Messages that libxml2 prints when it has no parser, for example because memory ran out, would go to standard
     * error. The handler is a setting of the thread, so it is restored for other users of libxml2 there. */
    xmlGenericErrorFunc said = xmlGenericError;
    void *context = xmlGenericErrorContext;
    xmlSetGenericErrorFunc(NULL, say_nothing);
    bool parsed = parse(bytes, length, handlers, reader, ret_parser);
    xmlSetGenericErrorFunc(context, said);
    return parsed;
}
