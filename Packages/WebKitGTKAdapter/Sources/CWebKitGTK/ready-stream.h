// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

#include <gio/gio.h>
#include <string.h>

// A stream of bytes that lie in memory, and are there as soon as the engine asks for them. Of GLib's own each read makes a
// task and waits for a turn of the main loop, and the engine reads once for the bytes and once more for their end, while
// the page waits. So this one calls back from inside of the call (docs/decisions/0039). The engine's reader bears that: it
// keeps no state across its call, and an error that a scheme's handler tells ends a request in the same place.
//
// Only the first answer of a turn comes so. Where more requests have come at once the page waits for all of them: then
// what the engine sends of each would wake up the page's process each time, and the two would get in each other's way.
//
// To be read on the main thread, by one reader.

typedef struct {
    GInputStream parent;
    GBytes *bytes;
    gsize position;
    // What the last read has taken; -1 where it was cancelled: the engine hears of a request that it dropped by that alone.
    gssize taken;
    // How many reads are under way, each inside of the one before.
    int depth;
    // Of a read that waits for a turn of the loop.
    GAsyncReadyCallback waiting;
    gpointer waiting_data;
    GCancellable *waiting_cancellable;
} ContainerKitReadyStream;

// The stack is as deep as the reads, and the loop has other work: eight of the engine's reads are 64 KiB.
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

// Whether an answer was given in this turn of the loop already. All that is called in one turn has its time.
static gboolean containerkit_ready_stream_is_later(void) {
    static gint64 last = -1;
    GSource *source = g_main_current_source();
    gint64 turn = source ? g_source_get_time(source) : g_get_monotonic_time();
    gboolean is_later = turn == last;
    last = turn;
    return is_later;
}

// The stream stands for the result as well: it says the same of it, and one object less is made.
static void containerkit_ready_stream_call(ContainerKitReadyStream *stream, GAsyncReadyCallback callback, gpointer data) {
    // The reader may let go of it.
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

// Owned by the caller. The bytes are kept.
static inline GInputStream *containerkit_ready_stream_new(GBytes *bytes) {
    static GType type = 0;
    // Each module that includes this has its own of these, and GLib one type for all.
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
