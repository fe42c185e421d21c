// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

// include/stdlib.h of Libc, malloc(3), mkdtemp(3), realpath(3).
void free(void *);
char *mkdtemp(char *);
char *realpath(const char *, char *);
