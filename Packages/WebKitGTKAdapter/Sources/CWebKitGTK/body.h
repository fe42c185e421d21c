// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

#include <webkit2/webkit2.h>
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// The engine ends the process that asks for a body with a Blob in it: it takes a null pointer, in each process but the
// page's. So a child asks first. It shares this process's memory (as those of posix_spawn do), which costs a hundredth of
// what a copy does, and makes the answer usable here. What the engine held as the child ended is lost to this process:
// the pieces of that one body. A page that does this on purpose must not use up the memory, so after a few such ends the
// child is a copy.

// Only declared for programs that ask for everything of GNU, which a header comes too late for.
int clone(int (*work)(void *), void *stack, int flags, void *argument, ...);

struct containerkit_body_question {
    WebKitURISchemeRequest *request;
    // Written by a child that shares the memory.
    GInputStream *volatile stream;
};

static inline void containerkit_end_child(int signal) {
    (void)signal;
    _exit(1);
}

static inline int containerkit_ask_for_body(void *question) {
    static const int ends[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE};
    struct containerkit_body_question *asked = (struct containerkit_body_question *)question;
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    // The child's alone: it shares memory, and no handlers.
    sigset_t blocked;
    sigfillset(&blocked);
    sigdelset(&blocked, SIGALRM);
    for (unsigned long index = 0; index < sizeof(ends) / sizeof(*ends); index++) {
        signal(ends[index], containerkit_end_child);
        sigdelset(&blocked, ends[index]);
    }
    // None of the app's own handlers runs in the child, whose memory is the app's.
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    asked->stream = webkit_uri_scheme_request_get_http_body(asked->request);
    _exit(0);
}

// The end of a child: 0 where it had its answer, 1 where that ended it, -1 where it had none in time.
static inline int containerkit_end_of(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The body of a request, to be released by the caller, or null where it has none. `is_lost` tells of one that the engine
// cannot give. On the main thread only.
static inline GInputStream *containerkit_body(WebKitURISchemeRequest *request, int *is_lost) {
    enum { stack_size = 1 << 20, most_ends = 4 };
    static char *stack = NULL;
    static int ends = 0;
    *is_lost = 0;
    struct containerkit_body_question question = {request, NULL};
    if (!stack) {
        void *memory = mmap(
            NULL, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
        if (memory != MAP_FAILED) stack = (char *)memory;
    }
    if (stack && ends < most_ends) {
        // Not by vfork, which optimisers have to know of.
        pid_t child = clone(
            containerkit_ask_for_body, stack + stack_size, CLONE_VM | CLONE_VFORK | SIGCHLD, &question);
        if (child > 0 && containerkit_end_of(child) == 0) return question.stream;
        if (child > 0) ends += 1;
        *is_lost = 1;
        return NULL;
    }
    for (int attempt = 0; attempt < 3; attempt++) {
        pid_t copy = fork();
        if (copy < 0) break;
        if (copy == 0) {
            // It may wait for ever, where another thread held one of the engine's locks as the copy was made. A child that
            // shares the memory never does, and could be ended while it holds one.
            signal(SIGALRM, SIG_DFL);
            alarm(1);
            containerkit_ask_for_body(&question);
        }
        int end = containerkit_end_of(copy);
        if (end == 0) return webkit_uri_scheme_request_get_http_body(request);
        if (end > 0) break;
    }
    *is_lost = 1;
    return NULL;
}
