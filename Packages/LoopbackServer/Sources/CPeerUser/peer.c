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

struct question {
    struct nlmsghdr header;
    struct inet_diag_req_v2 socket;
};

static int ask(int netlink, uint16_t near_port, uint16_t far_port) {
    struct question question;
    memset(&question, 0, sizeof question);
    question.header.nlmsg_len = sizeof question;
    question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    question.header.nlmsg_flags = NLM_F_REQUEST;
    question.socket.sdiag_family = AF_INET;
    question.socket.sdiag_protocol = IPPROTO_TCP;
    question.socket.idiag_states = ~0U;
    /* The socket of the other end: its port is the source, ours is the destination. */
    question.socket.id.idiag_sport = htons(far_port);
    question.socket.id.idiag_dport = htons(near_port);
    question.socket.id.idiag_src[0] = htonl(INADDR_LOOPBACK);
    question.socket.id.idiag_dst[0] = htonl(INADDR_LOOPBACK);
    question.socket.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
    question.socket.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    struct sockaddr_nl kernel;
    memset(&kernel, 0, sizeof kernel);
    kernel.nl_family = AF_NETLINK;
    ssize_t sent;
    do {
        sent = sendto(netlink, &question, sizeof question, 0, (struct sockaddr *)&kernel, sizeof kernel);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : 0;
}

static int hear(int netlink, uint16_t near_port, uint16_t far_port, uint32_t *user) {
    char answer[4096] __attribute__((aligned(8)));
    ssize_t length;
    do {
        length = recv(netlink, answer, sizeof answer, 0);
    } while (length < 0 && errno == EINTR);
    if (length < 0) return -1;
    const struct nlmsghdr *header = (const struct nlmsghdr *)answer;
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
static int knows(int netlink, uint16_t near_port, uint16_t far_port) {
    uint32_t user;
    if (ask(netlink, far_port, near_port) < 0) return 0;
    return hear(netlink, far_port, near_port, &user) == 0 || errno == ESTALE;
}

int container_peer_user(uint16_t near_port, uint16_t far_port, uint32_t *user) {
    int netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (netlink < 0) return -1;
    /* The kernel responds within the call; the timeout is for a kernel that does not. */
    struct timeval limit = {.tv_sec = 1};
    setsockopt(netlink, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    int result = ask(netlink, near_port, far_port);
    if (result == 0) result = hear(netlink, near_port, far_port, user);
    int reason = errno;
    if (result < 0 && reason == ENOENT && !knows(netlink, near_port, far_port)) reason = EOPNOTSUPP;
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
