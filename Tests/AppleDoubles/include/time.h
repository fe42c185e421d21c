// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

// include/time.h of Libc, bsd/sys/_types/_timespec.h of xnu, clock_gettime(3).
#include "sys/types.h"

struct timespec {
    time_t tv_sec;
    long tv_nsec;
};

typedef enum {
    _CLOCK_REALTIME = 0,
} clockid_t;

int clock_gettime(clockid_t, struct timespec *);
