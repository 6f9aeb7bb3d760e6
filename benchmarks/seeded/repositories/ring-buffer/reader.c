#include "ring.h"

#include <stdio.h>
#include <string.h>

static char *trimmed(char *line)
{
    size_t length = strcspn(line, "\r\n");
    line[length] = '\0';
    return line;
}

int read_all(FILE *from, struct ring *ring)
{
    char line[RING_LINE];
    int kept = 0;

    while (fgets(line, sizeof(line), from) != NULL) {
        if (ring_put(ring, trimmed(line)) != 0)
            return -1;
        kept++;
    }
    return ferror(from) ? -1 : kept;
}
