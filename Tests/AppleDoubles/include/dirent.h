// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

// include/dirent.h of Libc, bsd/sys/dirent.h of xnu, directory(3). The structure of a directory is not opaque.
#include "sys/types.h"

struct dirent {
    uint64_t d_ino;
    uint64_t d_seekoff;
    uint16_t d_reclen;
    uint16_t d_namlen;
    uint8_t d_type;
    char d_name[1024];
};

typedef struct {
    int __dd_fd;
} DIR;

int closedir(DIR *);
DIR *fdopendir(int);
struct dirent *readdir(DIR *);
