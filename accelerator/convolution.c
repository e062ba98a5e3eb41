// Convolution of one group by any window: bands of windows are laid out as rows of a product.
#include "gemm.h"

// (columns, taps * channels): the windows of one row of y in picture x.
static void lay_out(const float *x, float *into, const Window *w, int r) {
  for (int p = 0; p < w->columns; p++)
    for (int i = 0; i < w->kernel_rows; i++) {
      const int row = r * w->row_stride - w->top + i * w->row_dilation;
      for (int j = 0; j < w->kernel_columns; j++, into += w->channels) {
        const int column = p * w->column_stride - w->left + j * w->column_dilation;
        const int inside = row >= 0 && row < w->height && column >= 0 && column < w->width;
        const float *from = x + (row * w->width + column) * w->channels;
        for (int c = 0; c < w->channels; c++) into[c] = inside ? from[c] : 0;
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
