// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

// include/stdio.h of Libc, bsd/sys/stdio.h of xnu, rename(2).
#define RENAME_EXCL 0x00000004

int rename(const char *, const char *);
int renameat(int, const char *, int, const char *);
int renamex_np(const char *, const char *, unsigned int);
