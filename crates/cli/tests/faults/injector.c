/* Makes files of one directory fail, and the clock go back, for scripts/faults: loaded before the C library.
 *
 * FAULT_UNDER   only files whose paths begin with this
 * FAULT_ONE_IN  one call in this many fails (0: none)
 * FAULT_ERRNO   with this error
 * FAULT_SEED    which ones
 * FAULT_KILL_AT the process kills itself (SIGKILL) before its call of this number; every call of a file under
 *               FAULT_UNDER counts, or, where that is empty, every call of any file or socket
 * FAULT_LOG     a file that gets one byte for each failure
 * FAULT_CLOCK   the wall clock is up to this many milliseconds behind, at random in each call
 * FAULT_AHEAD   the wall clock is this many seconds ahead, or behind if the number is negative
 *
 * Renames are refused by the kernel (seccomp), all or none of a process: some callers ask it directly.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char *under, *log_path;
static unsigned long one_in, clock_back, kill_at, calls;
static long clock_ahead;
static int error_number;
static uint64_t state;

static uint64_t next_random(void) {
    uint64_t old = __atomic_fetch_add(&state, 0x9E3779B97F4A7C15u, __ATOMIC_RELAXED), z = old;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static void note_failure(void) {
    if (!log_path) return;
    long fd = syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return;
    syscall(SYS_write, fd, "x", 1);
    syscall(SYS_close, fd);
}

static void refuse_renames(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef SYS_rename
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rename, 2, 0),
#else
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat, 2, 0),
#endif
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error_number),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
        note_failure();
}

__attribute__((constructor)) static void begin(void) {
    const char *text;
    under = getenv("FAULT_UNDER");
    log_path = getenv("FAULT_LOG");
    one_in = (text = getenv("FAULT_ONE_IN")) ? strtoul(text, 0, 10) : 0;
    kill_at = (text = getenv("FAULT_KILL_AT")) ? strtoul(text, 0, 10) : 0;
    clock_back = (text = getenv("FAULT_CLOCK")) ? strtoul(text, 0, 10) : 0;
    clock_ahead = (text = getenv("FAULT_AHEAD")) ? strtol(text, 0, 10) : 0;
    error_number = (text = getenv("FAULT_ERRNO")) ? atoi(text) : EIO;
    state = (text = getenv("FAULT_SEED")) ? strtoull(text, 0, 10) : 1;
    /* A few renames a process at most: fewer calls, the same share of failures. */
    if (one_in && next_random() % (2 * one_in) == 0) refuse_renames();
}

static int path_fails(const char *path) {
    if ((!one_in && !kill_at) || !under || !path || strncmp(path, under, strlen(under)) != 0) return 0;
    if (kill_at && __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == kill_at) kill(getpid(), SIGKILL);
    if (!one_in) return 0;
    if (next_random() % one_in != 0) return 0;
    note_failure();
    errno = error_number;
    return 1;
}

static int file_fails(int fd) {
    char link[64], path[PATH_MAX];
    if ((!one_in && !kill_at) || !under) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return path_fails(path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                                        \
    int name(const char *path, int flags, ...) {                          \
        va_list rest;                                                     \
        va_start(rest, flags);                                            \
        mode_t mode = va_arg(rest, mode_t);                               \
        va_end(rest);                                                     \
        return path_fails(path) ? -1 : REAL(name)(path, flags, mode);     \
    }
OPEN(open)
OPEN(open64)

#define ON_FILE(type, name, parameters, arguments) \
    type name parameters { return file_fails(fd) ? -1 : REAL(name) arguments; }
ON_FILE(ssize_t, write, (int fd, const void *bytes, size_t count), (fd, bytes, count))
ON_FILE(ssize_t, pwrite, (int fd, const void *bytes, size_t count, off_t at), (fd, bytes, count, at))
ON_FILE(ssize_t, pwrite64, (int fd, const void *bytes, size_t count, off64_t at), (fd, bytes, count, at))
ON_FILE(ssize_t, send, (int fd, const void *bytes, size_t count, int flags), (fd, bytes, count, flags))
ON_FILE(int, fsync, (int fd), (fd))
ON_FILE(int, fdatasync, (int fd), (fd))
ON_FILE(int, ftruncate, (int fd, off_t length), (fd, length))
ON_FILE(int, ftruncate64, (int fd, off64_t length), (fd, length))

int clock_gettime(clockid_t clock, struct timespec *now) {
    int answer = (int)syscall(SYS_clock_gettime, clock, now);
    if (answer == 0 && clock == CLOCK_REALTIME) now->tv_sec += clock_ahead;
    if (answer == 0 && clock == CLOCK_REALTIME && clock_back) now->tv_sec -= next_random() % clock_back / 1000;
    return answer;
}
