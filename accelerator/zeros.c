// Products with an A that has many zeros, as Relu leaves behind: its other numbers are listed, and each meets a row of several panels.
#include "tile.h"

enum {
  ROWS = 32, DEPTH = 128,  // of A at a time: as a list 33 KB at most; 5 panels of this depth are 20 KB, so that both are near
  SAMPLES = 500            // numbers of A that are looked at to find out
};

// A number of A, and where the row of a panel that it meets begins.
typedef struct {
  float value;
  int row;
} Entry;

// Whether B is finite: 0 times anything else is NaN, and must not be left out.
static int is_finite(const Product *p) {
  const float *b = p->panels, *end = b + (p->N + WIDE - 1) / WIDE * WIDE * p->K;
  V sum[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) sum[v] = wasm_f32x4_splat(0);
  for (; b != end; b += WIDE)
    UNROLL for (int v = 0; v < VECTORS; v++) sum[v] = wasm_f32x4_add(sum[v], wasm_f32x4_mul(wasm_v128_load(b + 4 * v), wasm_f32x4_splat(0)));
  for (int v = 1; v < VECTORS; v++) sum[0] = wasm_f32x4_add(sum[0], sum[v]);
  return wasm_i32x4_all_true(wasm_f32x4_eq(sum[0], sum[0]));
}

int has_many_zeros(const Product *p) {
  if (p->N < 2 * SUMS * WIDE) return 0;  // what is saved is little beside the list
  const int count = p->M * p->K, step = count / SAMPLES | 1;  // odd, to meet all columns of most A
  int met = 0, zeros = 0;
  for (int at = 0; at < count; at += step, met++) zeros += p->a[at] == 0;
  return zeros * 5 > met * 2 && is_finite(p);  // a number that is met alone takes about 1.5 times as long
}

// Lists what is not 0 in `rows` rows; writes one entry more than it counts.
static void list(const Product *p, const float *a, int rows, int depth, Entry (*entries)[DEPTH + 1], int *counts) {
  for (int r = 0; r < rows; r++, a += p->row_step) {
    const float *from = a;
    int count = 0;
    for (int k = 0; k < depth; k++, from += p->k_step) {
      entries[r][count] = (Entry){*from, k * WIDE};
      count += *from != 0;
    }
    counts[r] = count;
  }
}

// Row r of the tiles. `panels`, how many they are, is known when this is compiled.
INLINE void line(const int panels, const Product *p, const Tile *at, int r, const Entry *entry, int count) {
  V sum[SUMS][VECTORS];
  const Entry *end = entry + count;
  const int next = p->K * WIDE;
  UNROLL for (int q = 0; q < panels; q++) UNROLL for (int v = 0; v < VECTORS; v++) sum[q][v] = at[q].start[v];
#pragma clang loop unroll(disable)
  for (; entry != end; entry++) {
    V left = wasm_v128_load32_splat(&entry->value);
    const float *b = at->panel + entry->row;
    UNROLL for (int q = 0; q < panels; q++, b += next)
      UNROLL for (int v = 0; v < VECTORS; v++) sum[q][v] = multiply_add(left, wasm_v128_load(b + 4 * v), sum[q][v]);
  }
  UNROLL for (int q = 0; q < panels; q++) finish(at + q, sum[q], r * p->N);
}

void multiply_others(const Product *p) {
  Entry entries[ROWS][DEPTH + 1];
  int counts[ROWS];
  Tile at[SUMS];
  for (int i = 0; i < p->M; i += ROWS)
    for (int k = 0; k < p->K; k += DEPTH) {
      const int rows = least(ROWS, p->M - i), depth = least(DEPTH, p->K - k);
      list(p, p->a + i * p->row_step + k * p->k_step, rows, depth, entries, counts);
      for (int j = 0; j < p->N; j += SUMS * WIDE) {
        const int panels = least(SUMS, (p->N - j + WIDE - 1) / WIDE);
        for (int q = 0; q < panels; q++) begin(at + q, p, i, j + q * WIDE, k, depth);
        for (int r = 0; r < rows; r++) {
          if (panels == 5) line(5, p, at, r, entries[r], counts[r]);
          if (panels == 4) line(4, p, at, r, entries[r], counts[r]);
          if (panels == 3) line(3, p, at, r, entries[r], counts[r]);
          if (panels == 2) line(2, p, at, r, entries[r], counts[r]);
          if (panels == 1) line(1, p, at, r, entries[r], counts[r]);
        }
      }
    }
}
