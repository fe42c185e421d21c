// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#include "CPeerUser.h"

#include <errno.h>

#if defined(__linux__)
#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

struct peer_query {
    struct nlmsghdr header;
    struct inet_diag_req_v2 socket;
};

static int send_query(int netlink, uint16_t near_port, uint16_t far_port) {
    struct peer_query query;
    memset(&query, 0, sizeof query);
    query.header.nlmsg_len = sizeof query;
    query.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    query.header.nlmsg_flags = NLM_F_REQUEST;
    query.socket.sdiag_family = AF_INET;
    query.socket.sdiag_protocol = IPPROTO_TCP;
    query.socket.idiag_states = ~0U;
    /* The socket of the other end: its port is the source, ours is the destination. */
    query.socket.id.idiag_sport = htons(far_port);
    query.socket.id.idiag_dport = htons(near_port);
    query.socket.id.idiag_src[0] = htonl(INADDR_LOOPBACK);
    query.socket.id.idiag_dst[0] = htonl(INADDR_LOOPBACK);
    query.socket.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
    query.socket.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    struct sockaddr_nl kernel;
    memset(&kernel, 0, sizeof kernel);
    kernel.nl_family = AF_NETLINK;
    ssize_t sent;
    do {
        sent = sendto(netlink, &query, sizeof query, 0, (struct sockaddr *)&kernel, sizeof kernel);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : 0;
}

static int receive_reply(int netlink, uint16_t near_port, uint16_t far_port, uint32_t *user) {
    char reply[4096] __attribute__((aligned(8)));
    ssize_t length;
    do {
        length = recv(netlink, reply, sizeof reply, 0);
    } while (length < 0 && errno == EINTR);
    if (length < 0) return -1;
    const struct nlmsghdr *header = (const struct nlmsghdr *)reply;
    if ((size_t)length < sizeof *header || header->nlmsg_len > (size_t)length) {
        errno = EPROTO;
        return -1;
    }
    if (header->nlmsg_type == NLMSG_ERROR) {
        const struct nlmsgerr *error = (const struct nlmsgerr *)(header + 1);
        errno = header->nlmsg_len < sizeof *header + sizeof error->error ? EPROTO : -error->error;
        return -1;
    }
    const struct inet_diag_msg *socket = (const struct inet_diag_msg *)(header + 1);
    if (header->nlmsg_type != SOCK_DIAG_BY_FAMILY || header->nlmsg_len < sizeof *header + sizeof *socket) {
        errno = EPROTO;
        return -1;
    }
    /* If no connection matches, the kernel may return a listener on that port instead. */
    if (socket->id.idiag_sport != htons(far_port) || socket->id.idiag_dport != htons(near_port)) {
        errno = ESTALE;
        return -1;
    }
    *user = socket->idiag_uid;
    return 0;
}

/* Returns 1 if the kernel finds the socket of this end, or the listener on its port, and 0 otherwise. A kernel without
   inet_diag finds no socket and reports the same error as for a closed connection. */
static int finds_own_end(int netlink, uint16_t near_port, uint16_t far_port) {
    uint32_t user;
    if (send_query(netlink, far_port, near_port) < 0) return 0;
    return receive_reply(netlink, far_port, near_port, &user) == 0 || errno == ESTALE;
}

int container_peer_user(uint16_t near_port, uint16_t far_port, uint32_t *user) {
    int netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (netlink < 0) return -1;
    /* The kernel responds within the call; the timeout is for a kernel that does not. */
    struct timeval limit = {.tv_sec = 1};
    setsockopt(netlink, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    int result = send_query(netlink, near_port, far_port);
    if (result == 0) result = receive_reply(netlink, near_port, far_port, user);
    int reason = errno;
    if (result < 0 && reason == ENOENT && !finds_own_end(netlink, near_port, far_port)) reason = EOPNOTSUPP;
    if (result < 0 && reason == ESTALE) reason = ENOENT;
    close(netlink);
    errno = reason;
    return result;
}
#else
int container_peer_user(uint16_t near_port, uint16_t far_port, uint32_t *user) {
    (void)near_port;
    (void)far_port;
    (void)user;
    errno = ENOSYS;
    return -1;
}
#endif
