#include "ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ring_open(struct ring *ring, size_t size)
{
    memset(ring, 0, sizeof(*ring));
    ring->lines = calloc(size, sizeof(*ring->lines));
    if (ring->lines == NULL)
        return -1;
    ring->size = size;
    return pthread_mutex_init(&ring->lock, NULL);
}

int ring_put(struct ring *ring, const char *line)
{
    pthread_mutex_lock(&ring->lock);
    if (ring->used == ring->size) {
        pthread_mutex_unlock(&ring->lock);
        return -1;
    }
    size_t at = (ring->first + ring->used) % ring->size;
    snprintf(ring->lines[at], RING_LINE, "%s", line);
    ring->used++;
    pthread_mutex_unlock(&ring->lock);
    return 0;
}

int ring_take(struct ring *ring, char *into, size_t room)
{
    pthread_mutex_lock(&ring->lock);
    if (ring->used == 0) {
        pthread_mutex_unlock(&ring->lock);
        return -1;
    }
    snprintf(into, room, "%s", ring->lines[ring->first]);
    ring->first = (ring->first + 1) % ring->size;
    ring->used--;
    pthread_mutex_unlock(&ring->lock);
    return 0;
}

void ring_close(struct ring *ring)
{
    free(ring->lines);
    ring->lines = NULL;
    pthread_mutex_destroy(&ring->lock);
}
