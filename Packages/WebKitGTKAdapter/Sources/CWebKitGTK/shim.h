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
#include "ready-stream.h"

// The hooks of libdispatch for a foreign main loop: a descriptor that is readable when the main queue has work, and the
// function that performs this work.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *message);

// `syscall` is variadic, so Swift cannot call it.
static inline int containerkit_is_main_thread(void) {
    return syscall(SYS_gettid) == getpid();
}

// Returns a descriptor that becomes readable when the process ends, or -1. glibc provides this function since version
// 2.36.
static inline int containerkit_pidfd_open(pid_t process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

// Creates a view with its own settings, scripts and handlers. A view with a predecessor shares only the predecessor's
// context and web process. The engine creates the page of this view immediately, so the acceleration policy must be set
// before. Measured: the web process crashed if the policy was set afterwards.
static inline GtkWidget *containerkit_view_new(
    WebKitWebContext *context, WebKitWebView *predecessor, WebKitHardwareAccelerationPolicy policy) {
    WebKitUserContentManager *manager = webkit_user_content_manager_new();
    WebKitSettings *settings = webkit_settings_new();
    webkit_settings_set_hardware_acceleration_policy(settings, policy);
    gpointer view = predecessor
        ? g_object_new(WEBKIT_TYPE_WEB_VIEW, "related-view", predecessor, "user-content-manager", manager,
              "settings", settings, NULL)
        : g_object_new(WEBKIT_TYPE_WEB_VIEW, "web-context", context, "user-content-manager", manager,
              "settings", settings, NULL);
    g_object_unref(settings);
    g_object_unref(manager);
    return GTK_WIDGET(view);
}

static inline void containerkit_unparent_text_view(GtkWidget *child, gpointer nothing) {
    (void)nothing;
    if (GTK_IS_TEXT_VIEW(child)) gtk_widget_unparent(child);
}

// Removes the text view that a web view uses to look up its key bindings. WebKitGTK 2.50 makes the text view a child of
// the web view and never removes it. Measured without this call: each web view leaks 16 KB, and the text view retains a
// dangling pointer to its parent. The web view has its own reference to the text view.
static inline void containerkit_view_leave_nothing(WebKitWebView *view) {
    gtk_container_forall(GTK_CONTAINER(view), containerkit_unparent_text_view, NULL);
}

// Returns whether a response is to be saved instead of shown (RFC 6266, section 4.2).
static inline int containerkit_is_attachment(WebKitURIResponse *response) {
    SoupMessageHeaders *headers = response ? webkit_uri_response_get_http_headers(response) : NULL;
    char *disposition = NULL;
    if (!headers || !soup_message_headers_get_content_disposition(headers, &disposition, NULL)) return 0;
    int is = disposition && g_ascii_strcasecmp(disposition, "attachment") == 0;
    g_free(disposition);
    return is;
}

static inline int containerkit_is_encoded(WebKitURIResponse *response) {
    SoupMessageHeaders *headers = response ? webkit_uri_response_get_http_headers(response) : NULL;
    return headers && soup_message_headers_get_one(headers, "Content-Encoding") != NULL;
}

static inline WebKitWebsiteDataManager *containerkit_data_manager_new(const char *data, const char *cache) {
    return webkit_website_data_manager_new("base-data-directory", data, "base-cache-directory", cache, NULL);
}
