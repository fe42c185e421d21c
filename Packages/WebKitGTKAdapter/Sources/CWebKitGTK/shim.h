// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

#include <gtk/gtk.h>
#include <gio/gunixinputstream.h>
#include <glib-unix.h>
#include <cairo.h>
#include <webkit2/webkit2.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// libdispatch's hooks for a foreign main loop: a descriptor that becomes readable when the main queue
// has work, and the call that does this work.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *message);

// Variadic in C, which Swift cannot call.
static inline int containerkit_is_main_thread(void) {
    return syscall(SYS_gettid) == getpid();
}

static inline WebKitWebsiteDataManager *containerkit_data_manager_new(const char *data, const char *cache) {
    return webkit_website_data_manager_new("base-data-directory", data, "base-cache-directory", cache, NULL);
}

static inline void containerkit_end_copy(int signal) {
    (void)signal;
    _exit(1);
}

// Whether the process survives asking for the body of a request, found out by a copy of the process. The engine takes a
// null pointer where the body holds a Blob, in each process but the page's. The copy may hang, where another thread held
// one of the engine's locks as it was made: then it ends by the alarm, and another one is asked.
static inline int containerkit_can_give_body(WebKitURISchemeRequest *request) {
    static const int ends[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE};
    for (int attempt = 0; attempt < 3; attempt++) {
        pid_t copy = fork();
        if (copy < 0) return 0;
        if (copy == 0) {
            struct rlimit none = {0, 0};
            setrlimit(RLIMIT_CORE, &none);
            for (unsigned long index = 0; index < sizeof(ends) / sizeof(*ends); index++) {
                signal(ends[index], containerkit_end_copy);
            }
            sigset_t all;
            sigfillset(&all);
            sigprocmask(SIG_UNBLOCK, &all, NULL);
            signal(SIGALRM, SIG_DFL);
            alarm(1);
            webkit_uri_scheme_request_get_http_body(request);
            _exit(0);
        }
        int status = 0;
        while (waitpid(copy, &status, 0) < 0) {
            if (errno != EINTR) return 0;
        }
        if (WIFEXITED(status)) return WEXITSTATUS(status) == 0;
    }
    return 0;
}
