// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

// bsd/sys/stat.h of xnu, stat(2), chmod(2), mkdir(2). Swift sees the constants of file types through Platform.swift.
#include "types.h"
#include "../time.h"

struct stat {
    dev_t st_dev;
    mode_t st_mode;
    nlink_t st_nlink;
    ino_t st_ino;
    uid_t st_uid;
    gid_t st_gid;
    dev_t st_rdev;
    struct timespec st_atimespec;
    struct timespec st_mtimespec;
    struct timespec st_ctimespec;
    struct timespec st_birthtimespec;
    off_t st_size;
    blkcnt_t st_blocks;
    blksize_t st_blksize;
    uint32_t st_flags;
    uint32_t st_gen;
};

int fchmod(int, mode_t);
int fstat(int, struct stat *);
int fstatat(int, const char *, struct stat *, int);
int futimens(int, const struct timespec[2]);
int lstat(const char *, struct stat *);
int mkdir(const char *, mode_t);
int mkdirat(int, const char *, mode_t);
int stat(const char *, struct stat *);
