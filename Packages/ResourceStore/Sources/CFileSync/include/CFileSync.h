// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#ifndef CONTAINER_FILE_SYNC_H
#define CONTAINER_FILE_SYNC_H

/// Writes everything the file system of `descriptor` holds back to the device.
/// Returns 0, or -1 with `errno` set; on a system without syncfs(2) always -1 with `ENOSYS`.
///
/// It is here because the C library declares syncfs only under `_GNU_SOURCE`, which Swift's view of it lacks.
int container_syncfs(int descriptor);

#endif
