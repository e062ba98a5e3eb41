// What gemm.c and zeros.c make their tiles with.
#pragma once
#include "gemm.h"

enum {
  WIDE = 8, VECTORS = WIDE / 4,  // columns of a panel
  SUMS = 5                       // pairs of vectors that are summed up at a time: with 2 of B and 1 of A what V8 has registers for
};

// The columns of one panel in some rows of Y, before the first product.
typedef struct {
  const float *a, *panel, *z;
  float *y;
  V start[VECTORS], lo, hi;
  int depth, columns;
} Tile;

// From row i, column j and product k on, with `depth` products.
INLINE void begin(Tile *at, const Product *p, int i, int j, int k, int depth) {
  float start[WIDE];
  const float *z = k ? p->y : p->z;  // sums of more products than are made at a time are put together in Y
  const int last = k + depth == p->K;
  at->columns = least(WIDE, p->N - j);
  at->depth = depth;
  for (int t = 0; t < WIDE; t++) start[t] = p->bias && !k && t < at->columns ? p->bias[j + t] : 0;
  for (int v = 0; v < VECTORS; v++) at->start[v] = wasm_v128_load(start + 4 * v);
  at->a = p->a + i * p->row_step + k * p->k_step;
  at->panel = p->panels + j * p->K + k * WIDE;
  at->z = z ? z + i * p->N + j : 0;
  at->y = p->y + i * p->N + j;
  at->lo = wasm_f32x4_splat(last ? p->lo : -__builtin_inff());
  at->hi = wasm_f32x4_splat(last ? p->hi : __builtin_inff());
}

// finish at the right edge of Y.
void finish_edge(const Tile *at, const V *sum, int row);

// One row of the tile, whose place in y and z is said: its sums, with what z has there added, go to y.
INLINE void finish(const Tile *at, const V *sum, int row) {
  if (at->columns == WIDE) {
    UNROLL for (int v = 0; v < VECTORS; v++) {
      V here = sum[v];
      if (at->z) here = wasm_f32x4_add(here, wasm_v128_load(at->z + row + 4 * v));
      wasm_v128_store(at->y + row + 4 * v, clamp(here, at->lo, at->hi));
    }
  } else {
    V copy[VECTORS];  // what has an address is no register
    UNROLL for (int v = 0; v < VECTORS; v++) copy[v] = sum[v];
    finish_edge(at, copy, row);
  }
}
