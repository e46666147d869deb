#include "engine/diagram/view.h"
enum orr_code orr_view_ring(const struct orr_analysis *a, int32_t c, struct orr_drawing *d, struct orr_error *err){(void)a;(void)c;(void)d;return orr_fail(err,ORR_UNSUPPORTED,"not drawn yet");}
enum orr_code orr_view_tree(const struct orr_analysis *a, int32_t c, struct orr_drawing *d, struct orr_error *err){(void)a;(void)c;(void)d;return orr_fail(err,ORR_UNSUPPORTED,"not drawn yet");}
enum orr_code orr_view_path(const struct orr_analysis *a, const char *f, const char *t, struct orr_drawing *d, struct orr_error *err){(void)a;(void)f;(void)t;(void)d;return orr_fail(err,ORR_UNSUPPORTED,"not drawn yet");}
