// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

#include <gio/gio.h>
#include <string.h>

// A stream of bytes in memory whose asynchronous reads complete inside the call (docs/decisions/0039).
//
// With GLib's own streams, each read creates a task and waits for a turn of the main loop. The engine reads once for
// the bytes and once for their end, while the page waits. The engine's reader supports completion inside the call,
// because it keeps no state across the call.
//
// Only the first response in a turn completes inside the call. If several requests arrive at once, the page waits for
// all of them. If all responses completed inside their calls, each message of the engine would wake up the web process
// separately, and the two processes would compete for the processor.
//
// The stream has one reader, on the main thread.

typedef struct {
    GInputStream parent;
    GBytes *bytes;
    gsize position;
    // The byte count of the last read; -1 if the engine has cancelled the read, which then fails.
    gssize taken;
    // The number of nested reads in progress.
    int depth;
    // The callback of a read that waits for a turn of the main loop.
    GAsyncReadyCallback waiting;
    gpointer waiting_data;
    GCancellable *waiting_cancellable;
} ContainerKitReadyStream;

// The limit of nested reads, which bounds the stack depth and the time of a turn. Eight reads of the engine transfer 64
// KiB.
enum { containerkit_deepest_read = 8 };

static gssize containerkit_ready_stream_read(
    GInputStream *me, void *buffer, gsize count, GCancellable *cancellable, GError **error) {
    (void)cancellable;
    (void)error;
    ContainerKitReadyStream *stream = (ContainerKitReadyStream *)me;
    gsize length = 0;
    const char *bytes = (const char *)g_bytes_get_data(stream->bytes, &length);
    gsize taken = MIN(count, length - stream->position);
    if (taken > 0) memcpy(buffer, bytes + stream->position, taken);
    stream->position += taken;
    return (gssize)taken;
}

// Returns whether a response was already delivered in this turn of the main loop. All calls in one turn have the same
// source time.
static gboolean containerkit_ready_stream_is_later(void) {
    static gint64 last = -1;
    GSource *source = g_main_current_source();
    gint64 turn = source ? g_source_get_time(source) : g_get_monotonic_time();
    gboolean is_later = turn == last;
    last = turn;
    return is_later;
}

// Completes a read. The stream itself is the result object, so that no other object is created.
static void containerkit_ready_stream_call(ContainerKitReadyStream *stream, GAsyncReadyCallback callback, gpointer data) {
    // The reader may release the stream.
    g_object_ref(stream);
    stream->depth += 1;
    callback((GObject *)stream, (GAsyncResult *)stream, data);
    stream->depth -= 1;
    g_object_unref(stream);
}

static gboolean containerkit_ready_stream_turn(gpointer me) {
    ContainerKitReadyStream *stream = (ContainerKitReadyStream *)me;
    if (g_cancellable_is_cancelled(stream->waiting_cancellable)) stream->taken = -1;
    g_clear_object(&stream->waiting_cancellable);
    containerkit_ready_stream_call(stream, stream->waiting, stream->waiting_data);
    return G_SOURCE_REMOVE;
}

static void containerkit_ready_stream_read_async(
    GInputStream *me, void *buffer, gsize count, int priority, GCancellable *cancellable, GAsyncReadyCallback callback,
    gpointer data) {
    ContainerKitReadyStream *stream = (ContainerKitReadyStream *)me;
    stream->taken = g_cancellable_is_cancelled(cancellable)
        ? -1
        : containerkit_ready_stream_read(me, buffer, count, cancellable, NULL);
    if (stream->depth == 0 ? !containerkit_ready_stream_is_later() : stream->depth < containerkit_deepest_read) {
        return containerkit_ready_stream_call(stream, callback, data);
    }
    stream->waiting = callback;
    stream->waiting_data = data;
    g_set_object(&stream->waiting_cancellable, cancellable);
    GSource *idle = g_idle_source_new();
    g_source_set_priority(idle, priority);
    g_source_set_callback(idle, containerkit_ready_stream_turn, g_object_ref(stream), g_object_unref);
    g_source_attach(idle, g_main_context_get_thread_default());
    g_source_unref(idle);
}

static gssize containerkit_ready_stream_read_finish(GInputStream *me, GAsyncResult *result, GError **error) {
    (void)result;
    gssize taken = ((ContainerKitReadyStream *)me)->taken;
    if (taken < 0) g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "the request was dropped");
    return taken;
}

static gpointer containerkit_ready_stream_parent = NULL;

static void containerkit_ready_stream_finalize(GObject *me) {
    g_clear_object(&((ContainerKitReadyStream *)me)->waiting_cancellable);
    g_bytes_unref(((ContainerKitReadyStream *)me)->bytes);
    ((GObjectClass *)containerkit_ready_stream_parent)->finalize(me);
}

static void containerkit_ready_stream_class_init(gpointer type, gpointer data) {
    (void)data;
    containerkit_ready_stream_parent = g_type_class_peek_parent(type);
    ((GObjectClass *)type)->finalize = containerkit_ready_stream_finalize;
    ((GInputStreamClass *)type)->read_fn = containerkit_ready_stream_read;
    ((GInputStreamClass *)type)->read_async = containerkit_ready_stream_read_async;
    ((GInputStreamClass *)type)->read_finish = containerkit_ready_stream_read_finish;
}

// Creates a stream that retains the bytes. The caller owns the stream.
static inline GInputStream *containerkit_ready_stream_new(GBytes *bytes) {
    static GType type = 0;
    // Each module that includes this header has its own copy of these functions, but GLib has one type for all of them.
    if (type == 0) type = g_type_from_name("ContainerKitReadyStream");
    if (type == 0) {
        GTypeInfo info = {
            .class_size = sizeof(GInputStreamClass),
            .class_init = containerkit_ready_stream_class_init,
            .instance_size = sizeof(ContainerKitReadyStream),
        };
        GInterfaceInfo result = {0};
        type = g_type_register_static(G_TYPE_INPUT_STREAM, "ContainerKitReadyStream", &info, (GTypeFlags)0);
        g_type_add_interface_static(type, G_TYPE_ASYNC_RESULT, &result);
    }
    ContainerKitReadyStream *stream = (ContainerKitReadyStream *)g_object_new(type, NULL);
    stream->bytes = g_bytes_ref(bytes);
    return (GInputStream *)stream;
}
