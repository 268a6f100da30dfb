/*
 * A file system that fails on purpose: loaded with LD_PRELOAD it stands between a process and its files in one
 * directory, lets one call fail as told, and can write down every call, so that a test can make the disk that a power
 * cut would have left.
 *
 *   FAULTS_IN     only files in this directory; nothing happens without it
 *   FAULTS_LOG    a file of acknowledgements: its writes are put into the trace, and never fail
 *   FAULTS_TRACE  where to write down the calls (see trace.ts)
 *   FAULTS_CALL   which calls count: write, sync, truncate, rename, unlink, create
 *   FAULTS_FILE   of those, the ones on files whose name ends so
 *   FAULTS_AT     the number of the first call that fails, from 1
 *   FAULTS_COUNT  how many fail from there on; 1 by default
 *   FAULTS_DO     EIO, ENOSPC, EDQUOT: fails so. full: half of it is written, what follows fails with ENOSPC.
 *                 short: half of it is written. torn: half of it is written, then the process is killed.
 *                 before, after: the process is killed before or after the call. lost: says that it is done.
 *
 * One lock around the call and its line in the trace: the trace has them in the order in which they happened.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *in, *logFile, *call, *suffix, *what;
static long at, count, seen;
static int trace = -1;

__attribute__((constructor)) static void begin(void) {
  in = getenv("FAULTS_IN");
  logFile = getenv("FAULTS_LOG");
  call = getenv("FAULTS_CALL");
  suffix = getenv("FAULTS_FILE");
  what = getenv("FAULTS_DO");
  at = getenv("FAULTS_AT") ? atol(getenv("FAULTS_AT")) : 0;
  count = getenv("FAULTS_COUNT") ? atol(getenv("FAULTS_COUNT")) : 1;
  const char *file = getenv("FAULTS_TRACE");
  if (file) trace = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int starts(const char *text, const char *head) { return head && strncmp(text, head, strlen(head)) == 0; }

static int ends(const char *text, const char *tail) {
  size_t n = strlen(text), m = tail ? strlen(tail) : 0;
  return n >= m && strcmp(text + n - m, tail ? tail : "") == 0;
}

/* The path of a descriptor; 0 when it is none of ours. */
static int pathOf(int fd, char *path, size_t size) {
  char link[64];
  int saved = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = in ? readlink(link, path, size - 1) : -1;
  errno = saved;
  if (n < 0) return 0;
  path[n] = 0;
  return starts(path, in) || (logFile && strcmp(path, logFile) == 0);
}

static void raw(const void *bytes, size_t size) {
  while (size > 0) {
    long n = syscall(SYS_write, trace, bytes, size);
    if (n <= 0) _exit(99);
    bytes = (const char *)bytes + n;
    size -= n;
  }
}

/* One line, then the bytes of a write. */
static void note(const char *name, int fd, const char *path, long offset, size_t size, const void *bytes) {
  if (trace < 0) return;
  int saved = errno;
  char line[4200];
  struct stat st = {0};
  if (fd >= 0) fstat(fd, &st);
  int isLog = logFile && strcmp(path, logFile) == 0;
  int n = snprintf(line, sizeof line, "%s %ld %ld %zu %s\n", isLog ? "ack" : name, (long)st.st_ino, offset, size,
                   isLog ? "" : path + strlen(in) + (path[strlen(in)] == '/'));
  raw(line, n);
  if (bytes) raw(bytes, size);
  errno = saved;
}

