/* Comparing pictures as refrast does. Link with librefrast_compare (.so, .dylib, .dll), which
 * `cargo build --release -p refrast-compare` makes. use.c shows how.
 *
 * The memory is always the library's own, and what it holds belongs to the calling thread. */
#ifndef REFRAST_COMPARE_H
#define REFRAST_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum refrast_input_name {
  REFRAST_GOLDEN = 0,    /* a PNG file, or RGBA bytes where the options give "golden": [width, height] */
  REFRAST_CANDIDATE = 1, /* the same, with "candidate": [width, height] */
  REFRAST_ENVELOPE = 2,  /* the bytes of an .envelope file; it decides unless a metric is named */
  REFRAST_OPTIONS = 3    /* JSON: {"metric": "flip", "threshold": 0.05, "max_differing": 0, "ignore": [[x, y, w, h]]} */
};

enum refrast_output_name {
  REFRAST_ANSWER = 0,     /* JSON: {"verdict": "same" | "different" | "error", "text": "...", "measurement": {...}} */
  REFRAST_DIFFERENCES = 1 /* a PNG, or nothing where there are none */
};

/* Makes room for an input and tells where; NULL where there is no such input or no memory. Valid until the next call for it. */
uint8_t *refrast_input(uint32_t input, size_t length);

/* 0 the same, 1 different, 2 an error. The inputs are empty after it. */
int32_t refrast_compare(void);

/* Where an output is, and how long. Valid until the next comparison of this thread. */
const uint8_t *refrast_output(uint32_t output);
size_t refrast_output_length(uint32_t output);

#ifdef __cplusplus
}
#endif
#endif
