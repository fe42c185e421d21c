// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

// include/arpa/inet.h of Libinfo, inet(3).
int inet_pton(int, const char *, void *);
