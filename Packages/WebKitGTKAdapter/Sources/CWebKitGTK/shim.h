// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

#include <gtk/gtk.h>
#include <gio/gunixinputstream.h>
#include <glib-unix.h>
#include <cairo.h>
#include <webkit2/webkit2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "body.h"

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
