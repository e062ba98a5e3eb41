// Matrix products. B is packed once into panels of 8 columns, (ceil(N / 8), K, 8), padded with zeros; A is read as it lies.
#include "tile.h"

enum {
  TALL = SUMS,       // rows of a tile
  DEEP = 768,        // rows of a panel at a time: 24 KB, most of a level 1 cache
  AROUND = 1 << 16   // floats of A and Y at a time: 256 KB, a part of a level 2 cache
};

// One panel of B[k, t] = b[k k_step + t t_step], the 8 columns whose first is at b or, at the edge, fewer.
INLINE float *pack_panel(const float *b, float *panel, int K, int k_step, int t_step, int columns) {
  for (int k = 0; k < K; k++, b += k_step, panel += WIDE)
    for (int t = 0; t < WIDE; t++) panel[t] = t < columns ? b[t * t_step] : 0;
  return panel;
}

void pack(const float *b, float *panels, int K, int N) {
  for (int j = 0; j < N; j += WIDE, b += WIDE) {
    if (N - j < WIDE) panels = pack_panel(b, panels, K, N, 1, N - j);
    else for (int k = 0; k < K; k++)
      for (int v = 0; v < VECTORS; v++, panels += 4) wasm_v128_store(panels, wasm_v128_load(b + k * N + 4 * v));
  }
}

// Of B (K, N).
EXPORT(pack_columns)(const float *b, float *panels, int K, int N) { pack(b, panels, K, N); }

// Four rows of b as columns of the panel, four k at a time.
INLINE void turn_four(const float *b, float *panel, int row) {
  V r[4], lower, upper;
  UNROLL for (int t = 0; t < 4; t++) r[t] = wasm_v128_load(b + t * row);
  UNROLL for (int half = 0; half < 2; half++) {
    lower = half ? wasm_i32x4_shuffle(r[0], r[1], 2, 6, 3, 7) : wasm_i32x4_shuffle(r[0], r[1], 0, 4, 1, 5);
    upper = half ? wasm_i32x4_shuffle(r[2], r[3], 2, 6, 3, 7) : wasm_i32x4_shuffle(r[2], r[3], 0, 4, 1, 5);
    wasm_v128_store(panel + (2 * half) * WIDE, wasm_i64x2_shuffle(lower, upper, 0, 2));
    wasm_v128_store(panel + (2 * half + 1) * WIDE, wasm_i64x2_shuffle(lower, upper, 1, 3));
  }
}

// Of the transpose of B, (N, K).
EXPORT(pack_rows)(const float *b, float *panels, int K, int N) {
  for (int j = 0; j < N; j += WIDE, b += WIDE * K) {
    int k = 0;
    if (N - j >= WIDE)
      for (; k + 4 <= K; k += 4, panels += 4 * WIDE)
        for (int v = 0; v < VECTORS; v++) turn_four(b + 4 * v * K + k, panels + 4 * v, K);
    panels = pack_panel(b + k, panels, K - k, 1, K, N - j);
  }
}

void finish_edge(const Tile *at, const V *sum, int row) {
  float edge[WIDE];
  UNROLL for (int v = 0; v < VECTORS; v++) wasm_v128_store(edge + 4 * v, sum[v]);
  if (at->z) for (int t = 0; t < at->columns; t++) edge[t] += at->z[row + t];
  UNROLL for (int v = 0; v < VECTORS; v++) wasm_v128_store(edge + 4 * v, clamp(wasm_v128_load(edge + 4 * v), at->lo, at->hi));
  for (int t = 0; t < at->columns; t++) at->y[row + t] = edge[t];
}

// rows by 8 of Y, less at its right edge. rows is known when this is compiled.
INLINE void tile(const int rows, const Product *p, const Tile *at) {
  V sum[TALL][VECTORS];
  UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < VECTORS; v++) sum[r][v] = at->start[v];
  const float *a = at->a, *b = at->panel, *end = b + at->depth * WIDE;
  const int row_step = p->row_step, k_step = p->k_step;
#pragma clang loop unroll(disable)
  for (; b != end; b += WIDE, a += k_step) {
    V right[VECTORS];
    UNROLL for (int v = 0; v < VECTORS; v++) right[v] = wasm_v128_load(b + 4 * v);
    UNROLL for (int r = 0; r < rows; r++) {
      V left = wasm_v128_load32_splat(a + r * row_step);
      UNROLL for (int v = 0; v < VECTORS; v++) sum[r][v] = multiply_add(left, right[v], sum[r][v]);
    }
  }
  UNROLL for (int r = 0; r < rows; r++) finish(at, sum[r], r * p->N);
}

// `rows` rows of one panel's columns, from row i, column j and product k on.
static void strip(const Product *p, int i, int j, int k, int rows) {
  Tile at;
  begin(&at, p, i, j, k, least(DEEP, p->K - k));
  for (; rows >= TALL; rows -= TALL) {
    tile(TALL, p, &at);
    at.a += TALL * p->row_step;
    at.y += TALL * p->N;
    if (at.z) at.z += TALL * p->N;
  }
  if (rows == 4) tile(4, p, &at);
  if (rows == 3) tile(3, p, &at);
  if (rows == 2) tile(2, p, &at);
  if (rows == 1) tile(1, p, &at);
}

void multiply(const Product *p) {
  if (has_many_zeros(p)) return multiply_others(p);
  const int block = most(1, AROUND / (p->K + p->N + 1) / TALL) * TALL;
  for (int i = 0; i < p->M; i += block) {
    int k = 0;
    do {
      for (int j = 0; j < p->N; j += WIDE) strip(p, i, j, k, least(block, p->M - i));
      k += DEEP;
    } while (k < p->K);
  }
}

// A (M, K).
EXPORT(gemm)(const float *a, const float *panels, const float *bias, const float *z, float *y, int M, int K, int N, float lo, float hi) {
  multiply(&(Product){a, panels, bias, z, y, K, 1, M, K, N, lo, hi});
}

// A (K, M): the product of its transpose.
EXPORT(gemm_turned)(const float *a, const float *panels, const float *bias, const float *z, float *y, int M, int K, int N, float lo, float hi) {
  multiply(&(Product){a, panels, bias, z, y, 1, M, M, K, N, lo, hi});
}
