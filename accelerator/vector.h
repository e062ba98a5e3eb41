// What all files share: the vector type, exports, and where the window of a convolution stands.
// Arrays are float32 without gaps unless said otherwise, images are (batch, height, width, channels), and pointers need no alignment.
#pragma once
#include <wasm_simd128.h>

#define EXPORT(name) __attribute__((export_name(#name))) void name
#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("clang loop unroll(full)")
#define IN_VECTORS _Pragma("clang loop vectorize(enable) interleave(disable)")  // a plain loop that the compiler writes with vectors

typedef v128_t V;  // four floats

// a b + c, rounded once where the processor can (relaxed SIMD), else twice.
INLINE V multiply_add(V a, V b, V c) {
#ifdef __wasm_relaxed_simd__
  return wasm_f32x4_relaxed_madd(a, b, c);
#else
  return wasm_f32x4_add(wasm_f32x4_mul(a, b), c);
#endif
}

// min(max(x, lo), hi); NaN stays NaN.
INLINE V clamp(V x, V lo, V hi) { return wasm_f32x4_pmin(wasm_f32x4_pmax(x, lo), hi); }

INLINE int least(int a, int b) { return a < b ? a : b; }
INLINE int most(int a, int b) { return a > b ? a : b; }

// Comes as 14 int32. x: the larger image; y: one pixel for each position of the window. Pads are zeros that are never stored.
typedef struct {
  int batch, height, width, channels;  // of x
  int rows, columns;                   // of y
  int kernel_rows, kernel_columns;
  int row_stride, column_stride, row_dilation, column_dilation;
  int top, left;  // pads
} Window;

typedef struct {
  int first, end;
} Range;

// The q of 0 <= q < count with 0 <= start + q step < size: taps of one position, or positions of one tap, that meet the picture.
INLINE Range inside(int start, int step, int size, int count) {
  int first = most(0, -start), end = most(0, size - start);
  if (step != 1) first = (first + step - 1) / step, end = (end + step - 1) / step;
  end = least(end, count);
  return (Range){least(first, end), end};
}
