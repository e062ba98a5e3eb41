// Depthwise convolution, one filter (kernel_rows, kernel_columns) for each channel; filters lie channels last: (taps, channels).
#include "vector.h"

// Pixels of one row that are made together: they share the taps, and most pixels of x. 224, 112, 56, 28, 14 are multiples.
enum { ABREAST = 7 };

// Keeps the compiler from holding all multiples of the line's length in registers, of which there are too few.
#define OPAQUE(pointer) __asm__("" : "+r"(pointer))

typedef struct {
  const Window *w;
  const float *x, *filters, *bias;  // x: of this picture
  V lo, hi;
} Depthwise;

// Any window, anywhere: one pixel of y at (row, column), whose channels from c on begin at y; four of them, or one.
INLINE void pixel_channels(const Depthwise *d, int c, int lanes, Range rows, Range columns, int row, int column, float *y) {
  const Window *w = d->w;
  V sum = !d->bias ? wasm_f32x4_splat(0) : lanes == 4 ? wasm_v128_load(d->bias + c) : wasm_v128_load32_splat(d->bias + c);
  for (int i = rows.first; i < rows.end; i++) {
    const float *x = d->x + ((row + i * w->row_dilation) * w->width + column) * w->channels + c;
    const float *f = d->filters + i * w->kernel_columns * w->channels + c;
    for (int j = columns.first; j < columns.end; j++) {
      const float *tap = f + j * w->channels, *at = x + j * w->column_dilation * w->channels;
      sum = lanes == 4 ? multiply_add(wasm_v128_load(at), wasm_v128_load(tap), sum)
                       : multiply_add(wasm_v128_load32_splat(at), wasm_v128_load32_splat(tap), sum);
    }
  }
  sum = clamp(sum, d->lo, d->hi);
  if (lanes == 4) wasm_v128_store(y + c, sum);
  else wasm_v128_store32_lane(y + c, sum, 0);
}

static void pixel(const Depthwise *d, Range rows, int row, int column, float *y) {
  const Window *w = d->w;
  const Range columns = inside(column, w->column_dilation, w->width, w->kernel_columns);
  int c = 0;
  for (; c + 4 <= w->channels; c += 4) pixel_channels(d, c, 4, rows, columns, row, column, y);
  for (; c < w->channels; c++) pixel_channels(d, c, 1, rows, columns, row, column, y);
}

// Up to ABREAST pixels from `column` on, of which `count` are stored; taps and stride are known when this is compiled. `met` says which of
// the columns that the windows cover are inside the picture; with `whole` that is all of them.
INLINE void abreast(const int taps, const int stride, const int whole, const Depthwise *d, Range rows, int row, int column, Range met, int count, float *y) {
  const int channels = d->w->channels, line = d->w->width * channels;
  for (int c = 0; c < channels; c += 4) {
    if (c + 4 > channels) c = channels - 4;  // the last vector begins earlier and makes some channels twice
    V sum[ABREAST];
    UNROLL for (int p = 0; p < ABREAST; p++) sum[p] = d->bias ? wasm_v128_load(d->bias + c) : wasm_f32x4_splat(0);
    const float *x = d->x + (row + rows.first) * line + column * channels + c, *f = d->filters + rows.first * taps * channels + c;
    for (int i = rows.first; i < rows.end; i++, x += line) {
      V tap[5];
      UNROLL for (int j = 0; j < taps; j++, f += channels) tap[j] = wasm_v128_load(f);
      const float *from = x;
      UNROLL for (int at = 0; at < (ABREAST - 1) * stride + taps; at++, from += channels) {
        OPAQUE(from);
        if (!whole && (at < met.first || at >= met.end)) continue;
        V pixels = wasm_v128_load(from);
        UNROLL for (int p = 0; p < ABREAST; p++)
          if (at >= p * stride && at < p * stride + taps) sum[p] = multiply_add(pixels, tap[at - p * stride], sum[p]);
      }
    }
    UNROLL for (int p = 0; p < ABREAST; p++)
      if (whole || p < count) wasm_v128_store(y + p * channels + c, clamp(sum[p], d->lo, d->hi));
  }
}

// One row of y: ABREAST pixels at a time where the window is 3 or 5 wide, else one.
INLINE void row_of(const int taps, const int stride, const Depthwise *d, Range rows, int row, float *y) {
  const Window *w = d->w;
  const int covered = (ABREAST - 1) * stride + taps;
  for (int p = 0; p < w->columns; p += ABREAST, y += ABREAST * w->channels) {
    const int column = p * w->column_stride - w->left, count = w->columns - p;
    const Range met = inside(column, 1, w->width, covered);
    if (!taps) for (int q = 0; q < least(ABREAST, count); q++) pixel(d, rows, row, column + q * w->column_stride, y + q * w->channels);
    else if (count >= ABREAST && met.first == 0 && met.end == covered) abreast(taps, stride, 1, d, rows, row, column, met, count, y);
    else abreast(taps, stride, 0, d, rows, row, column, met, count, y);
  }
}

