/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Markdown for a terminal. It knows the parts that our documentation uses: headings, paragraphs, lists, tables,
 * blocks of code, links, code and bold words. Links lose their addresses, and pictures are left out. */
#ifndef ORR_REPORT_MARKDOWN_H
#define ORR_REPORT_MARKDOWN_H

#include "engine/report/page.h"

void orr_markdown_write(struct orr_page *page, const char *text);

#endif
