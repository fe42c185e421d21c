// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

// libplatform/include/os/lock.h, os_unfair_lock_lock(3).
#include <stdbool.h>
#include <stdint.h>

typedef struct os_unfair_lock_s {
    uint32_t _os_unfair_lock_opaque;
} os_unfair_lock, *os_unfair_lock_t;

#define UNAVAILABLE_FROM_ASYNC __attribute__((swift_attr("@_unavailableFromAsync")))

UNAVAILABLE_FROM_ASYNC
void os_unfair_lock_lock(os_unfair_lock_t _Nonnull);
UNAVAILABLE_FROM_ASYNC
bool os_unfair_lock_trylock(os_unfair_lock_t _Nonnull);
UNAVAILABLE_FROM_ASYNC
void os_unfair_lock_unlock(os_unfair_lock_t _Nonnull);