static int kind_of(const Window *w) {
  const int square = w->kernel_columns, stride = w->column_stride;
  const int fits = w->channels >= 4 && w->column_dilation == 1 && w->row_dilation == 1 && (square == 3 || square == 5) && (stride == 1 || stride == 2);
  return fits ? 10 * square + stride : 0;
}

// y = clamp(x * filters + bias, lo, hi). bias: may be null.
EXPORT(depthwise)(const float *x, const float *filters, const float *bias, float *y, const Window *w, float lo, float hi) {
  Depthwise d = {w, x, filters, bias, wasm_f32x4_splat(lo), wasm_f32x4_splat(hi)};
  const int kind = kind_of(w);
  for (int n = 0; n < w->batch; n++, d.x += w->height * w->width * w->channels)
    for (int r = 0; r < w->rows; r++, y += w->columns * w->channels) {
      const int row = r * w->row_stride - w->top;
      const Range rows = inside(row, w->row_dilation, w->height, w->kernel_rows);
      if (kind == 31) row_of(3, 1, &d, rows, row, y);
      else if (kind == 32) row_of(3, 2, &d, rows, row, y);
      else if (kind == 51) row_of(5, 1, &d, rows, row, y);
      else if (kind == 52) row_of(5, 2, &d, rows, row, y);
      else row_of(0, 0, &d, rows, row, y);
    }
}

// dx += what y's pixels give back through the filters; dx is zero before.
EXPORT(depthwise_input_gradient)(const float *dy, const float *filters, float *dx, const Window *w) {
  const int channels = w->channels;
  for (int n = 0; n < w->batch; n++, dx += w->height * w->width * channels)
    for (int r = 0; r < w->rows; r++)
      for (int p = 0; p < w->columns; p++, dy += channels)
        for (int i = 0; i < w->kernel_rows; i++)
          for (int j = 0; j < w->kernel_columns; j++) {
            const int row = r * w->row_stride - w->top + i * w->row_dilation, column = p * w->column_stride - w->left + j * w->column_dilation;
            if (row < 0 || row >= w->height || column < 0 || column >= w->width) continue;
            float *to = dx + (row * w->width + column) * channels;
            const float *tap = filters + (i * w->kernel_columns + j) * channels;
            for (int c = 0; c < channels; c++) to[c] += dy[c] * tap[c];
          }
}

// One tap of `lanes` channels from c on, over all pictures.
INLINE void tap_gradient(const int vectors, const float *x, const float *dy, float *df, const Window *w, int i, int j) {
  const int channels = w->channels, step = w->column_stride * channels;
  const int top = i * w->row_dilation - w->top, left = j * w->column_dilation - w->left;
  const Range rows = inside(top, w->row_stride, w->height, w->rows), columns = inside(left, w->column_stride, w->width, w->columns);
  V sum[4];
  UNROLL for (int v = 0; v < most(vectors, 1); v++) sum[v] = wasm_f32x4_splat(0);
  for (int n = 0; n < w->batch; n++)
    for (int r = rows.first; r < rows.end; r++) {
      const float *from = x + ((n * w->height + r * w->row_stride + top) * w->width + columns.first * w->column_stride + left) * channels;
      const float *d = dy + ((n * w->rows + r) * w->columns + columns.first) * channels;
      for (int p = columns.first; p < columns.end; p++, from += step, d += channels) {
        if (!vectors) sum[0] = multiply_add(wasm_v128_load32_splat(from), wasm_v128_load32_splat(d), sum[0]);
        UNROLL for (int v = 0; v < vectors; v++) sum[v] = multiply_add(wasm_v128_load(from + 4 * v), wasm_v128_load(d + 4 * v), sum[v]);
      }
    }
  if (!vectors) wasm_v128_store32_lane(df, sum[0], 0);
  UNROLL for (int v = 0; v < vectors; v++) wasm_v128_store(df + 4 * v, sum[v]);
}

// df (taps, channels): the sum over all pixels of y of dy times the pixel of x that the tap meets.
EXPORT(depthwise_filter_gradient)(const float *x, const float *dy, float *df, const Window *w) {
  for (int i = 0; i < w->kernel_rows; i++)
    for (int j = 0; j < w->kernel_columns; j++, df += w->channels) {
      int c = 0;
      for (; c + 16 <= w->channels; c += 16) tap_gradient(4, x + c, dy + c, df + c, w, i, j);
      for (; c + 4 <= w->channels; c += 4) tap_gradient(1, x + c, dy + c, df + c, w, i, j);
      for (; c < w->channels; c++) tap_gradient(0, x + c, dy + c, df + c, w, i, j);
    }
}
