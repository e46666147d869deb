/* SPDX-License-Identifier: Apache-2.0 */
/* Limits the threads that a database may hold. A locked table or a disk that hangs keeps every call waiting until its
 * timeout. If all threads of the service waited, nothing else would be answered, not even requests that need no
 * database. */
#include "api/store/store_driver.h"
#include "engine/base/clock.h"

enum { PATIENCE_MS = 500 };

void orr_door_init(struct orr_store_door *door, unsigned most)
{
    *door = (struct orr_store_door){.most = most};
    pthread_mutex_init(&door->lock, NULL);
    pthread_cond_init(&door->left, NULL);
}

void orr_door_release(struct orr_store_door *door)
{
    pthread_cond_destroy(&door->left);
    pthread_mutex_destroy(&door->lock);
}

static enum orr_code refuse(const struct orr_store_door *door, struct orr_error *err)
{
    return orr_fail_with(err, ORR_STORE, NULL, "try again shortly; GET /readyz says when the database answers again",
                         "the database has not answered %u call%s yet", door->inside, door->inside == 1 ? "" : "s");
}

enum orr_code orr_door_enter(struct orr_store_door *door, struct orr_error *err)
{
    enum orr_code code = ORR_OK;
    pthread_mutex_lock(&door->lock);
    while (door->most && door->inside >= door->most && code == ORR_OK) {
        const int64_t until = door->progress + PATIENCE_MS; /* each call that leaves gives the others more time */
        if (orr_clock_ms() >= until)
            code = refuse(door, err);
        else
            (void)orr_clock_wait(&door->left, &door->lock, until);
    }
    if (code == ORR_OK && !door->inside++)
        door->progress = orr_clock_ms();
    pthread_mutex_unlock(&door->lock);
    return code;
}

void orr_door_leave(struct orr_store_door *door)
{
    pthread_mutex_lock(&door->lock);
    door->inside--;
    door->progress = orr_clock_ms();
    pthread_cond_signal(&door->left);
    pthread_mutex_unlock(&door->lock);
}
