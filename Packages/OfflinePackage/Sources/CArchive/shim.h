// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

#include <archive.h>
#include <archive_entry.h>

#if defined(__linux__)
// Glibc declares it only under _GNU_SOURCE, which Swift's view of Glibc does not set.
extern int syncfs(int descriptor);
#endif
