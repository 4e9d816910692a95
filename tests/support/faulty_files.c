/* Makes the file system fail: preloaded into a program, it lets the n-th change below a folder go wrong.
 *
 * FAULT_UNDER is the folder, FAULT_AT the number n, FAULT_HOW `error` (the call fails with ENOSPC, a write after half of
 * its bytes) or `kill` (the process ends in the middle of the call), FAULT_LOG a file that says which call it was. Changes
 * are: making and opening files for writing, writing, renaming, removing, making and removing folders. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int changes;

static int below(const char *path) {
    const char *folder = getenv("FAULT_UNDER");
    char absolute[8192];
    if (!folder || !path) return 0;
    if (path[0] != '/') {
        if (!getcwd(absolute, 4096)) return 0;
        strncat(absolute, "/", sizeof absolute - strlen(absolute) - 1);
        strncat(absolute, path, sizeof absolute - strlen(absolute) - 1);
        path = absolute;
    }
    return strncmp(path, folder, strlen(folder)) == 0;
}

static int below_descriptor(int descriptor) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return below(path);
}

/* Whether this change is the one: 0 no, 1 it fails; it does not return where it kills. */
static int goes_wrong(const char *call, const char *path) {
    const char *at = getenv("FAULT_AT"), *how = getenv("FAULT_HOW"), *log = getenv("FAULT_LOG");
    if (!at || __atomic_add_fetch(&changes, 1, __ATOMIC_SEQ_CST) != atoi(at)) return 0;
    if (log) {
        int file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
        if (file >= 0) {
            dprintf(file, "%s %s", call, path ? path : "");
            close(file);
        }
    }
    return how && strcmp(how, "kill") == 0 ? 2 : 1;
}

static int answer(int wrong) {
    if (wrong == 2) kill(getpid(), SIGKILL);
    errno = ENOSPC;
    return -1;
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define OPENS(name)                                                                     \
    int name(const char *path, int flags, ...) {                                        \
        REAL(name);                                                                     \
        va_list list;                                                                   \
        va_start(list, flags);                                                          \
        int mode = (flags & O_CREAT) ? va_arg(list, int) : 0;                           \
        va_end(list);                                                                   \
        int wrong = 0;                                                                  \
        if ((flags & (O_WRONLY | O_RDWR | O_CREAT)) && below(path) && (wrong = goes_wrong("open", path))) \
            return answer(wrong);                                                       \
        return real(path, flags, mode);                                                 \
    }
OPENS(open)
OPENS(open64)

ssize_t write(int descriptor, const void *bytes, size_t count) {
    REAL(write);
    int wrong = 0;
    if (below_descriptor(descriptor) && (wrong = goes_wrong("write", 0))) {
        ssize_t done = real(descriptor, bytes, count / 2);
        (void)done;
        return answer(wrong);
    }
    return real(descriptor, bytes, count);
}

int rename(const char *from, const char *to) {
    REAL(rename);
    int wrong = 0;
    if (below(to) && (wrong = goes_wrong("rename", to))) return answer(wrong);
    return real(from, to);
}

#define CHANGES(name, parameters, arguments)                                            \
    int name parameters {                                                               \
        REAL(name);                                                                     \
        int wrong = 0;                                                                  \
        if (below(path) && (wrong = goes_wrong(#name, path))) return answer(wrong);     \
        return real arguments;                                                          \
    }
CHANGES(unlink, (const char *path), (path))
CHANGES(rmdir, (const char *path), (path))
CHANGES(mkdir, (const char *path, mode_t mode), (path, mode))
