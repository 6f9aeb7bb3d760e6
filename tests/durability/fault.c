/* Counts what a process changes on disk below some folders, and at the k-th change kills the
 * process or makes the change fail; or stops before each change until somebody has looked.
 *
 * Loaded with LD_PRELOAD. Nothing happens until fault_arm() is called, which a forked child does
 * through ctypes; so whatever the child starts is left alone. Linux only: where a descriptor leads
 * is read from /proc.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { COUNT, KILL_BEFORE, KILL_AFTER, FAIL_ONCE, FAIL_FROM, SHOW };

#define FOLDERS 8
static char folder[FOLDERS][PATH_MAX];
static int folders, mode, fails_with, log_file = -1, seen = -1;
static long changes, target;
static __thread int inside;

/* `watched` is a list of absolute folders or files, parted by newlines. Changes count from 1 and are
 * written to `log`; to SHOW them, a byte is awaited from `answers` after each. */
void fault_arm(const char *watched, int how, long at, int error, int log, int answers) {
    folders = 0;
    for (const char *from = watched; *from && folders < FOLDERS;) {
        size_t length = strcspn(from, "\n");
        snprintf(folder[folders++], PATH_MAX, "%.*s", (int)length, from);
        from += length + (from[length] == '\n');
    }
    mode = how, target = at, fails_with = error, log_file = log, seen = answers, changes = 0;
}

static void die(void) { syscall(SYS_kill, getpid(), SIGKILL); }

static int is_watched(const char *path) {
    for (int number = 0; number < folders; number++) {
        size_t length = strlen(folder[number]);
        char after = path[length];
        if (!strncmp(path, folder[number], length) && (!after || strchr("/.- ", after))) return 1;
    }
    return 0;
}

static int where_is(int descriptor, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
    return length >= 0;
}

static void resolve(int at, const char *name, char *path) {
    char base[PATH_MAX] = "";
    if (name[0] == '/') {
        snprintf(path, PATH_MAX, "%s", name);
        return;
    }
    if (at == AT_FDCWD ? !getcwd(base, sizeof base) : !where_is(at, base)) base[0] = 0;
    if (snprintf(path, PATH_MAX, "%s/%s", base, name) >= PATH_MAX) path[0] = 0;
}

/* Called before a change: 1 when it must fail, errno set; 2 when it is the last one; else 0. */
static int begin(const char *what, const char *path) {
    if (!folders || inside || !is_watched(path)) return 0;
    inside = 1;
    long number = __sync_add_and_fetch(&changes, 1);
    if (log_file >= 0) dprintf(log_file, "%ld %s %s\n", number, what, path);
    char byte;
    if (mode == SHOW && read(seen, &byte, 1) != 1) die();
    inside = 0;
    if (mode == KILL_BEFORE && number == target) die();
    if ((mode == FAIL_ONCE && number == target) || (mode == FAIL_FROM && number >= target)) {
        errno = fails_with;
        return 1;
    }
    return mode == KILL_AFTER && number == target ? 2 : 0;
}

static int begin_at(const char *what, int at, const char *name) {
    char path[PATH_MAX];
    if (!folders || inside) return 0;
    resolve(at, name, path);
    return begin(what, path);
}

static int begin_in(const char *what, int descriptor) {
    char path[PATH_MAX];
    if (!folders || inside || !where_is(descriptor, path)) return 0;
    return begin(what, path);
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define DO(begun, call) \
    int state = begun; \
    if (state == 1) return -1; \
    __typeof__(call) result = call; \
    if (state == 2) die(); \
    return result

#define CHANGES(flags) (((flags) & O_ACCMODE) != O_RDONLY || ((flags) & (O_CREAT | O_TRUNC)))

static mode_t mode_of(int flags, va_list more) {
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); \
        va_list more; \
        va_start(more, flags); \
        mode_t bits = mode_of(flags, more); \
        va_end(more); \
        DO(CHANGES(flags) ? begin_at("open", AT_FDCWD, path) : 0, real(path, flags, bits)); \
    }
#define OPENAT(name) \
    int name(int at, const char *path, int flags, ...) { \
        REAL(name); \
        va_list more; \
        va_start(more, flags); \
        mode_t bits = mode_of(flags, more); \
        va_end(more); \
        DO(CHANGES(flags) ? begin_at("open", at, path) : 0, real(at, path, flags, bits)); \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

#define ON_NAME(name, parameters, at, path, call) \
    int name parameters { \
        REAL(name); \
        DO(begin_at(#name, at, path), call); \
    }
ON_NAME(creat, (const char *path, mode_t bits), AT_FDCWD, path, real(path, bits))
ON_NAME(creat64, (const char *path, mode_t bits), AT_FDCWD, path, real(path, bits))
ON_NAME(mkdir, (const char *path, mode_t bits), AT_FDCWD, path, real(path, bits))
ON_NAME(mkdirat, (int at, const char *path, mode_t bits), at, path, real(at, path, bits))
ON_NAME(unlink, (const char *path), AT_FDCWD, path, real(path))
ON_NAME(unlinkat, (int at, const char *path, int flags), at, path, real(at, path, flags))
ON_NAME(rmdir, (const char *path), AT_FDCWD, path, real(path))
ON_NAME(rename, (const char *from, const char *to), AT_FDCWD, to, real(from, to))
ON_NAME(renameat, (int old, const char *from, int new, const char *to), new, to,
        real(old, from, new, to))
ON_NAME(renameat2, (int old, const char *from, int new, const char *to, unsigned int flags), new, to,
        real(old, from, new, to, flags))
ON_NAME(link, (const char *from, const char *to), AT_FDCWD, to, real(from, to))
ON_NAME(symlink, (const char *from, const char *to), AT_FDCWD, to, real(from, to))
ON_NAME(truncate, (const char *path, off_t size), AT_FDCWD, path, real(path, size))

#define ON_FILE(type, name, parameters, call) \
    type name parameters { \
        REAL(name); \
        DO(begin_in(#name, file), call); \
    }
ON_FILE(ssize_t, write, (int file, const void *data, size_t size), real(file, data, size))
ON_FILE(ssize_t, pwrite, (int file, const void *data, size_t size, off_t at), real(file, data, size, at))
ON_FILE(ssize_t, pwrite64, (int file, const void *data, size_t size, off64_t at),
        real(file, data, size, at))
ON_FILE(ssize_t, writev, (int file, const struct iovec *parts, int count), real(file, parts, count))
ON_FILE(ssize_t, pwritev, (int file, const struct iovec *parts, int count, off_t at),
        real(file, parts, count, at))
ON_FILE(int, fsync, (int file), real(file))
ON_FILE(int, fdatasync, (int file), real(file))
ON_FILE(int, ftruncate, (int file, off_t size), real(file, size))
ON_FILE(int, ftruncate64, (int file, off64_t size), real(file, size))
ON_FILE(int, fallocate, (int file, int how, off_t at, off_t size), real(file, how, at, size))
