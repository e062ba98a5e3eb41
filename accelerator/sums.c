// Sums over the pixels of (batch, pixels, channels), and what is the same for all pixels.
#include "vector.h"

enum { TOGETHER = 8 };

// y[n, c] = sum over pixels of x[n, p, c], added up in float64, times scale.
EXPORT(pixel_sums)(const float *x, float *y, int batch, int pixels, int channels, double scale) {
  for (int n = 0; n < batch; n++, x += pixels * channels)
    for (int c = 0; c < channels; c += TOGETHER) {
      const int width = least(TOGETHER, channels - c);
      double sum[TOGETHER];
      UNROLL for (int t = 0; t < TOGETHER; t++) sum[t] = 0;
      for (int p = 0; p < pixels; p++) {
        const float *at = x + p * channels + c;
        if (width == TOGETHER) UNROLL for (int t = 0; t < TOGETHER; t++) sum[t] += at[t];
        else for (int t = 0; t < width; t++) sum[t] += at[t];
      }
      for (int t = 0; t < width; t++) *y++ = (float)(sum[t] * scale);
    }
}

// y[n, p, c] = x[n, c].
EXPORT(spread)(const float *x, float *y, int batch, int pixels, int channels) {
  for (int n = 0; n < batch; n++, x += channels)
    for (int p = 0; p < pixels; p++, y += channels) {
      int c = 0;
      for (; c + 4 <= channels; c += 4) wasm_v128_store(y + c, wasm_v128_load(x + c));
      for (; c < channels; c++) y[c] = x[c];
    }
}
