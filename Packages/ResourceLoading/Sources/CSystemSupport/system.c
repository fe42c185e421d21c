// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#define _GNU_SOURCE
#include "CSystemSupport.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

/* 64 bits of nanoseconds last until 2262; later times wrap around. */
static int64_t nanoseconds(struct timespec time) {
    return (int64_t)((uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec);
}

static int copy(int result, const struct stat *from, struct container_file_status *to) {
    if (result != 0) return result;
    to->size = (int64_t)from->st_size;
#ifdef __APPLE__
    to->modification_time = nanoseconds(from->st_mtimespec);
    to->change_time = nanoseconds(from->st_ctimespec);
#else
    to->modification_time = nanoseconds(from->st_mtim);
    to->change_time = nanoseconds(from->st_ctim);
#endif
    to->device = (uint64_t)from->st_dev;
    to->inode = (uint64_t)from->st_ino;
    to->link_count = (uint64_t)from->st_nlink;
    to->mode = (uint32_t)from->st_mode;
    to->user = (uint32_t)from->st_uid;
    return 0;
}

int container_status_of_path(const char *path, int follows_links, struct container_file_status *status) {
    struct stat attributes;
    return copy(follows_links ? stat(path, &attributes) : lstat(path, &attributes), &attributes, status);
}

int container_status_of_descriptor(int descriptor, struct container_file_status *status) {
    struct stat attributes;
    return copy(fstat(descriptor, &attributes), &attributes, status);
}

int container_status_of_name(int folder, const char *name, struct container_file_status *status) {
    struct stat attributes;
    return copy(fstatat(folder, name, &attributes, AT_SYMLINK_NOFOLLOW), &attributes, status);
}

int container_syncfs(int descriptor) {
#ifdef __linux__
    return syncfs(descriptor);
#else
    (void)descriptor;
    errno = ENOSYS;
    return -1;
#endif
}

int container_rename_exclusively(const char *path, const char *target) {
#if defined(__APPLE__)
    return renamex_np(path, target, RENAME_EXCL);
#elif defined(SYS_renameat2)
    /* A direct system call, because older C libraries have no wrapper; 1 is RENAME_NOREPLACE. */
    return (int)syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, target, 1u);
#else
    (void)path;
    (void)target;
    errno = ENOSYS;
    return -1;
#endif
}

int container_lookup_flags(void) {
#ifdef __linux__
    return O_PATH;
#else
    return O_RDONLY;
#endif
}
