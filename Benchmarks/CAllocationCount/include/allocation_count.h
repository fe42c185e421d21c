// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#ifndef CONTAINERKIT_ALLOCATION_COUNT_H
#define CONTAINERKIT_ALLOCATION_COUNT_H

/// Returns the number of memory blocks that this process has allocated so far, on all threads, by malloc, calloc, realloc
/// and aligned allocation. The result is negative if allocations are not counted: without glibc, or under
/// ThreadSanitizer.
long allocation_count(void);

/// Returns free memory of the heap to the system, so that a later peak of the process is not hidden by memory that it
/// keeps. Does nothing without glibc, and under ThreadSanitizer.
void release_free_memory(void);

#endif
