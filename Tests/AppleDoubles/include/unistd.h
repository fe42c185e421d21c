// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

// include/unistd.h of Libc, bsd/sys/unistd.h of xnu, and the pages of section 2 with the names of the functions.
#include "sys/types.h"

#define F_OK 0
#define SEEK_END 2

int access(const char *, int);
int close(int);
int dup(int);
int dup2(int, int);
int fsync(int);
int ftruncate(int, off_t);
uid_t geteuid(void);
pid_t getpid(void);
int link(const char *, const char *);
off_t lseek(int, off_t, int);
ssize_t pread(int, void *, size_t, off_t);
ssize_t pwrite(int, const void *, size_t, off_t);
ssize_t read(int, void *, size_t);
int rmdir(const char *);
int unlink(const char *);
int unlinkat(int, const char *, int);
ssize_t write(int, const void *, size_t);
