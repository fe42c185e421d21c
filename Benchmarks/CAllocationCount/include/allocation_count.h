// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#ifndef CONTAINERKIT_ALLOCATION_COUNT_H
#define CONTAINERKIT_ALLOCATION_COUNT_H

/// How many blocks of memory this process has asked for so far, on all threads: malloc, calloc, realloc and what asks
/// for an alignment. Negative where that is not counted, which is anywhere but with glibc.
long allocation_count(void);

#endif
