// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#ifndef CONTAINER_PEER_USER_H
#define CONTAINER_PEER_USER_H

#include <stdint.h>

/// Finds the user whose process owns the other end of an IPv4 loopback TCP connection.
///
/// `near_port` is the port of this end and `far_port` the port of the other end, both on 127.0.0.1, in host byte
/// order.
///
/// Returns 0 and the user ID in `user`, or -1 with `errno` set: `ENOENT` if the socket no longer exists, `EOPNOTSUPP`
/// on a kernel without inet_diag, `ENOSYS` on systems other than Linux. The function queries the kernel
/// (sock_diag(7)), which responds immediately.
int container_peer_user(uint16_t near_port, uint16_t far_port, uint32_t *user);

#endif
