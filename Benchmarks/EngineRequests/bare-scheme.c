// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Measures the minimum cost of a page's requests: a custom scheme whose handler only responds from memory. Opens the page
// of a file and prints the value of window.result.
//
//     bare-scheme PAGE.html

#include <gtk/gtk.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <webkit2/webkit2.h>

static char *page;
static gsize page_length;
static char small[100];

static void answer(WebKitURISchemeRequest *request, gpointer unused) {
    (void)unused;
    gboolean is_page = strcmp(webkit_uri_scheme_request_get_path(request), "/index.html") == 0;
    gsize length = is_page ? page_length : sizeof small;
    GInputStream *stream = g_memory_input_stream_new_from_data(is_page ? page : small, (gssize)length, NULL);
    WebKitURISchemeResponse *response = webkit_uri_scheme_response_new(stream, (gint64)length);
    webkit_uri_scheme_response_set_status(response, 200, NULL);
    webkit_uri_scheme_response_set_content_type(response, is_page ? "text/html" : "text/plain");
    webkit_uri_scheme_request_finish_with_response(request, response);
    g_object_unref(response);
    g_object_unref(stream);
}

static void evaluated(GObject *view, GAsyncResult *result, gpointer loop) {
    GError *error = NULL;
    JSCValue *value = webkit_web_view_call_async_javascript_function_finish(WEBKIT_WEB_VIEW(view), result, &error);
    if (value == NULL) {
        fprintf(stderr, "error: %s\n", error->message);
        exit(70);
    }
    char *json = jsc_value_to_json(value, 0);
    puts(json);
    g_free(json);
    g_main_loop_quit(loop);
}

static void load_changed(WebKitWebView *view, WebKitLoadEvent event, gpointer loop) {
    if (event != WEBKIT_LOAD_FINISHED) return;
    const char *script =
        "while (!window.result) await new Promise(done => setTimeout(done, 10)); return window.result";
    webkit_web_view_call_async_javascript_function(view, script, -1, NULL, NULL, NULL, NULL, evaluated, loop);
}

int main(int count, char **arguments) {
    GError *error = NULL;
    if (count != 2) {
        fputs("error: usage: bare-scheme PAGE.html\n", stderr);
        return 64;
    }
    if (!g_file_get_contents(arguments[1], &page, &page_length, &error)) {
        fprintf(stderr, "error: %s\n", error->message);
        return 66;
    }
    if (!gtk_init_check(NULL, NULL)) {
        fputs("error: no display\n", stderr);
        return 69;
    }
    memset(small, 'x', sizeof small);
    WebKitWebContext *context = webkit_web_context_new_ephemeral();
    webkit_web_context_register_uri_scheme(context, "bare", answer, NULL, NULL);
    webkit_security_manager_register_uri_scheme_as_secure(
        webkit_web_context_get_security_manager(context), "bare");
    GtkWidget *view = webkit_web_view_new_with_context(context);
    GtkWidget *window = gtk_offscreen_window_new();
    gtk_window_set_default_size(GTK_WINDOW(window), 1280, 800);
    gtk_container_add(GTK_CONTAINER(window), view);
    gtk_widget_show_all(window);
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    g_signal_connect(view, "load-changed", G_CALLBACK(load_changed), loop);
    webkit_web_view_load_uri(WEBKIT_WEB_VIEW(view), "bare://bench.example/index.html");
    g_main_loop_run(loop);
    return 0;
}
