// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

#include <nettle/md5.h>
#include <nettle/sha2.h>
#include <nettle/version.h>

// Swift does not import the names that nettle's headers define as macros. The functions below also hide that nettle 4
// has no length among the arguments of the functions that write a digest.
#if NETTLE_VERSION_MAJOR >= 4
#define CNETTLE_WRITE(algorithm, size) algorithm##_digest(context, digest)
#else
#define CNETTLE_WRITE(algorithm, size) algorithm##_digest(context, size, digest)
#endif

/// Writes the 16 bytes of an MD5 digest, and resets the context.
static inline void cnettle_md5_write(struct md5_ctx *context, uint8_t *digest) {
    CNETTLE_WRITE(md5, MD5_DIGEST_SIZE);
}

/// Writes the 32 bytes of a SHA-256 digest, and resets the context.
static inline void cnettle_sha256_write(struct sha256_ctx *context, uint8_t *digest) {
    CNETTLE_WRITE(sha256, SHA256_DIGEST_SIZE);
}

/// Writes the 48 bytes of a SHA-384 digest, and resets the context.
static inline void cnettle_sha384_write(struct sha512_ctx *context, uint8_t *digest) {
    CNETTLE_WRITE(sha384, SHA384_DIGEST_SIZE);
}

/// Writes the 64 bytes of a SHA-512 digest, and resets the context.
static inline void cnettle_sha512_write(struct sha512_ctx *context, uint8_t *digest) {
    CNETTLE_WRITE(sha512, SHA512_DIGEST_SIZE);
}
