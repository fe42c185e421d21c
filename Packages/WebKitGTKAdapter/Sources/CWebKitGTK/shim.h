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

// libdispatch's hooks for a foreign main loop: a descriptor that becomes readable when the main queue
// has work, and the call that does this work.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *message);

// Variadic in C, which Swift cannot call.
static inline int containerkit_is_main_thread(void) {
    return syscall(SYS_gettid) == getpid();
}

// Returns a descriptor that becomes readable when the process ends, or -1. glibc has it from 2.36 on.
static inline int containerkit_pidfd_open(pid_t process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

// A view with settings, scripts and handlers of its own. After a predecessor, whose context it has then, its page lives in
// the web process of that view's page, and shares nothing else with it; such a page is made at once, so that settings of
// how it is drawn come too late afterwards: the web process crashed when they did.
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

// Ends what a view leaves behind: the text view that it asks which keys edit what. WebKitGTK 2.50 makes it the view's
// child and never takes it away again, so that it stayed, 16 KB with each view, and pointed to a parent that was gone. The
// view holds it by a reference of its own, too, for as long as it lives.
static inline void containerkit_view_leave_nothing(WebKitWebView *view) {
    gtk_container_forall(GTK_CONTAINER(view), containerkit_unparent_text_view, NULL);
}

// Whether an answer is to be saved, and not shown (RFC 6266, section 4.2).
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
