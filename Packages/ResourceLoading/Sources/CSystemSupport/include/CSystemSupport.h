// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#ifndef CONTAINER_SYSTEM_SUPPORT_H
#define CONTAINER_SYSTEM_SUPPORT_H

#include <stdint.h>

// System calls that Swift does not see, or whose types differ between systems.

/// The attributes of a file. `struct stat` is not used from Swift: if Dispatch is loaded too, the compiler attributes the
/// members of `stat` to it.
struct container_file_status {
    /// In bytes.
    int64_t size;
    /// The time of the last change of the bytes: nanoseconds since 1970.
    int64_t modification_time;
    /// The time of the last change of the bytes, the name or the permissions: nanoseconds since 1970.
    int64_t change_time;
    uint64_t device;
    uint64_t inode;
    uint64_t link_count;
    /// The type and the permissions, as `st_mode` has them.
    uint32_t mode;
    uint32_t user;
};

/// stat(2) and, without `follows_links`, lstat(2). Returns 0, or -1 with `errno` set.
int container_status_of_path(const char *path, int follows_links, struct container_file_status *status);

/// fstat(2). Returns 0, or -1 with `errno` set.
int container_status_of_descriptor(int descriptor, struct container_file_status *status);

/// fstatat(2) without following symbolic links. Returns 0, or -1 with `errno` set.
int container_status_of_name(int folder, const char *name, struct container_file_status *status);

/// Writes everything the file system of `descriptor` holds back to the device.
/// Returns 0, or -1 with `errno` set; on a system without syncfs(2) always -1 with `ENOSYS`.
///
/// The C library declares syncfs only under `_GNU_SOURCE`, which Swift's view of it lacks.
int container_syncfs(int descriptor);

/// rename(2) that fails with `EEXIST` if the target exists: renameat2(2) on Linux, renamex_np(2) on Darwin.
/// Returns 0, or -1 with `errno` set, `ENOSYS` where the system has none.
int container_rename_exclusively(const char *path, const char *target);

/// Flags of open(2) for a directory in which names are looked up: `O_PATH` on Linux, which needs no read permission.
int container_lookup_flags(void);

#endif
