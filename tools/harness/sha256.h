/* SHA-256 (FIPS 180-4) of bytes: what manifests name files by, as other tools can check without this library. */
#pragma once

#include <stddef.h>

enum { SHA256_TEXT = 65 }; /* 64 hexadecimal digits and the closing zero */

/* The digest of `size` bytes as lower-case hexadecimal text. */
void sha256_text(const void *bytes, size_t size, char text[SHA256_TEXT]);
