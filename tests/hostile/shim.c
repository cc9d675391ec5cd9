// Loaded before the C library: the n-th call that puts something on the disk fails. FAIL_CALLS counts them, or names
// one kind (write, sync, rename); FAIL_AT says which, from 1; FAIL_ERROR with what. Standard streams are spared.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fails(const char* kind) {
    static int seen = 0;
    const char *wanted = getenv("FAIL_CALLS"), *at = getenv("FAIL_AT"), *error = getenv("FAIL_ERROR");
    if (wanted == NULL || at == NULL || strcmp(wanted, kind) != 0) return 0;
    if (__sync_add_and_fetch(&seen, 1) < atoi(at)) return 0;
    errno = error == NULL ? ENOSPC : atoi(error);
    return 1;
}

static int is_file(int fd) {
    struct stat about;
    return fd > 2 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

#define NEXT(type, name, ...) type (*next)(__VA_ARGS__) = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

ssize_t write(int fd, const void* from, size_t size) {
    NEXT(ssize_t, "write", int, const void*, size_t);
    return is_file(fd) && fails("write") ? -1 : next(fd, from, size);
}

ssize_t pwrite64(int fd, const void* from, size_t size, off_t place) {
    NEXT(ssize_t, "pwrite64", int, const void*, size_t, off_t);
    return is_file(fd) && fails("write") ? -1 : next(fd, from, size, place);
}

int fsync(int fd) {
    NEXT(int, "fsync", int);
    return fails("sync") ? -1 : next(fd);
}

int fdatasync(int fd) {
    NEXT(int, "fdatasync", int);
    return fails("sync") ? -1 : next(fd);
}

int rename(const char* from, const char* to) {
    NEXT(int, "rename", const char*, const char*);
    return fails("rename") ? -1 : next(from, to);
}
