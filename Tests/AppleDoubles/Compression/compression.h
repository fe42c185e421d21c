// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// compression/compression_stream
typedef struct {
    uint8_t *dst_ptr;
    size_t dst_size;
    const uint8_t *src_ptr;
    size_t src_size;
    void *_Nullable state;
} compression_stream;

// compression/compression_stream_operation
typedef enum {
    COMPRESSION_STREAM_ENCODE = 0,
    COMPRESSION_STREAM_DECODE = 1,
} compression_stream_operation;

// compression/compression_algorithm
typedef enum {
    COMPRESSION_BROTLI = 0xB02,
} compression_algorithm;

// compression/compression_status
typedef enum {
    COMPRESSION_STATUS_OK = 0,
    COMPRESSION_STATUS_ERROR = -1,
    COMPRESSION_STATUS_END = 1,
} compression_status;

// compression/compression_stream_init(_:_:_:)
compression_status compression_stream_init(
    compression_stream *stream, compression_stream_operation operation, compression_algorithm algorithm);

// compression/compression_stream_process(_:_:)
compression_status compression_stream_process(compression_stream *stream, int flags);

// compression/compression_stream_destroy(_:)
compression_status compression_stream_destroy(compression_stream *stream);

#pragma clang assume_nonnull end
