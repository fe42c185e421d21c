// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#define _GNU_SOURCE
#include "CFileSync.h"

#include <errno.h>
#include <unistd.h>

int container_syncfs(int descriptor) {
#ifdef __linux__
    return syncfs(descriptor);
#else
    (void)descriptor;
    errno = ENOSYS;
    return -1;
#endif
}
