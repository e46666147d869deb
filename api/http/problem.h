/* SPDX-License-Identifier: Apache-2.0 */
/* Errors as RFC 9457 problems: one table gives the status of each kind, another the reason phrase of each status, which
 * is the title. Types that are codes of the engine have the code's name (engine/base/error.h); the others are named in
 * the table. */
#ifndef ORR_API_PROBLEM_H
#define ORR_API_PROBLEM_H

#include "api/http/answer.h"
#include "engine/base/budget.h"

/* Problems that are not an enum orr_code of the engine. */
enum orr_problem {
    ORR_PROBLEM_NONE = 0, /* take the error's code */
    ORR_PROBLEM_METHOD = ORR_CODE_COUNT,
    ORR_PROBLEM_PARAMETER,
    ORR_PROBLEM_BODY_EMPTY,
    ORR_PROBLEM_BODY_SIZE,
    ORR_PROBLEM_BODY_JSON,
    ORR_PROBLEM_TARGET,
    ORR_PROBLEM_TARGET_SIZE,
    ORR_PROBLEM_NOT_ACCEPTABLE,
    ORR_PROBLEM_PRECONDITION,
    ORR_PROBLEM_UNAUTHORIZED,
    ORR_PROBLEM_FORBIDDEN,
    ORR_PROBLEM_TOO_MANY,
    ORR_PROBLEM_OVERLOADED,
    ORR_PROBLEM_HEADER_SIZE,
    ORR_PROBLEM_HEADERS,
    ORR_PROBLEM_HOST,
    ORR_PROBLEM_CROSS_SITE,
    ORR_PROBLEM_TIMEOUT,
    ORR_PROBLEM_COUNT
};

struct orr_problem_info {
    const char *type; /* last part of the URI: "/problems/malformed-xml" */
    unsigned status;
    const char *title; /* the reason phrase of the status */
};

/* Type, status and title of an error. A problem other than ORR_PROBLEM_NONE takes precedence over the code, except
 * over ORR_NOMEM. Values without a row, such as ORR_OK, become "internal". */
struct orr_problem_info orr_problem_info(enum orr_problem problem, enum orr_code code);

/* The answer for an error, or NULL if memory runs out. over: the budget whose limit was exceeded, or NULL; instance:
 * the id of the request. */
struct orr_answer *orr_problem_answer(enum orr_problem problem, const struct orr_error *err,
                                      const struct orr_budget *over, const char *instance);

#endif
