// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#ifndef CONTAINER_PEER_USER_H
#define CONTAINER_PEER_USER_H

#include <stdint.h>

/// Whose process holds the other end of a TCP connection over IPv4 loopback.
///
/// `near_port` is this end's port and `far_port` the other end's, both on 127.0.0.1, in host byte order.
/// Returns 0 and the user's number in `user`, or -1 with `errno` set: `ENOENT` where there is no such socket any more,
/// `EOPNOTSUPP` on a kernel without inet_diag, `ENOSYS` on another system than Linux. Asks the kernel (sock_diag(7)), which answers at once.
int container_peer_user(uint16_t near_port, uint16_t far_port, uint32_t *user);

#endif
