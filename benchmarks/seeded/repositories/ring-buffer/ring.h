#ifndef RING_H
#define RING_H

#include <pthread.h>
#include <stddef.h>

#define RING_LINE 256

struct ring {
    char (*lines)[RING_LINE];
    size_t size;
    size_t first;
    size_t used;
    pthread_mutex_t lock;
};

int ring_open(struct ring *ring, size_t size);
int ring_put(struct ring *ring, const char *line);
int ring_take(struct ring *ring, char *into, size_t room);
void ring_close(struct ring *ring);

#endif
