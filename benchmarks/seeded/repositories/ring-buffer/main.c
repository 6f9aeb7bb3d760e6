#include "ring.h"

#include <stdio.h>
#include <string.h>

int read_all(FILE *from, struct ring *ring);

static int matches(const char *line, const char *word)
{
    return strstr(line, word) != NULL;
}

int main(int argc, char **argv)
{
    struct ring ring;
    char line[RING_LINE];

    if (argc != 2 || ring_open(&ring, 1024) != 0) {
        fprintf(stderr, "usage: %s WORD\n", argv[0]);
        return 2;
    }
    if (read_all(stdin, &ring) < 0) {
        ring_close(&ring);
        return 1;
    }
    while (ring_take(&ring, line, sizeof(line)) == 0) {
        if (matches(line, argv[1]))
            puts(line);
    }
    ring_close(&ring);
    return 0;
}
