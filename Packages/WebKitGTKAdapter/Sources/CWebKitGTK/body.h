// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

#include <webkit2/webkit2.h>
#include <errno.h>
#include <glib-unix.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// WebKitGTK dereferences a null pointer if a process other than the web process reads a body with a Blob. Therefore a
// copy of this process reads the body first. The copy may end at any time and with any lock held, because its memory
// and locks are its own (docs/decisions/0048). A copy that inherits a locked lock from another thread can wait for the
// lock forever. Therefore each copy is killed after a time limit.

// The end of a copied process.
enum containerkit_copy_end {
    // The call returned.
    CONTAINERKIT_COPY_RETURNED,
    // The call terminated the process.
    CONTAINERKIT_COPY_ENDED,
    // The call did not return within the limit.
    CONTAINERKIT_COPY_TIMED_OUT,
    // No process could be created.
    CONTAINERKIT_COPY_MISSING,
};

static inline void containerkit_end_copy(int signal) {
    (void)signal;
    _exit(1);
}

// Runs in the copy and does not return.
static inline void containerkit_run_copy(void (*call)(void *), void *argument, int result) {
    static const int ends[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE};
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    sigset_t blocked;
    sigfillset(&blocked);
    sigdelset(&blocked, SIGALRM);
    for (unsigned long index = 0; index < sizeof(ends) / sizeof(*ends); index++) {
        signal(ends[index], containerkit_end_copy);
        sigdelset(&blocked, ends[index]);
    }
    // All signals but SIGALRM are blocked, because the app's handlers write to descriptors that the copy shares.
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    // Terminates the copy if this process ends first.
    signal(SIGALRM, SIG_DFL);
    alarm(5);
    call(argument);
    while (write(result, "", 1) < 0 && errno == EINTR) {}
    _exit(0);
}

// Waits at most `limit` milliseconds for the byte that a copy writes at its end.
static inline enum containerkit_copy_end containerkit_result_of_copy(int result, int limit) {
    gint64 end = g_get_monotonic_time() + (gint64)limit * 1000;
    for (;;) {
        gint64 left = MAX(0, end - g_get_monotonic_time());
        struct pollfd waiting = {result, POLLIN, 0};
        int count = poll(&waiting, 1, (int)((left + 999) / 1000));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return CONTAINERKIT_COPY_TIMED_OUT;
        char byte;
        ssize_t length = read(result, &byte, 1);
        if (length < 0 && errno == EINTR) continue;
        return length == 1 ? CONTAINERKIT_COPY_RETURNED : CONTAINERKIT_COPY_ENDED;
    }
}

// Makes a call in a copy of this process. The copy has ended when this function returns.
static inline enum containerkit_copy_end containerkit_call_in_copy(void (*call)(void *), void *argument, int limit) {
    int ends[2];
    if (!g_unix_open_pipe(ends, FD_CLOEXEC, NULL)) return CONTAINERKIT_COPY_MISSING;
    pid_t copy = fork();
    if (copy == 0) containerkit_run_copy(call, argument, ends[1]);
    close(ends[1]);
    enum containerkit_copy_end end = CONTAINERKIT_COPY_MISSING;
    if (copy > 0) {
        end = containerkit_result_of_copy(ends[0], limit);
        kill(copy, SIGKILL);
        while (waitpid(copy, NULL, 0) < 0 && errno == EINTR) {}
    }
    close(ends[0]);
    return end;
}

// Makes a call in a copy of this process. If the call does not return, another copy with a longer limit makes the call,
// because that copy may not inherit the same locks. The main thread waits for at most 1.75 seconds.
static inline enum containerkit_copy_end containerkit_call_in_copies(void (*call)(void *), void *argument) {
    static const int limits[] = {250, 500, 1000};
    enum containerkit_copy_end end = CONTAINERKIT_COPY_MISSING;
    for (unsigned long index = 0; index < sizeof(limits) / sizeof(*limits); index++) {
        end = containerkit_call_in_copy(call, argument, limits[index]);
        if (end == CONTAINERKIT_COPY_RETURNED || end == CONTAINERKIT_COPY_ENDED) break;
    }
    return end;
}

static inline void containerkit_ask_for_body(void *request) {
    webkit_uri_scheme_request_get_http_body((WebKitURISchemeRequest *)request);
}

// Returns the body of a request, which the caller releases; null if there is no body, or if `end` is not
// `CONTAINERKIT_COPY_RETURNED`. Call it on the main thread only.
static inline GInputStream *containerkit_body(WebKitURISchemeRequest *request, enum containerkit_copy_end *end) {
    *end = containerkit_call_in_copies(containerkit_ask_for_body, request);
    return *end == CONTAINERKIT_COPY_RETURNED ? webkit_uri_scheme_request_get_http_body(request) : NULL;
}
