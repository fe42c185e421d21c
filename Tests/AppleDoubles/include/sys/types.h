// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

// The types of <sys/types.h> on arm64 and x86_64: bsd/sys/_types.h and bsd/*/_types.h of xnu.
#include <stddef.h>
#include <stdint.h>

typedef int32_t blksize_t;
typedef int64_t blkcnt_t;
typedef int32_t dev_t;
typedef uint32_t gid_t;
typedef uint64_t ino_t;
typedef uint16_t mode_t;
typedef uint16_t nlink_t;
typedef int64_t off_t;
typedef int32_t pid_t;
typedef long ssize_t;
typedef long time_t;
typedef uint32_t uid_t;
