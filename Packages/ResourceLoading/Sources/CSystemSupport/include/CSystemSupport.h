// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#ifndef CONTAINER_SYSTEM_SUPPORT_H
#define CONTAINER_SYSTEM_SUPPORT_H

#include <stdint.h>

// System calls that Swift does not import, or whose types differ between systems.

/// The attributes of a file.
///
/// Swift code does not use `struct stat`: if Dispatch is imported too, the compiler attributes the members of `stat` to
/// Dispatch.
struct container_file_status {
    /// The size in bytes.
    int64_t size;
    /// The time of the last change of the content, in nanoseconds since 1970.
    int64_t modification_time;
    /// The time of the last change of the content, the name or the permissions, in nanoseconds since 1970.
    int64_t change_time;
    uint64_t device;
    uint64_t inode;
    uint64_t link_count;
    /// The type and the permissions, in the format of `st_mode`.
    uint32_t mode;
    uint32_t user;
};

/// Calls stat(2), or lstat(2) if `follows_links` is 0. Returns 0, or -1 with `errno` set.
int container_status_of_path(const char *path, int follows_links, struct container_file_status *status);

/// Calls fstat(2). Returns 0, or -1 with `errno` set.
int container_status_of_descriptor(int descriptor, struct container_file_status *status);

/// Calls fstatat(2) without following symbolic links. Returns 0, or -1 with `errno` set.
int container_status_of_name(int folder, const char *name, struct container_file_status *status);

/// Flushes the file system of `descriptor` to the device.
///
/// Returns 0, or -1 with `errno` set. On a system without syncfs(2) it always returns -1 with `ENOSYS`. The C library
/// declares syncfs only under `_GNU_SOURCE`, which Swift's import does not define.
int container_syncfs(int descriptor);

/// Renames a file, and fails with `EEXIST` if the target exists: renameat2(2) on Linux, renamex_np(2) on Darwin.
///
/// Returns 0, or -1 with `errno` set. On a system without either call, it returns -1 with `ENOSYS`.
int container_rename_exclusively(const char *path, const char *target);

/// Returns the flags of open(2) for a directory that is used for lookups only: `O_PATH` on Linux, which needs no read
/// permission.
int container_lookup_flags(void);

#endif