/* What is to happen to this call: NULL for nothing. */
static const char *fate(const char *name, const char *path) {
  if (!call || strcmp(call, name) != 0 || !starts(path, in) || !ends(path, suffix)) return NULL;
  seen += 1;
  if (seen < at || seen >= at + count) return NULL;
  if (logFile) {
    char line[4300];
    int n = snprintf(line, sizeof line, "{\"is\":\"fault\",\"call\":\"%s\",\"file\":\"%s\"}\n", name, path);
    int fd = syscall(SYS_openat, AT_FDCWD, logFile, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
    if (fd >= 0) syscall(SYS_write, fd, line, n), syscall(SYS_close, fd);
  }
  return what;
}

static void die(void) { syscall(SYS_kill, getpid(), SIGKILL); for (;;) pause(); }

/* A call without data: does it unless its fate is another. */
#define PLAIN(name, fd, path, offset, doIt)                                                                            \
  ({                                                                                                                   \
    pthread_mutex_lock(&lock);                                                                                         \
    const char *f = fate(name, path);                                                                                  \
    long result = 0;                                                                                                   \
    if (f && strcmp(f, "before") == 0) die();                                                                          \
    if (f && f[0] == 'E') {                                                                                            \
      errno = strcmp(f, "ENOSPC") == 0 ? ENOSPC : strcmp(f, "EDQUOT") == 0 ? EDQUOT : EIO;                             \
      result = -1;                                                                                                     \
    } else if (!f || strcmp(f, "lost") != 0) {                                                                         \
      result = doIt;                                                                                                   \
      if (result >= 0) note(name, fd, path, offset, 0, NULL);                                                          \
    }                                                                                                                  \
    if (f && (strcmp(f, "after") == 0 || strcmp(f, "torn") == 0)) die();                                               \
    pthread_mutex_unlock(&lock);                                                                                       \
    result;                                                                                                            \
  })

static ssize_t someWrite(int fd, const void *bytes, size_t size, long offset) {
  return offset < 0 ? syscall(SYS_write, fd, bytes, size) : syscall(SYS_pwrite64, fd, bytes, size, offset);
}

static ssize_t faultyWrite(int fd, const void *bytes, size_t size, long offset) {
  char path[4096];
  if (!pathOf(fd, path, sizeof path)) return someWrite(fd, bytes, size, offset);
  pthread_mutex_lock(&lock);
  const char *f = fate("write", path);
  ssize_t result;
  size_t part = size;
  if (f && strcmp(f, "before") == 0) die();
  if (f && strcmp(f, "full") == 0) f = seen == at ? "short" : "ENOSPC";
  if (f && (strcmp(f, "short") == 0 || strcmp(f, "torn") == 0)) part = size > 1024 ? size / 1024 * 512 : (size + 1) / 2;
  if (f && f[0] == 'E') {
    errno = strcmp(f, "ENOSPC") == 0 ? ENOSPC : strcmp(f, "EDQUOT") == 0 ? EDQUOT : EIO;
    result = -1;
  } else if (f && strcmp(f, "lost") == 0) {
    result = size;
  } else {
    long place = offset >= 0 ? offset : lseek(fd, 0, SEEK_CUR);
    result = someWrite(fd, bytes, part, offset);
    if (result > 0) note("write", fd, path, place, result, bytes);
  }
  if (f && (strcmp(f, "after") == 0 || strcmp(f, "torn") == 0)) die();
  pthread_mutex_unlock(&lock);
  return result;
}

ssize_t write(int fd, const void *bytes, size_t size) { return faultyWrite(fd, bytes, size, -1); }
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset) { return faultyWrite(fd, bytes, size, offset); }
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) { return faultyWrite(fd, bytes, size, offset); }

ssize_t writev(int fd, const struct iovec *parts, int n) {
  char path[4096];
  if (!pathOf(fd, path, sizeof path)) return syscall(SYS_writev, fd, parts, n);
  ssize_t total = 0;
  for (int i = 0; i < n; i++) {
    ssize_t one = faultyWrite(fd, parts[i].iov_base, parts[i].iov_len, -1);
    if (one < 0) return total > 0 ? total : one;
    total += one;
    if ((size_t)one < parts[i].iov_len) break;
  }
  return total;
}

int fsync(int fd) {
  char path[4096];
  if (!pathOf(fd, path, sizeof path)) return syscall(SYS_fsync, fd);
  return PLAIN("sync", fd, path, 0, syscall(SYS_fsync, fd));
}

int fdatasync(int fd) {
  char path[4096];
  if (!pathOf(fd, path, sizeof path)) return syscall(SYS_fdatasync, fd);
  return PLAIN("sync", fd, path, 0, syscall(SYS_fdatasync, fd));
}

int ftruncate64(int fd, off64_t size) {
  char path[4096];
  if (!pathOf(fd, path, sizeof path)) return syscall(SYS_ftruncate, fd, size);
  return PLAIN("truncate", fd, path, size, syscall(SYS_ftruncate, fd, size));
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

int unlink(const char *path) {
  if (!starts(path, in)) return syscall(SYS_unlink, path);
  return PLAIN("unlink", -1, path, 0, syscall(SYS_unlink, path));
}

int rename(const char *from, const char *to) {
  if (!starts(to, in)) return syscall(SYS_rename, from, to);
  int fd = syscall(SYS_openat, AT_FDCWD, from, O_RDONLY | O_CLOEXEC, 0);
  int result = PLAIN("rename", fd, to, 0, syscall(SYS_rename, from, to));
  if (fd >= 0) syscall(SYS_close, fd);
  return result;
}

static int faultyOpen(int directory, const char *path, int flags, int mode) {
  if (!(flags & O_CREAT) || !starts(path, in)) return syscall(SYS_openat, directory, path, flags, mode);
  struct stat st;
  if (stat(path, &st) == 0) {
    int fd = syscall(SYS_openat, directory, path, flags, mode);
    if (fd >= 0 && (flags & O_TRUNC)) {
      pthread_mutex_lock(&lock);
      note("truncate", fd, path, 0, 0, NULL);
      pthread_mutex_unlock(&lock);
    }
    return fd;
  }
  int fd = -1;
  return PLAIN("create", fd, path, 0, (fd = syscall(SYS_openat, directory, path, flags, mode))) < 0 ? -1 : fd;
}

#define MODE(flags)                                                                                                    \
  ({                                                                                                                   \
    int mode = 0;                                                                                                      \
    if ((flags) & O_CREAT) {                                                                                           \
      va_list list;                                                                                                    \
      va_start(list, flags);                                                                                           \
      mode = va_arg(list, int);                                                                                        \
      va_end(list);                                                                                                    \
    }                                                                                                                  \
    mode;                                                                                                              \
  })

int open(const char *path, int flags, ...) { return faultyOpen(AT_FDCWD, path, flags, MODE(flags)); }
int open64(const char *path, int flags, ...) { return faultyOpen(AT_FDCWD, path, flags, MODE(flags)); }
int openat(int directory, const char *path, int flags, ...) { return faultyOpen(directory, path, flags, MODE(flags)); }
