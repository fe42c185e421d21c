// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

// include/string.h of Libc, string(3), bstring(3), strerror(3).
#include <stddef.h>

void *memchr(const void *, int, size_t);
int memcmp(const void *, const void *, size_t);
void *memcpy(void *, const void *, size_t);
int strcmp(const char *, const char *);
char *strerror(int);
size_t strlen(const char *);
