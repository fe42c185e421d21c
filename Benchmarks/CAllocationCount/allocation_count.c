// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#include "allocation_count.h"

#if defined(__GLIBC__) || defined(__linux__)
#include <errno.h>
#include <features.h>
#endif

// ThreadSanitizer replaces malloc itself, and calls it before it can run other code.
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define HAS_OTHER_MALLOC
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_OTHER_MALLOC)
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

// A program's own malloc replaces the library's ("Replacing malloc", GNU C Library manual), which keeps these names for
// its own functions.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static atomic_long count;
// The bytes above those at the beginning of the measurement, and the largest value.
static atomic_bool measures;
static atomic_long bytes, peak;

static bool is_measuring(void) { return atomic_load_explicit(&measures, memory_order_relaxed); }

// Each block has a header of one word.
static long block_size(void *block) { return block ? (long)(malloc_usable_size(block) + sizeof(size_t)) : 0; }

static void change(long difference) {
    long sum = atomic_fetch_add(&bytes, difference) + difference, known = atomic_load(&peak);
    while (sum > known && !atomic_compare_exchange_weak(&peak, &known, sum)) {}
}

static void *counted(void *block) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    if (is_measuring()) change(block_size(block));
    return block;
}

long allocation_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }

void begin_heap_peak(void) {
    atomic_store(&bytes, 0);
    atomic_store(&peak, 0);
    atomic_store(&measures, true);
}

long end_heap_peak(void) {
    atomic_store(&measures, false);
    return atomic_load(&peak);
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t number, size_t size) { return counted(__libc_calloc(number, size)); }

void *realloc(void *block, size_t new_size) {
    long former = is_measuring() ? block_size(block) : 0;
    void *result = counted(__libc_realloc(block, new_size));
    // A block that cannot grow stays.
    if (former && (result || !new_size)) change(-former);
    return result;
}

void free(void *block) {
    if (is_measuring()) change(-block_size(block));
    __libc_free(block);
}

void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    *block = counted(__libc_memalign(alignment, size));
    return *block ? 0 : ENOMEM;
}
#else
long allocation_count(void) { return -1; }

void begin_heap_peak(void) {}

long end_heap_peak(void) { return -1; }
#endif
