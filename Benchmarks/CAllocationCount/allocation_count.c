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
#include <stdatomic.h>
#include <stddef.h>

// A program's own malloc replaces the library's ("Replacing malloc", GNU C Library manual), which keeps these names for
// its own functions.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern int malloc_trim(size_t);

static atomic_long count;

static void note(void) { atomic_fetch_add_explicit(&count, 1, memory_order_relaxed); }

long allocation_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }

void release_free_memory(void) { malloc_trim(0); }

void *malloc(size_t size) {
    note();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    note();
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    note();
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    note();
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}
#else
long allocation_count(void) { return -1; }

void release_free_memory(void) {}
#endif
