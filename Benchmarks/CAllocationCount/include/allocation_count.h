// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#ifndef CONTAINERKIT_ALLOCATION_COUNT_H
#define CONTAINERKIT_ALLOCATION_COUNT_H

/// Returns the number of memory blocks that this process has allocated so far, on all threads, by malloc, calloc, realloc
/// and aligned allocation. The result is negative if allocations are not counted: without glibc, or under
/// ThreadSanitizer.
long allocation_count(void);

/// Begins to measure the peak of the heap, on all threads.
void begin_heap_peak(void);

/// Ends the measurement that ``begin_heap_peak`` began.
/// @return The largest number of bytes by which the allocated memory blocks, with their headers, exceeded those at the
/// beginning; negative if allocations are not counted.
long end_heap_peak(void);

#endif
