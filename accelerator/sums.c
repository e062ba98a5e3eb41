// Sums over pixels (batch, pixels, channels), added up in float64.
#include "vector.h"

enum { TOGETHER = 8 };

// y[n, c] = sum over pixels of x[n, p, c], times scale.
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
