// Convolution of one group by any window: bands of windows are laid out as rows of a product.
#include "gemm.h"

INLINE void copy(const float *from, float *into, int count) {
  for (; count >= 4; count -= 4, from += 4, into += 4) wasm_v128_store(into, wasm_v128_load(from));
  for (; count > 0; count--) *into++ = *from++;
}

INLINE void clear(float *into, int count) {
  for (; count > 0; count--) *into++ = 0;
}

// (columns, taps * channels): the windows of row r of y, in picture x.
static void lay_out(const float *x, float *into, const Window *w, int r) {
  const int channels = w->channels, line = w->kernel_columns * channels;
  for (int p = 0; p < w->columns; p++)
    for (int i = 0; i < w->kernel_rows; i++, into += line) {
      const int row = r * w->row_stride - w->top + i * w->row_dilation, column = p * w->column_stride - w->left;
      const Range taps = row < 0 || row >= w->height ? (Range){0, 0} : inside(column, w->column_dilation, w->width, w->kernel_columns);
      const float *from = x + (row * w->width + column) * channels;
      clear(into, taps.first * channels);
      if (w->column_dilation == 1) copy(from + taps.first * channels, into + taps.first * channels, (taps.end - taps.first) * channels);
      else for (int j = taps.first; j < taps.end; j++) copy(from + j * w->column_dilation * channels, into + j * channels, channels);
      clear(into + taps.end * channels, line - taps.end * channels);
    }
}

// x += the windows of row r of y: the opposite of lay_out.
static void add_back(float *x, const float *from, const Window *w, int r) {
  for (int p = 0; p < w->columns; p++)
    for (int i = 0; i < w->kernel_rows; i++, from += w->kernel_columns * w->channels) {
      const int row = r * w->row_stride - w->top + i * w->row_dilation, column = p * w->column_stride - w->left;
      const Range taps = row < 0 || row >= w->height ? (Range){0, 0} : inside(column, w->column_dilation, w->width, w->kernel_columns);
      for (int j = taps.first; j < taps.end; j++) {
        float *to = x + (row * w->width + column + j * w->column_dilation) * w->channels;
        for (int c = 0; c < w->channels; c++) to[c] += from[j * w->channels + c];
      }
    }
}

// Y = clamp(rows of windows times filters + bias + Z). panels: of filters (taps * channels, filters); scratch: `band` rows of y laid out.
EXPORT(convolution)(const float *x, const float *panels, const float *bias, const float *z, float *y, float *scratch, const Window *w, int filters, int band, float lo, float hi) {
  const int K = w->kernel_rows * w->kernel_columns * w->channels;
  for (int n = 0; n < w->batch; n++, x += w->height * w->width * w->channels)
    for (int r = 0; r < w->rows; r += band) {
      const int rows = least(band, w->rows - r), pixels = rows * w->columns;
      for (int i = 0; i < rows; i++) lay_out(x, scratch + i * w->columns * K, w, r + i);
      multiply(&(Product){scratch, panels, bias, z, y, K, 1, pixels, K, filters, lo, hi});
      y += pixels * filters;
      if (z) z += pixels * filters;
    }
}

// dx += dy times the filters, put back where their windows stood; dx is zero before. panels: of filters (filters, taps * channels).
EXPORT(convolution_input_gradient)(const float *dy, const float *panels, float *dx, float *scratch, const Window *w, int filters, int band) {
  const int K = w->kernel_rows * w->kernel_columns * w->channels;
  for (int n = 0; n < w->batch; n++, dx += w->height * w->width * w->channels)
    for (int r = 0; r < w->rows; r += band) {
      const int rows = least(band, w->rows - r), pixels = rows * w->columns;
      multiply(&(Product){dy, panels, 0, 0, scratch, filters, 1, pixels, filters, K, -__builtin_inff(), __builtin_inff()});
      for (int i = 0; i < rows; i++) add_back(dx, scratch + i * w->columns * K, w, r + i);
      dy += pixels * filters;
    }
}

// df (filters, taps * channels) += dy^T times the windows; df is zero before. scratch, panels: `band` rows of y laid out, and packed.
EXPORT(convolution_filter_gradient)(const float *x, const float *dy, float *df, float *scratch, float *panels, const Window *w, int filters, int band) {
  const int K = w->kernel_rows * w->kernel_columns * w->channels;
  for (int n = 0; n < w->batch; n++, x += w->height * w->width * w->channels)
    for (int r = 0; r < w->rows; r += band) {
      const int rows = least(band, w->rows - r), pixels = rows * w->columns;
      for (int i = 0; i < rows; i++) lay_out(x, scratch + i * w->columns * K, w, r + i);
      pack(scratch, panels, pixels, K);
      multiply(&(Product){dy, panels, 0, df, df, 1, filters, filters, pixels, K, -__builtin_inff(), __builtin_inff()});
      dy += pixels * filters;
    }
}
